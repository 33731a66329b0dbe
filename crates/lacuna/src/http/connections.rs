//! Places for connections: so many in all, so many for each address, and a reserve in which the server tells its
//! health and nothing else.
//!
//! When no place is left, the connection that has waited longest for its next request gives way. First go those
//! that never sent a whole request, then kept ones that rest. A connection with a request under way stays.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use tokio::sync::Notify;

use crate::codes;
use crate::wire::failure::Failure;

/// Places beyond the limit for checks of health.
const RESERVE: usize = 16;
/// Routes that are answered in the reserve.
const HEALTH: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
/// Bits of an IPv6 address that belong to one network. Whoever has one address of it has them all.
const NETWORK_BITS: u32 = 64;

/// All places.
pub(super) struct Connections {
    max: usize,
    /// Of one address; `None` is no limit.
    per_address_max: Option<usize>,
    held: Mutex<HeldPlaces>,
}

#[derive(Default)]
struct HeldPlaces {
    of: HashMap<u64, HeldPlace>,
    /// Counts places and their changes, so that the longest wait can be found.
    count: u64,
}

struct HeldPlace {
    network: IpAddr,
    in_reserve: bool,
    /// Requests under way.
    requests: usize,
    /// It was answered at least once.
    answered: bool,
    /// Count at which it began to wait.
    since: u64,
    leave: Arc<Notify>,
}

impl Connections {
    pub(super) fn new(max: usize, per_address_max: Option<usize>) -> Self {
        Self { max, per_address_max, held: Mutex::default() }
    }

    /// Finds a place for a connection from an address; another may have to go for it. `None`: all are at work, and
    /// the reserve is as well.
    pub(super) fn place(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPlace> {
        let network = network(address);
        let mut held = self.lock();
        let ordinary = held.of.values().filter(|place| !place.in_reserve);
        let (mut all, mut theirs) = (0, 0);
        for place in ordinary {
            all += 1;
            theirs += usize::from(place.network == network);
        }
        let theirs_full = self.per_address_max.is_some_and(|max| theirs >= max);
        let has_room = !theirs_full && all < self.max;
        let may_go = |place: &HeldPlace| !place.in_reserve && (!theirs_full || place.network == network);
        let in_reserve = !has_room && !held.evict(may_go);
        let reserved = held.of.values().filter(|place| place.in_reserve).count();
        if in_reserve && reserved >= RESERVE && !held.evict(|place| place.in_reserve) {
            return None;
        }
        let leave = Arc::new(Notify::new());
        let id = held.next();
        let place =
            HeldPlace { network, in_reserve, requests: 0, answered: false, since: id, leave: leave.clone() };
        held.of.insert(id, place);
        Some(ConnectionPlace { connections: self.clone(), id, in_reserve, leave })
    }

    fn lock(&self) -> MutexGuard<'_, HeldPlaces> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldPlaces {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// Frees the place, of those that `may_go`, that has waited longest for a request.
    fn evict(&mut self, may_go: impl Fn(&HeldPlace) -> bool) -> bool {
        let waiting = self.of.iter().filter(|(_, place)| place.requests == 0 && may_go(place));
        let longest = waiting.min_by_key(|(_, place)| (place.answered, place.since)).map(|(id, _)| *id);
        let Some(gone) = longest.and_then(|id| self.of.remove(&id)) else { return false };
        gone.leave.notify_one();
        metrics::counter!("lacuna_connections_evicted_total").increment(1);
        true
    }
}

/// The part of an address by which its connections are counted.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let bits = address.to_bits() >> (Ipv6Addr::BITS - NETWORK_BITS);
            IpAddr::V6(Ipv6Addr::from_bits(bits << (Ipv6Addr::BITS - NETWORK_BITS)))
        }
        address => address,
    }
}

/// The place of one connection, until it is dropped or given to another.
pub(super) struct ConnectionPlace {
    connections: Arc<Connections>,
    id: u64,
    in_reserve: bool,
    leave: Arc<Notify>,
}

impl ConnectionPlace {
    /// Waits until the place is given to another connection.
    pub(super) async fn lost(&self) {
        self.leave.notified().await;
    }

    /// Marks a request as under way until its answer is handed over whole. `None` if the place is lost.
    pub(super) fn begin(&self) -> Option<RequestUnderWay> {
        let mut held = self.connections.lock();
        held.of.get_mut(&self.id)?.requests += 1;
        Some(RequestUnderWay { connections: self.connections.clone(), id: self.id })
    }

