//! What a source file names: paths into its own crate, modules of `std`, `unsafe`.
//!
//! The text is split into tokens, so comments and strings name nothing and code inside macros counts. A
//! path is followed through its groups: `use super::{store::{self, npz}, demos}` names `store` and `demos`.
//! Items under `#[cfg(test)]` are left out: a test may use whatever it needs.

use crate::rules::{FolderOrder, WORLD};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::str::FromStr;

/// A path as written, and its line.
#[derive(Clone, Debug, PartialEq)]
struct Mention {
    segments: Vec<String>,
    line: usize,
}

/// Uses of a folder that stands later in the order, in words. `file` is the path below `src`.
pub(crate) fn order_violations(order: &FolderOrder, file: &str, text: &str) -> Vec<String> {
    let module = module_of(file);
    let Some(own) = module.first() else { return Vec::new() };
    let place = |name: &str| order.order.iter().position(|o| *o == name);
    let shown = format!("{}/src/{file}", order.crate_folder);
    let Some(own_place) = place(own) else {
        return vec![format!("{shown}: `{own}` has no place in the order of folders")];
    };
    let mut found = Vec::new();
    for mention in mentions(text) {
        let Some(used) = crate_module(&module, &mention.segments) else { continue };
        // Items re-exported at the crate's root have no folder to judge by.
        if place(&used).is_some_and(|p| p > own_place) {
            found.push(format!("{shown}:{}: `{own}` uses `{used}`, which stands after it", mention.line));
        }
    }
    found.dedup();
    found
}

/// Mentions of modules of `std` that reach outside the process, in words.
pub(crate) fn world_violations(crate_folder: &str, file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for Mention { segments, line } in mentions(text) {
        if let [root, module, ..] = segments.as_slice()
            && root == "std"
            && WORLD.contains(&module.as_str())
        {
            found.push(format!("{crate_folder}/src/{file}:{line}: deciding code names std::{module}"));
        }
    }
    found.dedup();
    found
}

/// Uses of `unsafe`, in words; tests are not exempt.
pub(crate) fn unsafe_violations(crate_folder: &str, file: &str, text: &str) -> Vec<String> {
    fn walk(tokens: TokenStream, lines: &mut Vec<usize>) {
        for token in tokens {
            match token {
                TokenTree::Ident(word) if word == "unsafe" => lines.push(word.span().start().line),
                TokenTree::Group(group) => walk(group.stream(), lines),
                _ => {}
            }
        }
    }
    let mut lines = Vec::new();
    walk(tokens(text), &mut lines);
    lines.iter().map(|line| format!("{crate_folder}/src/{file}:{line}: unsafe")).collect()
}

fn tokens(text: &str) -> TokenStream {
    TokenStream::from_str(text).unwrap_or_else(|e| panic!("not Rust: {e}\n{text}"))
}

fn token_list(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// The module that a file is, as segments below the crate.
fn module_of(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    if matches!(segments.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        segments.pop();
    }
    segments
}

/// The top-level module of the own crate that a path written in `module` leads into.
fn crate_module(module: &[String], path: &[String]) -> Option<String> {
    let mut from: &[String] = match path.first().map(String::as_str) {
        Some("crate") => &[],
        Some("super") => module,
        _ => return None,
    };
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "super" => from = from.split_last()?.1,
            "crate" => {}
            _ => break,
        }
        rest = after;
    }
    from.first().or_else(|| rest.first()).cloned()
}

fn mentions(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    collect(&[], &token_list(tokens(text)), &mut found);
    found
}

/// Walks tokens; `prefix` is the path in front of a group of a `use`.
fn collect(prefix: &[String], tokens: &[TokenTree], found: &mut Vec<Mention>) {
    let mut at = 0;
    while at < tokens.len() {
        if starts_test_item(&tokens[at..]) {
            at = end_of_item(tokens, at);
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(_) => at = path(prefix, tokens, at, found),
            TokenTree::Group(group) => {
                collect(&[], &token_list(group.stream()), found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Follows the path that starts at `at`; gives back where to go on.
fn path(prefix: &[String], tokens: &[TokenTree], mut at: usize, found: &mut Vec<Mention>) -> usize {
    let mut segments = prefix.to_vec();
    let mut line = 0;
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) => {
                line = word.span().start().line;
                segments.push(word.to_string());
                at += 1;
            }
            // `a::{b, c}`: each inside goes on from here.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                collect(&segments, &token_list(group.stream()), found);
                return at + 1;
            }
            // `a::*`, `a::<T>`: the path ends.
            _ => break,
        }
        if !is_path_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    found.push(Mention { segments, line });
    at
}

fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    colon(tokens.get(at)) && colon(tokens.get(at + 1))
}

/// `#[cfg(test)]`, or a `cfg` that asks for `test` among others.
fn starts_test_item(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] = tokens else { return false };
    let inside = token_list(attribute.stream());
    let [TokenTree::Ident(name), TokenTree::Group(condition)] = inside.as_slice() else { return false };
    let condition = condition.stream().to_string();
    hash.as_char() == '#' && name == "cfg" && (condition == "test" || condition.starts_with("all (test"))
}

