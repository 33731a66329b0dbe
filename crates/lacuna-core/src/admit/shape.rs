//! From what a caller wrote to what may be sealed: size, shape and defaults.

use jiff::Timestamp;

use crate::domain::*;
use crate::error::{Error, Result};

/// A draft that has passed: every bound holds and every default is filled in.
pub struct Admitted {
    pub(crate) content: Content,
    pub(crate) facets: Facets,
    pub(crate) created_at: Timestamp,
    /// Whether the text was cut at [`TEXT_CHARS_MAX`].
    pub(crate) truncated: bool,
}

/// Checks a draft and fills in what it leaves open.
pub fn admit(draft: Draft, now: Timestamp) -> Result<Admitted> {
    let category = draft.category.unwrap_or(Category::LearnedContext);
    let content_type = draft.content_type.unwrap_or(category.default_content_type());
    let (text, truncated) = admit_text(draft.text, content_type)?;
    let gist = admit_gist(draft.gist, &text)?;
    let created_at = draft.created_at.unwrap_or(now);
    if created_at > now {
        return Err(Error::invalid("created_at", "must not lie in the future"));
    }
    if draft.expires_at.is_some_and(|expiry| expiry <= now) {
        return Err(Error::invalid("expires_at", "must lie in the future"));
    }
    let facets = Facets {
        category,
        content_type,
        tier: draft.tier.unwrap_or(category.default_tier()),
        kind: draft.kind.unwrap_or(category.default_kind()),
        lane: draft.lane.unwrap_or(Lane::Profile),
        secondary_lanes: unique(draft.secondary_lanes),
        tags: admit_tags(draft.tags)?,
        entities: admit_entities(draft.entities)?,
        source: admit_source(draft.source)?,
        derived_from: admit_lineage(draft.derived_from)?,
        privacy: Privacy {
            class: draft.privacy_class.unwrap_or(PrivacyClass::GuestPii),
            sensitivity: unique(draft.sensitivity),
            basis: draft.consent_basis.unwrap_or(ConsentBasis::ServiceDelivery),
        },
        retention: Retention {
            tier: draft.retention.unwrap_or(RetentionTier::LongTerm),
            expires_at: draft.expires_at,
            pinned: draft.pinned,
        },
        vitality: Vitality {
            salience: score("salience", draft.salience.unwrap_or(SALIENCE_DEFAULT), 0.0)?,
            valence: score("valence", draft.valence.unwrap_or(0.0), -1.0)?,
            decay: DecayProfile::default(),
            rehearsals: 0,
            rehearsed_at: created_at,
        },
        history: History::default(),
    };
    let text = (text != gist).then_some(text);
    let details = admit_details(draft.details)?;
    Ok(Admitted { content: Content { gist, details, text }, facets, created_at, truncated })
}

/// The salience of a memory whose caller names none.
pub const SALIENCE_DEFAULT: f32 = 0.5;

fn admit_text(text: String, content_type: ContentType) -> Result<(String, bool)> {
    readable("text", &text)?;
    if text.trim().is_empty() {
        return Err(Error::invalid("text", "must not be empty"));
    }
    let chars = text.chars().count();
    if content_type == ContentType::Transcript {
        if chars > TRANSCRIPT_CHARS_MAX {
            let reason = format!("a transcript must be at most {TRANSCRIPT_CHARS_MAX} characters");
            return Err(Error::invalid("text", reason));
        }
        return Ok((text, false));
    }
    if chars <= TEXT_CHARS_MAX {
        return Ok((text, false));
    }
    let kept: String = text.chars().take(TEXT_CHARS_MAX - TRUNCATION_MARK.len()).collect();
    Ok((kept + TRUNCATION_MARK, true))
}

/// The caller's own gist, or the text itself when it is short enough, or its beginning.
fn admit_gist(gist: Option<String>, text: &str) -> Result<String> {
    if let Some(gist) = gist {
        bounded("gist", &gist, GIST_CHARS_MAX)?;
        return Ok(gist);
    }
    if text.chars().count() <= GIST_CHARS_MAX {
        return Ok(text.to_owned());
    }
    let mut kept: String = text.chars().take(GIST_CHARS_MAX - 1).collect();
    // Cut at a word, unless the text has none near the end (scripts without spaces).
    if let Some(space) = kept.rfind(char::is_whitespace).filter(|at| *at > kept.len() / 2) {
        kept.truncate(space);
    }
    Ok(kept.trim_end().to_owned() + "…")
}

fn admit_details(details: Vec<Detail>) -> Result<Vec<Detail>> {
    at_most("details", details.len(), DETAILS_MAX)?;
    for detail in &details {
        bounded("details.content", &detail.content, DETAIL_CHARS_MAX)?;
        score("details.brightness", detail.brightness, 0.0)?;
    }
    Ok(details)
}

fn admit_tags(tags: Vec<String>) -> Result<Vec<String>> {
    at_most("tags", tags.len(), TAGS_MAX)?;
    for tag in &tags {
        bounded("tags", tag, TAG_CHARS_MAX)?;
    }
    Ok(unique(tags))
}

fn admit_entities(entities: Vec<Entity>) -> Result<Vec<Entity>> {
    at_most("entities", entities.len(), ENTITIES_MAX)?;
    for entity in &entities {
        bounded("entities.type", &entity.kind, TAG_CHARS_MAX)?;
        bounded("entities.name", &entity.name, DETAIL_CHARS_MAX)?;
        entity
            .relation
            .as_deref()
            .map_or(Ok(()), |word| bounded("entities.relation", word, TAG_CHARS_MAX))?;
    }
    Ok(entities)
}

