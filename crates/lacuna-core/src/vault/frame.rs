//! The bytes inside a sealed index frame: all that a vault needs to find a memory and to show it, save a
//! long full text.
//!
//! The encoding is a CBOR array of fields. Their order is frozen; a newer release adds fields at the end, and
//! an older one passes over them.

use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_types::embed::{MODEL_NAME_BYTES_MAX, ModelId};
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

/// Full texts up to this size stay in the frame, so that a hot recall shows them without a look at the store;
/// longer ones are sealed apart and fetched.
pub(crate) const FRAME_TEXT_BYTES_MAX: usize = 2_048;
/// The fields of a frame, and how many of them the first release wrote.
const FIELDS: u64 = 18;
const FIRST_FIELDS: u64 = 16;
/// The fields of an entity, and how many of them the first release wrote.
const ENTITY_FIELDS: u64 = 4;
const FIRST_ENTITY_FIELDS: u64 = 3;
/// The fields of a vitality, how many of them the first release wrote, and those from which on it has peaks.
const VITALITY_FIELDS: u64 = 6;
const FIRST_VITALITY_FIELDS: u64 = 4;
const PEAKS_FIELDS: u64 = 5;
/// The fields of a history, how many of them the first release wrote, and those from which on it says when it
/// was made anew and which turns it holds.
const HISTORY_FIELDS: u64 = 13;
const FIRST_HISTORY_FIELDS: u64 = 8;
const REMADE_FIELDS: u64 = 9;
const SEGMENT_FIELDS: u64 = 10;
/// A history has its eleventh field only for a record, so that other memories are written as before. It has two more,
/// and the eleventh may be empty, where a program gave the memory fields or replaced its text.
const RECORD_FIELDS: u64 = 11;
const RECORD_FACET_FIELDS: u64 = 7;
const SEARCHED_EVERYTHING: u8 = 0;
const SEARCHED_NOTHING: u8 = 1;
const SEARCHED_PATHS: u8 = 2;
const PROMOTION_FIELDS: u64 = 7;
/// The fields of a retention, and how many of them the first release wrote.
const RETENTION_FIELDS: u64 = 4;
const FIRST_RETENTION_FIELDS: u64 = 3;

/// One memory's part of an opened vault.
#[derive(PartialEq)]
pub(crate) struct Frame {
    pub(crate) gist: Plaintext,
    pub(crate) details: Vec<Detail>,
    pub(crate) facets: Facets,
    /// Stems with their counts, as `index::TermList` writes them.
    pub(crate) terms: Vec<u8>,
    /// One quantised vector per model, as `index::QuantVec` writes them.
    pub(crate) vectors: Vec<(ModelId, Vec<u8>)>,
    /// Keyed hash of the full text: equal texts in one vault have equal hashes, and only there.
    pub(crate) text_hash: [u8; 32],
    /// True when the full text says more than the gist, is too long for the frame and is sealed apart.
    pub(crate) has_body: bool,
    /// The full text, when it says more than the gist and is short enough to be kept here.
    pub(crate) text: Option<Plaintext>,
}

/// The fields of a frame, borrowed: a memory is sealed where its words are, and no copy is made of them.
#[derive(Clone, Copy)]
pub(crate) struct FrameFields<'a> {
    pub(crate) gist: &'a Plaintext,
    pub(crate) details: &'a [Detail],
    pub(crate) facets: &'a Facets,
    pub(crate) terms: &'a [u8],
    pub(crate) vectors: &'a [(ModelId, Vec<u8>)],
    pub(crate) text_hash: &'a [u8; 32],
    pub(crate) has_body: bool,
    pub(crate) text: Option<&'a Plaintext>,
}

impl Frame {
    pub(crate) fn fields(&self) -> FrameFields<'_> {
        FrameFields {
            gist: &self.gist,
            details: &self.details,
            facets: &self.facets,
            terms: &self.terms,
            vectors: &self.vectors,
            text_hash: &self.text_hash,
            has_body: self.has_body,
            text: self.text.as_ref(),
        }
    }

    /// A second copy of it, for a memory that stands in two vaults while it moves.
    pub(crate) fn duplicate(&self) -> Self {
        Self {
            gist: self.gist.duplicate(),
            details: self.details.iter().map(Detail::duplicate).collect(),
            facets: self.facets.duplicate(),
            terms: self.terms.clone(),
            vectors: self.vectors.clone(),
            text_hash: self.text_hash,
            has_body: self.has_body,
            text: self.text.as_ref().map(Plaintext::duplicate),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        CborReader(bytes).grown_record(FIRST_FIELDS, FIELDS, read_frame).ok_or_else(damaged)
    }
}

