//! The first half of the gate: what may not be stored is taken out of every field before anything else
//! looks at it.

use std::borrow::Cow;
use std::ops::Range;

use lacuna_language::identifiers::{
    IdentifierCut, cut_accounts, cut_addresses, cut_national_numbers, routine_location,
};
use lacuna_language::orders::instructions;
use lacuna_language::sanitise::sanitise;
use lacuna_language::secrets::{Finding, Scanner, SecretLevel, looks_like_credential, redact};
use lacuna_language::voices::is_pasted;
use lacuna_types::*;

use crate::gate::report::{Changed, Question, Redaction, Refusal, Report};
use crate::gate::shape;

/// The rules that cleaning follows.
pub(crate) struct Rules<'a> {
    pub(crate) scanner: &'a Scanner,
    pub(crate) fail_on_secret: bool,
    /// The person has said that what looks like a secret is none.
    pub(crate) possible_confirmed: bool,
    pub(crate) trust: Trust,
    /// Somebody else's words: a file's, a web page's or a model's.
    pub(crate) foreign: bool,
    /// Addresses may be kept whole.
    pub(crate) addresses_allowed: bool,
    /// The text is kept as it is, or refused.
    pub(crate) verbatim: bool,
}

/// The findings of cleaning, besides the text it took out.
#[derive(Default)]
pub(crate) struct Cleaned {
    pub(crate) report: Report,
    pub(crate) question: Option<Question>,
    pub(crate) refusal: Option<Refusal>,
    /// They are foreign words in the shape of an instruction to an assistant.
    pub(crate) suspicious: bool,
    pub(crate) routine_location: bool,
    /// An account number or an address stood in it.
    pub(crate) sensitivity: Vec<Sensitivity>,
}

/// Takes out of `draft` what may not be stored.
pub(crate) fn clean(draft: &mut Draft, rules: &Rules<'_>) -> Cleaned {
    let mut cleaned = Cleaned::default();
    if shape::tier(draft) == Tier::Semantic && looks_like_credential(draft.text.expose()) {
        cleaned.refusal = Some(Refusal::Credential);
    }
    let pasted = lower_pasted(draft);
    if rules.foreign || pasted {
        let suspicion = instructions(draft.text.expose());
        cleaned.suspicious = suspicion.is_instruction();
        cleaned.report.suspicions = suspicion.reasons.iter().map(|reason| reason.rule).collect();
    }
    cleaned.routine_location = routine_location(draft.text.expose());
    for (field, text) in texts(draft) {
        cleaned.clean_field(field, text, rules);
    }
    for (field, label) in labels(draft) {
        let mut text = Plaintext::from(std::mem::take(label));
        cleaned.clean_field(field, &mut text, rules);
        *label = text.into_exposed();
    }
    if rules.verbatim {
        return cleaned;
    }
    let content_type = shape::content_type(draft);
    cleaned.report.truncated = shape::truncate(&mut draft.text, content_type);
    cleaned
}

/// Lowers the trust in a text that its author pasted: what a mail says, its reader has not said.
fn lower_pasted(draft: &mut Draft) -> bool {
    let pasted = is_pasted(draft.text.expose());
    if let Some(source) = draft.source.as_mut().filter(|source| pasted && source.trust == Trust::High) {
        source.from_external_content = true;
        source.trust = Trust::Medium;
    }
    pasted
}

/// Every text of a draft that somebody else may have written.
fn texts(draft: &mut Draft) -> Vec<(&'static str, &mut Plaintext)> {
    let mut fields = vec![("text", &mut draft.text)];
    fields.extend(draft.gist.as_mut().map(|gist| ("gist", gist)));
    fields.extend(draft.details.iter_mut().map(|detail| ("details.content", &mut detail.content)));
    fields
}

/// Every name and label of a draft that somebody else may have written.
fn labels(draft: &mut Draft) -> Vec<(&'static str, &mut String)> {
    let mut fields: Vec<_> = draft.tags.iter_mut().map(|tag| ("tags", tag)).collect();
    for entity in &mut draft.entities {
        fields.push(("entities.name", &mut entity.name));
        fields.push(("entities.type", &mut entity.kind));
        fields.extend(entity.relation.as_mut().map(|relation| ("entities.relation", relation)));
    }
    if let Some(source) = &mut draft.source {
        fields.extend(source.message.as_mut().map(|text| ("source.message_id", text)));
        fields.extend(source.tool.as_mut().map(|text| ("source.tool", text)));
        fields.extend(source.channel.as_mut().map(|text| ("source.channel", text)));
        fields.extend(source.deployment.as_mut().map(|text| ("source.deployment", text)));
    }
    fields
}

impl Cleaned {
    fn clean_field(&mut self, field: &'static str, text: &mut Plaintext, rules: &Rules<'_>) {
        self.take_secrets(field, text, rules);
        if !rules.verbatim {
            self.neutralise(field, text, rules.trust);
        }
        self.cut(field, text, rules.addresses_allowed);
        if rules.verbatim && !self.report.changes.is_empty() {
            self.refusal.get_or_insert(Refusal::WouldChange);
        }
    }

    fn take_secrets(&mut self, field: &'static str, text: &mut Plaintext, rules: &Rules<'_>) {
        let words = text.expose();
        let findings = rules.scanner.scan(words);
        if findings.is_empty() {
            return;
        }
        let (removed, possible): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| finding.level > SecretLevel::Possible);
        self.report.redactions.extend(removed.iter().map(|finding| redaction(field, words, finding, true)));
        self.report.redactions.extend(possible.iter().map(|finding| redaction(field, words, finding, false)));
        if rules.fail_on_secret || rules.verbatim && !removed.is_empty() {
            self.refusal.get_or_insert(Refusal::Secret);
        } else if !possible.is_empty() && !rules.possible_confirmed {
            self.question = Some(Question::PossibleSecret);
        }
        if !removed.is_empty() {
            *text = redact(words, &removed).into();
        }
    }

    fn neutralise(&mut self, field: &'static str, text: &mut Plaintext, trust: Trust) {
        let sanitised = sanitise(text.expose(), trust);
        self.note(field, sanitised.changes.iter().map(|change| change.rule));
        if let Cow::Owned(changed) = sanitised.text {
            *text = changed.into();
        }
    }

    fn cut(&mut self, field: &'static str, text: &mut Plaintext, addresses_allowed: bool) {
        self.replace(field, text, cut_accounts(text.expose()), Sensitivity::Financial);
        if !addresses_allowed {
            self.replace(field, text, cut_national_numbers(text.expose()), Sensitivity::Financial);
            self.replace(field, text, cut_addresses(text.expose()), Sensitivity::Location);
        }
    }

    fn replace(
        &mut self,
        field: &'static str,
        text: &mut Plaintext,
        (changed, cuts): (String, Vec<IdentifierCut>),
        sensitivity: Sensitivity,
    ) {
        if !cuts.is_empty() {
            self.note(field, cuts.iter().map(|cut| cut.kind.as_str()));
            self.sensitivity.push(sensitivity);
            *text = changed.into();
        }
    }

    fn note(&mut self, field: &'static str, rules: impl Iterator<Item = &'static str>) {
        for rule in rules {
            let change = Changed { field, rule };
            if !self.report.changes.contains(&change) {
                self.report.changes.push(change);
            }
        }
    }
}

fn redaction(field: &'static str, text: &str, finding: &Finding, removed: bool) -> Redaction {
    let place = in_characters(text, &finding.span);
    Redaction { field, rule: finding.rule.to_string(), level: finding.level, place, removed }
}

fn in_characters(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].chars().count();
    start..start + text[span.clone()].chars().count()
}
