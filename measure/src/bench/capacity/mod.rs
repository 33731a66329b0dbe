//! Capacity: users and their memories in PostgreSQL, served by three nodes, at sizes that grow tenfold. Figures at one size stand
//! beside those at the others.

mod database;
mod fill;
mod load;
mod nodes;
mod page;
mod processes;
mod stage;

use std::path::Path;
use std::time::Duration;

use self::database::Database;
use self::fill::Filler;
use self::nodes::{Fleet, NODES};
use self::stage::Bench;
use super::program;
use super::report::replace_part;
use crate::Result;

/// Sizes of a whole run: ten million memories in the end.
const USERS: [usize; 3] = [20, 200, 2_000];
const MEMORIES: usize = 5_000;
const SECONDS: u64 = 15;
/// Sizes at which the driver is only tried.
const QUICK_USERS: [usize; 2] = [3, 6];
const QUICK_MEMORIES: usize = 50;
const QUICK_SECONDS: u64 = 1;
/// RAM of everything: a part for each node, and one for PostgreSQL.
const RAM_BYTES: u64 = 24 << 30;
/// Of a node's part, RAM for opened vaults; the rest is for the model, for requests, and for what is being opened.
const OPEN_PERCENT: u64 = 75;

#[derive(clap::Args)]
pub(super) struct CapacityOptions {
    /// For `--only capacity`: numbers of users, each measured on top of the last [default: 20,200,2000].
    #[arg(long, value_delimiter = ',', value_name = "COUNTS")]
    users: Vec<usize>,
    /// For `--only capacity`: memories of each user [default: 5000].
    #[arg(long, value_name = "COUNT")]
    memories: Option<usize>,
    /// For `--only capacity`: length of each load [default: 15].
    #[arg(long)]
    seconds: Option<u64>,
    /// For `--only capacity`: also writes the figures into `bench/RESULTS.md`.
    #[arg(long)]
    write: bool,
}

/// Measures at each size the program that is given or else built, `command` being the words that asked for it. The files of the
/// databases are under `folder`, and are deleted at the end.
pub(super) fn run(
    options: &CapacityOptions,
    program: Option<&Path>,
    quick: bool,
    command: &str,
    folder: &Path,
) -> Result {
    let (users, memories, seconds) = match quick {
        true => (&QUICK_USERS[..], QUICK_MEMORIES, QUICK_SECONDS),
        false => (&USERS[..], MEMORIES, SECONDS),
    };
    let users = if options.users.is_empty() { users } else { &options.users };
    if users.contains(&0) || !users.is_sorted() || options.memories == Some(0) {
        return Err("numbers of users must grow, and nobody has no memories".into());
    }
    let memories = options.memories.unwrap_or(memories);
    let time = Duration::from_secs(options.seconds.unwrap_or(seconds));
    let program = program::given_or_built(program)?;

    let home = tempfile::tempdir_in(folder)?;
    let database = Database::start(folder)?;
    let version = database.version().to_owned();
    let filler = Filler::new(&database, home.path(), memories)?;
    let open_bytes_max = RAM_BYTES / (NODES as u64 + 1) * OPEN_PERCENT / 100;
    let fleet = Fleet { program, keys_of: home.path().to_owned(), open_bytes_max };
    let token = filler.token()?;
    let mut bench = Bench { database, filler, fleet, token, memories, time, folder: home.path() };
    let stages = users.iter().map(|&users| bench.measure(users)).collect::<Result<Vec<_>>>()?;
    let page = page::write(command, &version, memories, time, &stages);
    if options.write { replace_part(page::TITLE, &page) } else { Ok(()) }
}