impl FrameFields<'_> {
    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        // Reserved at once: a buffer that grows leaves copies of what it held.
        let mut bytes = Zeroizing::new(Vec::with_capacity(self.encoded_size_bound()));
        self.write(&mut CborWriter(&mut bytes));
        bytes
    }

    fn write(&self, w: &mut CborWriter<'_>) {
        w.array(FIELDS as usize);
        w.text(self.gist.expose());
        w.list(self.details, |w, detail| {
            w.array(2);
            w.text(detail.content.expose());
            w.float(detail.brightness);
        });
        write_facets(w, self.facets);
        w.bytes(self.terms);
        w.list(self.vectors, |w, (model, bytes)| {
            w.array(2);
            w.text(model.as_str());
            w.bytes(bytes);
        });
        w.bytes(self.text_hash);
        w.bool(self.has_body);
        w.optional(self.text.map(Plaintext::expose), CborWriter::text);
        write_history(w, &self.facets.history);
    }

    fn encoded_size_bound(&self) -> usize {
        const FIXED: usize = 2_048;
        const ID: usize = 20;
        const PEAK: usize = 16;
        let text = self.gist.expose().len() + self.text.map_or(0, |text| text.expose().len());
        let details: usize = self.details.iter().map(|detail| detail.content.expose().len() + 16).sum();
        let vectors: usize = self.vectors.iter().map(|(_, bytes)| bytes.len() + MODEL_NAME_BYTES_MAX).sum();
        let tags: usize = self.facets.tags.iter().map(|tag| tag.len() + 8).sum();
        let entity_size = |entity: &Entity| {
            entity.kind.len() + entity.name.len() + entity.relation.as_ref().map_or(0, String::len) + 32
        };
        let entities: usize = self.facets.entities.iter().map(entity_size).sum();
        let history = &self.facets.history;
        let why = |promotion: &Option<Box<Promotion>>| {
            let text = promotion.as_ref().and_then(|promotion| promotion.justification.as_ref());
            text.map_or(0, |text| text.expose().len())
        };
        let why = why(&history.promotion) + why(&history.moving);
        let links = self.facets.derived_from.len()
            + history.supersedes.len()
            + history.alike.len()
            + history.attributes.len();
        let peaks = self.facets.vitality.peaks.len() * PEAK;
        let record = history.record.as_deref().map_or(0, record_size_bound);
        let metadata = history.metadata.as_ref().map_or(0, |metadata| metadata.expose().len());
        FIXED
            + record
            + metadata
            + text
            + details
            + self.terms.len()
            + vectors
            + tags
            + entities
            + links * ID
            + why
            + peaks
    }
}

fn record_size_bound(record: &RecordFacet) -> usize {
    const HEAD: usize = 16;
    let paths: usize = match &record.searched {
        SearchedText::Paths(paths) => paths.iter().map(|path| path.len() + HEAD).sum(),
        _ => HEAD,
    };
    let labels: usize = record.place.labels.iter().map(|label| label.expose().len() + HEAD).sum();
    let metadata = record.metadata.as_ref().map_or(0, |metadata| metadata.expose().len());
    paths + labels + metadata + record.place.key.expose().len() + (record.written_at.len() + 8) * HEAD
}

fn damaged() -> Error {
    Error::corrupt("a memory's frame does not parse")
}

