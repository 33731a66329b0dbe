//! Ids as people write them: the digits that a table shows, or any beginning or end that only one id has.

use lacuna_core::Browse;
use lacuna_core::govern::TokenId;
use lacuna_core::keep::SESSION_PAGE_MAX;
use lacuna_core::permit::{ManageTokens, Recall};
use lacuna_types::{MemoryId, SessionId};

use crate::assemble::Installation;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Digits of an id that a table shows: the last ones, as the label `mem:` of a prompt. The first ones tell the time,
/// which memories of one moment share.
const SHOWN_DIGITS: usize = 12;
/// Fewest digits that stand for an id.
const DIGITS_MIN: usize = 6;
/// Sessions among which a short name is looked for, the last used ones.
const SESSIONS_MAX: usize = 10_000;

/// Marks before the digits of an id: as tables and JSON have it, and as the label of a prompt.
const MEMORY_MARKS: [&str; 2] = ["mem_", "mem:"];
const TOKEN_MARKS: [&str; 1] = ["tok_"];

/// Care with which an id is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// The person sees what is meant, or can undo it: few digits do.
    Usual,
    /// Something goes for good without a question. An id that is gone must not be taken for another one, so the
    /// whole id is needed, or the digits that tables show.
    ForGood,
}

impl Care {
    /// The care of an act that erases, unless somebody is asked first.
    pub(super) fn unless_asked(yes: bool) -> Self {
        if yes { Self::ForGood } else { Self::Usual }
    }
}

/// An id as a table shows it.
pub(super) fn short(id: &str) -> String {
    let digits = id.rsplit(['_', ':']).next().unwrap_or(id);
    digits.get(digits.len().saturating_sub(SHOWN_DIGITS)..).unwrap_or(digits).to_owned()
}

/// Several ids as a sentence names them.
pub(super) fn short_list(ids: &[String]) -> String {
    ids.iter().map(|id| short(id)).collect::<Vec<_>>().join(", ")
}

/// A memory's id, whole or in part.
pub(super) fn memory_id(
    installation: &Installation,
    scope: Option<&str>,
    text: &str,
    care: Care,
) -> Result<MemoryId> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let digits = digits("memory_id", text, &MEMORY_MARKS)?;
    let grant = installation.grant::<Recall>(scope)?;
    let found = Browse::of(&installation.service).ids_like(&grant, &digits)?;
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let id = only("memory_id", text, &digits, found)?;
    if care == Care::ForGood && (digits.len() < SHOWN_DIGITS || !id.ends_with(&digits)) {
        let reason = format!("{text} is too little to erase by without a question: write {}", short(&id));
        return Err(Failure::invalid("memory_id", reason));
    }
    Ok(id.parse()?)
}

/// Ids of memories, whole or in part.
pub(super) fn memory_ids(
    installation: &Installation,
    scope: Option<&str>,
    texts: &[String],
    care: Care,
) -> Result<Vec<MemoryId>> {
    texts.iter().map(|text| memory_id(installation, scope, text, care)).collect()
}

/// Ids of memories, whole or in part, as whole texts.
pub(super) fn whole_ids(
    installation: &Installation,
    scope: Option<&str>,
    texts: &[String],
    care: Care,
) -> Result<Vec<String>> {
    Ok(memory_ids(installation, scope, texts, care)?.iter().map(ToString::to_string).collect())
}

/// A token's id, whole or in part.
pub(super) fn token_id(installation: &Installation, text: &str) -> Result<TokenId> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let digits = digits("token_id", text, &TOKEN_MARKS)?;
    let grant = installation.admin_grant::<ManageTokens>()?;
    let known = installation.service.tokens().list(&grant)?;
    let ids = known.iter().map(|token| token.id.to_string());
    let is_meant = |id: &String| {
        let whole = id.trim_start_matches(TOKEN_MARKS[0]);
        whole.starts_with(&digits) || whole.ends_with(&digits)
    };
    Ok(only("token_id", text, &digits, ids.filter(is_meant).collect())?.parse()?)
}

/// A session's name, whole or the beginning of one. A name that no session has is taken as it is.
pub(super) fn session_id(installation: &Installation, scope: Option<&str>, text: &str) -> Result<SessionId> {
    let whole = SessionId::new(text)?;
    let grant = installation.grant::<Recall>(scope)?;
    let (mut found, mut after, mut seen) = (Vec::new(), None, 0);
    while seen < SESSIONS_MAX {
        let page = installation.service.sessions(&grant, after.as_ref(), SESSION_PAGE_MAX)?;
        seen += page.sessions.len();
        if page.sessions.iter().any(|session| session.id == whole) {
            return Ok(whole);
        }
        let names = page.sessions.iter().map(|session| session.id.as_str().to_owned());
        found.extend(names.filter(|name| name.starts_with(text)));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    match found.len() {
        0 => Ok(whole),
        _ => Ok(SessionId::new(&only("session", text, text, found)?)?),
    }
}

/// The hex digits of a text that is part of an id.
fn digits(field: &'static str, text: &str, marks: &[&str]) -> Result<String> {
    let mark = marks.iter().find_map(|mark| text.strip_prefix(mark));
    let digits = mark.unwrap_or(text).to_ascii_lowercase();
    match digits.len() >= DIGITS_MIN && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(digits),
        false => {
            let reason =
                format!("{text:?} is no id: write the digits of the list, at least {DIGITS_MIN} of them");
            Err(Failure::invalid(field, reason))
        }
    }
}

/// The one id that is meant.
fn only(field: &'static str, text: &str, digits: &str, mut found: Vec<String>) -> Result<String> {
    match found.len() {
        0 => Err(Failure::new(&codes::NOT_FOUND, format!("nothing here has the id {text}"))),
        1 => Ok(found.remove(0)),
        _ => {
            let lines: Vec<String> = found.iter().map(|id| format!("\n  {id}")).collect();
            Err(Failure::invalid(
                field,
                format!("{digits} may mean several; write more digits:{}", lines.concat()),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_shows_the_last_digits_of_any_id() {
        assert_eq!(short("mem_01a1e30b14017a2f8f39c64dc53a7901"), "c64dc53a7901");
        assert_eq!(short("tok_0123456789abcdef0123456789abcdef"), "456789abcdef");
        assert_eq!(short("01a1e30b14017a2f8f39c64dc53a7901"), "c64dc53a7901");
        assert_eq!((short("mem_"), short("ses")), (String::new(), "ses".to_owned()));
    }

    #[test]
    fn digits_are_enough_of_them_and_nothing_else() {
        let read = |text: &str| digits("memory_id", text, &MEMORY_MARKS).ok();
        assert_eq!(read("mem_01A1E3").as_deref(), Some("01a1e3"));
        assert_eq!(read("mem:c64dc53a7901").as_deref(), Some("c64dc53a7901"));
        assert_eq!(read("c64dc5").as_deref(), Some("c64dc5"));
        for bad in ["", "mem_", "c64dc", "tok_c64dc5", "c64dcg", "c64dc5\u{1b}", "mem_mem_c64dc5"] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn one_is_meant_several_are_asked_about_and_none_is_not_found() {
        let found = |ids: &[&str]| {
            only("memory_id", "abc123", "abc123", ids.iter().map(ToString::to_string).collect())
        };
        assert_eq!(found(&["mem_1"]).unwrap(), "mem_1");
        assert_eq!(found(&[]).unwrap_err().code, &codes::NOT_FOUND);
        let several = found(&["mem_1", "mem_2"]).unwrap_err();
        assert_eq!(several.code, &codes::INVALID);
        assert!(several.detail.contains("mem_1") && several.detail.contains("mem_2"));
    }
}
