//! Choices that somebody rejected: a proposal that was turned down, and a decision that was taken back. A summary
//! that keeps them would tell them as the outcome.

use std::sync::LazyLock;

use super::sentences::TurnSentence;
use super::turn::Turn;
use crate::clause::whole_sentences;
use crate::compiled::{self, ScreenedRegex};
use crate::languages::pattern_of;
use crate::words::TermList;

type Rule = LazyLock<Option<ScreenedRegex>>;

/// Openings of a turn that turn down the turn before.
static REFUSALS: Rule = LazyLock::new(|| {
    let refusals = pattern_of(|rules| rules.condense.refusals);
    compiled::regex(&format!("(?i)^{refusals}")).ok()
});

/// Words before something that is not wanted, and that something up to the end of its clause.
static NEGATED: Rule = LazyLock::new(|| {
    let negations = pattern_of(|rules| rules.condense.negations);
    let contrasts = pattern_of(|rules| rules.condense.contrasts);
    compiled::regex(&format!(r"(?i)\b{negations}\s+([^.,;:!?]{{2,60}}?)(?:\s{contrasts}\b|[.,;:!?]|$)")).ok()
});

/// Words of a proposal.
static PROPOSALS: Rule = LazyLock::new(|| {
    let proposals = pattern_of(|rules| rules.condense.proposals);
    compiled::regex(&format!(r"(?i)\b{proposals}\b")).ok()
});

/// Words of a decision.
static DECISIONS: Rule = LazyLock::new(|| {
    let decisions = pattern_of(|rules| rules.condense.decisions);
    compiled::regex(&format!(r"(?i)\b{decisions}\b")).ok()
});

/// The part that a sentence has in a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChoicePart {
    /// It has none.
    None,
    /// Somebody turned it down or took it back.
    Rejected,
    /// It turns something down, and tells the outcome.
    Outcome,
}

