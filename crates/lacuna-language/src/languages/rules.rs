//! The form that each language fills in: one struct with the words, phrases and patterns of the language.
//!
//! Lists are strings. Words are divided by spaces, phrases by commas in requests and by `|` elsewhere. Requests and
//! facts are folded before they are read, so their lists have no accents; the other lists are in lower case.

use super::Language;
use lacuna_types::{Sensitivity, SourceType, Tier};

/// Words divided by spaces, in lower case.
pub(crate) type Words = &'static str;
/// Phrases divided by commas, folded as requests are.
pub(crate) type Phrases = &'static str;
/// Phrases or parts of patterns divided by `|`.
pub(crate) type Choices = &'static str;

/// Everything that the rules know about one language.
pub(crate) struct LanguageRules {
    /// The language.
    pub language: Language,
    /// Words that say too little to search by, with the pieces that apostrophes leave behind. Frozen: stored terms
    /// leave them out.
    pub stop_words: Words,
    /// Requests to forget.
    pub request: RequestRules,
    /// Words of clauses.
    pub clause: ClauseWords,
    /// Phrases of intent.
    pub intent: IntentPhrases,
    /// Words that point to an earlier sentence.
    pub pointer: PointerRules,
    /// Sentences that state a fact.
    pub fact: FactRules,
    /// Nouns and small words of such sentences.
    pub noun: NounRules,
    /// Words for summaries and claims.
    pub condense: CondenseRules,
    /// Words around the names of people.
    pub people: PeopleWords,
    /// Words of topics.
    pub topic: TopicWords,
}

/// Requests to forget.
pub(crate) struct RequestRules {
    /// Politeness before a request.
    pub polite: Phrases,
    /// Politeness after a request.
    pub closing: Phrases,
    /// Verbs that ask to forget: before the object, and after it where the verb comes last.
    pub frames: &'static [(Phrases, Phrases)],
    /// Requests to remember.
    pub remembers: Phrases,
    /// Beginnings of questions.
    pub asks: Phrases,
    /// Words of doubt.
    pub doubts: Phrases,
    /// Exceptions that are kept: "but keep".
    pub keeps: Phrases,
    /// Exceptions that are left out: "except".
    pub excepts: Phrases,
    /// "but", which leaves something out only after a word for everything.
    pub but: Phrases,
    /// Negations that leave something out after a comma ("not Anna"), or turn a subject round ("isn't about work").
    pub not: Phrases,
    /// Several of the last things, which nobody can count.
    pub several: Phrases,
    /// Beginnings of a second request.
    pub again: Phrases,
    /// "and" between two requests or objects.
    pub and: Phrases,
    /// Words that narrow: "only".
    pub only: Phrases,
    /// Quantifiers around a subject that are not part of it.
    pub quantifiers: Phrases,
    /// Determiners around a subject.
    pub determiners: Phrases,
    /// Words for memories and information.
    pub records: Phrases,
    /// Relative pronouns after such a word.
    pub relatives: Phrases,
    /// "about" before a subject.
    pub abouts: Phrases,
    /// Speech verbs; a date beside one is when it was said.
    pub says: Phrases,
    /// Objects that are everything.
    pub everything: Phrases,
    /// Objects that are the last thing said.
    pub last_said: Phrases,
    /// Pronouns and other words that name nothing.
    pub nothing: Phrases,
    /// Words for a conversation.
    pub talk: Phrases,
    /// Words for several conversations.
    pub talks: Phrases,
    /// Words that may follow them.
    pub talk_tails: Phrases,
    /// Everyday names of a category: those that stand alone, and those that need "information" beside them.
    pub categories: &'static [(Sensitivity, Phrases, Phrases)],
    /// Names of the tiers of memory.
    pub tiers: &'static [(Tier, Phrases)],
    /// Names of the sources of memories.
    pub sources: &'static [(SourceType, Phrases)],
    /// Words before a tag.
    pub tagged: Phrases,
    /// Adjectives that belong to "information": "personal information" is no topic called "personal".
    pub bound: Phrases,
    /// Short words that are written together with the next one: "l'".
    pub elisions: Words,
    /// Words whose full stop ends no sentence.
    pub abbreviations: Words,
    /// Words for times.
    pub calendar: &'static Calendar,
}

/// A unit of time that people count in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeUnit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// A part of a day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DayPart {
    Morning,
    Afternoon,
    Evening,
    Night,
}

