//! The first half of the gate: what may not be stored is taken out of every field before anything else
//! looks at it.

use std::borrow::Cow;
use std::ops::Range;

use lacuna_language::identifiers::{
    IdentifierCut, cut_accounts, cut_addresses, cut_national_numbers, routine_location,
};
use lacuna_language::orders::instructions;
use lacuna_language::sanitise::sanitise;
use lacuna_language::secrets::{Finding, Scanner, SecretLevel, looks_like_credential, merge, redact};
use lacuna_language::voices::{WhoseWords, is_brought, is_pasted_in, passages};
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

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
    /// Numbers that a state gives to a person may be kept whole: the person has consented to this very text.
    pub(crate) numbers_allowed: bool,
    /// Parts of secrets that the text holds together with its neighbour.
    pub(crate) split: &'a [Finding],
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
pub(crate) fn clean(draft: &mut Draft, rules: &Rules<'_>) -> Result<Cleaned> {
    let mut cleaned = Cleaned::default();
    if shape::tier(draft) == Tier::Semantic && looks_like_credential(draft.text.expose()) {
        cleaned.refusal = Some(Refusal::Credential);
    }
    let whose = whose_words(draft);
    cleaned.suspect(draft, rules.foreign || whose.is_pasted, &whose.external);
    cleaned.routine_location = routine_location(draft.text.expose());
    let found = secrets(draft, rules)?;
    let DraftFields { texts, labels } = DraftFields::of(draft);
    let mut found = found.into_iter();
    for (field, text) in texts {
        cleaned.clean_field(field, text, found.next().unwrap_or_default(), rules);
    }
    for (field, label) in labels {
        let mut text = Plaintext::from(std::mem::take(label));
        cleaned.clean_field(field, &mut text, found.next().unwrap_or_default(), rules);
        *label = text.into_exposed();
    }
    if rules.verbatim {
        return Ok(cleaned);
    }
    let content_type = shape::content_type(draft);
    cleaned.report.truncated = shape::truncate(&mut draft.text, content_type);
    Ok(cleaned)
}

/// The secrets of each field, in the order of [`DraftFields`]. One that stands in any of them is found in all. A session
/// is known by its name, so that nothing can take the place of a secret in it.
fn secrets(draft: &mut Draft, rules: &Rules<'_>) -> Result<Vec<Vec<Finding>>> {
    let session = draft.source.as_ref().and_then(|source| source.session.clone());
    let fields = DraftFields::of(draft);
    let mut texts = fields.exposed();
    texts.extend(session.as_ref().map(SessionId::as_str));
    let mut found = rules.scanner.scan_all(&texts);
    let in_name = session.and_then(|_| found.pop()).unwrap_or_default();
    if in_name.iter().any(|finding| finding.level > SecretLevel::Possible) {
        return Err(secret_name("source.session_id"));
    }
    if let Some(first) = found.first_mut().filter(|_| !rules.split.is_empty()) {
        first.extend(rules.split.iter().cloned());
        *first = merge(std::mem::take(first));
    }
    Ok(found)
}

/// Refuses a name or a label that holds a secret: it is shown wherever the thing is named.
pub(crate) fn check_name(scanner: &Scanner, field: &'static str, name: &str) -> Result<()> {
    if scanner.is_secret(name) { Err(secret_name(field)) } else { Ok(()) }
}

fn secret_name(field: &'static str) -> Error {
    Error::invalid(field, "holds what looks like a secret: name it otherwise")
}

/// The authors of the words of a draft.
#[derive(Default)]
struct DraftVoices {
    /// It is mostly somebody else's words.
    is_pasted: bool,
    /// The passages that are not the writer's own, one per line.
    external: Zeroizing<String>,
}

/// Tells whose words a draft has, and lowers the trust in what its author pasted: what a mail says, its reader has
/// not said. A fact needs its author's own words throughout; of a turn, only what its author said becomes one.
fn whose_words(draft: &mut Draft) -> DraftVoices {
    let text = draft.text.expose();
    let passages = passages(text);
    // A record is a value of its program, whose word it stays.
    let is_fact = shape::tier(draft) == Tier::Semantic && !draft.verbatim;
    let is_pasted =
        is_pasted_in(text, &passages) || is_fact && passages.iter().any(|one| is_brought(text, one));
    let external = passages.iter().filter(|passage| passage.voice != WhoseWords::Own);
    let external = external.map(|passage| &text[passage.span.clone()]).collect::<Vec<_>>().join("\n");
    if let Some(source) = draft.source.as_mut().filter(|source| is_pasted && source.trust == Trust::High) {
        source.from_external_content = true;
        source.trust = Trust::Medium;
    }
    DraftVoices { is_pasted, external: Zeroizing::new(external) }
}

