//! The gate: what may become a memory, in which words, under which rules.
//!
//! One path for every door: shape → secrets → sanitise by trust → cut → classify → consent → lifecycle.

pub(crate) mod clean;
pub(crate) mod confirm;
pub(crate) mod consent;
pub(crate) mod judge;
pub(crate) mod report;
pub(crate) mod shape;

pub use report::{Judgement, Question, Redaction, Refusal, Report};

use jiff::Timestamp;
use lacuna_language::classify::{ASKING_CONFIDENCE, Meaning, Prototypes, classify};
use lacuna_language::secrets::{Finding, Scanner};
use lacuna_types::Result;
use lacuna_types::policy::{Policies, Policy};
use lacuna_types::*;

use crate::gate::clean::{Cleaned, Rules, clean};
use crate::gate::judge::judge;

/// The rules of an installation.
#[derive(Default)]
pub struct Rulebook {
    /// The policies of all tenants.
    pub policies: Policies,
    /// The built-in rules for secrets with an operator's own; the built-in ones alone when absent.
    pub scanner: Option<Scanner>,
}

impl Rulebook {
    /// The scanner for secrets.
    pub fn scanner(&self) -> &Scanner {
        self.scanner.as_ref().unwrap_or_else(|| Scanner::builtin())
    }
}

/// The inputs of the gate that are the same for all drafts of a write.
pub(crate) struct Gate<'a> {
    pub(crate) policy: &'a Policy,
    /// The holder of the vault that is written to.
    pub(crate) holder: &'a Holder,
    pub(crate) now: Timestamp,
    pub(crate) scanner: &'a Scanner,
    pub(crate) prototypes: &'a Prototypes,
    /// The topics that the vault's owner has consented to.
    pub(crate) consents: Vec<ConsentTopic>,
}

/// Facts about one draft that come from outside it.
pub(crate) struct DraftOrigin {
    /// The caller's words count for at most this much.
    pub(crate) trust_max: Trust,
    /// A program writes in the name of the user: it cannot speak as them, nor give their consent.
    pub(crate) by_agent: bool,
    /// It is made of memories alone, and deserves the trust that they have.
    pub(crate) derived: bool,
    /// The caller's own writes need nobody else's approval.
    pub(crate) may_approve: bool,
    /// Questions that the person has answered with yes, for this very text.
    pub(crate) consented: bool,
    pub(crate) possible_confirmed: bool,
    /// It was stored before and comes back from a file of ours. Its owner may have confirmed it, so that it has more
    /// trust than its source.
    pub(crate) was_stored: bool,
    /// The sensitive categories of the memories it was derived from.
    pub(crate) sensitivity: Vec<Sensitivity>,
    /// True when one of those memories came from outside.
    pub(crate) external: bool,
    /// Parts of secrets that its text holds together with a neighbour's.
    pub(crate) split: Vec<Finding>,
}

/// A draft that has passed the first half of the gate: nothing in it may not be stored.
pub(crate) struct Presentable {
    draft: Draft,
    source: Source,
    standing: DraftOrigin,
    cleaned: Cleaned,
}

impl Presentable {
    pub(crate) fn text(&self) -> &str {
        self.draft.text.expose()
    }
}

/// A draft that has passed: every bound holds, every rule was asked, every default is filled in.
///
/// It holds the words, so that it is not cloned: a write that meets another one tries again with the same words.
pub(crate) struct Admitted {
    pub(crate) content: Content,
    pub(crate) facets: Facets,
    pub(crate) created_at: Timestamp,
    pub(crate) state: Lifecycle,
    pub(crate) report: Report,
}

/// The part of an admitted memory that the vault changes when it finds a place for it.
pub(crate) struct Unplaced {
    history: History,
    state: Lifecycle,
}

impl Unplaced {
    pub(crate) fn of(admitted: &Admitted) -> Self {
        Self { history: admitted.facets.history.duplicate(), state: admitted.state }
    }

    /// Takes back what a failed attempt decided, so that the next one starts from the gate's decision.
    pub(crate) fn restore(&self, admitted: &mut Admitted) {
        admitted.facets.history = self.history.duplicate();
        admitted.state = self.state;
    }
}

/// A decision of the gate, or of one of its checks.
pub(crate) enum GateDecision<Y, Q = Question, R = Refusal> {
    Yes(Y),
    /// Nothing is stored until the caller confirms.
    Ask(Q),
    Refuse(R),
}

/// The gate's decision on a draft, with its report.
pub(crate) type DraftDecision = GateDecision<Box<Admitted>, AskedDraft, (Refusal, Report)>;

/// A draft about which the gate asks.
pub(crate) struct AskedDraft {
    pub(crate) questions: Vec<Question>,
    pub(crate) report: Report,
    /// The memory to hold sealed meanwhile, when nothing but a consent is missing.
    pub(crate) held: Option<Box<Admitted>>,
}

