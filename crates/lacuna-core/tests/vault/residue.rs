//! Random histories, then forgets: afterwards no way leads to what was forgotten, and everybody else is there.
//!
//! Every fact bears a made-up word of its own. What is made of facts bears the words of its sources, three
//! generations deep, and compaction makes summaries of them on its own. Beside them are people who are also called by their
//! first name alone, numbers under which the owner is reached, texts in two languages, the same text twice, and working
//! memory. 50 histories by default, 2,000 with `LACUNA_LONG=1`, another number with `LACUNA_HISTORIES`, from the one that
//! `LACUNA_FIRST_HISTORY` names on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Confirmed, Plan, Planned, Request};
use lacuna_core::keep::CompactRequest;
use lacuna_core::permit::{Export, Forget, ReadAudit, Recall};
use lacuna_core::read::Turn;
use lacuna_core::transfer::{Format, Wanted};
use lacuna_core::vault::ProbePath;
use lacuna_store::rows::FaultTiming;
use lacuna_types::request::{PlanChoice, Target};
use lacuna_types::*;

use super::*;
use crate::tamper::Dice;

const HISTORIES: usize = 50;
const LONG_HISTORIES: usize = 2_000;
const STEPS: usize = 24;
/// Words that a made-up word is put together from.
const SYLLABLES: &[&str] = &["ka", "lo", "mi", "ru", "ze", "po", "ti", "va", "ne", "du", "so", "ji"];
const PLACES: &[&str] = &["the harbour", "the mill", "the orchard", "the old bridge", "the tram depot"];
const TAGS: &[&str] = &["north", "south", "east"];

/// The kind of thing that a memory tells of, by which it is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Thing,
    Person,
    Number,
    /// Another memory says the same, word for word.
    Twin,
}

/// What the history knows about a memory that should be there.
struct Known {
    kind: Kind,
    /// The made-up words that it bears.
    words: Vec<String>,
    tag: &'static str,
    session: u32,
    /// What it was made of; a consolidated memory has several sources.
    sources: Vec<MemoryId>,
    depth: usize,
}

struct History<'w> {
    world: &'w World,
    service: Lacuna,
    dice: Dice,
    alive: BTreeMap<MemoryId, Known>,
    /// Words that must never come up again.
    gone: Vec<String>,
    made: usize,
    /// How many summaries compaction made.
    summaries: usize,
    /// Words that only the working memory of a session bears.
    working: Vec<String>,
    /// Number of requests that were carried out, by their kind.
    asked: BTreeMap<&'static str, usize>,
}

impl<'w> History<'w> {
    fn new(world: &'w World, seed: u64) -> Self {
        let dice = Dice::new(seed);
        let service = world.service();
        Self {
            world,
            service,
            dice,
            alive: BTreeMap::new(),
            gone: Vec::new(),
            made: 0,
            summaries: 0,
            working: Vec::new(),
            asked: BTreeMap::new(),
        }
    }

    fn step(&mut self) {
        match self.dice.below(19) {
            0..=3 => self.remember(),
            4 | 5 => self.derive(),
            6 => self.restart(),
            7 => self.export_holds_no_forgotten_word(),
            8 => self.crash_in_a_forget(),
            9 => self.compact(),
            10 => self.meet(),
            11 => self.give_number(),
            12 => self.say_twice(),
            13 => self.hold_in_mind(),
            14 => self.forget_a_person(),
            15 => self.forget_the_numbers(),
            16 => self.forget_one_of_two(),
            17 => self.forget_from_mind(),
            _ => self.forget(),
        }
    }

    /// A word that nobody has said before, and that is no part of another one.
    fn word(&mut self) -> String {
        self.made += 1;
        let mut word: String = (0..3).map(|_| SYLLABLES[self.dice.below(SYLLABLES.len())]).collect();
        word.push_str(&format!("x{:03}", self.made));
        word
    }

