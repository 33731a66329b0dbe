use lacuna_core::govern::TokenRequest;
use lacuna_core::permit::Retain;
use lacuna_core::vault::Settings;

use super::*;
use crate::authenticity::admin;

/// Rounds of forgetting on one node and asking another; `cluster_rounds` of the doors has many more, over real nodes.
const FORGOTTEN_ROUNDS: usize = 60;

#[test]
fn what_one_node_writes_or_erases_every_node_sees_at_once() {
    let world = World::sqlite();
    let (first, second) = (world.service(), world.service());
    let id = first.keep("anna", "The spare key is with the neighbour Ingrid.").unwrap();
    assert_eq!(second.ask("anna", "who has the spare key?").unwrap().hits[0].memory.id, id);
    second.keep("anna", "Ingrid moved to Bergen.").unwrap();
    assert_eq!(first.texts("anna", "Ingrid").len(), 2);
    first.erase("anna", id).unwrap();
    assert_eq!(second.texts("anna", "who has the spare key?"), Vec::<String>::new());
    assert_eq!(second.verified("anna"), 5);
}

#[test]
fn a_class_of_memories_that_another_node_began_is_opened_here_too() {
    let world = World::ram();
    let (first, second) = (world.service(), world.service());
    first.keep("anna", "I take the train to work.").unwrap();
    assert_eq!(second.texts("anna", "train").len(), 1);
    let health = Draft {
        sensitivity: vec![Sensitivity::Health],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..draft("I am allergic to penicillin.")
    };
    first.take("anna", health).unwrap();
    assert_eq!(second.texts("anna", "penicillin").len(), 1);
    assert_eq!(second.count(&grant::<Recall>("anna")).unwrap(), (2, 0));
}

#[test]
fn nodes_that_write_to_one_vault_at_once_lose_nothing() {
    let (_database, postgres) = World::postgres("nodes").unzip();
    for world in std::iter::once(World::sqlite()).chain(postgres) {
        write_from_three_nodes(&world);
    }
}

fn write_from_three_nodes(world: &World) {
    let services: Vec<Lacuna> = (0..3).map(|_| world.service()).collect();
    std::thread::scope(|scope| {
        for (node, lacuna) in services.iter().enumerate() {
            scope.spawn(move || {
                for note in 0..20 {
                    // A conflict that outlasts the retries is reported, and then the caller tries again.
                    while lacuna.keep("anna", &format!("note {note} of node {node}")).is_err() {}
                }
            });
        }
    });
    let fresh = world.service();
    assert_eq!(fresh.count(&grant::<Recall>("anna")).unwrap(), (60, 0));
    assert_eq!(fresh.verified("anna"), 60);
}

/// With an open vault, a call by a token asks for two revisions, and a write for little more than what it stores. On a server of
/// its own every question is a way there and back. A token that another node revokes is worth nothing from then on.
#[test]
fn a_call_of_a_known_token_asks_the_store_little() {
    let world = World::ram();
    let (lacuna, faults) = world.faulty();
    let counted = |call: &dyn Fn()| {
        let before = faults.operations();
        call();
        faults.operations() - before
    };
    let request = TokenRequest {
        user: UserId::new("anna").unwrap(),
        roles: vec![Role::User],
        operations: Vec::new(),
        without: Vec::new(),
        label: String::new(),
        expires_at: None,
    };
    let crew = || Group::Team(TeamId::new("crew").unwrap());
    let (made, token) = lacuna.tokens().create(&admin(), request).unwrap();
    let enter = || lacuna.tokens().authenticate(&token).unwrap();
    assert_eq!(enter().unwrap().user.as_str(), "anna");
    lacuna.keep("anna", "The boat is moored at pier nine.").unwrap();
    lacuna.ask("anna", "where is the boat?").unwrap();

    assert_eq!(counted(&|| assert!(enter().is_some())), 1, "the revision of the list");
    assert_eq!(counted(&|| assert_eq!(lacuna.texts("anna", "where is the boat?").len(), 1)), 1);
    let write = counted(&|| assert!(lacuna.keep("anna", "The oars are in the shed.").is_ok()));
    assert!(write <= 6, "a write takes {write} steps");

    let other = world.service();
    other.members().add(&admin(), crew(), UserId::new("anna").unwrap()).unwrap();
    assert_eq!(enter().unwrap().memberships, [crew()]);
    other.tokens().revoke(&admin(), made.id).unwrap();
    assert!(enter().is_none());
}

