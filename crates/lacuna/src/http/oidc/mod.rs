//! Sign-on by signed tokens of another service: JWTs of one issuer for one audience, verified with the issuer's
//! published keys, and mapped to an organisation, a user and roles by the operator's rules.

mod code_flow;
mod jwks;
mod jwt;
mod resource;

use std::time::Duration;

use jiff::Timestamp;
use lacuna_types::{OrgId, Role, UserId};
use serde_json::{Map, Value};

pub(crate) use self::code_flow::{SignOnAnswer, SignOnAttempt};
use self::jwks::Jwks;
use self::jwt::Jwt;
pub(super) use self::resource::{ProtectedResource, ResourceMetadata, WELL_KNOWN};
use crate::config::{OidcChoice, OrgOf};
use crate::wire::failure::Result;

/// Largest difference between the issuer's clock and ours.
const LEEWAY_SECONDS: f64 = 60.0;

/// Identity that a token claims.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Claimed {
    pub(super) org: OrgId,
    pub(super) user: UserId,
    pub(super) roles: Vec<Role>,
}

pub(super) struct SignOn {
    choice: OidcChoice,
    keys: Jwks,
    resource: Option<ProtectedResource>,
}

impl SignOn {
    pub(super) fn new(choice: &OidcChoice) -> Self {
        let pause = Duration::from_secs(choice.refetch_seconds);
        let resource = choice.resource.as_ref().and_then(|url| ProtectedResource::new(url, &choice.issuer));
        Self { choice: choice.clone(), keys: Jwks::new(&choice.jwks_url, pause), resource }
    }

    /// This server as its clients know it, where the operator says so.
    pub(super) fn resource(&self) -> Option<&ProtectedResource> {
        self.resource.as_ref()
    }

    /// Begins a sign-in on the provider's page, where one is set up.
    pub(super) fn begin(&self) -> Option<SignOnAttempt> {
        self.choice.code_flow.as_ref().map(code_flow::begin)
    }

    /// Returns true when people can sign in on the provider's page.
    pub(super) fn has_page(&self) -> bool {
        self.choice.code_flow.is_some()
    }

    /// Identity of a valid token; `None` for every other token, whatever the reason: its sender learns nothing.
    pub(super) async fn claimed(&self, token: &str, now: Timestamp) -> Result<Option<Claimed>> {
        let Some(jwt) = Jwt::parse(token) else { return Ok(None) };
        let candidates = self.keys.find(jwt.key_id(), jwt.algorithm()).await?;
        if !candidates.iter().any(|key| jwt.is_signed_by(key)) {
            return Ok(None);
        }
        Ok(read_claims(&self.choice, &self.choice.audience, jwt.claims(), now))
    }
}

/// The identity that claims for `audience` state.
fn read_claims(
    choice: &OidcChoice,
    audience: &str,
    claims: &Map<String, Value>,
    now: Timestamp,
) -> Option<Claimed> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let is_for_us = match claims.get("aud")? {
        Value::String(one) => one == audience,
        Value::Array(several) => several.iter().any(|one| one.as_str() == Some(audience)),
        _ => false,
    };
    if text("iss") != Some(&choice.issuer) || !is_for_us || !is_in_force(claims, now) {
        return None;
    }
    let org = match &choice.org {
        OrgOf::Always(org) => org.clone(),
        OrgOf::Claim(name) => OrgId::new(at(claims, name)?.as_str()?).ok()?,
    };
    let user = UserId::new(at(claims, &choice.user_claim)?.as_str()?).ok()?;
    let words = at(claims, &choice.roles_claim).map(words).unwrap_or_default();
    let mut roles: Vec<Role> = Vec::new();
    for (word, role) in &choice.roles {
        if words.contains(&word.as_str()) && !roles.contains(role) {
            roles.push(*role);
        }
    }
    Some(Claimed { org, user, roles })
}

/// Checks the token's time span. A token without an end is refused: nobody could take it back.
fn is_in_force(claims: &Map<String, Value>, now: Timestamp) -> bool {
    let now = now.as_second() as f64;
    let moment = |name: &str| match claims.get(name) {
        None => Some(None),
        Some(value) => value.as_f64().filter(|seconds| seconds.is_finite()).map(Some),
    };
    let (Some(Some(end)), Some(start), Some(issued)) = (moment("exp"), moment("nbf"), moment("iat")) else {
        return false;
    };
    let begun = |start: Option<f64>| start.is_none_or(|start| now + LEEWAY_SECONDS >= start);
    now - LEEWAY_SECONDS < end && begun(start) && begun(issued)
}

/// A claim by its name, or by its path: `realm_access.roles`.
fn at<'a>(claims: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(path) {
        return Some(value);
    }
    let mut steps = path.split('.');
    let first = claims.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

/// Words come as a list, or as one text with spaces between them.
fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.split_whitespace().collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn choice() -> OidcChoice {
        OidcChoice {
            issuer: "https://id.example".into(),
            audience: "lacuna".into(),
            jwks_url: "https://id.example/keys".into(),
            resource: None,
            refetch_seconds: 30,
            org: OrgOf::Claim("tenant".into()),
            user_claim: "sub".into(),
            roles_claim: "realm.roles".into(),
            roles: vec![("staff".into(), Role::User), ("boss".into(), Role::Admin)],
            code_flow: None,
        }
    }

    fn read(change: impl FnOnce(&mut Map<String, Value>)) -> Option<Claimed> {
        let mut claims = json!({
            "iss": "https://id.example", "aud": ["other", "lacuna"], "exp": 1_000, "nbf": 500, "iat": 500,
            "tenant": "acme", "sub": "anna", "realm": {"roles": ["staff", "stranger"]},
        });
        change(claims.as_object_mut().unwrap());
        read_claims(&choice(), "lacuna", claims.as_object().unwrap(), Timestamp::from_second(800).unwrap())
    }

    #[test]
    fn claims_become_an_organisation_a_user_and_roles() {
        let claimed = read(|_| {}).unwrap();
        assert_eq!((claimed.org.as_str(), claimed.user.as_str()), ("acme", "anna"));
        assert_eq!(claimed.roles, [Role::User]);
        let nobody = read(|claims| drop(claims.remove("realm"))).unwrap();
        assert_eq!(nobody.roles, []);
    }

    #[test]
    fn a_token_of_another_time_issuer_or_audience_is_nobodys() {
        type Change = fn(&mut Map<String, Value>);
        let bad: [Change; 12] = [
            |claims| drop(claims.insert("iss".into(), json!("https://id.example.evil"))),
            |claims| drop(claims.remove("iss")),
            |claims| drop(claims.insert("aud".into(), json!("other"))),
            |claims| drop(claims.remove("aud")),
            |claims| drop(claims.remove("exp")),
            |claims| drop(claims.insert("exp".into(), json!(740))),
            |claims| drop(claims.insert("exp".into(), json!("1000"))),
            |claims| drop(claims.insert("nbf".into(), json!(861))),
            |claims| drop(claims.insert("iat".into(), json!(861))),
            |claims| drop(claims.remove("tenant")),
            |claims| drop(claims.insert("sub".into(), json!(7))),
            |claims| drop(claims.insert("sub".into(), json!(""))),
        ];
        for (number, change) in bad.into_iter().enumerate() {
            assert_eq!(read(change), None, "case {number}");
        }
        assert!(read(|claims| drop(claims.insert("exp".into(), json!(741)))).is_some(), "within the leeway");
    }
}
