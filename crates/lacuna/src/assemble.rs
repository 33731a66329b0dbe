//! From configuration to a working service: folders, stores, keys and models.

use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_core::gate::Rulebook;
use lacuna_core::govern::UNLOCKED_MAX;
use lacuna_core::permit::{Action, Caller, Grant, Power, permit};
use lacuna_core::transfer::{finish_restore, is_restore_unfinished};
use lacuna_core::vault::{Event, Models};
use lacuna_core::{Lacuna, Parts, Proposals, VaultLocks};
use lacuna_language::secrets::Scanner;
use lacuna_models::{ApiKey, EndpointConfig, LlmConfig, http_agent};
use lacuna_seal::SystemEntropy;
use lacuna_store::blobs::{BUCKET_TIME, Blobs, BucketHome, BucketLogin, BucketObject};
use lacuna_store::folder::{OwnedFolder, SharedFolder};
use lacuna_store::keys::{
    Anchor, Custody, KeyStore, Kms, LocalKms, PostgresKeys, ServiceCustody, SqliteKeys,
};
use lacuna_store::rows::{LoginRole, PostgresStore, SqliteOptions, SqliteStore, Store};
use lacuna_types::embed::Embedder;
use lacuna_types::llm::Llm;
use lacuna_types::{Clock, OrgId, Role, SystemClock};
use zeroize::Zeroizing;

use crate::codes;
use crate::config::{
    Config, CustodyChoice, CustodyKind, EmbedderChoice, LlmChoice, StoreChoice, WebhookChoice,
};
use crate::custody::{AwsKms, AwsLogin, OpenBao, TokenSource};
use crate::http::Certificate;
use crate::passphrase::refuse_weak;
use crate::policy_file::read_policies;
use crate::webhook::Webhook;
use crate::wire::failure::{Failure, Result};
use crate::wire::read_scope;
use crate::workers::let_others_in;

/// The longest wait for a process that restores or upgrades the data folder.
const ENTER_WAIT: Duration = Duration::from_secs(5);
/// The longest wait for commands that use the data folder. A server does not end within it.
const CLAIM_WAIT: Duration = Duration::from_secs(2);

/// The most that the clocks of this machine and of a database server may differ.
const CLOCKS_APART_MAX: SignedDuration = SignedDuration::from_secs(60);

/// Room on the disk that is kept for erasing rows and keys. A memory takes some tens of kilobytes of logs while it
/// is erased.
const DATA_RESERVE_BYTES: u64 = 2 << 20;
const KEYS_RESERVE_BYTES: u64 = 512 << 10;

/// The variable with the passphrase of the local user's own vault.
pub(crate) const VAULT_PASSPHRASE: &str = "LACUNA_VAULT_PASSPHRASE";

/// The passphrase of the local user's own vault, if the environment has one.
pub(crate) fn vault_passphrase() -> Result<Option<Zeroizing<String>>> {
    let Some(given) = std::env::var_os(VAULT_PASSPHRASE) else { return Ok(None) };
    let unreadable = |_| Failure::new(&codes::VAULT_LOCKED, format!("{VAULT_PASSPHRASE} is not UTF-8"));
    Ok(Some(Zeroizing::new(given.into_string().map_err(unreadable)?)).filter(|given| !given.is_empty()))
}

/// Folders and files under the data folder.
pub(crate) struct Layout {
    pub(crate) data: PathBuf,
}

impl Layout {
    pub(crate) fn new(data: &Path) -> Self {
        Self { data: data.to_owned() }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.data.join("lacuna.db")
    }

    /// Master and epoch keys. They lie outside the keystore's folder, so that a copy of one folder is not a copy
    /// of both.
    pub(crate) fn keys(&self) -> PathBuf {
        self.data.join("keys")
    }

    pub(crate) fn keystore(&self) -> PathBuf {
        self.data.join("keystore")
    }

    pub(crate) fn key_database(&self) -> PathBuf {
        self.keystore().join("keystore.db")
    }

    pub(crate) fn blobs(&self) -> PathBuf {
        self.data.join("blobs")
    }

