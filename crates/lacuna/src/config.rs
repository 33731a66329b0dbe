//! Configuration, read twice: first as text per key ([`RawConfig`]), then as meaning ([`Config`]).
//! Flags are stronger than the environment, the environment than the file, the file than the defaults.

mod bucket;
mod custody;
mod env;
mod http;
mod residency;
use residency::Residency;
pub(crate) use residency::outgoing;
mod show;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use etcetera::BaseStrategy;
use jiff::SignedDuration;
use lacuna_core::OPEN_BYTES_MAX_DEFAULT;
use lacuna_core::govern::Schedule;
use lacuna_core::vault::RECIPIENTS_MAX;
use lacuna_models::LlmKind;
use lacuna_store::blobs::BucketAddress;
use lacuna_types::{OrgId, UserId};
use serde::Deserialize;

pub(crate) use self::bucket::BUCKET_SCHEME;
pub(crate) use self::custody::{CustodyChoice, CustodyKind};
use self::env::{UnknownVariable, env_path};
pub(crate) use self::http::{CodeFlowChoice, HttpChoice, LimitChoice, OidcChoice, OrgOf, TlsChoice};
pub(crate) use self::show::ShownSetting;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Every key, as the file spells it. The environment spells `endpoint.url` as `LACUNA_ENDPOINT_URL`.
const KEYS: &[&str] = &[
    "data",
    "store",
    "keys",
    "keys_beside_data",
    "custody.kind",
    "custody.url",
    "custody.token_env",
    "custody.token_file",
    "custody.mount",
    "custody.kv",
    "custody.prefix",
    "custody.region",
    "custody.cache_seconds",
    "blobs",
    "embedder",
    "endpoint.url",
    "endpoint.model",
    "endpoint.api_key_env",
    "endpoint.dimensions",
    "llm.kind",
    "llm.url",
    "llm.model",
    "llm.key_env",
    "llm.forget_seconds",
    "listen",
    "behind_tls_proxy",
    "org",
    "user",
    "open_bytes_max",
    "idle_seal_minutes",
    "allow_core_dumps",
    "epoch_days",
    "policies",
    "secret_rules",
    "weak_passphrase",
    "http.connections_max",
    "http.connections_per_address",
    "http.requests_max",
    "http.nodes",
    "http.workers",
    "http.request_seconds",
    "http.header_seconds",
    "http.body_seconds",
    "http.notice_seconds",
    "http.drain_seconds",
    "cors.origins",
    "limits.reads_per_minute",
    "limits.writes_per_minute",
    "limits.heavy_per_minute",
    "limits.bytes_per_day",
    "tls.cert",
    "tls.key",
    "oidc.issuer",
    "oidc.audience",
    "oidc.jwks_url",
    "oidc.resource",
    "oidc.refetch_seconds",
    "oidc.org",
    "oidc.org_claim",
    "oidc.user_claim",
    "oidc.roles_claim",
    "oidc.roles",
    "oidc.client_id",
    "oidc.client_secret_env",
    "oidc.authorize_url",
    "oidc.token_url",
    "oidc.redirect_url",
    "console.idle_seconds",
    "log.format",
    "otlp.url",
    "residency",
    "regions",
];
/// Keys that hold several values: a list in the file, or text with commas between them. What pairs names may be
/// a table in the file as well.
const LISTS: &[&str] = &["cors.origins", "http.nodes", "oidc.roles", "regions"];
/// The one key that is a list of tables, and stands in the file only.
const WEBHOOKS: &str = "webhook";
const FILE_NAME: &str = "lacuna.toml";
const POLICIES_FOLDER: &str = "policies";
/// A configuration file is small; anything larger is not one.
const FILE_BYTES_MAX: u64 = 64 << 10;

