//! Every setting as people may see it: its value, where it comes from, and nothing that is secret.

use serde::Serialize;

use super::http::default_workers;
use super::{KEYS, RawConfig};

/// Text that stands in the place of a password.
const MASK: &str = "***";
/// The origin of what nothing sets.
const DEFAULT: &str = "default";

/// One setting. What nothing sets has the origin `default`.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub(crate) struct ShownSetting {
    pub(crate) setting: String,
    /// Absent: it is not set, and needs nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    pub(crate) origin: String,
}

impl ShownSetting {
    pub(crate) fn is_set(&self) -> bool {
        self.origin != DEFAULT
    }
}

impl RawConfig {
    /// Every key in its order, then whoever is told of erasures.
    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let keys = KEYS.iter().map(|key| {
            let (value, origin) = match self.settings.get(key) {
                Some(set) => (Some(masked(&set.text)), set.origin.clone()),
                None => (default_of(key), DEFAULT.to_owned()),
            };
            ShownSetting { setting: (*key).to_owned(), value, origin }
        });
        let hooks = self.webhooks.iter().map(|hook| ShownSetting {
            setting: format!("webhook {}", hook.name),
            value: Some(masked(&hook.url)),
            origin: "the file".to_owned(),
        });
        keys.chain(hooks).collect()
    }
}

/// Default of a key, if that is one value.
fn default_of(key: &str) -> Option<String> {
    let text = match key {
        "data" => super::data_folder(None).display().to_string(),
        "store" => "sqlite".into(),
        "custody.kind" => "local".into(),
        "custody.mount" => super::custody::MOUNT_DEFAULT.into(),
        "custody.kv" => super::custody::KV_DEFAULT.into(),
        "custody.prefix" => super::custody::PREFIX_DEFAULT.into(),
        "custody.cache_seconds" => super::custody::CACHE_SECONDS_DEFAULT.to_string(),
        "embedder" => "sentence".into(),
        "llm.forget_seconds" => "0".into(),
        "listen" => super::LISTEN_DEFAULT.into(),
        "behind_tls_proxy" | "allow_core_dumps" | "weak_passphrase" | "keys_beside_data" => "false".into(),
        "org" => super::ORG_DEFAULT.into(),
        "user" => super::default_user().to_string(),
        "open_bytes_max" => super::OPEN_BYTES_MAX_DEFAULT.to_string(),
        "idle_seal_minutes" => super::IDLE_SEAL_MINUTES_DEFAULT.to_string(),
        "http.connections_max" => super::http::CONNECTIONS_DEFAULT.to_string(),
        "http.requests_max" => super::http::REQUESTS_DEFAULT.to_string(),
        "http.workers" => default_workers().to_string(),
        "http.request_seconds" => super::http::REQUEST_SECONDS_DEFAULT.to_string(),
        "http.header_seconds" => super::http::HEADER_SECONDS_DEFAULT.to_string(),
        "http.body_seconds" => super::http::BODY_SECONDS_DEFAULT.to_string(),
        "http.notice_seconds" => super::http::NOTICE_SECONDS_DEFAULT.to_string(),
        "http.drain_seconds" => super::http::DRAIN_SECONDS_DEFAULT.to_string(),
        "oidc.refetch_seconds" => super::http::REFETCH_SECONDS_DEFAULT.to_string(),
        "console.idle_seconds" => super::http::CONSOLE_IDLE_SECONDS_DEFAULT.to_string(),
        "log.format" => "text".into(),
        "residency" => "none".into(),
        _ => return None,
    };
    Some(text)
}

/// Nobody needs the password of a URL to see that it is the right URL. It may stand before the host or in the
/// query, and the last `@` ends it: passwords hold anything.
fn masked(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (account, place) = match rest.rsplit_once('@') {
        Some((account, place)) => (masked_account(account), place),
        None => (String::new(), rest),
    };
    match place.split_once('?') {
        Some((place, query)) => {
            let hide = |pair: &str| match pair.split_once('=') {
                Some((name, _)) => format!("{name}={MASK}"),
                None => MASK.to_owned(),
            };
            let query: Vec<_> = query.split('&').map(hide).collect();
            format!("{scheme}://{account}{place}?{}", query.join("&"))
        }
        None => format!("{scheme}://{account}{place}"),
    }
}

fn masked_account(account: &str) -> String {
    match account.split_once(':') {
        Some((user, _)) => format!("{user}:{MASK}@"),
        None if account.contains(['?', '/']) => format!("{MASK}@"),
        None => format!("{account}@"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked_wherever_they_stand() {
        let cases = [
            ("postgres://u:hunter2@h:5432/d", "postgres://u:***@h:5432/d"),
            ("postgres://u:hun@ter2@h/d", "postgres://u:***@h/d"),
            ("postgres://u:hun/ter2@h/d", "postgres://u:***@h/d"),
            ("postgres://u:hun?ter2@h/d", "postgres://u:***@h/d"),
            ("postgres://u@h/d?password=hunter2&x=1", "postgres://u@h/d?password=***&x=***"),
            ("https://api.example/v1", "https://api.example/v1"),
            ("static", "static"),
        ];
        for (text, expected) in cases {
            assert_eq!(masked(text), expected);
        }
    }
}
