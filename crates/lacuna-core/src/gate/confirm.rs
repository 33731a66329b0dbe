//! Tokens with which a person confirms what the gate asked. They hold no text and nothing is kept for them:
//! a token is only good for the same text, by the same caller, in the same vault, until it expires.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::FingerprintKey;
use lacuna_types::hex::{hex, unhex};
use lacuna_types::{Error, Result, UserId, millis};

use crate::gate::report::Question;

/// The time within which a question may be answered.
pub(crate) const CONFIRM_WITHIN: SignedDuration = SignedDuration::from_mins(30);
const PREFIX: &str = "cfm_";
const MAC_BYTES: usize = 32;
/// Expiry, questions, code.
const TOKEN_BYTES: usize = 8 + 1 + MAC_BYTES;

/// Questions that were asked or answered, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Questions(u8);

impl Questions {
    pub(crate) fn contains(self, question: Question) -> bool {
        self.0 & bit(question) != 0
    }
}

impl FromIterator<Question> for Questions {
    fn from_iter<I: IntoIterator<Item = Question>>(questions: I) -> Self {
        Self(questions.into_iter().fold(0, |set, question| set | bit(question)))
    }
}

fn bit(question: Question) -> u8 {
    1 << question.code()
}

/// The values that a token is bound to.
pub(crate) struct TokenBinding<'a> {
    pub(crate) key: &'a FingerprintKey,
    pub(crate) user: &'a UserId,
    /// SHA-256 of the text as it was sent, before anything was taken out of it.
    pub(crate) digest: &'a [u8; 32],
}

impl TokenBinding<'_> {
    pub(crate) fn token(&self, questions: Questions, expires_at: Timestamp) -> String {
        let expiry = millis(expires_at).to_be_bytes();
        let code = self.key.fingerprint(&self.parts(&expiry, &[questions.0]));
        format!("{PREFIX}{}{}{}", hex(&expiry), hex(&[questions.0]), hex(&code))
    }

    /// The questions that `token` answers.
    pub(crate) fn answered(&self, token: &str, now: Timestamp) -> Result<Questions> {
        let bytes = decode(token).ok_or_else(useless_token)?;
        let (expiry, rest) = bytes.split_first_chunk::<8>().ok_or_else(useless_token)?;
        let (questions, code) = rest.split_first_chunk::<1>().ok_or_else(useless_token)?;
        let genuine = self.key.verify(&self.parts(expiry, questions), code);
        if !genuine || i64::from_be_bytes(*expiry) <= millis(now) {
            return Err(useless_token());
        }
        Ok(Questions(questions[0]))
    }

    fn parts<'b>(&'b self, expiry: &'b [u8; 8], questions: &'b [u8; 1]) -> [&'b [u8]; 4] {
        [expiry, questions, self.user.as_str().as_bytes(), self.digest]
    }
}

pub(crate) fn useless_token() -> Error {
    Error::invalid("confirm", "is not a token for this text, or has expired: ask again")
}

fn decode(token: &str) -> Option<[u8; TOKEN_BYTES]> {
    unhex(token.strip_prefix(PREFIX)?)?.try_into().ok()
}
