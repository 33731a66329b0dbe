//! A whole document: made of a vault, or taken apart into records to import.

use std::collections::HashMap;

use lacuna_core::Lacuna;
use lacuna_core::index::Filter;
use lacuna_core::permit::{Caller, Export, permit};
use lacuna_core::read::LIST_PAGE_MAX;
use lacuna_core::transfer::{Carried, ImportRecord, Origin};
use lacuna_types::policy::Policy;
use lacuna_types::{
    Category, Detail, Draft, History, Holder, Lifecycle, PersonaKind, PrivacyClass, Scope, SessionId, Source,
    SourceType, Trust,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Atom, DIRECT_SESSION, OWN_DEPLOYMENT};
use crate::wire::failure::Result;

/// The classifier that gives memories their salience.
const CLASSIFIER: &str = "lacuna-rules";
/// The program that a record comes from, in its origin.
const PROGRAM: &str = "persona";

/// The document of a vault.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersonaDocument {
    identity: Value,
    safety_tier: &'static str,
    compliance_profiles: Vec<&'static str>,
    memory: Vec<Atom>,
    memory_policy: Value,
}

impl PersonaDocument {
    /// Makes the document of the caller's vault. What is about health, belief or biometrics stays out unless
    /// `include_sensitive`.
    pub(crate) fn of(core: &Lacuna, caller: &Caller, scope: &Scope, include_sensitive: bool) -> Result<Self> {
        permit::<Export>(caller, scope)?;
        let grant = permit(caller, scope)?;
        let filter = Filter { states: vec![Lifecycle::Active, Lifecycle::Archived], ..Filter::default() };
        let (mut memory, mut after) = (Vec::new(), None);
        loop {
            let page = core.list(&grant, &filter, after, LIST_PAGE_MAX)?;
            let wanted = page
                .memories
                .into_iter()
                .filter(|one| include_sensitive || one.facets.privacy.class != PrivacyClass::SensitivePii);
            memory.extend(wanted.map(Atom::of));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        let policy = core.policy(&scope.org);
        Ok(Self {
            identity: json!({"id": format!("did:lacuna:{}:{}", scope.org, scope.holder), "version": "v.01"}),
            safety_tier: if policy.sensitive_allowed {
                "sensitive-with-consent"
            } else {
                "no-sensitive-data"
            },
            compliance_profiles: vec!["gdpr"],
            memory,
            memory_policy: memory_policy(policy, &scope.holder),
        })
    }
}

/// The rules of a tenant as the block of the schema. The limits by privacy class are those of a deployment's vault.
fn memory_policy(policy: &Policy, holder: &Holder) -> Value {
    let has_limits = matches!(holder, Holder::Deployment(_));
    let classes: HashMap<&str, Option<u32>> = PrivacyClass::ALL
        .iter()
        .map(|class| {
            let days = policy.retention.classes.iter().find(|(known, _)| has_limits && known == class);
            (class.as_str(), days.map(|(_, days)| *days))
        })
        .collect();
    json!({
        "enabled": true,
        "scope": "deployment",
        "maxAtoms": policy.max_atoms,
        "maxMemoriesPerTurn": policy.context.memories_per_turn,
        "rehearsalCooldownTurns": policy.context.cooldown_turns,
        "retrievalThreshold": policy.context.retrieval_threshold,
        "confabulationPolicy": policy.context.confabulation.as_str(),
        "creationPolicy": {
            "minSalienceForCreation": policy.min_salience,
            "salienceClassifier": CLASSIFIER,
            "salienceClassifierVersion": env!("CARGO_PKG_VERSION"),
        },
        "retentionPolicy": {"defaultRetentionDays": Value::Null, "perPrivacyClass": classes},
        "rightToBeForgottenSla": {
            "acknowledgmentHours": policy.acknowledge_hours,
            "completionHours": policy.complete_hours,
            "tombstoneRetentionDays": policy.tombstone_days,
        },
        "auditPolicy": {
            "logCreation": true,
            "logRetrieval": policy.audit_reads.as_str(),
            "logRedaction": "always",
            "logRehearsal": policy.audit_rehearsals.as_str(),
        },
    })
}

/// An atom as a record to import; `None` for one that is redacted.
pub(crate) fn into_record(atom: Atom, number: u64) -> Result<Option<ImportRecord>> {
    if atom.redaction_status != "active" {
        return Ok(None);
    }
    let kind = atom.kind.0;
    let category = match kind {
        PersonaKind::Episodic => Category::Conversation,
        PersonaKind::Semantic => Category::LearnedContext,
        PersonaKind::Procedural => Category::WorkPattern,
    };
    let session = atom.provenance.session_id.strip_prefix("sess:").unwrap_or(&atom.provenance.session_id);
    let is_direct = atom.provenance.session_id == DIRECT_SESSION;
    // An event that a persona remembers is told as it was; a fact that it derived is an inference.
    let source_kind = match kind {
        PersonaKind::Episodic => SourceType::UserMessage,
        PersonaKind::Semantic | PersonaKind::Procedural if is_direct => SourceType::ExplicitSave,
        PersonaKind::Semantic | PersonaKind::Procedural => SourceType::AiInference,
    };
    let deployment = Some(atom.provenance.deployment_did).filter(|did| did != OWN_DEPLOYMENT);
    let source = Source {
        session: if is_direct { None } else { Some(SessionId::new(session)?) },
        turn: atom.provenance.turn_index,
        deployment,
        ..Source::new(source_kind, Trust::High)
    };
    let carried = Carried {
        proven: false,
        state: Lifecycle::Active,
        updated_at: atom.last_rehearsed_at,
        rehearsals: atom.rehearsal_count,
        rehearsed_at: atom.last_rehearsed_at,
        decay: (&atom.decay_profile).into(),
        history: History::default(),
    };
    let draft = Draft {
        text: atom.gist.into(),
        details: atom.details.into_iter().map(Detail::from).collect(),
        category: Some(category),
        kind: Some(kind),
        tags: atom.tags,
        source: Some(source),
        privacy_class: Some(atom.privacy_class.0),
        consent_basis: Some(atom.consent_basis.0),
        salience: Some(atom.salience),
        valence: Some(atom.emotional_valence),
        created_at: Some(atom.created_at),
        ..Draft::default()
    };
    let origin = Some(Origin::Foreign(format!("{PROGRAM}:{}", atom.id)));
    Ok(Some(ImportRecord { number, origin, draft, carried: Some(Box::new(carried)) }))
}

/// Atoms of a vault have the ids that its context shows.
#[cfg(test)]
mod tests {
    use lacuna_types::MemoryId;

    use crate::persona::atom_id;

    #[test]
    fn an_atoms_id_is_the_end_of_the_memorys() {
        let id = MemoryId::from_bytes([0xab; 16]);
        assert_eq!(atom_id(id), "mem:abababababab");
    }
}
