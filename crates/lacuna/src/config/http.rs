//! The settings of the HTTP door: limits, times, TLS, origins and sign-on.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use lacuna_types::{OrgId, Role};

use super::{RawConfig, within};

pub(super) const CONNECTIONS_DEFAULT: usize = 1_024;
const CONNECTIONS_MAX: usize = 65_536;
/// Of one address, where callers connect themselves.
const CONNECTIONS_PER_ADDRESS_DEFAULT: usize = 256;
pub(super) const REQUESTS_DEFAULT: usize = 256;
const REQUESTS_MAX: usize = 16_384;
/// Threads in the core for each processor, because a thread that waits for the disk leaves its processor free.
const WORKERS_PER_CPU: usize = 4;
const WORKERS_MIN: usize = 8;
const WORKERS_MAX: usize = 256;
pub(super) const REQUEST_SECONDS_DEFAULT: u64 = 60;
pub(super) const HEADER_SECONDS_DEFAULT: u64 = 30;
pub(super) const BODY_SECONDS_DEFAULT: u64 = 30;
pub(super) const DRAIN_SECONDS_DEFAULT: u64 = 20;
pub(super) const NOTICE_SECONDS_DEFAULT: u64 = 0;
pub(super) const REFETCH_SECONDS_DEFAULT: u64 = 30;
/// The end of the address under which browsers come back from the provider.
const SIGN_ON_RETURN: &str = "/console/sign-on/return";
pub(super) const CONSOLE_IDLE_SECONDS_DEFAULT: u64 = 900;
const SECONDS_MAX: u64 = 3_600;
const ORIGINS_MAX: usize = 64;
const NODES_MAX: usize = 64;
const PER_MINUTE_MAX: u32 = 10_000_000;
const BYTES_PER_DAY_MAX: u64 = 1 << 50;
/// Limits for each caller where others than this machine's people call.
const READS_PER_MINUTE: u32 = 6_000;
const WRITES_PER_MINUTE: u32 = 1_200;
const HEAVY_PER_MINUTE: u32 = 60;
const BYTES_PER_DAY: u64 = 2 << 30;

/// Settings of the HTTP door.
pub(crate) struct HttpChoice {
    /// Connections that are open at a time.
    pub(crate) connections_max: usize,
    /// Of those, how many one address may have; `None` is no limit.
    pub(crate) connections_per_address: Option<usize>,
    /// Requests that are admitted at a time.
    pub(crate) requests_max: usize,
    /// Of those, how many work in the core at a time; the others wait.
    pub(crate) workers: usize,
    /// From the first byte of a request to the answer.
    pub(crate) request_time: Duration,
    /// For the head of a request, also while a kept connection rests.
    pub(crate) header_time: Duration,
    /// For the body of a request, and for a reader who takes nothing of an answer.
    pub(crate) body_time: Duration,
    /// After the signal to stop: how long connections are still taken while the server says that it is not ready.
    pub(crate) notice_time: Duration,
    /// For the requests under way after the signal to stop.
    pub(crate) drain_time: Duration,
    /// Web pages of these origins may call.
    pub(crate) origins: Vec<String>,
    /// The names of all nodes, if answers are to say which of them serves a caller best.
    pub(crate) nodes: Vec<String>,
    pub(crate) limits: LimitChoice,
    pub(crate) tls: Option<TlsChoice>,
    pub(crate) oidc: Option<OidcChoice>,
    /// Time without a click after which a browser is signed out of the console.
    pub(crate) console_idle: Duration,
}

/// Limits for one caller; `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LimitChoice {
    pub(crate) reads_per_minute: Option<u32>,
    pub(crate) writes_per_minute: Option<u32>,
    pub(crate) heavy_per_minute: Option<u32>,
    pub(crate) bytes_per_day: Option<u64>,
}

/// The files of a certificate and its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TlsChoice {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

/// Issuer whose signed tokens are accepted, and the meaning of its claims here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OidcChoice {
    pub(crate) issuer: String,
    pub(crate) audience: String,
    pub(crate) jwks_url: String,
    /// The address by which MCP clients know this server, for their discovery of the issuer.
    pub(crate) resource: Option<String>,
    /// The least time between two looks at the issuer's keys.
    pub(crate) refetch_seconds: u64,
    pub(crate) org: OrgOf,
    pub(crate) user_claim: String,
    pub(crate) roles_claim: String,
    /// Role here for each word of the roles claim.
    pub(crate) roles: Vec<(String, Role)>,
    /// The provider's page on which people sign in, for the console.
    pub(crate) code_flow: Option<CodeFlowChoice>,
}

/// The authorisation code flow of one provider. The client's secret is named by the variable that holds it; a public
/// client has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeFlowChoice {
    pub(crate) client_id: String,
    pub(crate) client_secret_env: Option<String>,
    pub(crate) authorize_url: String,
    pub(crate) token_url: String,
    /// The address under which browsers come back to us.
    pub(crate) redirect_url: String,
}

