//! The page around everything: title, facts, sections, and where the figures come from.

use super::table::{Cell, Column, Table};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// A page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// One paragraph: what a reader should know first.
    pub lede: String,
    /// The figures at the top.
    pub facts: Vec<Fact>,
    /// The parts.
    pub sections: Vec<Section>,
    /// Where the figures come from.
    pub provenance: Provenance,
}

/// A named figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Its value, with its unit; `None` is unknown.
    pub value: Option<String>,
    /// A remark, or empty.
    pub note: String,
}

impl Fact {
    /// A known figure.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: Some(value.into()), note: String::new() }
    }

    /// Adds a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// A part of a page.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Paragraphs before the body.
    pub text: Vec<String>,
    /// Charts and tables.
    pub body: Vec<Markup>,
    /// Parts of this part.
    pub parts: Vec<Section>,
}

/// Where the figures of a page come from.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// Version of the tool.
    pub tool_version: String,
    /// `graph_hash`, or empty where no graph was used.
    pub graph_hash: String,
    /// `head_hash`, where a head was used.
    pub head_hash: Option<String>,
    /// Named seeds.
    pub seeds: Vec<(String, u64)>,
    /// Files that were read, and whatever a reader must know of them.
    pub sources: Vec<String>,
    /// The data were generated, not recorded.
    pub generated: bool,
}

impl Page {
    /// The text of the page.
    pub fn render(&self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Rollcheck" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        p.brand { "Rollcheck" }
                        h1 { (self.title) }
                        @if self.provenance.generated { p.generated { "generated data: not evidence about a robot" } }
                        @if !self.lede.is_empty() { p.lede { (self.lede) } }
                    }
                    main {
                        @if !self.facts.is_empty() { section.facts { (facts(&self.facts)) } }
                        @for section in &self.sections { (section.render(2)) }
                    }
                    footer { (self.provenance.render()) }
                }
            }
        }
        .into_string()
    }
}

impl Section {
    fn render(&self, level: u8) -> Markup {
        html! {
            section {
                @if level == 2 { h2 { (self.title) } } @else { h3 { (self.title) } }
                @for paragraph in &self.text { p { (paragraph) } }
                @for part in &self.body { (part) }
                @for part in &self.parts { (part.render(level + 1)) }
            }
        }
    }
}

/// A table of named figures.
pub fn facts(facts: &[Fact]) -> Markup {
    html! {
        dl {
            @for fact in facts {
                div {
                    dt { (fact.name) }
                    @match &fact.value {
                        Some(value) => dd { (value) },
                        None => dd.unknown { "unknown" },
                    }
                    @if !fact.note.is_empty() { dd.remark { (fact.note) } }
                }
            }
        }
    }
}

/// A table that a reader opens: the numbers behind a picture.
pub fn details(summary: &str, columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Markup {
    let table = Table { caption: String::new(), columns, rows };
    html! { details { summary { (summary) } (table.render()) } }
}

impl Provenance {
    fn render(&self) -> Markup {
        html! {
            h2 { "Where this comes from" }
            dl.provenance {
                div { dt { "tool" } dd { "rollcheck " (self.tool_version) } }
                @if !self.graph_hash.is_empty() { div { dt { "graph" } dd { code { (self.graph_hash) } } } }
                @if let Some(hash) = &self.head_hash { div { dt { "head" } dd { code { (hash) } } } }
                @for (name, seed) in &self.seeds { div { dt { "seed, " (name) } dd { (seed) } } }
                @for source in &self.sources { div { dt { "data" } dd { (source) } } }
            }
            p { "Research software. It is not a safety function." }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const VOID: [&str; 2] = ["meta", "br"];

    /// Every element is closed in order, attributes are quoted, no id occurs twice, and every reference to an
    /// id has its target.
    pub(crate) fn assert_well_formed(html: &str) {
        let (mut open, mut ids, mut references) = (Vec::new(), BTreeSet::new(), Vec::new());
        let body = html.strip_prefix("<!DOCTYPE html>").unwrap();
        for tag in body.split('<').skip(1) {
            let (tag, text) = tag.split_once('>').unwrap();
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "closed out of order");
                continue;
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "unbalanced quotes in <{tag}>");
            let name = tag.split(' ').next().unwrap();
            if !VOID.contains(&name) {
                open.push(name);
            }
            let attribute = |key: &str| {
                let from = tag.find(&format!(" {key}=\""))? + key.len() + 3;
                Some(&tag[from..from + tag[from..].find('"')?])
            };
            if let Some(id) = attribute("id") {
                assert!(ids.insert(id.to_owned()), "id {id} occurs twice");
            }
            references.extend(attribute("aria-labelledby").into_iter().flat_map(|r| r.split(' ')));
            let _ = text;
        }
        assert!(open.is_empty(), "never closed: {open:?}");
        for reference in references {
            assert!(ids.contains(reference), "no element has id {reference}");
        }
    }

    #[test]
    fn words_are_escaped_everywhere() {
        let evil = "<script>alert(\"1\")</script>";
        let page = Page {
            title: evil.into(),
            lede: evil.into(),
            facts: vec![Fact::new(evil, evil).with_note(evil)],
            sections: vec![Section { title: evil.into(), text: vec![evil.into()], ..Section::default() }],
            provenance: Provenance {
                tool_version: evil.into(),
                graph_hash: evil.into(),
                head_hash: Some(evil.into()),
                seeds: vec![(evil.into(), 1)],
                sources: vec![evil.into()],
                generated: true,
            },
        };
        let html = page.render();
        assert_well_formed(&html);
        assert!(!html.contains("<script"));
        assert_eq!(html.matches("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;").count(), 13);
        assert!(html.contains("generated data"));
    }

    #[test]
    fn an_unknown_fact_says_so() {
        let html =
            facts(&[Fact { name: "detection".into(), value: None, note: String::new() }]).into_string();
        assert_eq!(html, "<dl><div><dt>detection</dt><dd class=\"unknown\">unknown</dd></div></dl>");
    }
}
