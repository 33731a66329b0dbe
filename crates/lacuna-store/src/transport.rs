//! Requests to services that got no answer, in words for whoever runs them.

/// Says why a service did not answer, as the rest of a sentence that begins with its name.
pub fn transport_reason(error: &ureq::Error) -> &'static str {
    let text = error.to_string();
    match error {
        ureq::Error::Timeout(_) => "did not answer in time",
        ureq::Error::HostNotFound => "has a host name that is not known",
        _ if text.contains("Expired") || text.contains("expired") => "has a certificate that expired",
        _ if text.contains("certificate") || text.contains("Certificate") => {
            "has a certificate that this machine does not trust"
        }
        _ => "cannot be reached",
    }
}