/// Organisation of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OrgOf {
    Always(OrgId),
    Claim(String),
}

impl RawConfig {
    pub(super) fn http(&mut self, listen: SocketAddr, behind_tls_proxy: bool, org: &OrgId) -> HttpChoice {
        // Only this machine's people call, and nobody needs to be held back.
        let alone = listen.ip().is_loopback() && !behind_tls_proxy;
        HttpChoice {
            connections_max: self.number("http.connections_max", CONNECTIONS_DEFAULT, 1, CONNECTIONS_MAX),
            connections_per_address: self.connections_per_address(behind_tls_proxy),
            requests_max: self.number("http.requests_max", REQUESTS_DEFAULT, 1, REQUESTS_MAX),
            workers: self.number("http.workers", default_workers(), 1, WORKERS_MAX),
            request_time: self.seconds("http.request_seconds", REQUEST_SECONDS_DEFAULT),
            header_time: self.seconds("http.header_seconds", HEADER_SECONDS_DEFAULT),
            body_time: self.seconds("http.body_seconds", BODY_SECONDS_DEFAULT),
            notice_time: self.seconds("http.notice_seconds", NOTICE_SECONDS_DEFAULT),
            drain_time: self.seconds("http.drain_seconds", DRAIN_SECONDS_DEFAULT),
            origins: self.origins(),
            nodes: self.nodes(),
            limits: self.limits(alone),
            tls: self.tls(),
            oidc: self.oidc(org),
            console_idle: self.seconds("console.idle_seconds", CONSOLE_IDLE_SECONDS_DEFAULT),
        }
    }

    /// Behind a proxy all connections have the proxy's address, so that there is no limit unless it is set.
    fn connections_per_address(&mut self, behind_tls_proxy: bool) -> Option<usize> {
        let default = if behind_tls_proxy { 0 } else { CONNECTIONS_PER_ADDRESS_DEFAULT };
        let max = self.number("http.connections_per_address", default, 0, CONNECTIONS_MAX);
        Some(max).filter(|max| *max > 0)
    }

    fn number(&mut self, key: &'static str, default: usize, low: usize, high: usize) -> usize {
        let rule = format!("a number from {low} to {high}");
        self.checked(key, |text| within(text, low, high, &rule)).unwrap_or(default)
    }

    fn seconds(&mut self, key: &'static str, default: u64) -> Duration {
        // Nothing else can be done in no time at all.
        let low = u64::from(key != "http.notice_seconds");
        let rule = format!("a number of seconds from {low} to {SECONDS_MAX}");
        let seconds = self.checked(key, |text| within(text, low, SECONDS_MAX, &rule));
        Duration::from_secs(seconds.unwrap_or(default))
    }

    fn origins(&mut self) -> Vec<String> {
        let origins = self.list("cors.origins");
        if origins.len() > ORIGINS_MAX {
            self.fault("cors.origins", &format!("must be at most {ORIGINS_MAX} origins"));
        }
        if origins.iter().any(|origin| !is_origin(origin)) {
            let rule = "must be origins as browsers send them, such as https://app.example, and never *";
            self.fault("cors.origins", rule);
        }
        origins
    }

    fn nodes(&mut self) -> Vec<String> {
        let nodes = self.list("http.nodes");
        let is_name = |node: &String| node.bytes().all(|byte| byte.is_ascii_graphic());
        if nodes.len() > NODES_MAX || !nodes.iter().all(is_name) {
            self.fault(
                "http.nodes",
                &format!("must be at most {NODES_MAX} names of visible ASCII without spaces"),
            );
        }
        nodes
    }

    fn limits(&mut self, alone: bool) -> LimitChoice {
        let mut rate = |key, default: u32| {
            let rule = format!("a number a minute up to {PER_MINUTE_MAX}; 0 is no limit");
            let given = self.checked(key, |text| within(text, 0, PER_MINUTE_MAX, &rule));
            given.or((!alone).then_some(default)).filter(|rate| *rate > 0)
        };
        let reads_per_minute = rate("limits.reads_per_minute", READS_PER_MINUTE);
        let writes_per_minute = rate("limits.writes_per_minute", WRITES_PER_MINUTE);
        let heavy_per_minute = rate("limits.heavy_per_minute", HEAVY_PER_MINUTE);
        let rule = "a number of bytes a day; 0 is no limit";
        let bytes = self.checked("limits.bytes_per_day", |text| within(text, 0, BYTES_PER_DAY_MAX, rule));
        let bytes_per_day = bytes.or((!alone).then_some(BYTES_PER_DAY)).filter(|bytes| *bytes > 0);
        LimitChoice { reads_per_minute, writes_per_minute, heavy_per_minute, bytes_per_day }
    }

