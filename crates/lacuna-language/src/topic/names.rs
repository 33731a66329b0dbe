//! Names in a request, and the words that belong to the name.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::word::{Word, is_general, is_role, is_stop, words};
use crate::languages::words_of;

/// Forms of companies, which are no names by themselves.
const LEGAL_FORMS: &str = "gmbh inc ltd llc ag co corp sa plc kg oy ab bv srl spa";
/// Small words inside names.
const PARTICLES: &str = "van von de der den del della di da dos al el bin ibn la le du zu ter ten";
/// Words that join a remark about who is meant: "the engineer", "on the team".
static REMARKS: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.topic.remarks));
/// Verbs that make a statement of a name and what follows it: "Ada Lee was in Ghent".
static PREDICATES: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.topic.predicates));
/// Words that join a topic to a name: "trip to Ghent".
static JOINTS: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.topic.joints));

/// A request without identifiers.
pub(super) struct Phrase {
    /// The names in it.
    pub names: Vec<String>,
    /// Words that narrow the names, or the topic where there are none.
    pub terms: Vec<Word>,
}

impl Phrase {
    pub(super) fn plain(text: &str) -> Self {
        Self { names: Vec::new(), terms: words(text) }
    }
}

struct NameToken<'t> {
    written: &'t str,
    lower: String,
    possessive: bool,
    /// A mark that parts it from the word before.
    apart: bool,
}

impl NameToken<'_> {
    fn may_be_name(&self) -> bool {
        let first = self.written.chars().next();
        // A script without capitals marks no names, so any of its words may be one.
        let caseless = first.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase());
        let capital = first.is_some_and(char::is_uppercase) && self.written != "I";
        // "I'm" and "Don't" are small words with an ending.
        let small = self.lower.split(['\'', '’']).next().is_some_and(|head| head == "i" || is_stop(head));
        (capital && !small && !is_stop(&self.lower)) || caseless
    }

    fn is_listed(&self, list: &str) -> bool {
        list.split(' ').any(|listed| listed == self.lower)
    }
}

fn tokens(text: &str) -> Vec<NameToken<'_>> {
    let mut tokens: Vec<NameToken<'_>> = Vec::new();
    let mut apart = false;
    for part in text.split_whitespace() {
        let bare = part.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
        let leads = part.starts_with(['(', '/', ',', '"', '“']);
        let written = bare
            .strip_suffix("'s")
            .or(bare.strip_suffix("’s"))
            .or(bare.strip_suffix("s'").map(|_| &bare[..bare.len() - 1]));
        let possessive = written.is_some();
        let written = written.unwrap_or(bare).trim_matches(|c: char| c == '.' && bare.len() > 3);
        if written.is_empty() {
            apart = true;
            continue;
        }
        tokens.push(NameToken { written, lower: written.to_lowercase(), possessive, apart: apart || leads });
        apart = part.ends_with([',', '/', ';', ':', ')']);
    }
    tokens
}

/// Reads a request that names nothing exactly.
pub(super) fn phrase(text: &str) -> Phrase {
    let tokens = tokens(text);
    let runs = runs(&tokens);
    if runs.is_empty() {
        return Phrase::plain(text);
    }
    let names = runs
        .iter()
        .map(|run| tokens[run.clone()].iter().map(|token| token.written).collect::<Vec<_>>().join(" "));
    let names = names.collect();
    let terms = narrowing(&tokens, &runs);
    Phrase { names, terms: terms.iter().flat_map(|word| words(word)).collect() }
}

/// The runs of words that are names.
fn runs(tokens: &[NameToken<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let bridges = token.is_listed(PARTICLES) && tokens.get(at + 1).is_some_and(NameToken::may_be_name);
        let goes_on =
            runs.last().is_some_and(|run| run.end == at) && !token.apart && !tokens[at - 1].possessive;
        match runs.last_mut() {
            Some(run) if goes_on && (token.may_be_name() || bridges) => run.end = at + 1,
            _ if token.may_be_name() => runs.push(at..at + 1),
            _ => {}
        }
    }
    // "Customer Ada Lee" is Ada Lee, and nobody is called GmbH.
    for run in &mut runs {
        while run.len() > 1 && (is_role(&tokens[run.start].lower) || is_general(&tokens[run.start].lower)) {
            run.start += 1;
        }
    }
    let nobody = |token: &NameToken<'_>| {
        is_role(&token.lower) || is_general(&token.lower) || token.is_listed(LEGAL_FORMS)
    };
    runs.retain(|run| !(run.len() == 1 && nobody(&tokens[run.start])));
    runs
}

/// The words that narrow a name: what it owns, what follows it, what a preposition joins to it. What says who is
/// meant, "the engineer", "on the team", "student", narrows nothing.
fn narrowing<'t>(tokens: &[NameToken<'t>], runs: &[std::ops::Range<usize>]) -> Vec<&'t str> {
    let mut narrowing = Vec::new();
    let in_name = |at: usize| runs.iter().any(|run| run.contains(&at));
    let telling =
        |token: &NameToken<'_>| !is_stop(&token.lower) && !is_role(&token.lower) && !is_general(&token.lower);
    for run in runs {
        let owned = tokens[run.end - 1].possessive;
        // "Ada Lee was in Ghent" states something, and all of it narrows the name; "Ada Lee in Ghent" says who is meant.
        let states = tokens.get(run.end).is_some_and(|next| PREDICATES.contains(next.lower.as_str()));
        let follows =
            tokens.iter().enumerate().skip(run.end + usize::from(states)).take_while(|(at, token)| {
                !in_name(*at) && (owned || states || !REMARKS.contains(token.lower.as_str())) && !token.apart
            });
        narrowing.extend(follows.filter(|(_, token)| telling(token)).map(|(_, token)| token.written));
        // "trip to Ghent", but not "student Ada".
        let joined =
            run.start.checked_sub(1).filter(|before| JOINTS.contains(tokens[*before].lower.as_str()));
        let before = joined.map_or(0..0, |before| 0..before);
        narrowing.extend(
            tokens[before]
                .iter()
                .filter(|token| telling(token) && !token.may_be_name())
                .map(|token| token.written),
        );
    }
    narrowing
}
