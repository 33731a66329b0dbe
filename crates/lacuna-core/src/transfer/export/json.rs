//! The export as JSON 1.0, written as it comes: no part of it is held but the memory at hand.

use std::io::{self, Write};

use lacuna_seal::SigningKey;
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::transfer::export::{Deletion, Document, EXPORT_VERSION, Head, MemoryOrder, Tail, is_inferred};
use crate::transfer::proof::prove;
use crate::vault::consents::Consent;
use crate::vault::owner_settings::Settings;

/// JSON, token by token. Commas are put where they belong; braces are the caller's to balance.
struct JsonWriter<'a> {
    out: &'a mut dyn Write,
    /// True when the next value follows another one.
    follows: bool,
}

impl JsonWriter<'_> {
    fn separate(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.follows, true) { self.out.write_all(b",") } else { Ok(()) }
    }

    fn open(&mut self, bracket: u8) -> io::Result<()> {
        self.separate()?;
        self.follows = false;
        self.out.write_all(&[bracket])
    }

    fn close(&mut self, bracket: u8) -> io::Result<()> {
        self.follows = true;
        self.out.write_all(&[bracket])
    }

    /// For people who look at the file.
    fn new_line(&mut self) -> io::Result<()> {
        self.separate()?;
        self.follows = false;
        self.out.write_all(b"\n")
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        self.text(name)?;
        self.follows = false;
        self.out.write_all(b":")
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.separate()?;
        Ok(serde_json::to_writer(&mut self.out, text)?)
    }

    /// A number, a truth value or whatever else JSON writes without quotes.
    fn bare(&mut self, value: impl std::fmt::Display) -> io::Result<()> {
        self.separate()?;
        write!(self.out, "{value}")
    }

    fn text_field(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.key(name)?;
        self.text(text)
    }

    fn bare_field(&mut self, name: &str, value: impl std::fmt::Display) -> io::Result<()> {
        self.key(name)?;
        self.bare(value)
    }

    /// As its words; absent when there is none.
    fn shown_field(&mut self, name: &str, value: Option<impl ToString>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.text_field(name, &value.to_string()))
    }

    fn list_field<T>(
        &mut self,
        name: &str,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(name)?;
        self.open(b'[')?;
        items.iter().try_for_each(|item| write(self, item))?;
        self.close(b']')
    }

    fn words_field<T: ToString>(&mut self, name: &str, items: &[T]) -> io::Result<()> {
        self.list_field(name, items, |json, item| json.text(&item.to_string()))
    }

    fn object(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.open(b'{')?;
        write(self)?;
        self.close(b'}')
    }

    fn object_field(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(name)?;
        self.object(write)
    }
}

pub(crate) struct JsonDocument<'a> {
    json: JsonWriter<'a>,
    /// Signs records with all their metadata; others say nothing that needs a proof. None leaves the metadata out.
    key: Option<&'a SigningKey>,
    category: Category,
}

impl<'a> JsonDocument<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, key: Option<&'a SigningKey>) -> Self {
        Self { json: JsonWriter { out, follows: false }, key, category: Category::Conversation }
    }
}

