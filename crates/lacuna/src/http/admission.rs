//! Limits on the work that is admitted at a time. Beyond them the answer is a quick 503 with a time to retry, so
//! that requests inside are finished and health checks still answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::App;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Bytes of request bodies in RAM at a time, over all requests.
const BODY_BYTES_MAX: usize = 512 << 20;
/// Bodies are counted in pieces of this size.
const BODY_PIECE_BYTES: usize = 4 << 10;
/// Exports under way at a time: each takes a thread for as long as its reader likes.
const EXPORTS_MAX: usize = 8;
/// Readiness checks in the stores at a time.
const PROBES_MAX: usize = 2;

/// Counters of all limits.
pub(super) struct Admission {
    requests: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    exports: Arc<Semaphore>,
    probes: Arc<Semaphore>,
    draining: AtomicBool,
}

impl Admission {
    pub(super) fn new(requests_max: usize) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(requests_max)),
            bodies: Arc::new(Semaphore::new(BODY_BYTES_MAX / BODY_PIECE_BYTES)),
            exports: Arc::new(Semaphore::new(EXPORTS_MAX)),
            probes: Arc::new(Semaphore::new(PROBES_MAX)),
            draining: AtomicBool::new(false),
        }
    }

    /// Makes the server report from now on that it is not ready, so that no balancer sends it more.
    pub(super) fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    pub(super) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// A place to check whether the stores answer, apart from the others: the check must work under overload as
    /// well.
    pub(super) async fn probe(&self) -> Result<OwnedSemaphorePermit> {
        self.probes.clone().acquire_owned().await.map_err(|_| overloaded())
    }

    pub(super) fn export(&self) -> Result<OwnedSemaphorePermit> {
        self.exports.clone().try_acquire_owned().map_err(|_| overloaded())
    }

    /// Room for the body of one request, still empty.
    pub(super) fn room(&self) -> Room {
        Room { bodies: self.bodies.clone(), held: None, bytes: 0 }
    }

    fn request(&self) -> Result<OwnedSemaphorePermit> {
        self.requests.clone().try_acquire_owned().map_err(|_| overloaded())
    }
}

/// The part of the room for bodies that one request takes. Dropping it gives the room back.
pub(crate) struct Room {
    bodies: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl Room {
    /// Takes room for so many more bytes, if there is any.
    pub(super) fn take(&mut self, bytes: usize) -> Result<()> {
        let before = self.bytes.div_ceil(BODY_PIECE_BYTES);
        self.bytes += bytes;
        let pieces = u32::try_from(self.bytes.div_ceil(BODY_PIECE_BYTES) - before).unwrap_or(u32::MAX);
        if pieces == 0 {
            return Ok(());
        }
        let more = self.bodies.clone().try_acquire_many_owned(pieces).map_err(|_| overloaded())?;
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        Ok(())
    }
}

fn overloaded() -> Failure {
    Failure::new(&codes::OVERLOADED, codes::OVERLOADED.meaning)
}

/// Admits a request before anything else is asked of the core, even before its caller is known.
pub(crate) async fn admit(State(app): State<App>, request: Request, next: Next) -> Result<Response> {
    let _inside = app.0.admission.request()?;
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_share_one_room_and_give_it_back() {
        let admission = Admission::new(1);
        let mut first = admission.room();
        first.take(BODY_BYTES_MAX - 1).unwrap();
        first.take(1).unwrap();
        let mut second = admission.room();
        assert_eq!(second.take(1).unwrap_err().code.name, "overloaded");
        drop(first);
        let mut third = admission.room();
        third.take(1).unwrap();
        third.take(BODY_PIECE_BYTES - 1).unwrap();
        assert_eq!(admission.bodies.available_permits(), BODY_BYTES_MAX / BODY_PIECE_BYTES - 1);
    }
}
