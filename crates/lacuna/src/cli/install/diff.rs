//! What would change in a file: the lines that go and those that come, and nothing of what stands around them,
//! because that may be somebody's key.

/// Lines on either side that are compared one by one; beyond that everything between the ends counts as changed.
const COMPARED_MAX: usize = 1_000;

/// `- ` before lines that go, `+ ` before lines that come, and where each change stands.
pub(super) fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut told = String::new();
    let mut stands = usize::MAX;
    for (line, sign, text) in steps(old_rest, new_rest) {
        if sign == ' ' {
            stands = usize::MAX;
            continue;
        }
        if stands == usize::MAX {
            told += &format!("@@ line {}\n", head + line + 1);
            stands = line;
        }
        told += &format!("{sign} {text}\n");
    }
    told
}

/// Each line of both, with its sign and its place in the new text.
fn steps<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(usize, char, &'a str)> {
    if old.len() > COMPARED_MAX || new.len() > COMPARED_MAX {
        let gone = old.iter().map(|line| (0, '-', *line));
        return gone.chain(new.iter().enumerate().map(|(at, line)| (at, '+', *line))).collect();
    }
    let common = longest_common(old, new);
    let (mut i, mut j) = (0, 0);
    let mut steps = Vec::with_capacity(old.len() + new.len());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            steps.push((j, ' ', new[j]));
            (i, j) = (i + 1, j + 1);
        } else if j >= new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            steps.push((j, '-', old[i]));
            i += 1;
        } else {
            steps.push((j, '+', new[j]));
            j += 1;
        }
    }
    steps
}

/// How many lines the rests of both have in common, from each pair of places on.
fn longest_common(old: &[&str], new: &[&str]) -> Vec<Vec<u16>> {
    let mut common = vec![vec![0u16; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    common
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