    fn remember(&mut self) {
        let word = self.word();
        let (place, tag) = (PLACES[self.dice.below(PLACES.len())], TAGS[self.dice.below(TAGS.len())]);
        let session = u32::try_from(self.dice.below(4)).unwrap();
        let turn = u32::try_from(self.made).unwrap();
        let text = match self.dice.below(3) {
            0 => format!("Der {word} steht neben der alten Brücke."),
            _ => format!("The {word} stands beside {place}."),
        };
        let draft = Draft {
            text: text.into(),
            tags: vec![tag.to_owned()],
            category: Some(Category::Conversation),
            source: Some(Source {
                session: Some(SessionId::new(&format!("ses_{session}")).unwrap()),
                turn: Some(turn),
                ..Source::new(SourceType::UserMessage, Trust::High)
            }),
            ..Draft::default()
        };
        let id = self.service.take("anna", draft).unwrap().id;
        self.know(id, Kind::Thing, vec![word], tag, session);
    }

    fn know(&mut self, id: MemoryId, kind: Kind, words: Vec<String>, tag: &'static str, session: u32) {
        self.alive.insert(id, Known { kind, words, tag, session, sources: Vec::new(), depth: 0 });
    }

    /// A name that nobody else bears, as a word with a capital.
    fn name(&mut self) -> String {
        self.made += 1;
        let digits = [self.made / 144, self.made / 12 % 12, self.made % 12];
        let name: String = digits.iter().map(|digit| SYLLABLES[digit % SYLLABLES.len()]).collect();
        format!("{}{}n", name[..1].to_uppercase(), &name[1..])
    }

    /// A turn of a session of its own, so that no request for another session takes it.
    fn said(&mut self, text: &str) -> MemoryId {
        self.made += 1;
        let source = Source {
            session: Some(SessionId::new("ses_apart").unwrap()),
            turn: Some(u32::try_from(self.made).unwrap()),
            ..Source::new(SourceType::UserMessage, Trust::High)
        };
        let draft = Draft { source: Some(source), category: Some(Category::Conversation), ..draft(text) };
        self.service.take("anna", draft).unwrap().id
    }

    /// Somebody is named in full, and later by the first name alone.
    fn meet(&mut self) {
        let (first, last) = (self.name(), self.name());
        let full = self.said(&format!("{first} {last} repairs clocks."));
        self.know(full, Kind::Person, vec![first.clone(), last], "", u32::MAX);
        let short = self.said(&format!("{first} came late on Sunday."));
        self.know(short, Kind::Person, vec![first], "", u32::MAX);
    }

    fn give_number(&mut self) {
        self.made += 1;
        let number = format!("+44 20 7946 0{:03}", self.made % 1000);
        let id = self.said(&format!("You reach me on {number}."));
        self.know(id, Kind::Number, vec![number], "", u32::MAX);
    }

    fn say_twice(&mut self) {
        let word = self.word();
        for _ in 0..2 {
            let id = self.said(&format!("The {word} is closed on Mondays."));
            self.know(id, Kind::Twin, vec![word.clone()], "", u32::MAX);
        }
    }

    fn hold_in_mind(&mut self) {
        let word = self.word();
        let source = Source {
            session: Some(SessionId::new("ses_mind").unwrap()),
            ..Source::new(SourceType::UserMessage, Trust::High)
        };
        let text = format!("Ask about the {word} tomorrow.");
        let note = Draft { tier: Some(Tier::Working), source: Some(source), ..draft(&text) };
        self.service.take("anna", note).unwrap();
        self.working.push(word);
    }

    fn of_kind(&self, kind: Kind) -> Vec<MemoryId> {
        let of_kind = self.alive.iter().filter(|(_, known)| known.kind == kind && known.depth == 0);
        of_kind.map(|(id, _)| *id).collect()
    }

    fn one_of(&mut self, kind: Kind) -> Option<MemoryId> {
        let ids = self.of_kind(kind);
        (!ids.is_empty()).then(|| ids[self.dice.below(ids.len())])
    }

