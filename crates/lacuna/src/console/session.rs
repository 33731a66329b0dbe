//! Signed-in browsers, in RAM only and bounded. A restart signs everybody out.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use lacuna_core::govern::{SIGN_IN_LINK_VALID, SignedIn};
use lacuna_core::permit::Caller;
use lacuna_seal::{Entropy, SystemEntropy, sha256};
use lacuna_types::{OrgId, Role, UserId};
use zeroize::Zeroizing;

use crate::wire::hex;

/// Browsers that are signed in at a time. One more, and the one that was seen longest ago is signed out.
pub(super) const VISITS_MAX: usize = 1_000;
/// Links that were used and have not expired yet. One more is refused.
const USED_LINKS_MAX: usize = 1_000;
/// Time after which a browser is signed out, whatever it does.
const VISIT_MAX: SignedDuration = SignedDuration::from_hours(12);
/// Time after which the sign-on service is asked again whether it still knows somebody.
pub(super) const SIGN_ON_MAX: SignedDuration = SignedDuration::from_hours(1);
const SECRET_BYTES: usize = 32;

/// The way in which somebody signed in. It is looked at again for every page.
#[derive(Clone)]
pub(super) enum Credential {
    /// A link of somebody who holds the installation's keys.
    Link { org: OrgId, user: UserId, roles: Vec<Role> },
    /// Somebody whom the sign-on service vouched for, until then.
    SignedOn { org: OrgId, user: UserId, roles: Vec<Role>, until: Timestamp },
    /// A token, which may be revoked or expire meanwhile.
    Token(Zeroizing<String>),
}

impl Credential {
    /// The credential of a link's caller.
    pub(super) fn of_link(caller: &Caller) -> Self {
        let Caller { org, user, roles, .. } = caller.clone();
        Self::Link { org, user, roles }
    }
}

/// One signed-in browser.
struct Visit {
    credential: Credential,
    form_key: String,
    began_at: Timestamp,
    seen_at: Timestamp,
}

impl Visit {
    fn is_over(&self, now: Timestamp, idle_max: SignedDuration) -> bool {
        now.duration_since(self.seen_at) > idle_max || now.duration_since(self.began_at) > VISIT_MAX
    }
}

/// Every signed-in browser, by the hash of its cookie, and the links that were used.
pub(super) struct Visits {
    started_at: Timestamp,
    /// Time without a click after which a browser is signed out.
    idle_max: SignedDuration,
    visits: Mutex<HashMap<[u8; 32], Visit>>,
    used: Mutex<HashMap<[u8; 16], Timestamp>>,
}

impl Visits {
    /// Nobody is signed in; links that were made before `now` are refused.
    pub(super) fn new(now: Timestamp, idle_max: SignedDuration) -> Self {
        Self { started_at: now, idle_max, visits: Mutex::default(), used: Mutex::default() }
    }

