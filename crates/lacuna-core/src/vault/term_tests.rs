use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::vault::owner_settings::{ENTITY_RULES_MAX, EntityRule};
use crate::vault::term::{TermSubject, days};

fn start() -> Timestamp {
    "2026-03-01T08:00:00Z".parse().unwrap()
}

fn facets(tier: Tier, retention: RetentionTier, sensitivity: &[Sensitivity]) -> Facets {
    Facets {
        category: Category::Conversation,
        content_type: ContentType::Fact,
        tier,
        kind: PersonaKind::Semantic,
        lane: Lane::Profile,
        secondary_lanes: Vec::new(),
        tags: Vec::new(),
        entities: Vec::new(),
        source: Source::new(SourceType::UserMessage, Trust::High),
        derived_from: Vec::new(),
        privacy: Privacy {
            class: PrivacyClass::GuestPii,
            sensitivity: sensitivity.to_vec(),
            basis: ConsentBasis::ServiceDelivery,
        },
        retention: Retention { tier: retention, expires_at: None, pinned: false, kept_at: None },
        vitality: Vitality {
            salience: 0.5,
            valence: 0.0,
            decay: DecayProfile::default(),
            rehearsals: 0,
            rehearsed_at: start(),
            read_at: None,
            peaks: Vec::new(),
        },
        history: History::default(),
    }
}

fn person() -> Holder {
    Holder::User(UserId::new("anna").unwrap())
}

fn deployment() -> Holder {
    Holder::Deployment(DeploymentId::new("lobby").unwrap())
}

/// Returns the days until the owner is asked about a text and until it expires, and the ground.
fn kept(
    rules: &RetentionRules,
    settings: &Settings,
    holder: &Holder,
    facets: &Facets,
    text: &str,
) -> (Option<i64>, Option<i64>, Ground) {
    let id = MemoryId::derive(start(), &[]);
    let subject = TermSubject { id, created_at: start(), facets, gist: text, text: None };
    let term = Terms::new(rules, settings, holder).of(&subject);
    let count = |at: Option<Timestamp>| at.map(|at| at.duration_since(start()).as_hours() / 24);
    (count(term.asks_at), count(term.expires_at), term.ground)
}

fn by_default(
    tier: Tier,
    retention: RetentionTier,
    sensitivity: &[Sensitivity],
) -> (Option<i64>, Option<i64>) {
    let facets = facets(tier, retention, sensitivity);
    let (asks, goes, _) = kept(&RetentionRules::default(), &Settings::default(), &person(), &facets, "x");
    (asks, goes)
}

#[test]
fn the_defaults_are_those_of_the_specification() {
    use RetentionTier::*;
    use Sensitivity::*;
    let table = [
        (Tier::Semantic, Ephemeral, &[][..], None, Some(1)),
        (Tier::Episodic, ShortTerm, &[], None, Some(7)),
        (Tier::Episodic, MediumTerm, &[], Some(90), Some(120)),
        (Tier::Semantic, LongTerm, &[], None, None),
        (Tier::Episodic, LongTerm, &[], None, Some(365)),
        (Tier::Semantic, Sensitive, &[], Some(30), Some(60)),
        (Tier::Semantic, Sensitive, &[Health], Some(30), Some(60)),
        (Tier::Semantic, LongTerm, &[Financial], None, Some(30)),
        (Tier::Semantic, ShortTerm, &[Health], None, Some(7)),
        (Tier::Semantic, LongTerm, &[Relationships, Preferences], None, None),
    ];
    for (tier, retention, sensitivity, asks, goes) in table {
        assert_eq!(
            by_default(tier, retention, sensitivity),
            (asks, goes),
            "{tier} {retention} {sensitivity:?}"
        );
    }
}

