//! Runs the measurements and writes each as a section of the report, figures beside what they should reach.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::corpus::{CLUSTERED_DIMENSIONS, Corpus};
use super::measure::Latency;
use super::peers::{self, Python, VECTOR_PEERS};
use super::plan::Plan;
use super::report::{Report, ratio, thousands, time, times};
use super::sizes::{Figures, Place};
use super::{Part, assistant, console, context, gate, http, lifecycle, sessions, sizes};
use crate::Result;

/// The figure that hot recall should reach at a size.
const RECALL_TARGETS: [(usize, Duration); 3] = [
    (5_000, Duration::from_micros(150)),
    (50_000, Duration::from_micros(1_500)),
    (1_000_000, Duration::from_millis(15)),
];
const EXACTNESS_TARGET: f64 = 0.999;
const OPEN_TARGET: Duration = Duration::from_millis(50);
const CONTEXT_TARGET: Duration = Duration::from_millis(3);
const PLAN_TARGET: Duration = Duration::from_millis(50);
const DELETE_TARGET: Duration = Duration::from_millis(10);
const ENTITY_TARGET: Duration = Duration::from_secs(1);
const GATE_TARGET: Duration = Duration::from_millis(1);
const APPEND_TARGET: Duration = Duration::from_millis(50);
const FIRST_PAGE_TARGET: Duration = Duration::from_millis(100);
const MEMORY_PAGE_TARGET: Duration = Duration::from_millis(50);
const RAM_TARGET_BYTES: usize = 2_048;
const INITIALIZE_TARGET: Duration = Duration::from_millis(300);
const FIRST_RECALL_TARGET: Duration = Duration::from_secs(2);
const HOOK_RAM_TARGET_KIB: u64 = 150 << 10;
const REMEMBER_RATIO_TARGET: f64 = 5.0;
/// Beyond this size a question takes some peers long.
const SLOW_PEERS_FROM: usize = 200_000;

const BESIDE_HEAD: [&str; 8] =
    ["memories", "", "p50", "p99", "to our recall", "to ours by meaning alone", "exactness", "filled in"];

struct Run<'a> {
    report: &'a mut Report,
    plan: &'a Plan,
    /// The environment of the peers, if they are wanted.
    python: Option<Python>,
    folder: &'a Path,
}

/// A line of a table.
type Row = Vec<String>;

pub(super) fn write(
    report: &mut Report,
    plan: &Plan,
    only: Option<Part>,
    peers: bool,
    folder: &Path,
) -> Result {
    let python = peers.then(|| Python::prepare(folder)).transpose()?;
    let mut run = Run { report, plan, python, folder };
    let wanted = |part| only.is_none_or(|only| only == part);
    if wanted(Part::Recall) {
        run.recall()?;
    }
    if wanted(Part::Exactness) {
        run.exactness()?;
    }
    if wanted(Part::Neighbours) {
        run.neighbours()?;
    }
    if wanted(Part::Open) {
        run.opening()?;
    }
    if wanted(Part::Context) {
        run.context()?;
    }
    if wanted(Part::Write) {
        run.writing()?;
        run.forgetting()?;
    }
    if wanted(Part::Gate) {
        run.gate()?;
    }
    if wanted(Part::Sessions) {
        run.talking()?;
    }
    if wanted(Part::Http) {
        run.door()?;
    }
    if wanted(Part::Console) {
        run.console()?;
    }
    if wanted(Part::Assistant) {
        run.assistant()?;
    }
    Ok(())
}

