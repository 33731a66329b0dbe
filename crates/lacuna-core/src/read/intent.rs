//! Intent: which lane and which scope the words of a question mean.
//!
//! A table of phrases, in four languages, that a tenant's policy can change. It narrows the lanes of the vault
//! that was asked, and only where the caller wants that; to another scope it points, and goes there only for a
//! caller who left the choice to it. Where the words mean several things, the most restrictive counts.

use lacuna_language::intent::{Matched, matches, words};
use lacuna_types::policy::IntentScope;
use lacuna_types::{Holder, Lane, Scope};

use crate::permit::{Caller, Grant, Recall, permit};
use crate::vault::service::Service;

/// The interpretation of a question's words.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Understood {
    /// The lane that the words point to.
    pub lane: Option<Lane>,
    /// The breadth of the question.
    pub reach: Option<IntentScope>,
    /// True when the words are ambiguous, so that an assistant should ask back.
    pub ask: bool,
    /// The phrases that it follows from, as the table spells them; none when no rule spoke.
    pub because: Vec<String>,
    /// True when the lanes were narrowed by it.
    pub narrowed: bool,
    /// Suggestions to ask next, or to look further.
    pub broaden: Vec<String>,
}

impl Understood {
    fn of(matched: &[Matched<'_>]) -> Self {
        let because = matched.iter().map(|matched| matched.phrase.join(" ")).collect();
        // The narrowest scope counts, and of equals the first; its lane goes with it.
        let meant = matched.iter().filter(|matched| !matched.rule.asks()).map(|matched| matched.rule);
        let narrowest = meant.min_by_key(|rule| (rule.scope().is_none(), rule.scope()));
        let ask = narrowest.is_none() && !matched.is_empty();
        let most_restrictive = ask.then_some((Some(Lane::Profile), Some(IntentScope::Private)));
        let (lane, reach) =
            narrowest.map(|rule| (rule.lane(), rule.scope())).or(most_restrictive).unwrap_or_default();
        Self { lane, reach, ask, because, ..Self::default() }
    }

    /// The lane to look in, which from now on counts as narrowed.
    pub(crate) fn narrow(&mut self) -> Option<Lane> {
        self.narrowed = self.lane.is_some();
        self.lane
    }

    /// Says how to look further: always where the words point elsewhere, else when nothing was found.
    pub(crate) fn broaden(&mut self, asked: &Grant<Recall>, found_nothing: bool) {
        let caller = asked.caller();
        let elsewhere = self.reach.is_some_and(|reach| !is_within(&asked.scope().holder, reach));
        if elsewhere && let Some(reach) = self.reach {
            self.broaden.extend(scopes_of(caller, reach).iter().map(|scope| suggestion(&scope.holder)));
        }
        if self.ask {
            self.broaden.push("ask what is meant: their own, their team's or the organisation's".to_owned());
        }
        if found_nothing && self.narrowed {
            self.broaden.push("leave intent off, to look in every lane".to_owned());
        }
        if found_nothing && self.broaden.is_empty() {
            let others = caller.readable_scopes().into_iter().filter(|scope| scope != asked.scope());
            self.broaden.extend(others.map(|scope| suggestion(&scope.holder)));
        }
    }
}

fn suggestion(holder: &Holder) -> String {
    format!("ask with scope {holder}")
}

fn is_within(holder: &Holder, reach: IntentScope) -> bool {
    match holder {
        Holder::User(_) => reach == IntentScope::Private,
        Holder::Team(_) | Holder::Deployment(_) => reach == IntentScope::Team,
        Holder::Org => reach == IntentScope::Org,
    }
}

/// The vaults of this reach that the caller may read.
fn scopes_of(caller: &Caller, reach: IntentScope) -> Vec<Scope> {
    let readable = caller.readable_scopes().into_iter();
    // A deployment is an assistant's own memory: nobody means it by "we".
    let meant =
        |scope: &Scope| is_within(&scope.holder, reach) && !matches!(scope.holder, Holder::Deployment(_));
    readable.filter(meant).collect()
}

/// Interprets the words of a question under the caller's policy.
pub(crate) fn understand(service: &Service, caller: &Caller, text: &str) -> Understood {
    Understood::of(&matches(&words(text), &service.policy(&caller.org).intents))
}

/// The one vault that the words mean, if the caller may read it. Otherwise their own, and why.
pub(crate) fn meant_scope(service: &Service, caller: &Caller, text: &str) -> (Scope, Option<String>) {
    let own = caller.personal_scope();
    let reach = understand(service, caller, text).reach.unwrap_or(IntentScope::Private);
    let mut meant = scopes_of(caller, reach);
    meant.retain(|scope| permit::<Recall>(caller, scope).is_ok());
    match (meant.len(), reach) {
        (_, IntentScope::Private) => (own, None),
        (1, _) => (meant.remove(0), None),
        (0, IntentScope::Team) => {
            (own, Some("the words mean a team, and the caller belongs to none".to_owned()))
        }
        (0, _) => (own, Some("the words mean the organisation, which the caller may not read".to_owned())),
        _ => {
            let names: Vec<String> = meant.iter().map(|scope| scope.holder.to_string()).collect();
            (own, Some(format!("the words mean a team; say which: {}", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests;
