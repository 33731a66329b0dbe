//! Real servers as a company runs them: PostgreSQL with a synchronous replica, SeaweedFS, OpenBao and three nodes that share
//! nothing but addresses; and people who use all of them at once.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bao::Bao;
use crate::own_postgres::{Machine, OwnPostgres};
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed};
use crate::service::{EVERYTHING, service};
use crate::support::{Answer, Home, Server};

pub(crate) const NODES: usize = 3;
const PRIMARY: &str = "primary";
pub(crate) const REPLICA: &str = "replica";
const PEOPLE: [&str; 3] = ["anna", "ben", "cleo"];
/// The longest wait for nodes that go on after a server died.
const RECOVERY_WAIT: Duration = Duration::from_secs(90);
const POLL: Duration = Duration::from_millis(20);
/// One in so many texts is too large for a row.
const LARGE_EVERY: usize = 4;
/// One in so many turns forgets something.
const FORGET_EVERY: usize = 3;
/// Seconds after which a node asks the key management service again.
const CACHE_SECONDS: &str = "1";

/// A server of the cluster that can die.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Victim {
    Node(usize),
    Postgres,
    OpenBao,
    SeaweedFs,
}

/// Everything that a cluster runs on, and its nodes.
pub(crate) struct Cluster {
    pub(crate) machine: Machine,
    /// The PostgreSQL servers by the names of their folders; those that died are not here.
    databases: Mutex<BTreeMap<&'static str, OwnPostgres>>,
    /// The ports of primary and replica, which addresses name.
    ports: [u16; 2],
    seaweed: Mutex<Seaweed>,
    pub(crate) bao: Mutex<Bao>,
    homes: Vec<Home>,
    nodes: Vec<RwLock<Server>>,
    token: String,
    /// The home of whoever runs commands beside the nodes.
    pub(crate) operator: Home,
}

impl Cluster {
    /// `None` where a plain `cargo test` runs without the servers; `cargo xtask test` has them.
    pub(crate) fn start() -> Option<Self> {
        Self::start_as(Home::program_under_test())
    }