impl Run<'_> {
    fn recall(&mut self) -> Result {
        let places = self.plan.vaults.iter().map(|&count| (count, Place::Vault));
        let mut all = Vec::new();
        let mut beside = Vec::new();
        for (count, place) in places.chain([(self.plan.bare, Place::BareIndex)]) {
            progress(&format!("recall at {}", thousands(count)));
            let corpus = Arc::new(Corpus::clustered(count, self.plan.questions));
            let figures = sizes::measure(&corpus, place, self.plan.recalls, self.temporary()?.path())?;
            if self.plan.peers_at.contains(&count) {
                beside.extend(self.vector_peers(Arc::into_inner(corpus), &figures)?);
            }
            all.push(figures);
        }
        self.write_recall(&all);
        self.write_growth(&all);
        if self.python.is_some() {
            self.write_vector_peers(beside);
        }
        Ok(())
    }

    fn write_recall(&mut self, all: &[Figures]) {
        self.report.heading("Hot recall, the question already embedded");
        self.report.line(&format!(
            "Ten answers by meaning and words, from an opened vault over SQLite with its check of the revision; \
             sentences with clustered vectors of {CLUSTERED_DIMENSIONS} dimensions. Exactness: the share of the \
             ten best by full-precision search over the original vectors that the search by meaning alone finds.\n"
        ));
        let row = |figures: &Figures| {
            let target = target(figures.count);
            vec![
                thousands(figures.count)
                    + if figures.place == Place::BareIndex { " (index alone)" } else { "" },
                time(figures.hybrid.p50),
                time(figures.hybrid.quiet_p50),
                time(figures.hybrid.p99),
                target.map_or("–".into(), |target| format!("≤ {}", time(target))),
                target.map_or("–".into(), |target| ratio(figures.hybrid.p50, target)),
                time(figures.meaning.p50),
                format!("{:.4} (≥ {EXACTNESS_TARGET})", figures.recall),
            ]
        };
        let head = [
            "memories",
            "p50",
            "quietest p50",
            "p99",
            "target",
            "p50 of target",
            "p50 by meaning alone",
            "exactness",
        ];
        self.report.table(&head, all.iter().map(row).collect());
        self.report.line(
            "\nThe largest size is searched in the index alone, because filling a vault of that size would take \
             longer than the rest of the run: no revision check, no texts of the answers.",
        );
    }

    fn write_growth(&mut self, all: &[Figures]) {
        self.report.heading("Growth");
        let nanos = |latency: &Latency, count: usize| {
            format!("{:.1} ns", latency.p50.as_secs_f64() * 1e9 / count as f64)
        };
        let row = |figures: &Figures| {
            vec![
                thousands(figures.count),
                nanos(&figures.hybrid, figures.count),
                nanos(&figures.meaning, figures.count),
                time(figures.filled_in),
            ]
        };
        let head = ["memories", "recall per memory", "by meaning alone, per memory", "filled in"];
        self.report.table(&head, all.iter().map(row).collect());
    }

    fn vector_peers(&self, corpus: Option<Corpus>, ours: &Figures) -> Result<Vec<Row>> {
        let (Some(python), Some(mut corpus)) = (&self.python, corpus) else { return Ok(Vec::new()) };
        let count = ours.count;
        if count > SLOW_PEERS_FROM {
            corpus.keep_questions(self.plan.questions_to_slow_peers);
        }
        let thresholds = corpus.exact_thresholds();
        let mut beside = vec![own_row(ours)];
        for peer in VECTOR_PEERS.iter().filter(|peer| count <= peer.count_max) {
            progress(&format!("{} at {}", peer.script, thousands(count)));
            let job = self.temporary()?;
            peers::write_vector_job(job.path(), &corpus)?;
            match python.vectors(peer, job.path()) {
                Ok(answers) => beside.extend(answers.iter().map(|answer| {
                    let query = answer.query();
                    vec![
                        thousands(count),
                        answer.peer.clone(),
                        time(query.p50),
                        time(query.p99),
                        ratio(query.p50, ours.hybrid.p50),
                        ratio(query.p50, ours.meaning.p50),
                        format!("{:.4}", answer.recall(&corpus, &thresholds)),
                        time(Duration::from_secs_f64(answer.fill_seconds)),
                    ]
                })),
                Err(reason) => beside.push(unmeasured(count, peer.script, &*reason)),
            }
        }
        Ok(beside)
    }

    fn write_vector_peers(&mut self, beside: Vec<Row>) {
        self.report.heading("Beside stores of vectors");
        self.report.line(
            "The same vectors and questions, ten answers. The peers search by meaning alone and hold no text; \
             ours are sealed at rest, and its first figure is by meaning and words. A ratio above 1 means that \
             the peer takes longer.\n",
        );
        self.report.table(&BESIDE_HEAD, beside);
    }

    fn exactness(&mut self) -> Result {
        let mut rows = Vec::new();
        let fast = lacuna_models::static_embedder()?;
        for &count in self.plan.exact_static {
            progress(&format!("exactness at {}, static model", thousands(count)));
            let found = sizes::exactness(count, self.plan.questions, &*fast)?;
            rows.push(vec![thousands(count), fast.model().to_string(), format!("{found:.4}")]);
        }
        let (count, main) = (self.plan.exact_sentence, lacuna_models::sentence_embedder()?);
        progress(&format!("exactness at {}, sentence model", thousands(count)));
        let found = sizes::exactness(count, self.plan.questions, &*main)?;
        rows.push(vec![thousands(count), main.model().to_string(), format!("{found:.4}")]);
        self.report.heading("Exactness on the vectors of real models");
        self.report.line(&format!(
            "Recall@10 of the quantised search by meaning against full-precision search over the original \
             vectors, on generated sentences; ties count as found. Target: ≥ {EXACTNESS_TARGET}.\n"
        ));
        self.report.table(&["sentences", "model", "recall@10"], rows);
        Ok(())
    }

    fn neighbours(&mut self) -> Result {
        progress("recall beside other vaults");
        let corpus = Arc::new(Corpus::clustered(self.plan.personal, self.plan.questions));
        let figures = lifecycle::neighbours(
            &corpus,
            self.plan.neighbours,
            self.plan.recalls,
            self.temporary()?.path(),
        )?;
        let alone = figures.first().map_or(Duration::ZERO, |(_, latency)| latency.p50);
        let row = |(others, latency): &(usize, Latency)| {
            let Latency { p50, quiet_p50, p99 } = *latency;
            vec![thousands(*others), time(p50), time(quiet_p50), time(p99), ratio(p50, alone)]
        };
        self.report.heading("Flat in the number of other users");
        let personal = thousands(self.plan.personal);
        self.report.line(&format!(
            "Recall in a vault of {personal} beside other users' vaults in the same database, all of them open.\n"
        ));
        let head = ["other vaults", "p50", "quietest p50", "p99", "to alone"];
        self.report.table(&head, figures.iter().map(row).collect());
        Ok(())
    }

    fn opening(&mut self) -> Result {
        progress("opening a cold vault");
        let corpus = Arc::new(Corpus::clustered(self.plan.personal, 1));
        let figures = lifecycle::opening(&corpus, self.plan.openings, self.temporary()?.path())?;
        let count = figures.count;
        self.report.heading(&format!("Opening a cold vault of {}", thousands(count)));
        self.report.line(
            "A fresh service each time; the files are in the system's cache. RAM: four such vaults, opened one after \
             the other in a process of their own.\n",
        );
        let bytes = |bytes: usize| format!("{} bytes", thousands(bytes));
        let text = figures.text_bytes / count;
        let (counted, resident) = (figures.ram.counted_bytes, figures.ram.resident_bytes);
        let over = resident.saturating_sub(text);
        let rows = vec![
            row("service start, p50", time(figures.start.p50), "–", "–"),
            row(
                "opening, p50",
                time(figures.open.p50),
                &format!("≤ {}", time(OPEN_TARGET)),
                &ratio(figures.open.p50, OPEN_TARGET),
            ),
            row("opening, p99", time(figures.open.p99), "–", "–"),
            row("RAM per memory as the cache counts it", bytes(counted), "–", "–"),
            row("RAM per memory as the system counts it", bytes(resident), "–", "–"),
            row("of that, its text", bytes(text), "–", "–"),
            row(
                "RAM per memory beside its text",
                bytes(over),
                &format!("≤ {RAM_TARGET_BYTES}"),
                &times(over as f64 / RAM_TARGET_BYTES as f64),
            ),
        ];
        self.report.table(&["", "measured", "target", "of target"], rows);
        Ok(())
    }

    fn context(&mut self) -> Result {
        progress("context");
        let corpus = Arc::new(Corpus::clustered(self.plan.personal, self.plan.questions));
        let figures = context::measure(&corpus, self.plan.recalls, self.temporary()?.path())?;
        self.report.heading(&format!("Context from a vault of {}", thousands(figures.count)));
        self.report.line(
            "Five memories for a turn whose embedding is there already: candidates, rank, tokens (o200k), section, \
             the note of the read and of the rehearsal.\n",
        );
        let target = format!("≤ {}", time(CONTEXT_TARGET));
        let rows = vec![
            row("a turn, p50", time(figures.turn.p50), &target, &ratio(figures.turn.p50, CONTEXT_TARGET)),
            row("a turn, p99", time(figures.turn.p99), "–", "–"),
            row("the start of a conversation, p50", time(figures.start.p50), "–", "–"),
            row(
                "tokens of the longest section",
                thousands(figures.tokens_most),
                &format!("≤ {}", thousands(figures.tokens_max)),
                &times(figures.tokens_most as f64 / figures.tokens_max as f64),
            ),
        ];
        self.report.table(&["", "measured", "target", "of target"], rows);
        Ok(())
    }

    fn writing(&mut self) -> Result {
        progress("remember and delete");
        let (written, deleted) = (self.plan.written, self.plan.deleted);
        let ours = lifecycle::writing(written, deleted, self.temporary()?.path())?;
        let peer = self.memory_peer()?;
        self.report.heading("Remember and delete");
        self.report.line(&format!(
            "{} memories in batches of {}, with embedding, sealing, audit and fsync. Acknowledged means durable and \
             found by words and by the static model's vector; complete means that the sentence model's vectors \
             (all-MiniLM-L6-v2) are in too.\n",
            thousands(ours.count),
            lifecycle::REMEMBER_BATCH
        ));
        let (name, theirs) = match &peer {
            Some(Ok(peer)) => (peer.peer.as_str(), Some(peer)),
            Some(Err(reason)) => {
                self.report.line(&format!("mem0 was not measured: {reason}\n"));
                ("peer", None)
            }
            None => ("peer", None),
        };
        self.report.table(&["", "Lacuna", name, "times better", "target"], writing_rows(&ours, theirs));
        if let Some(peer) = theirs {
            self.report.line(&format!(
                "\nOf {}'s time to remember, {:.0}% is spent in the model; its search without the embedding of the \
                 question takes {} (p50).",
                peer.peer,
                100.0 * peer.embed_share(),
                time(peer.search_without_embedding().p50)
            ));
        }
        Ok(())
    }

    fn forgetting(&mut self) -> Result {
        progress("forget");
        let Plan { personal, deleted, mentions, .. } = *self.plan;
        let figures = lifecycle::forgetting(personal, deleted, mentions, self.temporary()?.path())?;
        self.report.heading("Forget");
        self.report.line(&format!(
            "In a vault of {} over SQLite: one memory by its id, every tenth with a summary made of it; then \"forget \
             everything about\" somebody in plain words. Both with cascade, probe by every path and signed receipt.\n",
            thousands(figures.memories)
        ));
        let all = figures.plan + figures.confirm;
        let plan = |(kind, taken): &(&str, Latency)| {
            let name = format!("a plan for {kind}, p50");
            vec![name, time(taken.p50), format!("≤ {}", time(PLAN_TARGET)), ratio(taken.p50, PLAN_TARGET)]
        };
        let mut rows = vec![
            vec![
                "one memory, p50".into(),
                time(figures.one.p50),
                format!("≤ {}", time(DELETE_TARGET)),
                ratio(figures.one.p50, DELETE_TARGET),
            ],
            vec!["one memory, p99".into(), time(figures.one.p99), "–".into(), "–".into()],
            vec![
                format!("everything about one with {} mentions", thousands(figures.mentions)),
                time(all),
                format!("≤ {}", time(ENTITY_TARGET)),
                ratio(all, ENTITY_TARGET),
            ],
            vec!["of that, the plan".into(), time(figures.plan), "–".into(), "–".into()],
        ];
        rows.extend(figures.plans.iter().map(plan));
        self.report.table(&["", "measured", "target", "of target"], rows);
        Ok(())
    }

    fn gate(&mut self) -> Result {
        progress("the gate");
        self.report.heading("The gate by itself");
        self.report.line(&format!(
            "Texts of {} characters, {} of each kind by turns, static model, no other memory; the time of the embedding is taken off each call.\n",
            gate::TEXT_CHARS, self.plan.gated
        ));
        let costs = gate::measure(self.plan.gated, self.temporary()?.path())?;
        let rows = costs.iter().map(|cost| {
            vec![
                cost.kind.to_owned(),
                time(cost.gate.p50),
                format!("≤ {}", time(GATE_TARGET)),
                ratio(cost.gate.p50, GATE_TARGET),
                time(cost.gate.p99),
                time(cost.embedding.p50),
            ]
        });
        let head = ["texts", "gate, p50", "target", "of target", "gate, p99", "embedding, p50"];
        self.report.table(&head, rows.collect());
        Ok(())
    }

    fn console(&mut self) -> Result {
        let (memories, visits) = (self.plan.console, self.plan.console_visits);
        progress("the pages of the console");
        self.report.heading("The console");
        self.report.line(&format!(
            "A signed-in browser on a vault of {} memories, static model, one connection, {visits} visits each, from the request to \
             the last byte of the page.\n",
            thousands(memories)
        ));
        let times = console::visit(memories, visits, self.temporary()?.path())?;
        let rows = [
            ("first page", times.first, FIRST_PAGE_TARGET),
            ("page of a memory", times.memory, MEMORY_PAGE_TARGET),
        ];
        let rows = rows.map(|(name, measured, target)| {
            let quiet = time(measured.quiet_p50);
            vec![
                name.to_owned(),
                time(measured.p50),
                quiet,
                time(measured.p99),
                format!("≤ {}", time(target)),
            ]
        });
        self.report.table(&["", "p50", "quietest p50", "p99", "target of p50"], rows.to_vec());
        Ok(())
    }

    fn door(&mut self) -> Result {
        let Plan { personal, http_seconds, .. } = *self.plan;
        self.report.heading("The HTTP door under load");
        self.report.line(&format!(
            "`POST /v1/search` with a token on a hot vault of {}, {} connections for {http_seconds} s, each asking as soon as \
             it was answered; client and server share the machine. Beside it `/healthz` and `/readyz` are asked over new \
             connections. Overloaded: only {} requests are admitted, and the others are refused with 503.\n",
            thousands(personal),
            http::CONNECTIONS,
            http::ADMITTED,
        ));
        let settings = [
            ("static model", http::Setting { embedder: "static", requests_max: None }),
            ("sentence model", http::Setting { embedder: "sentence", requests_max: None }),
            (
                "static model, overloaded",
                http::Setting { embedder: "static", requests_max: Some(http::ADMITTED) },
            ),
        ];
        let mut rows = Vec::new();
        for (name, setting) in settings {
            progress(&format!("HTTP with the {name}"));
            let loaded = http::load(&setting, personal, http_seconds, self.temporary()?.path())?;
            rows.push(door_row(name, &loaded));
        }
        let head = [
            "",
            "driver",
            "answers per second",
            "p50",
            "p99",
            "refused",
            "errors",
            "health answered",
            "slowest",
        ];
        self.report.table(&head, rows);
        Ok(())
    }

    fn assistant(&mut self) -> Result {
        progress("a cold MCP server");
        let Plan { personal, starts, transcript_bytes, .. } = *self.plan;
        let cold = assistant::cold(personal, starts, self.temporary()?.path())?;
        self.report.heading("A cold MCP server");
        self.report.line(&format!(
            "`lacuna mcp` with the sentence model on a vault of {}, {starts} starts, each from the moment the program is \
             called; the files are in the system's cache.\n",
            thousands(personal)
        ));
        let rows = vec![
            cold_row("`initialize` is answered", cold.initialized, INITIALIZE_TARGET),
            cold_row("the first `recall` is answered", cold.recalled, FIRST_RECALL_TARGET),
        ];
        self.report.table(&["", "p50", "p99", "target", "p99 of target"], rows);

        progress("the hook before a long conversation is shortened");
        let hooks = assistant::pre_compact(transcript_bytes, self.temporary()?.path())?;
        self.report.heading("The hook before a long conversation is shortened");
        self.report.line(&format!(
            "`lacuna hook pre-compact` with the sentence model and its own time limit, called again and again with one \
             transcript of {} MiB of which nothing is sealed at first.\n",
            transcript_bytes >> 20
        ));
        let rows =
            hooks.iter().zip(1..).map(|(hooked, call)| hook_row(&format!("call {call}"), hooked)).collect();
        let head = ["", "took", "limit", "RAM at most", "target", "turns sealed", "summaries and facts"];
        self.report.table(&head, rows);
        Ok(())
    }

    fn talking(&mut self) -> Result {
        let Plan { turns, sessions, talkers, .. } = *self.plan;
        self.report.heading("Conversations");
        self.report.line(&format!(
            "{} turns over {sessions} sessions, a question and its answer in each append, in turn, over SQLite, under \
             the default policy; beside it the backlog, compaction, the purge, the sweep and the end of resting sessions. Afterwards every \
             session is ended and read back.\n",
            thousands(turns)
        ));
        let mut rows = Vec::new();
        for &people in talkers {
            progress(&format!("conversations of {people}"));
            let figures = sessions::talking(people, turns, sessions, self.temporary()?.path())?;
            if figures.read_back != figures.stored || figures.archived != figures.stored {
                return Err(format!(
                    "{} turns were stored, {} are read back, {} are archived",
                    figures.stored, figures.read_back, figures.archived
                )
                .into());
            }
            rows.extend(talked(&figures));
        }
        self.report.table(&["", "measured", "target", "of target"], rows);
        Ok(())
    }

    fn memory_peer(&self) -> Result<Option<std::result::Result<peers::MemoryAnswer, String>>> {
        let Some(python) = &self.python else { return Ok(None) };
        progress("mem0");
        let job = self.temporary()?;
        peers::write_memory_job(job.path(), self.plan.written, self.plan.deleted)?;
        Ok(Some(python.memory(job.path()).map_err(|reason| reason.to_string())))
    }

    fn temporary(&self) -> Result<tempfile::TempDir> {
        Ok(tempfile::tempdir_in(self.folder)?)
    }
}

