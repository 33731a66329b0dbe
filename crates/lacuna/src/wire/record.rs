//! Records on the wire: JSON values under places, kept word for word.

use jiff::Timestamp;
use lacuna_core::read::Condition;
use lacuna_core::records::{
    NamespaceQuery, RECORD_PUTS_MAX, RecordItem, RecordKept, RecordPage, RecordPut, RecordQuery,
};
use lacuna_types::{MemoryId, Plaintext, RecordPlace, Scope, SearchedText};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::json::bounded_list;
use super::scope::shown;
use super::{SourceBody, hex, words};
use crate::wire::failure::{Failure, Result};

/// Records on a page, unless the caller says otherwise.
pub(crate) const RECORD_PAGE_DEFAULT: usize = 10;
/// Namespaces in an answer, unless the caller says otherwise.
const NAMESPACES_DEFAULT: usize = 100;
const RECORD_ID_PREFIX: &str = "rec_";
const MILLIS: f64 = 1_000.0;

/// The public name of a record.
fn record_id(id: MemoryId) -> String {
    format!("{RECORD_ID_PREFIX}{}", hex(id.as_bytes()))
}

/// A value for a place.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordRequest)]
pub(crate) struct RecordRequest {
    /// Any JSON value, up to 1 MiB. It is kept as it is written, or refused.
    #[schema(value_type = Value)]
    pub(crate) value: Box<RawValue>,
    /// An object of your own, up to 16 KiB, to filter by.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    /// Paths to the text that it is searched by, such as `title` or `turns[*].text`; every text of the value when
    /// absent, none when empty.
    #[schema(max_items = 32)]
    pub(crate) index: Option<Vec<String>>,
    /// Seconds until it is gone, from this write or the last refreshing on; it stays when absent.
    #[schema(exclusive_minimum = 0)]
    pub(crate) ttl_seconds: Option<f64>,
    /// The origin; an explicit save when absent.
    pub(crate) source: Option<SourceBody>,
    /// Send `explicit-consent` with sensitive data that its owner agreed to keep.
    pub(crate) consent_basis: Option<words::ConsentBasis>,
    /// True when texts that look like secrets are none, such as ids. Certain secrets are refused all the same.
    #[serde(default)]
    pub(crate) keep_possible_secrets: bool,
}

/// A value with its place.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordPutRequest)]
pub(crate) struct RecordPutRequest {
    /// The labels of the namespace, the widest first.
    #[schema(min_items = 1, max_items = 16)]
    pub(crate) namespace: Vec<String>,
    pub(crate) key: String,
    /// Any JSON value, up to 1 MiB. It is kept as it is written, or refused.
    #[schema(value_type = Value)]
    pub(crate) value: Box<RawValue>,
    /// An object of your own, up to 16 KiB, to filter by.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    /// Paths to the text that it is searched by; every text of the value when absent, none when empty.
    #[schema(max_items = 32)]
    pub(crate) index: Option<Vec<String>>,
    /// Seconds until it is gone; it stays when absent.
    #[schema(exclusive_minimum = 0)]
    pub(crate) ttl_seconds: Option<f64>,
    pub(crate) source: Option<SourceBody>,
    pub(crate) consent_basis: Option<words::ConsentBasis>,
    #[serde(default)]
    pub(crate) keep_possible_secrets: bool,
}

/// Values for several places, all of them in one commit, or none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordBatchRequest)]
pub(crate) struct RecordBatchRequest {
    #[serde(deserialize_with = "bounded_list::<RECORD_PUTS_MAX, _, _>")]
    #[schema(min_items = 1, max_items = 1000)]
    pub(crate) records: Vec<RecordPutRequest>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl RecordRequest {
    pub(crate) fn at(self, place: RecordPlace) -> Result<RecordPut> {
        let Self { value, metadata, index, ttl_seconds, source, consent_basis, keep_possible_secrets } = self;
        Ok(RecordPut {
            place,
            value: raw_text(&value),
            metadata: metadata.as_deref().map(raw_text),
            searched: searched(index),
            ttl_ms: read_ttl(ttl_seconds)?,
            source: source.map(SourceBody::try_into).transpose()?,
            consent_basis: consent_basis.map(|word| word.0),
            keep_possible_secrets,
        })
    }
}

impl RecordPutRequest {
    pub(crate) fn into_put(self) -> Result<RecordPut> {
        let place = RecordPlace::new(&self.namespace, &self.key);
        let Self {
            value, metadata, index, ttl_seconds, source, consent_basis, keep_possible_secrets, ..
        } = self;
        let request = RecordRequest {
            value,
            metadata,
            index,
            ttl_seconds,
            source,
            consent_basis,
            keep_possible_secrets,
        };
        request.at(place)
    }
}

/// JSON as it was written.
pub(super) fn raw_text(raw: &RawValue) -> Plaintext {
    raw.get().into()
}

/// The text that a record is searched by, from the paths of a request.
pub(super) fn searched(index: Option<Vec<String>>) -> SearchedText {
    match index {
        None => SearchedText::Everything,
        Some(paths) if paths.is_empty() => SearchedText::Nothing,
        Some(paths) => SearchedText::Paths(paths),
    }
}

/// Reads a time to live, to the millisecond.
pub(crate) fn read_ttl(seconds: Option<f64>) -> Result<Option<u64>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let millis = (seconds * MILLIS).ceil();
    match seconds > 0.0 && millis.is_finite() && millis < u64::MAX as f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was compared")]
        true => Ok(Some(millis as u64)),
        false => Err(Failure::invalid("ttl_seconds", "must be a number of seconds above zero")),
    }
}