    /// The same with nodes of another program, which `upgrade` replaces.
    pub(crate) fn start_as(program: PathBuf) -> Option<Self> {
        let (machine, seaweed, bao) = (Machine::new()?, Seaweed::start()?, Bao::start()?);
        let (primary, replica) = machine.pair();
        for database in ["lacuna", "lacuna_keys"] {
            primary.admin(&format!("CREATE DATABASE {database}"));
        }
        seaweed.shell("s3.bucket.create -name memories");
        let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port, replica.port);
        let home = || node_home(&bao, &seaweed, &hosts).running(&program);
        let (operator, homes) = (home(), (0..NODES).map(|_| home()).collect::<Vec<_>>());
        let token = service(&operator, "crm", &EVERYTHING);
        let nodes = homes.iter().map(|home| RwLock::new(serve(home, &token))).collect();
        let ports = [primary.port, replica.port];
        let databases = Mutex::new(BTreeMap::from([(PRIMARY, primary), (REPLICA, replica)]));
        let (seaweed, bao) = (Mutex::new(seaweed), Mutex::new(bao));
        let cluster = Self { machine, databases, ports, seaweed, bao, homes, nodes, token, operator };
        for person in PEOPLE {
            cluster.node(0).put(&format!("/v1/users/{person}")).expect(204);
        }
        Some(cluster)
    }

    pub(crate) fn node(&self, number: usize) -> RwLockReadGuard<'_, Server> {
        self.nodes[number % NODES].read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a server as a power cut would, whatever it is doing.
    pub(crate) fn kill(&self, victim: Victim) {
        match victim {
            Victim::Node(number) => self.node(number).signal("KILL"),
            Victim::Postgres => self.databases.lock().unwrap().remove(PRIMARY).unwrap().kill(),
            Victim::OpenBao => self.bao.lock().unwrap().kill(),
            Victim::SeaweedFs => self.seaweed.lock().unwrap().kill(),
        }
    }

    /// Starts it again, with its files.
    pub(crate) fn start_again(&self, victim: Victim) {
        match victim {
            Victim::Node(number) => {
                let started = serve(&self.homes[number], &self.token);
                *self.nodes[number].write().unwrap_or_else(PoisonError::into_inner) = started;
            }
            Victim::Postgres => self.start_database(PRIMARY, 0),
            Victim::OpenBao => {
                let mut bao = self.bao.lock().unwrap();
                bao.start_again();
                bao.unseal();
            }
            Victim::SeaweedFs => self.seaweed.lock().unwrap().start_again(),
        }
    }

    /// Starts a PostgreSQL server with the files of that name, as one of the two that addresses name.
    pub(crate) fn start_database(&self, name: &'static str, place: usize) {
        let started = self.machine.start_on(name, self.ports[place]);
        self.databases.lock().unwrap().insert(name, started);
    }

    /// Ends a PostgreSQL server in good order.
    pub(crate) fn stop_database(&self, name: &str) {
        drop(self.databases.lock().unwrap().remove(name).unwrap());
    }

    /// Keeps the files of the primary as they are now.
    pub(crate) fn take_snapshot(&self, name: &str) {
        self.machine.snapshot(&self.databases.lock().unwrap()[PRIMARY], name);
    }

    pub(crate) fn promote_replica(&self) {
        self.databases.lock().unwrap()[REPLICA].admin("SELECT pg_promote()");
    }

    /// Asks a node to stop, and waits until it has.
    pub(crate) fn stop_node(&self, number: usize) {
        self.node(number).signal("TERM");
        eventually("the node stops", || TcpStream::connect(self.node(number).authority()).is_err());
    }

    /// Stops a node in good order and starts it with the program under test.
    pub(crate) fn upgrade(&self, number: usize) {
        self.stop_node(number);
        self.homes[number].install(&Home::program_under_test());
        self.start_again(Victim::Node(number));
    }

    /// One request of a person at one node; `None` when the node is gone.
    fn try_call(&self, node: usize, person: &str, method: &str, path: &str, body: &Value) -> Option<Answer> {
        let headers = [("content-type", "application/json"), ("lacuna-user", person)];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.node(node).try_send(method, path, &headers, body.as_bytes()).ok()
    }

    #[track_caller]
    pub(crate) fn call(&self, node: usize, person: &str, method: &str, path: &str, body: &Value) -> Answer {
        self.try_call(node, person, method, path, body).expect("the node answers")
    }

    #[track_caller]
    pub(crate) fn remember(&self, node: usize, person: &str, text: &str) -> String {
        let stored = self.call(node, person, "POST", "/v1/memories", &json!({"content": text})).expect(201);
        stored["memory_id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn forget(&self, node: usize, person: &str, id: &str) {
        self.call(node, person, "DELETE", &format!("/v1/memories/{id}"), &Value::Null).expect(200);
    }

    /// Ids that a search at one node finds.
    #[track_caller]
    pub(crate) fn found(&self, node: usize, person: &str, words: &str) -> BTreeSet<String> {
        let found = self.call(node, person, "POST", "/v1/search", &json!({"query": words})).expect(200);
        ids_in(&found)
    }

    /// Ids of everything that a node lists.
    fn listed(&self, node: usize, person: &str) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        let mut path = "/v1/memories?limit=500".to_owned();
        loop {
            let page = self.call(node, person, "GET", &path, &Value::Null).expect(200);
            ids.extend(ids_in(&page));
            match page["next_cursor"].as_str() {
                Some(cursor) => path = format!("/v1/memories?limit=500&cursor={cursor}"),
                None => return ids,
            }
        }
    }
}

fn serve(home: &Home, token: &str) -> Server {
    let mut server = home.serve(&[]);
    server.bearing(token);
    server
}