impl Document for JsonDocument<'_> {
    fn order(&self) -> MemoryOrder {
        MemoryOrder::OldestFirst
    }

    fn begin(&mut self, head: &Head<'_>) -> io::Result<()> {
        let json = &mut self.json;
        json.open(b'{')?;
        json.text_field("export_version", EXPORT_VERSION)?;
        json.text_field("user_id", head.user.as_str())?;
        json.text_field("org_id", head.scope.org.as_str())?;
        json.text_field("scope", &head.scope.holder.to_string())?;
        json.text_field("exported_at", &head.at.to_string())?;
        json.key("categories")?;
        json.open(b'{')
    }

    fn begin_category(&mut self, category: Category) -> io::Result<()> {
        self.category = category;
        self.json.new_line()?;
        self.json.key(category.as_str())?;
        self.json.open(b'{')?;
        self.json.key("records")?;
        self.json.open(b'[')
    }

    fn memory(&mut self, memory: &Memory) -> io::Result<()> {
        self.json.new_line()?;
        let Some(key) = self.key else { return self.json.object(|json| write_core(json, memory)) };
        let mut record = Zeroizing::new(Vec::new());
        JsonWriter { out: &mut *record, follows: false }.object(|json| {
            write_core(json, memory)?;
            write_metadata(json, memory)
        })?;
        prove(&mut record, self.category, key);
        self.json.separate()?;
        self.json.out.write_all(&record)
    }

    fn end_category(&mut self, count: u64) -> io::Result<()> {
        self.json.close(b']')?;
        self.json.bare_field("count", count)?;
        self.json.close(b'}')
    }

    fn begin_deletions(&mut self) -> io::Result<()> {
        self.json.close(b'}')?;
        self.json.new_line()?;
        self.json.key("deletion_history")?;
        self.json.open(b'[')
    }

    fn deletion(&mut self, deletion: &Deletion) -> io::Result<()> {
        self.json.object(|json| {
            json.text_field("type", deletion.action.as_str())?;
            json.text_field("at", &deletion.at.to_string())?;
            json.bare_field("count", deletion.count)?;
            json.bare_field("audit_seq", deletion.audit_seq)?;
            json.shown_field("number", deletion.number.as_ref())
        })
    }

    fn end(&mut self, tail: &Tail<'_>) -> io::Result<()> {
        let json = &mut self.json;
        json.close(b']')?;
        json.new_line()?;
        json.object_field("retention_settings", |json| write_settings(json, tail))?;
        if !tail.consents.is_empty() {
            json.list_field("consents", &tail.consents, write_consent)?;
        }
        json.bare_field("record_count", tail.exported.record_count())?;
        json.bare_field("health_left_out", tail.exported.health_left_out)?;
        json.bare_field("damaged", tail.exported.damaged)?;
        json.close(b'}')?;
        json.out.write_all(b"\n")
    }
}

/// The fields of seed 000, and what must never be told apart from them: what was inferred, what waits.
fn write_core(json: &mut JsonWriter<'_>, memory: &Memory) -> io::Result<()> {
    let source = &memory.facets.source;
    json.text_field("memory_id", &memory.id.to_string())?;
    json.text_field("content", memory.content.full_text().expose())?;
    json.shown_field("session_id", source.session.as_ref())?;
    json.shown_field("channel", source.channel.as_ref())?;
    json.words_field("topic_tags", &memory.facets.tags)?;
    json.text_field("created_at", &memory.created_at.to_string())?;
    json.text_field("state", memory.state.as_str())?;
    json.bare_field("inferred", is_inferred(&memory.facets))
}

fn write_metadata(json: &mut JsonWriter<'_>, memory: &Memory) -> io::Result<()> {
    let facets = &memory.facets;
    json.text_field("gist", memory.content.gist.expose())?;
    json.list_field("details", &memory.content.details, |json, detail| {
        json.object(|json| {
            json.text_field("content", detail.content.expose())?;
            json.bare_field("brightness", detail.brightness)
        })
    })?;
    json.text_field("content_type", facets.content_type.as_str())?;
    json.text_field("tier", facets.tier.as_str())?;
    json.text_field("kind", facets.kind.as_str())?;
    json.text_field("lane", facets.lane.as_str())?;
    json.words_field("secondary_lanes", &facets.secondary_lanes)?;
    json.list_field("entities", &facets.entities, write_entity)?;
    json.object_field("source", |json| write_source(json, &facets.source))?;
    json.list_field("derived_from", &facets.derived_from, |json, link| {
        json.object(|json| {
            json.text_field("memory_id", &link.source.to_string())?;
            json.text_field("contribution", link.contribution.as_str())
        })
    })?;
    json.text_field("privacy_class", facets.privacy.class.as_str())?;
    json.words_field("sensitivity", &facets.privacy.sensitivity)?;
    json.text_field("consent_basis", facets.privacy.basis.as_str())?;
    json.text_field("retention", facets.retention.tier.as_str())?;
    json.shown_field("expires_at", facets.retention.expires_at)?;
    json.bare_field("pinned", facets.retention.pinned)?;
    write_vitality(json, &facets.vitality)?;
    json.text_field("updated_at", &memory.updated_at.to_string())?;
    write_history(json, &facets.history)
}