    /// By the full name: what says only the first name goes as well.
    fn forget_a_person(&mut self) {
        let Some(id) = self.of_kind(Kind::Person).into_iter().find(|id| self.alive[id].words.len() > 1)
        else {
            return self.meet();
        };
        let (first, last) = (self.alive[&id].words[0].clone(), self.alive[&id].words[1].clone());
        let request = Request::new(Target::Words(format!("forget everything about {first} {last}")));
        let done = carry_out(&self.service, &request).unwrap();
        for (id, _) in self.alive.iter().filter(|(_, known)| known.depth == 0 && known.words.contains(&first))
        {
            assert!(done.memories.contains(id), "{first} {last} is still called {first}");
        }
        self.went("person", &done);
    }

    /// By what they are, and not by a word that they share: every number is offered, and goes when it is named.
    fn forget_the_numbers(&mut self) {
        let numbers = self.of_kind(Kind::Number);
        if numbers.is_empty() {
            return self.give_number();
        }
        let words = ["forget my phone number", "vergiss meine Telefonnummer"][self.dice.below(2)];
        let plan = planned(&self.service, &Request::new(Target::Words(words.into()))).unwrap();
        let matched: Vec<MemoryId> = plan.matches.iter().map(|found| found.memory.id).collect();
        assert!(numbers.iter().all(|id| matched.contains(id)), "{words}: a number is not in the plan");
        let choice = PlanChoice::Only(numbers.clone());
        let done = confirm(&self.service, &plan.token.unwrap(), &choice).unwrap();
        assert!(numbers.iter().all(|id| done.memories.contains(id)));
        self.went("number", &done);
    }

    /// One of two that say the same, by its id: the receipt names the other.
    fn forget_one_of_two(&mut self) {
        let Some(id) = self.one_of(Kind::Twin) else { return self.say_twice() };
        let word = self.alive[&id].words[0].clone();
        let is_twin = |other: &MemoryId, known: &Known| {
            *other != id && known.depth == 0 && known.words == [word.clone()]
        };
        let twin = self.alive.iter().find(|(other, known)| is_twin(other, known)).map(|(other, _)| *other);
        let done = carry_out(&self.service, &Request::new(Target::Ids(vec![id]))).unwrap();
        let probe = |path| {
            let probes = done.receipts.iter().flat_map(|signed| &signed.receipt.probes);
            probes.filter(|probe| probe.path == path).map(|probe| probe.found).sum::<u32>()
        };
        match twin {
            Some(twin) => assert!(done.left.contains(&twin) && probe(ProbePath::SameText) > 0),
            // A summary that is made anew may say again what the one before it said: then memories with that text are named.
            None => {
                let text = |id: &MemoryId| {
                    let memory = self.service.get(&grant::<Recall>("anna"), *id).unwrap();
                    memory.content.full_text().expose().to_owned()
                };
                assert!(done.left.is_empty() || !done.rebuilt.is_empty(), "nothing explains what is left");
                assert!(!done.left.iter().any(|id| text(id).contains(&word)), "{word} is left");
                assert_eq!(probe(ProbePath::SameText) as usize, done.left.len());
            }
        }
        self.went("twin", &done);
    }

    /// Working memory of the session under way, by its word.
    fn forget_from_mind(&mut self) {
        if self.working.is_empty() {
            return self.hold_in_mind();
        }
        let word = self.working.remove(self.dice.below(self.working.len()));
        let request = Request::new(Target::Words(format!("forget everything about {word}")));
        let done = carry_out(&self.service, &request).unwrap();
        assert!(done.memories.is_empty() && done.receipts.is_empty(), "nothing of it was stored");
        self.gone.push(word);
        self.went("working", &done);
    }

    fn went(&mut self, kind: &'static str, done: &Forgotten) {
        *self.asked.entry(kind).or_default() += 1;
        assert!(done.receipts.iter().all(|receipt| receipt.receipt.is_clean()));
        self.settle(done);
        self.check();
    }

