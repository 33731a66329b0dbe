//! Edges between the top-level modules of one crate.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::lex::{Kind, Token, after_group};
use super::source::Source;

/// Keywords in front of the name of an item.
const DEFINES: [&str; 9] = ["struct", "enum", "trait", "fn", "const", "static", "type", "mod", "union"];

/// Names that the crate root offers to its modules.
#[derive(Default)]
struct Root<'a> {
    modules: BTreeSet<&'a str>,
    /// Name that is imported at the root, and the module that it comes from.
    imports: BTreeMap<&'a str, &'a str>,
    /// Modules all of whose names are imported at the root.
    globs: Vec<&'a str>,
}

/// Reads the edges from `crate::…` and from `super::…` where it leaves the module.
pub(super) fn graph<'a>(sources: &[Source<'a>]) -> Graph<'a> {
    let root = Root::read(sources);
    let mut graph = Graph::default();
    for source in sources {
        source.walk(|at, module| {
            let (Some(from), Some(first)) = (module.first(), first_segments(&source.tokens, at, module))
            else {
                return;
            };
            let line = source.tokens[at].line;
            for to in first.into_iter().flat_map(|name| root.modules_behind(name, sources)) {
                graph.add(from, to, || source.place(line));
            }
        });
    }
    graph
}

/// Names directly below the crate root that the path at `at` leads to; nothing when no such path begins there.
fn first_segments<'a>(tokens: &[Token<'a>], at: usize, module: &[&'a str]) -> Option<Vec<&'a str>> {
    let begins = |at: usize| tokens[at].is("crate") || tokens[at].is("super");
    let follows = at > 1 && tokens[at - 1].is("::") && (begins(at - 2) || tokens[at - 2].is("self"));
    let after = |at: usize| tokens.get(at + 1).is_some_and(|token| token.is("::"));
    if !begins(at) || !after(at) || (follows && !tokens[at - 2].is("self")) {
        return None;
    }
    let (mut at, mut left) = (at, module.len());
    loop {
        left = if tokens[at].is("crate") { 0 } else { left.saturating_sub(1) };
        at += 2;
        if !tokens.get(at)?.is("super") || !after(at) {
            break;
        }
    }
    if left > 0 { Some(vec![module[0]]) } else { Some(leaves(tokens, at)) }
}

/// First names of the path or of the group of paths that begins at `at`.
fn leaves<'a>(tokens: &[Token<'a>], at: usize) -> Vec<&'a str> {
    match tokens.get(at) {
        Some(open) if open.is("{") => branches(tokens, at).into_iter().map(|at| tokens[at].text).collect(),
        Some(name) => vec![name.text],
        None => Vec::new(),
    }
}

