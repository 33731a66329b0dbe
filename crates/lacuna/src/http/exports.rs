#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use lacuna_core::Lacuna;
use lacuna_core::permit::{Caller, Export, Grant, Import, permit};
use lacuna_core::transfer::{Duplicates, Format, Wanted};
use lacuna_seal::{PassphraseCost, SealWriter, SystemEntropy};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use utoipa::IntoParams;
use zeroize::Zeroizing;

use super::App;
use super::body::{Id, Json, Pairs, once, read_whole};
use super::problem::Problems;
use crate::codes;
use crate::import::{How, Intake, Shape, open};
use crate::wire::failure::{Failure, Result};
use crate::wire::{ExportRequest, ExportView, ImportReport, ImportedView, read_scope};

const REQUEST_BYTES_MAX: usize = 16 << 10;
/// Bytes of a file that is sent in one request; larger ones are imported on the command line, or in parts.
const IMPORT_BYTES_MAX: usize = 16 << 20;
/// The header that holds the passphrase of an encrypted file. It is used for this one request, and never logged.
const PASSPHRASE_HEADER: &str = "lacuna-passphrase";
/// Size of a piece of an export, and pieces in RAM.
const PIECE_BYTES: usize = 64 << 10;
const PIECES_MAX: usize = 4;
/// A reader who takes nothing for this long is gone.
const STALLED: Duration = Duration::from_secs(60);

/// Make a link to an export, which can be followed for 24 hours without any other token.
#[utoipa::path(
    post,
    path = "/v1/exports",
    operation_id = "create_export",
    tag = "exports",
    request_body = ExportRequest,
    responses((status = 201, description = "The link, and numbers of the export at this moment.", body = ExportView), Problems)
)]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ExportRequest, REQUEST_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<ExportView>)> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let wanted = request.wanted();
    let (link, scope) =
        app.call_in(caller, scope, move |core, grant| core.make_export_link(grant, &wanted)).await?;
    Ok((StatusCode::CREATED, axum::Json(ExportView::of(link, &scope))))
}

/// Follow a link to an export: it is made now, and streamed. The link itself is all that is asked for.
#[utoipa::path(
    get,
    path = "/v1/exports/{export_token}",
    operation_id = "download_export",
    tag = "exports",
    params(("export_token" = String, Path, description = "The last part of `download_url`")),
    security(()),
    responses((status = 200, description = "The export, as JSON 1.0 or Markdown.", body = serde_json::Value), Problems)
)]
pub(super) async fn download(State(app): State<App>, Id(token): Id) -> Result<Response> {
    let (grant, wanted) = app.call(move |core| core.follow_export_link(&token)).await?;
    stream_export(&app, grant, wanted, None).await
}

/// Answers with an export that is made now, encrypted under a passphrase if there is one.
pub(crate) async fn stream_export(
    app: &App,
    grant: Grant<Export>,
    wanted: Wanted,
    passphrase: Option<Zeroizing<String>>,
) -> Result<Response> {
    let (format, is_sealed) = (wanted.format, passphrase.is_some());
    let place = app.0.admission.export()?;
    let (sender, mut pieces) = mpsc::channel(PIECES_MAX);
    let service = app.0.service.clone();
    tokio::task::spawn_blocking(move || {
        send_export(&service, &grant, &wanted, passphrase, sender);
        drop(place);
    });
    // An export that fails before its first byte gets the usual answer to a failure.
    let first = match pieces.recv().await {
        Some(Ok(Some(piece))) => piece,
        Some(Err(failure)) => return Err(failure),
        Some(Ok(None)) | None => return Err(Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning)),
    };
    let (kind, name) = match format {
        _ if is_sealed => ("application/octet-stream", "attachment; filename=\"lacuna-export.sealed\""),
        Format::Json => ("application/json", "attachment; filename=\"lacuna-export.json\""),
        Format::Markdown => ("text/markdown; charset=utf-8", "attachment; filename=\"lacuna-export.md\""),
    };
    let headers = [
        (CONTENT_TYPE, kind),
        (CONTENT_DISPOSITION, name),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, Body::new(Pieces { first: Some(first), rest: pieces, ended: false })).into_response())
}

/// A piece of an export, or its end. Without an end it was cut short.
type Piece = std::result::Result<Option<Bytes>, Failure>;

fn send_export(
    core: &Lacuna,
    grant: &Grant<Export>,
    wanted: &Wanted,
    passphrase: Option<Zeroizing<String>>,
    sender: mpsc::Sender<Piece>,
) {
    let mut out = PieceWriter { sender: sender.clone(), piece: Vec::with_capacity(PIECE_BYTES) };
    let sent = match passphrase {
        None => core.export(grant, wanted, &mut out, &mut |_| {}).map(|_| out).map_err(Failure::from),
        Some(passphrase) => seal_export(core, grant, wanted, &passphrase, out),
    };
    let ended = sent.and_then(|mut out| out.send_piece().map_err(|_| gone())).map(|()| None);
    // A reader that misses the end knows that the export is not whole.
    let _ = PieceWriter { sender, piece: Vec::new() }.send(ended);
}

fn seal_export(
    core: &Lacuna,
    grant: &Grant<Export>,
    wanted: &Wanted,
    passphrase: &Zeroizing<String>,
    out: PieceWriter,
) -> Result<PieceWriter> {
    let cost = PassphraseCost::RECOMMENDED;
    let mut sealed = SealWriter::new(out, passphrase, cost, &SystemEntropy).map_err(|_| gone())?;
    core.export(grant, wanted, &mut sealed, &mut |_| {})?;
    sealed.finish().map_err(|_| gone())
}

fn gone() -> Failure {
    Failure::new(&codes::OUTPUT_FAILED, codes::OUTPUT_FAILED.meaning)
}

