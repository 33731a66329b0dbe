//! The accept loop: a bounded number of connections, each with its own time limits, and a stop that lets requests
//! under way finish.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

use super::App;
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
    let places = Arc::new(Semaphore::new(limits.connections_max));
    let closed = async {
        stopped.await;
        app.0.admission.drain();
        tokio::time::sleep(limits.notice_time).await;
    };
    let mut closed = std::pin::pin!(closed);
    loop {
        tokio::select! {
            () = &mut closed => break,
            accepted = accept(&listener, &places) => match accepted {
                Ok((place, stream)) => {
                    let held = HeldConnection { place, watcher: connections.watcher() };
                    tokio::spawn(hold(stream, router.clone(), limits.clone(), held));
                }
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

/// Accepts the next connection. Without a free place, connections wait in the system's own queue, which is
/// bounded as well.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(OwnedSemaphorePermit, TcpStream)> {
    let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((place, stream))
}

/// A connection's place, and its signal of the stop.
struct HeldConnection {
    place: OwnedSemaphorePermit,
    watcher: Watcher,
}

async fn hold(stream: TcpStream, router: Router, limits: ConnectionLimits, held: HeldConnection) {
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
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        router.clone().oneshot(request.map(Body::new))
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