fn write_entity(json: &mut JsonWriter<'_>, entity: &Entity) -> io::Result<()> {
    json.object(|json| {
        json.text_field("type", &entity.kind)?;
        json.text_field("name", &entity.name)?;
        json.bare_field("primary", entity.primary)?;
        json.shown_field("relation", entity.relation.as_ref())
    })
}

fn write_source(json: &mut JsonWriter<'_>, source: &Source) -> io::Result<()> {
    json.text_field("type", source.kind.as_str())?;
    json.text_field("trust", source.trust.as_str())?;
    json.shown_field("session_id", source.session.as_ref())?;
    json.shown_field("message_id", source.message.as_ref())?;
    source.turn.map_or(Ok(()), |turn| json.bare_field("turn", turn))?;
    json.shown_field("tool", source.tool.as_ref())?;
    json.shown_field("channel", source.channel.as_ref())?;
    json.shown_field("deployment", source.deployment.as_ref())?;
    json.bare_field("from_external_content", source.from_external_content)
}

fn write_vitality(json: &mut JsonWriter<'_>, vitality: &Vitality) -> io::Result<()> {
    json.bare_field("salience", vitality.salience)?;
    json.bare_field("valence", vitality.valence)?;
    json.bare_field("rehearsals", vitality.rehearsals)?;
    json.text_field("rehearsed_at", &vitality.rehearsed_at.to_string())?;
    let decay = &vitality.decay;
    json.object_field("decay", |json| {
        json.bare_field("half_life_days", decay.half_life_days)?;
        json.bare_field("rehearsal_boost", decay.rehearsal_boost)?;
        json.bare_field("valence_protection", decay.valence_protection)?;
        json.bare_field("minimum_salience", decay.minimum_salience)?;
        json.bare_field("detail_decay_rate", decay.detail_decay_rate)
    })
}

/// Writes the owner's part of a history. Hashes of attributes stay inside: an import computes them anew.
fn write_history(json: &mut JsonWriter<'_>, history: &History) -> io::Result<()> {
    json.shown_field("waits", history.waits)?;
    json.shown_field("author", history.author.as_ref())?;
    if let Some(promotion) = &history.promotion {
        json.object_field("promotion", |json| write_promotion(json, promotion))?;
    }
    // It was read as JSON before it was sealed.
    history.metadata.as_ref().map_or(Ok(()), |fields| json.bare_field("metadata", fields.expose()))?;
    if let Some(record) = &history.record {
        json.object_field("record", |json| write_record(json, record))?;
    }
    json.words_field("supersedes", &history.supersedes)?;
    json.words_field("alike", &history.alike)?;
    json.shown_field("remade_at", history.remade_at)?;
    json.bare_field("repeats", history.repeats)
}

/// Writes the place of a program's record; its value is the content.
fn write_record(json: &mut JsonWriter<'_>, record: &RecordFacet) -> io::Result<()> {
    json.text_field("record_id", &record.id.to_string())?;
    json.list_field("namespace", &record.place.labels, |json, label| json.text(label.expose()))?;
    json.text_field("key", record.place.key.expose())?;
    json.shown_field("metadata", record.metadata.as_ref().map(Plaintext::expose))?;
    match &record.searched {
        SearchedText::Everything => {}
        SearchedText::Nothing => json.list_field("index", &[], |json, path: &String| json.text(path))?,
        SearchedText::Paths(paths) => json.list_field("index", paths, |json, path| json.text(path))?,
    }
    record.ttl_ms.map_or(Ok(()), |ttl| json.bare_field("ttl_ms", ttl))?;
    json.list_field("written_at", &record.written_at, |json, at| json.text(&at.to_string()))
}

