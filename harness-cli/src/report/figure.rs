//! What every chart shares: the frame with its words, pixel texts, the legend.

use super::format::fixed;
use maud::{Markup, html};

/// Width of every chart in its own units; the page scales it.
pub const WIDTH: f64 = 860.0;

/// A pixel coordinate with a tenth of a unit, which no screen shows.
pub fn px(value: f64) -> String {
    fixed(value, 1)
}

/// A figure around an SVG: caption, legend, and the words that stand for the picture when it is read out.
/// `id` is unique on the page.
pub fn frame(
    id: &str,
    title: &str,
    description: &str,
    height: f64,
    legend: &[(String, Markup)],
    inner: &Markup,
) -> Markup {
    let (title_id, description_id) = (format!("{id}-title"), format!("{id}-desc"));
    html! {
        figure id=(id) {
            figcaption { (title) }
            @if !legend.is_empty() {
                ul.legend {
                    @for (name, swatch) in legend {
                        li { svg.swatch viewBox="0 0 28 12" width="28" height="12" aria-hidden="true" { (swatch) } (name) }
                    }
                }
            }
            div.scroll {
                svg.chart role="img" viewBox=(format!("0 0 {WIDTH} {height}")) aria-labelledby=(format!("{title_id} {description_id}")) {
                    title id=(title_id) { (title) }
                    desc id=(description_id) { (description) }
                    (inner)
                }
            }
        }
    }
}