fn write_facets(w: &mut CborWriter<'_>, facets: &Facets) {
    w.array(4);
    w.uint(facets.category.code());
    w.uint(facets.content_type.code());
    w.uint(facets.tier.code());
    w.uint(facets.kind.code());
    w.array(2);
    w.uint(facets.lane.code());
    w.list(&facets.secondary_lanes, |w, lane| w.uint(lane.code()));
    w.list(&facets.tags, |w, tag| w.text(tag));
    w.list(&facets.entities, |w, entity| {
        w.array(ENTITY_FIELDS as usize);
        w.text(&entity.kind);
        w.text(&entity.name);
        w.bool(entity.primary);
        w.optional(entity.relation.as_deref(), CborWriter::text);
    });
    write_source(w, &facets.source);
    w.list(&facets.derived_from, |w, link| {
        w.array(2);
        w.bytes(link.source.as_bytes());
        w.uint(link.contribution.code());
    });
    let Privacy { class, sensitivity, basis } = &facets.privacy;
    w.array(3);
    w.uint(class.code());
    w.list(sensitivity, |w, sensitivity| w.uint(sensitivity.code()));
    w.uint(basis.code());
    let Retention { tier, expires_at, pinned, kept_at } = &facets.retention;
    // Most memories were never asked about: those are written as the first release wrote them.
    w.array(if kept_at.is_some() { RETENTION_FIELDS } else { FIRST_RETENTION_FIELDS } as usize);
    w.uint(tier.code());
    w.optional(*expires_at, |w, at| w.int(millis(at)));
    w.bool(*pinned);
    if let Some(kept_at) = kept_at {
        w.int(millis(*kept_at));
    }
    write_vitality(w, &facets.vitality);
}

fn write_source(w: &mut CborWriter<'_>, source: &Source) {
    let text =
        |w: &mut CborWriter<'_>, label: &Option<String>| w.optional(label.as_deref(), CborWriter::text);
    w.array(9);
    w.uint(source.kind.code());
    w.uint(source.trust.code());
    w.optional(source.session.as_ref(), |w, session| w.text(session.as_str()));
    text(w, &source.message);
    w.optional(source.turn, CborWriter::uint);
    text(w, &source.tool);
    text(w, &source.channel);
    text(w, &source.deployment);
    w.bool(source.from_external_content);
}

fn write_vitality(w: &mut CborWriter<'_>, vitality: &Vitality) {
    w.array(VITALITY_FIELDS as usize);
    w.float(vitality.salience);
    w.float(vitality.valence);
    w.uint(vitality.rehearsals);
    w.int(millis(vitality.rehearsed_at));
    w.list(&vitality.peaks, |w, peak| {
        w.array(2);
        w.int(millis(peak.at));
        w.float(peak.salience);
    });
    w.optional(vitality.read_at, |w, at| w.int(millis(at)));
    let DecayProfile {
        half_life_days,
        rehearsal_boost,
        valence_protection,
        minimum_salience,
        detail_decay_rate,
    } = vitality.decay;
    w.array(5);
    for number in [half_life_days, rehearsal_boost, valence_protection, minimum_salience, detail_decay_rate] {
        w.float(number);
    }
}

fn write_history(w: &mut CborWriter<'_>, history: &History) {
    w.array(history_fields(history) as usize);
    w.optional(history.author.as_ref(), |w, author| w.text(author.as_str()));
    w.optional(history.promotion.as_deref(), write_promotion);
    w.list(&history.supersedes, |w, id| w.bytes(id.as_bytes()));
    w.list(&history.alike, |w, id| w.bytes(id.as_bytes()));
    w.uint(history.repeats);
    w.optional(history.waits, |w, waits| w.uint(waits.code()));
    w.optional(history.moving.as_deref(), write_promotion);
    w.list(&history.attributes, |w, attribute| w.uint(*attribute));
    w.optional(history.remade_at, |w, at| w.int(millis(at)));
    w.optional(history.segment, |w, segment| {
        w.array(3);
        w.uint(segment.first);
        w.uint(segment.last);
        w.uint(segment.turns);
    });
    match (history_fields(history), &history.record) {
        (HISTORY_FIELDS, record) => {
            w.optional(record.as_deref(), write_record);
            w.optional(history.public_id, |w, id| w.bytes(id.as_bytes()));
            w.optional(history.metadata.as_ref().map(Plaintext::expose), CborWriter::text);
        }
        (_, Some(record)) => write_record(w, record),
        (_, None) => {}
    }
}

/// Only as many fields as the memory has a use for.
fn history_fields(history: &History) -> u64 {
    if history.public_id.is_some() || history.metadata.is_some() {
        HISTORY_FIELDS
    } else if history.record.is_some() {
        RECORD_FIELDS
    } else {
        SEGMENT_FIELDS
    }
}

