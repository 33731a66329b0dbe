//! Transcripts: turns of a session as one text, made for the archive and made anew after an erasure.

use std::collections::HashMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use lacuna_language::words::TermList;
use lacuna_types::embed::Purpose;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::erase::remake::Texts;
use crate::gate::Admitted;
use crate::gate::report::Report;
use crate::index::quant::QuantVec;
use crate::index::{Session, Stored};
use crate::vault::open::{Held, OpenVault};
use crate::vault::seal::Prepared;
use crate::vault::service::Service;
use crate::vault::sessions::Speaker;

/// Turns in one transcript: what it was made of is listed in it.
pub(crate) const SEGMENT_TURNS_MAX: usize = LINEAGE_MAX;

/// A turn as its transcript shows it.
pub(crate) struct TurnLine {
    pub(crate) id: MemoryId,
    pub(crate) turn: u32,
    pub(crate) speaker: Speaker,
    pub(crate) at: Timestamp,
    pub(crate) text: Zeroizing<String>,
    pub(crate) facets: Facets,
}

/// A transcript without the turns that went. `texts` and `renamed` tell of those of which a part was cut.
pub(crate) fn remade_transcript(
    service: &Service,
    open: &OpenVault,
    stored: &Stored<'_, Held>,
    left: &[Lineage],
    texts: &Texts,
    renamed: &HashMap<MemoryId, MemoryId>,
    now: Timestamp,
) -> Result<Prepared> {
    let ids: Vec<MemoryId> = left.iter().map(|link| link.source).collect();
    let mut lines = lines(service, open, &ids, texts);
    let old = &stored.payload.facets;
    let session = old.source.session.as_ref().ok_or(Error::NotFound("session"))?;
    let mut facets = facets_of(session, &lines, old.retention.expires_at);
    for line in &mut lines {
        line.id = renamed.get(&line.id).copied().unwrap_or(line.id);
    }
    facets.history.author.clone_from(&old.history.author);
    facets.history.supersedes = vec![stored.id];
    facets.history.remade_at = Some(now);
    let mut prepared = transcript(service, lines, facets, now)?;
    prepared.admitted.created_at = from_millis(stored.attributes.created_at).unwrap_or(now);
    prepared.admitted.state = stored.attributes.state;
    Ok(prepared)
}

/// The turns with their texts, in their order. One that cannot be opened is left out: it is no reason to
/// keep the others from being archived, or from being forgotten.
pub(crate) fn lines(service: &Service, open: &OpenVault, ids: &[MemoryId], texts: &Texts) -> Vec<TurnLine> {
    let whole = |id: &MemoryId| open.whole(&[*id], service.sources()).ok()?.pop()?;
    let line = |id: &MemoryId| {
        let memory = whole(id)?;
        let text = match texts.get(id) {
            Some(text) => text.clone(),
            None => Zeroizing::new(memory.content.full_text().expose().to_owned()),
        };
        let Memory { facets, created_at: at, .. } = memory;
        let speaker = Speaker::of(facets.source.kind);
        Some(TurnLine { id: *id, turn: facets.source.turn?, speaker, at, text, facets })
    };
    let mut lines: Vec<TurnLine> = ids.iter().filter_map(line).collect();
    lines.sort_by_key(|line| (line.turn, line.id));
    lines
}

/// A transcript that is ready to be sealed. It is found by its gist alone, which says nothing of what was
/// said: whoever looks for that finds the turns.
pub(crate) fn transcript(
    service: &Service,
    lines: Vec<TurnLine>,
    mut facets: Facets,
    now: Timestamp,
) -> Result<Prepared> {
    let primary = |line: &TurnLine| Lineage { source: line.id, contribution: Contribution::Primary };
    facets.derived_from = lines.iter().map(primary).collect();
    let gist = gist(&lines);
    let vector = service.models.instant.embed(&[&gist], Purpose::Passage)?.pop();
    let vector = QuantVec::from_f32(&vector.ok_or_else(|| Error::corrupt("the model gave no vector"))?)?;
    let terms = TermList::of(&gist, None);
    let content = Content { gist: gist.into(), details: Vec::new(), text: Some(rendered(&lines).into()) };
    let state = Lifecycle::Archived;
    let admitted = Admitted { content, facets, created_at: now, state, report: Report::default() };
    let id = MemoryId::make(&*service.clock, &*service.entropy);
    Ok(Prepared { id, admitted, terms, vector: (service.models.instant.model().clone(), vector) })
}

