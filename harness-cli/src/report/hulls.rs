//! Links in pictures: mesh, hull and box from three sides, with the point where the hull reaches farthest past the mesh.

use super::figure::{WIDTH, frame, px};
use super::{Fact, Page, Provenance, Section};
use crate::report::table::{Cell, Column, Table};
use maud::{Markup, html};
use rollcheck_engine::geometry::{ConvexHull, Point, TriangleMesh, Vector};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One link from three sides, in its box frame, m.
#[derive(Clone, Debug, Default)]
pub struct LinkPicture {
    name: String,
    half_m: [f64; 3],
    /// For each side the silhouette of the mesh.
    silhouettes: [Vec<[(f64, f64); 2]>; 3],
    /// For each side the outline of the hull.
    outlines: [Vec<(f64, f64)>; 3],
    worst: Option<(Point, f64)>,
}

/// The axes across and up of each side.
const SIDES: [(usize, usize, usize, &str); 3] = [(0, 1, 2, "x-y"), (0, 2, 1, "x-z"), (1, 2, 0, "y-z")];

impl LinkPicture {
    /// Takes what is drawn; everything in the box frame, m. `worst` is a point of the hull and its distance.
    pub fn of(
        name: &str,
        half_m: [f64; 3],
        mesh: &TriangleMesh,
        hull: Option<&ConvexHull>,
        worst: Option<(Point, f64)>,
    ) -> Self {
        let silhouettes = SIDES.map(|(u, v, w, _)| silhouette(mesh, u, v, w));
        let outlines = SIDES.map(|(u, v, _, _)| {
            let points = hull.map_or(&[][..], |hull| hull.vertices());
            outline(points.iter().map(|p| (p[u], p[v])).collect())
        });
        Self { name: name.to_owned(), half_m, silhouettes, outlines, worst }
    }

    fn render(&self, at: usize) -> Markup {
        const GAP: f64 = 24.0;
        let panel = (WIDTH - 2.0 * GAP) / 3.0;
        let reach = self.half_m.iter().fold(0.0_f64, |m, h| m.max(*h)).max(1e-9) * 1.12;
        let scale = panel / (2.0 * reach);
        let height = panel + 34.0;
        let inner = html! {
            @for (side, (u, v, _, label)) in SIDES.iter().enumerate() {
                @let (cx, cy) = (side as f64 * (panel + GAP) + panel / 2.0, panel / 2.0 + 6.0);
                @let x = |a: f64| px(cx + a * scale);
                @let y = |b: f64| px(cy - b * scale);
                rect x=(x(-self.half_m[*u])) y=(y(self.half_m[*v])) width=(px(2.0 * self.half_m[*u] * scale))
                    height=(px(2.0 * self.half_m[*v] * scale)) fill="none" stroke="var(--soft)" stroke-dasharray="6 4" {}
                @if !self.outlines[side].is_empty() {
                    polygon fill="var(--wash)" stroke="var(--s0)" stroke-width="1.5"
                        points=(self.outlines[side].iter().map(|(a, b)| format!("{},{}", x(*a), y(*b))).collect::<Vec<_>>().join(" ")) {}
                }
                path fill="none" stroke="currentColor" stroke-width="0.7"
                    d=(lines(&self.silhouettes[side], &x, &y)) {}
                @if let Some((worst, _)) = &self.worst {
                    circle cx=(x(worst[*u])) cy=(y(worst[*v])) r="5" fill="none" stroke="var(--strong)" stroke-width="2" {}
                }
                text x=(px(cx)) y=(px(panel + 26.0)) text-anchor="middle" { (label) " (half width of the view " (format!("{:.0}", reach * 1e3)) " mm)" }
            }
        };
        let words = self.worst.map_or("no hull".to_owned(), |(p, m)| {
            format!(
                "the hull is farthest, {:.3} mm, past the mesh at ({:.4}, {:.4}, {:.4}) m",
                m * 1e3,
                p.x,
                p.y,
                p.z
            )
        });
        let legend = vec![
            (
                "box".to_owned(),
                html! { line x1="0" x2="28" y1="6" y2="6" stroke="var(--soft)" stroke-dasharray="6 4" {} },
            ),
            (
                "hull".to_owned(),
                html! { line x1="0" x2="28" y1="6" y2="6" stroke="var(--s0)" stroke-width="2" {} },
            ),
            (
                "mesh, silhouette".to_owned(),
                html! { line x1="0" x2="28" y1="6" y2="6" stroke="currentColor" {} },
            ),
            (
                "farthest point".to_owned(),
                html! { circle cx="14" cy="6" r="5" fill="none" stroke="var(--strong)" stroke-width="2" {} },
            ),
        ];
        frame(
            &format!("link-{at}"),
            &format!("{}: {words}", self.name),
            &format!("{} from three sides", self.name),
            height,
            &legend,
            &inner,
        )
    }
}