/// The fields of a draft that somebody else may have written.
struct DraftFields<'a> {
    texts: Vec<(&'static str, &'a mut Plaintext)>,
    labels: Vec<(&'static str, &'a mut String)>,
}

impl<'a> DraftFields<'a> {
    fn of(draft: &'a mut Draft) -> Self {
        let mut texts = vec![("text", &mut draft.text)];
        texts.extend(draft.gist.as_mut().map(|gist| ("gist", gist)));
        texts.extend(draft.details.iter_mut().map(|detail| ("details.content", &mut detail.content)));
        let mut labels: Vec<_> = draft.tags.iter_mut().map(|tag| ("tags", tag)).collect();
        for entity in &mut draft.entities {
            labels.push(("entities.name", &mut entity.name));
            labels.push(("entities.type", &mut entity.kind));
            labels.extend(entity.relation.as_mut().map(|relation| ("entities.relation", relation)));
        }
        if let Some(source) = &mut draft.source {
            labels.extend(source.message.as_mut().map(|text| ("source.message_id", text)));
            labels.extend(source.tool.as_mut().map(|text| ("source.tool", text)));
            labels.extend(source.channel.as_mut().map(|text| ("source.channel", text)));
            labels.extend(source.deployment.as_mut().map(|text| ("source.deployment", text)));
        }
        Self { texts, labels }
    }

    /// Their words, in order.
    fn exposed(&self) -> Vec<&str> {
        let texts = self.texts.iter().map(|(_, text)| text.expose());
        texts.chain(self.labels.iter().map(|(_, label)| label.as_str())).collect()
    }
}

impl Cleaned {
    /// Looks for orders to an assistant, in somebody else's words only: all of them when the draft is `foreign`,
    /// otherwise the passages that its author brought from elsewhere.
    fn suspect(&mut self, draft: &Draft, foreign: bool, external: &str) {
        let gist = draft.gist.iter().chain(draft.details.iter().map(|detail| &detail.content));
        let others = gist.map(Plaintext::expose);
        let suspects: Vec<&str> = match foreign {
            true => std::iter::once(draft.text.expose()).chain(others).collect(),
            false => vec![external],
        };
        for text in suspects.into_iter().filter(|text| !text.is_empty()) {
            let suspicion = instructions(text);
            self.suspicious |= suspicion.is_instruction();
            for rule in suspicion.reasons.iter().map(|reason| reason.rule) {
                if !self.report.suspicions.contains(&rule) {
                    self.report.suspicions.push(rule);
                }
            }
        }
    }

    fn clean_field(
        &mut self,
        field: &'static str,
        text: &mut Plaintext,
        findings: Vec<Finding>,
        rules: &Rules<'_>,
    ) {
        self.take_secrets(field, text, findings, rules);
        if !rules.verbatim {
            self.neutralise(field, text, rules.trust);
        }
        self.cut(field, text, rules);
        if rules.verbatim && !self.report.changes.is_empty() {
            self.refusal.get_or_insert(Refusal::WouldChange);
        }
    }

    fn take_secrets(
        &mut self,
        field: &'static str,
        text: &mut Plaintext,
        findings: Vec<Finding>,
        rules: &Rules<'_>,
    ) {
        let words = text.expose();
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

    fn cut(&mut self, field: &'static str, text: &mut Plaintext, rules: &Rules<'_>) {
        self.replace(field, text, cut_accounts(text.expose()), Sensitivity::Financial);
        let before = self.report.changes.len();
        if !rules.numbers_allowed {
            self.replace(field, text, cut_national_numbers(text.expose()), Sensitivity::Financial);
        }
        if !rules.addresses_allowed {
            self.replace(field, text, cut_addresses(text.expose()), Sensitivity::Location);
        }
        self.report.consent_keeps |= self.report.changes.len() > before;
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