    /// There while keys are on their way from one custody to another.
    pub(crate) fn move_journal(&self) -> PathBuf {
        self.data.join("keys-move.json")
    }

    pub(crate) fn folders(&self) -> [PathBuf; 4] {
        [self.data.clone(), self.keys(), self.keystore(), self.blobs()]
    }
}

/// The service, and the caller on this machine.
pub(crate) struct Installation {
    pub(crate) service: Arc<Lacuna>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) local: Caller,
    pub(crate) webhooks: Arc<[Webhook]>,
    /// Kept from whoever would replace it, as long as the installation is in use.
    #[expect(dead_code, reason = "the lock lasts as long as the value")]
    folder: SharedFolder,
}

impl Installation {
    /// Grants the local caller access to the vault that `scope` names, or to their own. Their own is unlocked for this
    /// process where it has to be open and they give the passphrase.
    pub(crate) fn grant<A: Action>(&self, scope: Option<&str>) -> Result<Grant<A>> {
        let scope = read_scope(scope, &self.local)?;
        let grant = permit(&self.local, &scope)?;
        // These work on a locked vault too.
        let needs_no_text =
            matches!(A::POWER, Power::Destroy | Power::LockVault | Power::ReadAudit | Power::Forget);
        if !needs_no_text && scope == self.local.personal_scope() {
            self.unlock(true)?;
        }
        Ok(grant)
    }

    /// Unlocks the local caller's vault, if it is locked and the environment has its passphrase. `asks`: a person at a
    /// terminal may type it.
    pub(crate) fn unlock(&self, asks: bool) -> Result<()> {
        let given = vault_passphrase()?;
        if given.is_none() && !(asks && io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Ok(());
        }
        let (locks, scope) = (VaultLocks::of(&self.service), self.local.personal_scope());
        let Ok(grant) = permit(&self.local, &scope) else { return Ok(()) };
        let state = locks.state(&grant)?;
        if !state.is_protected || state.unlocked_until.is_some() {
            return Ok(());
        }
        let unread = |error: io::Error| Failure::new(&codes::VAULT_LOCKED, error.to_string());
        let typed = || rpassword::prompt_password("Passphrase of your vault: ").map(Zeroizing::new);
        let passphrase = given.map_or_else(|| typed().map_err(unread), Ok)?;
        locks.unlock(&grant, &passphrase, Some(UNLOCKED_MAX))?;
        Ok(())
    }

    /// Grants the local caller administration of the organisation.
    pub(crate) fn admin_grant<A: Action>(&self) -> Result<Grant<A>> {
        Ok(permit(&self.local, &self.local.org_scope())?)
    }
}

/// Opens the installation, and refuses one whose stores and keys do not belong together. The local user's vault is
/// unlocked if the environment has its passphrase.
pub(crate) fn assemble(config: &Config) -> Result<Installation> {
    let installation = assemble_locked(config)?;
    installation.unlock(false)?;
    Ok(installation)
}

/// Does the same as [`assemble`], and unlocks nothing.
pub(crate) fn assemble_locked(config: &Config) -> Result<Installation> {
    let folder = enter(config)?;
    assemble_in(config, folder)
}

/// Does the same as [`assemble`] in a folder that was entered.
pub(crate) fn assemble_in(config: &Config, folder: SharedFolder) -> Result<Installation> {
    let installation = assemble_unchecked_in(config, folder)?;
    let upkeep = installation.service.upkeep();
    upkeep.start()?;
    upkeep.adopt_vaults()?;
    // A vault that was to be destroyed must not be shown, not even once.
    upkeep.recover_destructions()?;
    let local = installation.service.members().caller_for(
        installation.local.org,
        installation.local.user,
        installation.local.roles,
    )?;
    Ok(Installation { local, ..installation })
}

/// Opens the installation as it is, for an operator who looks at it or accepts what is wrong with it. The local
/// caller belongs to no team: who does may be what is wrong.
pub(crate) fn assemble_unchecked(config: &Config) -> Result<Installation> {
    let folder = enter(config)?;
    assemble_unchecked_in(config, folder)
}

