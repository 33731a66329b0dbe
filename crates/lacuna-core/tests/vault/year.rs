//! A year of somebody's memory, told by moving the clock: what is kept, asked about, swept and proved must be the
//! same every time, and the same as `golden/year.txt` says. `LACUNA_TEST_WRITE_GOLDEN=1` writes that file anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use jiff::SignedDuration;
use lacuna_core::govern::{Answer, Job, Part, Ran, Schedule};
use lacuna_core::permit::{Retain, Review};
use lacuna_core::vault::{EntityRule, Settings, Span};

use super::*;

const DAYS: i64 = 365;
const SEED: u64 = 20_260_412;
const SCHEDULE: Schedule = Schedule { epoch_days: None };

/// What somebody does on one day.
enum Act {
    Keep(Box<Draft>),
    /// A summary of two memories, by their numbers.
    Sum(&'static str, [usize; 2]),
    Pin(usize),
    Forget(usize),
    Set(Settings),
}

fn keep(draft: Draft) -> Act {
    Act::Keep(Box::new(draft))
}

fn turn(text: String) -> Act {
    let source = Source {
        session: Some(SessionId::new("ses_year").unwrap()),
        ..Source::new(SourceType::UserMessage, Trust::High)
    };
    keep(Draft { category: Some(Category::Conversation), source: Some(source), ..draft(&text) })
}

fn health(text: &str) -> Act {
    keep(Draft {
        sensitivity: vec![Sensitivity::Health],
        privacy_class: Some(PrivacyClass::GuestPii),
        consent_basis: Some(ConsentBasis::ServiceDelivery),
        ..draft(text)
    })
}

fn fact(text: &str, retention: Option<RetentionTier>) -> Act {
    keep(Draft { retention, salience: Some(0.8), ..draft(text) })
}

/// The recorded history: which day, and what.
fn history() -> Vec<(i64, Act)> {
    let places = ["harbour", "library", "market", "station", "garden", "bakery", "museum", "quarry"];
    let mut history = vec![
        (0, fact("My sister Mira lives in Tromsø.", None)),
        (0, fact("I prefer the early train.", None)),
        (1, health("I am allergic to hazelnuts.")),
        (2, health("The dentist filled two teeth.")),
        (3, Act::Pin(2)),
        (5, fact("The parcel code for today is on the fridge.", Some(RetentionTier::ShortTerm))),
        (40, health("I sprained my ankle while skiing.")),
        (60, fact("Project Heron meets in the blue room.", Some(RetentionTier::MediumTerm))),
        (75, Act::Sum("The ankle healed before the Heron meetings began.", [6, 7])),
        (100, health("The eye test was fine.")),
        (150, Act::Forget(1)),
        (200, fact("Mira borrowed the red canoe.", Some(RetentionTier::MediumTerm))),
        (230, health("I sleep badly in August.")),
        (300, fact("The spare key hangs behind the clock.", Some(RetentionTier::MediumTerm))),
    ];
    // Every eleventh day a remark in a conversation.
    history.extend(
        (0..DAYS).step_by(11).zip(places.iter().cycle()).map(|(day, place)| {
            (day, turn(format!("On day {day} we talked about the {place} for a while.")))
        }),
    );
    let settings = Settings {
        max_days: Some(300),
        categories: [(Sensitivity::Health, Span::Days(20))].into(),
        entities: vec![EntityRule { name: "Mira".into(), keep: Span::Forever }],
        ..Settings::default()
    };
    history.push((180, Act::Set(settings)));
    history.sort_by_key(|(day, _)| *day);
    history
}

/// What the owner answers to the review of each month; nothing where there is nothing.
fn answers() -> BTreeMap<u64, Answer> {
    BTreeMap::from([
        (1, Answer::KeepPart(Part::Category(Sensitivity::Health))),
        (4, Answer::KeepPart(Part::Conversations)),
        (6, Answer::ApplyDefaults),
        (8, Answer::ArchiveFaded),
        (10, Answer::ErasePart(Part::Conversations)),
    ])
}

/// One year as it is lived and told.
struct Year {
    world: World,
    lacuna: Lacuna,
    start: Timestamp,
    ids: Vec<MemoryId>,
    reviews: u64,
    receipts: u64,
    tale: String,
}

impl Year {
    fn new() -> Self {
        let world = World::ram();
        let (store, keys) = (world.store.clone(), world.keys.clone());
        let models = Models::only(static_model());
        let lacuna = world.service_seeded(store, keys, models, usize::MAX, Rulebook::default(), SEED);
        let start = world.clock.now();
        Self { world, lacuna, start, ids: Vec::new(), reviews: 0, receipts: 0, tale: String::new() }
    }

    fn tell(&mut self, what: &str) {
        let day = self.day_of(self.world.clock.now());
        writeln!(self.tale, "day {day:03}  {what}").unwrap();
    }

    fn day_of(&self, at: Timestamp) -> i64 {
        at.duration_since(self.start).as_hours() / 24
    }

