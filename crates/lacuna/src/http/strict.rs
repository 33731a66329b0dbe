//! Strict reading of requests. The HTTP library accepts a bare line feed, and a length beside a transfer coding. A
//! proxy in front may read such bytes in another way, and take a part of one request for the next one.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::extract::Request;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderValue, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::codes;
use crate::wire::failure::Failure;

/// Bytes of a line that are kept. No header that frames a body needs more.
const LINE_KEPT_MAX: usize = 256;
/// Bytes that are no part of any request. The library answers them with 400, in the order of the requests, and
/// closes the connection.
const SPOILT: &[u8] = b"\0\r\n\r\n";

/// Refuses a request that names no host or several. HTTP/1.0 knows no host, so that there it may be absent.
pub(super) async fn one_host(request: Request, next: Next) -> Response {
    let named = request.headers().get_all(HOST).iter().count();
    if named == 1 || (named == 0 && request.version() == Version::HTTP_10) {
        return next.run(request).await;
    }
    let mut refused = Failure::new(&codes::BAD_HOST, codes::BAD_HOST.meaning).into_response();
    refused.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    refused
}

/// A connection that passes requests on up to the first byte that frames them in a doubtful way.
pub(super) struct Strict<T> {
    inner: T,
    framing: Framing,
    /// Rest of [`SPOILT`], once a byte was refused.
    spoilt: Option<&'static [u8]>,
}

impl<T> Strict<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, framing: Framing::default(), spoilt: None }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Strict<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.spoilt.is_none() {
            ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
            let fresh = &buffer.filled()[before..];
            let passed = self.framing.pass(fresh);
            if passed < fresh.len() {
                buffer.set_filled(before + passed);
                self.spoilt = Some(SPOILT);
            }
        }
        if let Some(rest) = self.spoilt {
            // The refused byte left room for at least one; without a byte the connection would seem to end.
            let (now, later) = rest.split_at(rest.len().min(buffer.remaining()));
            buffer.put_slice(now);
            self.spoilt = Some(later);
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Strict<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

/// Passes bytes at once and in two pieces, for the fuzz target. Both must stop at the same byte.
#[cfg(any(test, fuzzing))]
pub(crate) fn pass_hostile(bytes: &[u8], cut: usize) {
    let at_once = Framing::default().pass(bytes);
    let (first, second) = bytes.split_at(cut.min(bytes.len()));
    let mut framing = Framing::default();
    let mut passed = framing.pass(first);
    if passed == first.len() {
        passed += framing.pass(second);
    }
    assert_eq!(passed, at_once);
}

/// Part of a request that the next byte belongs to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum RequestPart {
    #[default]
    Head,
    /// Bytes that are left of a body with a length.
    Body(u64),
    ChunkSize,
    /// Bytes that are left of a chunk.
    Chunk(u64),
    /// The line break after a chunk.
    ChunkEnd,
    Trailer,
}

/// Position in a stream of requests.
#[derive(Default)]
struct Framing {
    part: RequestPart,
    line: Vec<u8>,
    /// The line goes on beyond its kept part.
    is_cut: bool,
    after_return: bool,
    /// The line of the request was read.
    begun: bool,
    length: Option<u64>,
    chunked: bool,
}

