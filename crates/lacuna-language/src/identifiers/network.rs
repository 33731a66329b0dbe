//! URLs, IP and MAC addresses.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::OnceLock;

use super::rule::{LIKELY, STRONG, TOLD, WEAK, continues_word, lower, told};
use super::{Identifier, IdentifierKind};

use crate::compiled::{self, ScreenedRegex};

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    urls(text, found);
    addresses(text, found);
}

/// Top-level domains that are no word of a language in which sentences run together.
const TOP: &str = "com|org|net|edu|gov|mil|info|biz|io|co|ai|app|dev|xyz|site|online|shop|blog|cloud|tech|uk|de|fr|es|nl|eu|ca|au|jp|cn|br|ch|se|fi|dk|pl|pt|ie|nz|za|il|ru|tr|kr|sg|mx|cz|gr|hu|ro|ua|tv|ly|gg|fm";

fn url_pattern() -> Option<&'static ScreenedRegex> {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    let build = || {
        let host = r"(?:[\p{L}0-9_](?:[\p{L}0-9_-]*[\p{L}0-9])?\.)+(?:xn--[a-z0-9-]+|\p{L}{2,24})";
        let bare =
            format!(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{TOP}|(?:co|com|org|ac|gov)\.[a-z]{{2}})");
        let tail = r#"(?::\d{1,5})?(?:[/?#][^\s<>"'»”\]]*)?"#;
        let numeric = r"\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]|localhost";
        let pattern = format!(
            r"(?i)(?:(?:https?|ftp|wss?)://(?:[^\s/@]+@)?(?:{host}|{numeric})|www\.{host}|{bare}\b){tail}"
        );
        compiled::regex(&pattern).ok()
    };
    PATTERN.get_or_init(build).as_ref()
}

fn urls(text: &str, found: &mut Vec<Identifier>) {
    let Some(pattern) = url_pattern() else { return };
    for hit in pattern.find_iter(text) {
        let url = hit.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '*', '_']);
        let span = hit.start()..hit.start() + url.len();
        let before = text[..span.start].chars().next_back();
        let after = text[span.end..].chars().next();
        let inside = before.is_some_and(|c| continues_word(c) || matches!(c, '@' | '.' | '-' | '/'));
        let whole = url.contains("://");
        // A bare domain before an @ is the local part of an address.
        if (inside && !whole) || after.is_some_and(|c| c == '@' || (c == '_' || c == '-') && !whole) {
            continue;
        }
        let confidence = if whole || url.starts_with("www.") { STRONG } else { LIKELY };
        let canonical = normalise_url(url);
        found.push(Identifier {
            kind: IdentifierKind::Url,
            span,
            canonical,
            confidence,
            reason: "a web address",
        });
    }
}

/// Host in lower case without `www.`, and the path; scheme, default port, fragment and a last slash say nothing.
pub(super) fn normalise_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('#').map_or(rest, |(page, _)| page);
    let host_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_end);
    let host = host.to_lowercase();
    let host = host.strip_suffix(":443").or(host.strip_suffix(":80")).unwrap_or(&host);
    format!("{}{}", host.strip_prefix("www.").unwrap_or(host), path.trim_end_matches('/'))
}

/// Runs of the characters of numeric addresses, each read whole or not at all.
fn addresses(text: &str, found: &mut Vec<Identifier>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !part_of_address(bytes[at]) {
            at += 1;
            continue;
        }
        let end = (at..bytes.len()).find(|place| !part_of_address(bytes[*place])).unwrap_or(bytes.len());
        found.extend(numeric_address(text, at..end));
        at = end;
    }
}

fn part_of_address(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.' | b'-')
}

fn numeric_address(text: &str, run: Range<usize>) -> Option<Identifier> {
    let raw = text[run.clone()].trim_end_matches(['.', '-']);
    let raw = if raw.ends_with("::") { raw } else { raw.trim_end_matches(':') };
    let (start, end) = (run.start, run.start + raw.len());
    let free = |c: Option<char>| !c.is_some_and(continues_word);
    if !free(text[..start].chars().next_back()) || !free(text[end..].chars().next()) {
        return None;
    }
    mac(text, start..end).or_else(|| ip(text, start..end))
}

