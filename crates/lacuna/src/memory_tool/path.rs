//! Paths under `/memories`. They name nothing on a disk; a path that climbs out is refused nevertheless.

use std::fmt;

use super::{Trouble, told};

const ROOT: &str = "/memories";
/// A path, in characters: it is also the name of an entity.
const PATH_CHARS_MAX: usize = 200;
const DEPTH_MAX: usize = 16;

/// A path without its root: the names of folders and of the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FilePath(Vec<String>);

impl FilePath {
    pub(super) fn read(text: &str) -> Result<Self, Trouble> {
        let inner = text.strip_prefix(ROOT).filter(|inner| inner.is_empty() || inner.starts_with('/'));
        let Some(inner) = inner else {
            return told(format!("Error: Path must start with /memories, got: {}", shortened(text)));
        };
        if text.chars().count() > PATH_CHARS_MAX {
            return told(format!("Error: A path has at most {PATH_CHARS_MAX} characters"));
        }
        let parts: Vec<String> =
            inner.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if parts.len() > DEPTH_MAX {
            return told(format!("Error: A path has at most {DEPTH_MAX} parts"));
        }
        if parts.iter().any(|part| climbs(part)) {
            return told(format!("Error: Path {} would escape /memories directory", shortened(text)));
        }
        Ok(Self(parts))
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_inside(&self, folder: &Self) -> bool {
        self.0.len() > folder.0.len() && self.0.starts_with(&folder.0)
    }

    pub(super) fn depth_below(&self, folder: &Self) -> usize {
        self.0.len() - folder.0.len()
    }

    /// Its first parts, so many below `folder`.
    pub(super) fn up_to(&self, folder: &Self, depth: usize) -> Self {
        Self(self.0.iter().take(folder.0.len() + depth).cloned().collect())
    }

    /// The new path when `old`, which it is or lies in, becomes `new`.
    pub(super) fn moved(&self, old: &Self, new: &Self) -> Self {
        Self(new.0.iter().chain(&self.0[old.0.len()..]).cloned().collect())
    }

    /// Tests whether a listing of `folder` leaves it out.
    pub(super) fn is_hidden_below(&self, folder: &Self) -> bool {
        self.0[folder.0.len()..].iter().any(|part| part.starts_with('.') || part == "node_modules")
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROOT)?;
        self.0.iter().try_for_each(|part| write!(f, "/{part}"))
    }
}

/// Tests whether a part leads out, now or once decoded, or could end a line.
fn climbs(part: &str) -> bool {
    let decoded = part.to_ascii_lowercase().replace("%2e", ".");
    decoded == "."
        || decoded == ".."
        || part.contains('\\')
        || decoded.contains("%2f")
        || decoded.contains("%5c")
        || part.chars().any(char::is_control)
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(PATH_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_climbs_out_is_refused_and_the_rest_has_one_spelling() {
        let good = [
            ("/memories", "/memories"),
            ("/memories/", "/memories"),
            ("/memories/a.txt", "/memories/a.txt"),
            ("/memories//a//b.md", "/memories/a/b.md"),
            ("/memories/..a/b..", "/memories/..a/b.."),
        ];
        for (given, spelt) in good {
            assert_eq!(FilePath::read(given).unwrap().to_string(), spelt);
        }
        let long = format!("/memories/{}", "x".repeat(PATH_CHARS_MAX));
        let deep = format!("/memories{}", "/a".repeat(DEPTH_MAX + 1));
        let bad = [
            "",
            "/",
            "memories/a",
            "/etc/passwd",
            "/memoriesx/a",
            "/memories/../etc/passwd",
            "/memories/a/../../b",
            "/memories/./a",
            "/memories/%2e%2e/a",
            "/memories/%2E./a",
            "/memories/..%2fa",
            "/memories/a%5c..%5cb",
            "/memories/a\\..\\b",
            "/memories/a\nb",
            "/memories/a\0",
            &long,
            &deep,
        ];
        for path in bad {
            assert!(FilePath::read(path).is_err(), "{path:?} was taken");
        }
    }
}