const LISTEN_DEFAULT: &str = "127.0.0.1:7707";
const ORG_DEFAULT: &str = "local";
const USER_DEFAULT: &str = "me";
const IDLE_SEAL_MINUTES_DEFAULT: i64 = 15;
const IDLE_SEAL_MINUTES_MAX: i64 = 7 * 24 * 60;
/// Interval between searches for idle vaults.
const CLOSE_EVERY: Duration = Duration::from_secs(30);
const EPOCH_DAYS_MAX: u32 = 3_650;
const OPEN_BYTES_MIN: usize = 1 << 20;
const DIMENSIONS_MAX: u32 = 4_096;
/// A request is answered within `http.request_seconds`, whatever the language model does.
const FORGET_SECONDS_MAX: u64 = 50;

pub(crate) struct Config {
    pub(crate) data: PathBuf,
    pub(crate) store: StoreChoice,
    /// The custody of master, epoch and signing keys.
    pub(crate) custody: CustodyChoice,
    /// The bucket of large texts; a folder beside the data when absent.
    pub(crate) blobs: Option<BucketAddress>,
    residency: Residency,
    pub(crate) embedder: EmbedderChoice,
    /// Language model that condenses turns; sentences are picked without one.
    pub(crate) llm: Option<LlmChoice>,
    pub(crate) listen: SocketAddr,
    /// TLS ends at a proxy in front, so that an address beyond loopback may be served.
    pub(crate) behind_tls_proxy: bool,
    /// The caller of the command line, and of HTTP while there are no tokens.
    pub(crate) org: OrgId,
    pub(crate) user: UserId,
    pub(crate) open_bytes_max: usize,
    pub(crate) idle_seal: SignedDuration,
    /// Core dumps are written, for debugging: they hold texts and keys.
    pub(crate) allow_core_dumps: bool,
    /// Jobs that run by themselves, and their intervals.
    pub(crate) schedule: Schedule,
    /// The folder of policy files.
    pub(crate) policies: PathBuf,
    /// An operator's own rules for secrets.
    pub(crate) secret_rules: Option<PathBuf>,
    /// New passphrases are not judged.
    pub(crate) weak_passphrase: bool,
    /// Recipients of notices of erasures.
    pub(crate) webhooks: Vec<WebhookChoice>,
    pub(crate) http: HttpChoice,
    pub(crate) log_format: LogFormat,
    /// Collector of traces, which hold no content.
    pub(crate) otlp_url: Option<String>,
    /// Variables that begin like settings and are none. Most commands warn of them.
    pub(crate) unknown: Vec<UnknownVariable>,
}

impl Config {
    /// Warns of every variable that was ignored.
    pub(crate) fn warn_of_unknown(&self) {
        for variable in &self.unknown {
            tracing::warn!("{variable}");
        }
    }

    /// Interval between searches for vaults to seal: idle ones, and those whose keys a service refuses.
    pub(crate) fn close_every(&self) -> Duration {
        match self.custody.kind {
            CustodyKind::Local => CLOSE_EVERY,
            _ => CLOSE_EVERY.min(self.custody.cache),
        }
    }

    /// Refuses variables that are no settings, for a check before anything starts.
    pub(crate) fn refuse_unknown(&self) -> Result<()> {
        match self.unknown.as_slice() {
            [] => Ok(()),
            unknown => {
                let reasons: Vec<_> = unknown.iter().map(UnknownVariable::to_string).collect();
                Err(Failure::new(&codes::BAD_CONFIG, reasons.join("; ")))
            }
        }
    }
}

/// Format of a line of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

/// One recipient. Its secret is named by the variable that holds it, so that it stands in no file.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookChoice {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) secret_env: String,
    /// Names of events; all of them without this.
    pub(crate) events: Option<Vec<String>>,
    /// Of which organisation; of all without this.
    pub(crate) org: Option<String>,
}

/// The cost of keys in the database of the data, and the two ways out.
const KEYS_BESIDE_DATA: &str = "is the database of the data: one dump of it holds wrapped keys beside what they seal, and brings \
    back what was forgotten after it. Name another database in keys, or accept that with keys_beside_data = true";

