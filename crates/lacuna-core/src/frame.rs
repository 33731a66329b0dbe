//! The bytes inside a sealed index frame: all that a vault needs to find a memory and to show it, save a
//! full text that is longer than its gist.
//!
//! The encoding is CBOR with numbered fields. Numbers are never reused; a field that an older release wrote
//! stays readable, and one that a newer release added is passed over.

use jiff::Timestamp;
use minicbor::{Decode, Encode};
use zeroize::Zeroizing;

use crate::domain::*;
use crate::embed::{MODEL_NAME_BYTES_MAX, ModelId};
use crate::error::{Error, Result};

/// Vectors that one memory may carry: the model in use, and the one before it or the instant one.
pub(crate) const VECTORS_MAX: usize = 4;

/// What one memory contributes to an opened vault.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Frame {
    pub(crate) gist: String,
    pub(crate) details: Vec<Detail>,
    pub(crate) facets: Facets,
    /// Stems with their counts, as `index::TermList` writes them.
    pub(crate) terms: Vec<u8>,
    /// One quantised vector per model, as `index::QuantVec` writes them.
    pub(crate) vectors: Vec<(ModelId, Vec<u8>)>,
    /// Keyed hash of the full text: equal texts in one vault have equal hashes, and only there.
    pub(crate) text_hash: [u8; 32],
    /// Whether the full text says more than the gist and is sealed apart.
    pub(crate) has_body: bool,
}

impl Frame {
    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        // Reserved at once: a buffer that grows leaves copies of what it held.
        let mut bytes = Zeroizing::new(Vec::with_capacity(self.encoded_size_bound()));
        minicbor::encode(Wire::from(self), &mut *bytes).expect("a Vec takes every write");
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let wire: Wire = minicbor::decode(bytes).map_err(|_| damaged())?;
        wire.into_frame().ok_or_else(damaged)
    }

    fn encoded_size_bound(&self) -> usize {
        const FIXED: usize = 1_024;
        let details: usize = self.details.iter().map(|detail| detail.content.len() + 16).sum();
        let vectors: usize = self.vectors.iter().map(|(_, bytes)| bytes.len() + MODEL_NAME_BYTES_MAX).sum();
        let tags: usize = self.facets.tags.iter().map(|tag| tag.len() + 8).sum();
        let entities: usize =
            self.facets.entities.iter().map(|entity| entity.kind.len() + entity.name.len() + 16).sum();
        let lineage = self.facets.derived_from.len() * 24;
        FIXED + self.gist.len() + self.terms.len() + details + vectors + tags + entities + lineage
    }
}

fn damaged() -> Error {
    Error::corrupt("a memory's frame does not parse")
}

#[derive(Encode, Decode)]
struct Wire<'a> {
    #[b(0)]
    gist: &'a str,
    #[b(1)]
    details: Vec<(&'a str, f32)>,
    #[n(2)]
    kind: (u8, u8, u8, u8),
    #[n(3)]
    lanes: (u8, Vec<u8>),
    #[b(4)]
    tags: Vec<&'a str>,
    #[b(5)]
    entities: Vec<(&'a str, &'a str, bool)>,
    #[b(6)]
    source: WireSource<'a>,
    #[n(7)]
    derived_from: Vec<WireLineage>,
    #[n(8)]
    privacy: (u8, Vec<u8>, u8),
    #[n(9)]
    retention: (u8, Option<i64>, bool),
    #[n(10)]
    vitality: (f32, f32, u32, i64),
    #[n(11)]
    decay: (f32, f32, f32, f32, f32),
    #[b(12)]
    terms: &'a minicbor::bytes::ByteSlice,
    #[b(13)]
    vectors: Vec<(&'a str, &'a minicbor::bytes::ByteSlice)>,
    #[cbor(n(14), with = "minicbor::bytes")]
    text_hash: [u8; 32],
    #[n(15)]
    has_body: bool,
}

#[derive(Encode, Decode)]
struct WireSource<'a> {
    #[n(0)]
    kind: u8,
    #[n(1)]
    trust: u8,
    #[b(2)]
    session: Option<&'a str>,
    #[b(3)]
    message: Option<&'a str>,
    #[n(4)]
    turn: Option<u32>,
    #[b(5)]
    tool: Option<&'a str>,
    #[b(6)]
    channel: Option<&'a str>,
    #[b(7)]
    deployment: Option<&'a str>,
    #[n(8)]
    from_external_content: bool,
}

#[derive(Encode, Decode)]
struct WireLineage {
    #[cbor(n(0), with = "minicbor::bytes")]
    source: [u8; 16],
    #[n(1)]
    contribution: u8,
}

