//! OpenBao, or a Vault that speaks the same: transit wraps keys, and KV version 2 is the home of the anchor.

use std::path::PathBuf;

use lacuna_store::keys::{AnchorHome, HomeDocument, KeyService};
use lacuna_types::{Error, Result};
use serde_json::{Value, json};
use ureq::http::Request;
use zeroize::Zeroizing;

use super::{
    ServiceAnswer, ServiceLine, decoded, encoded, is_passing, key_missing, key_of, refused, unavailable,
};

const TOKEN_HEADER: &str = "X-Vault-Token";
const NOT_FOUND: u16 = 404;
/// The words of OpenBao for a transit key that is not there.
const NO_SUCH_KEY: &str = "encryption key not found";
const CAS_MISMATCH: &str = "check-and-set";

/// The place of the token. A file is read for every request, so that an agent may renew it.
pub(crate) enum TokenSource {
    Given(Zeroizing<String>),
    File(PathBuf),
}

impl TokenSource {
    fn read(&self) -> Result<Zeroizing<String>> {
        match self {
            Self::Given(token) => Ok(token.clone()),
            Self::File(path) => std::fs::read_to_string(path)
                .map(|text| Zeroizing::new(text.trim().to_owned()))
                .map_err(|error| refused(format!("custody.token_file cannot be read: {error}"))),
        }
    }
}

/// One server, with the mounts and the names that belong to this installation.
pub(crate) struct OpenBao {
    line: ServiceLine,
    url: String,
    token: TokenSource,
    transit: String,
    kv: String,
    prefix: String,
}

impl OpenBao {
    pub(crate) fn new(url: &str, token: TokenSource, transit: &str, kv: &str, prefix: &str) -> Result<Self> {
        let url = url.trim_end_matches('/').to_owned();
        let line = ServiceLine::new(format!("OpenBao at {url}"), &url)?;
        let (transit, kv, prefix) = (transit.to_owned(), kv.to_owned(), prefix.to_owned());
        Ok(Self { line, url, token, transit, kv, prefix })
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<ServiceAnswer> {
        let token = self.token.read()?;
        let answer = self.line.ask(|| {
            let bytes = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
            Request::builder()
                .method(method)
                .uri(format!("{}/v1/{path}", self.url))
                .header(TOKEN_HEADER, token.as_str())
                .header("Content-Type", "application/json")
                .body(bytes)
                .map_err(|_| refused("the token of OpenBao holds characters that no header may".to_owned()))
        })?;
        match answer.status {
            503 if answer.says("sealed") => {
                Err(unavailable(&self.line.shown, "is sealed: unseal it", "sealed"))
            }
            status if is_passing(status) => {
                Err(unavailable(&self.line.shown, &format!("answers HTTP {status}"), "server error"))
            }
            403 => Err(refused(format!(
                "{} does not allow it: the token is wrong or expired, or its policy lacks {path}",
                self.line.shown
            ))),
            _ => Ok(answer),
        }
    }

    fn key(&self, under: &str) -> String {
        format!("{}-{under}", self.prefix)
    }

    /// Asks transit; `data` of the answer, or the fault.
    fn transit(&self, act: &str, under: &str, body: &Value) -> Result<Zeroizing<String>> {
        let key = self.key(under);
        let answer = self.ask("POST", &format!("{}/{act}/{key}", self.transit), Some(body))?;
        let field = if act == "encrypt" { "ciphertext" } else { "plaintext" };
        match answer.status {
            200 => answer.text(&["data", field]).ok_or_else(|| self.strange()),
            _ if answer.says(NO_SUCH_KEY) => Err(key_missing(&self.line.shown, &key)),
            NOT_FOUND => Err(refused(format!(
                "{} has no transit engine at {}/: enable it, or name the right one in custody.mount",
                self.line.shown, self.transit
            ))),
            status => Err(refused(format!(
                "{} refuses to {act} with {key} (HTTP {status}): the wrapped key is of another installation, or was changed",
                self.line.shown
            ))),
        }
    }

    fn strange(&self) -> Error {
        refused(format!("{} gave an answer that is not as expected", self.line.shown))
    }

    fn document(&self, name: &str) -> String {
        format!("{}/data/{}/anchor/{name}", self.kv, self.prefix)
    }
}

impl ServiceAnswer {
    fn says(&self, words: &str) -> bool {
        String::from_utf8_lossy(&self.body).contains(words)
    }

