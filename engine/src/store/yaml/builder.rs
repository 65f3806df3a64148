//! Values from the events of the YAML parser: collections, merge keys, anchors, and the bounds on them.

use super::scalar::{check_collection_tag, scalar};
use super::{DEPTH_MAX, EXPANSION_MAX, Key, Node, Refusal, Spot, Yaml, refuse};
use saphyr_parser::{Event, Parser};
use std::collections::BTreeMap;

enum PendingKey {
    Own(Key),
    Merge,
}

/// A collection whose end has not come.
enum Frame {
    Seq { items: Vec<Yaml>, anchor: usize },
    Map { merged: Vec<(Key, Yaml)>, own: Vec<(Key, Yaml)>, key: Option<PendingKey>, anchor: usize },
}

#[derive(Default)]
struct Builder {
    stack: Vec<Frame>,
    root: Option<Yaml>,
    anchors: BTreeMap<usize, Yaml>,
    copied: usize,
}

pub(super) fn build(text: &str) -> Result<Yaml, Refusal> {
    let mut builder = Builder::default();
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(pair) => pair,
            Err(e) => return refuse(Spot::of(*e.marker()), format!("not YAML: {}", e.info())),
        };
        let at = Spot::of(span.start);
        match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    return refuse(at, "a second document, expected one");
                }
            }
            Event::Scalar(value, style, anchor, tag) => {
                let node = scalar(value, style, tag.as_deref(), at)?;
                builder.finish(node, anchor, at)?;
            }
            Event::Alias(anchor) => builder.alias(anchor, at)?,
            Event::SequenceStart(anchor, tag) => {
                check_collection_tag(tag.as_deref(), "seq", at)?;
                builder.open(Frame::Seq { items: Vec::new(), anchor }, at)?;
            }
            Event::MappingStart(anchor, tag) => {
                check_collection_tag(tag.as_deref(), "map", at)?;
                let frame = Frame::Map { merged: Vec::new(), own: Vec::new(), key: None, anchor };
                builder.open(frame, at)?;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close(at)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }
    Ok(builder.root.unwrap_or(Yaml::Null))
}

impl Builder {
    fn open(&mut self, frame: Frame, at: Spot) -> Result<(), Refusal> {
        if self.stack.len() >= DEPTH_MAX {
            return refuse(at, format!("nested deeper than {DEPTH_MAX}"));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn close(&mut self, at: Spot) -> Result<(), Refusal> {
        match self.stack.pop() {
            Some(Frame::Seq { items, anchor }) => self.finish(Node::Value(Yaml::Seq(items)), anchor, at),
            Some(Frame::Map { merged, own, anchor, .. }) => {
                // Inserting again keeps the first place and takes the last value, as a Python dict does.
                let map = merged.into_iter().chain(own).collect();
                self.finish(Node::Value(Yaml::Map(map)), anchor, at)
            }
            None => refuse(at, "not YAML: an end without a beginning"),
        }
    }

    fn finish(&mut self, node: Node, anchor: usize, at: Spot) -> Result<(), Refusal> {
        if anchor > 0 {
            let value = match &node {
                Node::Value(value) => value.clone(),
                Node::Merge => Yaml::Text("<<".to_owned()),
                Node::Default => Yaml::Text("=".to_owned()),
            };
            self.copy(value.weight(), at)?;
            self.anchors.insert(anchor, value);
        }
        self.add(node, at)
    }

    fn alias(&mut self, anchor: usize, at: Spot) -> Result<(), Refusal> {
        let Some(value) = self.anchors.get(&anchor) else {
            return refuse(at, "an alias inside the value that it names");
        };
        let weight = value.weight();
        self.copy(weight, at)?;
        match self.anchors.get(&anchor) {
            Some(value) => self.add(Node::Value(value.clone()), at),
            None => Ok(()),
        }
    }

    fn copy(&mut self, weight: usize, at: Spot) -> Result<(), Refusal> {
        self.copied = self.copied.saturating_add(weight);
        if self.copied > EXPANSION_MAX {
            return refuse(at, format!("anchors and aliases expand to more than {EXPANSION_MAX}"));
        }
        Ok(())
    }

    fn add(&mut self, node: Node, at: Spot) -> Result<(), Refusal> {
        match self.stack.last_mut() {
            None => self.root = Some(value(node, at)?),
            Some(Frame::Seq { items, .. }) => items.push(value(node, at)?),
            Some(Frame::Map { merged, own, key, .. }) => match key.take() {
                None => *key = Some(pending_key(node, at)?),
                Some(PendingKey::Own(k)) => own.push((k, value(node, at)?)),
                Some(PendingKey::Merge) => merge(merged, value(node, at)?, at)?,
            },
        }
        Ok(())
    }
}

fn value(node: Node, at: Spot) -> Result<Yaml, Refusal> {
    match node {
        Node::Value(value) => Ok(value),
        Node::Merge => refuse(at, "`<<` stands for no value; only a key may be written so"),
        Node::Default => refuse(at, "`=` stands for no value; quote it if text is meant"),
    }
}

fn pending_key(node: Node, at: Spot) -> Result<PendingKey, Refusal> {
    Ok(PendingKey::Own(match node {
        Node::Merge => return Ok(PendingKey::Merge),
        Node::Default => Key::Text("=".to_owned()),
        Node::Value(Yaml::Null) => Key::Null,
        Node::Value(Yaml::Bool(b)) => Key::Bool(b),
        Node::Value(Yaml::Int(i)) => Key::Int(i),
        Node::Value(Yaml::Float(x)) => Key::Float(x),
        Node::Value(Yaml::Text(text)) => Key::Text(text),
        Node::Value(Yaml::Seq(_) | Yaml::Map(_)) => return refuse(at, "a key that is no scalar"),
    }))
}

fn merge(merged: &mut Vec<(Key, Yaml)>, value: Yaml, at: Spot) -> Result<(), Refusal> {
    match value {
        Yaml::Map(map) => merged.extend(map),
        // The first of the list is to win, so it comes last.
        Yaml::Seq(items) => {
            for item in items.into_iter().rev() {
                match item {
                    Yaml::Map(map) => merged.extend(map),
                    _ => return refuse(at, "`<<` takes a mapping or a list of mappings"),
                }
            }
        }
        _ => return refuse(at, "`<<` takes a mapping or a list of mappings"),
    }
    Ok(())
}
