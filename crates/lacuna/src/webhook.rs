//! Webhooks: a small JSON body without content, sent to recipients and signed with a shared secret.
//!
//! `Lacuna-Signature` is `v1=` and the HMAC-SHA256, in hex, of the timestamp, a dot, the delivery's id, a dot and
//! the body. A recipient checks the signature, the age of the timestamp, and that the id is new.

use std::time::Duration;

use lacuna_core::Lacuna;
use lacuna_core::vault::{Delivery, Event, Recipient};
use lacuna_models::{http_agent, is_loopback_host};
use lacuna_seal::hmac_sha256;
use lacuna_types::OrgId;
use serde::Serialize;
use ureq::Agent;
use ureq::http::Uri;
use zeroize::Zeroizing;

use crate::wire::hex;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Deliveries that are fetched at a time.
const DELIVERIES_PAGE: usize = 64;
/// Shortest secret; a shorter one could be guessed.
pub(crate) const SECRET_BYTES_MIN: usize = 16;

/// Address and secret of one recipient. No `Debug`: it holds the secret.
pub(crate) struct Webhook {
    pub(crate) name: String,
    url: String,
    secret: Zeroizing<String>,
    events: Vec<Event>,
    org: Option<OrgId>,
    agent: Agent,
}

#[derive(Serialize)]
struct WebhookBody<'a> {
    id: &'a str,
    event: &'static str,
    org: &'a str,
    reference: &'a str,
    memories: u64,
    occurred_at: jiff::Timestamp,
}

impl Webhook {
    pub(crate) fn new(
        name: String,
        url: String,
        secret: Zeroizing<String>,
        events: Vec<Event>,
        org: Option<OrgId>,
    ) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| "url must be a URL".to_owned())?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if uri.host().is_some_and(is_loopback_host) => {}
            _ => return Err("url must start with https://, or http:// on this machine".to_owned()),
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err("url must hold no password".to_owned());
        }
        if secret.len() < SECRET_BYTES_MIN {
            return Err(format!("the secret must have at least {SECRET_BYTES_MIN} bytes"));
        }
        let agent = http_agent(&url, TIMEOUT);
        Ok(Self { name, url, secret, events, org, agent })
    }

    pub(crate) fn recipient(&self) -> Recipient {
        Recipient { name: self.name.clone(), events: self.events.clone(), org: self.org.clone() }
    }

    /// Sends once. The error text holds nothing of the recipient's answer.
    fn send(&self, delivery: &Delivery, now: jiff::Timestamp) -> Result<(), String> {
        let id = delivery.id();
        let body = body(&id, delivery);
        let timestamp = now.as_second().to_string();
        let sent = self
            .agent
            .post(&self.url)
            .content_type("application/json")
            .header("lacuna-delivery", &id)
            .header("lacuna-timestamp", &timestamp)
            .header("lacuna-signature", signature(&self.secret, &timestamp, &id, &body))
            .send(&body);
        match sent {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!("HTTP {}", answer.status().as_u16())),
            Err(ureq::Error::Timeout(_)) => Err("no answer in time".to_owned()),
            Err(ureq::Error::HostNotFound) => Err("the host name is not known".to_owned()),
            Err(_) => Err("cannot be reached".to_owned()),
        }
    }
}

fn body(id: &str, delivery: &Delivery) -> String {
    let tidings = &delivery.tidings;
    let body = WebhookBody {
        id,
        event: tidings.event.as_str(),
        org: tidings.org.as_str(),
        reference: &tidings.reference,
        memories: tidings.memories,
        occurred_at: tidings.at,
    };
    serde_json::to_string(&body).expect("the body has no maps with other keys than text")
}

fn signature(secret: &str, timestamp: &str, id: &str, body: &str) -> String {
    let mac = hmac_sha256(secret.as_bytes(), &[timestamp, ".", id, ".", body].map(str::as_bytes));
    format!("v1={}", hex(&mac))
}

/// Sends the due deliveries. Returns the number that arrived.
pub(crate) fn deliver_due(service: &Lacuna, hooks: &[Webhook]) -> lacuna_types::Result<usize> {
    let mut arrived = 0;
    for delivery in service.upkeep().due_deliveries(DELIVERIES_PAGE)? {
        let hook = hooks.iter().find(|hook| hook.name == delivery.recipient);
        let sent = hook.map_or_else(
            || Err("is no longer in the configuration".to_owned()),
            |hook| hook.send(&delivery, service.clock().now()),
        );
        match sent {
            Ok(()) => {
                service.upkeep().delivered(&delivery)?;
                arrived += 1;
            }
            Err(trouble) => {
                tracing::warn!(recipient = delivery.recipient, trouble, "a delivery did not arrive");
                service.upkeep().not_delivered(&delivery, &trouble)?;
            }
        }
    }
    Ok(arrived)
}

#[cfg(test)]
mod tests;
