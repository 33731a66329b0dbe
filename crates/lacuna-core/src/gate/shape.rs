//! Size and shape: the bounds that hold before anything is looked at, and the defaults that need no judgement.

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

/// Checks every bound of a draft that the gate may not mend by itself.
pub(crate) fn check(draft: &Draft, now: Timestamp) -> Result<()> {
    check_text(draft)?;
    draft.gist.as_ref().map_or(Ok(()), |gist| bounded("gist", gist.expose(), GIST_CHARS_MAX))?;
    check_details(&draft.details)?;
    check_tags(&draft.tags)?;
    check_entities(&draft.entities)?;
    draft.source.as_ref().map_or(Ok(()), check_labels)?;
    at_most("derived_from", draft.derived_from.len(), LINEAGE_MAX)?;
    draft.salience.map_or(Ok(0.0), |salience| score("salience", salience, 0.0))?;
    draft.valence.map_or(Ok(0.0), |valence| score("valence", valence, -1.0))?;
    if draft.created_at.is_some_and(|created_at| created_at > now) {
        return Err(Error::invalid("created_at", "must not lie in the future"));
    }
    if draft.expires_at.is_some_and(|expiry| expiry <= now) {
        return Err(Error::invalid("expires_at", "must lie in the future"));
    }
    let session = draft.source.as_ref().and_then(|source| source.session.as_ref());
    if draft.tier == Some(Tier::Working) && session.is_none() {
        return Err(Error::invalid(
            "tier",
            "working memory lives in a session: name it in source.session_id",
        ));
    }
    Ok(())
}

/// Returns the draft's content type, or the default of its category.
pub(crate) fn content_type(draft: &Draft) -> ContentType {
    draft.content_type.unwrap_or(category(draft).default_content_type())
}

pub(crate) fn category(draft: &Draft) -> Category {
    draft.category.unwrap_or(Category::LearnedContext)
}

pub(crate) fn tier(draft: &Draft) -> Tier {
    draft.tier.unwrap_or(category(draft).default_tier())
}

fn check_text(draft: &Draft) -> Result<()> {
    let text = draft.text.expose();
    readable("text", text)?;
    if text.trim().is_empty() {
        return Err(Error::invalid("text", "must not be empty"));
    }
    if text.chars().count() > TRANSCRIPT_CHARS_MAX {
        return Err(Error::invalid("text", format!("must be at most {TRANSCRIPT_CHARS_MAX} characters")));
    }
    Ok(())
}

/// Cuts a text that is too long for its type, and says whether it did.
pub(crate) fn truncate(text: &mut Plaintext, content_type: ContentType) -> bool {
    if content_type == ContentType::Transcript || text.expose().chars().count() <= TEXT_CHARS_MAX {
        return false;
    }
    let kept: Zeroizing<String> =
        Zeroizing::new(text.expose().chars().take(TEXT_CHARS_MAX - TRUNCATION_MARK.len()).collect());
    *text = Plaintext::from([kept.as_str(), TRUNCATION_MARK].concat());
    true
}

/// The caller's own gist, or the text itself when it is short enough, or its beginning.
pub(crate) fn gist(own: Option<Plaintext>, text: &Plaintext) -> Plaintext {
    let source = own.as_ref().unwrap_or(text).expose();
    if source.chars().count() <= GIST_CHARS_MAX {
        return Plaintext::from(source);
    }
    let mut kept: Zeroizing<String> = Zeroizing::new(source.chars().take(GIST_CHARS_MAX - 1).collect());
    // Cut at a word, unless the text has none near the end (scripts without spaces).
    if let Some(space) = kept.rfind(char::is_whitespace).filter(|at| *at > kept.len() / 2) {
        kept.truncate(space);
    }
    Plaintext::from([kept.trim_end(), "…"].concat())
}

fn check_details(details: &[Detail]) -> Result<()> {
    at_most("details", details.len(), DETAILS_MAX)?;
    for detail in details {
        bounded("details.content", detail.content.expose(), DETAIL_CHARS_MAX)?;
        score("details.brightness", detail.brightness, 0.0)?;
    }
    Ok(())
}

fn check_tags(tags: &[String]) -> Result<()> {
    at_most("tags", tags.len(), TAGS_MAX)?;
    tags.iter().try_for_each(|tag| bounded("tags", tag, TAG_CHARS_MAX))
}

fn check_entities(entities: &[Entity]) -> Result<()> {
    at_most("entities", entities.len(), ENTITIES_MAX)?;
    for entity in entities {
        bounded("entities.type", &entity.kind, TAG_CHARS_MAX)?;
        bounded("entities.name", &entity.name, DETAIL_CHARS_MAX)?;
        entity
            .relation
            .as_deref()
            .map_or(Ok(()), |word| bounded("entities.relation", word, TAG_CHARS_MAX))?;
    }
    Ok(())
}

fn check_labels(source: &Source) -> Result<()> {
    let labels = [
        ("source.message_id", &source.message),
        ("source.tool", &source.tool),
        ("source.channel", &source.channel),
        ("source.deployment", &source.deployment),
    ];
    for (field, label) in labels {
        label.as_deref().map_or(Ok(()), |label| bounded(field, label, NAME_BYTES_MAX))?;
    }
    Ok(())
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

pub(crate) fn unique<T: PartialEq>(items: Vec<T>) -> Vec<T> {
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
            ("gist", Draft { gist: Some("x".repeat(GIST_CHARS_MAX + 1).into()), ..draft("x") }),
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
                    details: vec![Detail {
                        content: "x".repeat(DETAIL_CHARS_MAX + 1).into(),
                        brightness: 0.5,
                    }],
                    ..draft("x")
                },
            ),
            (
                "details.brightness",
                Draft { details: vec![Detail { content: "x".into(), brightness: 2.0 }], ..draft("x") },
            ),
            ("created_at", Draft { created_at: Some(now() + SignedDuration::from_secs(1)), ..draft("x") }),
            ("expires_at", Draft { expires_at: Some(now()), ..draft("x") }),
            ("tier", Draft { tier: Some(Tier::Working), ..draft("x") }),
        ];
        for (expected, bad) in cases {
            match check(&bad, now()) {
                Err(Error::Invalid { field, .. }) => assert_eq!(field, expected),
                Err(other) => panic!("{expected}: refused with {other}"),
                Ok(()) => panic!("{expected}: was admitted"),
            }
        }
    }

    #[test]
    fn long_text_is_truncated_and_marked_but_transcripts_are_kept_whole() {
        let long = "wörd ".repeat(4_000);
        let mut cut = Plaintext::from(long.as_str());
        assert!(truncate(&mut cut, ContentType::Fact));
        assert_eq!(cut.expose().chars().count(), TEXT_CHARS_MAX);
        assert!(cut.expose().ends_with("...[TRUNCATED]"));
        assert!(gist(None, &cut).expose().chars().count() <= GIST_CHARS_MAX);
        let mut whole = Plaintext::from(long.as_str());
        assert!(!truncate(&mut whole, ContentType::Transcript));
        assert!(whole.expose() == long);
    }
}
