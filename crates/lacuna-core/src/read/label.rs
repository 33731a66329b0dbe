//! The label beside the text of a memory that is not the owner's own word.

use lacuna_language::voices::has_external;
use lacuna_types::{Facets, SourceType, Trust};

/// The label of a note that nobody has confirmed.
pub(crate) const NOTED: &str = "noted by the assistant, not confirmed";

/// The label of an owner's turn that passes on somebody else's words beside their own.
pub(crate) const PASSED_ON: &str = "partly quoted from elsewhere";

/// Returns the label of a memory that is not fully trusted, or of which `shown` passes on words of somebody else: every
/// door shows it beside the text.
pub fn source_label(facets: &Facets, shown: &str) -> Option<String> {
    let source = &facets.source;
    if source.trust == Trust::High && !source.from_external_content {
        return (!facets.is_record() && has_external(shown)).then(|| PASSED_ON.to_owned());
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
