//! The words around a verb: whether it is so, was so, may be so, is not so, or has become so.

use super::Mood;
use super::nouns::listed;

const HEDGES: &str = "might|may|maybe|perhaps|possibly|probably|would|could|should|want|wants|hope|hopes|plan|plans|\
    planning|intend|thinking|considering|going|will|think|if|when|temporarily|vielleicht|must|like";
const PAST: &str = "was|were|used|had|did|previously|formerly|once|past|war|etait|era|fruher|avant|antes";
const CHANGE: &str = "now|longer|changed|moved|switched|rescheduled|postponed|finally|recently|jetzt|nun|inzwischen|mehr|\
    maintenant|desormais|ahora|correction|update|officially";
const NEGATION: &str = "not|never|no|nicht";

/// Phrases anywhere in a clause that make it a plan, a guess, or one of several.
const HEDGING_PHRASES: &str = " am moving| is moving| are moving| am relocating|temporarily|for the summer| might |\
    next year|next month|if i |not sure|i guess|someday|one day|at least|only on|only for| also |part-time|part time|\
    sometimes|weekends|occasionally| as well|second job|freelance|during |half the year|on the side";
const PAST_PHRASES: &str =
    " until | years ago| back then| as a child| as a kid| in my youth| when i was |bis vor|ehemalig";
/// Past in form only: "the meeting was moved to Friday".
const MOVES: &str = " moved to| changed to| rescheduled| postponed| promoted to| switched";

pub(super) fn mood(around: &[&str], clause: &str) -> Mood {
    let clause = clause.to_lowercase();
    if says(around, HEDGES) || holds(&clause, HEDGING_PHRASES) {
        return Mood::Hedged;
    }
    let past_verb = says(around, PAST) && !says(around, "been") && !holds(&clause, MOVES);
    if past_verb || holds(&clause, PAST_PHRASES) { Mood::Past } else { Mood::Fact }
}

pub(super) fn is_negated(around: &[&str]) -> bool {
    says(around, NEGATION)
}

pub(super) fn is_changed(around: &[&str], clause: &str) -> bool {
    let clause = clause.to_lowercase();
    let at_the_end = ["anymore", "any more", " now", "these days", "nowadays"];
    says(around, CHANGE) || at_the_end.iter().any(|words| clause.ends_with(words))
}

fn says(around: &[&str], list: &str) -> bool {
    around.iter().any(|word| listed(list, &word.to_lowercase()))
}

fn holds(clause: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| clause.contains(phrase))
}
