//! Finishing what a crash interrupted in one vault.

use lacuna_types::Result;
use lacuna_types::*;

use crate::erase::finish::{
    ORPHAN_KEY_AGE, delete_stray_blobs, destroy_announced, destroy_stray_keys, finish_erasures,
};
use crate::transfer::promote::finish_moves;
use crate::vault::secrets::is_locked;
use crate::vault::service::Service;

/// Finishes what a crash interrupted in one vault: announced moves and erasures, and keys and blobs whose record
/// never came. Answers with the number of keys destroyed. In a locked vault the keys of announced erasures are destroyed,
/// and the rest waits.
pub(crate) fn recover(service: &Service, scope: &Scope) -> Result<usize> {
    match finish_moves(service, scope) {
        Err(error) if is_locked(&error) => {
            destroy_announced(&service.reader(scope).lock())?;
            return Ok(0);
        }
        moved => moved?,
    };
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_erasures(&writer)?;
    delete_stray_blobs(&writer)?;
    destroy_stray_keys(&writer)
}

/// Finishes erasures after every write, and runs all of [`recover`] once in a while: looking for moves and stray
/// keys goes through the whole vault while its writers wait, and a key becomes a stray only after a time.
pub(crate) fn recover_again(service: &Service, scope: &Scope) -> Result<()> {
    let (reader, now) = (service.reader(scope), service.clock.now());
    if reader.slot().was_recovered_since(now - ORPHAN_KEY_AGE) {
        let writer = reader.lock();
        return finish_erasures(&writer);
    }
    recover(service, scope)?;
    reader.slot().note_recovered(now);
    Ok(())
}
