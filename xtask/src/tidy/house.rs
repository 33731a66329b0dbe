//! The crates of the workspace with their files, as `cargo metadata` and the folders name them.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::source::Source;
use crate::Result;
use xtask::process::cargo;

/// Answer of `cargo metadata`, as far as the checks read it.
#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) workspace_members: Vec<String>,
    pub(super) workspace_root: String,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    /// Registry or repository that it comes from; none for a folder.
    pub(super) source: Option<String>,
    pub(super) manifest_path: String,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) targets: Vec<Target>,
}

#[derive(Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) req: String,
    /// `dev` or `build`; none for a normal dependency.
    pub(super) kind: Option<String>,
    /// Folder that it comes from, where it names one.
    pub(super) path: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) kind: Vec<String>,
}

impl Metadata {
    pub(super) fn ask() -> Result<Self> {
        let output =
            cargo().args(["metadata", "--format-version", "1", "--all-features", "--locked"]).output()?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }
}

impl Package {
    pub(super) fn normal_dependencies(&self) -> impl Iterator<Item = &str> {
        self.dependencies.iter().filter(|other| other.kind.is_none()).map(|other| other.name.as_str())
    }

    fn folder(&self) -> &Path {
        Path::new(&self.manifest_path).parent().unwrap_or(Path::new("."))
    }

    fn is_library(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "lib"))
    }
}

/// Text of one Rust file.
pub(super) struct File {
    package: usize,
    /// Path from the root of the workspace.
    path: String,
    /// Path below the folder of the package.
    inside: String,
    text: String,
}

/// Reads the Rust files of the workspace's own packages.
pub(super) fn files(metadata: &Metadata) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for (package, member) in metadata.members().enumerate() {
        visit(member.folder(), &mut |path| {
            let inside = path.strip_prefix(member.folder())?.to_string_lossy().into_owned();
            let shown = path.strip_prefix(&metadata.workspace_root)?.to_string_lossy().into_owned();
            files.push(File { package, path: shown, inside, text: fs::read_to_string(path)? });
            Ok(())
        })?;
    }
    Ok(files)
}

/// Visits the Rust files below a folder in the order of their names, build folders left out.
fn visit(folder: &Path, see: &mut impl FnMut(&Path) -> Result) -> Result {
    let mut paths: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") {
            visit(&path, see)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            see(&path)?;
        }
    }
    Ok(())
}

/// One package of the workspace.
pub(super) struct Crate<'a> {
    pub(super) name: &'a str,
    is_library: bool,
    /// Files below `src`, without those of tests.
    pub(super) sources: Vec<Source<'a>>,
    /// Files of tests, examples and benchmarks, and of test modules below `src`.
    pub(super) tests: Vec<Source<'a>>,
}

impl Crate<'_> {
    /// Tells whether users run or link it; the tools of the workspace are for us.
    pub(super) fn is_product(&self) -> bool {
        self.name.starts_with("lacuna")
    }

    pub(super) fn is_public_library(&self) -> bool {
        self.is_library && self.is_product()
    }

    pub(super) fn lines(&self) -> usize {
        self.sources.iter().chain(&self.tests).map(|source| source.lines).sum()
    }

    pub(super) fn lines_without_tests(&self) -> usize {
        self.sources.iter().map(|source| source.lines - source.test_lines).sum()
    }

    /// Lines of one top-level module, without tests.
    pub(super) fn lines_of_module(&self, module: &str) -> usize {
        let within = self.sources.iter().filter(|source| source.module.first() == Some(&module));
        within.map(|source| source.lines - source.test_lines).sum()
    }

    pub(super) fn test_count(&self) -> usize {
        self.sources.iter().chain(&self.tests).map(|source| source.tests).sum()
    }
}

pub(super) fn crates<'a>(metadata: &'a Metadata, files: &'a [File]) -> Vec<Crate<'a>> {
    let of = |(at, package): (usize, &'a Package)| {
        let own = files.iter().filter(move |file| file.package == at);
        let (below_src, beside): (Vec<_>, Vec<_>) = own.partition(|file| file.inside.starts_with("src/"));
        let read =
            |file: &'a File| Source::read(&file.path, file.inside.trim_start_matches("src/"), &file.text);
        let (sources, mut tests) = apart(below_src.into_iter().map(read).collect());
        tests.extend(beside.into_iter().map(read));
        Crate { name: &package.name, is_library: package.is_library(), sources, tests }
    };
    metadata.members().enumerate().map(of).collect()
}

/// Parts the modules that are declared for tests only, and those below them, from the rest.
fn apart(sources: Vec<Source<'_>>) -> (Vec<Source<'_>>, Vec<Source<'_>>) {
    let declared = |source: &Source<'_>| {
        let below = |name: &&str| {
            [source.module.iter().map(ToString::to_string).collect(), vec![name.to_string()]].concat()
        };
        source.test_modules.iter().map(below).collect::<Vec<Vec<String>>>()
    };
    let test_modules: Vec<_> = sources.iter().flat_map(declared).collect();
    let is_test = |source: &Source<'_>| {
        test_modules
            .iter()
            .any(|module| module.iter().zip(&source.module).filter(|(a, b)| a == *b).count() == module.len())
    };
    sources.into_iter().partition(|source| !is_test(source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_tests_are_parted_from_the_rest() {
        let files = [
            ("lib.rs", "mod a; #[cfg(test)] mod reference;"),
            ("a.rs", "#[cfg(test)] mod tests;"),
            ("a/tests.rs", ""),
            ("a/tests/deep.rs", ""),
            ("reference.rs", ""),
            ("b/tests.rs", ""),
        ];
        let sources = files.iter().map(|(name, text)| Source::read(name, name, text)).collect();
        let (rest, tests) = apart(sources);
        let paths = |sources: Vec<Source<'_>>| {
            sources.iter().map(|source| source.path.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(paths(rest), ["lib.rs", "a.rs", "b/tests.rs"]);
        assert_eq!(paths(tests), ["a/tests.rs", "a/tests/deep.rs", "reference.rs"]);
    }
}