    /// A summary of several memories, or an inference from one.
    fn derive(&mut self) {
        let candidates: Vec<MemoryId> =
            self.alive.iter().filter(|(_, known)| known.depth < 3).map(|(id, _)| *id).collect();
        if candidates.is_empty() {
            return self.remember();
        }
        let count = 1 + self.dice.below(3.min(candidates.len()));
        let mut sources: Vec<MemoryId> =
            (0..count).map(|_| candidates[self.dice.below(candidates.len())]).collect();
        sources.sort_unstable();
        sources.dedup();
        let own = self.word();
        let mut words: Vec<String> = sources.iter().flat_map(|id| self.alive[id].words.clone()).collect();
        words.push(own);
        let depth = 1 + sources.iter().map(|id| self.alive[id].depth).max().unwrap_or(0);
        let contribution = if sources.len() > 1 { Contribution::Primary } else { Contribution::Inference };
        let draft = Draft {
            text: format!("Together: {}.", words.join(", ")).into(),
            content_type: Some(if sources.len() > 1 { ContentType::Summary } else { ContentType::Fact }),
            derived_from: sources.iter().map(|source| Lineage { source: *source, contribution }).collect(),
            ..Draft::default()
        };
        let id = self.service.take("anna", draft).unwrap().id;
        let kind = Kind::Thing;
        self.alive.insert(id, Known { kind, words, tag: "", session: u32::MAX, sources, depth });
    }

    /// What was said so far is summarised, and archived. The books do not know the summaries: they may come and go,
    /// and must not tell what was forgotten.
    fn compact(&mut self) {
        self.world.clock.advance(SignedDuration::from_mins(1));
        let request = CompactRequest { before: Some(self.world.clock.now()), ..CompactRequest::default() };
        let mut go_on = |_| ControlFlow::Continue(());
        let compacted = self.service.compact(&grant::<Forget>("anna"), &request, &mut go_on).unwrap();
        self.summaries += compacted.summaries.len();
    }

    fn restart(&mut self) {
        self.service = self.world.service();
        self.service.upkeep().recover(&scope("anna")).unwrap();
        // Nobody forgot it; it was never stored.
        self.working.clear();
    }

    fn pick(&mut self) -> Option<MemoryId> {
        let ids: Vec<MemoryId> = self.alive.keys().copied().collect();
        (!ids.is_empty()).then(|| ids[self.dice.below(ids.len())])
    }

    /// A request, and the memories that it must take at least.
    fn request(&mut self, victim: MemoryId) -> (Request, Vec<MemoryId>) {
        let known = &self.alive[&victim];
        let by_word = known.kind == Kind::Thing && known.depth == 0;
        let (word, tag, session) = (known.words[0].clone(), known.tag, known.session);
        let said = |matches: &dyn Fn(&Known) -> bool| -> Vec<MemoryId> {
            self.alive.iter().filter(|(_, known)| matches(known)).map(|(id, _)| *id).collect()
        };
        let (target, victims) = match self.dice.below(4) {
            1 if !tag.is_empty() => (Target::Tags(vec![tag.to_owned()]), said(&|known| known.tag == tag)),
            2 if session != u32::MAX => {
                let id = SessionId::new(&format!("ses_{session}")).unwrap();
                (Target::Session(id), said(&|known| known.session == session))
            }
            3 if by_word => {
                let frames =
                    ["forget everything about", "vergiss alles über", "oublie tout sur", "olvida todo sobre"];
                let words = format!("{} {word}", frames[self.dice.below(frames.len())]);
                (Target::Words(words), said(&|known| known.words.contains(&word)))
            }
            _ => (Target::Ids(vec![victim]), vec![victim]),
        };
        (Request::new(target), victims)
    }

    fn forget(&mut self) {
        let Some(victim) = self.pick() else { return };
        let (request, victims) = self.request(victim);
        let done = carry_out(&self.service, &request).unwrap();
        for id in &victims {
            assert!(done.memories.contains(id) || done.fell.contains(id), "a match was left out");
        }
        assert!(done.receipts.iter().all(|receipt| receipt.receipt.is_clean()));
        self.settle(&done);
        self.check();
    }