/// Returns true when a turn is in a transcript.
pub(crate) fn is_archived(open: &OpenVault, id: MemoryId) -> bool {
    open.derivatives(id).any(|made| open.index.get(&made).is_some_and(|stored| is_transcript(&stored)))
}

/// The transcripts of a session, the oldest first.
pub(crate) fn transcripts(open: &OpenVault, session: &SessionId) -> Vec<MemoryId> {
    let turns = open.index.turns(Session::key(session), 0);
    let mut made: Vec<MemoryId> = turns
        .flat_map(|(_, id)| open.derivatives(id))
        .filter(|id| open.index.get(id).is_some_and(|stored| is_transcript(&stored)))
        .collect();
    made.sort_unstable();
    made.dedup();
    made
}

fn is_transcript(stored: &Stored<'_, Held>) -> bool {
    stored.payload.facets.history.segment.is_some() && stored.attributes.state != Lifecycle::Deleted
}

/// Returns the number of lines that one transcript takes: at least one, and no more than its text may hold.
pub(crate) fn fitting(lines: &[TurnLine]) -> usize {
    let mut chars = 0;
    let fits = |line: &&TurnLine| {
        chars += line.text.chars().count() + line.header().len() + 2;
        chars <= TRANSCRIPT_CHARS_MAX
    };
    lines.iter().take_while(fits).count().max(usize::from(!lines.is_empty()))
}

fn gist(lines: &[TurnLine]) -> String {
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first.turn != last.turn => {
            format!("Transcript of a session, turns {} to {}", first.turn, last.turn)
        }
        (Some(only), _) => format!("Transcript of a session, turn {}", only.turn),
        _ => "Transcript of a session".to_owned(),
    }
}

impl TurnLine {
    fn header(&self) -> String {
        format!("#{} {} {}", self.turn, self.speaker, self.at)
    }
}

/// The turns one after the other, each under a line that says which it is.
fn rendered(lines: &[TurnLine]) -> String {
    let size = lines.iter().map(|line| line.text.len() + line.header().len() + 3).sum();
    // Reserved at once: a text that grows leaves copies of what it held.
    let mut text = String::with_capacity(size);
    for line in lines {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{}\n{}", line.header(), line.text.as_str());
    }
    text
}

/// Combines the facets of all turns: the least trust, the tightest privacy, every category.
pub(crate) fn facets_of(session: &SessionId, lines: &[TurnLine], expires_at: Option<Timestamp>) -> Facets {
    let of = || lines.iter().map(|line| &line.facets);
    let least = of().min_by_key(|facets| facets.source.trust);
    let (kind, trust) = least
        .map_or((SourceType::AiInference, Trust::Low), |facets| (facets.source.kind, facets.source.trust));
    let source = Source {
        session: Some(session.clone()),
        from_external_content: of().any(|facets| facets.source.from_external_content),
        ..Source::new(kind, trust)
    };
    let tightest = of().max_by_key(|facets| facets.privacy.class.strictness());
    let mut sensitivity: Vec<Sensitivity> =
        of().flat_map(|facets| &facets.privacy.sensitivity).copied().collect();
    sensitivity.sort_unstable();
    sensitivity.dedup();
    let privacy = Privacy {
        class: tightest.map_or(PrivacyClass::GuestPii, |facets| facets.privacy.class),
        basis: tightest.map_or(ConsentBasis::ServiceDelivery, |facets| facets.privacy.basis),
        sensitivity,
    };
    let turns = || lines.iter().map(|line| line.turn);
    let segment = Segment {
        first: turns().min().unwrap_or(0),
        last: turns().max().unwrap_or(0),
        turns: lines.len() as u32,
    };
    Facets {
        category: Category::Conversation,
        content_type: ContentType::Transcript,
        tier: Tier::Episodic,
        kind: PersonaKind::Episodic,
        lane: Lane::Profile,
        secondary_lanes: Vec::new(),
        tags: Vec::new(),
        entities: Vec::new(),
        source,
        derived_from: Vec::new(),
        privacy,
        retention: Retention { tier: RetentionTier::LongTerm, expires_at, pinned: false, kept_at: None },
        vitality: Vitality {
            salience: of().map(|facets| facets.vitality.salience).fold(0.0, f32::max),
            valence: 0.0,
            decay: DecayProfile::default(),
            rehearsals: 0,
            rehearsed_at: lines.iter().map(|line| line.at).max().unwrap_or(Timestamp::UNIX_EPOCH),
            read_at: None,
            peaks: Vec::new(),
        },
        history: History { segment: Some(segment), ..History::default() },
    }
}
