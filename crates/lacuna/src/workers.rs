//! Places for work in the core. One caller has a part of them only, and long work lets others in between its steps.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use lacuna_core::permit::Caller;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Divisor for one caller's part of the places, so that others always find one.
const SHARE: usize = 2;

thread_local! {
    /// The place of the work that this thread does.
    static PLACE: RefCell<Option<WorkerPlace>> = const { RefCell::new(None) };
}

/// All places, and the part of each caller who works at the moment.
pub(crate) struct Workers {
    places: Arc<Semaphore>,
    share: usize,
    callers: Mutex<HashMap<(String, String), Weak<Semaphore>>>,
}

impl Workers {
    pub(crate) fn new(places: usize) -> Self {
        let share = places.div_ceil(SHARE);
        Self { places: Arc::new(Semaphore::new(places)), share, callers: Mutex::default() }
    }

    /// Waits for a place: first within the caller's own part, then among all, first come first served. Work before
    /// a caller is known counts against nobody's part.
    pub(crate) async fn place(&self, caller: Option<&Caller>) -> WorkerPlace {
        let share = match caller {
            Some(caller) => self.share_of(caller).acquire_owned().await.ok(),
            None => None,
        };
        let held = self.places.clone().acquire_owned().await.ok();
        WorkerPlace { places: self.places.clone(), held, _share: share }
    }

    fn share_of(&self, caller: &Caller) -> Arc<Semaphore> {
        let name = (caller.org.to_string(), caller.user.to_string());
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = callers.get(&name).and_then(Weak::upgrade) {
            return share;
        }
        // Only callers who wait or work have a part, and their requests are bounded.
        callers.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.share));
        callers.insert(name, Arc::downgrade(&share));
        share
    }
}

/// A place for one piece of work, until it ends, even if nobody waits for it any more.
pub(crate) struct WorkerPlace {
    places: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
    _share: Option<OwnedSemaphorePermit>,
}

impl WorkerPlace {
    /// Does the work on this thread, which may block.
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        PLACE.with(|place| place.replace(Some(self)));
        // Given back after a panic as well.
        let _given_back = GivenBack;
        work()
    }

    /// Goes to the end of the queue if somebody waits in it.
    fn step_aside(&mut self) {
        if self.places.available_permits() > 0 {
            return;
        }
        self.held = None;
        self.held = Handle::current().block_on(self.places.clone().acquire_owned()).ok();
    }
}

struct GivenBack;

impl Drop for GivenBack {
    fn drop(&mut self) {
        PLACE.with(|place| place.take());
    }
}

/// Lets others who wait for a place work first. Long work calls it between its steps, where it holds no lock; on a
/// thread without a place it does nothing.
pub(crate) fn let_others_in() {
    PLACE.with(|place| {
        if let Some(place) = place.borrow_mut().as_mut() {
            place.step_aside();
        }
    });
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use lacuna_types::{OrgId, Role, UserId};

    use super::*;

    /// Nothing here takes long; a test that hangs fails.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn caller(user: &str) -> Caller {
        Caller::new(OrgId::new("acme").unwrap(), UserId::new(user).unwrap(), vec![Role::User])
    }

    fn now<F: Future>(future: F) -> Option<F::Output> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    #[test]
    fn one_caller_leaves_places_to_the_others() {
        let workers = Workers::new(4);
        let (anna, ben) = (caller("anna"), caller("ben"));
        let held: Vec<_> = (0..2).map(|_| now(workers.place(Some(&anna))).unwrap()).collect();
        assert!(now(workers.place(Some(&anna))).is_none(), "half of the places are taken");
        let bens = now(workers.place(Some(&ben))).expect("others find a place");
        assert!(now(workers.place(None)).is_some(), "nobody's part");
        drop(held);
        assert!(now(workers.place(Some(&anna))).is_some());
        drop(bens);
        assert!(now(workers.place(Some(&caller("carl")))).is_some());
        assert_eq!(workers.callers.lock().unwrap().len(), 1, "callers who left are forgotten");
        assert!(now(Workers::new(1).place(Some(&anna))).is_some(), "a part is never nothing");
    }

    #[tokio::test]
    async fn long_work_lets_others_in_between_its_steps() {
        let workers = Arc::new(Workers::new(1));
        let (tell, told) = std::sync::mpsc::channel();
        let (begun, wait_for_begin) = tokio::sync::oneshot::channel();
        let (queued, wait_for_queue) = std::sync::mpsc::channel::<()>();
        let long = workers.place(Some(&caller("anna"))).await;
        let annas = tell.clone();
        let long = tokio::task::spawn_blocking(move || {
            long.run(|| {
                annas.send("anna begins").unwrap();
                begun.send(()).unwrap();
                wait_for_queue.recv_timeout(PATIENCE).unwrap();
                let_others_in();
                annas.send("anna ends").unwrap();
            });
        });
        wait_for_begin.await.unwrap();
        let ben = caller("ben");
        let mut short = pin!(workers.place(Some(&ben)));
        let waits = short.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
        assert!(waits, "the only place is taken");
        queued.send(()).unwrap();
        let place = tokio::time::timeout(PATIENCE, short).await.unwrap();
        tokio::task::spawn_blocking(move || place.run(|| tell.send("ben").unwrap())).await.unwrap();
        long.await.unwrap();
        assert_eq!(told.iter().collect::<Vec<_>>(), ["anna begins", "ben", "anna ends"]);
    }

    #[test]
    fn a_thread_without_a_place_goes_on() {
        let_others_in();
    }
}
