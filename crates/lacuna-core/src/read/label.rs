//! The label beside the text of a memory that is not the owner's own word.

use lacuna_types::{Facets, SourceType, Trust};

/// The label of a note that nobody has confirmed.
pub(crate) const NOTED: &str = "noted by the assistant, not confirmed";

/// Returns the label of a memory that is not fully trusted: every door shows it beside the text.
pub fn source_label(facets: &Facets) -> Option<String> {
    let source = &facets.source;
    if source.trust == Trust::High && !source.from_external_content {
        return None;
    }
    let from = match source.kind {
        _ if facets.is_note() => NOTED,
        SourceType::ToolOutput => "from a tool",
        SourceType::AiInference => "inferred",
        SourceType::UserMessage | SourceType::ExplicitSave => "told by somebody",
    };
    let outside = if source.from_external_content { ", from outside" } else { "" };
    Some(format!("{from}{outside}, {} trust", source.trust))
}
