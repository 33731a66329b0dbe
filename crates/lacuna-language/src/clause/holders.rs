//! Sentences that are said of several: "Yuri and Zoe both live in Oslo".

use super::split::{Clause, ClauseWord, words};
use super::verbs::{each_of, is_actor, is_adverb, is_coordinator, is_determiner, is_verb, joins, of_one};

/// Several of whom a sentence is said, and what it says.
pub(crate) struct Holders<'t> {
    /// Each of them.
    pub(crate) names: Vec<&'t str>,
    /// The sentence from its verb on, without "both".
    pub(crate) said: String,
    /// True if the sentence says that it holds of each: "both".
    pub(crate) of_each: bool,
}

/// Finds the holders of a sentence, if names and an "and" stand before its verb, and a single verb follows.
pub(crate) fn holders(sentence: &str) -> Option<Holders<'_>> {
    let words = words(sentence);
    let leads = words.first().is_some_and(|first| each_of(&first.lower));
    let mut at = usize::from(leads);
    let mut spans: Vec<(usize, usize)> = Vec::new();
    loop {
        let end = name_end(&words, at)?;
        spans.push((at, end));
        let next = words.get(end)?;
        let listed = next.after_comma && name_end(&words, end).is_some();
        match () {
            _ if joins(&next.lower) => at = end + 1,
            _ if listed => at = end,
            _ => {
                at = end;
                break;
            }
        }
    }
    let before = at;
    while words.get(at).is_some_and(|word| each_of(&word.lower) || is_adverb(&word.lower)) {
        at += 1;
    }
    let verb = words.get(at).filter(|verb| is_verb(&verb.lower))?;
    // "Both" stands before the verb, or behind one that another verb follows: "were both born".
    let said: Vec<&ClauseWord<'_>> = words[before..].iter().take(at + 2 - before).collect();
    let of_each = leads || said.iter().any(|word| each_of(&word.lower));
    let said: Vec<&str> = said.iter().filter(|word| !each_of(&word.lower)).map(|word| word.text).collect();
    let rest = words.get(at + 1).map_or("", |next| &sentence[next.span.end..]);
    let ends_there = words.len() > at + 1 && !goes_on(&words[at + 1..]);
    let names = spans.iter().map(|(from, to)| &sentence[words[*from].span.start..words[*to - 1].span.end]);
    let holders = Holders { names: names.collect(), said: format!("{}{rest}", said.join(" ")), of_each };
    (spans.len() > 1 && ends_there && !verb.is_capital()).then_some(holders)
}

/// Returns the end of a name or of a relation: "Yuri", "my sister Ana", "I".
fn name_end(words: &[ClauseWord<'_>], from: usize) -> Option<usize> {
    let first = words.get(from)?;
    let mut end = match () {
        _ if is_actor(&first.lower) => return Some(from + 1),
        _ if is_determiner(&first.lower) => from + 2,
        _ if first.is_capital() => from + 1,
        _ => return None,
    };
    while words.get(end).is_some_and(|word| word.is_capital() && !word.after_comma && !is_actor(&word.lower))
    {
        end += 1;
    }
    (end <= words.len()).then_some(end)
}

/// Returns true if another verb follows that is said of them too.
fn goes_on(words: &[ClauseWord<'_>]) -> bool {
    let joined = |at: usize| is_coordinator(&words[at].lower) || words[at].after_comma;
    let acts = |at: usize| words[at..].iter().take(3).any(|word| is_verb(&word.lower));
    (0..words.len()).any(|at| joined(at) && acts(at))
}

/// One clause for each holder of a sentence that says that it holds of each; `always` of any that has several.
pub(super) fn apart(sentence: &str, always: bool) -> Option<Vec<Clause>> {
    let Holders { names, said, of_each } = holders(sentence)?;
    if !of_each && !always {
        return None;
    }
    let words = words(&said);
    let verb = words.iter().find(|word| is_verb(&word.lower))?;
    let one = of_one(&verb.lower)?;
    let said = format!("{}{one}{}", &said[..verb.span.start], &said[verb.span.end..]);
    let clause = |(number, name): (usize, &str)| {
        // "I" and "we" have forms of their own.
        (!is_actor(&name.to_lowercase())).then(|| Clause {
            joint: if number == 0 { String::new() } else { ", and".to_owned() },
            carried: None,
            subject: name.to_owned(),
            body: format!("{name} {}", said.trim_end()),
        })
    };
    names.into_iter().enumerate().map(clause).collect()
}
