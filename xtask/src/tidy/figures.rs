//! `cargo xtask tidy --figures`: the house in numbers, to be laid beside those of another day.

use super::house::Crate;
use super::measure::{self, cycles, documented};

pub(super) fn print(crates: &[Crate<'_>]) {
    println!(
        "| crate | lines | without tests | tests | largest cycle of modules | public items documented |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for own in crates {
        println!("{}", row(own));
    }
    let lines = grouped(crates.iter().map(Crate::lines).sum());
    let without = grouped(crates.iter().map(Crate::lines_without_tests).sum());
    let tests = grouped(crates.iter().map(Crate::test_count).sum());
    println!("| together | {lines} | {without} | {tests} | | |\n");

    println!("| figure | number |\n|---|---:|");
    for (name, number) in whole(crates) {
        println!("| {name} | {number} |");
    }
}

fn row(own: &Crate<'_>) -> String {
    let largest = cycles(own).into_iter().next();
    let cycle = largest
        .map_or("none".into(), |cycle| format!("{} modules, {} lines", cycle.modules, grouped(cycle.lines)));
    let public = documented(own);
    let share = if own.is_public_library() {
        format!("{} % of {}", public.percent(), grouped(public.items))
    } else {
        "not a library".into()
    };
    format!(
        "| {} | {} | {} | {} | {cycle} | {share} |",
        own.name,
        grouped(own.lines()),
        grouped(own.lines_without_tests()),
        grouped(own.test_count())
    )
}

/// Figures of all crates together.
fn whole(crates: &[Crate<'_>]) -> Vec<(&'static str, String)> {
    let service = measure::service(crates);
    let names = measure::type_names(crates).len();
    let shared = measure::shared_type_names(crates).len();
    let docs = measure::doc_comments(crates);
    let share = (100 * docs.asking.len()).checked_div(docs.count).unwrap_or(0);
    vec![
        ("methods on `Lacuna`", grouped(service.methods)),
        ("`impl Lacuna` blocks", grouped(service.blocks)),
        ("names of types", grouped(names)),
        ("names of types with more than one definition", grouped(shared)),
        ("doc comments", grouped(docs.count)),
        (
            "doc comments that open with a question word",
            format!("{} ({share} %)", grouped(docs.asking.len())),
        ),
        ("functions over 70 lines", grouped(measure::long_functions(crates).len())),
    ]
}

/// A number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    parts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
