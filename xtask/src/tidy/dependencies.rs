//! Licences, bans and sources of the dependencies, by the rules of `deny.toml`.
//!
//! cargo-deny takes more than two minutes of CPU to compile, and no package registry offers a binary that reads
//! today's licences. So the rules that need no database are checked here always, and cargo-deny does the rest
//! where it is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;

use serde::Deserialize;

use super::house::{Metadata, Package};
use super::licences;
use super::report::Report;
use crate::Result;
use xtask::process::{cargo, has_cargo_command, step};

/// `deny.toml`, as far as it is read here.
#[derive(Deserialize)]
struct Rules {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Bans {
    multiple_versions: Level,
    wildcards: Level,
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Allow,
    Warn,
    Deny,
}

impl Rules {
    fn read(root: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(root.join("deny.toml"))?;
        Ok(toml::from_str(&text).map_err(|error| format!("deny.toml: {error}"))?)
    }
}

pub(super) fn check(metadata: &Metadata, report: &mut Report) -> Result {
    let rules = Rules::read(Path::new(&metadata.workspace_root))?;
    let foreign: Vec<_> = metadata.packages.iter().filter(|package| package.source.is_some()).collect();
    report.say(format!("dependencies: {} packages, licences, bans and sources checked", foreign.len()));
    let found = [
        refused_licences(&rules.licenses, &foreign),
        banned(&rules.bans, &foreign),
        wildcards(&rules.bans, metadata.members()),
        foreign_sources(&rules.sources, &foreign),
    ];
    found.into_iter().flatten().for_each(|breach| report.breach(breach));
    let twice = duplicates(&foreign);
    match rules.bans.multiple_versions {
        Level::Deny => {
            twice.into_iter().for_each(|name| report.breach(format!("{name}: more than one version")))
        }
        Level::Warn if !twice.is_empty() => {
            report.say(format!("more than one version of {}", twice.join(", ")))
        }
        _ => {}
    }
    Ok(())
}

fn refused_licences(rules: &Licences, packages: &[&Package]) -> Vec<String> {
    let refused = packages.iter().filter(|package| {
        !package.license.as_ref().is_some_and(|licence| licences::allows(licence, &rules.allow))
    });
    refused
        .map(|package| {
            let licence = package.license.as_deref().unwrap_or("none");
            format!("{} {}: deny.toml does not allow its licence ({licence})", package.name, package.version)
        })
        .collect()
}

fn banned(rules: &Bans, packages: &[&Package]) -> Vec<String> {
    let banned = packages.iter().filter(|package| rules.deny.iter().any(|ban| ban.name == package.name));
    banned.map(|package| format!("{} {}: deny.toml bans it", package.name, package.version)).collect()
}

/// Dependencies of our own crates that take any version. A folder has one version only.
fn wildcards<'a>(rules: &Bans, members: impl Iterator<Item = &'a Package>) -> Vec<String> {
    if rules.wildcards != Level::Deny {
        return Vec::new();
    }
    let of = |package: &'a Package| {
        let open = package.dependencies.iter().filter(|other| other.req == "*" && other.path.is_none());
        open.map(|other| format!("{}: takes any version of {}", package.name, other.name))
    };
    members.flat_map(of).collect()
}

fn foreign_sources(rules: &Sources, packages: &[&Package]) -> Vec<String> {
    let known = |source: &str| {
        let registry = source.strip_prefix("registry+").or(source.strip_prefix("sparse+"));
        registry.is_some_and(|address| rules.allow_registry.iter().any(|allowed| allowed == address))
    };
    let unknown = |package: &&&Package| !package.source.as_deref().is_some_and(known);
    let found = packages.iter().filter(unknown);
    found
        .map(|package| {
            let source = package.source.as_deref().unwrap_or_default();
            format!("{} {}: deny.toml does not allow its source ({source})", package.name, package.version)
        })
        .collect()
}

/// Names of packages that are there in more than one version.
fn duplicates(packages: &[&Package]) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let several = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    several.map(|(name, _)| name.to_owned()).collect()
}

/// Runs cargo-deny where it is installed: the same rules by its own reading, and advisories where their database can
/// be fetched.
pub(super) fn run_cargo_deny() -> Result {
    if !has_cargo_command("deny") {
        eprintln!("tidy: advisories: not checked, cargo-deny is not installed");
        return Ok(());
    }
    let deny =
        ["deny", "--all-features", "check", "--allow", "duplicate", "--allow", "license-not-encountered"];
    step(cargo().args(deny).args(["licenses", "bans", "sources"]))?;
    let fetched =
        cargo().args(["deny", "fetch", "db"]).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !fetched.success() {
        eprintln!("tidy: advisories: not checked, their database cannot be fetched");
        return Ok(());
    }
    step(cargo().args(["deny", "--all-features", "check", "--disable-fetch", "advisories"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

    fn package(name: &str, version: &str, licence: Option<&str>, source: &str) -> Package {
        Package {
            id: format!("{name}@{version}"),
            name: name.into(),
            version: version.into(),
            license: licence.map(String::from),
            source: Some(source.into()),
            manifest_path: String::new(),
            dependencies: Vec::new(),
            targets: Vec::new(),
        }
    }

    #[test]
    fn the_rules_of_the_workspace_are_read_and_followed() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let rules = Rules::read(root).unwrap();
        let good = package("a", "1.0.0", Some("MIT OR Apache-2.0"), CRATES_IO);
        let closed = package("b", "1.0.0", None, CRATES_IO);
        let copyleft = package("c", "1.0.0", Some("AGPL-3.0"), "git+https://example.org/c");
        let tls = package("openssl", "1.0.0", Some("MIT"), "sparse+https://example.org/");
        let packages = [&good, &closed, &copyleft, &tls];
        assert_eq!(refused_licences(&rules.licenses, &packages).len(), 2);
        assert_eq!(banned(&rules.bans, &packages), ["openssl 1.0.0: deny.toml bans it"]);
        assert_eq!(foreign_sources(&rules.sources, &packages).len(), 2);
    }

    #[test]
    fn versions_are_counted_by_name() {
        let (one, two) = (package("a", "1.0.0", None, ""), package("a", "2.0.0", None, ""));
        let other = package("b", "1.0.0", None, "");
        assert_eq!(duplicates(&[&one, &two, &other]), ["a"]);
        assert!(duplicates(&[&one, &other]).is_empty());
    }

    #[test]
    fn a_wildcard_is_for_folders_only() {
        use super::super::house::Dependency;
        let rules = Bans { multiple_versions: Level::Allow, wildcards: Level::Deny, deny: Vec::new() };
        let dependency = |name: &str, path: Option<&str>| Dependency {
            name: name.into(),
            req: "*".into(),
            kind: None,
            path: path.map(String::from),
        };
        let mut own = package("own", "1.0.0", None, "");
        own.dependencies = vec![dependency("open", None), dependency("beside", Some("crates/beside"))];
        assert_eq!(wildcards(&rules, [&own].into_iter()), ["own: takes any version of open"]);
    }
}