impl<'a> From<&'a Frame> for Wire<'a> {
    fn from(frame: &'a Frame) -> Self {
        let Facets { vitality, retention, privacy, .. } = &frame.facets;
        let facets = &frame.facets;
        Wire {
            gist: &frame.gist,
            details: frame.details.iter().map(|detail| (&*detail.content, detail.brightness)).collect(),
            kind: (
                facets.category.code(),
                facets.content_type.code(),
                facets.tier.code(),
                facets.kind.code(),
            ),
            lanes: (facets.lane.code(), codes(&facets.secondary_lanes, |lane| lane.code())),
            tags: facets.tags.iter().map(String::as_str).collect(),
            entities: facets
                .entities
                .iter()
                .map(|entity| (&*entity.kind, &*entity.name, entity.primary))
                .collect(),
            source: WireSource::from(&facets.source),
            derived_from: facets
                .derived_from
                .iter()
                .map(|link| WireLineage {
                    source: *link.source.as_bytes(),
                    contribution: link.contribution.code(),
                })
                .collect(),
            privacy: (
                privacy.class.code(),
                codes(&privacy.sensitivity, |sensitivity| sensitivity.code()),
                privacy.basis.code(),
            ),
            retention: (retention.tier.code(), retention.expires_at.map(millis), retention.pinned),
            vitality: (
                vitality.salience,
                vitality.valence,
                vitality.rehearsals,
                millis(vitality.rehearsed_at),
            ),
            decay: (
                vitality.decay.half_life_days,
                vitality.decay.rehearsal_boost,
                vitality.decay.valence_protection,
                vitality.decay.minimum_salience,
                vitality.decay.detail_decay_rate,
            ),
            terms: frame.terms.as_slice().into(),
            vectors: frame
                .vectors
                .iter()
                .map(|(model, bytes)| (model.as_str(), bytes.as_slice().into()))
                .collect(),
            text_hash: frame.text_hash,
            has_body: frame.has_body,
        }
    }
}

impl<'a> From<&'a Source> for WireSource<'a> {
    fn from(source: &'a Source) -> Self {
        WireSource {
            kind: source.kind.code(),
            trust: source.trust.code(),
            session: source.session.as_ref().map(SessionId::as_str),
            message: source.message.as_deref(),
            turn: source.turn,
            tool: source.tool.as_deref(),
            channel: source.channel.as_deref(),
            deployment: source.deployment.as_deref(),
            from_external_content: source.from_external_content,
        }
    }
}

impl Wire<'_> {
    /// `None` when a code is unknown or a time lies outside the calendar.
    fn into_frame(self) -> Option<Frame> {
        let (category, content_type, tier, kind) = self.kind;
        let (salience, valence, rehearsals, rehearsed_at) = self.vitality;
        let (half_life_days, rehearsal_boost, valence_protection, minimum_salience, detail_decay_rate) =
            self.decay;
        let facets = Facets {
            category: Category::from_code(category)?,
            content_type: ContentType::from_code(content_type)?,
            tier: Tier::from_code(tier)?,
            kind: PersonaKind::from_code(kind)?,
            lane: Lane::from_code(self.lanes.0)?,
            secondary_lanes: values(&self.lanes.1, Lane::from_code)?,
            tags: self.tags.into_iter().map(str::to_owned).collect(),
            entities: self
                .entities
                .into_iter()
                .map(|(kind, name, primary)| Entity { kind: kind.into(), name: name.into(), primary })
                .collect(),
            source: self.source.into_source()?,
            derived_from: self
                .derived_from
                .iter()
                .map(|link| {
                    let contribution = Contribution::from_code(link.contribution)?;
                    Some(Lineage { source: MemoryId::from_bytes(link.source), contribution })
                })
                .collect::<Option<_>>()?,
            privacy: Privacy {
                class: PrivacyClass::from_code(self.privacy.0)?,
                sensitivity: values(&self.privacy.1, Sensitivity::from_code)?,
                basis: ConsentBasis::from_code(self.privacy.2)?,
            },
            retention: Retention {
                tier: RetentionTier::from_code(self.retention.0)?,
                expires_at: optional_time(self.retention.1)?,
                pinned: self.retention.2,
            },
            vitality: Vitality {
                salience,
                valence,
                decay: DecayProfile {
                    half_life_days,
                    rehearsal_boost,
                    valence_protection,
                    minimum_salience,
                    detail_decay_rate,
                },
                rehearsals,
                rehearsed_at: from_millis(rehearsed_at)?,
            },
        };
        Some(Frame {
            gist: self.gist.to_owned(),
            details: self
                .details
                .into_iter()
                .map(|(content, brightness)| Detail { content: content.to_owned(), brightness })
                .collect(),
            facets,
            terms: self.terms.to_vec(),
            vectors: self
                .vectors
                .into_iter()
                .map(|(model, bytes)| (ModelId::new(model), bytes.to_vec()))
                .collect(),
            text_hash: self.text_hash,
            has_body: self.has_body,
        })
    }
}

