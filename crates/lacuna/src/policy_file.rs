//! A tenant's policy as a file: `NAME.toml` for the organisation NAME, `default.toml` for all others.

mod context;
mod retention;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use jiff::SignedDuration;
use lacuna_seal::VerifyingKey;
use lacuna_types::OrgId;
use lacuna_types::policy::{
    AUDIT_READ_DAYS_MAX, Approval, GRACE_HOURS_MAX, MAX_ATOMS_MAX, OPERATORS_MAX, PURGE_DAYS_MAX, Policies,
    Policy, Preset, REQUEST_HOURS_MAX, SESSION_IDLE_HOURS_MAX, TOMBSTONE_DAYS_MAX, TRANSCRIPT_DAYS_MAX,
    Thresholds, UNREAD_DAYS_MAX,
};
use serde::Deserialize;

use self::retention::RawRetention;
use crate::codes;
use crate::wire::failure::{Failure, Result};

const DEFAULT_FILE: &str = "default.toml";
/// A policy file is small; anything larger is not one.
const FILE_BYTES_MAX: u64 = 64 << 10;
/// Policy files in one folder.
const FILES_MAX: usize = 10_000;

/// The file, key by key. An absent key follows from the preset.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicy {
    preset: Option<String>,
    fail_on_secret: Option<bool>,
    sensitive_allowed: Option<bool>,
    pattern_consent: Option<bool>,
    min_salience: Option<f32>,
    max_atoms: Option<usize>,
    approval: Option<String>,
    grace_hours: Option<i64>,
    audit_reads: Option<String>,
    audit_read_days: Option<i64>,
    acknowledge_hours: Option<i64>,
    complete_hours: Option<i64>,
    tombstone_days: Option<i64>,
    operators: Option<Vec<String>>,
    forget_mode: Option<String>,
    purge_days: Option<i64>,
    compaction: Option<RawCompaction>,
    audit_rehearsals: Option<String>,
    context: Option<context::RawContext>,
    #[serde(default)]
    intent: Vec<context::RawIntent>,
    session_idle_hours: Option<i64>,
    transcript_days: Option<i64>,
    dangling: Option<String>,
    retention: Option<RawRetention>,
}

/// Thresholds at which old turns make room. An absent key has its default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCompaction {
    tokens_max: Option<usize>,
    oldest_percent: Option<usize>,
    session_messages_max: Option<usize>,
    keep_last: Option<usize>,
    unread_days: Option<i64>,
}

impl RawCompaction {
    fn into_thresholds(self) -> Result<Thresholds, String> {
        let usual = Thresholds::default();
        let read = Thresholds {
            tokens_max: self.tokens_max.unwrap_or(usual.tokens_max),
            oldest_percent: self.oldest_percent.unwrap_or(usual.oldest_percent),
            session_messages_max: self.session_messages_max.unwrap_or(usual.session_messages_max),
            keep_last: self.keep_last.unwrap_or(usual.keep_last),
            unread_days: self.unread_days.unwrap_or(usual.unread_days),
        };
        if !(1..=100).contains(&read.oldest_percent) {
            return Err("compaction.oldest_percent: must be from 1 to 100".to_owned());
        }
        if read.keep_last > read.session_messages_max {
            return Err("compaction.keep_last: must not be above session_messages_max".to_owned());
        }
        if !(1..=UNREAD_DAYS_MAX).contains(&read.unread_days) {
            return Err(format!("compaction.unread_days: must be from 1 to {UNREAD_DAYS_MAX}"));
        }
        Ok(read)
    }
}

