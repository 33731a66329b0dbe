//! E-mail addresses and @handles: both are found from their `@`.

use std::ops::Range;
use std::sync::OnceLock;

use super::rule::{LIKELY, STRONG, TOLD, WEAK};
use super::{Identifier, IdentifierKind};

use crate::compiled::{self, ScreenedRegex};

const HANDLE_CHARS_MAX: usize = 40;
/// Words behind an `@` that name no person: code, style sheets, package scopes.
const NOT_HANDLES: &[&str] = &[
    "media",
    "import",
    "override",
    "param",
    "return",
    "returns",
    "charset",
    "keyframes",
    "supports",
    "property",
    "staticmethod",
    "classmethod",
    "deprecated",
    "todo",
    "types",
    "here",
    "channel",
    "everyone",
    "all",
];

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    for (at, _) in text.match_indices('@') {
        match email(text, at) {
            Some(one) => found.push(one),
            None => found.extend(handle(text, at)),
        }
    }
    if text.contains(['[', '(']) {
        spelt_out(text, found);
    }
}

/// `alice@acme.io`, whatever brackets, quotes or `mailto:` stand around it.
fn email(text: &str, at: usize) -> Option<Identifier> {
    let (local, domain) = (local_part(text, at)?, domain_part(text, at + 1)?);
    if belongs_to_url(&text[..local.start]) {
        return None;
    }
    let canonical = format!("{}@{}", &text[local.clone()], &text[domain.clone()]).to_lowercase();
    Some(Identifier {
        kind: IdentifierKind::Email,
        span: local.start..domain.end,
        canonical,
        confidence: STRONG,
        reason: "an address with a domain",
    })
}

/// The name inside its quotes, as in `"rosa"@contoso.org`.
fn quoted_part(text: &str, at: usize) -> Option<Range<usize>> {
    let end = at.checked_sub(1).filter(|end| text.as_bytes()[*end] == b'"')?;
    let start = text[..end].rfind('"')? + 1;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    (start < end && text[start..end].chars().all(plain)).then_some(start..end)
}

fn local_part(text: &str, at: usize) -> Option<Range<usize>> {
    if let Some(quoted) = quoted_part(text, at) {
        return Some(quoted);
    }
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    let start = text[..at].char_indices().rev().take_while(|(_, c)| allowed(*c)).last()?.0;
    // Quotes and leading marks belong to the sentence.
    let part = text[start..at].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let valid = !part.is_empty() && !part.ends_with('.') && !part.contains("..");
    let preceded = text[..at - part.len()].ends_with('@');
    (valid && !preceded).then(|| at - part.len()..at)
}

/// At least two labels, the last of letters (or an internationalised one).
fn domain_part(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = &text[from..];
    let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '.')).unwrap_or(rest.len());
    let domain = rest[..length].trim_end_matches(['.', '-']);
    let top = domain.rsplit('.').next()?;
    let named = top.starts_with("xn--") || (top.chars().count() >= 2 && top.chars().all(char::is_alphabetic));
    let labels = domain.split('.').all(|label| !label.is_empty() && !label.starts_with('-'));
    (domain.contains('.') && named && labels).then(|| from..from + domain.len())
}

/// `scheme://user:password@host` is no e-mail address.
fn belongs_to_url(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    word.contains("://")
}

/// `@name` at the start of a word; also `@name@server`.
fn handle(text: &str, at: usize) -> Option<Identifier> {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '@' | '_' | '-' | ':')) {
        return None;
    }
    let rest = &text[at + 1..];
    let length =
        rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))).unwrap_or(rest.len());
    let name = rest[..length].trim_end_matches(['.', '-']);
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let lower = name.to_lowercase();
    let sized = letters >= 2 && name.chars().count() <= HANDLE_CHARS_MAX;
    if !sized || rest[name.len()..].starts_with(['/', '(']) || NOT_HANDLES.contains(&lower.as_str()) {
        return None;
    }
    // "@acme.io" is where addresses end, not who somebody is.
    let is_name = !name.starts_with(|c: char| c.is_ascii_digit()) && domain_part(rest, 0).is_none();
    let server = rest[name.len()..].strip_prefix('@').and_then(|_| domain_part(rest, name.len() + 1));
    let end = server.map_or(name.len(), |server| server.end);
    Some(Identifier {
        kind: IdentifierKind::Handle,
        span: at..at + 1 + end,
        canonical: rest[..end].to_lowercase(),
        confidence: if is_name { LIKELY } else { WEAK },
        reason: "a name behind an @",
    })
}