impl WireSource<'_> {
    fn into_source(self) -> Option<Source> {
        Some(Source {
            kind: SourceType::from_code(self.kind)?,
            trust: Trust::from_code(self.trust)?,
            session: self.session.map(SessionId::new).transpose().ok()?,
            message: self.message.map(str::to_owned),
            turn: self.turn,
            tool: self.tool.map(str::to_owned),
            channel: self.channel.map(str::to_owned),
            deployment: self.deployment.map(str::to_owned),
            from_external_content: self.from_external_content,
        })
    }
}

fn codes<T: Copy>(values: &[T], code: impl Fn(T) -> u8) -> Vec<u8> {
    values.iter().map(|value| code(*value)).collect()
}

fn values<T>(codes: &[u8], value: impl Fn(u8) -> Option<T>) -> Option<Vec<T>> {
    codes.iter().map(|code| value(*code)).collect()
}

fn optional_time(stored: Option<i64>) -> Option<Option<Timestamp>> {
    match stored {
        None => Some(None),
        Some(millis) => from_millis(millis).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rich() -> Frame {
        let at = Timestamp::from_second(1_776_000_000).unwrap();
        Frame {
            gist: "A returning guest thanked me.".into(),
            details: vec![Detail { content: "a blue scarf".into(), brightness: 0.5 }],
            facets: Facets {
                category: Category::Conversation,
                content_type: ContentType::Summary,
                tier: Tier::Episodic,
                kind: PersonaKind::Episodic,
                lane: Lane::Business,
                secondary_lanes: vec![Lane::Profile, Lane::Documents],
                tags: vec!["guest".into()],
                entities: vec![Entity { kind: "person".into(), name: "Ms Ito".into(), primary: true }],
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
                retention: Retention { tier: RetentionTier::Sensitive, expires_at: Some(at), pinned: true },
                vitality: Vitality {
                    salience: 0.75,
                    valence: -0.5,
                    decay: DecayProfile::default(),
                    rehearsals: 3,
                    rehearsed_at: at,
                },
            },
            terms: vec![1, 2, 3],
            vectors: vec![(ModelId::new("model@1"), vec![4, 5])],
            text_hash: [6; 32],
            has_body: true,
        }
    }

    /// What this release writes, every later one must read.
    const FROZEN: &str = "\
        90781d412072657475726e696e67206775657374207468616e6b6564206d652e81826c6120626c7565207363617266fa\
        3f0000008401020201820282010381656775657374818366706572736f6e664d732049746ff5890202657365735f31f6\
        07f663776562f6f58182500909090909090909090909090909090903830581010383051b0000019d81d96000f584fa3f\
        400000fabf000000031b0000019d81d9600085fa41600000fa3fb33333fa3e99999afa3d4ccccdfa3fc0000043010203\
        8182676d6f64656c403142040558200606060606060606060606060606060606060606060606060606060606060606f5";

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn unhex(text: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digit).collect()
    }

    #[test]
    fn the_encoding_is_frozen() {
        assert_eq!(hex(&rich().encode()), FROZEN);
        assert_eq!(Frame::decode(&unhex(FROZEN)).unwrap(), rich());
    }

    #[test]
    fn a_field_that_a_newer_release_added_is_passed_over() {
        let mut bytes = rich().encode().to_vec();
        // The frame is an array of 16 fields; make it one of 17.
        assert_eq!(bytes[0], 0x90);
        bytes[0] = 0x91;
        bytes.push(0x01);
        assert_eq!(Frame::decode(&bytes).unwrap(), rich());
    }

    #[test]
    fn the_buffer_never_grows_while_a_frame_is_written() {
        let frame = rich();
        assert!(frame.encode().len() <= frame.encoded_size_bound());
    }

    #[test]
    fn unknown_codes_are_refused() {
        let mut bytes = rich().encode().to_vec();
        let kind = bytes.windows(5).position(|window| window == [0x84, 1, 2, 2, 1]).unwrap();
        bytes[kind + 1] = 0x17;
        assert_eq!(Frame::decode(&bytes).unwrap_err().code(), "corrupt");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Frame::decode(&bytes);
        }

        #[test]
        fn no_changed_byte_makes_it_panic(at in 0usize..300, byte in any::<u8>()) {
            let mut bytes = rich().encode().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Frame::decode(&bytes);
        }
    }
}
