//! The token that binds a confirmation to the plan it confirms.
//!
//! It holds the wish itself and a digest of what the wish matched, sealed under a key of the vault: nothing is
//! kept for it, it is good for the one who asked, and it is void as soon as the wish matches something else.
//! What it erases no longer matches, so it can be used once.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::Zeroizing;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_types::hex::{hex, unhex};
use lacuna_types::request::{About, Mode, Reach, TimeSpan, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// Time within which a plan must be confirmed, and a second confirmation must follow the first.
pub(crate) const PLAN_VALID: SignedDuration = SignedDuration::from_mins(15);
const PREFIX: &str = "fgt_";
const FIELDS: u64 = 9;
/// Bytes of the longest token that is read.
const TOKEN_BYTES_MAX: usize = 64 << 10;

/// The contents of a token.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ForgetClaims {
    pub(crate) user: UserId,
    pub(crate) expires_at: Timestamp,
    pub(crate) mode: Mode,
    /// The chosen person among several of one name, counted from one.
    pub(crate) who: Option<u32>,
    /// Confirmations that were given already.
    pub(crate) confirmed: u8,
    pub(crate) wish: Wish,
    /// Digest of the matches of the wish.
    pub(crate) digest: [u8; 32],
    /// True when only a part of each memory is cut, where the rest makes sense.
    pub(crate) partial: bool,
    /// Proposals of a language model, which are only offered.
    pub(crate) proposed: Vec<MemoryId>,
}

impl ForgetClaims {
    /// As the vault's `seal_plan` seals it.
    pub(crate) fn to_token(&self, seal: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
        format!("{PREFIX}{}", hex(&seal(&Zeroizing::new(self.encode()))))
    }

