//! The table of rules, from TOML to something that can judge a match.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use super::SecretLevel;
use super::scan::prove;
use super::shape::{Trait, entropy, is_placeholder};
use lacuna_types::{Error, Result};

use crate::compiled::on_clean_stack;

pub(super) const BUILTIN: &str = include_str!("rules.toml");
/// Bytes that a rule sees before and after its keyword, unless it asks for more.
const BEHIND_BYTES_DEFAULT: usize = 64;
const REACH_BYTES_DEFAULT: usize = 256;
const REACH_BYTES_MAX: usize = 1 << 15;
const PATTERN_BYTES_MAX: usize = 8 << 10;
const REGEX_BYTES_MAX: usize = 1 << 22;
/// Keywords shorter than this would wake their rule on nearly every text.
const KEYWORD_BYTES_MIN: usize = 2;
/// A run shorter than this is a word or a name.
const RUN_BYTES_MIN: usize = 20;
/// Stands in examples for nothing: it keeps other scanners from taking them for live secrets.
pub(super) const EXAMPLE_MARK: char = '¦';

/// The pattern after the keyword of an `assigned` rule: the rest of the name, an assignment, perhaps quotes.
const ASSIGNMENT: &str = concat!(
    r#"[0-9A-Za-z_.\-]{0,40}(?:[ \t](?:api|access|auth|secret|bot|client)?[ _-]?(?:key|token|secret|id|login|password))?"#,
    r#"[ \t]{0,2}\\{0,2}["'`\])]{0,2}[ \t]{0,8}"#,
    r#"(?:[:?+|]{0,3}=>?|:|,|[ \t]is[ \t]|[ \t]|->|>)"#,
    r#"[ \t]{0,8}\\{0,2}["'`\[(]{0,3}[ \t]{0,2}"#
);
/// The characters allowed before a token: no letter or digit, unless it is the end of an escape.
const TOKEN_START: &str = r"(?:^|[^0-9A-Za-z]|\\[nrt])";
/// The characters allowed after an assigned value.
const VALUE_END: &str = r#"(?:[^0-9A-Za-z_/+\-]|$)"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretTable {
    /// Lists of words that are no secrets, by name.
    #[serde(default)]
    stop: BTreeMap<String, Vec<String>>,
    #[serde(rename = "rule", default)]
    rules: Vec<RawRule>,
}

/// A rule as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRule {
    /// The name of the rule.
    pub name: String,
    /// The family of secrets that it belongs to.
    pub family: String,
    level: SecretLevel,
    /// Literals, one of which occurs in every match, in any case.
    #[serde(default)]
    keywords: Vec<String>,
    /// For rules without keywords: how many characters of a token stand in a row.
    run: Option<usize>,
    /// Only the secret, where it stands alone.
    token: Option<String>,
    /// Only the secret, behind a name that holds a keyword, and an assignment.
    assigned: Option<String>,
    /// The whole expression; its first group is the secret.
    pattern: Option<String>,
    /// The full form that the issuer gives to such a secret. A match of another length or without its mark is only
    /// possible: somebody cut it off or made it up.
    whole: Option<String>,
    /// Marks that a `token` is made of besides letters and digits. A token that goes on in one is another thing.
    #[serde(default)]
    marks: String,
    /// The least Shannon entropy of the secret, in bits per character.
    #[serde(default)]
    entropy: f32,
    /// The features that the secret must have.
    #[serde(default)]
    needs: Vec<Trait>,
    /// Expressions that mark a match as no secret after all.
    #[serde(default)]
    allow: Vec<String>,
    /// Names of lists of words that are no secrets.
    #[serde(default)]
    stop: Vec<String>,
    /// True when a secret may be shaped like a placeholder.
    #[serde(default)]
    placeholders: bool,
    reach: Option<usize>,
    /// Characters one of which stands near every secret, to look no further where there is none.
    #[serde(default)]
    beside: String,
    /// Texts that hold such a secret.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Texts that look like it and hold none.
    #[serde(default)]
    pub counterexamples: Vec<String>,
}

