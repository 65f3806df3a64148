//! Tables of words and numbers.

use super::format;
use maud::{Markup, html};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// One cell a column; short rows are filled with empty cells.
    pub rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its heading.
    pub head: String,
    /// Numbers stand to the right.
    pub numeric: bool,
}

impl Column {
    /// A column of words.
    pub fn text(head: impl Into<String>) -> Self {
        Self { head: head.into(), numeric: false }
    }

    /// A column of numbers.
    pub fn number(head: impl Into<String>) -> Self {
        Self { head: head.into(), numeric: true }
    }
}

/// How a figure stands against what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// As it should be.
    Met,
    /// Not as it should be.
    NotMet,
    /// Cannot be told.
    Unknown,
}

impl Judgement {
    /// Judges a share or error against a bound; a value that is not known is not judged.
    pub fn at_least(value: Option<f64>, bound: f64) -> Self {
        format::known(value).map_or(Self::Unknown, |v| if v >= bound { Self::Met } else { Self::NotMet })
    }

    /// As [`Self::at_least`], from above.
    pub fn at_most(value: Option<f64>, bound: f64) -> Self {
        format::known(value).map_or(Self::Unknown, |v| if v <= bound { Self::Met } else { Self::NotMet })
    }

    fn sign(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Met => ("met", "✓", "met"),
            Self::NotMet => ("not-met", "✗", "not met"),
            Self::Unknown => ("unknown", "?", "unknown"),
        }
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    text: String,
    unknown: bool,
    judgement: Option<Judgement>,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), unknown: false, judgement: None }
    }

    /// A number with a fixed count of decimals, or `unknown`.
    pub fn number(value: Option<f64>, decimals: usize) -> Self {
        Self {
            text: format::number(value, decimals),
            unknown: format::known(value).is_none(),
            judgement: None,
        }
    }

    /// A count.
    pub fn count(n: usize) -> Self {
        Self::text(n.to_string())
    }

    /// A share of 1 in per cent, or `unknown`.
    pub fn percent(share: Option<f64>, decimals: usize) -> Self {
        Self {
            text: format::percent(share, decimals),
            unknown: format::known(share).is_none(),
            judgement: None,
        }
    }

    /// The same with a sign of how it stands.
    #[must_use]
    pub fn judged(mut self, judgement: Judgement) -> Self {
        self.judgement = Some(judgement);
        self
    }
}

impl Table {
    /// The table as markup.
    pub fn render(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    @if !self.caption.is_empty() { caption { (self.caption) } }
                    thead { tr { @for column in &self.columns {
                        th scope="col" class=[column.numeric.then_some("n")] { (column.head) }
                    } } }
                    tbody { @for row in &self.rows { tr { @for (index, column) in self.columns.iter().enumerate() {
                        (cell(row.get(index), index, column))
                    } } } }
                }
            }
        }
    }
}

fn cell(cell: Option<&Cell>, index: usize, column: &Column) -> Markup {
    let Some(cell) = cell else { return html! { td {} } };
    let class = [column.numeric.then_some("n"), cell.unknown.then_some("unknown")]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ");
    let class = (!class.is_empty()).then_some(class);
    let content = html! {
        (cell.text)
        @if let Some(judgement) = cell.judgement {
            @let (class, sign, words) = judgement.sign();
            " " span class=(format!("sign {class}")) title=(words) aria-label=(words) role="img" { (sign) }
        }
    };
    if index == 0 {
        html! { th scope="row" class=[class] { (content) } }
    } else {
        html! { td class=[class] { (content) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_never_met() {
        for value in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!(Judgement::at_most(value, 1.0), Judgement::Unknown);
            assert_eq!(Judgement::at_least(value, 0.0), Judgement::Unknown);
        }
        assert_eq!(Judgement::at_least(Some(0.97), 0.97), Judgement::Met);
        assert_eq!(Judgement::at_most(Some(0.051), 0.05), Judgement::NotMet);
    }

    #[test]
    fn cells_are_escaped_and_short_rows_filled() {
        let table = Table {
            caption: "a < b".into(),
            columns: vec![Column::text("<i>"), Column::number("n"), Column::number("m")],
            rows: vec![vec![
                Cell::text("\"x\" & <script>"),
                Cell::number(None, 1).judged(Judgement::Unknown),
            ]],
        };
        let html = table.render().into_string();
        assert!(html.contains("a &lt; b") && html.contains("&lt;i&gt;"));
        assert!(html.contains("&quot;x&quot; &amp; &lt;script&gt;") && !html.contains("<script"));
        assert!(html.contains("<td class=\"n unknown\">unknown <span class=\"sign unknown\""));
        assert_eq!(html.matches("<td").count() + html.matches("<th scope=\"row\"").count(), 3);
    }
}
