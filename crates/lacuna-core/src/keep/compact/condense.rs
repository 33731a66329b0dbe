//! Condenses the turns of a topic to a summary, and facts; a model writes them where there is one and its answer holds,
//! otherwise sentences are picked.

use lacuna_language::clause::whole_sentences;
use lacuna_language::condense::{Rarity, Sources, Speaker, Turn, extract, summarise};
use lacuna_types::TEXT_CHARS_MAX;
use lacuna_types::llm::{Claim, ClaimKind, Llm, SpokenTurn};
use zeroize::Zeroizing;

/// A summary may be this share of what it is a summary of, in percent, and this long in any case.
const SUMMARY_PERCENT: usize = 36;
const SUMMARY_CHARS_MIN: usize = 100;
/// Turns that a model is shown at once.
const MODEL_TURNS_MAX: usize = 24;
/// Of a model's summary at least this share must hold, in percent, or it is not used.
const HOLDS_PERCENT_MIN: usize = 50;
/// Facts of one answer that are looked at.
const MODEL_CLAIMS_MAX: usize = 64;

/// A text that is made of turns.
#[derive(PartialEq)]
pub(crate) struct CondensedPiece {
    /// The summary, or the statement of the fact.
    pub text: Zeroizing<String>,
    /// The kind of the fact; `None` for a summary.
    pub kind: Option<ClaimKind>,
    /// Numbers of the turns that it is made of, rising.
    pub turns: Vec<usize>,
    /// A model wrote it: its facts wait for a person's word.
    pub by_model: bool,
}

/// Condenses the turns of a topic to one summary and the facts in them. Every piece has passed the check. Without
/// `patterns` no sentence is made into a pattern; it may stand in the summary as what was said.
pub(crate) fn condense(
    turns: &[Turn],
    rarity: &Rarity,
    llm: Option<&dyn Llm>,
    patterns: bool,
) -> Vec<CondensedPiece> {
    let is_wanted = |kind: Option<ClaimKind>| patterns || kind != Some(ClaimKind::Pattern);
    let mut facts = facts(turns);
    facts.retain(|fact| is_wanted(Some(fact.kind)));
    let mut made = llm.and_then(|llm| by_model_in_parts(llm, turns));
    made.iter_mut().for_each(|pieces| pieces.retain(|piece| is_wanted(piece.kind)));
    let mut pieces = made.unwrap_or_else(|| picked(turns, rarity, &facts).into_iter().collect());
    let is_new = |fact: &Claim| !pieces.iter().any(|piece| *piece.text == fact.text);
    let new: Vec<Claim> = facts.into_iter().filter(is_new).collect();
    pieces.extend(new.into_iter().map(|fact| CondensedPiece::of(fact, false)));
    pieces
}

impl CondensedPiece {
    /// The piece as it stands among more turns, `by` of which come first.
    fn moved(mut self, by: usize) -> Self {
        self.turns.iter_mut().for_each(|turn| *turn += by);
        self
    }
}

/// Pieces that a model makes of a topic; it is shown so many turns at once as it can be, and its summaries are
/// one.
fn by_model_in_parts(llm: &dyn Llm, turns: &[Turn]) -> Option<Vec<CondensedPiece>> {
    let mut pieces: Vec<CondensedPiece> = Vec::new();
    let mut told = Zeroizing::new(String::new());
    for (part, shown) in turns.chunks(MODEL_TURNS_MAX).enumerate() {
        for piece in by_model(llm, shown)? {
            match piece.kind {
                Some(_) => pieces.push(piece.moved(part * MODEL_TURNS_MAX)),
                None if told.is_empty() => told.push_str(&piece.text),
                None => {
                    told.push(' ');
                    told.push_str(&piece.text);
                }
            }
        }
    }
    let all = (0..turns.len()).collect();
    let fits = told.chars().count() <= TEXT_CHARS_MAX;
    pieces.insert(0, CondensedPiece { text: told, kind: None, turns: all, by_model: true });
    fits.then_some(pieces)
}

