//! The coherence of a document: its atoms against its own policy, by the rules of `persona.shapes.ttl`. The structure is
//! known to hold here.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::PersonaFault;

/// Hours in which a request to be forgotten is done at the latest: 30 days.
const COMPLETION_HOURS_MAX: i64 = 720;
const HOURS_PER_DAY: i64 = 24;
/// Trades that never confabulate.
const NEVER_CONFABULATE: [&str; 2] = ["healthcare", "financial-services"];

/// Checks the rules of the policy as of `now`.
pub(super) fn check(document: &Value, now: Timestamp) -> Vec<PersonaFault> {
    let mut faults = Vec::new();
    for (number, atom) in atoms(document).enumerate() {
        check_atom(document, atom, &format!("memory[{number}]"), now, &mut faults);
    }
    check_policy(document, &mut faults);
    faults
}

fn atoms(document: &Value) -> impl Iterator<Item = &Value> {
    document["memory"].as_array().into_iter().flatten()
}

fn check_atom(document: &Value, atom: &Value, path: &str, now: Timestamp, faults: &mut Vec<PersonaFault>) {
    let (class, basis) = (word(&atom["privacyClass"]), word(&atom["consentBasis"]));
    if matches!(class, "guest-pii" | "staff-pii" | "sensitive-pii") && basis == "not-applicable" {
        let message = format!("{class} needs a legal basis, and has not-applicable");
        faults.push(PersonaFault::new(&format!("{path}.consentBasis"), message));
    }
    if class == "sensitive-pii" && basis != "explicit-consent" {
        let message = "sensitive-pii needs explicit-consent";
        faults.push(PersonaFault::new(&format!("{path}.consentBasis"), message));
    }
    if kept_until(document, atom).is_some_and(|until| now > until) {
        let message = format!("is kept longer than the policy allows for {class}");
        faults.push(PersonaFault::new(&format!("{path}.createdAt"), message));
    }
}

/// The moment until which an atom may be kept; `None` without a limit.
fn kept_until(document: &Value, atom: &Value) -> Option<Timestamp> {
    let retention = &document["memoryPolicy"]["retentionPolicy"];
    let of_class = retention["perPrivacyClass"].get(word(&atom["privacyClass"]));
    let days = of_class.unwrap_or(&retention["defaultRetentionDays"]).as_i64()?;
    let created: Timestamp = word(&atom["createdAt"]).parse().ok()?;
    created.checked_add(SignedDuration::from_hours(HOURS_PER_DAY.checked_mul(days)?)).ok()
}

fn check_policy(document: &Value, faults: &mut Vec<PersonaFault>) {
    let policy = &document["memoryPolicy"];
    let count = atoms(document).count() as u64;
    let mut fault = |path: &str, message: String| faults.push(PersonaFault::new(path, message));
    if policy["maxAtoms"].as_f64().is_some_and(|most| count as f64 > most) {
        fault("memory", format!("has {count} atoms, and maxAtoms is {}", policy["maxAtoms"]));
    }
    if policy["enabled"] == false && count > 0 {
        fault("memoryPolicy.enabled", format!("is false, and there are {count} atoms"));
    }
    let sensitive = atoms(document).any(|atom| word(&atom["privacyClass"]) == "sensitive-pii");
    if sensitive && document["safetyTier"].is_null() {
        fault("safetyTier", "is missing, and there are sensitive-pii atoms".to_owned());
    }
    let profiles = document["complianceProfiles"].as_array().into_iter().flatten();
    let never = profiles.map(word).find(|profile| NEVER_CONFABULATE.contains(profile));
    if let Some(profile) = never.filter(|_| policy["confabulationPolicy"] != "strict") {
        fault("memoryPolicy.confabulationPolicy", format!("must be strict for {profile}"));
    }
    check_service(policy, &mut fault);
}

fn check_service(policy: &Value, fault: &mut impl FnMut(&str, String)) {
    let sla = &policy["rightToBeForgottenSla"];
    let hours = |name: &str| sla[name].as_f64();
    if let (Some(first), Some(last)) = (hours("acknowledgmentHours"), hours("completionHours"))
        && first > last
    {
        let message = "is later than completionHours".to_owned();
        fault("memoryPolicy.rightToBeForgottenSla.acknowledgmentHours", message);
    }
    if hours("completionHours").is_some_and(|last| last > COMPLETION_HOURS_MAX as f64) {
        let message = format!("must be at most {COMPLETION_HOURS_MAX}, which is 30 days");
        fault("memoryPolicy.rightToBeForgottenSla.completionHours", message);
    }
    let logged = &policy["auditPolicy"]["logRedaction"];
    if !logged.is_null() && logged != "always" {
        fault("memoryPolicy.auditPolicy.logRedaction", "must be always".to_owned());
    }
    let creation = &policy["creationPolicy"];
    if !creation["salienceClassifier"].is_null() && creation["salienceClassifierVersion"].is_null() {
        let message = "is missing: a classifier says its version".to_owned();
        fault("memoryPolicy.creationPolicy.salienceClassifierVersion", message);
    }
}

/// References in gists, details and tags to atoms that are redacted or not in the document.
pub(super) fn references(document: &Value) -> Vec<PersonaFault> {
    let status: BTreeMap<&str, &str> =
        atoms(document).map(|atom| (word(&atom["id"]), word(&atom["redactionStatus"]))).collect();
    let mut faults = Vec::new();
    for (number, atom) in atoms(document).enumerate() {
        let mut texts = vec![("gist".to_owned(), word(&atom["gist"]))];
        for (at, detail) in atom["details"].as_array().into_iter().flatten().enumerate() {
            texts.push((format!("details[{at}].content"), word(&detail["content"])));
        }
        for (at, tag) in atom["tags"].as_array().into_iter().flatten().enumerate() {
            texts.push((format!("tags[{at}]"), word(tag)));
        }
        for (field, text) in texts {
            for id in named(text).iter().filter(|id| **id != word(&atom["id"])) {
                let message = match status.get(id) {
                    None => format!("refers to {id}, which is not in the document"),
                    Some(&"active") => continue,
                    Some(status) => format!("refers to {id}, which is {status}"),
                };
                faults.push(PersonaFault::new(&format!("memory[{number}].{field}"), message));
            }
        }
    }
    faults
}

/// The ids of atoms that a text names.
fn named(text: &str) -> BTreeSet<&str> {
    let places = text.match_indices("mem:").map(|(at, _)| &text[at..]);
    places
        .filter_map(|rest| {
            let digits = rest["mem:".len()..].bytes().take_while(u8::is_ascii_hexdigit).count();
            (digits == 12).then(|| &rest[.."mem:".len() + digits])
        })
        .collect()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
