//! Parting of a turn: the sentences that need a consent are held by themselves, and the rest of the turn is kept.

use lacuna_types::embed::Purpose;
use lacuna_types::*;
use lacuna_types::{Plaintext, Result};

use crate::gate::{Admitted, AskedDraft, DraftDecision, DraftOrigin, Gate, GateDecision};
use crate::index::quant::QuantVec;
use crate::read::context::worth::sentences;
use crate::vault::service::Service;

/// Sentences of a turn that are judged one by one; a longer turn is held as a whole.
const SENTENCES_MAX: usize = 64;
/// The sign that stands for a sentence that is held.
const HELD_MARK: &str = "[…]";

/// The two parts of a turn, each with its vector.
pub(crate) struct PartedTurn {
    pub(crate) rest: (Box<Admitted>, QuantVec),
    pub(crate) held: (Box<Admitted>, QuantVec),
}

/// Parts a turn that waits for a consent; `None` when it is to be held as a whole.
pub(crate) fn part_turn(service: &Service, gate: &Gate<'_>, turn: &Admitted) -> Result<Option<PartedTurn>> {
    let sentences: Vec<&str> = sentences(turn.content.full_text().expose()).collect();
    if gate.holder.is_shared() || !(2..=SENTENCES_MAX).contains(&sentences.len()) {
        return Ok(None);
    }
    let vectors = service.models.instant.embed(&sentences, Purpose::Passage)?;
    let (mut rest, mut held) = (Vec::new(), Vec::new());
    for (sentence, vector) in sentences.iter().zip(&vectors) {
        match gate.is_sensitive(sentence, vector) {
            true => {
                held.push(*sentence);
                rest.push(HELD_MARK);
            }
            false => rest.push(sentence),
        }
    }
    if held.is_empty() || held.len() == sentences.len() {
        return Ok(None);
    }
    let source = Source { turn: None, message: None, ..turn.facets.source.clone() };
    let rest = judged(service, gate, turn, turn.facets.source.clone(), rest.join(" ").into())?;
    let held = judged(service, gate, turn, source, held.join(" ").into())?;
    let (GateDecision::Yes(rest), rest_vector) = rest else { return Ok(None) };
    let (GateDecision::Ask(AskedDraft { held: Some(held), .. }), held_vector) = held else { return Ok(None) };
    Ok(Some(PartedTurn { rest: (rest, rest_vector), held: (held, held_vector) }))
}

fn judged(
    service: &Service,
    gate: &Gate<'_>,
    turn: &Admitted,
    source: Source,
    text: Plaintext,
) -> Result<(DraftDecision, QuantVec)> {
    let facets = &turn.facets;
    let standing = DraftOrigin {
        trust_max: facets.source.trust,
        by_agent: false,
        // A part has the trust of its turn.
        derived: true,
        may_approve: false,
        consented: false,
        possible_confirmed: true,
        was_stored: false,
        sensitivity: Vec::new(),
        external: facets.source.from_external_content,
        split: Vec::new(),
    };
    let draft = Draft {
        text,
        category: Some(facets.category),
        content_type: Some(facets.content_type),
        tier: Some(facets.tier),
        tags: facets.tags.clone(),
        source: Some(source),
        created_at: Some(turn.created_at),
        ..Draft::default()
    };
    let presentable = gate.clean(draft, standing)?;
    let vector = service.models.instant.embed(&[presentable.text()], Purpose::Passage)?.remove(0);
    Ok((gate.judge(presentable, &vector), QuantVec::from_f32(&vector)?))
}
