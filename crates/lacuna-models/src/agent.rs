//! The one HTTP agent for outgoing requests: TLS by the platform's certificates, no redirects, a deadline.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

const CONNECT_TIMEOUT_MAX: Duration = Duration::from_secs(10);

/// Makes the agent that calls `url`. It follows no redirect, so that only the server that the operator named is
/// asked, and it returns every HTTP status as an answer.
pub fn http_agent(url: &str, timeout: Duration) -> Agent {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let mut settings = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(timeout))
        .timeout_connect(Some(timeout.min(CONNECT_TIMEOUT_MAX)));
    if url.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(is_loopback_host)) {
        // Requests within this machine do not go through the proxy of the environment.
        settings = settings.proxy(None);
    }
    settings.build().new_agent()
}

/// Tests whether a host name or address is this machine.
pub fn is_loopback_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().map_or(bare.eq_ignore_ascii_case("localhost"), |address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_name_and_by_address() {
        for host in ["localhost", "Localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in ["", "localhost.example.com", "10.0.0.1", "0.0.0.0", "[::2]"] {
            assert!(!is_loopback_host(host), "{host}");
        }
    }
}