/// Returns true when two URLs name one database, whoever logs in.
fn same_database(one: &str, other: &str) -> bool {
    let place = |url: &str| {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let rest = rest.split_once(['?', '#']).map_or(rest, |(place, _)| place);
        rest.rsplit_once('@').map_or(rest, |(_, place)| place).replace(":5432/", "/").to_lowercase()
    };
    one == other || place(one) == place(other)
}

/// Store of sealed memories and wrapped keys. URLs may hold passwords and are never printed.
#[derive(PartialEq, Eq)]
pub(crate) enum StoreChoice {
    Sqlite,
    Postgres {
        data_url: String,
        keys_url: String,
        /// True when both are one database, which somebody has asked for.
        beside: bool,
    },
}

#[derive(PartialEq, Eq)]
pub(crate) enum EmbedderChoice {
    Sentence,
    Static,
    Endpoint { url: String, model: String, api_key_env: Option<String>, dimensions: Option<u32> },
}

/// A language model. Its key is named by the variable that holds it, so that it stands in no file.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct LlmChoice {
    pub(crate) kind: LlmKind,
    pub(crate) url: String,
    pub(crate) model: String,
    pub(crate) key_env: Option<String>,
    /// Time that a plan to forget waits for its proposals; `None` when no plan asks it.
    pub(crate) forget_time: Option<Duration>,
}

/// Value of a key, and its origin.
#[derive(Clone)]
struct Setting {
    text: String,
    origin: String,
}

/// Settings as text, the stronger ones over the weaker ones, with the faults found so far.
#[derive(Default)]
pub(crate) struct RawConfig {
    settings: BTreeMap<&'static str, Setting>,
    webhooks: Vec<WebhookChoice>,
    unknown: Vec<UnknownVariable>,
    faults: Vec<String>,
}

/// Origins of the configuration: the flags that were given, and the environment.
pub(crate) struct Origins {
    /// The file named by `--config`.
    pub(crate) file: Option<PathBuf>,
    /// Keys that flags set.
    pub(crate) flags: Vec<(&'static str, String)>,
    pub(crate) env: Vec<(OsString, OsString)>,
}

/// Reads every source and joins them, or tells all that is wrong with them.
pub(crate) fn load(origins: Origins) -> Result<Config> {
    load_shown(origins)?.config
}

/// Settings as they were read, and the configuration that they make if they hold.
pub(crate) struct LoadedConfig {
    pub(crate) shown: Vec<ShownSetting>,
    pub(crate) config: Result<Config>,
}

/// As [`load`], with every setting as it is shown to people.
pub(crate) fn load_shown(origins: Origins) -> Result<LoadedConfig> {
    let env = origins.env.clone();
    let raw = read(origins)?;
    Ok(LoadedConfig { shown: raw.shown(), config: raw.into_config(&env) })
}

/// Reads every source, the stronger over the weaker.
fn read(origins: Origins) -> Result<RawConfig> {
    let mut strong = RawConfig::default();
    strong.read_env(&origins.env);
    for (key, text) in origins.flags {
        strong.set(key, text, "a flag");
    }
    let named = origins.file.or_else(|| env_path(&origins.env, "LACUNA_CONFIG"));
    let mut raw = RawConfig::default();
    match named {
        Some(path) => raw.read_file(&path)?,
        None => {
            let path =
                data_folder(strong.settings.get("data").map(|setting| setting.text.as_str())).join(FILE_NAME);
            if path.exists() {
                raw.read_file(&path)?;
            }
        }
    }
    raw.settings.extend(strong.settings);
    raw.unknown = strong.unknown;
    raw.faults.extend(strong.faults);
    Ok(raw)
}

impl RawConfig {
    fn set(&mut self, key: &'static str, text: String, origin: impl Into<String>) {
        self.settings.insert(key, Setting { text, origin: origin.into() });
    }

