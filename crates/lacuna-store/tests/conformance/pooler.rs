//! A pooler in transaction mode between us and the server: the same suite, with fewer connections than callers.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lacuna_store::keys::PostgresKeys;
use lacuna_store::rows::PostgresStore;

use crate::own_postgres::Machine;
use crate::{key_suite, suite};

const START_WAIT: Duration = Duration::from_secs(30);

struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// PgBouncer before a server, with two connections for all; `None` where it is not installed.
fn pooler(machine: &Machine, server: u16) -> Option<(Pooler, u16)> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let settings = machine.path("pgbouncer.ini");
    let text = format!(
        "[databases]\npostgres = host=127.0.0.1 port={server} user=lacuna\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
         listen_port = {port}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nunix_socket_dir =\n\
         max_client_conn = 200\n"
    );
    fs::write(&settings, text).unwrap();
    machine.own(&settings);
    let mut command = machine.dressed(Command::new("pgbouncer"));
    let started = command.arg(&settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(child) = started else {
        println!("skipped: pgbouncer is not installed; `cargo xtask test` installs it");
        return None;
    };
    let pooler = Pooler(child);
    let began = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert!(began.elapsed() < START_WAIT, "the pooler did not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    Some((pooler, port))
}

#[test]
fn the_stores_conform_behind_a_pooler() {
    let Some(machine) = Machine::new() else { return };
    machine.init("data", "fsync = off", "");
    let server = machine.start("data");
    let Some((_pooler, port)) = pooler(&machine, server.port) else { return };
    let url = format!("postgres://lacuna@127.0.0.1:{port}/postgres?pooler=transaction");
    let store = PostgresStore::open(&url).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| suite::conformance(&store));
        scope.spawn(|| key_suite::conformance(&PostgresKeys::open(&url).unwrap()));
    });
}