/// The meaning of a pattern of words for a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeMeaning {
    DaysAgo(i64),
    /// A date in figures: 2026-03-04, 4.3.2026, 2026-03.
    Figures,
    /// The last such weekday before today, or the one of this week.
    Weekday,
    ThisWeekday,
    WeekdayLastWeek,
    /// A day of a month, or several in a row; the latest that has come where no year is given.
    MonthDay,
    MonthDays,
    Month,
    LastMonth,
    Year,
    Quarter,
    LastUnit,
    ThisUnit,
    /// Up to now: "the last three days".
    Rolling,
    /// The day, week, month or year that lies so far back.
    Ago,
    PartToday,
    PartYesterday,
    PartWeekday,
    Weekend,
    /// Everything that lies further back than this.
    Older,
    Future,
    /// Bounded by nothing: "a few days ago".
    Loose,
}

/// Words for times. A pattern is words between spaces: `#day` and the like stand for a word of that kind, `?` before
/// a word says that it may be missing, `|` divides words of which one stands there.
pub(crate) struct Calendar {
    /// Weekdays, from Monday.
    pub days: [Phrases; 7],
    /// Months, from January.
    pub months: [Phrases; 12],
    /// Short forms of months that are read only beside a number: they are also names or other words.
    pub short_months: Words,
    /// From one.
    pub numbers: &'static [Phrases],
    /// Endings of a day of the month: 3rd, 1er.
    pub ordinals: Words,
    /// Units of time.
    pub units: &'static [(TimeUnit, Phrases)],
    /// Parts of the day.
    pub parts: &'static [(DayPart, Phrases)],
    /// Patterns of words for a time, with their meaning.
    pub patterns: &'static [(&'static str, TimeMeaning)],
    /// Words that make a time the end of a stretch: "before".
    pub before: Phrases,
    /// "after", which begins a stretch when the time is over.
    pub after: Phrases,
    /// "since", which begins a stretch with the time.
    pub since: Phrases,
    /// "until", which ends a stretch.
    pub until: Phrases,
    /// Words that lead a time wherever it stands: "from".
    pub from: Phrases,
    /// Words that lead a time only beside a word of saying: "on".
    pub on: Phrases,
    /// Words that make a time the beginning of one: "from 3 March on".
    pub onwards: Phrases,
    /// Openings of a question for a time: "when".
    pub asks_when: Phrases,
    /// Words that join the two ends of a range, with the words that lead it.
    pub ranges: &'static [(Phrases, Phrases)],
}

/// Words by which the parts of a sentence are told.
pub(crate) struct ClauseWords {
    /// Base forms of regular verbs.
    pub regular_verbs: Words,
    /// Function that makes the other forms of a regular verb.
    pub regular_forms: fn(&str) -> Vec<String>,
    /// Verb forms that no rule makes.
    pub verbs: Words,
    /// Irregular forms that may follow "to", and are said of the subject only where they stand alone.
    pub bare_verbs: Words,
    /// Auxiliary verbs.
    pub auxiliaries: Words,
    /// Verbs after which a bare verb is not said of the subject: "I want to move and work there".
    pub modals: Words,
    /// Pronouns that act.
    pub actors: Words,
    /// Words that begin a group of words around a noun.
    pub determiners: Words,
    /// Adverbs that may stand before a verb.
    pub adverbs: Words,
    /// Words after which follows no plain fact of its own: "if", "because".
    pub openers: Words,
    /// Words that mean nothing without the sentence before.
    pub pointers: Words,
    /// Pronouns of the third person.
    pub persons: Words,
    /// Possessives of the third person.
    pub persons_own: Words,
    /// Words that join two clauses: "and", "but".
    pub coordinators: Words,
    /// "or", which joins items and no clauses.
    pub alternatives: Words,
    /// Words that say a sentence of each of several: "both".
    pub each: Words,
    /// Function that makes the form of a verb for one from that for several; `None` where no rule makes it.
    pub of_one: fn(&str) -> Option<String>,
    /// Words that begin a remark about the noun before them.
    pub relatives: Words,
    /// Words that begin a reason or a circumstance at the end of a sentence.
    pub tails: Words,
    /// Prepositions.
    pub prepositions: Words,
    /// Words whose full stop ends no sentence.
    pub abbreviations: Words,
    /// "But" needs the clause that it contradicts; the joint that stands for it when that is gone does not.
    pub neutral_joints: &'static [(&'static str, &'static str)],
}

/// Phrases that say whose memories a question is about.
pub(crate) struct IntentPhrases {
    /// Phrases about the owner's own memories.
    pub own: Choices,
    /// Phrases about the memories of a group.
    pub shared: Choices,
    /// Phrases about the memories of the organisation.
    pub company: Choices,
    /// Phrases about documents.
    pub documents: Choices,
    /// Questions that leave it open.
    pub open: Choices,
}

/// Words that point to an earlier sentence, with the general word that stands for each once that is gone.
pub(crate) struct PointerRules {
    /// The words and the general word for each.
    pub words: &'static [(&'static str, Stand)],
    /// Endings after an apostrophe that are spelt out: "'re" is "are".
    pub contractions: &'static [(&'static str, &'static str)],
    /// Words that begin a remark about a noun at the start of a text: "the guest who returned". Unlike those of clauses, they may mean
    /// something else further on ("that", "der").
    pub relatives: Words,
}

