//! Records of an import, and the report about each.

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::report::Question;
use crate::write::remember::in_millis;

/// One memory of a file, as a door read it. Nothing in it has been checked.
pub struct ImportRecord {
    /// Its number in the file, by which it is reported.
    pub number: u64,
    /// Its id or name in the place that it comes from.
    pub origin: Option<Origin>,
    /// Its links name memories by their ids there.
    pub draft: Draft,
    /// Facts that no caller could state about a new memory; only our own exports carry them.
    pub carried: Option<Box<Carried>>,
}

/// The name of a record in the place that it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The id of a memory of ours.
    Memory(MemoryId),
    /// Another program's name for it, with the program's.
    Foreign(String),
}

/// Facts that an export recorded beside the draft.
#[derive(PartialEq)]
pub struct Carried {
    /// True when the record is, letter for letter, as this installation wrote it. Any other came from somebody who may have
    /// edited it: its trust is capped, and it waits where a new one would.
    pub proven: bool,
    /// Its state.
    pub state: Lifecycle,
    /// The moment of its last change.
    pub updated_at: Timestamp,
    /// Number of its rehearsals.
    pub rehearsals: u32,
    /// The moment of its last rehearsal.
    pub rehearsed_at: Timestamp,
    /// The profile by which it fades.
    pub decay: DecayProfile,
    /// Of this, links to memories alike and marks of attributes are made anew. One with the facet of a record comes
    /// back to its place, word for word.
    pub history: History,
}

/// The treatment of a memory that the vault already holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplicates {
    /// Pass over it; the memory stays as it is.
    Merge,
    /// End the import.
    Refuse,
}

/// The report about one record.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The record's number in the file.
    pub number: u64,
    /// The record's fate.
    pub fate: Fate,
    /// True when the gate changed its words.
    pub changed: bool,
    /// Links to memories that are not here.
    pub links_dropped: usize,
    /// True when it names trust or a state that nobody proves, and came in like a new memory.
    pub unproven: bool,
}

/// The fate of one record.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// It was stored; in a dry run, it would be.
    Stored {
        id: MemoryId,
        state: Lifecycle,
        waits: Option<Wait>,
    },
    /// It was here before.
    Repeated {
        id: MemoryId,
    },
    /// Not stored: a person must confirm it, by writing it themselves.
    Asked {
        questions: Vec<Question>,
    },
    Refused {
        code: &'static str,
        reason: String,
    },
}

impl ImportRecord {
    /// Returns true for the record of a program, which comes back to its place.
    pub(crate) fn is_of_program(&self) -> bool {
        self.carried.as_deref().is_some_and(|carried| carried.history.record.is_some())
    }

    /// Other programs tell finer times than are kept here.
    pub(crate) fn in_millis(mut self) -> Self {
        self.draft.created_at = self.draft.created_at.map(in_millis);
        self.draft.expires_at = self.draft.expires_at.map(in_millis);
        if let Some(carried) = &mut self.carried {
            carried.updated_at = in_millis(carried.updated_at);
            carried.rehearsed_at = in_millis(carried.rehearsed_at);
            carried.history.remade_at = carried.history.remade_at.map(in_millis);
            if let Some(record) = &mut carried.history.record {
                record.written_at.iter_mut().for_each(|at| *at = in_millis(*at));
            }
        }
        self
    }
}

pub(crate) fn refused(code: &'static str, reason: impl Into<String>) -> Fate {
    Fate::Refused { code, reason: reason.into() }
}

/// The counts of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// Records that were stored.
    pub stored: u64,
    /// Of those stored, the ones that wait for a review.
    pub waiting: u64,
    /// Records that the vault held already.
    pub repeated: u64,
    /// Records that a person must confirm first.
    pub asked: u64,
    /// Records that were refused.
    pub refused: u64,
    /// Records whose words the gate changed.
    pub changed: u64,
    /// Links to memories that are not here.
    pub links_dropped: u64,
    /// Records that name trust or a state that nobody proves, and came in like new memories.
    pub unproven: u64,
}

impl Account {
    pub(crate) fn count(&mut self, imported: &Imported) {
        match &imported.fate {
            Fate::Stored { waits, .. } => {
                self.stored += 1;
                self.waiting += u64::from(waits.is_some());
            }
            Fate::Repeated { .. } => self.repeated += 1,
            Fate::Asked { .. } => self.asked += 1,
            Fate::Refused { .. } => self.refused += 1,
        }
        self.changed += u64::from(imported.changed);
        self.links_dropped += imported.links_dropped as u64;
        self.unproven += u64::from(imported.unproven);
    }

    /// Records of every fate.
    pub fn records(&self) -> u64 {
        self.stored + self.repeated + self.asked + self.refused
    }
}

impl Carried {
    /// Checks what the gate does not look at.
    pub(crate) fn check(&self, now: Timestamp) -> Result<()> {
        if self.state == Lifecycle::Deleted {
            return Err(Error::invalid("state", "a deleted memory is not taken"));
        }
        for (field, at) in [("updated_at", self.updated_at), ("rehearsed_at", self.rehearsed_at)] {
            if at > now {
                return Err(Error::invalid(field, "must not lie in the future"));
            }
        }
        let DecayProfile {
            half_life_days,
            rehearsal_boost,
            valence_protection,
            minimum_salience,
            detail_decay_rate,
        } = self.decay;
        let numbers =
            [half_life_days, rehearsal_boost, valence_protection, minimum_salience, detail_decay_rate];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) || half_life_days == 0.0 {
            return Err(Error::invalid("decay", "must hold positive numbers"));
        }
        if self.history.supersedes.len() > LINKS_MAX {
            return Err(Error::invalid("supersedes", format!("at most {LINKS_MAX} are accepted")));
        }
        let why = self.history.promotion.as_ref().and_then(|promotion| promotion.justification.as_ref());
        if why.is_some_and(|why| why.expose().chars().count() > JUSTIFICATION_CHARS_MAX) {
            let reason = format!("must be at most {JUSTIFICATION_CHARS_MAX} characters");
            return Err(Error::invalid("promotion.justification", reason));
        }
        Ok(())
    }
}

/// Returns true when two memories of the same words are one: said at the same moment, the same turn of a
/// conversation, or a fact that is a fact wherever it was said.
pub(crate) fn same_memory(
    (one, at, state): (&Facets, Timestamp, Lifecycle),
    (other, then, other_state): (&Facets, Timestamp, Lifecycle),
) -> bool {
    if one.tier != other.tier {
        return false;
    }
    let set_aside = |state| state == Lifecycle::Archived;
    let both_facts = one.tier == Tier::Semantic && !set_aside(state) && !set_aside(other_state);
    let (new, old) = (&one.source, &other.source);
    let same_turn = new.session.is_some()
        && new.session == old.session
        && (new.turn, &new.message) == (old.turn, &old.message)
        && (new.turn.is_some() || new.message.is_some());
    let same_place = (new.turn, &new.message, &new.session) == (old.turn, &old.message, &old.session);
    both_facts || same_turn || (at == then && same_place)
}