fn write_promotion(json: &mut JsonWriter<'_>, promotion: &Promotion) -> io::Result<()> {
    json.text_field("original_author_id", promotion.original_author.as_str())?;
    json.text_field("original_created_at", &promotion.original_created_at.to_string())?;
    json.text_field("promoted_by_id", promotion.promoted_by.as_str())?;
    json.text_field("promoted_at", &promotion.promoted_at.to_string())?;
    json.text_field("previous_scope", &promotion.previous_scope.to_string())?;
    json.text_field("current_scope", &promotion.current_scope.to_string())?;
    json.shown_field("justification", promotion.justification.as_ref().map(Plaintext::expose))
}

fn write_consent(json: &mut JsonWriter<'_>, consent: &Consent) -> io::Result<()> {
    json.object(|json| {
        json.text_field("category", consent.topic.as_str())?;
        json.text_field("purpose", &consent.purpose)?;
        json.text_field("given_at", &consent.given_at.to_string())
    })
}

fn write_settings(json: &mut JsonWriter<'_>, tail: &Tail<'_>) -> io::Result<()> {
    let policy = tail.policy;
    json.text_field("preset", policy.preset.as_str())?;
    json.bare_field("max_memories", policy.max_atoms)?;
    json.bare_field("min_salience", policy.min_salience)?;
    json.bare_field("sensitive_allowed", policy.sensitive_allowed)?;
    json.text_field("approval", policy.approval.as_str())?;
    json.bare_field("grace_hours", policy.grace.as_hours())?;
    json.shown_field("frozen_since", tail.frozen_at)?;
    write_own_settings(json, &tail.settings)
}

/// Writes the owner's settings; an absent one follows from the tenant's rules.
fn write_own_settings(json: &mut JsonWriter<'_>, settings: &Settings) -> io::Result<()> {
    settings.max_days.map_or(Ok(()), |days| json.bare_field("max_days", days))?;
    let tiers: Vec<_> = settings.tiers.iter().map(|(tier, span)| (tier.as_str(), *span)).collect();
    let categories: Vec<_> = settings.categories.iter().map(|(kind, span)| (kind.as_str(), *span)).collect();
    let entities: Vec<_> = settings.entities.iter().map(|rule| (rule.name.as_str(), rule.keep)).collect();
    for (name, spans) in [("tiers", tiers), ("categories", categories), ("entities", entities)] {
        if spans.is_empty() {
            continue;
        }
        json.list_field(name, &spans, |json, (name, span)| {
            json.object(|json| {
                json.text_field("name", name)?;
                span.days().map_or(Ok(()), |days| json.bare_field("days", days))
            })
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(write: impl FnOnce(&mut JsonWriter<'_>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut JsonWriter { out: &mut bytes, follows: false }).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn commas_stand_between_values_and_nowhere_else() {
        let text = written(|json| {
            json.object(|json| {
                json.words_field::<&str>("none", &[])?;
                json.words_field("two", &["a", "b"])?;
                json.object_field("in", |json| json.bare_field("n", 1))?;
                json.shown_field("absent", None::<&str>)?;
                json.bare_field("last", true)
            })
        });
        assert_eq!(text, r#"{"none":[],"two":["a","b"],"in":{"n":1},"last":true}"#);
    }

    #[test]
    fn what_json_may_not_hold_is_escaped() {
        let text = written(|json| json.text("a\"b\\c\n\r\t\0\u{7f}é\u{2028}🦀"));
        assert_eq!(text, "\"a\\\"b\\\\c\\n\\r\\t\\u0000\u{7f}é\u{2028}🦀\"");
    }

    proptest! {
        #[test]
        fn no_text_breaks_out_of_its_quotes(text in any::<String>()) {
            let written = written(|json| json.text(&text));
            prop_assert!(!written.chars().any(|c| c < ' '));
            prop_assert_eq!(serde_json::from_str::<String>(&written).ok(), Some(text));
        }
    }
}
