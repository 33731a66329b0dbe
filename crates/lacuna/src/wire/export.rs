use clap::ValueEnum;
use jiff::Timestamp;
use lacuna_core::transfer::{ExportLink, Format, Wanted};
use lacuna_types::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::words;

/// File format of an export.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, ToSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    #[default]
    Json,
    Markdown,
}

impl From<ExportFormat> for Format {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Json => Self::Json,
            ExportFormat::Markdown => Self::Markdown,
        }
    }
}

/// Options of an export. By default everything but health, as JSON.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ExportRequest)]
pub(crate) struct ExportRequest {
    pub(crate) format: ExportFormat,
    /// All of them when empty.
    pub(crate) categories: Vec<words::Category>,
    /// Facets, sources, lineage and history, without which an import has to guess; true when absent.
    pub(crate) include_metadata: Option<bool>,
    /// True includes memories about health.
    pub(crate) include_health: bool,
    /// The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl ExportRequest {
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            format: self.format.into(),
            categories: self.categories.iter().map(|word| word.0).collect(),
            include_metadata: self.include_metadata.unwrap_or(true),
            include_health: self.include_health,
        }
    }
}

/// A link to an export. Nothing is stored for it: the export is made when the link is followed.
#[derive(Serialize, ToSchema)]
#[schema(as = Export)]
pub(crate) struct ExportView {
    pub(crate) export_id: String,
    /// The vault.
    pub(crate) scope: String,
    /// On this server. Anyone who has it can read the export until it expires, without any other token.
    pub(crate) download_url: String,
    pub(crate) expires_at: Timestamp,
    /// Records of the export at this moment.
    pub(crate) record_count: u64,
    pub(crate) total_size_bytes: u64,
    /// Memories about health that it leaves out.
    pub(crate) health_left_out: u64,
    /// Memories that cannot be opened.
    pub(crate) damaged: u64,
    pub(crate) generated_at: Timestamp,
}

impl ExportView {
    pub(crate) fn of(link: ExportLink, scope: &Scope) -> Self {
        Self {
            export_id: link.export_id,
            scope: shown(scope),
            download_url: format!("/v1/exports/{}", link.token),
            expires_at: link.expires_at,
            record_count: link.exported.record_count(),
            total_size_bytes: link.total_size_bytes,
            health_left_out: link.exported.health_left_out,
            damaged: link.exported.damaged,
            generated_at: link.generated_at,
        }
    }
}
