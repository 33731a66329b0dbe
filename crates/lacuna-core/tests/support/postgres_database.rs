//! PostgreSQL for tests: one database each, in the server that `cargo xtask test` starts.

use postgres::{Client, NoTls};

const SERVER_VARIABLE: &str = "LACUNA_TEST_POSTGRES";

/// A database of this test's own, dropped at its end.
pub(crate) struct Database {
    server: String,
    name: String,
}

impl Database {
    /// `None` without a server, which a plain `cargo test` may do and `cargo xtask test` never does.
    pub(crate) fn make(test: &str) -> Option<Self> {
        let Ok(server) = std::env::var(SERVER_VARIABLE) else {
            eprintln!("skipped: {SERVER_VARIABLE} is not set; `cargo xtask test` sets it");
            return None;
        };
        let database = Self { server, name: format!("lacuna_{test}_{}", std::process::id()) };
        database.admin(&format!("CREATE DATABASE {}", database.name));
        Some(database)
    }

    pub(crate) fn url(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').unwrap();
        format!("{server}/{}", self.name)
    }

    pub(crate) fn admin(&self, sql: &str) {
        Client::connect(&self.server, NoTls).unwrap().batch_execute(sql).unwrap();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.admin(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}
