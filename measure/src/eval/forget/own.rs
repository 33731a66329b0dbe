//! The project's own requests to forget (`measure/data/FORGET_GATE.md`): eight vaults, six styles, and what must, may and
//! must not be in the plan. Each request is planned by itself; nothing is confirmed, so a vault stays as it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lacuna_core::Lacuna;
use lacuna_core::forget::{Planned, Request};
use lacuna_core::permit::{Forget, Recall, Remember};
use lacuna_core::write::Outcome;
use lacuna_types::request::{Closeness, Target};
use lacuna_types::{Category, ConsentBasis, Draft, MemoryId, Source, SourceType, Trust};
use serde::Deserialize;

use crate::Result;
use crate::bench::report::Report;
use crate::bench::service::grant;

const OPEN: &str = include_str!("../../../data/forget_open.jsonl");
const CLOSED: &str = include_str!("../../../data/forget_closed.jsonl");
const FRESH: &str = include_str!("../../../data/forget_fresh.jsonl");

/// A set of requests: the project's own, or one that somebody else wrote in the same form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestSet<'a> {
    /// Used for development.
    Open,
    /// Nothing was tuned on it, and its requests are never printed.
    Closed,
    /// A vault of its own, written before the second round of rules and not used to tune them.
    Fresh,
    /// The lines of a file that the caller names.
    Given(&'a str),
}

impl<'a> RequestSet<'a> {
    fn title(self) -> &'static str {
        match self {
            Self::Open => "Own requests, open half",
            Self::Closed => "Own requests, closed half",
            Self::Fresh => "Own requests, a second vault",
            Self::Given(_) => "Requests of the file",
        }
    }

    /// The lines that hold the facts, and those that hold the requests.
    fn texts(self) -> (&'a str, &'a str) {
        match self {
            Self::Open => (OPEN, OPEN),
            Self::Closed => (OPEN, CLOSED),
            Self::Fresh => (FRESH, FRESH),
            Self::Given(text) => (text, text),
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    Fact(FactLine),
    Request(RequestLine),
}

#[derive(Deserialize)]
struct FactLine {
    vault: String,
    id: String,
    text: String,
}

#[derive(Deserialize)]
struct RequestLine {
    vault: String,
    id: String,
    lang: String,
    style: String,
    text: String,
    must: BTreeSet<String>,
    may: BTreeSet<String>,
    must_not: BTreeSet<String>,
    partial: BTreeSet<String>,
    expect: Expected,
}

/// The right answer to a request.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Expected {
    Plan,
    Question,
    Nothing,
}

/// An answer, by the names that the set gives to its facts.
#[derive(Default)]
struct Answer {
    direct: BTreeSet<String>,
    /// Direct matches of which a part would stay.
    cut: BTreeSet<String>,
    indirect: BTreeSet<String>,
    /// Facts among which a question chooses, and facts that are named as the nearest.
    chosen_among: BTreeSet<String>,
    /// A question that names no fact.
    unclear: Option<String>,
}

/// Sums over requests.
#[derive(Default, Clone)]
struct Sums {
    requests: usize,
    right: usize,
    all_direct: usize,
    false_nothing: usize,
    unclear: usize,
    plans_with_bystanders: usize,
    direct_bystanders: usize,
    direct_traps: usize,
    indirect_bystanders: usize,
    nearest_bystanders: usize,
}

/// Measures one set. Single requests of the closed one are never printed.
pub(super) fn run(service: &Lacuna, set: RequestSet<'_>, show: bool, report: &mut Report) -> Result {
    let (facts, requests) = set.texts();
    let facts: Vec<FactLine> = lines(facts)?
        .into_iter()
        .filter_map(|line| if let Line::Fact(fact) = line { Some(fact) } else { None })
        .collect();
    let only_request = |line| if let Line::Request(request) = line { Some(request) } else { None };
    let requests: Vec<RequestLine> = lines(requests)?.into_iter().filter_map(only_request).collect();
    let names = fill(service, &facts)?;
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for request in &requests {
        let answer = ask(service, &names, request)?;
        let keys = [format!("language {}", request.lang), format!("style {}", request.style), "~all".into()];
        for key in keys {
            sums.entry(key).or_default().add(request, &answer);
        }
        if show && set != RequestSet::Closed && !answer.is_right(request) {
            answer.print(request);
        }
    }
    report.heading(set.title());
    report.line(&format!("{} of {} facts are stored.\n", names.len(), facts.len()));
    write(report, &sums);
    Ok(())
}