/// A home of its own on the shared servers.
fn node_home(bao: &Bao, seaweed: &Seaweed, hosts: &str) -> Home {
    let endpoint = seaweed.endpoint();
    bao.home()
        .with("LACUNA_STORE", &format!("postgres://lacuna@{hosts}/lacuna"))
        .with("LACUNA_KEYS", &format!("postgres://lacuna@{hosts}/lacuna_keys"))
        .with("LACUNA_BLOBS", &format!("s3://memories?region=eu-central-1&endpoint={endpoint}"))
        .with("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        .with("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        .with("LACUNA_CUSTODY_CACHE_SECONDS", CACHE_SECONDS)
        .with("LACUNA_HTTP_NODES", "node-1,node-2,node-3")
}

fn ids_in(answer: &Value) -> BTreeSet<String> {
    let memories = answer["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["memory_id"].as_str().unwrap().to_owned()).collect()
}

/// Asks until the answer is as wanted, for things that happen within a bound of time.
#[track_caller]
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < RECOVERY_WAIT, "not in time: {what}");
        std::thread::sleep(POLL);
    }
}

/// Sentences that are too many bytes for a row, and few enough letters for a memory.
pub(crate) fn large_text() -> String {
    "海は静かで、風は弱い。".repeat(800)
}

/// A text that needs a blob in every fourth turn.
fn text_of(person: &str, turn: usize) -> String {
    let short = format!("The heron number {turn} of {person} stands in pond {}.", turn * 7);
    match turn.is_multiple_of(LARGE_EVERY) {
        true => format!("{short} {}", large_text()),
        false => short,
    }
}

/// The answers that one person got.
#[derive(Default)]
struct Acknowledged {
    /// Ids of everything that was there before.
    before: BTreeSet<String>,
    /// Texts by id that were acknowledged and not forgotten.
    kept: BTreeMap<String, String>,
    forgotten: BTreeSet<String>,
    /// Asked to be forgotten without an answer: may be there or not.
    unsure: BTreeSet<String>,
    /// Writes without an answer.
    unanswered: usize,
    /// Searches that showed something forgotten.
    stale: usize,
    /// Refusals by their code, and requests to nodes that were gone.
    refused: BTreeMap<String, usize>,
    reads: usize,
}

impl Acknowledged {
    fn writes(&self) -> usize {
        self.kept.len() + 2 * self.forgotten.len()
    }

    /// Sorts an answer: what was done, or `None` with the refusal counted.
    fn sort(&mut self, answer: Option<Answer>) -> Option<Value> {
        let code = match answer {
            Some(answer) if answer.status < 300 => return Some(answer.json()),
            Some(answer) => {
                assert_eq!(answer.status, 503, "{}", answer.text());
                assert_eq!(answer.header("content-type"), Some("application/problem+json"));
                answer.json()["code"].as_str().unwrap().to_owned()
            }
            None => "gone".to_owned(),
        };
        *self.refused.entry(code).or_default() += 1;
        None
    }

    /// Remembers at one node, forgets at another and searches at the third.
    fn take_turn(&mut self, cluster: &Cluster, person: &str, turn: usize) {
        let text = text_of(person, turn);
        let stored = cluster.try_call(turn, person, "POST", "/v1/memories", &json!({"content": text}));
        match self.sort(stored) {
            Some(stored) => {
                self.kept.insert(stored["memory_id"].as_str().unwrap().to_owned(), text);
            }
            None => self.unanswered += 1,
        }
        if turn.is_multiple_of(FORGET_EVERY)
            && let Some((id, _)) = self.kept.pop_first()
        {
            let path = format!("/v1/memories/{id}");
            let gone = cluster.try_call(turn + 1, person, "DELETE", &path, &Value::Null);
            if self.sort(gone).is_some() {
                self.forgotten.insert(id)
            } else {
                self.unsure.insert(id)
            };
        }
        let query = json!({"query": "herons that stand in a pond"});
        let found = cluster.try_call(turn + 2, person, "POST", "/v1/search", &query);
        if let Some(found) = self.sort(found) {
            self.reads += 1;
            self.stale += ids_in(&found).intersection(&self.forgotten).count();
        }
    }