/// Does the same as [`assemble_unchecked`] in a folder that was entered.
pub(crate) fn assemble_unchecked_in(config: &Config, folder: SharedFolder) -> Result<Installation> {
    let layout = Layout::new(&config.data);
    refuse_weak_key_passphrase(config, &layout)?;
    refuse_lost_database(config, &layout)?;
    let (store, keys) = open_stores(config, &layout)?;
    let kms = open_kms(config, &layout, &keys)?;
    refuse_emptied_store(&*store, &*keys)?;
    let blobs = open_blobs(config, &layout)?;
    let blobs = match config.store {
        StoreChoice::Sqlite => blobs,
        // Nodes that share a database share the place of large texts as well.
        StoreChoice::Postgres { .. } => blobs.belonging_to(keys.clone())?,
    };
    let parts = Parts {
        store: store.clone(),
        keys,
        kms,
        blobs,
        models: models(&config.embedder)?,
        rules: rulebook(config)?,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        open_bytes_max: config.open_bytes_max,
    };
    let webhooks = webhooks(config)?;
    let service = Lacuna::new(parts)
        .telling(webhooks.iter().map(Webhook::recipient).collect())
        .condensing_by(config.llm.as_ref().map(language_model).transpose()?)
        .counting(lacuna_models::token_counter());
    let service = Proposals::by(service, config.llm.as_ref().map(proposing_model).transpose()?.flatten());
    let service = Arc::new(service);
    service.upkeep().pause_by(let_others_in);
    let local = local_caller(config);
    Ok(Installation { service, store, local, webhooks, folder })
}

/// Checks everything that the configuration names (files, variables, certificates), and reports every fault at
/// once.
pub(crate) fn preflight(config: &Config) -> Result<()> {
    let mut looked = vec![rulebook(config).map(drop)];
    looked.extend(config.webhooks.iter().map(|choice| webhook(choice).map(drop)));
    looked.extend(config.llm.iter().map(|choice| language_model(choice).map(drop)));
    looked.extend(config.http.tls.iter().map(|files| Certificate::load(files).map(drop)));
    if let EmbedderChoice::Endpoint { url, model, api_key_env, dimensions } = &config.embedder {
        looked.push(endpoint(url, model, api_key_env.as_deref(), *dimensions).map(drop));
    }
    let mut failures: Vec<Failure> = looked.into_iter().filter_map(Result::err).collect();
    match failures.len() {
        0 => Ok(()),
        1 => Err(failures.remove(0)),
        _ => {
            let all: Vec<_> = failures.into_iter().map(|failure| failure.detail).collect();
            Err(Failure::new(&codes::BAD_CONFIG, all.join("; ")))
        }
    }
}

/// Opens the folder of large texts, or the bucket.
fn open_blobs(config: &Config, layout: &Layout) -> Result<Blobs> {
    let Some(address) = &config.blobs else { return Ok(Blobs::open(layout.blobs())?) };
    let agent = http_agent(&address.endpoint, BUCKET_TIME);
    Ok(Blobs::open_bucket(agent, address.clone(), bucket_login()?)?)
}

/// The object of a bucket that a command names.
pub(crate) fn bucket_object(config: &Config, url: &str) -> Result<BucketObject> {
    let address = config.object_address(url)?;
    let agent = http_agent(&address.endpoint, BUCKET_TIME);
    Ok(BucketObject::new(agent, address, bucket_login()?))
}

/// The access key of the bucket, which the environment holds.
fn bucket_login() -> Result<BucketLogin> {
    let variable = |name: &str| {
        let missing = || Failure::new(&codes::BAD_CONFIG, format!("a bucket needs {name}, which is not set"));
        std::env::var(name).map_err(|_| missing())
    };
    Ok(BucketLogin {
        id: variable("AWS_ACCESS_KEY_ID")?,
        secret: Zeroizing::new(variable("AWS_SECRET_ACCESS_KEY")?),
        session: std::env::var("AWS_SESSION_TOKEN").ok().map(Zeroizing::new),
    })
}

fn webhooks(config: &Config) -> Result<Arc<[Webhook]>> {
    config.webhooks.iter().map(webhook).collect()
}