/// A rule whose expressions are compiled when a text first calls for them.
pub(super) struct SecretRule {
    /// The rule as it is written.
    pub raw: RawRule,
    stop: Vec<Arc<HashSet<String>>>,
    expressions: OnceLock<Result<Expressions, regex::Error>>,
}

struct Expressions {
    pattern: Regex,
    whole: Option<Regex>,
    allow: Vec<Regex>,
}

impl SecretRule {
    /// The rules of a table. Their expressions are not looked at yet.
    pub(super) fn table(toml: &str) -> Result<Vec<Self>> {
        let table: SecretTable = toml::from_str(toml).map_err(|error| invalid(error.message()))?;
        let listed =
            table.stop.into_iter().map(|(name, words)| (name, Arc::new(words.into_iter().collect())));
        let lists: BTreeMap<String, Arc<HashSet<String>>> = listed.collect();
        table.rules.into_iter().map(|raw| Self::new(raw, &lists)).collect()
    }

    fn new(raw: RawRule, lists: &BTreeMap<String, Arc<HashSet<String>>>) -> Result<Self> {
        let stop = raw.stop.iter().filter_map(|name| lists.get(name).cloned()).collect();
        let rule = Self { raw, stop, expressions: OnceLock::new() };
        match rule.fault() {
            Some(fault) => Err(invalid(format!("rule {}: {fault}", rule.raw.name))),
            None => Ok(rule),
        }
    }