    fn read_file(&mut self, path: &Path) -> Result<()> {
        let unreadable = |error: std::io::Error| {
            Failure::new(&codes::BAD_CONFIG, format!("{} cannot be read: {error}", path.display()))
        };
        if std::fs::metadata(path).map_err(unreadable)?.len() > FILE_BYTES_MAX {
            let reason = format!("{} is larger than {FILE_BYTES_MAX} bytes", path.display());
            return Err(Failure::new(&codes::BAD_CONFIG, reason));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        // Only the message: the error's own rendering would show the line, which may hold a password.
        let table: toml::Table = toml::from_str(&text).map_err(|error| {
            Failure::new(&codes::BAD_CONFIG, format!("{} is not TOML: {}", path.display(), error.message()))
        })?;
        self.read_table(&path.display().to_string(), "", &table);
        Ok(())
    }

    fn read_table(&mut self, origin: &str, prefix: &str, table: &toml::Table) {
        for (name, value) in table {
            let full = format!("{prefix}{name}");
            if let Some(key) = LISTS.iter().find(|key| **key == full)
                && let Some(items) = joined(value)
            {
                self.set(key, items, origin);
                continue;
            }
            if let (toml::Value::Table(inner), "") = (value, prefix) {
                self.read_table(origin, &format!("{full}."), inner);
                continue;
            }
            if full == WEBHOOKS {
                self.read_webhooks(origin, value);
                continue;
            }
            let Some(key) = KEYS.iter().find(|key| **key == full) else {
                self.faults.push(format!("{origin}: {full} is not a setting"));
                continue;
            };
            match value {
                toml::Value::String(text) => self.set(key, text.clone(), origin),
                toml::Value::Integer(number) => self.set(key, number.to_string(), origin),
                toml::Value::Boolean(flag) => self.set(key, flag.to_string(), origin),
                _ => {
                    self.faults.push(format!("{origin}: {full} must be text, a whole number, true or false"))
                }
            }
        }
    }

    fn read_webhooks(&mut self, origin: &str, value: &toml::Value) {
        let listed = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if listed.is_empty() || listed.len() > RECIPIENTS_MAX {
            let rule = format!("must be 1 to {RECIPIENTS_MAX} tables, each headed [[{WEBHOOKS}]]");
            self.faults.push(format!("{origin}: {WEBHOOKS} {rule}"));
        }
        for (number, hook) in (1..).zip(listed) {
            match hook.clone().try_into::<WebhookChoice>() {
                Ok(hook) if self.webhooks.iter().any(|other| other.name == hook.name) => {
                    self.faults.push(format!("{origin}: {WEBHOOKS} {number} has the name of another"));
                }
                Ok(hook) => self.webhooks.push(hook),
                Err(error) => self.faults.push(format!("{origin}: {WEBHOOKS} {number}: {}", error.message())),
            }
        }
    }

    fn into_config(mut self, env: &[(OsString, OsString)]) -> Result<Config> {
        let data = data_folder(self.text("data").as_deref());
        let store = self.store();
        let custody = self.custody();
        let blobs = self.blobs();
        let embedder = self.embedder();
        let llm = self.llm();
        let listen = self.parse("listen", "must be an address and a port, such as 127.0.0.1:7707");
        let behind_tls_proxy = self.parse("behind_tls_proxy", "must be true or false");
        let allow_core_dumps = self.parse("allow_core_dumps", "must be true or false");
        let weak_passphrase = self.parse("weak_passphrase", "must be true or false");
        let org = self.checked("org", |text| OrgId::new(text).map_err(|error| error.to_string()));
        let user = self.checked("user", |text| UserId::new(text).map_err(|error| error.to_string()));
        let open_bytes_max = self.checked("open_bytes_max", |text| {
            within(text, OPEN_BYTES_MIN, usize::MAX, "a number of bytes, at least 1048576")
        });
        let idle_minutes = self.checked("idle_seal_minutes", |text| {
            within(text, 1, IDLE_SEAL_MINUTES_MAX, "a number of minutes from 1 to 10080")
        });
        let epoch_days = self
            .checked("epoch_days", |text| within(text, 1, EPOCH_DAYS_MAX, "a number of days from 1 to 3650"));
        let listen: SocketAddr =
            listen.unwrap_or_else(|| LISTEN_DEFAULT.parse().expect("the default is an address"));
        let org = org.unwrap_or_else(|| OrgId::new(ORG_DEFAULT).expect("the default is a name"));
        let behind_tls_proxy = behind_tls_proxy.unwrap_or(false);
        let http = self.http(listen, behind_tls_proxy, &org);
        let log_format = self.log_format();
        let otlp_url = self.otlp_url();
        let residency = self.residency();
        let policies = self.text("policies").map_or_else(|| data.join(POLICIES_FOLDER), PathBuf::from);
        let secret_rules = self.text("secret_rules").map(PathBuf::from);
        let unknown = self.take_unknown();
        let config = Config {
            residency,
            policies,
            secret_rules,
            weak_passphrase: weak_passphrase.unwrap_or(false),
            webhooks: std::mem::take(&mut self.webhooks),
            data,
            store,
            custody,
            blobs,
            embedder,
            llm,
            listen,
            behind_tls_proxy,
            org,
            user: user.unwrap_or_else(default_user),
            open_bytes_max: open_bytes_max.unwrap_or(OPEN_BYTES_MAX_DEFAULT),
            schedule: Schedule { epoch_days },
            allow_core_dumps: allow_core_dumps.unwrap_or(false),
            idle_seal: SignedDuration::from_mins(idle_minutes.unwrap_or(IDLE_SEAL_MINUTES_DEFAULT)),
            http,
            log_format,
            otlp_url,
            unknown,
        };
        self.faults.extend(config.residency.faults(&config, env));
        if self.faults.is_empty() {
            return Ok(config);
        }
        // One of them may be the reason of a fault.
        self.faults.extend(config.unknown.iter().map(UnknownVariable::to_string));
        Err(Failure::new(&codes::BAD_CONFIG, self.faults.join("; ")))
    }

    fn store(&mut self) -> StoreChoice {
        let (store, keys) = (self.text("store"), self.text("keys"));
        let allowed = self.parse("keys_beside_data", "must be true or false").unwrap_or(false);
        match store.as_deref() {
            None | Some("sqlite") => {
                if keys.is_some() {
                    self.fault(
                        "keys",
                        "is for store = a postgres:// URL; SQLite keeps keys in the data folder",
                    );
                }
                StoreChoice::Sqlite
            }
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                let keys_url = keys.unwrap_or_else(|| url.to_owned());
                let beside = same_database(url, &keys_url);
                if beside && !allowed {
                    self.fault("keys", KEYS_BESIDE_DATA);
                }
                StoreChoice::Postgres { data_url: url.to_owned(), keys_url, beside }
            }
            Some(_) => {
                self.fault("store", "must be sqlite or a postgres:// URL");
                StoreChoice::Sqlite
            }
        }
    }

