//! `cargo xtask tidy`: whether the house is in order, and what the dependencies bring with them.

mod dependencies;
mod figures;
mod graph;
mod house;
mod items;
mod layers;
mod lex;
mod licences;
mod limits;
mod measure;
mod modules;
mod report;
mod source;

use crate::Result;
use house::{Crate, Metadata};
use report::Report;

#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Prints a table with the figures of the house, and checks nothing.
    #[arg(long)]
    figures: bool,
    /// Lists every finding with its place, also where as many are allowed.
    #[arg(long, conflicts_with = "figures")]
    lists: bool,
}

pub(crate) fn run(options: &Options) -> Result {
    let metadata = Metadata::ask()?;
    let files = house::files(&metadata)?;
    let crates = house::crates(&metadata, &files);
    if options.figures {
        figures::print(&crates);
        return Ok(());
    }
    let mut report = Report::new(options.lists);
    layers::check(&metadata, &mut report);
    check_cycles(&crates, &mut report);
    check_names(&crates, &mut report);
    check_docs(&crates, &mut report);
    check_functions(&crates, &mut report);
    dependencies::check(&metadata, &mut report)?;
    report.end()?;
    dependencies::run_cargo_deny()
}

fn check_cycles(crates: &[Crate<'_>], report: &mut Report) {
    for own in crates {
        let cycles = measure::cycles(own);
        let modules = cycles.iter().map(|cycle| cycle.modules).sum();
        let list: Vec<_> = cycles.into_iter().flat_map(|cycle| cycle.list).collect();
        let subject = format!("{}: modules in cycles", own.name);
        report.at_most(&subject, modules, limits::CYCLE_MODULES_MAX, &list);
    }
}

fn check_names(crates: &[Crate<'_>], report: &mut Report) {
    let shared = measure::shared_type_names(crates);
    let list: Vec<_> = shared.iter().map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    report.at_most(
        "names of types with more than one definition",
        shared.len(),
        limits::SHARED_TYPE_NAMES_MAX,
        &list,
    );
    let names: Vec<_> = shared.iter().map(|(name, places)| format!("{name} ×{}", places.len())).collect();
    if !names.is_empty() {
        report.say(format!("    {}", names.join(", ")));
    }
}

fn check_docs(crates: &[Crate<'_>], report: &mut Report) {
    for own in crates.iter().filter(|own| own.is_public_library()) {
        let public = measure::documented(own);
        let subject = format!("{}: per cent of public items documented", own.name);
        report.at_least(&subject, public.percent(), limits::DOCUMENTED_PERCENT_MIN, &public.bare);
    }
    let asking = measure::doc_comments(crates).asking;
    let subject = "doc comments that open with a question word";
    report.at_most(subject, asking.len(), limits::ASKING_DOCS_MAX, &asking);
}

fn check_functions(crates: &[Crate<'_>], report: &mut Report) {
    let service = measure::service(crates);
    let subject = format!("methods on Lacuna, in {} impl blocks", service.blocks);
    report.at_most(&subject, service.methods, limits::SERVICE_METHODS_MAX, &service.list);
    let long = measure::long_functions(crates);
    let subject = format!("functions over {} lines", limits::FUNCTION_LINES_MAX);
    report.at_most(&subject, long.len(), 0, &long);
}