/// Another node writes before each single step of a write. The write plans anew where it must, with the same words, and
/// nothing of the plan that failed is left: each text is there once, and what was said again was counted once.
#[test]
fn a_write_that_meets_another_one_at_any_step_is_planned_anew() {
    let long = format!("The log of the ferry says: {}.", "calm sea and a light wind, ".repeat(100));
    for n in 1.. {
        let world = World::ram();
        let (lacuna, faults) = world.faulty();
        let known = lacuna.keep("anna", "The ferry sails at noon.").unwrap();
        let (other, (done, met)) = (world.service(), std::sync::mpsc::channel());
        faults.meanwhile(n, move || {
            other.keep("anna", "The harbour master is called Ingrid.").unwrap();
            done.send(()).unwrap();
        });
        let said = vec![draft("The ferry sails at noon."), draft(&long), draft(&long)];
        let outcomes = lacuna.remember(&grant::<Remember>("anna"), said).unwrap();
        if met.try_recv().is_err() {
            assert!(n > 5, "a write takes more steps than these");
            break;
        }
        let ids: Vec<MemoryId> = outcomes.into_iter().map(|outcome| outcome.stored().unwrap().id).collect();
        assert_eq!((ids[0], ids[1]), (known, ids[2]), "step {n}");
        for id in [known, ids[1]] {
            let memory = lacuna.get(&grant::<Recall>("anna"), id).unwrap();
            assert_eq!(memory.facets.history.repeats, 1, "step {n}");
            assert_eq!(memory.content.full_text().expose().len(), if id == known { 24 } else { long.len() });
        }
        assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (3, 0), "step {n}");
        assert_eq!(world.service().count(&grant::<Recall>("anna")).unwrap(), (3, 0), "step {n}");
        lacuna.verified("anna");
    }
}

/// Another node changes the settings before each single step of a write and a search: nobody is told that the vault was changed
/// by a stranger.
#[test]
fn settings_that_another_node_changes_at_any_step_are_no_tampering() {
    for n in 1.. {
        let world = World::ram();
        let (lacuna, faults) = world.faulty();
        lacuna.keep("anna", "The ferry sails at noon.").unwrap();
        let other = world.service();
        // What this node knows is old, so that it reads the vault again.
        other.keep("anna", "The harbour master is called Ingrid.").unwrap();
        let (done, met) = std::sync::mpsc::channel();
        faults.meanwhile(n, move || {
            let settings = Settings { max_days: Some(400), ..Settings::default() };
            other.set_retention(&grant::<Retain>("anna"), settings, 0).unwrap();
            done.send(()).unwrap();
        });
        lacuna.keep("anna", "The buoy is red.").unwrap_or_else(|error| panic!("step {n}: {error}"));
        assert_eq!(lacuna.texts("anna", "ferry")[0], "The ferry sails at noon.", "step {n}");
        if met.try_recv().is_err() {
            assert!(n > 5, "a write takes more steps than these");
            break;
        }
    }
}

#[test]
fn threads_of_one_node_share_a_vault() {
    let world = World::ram();
    let lacuna = world.service();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let lacuna = &lacuna;
            scope.spawn(move || {
                for note in 0..25 {
                    let id = lacuna.keep("anna", &format!("thread {thread} keeps note {note}")).unwrap();
                    assert!(lacuna.ask("anna", &format!("note {note}")).unwrap().total_searched > 0);
                    if note % 5 == 0 {
                        lacuna.erase("anna", id).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (80, 0));
    lacuna.verified("anna");
}

#[test]
fn a_vault_that_another_node_destroyed_is_not_served_from_ram() {
    let world = World::sqlite();
    let (first, second) = (world.service(), world.service());
    let vault = scope("anna").vault_id();
    first.keep("anna", "The boat is moored at pier nine.").unwrap();
    for text in ["The boat was sold.", "The boat has a new owner."] {
        assert_eq!(second.ask("anna", "where is the boat?").unwrap().hits.len(), 1);
        world.clock.advance(jiff::SignedDuration::from_secs(1));
        world.keys.destroy_vault(vault, world.clock.now(), None).unwrap();
        world.store.destroy(vault).unwrap();
        // Before and after the vault began anew.
        if text.contains("sold") {
            assert_eq!(second.texts("anna", "where is the boat?"), Vec::<String>::new());
            assert_eq!(second.open_load().vaults, 0);
        }
        world.service().keep("anna", text).unwrap();
        assert_eq!(second.texts("anna", "where is the boat?"), vec![text]);
        assert_eq!(second.count(&grant::<Recall>("anna")).unwrap(), (1, 0));
    }
}

/// Three nodes over PostgreSQL, each with the vault open in its RAM: what one forgot, no other answers, not even once.
#[test]
fn what_one_of_three_nodes_forgot_no_other_answers() {
    let Some((_database, world)) = World::postgres("stale") else { return };
    let nodes: Vec<Lacuna> = (0..3).map(|_| world.service()).collect();
    nodes[0].keep("anna", "The boat is moored at pier nine.").unwrap();
    let mut stale = 0;
    for round in 0..FORGOTTEN_ROUNDS {
        let [writer, eraser, asked] = [0, 1, 2].map(|place| &nodes[(round + place * (1 + round % 2)) % 3]);
        let id = writer.keep("anna", &format!("The lantern number {round} hangs in the crypt.")).unwrap();
        for node in &nodes {
            assert!(node.texts("anna", "lantern in the crypt").len() == 1, "round {round}: not found");
        }
        eraser.erase("anna", id).unwrap();
        let found = |node: &Lacuna| {
            node.texts("anna", "lantern in the crypt").iter().any(|text| text.contains("lantern"))
        };
        stale += usize::from(found(asked)) + nodes.iter().filter(|node| found(node)).count();
    }
    assert_eq!(stale, 0, "a node answered what another one forgot");
}