#[test]
fn a_deployment_owes_its_guests_a_limit_that_nobody_lifts() {
    let rules = RetentionRules::default();
    let pinned = |class| {
        let mut facets = facets(Tier::Semantic, RetentionTier::LongTerm, &[]);
        facets.privacy.class = class;
        facets.retention.pinned = true;
        facets
    };
    let table = [
        (PrivacyClass::NonPii, None),
        (PrivacyClass::Aggregate, None),
        (PrivacyClass::GuestPii, Some(90)),
        (PrivacyClass::StaffPii, Some(365)),
        (PrivacyClass::SensitivePii, Some(30)),
        (PrivacyClass::CommercialConfidential, Some(1_095)),
    ];
    for (class, goes) in table {
        let (_, there, _) = kept(&rules, &Settings::default(), &deployment(), &pinned(class), "x");
        assert_eq!(there, goes, "{class}");
        let (_, here, ground) = kept(&rules, &Settings::default(), &person(), &pinned(class), "x");
        assert_eq!((here, ground), (None, Ground::Pin), "{class}");
    }
}

#[test]
fn sensitive_personal_data_is_looked_at_after_half_of_its_half_life() {
    let mut facets = facets(Tier::Semantic, RetentionTier::LongTerm, &[]);
    facets.privacy.class = PrivacyClass::SensitivePii;
    let rules = RetentionRules::default();
    let looks_at = |facets: &Facets| {
        let id = MemoryId::derive(start(), &[]);
        let subject = TermSubject { id, created_at: start(), facets, gist: "x", text: None };
        Terms::new(&rules, &Settings::default(), &person()).of(&subject).looks_at
    };
    assert_eq!(looks_at(&facets), Some(start() + days(7)));
    facets.vitality.decay.half_life_days = f32::INFINITY;
    assert!(looks_at(&facets).is_some());
    facets.privacy.class = PrivacyClass::GuestPii;
    assert_eq!(looks_at(&facets), None);
}

fn health_days(settings: &Settings) -> (Option<i64>, Option<i64>, Ground) {
    let facets = facets(Tier::Semantic, RetentionTier::Sensitive, &[Sensitivity::Health]);
    kept(&RetentionRules::default(), settings, &person(), &facets, "Mira sees the doctor.")
}

#[test]
fn what_an_owner_sets_is_an_order() {
    let category =
        |span| Settings { categories: [(Sensitivity::Health, span)].into(), ..Settings::default() };
    assert_eq!(health_days(&category(Span::Days(7))), (None, Some(7), Ground::Category));
    assert_eq!(health_days(&category(Span::Days(365))), (None, Some(365), Ground::Category));
    let shorter = Settings { max_days: Some(40), ..category(Span::Days(365)) };
    assert_eq!(health_days(&shorter), (None, Some(40), Ground::Maximum));
    let about = |name: &str, keep| {
        let entities = vec![EntityRule { name: name.into(), keep }];
        Settings { entities, max_days: Some(20), ..Settings::default() }
    };
    assert_eq!(health_days(&about("Mira", Span::Forever)), (None, None, Ground::Entity));
    assert_eq!(health_days(&about("Mira", Span::Days(3))), (None, Some(3), Ground::Entity));
    assert_eq!(health_days(&about("Mirabel", Span::Days(3))).1, Some(20));
    // Of two rules about people in one memory the strictest holds.
    let mut both = about("Mira", Span::Forever);
    both.entities.push(EntityRule { name: "doctor".into(), keep: Span::Days(3) });
    assert_eq!(health_days(&both).1, Some(3));
}

#[test]
fn an_expiry_that_was_given_replaces_the_default_and_not_the_most() {
    let given = |count: u32, tier, retention, sensitivity: &[Sensitivity]| {
        let mut facets = facets(tier, retention, sensitivity);
        facets.retention.expires_at = Some(start() + days(count));
        kept(&RetentionRules::default(), &Settings::default(), &person(), &facets, "x").1
    };
    assert_eq!(given(5, Tier::Semantic, RetentionTier::LongTerm, &[]), Some(5));
    assert_eq!(given(200, Tier::Episodic, RetentionTier::MediumTerm, &[]), Some(200));
    assert_eq!(given(900, Tier::Episodic, RetentionTier::LongTerm, &[]), Some(365));
    assert_eq!(given(900, Tier::Semantic, RetentionTier::Sensitive, &[Sensitivity::Health]), Some(365));
    assert_eq!(given(900, Tier::Semantic, RetentionTier::LongTerm, &[]), Some(900));
}

