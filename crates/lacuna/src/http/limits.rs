//! Limits per caller: requests of each class in a minute, and bytes in a day.
//!
//! Every limit is a bucket that fills at its rate and holds at most one period. The accounts of callers are
//! bounded, in RAM, and forgotten at a restart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use lacuna_core::permit::Caller;

use super::App;
use crate::codes;
use crate::config::LimitChoice;
use crate::wire::failure::{Failure, Result};

/// Accounts in RAM. One more, and callers who used nothing lately are forgotten, then the one who was seen
/// longest ago.
const CALLERS_MAX: usize = 10_000;
/// Divisor for one caller's part of the admitted requests, so that nobody takes all the places.
const SHARE: usize = 2;
/// Pause before a retry while a caller's own requests are under way.
const SHARE_PAUSE: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// POSTs that change nothing. A heavy one counts as heavy.
pub(super) const READING_POSTS: [&str; 16] = [
    "/v1/search",
    "/v1/records/search",
    "/v1/records/namespaces",
    "/v1/context",
    "/v1/forget",
    "/v1/forgotten",
    "/v1/retention/preview",
    "/v1/people/requests/{request}/plan",
    "/v1/views/personal/retrieve",
    "/v1/views/forgetting/request",
    "/v1/views/forgetting/forget-entity",
    "/v1/views/forgetting/verify",
    "/v1/views/persona/validate",
    "/v1/views/safety/format",
    "/v1/views/safety/detect-secrets",
    "/v1/views/governance/resolve",
];
/// Operations that read or rewrite much of a vault at once.
const HEAVY: [&str; 25] = [
    "/v1/records/batch",
    "/v1/records/erase",
    "/v1/memories/batch",
    "/v1/import",
    "/v1/exports",
    "/v1/compact",
    "/v1/destroy",
    "/v1/forget",
    "/v1/forget/confirm",
    "/v1/people/requests/{request}/plan",
    "/v1/people/requests/{request}/confirm",
    "/v1/audit/verify",
    "/v1/audit/report",
    "/v1/audit/export",
    "/v1/review/month",
    "/v1/views/personal/forget",
    "/v1/views/personal/export",
    "/v1/views/personal/destroy",
    "/v1/views/forgetting/request",
    "/v1/views/forgetting/forget-entity",
    "/v1/views/forgetting/answer",
    "/v1/views/forgetting/export",
    "/v1/views/persona/document",
    "/v1/views/persona/import",
    "/v1/views/safety/audit",
];

/// Class of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Read,
    Write,
    Heavy,
}

impl Class {
    fn of(method: &Method, route: &str) -> Self {
        match route {
            heavy if HEAVY.contains(&heavy) => Self::Heavy,
            _ if method == Method::GET || method == Method::HEAD => Self::Read,
            reading if READING_POSTS.contains(&reading) => Self::Read,
            _ => Self::Write,
        }
    }
}

/// Fills at `full / period`, up to `full`.
struct Bucket {
    full: f64,
    period: Duration,
    left: f64,
    at: Instant,
}

impl Bucket {
    fn new(full: f64, period: Duration, now: Instant) -> Self {
        Self { full, period, left: full, at: now }
    }

    /// Takes `cost`, or returns the wait until there is enough. A cost above the bucket's size waits for a full
    /// one.
    fn take(&mut self, cost: f64, now: Instant) -> std::result::Result<(), Duration> {
        self.fill(now);
        if self.left >= cost {
            self.left -= cost;
            return Ok(());
        }
        let missing = cost.min(self.full) - self.left;
        Err(self.period.mul_f64((missing / self.full).clamp(0.0, 1.0)))
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + self.full * passed / self.period.as_secs_f64()).min(self.full);
        self.at = now;
    }

    fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.left >= self.full
    }
}

/// The buckets of one caller; none where there is no limit.
struct CallerAccount {
    reads: Option<Bucket>,
    writes: Option<Bucket>,
    heavy: Option<Bucket>,
    bytes: Option<Bucket>,
    /// Requests under way.
    inside: usize,
    seen: Instant,
}

impl CallerAccount {
    fn new(choice: &LimitChoice, now: Instant) -> Self {
        let minute = |rate: Option<u32>| rate.map(|rate| Bucket::new(f64::from(rate), MINUTE, now));
        Self {
            reads: minute(choice.reads_per_minute),
            writes: minute(choice.writes_per_minute),
            heavy: minute(choice.heavy_per_minute),
            bytes: choice.bytes_per_day.map(|bytes| Bucket::new(bytes as f64, DAY, now)),
            inside: 0,
            seen: now,
        }
    }