fn lines(text: &str) -> Result<Vec<Line>> {
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Stores the facts as the owner's own words, with consent. Gives the name of each memory that is there at the end.
fn fill(service: &Lacuna, facts: &[FactLine]) -> Result<HashMap<MemoryId, String>> {
    let mut names = HashMap::new();
    for fact in facts {
        let grant = grant::<Remember>(&fact.vault)?;
        let mut outcome = service.remember(&grant, vec![draft(fact, None)])?.remove(0);
        if let Outcome::Asked(asked) = outcome {
            outcome = service.remember(&grant, vec![draft(fact, Some(asked.token))])?.remove(0);
        }
        if let Outcome::Stored(stored) = outcome {
            names.insert(stored.id, fact.id.clone());
        }
    }
    super::settle(service)?;
    let vault_of: HashMap<&str, &str> =
        facts.iter().map(|fact| (fact.id.as_str(), fact.vault.as_str())).collect();
    let is_there = |id: &MemoryId, name: &str| {
        grant::<Recall>(vault_of[name]).is_ok_and(|grant| service.get(&grant, *id).is_ok())
    };
    names.retain(|id, name| is_there(id, name));
    Ok(names)
}

fn draft(fact: &FactLine, confirm: Option<String>) -> Draft {
    Draft {
        text: fact.text.as_str().into(),
        // Turns: none of them takes the place of another.
        category: Some(Category::Conversation),
        source: Some(Source::new(SourceType::UserMessage, Trust::High)),
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        confirm,
        ..Draft::default()
    }
}

fn ask(service: &Lacuna, names: &HashMap<MemoryId, String>, request: &RequestLine) -> Result<Answer> {
    let grant = grant::<Forget>(&request.vault)?;
    let words = Request { partial: true, ..Request::new(Target::Words(request.text.clone())) };
    let name = |id: &MemoryId| names.get(id).cloned().unwrap_or_default();
    let mut answer = Answer::default();
    match service.plan_forget(&grant, &words)? {
        Planned::Unclear(question) => answer.unclear = Some(format!("{question:?}")),
        Planned::WhichOne(people) => {
            answer.chosen_among = people.iter().flat_map(|one| &one.members).map(name).collect();
        }
        Planned::Plan(plan) => {
            answer.chosen_among = plan.nearest.iter().map(|near| name(&near.memory.id)).collect();
            for found in &plan.matches {
                let id = name(&found.memory.id);
                if found.closeness == Closeness::Indirect {
                    answer.indirect.insert(id);
                    continue;
                }
                if found.leaves.is_some() {
                    answer.cut.insert(id.clone());
                }
                answer.direct.insert(id);
            }
        }
    }
    Ok(answer)
}

impl Answer {
    fn is_right(&self, request: &RequestLine) -> bool {
        let offered = |id: &String| self.indirect.contains(id) || self.chosen_among.contains(id);
        match request.expect {
            Expected::Plan => {
                let whole = |id: &String| self.direct.contains(id) || offered(id);
                let part = |id: &String| self.cut.contains(id) || offered(id);
                let meant = |id: &String| request.must.contains(id) || request.partial.contains(id);
                request.must.iter().all(whole)
                    && request.partial.iter().all(part)
                    && self.direct.iter().all(meant)
            }
            Expected::Question => {
                self.direct.is_empty() && (self.unclear.is_some() || request.may.iter().any(offered))
            }
            Expected::Nothing => self.direct.is_empty(),
        }
    }

    /// Something is meant, and neither a plan nor a question came back.
    fn is_false_nothing(&self, request: &RequestLine) -> bool {
        let silent = self.direct.is_empty() && self.indirect.is_empty() && self.chosen_among.is_empty();
        let meant = !request.must.is_empty() || !request.partial.is_empty() || !request.may.is_empty();
        meant && silent && self.unclear.is_none()
    }

    fn print(&self, request: &RequestLine) {
        println!(
            "{} {} {}\n    must {:?} partial {:?} may {:?} not {:?}\n    direct {:?} cut {:?} indirect {:?} among {:?} {}",
            request.id,
            request.style,
            request.text,
            request.must,
            request.partial,
            request.may,
            request.must_not,
            self.direct,
            self.cut,
            self.indirect,
            self.chosen_among,
            self.unclear.as_deref().unwrap_or_default(),
        );
    }
}

impl Sums {
    fn add(&mut self, request: &RequestLine, answer: &Answer) {
        let meant = |id: &&String| {
            request.must.contains(*id) || request.partial.contains(*id) || request.may.contains(*id)
        };
        let others = |ids: &BTreeSet<String>| ids.iter().filter(|id| !meant(id)).count();
        let direct = others(&answer.direct);
        self.requests += 1;
        self.right += usize::from(answer.is_right(request));
        let needed = || request.must.iter().chain(&request.partial);
        let planned = needed().next().is_some() && needed().all(|id| answer.direct.contains(id));
        self.all_direct += usize::from(planned && answer.is_right(request));
        self.false_nothing += usize::from(answer.is_false_nothing(request));
        self.unclear += usize::from(answer.unclear.is_some());
        self.plans_with_bystanders += usize::from(direct > 0);
        self.direct_bystanders += direct;
        self.direct_traps += answer.direct.intersection(&request.must_not).count();
        self.indirect_bystanders += others(&answer.indirect);
        self.nearest_bystanders += others(&answer.chosen_among);
    }

    fn row(&self, name: &str) -> Vec<String> {
        let percent = |part: usize| format!("{:.1}%", 100.0 * part as f64 / self.requests.max(1) as f64);
        let mean = |sum: usize| format!("{:.2}", sum as f64 / self.requests.max(1) as f64);
        vec![
            name.trim_start_matches('~').to_owned(),
            self.requests.to_string(),
            percent(self.right),
            percent(self.all_direct),
            percent(self.false_nothing),
            percent(self.unclear),
            format!("{} in {}", self.direct_bystanders, self.plans_with_bystanders),
            self.direct_traps.to_string(),
            mean(self.indirect_bystanders),
            mean(self.nearest_bystanders),
        ]
    }
}

fn write(report: &mut Report, sums: &BTreeMap<String, Sums>) {
    report.line(
        "Right: every fact that is meant is direct, or offered in a question, and no other fact is direct.",
    );
    report.line("False nothing: facts are meant, and the answer has neither a match nor a question.\n");
    let head = [
        "requests",
        "count",
        "right",
        "right, all direct",
        "false nothing",
        "asked what is meant",
        "direct bystanders, plans",
        "direct traps",
        "indirect bystanders a plan",
        "bystanders in questions",
    ];
    report.table(&head, sums.iter().map(|(name, sums)| sums.row(name)).collect());
}