/// Past the braces or the semicolon that end the item.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => mark.as_char() == ';',
        _ => false,
    };
    tokens[at..].iter().position(ends).map_or(tokens.len(), |n| at + n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: FolderOrder =
        FolderOrder { crate_folder: "made_up", order: &["store", "graph", "belief", "when"] };

    fn order(file: &str, text: &str) -> Vec<String> {
        order_violations(&ORDER, file, text)
    }

    #[test]
    fn a_use_of_a_later_folder_is_found() {
        assert_eq!(
            order("graph/nodes.rs", "use crate::store::Data;\nuse crate::when::rule::Rule;"),
            ["made_up/src/graph/nodes.rs:2: `graph` uses `when`, which stands after it"]
        );
    }

    #[test]
    fn it_is_found_however_it_is_written() {
        for text in [
            "use super::super::belief::Window;",
            "use crate::{store::{self, npz}, belief::{Query, Window}};",
            "use crate::belief;",
            "use crate::belief::*;",
            "pub(crate) use crate::belief::filter as f;",
            "fn f() -> crate::belief::Window { todo!() }",
            "fn f() { let w = crate::belief::Window::<3>::new(); }",
            "fn f() { assert_eq!(crate::belief::share(), 1); }",
            "impl From<crate::belief::Error> for Error {}",
        ] {
            assert_eq!(order("graph/nodes.rs", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_stands_before_or_names_nothing_passes() {
        for text in [
            "use crate::store::npz;",
            "use super::demo_graph::Nodes;",
            "use super::super::store::Data;",
            "// crate::belief is asked later",
            "/// See [`crate::belief`].\nstruct S;",
            "const S: &str = \"crate::belief\";",
            "use other_crate::belief::Window;",
            "fn f(when: f64) -> f64 { when }",
            "#[cfg(test)] mod tests { use crate::when::Rule; }",
            "#[cfg(test)] use crate::when::Rule;",
        ] {
            assert_eq!(order("graph/edges.rs", text), Vec::<String>::new(), "{text}");
        }
        let after_a_test_item = "#[cfg(test)] mod tests { }\nuse crate::when::Rule;";
        assert_eq!(order("graph/edges.rs", after_a_test_item).len(), 1);
    }

    #[test]
    fn a_folder_without_a_place_is_found() {
        assert_eq!(
            order("helpers/mod.rs", ""),
            ["made_up/src/helpers/mod.rs: `helpers` has no place in the order of folders"]
        );
        assert!(order("lib.rs", "pub mod when; pub use when::Rule;").is_empty());
    }

    #[test]
    fn the_world_is_found_in_deciding_code() {
        let found = |text| world_violations("made_up", "when/rule.rs", text);
        assert_eq!(
            found("use std::collections::BTreeMap;\nfn f() { std::time::Instant::now(); }"),
            ["made_up/src/when/rule.rs:2: deciding code names std::time"]
        );
        assert_eq!(found("use std::{fmt, path::{Path, PathBuf}, fs};").len(), 2, "each module of a group");
        assert!(found("use std::sync::Arc; fn f(path: &[usize]) {}").is_empty());
    }

    #[test]
    fn unsafe_is_found_even_in_tests() {
        let found = |text| unsafe_violations("made_up", "a.rs", text);
        assert_eq!(found("#[cfg(test)] mod t { fn f() { unsafe { g() } } }"), ["made_up/src/a.rs:1: unsafe"]);
        assert!(found("// unsafe\n#![deny(unsafe_code)] const S: &str = \"unsafe\";").is_empty());
    }
}