    fn of(&mut self, class: Class) -> Option<&mut Bucket> {
        match class {
            Class::Read => self.reads.as_mut(),
            Class::Write => self.writes.as_mut(),
            Class::Heavy => self.heavy.as_mut(),
        }
    }

    fn is_idle(&mut self, now: Instant) -> bool {
        if self.inside > 0 {
            return false;
        }
        let buckets = [&mut self.reads, &mut self.writes, &mut self.heavy, &mut self.bytes];
        buckets.into_iter().flatten().all(|bucket| bucket.is_full(now))
    }
}

/// The accounts of everybody who called lately.
pub(super) struct CallerLimits {
    choice: LimitChoice,
    inside_max: usize,
    callers_max: usize,
    accounts: Mutex<HashMap<(String, String), CallerAccount>>,
}

impl CallerLimits {
    pub(super) fn new(choice: LimitChoice, requests_max: usize) -> Self {
        // Without limits there is nobody to share with.
        let inside_max =
            if choice == LimitChoice::default() { usize::MAX } else { requests_max.div_ceil(SHARE) };
        Self { choice, inside_max, callers_max: CALLERS_MAX, accounts: Mutex::default() }
    }

    /// Admits one more request of this caller, until the returned guard is dropped.
    fn enter(self: &Arc<Self>, caller: &Caller, now: Instant) -> Option<RequestInside> {
        self.with(caller, now, |account| {
            let free = account.inside < self.inside_max;
            account.inside += usize::from(free);
            free
        })
        .then(|| RequestInside { limits: self.clone(), caller: caller.clone() })
    }

    fn take_request(&self, caller: &Caller, class: Class, now: Instant) -> std::result::Result<(), Duration> {
        self.with(caller, now, |account| account.of(class).map_or(Ok(()), |bucket| bucket.take(1.0, now)))
    }

    fn take_bytes(&self, caller: &Caller, bytes: usize, now: Instant) -> std::result::Result<(), Duration> {
        let cost = bytes as f64;
        self.with(caller, now, |account| {
            account.bytes.as_mut().map_or(Ok(()), |bucket| bucket.take(cost, now))
        })
    }

    fn with<T>(&self, caller: &Caller, now: Instant, act: impl FnOnce(&mut CallerAccount) -> T) -> T {
        let name = (caller.org.to_string(), caller.user.to_string());
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= self.callers_max && !accounts.contains_key(&name) {
            make_room(&mut accounts, self.callers_max, now);
        }
        let account = accounts.entry(name).or_insert_with(|| CallerAccount::new(&self.choice, now));
        account.seen = now;
        act(account)
    }
}

/// A request under way.
struct RequestInside {
    limits: Arc<CallerLimits>,
    caller: Caller,
}

impl Drop for RequestInside {
    fn drop(&mut self) {
        self.limits
            .with(&self.caller, Instant::now(), |account| account.inside = account.inside.saturating_sub(1));
    }
}

fn make_room(accounts: &mut HashMap<(String, String), CallerAccount>, max: usize, now: Instant) {
    accounts.retain(|_, account| !account.is_idle(now));
    while accounts.len() >= max {
        let oldest = accounts.iter().min_by_key(|(_, account)| account.seen).map(|(name, _)| name.clone());
        let Some(oldest) = oldest else { return };
        accounts.remove(&oldest);
    }
}

/// Counts a request against its caller's limits.
pub(crate) async fn limit(State(app): State<App>, request: Request, next: Next) -> Result<Response> {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let class = Class::of(request.method(), route);
    let Some(caller) = request.extensions().get::<Caller>() else {
        return Err(Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning));
    };
    let now = Instant::now();
    let taken = app.0.limits.take_request(caller, class, now);
    taken.map_err(|wait| too_many(&codes::RATE_LIMITED, wait))?;
    let _inside =
        app.0.limits.enter(caller, now).ok_or_else(|| too_many(&codes::RATE_LIMITED, SHARE_PAUSE))?;
    Ok(next.run(request).await)
}

/// Counts bytes that a caller sent against their day.
pub(super) fn charge(app: &App, caller: &Caller, bytes: usize) -> Result<()> {
    let taken = app.0.limits.take_bytes(caller, bytes, Instant::now());
    taken.map_err(|wait| too_many(&codes::QUOTA_EXCEEDED, wait))
}