fn ip(text: &str, span: Range<usize>) -> Option<Identifier> {
    let raw = &text[span.clone()];
    let colons = raw.bytes().filter(|byte| *byte == b':').count();
    if colons >= 2 {
        let address: Ipv6Addr = raw.parse().ok()?;
        let confidence = if raw == "::" { WEAK } else { STRONG };
        return Some(network(IdentifierKind::Ip, span, address.to_string(), confidence));
    }
    // A port may follow.
    let host = raw.split_once(':').map_or(raw, |(host, _)| host);
    let address = octets(host).map(Ipv4Addr::from)?;
    let version = told(&lower(text), &span, &["version", "v", "release", "section", "chapter"]);
    let confidence = if version { WEAK } else { TOLD };
    Some(network(IdentifierKind::Ip, span.start..span.start + host.len(), address.to_string(), confidence))
}

/// The four numbers of an address, which may be padded with zeros.
pub(super) fn octets(host: &str) -> Option<[u8; 4]> {
    let parts: Vec<&str> = host.split('.').collect();
    let sized = |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<u8> =
        parts.iter().filter(|part| sized(part)).filter_map(|part| part.parse().ok()).collect();
    if parts.len() == 4 { numbers.try_into().ok() } else { None }
}

/// Six pairs with one separator throughout, or three fours with dots; neither all ones nor all zeros.
fn mac(text: &str, span: Range<usize>) -> Option<Identifier> {
    let raw = &text[span.clone()];
    let shaped = [(':', 6, 2), ('-', 6, 2), ('.', 3, 4)].iter().any(|(separator, groups, length)| {
        raw.split(*separator).count() == *groups
            && raw
                .split(*separator)
                .all(|group| group.len() == *length && group.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    let canonical: String =
        raw.chars().filter(char::is_ascii_hexdigit).map(|c| c.to_ascii_uppercase()).collect();
    let named = canonical.bytes().any(|byte| byte != b'F') && canonical.bytes().any(|byte| byte != b'0');
    (shaped && named).then(|| network(IdentifierKind::Mac, span, canonical, STRONG))
}

fn network(kind: IdentifierKind, span: Range<usize>, canonical: String, confidence: f32) -> Identifier {
    Identifier { kind, span, canonical, confidence, reason: "a numeric address" }
}

#[cfg(test)]
mod tests {
    use super::super::rule::tests::holds;
    use super::super::{identifiers, readings};
    use super::*;

    #[test]
    fn urls_in_every_dress() {
        holds(
            IdentifierKind::Url,
            &[
                "https://acme.example/a?b=1",
                "see www.acme.example.",
                "(acme.com)",
                "acme.co.uk/help",
                "\"http://acme.museum\"",
                "http://[2001:db8::7]/x",
            ],
            &[
                "acme",
                "www.acme",
                "http://acme",
                "Done.So we left",
                "e.g. this",
                "3.14",
                "ann@acme.com",
                "node.js",
            ],
        );
    }

    #[test]
    fn urls_that_lead_to_the_same_page_are_one() {
        for url in ["http://ACME.example/a/", "https://www.acme.example:443/a", "acme.example/a#top"] {
            assert_eq!(normalise_url(url), "acme.example/a");
        }
        assert_ne!(normalise_url("acme.example/a"), normalise_url("acme.example/A"));
    }

    #[test]
    fn ip_addresses_are_parsed() {
        holds(
            IdentifierKind::Ip,
            &[
                "10.1.2.3",
                "at 10.1.2.3.",
                "10.1.2.3:80",
                "[fe80::7]:80",
                "2001:db8::10.1.2.3",
                "10.0.0.0/8",
                "::7",
            ],
            &["10.1.2", "10.1.2.300", "12:30:15", "a::b::c", "std::fmt", "1:2:3:4", "fe80::7x", ":::"],
        );
        assert_eq!(readings("2001:DB8:0::7")[0].canonical, "2001:db8::7");
    }

    #[test]
    fn mac_addresses_keep_one_separator() {
        holds(
            IdentifierKind::Mac,
            &["02:1b:3C:4d:5e:6f", "02-1B-3C-4D-5E-6F", "021b.3c4d.5e6f"],
            &["02:1b:3C-4d:5e:6f", "02:1b:3c:4d:5e", "ff:ff:ff:ff:ff:ff", "02:1b:3c:4d:5e:6g"],
        );
        assert_eq!(identifiers("02:1b:3C:4d:5e:6f")[0].canonical, "021B3C4D5E6F");
    }
}
