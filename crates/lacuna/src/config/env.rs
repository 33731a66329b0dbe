//! Variables of the environment: those that are settings, and those that only look like one.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::{KEYS, RawConfig};

const PREFIX: &str = "LACUNA_";
/// Variables of ours that are no keys, apart from passphrases.
const OTHERS: [&str; 3] = ["LACUNA_CONFIG", "LACUNA_LOG", "LACUNA_TOKEN"];
const PASSPHRASES: [&str; 6] = [
    "LACUNA_PASSPHRASE",
    "LACUNA_EXPORT_PASSPHRASE",
    "LACUNA_BACKUP_PASSPHRASE",
    "LACUNA_VAULT_PASSPHRASE",
    "LACUNA_NEW_VAULT_PASSPHRASE",
    "LACUNA_RECOVERY_CODE",
];
/// Variables that tests of Lacuna may set, and that mean nothing here.
const TEST_PREFIX: &str = "LACUNA_TEST_";
/// Letters of a name, after the prefix, for each letter that may be wrong in a near miss.
const LETTERS_PER_SLIP: usize = 4;

/// A variable that begins like ours and is no setting. Others make such variables too: for a service with the
/// name `lacuna`, Kubernetes sets `LACUNA_PORT` in every pod.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UnknownVariable {
    pub(crate) name: String,
    /// Variable of ours that differs by a slip of the fingers.
    pub(crate) meant: Option<String>,
}

impl fmt::Display for UnknownVariable {
    /// Names the variable and never its value, which may be a misspelt passphrase.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} is not a setting", self.name)?;
        match &self.meant {
            Some(meant) => write!(out, "; did you mean {meant}?"),
            None => Ok(()),
        }
    }
}

impl RawConfig {
    pub(super) fn read_env(&mut self, env: &[(OsString, OsString)]) {
        for (name, value) in env {
            let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
            if OTHERS.contains(&name) || PASSPHRASES.contains(&name) || name.starts_with(TEST_PREFIX) {
                continue;
            }
            match (KEYS.iter().find(|key| env_name(key) == name), value.to_str()) {
                (Some(key), Some(value)) => self.set(key, value.to_owned(), name),
                (Some(_), None) => self.faults.push(format!("{name} is not UTF-8")),
                (None, _) => self.note_unknown(name),
            }
        }
    }

    /// Unknown variables are ignored, but not a misspelt passphrase: keys would be made without one, and it cannot
    /// be added later.
    fn note_unknown(&mut self, name: &str) {
        let unknown = UnknownVariable { name: name.to_owned(), meant: near_miss(name) };
        match unknown.meant.as_deref() {
            Some(meant) if PASSPHRASES.contains(&meant) => self.faults.push(unknown.to_string()),
            _ => self.unknown.push(unknown),
        }
    }

    /// Takes the unknown variables, without those that a setting such as `llm.key_env` names.
    pub(super) fn take_unknown(&mut self) -> Vec<UnknownVariable> {
        let keys = ["endpoint.api_key_env", "llm.key_env", "custody.token_env", "oidc.client_secret_env"];
        let mut named: Vec<String> = keys.into_iter().filter_map(|key| self.text(key)).collect();
        named.extend(self.webhooks.iter().map(|hook| hook.secret_env.clone()));
        let mut unknown = std::mem::take(&mut self.unknown);
        unknown.retain(|variable| !named.contains(&variable.name));
        unknown
    }
}

pub(super) fn env_path(env: &[(OsString, OsString)], name: &str) -> Option<PathBuf> {
    env.iter().find(|(key, _)| key == name).map(|(_, value)| PathBuf::from(value))
}

fn env_name(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

/// Finds the variable of ours that a misspelt one means.
fn near_miss(name: &str) -> Option<String> {
    let ours = KEYS.iter().map(|key| env_name(key));
    let ours = ours.chain(OTHERS.into_iter().chain(PASSPHRASES).map(str::to_owned));
    let slips_max = (name.len() - PREFIX.len()) / LETTERS_PER_SLIP;
    let nearest = ours.map(|known| (slips(&name.to_uppercase(), &known), known)).min()?;
    (nearest.0 <= slips_max).then_some(nearest.1)
}

/// Letters to add, drop, change, or swap with their neighbour to make one name of the other.
fn slips(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let width = right.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for row in 1..=left.len() {
        let mut this = vec![row; width];
        for column in 1..width {
            let (a, b) = (left[row - 1], right[column - 1]);
            let changed = last[column - 1] + usize::from(a != b);
            let mut least = changed.min(last[column] + 1).min(this[column - 1] + 1);
            let swapped = row > 1 && column > 1 && a == right[column - 2] && left[row - 2] == b;
            if swapped {
                least = least.min(before[column - 2] + 1);
            }
            this[column] = least;
        }
        before = std::mem::replace(&mut last, this);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Endings of the variables that Kubernetes sets for a service.
    const KUBERNETES: [&str; 6] = ["_PORT", "_HOST", "_SERVICE_PORT", "_TCP", "_PROTO", "_ADDR"];

    #[test]
    fn no_setting_has_a_name_that_kubernetes_gives_away() {
        for key in KEYS {
            let name = env_name(key);
            let theirs = KUBERNETES.iter().any(|ending| name.ends_with(ending));
            assert!(!theirs && !name.contains("_PORT_"), "{name} may hold the address of a service");
        }
    }

    #[test]
    fn a_near_miss_is_named_and_a_stranger_is_not() {
        let cases = [
            ("LACUNA_LISTN", Some("LACUNA_LISTEN")),
            ("LACUNA_USRE", Some("LACUNA_USER")),
            ("LACUNA_listen", Some("LACUNA_LISTEN")),
            ("LACUNA_HTTP_WORKER", Some("LACUNA_HTTP_WORKERS")),
            ("LACUNA_HTTP_REQUEST_MAX", Some("LACUNA_HTTP_REQUESTS_MAX")),
            ("LACUNA_PASPHRASE", Some("LACUNA_PASSPHRASE")),
            ("LACUNA_BACKUP_PASPHRASE", Some("LACUNA_BACKUP_PASSPHRASE")),
            ("LACUNA_PORT", None),
            ("LACUNA_SERVICE_HOST", None),
            ("LACUNA_SERVICE_PORT", None),
            ("LACUNA_PORT_7707_TCP_PROTO", None),
            ("LACUNA_", None),
        ];
        for (name, meant) in cases {
            assert_eq!(near_miss(name).as_deref(), meant, "{name}");
        }
    }
}
