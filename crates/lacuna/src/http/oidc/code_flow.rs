//! Sign-in by the authorisation code flow of OpenID Connect, with PKCE, a state and a nonce. Nothing is stored here: the
//! three secrets of an attempt travel in a cookie of the browser that made it.

use std::time::Duration;

use jiff::Timestamp;
use lacuna_models::http_agent;
use lacuna_seal::{Entropy, SystemEntropy, sha256};
use serde::Deserialize;
use serde_json::Value;
use ureq::Agent;
use zeroize::{Zeroize as _, Zeroizing};

use super::jwt::Jwt;
use super::{Claimed, SignOn, read_claims};
use crate::codes;
use crate::config::CodeFlowChoice;
use crate::wire::base64url;
use crate::wire::failure::{Failure, Result};

const SECRET_BYTES: usize = 32;
/// Characters of one secret in base64url.
const SECRET_CHARS: usize = 43;
/// Characters of a code that a provider hands out.
const CODE_CHARS_MAX: usize = 4_096;
const ANSWER_BYTES_MAX: u64 = 256 << 10;
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// One attempt to sign in: what the browser is sent to, and what it keeps meanwhile.
pub(crate) struct SignOnAttempt {
    /// The address of the provider's page.
    pub(crate) address: String,
    /// The value of the browser's cookie.
    pub(crate) kept: Zeroizing<String>,
}

/// The provider's answer, as the browser brings it back.
#[derive(Deserialize)]
pub(crate) struct SignOnAnswer {
    code: Option<String>,
    state: Option<String>,
    iss: Option<String>,
}

/// The secrets of one attempt.
struct AttemptSecrets<'a> {
    state: &'a str,
    nonce: &'a str,
    verifier: &'a str,
}

impl<'a> AttemptSecrets<'a> {
    fn read(kept: &'a str) -> Option<Self> {
        let mut parts = kept.split('.').filter(|part| part.len() == SECRET_CHARS);
        let (state, nonce, verifier) = (parts.next()?, parts.next()?, parts.next()?);
        (kept.len() == 3 * SECRET_CHARS + 2).then_some(Self { state, nonce, verifier })
    }
}

#[derive(Deserialize)]
struct TokenAnswer {
    id_token: String,
}

