//! The service: what every operation stands on, and the two handles of a vault that operations take.
//!
//! [`VaultReader`] is a vault in reach; [`VaultReader::lock`] makes it a [`VaultWriter`], which holds the writer
//! lock for as long as it lives. Whatever changes a vault takes the writer.

use std::sync::{Arc, OnceLock};

use jiff::SignedDuration;
use lacuna_language::classify::Prototypes;
use lacuna_seal::{Entropy, PassphraseCost, SystemEntropy};
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{AnchoredKeys, KeyStore, Kms};
use lacuna_store::rows::Store;
use lacuna_types::embed::Embedder;
use lacuna_types::llm::Llm;
use lacuna_types::policy::Policy;
use lacuna_types::token_count::{TokenCounter, estimate};
use lacuna_types::{Clock, Error, OrgId, Result, Scope, SystemClock, VaultId};

use crate::gate::Rulebook;
use crate::vault::access::AccessBooks;
use crate::vault::activate::activate_due;
use crate::vault::anchored::{check_head, check_keys};
use crate::vault::cache::Vaults;
use crate::vault::cooldown::Cooldowns;
use crate::vault::deliver::Recipient;
use crate::vault::handle::VaultReader;
use crate::vault::models::{Backlog, Models};
use crate::vault::open::{OpenVault, missing_keys, was_destroyed};
use crate::vault::reads::ReadLog;
use crate::vault::rehearse::Rehearsals;
use crate::vault::rewrap::wrap_if_outdated;
use crate::vault::root::root_of;
use crate::vault::secrets::UnlockedVaults;
use crate::vault::sessions::OpenSessions;
use crate::vault::stores::VaultStores;
use crate::vault::tampering::TamperedVaults;
use crate::vault::working::resting_since;

/// The bytes that opened vaults may take in RAM, unless configured.
pub const OPEN_BYTES_MAX_DEFAULT: usize = 1 << 30;

/// The parts of a service. Tests pass their own clock, entropy, stores and models.
pub struct Parts {
    /// The store of sealed rows.
    pub store: Arc<dyn Store>,
    /// The store of wrapped keys.
    pub keys: Arc<dyn KeyStore>,
    /// The keys of the installation, in their custody.
    pub kms: Kms,
    /// The store of large sealed files.
    pub blobs: Blobs,
    /// The embedding models.
    pub models: Models,
    /// The tenants' policies and the scanner for secrets.
    pub rules: Rulebook,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Opened vaults are closed, longest unused first, beyond this many bytes.
    pub open_bytes_max: usize,
}

impl Parts {
    /// Parts with the default policy, the built-in rules for secrets, the clock and the randomness of the system, and one
    /// model for everything.
    pub fn new(
        store: Arc<dyn Store>,
        keys: Arc<dyn KeyStore>,
        kms: Kms,
        blobs: Blobs,
        model: Arc<dyn Embedder>,
    ) -> Self {
        Self {
            store,
            keys,
            kms,
            blobs,
            models: Models::only(model),
            rules: Rulebook::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            open_bytes_max: OPEN_BYTES_MAX_DEFAULT,
        }
    }
}

/// The parts of a running installation, and what it holds in RAM.
pub(crate) struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<dyn KeyStore>,
    /// The same keystore, as what it is.
    pub(crate) anchored: Arc<AnchoredKeys>,
    pub(crate) kms: Kms,
    pub(crate) blobs: Blobs,
    pub(crate) models: Models,
    pub(crate) rules: Rulebook,
    /// Examples of every label under the instant model, embedded once.
    pub(crate) prototypes: OnceLock<Prototypes>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) vaults: Vaults,
    /// The secrets of people who hold their vaults, while these are unlocked.
    pub(crate) secrets: UnlockedVaults,
    /// The cost of one guess at such a secret.
    pub(crate) secret_cost: PassphraseCost,
    pub(crate) backlog: Backlog,
    pub(crate) reads: ReadLog,
    pub(crate) rehearsals: Rehearsals,
    pub(crate) cooldowns: Cooldowns,
    pub(crate) access: AccessBooks,
    pub(crate) findings: TamperedVaults,
    pub(crate) token_counter: TokenCounter,
    /// The sessions under way, in RAM.
    pub(crate) open_sessions: OpenSessions,
    /// The recipients who are told of erasures.
    pub(crate) recipients: Vec<Recipient>,
    /// Condenses turns, where one is configured.
    pub(crate) llm: Option<Arc<dyn Llm>>,
    /// Proposes what a request to forget means, where one is configured for it.
    pub(crate) proposing_llm: Option<Arc<dyn Llm>>,
    /// Called between the steps of long work, where no lock is held.
    pub(crate) pause: OnceLock<fn()>,
}