    /// A text in the answer. The parsed copy is dropped with the answer's other parts, which are no secrets.
    fn text(&self, path: &[&str]) -> Option<Zeroizing<String>> {
        let mut value: Value = serde_json::from_slice(&self.body).ok()?;
        for step in path {
            value = value.get_mut(step)?.take();
        }
        match value {
            Value::String(text) => Some(Zeroizing::new(text)),
            _ => None,
        }
    }
}

impl KeyService for OpenBao {
    /// Transit makes a key that is not there, if the token's policy has `create` for this path.
    fn wrap(&self, under: &str, name: &str, key: &[u8; 32]) -> Result<Vec<u8>> {
        let body =
            json!({"plaintext": encoded(key).as_str(), "associated_data": encoded(name.as_bytes()).as_str()});
        Ok(self.transit("encrypt", under, &body)?.as_bytes().to_vec())
    }

    fn unwrap(&self, under: &str, name: &str, wrapped: &[u8]) -> Result<Zeroizing<[u8; 32]>> {
        let ciphertext =
            std::str::from_utf8(wrapped).map_err(|_| Error::corrupt("a wrapped key is not text"))?;
        let body = json!({"ciphertext": ciphertext, "associated_data": encoded(name.as_bytes()).as_str()});
        key_of(&self.line.shown, &self.transit("decrypt", under, &body)?)
    }

    fn delete(&self, under: &str) -> Result<()> {
        let key = format!("{}/keys/{}", self.transit, self.key(under));
        let allow = self.ask("POST", &format!("{key}/config"), Some(&json!({"deletion_allowed": true})))?;
        let gone = |answer: &ServiceAnswer| answer.status == NOT_FOUND || answer.says("no existing key");
        if gone(&allow) {
            return Ok(());
        }
        let deleted = self.ask("DELETE", &key, None)?;
        match deleted.status {
            200 | 204 => Ok(()),
            _ if gone(&deleted) || deleted.says("not found") => Ok(()),
            status => Err(refused(format!("{} does not delete {key} (HTTP {status})", self.line.shown))),
        }
    }

    fn shown(&self) -> String {
        self.line.shown.clone()
    }
}

impl AnchorHome for OpenBao {
    fn load(&self, name: &str) -> Result<HomeDocument> {
        let answer = self.ask("GET", &self.document(name), None)?;
        if answer.status == NOT_FOUND && !answer.says("no handler for route") {
            return Ok(HomeDocument::default());
        }
        let parsed: Option<Value> = serde_json::from_slice(&answer.body).ok();
        let document = parsed.and_then(|value| {
            let version = value["data"]["metadata"]["version"].as_u64()?;
            let bytes = decoded(value["data"]["data"]["document"].as_str()?)?;
            Some(HomeDocument { version, bytes: bytes.to_vec() })
        });
        document.ok_or_else(|| {
            refused(format!(
                "{} has no key-value engine of version 2 at {}/: enable it, or name the right one in custody.kv",
                self.line.shown, self.kv
            ))
        })
    }

    fn store(&self, name: &str, document: &HomeDocument) -> Result<bool> {
        let body = json!({
            "options": {"cas": document.version},
            "data": {"document": encoded(&document.bytes).as_str()},
        });
        let answer = self.ask("POST", &self.document(name), Some(&body))?;
        match answer.status {
            200 | 204 => Ok(true),
            _ if answer.says(CAS_MISMATCH) => Ok(false),
            status => Err(refused(format!(
                "{} does not take the anchor (HTTP {status}): custody.kv must be a key-value engine of version 2",
                self.line.shown
            ))),
        }
    }
}