    fn name(&self, id: MemoryId) -> String {
        let number = self.ids.iter().position(|known| *known == id);
        number.map_or_else(|| "#new".to_owned(), |number| format!("#{number}"))
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Keep(draft) => self.keep("keeps", *draft),
            Act::Sum(text, of) => {
                let link =
                    |number: usize| Lineage { source: self.ids[number], contribution: Contribution::Primary };
                let draft = Draft {
                    derived_from: of.iter().map(|number| link(*number)).collect(),
                    content_type: Some(ContentType::Summary),
                    retention: Some(RetentionTier::LongTerm),
                    consent_basis: Some(ConsentBasis::ServiceDelivery),
                    ..draft(text)
                };
                self.keep("sums up", draft);
            }
            Act::Pin(number) => {
                self.lacuna.pin(&grant("anna"), &[self.ids[number]], true).unwrap();
                self.tell(&format!("pins #{number}"));
            }
            Act::Forget(number) => {
                self.lacuna.delete(&grant("anna"), self.ids[number]).unwrap();
                self.tell(&format!("forgets #{number}"));
            }
            Act::Set(settings) => {
                let preview = self.lacuna.preview_retention(&grant::<Retain>("anna"), &settings).unwrap();
                let (goes, soon) = (preview.goes_now, preview.goes_soon);
                self.lacuna.set_retention(&grant("anna"), settings, goes).unwrap();
                self.tell(&format!("sets its own limits: {goes} go now, {soon} soon"));
            }
        }
    }

    fn keep(&mut self, verb: &str, draft: Draft) {
        let kept = self.lacuna.take("anna", draft).unwrap();
        self.ids.push(kept.id);
        let term = self.lacuna.term(&grant("anna"), kept.id).unwrap();
        let day = |at: Option<Timestamp>| at.map_or("never".to_owned(), |at| self.day_of(at).to_string());
        let (asks, goes) = (day(term.asks_at), day(term.expires_at));
        let number = self.ids.len() - 1;
        self.tell(&format!("{verb} #{number}: asks {asks}, goes {goes}, by {}", term.ground));
    }

    fn jobs(&mut self) {
        for job in [Job::Stamp, Job::Sweep, Job::Review] {
            let ran = self.lacuna.upkeep().run_job(job, "node-a", false, &SCHEDULE, &|| false).unwrap();
            let Ran::Done(done) = ran else { panic!("{job} did not run") };
            if done > 0 {
                self.tell(&format!("{job}: {done}"));
            }
            if job == Job::Review && done > 0 {
                self.review();
            }
        }
        self.tell_receipts();
    }

    fn review(&mut self) {
        self.reviews += 1;
        let month = self.lacuna.review_month(&grant::<Review>("anna")).unwrap();
        for one in &month.recommended {
            let goes = one.goes_at.map_or("never".to_owned(), |at| self.day_of(at).to_string());
            let (part, reason) = (one.part.as_str(), one.reason);
            self.tell(&format!("  asked: {part}, {reason}, {}, first goes {goes}", one.memories));
        }
        if let Some(answer) = answers().remove(&self.reviews) {
            let done = self.lacuna.answer_review(&grant("anna"), &month.mark, &answer).unwrap();
            let names = |ids: &[MemoryId]| ids.iter().map(|id| self.name(*id)).collect::<Vec<_>>().join(" ");
            let (kept, gone, aside) = (names(&done.kept), names(&done.erased), names(&done.archived));
            self.tell(&format!("  answers: keeps [{kept}], erases [{gone}], sets aside [{aside}]"));
        }
    }

    fn tell_receipts(&mut self) {
        for signed in self.lacuna.receipts(&grant::<ReadAudit>("anna"), self.receipts).unwrap() {
            let receipt = &signed.receipt;
            self.receipts = receipt.number;
            let clean = if receipt.is_clean() { "clean" } else { "traces left" };
            let keys = receipt.counts.keys_destroyed;
            self.tell(&format!("  {}: {}, {keys} keys, {clean}", receipt.reference(), receipt.cause));
        }
    }

    fn tell_states(&mut self) {
        let month = self.lacuna.review_month(&grant::<Review>("anna")).unwrap();
        let parts: Vec<_> =
            month.parts.iter().map(|part| format!("{} {}", part.part.as_str(), part.memories)).collect();
        self.tell(&format!("holds {}: {}", month.memories, parts.join(", ")));
    }

    fn tell_what_is_left(&mut self) {
        for number in 0..self.ids.len() {
            let found = self.lacuna.get(&grant::<Recall>("anna"), self.ids[number]);
            let Ok(memory) = found else { continue };
            let goes = memory.facets.retention.expires_at;
            let goes = goes.map_or("never".to_owned(), |at| self.day_of(at).to_string());
            self.tell(&format!("left: #{number}, {}, goes {goes}", memory.state));
        }
    }

    fn live(mut self) -> String {
        let mut history = history().into_iter().peekable();
        for day in 0..DAYS {
            while let Some((_, act)) = history.next_if(|(on, _)| *on == day) {
                self.act(act);
            }
            self.jobs();
            if day % 30 == 29 {
                self.tell_states();
            }
            self.world.clock.advance(SignedDuration::from_hours(24));
        }
        self.tell_what_is_left();
        self.lacuna.verified("anna");
        self.tale
    }
}

#[test]
fn a_year_goes_by_as_it_always_does() {
    let tale = Year::new().live();
    assert_eq!(tale, Year::new().live(), "the same history is told in the same way");
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vault/golden/year.txt");
    if std::env::var_os("LACUNA_TEST_WRITE_GOLDEN").is_some() {
        std::fs::write(&golden, &tale).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    for (number, (told, wanted)) in tale.lines().zip(expected.lines()).enumerate() {
        assert_eq!(told, wanted, "line {}", number + 1);
    }
    assert_eq!(tale.lines().count(), expected.lines().count());
}
