//! Entries of the fuzz targets: hostile bytes at the doors. They may be refused; they may not end the process.

use std::io::BufReader;
use std::sync::{Arc, OnceLock};

use lacuna_core::permit::{Caller, Import, permit};
use lacuna_core::transfer::{Duplicates, Format, Wanted};
use lacuna_core::{Lacuna, Parts};
use lacuna_store::{Blobs, LocalKms, RamKeys, RamStore};
use lacuna_types::{OrgId, Role, UserId};
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use crate::import::{How, Intake, Shape, open};
use crate::wire::failure::{Failure, Result};
use crate::wire::json::read_json;
use crate::wire::{
    AnswerRequest, AppendRequest, CompactBody, ConfirmRequest, ContextRequest, CorrectRequest,
    DestroyRequest, ExportRequest, ForgetRequest, FreezeRequest, MoveRequest, PersonConfirmRequest,
    PersonPlanRequest, PinRequest, ReceiptView, RememberBatch, RememberRequest, RetentionRequest,
    ReviewRequest, SearchRequest, SessionRequest, StateRequest, TokenRequest, VerifyRequest, into_drafts,
    read_cursor, read_head, read_session_cursor, read_target, read_turn_cursor, verify_audit_file,
    write_audit_file,
};
use crate::{hook, http, mcp, memory_tool, policy_file};

/// A file of an importer, read to its end without storing it.
pub fn import(program: &str, bytes: &[u8]) {
    let shape =
        [Shape::Lacuna, Shape::Mem0, Shape::Chatgpt, Shape::Claude, Shape::McpMemory, Shape::BasicMemory]
            .into_iter()
            .find(|shape| shape.as_str() == program);
    let caller = caller();
    let grant = permit::<Import>(&caller, &caller.personal_scope()).unwrap_or_else(|_| unreachable!());
    let how = How { from: shape, duplicates: Duplicates::Merge, dry_run: true };
    let mut told = |_| Ok(());
    let Ok(mut intake) = Intake::new(core(), &grant, how, &mut told) else { return };
    let passphrase = || Ok(Zeroizing::new(String::new()));
    let read = open(bytes, shape, passphrase).and_then(|file| file.read(&mut intake));
    let _ = intake.finish(read);
}

/// A transcript of a host, and the input of a hook.
pub fn transcript(bytes: &[u8]) {
    hook::read_hostile(bytes);
}

/// A message of an MCP client.
pub fn mcp_message(bytes: &[u8]) {
    mcp::read_hostile(bytes);
}

/// A body, as each request of the API.
pub fn http_body(bytes: &[u8]) {
    form(bytes, |form: RememberRequest| form.into_draft());
    form(bytes, |form: RememberBatch| into_drafts(form.memories));
    form(bytes, SearchRequest::into_query);
    form(bytes, ContextRequest::into_turn);
    form(bytes, CorrectRequest::into_core);
    form(bytes, ForgetRequest::into_core);
    form(bytes, |form: ConfirmRequest| form.choice());
    form(bytes, |_: VerifyRequest| Ok::<_, Failure>(()));
    form(bytes, |_: SessionRequest| Ok::<_, Failure>(()));
    form(bytes, AppendRequest::into_core);
    form(bytes, |form: ExportRequest| Ok::<_, Failure>(form.wanted()));
    form(bytes, CompactBody::into_core);
    form(bytes, AnswerRequest::into_core);
    form(bytes, |form: PersonPlanRequest| form.person.into_core());
    form(bytes, |form: PersonConfirmRequest| form.signature());
    form(bytes, RetentionRequest::into_core);
    form(bytes, |_: PinRequest| Ok::<_, Failure>(()));
    form(bytes, |form: ReviewRequest| {
        form.decisions.into_iter().map(|decision| decision.into_core()).collect::<Result<Vec<_>>>()
    });
    form(bytes, |_: StateRequest| Ok::<_, Failure>(()));
    form(bytes, |_: FreezeRequest| Ok::<_, Failure>(()));
    form(bytes, TokenRequest::into_core);
    form(bytes, |_: DestroyRequest| Ok::<_, Failure>(()));
    form(bytes, |_: MoveRequest| Ok::<_, Failure>(()));
    form(bytes, ReceiptView::into_core);
    form(bytes, |_: memory_tool::MemoryToolCommand| Ok::<_, Failure>(()));
}

/// Texts in the address of a request: cursors, scopes, paths of the memory tool.
pub fn http_address(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let _ = read_cursor(text);
    let _ = read_session_cursor(text);
    let _ = read_turn_cursor(Some(text));
    let _ = read_target(text, &caller());
    let _ = read_head(text);
    memory_tool::read_path(text);
}

/// The bytes of a connection, of which the first says where they are cut in two.
pub fn http_stream(bytes: &[u8]) {
    if let Some((cut, bytes)) = bytes.split_first() {
        http::pass_hostile(bytes, usize::from(*cut));
    }
}

/// A policy file.
pub fn policy(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        let _ = policy_file::parse_policy(text);
    }
}

/// An audit file that somebody handed over.
pub fn audit_file(bytes: &[u8]) {
    let _ = verify_audit_file(BufReader::new(bytes), None);
}

/// Valid bytes for [`import`] and [`audit_file`], made by the writers from the vault of `caller`.
pub fn seeds(core: &Lacuna, caller: &Caller) -> lacuna_types::Result<Vec<(&'static str, Vec<u8>)>> {
    let own = caller.personal_scope();
    let (mut export, mut audit) = (Vec::new(), Vec::new());
    let wanted = Wanted::everything_but_health(Format::Json);
    core.export(&permit(caller, &own)?, &wanted, &mut export, &mut |_| ())?;
    write_audit_file(core, &permit(caller, &own)?, 0, u64::MAX, &mut audit)?;
    Ok(vec![("import_lacuna", export), ("audit_file", audit)])
}

/// Requests that the description of the API gives as examples.
pub const HTTP_EXAMPLES: &str = include_str!("http/examples.json");

fn form<T: DeserializeOwned, M, E>(bytes: &[u8], meaning: impl FnOnce(T) -> Result<M, E>) {
    let _ = read_json::<T>(bytes).map(meaning);
}

fn caller() -> Caller {
    let org = OrgId::new("acme").unwrap_or_else(|_| unreachable!());
    let user = UserId::new("anna").unwrap_or_else(|_| unreachable!());
    Caller::new(org, user, vec![Role::User])
}

/// An empty installation in RAM, one for all executions.
fn core() -> &'static Lacuna {
    static CORE: OnceLock<Lacuna> = OnceLock::new();
    CORE.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("lacuna-fuzz-{}", std::process::id()));
        let made = LocalKms::open(&folder.join("keys"), None).and_then(|kms| {
            let blobs = Blobs::open(folder.join("blobs"))?;
            let (store, keys) = (Arc::new(RamStore::default()), Arc::new(RamKeys::default()));
            Ok(Lacuna::new(Parts::new(store, keys, kms, blobs, lacuna_models::static_embedder()?)))
        });
        made.unwrap_or_else(|error| panic!("no installation: {error}"))
    })
}
