//! AWS KMS over its JSON interface. Each key of ours goes by an alias, and its name is part of the encryption context.

use lacuna_store::keys::KeyService;
use lacuna_store::signature::{Signed, SignedFor, amz_date, authorization};
use lacuna_types::{Clock, Error, Result, SystemClock};
use serde_json::{Value, json};
use ureq::http::Request;
use zeroize::Zeroizing;

use super::{
    ServiceAnswer, ServiceLine, decoded, encoded, is_passing, key_missing, key_of, refused, unavailable,
};

/// The shortest wait before AWS deletes a key. It cannot be used meanwhile.
const PENDING_DAYS: u32 = 7;
const CONTENT_TYPE: &str = "application/x-amz-json-1.1";
const CONTEXT: &str = "lacuna:key";

/// An access key of AWS. No `Debug`: it holds the secret.
pub(crate) struct AwsLogin {
    pub(crate) id: String,
    pub(crate) secret: Zeroizing<String>,
    pub(crate) session: Option<Zeroizing<String>>,
}

/// One region, with the names that belong to this installation.
pub(crate) struct AwsKms {
    line: ServiceLine,
    url: String,
    host: String,
    region: String,
    login: AwsLogin,
    prefix: String,
}

impl AwsKms {
    pub(crate) fn new(url: &str, region: &str, login: AwsLogin, prefix: &str) -> Result<Self> {
        let url = url.trim_end_matches('/').to_owned();
        let line = ServiceLine::new(format!("AWS KMS at {url}"), &url)?;
        let host = url.split_once("://").map_or(url.as_str(), |(_, host)| host).to_owned();
        Ok(Self { line, url, host, region: region.to_owned(), login, prefix: prefix.to_owned() })
    }

    fn ask(&self, action: &str, body: &Value) -> Result<ServiceAnswer> {
        let answer = self.line.ask(|| self.signed(action, body.to_string().into_bytes()))?;
        match answer.status {
            status if is_passing(status) => {
                Err(unavailable(&self.line.shown, &format!("answers HTTP {status}"), "server error"))
            }
            _ => Ok(answer),
        }
    }

    fn signed(&self, action: &str, body: Vec<u8>) -> Result<Request<Vec<u8>>> {
        let at = SystemClock.now();
        let (date, target) = (amz_date(at), format!("TrentService.{action}"));
        let mut headers = vec![
            ("content-type", CONTENT_TYPE),
            ("host", self.host.as_str()),
            ("x-amz-date", &date),
            ("x-amz-target", &target),
        ];
        if let Some(session) = &self.login.session {
            headers.insert(3, ("x-amz-security-token", session.as_str()));
        }
        let request = Signed { method: "POST", path: "/", query: "", headers: &headers, body: &body };
        let place = SignedFor { region: &self.region, service: "kms", at };
        let value = authorization(&request, &place, &self.login.id, &self.login.secret);
        let mut built = Request::builder().method("POST").uri(format!("{}/", self.url));
        for (name, value) in headers.iter().filter(|(name, _)| *name != "host") {
            built = built.header(*name, *value);
        }
        built
            .header("authorization", value)
            .body(body)
            .map_err(|_| refused("the access key of AWS holds characters that no header may".to_owned()))
    }

    fn alias(&self, under: &str) -> String {
        format!("alias/{}-{under}", self.prefix)
    }

    /// The parsed answer, or the fault in the words of the caller.
    fn done(&self, act: &str, under: &str, answer: &ServiceAnswer) -> Result<Value> {
        if answer.status == 200 {
            return serde_json::from_slice(&answer.body)
                .map_err(|_| refused(format!("{} gave an answer that is not as expected", self.line.shown)));
        }
        let (service, alias) = (&self.line.shown, self.alias(under));
        Err(match fault_of(answer).as_str() {
            "NotFoundException" | "DisabledException" | "KMSInvalidStateException" => {
                key_missing(service, &alias)
            }
            "ThrottlingException" | "DependencyTimeoutException" | "KeyUnavailableException" => {
                unavailable(service, "is too busy", "throttled")
            }
            "AccessDeniedException" => {
                refused(format!("{service} does not allow it: the policy lacks kms:{act} for {alias}"))
            }
            fault @ ("UnrecognizedClientException"
            | "InvalidSignatureException"
            | "ExpiredTokenException"
            | "IncompleteSignatureException"
            | "InvalidClientTokenId"
            | "SignatureDoesNotMatch") => refused(format!(
                "{service} does not accept the access key ({fault}): check AWS_ACCESS_KEY_ID, \
                 AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, custody.region and the clock"
            )),
            fault => refused(format!("{service} refuses to {act} with {alias} ({fault})")),
        })
    }

