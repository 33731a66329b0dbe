use lacuna_core::permit::ManageKeys;
use lacuna_store::keys::KeyBatch;

use super::*;

fn admin() -> Grant<ManageKeys> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("boss") };
    permit(&caller, &caller.org_scope()).unwrap()
}

#[test]
fn a_new_epoch_keeps_every_memory_and_blinds_old_copies_of_the_keystore() {
    let world = World::ram();
    let lacuna = world.service();
    for user in ["anna", "bert"] {
        lacuna.keep(user, "The spare key is under the third stone.").unwrap();
    }
    let vault = scope("anna").vault_id();
    let old_copy = world.keys.vault_keys(vault).unwrap().unwrap();

    let mut heard = 0;
    let renewal = lacuna.renew_epoch(&admin(), |vaults| heard = vaults).unwrap();
    assert_eq!((renewal.epoch, renewal.vaults, renewal.destroyed, heard), (2, 2, 1, 2));
    for service in [lacuna, world.service()] {
        assert_eq!(service.texts("anna", "where is the spare key?").len(), 1);
        service.keep("carl", "A vault that is born into the new epoch.").unwrap();
    }

    let stolen = RamKeys::default();
    let batch = KeyBatch {
        root: Some((old_copy.root, None)),
        classes: old_copy.classes,
        ..KeyBatch::new(vault, world.clock.now())
    };
    stolen.commit(batch).unwrap();
    let models = Models::only(static_model());
    let thief = world.service_of(world.store.clone(), Arc::new(stolen), models, usize::MAX);
    assert_eq!(thief.ask("anna", "spare key").err().unwrap().code(), "missing_key");
}
