//! Records over HTTP: `/v1/records/NAMESPACE/…/KEY`, searches, namespaces, times to live.
//!
//! The path is split at `/`; a label or key that has one writes it as `~1`, and `~` as `~0`.

use axum::Extension;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use lacuna_core::permit::{Caller, Grant, Recall, Remember, permit};
use lacuna_core::records::{RecordKept, RecordName, RecordPut, RecordsPut};
use lacuna_core::{ManagedMemories, Records};
use lacuna_types::{Error, MemoryId, RecordPlace};

use super::App;
use super::body::{Id, Json, Pairs, once, parse};
use super::memories::ScopeParam;
use super::problem::Problems;
use crate::wire::failure::{Failure, GateAnswer, Result};
use crate::wire::{
    ExpiryRequest, ForgottenView, NamespaceList, NamespacesRequest, RecordBatchRequest, RecordBatchView,
    RecordEraseRequest, RecordKeptView, RecordPageView, RecordRequest, RecordSearchRequest, RecordTtlRequest,
    RecordView, read_condition, read_scope, read_ttl,
};

/// One record: its value and its metadata, with every character of both escaped.
const RECORD_BYTES_MAX: usize = 8 << 20;
const RECORD_BATCH_BYTES_MAX: usize = 64 << 20;
const REQUEST_BYTES_MAX: usize = 256 << 10;

/// The place that a path names.
pub(super) struct RecordPath(RecordPlace);

impl<S: Send + Sync> FromRequestParts<S> for RecordPath {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Id(path) = Id::from_request_parts(parts, state).await?;
        read_place(&path).map(Self)
    }
}

fn read_place(path: &str) -> Result<RecordPlace> {
    let mut labels: Vec<String> =
        path.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    let key = labels.pop().filter(|_| !labels.is_empty());
    let key =
        key.ok_or_else(|| Failure::invalid("path", "must be a namespace and a key: users/ava/theme"))?;
    Ok(RecordPlace::new(&labels, &key))
}

/// Parameters of reading a record.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `get` reads")]
pub(super) struct RecordParams {
    /// Let its time to live begin anew.
    refresh_ttl: Option<bool>,
    /// `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own vault when absent.
    scope: Option<String>,
}

fn missing() -> Failure {
    Error::NotFound("record").into()
}

/// Puts records; the gate's refusal is a failure that says what was found, and in which of them.
pub(super) fn put_all(
    core: &lacuna_core::Lacuna,
    grant: &Grant<Remember>,
    puts: Vec<RecordPut>,
) -> Result<Vec<RecordKept>> {
    let several = puts.len() > 1;
    match Records::of(core).put(grant, puts)? {
        RecordsPut::Kept(kept) => Ok(kept),
        RecordsPut::Refused { number, refused } => {
            let error = Error::Refused { code: refused.why.code(), reason: refused.why.reason() };
            let gate = Some(Box::new(GateAnswer::Refused((*refused).into())));
            let field = several.then(|| format!("records[{number}]"));
            Err(Failure { gate, field, ..Failure::from(error) })
        }
    }
}

/// Put a value at a place. The value that stood there is erased: its key is destroyed, and the record keeps its id.
#[utoipa::path(
    put,
    path = "/v1/records/{*path}",
    operation_id = "put_record",
    tag = "records",
    params(("path" = String, Path, description = "The labels of the namespace and the key, joined by `/`. A `/` within one is written `~1`, a `~` is written `~0`."), ScopeParam),
    request_body = RecordRequest,
    responses(
        (status = 200, description = "The value stands at the place.", body = RecordKeptView),
        Problems
    )
)]
pub(super) async fn put(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    RecordPath(place): RecordPath,
    super::body::InScope(scope): super::body::InScope,
    Json(request): Json<RecordRequest, RECORD_BYTES_MAX>,
) -> Result<axum::Json<RecordKeptView>> {
    let put = request.at(place)?;
    let kept = app.work(move |core| put_all(core, &permit(&caller, &scope)?, vec![put])).await?.pop();
    Ok(axum::Json(kept.ok_or_else(missing)?.into()))
}