    fn encrypt(&self, under: &str, name: &str, key: &[u8; 32]) -> Result<Vec<u8>> {
        let body = json!({
            "KeyId": self.alias(under),
            "Plaintext": encoded(key).as_str(),
            "EncryptionContext": {CONTEXT: name},
        });
        let answer = self.done("Encrypt", under, &self.ask("Encrypt", &body)?)?;
        let blob = answer["CiphertextBlob"].as_str().and_then(decoded);
        Ok(blob.ok_or_else(|| Error::corrupt("AWS KMS returned no ciphertext"))?.to_vec())
    }

    fn make(&self, under: &str) -> Result<()> {
        let body = json!({"Description": format!("{}: {under}", self.prefix), "KeyUsage": "ENCRYPT_DECRYPT"});
        let made = self.done("CreateKey", under, &self.ask("CreateKey", &body)?)?;
        let id = &made["KeyMetadata"]["KeyId"];
        let named = self.ask("CreateAlias", &json!({"AliasName": self.alias(under), "TargetKeyId": id}))?;
        match fault_of(&named).as_str() {
            // Another node was first: its key is used, and this one is not.
            "AlreadyExistsException" => self
                .ask("ScheduleKeyDeletion", &json!({"KeyId": id, "PendingWindowInDays": PENDING_DAYS}))
                .map(drop),
            _ if named.status == 200 => Ok(()),
            _ => self.done("CreateAlias", under, &named).map(drop),
        }
    }
}

/// The name of the exception in an answer, without its namespace.
fn fault_of(answer: &ServiceAnswer) -> String {
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let kind = value["__type"].as_str().unwrap_or_default();
    kind.rsplit('#').next().unwrap_or_default().to_owned()
}

impl KeyService for AwsKms {
    fn wrap(&self, under: &str, name: &str, key: &[u8; 32]) -> Result<Vec<u8>> {
        match self.encrypt(under, name, key) {
            Err(error) if error.code() == "kms_key_missing" => {
                self.make(under)?;
                self.encrypt(under, name, key)
            }
            wrapped => wrapped,
        }
    }

    fn unwrap(&self, under: &str, name: &str, wrapped: &[u8]) -> Result<Zeroizing<[u8; 32]>> {
        let body = json!({
            "KeyId": self.alias(under),
            "CiphertextBlob": encoded(wrapped).as_str(),
            "EncryptionContext": {CONTEXT: name},
        });
        let mut answer = self.done("Decrypt", under, &self.ask("Decrypt", &body)?)?;
        match answer["Plaintext"].take() {
            Value::String(text) => key_of(&self.line.shown, &Zeroizing::new(text)),
            _ => Err(refused(format!("{} gave an answer that is not as expected", self.line.shown))),
        }
    }

    fn delete(&self, under: &str) -> Result<()> {
        let found = self.ask("DescribeKey", &json!({"KeyId": self.alias(under)}))?;
        let key = match self.done("DescribeKey", under, &found) {
            Err(error) if error.code() == "kms_key_missing" => return Ok(()),
            found => found?["KeyMetadata"]["KeyId"].clone(),
        };
        let body = json!({"KeyId": key, "PendingWindowInDays": PENDING_DAYS});
        match self.done("ScheduleKeyDeletion", under, &self.ask("ScheduleKeyDeletion", &body)?) {
            Err(error) if error.code() != "kms_key_missing" => Err(error),
            _ => Ok(()),
        }
    }

    fn shown(&self) -> String {
        self.line.shown.clone()
    }
}
