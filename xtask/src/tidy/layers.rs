//! Which crate may know which: the rooms of the house, from the ground up.

use super::graph::Graph;
use super::house::{Metadata, Package};
use super::report::Report;

/// One crate of the workspace: what it may depend on, and what it may not. Dependencies of tests are free.
struct Room {
    name: &'static str,
    /// Groups of crates of the workspace that it may depend on.
    may: &'static [&'static [&'static str]],
    /// Groups of other crates that it may not depend on.
    never: &'static [&'static [&'static str]],
}

const DOORS: &[&str] = &["axum", "clap", "hyper", "rmcp", "tower", "tower-http", "utoipa"];
const SQL: &[&str] = &["postgres", "rusqlite"];
const BLOBS: &[&str] = &["object_store"];
const ASYNC: &[&str] = &["tokio"];
const CLOCK: &[&str] = &["jiff"];
const KEYS: &[&str] = &["aws-lc-rs", "argon2"];
const NETWORK: &[&str] = &["rustls", "ureq"];
const MODELS: &[&str] = &["tiktoken-rs"];
const ALL: &[&str] =
    &["lacuna-types", "lacuna-language", "lacuna-store", "lacuna-core", "lacuna-models", "lacuna-seal"];

/// A crate that has no room here is refused; a room whose crate does not exist stays empty.
const ROOMS: [Room; 9] = [
    Room { name: "lacuna-seal", may: &[], never: &[DOORS, SQL, BLOBS, ASYNC, CLOCK, NETWORK, MODELS] },
    Room {
        name: "lacuna-types",
        may: &[&["lacuna-seal"]],
        never: &[DOORS, SQL, BLOBS, ASYNC, KEYS, NETWORK, MODELS],
    },
    Room {
        name: "lacuna-language",
        may: &[&["lacuna-types"]],
        never: &[DOORS, SQL, BLOBS, ASYNC, KEYS, NETWORK, MODELS],
    },
    // Databases and object stores are reached over the network.
    Room { name: "lacuna-store", may: &[&["lacuna-types", "lacuna-seal"]], never: &[DOORS, MODELS] },
    Room {
        name: "lacuna-core",
        may: &[&["lacuna-types", "lacuna-language", "lacuna-store", "lacuna-seal"]],
        never: &[DOORS, SQL, NETWORK, MODELS],
    },
    Room { name: "lacuna-models", may: &[&["lacuna-types"]], never: &[DOORS, SQL, BLOBS] },
    Room { name: "lacuna", may: &[ALL], never: &[SQL] },
    Room { name: "measure", may: &[ALL, &["xtask"]], never: &[] },
    // The checks start at once: nothing that takes long to compile.
    Room { name: "xtask", may: &[], never: &[SQL, BLOBS, ASYNC, KEYS, NETWORK, MODELS] },
];

pub(super) fn check(metadata: &Metadata, report: &mut Report) {
    let members: Vec<_> = metadata.members().map(edges).collect();
    let breaches = breaches(&members);
    let cycles = graph(&members).cycles();
    report.say(format!("crates: {} in {} rooms, {} cycles", members.len(), ROOMS.len(), cycles.len()));
    for cycle in cycles {
        report.breach(format!("crates depend on each other in a circle: {}", cycle.join(", ")));
    }
    breaches.iter().for_each(|breach| report.breach(breach.text()));
}

type Edges<'a> = (&'a str, Vec<&'a str>);

fn edges(package: &Package) -> Edges<'_> {
    (&package.name, package.normal_dependencies().collect())
}

fn graph<'a>(members: &[Edges<'a>]) -> Graph<'a> {
    let mut graph = Graph::default();
    for (name, dependencies) in members {
        for dependency in dependencies {
            graph.add(name, dependency, || format!("{name}/Cargo.toml"));
        }
    }
    graph
}

/// Dependency that a room forbids. Without a dependency it is the crate that has no room.
struct Breach<'a> {
    name: &'a str,
    dependency: &'a str,
}

impl Breach<'_> {
    fn text(&self) -> String {
        let Self { name, dependency } = self;
        if dependency.is_empty() {
            return format!("{name} has no room; say in xtask/src/tidy/layers.rs what it may depend on");
        }
        format!("{name} may not depend on {dependency} (see ROOMS in xtask/src/tidy/layers.rs)")
    }
}

fn breaches<'a>(members: &[Edges<'a>]) -> Vec<Breach<'a>> {
    let is_member = |dependency: &str| members.iter().any(|(name, _)| *name == dependency);
    let mut breaches = Vec::new();
    for (name, dependencies) in members {
        let Some(room) = ROOMS.iter().find(|room| room.name == *name) else {
            breaches.push(Breach { name, dependency: "" });
            continue;
        };
        let forbidden = |dependency: &&&str| {
            let never = room.never.iter().any(|group| group.contains(dependency));
            never || (is_member(dependency) && !room.may.iter().any(|group| group.contains(dependency)))
        };
        let found = dependencies.iter().filter(forbidden);
        breaches.extend(found.map(|dependency| Breach { name, dependency }));
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(members: &[Edges<'static>]) -> Vec<String> {
        breaches(members).iter().map(|breach| format!("{} → {}", breach.name, breach.dependency)).collect()
    }

    #[test]
    fn each_crate_stays_in_its_room() {
        let house = [
            ("lacuna-seal", vec!["aws-lc-rs"]),
            ("lacuna-types", vec!["lacuna-seal", "jiff"]),
            ("lacuna-core", vec!["lacuna-types", "lacuna-seal", "tokio"]),
            ("lacuna", vec!["lacuna-core", "lacuna-types", "axum"]),
        ];
        assert!(found(&house).is_empty());
    }

    #[test]
    fn a_crate_that_leaves_its_room_is_named() {
        let house = [
            ("lacuna-seal", vec!["lacuna-types", "tokio"]),
            ("lacuna-types", vec!["rusqlite"]),
            ("lacuna-core", vec!["axum", "lacuna"]),
            ("lacuna", vec![]),
            ("lacuna-more", vec![]),
        ];
        let named = [
            "lacuna-seal → lacuna-types",
            "lacuna-seal → tokio",
            "lacuna-types → rusqlite",
            "lacuna-core → axum",
            "lacuna-core → lacuna",
            "lacuna-more → ",
        ];
        assert_eq!(found(&house), named);
    }

    #[test]
    fn crates_in_a_circle_are_found() {
        let house = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["a", "d"])];
        assert_eq!(graph(&house).cycles(), [["a", "b", "c"]]);
    }
}
