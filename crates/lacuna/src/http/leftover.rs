//! Rest of a request's body when its answer is known. A client that is refused early has often sent the body
//! already: if the connection closed at once, the client would lose the answer, or the next request on it would
//! break.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::EXPECT;
use http_body::{Frame, SizeHint};

/// Bytes of an unwanted body that are read and dropped, and the time for it.
const DROPPED_BYTES_MAX: usize = 64 << 10;
const DROPPED_TIME_MAX: Duration = Duration::from_secs(1);

/// Knows whether the body was read to its end, and gets it back if not.
#[derive(Clone, Default)]
pub(super) struct Leftover {
    ended: Arc<AtomicBool>,
    body: Arc<Mutex<Option<Body>>>,
    /// The sender waits to be asked for the body, and nobody will ask.
    unsent: bool,
}

impl Leftover {
    /// Lends the body of a request to its handler.
    pub(super) fn lend(request: Request) -> (Request, Self) {
        let unsent = request.headers().contains_key(EXPECT);
        let leftover = Self { unsent, ..Self::default() };
        leftover.ended.store(request.body().is_end_stream(), Ordering::Release);
        let request = request.map(|body| Body::new(Lent { body: Some(body), to: leftover.clone() }));
        (request, leftover)
    }

    /// Drops the rest of the body, up to a limit. Returns whether the connection can go on.
    pub(super) async fn drop_rest(&self) -> bool {
        let left = self.body.lock().unwrap_or_else(PoisonError::into_inner).take();
        match left.filter(|_| !self.unsent) {
            Some(body) => tokio::time::timeout(DROPPED_TIME_MAX, drained(body)).await.unwrap_or(false),
            None => self.ended.load(Ordering::Acquire),
        }
    }
}

async fn drained(mut body: Body) -> bool {
    let mut seen = 0;
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        seen += frame.data_ref().map_or(0, Bytes::len);
        if seen > DROPPED_BYTES_MAX {
            return false;
        }
    }
    true
}

/// A body that returns to its owner when it is dropped before its end.
struct Lent {
    body: Option<Body>,
    to: Leftover,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = Pin::new(&mut *body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) || body.is_end_stream() {
            self.to.ended.store(true, Ordering::Release);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.to.ended.load(Ordering::Acquire) {
            *self.to.body.lock().unwrap_or_else(PoisonError::into_inner) = self.body.take();
        }
    }
}
