//! Texts that are kept word for word or not at all: the values of records, and the fields that programs give to
//! memories. The gate reads them as it reads every text, and changes nothing.

use lacuna_types::embed::Purpose;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use serde_json::Value;

use crate::gate::report::Report;
use crate::gate::{Admitted, AskedDraft, DraftDecision, DraftOrigin, Gate, GateDecision};
use crate::vault::record::said_by;
use crate::vault::service::Service;

/// Characters that the gate reads at a time, and those that two neighbouring parts share, so that nothing hides at
/// the seam.
const PART_CHARS: usize = 900_000;
const SEAM_CHARS: usize = 2_000;

/// The origin of a text that is kept word for word.
pub(crate) struct VerbatimSource<'a> {
    /// The field that an error names.
    pub(crate) field: &'static str,
    pub(crate) source: Option<&'a Source>,
    pub(crate) basis: Option<ConsentBasis>,
}

impl VerbatimSource<'_> {
    /// The draft that the gate reads.
    fn draft(&self, part: &str) -> Draft {
        Draft {
            text: part.into(),
            category: Some(Category::LearnedContext),
            // As long as a transcript may be, and looked at as a fact is.
            content_type: Some(ContentType::Transcript),
            tier: Some(Tier::Semantic),
            source: self.source.cloned(),
            consent_basis: self.basis,
            salience: Some(1.0),
            verbatim: true,
            ..Draft::default()
        }
    }

    /// The gate speaks of the text; a program sent something else.
    fn in_field(&self, error: Error) -> Error {
        match error {
            Error::Invalid { field: "text", reason } => Error::Invalid { field: self.field, reason },
            other => other,
        }
    }

    /// Takes one text through the gate, in parts that the gate can read. The first part that does not pass decides.
    pub(crate) fn judge(
        &self,
        service: &Service,
        gate: &Gate<'_>,
        text: &str,
        standing: impl Fn() -> DraftOrigin,
    ) -> Result<DraftDecision> {
        let mut all: Option<Box<Admitted>> = None;
        for part in parts(text) {
            let presentable =
                gate.clean(self.draft(part), standing()).map_err(|error| self.in_field(error))?;
            let vector = embed(service, self.field, presentable.text())?;
            match gate.judge(presentable, &vector) {
                GateDecision::Yes(part) => match &mut all {
                    Some(all) => join(all, *part),
                    none => *none = Some(part),
                },
                GateDecision::Ask(mut asked) => {
                    self.name(&mut asked.report);
                    return Ok(GateDecision::Ask(AskedDraft { held: None, ..asked }));
                }
                GateDecision::Refuse((why, mut report)) => {
                    self.name(&mut report);
                    return Ok(GateDecision::Refuse((why, report)));
                }
            }
        }
        all.map(GateDecision::Yes).ok_or_else(|| Error::invalid(self.field, "must not be empty"))
    }

    /// Names the field in a report, as the caller calls it.
    fn name(&self, report: &mut Report) {
        report.redactions.iter_mut().for_each(|redaction| redaction.field = self.field);
        report.changes.iter_mut().for_each(|change| change.field = self.field);
    }
}

/// A vector of a text under the instant model.
pub(crate) fn embed(service: &Service, field: &'static str, text: &str) -> Result<Vec<f32>> {
    let vector = service.models.instant.embed(&[text], Purpose::Passage)?.pop();
    vector.ok_or_else(|| Error::invalid(field, "cannot be embedded"))
}

/// A text in parts that the gate can read, each beginning within the one before.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(PART_CHARS) {
        parts.push(&rest[..end]);
        let seam = rest.char_indices().nth(PART_CHARS - SEAM_CHARS).map_or(end, |(at, _)| at);
        rest = &rest[seam..];
    }
    parts.push(rest);
    parts
}

/// Adds what the gate found in a further text.
pub(crate) fn join(admitted: &mut Admitted, more: Admitted) {
    let (all, more) = (&mut admitted.facets, more.facets);
    if more.privacy.class.strictness() > all.privacy.class.strictness() {
        all.privacy.class = more.privacy.class;
        all.privacy.basis = more.privacy.basis;
    }
    for sensitivity in more.privacy.sensitivity {
        if !all.privacy.sensitivity.contains(&sensitivity) {
            all.privacy.sensitivity.push(sensitivity);
        }
    }
    for entity in more.entities {
        if all.entities.len() < ENTITIES_MAX && !all.entities.contains(&entity) {
            all.entities.push(entity);
        }
    }
}