fn write_record(w: &mut CborWriter<'_>, record: &RecordFacet) {
    w.array(RECORD_FACET_FIELDS as usize);
    w.bytes(record.id.as_bytes());
    w.list(&record.place.labels, |w, label| w.text(label.expose()));
    w.text(record.place.key.expose());
    w.optional(record.metadata.as_ref().map(Plaintext::expose), CborWriter::text);
    let (searched, paths): (u8, &[String]) = match &record.searched {
        SearchedText::Everything => (SEARCHED_EVERYTHING, &[]),
        SearchedText::Nothing => (SEARCHED_NOTHING, &[]),
        SearchedText::Paths(paths) => (SEARCHED_PATHS, paths),
    };
    w.array(2);
    w.uint(searched);
    w.list(paths, |w, path| w.text(path));
    w.optional(record.ttl_ms, CborWriter::uint);
    w.list(&record.written_at, |w, at| w.int(millis(*at)));
}

fn write_promotion(w: &mut CborWriter<'_>, promotion: &Promotion) {
    w.array(PROMOTION_FIELDS as usize);
    w.text(promotion.original_author.as_str());
    w.int(millis(promotion.original_created_at));
    w.text(promotion.promoted_by.as_str());
    w.int(millis(promotion.promoted_at));
    for scope in [&promotion.previous_scope, &promotion.current_scope] {
        w.array(2);
        w.text(scope.kind());
        w.text(scope.name());
    }
    w.optional(promotion.justification.as_ref().map(Plaintext::expose), CborWriter::text);
}

/// `None` when bytes are missing, a code is unknown or a time lies outside the calendar.
fn read_frame(r: &mut CborReader<'_>, grown: bool) -> Option<Frame> {
    let mut frame = read_first_fields(r)?;
    if grown {
        frame.text = r.optional(|r| Some(r.text()?.into()))?;
        frame.facets.history = r.growing_record(FIRST_HISTORY_FIELDS, HISTORY_FIELDS, read_history)?;
    }
    Some(frame)
}

fn read_first_fields(r: &mut CborReader<'_>) -> Option<Frame> {
    Some(Frame {
        gist: r.text()?.into(),
        details: r
            .list(|r| r.record(2, |r| Some(Detail { content: r.text()?.into(), brightness: r.float()? })))?,
        facets: read_facets(r)?,
        terms: r.bytes()?.to_vec(),
        vectors: r.list(|r| r.record(2, |r| Some((ModelId::new(r.text()?), r.bytes()?.to_vec()))))?,
        text_hash: r.array_of_bytes()?,
        has_body: r.bool()?,
        text: None,
    })
}

fn read_facets(r: &mut CborReader<'_>) -> Option<Facets> {
    let (category, content_type, tier, kind) = r.record(4, |r| {
        let category = Category::from_code(r.uint()?)?;
        let content_type = ContentType::from_code(r.uint()?)?;
        Some((category, content_type, Tier::from_code(r.uint()?)?, PersonaKind::from_code(r.uint()?)?))
    })?;
    let (lane, secondary_lanes) =
        r.record(2, |r| Some((Lane::from_code(r.uint()?)?, r.list(|r| Lane::from_code(r.uint()?))?)))?;
    Some(Facets {
        category,
        content_type,
        tier,
        kind,
        lane,
        secondary_lanes,
        tags: r.list(|r| Some(r.text()?.to_owned()))?,
        entities: r.list(|r| {
            r.grown_record(FIRST_ENTITY_FIELDS, ENTITY_FIELDS, |r, grown| {
                Some(Entity {
                    kind: r.text()?.into(),
                    name: r.text()?.into(),
                    primary: r.bool()?,
                    relation: if grown { r.optional(|r| Some(r.text()?.into()))? } else { None },
                })
            })
        })?,
        source: r.record(9, read_source)?,
        derived_from: r.list(|r| r.record(2, read_lineage))?,
        privacy: r.record(3, |r| {
            Some(Privacy {
                class: PrivacyClass::from_code(r.uint()?)?,
                sensitivity: r.list(|r| Sensitivity::from_code(r.uint()?))?,
                basis: ConsentBasis::from_code(r.uint()?)?,
            })
        })?,
        retention: r.grown_record(FIRST_RETENTION_FIELDS, RETENTION_FIELDS, |r, grown| {
            Some(Retention {
                tier: RetentionTier::from_code(r.uint()?)?,
                expires_at: r.optional(|r| from_millis(r.int()?))?,
                pinned: r.bool()?,
                kept_at: if grown { Some(from_millis(r.int()?)?) } else { None },
            })
        })?,
        vitality: read_vitality(r)?,
        history: History::default(),
    })
}