fn webhook(choice: &WebhookChoice) -> Result<Webhook> {
    let fault =
        |reason: String| Failure::new(&codes::BAD_CONFIG, format!("the webhook {}: {reason}", choice.name));
    let secret = std::env::var(&choice.secret_env)
        .map_err(|_| fault(format!("secret_env names {}, which is not set", choice.secret_env)))?;
    let events = match &choice.events {
        None => Event::ALL.to_vec(),
        Some(words) => words
            .iter()
            .map(|word| word.parse())
            .collect::<lacuna_types::Result<Vec<Event>>>()
            .map_err(|error| fault(error.to_string()))?,
    };
    let org = choice.org.as_deref().map(OrgId::new).transpose().map_err(|error| fault(error.to_string()))?;
    Webhook::new(choice.name.clone(), choice.url.clone(), Zeroizing::new(secret), events, org).map_err(fault)
}

/// The local caller is user and administrator: anyone who runs commands on this machine can read its key files
/// anyway.
fn local_caller(config: &Config) -> Caller {
    Caller::new(config.org.clone(), config.user.clone(), vec![Role::User, Role::Admin])
}

/// The tenants' policies and the operator's own rules for secrets.
pub(crate) fn rulebook(config: &Config) -> Result<Rulebook> {
    let policies = read_policies(&config.policies)?;
    let scanner = config.secret_rules.as_deref().map(own_rules).transpose()?;
    Ok(Rulebook { policies, scanner })
}

fn own_rules(path: &Path) -> Result<Scanner> {
    let fault = |reason: String| {
        Failure::new(&codes::BAD_CONFIG, format!("the secret rules {}: {reason}", path.display()))
    };
    let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    Scanner::with_extra(&text).map_err(|error| fault(error.to_string()))
}

/// Enters the data folder beside others. A restore that was interrupted is ended first, and databases of an older
/// version are brought up to date, while nobody else uses the folder.
pub(crate) fn enter(config: &Config) -> Result<SharedFolder> {
    let layout = Layout::new(&config.data);
    make_folder(&layout.data)?;
    loop {
        let folder = SharedFolder::enter(&layout.data, ENTER_WAIT)?;
        let (unfinished, outdated) = (is_restore_unfinished(&layout.data), is_outdated(config, &layout));
        if !unfinished && !outdated {
            make_folders(&layout)?;
            return Ok(folder);
        }
        drop(folder);
        let _alone = claim(&layout)?;
        if outdated {
            open_stores(config, &layout)?;
        }
    }
}

/// Takes the data folder for this process alone, and ends a restore that was interrupted.
pub(crate) fn claim(layout: &Layout) -> Result<OwnedFolder> {
    make_folder(&layout.data)?;
    let folder = OwnedFolder::claim(&layout.data, CLAIM_WAIT)?;
    finish_restore(&folder)?;
    make_folders(layout)?;
    Ok(folder)
}

/// Refuses a database that is gone: a new one would look as if nothing had ever been stored.
pub(crate) fn refuse_lost_database(config: &Config, layout: &Layout) -> Result<()> {
    let holds_bytes = |path: PathBuf| fs::metadata(path).is_ok_and(|meta| meta.len() > 0);
    let (database, log) = (layout.database(), layout.data.join("lacuna.db-wal"));
    let there = holds_bytes(database) || holds_bytes(log) || !layout.key_database().exists();
    if there || !matches!(config.store, StoreChoice::Sqlite) {
        return Ok(());
    }
    match SqliteKeys::open(layout.key_database())?.vaults(None, 1)?.is_empty() {
        true => Ok(()),
        false => Err(lost_database("lacuna.db is gone, and the keystore holds keys of its vaults")),
    }
}

/// Refuses a store without any vault when receipts were issued for vaults in it. A first write that was interrupted
/// leaves keys and no vault too, but no receipt.
fn refuse_emptied_store(store: &dyn Store, keys: &dyn KeyStore) -> Result<()> {
    let emptied = store.vaults(None, 1)?.is_empty()
        && !keys.vaults(None, 1)?.is_empty()
        && !keys.receipts_known(None)?.is_empty();
    match emptied {
        false => Ok(()),
        true => Err(lost_database("the database is empty, and the keystore knows vaults and receipts")),
    }
}