    /// The process dies somewhere in a forget; the next one finds all of it or nothing of it.
    fn crash_in_a_forget(&mut self) {
        let Some(victim) = self.pick() else { return };
        let (request, victims) = self.request(victim);
        let (doomed, faults) = self.world.faulty();
        let when = if self.dice.below(2) == 0 { FaultTiming::Before } else { FaultTiming::After };
        let before: Vec<MemoryId> = self.alive.keys().copied().collect();
        faults.die(1 + self.dice.below(40) as u64, when);
        let done = carry_out(&doomed, &request);
        drop(doomed);
        self.restart();
        let there = |id: &MemoryId| self.service.get(&grant::<Recall>("anna"), *id).is_ok();
        let left: Vec<bool> = victims.iter().map(there).collect();
        assert!(
            left.iter().all(|there| *there) || left.iter().all(|there| !there),
            "half of it was forgotten"
        );
        if done.is_ok() {
            assert!(left.iter().all(|there| !there), "an acknowledged forget came back");
        }
        if left.iter().all(|there| !there) {
            let fell = before.into_iter().filter(|id| !there(id)).collect();
            self.settle(&Forgotten { memories: victims, fell, ..Forgotten::default() });
        }
        self.check();
    }

    /// Takes what went out of the books. A consolidated memory that was made anew has a new id and fewer words.
    fn settle(&mut self, done: &Forgotten) {
        let mut gone: Vec<MemoryId> = done.memories.iter().chain(&done.fell).copied().collect();
        gone.extend(done.rebuilt.iter().map(|(old, _)| *old));
        let went: Vec<(MemoryId, Known)> =
            gone.iter().filter_map(|id| self.alive.remove(id).map(|known| (*id, known))).collect();
        // A memory's own word goes with it; those of its sources stay with them.
        for (id, known) in went {
            let own = known.words.last().unwrap().clone();
            let is_told = self.alive.values().any(|other| other.words.contains(&own));
            let may_be = matches!(known.kind, Kind::Twin | Kind::Person) || !known.sources.is_empty();
            assert!(!is_told || may_be, "{id} is still told by another");
            if !is_told {
                self.gone.push(own);
            }
        }
    }

    /// No way leads to what was forgotten, here or on another node; everybody else is there.
    fn check(&self) {
        let mind = SessionId::new("ses_mind").unwrap();
        let at_hand = self.service.at_hand(&grant::<Recall>("anna"), &mind).unwrap();
        let at_hand: Vec<&str> = at_hand.iter().map(|memory| memory.content.full_text().expose()).collect();
        let in_mind = |word: &String| at_hand.iter().any(|text| text.contains(word.as_str()));
        assert!(self.working.iter().all(in_mind) && !self.gone.iter().any(in_mind), "{at_hand:?}");
        // What is still told is not said to be forgotten.
        for (_, known) in self.alive.iter().filter(|(_, known)| known.kind == Kind::Twin && known.depth == 0)
        {
            let verified = self.service.verify_forgotten(&grant::<Recall>("anna"), &known.words[0]).unwrap();
            assert!(!verified.direct.is_empty(), "{} is there, and said to be forgotten", known.words[0]);
        }
        for service in [&self.service, &self.world.service()] {
            for (id, known) in &self.alive {
                let memory = service.get(&grant::<Recall>("anna"), *id).unwrap();
                assert!(memory.content.full_text().expose().contains(known.words.last().unwrap().as_str()));
            }
            for word in &self.gone {
                let found = service.ask("anna", word).unwrap();
                let told = found
                    .hits
                    .iter()
                    .any(|hit| hit.memory.content.full_text().expose().contains(word.as_str()));
                assert!(!told, "{word} is still found");
                let turn = Turn { text: word.clone(), ..Turn::default() };
                let context = service.context(&[grant("anna")], &turn).unwrap();
                assert!(!context.text.contains(word.as_str()), "{word} still comes to mind");
                let verified = service.verify_forgotten(&grant::<Recall>("anna"), word).unwrap();
                let known: Vec<_> =
                    verified.direct.iter().map(|id| self.alive.get(id).map(|known| &known.words)).collect();
                assert!(known.is_empty(), "{word} is still known: by {known:?}");
                // Nor are the last groups of a number, by which people name it, though other numbers have them too.
                for group in word.split(' ').filter(|_| word.starts_with('+')).skip(2) {
                    let verified = service.verify_forgotten(&grant::<Recall>("anna"), group).unwrap();
                    assert!(verified.direct.is_empty(), "{group} of {word} is still known");
                }
            }
            let page = service.list(&grant::<Recall>("anna"), &Default::default(), None, 500).unwrap();
            for memory in page.memories {
                assert!(self.gone.iter().all(|word| !memory.content.gist.expose().contains(word.as_str())));
            }
            assert_eq!(service.count(&grant::<Recall>("anna")).unwrap().1, 0, "nothing is damaged");
        }
    }

