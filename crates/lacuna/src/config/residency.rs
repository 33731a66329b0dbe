//! Data residency: every host that Lacuna would call, against the regions that an operator declared.
//!
//! Nothing can be learned of a host's place from its name. An operator declares it, and what nobody declared is
//! outside.

use std::ffi::OsString;

use lacuna_models::is_loopback_host;
use lacuna_store::blobs::BucketAddress;

use super::{Config, CustodyKind, EmbedderChoice, RawConfig, StoreChoice};

/// Variables by which programs learn of a proxy, which sees whom we call.
const PROXY_VARIABLES: [&str; 6] =
    ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
const REGION_CHARS_MAX: usize = 64;

/// The region that data must stay in, and the hosts whose region is known.
#[derive(Default)]
pub(crate) struct Residency {
    region: Option<String>,
    hosts: Vec<(String, String)>,
}

impl RawConfig {
    pub(super) fn residency(&mut self) -> Residency {
        let region = self.checked("residency", |text| match text {
            "none" => Ok(None),
            word if is_region(word) => Ok(Some(word.to_owned())),
            _ => Err("must be a region such as eu, or none".to_owned()),
        });
        let read = |pair: &String| {
            let (host, region) = pair.split_once('=')?;
            let (host, region) = (host.trim().to_lowercase(), region.trim().to_lowercase());
            (!host.is_empty() && is_region(&region)).then_some((host, region))
        };
        let hosts: Option<Vec<_>> = self.list("regions").iter().map(read).collect();
        if hosts.is_none() {
            self.fault("regions", "must be pairs such as api.example.com=eu-central-1");
        }
        Residency { region: region.flatten(), hosts: hosts.unwrap_or_default() }
    }
}

fn is_region(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=REGION_CHARS_MAX).contains(&word.len()) && word.bytes().all(fits)
}

impl Residency {
    /// Every setting that would send something to a host outside the region, with the reason. URLs are not shown:
    /// they may hold passwords.
    pub(super) fn faults(&self, config: &Config, env: &[(OsString, OsString)]) -> Vec<String> {
        let regions = named_regions(config).filter_map(|(setting, place)| self.region_fault(setting, place));
        let hosts = outgoing(config, env).into_iter();
        regions.chain(hosts.filter_map(|(setting, host)| self.host_fault(&setting, &host))).collect()
    }

    /// The same for a bucket that no setting names.
    pub(super) fn bucket_faults(&self, name: &str, bucket: &BucketAddress) -> Vec<String> {
        let away = Some(bucket).filter(|bucket| !is_loopback_url(&bucket.endpoint));
        let region = away.and_then(|bucket| self.region_fault(name, &bucket.region));
        let hosts = hosts(&bucket.endpoint);
        region.into_iter().chain(hosts.iter().filter_map(|host| self.host_fault(name, host))).collect()
    }

    fn region_fault(&self, setting: &str, place: &str) -> Option<String> {
        let region = self.region.as_ref().filter(|region| !lies_in(place, region))?;
        Some(format!("{setting}: the region {place} is not in {region}"))
    }

    fn host_fault(&self, setting: &str, host: &str) -> Option<String> {
        let region = self.region.as_ref()?;
        let known = self.hosts.iter().find(|(name, _)| name == host);
        match known.map(|(_, place)| place.as_str()) {
            _ if host.starts_with('/') || is_loopback_host(host) => None,
            Some(place) if lies_in(place, region) => None,
            Some(place) => Some(format!("{setting}: {host} is in {place}, not in {region}")),
            None => Some(format!("{setting}: nothing says that {host} is in {region}; see regions")),
        }
    }
}

/// Regions that settings name for services beyond this machine.
fn named_regions(config: &Config) -> impl Iterator<Item = (&'static str, &str)> {
    let bucket = config.blobs.iter().filter(|bucket| !is_loopback_url(&bucket.endpoint));
    let bucket = bucket.map(|bucket| ("blobs", bucket.region.as_str()));
    let custody = Some(&config.custody).filter(|custody| custody.kind == CustodyKind::Aws);
    let custody = custody.filter(|custody| !custody.address().is_some_and(|url| is_loopback_url(&url)));
    bucket.chain(custody.and_then(|custody| Some(("custody.region", custody.region.as_deref()?))))
}

