//! The address of a PostgreSQL server: hosts, TLS and the way through a connection pooler, read from one URL.

use std::net::IpAddr;
use std::time::Duration;

use postgres::config::{Host, SslMode, TargetSessionAttrs};
use postgres::{Client, Config, NoTls};

use super::tls::{PostgresTls, TlsFiles, TlsMode};
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Hosts that one URL may name.
const HOSTS_MAX: usize = 8;
/// The longest time that data may lie unacknowledged before a dead server is given up.
const TCP_TIMEOUT: Duration = Duration::from_secs(15);

/// The way to a server, or to whichever of several takes writes.
pub(crate) struct PostgresAddress {
    config: Config,
    tls: Option<PostgresTls>,
    /// A pooler in transaction mode stands between: no setting and no statement outlives its transaction.
    pub(super) is_pooled: bool,
}

/// Parameters that are ours to read, because the driver does not know them.
#[derive(Default)]
struct OwnParameters {
    sslmode: Option<String>,
    files: TlsFiles,
    pooler: Option<String>,
}

impl PostgresAddress {
    pub(super) fn read(url: &str) -> Result<Self> {
        let (rest, own) = own_parameters(url)?;
        let mut config: Config = rest.parse().map_err(|_| Error::Misconfigured {
            code: "bad_url",
            reason: "the PostgreSQL URL does not parse; expected postgres://user@host:port/database".into(),
        })?;
        if config.get_hosts().len() > HOSTS_MAX {
            return Err(bad_url(format!("at most {HOSTS_MAX} hosts may be named")));
        }
        let tls = tls_of(&own, &config)?;
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        if config.get_hosts().len() > 1 {
            // Of several servers one takes writes, and after a failover it is another one.
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        config.connect_timeout(CONNECT_TIMEOUT).tcp_user_timeout(TCP_TIMEOUT).application_name("lacuna");
        let is_pooled = match own.pooler.as_deref() {
            None => false,
            Some("transaction") => true,
            Some(_) => return Err(bad_url("pooler must be transaction".into())),
        };
        Ok(Self { config, tls, is_pooled })
    }

    pub(super) fn connect(&self) -> Result<Client, SqlFailure> {
        Ok(match &self.tls {
            None => self.config.connect(NoTls)?,
            Some(tls) => self.config.connect(tls.clone())?,
        })
    }
}

/// Takes the parameters that are ours out of a URL.
fn own_parameters(url: &str) -> Result<(String, OwnParameters)> {
    let mut own = OwnParameters::default();
    let Some((start, query)) = url.split_once('?') else { return Ok((url.to_owned(), own)) };
    let mut others = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let place = match name {
            "sslmode" => &mut own.sslmode,
            "sslrootcert" => &mut own.files.root,
            "sslcert" => &mut own.files.certificate,
            "sslkey" => &mut own.files.key,
            "pooler" => &mut own.pooler,
            _ => {
                others.push(pair);
                continue;
            }
        };
        let value = percent_decoded(value).ok_or_else(|| bad_url(format!("{name} is not UTF-8")))?;
        if place.replace(value).is_some() {
            return Err(bad_url(format!("{name} is there twice")));
        }
    }
    let separator = if others.is_empty() { "" } else { "?" };
    Ok((format!("{start}{separator}{}", others.join("&")), own))
}

/// The TLS that the parameters ask for; none is needed on this machine.
fn tls_of(own: &OwnParameters, config: &Config) -> Result<Option<PostgresTls>> {
    let mode = match own.sslmode.as_deref() {
        None | Some("disable" | "prefer") if is_local(config) => return Ok(None),
        // Sealed bytes would survive a plain connection, but passwords and wrapped keys should not travel on one.
        None | Some("disable" | "prefer" | "allow") => {
            return Err(Error::Misconfigured {
                code: "tls_required",
                reason: "PostgreSQL on another host needs TLS: add sslmode=verify-full to the URL, and sslrootcert \
                         with the file of its root certificate unless the system trusts it"
                    .into(),
            });
        }
        Some("require") => TlsMode::Require,
        Some("verify-ca") => TlsMode::VerifyCa,
        Some("verify-full") => TlsMode::VerifyFull,
        Some(_) => {
            return Err(bad_url("sslmode must be disable, require, verify-ca or verify-full".into()));
        }
    };
    if mode == TlsMode::Require && own.files.root.is_none() && !is_local(config) {
        tracing::warn!("sslmode=require does not check who the PostgreSQL server is; use verify-full");
    }
    PostgresTls::new(mode, &own.files).map(Some)
}

fn is_local(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    };
    !config.get_hosts().is_empty()
        && config.get_hosts().iter().all(is_local)
        && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn bad_url(reason: String) -> Error {
    Error::Misconfigured { code: "bad_url", reason: format!("the PostgreSQL URL: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(url: &str) -> &'static str {
        PostgresAddress::read(url).map_or_else(|error| error.code(), |_| "read")
    }

    #[test]
    fn another_host_needs_tls_and_every_parameter_is_understood() {
        let cases = [
            ("postgres://a@127.0.0.1:5432/d", "read"),
            ("postgres://a@localhost/d?sslmode=disable", "read"),
            ("postgres://a@db.example/d", "tls_required"),
            ("postgres://a@db.example/d?sslmode=disable", "tls_required"),
            ("postgres://a@db.example/d?sslmode=prefer", "tls_required"),
            ("postgres://a@127.0.0.1,db.example/d", "tls_required"),
            ("postgres://a@localhost/d?hostaddr=10.1.2.3", "tls_required"),
            ("postgres://a@db.example/d?sslmode=require", "read"),
            ("postgres://a@one.example:5432,two.example:5433/d?sslmode=require&pooler=transaction", "read"),
            ("postgres://a@db.example/d?sslmode=verify_full", "bad_url"),
            ("postgres://a@db.example/d?sslmode=require&sslmode=disable", "bad_url"),
            ("postgres://a@db.example/d?sslmode=verify-full&sslrootcert=/nowhere/root.pem", "store_tls"),
            ("postgres://a@db.example/d?sslmode=require&sslcert=/nowhere/cert.pem", "store_tls"),
            ("postgres://a@localhost/d?pooler=session", "bad_url"),
            ("postgres://a@localhost/d?sslmod=require", "bad_url"),
            ("postgres://a@1,2,3,4,5,6,7,8,9/d?sslmode=require", "bad_url"),
        ];
        for (url, expected) in cases {
            assert_eq!(code(url), expected, "{url}");
        }
    }
}
