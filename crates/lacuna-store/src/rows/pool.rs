//! A bounded set of connections, opened when they are first needed.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use lacuna_types::{Error, Result};

/// The longest wait for a connection; after it the caller is told to come back later.
const POOL_WAIT: Duration = Duration::from_secs(10);

type Open<C> = Box<dyn Fn() -> Result<C> + Send + Sync>;

pub(crate) struct Pool<C> {
    open: Open<C>,
    size: usize,
    state: Mutex<PoolState<C>>,
    freed: Condvar,
}

struct PoolState<C> {
    idle: Vec<C>,
    /// Connections that exist, idle or lent.
    open: usize,
}

impl<C> Pool<C> {
    pub(crate) fn new(size: usize, open: impl Fn() -> Result<C> + Send + Sync + 'static) -> Self {
        let state = Mutex::new(PoolState { idle: Vec::new(), open: 0 });
        Self { open: Box::new(open), size, state, freed: Condvar::new() }
    }

    /// Lends a connection; dropping the loan gives it back.
    pub(crate) fn get(&self) -> Result<Loan<'_, C>> {
        let full = |state: &mut PoolState<C>| state.idle.is_empty() && state.open >= self.size;
        let (mut state, waited) = self
            .freed
            .wait_timeout_while(self.state(), POOL_WAIT, full)
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if waited.timed_out() {
            return Err(Error::Unavailable {
                code: "store_unavailable",
                reason: "every connection to the store is busy; try again later".into(),
                source: None,
            });
        }
        if let Some(connection) = state.idle.pop() {
            return Ok(Loan { pool: self, connection: Some(connection) });
        }
        state.open += 1;
        drop(state);
        match (self.open)() {
            Ok(connection) => Ok(Loan { pool: self, connection: Some(connection) }),
            Err(error) => {
                self.release(None);
                Err(error)
            }
        }
    }

    /// Closes what is idle, so that the next loan connects anew.
    pub(crate) fn close_idle(&self) {
        let mut state = self.state();
        state.open -= state.idle.len();
        state.idle.clear();
        self.freed.notify_all();
    }

    fn release(&self, connection: Option<C>) {
        let mut state = self.state();
        match connection {
            Some(connection) => state.idle.push(connection),
            None => state.open -= 1,
        }
        self.freed.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, PoolState<C>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

pub(crate) struct Loan<'a, C> {
    pool: &'a Pool<C>,
    /// `Some` until the loan ends.
    connection: Option<C>,
}

impl<C> Loan<'_, C> {
    /// Ends the loan and closes the connection: it is broken, or in a state that nobody knows.
    pub(crate) fn discard(mut self) {
        self.connection = None;
    }
}

impl<C> Deref for Loan<'_, C> {
    type Target = C;

    fn deref(&self) -> &C {
        self.connection.as_ref().expect("a loan holds its connection until it ends")
    }
}

impl<C> DerefMut for Loan<'_, C> {
    fn deref_mut(&mut self) -> &mut C {
        self.connection.as_mut().expect("a loan holds its connection until it ends")
    }
}

impl<C> Drop for Loan<'_, C> {
    fn drop(&mut self) {
        // A panic may have left a transaction half way, so such a connection is not lent again.
        let connection = self.connection.take().filter(|_| !std::thread::panicking());
        self.pool.release(connection);
    }
}