fn picked(run: &[Turn], rarity: &Rarity, facts: &[Claim]) -> Option<CondensedPiece> {
    let chars: usize = run.iter().map(|turn| turn.words().chars().count()).sum();
    let room = (chars * SUMMARY_PERCENT / 100).clamp(SUMMARY_CHARS_MIN, TEXT_CHARS_MAX / 2);
    let summary = summarise(run, rarity, room, facts)?;
    let holds = Sources::new(run).check(&summary.text, &summary.used);
    let turns = (0..run.len()).collect();
    holds.is_ok().then_some(CondensedPiece { text: summary.text, kind: None, turns, by_model: false })
}

/// Facts that the rules find in the turns.
fn facts(turns: &[Turn]) -> Vec<Claim> {
    let sources = Sources::new(turns);
    let holds = |claim: &Claim| sources.check(&claim.text, &claim.turns).is_ok();
    extract(turns).into_iter().filter(holds).collect()
}

impl CondensedPiece {
    fn of(claim: Claim, by_model: bool) -> Self {
        Self { text: Zeroizing::new(claim.text), kind: Some(claim.kind), turns: claim.turns, by_model }
    }
}

/// Pieces that a model makes of the turns; `None` when it cannot be reached or its answer does not hold.
fn by_model(llm: &dyn Llm, turns: &[Turn]) -> Option<Vec<CondensedPiece>> {
    let said: Vec<_> =
        turns.iter().map(|turn| SpokenTurn { speaker: turn.speaker.label(), text: turn.words() }).collect();
    let answer = match llm.condense(&said) {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(model = llm.name(), code = error.code(), "compaction goes on without the model");
            return None;
        }
    };
    let sources = Sources::new(turns);
    let all: Vec<usize> = (0..turns.len()).collect();
    let Some(text) = what_holds(&answer.summary, &sources, &all) else {
        tracing::warn!(model = llm.name(), "a summary of the model does not keep to its sources");
        return None;
    };
    let mut pieces = vec![CondensedPiece { text, kind: None, turns: all, by_model: true }];
    let claims = answer.claims.into_iter().take(MODEL_CLAIMS_MAX).map(tidied);
    pieces.extend(
        claims
            .filter(|claim| sources.check(&claim.text, &claim.turns).is_ok())
            .map(|claim| CondensedPiece::of(claim, true)),
    );
    Some(pieces)
}

/// The sentences of a summary that keep to their sources, if they are most of it.
fn what_holds(summary: &str, sources: &Sources<'_>, all: &[usize]) -> Option<Zeroizing<String>> {
    let sentences = whole_sentences(summary);
    let holding: Vec<&str> =
        sentences.iter().copied().filter(|sentence| sources.check(sentence, all).is_ok()).collect();
    let enough = !holding.is_empty() && holding.len() * 100 >= sentences.len() * HOLDS_PERCENT_MIN;
    let text = without_role(&holding.join(" "));
    (enough && text.chars().count() <= TEXT_CHARS_MAX).then(|| Zeroizing::new(text))
}

/// A text that opens with a role, as "User: …" does, without that opening: the gate would take it for a forged one.
fn without_role(text: &str) -> String {
    let roles = [Speaker::User, Speaker::Assistant, Speaker::Tool];
    let bare = roles.iter().find_map(|role| text.strip_prefix(role.label())?.strip_prefix(": "));
    bare.unwrap_or(text).to_owned()
}

fn tidied(mut claim: Claim) -> Claim {
    claim.text = claim.text.trim().to_owned();
    claim.turns.sort_unstable();
    claim.turns.dedup();
    if claim.text.is_empty() || claim.text.chars().count() > TEXT_CHARS_MAX {
        // It points to nothing, so it does not pass.
        claim.turns.clear();
    }
    claim
}

#[cfg(test)]
mod tests {
    use lacuna_types::{Source, SourceType, Trust};

    use super::*;