/// `eu-central-1` lies in `eu`, and `europe` does not.
fn lies_in(place: &str, region: &str) -> bool {
    place.strip_prefix(region).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Each host that this configuration calls, with the setting that names it.
pub(crate) fn outgoing(config: &Config, env: &[(OsString, OsString)]) -> Vec<(String, String)> {
    let mut urls: Vec<(String, &str)> = Vec::new();
    if let StoreChoice::Postgres { data_url, keys_url, .. } = &config.store {
        urls.push(("store".into(), data_url));
        urls.push(("keys".into(), keys_url));
    }
    urls.extend(config.blobs.iter().map(|bucket| ("blobs".into(), bucket.endpoint.as_str())));
    if let EmbedderChoice::Endpoint { url, .. } = &config.embedder {
        urls.push(("endpoint.url".into(), url));
    }
    let custody = config.custody.address();
    urls.extend(custody.iter().map(|url| ("custody.url".into(), url.as_str())));
    urls.extend(config.llm.iter().map(|llm| ("llm.url".into(), llm.url.as_str())));
    urls.extend(config.http.oidc.iter().map(|oidc| ("oidc.jwks_url".into(), oidc.jwks_url.as_str())));
    let flow = config.http.oidc.iter().filter_map(|oidc| oidc.code_flow.as_ref());
    urls.extend(flow.map(|flow| ("oidc.token_url".into(), flow.token_url.as_str())));
    urls.extend(config.otlp_url.iter().map(|url| ("otlp.url".into(), url.as_str())));
    urls.extend(config.webhooks.iter().map(|hook| (format!("webhook {}", hook.name), hook.url.as_str())));
    let proxies = env.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let proxies = proxies.filter(|(name, value)| PROXY_VARIABLES.contains(name) && !value.is_empty());
    urls.extend(proxies.map(|(name, value)| (name.to_owned(), value)));
    let each = |(setting, url): (String, &str)| {
        hosts(url).into_iter().map(move |host| (setting.clone(), host)).collect::<Vec<_>>()
    };
    urls.into_iter().flat_map(each).collect()
}

/// The hosts of a URL: one, or several in that of a database, where they may stand in the query as well.
fn hosts(url: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let named = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let mut hosts: Vec<String> = named.split(',').map(without_port).filter(|host| !host.is_empty()).collect();
    let query = after.split_once('?').map_or("", |(_, query)| query);
    for pair in query.split('&') {
        if let Some((_, list)) = pair.split_once('=').filter(|(name, _)| matches!(*name, "host" | "hostaddr"))
        {
            let list = list.replace("%2F", "/").replace("%2f", "/").replace("%2C", ",").replace("%2c", ",");
            hosts.extend(list.split(',').map(str::to_lowercase));
        }
    }
    if hosts.is_empty() {
        // A URL without a host means this machine to a database, and nothing to anybody else.
        hosts.push("localhost".into());
    }
    hosts
}

fn without_port(host: &str) -> String {
    let bare = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    bare.to_lowercase()
}

pub(super) fn is_loopback_url(url: &str) -> bool {
    hosts(url).iter().all(|host| is_loopback_host(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_wherever_a_url_hides_them() {
        let cases: [(&str, &[&str]); 9] = [
            ("https://API.example.com/v1", &["api.example.com"]),
            ("https://user:p@ss@api.example.com:8443/v1?x=1", &["api.example.com"]),
            ("https://safe.example@evil.example/", &["evil.example"]),
            ("https://[2001:db8::1]:443/x", &["2001:db8::1"]),
            ("postgres://u:p@a.example:5432,b.example/db", &["a.example", "b.example"]),
            ("postgres://u@localhost/db?host=evil.example", &["localhost", "evil.example"]),
            ("postgres:///db?host=%2Fvar%2Frun", &["/var/run"]),
            ("postgres:///db", &["localhost"]),
            ("proxy.example:3128", &["proxy.example"]),
        ];
        for (url, expected) in cases {
            assert_eq!(hosts(url), expected, "{url}");
        }
    }

    #[test]
    fn a_region_holds_its_parts_and_not_its_namesakes() {
        assert!(lies_in("eu", "eu") && lies_in("eu-central-1", "eu"));
        assert!(!lies_in("europe", "eu") && !lies_in("us-east-1", "eu"));
    }
}