    fn export_holds_no_forgotten_word(&mut self) {
        for format in [Format::Json, Format::Markdown] {
            let mut out = Vec::new();
            let wanted = Wanted { include_health: true, ..Wanted::everything_but_health(format) };
            self.service.export(&grant::<Export>("anna"), &wanted, &mut out, &mut |_| ()).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(self.gone.iter().all(|word| !text.contains(word.as_str())));
            assert!(self.alive.values().all(|known| text.contains(known.words.last().unwrap().as_str())));
        }
    }

    /// The audit and the receipts say nothing of it either, and no key opens what was erased.
    fn end(mut self) {
        self.forget();
        self.export_holds_no_forgotten_word();
        self.check();
        let rows = self.service.read_audit(&grant::<ReadAudit>("anna"), 0).unwrap();
        for (row, _) in rows {
            let text = String::from_utf8_lossy(&row.entry).into_owned();
            assert!(self.gone.iter().all(|word| !text.contains(word.as_str())));
        }
        for signed in self.service.receipts(&grant::<ReadAudit>("anna"), 0).unwrap() {
            signed.verify(&self.service.verifying_key().unwrap()).unwrap();
            let text = String::from_utf8_lossy(&signed.encode()).into_owned();
            assert!(self.gone.iter().all(|word| !text.contains(word.as_str())));
        }
        let vault = scope("anna").vault_id();
        let mut keys = Vec::new();
        self.world
            .keys
            .memory_keys(vault, None, &mut |key| {
                keys.push(key.memory);
                Ok(())
            })
            .unwrap();
        let erased = self.world.keys.erased(vault, &keys).unwrap();
        assert!(erased.is_empty(), "a destroyed key is there again");
        self.service.verified("anna");
    }
}

fn planned(service: &Lacuna, request: &Request) -> Result<Plan> {
    match service.plan_forget(&grant::<Forget>("anna"), request)? {
        Planned::Plan(plan) => Ok(*plan),
        Planned::Unclear(_) | Planned::WhichOne(_) => panic!("{:?} was not understood", request.target),
    }
}

fn carry_out(service: &Lacuna, request: &Request) -> Result<Forgotten> {
    let plan = planned(service, request)?;
    confirm(service, &plan.token.expect("something matches"), &PlanChoice::All)
}

fn confirm(service: &Lacuna, token: &str, choice: &PlanChoice) -> Result<Forgotten> {
    match service.confirm_forget(&grant::<Forget>("anna"), token, choice)? {
        Confirmed::Done(done) => Ok(*done),
        Confirmed::Again { .. } => panic!("asked again"),
    }
}