    fn said(text: &str) -> Turn {
        Turn::new(text.to_owned(), &Source::new(SourceType::UserMessage, Trust::High))
    }
    use lacuna_types::llm::{Condensed, ForgetProposal};
    use lacuna_types::{Error, Result};

    /// Answers with what it is given.
    struct Scripted(fn() -> Result<Condensed>);

    impl Llm for Scripted {
        fn name(&self) -> &str {
            "scripted"
        }

        fn condense(&self, _: &[SpokenTurn<'_>]) -> Result<Condensed> {
            (self.0)()
        }

        fn propose(&self, _: &str, _: &[&str]) -> Result<ForgetProposal> {
            Ok(ForgetProposal::default())
        }
    }

    fn claim(text: &str, turns: &[usize]) -> Claim {
        Claim { text: text.to_owned(), kind: ClaimKind::Fact, turns: turns.to_vec() }
    }

    fn turns() -> [Turn; 2] {
        [said("Ana: I live in Turku with 3 hens."), said("Ben: And I sold the boat to Karl yesterday.")]
    }

    fn condensed(llm: Option<&dyn Llm>) -> Vec<(String, Option<ClaimKind>, Vec<usize>, bool)> {
        let turns = turns();
        let pieces = condense(&turns, &Rarity::of(turns.iter()), llm, true);
        pieces
            .into_iter()
            .map(|piece| (piece.text.to_string(), piece.kind, piece.turns, piece.by_model))
            .collect()
    }

    #[test]
    fn a_model_is_believed_claim_by_claim() {
        let model = Scripted(|| {
            Ok(Condensed {
                summary: "Ana lives in Turku with 3 hens. Ben sold a boat to Karl. Olga bought it."
                    .to_owned(),
                claims: vec![
                    claim("Ana lives in Turku.", &[0]),
                    claim("Ana lives in Turku.", &[1]),
                    claim("Ana has 4 hens.", &[0]),
                    claim("Ben sold the boat.", &[]),
                    claim("Ben sold the boat.", &[9]),
                ],
            })
        });
        let fact = Some(ClaimKind::Fact);
        assert_eq!(
            condensed(Some(&model)),
            [
                (
                    "Ana lives in Turku with 3 hens. Ben sold a boat to Karl.".to_owned(),
                    None,
                    vec![0, 1],
                    true
                ),
                ("Ana lives in Turku.".to_owned(), fact, vec![0], true),
                ("Ana: I live in Turku with 3 hens.".to_owned(), fact, vec![0], false),
            ]
        );
    }

    #[test]
    fn a_summary_says_what_the_facts_beside_it_do_not() {
        let turns = [
            said("We hauled the boat out in Bergen last Friday."),
            said("I always buy the paint from the shop by the old bridge."),
            said("Marten Holloway steered the crane for 1,400 kroner."),
        ];
        let pieces = condense(&turns, &Rarity::of(turns.iter()), None, true);
        let (summaries, facts): (Vec<_>, Vec<_>) = pieces.iter().partition(|piece| piece.kind.is_none());
        assert_eq!(facts.iter().map(|fact| fact.turns.as_slice()).collect::<Vec<_>>(), [[1]]);
        let summary = summaries[0].text.as_str();
        assert!(summary.contains("Holloway") && !summary.contains("paint"), "{summary}");
    }

    #[test]
    fn an_answer_that_does_not_hold_and_one_that_never_comes_make_no_difference() {
        let invents = Scripted(|| {
            let summary = "Olga lives in Oslo. Ana lives in Turku. Quentin met Rasmus.".to_owned();
            Ok(Condensed { summary, claims: vec![claim("Ana lives in Turku.", &[0])] })
        });
        let silent = Scripted(|| Ok(Condensed::default()));
        let fails = Scripted(|| {
            Err(Error::Unavailable { code: "llm_unavailable", reason: "no".into(), source: None })
        });
        let plain = condensed(None);
        assert!(plain.iter().all(|(.., by_model)| !by_model));
        for model in [invents, silent, fails] {
            assert_eq!(condensed(Some(&model)), plain);
        }
    }
}
