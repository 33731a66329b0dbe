//! The sentences that are read, as patterns, and the attributes that have one value at a time.

use Arity::{Many, One, OneOfKind, Unsure};
use Sense::{Became, Denied, Ended, Plain, Was};

use super::Arity;

/// What a pattern says its sentence is about.
pub(super) struct Pattern {
    pub attribute: About,
    /// `s` is the subject, `m` the words around the verb, `v` the value, `f` the value before, `a` the attribute.
    pub source: &'static str,
    pub arity: Arity,
    pub sense: Sense,
}

pub(super) enum About {
    Named(&'static str),
    /// The group `a` names it.
    Group,
}

/// What the verb adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Plain,
    /// It has become so: "moved to", "joined".
    Became,
    /// It is so no more: "left", "quit".
    Ended,
    /// It was so: "grew up in", "lived in".
    Was,
    /// The opposite: "hate" for likes.
    Denied,
}

pub(super) const SWITCH: &str = "switch";
pub(super) const RESIDENCE: &str = "residence";

/// Who: the owner, a relation of the owner's, or a name with a capital letter.
pub(super) const SUBJECT: &str = r"(?P<s>i|we|the user|user|my [a-z]+(?: (?-i:[A-Z])[\w'-]*)?|(?-i:[A-Z][a-z][\w-]*)(?: (?-i:[A-Z][a-z][\w-]*))?)";

/// Words that may stand between the subject and the verb; they tell fact from wish, and now from then.
pub(super) const AROUND: &str = r"(?P<m>(?:(?: |')(?:now|currently|still|actually|just|recently|also|already|finally|officially|have|has|had|am|is|are|was|were|be|been|s|not|no longer|never|do|does|did|will|would|might|may|could|should|must|used to|want|wants|like|hope|hopes|plan|plans|planning|intend|thinking|of|about|considering|going|to|really|always|mainly|mostly|probably|maybe|perhaps|possibly|previously|formerly|once|love|about|once|temporarily|happily|legally|permanently|again|both|recently|today|as of today))*)";

const fn named(attribute: &'static str, arity: Arity, sense: Sense, source: &'static str) -> Pattern {
    Pattern { attribute: About::Named(attribute), source, arity, sense }
}