#[test]
fn nothing_that_was_forgotten_is_found_by_any_way() {
    let number = |name: &str| std::env::var(name).ok().and_then(|count| count.parse::<usize>().ok());
    let long = if std::env::var_os("LACUNA_LONG").is_some() { LONG_HISTORIES } else { HISTORIES };
    let histories = number("LACUNA_HISTORIES").unwrap_or(long);
    let first = number("LACUNA_FIRST_HISTORY").unwrap_or(0);
    let mut summaries = 0;
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in first..first + histories {
        println!("history {seed}");
        let world = if seed % 5 == 0 { World::sqlite() } else { World::ram() };
        let mut history = History::new(&world, seed as u64);
        history.remember();
        for _ in 0..STEPS {
            history.step();
        }
        summaries += history.summaries;
        history.asked.iter().for_each(|(kind, count)| *asked.entry(kind).or_default() += count);
        history.end();
    }
    println!("{asked:?}");
    if histories < HISTORIES {
        return;
    }
    assert!(summaries > 0, "there was nothing to compact");
    for kind in ["person", "number", "twin", "working"] {
        assert!(asked.contains_key(kind), "no {kind} was forgotten");
    }
}

/// The process dies before and after every single step of one forget.
#[test]
fn a_forget_that_dies_at_any_step_is_wholly_there_or_wholly_gone() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        let mut steps = 0;
        for n in 1.. {
            let world = World::ram();
            let first = world.service();
            let boat = first.keep("anna", "The sloop Marigold lies in the harbour.").unwrap();
            let mast = first.keep("anna", "The Marigold has a new mast.").unwrap();
            let summary = Draft {
                content_type: Some(ContentType::Summary),
                derived_from: [boat, mast]
                    .map(|source| Lineage { source, contribution: Contribution::Primary })
                    .to_vec(),
                ..draft("A sloop with a new mast.")
            };
            let summary = first.take("anna", summary).unwrap().id;
            let bystander = first.keep("anna", "The bakery opens at six.").unwrap();
            drop(first);
            let (doomed, faults) = world.faulty();
            let request = Request::new(Target::Words("forget everything about Marigold".into()));
            faults.die(n, when);
            let done = carry_out(&doomed, &request);
            drop(doomed);

            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            let there = |id| reborn.get(&grant::<Recall>("anna"), id).is_ok();
            let left = [boat, mast, summary].map(there);
            assert!(left == [true; 3] || left == [false; 3], "{when:?} {n}: {left:?}");
            assert!(there(bystander));
            assert!(done.is_err() || left == [false; 3], "{when:?} {n}: acknowledged and there");
            assert!(world.store.intents(scope("anna").vault_id()).unwrap().is_empty());
            let receipts = reborn.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
            assert_eq!(receipts.len(), usize::from(left == [false; 3]), "{when:?} {n}");
            assert_eq!(reborn.count(&grant::<Recall>("anna")).unwrap().1, 0);
            reborn.verified("anna");
            steps = n;
            if done.is_ok() {
                break;
            }
            assert!(n < 500, "a forget has a bounded number of steps");
        }
        assert!(steps > 10, "the faults reached into the forget");
    }
}

/// 10,000 random edits of a receipt: its signature holds for none of them.
#[test]
fn a_changed_receipt_never_verifies_and_a_true_one_says_nothing() {
    let world = World::ram();
    let service = world.service();
    let text = "My architect Dr. Quillon sees me on Thursdays.";
    service.keep("anna", text).unwrap();
    let request = Request::new(Target::Words("forget everything about Dr. Quillon".into()));
    let signed = carry_out(&service, &request).unwrap().receipts.remove(0);
    let key = service.verifying_key().unwrap();
    signed.verify(&key).unwrap();

    let bytes = signed.encode();
    let plain = sha256(text.as_bytes());
    let subject = sha256(b"Dr. Quillon");
    let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    assert!(!holds(&plain) && !holds(&subject) && !holds(b"Quillon") && !holds(b"rchitect"));

    let dice = Dice::new(7);
    let mut edits = 0;
    while edits < 10_000 {
        let mut changed = bytes.clone();
        let at = dice.below(changed.len());
        changed[at] ^= 1 << dice.below(8);
        edits += 1;
        let Ok(forged) = lacuna_core::vault::SignedReceipt::decode(&changed) else { continue };
        assert!(forged.verify(&key).is_err(), "byte {at} can be changed");
    }
}