    fn tls(&mut self) -> Option<TlsChoice> {
        match (self.text("tls.cert"), self.text("tls.key")) {
            (None, None) => None,
            (Some(cert), Some(key)) => Some(TlsChoice { cert: cert.into(), key: key.into() }),
            (Some(_), None) => {
                self.fault("tls.cert", "needs tls.key as well");
                None
            }
            (None, Some(_)) => {
                self.fault("tls.key", "needs tls.cert as well");
                None
            }
        }
    }

    fn oidc(&mut self, org: &OrgId) -> Option<OidcChoice> {
        let first = self.given().find(|key| key.starts_with("oidc."))?;
        let required = [self.text("oidc.issuer"), self.text("oidc.audience"), self.text("oidc.jwks_url")];
        let [Some(issuer), Some(audience), Some(jwks_url)] = required else {
            self.fault(first, "signed tokens need oidc.issuer, oidc.audience and oidc.jwks_url");
            return None;
        };
        if !is_safe_url(&jwks_url) {
            self.fault("oidc.jwks_url", "must start with https://, or http:// on this machine");
        }
        let resource = self.text("oidc.resource");
        if resource.as_ref().is_some_and(|url| !is_safe_url(url) || url.contains(['?', '#', '"', ' '])) {
            self.fault(
                "oidc.resource",
                "must be an address with https://, or http:// on this machine, and end with its path",
            );
        }
        let org = match (self.text("oidc.org_claim"), self.text("oidc.org")) {
            (Some(_), Some(_)) => {
                self.fault("oidc.org", "and oidc.org_claim exclude each other");
                return None;
            }
            (Some(claim), None) => OrgOf::Claim(claim),
            (None, Some(_)) => OrgOf::Always(
                self.checked("oidc.org", |text| OrgId::new(text).map_err(|error| error.to_string()))?,
            ),
            (None, None) => OrgOf::Always(org.clone()),
        };
        Some(OidcChoice {
            issuer,
            audience,
            jwks_url,
            resource,
            refetch_seconds: self.seconds("oidc.refetch_seconds", REFETCH_SECONDS_DEFAULT).as_secs(),
            org,
            user_claim: self.text("oidc.user_claim").unwrap_or_else(|| "sub".to_owned()),
            roles_claim: self.text("oidc.roles_claim").unwrap_or_else(|| "roles".to_owned()),
            roles: self.role_words(),
            code_flow: self.code_flow(),
        })
    }

    /// The page on which people sign in. Half of it is refused: nobody could sign in by it.
    fn code_flow(&mut self) -> Option<CodeFlowChoice> {
        const KEYS: [&str; 4] =
            ["oidc.client_id", "oidc.authorize_url", "oidc.token_url", "oidc.redirect_url"];
        let client_secret_env = self.text("oidc.client_secret_env");
        let given = KEYS.map(|key| self.text(key));
        if given.iter().all(Option::is_none) && client_secret_env.is_none() {
            return None;
        }
        let [Some(client_id), Some(authorize_url), Some(token_url), Some(redirect_url)] = given else {
            self.fault("oidc.client_id", &format!("a page to sign in on needs {}", KEYS.join(", ")));
            return None;
        };
        for (key, url) in KEYS.into_iter().skip(1).zip([&authorize_url, &token_url, &redirect_url]) {
            if !is_safe_url(url) {
                self.fault(key, "must start with https://, or http:// on this machine");
            }
        }
        if !redirect_url.ends_with(SIGN_ON_RETURN) {
            self.fault(
                "oidc.redirect_url",
                &format!("must be the address of this server with {SIGN_ON_RETURN}"),
            );
        }
        Some(CodeFlowChoice { client_id, client_secret_env, authorize_url, token_url, redirect_url })
    }

    /// Without a table every role goes by its own name.
    fn role_words(&mut self) -> Vec<(String, Role)> {
        let pairs = self.list("oidc.roles");
        if pairs.is_empty() {
            return Role::ALL.iter().map(|role| (role.as_str().to_owned(), *role)).collect();
        }
        let read = |pair: &String| {
            let (word, role) = pair.split_once('=')?;
            Some((word.trim().to_owned(), role.trim().parse().ok()?))
        };
        let roles: Option<Vec<_>> = pairs.iter().map(read).collect();
        roles.unwrap_or_else(|| {
            let rule = "must be pairs such as lacuna-admins=admin; roles are user, reader, agent, admin";
            self.fault("oidc.roles", rule);
            Vec::new()
        })
    }
}

pub(super) fn default_workers() -> usize {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    (cpus * WORKERS_PER_CPU).clamp(WORKERS_MIN, WORKERS_MAX)
}

/// A scheme and a host with an optional port, and nothing else.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(fits))
}

/// Keys that arrive in the clear could be anybody's.
pub(super) fn is_safe_url(url: &str) -> bool {
    url.starts_with("https://") || (url.starts_with("http://") && super::residency::is_loopback_url(url))
}