    fn embedder(&mut self) -> EmbedderChoice {
        let choice = self.text("embedder");
        let (url, model) = (self.text("endpoint.url"), self.text("endpoint.model"));
        let api_key_env = self.text("endpoint.api_key_env");
        let dimensions = self.checked("endpoint.dimensions", |text| {
            within(text, 1, DIMENSIONS_MAX, "a number of dimensions from 1 to 4096")
        });
        match choice.as_deref() {
            None | Some("sentence") => EmbedderChoice::Sentence,
            Some("static") => EmbedderChoice::Static,
            Some("endpoint") => {
                let (Some(url), Some(model)) = (url, model) else {
                    self.fault("embedder", "endpoint also needs endpoint.url and endpoint.model");
                    return EmbedderChoice::Sentence;
                };
                EmbedderChoice::Endpoint { url, model, api_key_env, dimensions }
            }
            Some(_) => {
                self.fault("embedder", "must be sentence, static or endpoint");
                EmbedderChoice::Sentence
            }
        }
    }

    fn llm(&mut self) -> Option<LlmChoice> {
        let keys = ["llm.kind", "llm.url", "llm.model", "llm.key_env", "llm.forget_seconds"];
        keys.into_iter().find(|key| self.settings.contains_key(key))?;
        let kind = self.checked("llm.kind", |text| match text {
            "openai" => Ok(LlmKind::OpenAi),
            "anthropic" => Ok(LlmKind::Anthropic),
            _ => Err("must be openai or anthropic".to_owned()),
        });
        let seconds = self.checked("llm.forget_seconds", |text| {
            within(text, 0, FORGET_SECONDS_MAX, "a number of seconds from 0 to 50")
        });
        let forget_time = seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs);
        match (kind, self.text("llm.url"), self.text("llm.model")) {
            (Some(kind), Some(url), Some(model)) => {
                Some(LlmChoice { kind, url, model, key_env: self.text("llm.key_env"), forget_time })
            }
            _ => {
                self.fault("llm.kind", "a language model needs llm.kind, llm.url and llm.model");
                None
            }
        }
    }

