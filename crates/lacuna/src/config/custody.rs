//! The custody of the keys at the top: a folder, or a key management service.

use std::path::PathBuf;
use std::time::Duration;

use super::{RawConfig, http, within};

pub(super) const CACHE_SECONDS_DEFAULT: u64 = 900;
const CACHE_SECONDS_MAX: u64 = 24 * 60 * 60;
pub(super) const PREFIX_DEFAULT: &str = "lacuna";
pub(super) const MOUNT_DEFAULT: &str = "transit";
pub(super) const KV_DEFAULT: &str = "secret";
const NAME_CHARS_MAX: usize = 64;

/// The place of master, epoch and signing keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum CustodyKind {
    /// Files in the data folder.
    #[default]
    Local,
    OpenBao,
    Aws,
}

impl CustodyKind {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        match word {
            "local" => Some(Self::Local),
            "openbao" => Some(Self::OpenBao),
            "aws" => Some(Self::Aws),
            _ => None,
        }
    }
}

/// Settings of the custody. Tokens and secrets are named by the variable or the file that holds them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CustodyChoice {
    pub(crate) kind: CustodyKind,
    pub(crate) url: Option<String>,
    pub(crate) token_env: Option<String>,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) mount: String,
    pub(crate) kv: String,
    pub(crate) prefix: String,
    pub(crate) region: Option<String>,
    /// The longest time that an unwrapped key stays in RAM without being asked for again.
    pub(crate) cache: Duration,
}

impl CustodyChoice {
    /// The address that is called, for the rules of residency; `None` for a folder.
    pub(crate) fn address(&self) -> Option<String> {
        match (self.kind, &self.url, &self.region) {
            (CustodyKind::Local, ..) => None,
            (_, Some(url), _) => Some(url.clone()),
            (_, None, region) => region.as_ref().map(|region| format!("https://kms.{region}.amazonaws.com")),
        }
    }
}

impl RawConfig {
    pub(super) fn custody(&mut self) -> CustodyChoice {
        let kind = self.checked("custody.kind", |text| {
            CustodyKind::parse(text).ok_or_else(|| "must be local, openbao or aws".to_owned())
        });
        let url = self.checked("custody.url", |text| match http::is_safe_url(text) {
            true => Ok(text.to_owned()),
            false => Err("must start with https://, or http:// on this machine".to_owned()),
        });
        let cache = self.checked("custody.cache_seconds", |text| {
            within(text, 1, CACHE_SECONDS_MAX, "a number of seconds from 1 to 86400")
        });
        let choice = CustodyChoice {
            kind: kind.unwrap_or_default(),
            url,
            token_env: self.text("custody.token_env"),
            token_file: self.text("custody.token_file").map(PathBuf::from),
            mount: self.path_part("custody.mount", MOUNT_DEFAULT),
            kv: self.path_part("custody.kv", KV_DEFAULT),
            prefix: self.path_part("custody.prefix", PREFIX_DEFAULT),
            region: self.text("custody.region"),
            cache: Duration::from_secs(cache.unwrap_or(CACHE_SECONDS_DEFAULT)),
        };
        self.check_custody(&choice);
        choice
    }

    fn check_custody(&mut self, choice: &CustodyChoice) {
        let has_token = choice.token_env.is_some() != choice.token_file.is_some();
        match choice.kind {
            CustodyKind::Local => {}
            CustodyKind::OpenBao if choice.url.is_none() || !has_token => self.fault(
                "custody.kind",
                "openbao also needs custody.url, and custody.token_env or custody.token_file",
            ),
            CustodyKind::Aws if choice.region.is_none() => {
                self.fault("custody.kind", "aws also needs custody.region");
            }
            CustodyKind::OpenBao | CustodyKind::Aws => {}
        }
    }

    /// A name that becomes part of a path: letters, digits, dashes and underscores.
    fn path_part(&mut self, key: &'static str, default: &str) -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let read = self.checked(key, |text| {
            match (1..=NAME_CHARS_MAX).contains(&text.len()) && text.chars().all(fits) {
                true => Ok(text.to_owned()),
                false => Err("must be 1 to 64 letters, digits, dashes and underscores".to_owned()),
            }
        });
        read.unwrap_or_else(|| default.to_owned())
    }
}