    /// Marks a request that came in through the reserve.
    pub(super) fn mark(&self, request: &mut hyper::Request<Body>) {
        if self.in_reserve {
            request.extensions_mut().insert(InReserve);
        }
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.connections.lock().of.remove(&self.id);
    }
}

/// A request that keeps its connection.
pub(super) struct RequestUnderWay {
    connections: Arc<Connections>,
    id: u64,
}

impl RequestUnderWay {
    /// Keeps the connection until the body of the answer was taken.
    pub(super) fn until_sent(self, answer: Response) -> Response {
        answer.map(|body| Body::new(SentBody { body, _under_way: self }))
    }
}

impl Drop for RequestUnderWay {
    fn drop(&mut self) {
        let mut held = self.connections.lock();
        let now = held.next();
        if let Some(place) = held.of.get_mut(&self.id) {
            place.requests = place.requests.saturating_sub(1);
            place.answered = true;
            place.since = now;
        }
    }
}

struct SentBody {
    body: Body,
    _under_way: RequestUnderWay,
}

impl HttpBody for SentBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Marks a request that came in through the reserve.
#[derive(Clone)]
struct InReserve;

/// Answers nothing but health in the reserve, and closes its connections, so that they serve the next check.
pub(super) async fn health_only(request: Request, next: Next) -> Response {
    if request.extensions().get::<InReserve>().is_none() {
        return next.run(request).await;
    }
    let mut answer = match HEALTH.contains(&request.uri().path()) {
        true => next.run(request).await,
        false => Failure::new(&codes::OVERLOADED, codes::OVERLOADED.meaning).into_response(),
    };
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "192.0.2.1";
    const THERE: &str = "192.0.2.2";

    fn take(connections: &Arc<Connections>, address: &str) -> Option<ConnectionPlace> {
        connections.place(address.parse().unwrap())
    }

    fn is_lost(place: &ConnectionPlace) -> bool {
        place.begin().is_none()
    }

    #[test]
    fn whoever_waited_longest_without_a_request_gives_way() {
        let connections = Arc::new(Connections::new(3, None));
        let kept = take(&connections, HERE).unwrap();
        drop(kept.begin().unwrap());
        let working = take(&connections, HERE).unwrap();
        let request = working.begin().unwrap();
        let silent = take(&connections, HERE).unwrap();
        let first = take(&connections, HERE).unwrap();
        assert!(!first.in_reserve && is_lost(&silent), "a stranger goes before a kept connection");
        let second = take(&connections, HERE).unwrap();
        assert!(is_lost(&first) && !second.in_reserve);
        let held = second.begin().unwrap();
        let third = take(&connections, HERE).unwrap();
        assert!(is_lost(&kept) && !third.in_reserve, "then a kept one");
        drop((request, held));
        assert!(!is_lost(&working), "and never one at work");
    }

    #[test]
    fn when_all_are_at_work_the_reserve_takes_a_bounded_number() {
        let connections = Arc::new(Connections::new(1, None));
        let working = take(&connections, HERE).unwrap();
        let _request = working.begin().unwrap();
        let reserve: Vec<_> = (0..RESERVE).map(|_| take(&connections, THERE).unwrap()).collect();
        assert!(reserve.iter().all(|place| place.in_reserve));
        let next = take(&connections, THERE).unwrap();
        assert!(next.in_reserve && is_lost(&reserve[0]), "the reserve turns over");
        let busy: Vec<_> = reserve[1..].iter().chain([&next]).map(|place| place.begin().unwrap()).collect();
        assert!(take(&connections, THERE).is_none());
        drop(busy);
        drop(reserve);
        assert_eq!(connections.lock().of.len(), 2, "a dropped place is free");
    }

    #[test]
    fn an_address_has_a_part_of_the_places() {
        let connections = Arc::new(Connections::new(100, Some(2)));
        let (first, second) = (take(&connections, HERE).unwrap(), take(&connections, HERE).unwrap());
        let other = take(&connections, THERE).unwrap();
        let third = take(&connections, HERE).unwrap();
        assert!(is_lost(&first) && !third.in_reserve);
        let _busy = [second.begin().unwrap(), third.begin().unwrap()];
        assert!(take(&connections, HERE).unwrap().in_reserve, "all of theirs are at work");
        assert!(!take(&connections, THERE).unwrap().in_reserve && !is_lost(&other));
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
