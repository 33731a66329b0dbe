//! Figures of the house that the checks compare and `--figures` prints.

use std::collections::BTreeMap;

use super::house::Crate;
use super::items::{asks, doc_openings, documents_itself, functions, methods_of, public_items, types};
use super::limits::FUNCTION_LINES_MAX;
use super::modules;
use super::source::Source;

/// The service type of the core, whose methods are counted.
const SERVICE: &str = "Lacuna";

/// Top-level modules of one crate that reach each other.
pub(super) struct Cycle {
    pub(super) modules: usize,
    pub(super) lines: usize,
    /// The modules, the shortest way round, and every edge with the place that makes it.
    pub(super) list: Vec<String>,
}

/// Cycles between the modules of a crate, the largest first.
pub(super) fn cycles(of: &Crate<'_>) -> Vec<Cycle> {
    let graph = modules::graph(&of.sources);
    let shown = |(from, to, place): (&str, &str, &str)| format!("{from} → {to} at {place}");
    let cycle = |modules: Vec<&str>| {
        let round: Vec<_> = graph.shortest_round(&modules).into_iter().map(shown).collect();
        let mut list = vec![
            format!("in one cycle: {}", modules.join(", ")),
            format!("shortest round: {}", round.join(", ")),
        ];
        list.extend(graph.edges_within(&modules).into_iter().map(shown));
        let lines = modules.iter().map(|module| of.lines_of_module(module)).sum();
        Cycle { modules: modules.len(), lines, list }
    };
    graph.cycles().into_iter().map(cycle).collect()
}

/// Names of types that are defined in more than one place, with their places.
pub(super) fn shared_type_names<'a>(crates: &[Crate<'a>]) -> BTreeMap<&'a str, Vec<String>> {
    let mut places = type_names(crates);
    places.retain(|_, places| places.len() > 1);
    places
}

/// Names of all types outside tests, with the places that define them.
pub(super) fn type_names<'a>(crates: &[Crate<'a>]) -> BTreeMap<&'a str, Vec<String>> {
    let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for source in crates.iter().filter(|own| own.is_product()).flat_map(|own| &own.sources) {
        for item in types(source) {
            places.entry(item.name).or_default().push(source.place(item.line));
        }
    }
    places
}

/// Public items of a crate.
pub(super) struct Documented {
    pub(super) items: usize,
    /// Items without a doc comment, with their places.
    pub(super) bare: Vec<String>,
}

impl Documented {
    /// Share in whole per cent, rounded down.
    pub(super) fn percent(&self) -> usize {
        (100 * (self.items - self.bare.len())).checked_div(self.items).unwrap_or(100)
    }
}

pub(super) fn documented(of: &Crate<'_>) -> Documented {
    let (mut items, mut bare) = (0, Vec::new());
    for source in &of.sources {
        for public in public_items(source) {
            items += 1;
            let documented =
                public.documented || (public.is_file && file_documents(of, source, public.item.name));
            if !documented {
                bare.push(format!("{} {}", source.place(public.item.line), public.item.name));
            }
        }
    }
    Documented { items, bare }
}

/// Tells whether the file of the module `name`, declared in `source`, begins with documentation.
fn file_documents(of: &Crate<'_>, source: &Source<'_>, name: &str) -> bool {
    let is_file = |other: &&Source<'_>| {
        other.module.split_last().is_some_and(|(last, above)| *last == name && above == source.module)
    };
    of.sources.iter().find(is_file).is_some_and(documents_itself)
}

/// Doc comments outside tests.
#[derive(Default)]
pub(super) struct DocComments {
    pub(super) count: usize,
    /// Openings with a question word, with their places.
    pub(super) asking: Vec<String>,
}

pub(super) fn doc_comments(crates: &[Crate<'_>]) -> DocComments {
    let mut comments = DocComments::default();
    for source in crates.iter().flat_map(|own| &own.sources) {
        for item in doc_openings(source) {
            comments.count += 1;
            if asks(item.name) {
                comments.asking.push(format!("{} {}", source.place(item.line), item.name));
            }
        }
    }
    comments
}

/// Inherent methods of the service type, and the blocks that they stand in.
pub(super) struct Service {
    pub(super) methods: usize,
    pub(super) blocks: usize,
    /// Methods of each file.
    pub(super) list: Vec<String>,
}

pub(super) fn service(crates: &[Crate<'_>]) -> Service {
    let mut service = Service { methods: 0, blocks: 0, list: Vec::new() };
    for source in crates.iter().filter(|own| own.is_product()).flat_map(|own| &own.sources) {
        let blocks = methods_of(source, SERVICE);
        if blocks.is_empty() {
            continue;
        }
        let methods: usize = blocks.iter().sum();
        service.list.push(format!("{} {methods}", source.path));
        service.methods += methods;
        service.blocks += blocks.len();
    }
    service
}

/// Functions over the limit of lines, with their places. Tests are free: a table of cases is read row by row.
pub(super) fn long_functions(crates: &[Crate<'_>]) -> Vec<String> {
    let mut long = Vec::new();
    for source in crates.iter().flat_map(|own| &own.sources) {
        let over =
            functions(&source.tokens).into_iter().filter(|function| function.lines > FUNCTION_LINES_MAX);
        long.extend(over.map(|function| {
            format!("{} {}: {} lines", source.place(function.item.line), function.item.name, function.lines)
        }));
    }
    long
}
