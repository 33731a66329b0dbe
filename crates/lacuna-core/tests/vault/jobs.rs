//! Jobs: nobody runs one twice at once, and a node that dies loses its jobs to the others.

use std::sync::Barrier;

use jiff::SignedDuration;
use lacuna_core::govern::{CLAIM_HOLDS, Job, JobState, PAUSE_FIRST, Ran, Schedule};
use lacuna_core::permit::ManageJobs;
use lacuna_store::rows::{FaultTiming, Faults, FaultyStore, JobClaim};

use super::retention::days;
use super::*;

const SCHEDULE: Schedule = Schedule { epoch_days: None };

fn admin() -> Grant<ManageJobs> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("ada") };
    permit(&caller, &caller.org_scope()).unwrap()
}

fn run(lacuna: &Lacuna, node: &str) -> Ran {
    lacuna.upkeep().run_job(Job::Sweep, node, false, &SCHEDULE, &|| false).unwrap()
}

fn sweep_state(lacuna: &Lacuna) -> JobState {
    let states = lacuna.jobs(&admin(), &SCHEDULE).unwrap();
    assert_eq!(states.len(), Job::ALL.len());
    states.into_iter().find(|state| state.job == Job::Sweep).unwrap()
}

/// Something that is over after a week.
fn brief(text: &str) -> Draft {
    Draft { retention: Some(RetentionTier::ShortTerm), ..draft(text) }
}

#[test]
fn of_two_services_on_one_store_one_runs_a_job_and_the_other_waits() {
    let (_database, postgres) = World::postgres("jobs").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let (first, second) = (world.service(), world.service());
        first.take("anna", brief("The parcel is at the neighbour's.")).unwrap();
        world.clock.advance(days(8));
        // The first one stands in the middle of its work while the second one tries.
        let (inside, tried) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|threads| {
            let running = threads.spawn(|| {
                first.upkeep().run_job(Job::Sweep, "node-a", false, &SCHEDULE, &|| {
                    inside.wait();
                    tried.wait();
                    false
                })
            });
            inside.wait();
            assert!(matches!(run(&second, "node-b"), Ran::NotNow));
            assert_eq!(sweep_state(&second).running_on.as_deref(), Some("node-a"));
            tried.wait();
            // The last look is at the end of the work.
            inside.wait();
            tried.wait();
            assert!(matches!(running.join().unwrap().unwrap(), Ran::Done(1)));
        });
        let state = sweep_state(&second);
        assert_eq!((state.running_on, state.outcome.as_deref(), state.done), (None, Some("ok"), 1));
        assert_eq!(state.due_at, Some(world.clock.now() + SignedDuration::from_hours(1)));
        assert!(matches!(run(&second, "node-b"), Ran::NotNow), "it is not due yet");
        world.clock.advance(SignedDuration::from_hours(1));
        assert!(matches!(run(&second, "node-b"), Ran::Done(0)));
        assert!(matches!(run(&first, "node-a"), Ran::NotNow));
    }
}

#[test]
fn a_job_of_a_dead_node_is_taken_over_when_its_claim_has_run_out() {
    let world = World::sqlite();
    let lacuna = world.service();
    let at = world.clock.now();
    let dead = JobClaim {
        name: "sweep".into(),
        node: "node-dead".into(),
        at,
        until: at + CLAIM_HOLDS,
        early: false,
    };
    assert!(world.store.claim_job(&dead).unwrap());
    assert!(matches!(run(&lacuna, "node-a"), Ran::NotNow));
    world.clock.advance(CLAIM_HOLDS - SignedDuration::from_secs(1));
    assert!(matches!(run(&lacuna, "node-a"), Ran::NotNow));
    world.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(sweep_state(&lacuna).running_on, None);
    assert!(matches!(run(&lacuna, "node-a"), Ran::Done(0)));
}

#[test]
fn whoever_loses_a_claim_stops_and_leaves_the_rest() {
    let world = World::ram();
    let lacuna = world.service();
    for user in ["anna", "ben", "cleo"] {
        lacuna.take(user, brief("The parcel is at the neighbour's.")).unwrap();
    }
    world.clock.advance(days(8));
    let rounds = std::sync::atomic::AtomicU64::new(0);
    let ran = lacuna.upkeep().run_job(Job::Sweep, "node-slow", false, &SCHEDULE, &|| {
        // The first vault took longer than the claim holds, and another node came.
        if rounds.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            world.clock.advance(CLAIM_HOLDS);
            assert!(matches!(run(&world.service(), "node-b"), Ran::Done(2)));
        }
        false
    });
    assert!(matches!(ran.unwrap(), Ran::Lost));
    assert_eq!(sweep_state(&lacuna).done, 2);
}

#[test]
fn a_failed_job_rests_twice_as_long_each_time() {
    let world = World::ram();
    let faults = Faults::none();
    let store = Arc::new(FaultyStore::new(world.store.clone(), faults.clone()));
    let lacuna = world.service_of(store, world.keys.clone(), Models::only(static_model()), usize::MAX);
    for round in 0..3 {
        // The claim is the first operation, the work the next.
        faults.fail(2, FaultTiming::Before);
        assert!(matches!(run(&lacuna, "node-a"), Ran::Failed(_)), "round {round}");
        let state = sweep_state(&lacuna);
        assert_eq!((state.outcome.as_deref(), state.failures), (Some("store_unavailable"), round + 1));
        let pause = PAUSE_FIRST * (1 << round);
        assert_eq!(state.due_at, Some(world.clock.now() + pause));
        assert!(matches!(run(&lacuna, "node-a"), Ran::NotNow));
        world.clock.advance(pause);
    }
    assert!(matches!(run(&lacuna, "node-a"), Ran::Done(0)));
    assert_eq!(sweep_state(&lacuna).failures, 0);
}

#[test]
fn a_job_that_is_told_to_stop_is_due_again() {
    let world = World::ram();
    let lacuna = world.service();
    for user in ["anna", "ben"] {
        lacuna.take(user, brief("The parcel is at the neighbour's.")).unwrap();
    }
    world.clock.advance(days(8));
    let stopped = lacuna.upkeep().run_job(Job::Sweep, "node-a", false, &SCHEDULE, &|| true).unwrap();
    assert!(matches!(stopped, Ran::Stopped(1)));
    assert!(matches!(run(&lacuna, "node-a"), Ran::Done(1)));
}

#[test]
fn every_job_runs_and_leaves_a_vault_as_it_should_be() {
    let world = World::sqlite();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The lighthouse keeper is called Oda.").unwrap();
    for job in Job::ALL {
        let ran = lacuna.upkeep().run_job(*job, "node-a", true, &SCHEDULE, &|| false).unwrap();
        assert!(matches!(ran, Ran::Done(_)), "{job}: {ran:?}");
    }
    assert!(lacuna.get(&grant::<Recall>("anna"), id).is_ok());
    lacuna.verified("anna");
    let epoch = lacuna.jobs(&admin(), &SCHEDULE).unwrap().into_iter().find(|state| state.job == Job::Epoch);
    assert_eq!(epoch.unwrap().due_at, None, "the epoch is renewed on demand unless it is configured");
    let nobody = caller("anna");
    assert!(permit::<ManageJobs>(&nobody, &nobody.org_scope()).is_err());
}
