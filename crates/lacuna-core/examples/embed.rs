//! Embeds Lacuna in a program: opens a memory, remembers a text and recalls it.
//!
//! Run it with `cargo run -p lacuna-core --example embed`.

#![allow(clippy::print_stdout, reason = "the example shows what it recalls")]

use std::sync::Arc;

use lacuna_core::gate::Rulebook;
use lacuna_core::permit::{Caller, Recall, Remember, permit};
use lacuna_core::read::Query;
use lacuna_core::vault::Models;
use lacuna_core::{Lacuna, OPEN_BYTES_MAX_DEFAULT, Parts};
use lacuna_seal::SystemEntropy;
use lacuna_store::{Blobs, LocalKms, RamKeys, RamStore};
use lacuna_types::{Draft, OrgId, Role, SystemClock, UserId};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let lacuna = Lacuna::new(Parts {
        // For memories that outlive the process: `SqliteStore` and `SqliteKeys`, each with a file of its own.
        store: Arc::new(RamStore::default()),
        keys: Arc::new(RamKeys::default()),
        // The master, epoch and signing keys: files in this folder, each made when it is first needed.
        kms: LocalKms::open(&folder.path().join("keys"), None)?,
        // Sealed texts that are too large for a row.
        blobs: Blobs::open(folder.path().join("blobs"))?,
        models: Models::only(lacuna_models::static_embedder()?),
        // The default policy and the built-in rules for secrets.
        rules: Rulebook::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        open_bytes_max: OPEN_BYTES_MAX_DEFAULT,
    });

    // The program says who calls; `permit` decides and returns a grant.
    let anna = Caller::new(OrgId::new("acme")?, UserId::new("anna")?, vec![Role::User]);
    let own = anna.personal_scope();

    // The gate may store a draft, ask about it or refuse it; `stored` makes an error of the last two.
    let draft = Draft { text: "The orchid wants water on Tuesdays.".into(), ..Draft::default() };
    let outcomes = lacuna.remember(&permit::<Remember>(&anna, &own)?, vec![draft])?;
    for outcome in outcomes {
        println!("remembered as {}", outcome.stored()?.id);
    }

    let query = Query::new("When do I water the orchid?");
    for hit in lacuna.recall(&permit::<Recall>(&anna, &own)?, &query)?.hits {
        println!("{:.2}  {}", hit.similarity, hit.memory.content.full_text().expose());
    }
    Ok(())
}