impl RawPolicy {
    fn into_policy(self) -> Result<Policy, String> {
        let word = |error: lacuna_types::Error| error.to_string();
        let preset = self.preset.map_or(Ok(Preset::PersonalAuthority), |text| text.parse().map_err(word))?;
        let mut policy = Policy::of(preset);
        policy.fail_on_secret = self.fail_on_secret.unwrap_or(policy.fail_on_secret);
        policy.sensitive_allowed = self.sensitive_allowed.unwrap_or(policy.sensitive_allowed);
        policy.pattern_consent = self.pattern_consent.unwrap_or(policy.pattern_consent);
        policy.min_salience = self.min_salience.unwrap_or(policy.min_salience);
        policy.max_atoms = self.max_atoms.unwrap_or(policy.max_atoms);
        policy.approval =
            self.approval.map_or(Ok(policy.approval), |text| text.parse::<Approval>().map_err(word))?;
        policy.audit_reads =
            self.audit_reads.map_or(Ok(policy.audit_reads), |text| text.parse().map_err(word))?;
        policy.audit_rehearsals =
            self.audit_rehearsals.map_or(Ok(policy.audit_rehearsals), |text| text.parse().map_err(word))?;
        policy.context = context::rules(self.context)?;
        policy.intents = context::intents(&self.intent)?;
        policy.acknowledge_hours = self.acknowledge_hours.unwrap_or(policy.acknowledge_hours);
        policy.complete_hours = self.complete_hours.unwrap_or(policy.complete_hours);
        policy.tombstone_days = self.tombstone_days.unwrap_or(policy.tombstone_days);
        policy.session_idle_hours = self.session_idle_hours.unwrap_or(policy.session_idle_hours);
        policy.transcript_days = self.transcript_days.unwrap_or(policy.transcript_days);
        policy.operators = operators(&self.operators.unwrap_or_default())?;
        let bounds = [
            ("acknowledge_hours", policy.acknowledge_hours, REQUEST_HOURS_MAX),
            ("complete_hours", policy.complete_hours, REQUEST_HOURS_MAX),
            ("tombstone_days", policy.tombstone_days, TOMBSTONE_DAYS_MAX),
            ("session_idle_hours", policy.session_idle_hours, SESSION_IDLE_HOURS_MAX),
            ("transcript_days", policy.transcript_days, TRANSCRIPT_DAYS_MAX),
        ];
        for (key, value, most) in bounds {
            if !(1..=most).contains(&value) {
                return Err(format!("{key}: must be from 1 to {most}"));
            }
        }
        policy.audit_read_days = self.audit_read_days.unwrap_or(policy.audit_read_days);
        policy.forget_mode =
            self.forget_mode.map_or(Ok(policy.forget_mode), |text| text.parse().map_err(word))?;
        policy.purge_days = self.purge_days.unwrap_or(policy.purge_days);
        policy.dangling = self.dangling.map_or(Ok(policy.dangling), |text| text.parse().map_err(word))?;
        if !(1..=PURGE_DAYS_MAX).contains(&policy.purge_days) {
            return Err(format!("purge_days: must be from 1 to {PURGE_DAYS_MAX}"));
        }
        policy.compaction = self.compaction.map_or(Ok(policy.compaction), RawCompaction::into_thresholds)?;
        let grace_hours = self.grace_hours.unwrap_or(policy.grace.as_hours());
        if !(0.0..=1.0).contains(&policy.min_salience) {
            return Err("min_salience: must be a number from 0 to 1".to_owned());
        }
        if policy.max_atoms == 0 || policy.max_atoms > MAX_ATOMS_MAX {
            return Err(format!("max_atoms: must be from 1 to {MAX_ATOMS_MAX}"));
        }
        if !(1..=AUDIT_READ_DAYS_MAX).contains(&policy.audit_read_days) {
            return Err(format!("audit_read_days: must be from 1 to {AUDIT_READ_DAYS_MAX}"));
        }
        if !(0..=GRACE_HOURS_MAX).contains(&grace_hours) {
            return Err(format!("grace_hours: must be from 0 to {GRACE_HOURS_MAX}"));
        }
        policy.grace = SignedDuration::from_hours(grace_hours);
        policy.retention = self.retention.unwrap_or_default().into_rules()?;
        Ok(policy)
    }
}

fn operators(keys: &[String]) -> Result<Vec<VerifyingKey>, String> {
    if keys.len() > OPERATORS_MAX {
        return Err(format!("operators: must be at most {OPERATORS_MAX} keys"));
    }
    keys.iter().map(|key| key.parse().map_err(|error| format!("operators: {error}"))).collect()
}

/// Reads every policy in `folder`. A folder that is not there holds none.
pub(crate) fn read_policies(folder: &Path) -> Result<Policies> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Policies::default()),
        Err(error) => return Err(fault(folder, &error.to_string())),
    };
    let mut policies = Policies { everyone: Policy::default(), by_org: HashMap::new() };
    for entry in entries {
        let path = entry.map_err(|error| fault(folder, &error.to_string()))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let Some(org) = name.strip_suffix(".toml") else { continue };
        let policy = read_policy(&path)?;
        if name == DEFAULT_FILE {
            policies.everyone = policy;
            continue;
        }
        let org = OrgId::new(org).map_err(|error| fault(&path, &error.to_string()))?;
        policies.by_org.insert(org, policy);
        if policies.by_org.len() > FILES_MAX {
            return Err(fault(folder, &format!("holds more than {FILES_MAX} policies")));
        }
    }
    Ok(policies)
}

pub(crate) fn read_policy(path: &Path) -> Result<Policy> {
    let length = fs::metadata(path).map_err(|error| fault(path, &error.to_string()))?.len();
    if length > FILE_BYTES_MAX {
        return Err(fault(path, &format!("is larger than {FILE_BYTES_MAX} bytes")));
    }
    let text = fs::read_to_string(path).map_err(|error| fault(path, &error.to_string()))?;
    parse_policy(&text).map_err(|reason| fault(path, &reason))
}

/// Reads the text of a policy file, or says what is wrong with it.
pub(crate) fn parse_policy(text: &str) -> Result<Policy, String> {
    let raw: RawPolicy = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    raw.into_policy()
}