/// Returns true when `[at]` or `(at)` begins here.
pub(super) fn spelt_at(bytes: &[u8]) -> bool {
    let inner: Vec<u8> = bytes[1..].iter().copied().filter(|byte| *byte != b' ').take(3).collect();
    matches!(inner.as_slice(), [b'a' | b'A', b't' | b'T', b']' | b')']) || inner.first() == Some(&b'@')
}

/// `alice [at] acme [dot] io`.
fn spelt_out(text: &str, found: &mut Vec<Identifier>) {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const SPELT: &str = r"(?i)([a-z0-9][a-z0-9._+-]*)\s?[\[(]\s?(?:at|@)\s?[\])]\s?([a-z0-9-]+(?:\s?(?:\.|[\[(]\s?dot\s?[\])])\s?[a-z0-9-]+)*?(?:\.|\s?[\[(]\s?dot\s?[\])]\s?)[a-z]{2,})";
    let Some(pattern) = PATTERN.get_or_init(|| compiled::regex(SPELT).ok()).as_ref() else { return };
    for hit in pattern.captures_iter(text) {
        let (Some(whole), Some(local), Some(domain)) = (hit.get(0), hit.get(1), hit.get(2)) else { continue };
        let labels = domain.as_str().to_lowercase().replace("dot", ".");
        let domain: String =
            labels.chars().filter(|c| c.is_alphanumeric() || matches!(c, '.' | '-')).collect();
        found.push(Identifier {
            kind: IdentifierKind::Email,
            span: whole.range(),
            canonical: format!("{}@{domain}", local.as_str().to_lowercase()),
            confidence: TOLD,
            reason: "an address that is spelt out",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::identifiers;
    use super::*;

    fn canonical(text: &str) -> Vec<(IdentifierKind, String)> {
        identifiers(text).into_iter().map(|one| (one.kind, one.canonical)).collect()
    }

    #[test]
    fn all_spellings_of_an_address_are_one() {
        for text in [
            "alice@acme.io",
            "Write to Alice@ACME.io.",
            "<mailto:alice@acme.io>",
            "\"alice@acme.io\"",
            "'alice@acme.io'",
            "Alice Acme <alice@acme.io>",
            "alice [at] acme [dot] io",
            "alice(at)acme.io",
        ] {
            assert_eq!(canonical(text), [(IdentifierKind::Email, "alice@acme.io".to_owned())], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_an_address_is_none() {
        for text in [
            "alice@acme",
            "meet @ 5",
            "a..b@acme.io is off",
            "postgres://u:pw@db.acme.io/x",
            "@ acme.",
            "x@.io",
        ] {
            assert!(canonical(text).iter().all(|(kind, _)| *kind != IdentifierKind::Email), "{text}");
        }
    }

    #[test]
    fn handles_are_names_behind_an_at() {
        assert_eq!(canonical("thanks @Ann_Lee!"), [(IdentifierKind::Handle, "ann_lee".to_owned())]);
        assert_eq!(
            canonical("(@ann@social.example)"),
            [(IdentifierKind::Handle, "ann@social.example".to_owned())]
        );
        for text in ["@media print", "@types/node", "@Override()", "see you @ noon", "2@3"] {
            assert!(canonical(text).iter().all(|(kind, _)| *kind != IdentifierKind::Handle), "{text}");
        }
    }

    #[test]
    fn the_span_is_the_address_alone() {
        let text = "write to «ann@acme.io», please";
        assert_eq!(&text[identifiers(text)[0].span.clone()], "ann@acme.io");
    }
}