impl Framing {
    /// Number of bytes that may pass; fewer than all if the next one is refused.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            if let RequestPart::Body(left) | RequestPart::Chunk(left) = self.part {
                at += self.skip(left, bytes.len() - at);
            } else if self.take(bytes[at]) {
                at += 1;
            } else {
                return at;
            }
        }
        at
    }

    /// Passes over bytes of a body. Returns how many.
    fn skip(&mut self, left: u64, here: usize) -> usize {
        let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(here);
        let left = left - skipped as u64;
        self.part = match (self.part, left) {
            (RequestPart::Body(_), 0) => RequestPart::Head,
            (RequestPart::Body(_), left) => RequestPart::Body(left),
            (_, 0) => RequestPart::ChunkEnd,
            (_, left) => RequestPart::Chunk(left),
        };
        skipped
    }

    /// Takes a byte of a line. Lines end in a return and a feed, and neither stands alone.
    fn take(&mut self, byte: u8) -> bool {
        match (byte, self.after_return) {
            (b'\n', true) => {
                self.after_return = false;
                let line = std::mem::take(&mut self.line);
                let cut = std::mem::take(&mut self.is_cut);
                self.end_line(&line, cut)
            }
            (b'\n', false) | (_, true) => false,
            (b'\r', false) => {
                self.after_return = true;
                true
            }
            _ if self.line.len() < LINE_KEPT_MAX => {
                self.line.push(byte);
                true
            }
            _ => {
                self.is_cut = true;
                true
            }
        }
    }

    fn end_line(&mut self, line: &[u8], cut: bool) -> bool {
        match (self.part, line.is_empty()) {
            // Empty lines before a request mean nothing.
            (RequestPart::Head, true) if !self.begun => true,
            (RequestPart::Head, true) => {
                self.part = self.body();
                true
            }
            (RequestPart::Head, false) if !self.begun => {
                self.begun = true;
                true
            }
            (RequestPart::Head, false) => self.header(line, cut),
            (RequestPart::ChunkSize, _) => self.chunk(line),
            (RequestPart::ChunkEnd, empty) => {
                self.part = RequestPart::ChunkSize;
                empty
            }
            (RequestPart::Trailer, true) => {
                self.part = RequestPart::Head;
                true
            }
            (RequestPart::Trailer | RequestPart::Body(_) | RequestPart::Chunk(_), _) => true,
        }
    }

    /// Ends a head. Returns the part that follows it.
    fn body(&mut self) -> RequestPart {
        self.begun = false;
        match (std::mem::take(&mut self.chunked), self.length.take()) {
            (true, _) => RequestPart::ChunkSize,
            (false, None | Some(0)) => RequestPart::Head,
            (false, Some(length)) => RequestPart::Body(length),
        }
    }

    /// Takes one header. A request says once how long its body is, in one way.
    fn header(&mut self, line: &[u8], cut: bool) -> bool {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return true };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        if !is_length && !name.eq_ignore_ascii_case(b"transfer-encoding") {
            return true;
        }
        if cut || self.chunked || self.length.is_some() {
            return false;
        }
        if is_length {
            self.length = number(value, 10);
            return self.length.is_some();
        }
        self.chunked = value.eq_ignore_ascii_case(b"chunked");
        self.chunked
    }

    /// Takes the line before a chunk: its size, and extensions that mean nothing here.
    fn chunk(&mut self, line: &[u8]) -> bool {
        let size = line.split(|byte| b"; \t".contains(byte)).next().unwrap_or_default();
        let Some(size) = number(size, 16) else { return false };
        self.part = if size == 0 { RequestPart::Trailer } else { RequestPart::Chunk(size) };
        true
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    // Without a sign, which the parser of the standard library would take.
    let digits = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that pass, whatever the pieces are in which they come.
    fn passed(request: &[u8]) -> usize {
        let whole = Framing::default().pass(request);
        let mut framing = Framing::default();
        let bytewise = request.iter().take_while(|byte| framing.pass(&[**byte]) == 1).count();
        assert_eq!(whole, bytewise, "{}", String::from_utf8_lossy(request));
        whole
    }

    #[test]
    fn well_framed_requests_pass_one_after_another() {
        let requests = [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n\n\r\n\n\n",
            "POST / HTTP/1.1\r\nContent-Length:\t0 \r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n2;a=b\r\n\n\n\r\nA \r\n0123456789\r\n0\r\nX: y\r\n\r\n",
            "GET /next HTTP/1.1\r\nHost: x\r\n\r\n",
        ];
        let all = requests.concat();
        assert_eq!(passed(all.as_bytes()), all.len());
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(4 * LINE_KEPT_MAX));
        assert_eq!(passed(long.as_bytes()), long.len());
    }

    #[test]
    fn doubtful_framing_stops_at_the_byte_that_makes_it_so() {
        let padded = format!("Content-Length:{}1", " ".repeat(LINE_KEPT_MAX));
        let cases = [
            ("GET / HTTP/1.1", "\nHost: x\r\n\r\n"),
            ("GET / HTTP/1.1\r\nHost: x", "\n\r\n"),
            ("GET / HTTP/1.1\r\nHost: x\r\n", "\n"),
            ("GET / HTTP/1.1\r\nHost: x\r", "y\r\n\r\n"),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r", "\n\r\n"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r", "\n\r\n"),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r", "\n\r\n"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r", "\n\r\n"),
            ("POST / HTTP/1.1\r\nContent-Length: +1\r", "\n\r\n"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1", "\nx\r\n0\r\n\r\n"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r", "\n0\r\n\r\n"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r", "\nx\r\n0\r\n\r\n"),
            (&format!("POST / HTTP/1.1\r\n{padded}\r"), "\n\r\nx"),
        ];
        for (good, bad) in cases {
            assert_eq!(passed(format!("{good}{bad}").as_bytes()), good.len(), "{good:?} {bad:?}");
        }
    }
}
