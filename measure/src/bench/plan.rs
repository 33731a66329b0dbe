//! The sizes of a measurement.

pub(super) struct Plan {
    /// Sizes at which recall goes through a vault.
    pub(super) vaults: &'static [usize],
    /// The size at which it goes through the index alone.
    pub(super) bare: usize,
    pub(super) questions: usize,
    /// Recalls that are timed, at small sizes; at large ones fewer.
    pub(super) recalls: usize,
    /// Questions to the peers at sizes where each takes long.
    pub(super) questions_to_slow_peers: usize,
    /// Sizes at which the peers are measured too.
    pub(super) peers_at: &'static [usize],
    /// Sentences whose vectors by the static and by the sentence model the exactness is measured on.
    pub(super) exact_static: &'static [usize],
    pub(super) exact_sentence: usize,
    /// The size of the vault that has neighbours, and of the one that is opened cold.
    pub(super) personal: usize,
    pub(super) neighbours: &'static [usize],
    pub(super) openings: usize,
    /// Memories remembered with their embedding, and questions and deletions after that.
    pub(super) written: usize,
    pub(super) deleted: usize,
    /// Texts of each kind that the gate is timed on.
    pub(super) gated: usize,
    /// Memories that mention what is forgotten at once.
    pub(super) mentions: usize,
    /// Turns that are appended, over how many sessions, and how many people have them.
    pub(super) turns: usize,
    pub(super) sessions: usize,
    pub(super) talkers: &'static [usize],
    /// Memories of the vault that the console shows, and visits to each of its pages.
    pub(super) console: usize,
    pub(super) console_visits: usize,
    /// Seconds of each load on the HTTP door.
    pub(super) http_seconds: u64,
    /// Cold starts of the MCP server.
    pub(super) starts: usize,
    /// The size of the transcript that a hook is given.
    pub(super) transcript_bytes: usize,
}

pub(super) const FULL: Plan = Plan {
    vaults: &[1_000, 5_000, 50_000, 100_000],
    bare: 1_000_000,
    questions: 200,
    recalls: 2_000,
    questions_to_slow_peers: 20,
    peers_at: &[5_000, 50_000, 1_000_000],
    exact_static: &[5_000, 50_000, 1_000_000],
    exact_sentence: 20_000,
    personal: 5_000,
    neighbours: &[0, 100, 1_000],
    openings: 30,
    written: 1_000,
    deleted: 200,
    gated: 500,
    mentions: 500,
    turns: 100_000,
    sessions: 100,
    talkers: &[10, 1],
    console: 50_000,
    console_visits: 300,
    http_seconds: 20,
    starts: 20,
    transcript_bytes: 50 << 20,
};

pub(super) const QUICK: Plan = Plan {
    vaults: &[100, 500],
    bare: 1_000,
    questions: 20,
    recalls: 20,
    questions_to_slow_peers: 5,
    peers_at: &[500],
    exact_static: &[500],
    exact_sentence: 30,
    personal: 100,
    neighbours: &[0, 5],
    openings: 3,
    written: 100,
    deleted: 10,
    gated: 20,
    mentions: 20,
    turns: 40,
    sessions: 4,
    talkers: &[2],
    console: 200,
    console_visits: 20,
    http_seconds: 1,
    starts: 2,
    transcript_bytes: 100 << 10,
};