    fn log_format(&mut self) -> LogFormat {
        let format = self.checked("log.format", |text| match text {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err("must be text or json".to_owned()),
        });
        format.unwrap_or_default()
    }

    fn otlp_url(&mut self) -> Option<String> {
        self.checked("otlp.url", |text| match http::is_safe_url(text) {
            true => Ok(text.to_owned()),
            false => Err("must start with https://, or http:// on this machine".to_owned()),
        })
    }

    /// The keys that something sets, in their order.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        self.settings.keys().copied()
    }

    fn list(&self, key: &'static str) -> Vec<String> {
        let text = self.text(key).unwrap_or_default();
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    fn text(&self, key: &'static str) -> Option<String> {
        self.settings.get(key).map(|setting| setting.text.clone())
    }

    fn parse<T: FromStr>(&mut self, key: &'static str, rule: &str) -> Option<T> {
        self.checked(key, |text| text.parse().map_err(|_| rule.to_owned()))
    }

    fn checked<T>(&mut self, key: &'static str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let read = read(&self.settings.get(key)?.text);
        read.map_err(|reason| self.fault(key, &reason)).ok()
    }

    fn fault(&mut self, key: &'static str, reason: &str) {
        let origin = self.settings.get(key).map_or("the configuration", |setting| &setting.origin);
        self.faults.push(format!("{key} (from {origin}) {reason}"));
    }
}

/// The items of a list, or the pairs of a table, as one text.
fn joined(value: &toml::Value) -> Option<String> {
    let items: Option<Vec<String>> = match value {
        toml::Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        toml::Value::Table(pairs) => {
            pairs.iter().map(|(name, value)| value.as_str().map(|value| format!("{name}={value}"))).collect()
        }
        _ => None,
    };
    items.map(|items| items.join(","))
}

fn within<T: FromStr + PartialOrd>(text: &str, low: T, high: T, rule: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number >= low && *number <= high);
    number.ok_or_else(|| format!("must be {rule}"))
}

fn data_folder(given: Option<&str>) -> PathBuf {
    given.map_or_else(
        || {
            let base = etcetera::choose_base_strategy().map(|strategy| strategy.data_dir());
            // Without a home there is still a place: the folder where the command runs.
            base.unwrap_or_else(|_| PathBuf::from(".")).join("lacuna")
        },
        PathBuf::from,
    )
}

fn default_user() -> UserId {
    let names = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let known = names.filter_map(|name| UserId::new(&name).ok()).next();
    known.unwrap_or_else(|| UserId::new(USER_DEFAULT).expect("the default is a name"))
}

#[cfg(test)]
mod tests;