/// `S` stands for the subject and the words around the verb. The first pattern that matches a clause reads it.
pub(super) const PATTERNS: &[Pattern] = &[
    named(RESIDENCE, One, Plain, r"S (?:live|lives|living|reside|resides|residing|based) in (?P<v>.+)"),
    named(RESIDENCE, One, Was, r"S (?:lived|resided|grew up|was born|was raised) in (?P<v>.+)"),
    named(
        RESIDENCE,
        One,
        Became,
        r"S (?:move|moved|moving|relocate|relocated|relocating) (?:back |over )?(?:from (?P<f>.+?) )?to (?P<v>(?-i:[A-Z]).+)",
    ),
    named("employer", One, Plain, r"S (?:work|works|working|employed) (?:at|for|by) (?P<v>.+)"),
    named("employer", One, Was, r"S worked (?:at|for) (?P<v>.+)"),
    named(
        "employer",
        One,
        Became,
        r"S (?:(?:got|took|started) (?:an? )?(?:new )?(?:job|role|position|work|working) (?:at|with)) (?P<v>(?-i:[A-Z]).+)",
    ),
    named("employer", Unsure, Became, r"S joined (?P<v>(?-i:[A-Z]).+)"),
    named(
        "employer",
        One,
        Ended,
        r"S (?:left|quit|resigned from|got fired from|stopped working (?:at|for)) (?:my job at |the job at )?(?P<v>(?-i:[A-Z]).+)",
    ),
    named("job", One, Plain, r"S (?:work|works|working|employed) as (?P<v>.+)"),
    named("job", One, Was, r"S worked as (?P<v>.+)"),
    named("job", One, Became, r"S (?:got promoted|promoted) to (?P<v>.+)"),
    named(
        "diet",
        One,
        Plain,
        r"S (?:become |became |went |turned |gone |going |eat |eats )?(?:an? )?(?:strict |mostly )?(?P<v>vegetarian|vegan|pescatarian|pescetarian|flexitarian|omnivore|omnivorous|carnivore)$",
    ),
    named(
        "marital status",
        One,
        Plain,
        r"S (?:get |got |getting )?(?P<v>single|married|divorced|widowed|engaged|separated)(?: to [a-z]+| with [a-z]+)?$",
    ),
    named("age", One, Plain, r"S (?:turned )?(?P<v>\d{1,3})(?: years? old)?$"),
    named("name", One, Plain, r"S (?:called|named|go by|goes by) (?P<v>(?-i:[A-Z]).+)"),
    named(
        "salary",
        One,
        Plain,
        r"S (?:earn|earns|earning|make|makes|making) (?:about |around )?(?P<v>(?:[$€£] ?\d[\d,.]*k?|\d[\d,.]*k? (?:dollars|euros|pounds|usd|eur|gbp))(?: (?:a|an|per) (?:year|month|hour|week))?|\d[\d,.]*k? (?:a|an|per) (?:year|month|hour|week))$",
    ),
    named("address", One, Plain, r"S (?:live|lives|living) at (?P<v>\d.+)"),
    named("car", Unsure, Plain, r"S (?:drive|drives|driving) (?:an? )?(?P<v>(?-i:[A-Z]).+)"),
    named("school", Unsure, Plain, r"S (?:study|studies|studying|go to school|goes to school) at (?P<v>.+)"),
    named("language", Many, Plain, r"S (?:speak|speaks) (?P<v>.+)"),
    named("allergy", Many, Plain, r"S allergic to (?P<v>.+)"),
    named("likes", Many, Plain, r"S (?:like|likes|love|loves|enjoy|enjoys|adore|adores) (?P<v>.+)"),
    named("likes", Many, Denied, r"S (?:hate|hates|dislike|dislikes|detest|detests|cannot stand) (?P<v>.+)"),
    named("likes", Many, Ended, r"S (?:stopped|quit|gave up) (?:liking|enjoying) (?P<v>.+)"),
    named("meeting", OneOfKind, Plain, r"S (?:meet|meets|meeting) (?:up )?(?:every|on|at|each|in) (?P<v>.+)"),
    named(
        SWITCH,
        One,
        Became,
        r"S (?:switched|switch|changed|migrated|converted|moved) (?:[a-z ]+ )?from (?P<f>.+?) to (?P<v>.+)",
    ),
    Pattern {
        attribute: About::Group,
        arity: Unsure,
        sense: Plain,
        source: r"S (?:have|has|got) (?P<v>one|two|three|four|five|six|no|an?|\d+) (?P<a>kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|siblings?|brothers?|sisters?|cars?|bikes?)$",
    },
    Pattern {
        attribute: About::Group,
        arity: Unsure,
        sense: Plain,
        source: r"S (?:use|uses|using) (?P<v>.+?) (?:as|for) (?:my |the |our |his |her |their )?(?P<a>.+)",
    },
    Pattern {
        attribute: About::Group,
        arity: One,
        sense: Plain,
        source: r"(?P<v>.+?) (?P<m>(?:is|are|was|were)(?: now| not| no longer| still)*) (?P<s>my|our|the user's|(?-i:[A-Z])[\w-]+'s) (?:new |all-time |absolute )?(?P<a>favou?rite .+)",
    },
    // Deutsch
    named(
        RESIDENCE,
        One,
        Plain,
        r"(?P<s>ich|wir) (?:wohne|wohnen|lebe|leben)(?P<m>(?: (?:jetzt|nun|inzwischen|derzeit|aktuell|vielleicht|nicht mehr|nicht|noch|seit [a-z0-9]+))*) in (?P<v>.+)",
    ),
    named(
        RESIDENCE,
        One,
        Became,
        r"(?P<s>ich|wir) (?:bin|sind)(?P<m>(?: (?:jetzt|nun|vor kurzem|kurzlich|gerade|letzten? [a-z]+))*) nach (?P<v>.+?) (?:gezogen|umgezogen)",
    ),
    named(
        "employer",
        One,
        Plain,
        r"(?P<s>ich) arbeite(?P<m>(?: (?:jetzt|nun|inzwischen|derzeit|aktuell|vielleicht|nicht mehr|nicht|noch))*) (?:bei|fur) (?P<v>.+)",
    ),
    named(
        "job",
        One,
        Plain,
        r"(?P<s>ich) arbeite(?P<m>(?: (?:jetzt|nun|inzwischen|derzeit|nicht mehr|nicht|noch))*) als (?P<v>.+)",
    ),
    named("name", One, Plain, r"(?P<s>ich) heisse(?P<m>(?: (?:jetzt|nun|nicht))*) (?P<v>.+)"),
    named("name", One, Plain, r"(?P<s>mein) name ist(?P<m>(?: (?:jetzt|nun|nicht))*) (?P<v>.+)"),
    Pattern {
        attribute: About::Group,
        arity: One,
        sense: Plain,
        source: r"(?P<s>meine?|unsere?) lieblings(?P<a>[a-z]+) (?P<m>(?:ist|sind|war)(?: jetzt| nun| nicht mehr| nicht)*) (?P<v>.+)",
    },
    // Français
    named(
        RESIDENCE,
        One,
        Plain,
        r"(?P<s>j'habite|je vis|nous habitons)(?P<m>(?: (?:maintenant|desormais|actuellement|toujours))*) (?:a|en|au|aux|dans) (?P<v>.+)",
    ),
    named(RESIDENCE, One, Ended, r"(?P<s>je) (?:n'habite|ne vis)(?P<m>) plus (?:a|en|au|aux) (?P<v>.+)"),
    named(RESIDENCE, One, Became, r"(?P<s>j'ai|nous avons)(?P<m>) demenage (?:a|en|au|aux) (?P<v>.+)"),
    named(
        "employer",
        One,
        Plain,
        r"(?P<s>je) travaille(?P<m>(?: (?:maintenant|desormais|actuellement))*) (?:chez|pour) (?P<v>.+)",
    ),
    named(
        "job",
        One,
        Plain,
        r"(?P<s>je) travaille(?P<m>(?: (?:maintenant|desormais|actuellement))*) comme (?P<v>.+)",
    ),
    named("name", One, Plain, r"(?P<s>je) m'appelle(?P<m>(?: maintenant)?) (?P<v>.+)"),
    Pattern {
        attribute: About::Group,
        arity: One,
        sense: Plain,
        source: r"(?P<s>mon|ma) (?P<a>[a-z]+) preferee? (?P<m>(?:est|sont|etait)(?: maintenant| desormais)*) (?P<v>.+)",
    },
    // Español
    named(
        RESIDENCE,
        One,
        Plain,
        r"(?:yo )?(?P<s>vivo|vivimos)(?P<m>(?: (?:ahora|actualmente|todavia))*) en (?P<v>.+)",
    ),
    named(RESIDENCE, One, Ended, r"(?:yo )?ya no (?P<s>vivo)(?P<m>) en (?P<v>.+)"),
    named(RESIDENCE, One, Became, r"(?P<s>me|nos)(?P<m>) (?:mude|he mudado|mudamos) a (?P<v>.+)"),
    named(
        "employer",
        One,
        Plain,
        r"(?:yo )?(?P<s>trabajo)(?P<m>(?: (?:ahora|actualmente))*) (?:en|para) (?P<v>.+)",
    ),
    named("job", One, Plain, r"(?:yo )?(?P<s>trabajo)(?P<m>(?: (?:ahora|actualmente))*) como (?P<v>.+)"),
    named("name", One, Plain, r"(?P<s>me) llamo(?P<m>(?: ahora)?) (?P<v>.+)"),
    Pattern {
        attribute: About::Group,
        arity: One,
        sense: Plain,
        source: r"(?P<s>mi) (?P<a>[a-z]+) (?:favorit[oa]|preferid[oa]) (?P<m>(?:es|son|era)(?: ahora)*) (?P<v>.+)",
    },
];

/// "I prefer A over B": the two make the attribute, and the winner is its value.
pub(super) const PREFERS: &str =
    r"S (?:prefer|prefers) (?P<v>.+?) (?:over|to|rather than|instead of) (?P<f>.+)";

/// "My X is Y", "Ana's X is Y", "the X has moved to Y".
pub(super) const POSSESSIVE: &str = concat!(
    r"(?P<s>my [a-z]+ (?-i:[A-Z])[\w-]*'s|my [a-z]+'s|my|our|the user's|user's|users|the|(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?'s) ",
    r"(?:new |current )?(?P<a>[a-z][a-z0-9 '-]*?)",
    r"(?P<m>(?: (?:is|are|was|were|has|have|been|be|now|currently|still|actually|not|no longer|will|would|might|may be|could|should|used to|changed|moved|switched|rescheduled|postponed|set|scheduled|probably|maybe|always))+)",
    r"(?: (?:to|at|on|in|for|due|by|from))* (?P<v>.+)",
);
