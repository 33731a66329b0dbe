use lacuna_language::intent::{rule as intent_rule, words};
use lacuna_types::policy::IntentRule;
use lacuna_types::{Group, OrgId, Role, TeamId, UserId};

use super::*;

fn meaning(text: &str, tenant: &[IntentRule]) -> Understood {
    Understood::of(&matches(&words(text), tenant))
}

fn caller(teams: &[&str]) -> Caller {
    let caller = Caller::new(OrgId::new("acme").unwrap(), UserId::new("anna").unwrap(), vec![Role::User]);
    let team = |name: &&str| Group::Team(TeamId::new(name).unwrap());
    Caller { memberships: teams.iter().map(team).collect(), ..caller }
}

#[test]
fn first_person_we_the_company_and_the_docs_are_told_apart_in_four_languages() {
    let own = (Some(Lane::Profile), Some(IntentScope::Private));
    let team = (Some(Lane::Business), Some(IntentScope::Team));
    let org = (Some(Lane::Business), Some(IntentScope::Org));
    let docs = (Some(Lane::Documents), Some(IntentScope::Org));
    let cases = [
        ("What's my shoe size?", own),
        ("which tea do I prefer", own),
        ("Welche Allergien habe ich?", own),
        ("Wie heißt mein Zahnarzt?", own),
        ("Quel est mon plat préféré ?", own),
        ("Qu'est-ce que j'ai dit hier ?", own),
        ("¿Cuál es mi dirección?", own),
        ("¿Qué prefiero para desayunar?", own),
        ("What's our launch date?", team),
        ("What are we working on?", team),
        ("Woran arbeiten wir gerade?", team),
        ("Wann ist unser nächstes Treffen?", team),
        ("Quelle est notre échéance ?", team),
        ("¿Cuándo es nuestra próxima reunión?", team),
        ("What does my team plan?", team),
        ("What does the company sell?", org),
        ("Was verkauft die Firma?", org),
        ("Que vend l’entreprise ?", org),
        ("¿Qué vende nuestra empresa?", org),
        ("What's in the docs about refunds?", docs),
        ("Was steht im Handbuch über Urlaub?", docs),
        ("Que dit la documentation ?", docs),
        ("¿Qué dice la documentación?", docs),
        ("Tell me the parking rules", (None, None)),
        ("How is the weather in the US?", (None, None)),
        ("", (None, None)),
    ];
    for (text, expected) in cases {
        let understood = meaning(text, &[]);
        assert_eq!((understood.lane, understood.reach), expected, "{text}");
        assert!(!understood.ask && understood.because.is_empty() == expected.1.is_none(), "{text}");
    }
}

#[test]
fn what_is_ambiguous_means_the_most_restrictive_and_what_is_open_is_asked() {
    let mixed = meaning("What did I write about the company in the docs?", &[]);
    assert_eq!(
        (mixed.lane, mixed.reach, mixed.ask),
        (Some(Lane::Profile), Some(IntentScope::Private), false)
    );
    assert_eq!(mixed.because, ["i", "the company", "the docs"]);
    for text in ["What do you know about Lisbon?", "Was weißt du über Lissabon?", "¿Qué sabes de Lisboa?"]
    {
        let open = meaning(text, &[]);
        assert_eq!(
            (open.lane, open.reach, open.ask),
            (Some(Lane::Profile), Some(IntentScope::Private), true),
            "{text}"
        );
    }
    let narrowed = meaning("What do you know about our launch?", &[]);
    assert_eq!((narrowed.reach, narrowed.ask), (Some(IntentScope::Team), false));
}

#[test]
fn a_tenant_adds_phrases_changes_their_meaning_and_takes_them_out() {
    let rule = |phrase: &str, lane, reach| intent_rule(&[phrase], lane, reach, false).unwrap();
    let tenant = [
        rule("the Playbook", Some(Lane::Documents), Some(IntentScope::Team)),
        rule("the docs", Some(Lane::Business), None),
        rule("wir", None, None),
    ];
    assert_eq!(meaning("is it in the playbook?", &tenant).reach, Some(IntentScope::Team));
    let docs = meaning("is it in the docs?", &tenant);
    assert_eq!((docs.lane, docs.reach), (Some(Lane::Business), None));
    assert_eq!(meaning("was planen wir?", &tenant), Understood::default());

    let many: Vec<String> = (0..65).map(|n| format!("word{n}")).collect();
    for refused in [
        intent_rule::<&str>(&[], None, None, true),
        intent_rule(&["?!".to_owned()], None, None, true),
        intent_rule(&many, None, None, true),
        intent_rule(&["x".to_owned()], Some(Lane::Profile), None, true),
    ] {
        assert_eq!(refused.unwrap_err().code(), "invalid");
    }
}

#[test]
fn the_answer_says_where_else_to_look() {
    let asked = |teams: &[&str]| {
        let caller = caller(teams);
        permit::<Recall>(&caller, &caller.personal_scope()).unwrap()
    };
    let told = |text: &str, teams: &[&str], found_nothing| {
        let mut understood = meaning(text, &[]);
        understood.narrow();
        understood.broaden(&asked(teams), found_nothing);
        understood.broaden
    };
    assert_eq!(told("what is our plan?", &["desk"], false), ["ask with scope team:desk"]);
    assert!(told("what is my plan?", &["desk"], false).is_empty());
    assert_eq!(told("what is my plan?", &["desk"], true), ["leave intent off, to look in every lane"]);
    assert_eq!(told("the plan?", &["desk"], true), ["ask with scope team:desk", "ask with scope org"]);
    assert_eq!(told("what do you know about plans?", &[], false).len(), 1);
}
