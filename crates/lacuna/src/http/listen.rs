//! The accept loop: connections within their places, each with its own time limits, and a stop that lets requests
//! under way finish.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt as _;

use super::App;
use super::connections::{ConnectionPlace, Connections};
use super::patience::Patient;
use super::strict::Strict;
use super::tls::Certificate;

/// The head of a request: its line and its headers.
const HEAD_BYTES_MAX: usize = 64 << 10;
const HEADERS_MAX: usize = 100;
/// The pause when the system has no file handle left for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// Limits on connections.
#[derive(Clone)]
pub(super) struct ConnectionLimits {
    pub(super) connections_max: usize,
    /// Of one address; `None` is no limit.
    pub(super) per_address_max: Option<usize>,
    pub(super) header_time: Duration,
    pub(super) stall_time: Duration,
    /// Time for which the server still takes connections after the signal, while it reports that it is not ready.
    pub(super) notice_time: Duration,
    pub(super) drain_time: Duration,
    pub(super) tls: Option<Arc<Certificate>>,
}

/// Serves until `stopped`. Then it reports that it is not ready; after the notice it accepts no more connections,
/// closes idle ones, and finishes the requests under way within the time to drain.
pub(super) async fn serve(
    listener: TcpListener,
    app: App,
    router: Router,
    limits: ConnectionLimits,
    stopped: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    let places = Arc::new(Connections::new(limits.connections_max, limits.per_address_max));
    let closed = async {
        stopped.await;
        app.0.admission.drain();
        tokio::time::sleep(limits.notice_time).await;
    };
    let mut closed = std::pin::pin!(closed);
    loop {
        tokio::select! {
            () = &mut closed => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match places.place(peer.ip()) {
                    Some(place) => {
                        let held = HeldConnection { place: Arc::new(place), watcher: connections.watcher() };
                        tokio::spawn(hold(stream, router.clone(), limits.clone(), held));
                    }
                    None => tracing::debug!("no place was left for a connection"),
                },
                Err(error) => {
                    tracing::debug!(kind = %error.kind(), "a connection was not taken");
                    tokio::time::sleep(BREATH).await;
                }
            },
        }
    }
    drop(listener);
    tracing::info!(connections = connections.count(), "draining");
    if tokio::time::timeout(limits.drain_time, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
}

/// A connection's place, and its signal of the stop.
struct HeldConnection {
    place: Arc<ConnectionPlace>,
    watcher: Watcher,
}

/// Holds a connection until it ends, or until another needs its place more.
async fn hold(stream: TcpStream, router: Router, limits: ConnectionLimits, held: HeldConnection) {
    let place = held.place.clone();
    tokio::select! {
        () = place.lost() => tracing::debug!("a connection without a request gave way to another"),
        () = greet(stream, router, limits, held) => {}
    }
}

async fn greet(stream: TcpStream, router: Router, limits: ConnectionLimits, held: HeldConnection) {
    // A small answer should not wait for a larger one that may never come.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream, limits.stall_time);
    match &limits.tls {
        None => speak(stream, router, &limits, held).await,
        Some(certificate) => {
            let greeting = certificate.acceptor().accept(stream);
            match tokio::time::timeout(limits.header_time, greeting).await {
                Ok(Ok(stream)) => speak(stream, router, &limits, held).await,
                Ok(Err(error)) => tracing::debug!(kind = %error.kind(), "a TLS greeting failed"),
                Err(_) => tracing::debug!("a TLS greeting took too long"),
            }
        }
    }
}

async fn speak<T>(stream: T, router: Router, limits: &ConnectionLimits, held: HeldConnection)
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let place = held.place.clone();
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        answer(router.clone(), place.clone(), request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(Strict::new(stream)), service);
    // A client that leaves in the middle needs no answer.
    if let Err(error) = held.watcher.watch(connection).await {
        tracing::debug!(timeout = error.is_timeout(), parse = error.is_parse(), "a connection broke off");
    }
    drop(held.place);
}

async fn answer(
    router: Router,
    place: Arc<ConnectionPlace>,
    mut request: hyper::Request<Body>,
) -> Result<Response, Infallible> {
    let Some(under_way) = place.begin() else {
        // The place was lost a moment ago, and the connection is about to end: nothing is begun on it.
        return std::future::pending().await;
    };
    place.mark(&mut request);
    Ok(under_way.until_sent(router.oneshot(request).await?))
}