/// A record that was put at its place.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordKept)]
pub(crate) struct RecordKeptView {
    /// It stays when the value changes.
    pub(crate) record_id: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    /// True when nothing stood at its place.
    pub(crate) is_new: bool,
}

impl From<RecordKept> for RecordKeptView {
    fn from(kept: RecordKept) -> Self {
        let RecordKept { id, created_at, updated_at, expires_at, is_new } = kept;
        Self { record_id: record_id(id), created_at, updated_at, expires_at, is_new }
    }
}

/// Records that were put at their places, in the order given.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordBatchKept)]
pub(crate) struct RecordBatchView {
    pub(crate) scope: String,
    pub(crate) records: Vec<RecordKeptView>,
}

impl RecordBatchView {
    pub(crate) fn of(kept: Vec<RecordKept>, scope: &Scope) -> Self {
        Self { scope: shown(scope), records: kept.into_iter().map(RecordKeptView::from).collect() }
    }
}

/// A record.
#[derive(Serialize, ToSchema)]
#[schema(as = StoredRecord)]
pub(crate) struct RecordView {
    /// It stays when the value changes.
    pub(crate) record_id: String,
    pub(crate) namespace: Vec<String>,
    pub(crate) key: String,
    #[schema(value_type = Value)]
    pub(crate) value: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    /// The rank in this answer, from 0 to 1; absent without a question, or without a text to search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f32>,
    /// The similarity to the question, comparable across questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) similarity: Option<f32>,
}

impl RecordView {
    pub(crate) fn of(item: RecordItem) -> Result<Self> {
        let raw = |json: Plaintext| {
            RawValue::from_string(json.into_exposed())
                .map_err(|_| Failure::from(lacuna_types::Error::corrupt("a record does not parse")))
        };
        Ok(Self {
            record_id: record_id(item.id),
            namespace: item.place.labels.into_iter().map(Plaintext::into_exposed).collect(),
            key: item.place.key.into_exposed(),
            value: raw(item.value)?,
            metadata: item.metadata.map(raw).transpose()?,
            created_at: item.created_at,
            updated_at: item.updated_at,
            expires_at: item.expires_at,
            score: item.score,
            similarity: item.similarity,
        })
    }
}

