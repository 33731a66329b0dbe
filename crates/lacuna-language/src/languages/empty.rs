//! Rules without words: the parts that a language leaves out.

use super::Language;
use super::rules::*;

impl RequestRules {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        polite: "",
        closing: "",
        frames: &[],
        remembers: "",
        asks: "",
        doubts: "",
        keeps: "",
        excepts: "",
        but: "",
        not: "",
        several: "",
        again: "",
        and: "",
        only: "",
        quantifiers: "",
        determiners: "",
        records: "",
        relatives: "",
        abouts: "",
        says: "",
        everything: "",
        last_said: "",
        nothing: "",
        talk: "",
        talks: "",
        talk_tails: "",
        categories: &[],
        tiers: &[],
        sources: &[],
        tagged: "",
        bound: "",
        elisions: "",
        abbreviations: "",
        calendar: &NO_CALENDAR,
    };
}

impl ClauseWords {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        regular_verbs: "",
        regular_forms: |_| Vec::new(),
        verbs: "",
        bare_verbs: "",
        auxiliaries: "",
        modals: "",
        actors: "",
        determiners: "",
        adverbs: "",
        openers: "",
        pointers: "",
        persons: "",
        persons_own: "",
        coordinators: "",
        alternatives: "",
        each: "",
        of_one: |_| None,
        relatives: "",
        tails: "",
        prepositions: "",
        abbreviations: "",
        neutral_joints: &[],
    };
}

impl IntentPhrases {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self { own: "", shared: "", company: "", documents: "", open: "" };
}

impl PointerRules {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self { words: &[], contractions: &[], relatives: "" };
}

impl FactRules {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        subject: "",
        around: "",
        patterns: &[],
        prefers: &[],
        possessives: &[],
        leads: "",
        time_tails: "",
        value_tails: "",
        articles: "",
        small_words: "",
        naming_words: "",
        owner: "",
        nobody: "",
        joints: "",
        subjects_again: "",
        verbs_again: "",
        conditions: "",
        hearsay: "",
        hedges: "",
        past: "",
        changes: "",
        negations: "",
        lasting: "",
        since_then: "",
        light: "",
        hedging_phrases: "",
        past_phrases: "",
        moves: "",
        change_endings: "",
        contractions: &[],
        copulas: "",
        stating_phrases: "",
        favourites: &[],
    };
}

impl NounRules {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        attributes: &[],
        synonyms: &[],
        spellings: &[],
        numbered: "",
        proper: "",
        unique_relations: "",
        other_relations: "",
        regions: "",
        no_names: "",
        fillers: "",
        joints: "",
        days: "",
        clock: "",
    };
}

impl CondenseRules {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        numbers: "",
        times: "",
        leaning: "",
        leaning_values: "",
        decisions: "",
        habits: "",
        refusals: "",
        negations: "",
        contrasts: "",
        proposals: "",
    };
}

impl PeopleWords {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self =
        Self { roles: "", determiners: "", copulas: "", origins: "", role_ends: "", remark_ends: "" };
}

impl TopicWords {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        stop: "",
        general: "",
        roles: "",
        circumstances: "",
        remarks: "",
        predicates: "",
        joints: "",
        numbered: "",
        things: &[],
    };
}

static NO_CALENDAR: Calendar = Calendar {
    days: [""; 7],
    months: [""; 12],
    short_months: "",
    numbers: &[],
    ordinals: "",
    units: &[],
    parts: &[],
    patterns: &[],
    before: "",
    after: "",
    since: "",
    until: "",
    from: "",
    on: "",
    onwards: "",
    asks_when: "",
    ranges: &[],
};

impl LanguageRules {
    /// No words at all, for a language that fills in only some lists.
    pub(super) const EMPTY: Self = Self {
        language: Language::Other,
        stop_words: "",
        request: RequestRules::EMPTY,
        clause: ClauseWords::EMPTY,
        intent: IntentPhrases::EMPTY,
        pointer: PointerRules::EMPTY,
        fact: FactRules::EMPTY,
        noun: NounRules::EMPTY,
        condense: CondenseRules::EMPTY,
        people: PeopleWords::EMPTY,
        topic: TopicWords::EMPTY,
    };
}
