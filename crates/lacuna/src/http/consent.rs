#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use lacuna_core::Consents;
use lacuna_core::permit::{Caller, permit};

use super::App;
use super::body::{InScope, Json};
use super::memories::ScopeParam;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{
    ConsentGivenView, ConsentList, ConsentRequest, ConsentRevocation, ConsentRevokedView, PURPOSE_DEFAULT,
    read_scope,
};

const CONSENT_BYTES_MAX: usize = 16 << 10;

/// Consents of the vault's owner: category (or `patterns`, `long_term`, `language_model`), purpose and date.
#[utoipa::path(
    get,
    path = "/v1/consents",
    operation_id = "list_consents",
    tag = "review",
    params(ScopeParam),
    responses((status = 200, description = "Every consent that holds.", body = ConsentList), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<ConsentList>> {
    let (consents, scope) = app.call_in(caller, scope, |core, grant| Consents::of(core).list(grant)).await?;
    Ok(axum::Json(ConsentList::of(consents, &scope)))
}

/// Consent to keep what is said about a sensitive category, once for all texts; to patterns of behaviour; to keeping
/// facts until they are forgotten; or to showing sensitive texts to the language model that plans to forget ask. Releases
/// what was held for it.
#[utoipa::path(
    put,
    path = "/v1/consents",
    operation_id = "give_consent",
    tag = "review",
    request_body = ConsentRequest,
    responses((status = 200, description = "It holds.", body = ConsentGivenView), Problems)
)]
pub(super) async fn give(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ConsentRequest, CONSENT_BYTES_MAX>,
) -> Result<axum::Json<ConsentGivenView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let given = app.work(move |core| {
        let purpose = request.purpose.as_deref().unwrap_or(PURPOSE_DEFAULT);
        let given = Consents::of(core).give(&permit(&caller, &scope)?, request.category.0, purpose)?;
        Ok(ConsentGivenView::of(given, &scope))
    });
    Ok(axum::Json(given.await?))
}

/// Revoke a consent. Memories that it allowed stay until they are forgotten; the answer has their number.
#[utoipa::path(
    post,
    path = "/v1/consents/revoke",
    operation_id = "revoke_consent",
    tag = "review",
    request_body = ConsentRevocation,
    responses((status = 200, description = "It holds no longer.", body = ConsentRevokedView), Problems)
)]
pub(super) async fn revoke(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ConsentRevocation, CONSENT_BYTES_MAX>,
) -> Result<axum::Json<ConsentRevokedView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let revoked = app.work(move |core| {
        let revoked = Consents::of(core).revoke(&permit(&caller, &scope)?, request.category.0)?;
        Ok(ConsentRevokedView::of(&revoked, &scope))
    });
    Ok(axum::Json(revoked.await?))
}