/// The fields that a program gave to a memory, and the gate's decision on what they say.
pub(crate) struct JudgedFields {
    json: Plaintext,
    /// `None` when they say nothing.
    decision: Option<DraftDecision>,
}

/// Takes the fields out of a draft and through the gate; `None` for a draft without any.
pub(crate) fn judge_fields(
    service: &Service,
    gate: &Gate<'_>,
    draft: &mut Draft,
    standing: &DraftOrigin,
) -> Result<Option<JudgedFields>> {
    let Some(json) = draft.metadata.take() else { return Ok(None) };
    if !parse_json("metadata", &json, METADATA_BYTES_MAX)?.is_object() {
        return Err(Error::invalid("metadata", "must be a JSON object"));
    }
    let said = said_by(json.expose());
    let origin =
        VerbatimSource { field: "metadata", source: draft.source.as_ref(), basis: draft.consent_basis };
    let decision = match said.expose().is_empty() {
        true => None,
        false => Some(origin.judge(service, gate, said.expose(), || beside(standing))?),
    };
    Ok(Some(JudgedFields { json, decision }))
}

/// Reads JSON within a bound.
pub(crate) fn parse_json(field: &'static str, json: &Plaintext, bytes_max: usize) -> Result<Value> {
    let json = json.expose();
    if json.len() > bytes_max {
        return Err(Error::invalid(field, format!("must be at most {bytes_max} bytes of JSON")));
    }
    // The parser's message may repeat the input.
    serde_json::from_str(json).map_err(|_| Error::invalid(field, "must be JSON"))
}

/// The same origin, for a text that comes beside another.
fn beside(standing: &DraftOrigin) -> DraftOrigin {
    DraftOrigin { sensitivity: standing.sensitivity.clone(), split: Vec::new(), ..*standing }
}

/// Joins the decision on a text with the one on its fields: both must pass.
pub(crate) fn with_fields(text: DraftDecision, fields: Option<JudgedFields>) -> DraftDecision {
    let Some(JudgedFields { json, decision }) = fields else { return text };
    let (fields, text) = match (decision, text) {
        (_, GateDecision::Refuse(refused)) => return GateDecision::Refuse(refused),
        (Some(GateDecision::Refuse(refused)), _) => return GateDecision::Refuse(refused),
        (Some(GateDecision::Ask(fields)), text) => return GateDecision::Ask(asked_too(fields, text)),
        (Some(GateDecision::Yes(fields)), text) => (Some(*fields), text),
        (None, text) => (None, text),
    };
    match text {
        GateDecision::Yes(mut admitted) => {
            give(&mut admitted, fields, json);
            GateDecision::Yes(admitted)
        }
        GateDecision::Ask(mut asked) => {
            if let Some(held) = &mut asked.held {
                give(held, fields, json);
            }
            GateDecision::Ask(asked)
        }
        refused => refused,
    }
}

/// The questions about the fields and about the text. Nothing is held: one yes stands for both.
fn asked_too(fields: AskedDraft, text: DraftDecision) -> AskedDraft {
    let AskedDraft { mut questions, mut report, .. } = fields;
    if let GateDecision::Ask(text) = text {
        questions
            .extend(text.questions.into_iter().filter(|one| !questions.contains(one)).collect::<Vec<_>>());
        report.redactions.extend(text.report.redactions);
    }
    AskedDraft { questions, report, held: None }
}

/// Gives the fields to the memory, with what the gate found in them. Fields that look like an order to an assistant
/// keep the whole back.
fn give(admitted: &mut Admitted, fields: Option<Admitted>, json: Plaintext) {
    if let Some(fields) = fields {
        if fields.facets.history.waits == Some(Wait::Quarantine) {
            admitted.state = Lifecycle::Candidate;
            admitted.facets.history.waits = Some(Wait::Quarantine);
        }
        join(admitted, fields);
    }
    admitted.facets.history.metadata = Some(json);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_text_and_share_their_seams() {
        assert_eq!(parts("short"), ["short"]);
        let long = "é".repeat(2 * PART_CHARS);
        let parts = parts(&long);
        assert_eq!(parts.len(), 3);
        assert!(parts.iter().all(|part| part.chars().count() <= PART_CHARS));
        let all: usize = parts.iter().map(|part| part.chars().count()).sum();
        assert_eq!(all, 2 * PART_CHARS + 2 * SEAM_CHARS);
    }
}
