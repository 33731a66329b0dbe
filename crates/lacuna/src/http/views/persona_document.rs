//! The view `persona`: whole documents, exported, validated and imported.

use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::{Caller, Import, permit};
use lacuna_core::transfer::Duplicates;
use serde_json::Value;

use crate::http::App;
use crate::http::body::Json;
use crate::http::problem::Problems;
use crate::import::{How, Intake, Shape, open};
use crate::persona::{PersonaDocument, PersonaReport, validate};
use crate::wire::failure::{Failure, Result};
use crate::wire::{ImportReport, ImportedView};

/// Bytes of a document that is sent in one request.
const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// The caller's memories as a persona document with its policy. Special categories stay out.
#[utoipa::path(
    get,
    path = "/v1/views/persona/document",
    operation_id = "persona_document",
    tag = "views",
    responses((status = 200, description = "The document, not signed.", body = Value), Problems)
)]
pub(in crate::http) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<Value>> {
    let document = app.work(move |core| {
        let document = PersonaDocument::of(core, &caller, &caller.personal_scope(), false)?;
        serde_json::to_string(&document)
            .and_then(|text| serde_json::from_str::<Value>(&text))
            .map_err(|_| Failure::new(&crate::codes::INTERNAL, "no JSON"))
    });
    Ok(axum::Json(document.await?))
}

/// Validate a document: its structure, its atoms against its policy, and its references. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/views/persona/validate",
    operation_id = "persona_validate",
    tag = "views",
    request_body = Value,
    responses((status = 200, description = "Every fault with its path.", body = PersonaReport), Problems)
)]
pub(in crate::http) async fn validate_document(
    State(app): State<App>,
    Json(document): Json<Value, DOCUMENT_BYTES_MAX>,
) -> Result<axum::Json<PersonaReport>> {
    let report = app.work(move |core| Ok(validate(&document, core.clock().now())));
    Ok(axum::Json(report.await?))
}

/// Import the atoms of a document that is valid; one that is not is refused as a whole, with the paths of its faults.
#[utoipa::path(
    post,
    path = "/v1/views/persona/import",
    operation_id = "persona_import",
    tag = "views",
    request_body = Value,
    responses((status = 200, description = "What became of each atom.", body = ImportReport), Problems)
)]
pub(in crate::http) async fn import(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(document): Json<Value, DOCUMENT_BYTES_MAX>,
) -> Result<axum::Json<ImportReport>> {
    let report = app.work(move |core| {
        let grant = permit::<Import>(&caller, &caller.personal_scope())?;
        let file = document.to_string();
        let how = How { from: Some(Shape::Persona), duplicates: Duplicates::Merge, dry_run: false };
        let mut records = Vec::new();
        let mut told = |imported| {
            records.push(ImportedView::from(imported));
            Ok(())
        };
        let plain = || Err(Failure::invalid("document", "is not JSON"));
        let opened = open(file.as_bytes(), how.from, plain)?;
        let mut intake = Intake::new(core, &grant, how, &mut told)?;
        let read = opened.read(&mut intake);
        let account = intake.finish(read)?;
        Ok(ImportReport::of(account, grant.scope(), Shape::Persona.as_str(), false, records))
    });
    Ok(axum::Json(report.await?))
}