/// The part of each sentence in the choices of these turns.
pub(super) fn parts_in_choices(turns: &[Turn], all: &[TurnSentence<'_>]) -> Vec<ChoicePart> {
    let mut parts = vec![ChoicePart::None; all.len()];
    for (number, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.speaker.is_person()) {
        let own = || (0..all.len()).filter(|at| all[*at].turn == number);
        let refused = if refuses(turn) { refused_before(turns, all, number) } else { Vec::new() };
        let taken_back: Vec<usize> = own().flat_map(|at| taken_back_by(all, at)).collect();
        if !refused.is_empty() || !taken_back.is_empty() {
            own().for_each(|at| parts[at] = ChoicePart::Outcome);
        }
        refused.into_iter().chain(taken_back).for_each(|at| parts[at] = ChoicePart::Rejected);
    }
    parts
}

fn refuses(turn: &Turn) -> bool {
    let first = whole_sentences(turn.words()).into_iter().next().unwrap_or_default();
    matches(&REFUSALS, first)
}

/// Sentences of the turn before, by somebody else, that a refusal means: proposals and what shares a word with
/// it, otherwise the last one.
fn refused_before(turns: &[Turn], all: &[TurnSentence<'_>], number: usize) -> Vec<usize> {
    let Some(before) = number.checked_sub(1).filter(|at| turns[*at].speaker != turns[number].speaker) else {
        return Vec::new();
    };
    let said: Vec<u64> = turns[number].terms.hashes().collect();
    let of_before: Vec<usize> = (0..all.len()).filter(|at| all[*at].turn == before).collect();
    let is_meant = |at: &usize| {
        matches(&PROPOSALS, all[*at].text) || all[*at].terms.iter().any(|term| said.contains(term))
    };
    let meant: Vec<usize> = of_before.iter().copied().filter(is_meant).collect();
    if meant.is_empty() { of_before.last().copied().into_iter().collect() } else { meant }
}

/// Earlier proposals and decisions that name all that this sentence says is not wanted.
fn taken_back_by(all: &[TurnSentence<'_>], number: usize) -> Vec<usize> {
    let sentence = &all[number];
    let Some(found) = NEGATED.as_ref().and_then(|rule| rule.captures(sentence.text)) else {
        return Vec::new();
    };
    let unwanted: Vec<u64> =
        TermList::of(found.get(1).map_or("", |what| what.as_str()), None).hashes().collect();
    let is_meant = |at: &usize| {
        !unwanted.is_empty()
            && unwanted.iter().all(|term| all[*at].terms.contains(term))
            && (matches(&PROPOSALS, all[*at].text) || matches(&DECISIONS, all[*at].text))
    };
    (0..number).filter(|at| all[*at].turn < sentence.turn).filter(is_meant).collect()
}

fn matches(rule: &Rule, text: &str) -> bool {
    rule.as_ref().is_some_and(|rule| rule.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::super::sentences::{Rarity, sentences};
    use super::super::summarise::summarise;
    use super::super::turn::said;
    use super::super::{Turn, extract};
    use super::*;
    use lacuna_types::{Source, SourceType, Trust};

    fn answered(text: &str) -> Turn {
        Turn::new(text.to_owned(), &Source::new(SourceType::AiInference, Trust::Low))
    }

    fn told(turns: &[Turn]) -> String {
        summarise(turns, &Rarity::of(turns.iter()), 110, &[])
            .map(|one| one.text.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn the_rules_compile() {
        assert!(REFUSALS.is_some() && NEGATED.is_some() && PROPOSALS.is_some() && DECISIONS.is_some());
    }

    #[test]
    fn a_choice_that_was_turned_down_is_not_the_outcome() {
        for (asked, proposed, refused, wanted, unwanted) in [
            (
                "Which database fits the harbour log?",
                "I suggest PostgreSQL 16 on the small server in the cellar.",
                "No, SQLite is enough for the harbour log.",
                "SQLite",
                "PostgreSQL",
            ),
            (
                "Where do we eat on Friday?",
                "How about the Blue Anchor in Kirkwall, table for 6 at 19:30?",
                "Rather not. Ida cooks herring at home.",
                "herring",
                "Anchor",
            ),
            (
                "Wie kommen wir nach Wien?",
                "Ich schlage den Nachtzug um 21 Uhr ab München vor.",
                "Nein, wir nehmen am Samstag den Bus von Karl.",
                "Bus von Karl",
                "Nachtzug",
            ),
            (
                "Quelle couleur pour la façade ?",
                "Je propose le vert Lagune de Chez Morel, 4 pots suffisent.",
                "Non, la façade reste blanche, Odile a 3 pots de chaux.",
                "blanche",
                "Lagune",
            ),
            (
                "¿Dónde celebramos la boda?",
                "Propongo la finca Los Olivos de Jerez, caben 120 personas.",
                "Mejor no. La boda será en el patio de Carmen.",
                "patio de Carmen",
                "Olivos",
            ),
            (
                "Dove mettiamo il pianoforte?",
                "Suggerisco la sala grande del piano 2, accanto alla finestra.",
                "No, il pianoforte va nello studio di Livia.",
                "studio di Livia",
                "sala grande",
            ),
        ] {
            let text = told(&[said(asked), answered(proposed), said(refused)]);
            assert!(text.contains(wanted) && !text.contains(unwanted), "{text}");
        }
    }

    #[test]
    fn a_decision_that_was_taken_back_is_neither_fact_nor_outcome() {
        let turns = [
            said("We decided to take the red tiles from Moen."),
            said("Moen delivers to the quay on Tuesdays."),
            said("We changed our mind, not the red tiles but the slate from Berg in Voss."),
        ];
        let text = told(&turns);
        assert!(text.contains("slate from Berg") && !text.contains("to take the red tiles"), "{text}");
        assert!(extract(&turns).iter().all(|claim| !claim.text.contains("to take the red tiles")));
    }

    #[test]
    fn politeness_and_agreement_reject_nothing() {
        let plan = "I suggest the ferry at 9 from pier 4.";
        for answer in
            ["No problem, the tickets are here.", "Yes, not a bad idea.", "Kein Problem, das passt."]
        {
            let turns = [answered(plan), said(answer)];
            let all = sentences(&turns);
            assert!(
                parts_in_choices(&turns, &all).iter().all(|part| *part != ChoicePart::Rejected),
                "{answer}"
            );
        }
    }
}
