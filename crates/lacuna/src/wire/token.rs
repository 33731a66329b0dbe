use jiff::Timestamp;
use lacuna_core::govern::{self, TokenInfo};
use lacuna_types::{Result, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words;

/// Settings of a new token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TokenRequest)]
pub(crate) struct TokenRequest {
    /// The user whom the bearer speaks for.
    pub(crate) user: String,
    pub(crate) roles: Vec<words::Role>,
    /// Operations that a token of the role `service` may carry out for people; other roles have none.
    #[serde(default)]
    pub(crate) operations: Vec<words::Operation>,
    /// Sensitive categories that the token is not for: their memories look missing to its bearer. For the roles `agent`,
    /// `reader` and `service`.
    #[serde(default)]
    pub(crate) without: Vec<words::Sensitivity>,
    #[serde(default)]
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) expires_at: Option<Timestamp>,
}

impl TokenRequest {
    pub(crate) fn into_core(self) -> Result<govern::TokenRequest> {
        Ok(govern::TokenRequest {
            user: UserId::new(&self.user)?,
            roles: self.roles.into_iter().map(|role| role.0).collect(),
            operations: self.operations.into_iter().map(|operation| operation.0).collect(),
            without: self.without.into_iter().map(|kind| kind.0).collect(),
            label: self.label,
            expires_at: self.expires_at,
        })
    }
}

/// A token without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    pub(crate) token_id: String,
    pub(crate) user: String,
    pub(crate) roles: Vec<words::Role>,
    /// Operations that a service may carry out for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) operations: Vec<words::Operation>,
    /// Sensitive categories that it is not for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) without: Vec<words::Sensitivity>,
    pub(crate) label: String,
    pub(crate) created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revoked_at: Option<Timestamp>,
}

impl From<TokenInfo> for TokenView {
    fn from(info: TokenInfo) -> Self {
        Self {
            token_id: info.id.to_string(),
            user: info.user.as_str().to_owned(),
            roles: info.roles.into_iter().map(words::Role).collect(),
            operations: info.operations.into_iter().map(words::Operation).collect(),
            without: info.without.into_iter().map(words::Sensitivity).collect(),
            label: info.label,
            created_at: info.created_at,
            expires_at: info.expires_at,
            revoked_at: info.revoked_at,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = TokenList)]
pub(crate) struct TokenList {
    pub(crate) tokens: Vec<TokenView>,
}

/// A new token with its secret, which is shown this once.
#[derive(Serialize, ToSchema)]
#[schema(as = TokenCreated)]
pub(crate) struct TokenCreated {
    #[serde(flatten)]
    pub(crate) token: TokenView,
    /// Send it as `Authorization: Bearer …`. It cannot be shown again.
    pub(crate) secret: String,
}
