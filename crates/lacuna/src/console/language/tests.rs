use std::collections::BTreeSet;

use axum::http::HeaderValue;
use axum::http::header::COOKIE;
use lacuna_core::audit::AuditAction;
use lacuna_core::govern::{Job, Reason};
use lacuna_core::vault::{Cause, Ground, Named, ProbePath};
use lacuna_types::request::{Mode, Reason as MatchReason};
use lacuna_types::{
    Category, ConsentBasis, ConsentTopic, Lifecycle, PrivacyClass, RetentionTier, Role, Sensitivity,
    SourceType, Tier, Wait,
};

use super::*;

/// Every value of every closed set that a page shows.
fn shown() -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    macro_rules! set {
        ($($name:literal $type:ident),+) => {$(
            all.extend($type::ALL.iter().map(|value| ($name, value.as_str())));
        )+};
    }
    set!(
        "category" Category, "consent" ConsentTopic, "sensitivity" Sensitivity, "source" SourceType, "tier" Tier, "state" Lifecycle,
        "waits" Wait, "privacy" PrivacyClass, "basis" ConsentBasis, "retention" RetentionTier, "role" Role,
        "ground" Ground, "probe" ProbePath, "cause" Cause, "target" Named, "mode" Mode, "match" MatchReason,
        "review" Reason, "action" AuditAction, "job" Job
    );
    all
}

#[test]
fn every_value_that_a_page_shows_has_words_in_every_language() {
    for (language, words) in
        [(PageLanguage::English, en::words::WORDS), (PageLanguage::German, de::words::WORDS)]
    {
        let there: BTreeSet<_> = words.iter().map(|(set, value, _)| (*set, *value)).collect();
        assert_eq!(there.len(), words.len(), "{language:?} has a value twice");
        let missing: Vec<_> = shown().into_iter().filter(|value| !there.contains(value)).collect();
        assert!(missing.is_empty(), "{language:?} lacks {missing:?}");
    }
}

#[test]
fn the_languages_have_the_same_gaps_and_plurals_and_no_text_is_empty_or_left_over() {
    let (english, german) = (en::TEXTS.each(), de::TEXTS.each());
    for ((name, english), (_, german)) in english.iter().zip(&german) {
        for sign in ["{}", "|"] {
            assert_eq!(english.matches(sign).count(), german.matches(sign).count(), "{name}: {sign}");
        }
        assert!(!english.is_empty() && !german.is_empty(), "{name}");
    }
    let same = english.iter().zip(&german).filter(|(english, german)| english.1 == german.1);
    let same: Vec<_> = same.map(|(english, _)| english.0).collect();
    assert!(same.len() < english.len() / 20, "not translated: {same:?}");
}

#[test]
fn numbers_and_dates_are_in_the_readers_manner() {
    let at: Timestamp = "2026-03-05T07:08:09Z".parse().unwrap();
    assert_eq!(PageLanguage::English.number(1_234_567), "1,234,567");
    assert_eq!(PageLanguage::German.number(50_000), "50.000");
    assert_eq!(PageLanguage::English.number(999), "999");
    assert_eq!(PageLanguage::English.plain_day(at), "5 March 2026");
    assert_eq!(PageLanguage::German.plain_day(at), "5. März 2026");
    assert_eq!(PageLanguage::German.plain_moment(at), "5. März 2026, 07:08 UTC");
    assert_eq!(PageLanguage::English.counted(1, "memory|memories"), "1 memory");
    assert_eq!(PageLanguage::English.counted(0, "memory|memories"), "0 memories");
    assert_eq!(PageLanguage::German.percent(0.876), "88 %");
    assert_eq!(filled("{} of {}", &["1", "2"]), "1 of 2");
}

#[test]
fn the_readers_choice_comes_before_the_browsers_languages() {
    let mut headers = HeaderMap::new();
    assert_eq!(PageLanguage::of(&headers), PageLanguage::English);
    headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("fr, de-AT;q=0.8, en;q=0.5"));
    assert_eq!(PageLanguage::of(&headers), PageLanguage::German);
    headers.insert(COOKIE, HeaderValue::from_static("lacuna_language=en"));
    assert_eq!(PageLanguage::of(&headers), PageLanguage::English);
    headers.insert(COOKIE, HeaderValue::from_static("lacuna_language=<script>"));
    assert_eq!(PageLanguage::of(&headers), PageLanguage::German);
}
