//! Statements of a sentence about an attribute of somebody, so that a newer fact can take the place of an older one.
//!
//! Rules only, and cautious ones: what is superseded is erased. A sentence that no rule reads says nothing
//! here, and a pair that cannot be decided is left to be asked about.

mod mood;
mod nouns;
mod polarity;
mod read;
#[cfg(test)]
mod tests;
mod value;

use crate::clause::{Cut, cut_of_each};
pub use crate::languages::Arity;
use crate::languages::SWITCH;
pub use read::{claims, statements};
use value::Relation;

/// The attribute and the subject of a bare claim, whose value is the sentence itself.
const CLAIM: &str = "claim";

/// One thing that a text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// `owner`, a relation (`sister`, `sister ana`), a name, or `the` for a thing that has no owner.
    pub subject: String,
    /// The attribute, in English: `residence`, `employer`.
    pub attribute: String,
    /// In lower case and without accents, articles and words of time.
    pub value: String,
    /// The value before, where the sentence gives it.
    pub before: Option<String>,
    /// Number of values that the attribute can have at a time.
    pub arity: Arity,
    /// The mood of the statement.
    pub mood: Mood,
    /// "not": the value is denied.
    pub negated: bool,
    /// True if the sentence says that something has changed: "now", "no longer", "moved", "switched".
    pub changed: bool,
    /// True if the value is written like a name or a number.
    pub proper: bool,
}

/// The mood of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Fact,
    /// It was so, and the sentence does not say that it still is.
    Past,
    /// It may be or become so: a wish, a plan, a guess, a question.
    Hedged,
}

/// The effect of a newer text on an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Unrelated,
    /// Both say the same, or one says it more precisely.
    Same,
    /// The newer text makes everything that the older one says untrue.
    Supersedes,
    /// The newer text makes a part of the older one untrue, and the rest stands by itself.
    SupersedesPart,
    /// They speak of the same, but somebody has to say which holds.
    Undecided,
}

/// The keys under which older texts about the same attributes are found. Two texts whose keys share none are
/// [`Verdict::Unrelated`].
pub fn attribute_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for statement in claims(text) {
        if statement.attribute == CLAIM {
            keys.push(format!("{CLAIM}={}", statement.value));
            continue;
        }
        for subject in subject_keys(&statement.subject) {
            keys.push(format!("{subject}/{}", statement.attribute));
            if statement.attribute == SWITCH {
                keys.extend(statement.before.iter().map(|before| format!("{subject}={before}")));
            } else {
                keys.push(format!("{subject}={}", statement.value));
            }
        }
    }
    keys.sort();
    keys.dedup();
    keys
}

/// "My sister Ana" is found as the sister and as Ana.
fn subject_keys(subject: &str) -> Vec<&str> {
    let mut keys = vec![subject];
    if let Some((relation, name)) = subject.split_once(' ').filter(|(first, _)| nouns::is_relation(first)) {
        keys.extend([relation, name]);
    }
    keys
}

/// Returns the effect of the newer text on the older one.
pub fn compare(old: &str, new: &str) -> Verdict {
    compare_with(old, &claims(new))
}

/// Returns the effect of a newer text, which makes the claims `newer`, on the older one.
pub fn compare_with(old: &str, newer: &[Statement]) -> Verdict {
    let older = claims(old);
    let verdicts: Vec<Verdict> = older.iter().map(|old| relate_to_all(old, newer)).collect();
    let strongest = verdicts.iter().copied().max().unwrap_or(Verdict::Unrelated);
    if strongest != Verdict::Supersedes {
        return strongest;
    }
    // What goes must be said anew or untrue, and what stays must not lean on it: a sentence that no pattern reads may.
    let mut left = older.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == Verdict::Unrelated);
    let is_read = read::clauses(old) <= older.len();
    match (is_read, left.clone().count()) {
        (true, 0) => Verdict::Supersedes,
        (true, _) if left.all(|(one, _)| one.attribute != CLAIM) => Verdict::SupersedesPart,
        _ => Verdict::Undecided,
    }
}

/// Returns the rest of an older text without the parts on which a newer one, which makes the claims `newer`, has one of
/// the effects `verdicts`. `None` when the two do not part.
pub fn without(old: &str, newer: &[Statement], verdicts: &[Verdict]) -> Option<String> {
    let is_untrue = |part: &str| claims(part).iter().any(|one| verdicts.contains(&relate_to_all(one, newer)));
    match cut_of_each(old, is_untrue) {
        Cut::Part { left, .. } => Some(left),
        Cut::Whole => read::until_then(old).filter(|first| !is_untrue(first)),
        Cut::Nothing => None,
    }
}

