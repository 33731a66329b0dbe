//! Embeds Lacuna in a program: opens a memory, remembers a text and recalls it.
//!
//! Run it with `cargo run -p lacuna-core --example embed`.

#![allow(clippy::print_stdout, reason = "the example shows what it recalls")]

use std::sync::Arc;

use lacuna_core::permit::{Caller, Recall, Remember, permit};
use lacuna_core::read::Query;
use lacuna_core::{Lacuna, Parts};
use lacuna_store::{Blobs, LocalKms, RamKeys, RamStore};
use lacuna_types::{Draft, OrgId, Role, UserId};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    // For memories that outlive the process: `SqliteStore` and `SqliteKeys`, each with a file of its own.
    let (store, keys) = (Arc::new(RamStore::default()), Arc::new(RamKeys::default()));
    // The master, epoch and signing keys: files in this folder, each made when it is first needed.
    let kms = LocalKms::open(&folder.path().join("keys"), None)?;
    // Sealed texts that are too large for a row.
    let blobs = Blobs::open(folder.path().join("blobs"))?;
    // The default policy; set the fields of `Parts` for another policy, clock or model.
    let lacuna = Lacuna::new(Parts::new(store, keys, kms, blobs, lacuna_models::static_embedder()?));

    // The program says who calls; `permit` decides and returns a grant.
    let anna = Caller::new(OrgId::new("acme")?, UserId::new("anna")?, vec![Role::User]);
    let own = anna.personal_scope();

    // The gate may store a draft, ask about it or refuse it; `stored` makes an error of the last two.
    let draft = Draft { text: "The orchid wants water on Tuesdays.".into(), ..Draft::default() };
    let stored = lacuna.remember(&permit::<Remember>(&anna, &own)?, vec![draft])?.remove(0).stored()?;
    println!("remembered as {}", stored.id);

    let query = Query::new("When do I water the orchid?");
    for hit in lacuna.recall(&permit::<Recall>(&anna, &own)?, &query)?.hits {
        println!("{:.2}  {}", hit.similarity, hit.memory.content.full_text().expose());
    }
    Ok(())
}