fn lost_database(reason: &str) -> Failure {
    Failure::new(&codes::MISSING_DATABASE, reason)
}

/// Migrations of a PostgreSQL database take a lock in that database instead.
fn is_outdated(config: &Config, layout: &Layout) -> bool {
    let sqlite = matches!(config.store, StoreChoice::Sqlite);
    sqlite && (SqliteStore::is_outdated(layout.database()) || SqliteKeys::is_outdated(layout.key_database()))
}

fn make_folders(layout: &Layout) -> Result<()> {
    layout.folders().iter().try_for_each(|folder| make_folder(folder))
}

fn make_folder(folder: &Path) -> Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
        let code = match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem => &codes::READ_ONLY,
            _ => &codes::DATA_FOLDER_UNAVAILABLE,
        };
        let reason = format!("{} cannot be made: {error}", folder.display());
        Failure { public: code.meaning.to_owned(), ..Failure::new(code, reason) }
    })
}

pub(crate) fn open_stores(config: &Config, layout: &Layout) -> Result<(Arc<dyn Store>, Arc<dyn KeyStore>)> {
    let store: Arc<dyn Store> = match &config.store {
        StoreChoice::Sqlite => {
            let options = SqliteOptions { reserve_bytes: DATA_RESERVE_BYTES, ..SqliteOptions::default() };
            Arc::new(SqliteStore::open_with(layout.database(), options)?)
        }
        StoreChoice::Postgres { data_url, .. } => {
            let store = PostgresStore::open(data_url)?;
            refuse_other_time(store.server_time()?)?;
            Arc::new(store)
        }
    };
    Ok((store, open_keys(config, layout)?))
}

/// Refuses a clock that is off: terms would end, and jobs be claimed, at other times than on other nodes.
fn refuse_other_time(server_time: Timestamp) -> Result<()> {
    let apart = SystemClock.now().duration_since(server_time);
    if apart.abs() <= CLOCKS_APART_MAX {
        return Ok(());
    }
    let direction = if apart.is_positive() { "ahead of" } else { "behind" };
    let detail = format!(
        "this machine's clock is {} seconds {direction} that of the database server",
        apart.abs().as_secs()
    );
    Err(Failure::new(&codes::CLOCK_OFF, detail))
}

pub(crate) fn open_keys(config: &Config, layout: &Layout) -> Result<Arc<dyn KeyStore>> {
    Ok(match &config.store {
        StoreChoice::Sqlite => {
            let options = SqliteOptions { reserve_bytes: KEYS_RESERVE_BYTES, ..SqliteOptions::default() };
            Arc::new(SqliteKeys::open_with(layout.key_database(), options)?)
        }
        StoreChoice::Postgres { keys_url, .. } => Arc::new(PostgresKeys::open(keys_url)?),
    })
}

/// The roles that log in to the databases of data and keys; `None` for files.
pub(crate) fn login_roles(config: &Config) -> Result<Option<[LoginRole; 2]>> {
    let StoreChoice::Postgres { data_url, keys_url, .. } = &config.store else { return Ok(None) };
    let (store, keys) = (PostgresStore::open(data_url)?, PostgresKeys::open(keys_url)?);
    Ok(Some([store.login_role()?, keys.login_role()?]))
}

/// Opens the keys in their custody. An existing key is read at once, so that a wrong passphrase or token shows before
/// the service does any work.
pub(crate) fn open_kms(config: &Config, layout: &Layout, keys: &Arc<dyn KeyStore>) -> Result<Kms> {
    let (custody, anchor) = open_custody(config, config.custody.kind, layout, keys)?;
    refuse_unfinished_move(layout)?;
    refuse_other_custody(config, &*custody, keys)?;
    let kms = Kms::over(custody, anchor);
    if let Some(epoch) = kms.newest_epoch()? {
        kms.epoch(epoch)?;
    }
    Ok(kms)
}