#[test]
fn an_end_has_a_reason_and_money_is_kept_longer_with_an_express_yes() {
    let mut facets = facets(Tier::Semantic, RetentionTier::Sensitive, &[Sensitivity::Financial]);
    let term = |facets: &Facets| {
        let id = MemoryId::derive(start(), &[]);
        let subject = TermSubject { id, created_at: start(), facets, gist: "x", text: None };
        Terms::new(&RetentionRules::default(), &Settings::default(), &person()).of(&subject)
    };
    assert_eq!(term(&facets).because(&facets), "financial");
    assert_eq!(term(&facets).expires_at, Some(start() + days(30)));
    facets.privacy.basis = ConsentBasis::ExplicitConsent;
    assert_eq!(term(&facets).expires_at, Some(start() + days(365)));
    facets.privacy.sensitivity = vec![Sensitivity::Health];
    assert_eq!(term(&facets).expires_at, Some(start() + days(60)), "consent is what lets it in");
    facets.privacy.sensitivity.clear();
    facets.retention.tier = RetentionTier::MediumTerm;
    assert_eq!(term(&facets).because(&facets), "medium_term");
}

#[test]
fn what_was_kept_begins_anew_and_silence_may_mean_keep() {
    let mut facets = facets(Tier::Semantic, RetentionTier::Sensitive, &[Sensitivity::Health]);
    facets.retention.kept_at = Some(start() + days(25));
    let rules = RetentionRules::default();
    assert_eq!(kept(&rules, &Settings::default(), &person(), &facets, "x").1, Some(85));
    let patient = RetentionRules { unanswered: Unanswered::Keep, ..rules };
    let (asks, goes, ground) = kept(&patient, &Settings::default(), &person(), &facets, "x");
    assert_eq!((asks, goes, ground), (Some(55), None, Ground::Category));
}

#[test]
fn settings_beyond_the_rules_are_refused() {
    let rules = RetentionRules::default();
    let bad = [
        Settings { max_days: Some(0), ..Settings::default() },
        Settings { max_days: Some(DAYS_MAX + 1), ..Settings::default() },
        Settings { categories: [(Sensitivity::Health, Span::Days(366))].into(), ..Settings::default() },
        Settings { categories: [(Sensitivity::Health, Span::Forever)].into(), ..Settings::default() },
        Settings { tiers: [(RetentionTier::ShortTerm, Span::Days(91))].into(), ..Settings::default() },
        Settings { tiers: [(RetentionTier::Ephemeral, Span::Days(8))].into(), ..Settings::default() },
        Settings {
            entities: vec![EntityRule { name: " ".into(), keep: Span::Forever }],
            ..Settings::default()
        },
        Settings {
            entities: (0..=ENTITY_RULES_MAX)
                .map(|n| EntityRule { name: format!("name {n}"), keep: Span::Forever })
                .collect(),
            ..Settings::default()
        },
    ];
    for settings in bad {
        assert_eq!(settings.check(&rules).unwrap_err().code(), "invalid", "{settings:?}");
    }
    let good = Settings {
        max_days: Some(365),
        categories: [(Sensitivity::Preferences, Span::Days(3)), (Sensitivity::Health, Span::Days(365))]
            .into(),
        ..Settings::default()
    };
    good.check(&rules).unwrap();
}

proptest! {
    /// More limits never keep anything longer, unless it is exempt.
    #[test]
    fn a_maximum_only_shortens(max in 1u32..2_000, tier in 0usize..5, kind in 0usize..8, episodic: bool) {
        let tier_of = if episodic { Tier::Episodic } else { Tier::Semantic };
        let facets = facets(tier_of, RetentionTier::ALL[tier], &[Sensitivity::ALL[kind]]);
        let rules = RetentionRules::default();
        let (_, without, _) = kept(&rules, &Settings::default(), &person(), &facets, "x");
        let limited = Settings { max_days: Some(max), ..Settings::default() };
        let (asks, with, _) = kept(&rules, &limited, &person(), &facets, "x");
        prop_assert!(with.unwrap() <= i64::from(max));
        prop_assert!(without.is_none_or(|without| with.unwrap() <= without));
        prop_assert!(asks.is_none_or(|asks| asks < with.unwrap()));
    }
}