    /// Compares with what every node has.
    fn verify(&self, cluster: &Cluster, person: &str) {
        for node in 0..NODES {
            let there = cluster.listed(node, person);
            let lost: Vec<_> = self.kept.keys().filter(|id| !there.contains(*id)).collect();
            assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
            let back: Vec<_> = self.forgotten.intersection(&there).collect();
            assert!(back.is_empty(), "forgotten and back: {back:?}");
            let is_known = |id: &&String| self.kept.contains_key(*id) || self.before.contains(*id);
            let extra = there.iter().filter(|id| !is_known(id)).count();
            assert!(extra <= self.unsure.len() + self.unanswered, "{extra} that nobody wrote");
            cluster.call(node, person, "GET", "/v1/audit/verify", &Value::Null).expect(200);
        }
        for (number, (id, text)) in self.kept.iter().enumerate() {
            let path = format!("/v1/memories/{id}");
            let shown = cluster.call(number, person, "GET", &path, &Value::Null).expect(200);
            assert!(shown["content"] == *text, "{id} has another text");
        }
        for (number, id) in self.forgotten.iter().enumerate() {
            let path = format!("/v1/memories/{id}");
            cluster.call(number, person, "GET", &path, &Value::Null).refused(404, "not_found");
        }
    }
}

/// What all people got together.
#[derive(Debug, Default)]
pub(crate) struct LoadReport {
    pub(crate) kept: usize,
    pub(crate) forgotten: usize,
    pub(crate) reads: usize,
    pub(crate) stale: usize,
    pub(crate) refused: BTreeMap<String, usize>,
}

/// People who use the cluster until they are told to stop.
pub(crate) struct Load<'a> {
    pub(crate) cluster: &'a Cluster,
    writes: [AtomicUsize; PEOPLE.len()],
    done: AtomicBool,
}

impl Load<'_> {
    /// Runs `act` while people use the cluster, and compares what they were told with what is there.
    pub(crate) fn during(cluster: &Cluster, act: impl FnOnce(&Load<'_>)) -> LoadReport {
        let load = Load { cluster, writes: Default::default(), done: AtomicBool::new(false) };
        let people = std::thread::scope(|threads| {
            let _end = EndOfLoad(&load.done);
            let lives = &load;
            let people: Vec<_> =
                (0..PEOPLE.len()).map(|number| threads.spawn(move || lives.live(number))).collect();
            act(&load);
            load.done.store(true, Ordering::Relaxed);
            people.into_iter().map(|person| person.join().unwrap()).collect::<Vec<_>>()
        });
        let mut report = LoadReport::default();
        for (person, told) in PEOPLE.iter().zip(&people) {
            told.verify(cluster, person);
            report.kept += told.kept.len();
            report.forgotten += told.forgotten.len();
            report.reads += told.reads;
            report.stale += told.stale;
            for (code, count) in &told.refused {
                *report.refused.entry(code.clone()).or_default() += count;
            }
        }
        assert_eq!(report.stale, 0, "a node answered what another one forgot");
        assert!(report.kept > 0 && report.forgotten > 0 && report.reads > 0, "the load was real: {report:?}");
        report
    }

    fn live(&self, number: usize) -> Acknowledged {
        // No text is said twice.
        static TURNS: AtomicUsize = AtomicUsize::new(1);
        let before = self.cluster.listed(number, PEOPLE[number]);
        let mut told = Acknowledged { before, ..Acknowledged::default() };
        while !self.done.load(Ordering::Relaxed) {
            told.take_turn(self.cluster, PEOPLE[number], TURNS.fetch_add(1, Ordering::Relaxed));
            self.writes[number].store(told.writes(), Ordering::Relaxed);
        }
        told
    }

    /// Waits until each person has got a yes to so many more writes.
    pub(crate) fn wait_for_writes(&self, more: usize) {
        let now = || self.writes.each_ref().map(|count| count.load(Ordering::Relaxed));
        let before = now();
        eventually("everybody's writes are acknowledged", || {
            now().iter().zip(&before).all(|(now, before)| *now >= before + more)
        });
    }
}

/// Ends the load however the test ends.
struct EndOfLoad<'a>(&'a AtomicBool);

impl Drop for EndOfLoad<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