fn too_many(code: &'static codes::Code, wait: Duration) -> Failure {
    Failure { retry_after: Some(wait), ..Failure::new(code, code.meaning) }
}

#[cfg(test)]
mod tests {
    use lacuna_types::{OrgId, Role, UserId};

    use super::*;

    fn caller(user: &str) -> Caller {
        Caller::new(OrgId::new("acme").unwrap(), UserId::new(user).unwrap(), vec![Role::User])
    }

    fn limits(callers_max: usize) -> CallerLimits {
        let choice = LimitChoice {
            reads_per_minute: Some(60),
            writes_per_minute: Some(2),
            heavy_per_minute: None,
            bytes_per_day: Some(1_000),
        };
        CallerLimits { callers_max, ..CallerLimits::new(choice, 4) }
    }

    #[test]
    fn each_class_has_its_own_bucket_and_each_caller_their_own() {
        let (limits, now) = (limits(10), Instant::now());
        let write = |user: &str, now| limits.take_request(&caller(user), Class::Write, now);
        assert!(write("anna", now).is_ok() && write("anna", now).is_ok());
        assert_eq!(
            write("anna", now),
            Err(Duration::from_secs(30)),
            "two a minute are one in thirty seconds"
        );
        assert!(limits.take_request(&caller("anna"), Class::Read, now).is_ok());
        assert!(limits.take_request(&caller("anna"), Class::Heavy, now).is_ok(), "no limit");
        assert!(write("ben", now).is_ok());
        assert!(write("anna", now + Duration::from_secs(29)).is_err());
        assert!(write("anna", now + Duration::from_secs(31)).is_ok());
        assert!(write("anna", now + Duration::from_secs(31)).is_err());
    }

    #[test]
    fn bytes_are_counted_by_the_day_and_too_many_at_once_are_never_let_in() {
        let (limits, now) = (limits(10), Instant::now());
        let anna = caller("anna");
        assert!(limits.take_bytes(&anna, 900, now).is_ok());
        assert!(limits.take_bytes(&anna, 101, now).is_err());
        assert!(limits.take_bytes(&anna, 100, now).is_ok());
        assert!(limits.take_bytes(&anna, 5_000, now + DAY).is_err());
    }

    #[test]
    fn no_more_callers_are_remembered_than_the_bound_and_the_longest_unseen_go_first() {
        let (limits, now) = (limits(3), Instant::now());
        let write = |user: &str, now| limits.take_request(&caller(user), Class::Write, now);
        for user in ["anna", "ben", "carl"] {
            assert!(write(user, now).is_ok() && write(user, now).is_ok());
        }
        let later = now + Duration::from_secs(1);
        assert!(write("anna", later).is_err());
        assert!(write("dora", later).is_ok());
        assert_eq!(limits.accounts.lock().unwrap().len(), 3);
        assert!(write("anna", later).is_err(), "whoever was seen last is still remembered");
    }

    #[test]
    fn one_caller_takes_no_more_than_their_share_of_the_places() {
        let (limits, now) = (Arc::new(limits(10)), Instant::now());
        let held: Vec<_> = (0..2).map(|_| limits.enter(&caller("anna"), now).unwrap()).collect();
        assert!(limits.enter(&caller("anna"), now).is_none());
        assert!(limits.enter(&caller("ben"), now).is_some());
        drop(held);
        assert!(limits.enter(&caller("anna"), now).is_some());
        let free = Arc::new(CallerLimits::new(LimitChoice::default(), 1));
        let held: Vec<_> = (0..9).filter_map(|_| free.enter(&caller("anna"), now)).collect();
        assert_eq!(held.len(), 9, "where nobody is limited");
    }

    #[test]
    fn routes_are_of_the_class_of_their_work() {
        let class = |method: &str, route| Class::of(&method.parse().unwrap(), route);
        assert_eq!(class("GET", "/v1/memories"), Class::Read);
        assert_eq!(class("POST", "/v1/search"), Class::Read);
        assert_eq!(class("POST", "/v1/memories"), Class::Write);
        assert_eq!(class("DELETE", "/v1/memories/{memory_id}"), Class::Write);
        assert_eq!(class("POST", "/v1/import"), Class::Heavy);
        assert_eq!(class("GET", "/v1/audit/export"), Class::Heavy);
    }
}