    fn fault(&self) -> Option<&'static str> {
        let raw = &self.raw;
        let ways = [&raw.token, &raw.assigned, &raw.pattern];
        if ways.into_iter().flatten().count() != 1 {
            return Some("needs one of `token`, `assigned` and `pattern`");
        }
        if raw.keywords.is_empty() == raw.run.is_none() {
            return Some("needs either `keywords` or `run`");
        }
        if raw.keywords.iter().any(|word| word.len() < KEYWORD_BYTES_MIN) {
            return Some("a keyword is at least two characters");
        }
        if raw.run.is_some_and(|run| run < RUN_BYTES_MIN) {
            return Some("a run is at least 20 characters");
        }
        if raw.stop.len() != self.stop.len() {
            return Some("`stop` names a list that is not there");
        }
        if raw.assigned.is_some() && raw.keywords.is_empty() {
            return Some("`assigned` needs keywords, which are the names");
        }
        if raw.reach.is_some_and(|reach| reach > REACH_BYTES_MAX) {
            return Some("`reach` is at most 32768 bytes");
        }
        if raw.token.is_none() && !raw.marks.is_empty() {
            return Some("`marks` belong to a `token`");
        }
        if self.source().len() + raw.whole.as_ref().map_or(0, String::len) > PATTERN_BYTES_MAX {
            return Some("the pattern is too long");
        }
        None
    }

    /// Compiles and tries a rule that nobody has tested yet, and sees that its name is its own.
    pub(super) fn check(&self, others: &[Self]) -> Result<()> {
        let fault = |fault: String| invalid(format!("rule {}: {fault}", self.raw.name));
        if others.iter().any(|other| other.raw.name == self.raw.name) {
            return Err(fault("the name is taken".into()));
        }
        self.compiled().as_ref().map_err(|error| fault(error.to_string()))?;
        prove(self).map_err(fault)
    }

    /// The certainty about one match.
    pub(super) fn level(&self, secret: &str) -> SecretLevel {
        let whole = self.expressions().and_then(|expressions| expressions.whole.as_ref());
        match whole.is_none_or(|whole| whole.is_match(secret)) {
            true => self.raw.level,
            false => SecretLevel::Possible,
        }
    }

    pub(super) fn keywords(&self) -> &[String] {
        &self.raw.keywords
    }

    pub(super) fn run(&self) -> Option<usize> {
        self.raw.run
    }

    pub(super) fn reach(&self) -> usize {
        self.raw.reach.unwrap_or(REACH_BYTES_DEFAULT)
    }

    pub(super) fn behind(&self) -> usize {
        self.raw.reach.unwrap_or(0).max(BEHIND_BYTES_DEFAULT)
    }

    /// Returns true when a stretch of text can hold a match at all, at a fraction of the cost of trying.
    pub(super) fn worth_a_look(&self, stretch: &str) -> bool {
        let digit = self.raw.needs.iter().any(|need| matches!(need, Trait::Digit));
        (!digit || stretch.bytes().any(|byte| byte.is_ascii_digit()))
            && (self.raw.beside.is_empty() || stretch.contains(|c| self.raw.beside.contains(c)))
    }

    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.expressions().map(|expressions| &expressions.pattern)
    }

    /// Returns true when a match passes the checks that an expression cannot state.
    pub(super) fn accepts(&self, found: &Captures<'_>) -> bool {
        let whole = found.get(0).map_or("", |part| part.as_str());
        let secret = found.get(1).map_or(whole, |part| part.as_str());
        let raw = &self.raw;
        raw.needs.iter().all(|need| need.of(secret))
            && (raw.placeholders || !is_placeholder(secret))
            && entropy(secret) >= raw.entropy
            && !self.stops(secret)
            && !self.allows(whole)
    }

    fn stops(&self, secret: &str) -> bool {
        if self.stop.is_empty() {
            return false;
        }
        let word = secret.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        self.stop.iter().any(|list| list.contains(&word))
    }

    fn allows(&self, whole: &str) -> bool {
        self.expressions().is_some_and(|e| e.allow.iter().any(|allow| allow.is_match(whole)))
    }

    fn expressions(&self) -> Option<&Expressions> {
        self.compiled().as_ref().ok()
    }

    fn compiled(&self) -> &Result<Expressions, regex::Error> {
        self.expressions.get_or_init(|| {
            let pattern = compile(&self.source())?;
            let whole =
                self.raw.whole.as_ref().map(|whole| compile(&format!("^(?:{whole})$"))).transpose()?;
            let allow = self.raw.allow.iter().map(|source| compile(source)).collect::<Result<_, _>>()?;
            Ok(Expressions { pattern, whole, allow })
        })
    }

    fn source(&self) -> String {
        let raw = &self.raw;
        if let Some(token) = &raw.token {
            return format!("{TOKEN_START}({token})(?:[^0-9A-Za-z{}]|$)", regex::escape(&raw.marks));
        }
        if let Some(value) = &raw.assigned {
            let name = self.name_source();
            return format!("{name}(?i:{ASSIGNMENT})({value}){VALUE_END}");
        }
        raw.pattern.clone().unwrap_or_default()
    }

    /// A keyword at the beginning of a word: `acme`, `my_acme`, `myAcme`, but not the middle of `dacmen`.
    fn name_source(&self) -> String {
        let words: Vec<String> = self.raw.keywords.iter().map(|word| regex::escape(word)).collect();
        let inner: Vec<String> = words.iter().map(|word| capitalised(word)).collect();
        format!("(?:(?:^|[^A-Za-z])(?i:{})|[a-z](?:{}))", words.join("|"), inner.join("|"))
    }
}

/// A word with a capital, as it stands inside a name.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Word boundaries of ASCII, because those of Unicode keep the fast engines from being used.
fn compile(source: &str) -> Result<Regex, regex::Error> {
    let source = source.replace(r"\b", r"(?-u:\b)");
    on_clean_stack(|| RegexBuilder::new(&source).size_limit(REGEX_BYTES_MAX).build())
}

fn invalid(reason: impl Into<String>) -> Error {
    Error::invalid("secret_rules", reason)
}