/// Indices at which the paths of the group that opens at `open` begin.
fn branches(tokens: &[Token<'_>], open: usize) -> Vec<usize> {
    let end = after_group(tokens, open) - 1;
    let (mut found, mut at, mut fresh) = (Vec::new(), open + 1, true);
    while at < end {
        if fresh {
            found.push(at);
        }
        fresh = tokens[at].is(",");
        at = if tokens[at].is("{") { after_group(tokens, at) } else { at + 1 };
    }
    found
}

impl<'a> Root<'a> {
    fn read(sources: &[Source<'a>]) -> Self {
        let mut root = Self::default();
        for source in sources {
            source.walk(|_, module| root.modules.extend(module.first()));
        }
        for source in sources {
            source.walk(|at, module| {
                if module.is_empty() && source.tokens[at].is("use") {
                    root.import(&source.tokens, at + 1, None);
                }
            });
        }
        root
    }

    /// Notes what one path of a `use` at the root brings; `from` is the first name of the path so far.
    fn import(&mut self, tokens: &[Token<'a>], mut at: usize, mut from: Option<&'a str>) {
        let mut last = from;
        while let Some(token) = tokens.get(at) {
            if token.is("{") {
                branches(tokens, at).into_iter().for_each(|branch| self.import(tokens, branch, from));
                return;
            }
            if token.is("*") {
                self.globs.extend(from.filter(|name| self.modules.contains(name)));
                return;
            }
            if token.is("as") {
                last = tokens.get(at + 1).map(|alias| alias.text);
                break;
            }
            if token.is("self") || token.is("crate") || token.is("::") {
                at += 1;
                continue;
            }
            if !token.is_word() {
                break;
            }
            from = from.or(Some(token.text));
            last = Some(token.text);
            at += 1;
        }
        if let (Some(name), Some(from)) = (last, from) {
            self.imports.insert(name, from);
        }
    }

    /// Modules that a name directly below the crate root belongs to.
    fn modules_behind(&self, name: &'a str, sources: &[Source<'a>]) -> Vec<&'a str> {
        if name == "*" {
            return self
                .imports
                .values()
                .chain(&self.globs)
                .copied()
                .filter(|from| self.modules.contains(from))
                .collect();
        }
        if let Some(module) = self.modules.get(name) {
            return vec![*module];
        }
        if let Some(from) = self.imports.get(name) {
            return self.modules.get(from).copied().into_iter().collect();
        }
        self.globs.iter().copied().filter(|module| defines(sources, module, name)).collect()
    }
}

fn defines(sources: &[Source<'_>], module: &str, name: &str) -> bool {
    let within = sources.iter().filter(|source| source.module.first() == Some(&module));
    within.flat_map(|source| source.tokens.windows(2)).any(|pair| {
        pair[1].kind == Kind::Word
            && pair[1].text == name
            && DEFINES.iter().any(|keyword| pair[0].is(keyword))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles of a crate whose files are given by name and text.
    fn cycles(files: &[(&'static str, &'static str)]) -> Vec<Vec<&'static str>> {
        let sources: Vec<_> = files.iter().map(|(name, text)| Source::read(name, name, text)).collect();
        graph(&sources).cycles()
    }

    #[test]
    fn modules_that_form_a_tree_have_no_cycle() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A; fn f() { b::g() }"),
            ("a.rs", "pub struct A; // crate::b\n const TEXT: &str = \"crate::b\";"),
            ("b.rs", "use crate::A; pub(crate) fn g() { self::h(); super::A; } use std::a;"),
        ];
        assert!(cycles(&files).is_empty());
    }

    #[test]
    fn two_modules_form_a_cycle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B;"),
            ("b/mod.rs", "fn f() { crate::a::g(); }"),
        ];
        assert_eq!(cycles(&files), [["a", "b"]]);
    }

    #[test]
    fn three_modules_form_a_cycle_from_the_files_inside_them() {
        let files = [
            ("a/x/y.rs", "fn f(b: super::super::super::b::B) {}"),
            ("a/z.rs", "use super::x; use super::super::b;"),
            ("b.rs", "mod inner { use super::super::c::C; use super::own; }"),
            ("c/d.rs", "fn f() -> $crate::a::A {}"),
        ];
        assert_eq!(cycles(&files), [["a", "b", "c"]]);
    }

    #[test]
    fn a_re_export_at_the_root_leads_to_its_module() {
        let lib =
            "mod error; mod open; pub use error::{Error, inner::Deep as Renamed}; pub use self::open::Open;";
        let plain = [("lib.rs", lib), ("error.rs", "use crate::Open;"), ("open.rs", "use super::Error;")];
        assert_eq!(cycles(&plain), [["error", "open"]]);
        let renamed = [("lib.rs", lib), ("error.rs", "use crate::open;"), ("open.rs", "use crate::Renamed;")];
        assert_eq!(cycles(&renamed), [["error", "open"]]);
        let other = [("lib.rs", lib), ("error.rs", "use crate::open;"), ("open.rs", "use crate::Deep;")];
        assert!(cycles(&other).is_empty());
    }

    #[test]
    fn a_glob_re_export_leads_to_the_module_that_defines_the_name() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::*; pub use c::*;"),
            ("a.rs", "pub struct A; use crate::b::B;"),
            ("b.rs", "use crate::A;"),
            ("c.rs", "pub struct C; use crate::b::B;"),
        ];
        assert_eq!(cycles(&files), [["a", "b"]]);
    }

    #[test]
    fn a_group_import_leads_to_each_of_its_modules() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::{b::{self, d}, c::C};"),
            ("b.rs", "use super::{d, x::{a}};"),
            ("c.rs", "use {crate::a::A, std::fmt};"),
            ("d.rs", "fn f() {}"),
        ];
        assert_eq!(cycles(&files), [["a", "c"]]);
    }

    #[test]
    fn tests_may_look_anywhere() {
        let files = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod only;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert!(cycles(&files).is_empty());
    }
}