    /// As the vault's `open_plan` opens it, for the one who asked.
    pub(crate) fn from_token(
        token: &str,
        open: impl FnOnce(&[u8]) -> Option<Zeroizing<Vec<u8>>>,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Self> {
        let said = decode(token).and_then(|sealed| open(&sealed)).ok_or_else(useless)?;
        let bound = CborReader(&said).record(FIELDS, read).ok_or_else(useless)?;
        if bound.user != *user || bound.expires_at <= now {
            return Err(useless());
        }
        Ok(bound)
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        w.text(self.user.as_str());
        w.int(millis(self.expires_at));
        w.uint(self.mode.code());
        w.optional(self.who, CborWriter::uint);
        w.uint(self.confirmed);
        write_wish(&mut w, &self.wish);
        w.bytes(&self.digest);
        w.bool(self.partial);
        w.list(&self.proposed, |w, id| w.bytes(id.as_bytes()));
        bytes
    }
}

/// Missing, foreign, changed and expired tokens look the same.
fn useless() -> Error {
    Error::invalid("token", "is not a plan of yours in this vault, or has expired: plan again")
}

fn decode(token: &str) -> Option<Vec<u8>> {
    let digits = token.strip_prefix(PREFIX)?;
    if digits.len() > 2 * TOKEN_BYTES_MAX { None } else { unhex(digits) }
}

fn read(r: &mut CborReader<'_>) -> Option<ForgetClaims> {
    Some(ForgetClaims {
        user: UserId::new(r.text()?).ok()?,
        expires_at: from_millis(r.int()?)?,
        mode: Mode::from_code(r.uint()?)?,
        who: r.optional(CborReader::uint)?,
        confirmed: r.uint()?,
        wish: r.record(5, read_wish)?,
        digest: r.array_of_bytes()?,
        partial: r.bool()?,
        proposed: r.list(|r| Some(MemoryId::from_bytes(r.array_of_bytes()?)))?,
    })
}

fn write_wish(w: &mut CborWriter<'_>, wish: &Wish) {
    w.array(5);
    write_about(w, &wish.about);
    w.optional(wish.when, |w, span| {
        w.array(2);
        w.optional(span.from, |w, at| w.int(millis(at)));
        w.optional(span.until, |w, at| w.int(millis(at)));
    });
    w.list(&wish.keep, |w, keep| w.text(keep));
    w.bool(wish.reach == Reach::Subject);
    w.bool(wish.own);
}

fn read_wish(r: &mut CborReader<'_>) -> Option<Wish> {
    let at = |r: &mut CborReader<'_>| r.optional(|r| from_millis(r.int()?));
    Some(Wish {
        about: r.record(2, read_about)?,
        when: r.optional(|r| r.record(2, |r| Some(TimeSpan { from: at(r)?, until: at(r)? })))?,
        keep: r.list(|r| Some(r.text()?.to_owned()))?,
        reach: if r.bool()? { Reach::Subject } else { Reach::Mentions },
        own: r.bool()?,
    })
}

fn write_about(w: &mut CborWriter<'_>, about: &About) {
    w.array(2);
    match about {
        About::Ids(ids) => {
            w.uint(1u8);
            w.list(ids, |w, id| w.bytes(id.as_bytes()));
        }
        About::Subject(text) => write_text(w, 2, text),
        About::Query(text) => write_text(w, 3, text),
        About::Session(session) => write_text(w, 4, session.as_str()),
        About::Conversation => write_text(w, 5, ""),
        About::LastSaid => write_text(w, 6, ""),
        About::Tags(tags) => {
            w.uint(7u8);
            w.list(tags, |w, tag| w.text(tag));
        }
        About::Sensitivity(sensitivity) => write_text(w, 8, sensitivity.as_str()),
        About::Tier(tier) => write_text(w, 9, tier.as_str()),
        About::Source(source) => write_text(w, 10, source.as_str()),
        About::Everything => write_text(w, 11, ""),
        About::Loose(text) => write_text(w, 12, text),
    }
}

fn write_text(w: &mut CborWriter<'_>, code: u8, text: &str) {
    w.uint(code);
    w.text(text);
}

fn read_about(r: &mut CborReader<'_>) -> Option<About> {
    Some(match r.uint::<u8>()? {
        1 => About::Ids(r.list(|r| Some(MemoryId::from_bytes(r.array_of_bytes()?)))?),
        7 => About::Tags(r.list(|r| Some(r.text()?.to_owned()))?),
        code => about_of(code, r.text()?)?,
    })
}

fn about_of(code: u8, text: &str) -> Option<About> {
    Some(match code {
        2 => About::Subject(text.to_owned()),
        3 => About::Query(text.to_owned()),
        4 => About::Session(SessionId::new(text).ok()?),
        5 => About::Conversation,
        6 => About::LastSaid,
        8 => About::Sensitivity(text.parse().ok()?),
        9 => About::Tier(text.parse().ok()?),
        10 => About::Source(text.parse().ok()?),
        11 => About::Everything,
        12 => About::Loose(text.to_owned()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use lacuna_seal::{Field, MemoryKey, SealContext, SystemEntropy};

    use super::*;

    fn bound(about: About) -> ForgetClaims {
        let at: Timestamp = "2026-04-12T09:15:00Z".parse().unwrap();
        ForgetClaims {
            user: UserId::new("anna").unwrap(),
            expires_at: at,
            mode: Mode::Hard,
            who: Some(2),
            confirmed: 1,
            wish: Wish {
                about,
                when: Some(TimeSpan { from: None, until: Some(at) }),
                keep: vec!["the harbour".into()],
                reach: Reach::Subject,
                own: true,
            },
            digest: [7; 32],
            partial: true,
            proposed: vec![MemoryId::from_bytes([5; 16])],
        }
    }

    #[test]
    fn every_wish_comes_back_from_its_token_and_from_no_other() {
        let key = |byte| MemoryKey::from_bytes([byte; 32]);
        let context = SealContext {
            org: "acme",
            user: "anna",
            vault: [1; 16],
            memory: [0; 16],
            field: Field::Plan,
            class: 0,
            revision: 0,
            created_at_millis: 0,
            key_version: 1,
        };
        let opened = |token: &str, byte, user: &UserId, now| {
            ForgetClaims::from_token(token, |sealed| key(byte).open(&context, sealed).ok(), user, now)
        };
        let anna = UserId::new("anna").unwrap();
        let now: Timestamp = "2026-04-12T09:14:59Z".parse().unwrap();
        for about in [
            About::Ids(vec![MemoryId::from_bytes([3; 16])]),
            About::Subject("Ingrid".into()),
            About::Query("where the boat lies".into()),
            About::Loose("the boat, you know, that can go".into()),
            About::Session(SessionId::new("ses_1").unwrap()),
            About::Conversation,
            About::LastSaid,
            About::Tags(vec!["boat".into()]),
            About::Sensitivity(Sensitivity::Health),
            About::Tier(Tier::Episodic),
            About::Source(SourceType::ToolOutput),
            About::Everything,
        ] {
            let bound = bound(about);
            let token = bound.to_token(|said| key(1).seal(&context, said, &SystemEntropy));
            assert!(!token.contains(&hex(b"harbour")), "the words of a request are nobody else's");
            assert_eq!(opened(&token, 1, &anna, now).unwrap(), bound);
            assert!(opened(&token, 2, &anna, now).is_err());
            assert!(opened(&token, 1, &UserId::new("ben").unwrap(), now).is_err());
            assert!(opened(&token, 1, &anna, bound.expires_at).is_err());
            for at in PREFIX.len()..token.len() {
                let mut forged = token.clone().into_bytes();
                forged[at] = if forged[at] == b'0' { b'1' } else { b'0' };
                assert!(opened(str::from_utf8(&forged).unwrap(), 1, &anna, now).is_err());
            }
        }
        for token in ["", "fgt_", "fgt_00", "fgt_zz", "cfm_00", &format!("fgt_{}", "0".repeat(200_000))] {
            assert!(opened(token, 1, &anna, now).is_err());
        }
    }
}
