//! The difference that an edit makes to a file: the lines that go and those that come, and none around them, because
//! those may hold somebody's key.

use similar::{DiffTag, TextDiff};

/// Writes `- ` before lines that go and `+ ` before lines that come, below the number of the line where they stand.
pub(super) fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let diff = TextDiff::from_slices(&old, &new);
    let mut text = String::new();
    for change in diff.ops().iter().filter(|change| change.tag() != DiffTag::Equal) {
        text += &format!("@@ line {}\n", change.new_range().start + 1);
        for line in diff.iter_changes(change) {
            text += &format!("{} {}\n", line.tag(), line.value());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(diff("a\nb\n", "a\nb\n"), "");
        assert_eq!(diff("", "x\n"), "@@ line 1\n+ x\n");
        let before = "a\nkey = secret\nb\nc\nd\n";
        let after = "a\nkey = secret\nnew\nb\nc\nD\n";
        assert_eq!(diff(before, after), "@@ line 3\n+ new\n@@ line 6\n- d\n+ D\n");
        let long: String = (0..3_000).map(|n| format!("{n}\n")).collect();
        let changed = long.replace("\n1\n", "\none\n").replace("2998", "x");
        assert!(diff(&long, &changed).contains("+ one\n"));
    }
}