fn read_history(r: &mut CborReader<'_>, fields: u64) -> Option<History> {
    let ids = |r: &mut CborReader<'_>| r.list(|r| Some(MemoryId::from_bytes(r.array_of_bytes()?)));
    Some(History {
        author: r.optional(|r| UserId::new(r.text()?).ok())?,
        promotion: read_promotion(r)?,
        supersedes: ids(r)?,
        alike: ids(r)?,
        repeats: r.uint()?,
        waits: r.optional(|r| Wait::from_code(r.uint()?))?,
        moving: read_promotion(r)?,
        attributes: r.list(CborReader::uint)?,
        remade_at: match fields >= REMADE_FIELDS {
            true => r.optional(|r| from_millis(r.int()?))?,
            false => None,
        },
        segment: match fields >= SEGMENT_FIELDS {
            true => r.optional(|r| r.record(3, read_segment))?,
            false => None,
        },
        record: match fields {
            HISTORY_FIELDS => r.optional(read_record)?,
            RECORD_FIELDS => Some(read_record(r)?),
            _ => None,
        },
        public_id: match fields >= HISTORY_FIELDS {
            true => r.optional(|r| Some(MemoryId::from_bytes(r.array_of_bytes()?)))?,
            false => None,
        },
        metadata: match fields >= HISTORY_FIELDS {
            true => r.optional(|r| Some(Plaintext::from(r.text()?)))?,
            false => None,
        },
    })
}

fn read_record(r: &mut CborReader<'_>) -> Option<Box<RecordFacet>> {
    r.record(RECORD_FACET_FIELDS, read_record_facet).map(Box::new)
}

fn read_record_facet(r: &mut CborReader<'_>) -> Option<RecordFacet> {
    let text = |r: &mut CborReader<'_>| Some(Plaintext::from(r.text()?));
    Some(RecordFacet {
        id: MemoryId::from_bytes(r.array_of_bytes()?),
        place: RecordPlace { labels: r.list(text)?, key: text(r)? },
        metadata: r.optional(text)?,
        searched: r.record(2, |r| {
            let searched: u8 = r.uint()?;
            let paths = r.list(|r| Some(r.text()?.to_owned()))?;
            match searched {
                SEARCHED_EVERYTHING => Some(SearchedText::Everything),
                SEARCHED_NOTHING => Some(SearchedText::Nothing),
                SEARCHED_PATHS => Some(SearchedText::Paths(paths)),
                _ => None,
            }
        })?,
        ttl_ms: r.optional(CborReader::uint)?,
        written_at: r.list(|r| from_millis(r.int()?))?,
    })
}

fn read_segment(r: &mut CborReader<'_>) -> Option<Segment> {
    Some(Segment { first: r.uint()?, last: r.uint()?, turns: r.uint()? })
}

fn read_promotion(r: &mut CborReader<'_>) -> Option<Option<Box<Promotion>>> {
    let holder = |r: &mut CborReader<'_>| r.record(2, |r| Holder::from_words(r.text()?, r.text()?));
    let promotion = r.optional(|r| {
        r.record(PROMOTION_FIELDS, |r| {
            Some(Promotion {
                original_author: UserId::new(r.text()?).ok()?,
                original_created_at: from_millis(r.int()?)?,
                promoted_by: UserId::new(r.text()?).ok()?,
                promoted_at: from_millis(r.int()?)?,
                previous_scope: holder(r)?,
                current_scope: holder(r)?,
                justification: r.optional(|r| Some(r.text()?.into()))?,
            })
        })
    })?;
    Some(promotion.map(Box::new))
}

fn read_source(r: &mut CborReader<'_>) -> Option<Source> {
    let text = |r: &mut CborReader<'_>| r.optional(|r| Some(r.text()?.to_owned()));
    Some(Source {
        kind: SourceType::from_code(r.uint()?)?,
        trust: Trust::from_code(r.uint()?)?,
        session: r.optional(|r| SessionId::new(r.text()?).ok())?,
        message: text(r)?,
        turn: r.optional(CborReader::uint)?,
        tool: text(r)?,
        channel: text(r)?,
        deployment: text(r)?,
        from_external_content: r.bool()?,
    })
}

fn read_lineage(r: &mut CborReader<'_>) -> Option<Lineage> {
    let source = MemoryId::from_bytes(r.array_of_bytes()?);
    Some(Lineage { source, contribution: Contribution::from_code(r.uint()?)? })
}