/// One record with its value.
#[utoipa::path(
    get,
    path = "/v1/records/{*path}",
    operation_id = "get_record",
    tag = "records",
    params(("path" = String, Path, description = "The labels of the namespace and the key, joined by `/`."), RecordParams),
    responses((status = 200, description = "The record.", body = RecordView), Problems)
)]
pub(super) async fn get(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    RecordPath(place): RecordPath,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<RecordView>> {
    let (mut scope, mut refresh) = (None, None);
    for (name, value) in pairs {
        match name.as_str() {
            "scope" => once(&name, &mut scope, value)?,
            "refresh_ttl" => once(&name, &mut refresh, parse(&name, &value, "must be true or false")?)?,
            _ => return Err(Failure::invalid(name, "is not a parameter of this call")),
        }
    }
    let scope = read_scope(scope.as_deref(), &caller)?;
    let found = app.work(move |core| {
        let records = Records::of(core);
        let name = RecordName::Place(place);
        if let (Some(true), RecordName::Place(place)) = (refresh, &name) {
            records.refresh(&permit(&caller, &scope)?, std::slice::from_ref(place))?;
        }
        let found = records.get(&permit(&caller, &scope)?, &name)?;
        RecordView::of(found.ok_or_else(missing)?)
    });
    Ok(axum::Json(found.await?))
}

/// Erase one record for good: its key first, then everything that it had sealed. The answer carries the signed receipt.
#[utoipa::path(
    delete,
    path = "/v1/records/{*path}",
    operation_id = "erase_record",
    tag = "records",
    params(("path" = String, Path, description = "The labels of the namespace and the key, joined by `/`."), ScopeParam),
    responses((status = 200, description = "It is erased.", body = ForgottenView), Problems)
)]
pub(super) async fn erase(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    RecordPath(place): RecordPath,
    super::body::InScope(scope): super::body::InScope,
) -> Result<axum::Json<ForgottenView>> {
    let name = RecordName::Place(place);
    let (forgotten, scope) =
        app.call_in(caller, scope, move |core, grant| Records::of(core).erase(grant, &name)).await?;
    Ok(axum::Json(ForgottenView::done(forgotten, &scope)))
}

/// Put values at several places, all of them in one commit, or none.
#[utoipa::path(
    post,
    path = "/v1/records/batch",
    operation_id = "put_records",
    tag = "records",
    request_body = RecordBatchRequest,
    responses((status = 200, description = "All of them are kept, in the order given.", body = RecordBatchView), Problems)
)]
pub(super) async fn put_batch(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<RecordBatchRequest, RECORD_BATCH_BYTES_MAX>,
) -> Result<axum::Json<RecordBatchView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let puts = request.records.into_iter().map(|record| record.into_put()).collect::<Result<Vec<_>>>()?;
    let kept = app.work(move |core| {
        let kept = put_all(core, &permit(&caller, &scope)?, puts)?;
        Ok(RecordBatchView::of(kept, &scope))
    });
    Ok(axum::Json(kept.await?))
}

/// Find records by namespace, by conditions, and by words and meaning.
#[utoipa::path(
    post,
    path = "/v1/records/search",
    operation_id = "search_records",
    tag = "records",
    request_body = RecordSearchRequest,
    responses((status = 200, description = "One page.", body = RecordPageView), Problems)
)]
pub(super) async fn search(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<RecordSearchRequest, REQUEST_BYTES_MAX>,
) -> Result<axum::Json<RecordPageView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let refresh = request.refresh_ttl;
    let query = request.into_query()?;
    let found = app.work(move |core| {
        let records = Records::of(core);
        let grant: Grant<Recall> = permit(&caller, &scope)?;
        let page = records.search(&grant, &query)?;
        if refresh {
            let places: Vec<RecordPlace> = page.records.iter().map(|item| item.place.duplicate()).collect();
            records.refresh(&permit(&caller, &scope)?, &places)?;
        }
        RecordPageView::of(page, &scope)
    });
    Ok(axum::Json(found.await?))
}