    /// The moment from which on links are taken: the start of the process.
    pub(super) fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Uses a link up. `false` for one that was used already, or that an earlier process may have taken.
    pub(super) fn use_link(&self, link: &SignedIn, now: Timestamp) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, made_at| *made_at + SIGN_IN_LINK_VALID > now);
        let is_new = !used.contains_key(&link.nonce);
        if !is_new || used.len() >= USED_LINKS_MAX || link.made_at < self.started_at {
            return false;
        }
        used.insert(link.nonce, link.made_at);
        true
    }

    /// Signs a browser in. Returns the secret for its cookie.
    pub(super) fn begin(&self, credential: Credential, now: Timestamp) -> Zeroizing<String> {
        let secret = make_secret();
        let visit = Visit { credential, form_key: make_secret().to_string(), began_at: now, seen_at: now };
        let mut visits = self.visits();
        visits.retain(|_, visit| !visit.is_over(now, self.idle_max));
        if visits.len() >= VISITS_MAX {
            let oldest = visits.iter().min_by_key(|(_, visit)| visit.seen_at).map(|(key, _)| *key);
            oldest.map(|key| visits.remove(&key));
        }
        visits.insert(sha256(secret.as_bytes()), visit);
        secret
    }

    /// The credential and the form key of a cookie's visit, which goes on by this.
    pub(super) fn resume(&self, secret: &str, now: Timestamp) -> Option<(Credential, String)> {
        let key = sha256(secret.as_bytes());
        let mut visits = self.visits();
        let visit = visits.get_mut(&key)?;
        if visit.is_over(now, self.idle_max) {
            visits.remove(&key);
            return None;
        }
        visit.seen_at = visit.seen_at.max(now);
        Some((visit.credential.clone(), visit.form_key.clone()))
    }

    /// Signs a browser out.
    pub(super) fn end(&self, secret: &str) {
        self.visits().remove(&sha256(secret.as_bytes()));
    }

    fn visits(&self) -> MutexGuard<'_, HashMap<[u8; 32], Visit>> {
        self.visits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_secret() -> Zeroizing<String> {
    let mut bytes = Zeroizing::new([0u8; SECRET_BYTES]);
    SystemEntropy.fill(&mut *bytes);
    Zeroizing::new(hex(&*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000).unwrap() + SignedDuration::from_mins(minutes)
    }

    const IDLE: SignedDuration = SignedDuration::from_mins(15);

    fn token(name: &str) -> Credential {
        Credential::Token(Zeroizing::new(name.to_owned()))
    }

    fn link(number: u8, made_at: Timestamp) -> SignedIn {
        let caller = Caller::new(OrgId::new("acme").unwrap(), UserId::new("anna").unwrap(), Vec::new());
        SignedIn { caller, nonce: [number; 16], made_at }
    }

    #[test]
    fn a_visit_ends_when_nobody_clicks_after_twelve_hours_and_by_signing_out() {
        let visits = Visits::new(at(0), IDLE);
        let secret = visits.begin(token("a"), at(0));
        assert!(visits.resume("another", at(0)).is_none());
        assert!(visits.resume(&secret, at(14)).is_some());
        assert!(visits.resume(&secret, at(29)).is_some(), "every click counts");
        assert!(visits.resume(&secret, at(45)).is_none(), "sixteen minutes without one");
        assert!(visits.resume(&secret, at(45)).is_none(), "and it does not come back");

        let busy = visits.begin(token("a"), at(0));
        let mut minute = 0;
        while visits.resume(&busy, at(minute)).is_some() {
            minute += 10;
        }
        assert_eq!(minute, 12 * 60 + 10);

        let gone = visits.begin(token("a"), at(0));
        visits.end(&gone);
        assert!(visits.resume(&gone, at(0)).is_none());
    }

    #[test]
    fn no_more_browsers_are_signed_in_than_the_bound_and_the_longest_unseen_goes() {
        let visits = Visits::new(at(0), IDLE);
        let first = visits.begin(token("first"), at(0));
        let second = visits.begin(token("second"), at(0));
        for _ in 2..VISITS_MAX {
            visits.begin(token("more"), at(1));
        }
        assert!(visits.resume(&second, at(2)).is_some());
        visits.begin(token("last"), at(2));
        assert!(visits.resume(&first, at(2)).is_none());
        assert!(visits.resume(&second, at(2)).is_some());
        assert_eq!(visits.visits().len(), VISITS_MAX);
    }

    #[test]
    fn a_link_is_used_once_and_not_when_it_is_older_than_the_server() {
        let visits = Visits::new(at(10), IDLE);
        assert!(!visits.use_link(&link(1, at(9)), at(10)));
        assert!(visits.use_link(&link(2, at(10)), at(10)));
        assert!(!visits.use_link(&link(2, at(10)), at(11)));
        for number in 3..=255 {
            assert!(visits.use_link(&link(number, at(11)), at(11)), "{number}");
        }
        assert!(visits.use_link(&link(1, at(14)), at(14)), "expired ones make room");
        assert_eq!(visits.used.lock().unwrap().len(), 1);
    }
}