/// Begins an attempt to sign in.
pub(in crate::http) fn begin(choice: &CodeFlowChoice) -> SignOnAttempt {
    let [state, nonce, verifier] = [(); 3].map(|()| make_secret());
    let challenge = base64url(&sha256(verifier.as_bytes()));
    let fields = [
        ("response_type", "code"),
        ("client_id", &choice.client_id),
        ("redirect_uri", &choice.redirect_url),
        ("scope", "openid profile"),
        ("state", &state),
        ("nonce", &nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let joint = if choice.authorize_url.contains('?') { '&' } else { '?' };
    let address = format!("{}{joint}{}", choice.authorize_url, form(&fields).as_str());
    let kept = Zeroizing::new(format!("{}.{}.{}", *state, *nonce, *verifier));
    SignOnAttempt { address, kept }
}

impl SignOn {
    /// The identity that the provider vouches for; `None` for an answer that does not belong to this browser's attempt,
    /// or that the provider does not stand by.
    pub(in crate::http) async fn finish(
        &self,
        answer: SignOnAnswer,
        kept: &str,
        now: Timestamp,
    ) -> Result<Option<Claimed>> {
        let (Some(choice), Some(secrets)) = (&self.choice.code_flow, AttemptSecrets::read(kept)) else {
            return Ok(None);
        };
        let is_same = |given: &str, known: &str| {
            aws_lc_rs::constant_time::verify_slices_are_equal(given.as_bytes(), known.as_bytes()).is_ok()
        };
        // An answer of another provider, played into this attempt, would name itself.
        let is_ours = answer.state.as_deref().is_some_and(|state| is_same(state, secrets.state))
            && answer.iss.as_deref().is_none_or(|issuer| issuer == self.choice.issuer);
        let Some(code) = answer.code.filter(|code| is_ours && code.len() <= CODE_CHARS_MAX) else {
            return Ok(None);
        };
        let Some(token) = redeem(choice, &code, secrets.verifier).await? else { return Ok(None) };
        let Some(jwt) = Jwt::parse(&token) else { return Ok(None) };
        let candidates = self.keys.find(jwt.key_id(), jwt.algorithm()).await?;
        if !candidates.iter().any(|key| jwt.is_signed_by(key)) {
            return Ok(None);
        }
        let text = |name: &str| jwt.claims().get(name).and_then(Value::as_str);
        let is_answer = text("nonce").is_some_and(|nonce| is_same(nonce, secrets.nonce))
            && text("azp").is_none_or(|party| party == choice.client_id);
        Ok(read_claims(&self.choice, &choice.client_id, jwt.claims(), now).filter(|_| is_answer))
    }
}

/// Exchanges a code for the token that says who signed in; `None` when the provider refuses.
async fn redeem(choice: &CodeFlowChoice, code: &str, verifier: &str) -> Result<Option<Zeroizing<String>>> {
    let body = form(&[
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", &choice.redirect_url),
        ("client_id", &choice.client_id),
        ("code_verifier", verifier),
    ]);
    let agent = http_agent(&choice.token_url, ANSWER_TIME);
    let (url, secret) = (choice.token_url.clone(), basic(choice));
    let asked = tokio::task::spawn_blocking(move || ask(&agent, &url, secret.as_deref(), &body)).await;
    asked.unwrap_or(Err("the thread ended")).map_err(|reason| {
        tracing::warn!(reason, "the token endpoint of the sign-on service does not answer");
        Failure::new(&codes::SIGN_ON_UNAVAILABLE, codes::SIGN_ON_UNAVAILABLE.meaning)
    })
}

fn ask(
    agent: &Agent,
    url: &str,
    secret: Option<&String>,
    body: &str,
) -> std::result::Result<Option<Zeroizing<String>>, &'static str> {
    let mut request = agent.post(url).header("content-type", "application/x-www-form-urlencoded");
    if let Some(secret) = secret {
        request = request.header("authorization", secret.as_str());
    }
    let mut response = request.send(body).map_err(|_| "no connection")?;
    match response.status().as_u16() {
        200 => {}
        400..=499 => return Ok(None),
        _ => return Err("an answer with an error"),
    }
    let limited = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
    let mut bytes = limited.map_err(|_| "an answer that is too long or broken")?;
    let read = serde_json::from_slice::<TokenAnswer>(&bytes).map_err(|_| "an answer without an id_token");
    bytes.zeroize();
    read.map(|answer| Some(Zeroizing::new(answer.id_token)))
}

/// The header with the client's secret, where the operator named the variable that holds one.
fn basic(choice: &CodeFlowChoice) -> Option<Zeroizing<String>> {
    use base64::Engine as _;
    let secret = Zeroizing::new(std::env::var(choice.client_secret_env.as_deref()?).ok()?);
    let pair = Zeroizing::new(format!("{}:{}", escaped(&choice.client_id), escaped(&secret)));
    let coded = Zeroizing::new(base64::engine::general_purpose::STANDARD.encode(pair.as_bytes()));
    Some(Zeroizing::new(format!("Basic {}", *coded)))
}

fn make_secret() -> Zeroizing<String> {
    let mut bytes = Zeroizing::new([0u8; SECRET_BYTES]);
    SystemEntropy.fill(&mut *bytes);
    Zeroizing::new(base64url(&*bytes))
}

fn form(fields: &[(&str, &str)]) -> Zeroizing<String> {
    let pairs: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    Zeroizing::new(pairs.join("&"))
}

/// A value of a form or an address: everything but letters, digits and four signs is escaped.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_names_everything_that_the_provider_needs_and_hides_the_verifier() {
        let choice = CodeFlowChoice {
            client_id: "lacuna web".into(),
            client_secret_env: None,
            authorize_url: "https://id.example/authorize?tenant=a".into(),
            token_url: "https://id.example/token".into(),
            redirect_url: "https://memory.example/console/sign-on/return".into(),
        };
        let (one, other) = (begin(&choice), begin(&choice));
        let secrets = AttemptSecrets::read(&one.kept).unwrap();
        let challenge = base64url(&sha256(secrets.verifier.as_bytes()));
        for part in [
            "https://id.example/authorize?tenant=a&response_type=code&client_id=lacuna%20web&",
            "redirect_uri=https%3A%2F%2Fmemory.example%2Fconsole%2Fsign-on%2Freturn",
            &format!("state={}", secrets.state),
            &format!("nonce={}", secrets.nonce),
            &format!("code_challenge={challenge}"),
            "code_challenge_method=S256",
        ] {
            assert!(one.address.contains(part), "{part} in {}", one.address);
        }
        assert!(!one.address.contains(secrets.verifier));
        assert_ne!(one.kept, other.kept);
    }

    #[test]
    fn a_cookie_that_is_not_ours_has_no_secrets() {
        let secret = "a".repeat(SECRET_CHARS);
        assert!(AttemptSecrets::read(&format!("{secret}.{secret}.{secret}")).is_some());
        for bad in [
            String::new(),
            "..".into(),
            format!("{secret}.{secret}"),
            format!("{secret}.{secret}.{secret}.x"),
        ] {
            assert!(AttemptSecrets::read(&bad).is_none(), "{bad}");
        }
    }
}