fn fault(path: &Path, reason: &str) -> Failure {
    Failure::new(&codes::BAD_CONFIG, format!("the policy {}: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use lacuna_types::policy::ReadLogging;
    use lacuna_types::{PrivacyClass, Sensitivity};

    use super::*;

    fn policies(files: &[(&str, &str)]) -> Result<Policies> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        read_policies(folder.path())
    }

    #[test]
    fn each_tenant_has_its_own_policy_and_the_rest_the_default() {
        let read = policies(&[
            ("default.toml", "preset = 'enterprise-safe'\nmax_atoms = 10\naudit_reads = 'sampled'"),
            (
                "acme.toml",
                "preset = 'personal-authority'\ngrace_hours = 24\napproval = 'all'\ncompaction.keep_last = 5",
            ),
            ("notes.txt", "not a policy"),
        ])
        .unwrap();
        let acme = read.of(&OrgId::new("acme").unwrap());
        assert_eq!((acme.preset, acme.approval), (Preset::PersonalAuthority, Approval::All));
        assert_eq!(acme.grace, SignedDuration::from_hours(24));
        assert_eq!(acme.compaction, Thresholds { keep_last: 5, ..Thresholds::default() });
        let other = read.of(&OrgId::new("other").unwrap());
        assert_eq!((other.preset, other.max_atoms), (Preset::EnterpriseSafe, 10));
        assert!(!other.sensitive_allowed);
        assert_eq!((acme.audit_reads, other.audit_reads), (ReadLogging::Always, ReadLogging::Sampled));
        assert_eq!(read_policies(Path::new("/nonexistent/policies")).unwrap().everyone, Policy::default());
    }

    #[test]
    fn how_long_memories_are_kept_is_a_table_of_its_own() {
        let read = policies(&[(
            "acme.toml",
            "[retention]\ngrace_days = 10\nunanswered = 'keep'\n[retention.tiers]\nshort_term = 120\n\
             [retention.categories]\nhealth = 14\nlocation = 3\n[retention.classes]\nguest-pii = 'forever'",
        )]);
        let read = read.unwrap();
        let rules = &read.of(&OrgId::new("acme").unwrap()).retention;
        assert_eq!((rules.grace_days, rules.unanswered.as_str()), (10, "keep"));
        assert_eq!((rules.short_term.days, rules.short_term.days_max), (Some(120), Some(120)));
        let days = |category| rules.category(category).and_then(|rule| rule.days);
        assert_eq!((days(Sensitivity::Health), days(Sensitivity::Location)), (Some(14), Some(3)));
        assert_eq!(rules.class_days(PrivacyClass::GuestPii), None);
        assert_eq!(rules.class_days(PrivacyClass::StaffPii), Some(365));
    }

    #[test]
    fn a_bad_policy_is_refused_by_file_and_key() {
        let cases = [
            ("presett = 'x'", "presett"),
            ("preset = 'lax'", "preset"),
            ("approval = 'sometimes'", "approval"),
            ("min_salience = 1.5", "min_salience"),
            ("min_salience = nan", "min_salience"),
            ("max_atoms = 0", "max_atoms"),
            ("max_atoms = 1000001", "max_atoms"),
            ("audit_reads = 'often'", "audit_reads"),
            ("acknowledge_hours = 0", "acknowledge_hours"),
            ("complete_hours = 2161", "complete_hours"),
            ("tombstone_days = 0", "tombstone_days"),
            ("operators = ['rsa:00']", "operators"),
            ("audit_read_days = 0", "audit_read_days"),
            ("audit_read_days = 2191", "audit_read_days"),
            ("audit_rehearsals = 'often'", "audit_reads"),
            ("[context]\nconfabulation = 'permissive'", "context.confabulation"),
            ("[[intent]]\nwords = []", "intent.words"),
            ("forget_mode = 'never'", "mode"),
            ("purge_days = 0", "purge_days"),
            ("purge_days = 366", "purge_days"),
            ("grace_hours = -1", "grace_hours"),
            ("compaction.tokens = 5", "tokens"),
            ("compaction.oldest_percent = 101", "oldest_percent"),
            ("compaction.keep_last = 201", "keep_last"),
            ("compaction.unread_days = 0", "unread_days"),
            ("grace_hours = 721", "grace_hours"),
            ("fail_on_secret = 'yes'", "acme.toml"),
            ("[retention]\ngrace = 1", "grace"),
            ("[retention]\ngrace_days = 0", "grace_days"),
            ("[retention]\nunanswered = 'ask'", "unanswered"),
            ("[retention.tiers]\nlong = 3", "tiers"),
            ("[retention.categories]\nhealth = 'soon'", "health"),
            ("[retention.classes]\nguest-pii = 0", "guest-pii"),
            ("not toml", "acme.toml"),
        ];
        for (text, named) in cases {
            let failure = policies(&[("acme.toml", text)]).unwrap_err();
            assert_eq!(failure.code.name, "bad_config");
            assert!(failure.detail.contains(named) && failure.detail.contains("acme.toml"), "{failure}");
        }
    }
}