fn read_vitality(r: &mut CborReader<'_>) -> Option<Vitality> {
    let peak = |r: &mut CborReader<'_>| {
        r.record(2, |r| Some(Peak { at: from_millis(r.int()?)?, salience: r.float()? }))
    };
    let vitality = |r: &mut CborReader<'_>, fields: u64| {
        let (salience, valence, rehearsals) = (r.float()?, r.float()?, r.uint()?);
        let rehearsed_at = from_millis(r.int()?)?;
        let peaks = if fields >= PEAKS_FIELDS { r.list(peak)? } else { Vec::new() };
        let read_at = match fields >= VITALITY_FIELDS {
            true => r.optional(|r| from_millis(r.int()?))?,
            false => None,
        };
        let decay = DecayProfile::default();
        Some(Vitality { salience, valence, decay, rehearsals, rehearsed_at, read_at, peaks })
    };
    let vitality = r.growing_record(FIRST_VITALITY_FIELDS, VITALITY_FIELDS, vitality)?;
    let decay = r.record(5, |r| {
        Some(DecayProfile {
            half_life_days: r.float()?,
            rehearsal_boost: r.float()?,
            valence_protection: r.float()?,
            minimum_salience: r.float()?,
            detail_decay_rate: r.float()?,
        })
    })?;
    Some(Vitality { decay, ..vitality })
}