fn talked(figures: &sessions::Talking) -> Vec<Row> {
    let mib = |bytes: usize| format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20));
    let whose = match figures.people {
        1 => "one person's vault".to_owned(),
        people => format!("the vaults of {people}"),
    };
    let per_second = super::measure::per_second(figures.turns, figures.took);
    vec![
        row(&format!("append, p50, in {whose}"), time(figures.append.p50), "–", "–"),
        row(
            "append, p99",
            time(figures.append.p99),
            &format!("≤ {}", time(APPEND_TARGET)),
            &ratio(figures.append.p99, APPEND_TARGET),
        ),
        row("append, slowest", time(figures.slowest), "–", "–"),
        row("turns per second", format!("{per_second:.0}"), "–", "–"),
        row(
            "in RAM before and after",
            format!("{} → {}", mib(figures.resident_before), mib(figures.resident_after)),
            "–",
            "–",
        ),
        row(
            "stored, read back, in transcripts",
            format!(
                "{}, {}, {}",
                thousands(figures.stored),
                thousands(figures.read_back),
                thousands(figures.archived)
            ),
            "the same",
            "–",
        ),
        row(
            "held for the session, not taken by the gate",
            format!("{}, {}", thousands(figures.held), thousands(figures.refused)),
            "–",
            "–",
        ),
        row("sessions ended meanwhile", figures.jobs.ended.to_string(), "–", "–"),
        row("turns compacted meanwhile", thousands(figures.jobs.compacted), "–", "–"),
    ]
}

