use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::govern::TokenId;
use lacuna_core::permit::{Caller, Grant, ManageTokens, permit};

use super::App;
use super::body::{Id, Json};
use super::problem::Problems;
use crate::failure::Result;
use crate::wire::{TokenCreated, TokenList, TokenRequest, TokenView};

const TOKEN_BYTES_MAX: usize = 16 << 10;

fn granted(caller: &Caller) -> lacuna_types::Result<Grant<ManageTokens>> {
    permit(caller, &caller.org_scope())
}

/// The organisation's tokens, oldest first, without their secrets.
#[utoipa::path(
    get,
    path = "/v1/tokens",
    operation_id = "list_tokens",
    tag = "tokens",
    responses((status = 200, description = "All tokens, also revoked and expired ones.", body = TokenList), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<TokenList>> {
    let tokens = app.call(move |service| service.tokens().list(&granted(&caller)?)).await?;
    Ok(axum::Json(TokenList { tokens: tokens.into_iter().map(TokenView::from).collect() }))
}

/// Make a token. Its secret is in this answer and nowhere else.
#[utoipa::path(
    post,
    path = "/v1/tokens",
    operation_id = "create_token",
    tag = "tokens",
    request_body = TokenRequest,
    responses((status = 201, description = "The token with its secret.", body = TokenCreated), Problems)
)]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<TokenRequest, TOKEN_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<TokenCreated>)> {
    let request = request.into_core()?;
    let (info, secret) =
        app.call(move |service| service.tokens().create(&granted(&caller)?, request)).await?;
    let created = TokenCreated { token: info.into(), secret: secret.as_str().to_owned() };
    Ok((StatusCode::CREATED, axum::Json(created)))
}

/// Revoke a token: from the next call on it opens nothing.
#[utoipa::path(
    delete,
    path = "/v1/tokens/{token_id}",
    operation_id = "revoke_token",
    tag = "tokens",
    params(("token_id" = String, Path, description = "`tok_` and 32 hex digits")),
    responses((status = 204, description = "It is revoked."), Problems)
)]
pub(super) async fn revoke(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<StatusCode> {
    app.call(move |service| {
        let grant = granted(&caller)?;
        service.tokens().revoke(&grant, id.parse::<TokenId>()?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