/// The general word that stands for a pointer.
#[derive(Clone, Copy)]
pub(crate) enum Stand {
    /// The same wherever the pointer stands.
    Word(&'static str),
    /// `alone` before the listed words and at the end, `before` otherwise; "a" becomes "an" before a vowel.
    Alone { next: Words, alone: &'static str, before: &'static str },
    /// The pointer stays before the listed words: "there is" points nowhere.
    Unless { next: Words, word: &'static str },
    /// One or several, told apart by the verb that follows or by its ending.
    Number { verb: &'static str, ending: &'static str, several: &'static str, one: &'static str },
    /// Before a capital the pointer is an article, and nobody can tell.
    NotBeforeCapital(&'static str),
    /// Only a person can say.
    Unknown,
}

/// Sentences that state one attribute of somebody. Parts of patterns are regular expressions without accents.
pub(crate) struct FactRules {
    /// Pattern of the subject, for which `S` stands at the start of a pattern, together with `around`.
    pub subject: &'static str,
    /// Pattern of the words around the verb, which tell fact from wish, and now from then.
    pub around: &'static str,
    /// The first pattern that matches a clause reads it.
    pub patterns: &'static [FactPattern],
    /// "I prefer A over B": the two make the attribute, and the winner is its value.
    pub prefers: &'static [&'static str],
    /// "My X is Y", "Ana's X is Y", "the X has moved to Y".
    pub possessives: &'static [&'static str],
    /// Words before the subject.
    pub leads: Choices,
    /// Words of time that may follow a value.
    pub time_tails: Choices,
    /// Words at which a value ends.
    pub value_tails: Choices,
    /// Articles, which are no part of a value.
    pub articles: Words,
    /// Other small words that are no part of a value.
    pub small_words: Words,
    /// Words that lead a name: "called", "named".
    pub naming_words: Words,
    /// Words for the owner of a vault.
    pub owner: Choices,
    /// Words that stand in the place of a name and name nobody.
    pub nobody: Choices,
    /// Words that join two clauses.
    pub joints: Choices,
    /// Subjects that follow a joint.
    pub subjects_again: Choices,
    /// Verbs that follow a joint without a subject.
    pub verbs_again: Choices,
    /// Words that make a clause a condition.
    pub conditions: Choices,
    /// Words that make a clause hearsay.
    pub hearsay: Choices,
    /// Words around the verb that make a statement a plan or a guess.
    pub hedges: Choices,
    /// Words around the verb that make a statement past.
    pub past: Choices,
    /// Words around the verb that make a statement a change.
    pub changes: Choices,
    /// Words around the verb that deny a statement.
    pub negations: Choices,
    /// Words before a subject after which even a past verb holds until now: "since".
    pub lasting: Choices,
    /// Phrases that begin a second part of a sentence, which holds from a time that the first part names.
    pub since_then: Choices,
    /// Words of a sentence that change nothing about its claim, beside articles and adverbs: "do not", "any".
    pub light: Words,
    /// Phrases anywhere in a clause that make it a plan or a guess.
    pub hedging_phrases: Choices,
    /// Phrases anywhere in a clause that make it past.
    pub past_phrases: Choices,
    /// Verbs that are past in form only, since they tell of a change.
    pub moves: Choices,
    /// Endings of a clause that tell of a change.
    pub change_endings: Choices,
    /// Contractions and their full forms.
    pub contractions: &'static [(&'static str, &'static str)],
    /// Verbs around a pattern that an adjective needs to state something.
    pub copulas: Choices,
    /// Phrases anywhere in the clause that serve an adjective as such a verb.
    pub stating_phrases: Choices,
    /// Things that people have favourites of, with the English word for each.
    pub favourites: &'static [(&'static str, &'static str)],
}

/// Nouns that facts are about, and the words that count when two values are compared. Attributes have English names in
/// every language, so only English lists them.
pub(crate) struct NounRules {
    /// Attributes, by the number of values that they can have at a time.
    pub attributes: &'static [(Arity, Choices)],
    /// Attributes with the other words for them.
    pub synonyms: &'static [(&'static str, Choices)],
    /// Spellings that differ within the language, with the one that is kept.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Attributes whose value has a number in it.
    pub numbered: Choices,
    /// Attributes whose value is a name.
    pub proper: Choices,
    /// Relations of which a person has one, or speaks as if.
    pub unique_relations: Choices,
    /// Relations of which a person may have several.
    pub other_relations: Choices,
    /// Countries, states and continents, in which a city may lie.
    pub regions: Choices,
    /// Words after "live in", "work at" and "move to" that name no place and no employer.
    pub no_names: Choices,
    /// Small words that make no difference between two values.
    pub fillers: Words,
    /// Words between two values: "and", "or".
    pub joints: Words,
    /// Words for a day, beside the weekdays.
    pub days: Words,
    /// Words that make a number a time of day.
    pub clock: Words,
}