/// Hands written bytes to the connection, piece by piece, no faster than it takes them.
struct PieceWriter {
    sender: mpsc::Sender<Piece>,
    piece: Vec<u8>,
}

impl PieceWriter {
    fn send_piece(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        self.send(Ok(Some(piece.into())))
    }

    fn send(&self, piece: Piece) -> io::Result<()> {
        let sent = async { tokio::time::timeout(STALLED, self.sender.send(piece)).await };
        match Handle::current().block_on(sent) {
            Ok(Ok(())) => Ok(()),
            _ => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
        }
    }
}

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() == PIECE_BYTES {
            self.send_piece()?;
        }
        let taken = bytes.len().min(PIECE_BYTES - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_piece()
    }
}

/// A body of pieces that are still being made.
struct Pieces {
    first: Option<Bytes>,
    rest: mpsc::Receiver<Piece>,
    ended: bool,
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        self.rest.poll_recv(context).map(|piece| match piece {
            Some(Ok(Some(piece))) => Some(Ok(Frame::data(piece))),
            Some(Ok(None)) => {
                self.ended = true;
                None
            }
            // The connection is cut, so that no reader takes a part for the whole.
            Some(Err(failure)) => Some(Err(io::Error::other(failure.detail))),
            None => Some(Err(io::Error::from(io::ErrorKind::UnexpectedEof))),
        })
    }
}

/// Parameters of an import.
#[derive(Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ImportParams {
    /// The program that wrote the file: `lacuna`, `mem0`, `chatgpt`, `claude`, `mcp-memory` or `basic-memory`;
    /// recognised by its shape when absent.
    from: Option<String>,
    /// `merge` skips records that are already there, `refuse` then stores nothing; `merge` when absent.
    duplicates: Option<String>,
    /// Report the result without storing anything.
    dry_run: Option<bool>,
    /// The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

impl ImportParams {
    fn read(pairs: Vec<(String, String)>) -> Result<Self> {
        let mut params = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "from" => once(&name, &mut params.from, value)?,
                "duplicates" => once(&name, &mut params.duplicates, value)?,
                "dry_run" => {
                    let flag =
                        value.parse().map_err(|_| Failure::invalid("dry_run", "must be true or false"))?;
                    once(&name, &mut params.dry_run, flag)?;
                }
                "scope" => once(&name, &mut params.scope, value)?,
                _ => return Err(Failure::invalid(name, "is not a parameter of this call")),
            }
        }
        Ok(params)
    }

    fn how(&self) -> Result<How> {
        let from = self.from.as_deref().map(|word| {
            <Shape as clap::ValueEnum>::from_str(word, false)
                .map_err(|_| Failure::invalid("from", "is not a program whose files are read"))
        });
        let duplicates = match self.duplicates.as_deref() {
            None | Some("merge") => Duplicates::Merge,
            Some("refuse") => Duplicates::Refuse,
            Some(_) => return Err(Failure::invalid("duplicates", "must be merge or refuse")),
        };
        Ok(How { from: from.transpose()?, duplicates, dry_run: self.dry_run.unwrap_or(false) })
    }
}

/// Import an export of Lacuna or of another program. A record that is imported twice is stored once.
#[utoipa::path(
    post,
    path = "/v1/import",
    operation_id = "import",
    tag = "exports",
    params(
        ImportParams,
        ("lacuna-passphrase" = Option<String>, Header, description = "What an encrypted export of Lacuna opens with.")
    ),
    request_body(content = String, content_type = "application/octet-stream", description = "The file, plain or encrypted, at most 16 MiB."),
    responses((status = 200, description = "What became of each record.", body = ImportReport), Problems)
)]
pub(super) async fn import(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
    request: Request,
) -> Result<axum::Json<ImportReport>> {
    let params = ImportParams::read(pairs)?;
    let scope = read_scope(params.scope.as_deref(), &caller)?;
    let grant = permit::<Import>(&caller, &scope)?;
    let how = params.how()?;
    let passphrase = read_passphrase(&request)?;
    let (file, _room) = read_whole(&app, request, IMPORT_BYTES_MAX).await?;
    let done = app.work(move |core| import_file(core, &grant, &file, how, passphrase.as_ref())).await?;
    Ok(axum::Json(done))
}

fn read_passphrase(request: &Request) -> Result<Option<Zeroizing<String>>> {
    let Some(value) = request.headers().get(PASSPHRASE_HEADER) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes());
    let text = text.map_err(|_| Failure::invalid(PASSPHRASE_HEADER, "must be UTF-8"))?;
    Ok(Some(Zeroizing::new(text.to_owned())))
}

fn import_file(
    core: &Lacuna,
    grant: &Grant<Import>,
    file: &[u8],
    how: How,
    passphrase: Option<&Zeroizing<String>>,
) -> Result<ImportReport> {
    if how.duplicates == Duplicates::Refuse && !how.dry_run {
        // All or nothing: first check that no record is there, then import.
        import_file(core, grant, file, How { dry_run: true, ..how }, passphrase)?;
    }
    let given = || {
        let reason = format!("the file is encrypted: send its passphrase in the header {PASSPHRASE_HEADER}");
        passphrase.cloned().ok_or_else(|| Failure::new(&codes::EXPORT_PASSPHRASE, reason))
    };
    let opened = open(file, how.from, given)?;
    let shape = opened.shape;
    let mut records = Vec::new();
    let mut told = |imported| {
        records.push(ImportedView::from(imported));
        Ok(())
    };
    let mut intake = Intake::new(core, grant, how, &mut told)?;
    let read = opened.read(&mut intake);
    let account = intake.finish(read)?;
    Ok(ImportReport::of(account, grant.scope(), shape.as_str(), how.dry_run, records))
}