/// Lines as the data of an SVG path.
fn lines(lines: &[[(f64, f64); 2]], x: &dyn Fn(f64) -> String, y: &dyn Fn(f64) -> String) -> String {
    lines.iter().fold(String::new(), |mut path, [p, q]| {
        let _ = write!(path, "M{} {}L{} {}", x(p.0), y(p.1), x(q.0), y(q.1));
        path
    })
}

/// Edges where the mesh turns away from the viewer, or ends.
fn silhouette(mesh: &TriangleMesh, u: usize, v: usize, w: usize) -> Vec<[(f64, f64); 2]> {
    let mut sides: BTreeMap<(u32, u32), Vec<bool>> = BTreeMap::new();
    for (corners, &[i, j, k]) in mesh.facets().zip(mesh.triangles()) {
        let normal: Vector = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        for (a, b) in [(i, j), (j, k), (k, i)] {
            sides.entry((a.min(b), a.max(b))).or_default().push(normal[w] >= 0.0);
        }
    }
    let at = |i: u32| {
        let p = &mesh.vertices()[i as usize];
        (p[u], p[v])
    };
    let seen = sides.into_iter().filter(|(_, facing)| facing.len() != 2 || facing[0] != facing[1]);
    seen.map(|((a, b), _)| [at(a), at(b)]).collect()
}

/// The convex outline of points in a plane, counter-clockwise (Andrew 1979).
fn outline(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn =
        |a: (f64, f64), b: (f64, f64), c: (f64, f64)| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let chain = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut chain: Vec<(f64, f64)> = Vec::new();
        for p in points {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

/// A page of links.
#[derive(Clone, Debug, Default)]
pub struct HullPage {
    /// Its heading.
    pub title: String,
    /// What a reader should know first.
    pub lede: String,
    /// The links.
    pub links: Vec<LinkPicture>,
    /// Headings of the table.
    pub columns: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// What was found, in words.
    pub notes: Vec<String>,
}

impl HullPage {
    /// The text of the page.
    pub fn render(&self) -> String {
        let columns = self.columns.iter().enumerate();
        let table = Table {
            caption: "Links".to_owned(),
            columns: columns
                .map(|(i, &head)| if i == 0 { Column::text(head) } else { Column::number(head) })
                .collect(),
            rows: self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect(),
        };
        let pictures = self.links.iter().enumerate().map(|(at, link)| link.render(at)).collect();
        Page {
            title: self.title.clone(),
            lede: self.lede.clone(),
            facts: vec![Fact::new("links", self.rows.len().to_string())],
            sections: vec![
                Section {
                    title: "Figures".into(),
                    text: self.notes.clone(),
                    body: vec![table.render()],
                    parts: vec![],
                },
                Section {
                    title: "Pictures".into(),
                    text: vec!["Each link in its box frame, from three sides.".into()],
                    body: pictures,
                    parts: vec![],
                },
            ],
            provenance: Provenance {
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
                ..Provenance::default()
            },
        }
        .render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_turn_one_way_and_silhouettes_of_a_box_are_its_rim() {
        let square = outline(vec![(0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0)]);
        assert_eq!(square, [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
        let [o, x, y, z] =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point::from);
        let mesh = TriangleMesh::weld([[o, y, x], [o, x, z], [o, z, y], [x, y, z]]).unwrap();
        // From above, the base looks down and the slanted side up; the two walls are edge on.
        assert_eq!(silhouette(&mesh, 0, 1, 2).len(), 3);
    }

    #[test]
    fn a_page_escapes_names_and_fetches_nothing() {
        let page = HullPage {
            title: "<b>".into(),
            rows: vec![vec!["<i>".into()]],
            columns: vec!["link"],
            ..HullPage::default()
        };
        let text = page.render();
        assert!(text.contains("&lt;b&gt;") && text.contains("&lt;i&gt;") && !text.contains("<i>"));
        assert!(!text.contains("http://") && !text.contains("<script"));
    }
}