impl Gate<'_> {
    /// Checks the shape of a draft and takes out what may not be stored.
    pub(crate) fn clean(&self, mut draft: Draft, standing: DraftOrigin) -> Result<Presentable> {
        shape::check(&draft, self.now)?;
        let source = self.source(draft.source.take(), &standing);
        let (trust, foreign) = (source.trust, is_foreign(&source));
        draft.source = Some(source);
        let rules = Rules {
            scanner: self.scanner,
            fail_on_secret: draft.fail_on_secret || self.policy.fail_on_secret,
            possible_confirmed: standing.possible_confirmed,
            trust,
            foreign,
            addresses_allowed: draft.consent_basis == Some(ConsentBasis::ExplicitConsent)
                || self.consents.contains(&ConsentTopic::Location),
            numbers_allowed: draft.consent_basis == Some(ConsentBasis::ExplicitConsent),
            split: &standing.split,
            verbatim: draft.verbatim,
        };
        let cleaned = clean(&mut draft, &rules)?;
        let source = draft.source.take().unwrap_or(Source::new(SourceType::AiInference, Trust::Low));
        Ok(Presentable { draft, source, standing, cleaned })
    }

    /// Decides what becomes of a cleaned draft. `vector` is its meaning under the instant model.
    pub(crate) fn judge(&self, presentable: Presentable, vector: &[f32]) -> DraftDecision {
        let Presentable { mut draft, source, standing, mut cleaned } = presentable;
        if let Some(refusal) = cleaned.refusal {
            return GateDecision::Refuse((refusal, cleaned.report));
        }
        let seen = classify(draft.text.expose(), Some(&Meaning { prototypes: self.prototypes, vector }));
        let decision = judge(self, &mut draft, source, &standing, &mut cleaned, seen);
        let mut questions: Vec<Question> = cleaned.question.into_iter().collect();
        let (facets, state) = match decision {
            GateDecision::Refuse(refusal) => return GateDecision::Refuse((refusal, cleaned.report)),
            GateDecision::Ask(question) => {
                questions.push(question);
                return GateDecision::Ask(AskedDraft { questions, report: cleaned.report, held: None });
            }
            GateDecision::Yes(judged) => judged,
        };
        let may_hold = questions.is_empty();
        questions.extend(facets.is_held().then_some(Question::Consent));
        let created_at = draft.created_at.unwrap_or(self.now);
        let report = cleaned.report;
        let admitted =
            Admitted { content: content(draft), facets: *facets, created_at, state, report: report.clone() };
        match questions.is_empty() {
            true => GateDecision::Yes(Box::new(admitted)),
            false => {
                let held = may_hold.then(|| Box::new(admitted));
                GateDecision::Ask(AskedDraft { questions, report, held })
            }
        }
    }

    /// Returns true for a text that by itself is sensitive personal data.
    pub(crate) fn is_sensitive(&self, text: &str, vector: &[f32]) -> bool {
        let seen = classify(text, Some(&Meaning { prototypes: self.prototypes, vector }));
        seen.privacy.value == PrivacyClass::SensitivePii && seen.privacy.confidence >= ASKING_CONFIDENCE
    }

    /// The source with the trust that it deserves: the caller may lower it, never raise it.
    fn source(&self, source: Option<Source>, standing: &DraftOrigin) -> Source {
        let mut source = source.unwrap_or(Source::new(SourceType::ExplicitSave, Trust::High));
        source.from_external_content |= standing.external;
        if standing.by_agent && source.kind == SourceType::ExplicitSave {
            // Only a person saves something expressly; an agent's own words are its conclusions.
            source.kind = SourceType::AiInference;
        }
        let deserved = match source.kind {
            _ if standing.was_stored => source.trust,
            _ if standing.derived => standing.trust_max,
            // In a vault that several people share, nobody's message is the owner's.
            SourceType::UserMessage if self.holder.is_shared() => Trust::Medium,
            kind => kind.trust(source.tool.as_deref()),
        };
        let trust_max = if standing.was_stored { Trust::High } else { standing.trust_max };
        source.trust = source.trust.min(deserved).min(trust_max);
        if source.from_external_content {
            source.trust = source.trust.min(Trust::Medium);
        }
        source
    }
}

/// A file, a web page, a model, or somebody who is not the owner may carry somebody else's orders; the owner's own
/// words do not.
fn is_foreign(source: &Source) -> bool {
    source.trust < Trust::High || source.kind == SourceType::ToolOutput || source.from_external_content
}

fn content(draft: Draft) -> Content {
    let gist = shape::gist(draft.gist, &draft.text);
    let text = (draft.text != gist).then_some(draft.text);
    Content { gist, details: draft.details, text }
}