fn admit_source(source: Option<Source>) -> Result<Source> {
    let Some(mut source) = source else {
        return Ok(Source::new(SourceType::ExplicitSave, Trust::High));
    };
    let labels = [
        ("source.message_id", &source.message),
        ("source.tool", &source.tool),
        ("source.channel", &source.channel),
        ("source.deployment", &source.deployment),
    ];
    for (field, label) in labels {
        label.as_deref().map_or(Ok(()), |label| bounded(field, label, NAME_BYTES_MAX))?;
    }
    source.trust = source.trust.min(source.kind.trust(source.tool.as_deref()));
    Ok(source)
}

fn admit_lineage(sources: Vec<Lineage>) -> Result<Vec<Lineage>> {
    at_most("derived_from", sources.len(), LINEAGE_MAX)?;
    Ok(sources)
}

pub(crate) fn at_most(field: &'static str, count: usize, max: usize) -> Result<()> {
    if count <= max { Ok(()) } else { Err(Error::invalid(field, format!("at most {max} are accepted"))) }
}

fn bounded(field: &'static str, text: &str, chars_max: usize) -> Result<()> {
    readable(field, text)?;
    if text.trim().is_empty() {
        return Err(Error::invalid(field, "must not be empty"));
    }
    if text.chars().count() > chars_max {
        return Err(Error::invalid(field, format!("must be at most {chars_max} characters")));
    }
    Ok(())
}

fn readable(field: &'static str, text: &str) -> Result<()> {
    if text.contains('\0') { Err(Error::invalid(field, "must not hold NUL")) } else { Ok(()) }
}

/// A score between `low` and 1.
pub(crate) fn score(field: &'static str, value: f32, low: f32) -> Result<f32> {
    if value.is_finite() && (low..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(Error::invalid(field, format!("must be a number from {low} to 1")))
}

fn unique<T: PartialEq>(items: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn draft(text: &str) -> Draft {
        Draft { text: text.into(), ..Draft::default() }
    }

    fn now() -> Timestamp {
        "2026-04-12T09:15:00Z".parse().unwrap()
    }

    #[test]
    fn bad_drafts_are_refused_by_field() {
        let too_many_tags = vec!["t".to_owned(); TAGS_MAX + 1];
        let cases: Vec<(&str, Draft)> = vec![
            ("text", draft("")),
            ("text", draft(" \n\t")),
            ("text", draft("a\0b")),
            (
                "text",
                Draft {
                    content_type: Some(ContentType::Transcript),
                    ..draft(&"x".repeat(TRANSCRIPT_CHARS_MAX + 1))
                },
            ),
            ("gist", Draft { gist: Some("x".repeat(GIST_CHARS_MAX + 1)), ..draft("x") }),
            ("salience", Draft { salience: Some(f32::NAN), ..draft("x") }),
            ("salience", Draft { salience: Some(1.01), ..draft("x") }),
            ("salience", Draft { salience: Some(-0.1), ..draft("x") }),
            ("valence", Draft { valence: Some(f32::INFINITY), ..draft("x") }),
            ("valence", Draft { valence: Some(-1.5), ..draft("x") }),
            ("tags", Draft { tags: too_many_tags, ..draft("x") }),
            ("tags", Draft { tags: vec!["x".repeat(TAG_CHARS_MAX + 1)], ..draft("x") }),
            ("tags", Draft { tags: vec![String::new()], ..draft("x") }),
            (
                "details.content",
                Draft {
                    details: vec![Detail { content: "x".repeat(DETAIL_CHARS_MAX + 1), brightness: 0.5 }],
                    ..draft("x")
                },
            ),
            (
                "details.brightness",
                Draft { details: vec![Detail { content: "x".into(), brightness: 2.0 }], ..draft("x") },
            ),
            ("created_at", Draft { created_at: Some(now() + SignedDuration::from_secs(1)), ..draft("x") }),
            ("expires_at", Draft { expires_at: Some(now()), ..draft("x") }),
        ];
        for (expected, bad) in cases {
            match admit(bad, now()) {
                Err(Error::Invalid { field, .. }) => assert_eq!(field, expected),
                Err(other) => panic!("{expected}: refused with {other}"),
                Ok(_) => panic!("{expected}: was admitted"),
            }
        }
    }

    #[test]
    fn long_text_is_truncated_and_marked_but_transcripts_are_kept_whole() {
        let long = "wörd ".repeat(4_000);
        let cut = admit(draft(&long), now()).unwrap();
        assert!(cut.truncated);
        assert_eq!(cut.content.full_text().chars().count(), TEXT_CHARS_MAX);
        assert!(cut.content.full_text().ends_with(TRUNCATION_MARK));
        assert!(cut.content.gist.chars().count() <= GIST_CHARS_MAX);

        let whole = Draft { content_type: Some(ContentType::Transcript), ..draft(&long) };
        let whole = admit(whole, now()).unwrap();
        assert!(!whole.truncated);
        assert_eq!(whole.content.full_text(), long);
    }

    #[test]
    fn trust_can_be_lowered_but_not_raised() {
        let cases = [
            (SourceType::AiInference, None, Trust::High, Trust::Low),
            (SourceType::ToolOutput, Some("web_fetch"), Trust::High, Trust::Low),
            (SourceType::ToolOutput, Some("read"), Trust::High, Trust::Medium),
            (SourceType::UserMessage, None, Trust::Medium, Trust::Medium),
            (SourceType::ExplicitSave, None, Trust::High, Trust::High),
        ];
        for (kind, tool, claimed, expected) in cases {
            let source = Source { tool: tool.map(str::to_owned), ..Source::new(kind, claimed) };
            let admitted = admit(Draft { source: Some(source), ..draft("x") }, now()).unwrap();
            assert_eq!(admitted.facets.source.trust, expected, "{kind} {tool:?}");
        }
    }
}