/// Rows on remembering and deleting, beside the peer where it was measured.
fn writing_rows(ours: &lifecycle::Writing, theirs: Option<&peers::MemoryAnswer>) -> Vec<Row> {
    let rate = |rate: f64| format!("{rate:.0}/s");
    let cell = |value: Option<String>| value.unwrap_or_else(|| "–".into());
    vec![
        vec![
            "remember, until acknowledged".into(),
            rate(ours.acknowledged_per_second),
            cell(theirs.map(|peer| rate(peer.remembered_per_second()))),
            cell(theirs.map(|peer| times(ours.acknowledged_per_second / peer.remembered_per_second()))),
            format!("≥ {REMEMBER_RATIO_TARGET}× the peer"),
        ],
        vec![
            "remember, until complete".into(),
            rate(ours.embedded_per_second),
            cell(theirs.map(|peer| rate(peer.remembered_per_second()))),
            cell(theirs.map(|peer| times(ours.embedded_per_second / peer.remembered_per_second()))),
            "–".into(),
        ],
        vec![
            "one batch acknowledged, p50".into(),
            time(ours.batch.p50),
            cell(theirs.map(|peer| time(peer.batch().p50))),
            cell(theirs.map(|peer| ratio(peer.batch().p50, ours.batch.p50))),
            "–".into(),
        ],
        vec![
            "recall with the question's embedding, p50".into(),
            time(ours.recall.p50),
            cell(theirs.map(|peer| time(peer.search().p50))),
            cell(theirs.map(|peer| ratio(peer.search().p50, ours.recall.p50))),
            "–".into(),
        ],
        vec![
            "delete one, p50".into(),
            time(ours.delete.p50),
            "–".into(),
            "–".into(),
            format!("≤ {} ({} of it)", time(DELETE_TARGET), ratio(ours.delete.p50, DELETE_TARGET)),
        ],
    ]
}

