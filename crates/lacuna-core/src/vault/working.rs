//! Working memory: what a session holds in RAM, and only there.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use lacuna_language::topic::Topic;
use lacuna_language::words::TermList;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::Admitted;
use crate::index::{Attributes, Entry, Index, Session, Stored, Tag, Utterance};
use crate::vault::open::{Held, shown};
use crate::vault::seal::indexed_text;
use crate::vault::service::Service;
use crate::vault::sessions::{WORKING_BYTES_MAX, WORKING_ITEMS_MAX};

/// The working memory of one session. What leaves it is zeroed.
#[derive(Default)]
pub(crate) struct Working {
    pub(crate) index: Index<Held>,
    /// Its memories, the oldest first, with the bytes of their texts.
    pub(crate) order: VecDeque<(MemoryId, usize)>,
    bytes: usize,
}

impl Working {
    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub(crate) fn put(&mut self, entry: Entry<Held>) -> Result<()> {
        let (id, bytes) = (entry.id, entry.payload.full_text().expose().len());
        if bytes > WORKING_BYTES_MAX {
            let reason = format!("working memory takes texts of at most {WORKING_BYTES_MAX} bytes");
            return Err(Error::invalid("text", reason));
        }
        while self.order.len() >= WORKING_ITEMS_MAX || self.bytes + bytes > WORKING_BYTES_MAX {
            let Some((oldest, _)) = self.order.front().copied() else { break };
            self.drop_one(oldest);
        }
        self.index.insert(entry)?;
        self.order.push_back((id, bytes));
        self.bytes += bytes;
        Ok(())
    }

    pub(crate) fn drop_one(&mut self, id: MemoryId) -> bool {
        let Some(at) = self.order.iter().position(|(held, _)| *held == id) else { return false };
        self.bytes -= self.order.remove(at).map_or(0, |(_, bytes)| bytes);
        self.index.remove(&id)
    }

    /// The memories for which `wanted` holds, the oldest first.
    pub(crate) fn matching(&self, wanted: impl Fn(&Stored<'_, Held>) -> bool) -> Vec<MemoryId> {
        let held = self.order.iter().filter_map(|(id, _)| self.index.get(id));
        held.filter(wanted).map(|stored| stored.id).collect()
    }
}

/// Does the same as [`at_hand`], for a caller that notes the read itself.
pub(crate) fn working(service: &Service, scope: &Scope, session: &SessionId) -> Vec<Memory> {
    fresh_working(service, scope);
    let held = service.open_sessions.peek(scope.vault_id(), session, |open| {
        let held = open.working.order.iter().filter_map(|(id, _)| open.working.index.get(id));
        held.filter(|stored| stored.attributes.state == Lifecycle::Active)
            .filter_map(|stored| whole(&stored))
            .collect()
    });
    held.unwrap_or_default()
}

/// The moment since when a session that nobody used has rested too long.
pub(crate) fn resting_since(service: &Service, org: &OrgId) -> Timestamp {
    service.clock.now() - SignedDuration::from_hours(service.policy(org).session_idle_hours)
}

/// Working memory that has rested too long is gone, whether or not anybody has come by to drop it.
pub(crate) fn fresh_working(service: &Service, scope: &Scope) {
    let limit = resting_since(service, &scope.org);
    let vault = scope.vault_id();
    for (session, _, used_at) in service.open_sessions.sessions(vault) {
        if used_at < limit {
            service.open_sessions.clear_working(vault, &session);
        }
    }
}

/// Makes the working-memory entry of an admitted memory; the caller adds its vector.
pub(crate) fn entry(id: MemoryId, admitted: Admitted, now: Timestamp) -> Entry<Held> {
    let terms = TermList::of(&indexed_text(&admitted.content), None);
    let Admitted { content, facets, created_at, state, .. } = admitted;
    let attributes = Attributes {
        created_at: millis(created_at),
        expires_at: facets.retention.expires_at.map(millis),
        // Its order among the turns means nothing here.
        session: facets.source.session.as_ref().map(|session| Session::new(session, None)),
        fading: facets.vitality.fading(),
        state,
        category: facets.category,
        tier: facets.tier,
        lane: facets.lane,
        is_record: false,
        secondary_lanes: facets.secondary_lanes.iter().copied().collect(),
    };
    let tags = facets.tags.iter().map(|tag| Tag::of(tag)).collect();
    let utterance = Utterance::of(content.gist.expose(), &terms);
    let payload = Held {
        gist: content.gist,
        details: content.details,
        facets,
        updated_at: now,
        text: content.text,
        has_body: false,
        text_mark: 0,
        sketch: Box::default(),
    };
    Entry { id, attributes, tags, terms, utterance, vectors: Vec::new(), payload }
}

pub(crate) fn names(facets: &Facets, subject: &str) -> bool {
    let topic = Topic::of(subject);
    facets.entities.iter().any(|entity| topic.mention(&entity.name).is_some())
}

pub(crate) fn whole(stored: &Stored<'_, Held>) -> Option<Memory> {
    let mut memory = shown(stored)?;
    memory.content.text = stored.payload.text.as_ref().map(Plaintext::duplicate);
    Some(memory)
}