/// One custody of the configuration, with the anchor that belongs to it.
pub(crate) fn open_custody(
    config: &Config,
    kind: CustodyKind,
    layout: &Layout,
    keys: &Arc<dyn KeyStore>,
) -> Result<(Box<dyn Custody>, Anchor)> {
    let folder = layout.keys();
    let choice = &config.custody;
    let of_service = |service| Box::new(ServiceCustody::new(service, keys.clone(), choice.cache));
    Ok(match kind {
        CustodyKind::Local => {
            (Box::new(LocalKms::in_folder(&folder, passphrase(&folder)?)?), Anchor::open(&folder)?)
        }
        CustodyKind::OpenBao => {
            let anchor = Anchor::open_from(&folder, Box::new(openbao(choice)?))?;
            (of_service(Box::new(openbao(choice)?)), anchor)
        }
        CustodyKind::Aws => {
            // The service keeps no documents. A bucket does, and every node has the same.
            let anchor = match &config.blobs {
                None => Anchor::open(&folder)?,
                Some(address) => {
                    let agent = http_agent(&address.endpoint, BUCKET_TIME);
                    let home = BucketHome::open(agent, address.clone(), bucket_login()?)?;
                    Anchor::open_from(&folder, Box::new(home))?
                }
            };
            (of_service(Box::new(aws_kms(choice)?)), anchor)
        }
    })
}

fn openbao(choice: &CustodyChoice) -> Result<OpenBao> {
    let token = match (&choice.token_env, &choice.token_file) {
        (_, Some(path)) => TokenSource::File(path.clone()),
        (name, None) => {
            TokenSource::Given(secret_variable("custody.token_env", name.as_deref().unwrap_or_default())?)
        }
    };
    let url = choice.url.as_deref().unwrap_or_default();
    Ok(OpenBao::new(url, token, &choice.mount, &choice.kv, &choice.prefix)?)
}

/// The access key has the names that other programs for AWS use.
fn aws_kms(choice: &CustodyChoice) -> Result<AwsKms> {
    let login = AwsLogin {
        id: secret_variable("custody.kind", "AWS_ACCESS_KEY_ID")?.to_string(),
        secret: secret_variable("custody.kind", "AWS_SECRET_ACCESS_KEY")?,
        session: std::env::var("AWS_SESSION_TOKEN")
            .ok()
            .filter(|token| !token.is_empty())
            .map(Zeroizing::new),
    };
    let url = choice.address().unwrap_or_default();
    Ok(AwsKms::new(&url, choice.region.as_deref().unwrap_or_default(), login, &choice.prefix)?)
}

fn secret_variable(setting: &str, name: &str) -> Result<Zeroizing<String>> {
    let fault =
        || Failure::new(&codes::BAD_CONFIG, format!("{setting} needs the variable {name}, which is not set"));
    std::env::var(name).ok().filter(|value| !value.is_empty()).map(Zeroizing::new).ok_or_else(fault)
}

/// Refuses keys that lie in another custody than the configuration names: new ones would be made beside them.
fn refuse_other_custody(config: &Config, custody: &dyn Custody, keys: &Arc<dyn KeyStore>) -> Result<()> {
    let in_service = !keys.custody_keys()?.is_empty();
    let reason = match config.custody.kind {
        CustodyKind::Local if in_service && custody.names()?.is_empty() => {
            "the keys are in the custody of a key management service: set custody.kind to openbao or aws, \
             or bring them back with `lacuna keys move --to local`"
        }
        CustodyKind::OpenBao | CustodyKind::Aws if !in_service && !keys.fingerprints()?.is_empty() => {
            "the keys are not in the custody that custody.kind names: bring them there with `lacuna keys move --to`"
        }
        _ => return Ok(()),
    };
    Err(Failure::new(&codes::MISSING_KEY, reason))
}

fn refuse_unfinished_move(layout: &Layout) -> Result<()> {
    match layout.move_journal().exists() {
        false => Ok(()),
        true => {
            let reason =
                "a move of the keys was begun and not finished: run the same `lacuna keys move` again";
            Err(Failure::new(&codes::MOVE_UNFINISHED, reason))
        }
    }
}