/// A search for records.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordSearchRequest)]
pub(crate) struct RecordSearchRequest {
    /// The first labels of the namespaces to search; all when absent.
    #[serde(default)]
    #[schema(max_items = 16)]
    pub(crate) namespace_prefix: Vec<String>,
    /// Find by words and meaning; the last written come first when absent.
    pub(crate) query: Option<String>,
    /// A condition on the metadata: `{"colour": "red", "score": {"$gte": 4}}`, with `$eq $ne $gt $gte $lt $lte $in
    /// $nin $contains $icontains $exists`, and `AND`, `OR`, `NOT`.
    #[schema(value_type = Option<Object>)]
    pub(crate) filter: Option<Value>,
    /// A condition on the value, in the same words.
    #[schema(value_type = Option<Object>)]
    pub(crate) value_filter: Option<Value>,
    /// Leave out records that are less similar to the question.
    pub(crate) min_similarity: Option<f32>,
    /// Records in the answer; 10 when absent.
    #[schema(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<usize>,
    /// Records to pass over.
    #[serde(default)]
    pub(crate) offset: usize,
    /// Let the time to live of what is found begin anew.
    #[serde(default)]
    pub(crate) refresh_ttl: bool,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl RecordSearchRequest {
    pub(crate) fn into_query(self) -> Result<RecordQuery> {
        Ok(RecordQuery {
            prefix: self.namespace_prefix,
            condition: read_condition("filter", self.filter.as_ref())?,
            value_condition: read_condition("value_filter", self.value_filter.as_ref())?,
            text: self.query,
            min_similarity: self.min_similarity,
            limit: self.limit.unwrap_or(RECORD_PAGE_DEFAULT),
            offset: self.offset,
        })
    }
}

/// Reads a condition; an error names the field that was sent.
pub(crate) fn read_condition(field: &str, value: Option<&Value>) -> Result<Option<Condition>> {
    let read = value.map(Condition::read).transpose();
    read.map_err(|error| match error {
        lacuna_types::Error::Invalid { reason, .. } => Failure::invalid(field, reason),
        other => other.into(),
    })
}

/// A page of records.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordPage)]
pub(crate) struct RecordPageView {
    pub(crate) scope: String,
    pub(crate) records: Vec<RecordView>,
    /// The number of all records that meet the conditions.
    pub(crate) total: usize,
    /// Pass it as `offset` to get the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_offset: Option<usize>,
}

impl RecordPageView {
    pub(crate) fn of(page: RecordPage, scope: &Scope) -> Result<Self> {
        let RecordPage { records, total, next_offset } = page;
        let records = records.into_iter().map(RecordView::of).collect::<Result<_>>()?;
        Ok(Self { scope: shown(scope), records, total, next_offset })
    }
}

/// A question for namespaces.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NamespacesRequest)]
pub(crate) struct NamespacesRequest {
    /// The first labels, where `*` is any.
    #[serde(default)]
    #[schema(max_items = 16)]
    pub(crate) prefix: Vec<String>,
    /// The last labels, where `*` is any.
    #[serde(default)]
    #[schema(max_items = 16)]
    pub(crate) suffix: Vec<String>,
    /// Labels that are shown of each.
    #[schema(minimum = 1)]
    pub(crate) max_depth: Option<usize>,
    /// Namespaces in the answer; 100 when absent.
    #[schema(minimum = 1, maximum = 10000)]
    pub(crate) limit: Option<usize>,
    #[serde(default)]
    pub(crate) offset: usize,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl NamespacesRequest {
    pub(crate) fn into_query(self) -> NamespaceQuery {
        let limit = self.limit.unwrap_or(NAMESPACES_DEFAULT);
        let Self { prefix, suffix, max_depth, offset, .. } = self;
        NamespaceQuery { prefix, suffix, max_depth, limit, offset }
    }
}

/// Namespaces that hold records, in order.
#[derive(Serialize, ToSchema)]
#[schema(as = NamespaceList)]
pub(crate) struct NamespaceList {
    pub(crate) scope: String,
    pub(crate) namespaces: Vec<Vec<String>>,
}

impl NamespaceList {
    pub(crate) fn of(namespaces: Vec<Vec<Plaintext>>, scope: &Scope) -> Self {
        let labels = |labels: Vec<Plaintext>| labels.into_iter().map(Plaintext::into_exposed).collect();
        Self { scope: shown(scope), namespaces: namespaces.into_iter().map(labels).collect() }
    }
}

/// Records to erase: all under a namespace that meet a condition.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordEraseRequest)]
pub(crate) struct RecordEraseRequest {
    /// The first labels of their namespaces.
    #[schema(min_items = 1, max_items = 16)]
    pub(crate) namespace_prefix: Vec<String>,
    /// A condition on the metadata; all of them when absent.
    #[schema(value_type = Option<Object>)]
    pub(crate) filter: Option<Value>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// Another time to live for a record.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordTtlRequest)]
pub(crate) struct RecordTtlRequest {
    #[schema(min_items = 1, max_items = 16)]
    pub(crate) namespace: Vec<String>,
    pub(crate) key: String,
    /// Seconds from now on; it stays when absent.
    #[schema(exclusive_minimum = 0)]
    pub(crate) ttl_seconds: Option<f64>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// Another expiry for memories.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExpiryRequest)]
pub(crate) struct ExpiryRequest {
    #[schema(min_items = 1, max_items = 1000)]
    pub(crate) memory_ids: Vec<String>,
    /// The time at which they are gone; the rules alone decide when absent.
    pub(crate) expires_at: Option<Timestamp>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_live_are_read_to_the_millisecond() {
        assert_eq!(read_ttl(Some(1.5)).unwrap(), Some(1_500));
        assert_eq!(read_ttl(Some(0.000_01)).unwrap(), Some(1));
        assert_eq!(read_ttl(None).unwrap(), None);
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(read_ttl(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
