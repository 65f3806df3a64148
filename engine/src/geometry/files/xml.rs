//! Elements of an XML text, with errors that name file and line.

use super::bytes::shown;
use super::error::KinematicsFileError;
use roxmltree::{Document, Node, ParsingOptions};

/// Most nodes of a text.
const NODES_MAX: u32 = 1 << 20;

/// The document in a text. It may not define entities, and its depth is not bounded by the stack.
pub(super) fn parse<'a>(text: &'a str, file: &str) -> Result<Document<'a>, KinematicsFileError> {
    let options = ParsingOptions { nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|e| KinematicsFileError::Xml { file: file.to_owned(), reason: e.to_string() })
}

/// An element of a file.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) node: Node<'a, 'a>,
    pub(super) file: &'a str,
}

impl<'a> Element<'a> {
    pub(super) fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    pub(super) fn attr(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    pub(super) fn need(self, name: &str) -> Result<&'a str, KinematicsFileError> {
        match self.attr(name).filter(|value| !value.trim().is_empty()) {
            Some(value) => Ok(value),
            None => Err(self.refused(name, "a value", "nothing")),
        }
    }

    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = Element<'a>> {
        let file = self.file;
        self.node.children().filter(Node::is_element).map(move |node| Element { node, file })
    }

    pub(super) fn all(self, name: &'static str) -> impl Iterator<Item = Element<'a>> {
        self.children().filter(move |child| child.name() == name)
    }

    pub(super) fn child(self, name: &'static str) -> Option<Element<'a>> {
        self.all(name).next()
    }

    /// Exactly `N` finite numbers of an attribute.
    pub(super) fn numbers<const N: usize>(self, attr: &str) -> Result<Option<[f64; N]>, KinematicsFileError> {
        self.attr(attr).map(|value| self.parsed(attr, value)).transpose()
    }

    pub(super) fn parsed<const N: usize>(
        self,
        attr: &str,
        value: &str,
    ) -> Result<[f64; N], KinematicsFileError> {
        let refused = || {
            let expected = if N == 1 { "a finite number".to_owned() } else { format!("{N} finite numbers") };
            self.refused(attr, &expected, &shown(value))
        };
        let mut numbers = [0.0; N];
        let mut words = value.split_ascii_whitespace();
        for number in &mut numbers {
            let parsed = words.next().and_then(|word| word.parse::<f64>().ok());
            *number = parsed.filter(|x| x.is_finite()).ok_or_else(refused)?;
        }
        if words.next().is_some() { Err(refused()) } else { Ok(numbers) }
    }

    /// A refusal of this element, or of one of its attributes where `attr` is not empty.
    pub(super) fn refused(self, attr: &str, expected: &str, found: &str) -> KinematicsFileError {
        let clean =
            |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        let named = self.attr("name").map_or(String::new(), |name| format!(" {}", shown(name)));
        let attr = if attr.is_empty() { String::new() } else { format!(" {attr}") };
        KinematicsFileError::At {
            file: self.file.to_owned(),
            line: self.node.document().text_pos_at(self.node.range().start).row,
            what: clean(&format!("<{}>{named}{attr}", self.name())),
            expected: expected.to_owned(),
            found: clean(found),
        }
    }
}