/// The load of the opened vaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenLoad {
    /// The number of opened vaults.
    pub vaults: usize,
    /// The bytes that they take in RAM.
    pub bytes: usize,
}

impl Service {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { store, keys, mut kms, blobs, models, rules, clock, entropy, open_bytes_max } = parts;
        let anchored = Arc::new(AnchoredKeys::new(keys, kms.anchor().clone(), clock.clone()));
        kms.belong_to(anchored.clone());
        let vaults = Vaults::new(open_bytes_max);
        let (prototypes, backlog, reads) = (OnceLock::new(), Backlog::default(), ReadLog::default());
        Self {
            store,
            keys: anchored.clone(),
            anchored,
            kms,
            blobs,
            models,
            rules,
            prototypes,
            secrets: UnlockedVaults::new(clock.clone()),
            secret_cost: PassphraseCost::RECOMMENDED,
            clock,
            entropy,
            vaults,
            backlog,
            reads,
            rehearsals: Rehearsals::default(),
            cooldowns: Cooldowns::default(),
            access: AccessBooks::default(),
            findings: TamperedVaults::default(),
            token_counter: Arc::new(estimate),
            open_sessions: OpenSessions::default(),
            recipients: Vec::new(),
            llm: None,
            proposing_llm: None,
            pause: OnceLock::new(),
        }
    }

    /// Lets the program do something else for a moment. Called between the steps of long work, where no lock is
    /// held.
    pub(crate) fn pause(&self) {
        if let Some(pause) = self.pause.get() {
            pause();
        }
    }

    /// Lets a language model condense turns; without one, sentences are picked.
    pub(crate) fn condensing_by(mut self, llm: Option<Arc<dyn Llm>>) -> Self {
        self.llm = llm;
        self
    }

    /// Lets a language model propose what requests to forget mean; without one, nobody is asked.
    pub(crate) fn proposing_by(mut self, llm: Option<Arc<dyn Llm>>) -> Self {
        self.proposing_llm = llm;
        self
    }

    /// Counts tokens by `counter` from now on; [`estimate`] counts until then.
    pub(crate) fn counting(self, counter: TokenCounter) -> Self {
        Self { token_counter: counter, ..self }
    }

    /// Makes guesses at the secrets of people cost `cost` from now on.
    pub(crate) fn stretching(self, cost: PassphraseCost) -> Self {
        Self { secret_cost: cost, ..self }
    }

    pub(crate) fn count_tokens(&self, text: &str) -> usize {
        (self.token_counter)(text)
    }

    /// The rules that an organisation's memories live under.
    pub(crate) fn policy(&self, org: &OrgId) -> &Policy {
        self.rules.policies.of(org)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Checks that the service can serve: the stores answer and are not behind the anchor, the keys are those that they
    /// belong to, and open the first vault there is. A key management service that is down stops nothing that is open.
    pub(crate) fn check(&self) -> Result<()> {
        match self.check_keys_and_stores() {
            Err(error) if error.code() == "kms_unavailable" && self.open_load().vaults > 0 => Ok(()),
            checked => checked,
        }
    }

    fn check_keys_and_stores(&self) -> Result<()> {
        self.check_start()?;
        let Some(first) = self.store.vaults(None, 1)?.pop() else { return Ok(()) };
        match root_of(&first.scope, self.sources())? {
            Some(_) => Ok(()),
            None if was_destroyed(self.sources(), first.id)? => Ok(()),
            None => Err(missing_keys()),
        }
    }

    /// Checks what must hold before anything is served: the key folder belongs to the keystore, and the database is not
    /// empty although the anchor knows vaults. Every vault is compared when it is opened.
    pub(crate) fn check_start(&self) -> Result<()> {
        check_keys(self.sources())?;
        if !self.store.vaults(None, 1)?.is_empty() {
            return Ok(());
        }
        let known = self.kms.anchor().heads(None, 1)?;
        known.iter().try_for_each(|(vault, _)| check_head(self.sources(), *vault))
    }

    /// Refuses new keys in an empty keystore beside data that wait for the one that belongs to them.
    pub(crate) fn refuse_empty_keystore(&self) -> Result<()> {
        if !self.keys.vaults(None, 1)?.is_empty() {
            return Ok(());
        }
        match self.store.vaults(None, 1)?.pop() {
            Some(header) if !was_destroyed(self.sources(), header.id)? => Err(missing_keys()),
            _ => Ok(()),
        }
    }

    /// Drops epoch keys that another process destroyed, and every open vault if the current epoch is not held any
    /// more.
    pub(crate) fn drop_lost_keys(&self) {
        self.kms.drop_vanished_keys();
        for org in self.kms.renew_kept() {
            tracing::error!(
                org = org.as_str(),
                "the master key is refused: every vault of the organisation is sealed"
            );
            self.vaults.close_org(&org);
        }
        if let Err(error @ Error::Misconfigured { .. }) = self.kms.check_current() {
            tracing::error!(code = error.code(), %error, "the key folder does not fit the keystore: every vault is sealed");
            self.close_all();
        }
    }

    pub(crate) fn open_load(&self) -> OpenLoad {
        let (vaults, bytes) = self.vaults.load();
        OpenLoad { vaults, bytes }
    }

    /// Closes the vaults that nobody has used for `idle`. Answers with how many.
    pub(crate) fn close_idle(&self, idle: SignedDuration) -> usize {
        self.drop_lost_keys();
        self.secrets.take_expired().into_iter().for_each(|vault| self.shut(vault));
        self.open_sessions.drop_idle(|org| resting_since(self, org));
        self.vaults.close_idle(self.clock.now(), idle)
    }

    /// Leaves nothing in RAM of a vault that its person locked, or whose time is over.
    pub(crate) fn shut(&self, vault: VaultId) {
        self.vaults.close_one(vault);
        self.open_sessions.close_vault(vault);
    }

    /// Closes every vault that is not in use at this moment.
    pub(crate) fn close_all(&self) -> usize {
        self.vaults.close_all()
    }

    pub(crate) fn sources(&self) -> VaultStores<'_> {
        let (store, keys) = (&*self.store, &*self.keys);
        VaultStores { store, keys, kms: &self.kms, blobs: &self.blobs, secrets: &self.secrets }
    }

    /// The vault of `scope`, to read from it or to lock it for writing.
    pub(crate) fn reader<'a>(&'a self, scope: &'a Scope) -> VaultReader<'a> {
        VaultReader::new(self, self.vaults.slot(scope, self.clock.now()), scope)
    }

    /// Runs `read` on the vault as it now stands, or returns `None` before its first write.
    pub(crate) fn read<R>(&self, scope: &Scope, read: impl FnOnce(&OpenVault) -> R) -> Result<Option<R>> {
        self.reader(scope).read(read)
    }

    /// Does the same as [`Self::read`], for a caller. A vault that was closed goes into the backlog, because a
    /// crash may have left an erasure or a vector unfinished.
    pub(crate) fn serve<R>(&self, scope: &Scope, read: impl FnOnce(&OpenVault) -> R) -> Result<Option<R>> {
        if self.reader(scope).bytes() == 0 {
            self.backlog.push(scope);
            self.read(scope, |_| ())?;
            wrap_if_outdated(self, scope);
        }
        self.wake(scope)?;
        self.read(scope, read)
    }

    /// Lets an open vault do what became due since it was last asked.
    pub(crate) fn wake(&self, scope: &Scope) -> Result<()> {
        match self.reader(scope).peek(|vault| !vault.approved.is_empty()) {
            Some(true) => activate_due(self, scope).map(drop),
            _ => Ok(()),
        }
    }

    /// Examples of every label under the instant model, embedded on first use.
    pub(crate) fn prototypes(&self) -> Result<&Prototypes> {
        if let Some(prototypes) = self.prototypes.get() {
            return Ok(prototypes);
        }
        let made = Prototypes::new(&*self.models.instant)?;
        Ok(self.prototypes.get_or_init(|| made))
    }

    /// Names whom to tell of what.
    pub(crate) fn telling(mut self, recipients: Vec<Recipient>) -> Self {
        self.recipients = recipients;
        self
    }
}