/// A sentence that is read, and the attribute that it states.
pub(crate) struct FactPattern {
    /// The attribute.
    pub attribute: Attribute,
    /// `s` is the subject, `m` the words around the verb, `v` the value, `f` the value before, `a` the attribute.
    pub source: &'static str,
    /// Number of values that the attribute can have at a time.
    pub arity: Arity,
    /// The sense that the verb adds.
    pub sense: Sense,
}

/// The attribute of a pattern.
pub(crate) enum Attribute {
    Named(&'static str),
    /// The group `a` names it.
    Group,
    /// The group `a` names a thing that people have a favourite of, or a number of.
    Favourite,
    Count,
}

/// The sense that the verb adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
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

/// Values that an attribute can have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    One,
    /// One as a rule, but two are possible, unless the sentence says that it takes the place of the other: an employer.
    Usual,
    /// One for each kind of value: a meeting has a day, a time and a place.
    OneOfKind,
    /// One of each kind, but there may be another such event, unless the sentence says that it was moved.
    Event,
    /// Nobody can tell without asking: a person may have two cars.
    Unsure,
    Many,
}

pub(crate) const RESIDENCE: &str = "residence";
pub(crate) const SWITCH: &str = "switch";

/// A pattern for an attribute with a name.
pub(super) const fn named(
    attribute: &'static str,
    arity: Arity,
    sense: Sense,
    source: &'static str,
) -> FactPattern {
    FactPattern { attribute: Attribute::Named(attribute), source, arity, sense }
}

/// Summaries and claims.
pub(crate) struct CondenseRules {
    /// Words that say how many, folded. An article that is also a number is none.
    pub numbers: Words,
    /// Words that say when, folded.
    pub times: Words,
    /// First words of a sentence that lean on another sentence.
    pub leaning: Words,
    /// First words of a value that lean on another sentence.
    pub leaning_values: Words,
    /// Regular expressions for a decision.
    pub decisions: Choices,
    /// Regular expressions for a habit.
    pub habits: Choices,
    /// Regular expressions for the opening of a turn that turns down the turn before.
    pub refusals: Choices,
    /// Regular expressions for words before something that is not wanted.
    pub negations: Choices,
    /// Words between something that is not wanted and what is wanted instead.
    pub contrasts: Choices,
    /// Regular expressions for a proposal.
    pub proposals: Choices,
}

/// Signs of who is meant by a name.
pub(crate) struct PeopleWords {
    /// Trades that stand beside a name: "John the plumber".
    pub roles: Words,
    /// Determiners before a role.
    pub determiners: Words,
    /// Forms of "to be" between a name and a role.
    pub copulas: Words,
    /// Words before the place that somebody is from.
    pub origins: Words,
    /// Words that end the name of a role.
    pub role_ends: Words,
    /// Words that close a remark about somebody.
    pub remark_ends: Words,
}

/// Topics of a request.
pub(crate) struct TopicWords {
    /// Words that are no topic.
    pub stop: Words,
    /// Words that say that something is kept, and nothing about what.
    pub general: Words,
    /// Words for who somebody is, beside a name.
    pub roles: Words,
    /// Words after which a sentence tells a circumstance, and no longer what it states.
    pub circumstances: Words,
    /// Words that join a remark about who is meant.
    pub remarks: Words,
    /// Verbs that make a statement of a name and the words after it, where those could be a remark.
    pub predicates: Words,
    /// Words that join a name to a topic.
    pub joints: Words,
    /// Kinds of things that are numbered: "Project Heron 2" is not "Project Heron".
    pub numbered: Words,
    /// Everyday things: their names, by which people ask about them, and the verbs and common words that speak of them.
    /// No brands and no other names: these have no end.
    pub things: &'static [(Thing, Words, Words)],
}

/// Everyday things that are said in many words. Their order is only in memory; nothing is stored by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Thing {
    Home,
    Work,
    Food,
    Marriage,
    Vehicle,
    Pet,
    Language,
    Programming,
    Allergy,
    Health,
    Medicine,
    Income,
    Payment,
    Subscription,
    Superior,
    Politics,
    Religion,
    Phone,
    Computer,
    Messages,
    Hobby,
    Education,
    Family,
    Housing,
    Drink,
    Smoking,
    Sleep,
    Fitness,
    Birth,
    Travel,
    Meeting,
    Arts,
    Colour,
    Password,
    Mail,
    Insurance,
    Bank,
    Debt,
}
