//! The list of parts of the program, in the form of CycloneDX.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{ROOT, VERSION};
use crate::Result;
use xtask::process::cargo;

const FORM_VERSION: &str = "1.6";

pub(super) fn write(path: &Path) -> Result {
    let tree = [
        "tree",
        "--locked",
        "--package",
        "lacuna",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--no-dedupe",
    ];
    let output = cargo().args(tree).args(["--format", "{p}|{l}"]).output()?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    let sums = checksums(&fs::read_to_string(Path::new(ROOT).join("Cargo.lock"))?)?;
    let document = document(&String::from_utf8(output.stdout)?, &sums);
    Ok(fs::write(path, serde_json::to_string_pretty(&document)? + "\n")?)
}

/// The document for lines of `name vVERSION (…)|LICENCE`.
fn document(tree: &str, sums: &BTreeMap<(String, String), String>) -> Value {
    // A set, so that the same tree gives the same document.
    let lines: BTreeSet<_> = tree.lines().filter_map(part).collect();
    let models = ["all-MiniLM-L6-v2", "universal-sentence-encoder-multilingual"];
    let models = models.map(
        |name| json!({ "type": "machine-learning-model", "name": name, "licenses": licences("Apache-2.0") }),
    );
    let crates = lines.iter().filter(|(name, ..)| name != "lacuna").map(|(name, version, licence)| {
        let mut part = json!({
            "type": "library",
            "name": name,
            "version": version,
            "purl": format!("pkg:cargo/{name}@{version}"),
            "licenses": licences(licence),
        });
        if let Some(sum) = sums.get(&(name.clone(), version.clone())) {
            part["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        part
    });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": FORM_VERSION,
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "lacuna", "version": VERSION } },
        "components": crates.chain(models).collect::<Vec<_>>(),
    })
}

fn part(line: &str) -> Option<(String, String, String)> {
    let (package, licence) = line.split_once('|')?;
    let mut words = package.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    Some((name.to_owned(), version.to_owned(), licence.to_owned()))
}

fn licences(expression: &str) -> Value {
    // Older crates write a slash for "or".
    json!([{ "expression": expression.replace('/', " OR ") }])
}

/// The checksums of foreign crates, as the lock file has them.
fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>> {
    let lock: toml::Table = toml::from_str(lock)?;
    let packages = lock.get("package").and_then(toml::Value::as_array).ok_or("Cargo.lock has no packages")?;
    let text = |package: &toml::Value, key| package.get(key)?.as_str().map(str::to_owned);
    let one =
        |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.iter().filter_map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_stands_once_with_its_licence_and_its_checksum() {
        let lock = "[[package]]\nname = \"b\"\nversion = \"2.0.0\"\nchecksum = \"aa\"\n";
        let tree = "lacuna v0.1.0 (/here)|Apache-2.0\nb v2.0.0|MIT/Apache-2.0\nb v2.0.0|MIT/Apache-2.0\n\n";
        let document = document(tree, &checksums(lock).unwrap());
        let parts = document["components"].as_array().unwrap();
        assert_eq!(parts[0]["purl"], "pkg:cargo/b@2.0.0");
        assert_eq!(parts[0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(parts[0]["hashes"][0]["content"], "aa");
        assert!(parts[1..].iter().all(|part| part["type"] == "machine-learning-model"));
    }
}