/// A frame with every optional part, for the tests and as a seed of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod example {
    #![allow(clippy::unwrap_used, reason = "the values are fixed and valid")]

    use jiff::Timestamp;

    use super::*;

    pub(crate) fn rich() -> Frame {
        Frame {
            gist: "A returning guest thanked me.".into(),
            details: vec![Detail { content: "a blue scarf".into(), brightness: 0.5 }],
            facets: facets(),
            terms: vec![1, 2, 3],
            vectors: vec![(ModelId::new("model@1"), vec![4, 5])],
            text_hash: [6; 32],
            has_body: false,
            text: Some("A returning guest thanked me for the restaurant.".into()),
        }
    }

    fn facets() -> Facets {
        Facets {
            category: Category::Conversation,
            content_type: ContentType::Summary,
            tier: Tier::Episodic,
            kind: PersonaKind::Episodic,
            lane: Lane::Business,
            secondary_lanes: vec![Lane::Profile, Lane::Documents],
            tags: vec!["guest".into()],
            entities: vec![Entity {
                kind: "person".into(),
                name: "Ms Ito".into(),
                primary: true,
                relation: Some("guest".into()),
            }],
            source: Source {
                session: Some(SessionId::new("ses_1").unwrap()),
                turn: Some(7),
                channel: Some("web".into()),
                from_external_content: true,
                ..Source::new(SourceType::ToolOutput, Trust::Medium)
            },
            derived_from: vec![Lineage {
                source: MemoryId::from_bytes([9; 16]),
                contribution: Contribution::Inference,
            }],
            privacy: Privacy {
                class: PrivacyClass::SensitivePii,
                sensitivity: vec![Sensitivity::Health],
                basis: ConsentBasis::ExplicitConsent,
            },
            retention: Retention {
                tier: RetentionTier::Sensitive,
                expires_at: Some(at()),
                pinned: true,
                kept_at: None,
            },
            vitality: Vitality {
                salience: 0.75,
                valence: -0.5,
                decay: DecayProfile::default(),
                rehearsals: 3,
                rehearsed_at: at(),
                read_at: Some(at()),
                peaks: vec![Peak { at: at(), salience: 0.5 }],
            },
            history: history(),
        }
    }

    fn history() -> History {
        History {
            author: Some(UserId::new("bea").unwrap()),
            promotion: Some(Box::new(Promotion {
                original_author: UserId::new("anna").unwrap(),
                original_created_at: at(),
                promoted_by: UserId::new("bea").unwrap(),
                promoted_at: at(),
                previous_scope: Holder::Team(TeamId::new("desk").unwrap()),
                current_scope: Holder::Org,
                justification: Some("everybody asks".into()),
            })),
            moving: None,
            supersedes: vec![MemoryId::from_bytes([7; 16])],
            alike: vec![MemoryId::from_bytes([8; 16])],
            repeats: 2,
            waits: Some(Wait::Confirmation),
            attributes: vec![0x0102_0304_0506_0708],
            remade_at: Some(at()),
            segment: Some(Segment { first: 3, last: 300, turns: 200 }),
            record: None,
            public_id: None,
            metadata: None,
        }
    }

    fn at() -> Timestamp {
        Timestamp::from_second(1_776_000_000).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use lacuna_types::hex::{hex, unhex};

    use super::example::rich;
    use super::*;

    /// As the first release would have written it.
    fn first() -> Frame {
        let mut frame = Frame { has_body: true, text: None, ..rich() };
        frame.facets.history = History::default();
        frame.facets.vitality.peaks.clear();
        frame.facets.vitality.read_at = None;
        frame.facets.entities[0].relation = None;
        frame
    }

    /// A frame written by the first release; every later release must read it.
    const FIRST: &str = "\
        90781d412072657475726e696e67206775657374207468616e6b6564206d652e81826c6120626c7565207363617266fa\
        3f0000008401020201820282010381656775657374818366706572736f6e664d732049746ff5890202657365735f31f6\
        07f663776562f6f58182500909090909090909090909090909090903830581010383051b0000019d81d96000f584fa3f\
        400000fabf000000031b0000019d81d9600085fa41600000fa3fb33333fa3e99999afa3d4ccccdfa3fc0000043010203\
        8182676d6f64656c403142040558200606060606060606060606060606060606060606060606060606060606060606f5";

    /// As it was written before a memory could be made anew.
    const SECOND: &str = "\
        92781d412072657475726e696e67206775657374207468616e6b6564206d652e81826c6120626c7565207363617266fa\
        3f0000008401020201820282010381656775657374818466706572736f6e664d732049746ff565677565737489020265\
        7365735f31f607f663776562f6f58182500909090909090909090909090909090903830581010383051b0000019d81d9\
        6000f584fa3f400000fabf000000031b0000019d81d9600085fa41600000fa3fb33333fa3e99999afa3d4ccccdfa3fc0\
        0000430102038182676d6f64656c40314204055820060606060606060606060606060606060606060606060606060606\
        0606060606f47830412072657475726e696e67206775657374207468616e6b6564206d6520666f722074686520726573\
        74617572616e742e88636265618764616e6e611b0000019d81d96000636265611b0000019d81d9600082647465616d64\
        6465736b82636f7267606e6576657279626f64792061736b738150070707070707070707070707070707078150080808\
        080808080808080808080808080201f6811b0102030405060708";

    /// As it was written before a memory kept its earlier peaks, and before there were transcripts of sessions.
    const THIRD: &str = "\
        92781d412072657475726e696e67206775657374207468616e6b6564206d652e81826c6120626c7565207363617266fa\
        3f0000008401020201820282010381656775657374818466706572736f6e664d732049746ff565677565737489020265\
        7365735f31f607f663776562f6f58182500909090909090909090909090909090903830581010383051b0000019d81d9\
        6000f584fa3f400000fabf000000031b0000019d81d9600085fa41600000fa3fb33333fa3e99999afa3d4ccccdfa3fc0\
        0000430102038182676d6f64656c40314204055820060606060606060606060606060606060606060606060606060606\
        0606060606f47830412072657475726e696e67206775657374207468616e6b6564206d6520666f722074686520726573\
        74617572616e742e89636265618764616e6e611b0000019d81d96000636265611b0000019d81d9600082647465616d64\
        6465736b82636f7267606e6576657279626f64792061736b738150070707070707070707070707070707078150080808\
        080808080808080808080808080201f6811b01020304050607081b0000019d81d96000";

    /// As it was written before a reading was noted.
    const FOURTH: &str = "\
        92781d412072657475726e696e67206775657374207468616e6b6564206d652e81826c6120626c7565207363617266fa\
        3f0000008401020201820282010381656775657374818466706572736f6e664d732049746ff565677565737489020265\
        7365735f31f607f663776562f6f58182500909090909090909090909090909090903830581010383051b0000019d81d9\
        6000f585fa3f400000fabf000000031b0000019d81d9600081821b0000019d81d96000fa3f00000085fa41600000fa3f\
        b33333fa3e99999afa3d4ccccdfa3fc00000430102038182676d6f64656c403142040558200606060606060606060606\
        060606060606060606060606060606060606060606f47830412072657475726e696e67206775657374207468616e6b65\
        64206d6520666f72207468652072657374617572616e742e8a636265618764616e6e611b0000019d81d9600063626561\
        1b0000019d81d9600082647465616d646465736b82636f7267606e6576657279626f64792061736b7381500707070707\
        07070707070707070707078150080808080808080808080808080808080201f6811b01020304050607081b0000019d81\
        d96000830319012c18c8";

    const FROZEN: &str = "\
        92781d412072657475726e696e67206775657374207468616e6b6564206d652e81826c6120626c7565207363617266fa\
        3f0000008401020201820282010381656775657374818466706572736f6e664d732049746ff565677565737489020265\
        7365735f31f607f663776562f6f58182500909090909090909090909090909090903830581010383051b0000019d81d9\
        6000f586fa3f400000fabf000000031b0000019d81d9600081821b0000019d81d96000fa3f0000001b0000019d81d960\
        0085fa41600000fa3fb33333fa3e99999afa3d4ccccdfa3fc00000430102038182676d6f64656c403142040558200606\
        060606060606060606060606060606060606060606060606060606060606f47830412072657475726e696e6720677565\
        7374207468616e6b6564206d6520666f72207468652072657374617572616e742e8a636265618764616e6e611b000001\
        9d81d96000636265611b0000019d81d9600082647465616d646465736b82636f7267606e6576657279626f6479206173\
        6b738150070707070707070707070707070707078150080808080808080808080808080808080201f6811b0102030405\
        0607081b0000019d81d96000830319012c18c8";

    fn bytes(text: &str) -> Vec<u8> {
        unhex(text).unwrap()
    }

    #[test]
    fn the_encoding_is_frozen() {
        assert_eq!(hex(&rich().fields().encode()), FROZEN);
        assert!(Frame::decode(&bytes(FROZEN)).unwrap() == rich());
        assert!(Frame::decode(&bytes(FIRST)).unwrap() == first());
        let mut fourth = rich();
        fourth.facets.vitality.read_at = None;
        assert!(Frame::decode(&bytes(FOURTH)).unwrap() == fourth);
        let mut third = fourth;
        third.facets.vitality.peaks.clear();
        third.facets.history.segment = None;
        assert!(Frame::decode(&bytes(THIRD)).unwrap() == third);
        let mut second = third;
        second.facets.history.remade_at = None;
        assert!(Frame::decode(&bytes(SECOND)).unwrap() == second);
    }

    #[test]
    fn the_fields_of_a_program_and_the_id_that_stays_are_frozen() {
        let mut frame = rich();
        frame.facets.history = History {
            public_id: Some(MemoryId::from_bytes([5; 16])),
            metadata: Some(r#"{"a":1}"#.into()),
            ..History::default()
        };
        let encoded = frame.fields().encode();
        let history = format!("8df6f6808000f6f680f6f6f650{}677b2261223a317d", "05".repeat(16));
        assert!(hex(&encoded).ends_with(&history), "{}", hex(&encoded));
        assert!(encoded.len() <= frame.fields().encoded_size_bound());
        assert!(Frame::decode(&encoded).unwrap() == frame);
    }

    #[test]
    fn the_moment_since_when_it_is_kept_comes_back() {
        let mut frame = rich();
        frame.facets.retention.kept_at = from_millis(1_776_000_000_000);
        assert!(Frame::decode(&frame.fields().encode()).unwrap() == frame);
        assert!(frame.fields().encode().len() <= frame.fields().encoded_size_bound());
    }

    #[test]
    fn a_field_that_a_newer_release_added_is_passed_over() {
        let mut bytes = rich().fields().encode().to_vec();
        // The frame is an array of 18 fields; make it one of 19.
        assert_eq!(bytes[0], 0x92);
        bytes[0] = 0x93;
        bytes.push(0x01);
        assert!(Frame::decode(&bytes).unwrap() == rich());
    }

    #[test]
    fn the_buffer_never_grows_while_a_frame_is_written() {
        let frame = rich();
        assert!(frame.fields().encode().len() <= frame.fields().encoded_size_bound());
    }

    #[test]
    fn unknown_codes_are_refused() {
        let mut bytes = rich().fields().encode().to_vec();
        let kind = bytes.windows(5).position(|window| window == [0x84, 1, 2, 2, 1]).unwrap();
        bytes[kind + 1] = 0x17;
        assert_eq!(Frame::decode(&bytes).err().map(|error| error.code()), Some("corrupt"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Frame::decode(&bytes);
        }

        #[test]
        fn no_changed_byte_makes_it_panic(at in 0usize..300, byte in any::<u8>()) {
            let mut bytes = rich().fields().encode().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Frame::decode(&bytes);
        }
    }
}
