//! A server that is writing and erasing dies at a random moment, again and again.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::{Server, is_long};

/// Deaths per run, and in a long one; `LACUNA_TEST_KILLS` sets another number.
const KILLS: usize = 200;
const LONG_KILLS: usize = 600;
const WRITERS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(10);

/// What the server has promised so far.
#[derive(Default)]
struct Promises {
    kept: Mutex<BTreeSet<String>>,
    erased: Mutex<BTreeSet<String>>,
    /// Asked to be erased without an answer: may be there or not.
    unsure: Mutex<BTreeSet<String>>,
}

impl Promises {
    fn answers(&self) -> usize {
        self.kept.lock().unwrap().len() + self.erased.lock().unwrap().len()
    }
}

#[test]
fn hundreds_of_deaths_lose_nothing_acknowledged() {
    let kills = if is_long() { LONG_KILLS } else { KILLS };
    let kills = std::env::var("LACUNA_TEST_KILLS").map_or(kills, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let promises = Promises::default();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..kills {
        let mut server = Server::start(folder.path(), &["--embedder", "static"]);
        verify(&server.base, &promises);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Some answers first, however slow the machine is, and then a random moment in the middle of a write.
        let answers = (random >> 60) as usize;
        let moment = Duration::from_micros(random >> 33 & 0x1fff);
        let before = promises.answers();
        let dead = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (base, promises, dead) = (&server.base, &promises, &dead);
                scope.spawn(move || write_until_death(base, promises, dead, writer));
            }
            let deadline = Instant::now() + PATIENCE;
            while promises.answers() < before + answers && Instant::now() < deadline {
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(moment);
            server.child.kill().unwrap();
            server.child.wait().unwrap();
            dead.store(true, Ordering::Relaxed);
        });
    }
    let server = Server::start(folder.path(), &["--embedder", "static"]);
    verify(&server.base, &promises);
    let kept = promises.kept.lock().unwrap().len();
    let erased = promises.erased.lock().unwrap().len();
    eprintln!("| a server that writes and erases | {kills} | {kept} kept, {erased} erased |");
    assert!(kept > 0 && erased > 0, "the load was real: {kept} kept, {erased} erased");
}

fn write_until_death(base: &str, promises: &Promises, dead: &AtomicBool, writer: usize) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    while !dead.load(Ordering::Relaxed) {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let draft = serde_json::json!({ "content": format!("note {number} by writer {writer}") });
        let Ok(mut answer) = ureq::post(format!("{base}/v1/memories")).send_json(draft) else { continue };
        let Ok(answer) = answer.body_mut().read_json::<serde_json::Value>() else { continue };
        let id = answer["memory_id"].as_str().unwrap().to_owned();
        if !number.is_multiple_of(3) {
            promises.kept.lock().unwrap().insert(id);
            continue;
        }
        promises.unsure.lock().unwrap().insert(id.clone());
        if ureq::delete(format!("{base}/v1/memories/{id}")).call().is_ok() {
            promises.unsure.lock().unwrap().remove(&id);
            promises.erased.lock().unwrap().insert(id);
        }
    }
}

fn verify(base: &str, promises: &Promises) {
    let there = all_ids(base);
    let kept = promises.kept.lock().unwrap();
    let lost: Vec<_> = kept.difference(&there).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let erased = promises.erased.lock().unwrap();
    let revived: Vec<_> = erased.intersection(&there).collect();
    assert!(revived.is_empty(), "erased and back: {revived:?}");
    let report: serde_json::Value =
        ureq::get(format!("{base}/v1/audit/verify")).call().unwrap().body_mut().read_json().unwrap();
    let entries = report["entries"].as_u64().unwrap();
    assert!(entries >= (kept.len() + 3 * erased.len()) as u64, "{entries} entries");
}

fn all_ids(base: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let mut query = "limit=500".to_owned();
    loop {
        let url = format!("{base}/v1/memories?{query}");
        let page: serde_json::Value = ureq::get(url).call().unwrap().body_mut().read_json().unwrap();
        let memories = page["memories"].as_array().unwrap();
        ids.extend(memories.iter().map(|memory| memory["memory_id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(cursor) => query = format!("limit=500&cursor={cursor}"),
            None => return ids,
        }
    }
}
