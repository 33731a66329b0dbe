//! Protected resource metadata (RFC 9728): from it a remote MCP client learns which service signs tokens for this server.

use axum::http::HeaderValue;
use serde::Serialize;

pub(in crate::http) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// This server as its clients know it from outside.
pub(in crate::http) struct ProtectedResource {
    pub(in crate::http) metadata: ResourceMetadata,
    /// Answer to a caller without a token: it names the metadata.
    pub(in crate::http) challenge: HeaderValue,
}

#[derive(Clone, Serialize)]
pub(in crate::http) struct ResourceMetadata {
    resource: String,
    authorization_servers: [String; 1],
    bearer_methods_supported: [&'static str; 1],
    resource_name: &'static str,
}

impl ProtectedResource {
    /// The resource at `url`, whose tokens `issuer` signs. Returns `None` for an address that no header can hold.
    pub(super) fn new(url: &str, issuer: &str) -> Option<Self> {
        let place = metadata_url(url);
        let challenge = format!("Bearer realm=\"lacuna\", resource_metadata=\"{place}\"");
        Some(Self {
            challenge: HeaderValue::from_str(&challenge).ok()?,
            metadata: ResourceMetadata {
                resource: url.to_owned(),
                authorization_servers: [issuer.to_owned()],
                bearer_methods_supported: ["header"],
                resource_name: "Lacuna",
            },
        })
    }
}

/// The address of the metadata: the well-known part stands between the host and the path of the resource.
fn metadata_url(resource: &str) -> String {
    let after_scheme = resource.find("://").map_or(0, |at| at + 3);
    let host_ends = resource[after_scheme..].find('/').map_or(resource.len(), |at| after_scheme + at);
    let (origin, path) = resource.split_at(host_ends);
    format!("{origin}{WELL_KNOWN}{}", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_stand_between_host_and_path() {
        let cases = [
            ("https://memory.example/mcp", "https://memory.example/.well-known/oauth-protected-resource/mcp"),
            ("https://memory.example", "https://memory.example/.well-known/oauth-protected-resource"),
            ("http://127.0.0.1:7707/", "http://127.0.0.1:7707/.well-known/oauth-protected-resource"),
            ("https://a.example/b/mcp", "https://a.example/.well-known/oauth-protected-resource/b/mcp"),
        ];
        for (resource, wanted) in cases {
            assert_eq!(metadata_url(resource), wanted);
        }
    }
}