fn cold_row(name: &str, latency: Latency, target: Duration) -> Row {
    let Latency { p50, p99, .. } = latency;
    vec![name.to_owned(), time(p50), time(p99), format!("≤ {}", time(target)), ratio(p99, target)]
}

/// The work of one hook.
fn hook_row(name: &str, hooked: &assistant::Hooked) -> Row {
    let mib = |kib: u64| format!("{} MiB", kib >> 10);
    vec![
        name.to_owned(),
        time(hooked.took),
        format!("≤ {}", time(hooked.limit)),
        mib(hooked.peak_kib),
        format!("≤ {}", mib(HOOK_RAM_TARGET_KIB)),
        thousands(hooked.turns),
        thousands(hooked.summaries + hooked.facts),
    ]
}

fn door_row(name: &str, loaded: &http::Loaded) -> Row {
    let health = &loaded.health;
    vec![
        name.to_owned(),
        loaded.driver.to_owned(),
        thousands(loaded.per_second as usize),
        time(loaded.p50),
        time(loaded.p99),
        thousands(loaded.refused),
        thousands(loaded.failed),
        format!("{} of {}", health.answered, health.asked),
        time(health.slowest),
    ]
}

fn progress(what: &str) {
    eprintln!("bench: {what}");
}

fn target(count: usize) -> Option<Duration> {
    RECALL_TARGETS.iter().find(|(size, _)| *size == count).map(|(_, target)| *target)
}

fn row(name: &str, measured: String, target: &str, of_target: &str) -> Vec<String> {
    vec![name.to_owned(), measured, target.to_owned(), of_target.to_owned()]
}

fn own_row(ours: &Figures) -> Row {
    vec![
        thousands(ours.count),
        "**Lacuna**, meaning and words".into(),
        time(ours.hybrid.p50),
        time(ours.hybrid.p99),
        "1".into(),
        ratio(ours.hybrid.p50, ours.meaning.p50),
        format!("{:.4}", ours.recall),
        time(ours.filled_in),
    ]
}

fn unmeasured(count: usize, peer: &str, reason: &dyn std::error::Error) -> Row {
    let reason = reason.to_string().replace('|', "/");
    let mut row = vec![thousands(count), format!("{peer}: not measured ({reason})")];
    row.resize(BESIDE_HEAD.len(), "–".into());
    row
}