fn relate_to_all(old: &Statement, newer: &[Statement]) -> Verdict {
    let verdicts = || newer.iter().map(|new| (new, relate(old, new)));
    let strongest = verdicts().map(|(_, verdict)| verdict).max().unwrap_or(Verdict::Unrelated);
    // "Until 2024 I lived in Oslo" beside the new home agrees with it.
    let agrees =
        |(new, verdict): (&Statement, Verdict)| verdict != Verdict::Undecided || new.mood == Mood::Past;
    let is_replaced = verdicts().any(|(_, verdict)| verdict == Verdict::Supersedes);
    if is_replaced && verdicts().all(agrees) { Verdict::Supersedes } else { strongest }
}

fn relate(old: &Statement, new: &Statement) -> Verdict {
    let Some(certain) = same_subject(&old.subject, &new.subject) else { return Verdict::Unrelated };
    let verdict = if new.attribute == SWITCH {
        relate_switch(old, new)
    } else if old.attribute == new.attribute {
        relate_values(old, new)
    } else {
        Verdict::Unrelated
    };
    if certain || verdict == Verdict::Unrelated { verdict } else { Verdict::Undecided }
}

/// Compares two subjects: `Some(true)` for the same one, `Some(false)` when they may be.
fn same_subject(old: &str, new: &str) -> Option<bool> {
    if old == new {
        return Some(!nouns::is_one_of_several(old));
    }
    let (old, new) = (subject_keys(old), subject_keys(new));
    // Two sisters with a name each are two people.
    let both_named = old.len() > 1 && new.len() > 1 && old.last() != new.last();
    (!both_named && old.iter().any(|key| new.contains(key))).then_some(false)
}

/// "I switched from A to B" is about whatever had the value A.
fn relate_switch(old: &Statement, new: &Statement) -> Verdict {
    if old.mood != Mood::Fact || old.negated || new.before.as_deref() != Some(&old.value) {
        return Verdict::Unrelated;
    }
    if new.mood == Mood::Fact { Verdict::Supersedes } else { Verdict::Undecided }
}

fn relate_values(old: &Statement, new: &Statement) -> Verdict {
    let relation = value::relate(old, new);
    match (old.mood, new.mood) {
        // What was true once stays true.
        (Mood::Past, Mood::Past) if relation.is_same() => Verdict::Same,
        (Mood::Past, _) => Verdict::Unrelated,
        (Mood::Fact, Mood::Past) if relation.is_same() && !old.negated => Verdict::Undecided,
        (_, Mood::Past) => Verdict::Unrelated,
        (Mood::Hedged, Mood::Hedged) if relation.is_same() && old.negated == new.negated => Verdict::Same,
        (Mood::Hedged, _) | (_, Mood::Hedged) if single_or_same(old, relation) => Verdict::Undecided,
        (Mood::Hedged, _) | (_, Mood::Hedged) => Verdict::Unrelated,
        (Mood::Fact, Mood::Fact) => relate_facts(old, new, relation),
    }
}

fn single_or_same(old: &Statement, relation: Relation) -> bool {
    old.arity != Arity::Many || relation.is_same()
}

fn relate_facts(old: &Statement, new: &Statement, relation: Relation) -> Verdict {
    match (old.negated, new.negated) {
        (false, false) => relate_claims(old, new, relation),
        (true, true) if relation.is_same() => Verdict::Same,
        (true, true) => Verdict::Unrelated,
        // One says that it is so and the other that it is not. A word of change settles it.
        _ if relation == Relation::Equal && new.changed => Verdict::Supersedes,
        (false, true) if relation.is_same() => Verdict::Undecided,
        (true, false) if relation == Relation::Equal => Verdict::Undecided,
        _ => Verdict::Unrelated,
    }
}

fn relate_claims(old: &Statement, new: &Statement, relation: Relation) -> Verdict {
    let unsure = [old.arity, new.arity].contains(&Arity::Unsure);
    match (relation, old.arity) {
        (Relation::Equal | Relation::Refines, _) => Verdict::Same,
        (_, Arity::Many) => Verdict::Unrelated,
        _ if unsure => Verdict::Undecided,
        (Relation::Different, Arity::One) => Verdict::Supersedes,
        (Relation::Different, Arity::Usual) if new.changed => Verdict::Supersedes,
        (Relation::Different, Arity::OneOfKind) if new.changed || value::is_exact(new) => Verdict::Supersedes,
        (Relation::Different, Arity::Event) if new.changed => Verdict::Supersedes,
        (Relation::OtherKind, Arity::OneOfKind | Arity::Event) => Verdict::Unrelated,
        (Relation::Different | Relation::OtherKind | Relation::Unclear, _) => Verdict::Undecided,
    }
}