/// Refuses a weak passphrase before the first key is made under it. Keys that are there open with the one that they
/// have.
pub(crate) fn refuse_weak_key_passphrase(config: &Config, layout: &Layout) -> Result<()> {
    let is_key = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.path().extension().is_some_and(|kind| kind == "key"))
    };
    let has_keys = fs::read_dir(layout.keys()).is_ok_and(|mut files| files.any(is_key));
    // A new key is protected by the variable or not at all: nobody is asked for a first passphrase.
    match std::env::var("LACUNA_PASSPHRASE") {
        Ok(given) if !given.is_empty() && !has_keys => {
            refuse_weak(&Zeroizing::new(given), config.weak_passphrase)
        }
        _ => Ok(()),
    }
}

/// The passphrase from the environment, or from the terminal when a key asks for one.
fn passphrase(folder: &Path) -> Result<Option<Zeroizing<String>>> {
    if let Some(given) = std::env::var_os("LACUNA_PASSPHRASE") {
        let text = given
            .into_string()
            .map_err(|_| Failure::new(&codes::BAD_CONFIG, "LACUNA_PASSPHRASE is not UTF-8"))?;
        return Ok((!text.is_empty()).then(|| Zeroizing::new(text)));
    }
    if !LocalKms::is_protected(folder)? || !io::stdin().is_terminal() {
        return Ok(None);
    }
    let typed = rpassword::prompt_password("Passphrase of the key files: ").map_err(|error| {
        Failure::new(&codes::PASSPHRASE_REQUIRED, format!("the passphrase could not be read: {error}"))
    })?;
    Ok(Some(Zeroizing::new(typed)))
}

/// Loads the models. The instant model is always the static one: it answers at once, whatever the main model
/// does.
pub(crate) fn models(choice: &EmbedderChoice) -> Result<Models> {
    let instant = lacuna_models::static_embedder()?;
    Ok(match choice {
        EmbedderChoice::Static => {
            Models { others: vec![lacuna_models::sentence_embedder()?], ..Models::only(instant) }
        }
        EmbedderChoice::Sentence => {
            let main = lacuna_models::sentence_embedder()?;
            Models { instant, main, others: Vec::new() }
        }
        EmbedderChoice::Endpoint { url, model, api_key_env, dimensions } => {
            let main = endpoint(url, model, api_key_env.as_deref(), *dimensions)?;
            Models { instant, main, others: vec![lacuna_models::sentence_embedder()?] }
        }
    })
}

/// Connects to the endpoint. The configuration names the variable that holds the key, so the key stands in no
/// file and in no list of processes.
fn endpoint(
    url: &str,
    model: &str,
    api_key_env: Option<&str>,
    dimensions: Option<u32>,
) -> Result<Arc<dyn Embedder>> {
    let api_key = api_key("endpoint.api_key_env", api_key_env)?;
    let config = EndpointConfig { api_key, dimensions, ..EndpointConfig::new(url, model) };
    Ok(lacuna_models::endpoint_embedder(config)?)
}

fn language_model(choice: &LlmChoice) -> Result<Arc<dyn Llm>> {
    Ok(lacuna_models::llm(llm_config(choice)?)?)
}

/// The same model for plans to forget, where they ask it. A person waits for them, so that it is asked once.
fn proposing_model(choice: &LlmChoice) -> Result<Option<Arc<dyn Llm>>> {
    let Some(timeout) = choice.forget_time else { return Ok(None) };
    Ok(Some(lacuna_models::llm(LlmConfig { timeout, retries: 0, ..llm_config(choice)? })?))
}

fn llm_config(choice: &LlmChoice) -> Result<LlmConfig> {
    let api_key = api_key("llm.key_env", choice.key_env.as_deref())?;
    Ok(LlmConfig { api_key, ..LlmConfig::new(choice.kind, &choice.url, &choice.model) })
}

fn api_key(setting: &str, name: Option<&str>) -> Result<Option<ApiKey>> {
    let read = |name: &str| {
        std::env::var(name).map(ApiKey::new).map_err(|_| {
            Failure::new(&codes::BAD_CONFIG, format!("{setting} names {name}, which is not set"))
        })
    };
    name.map(read).transpose()
}