/// Namespaces that hold records.
#[utoipa::path(
    post,
    path = "/v1/records/namespaces",
    operation_id = "list_namespaces",
    tag = "records",
    request_body = NamespacesRequest,
    responses((status = 200, description = "The namespaces, in order.", body = NamespaceList), Problems)
)]
pub(super) async fn namespaces(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<NamespacesRequest, REQUEST_BYTES_MAX>,
) -> Result<axum::Json<NamespaceList>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let query = request.into_query();
    let (found, scope) =
        app.call_in(caller, scope, move |core, grant| Records::of(core).namespaces(grant, &query)).await?;
    Ok(axum::Json(NamespaceList::of(found, &scope)))
}

/// Erase every record under a namespace that meets a condition, with receipts.
#[utoipa::path(
    post,
    path = "/v1/records/erase",
    operation_id = "erase_records",
    tag = "records",
    request_body = RecordEraseRequest,
    responses((status = 200, description = "They are erased.", body = ForgottenView), Problems)
)]
pub(super) async fn erase_all(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<RecordEraseRequest, REQUEST_BYTES_MAX>,
) -> Result<axum::Json<ForgottenView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    if request.namespace_prefix.is_empty() {
        return Err(Failure::invalid("namespace_prefix", "must have a label"));
    }
    let condition = read_condition("filter", request.filter.as_ref())?;
    let prefix = request.namespace_prefix;
    let (forgotten, scope) = app
        .call_in(caller, scope, move |core, grant| {
            Records::of(core).erase_all(grant, &prefix, condition.as_ref())
        })
        .await?;
    Ok(axum::Json(ForgottenView::done(forgotten.1, &scope)))
}

/// Give a record another time to live.
#[utoipa::path(
    post,
    path = "/v1/records/ttl",
    operation_id = "set_record_ttl",
    tag = "records",
    request_body = RecordTtlRequest,
    responses((status = 200, description = "The record with its new expiry.", body = RecordView), Problems)
)]
pub(super) async fn set_ttl(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<RecordTtlRequest, REQUEST_BYTES_MAX>,
) -> Result<axum::Json<RecordView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let ttl = read_ttl(request.ttl_seconds)?;
    let place = RecordPlace::new(&request.namespace, &request.key);
    let set = app.work(move |core| {
        let records = Records::of(core);
        records.set_ttl(&permit(&caller, &scope)?, &place, ttl)?;
        let found = records.get(&permit(&caller, &scope)?, &RecordName::Place(place))?;
        RecordView::of(found.ok_or_else(missing)?)
    });
    Ok(axum::Json(set.await?))
}

/// Set the time at which memories expire.
#[utoipa::path(
    post,
    path = "/v1/memories/expiry",
    operation_id = "set_expiry",
    tag = "memories",
    request_body = ExpiryRequest,
    responses((status = 204, description = "It is set. The rules of the vault may end their time before."), Problems)
)]
pub(super) async fn set_expiry(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ExpiryRequest, REQUEST_BYTES_MAX>,
) -> Result<StatusCode> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let ids =
        request.memory_ids.iter().map(|id| id.parse()).collect::<lacuna_types::Result<Vec<MemoryId>>>()?;
    let expires_at = request.expires_at;
    app.call_in(caller, scope, move |core, grant| {
        ManagedMemories::of(core).set_expiry(grant, &ids, expires_at)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn a_path_names_labels_and_a_key() {
        let place = read_place("users/a~1b/~0x").unwrap();
        assert!(place == RecordPlace::new(&["users", "a/b"], "~x"));
        assert!(read_place("users").is_err());
        assert_eq!(read_place("").err().unwrap().code, &codes::INVALID);
    }
}
