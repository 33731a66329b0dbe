//! The service behind the door. A client waits for the first answer of a server that it starts, so the door opens
//! at once, and the service follows when it is assembled.

use std::sync::Arc;

use lacuna_core::Lacuna;
use lacuna_core::permit::Caller;
use tokio::sync::watch;

use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::workers::Workers;

/// The service, now or soon.
#[derive(Clone)]
pub(crate) struct Ready(watch::Receiver<Readiness>);

/// Announces the service, or the failure to assemble it.
pub(crate) struct Announcer(watch::Sender<Readiness>);

#[derive(Clone)]
enum Readiness {
    Coming,
    Here(Served),
    Failed(Arc<Failure>),
}

/// The service, and the caller where the transport names nobody.
#[derive(Clone)]
pub(crate) struct Served {
    pub(crate) service: Arc<Lacuna>,
    pub(crate) local: Option<Caller>,
    /// Places for work in the core, where other doors share it.
    pub(crate) workers: Option<Arc<Workers>>,
}

impl Ready {
    pub(crate) fn at_once(service: Arc<Lacuna>, workers: Arc<Workers>) -> Self {
        let served = Served { service, local: None, workers: Some(workers) };
        let (_, state) = watch::channel(Readiness::Here(served));
        Self(state)
    }

    pub(crate) fn soon() -> (Announcer, Self) {
        let (told, state) = watch::channel(Readiness::Coming);
        (Announcer(told), Self(state))
    }

    pub(super) async fn served(&self) -> Result<Served> {
        let mut state = self.0.clone();
        let arrived = state.wait_for(|state| !matches!(state, Readiness::Coming)).await;
        // A sender that is gone without an announcement is a defect.
        let arrived = arrived.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        match &*arrived {
            Readiness::Here(served) => Ok(served.clone()),
            Readiness::Failed(failure) => Err(failure.again()),
            Readiness::Coming => unreachable!("it was waited for"),
        }
    }
}

impl Announcer {
    pub(crate) fn here(&self, service: Arc<Lacuna>, local: Caller) {
        self.0.send_replace(Readiness::Here(Served { service, local: Some(local), workers: None }));
    }

    pub(crate) fn failed(&self, failure: Failure) {
        self.0.send_replace(Readiness::Failed(Arc::new(failure)));
    }
}
