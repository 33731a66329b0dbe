//! The one table of error codes: meaning, HTTP status, exit code and remedy of each. `docs/errors.md` shows it,
//! and a test compares the two.

use lacuna_types::Error;

/// Exit codes of the process.
pub(crate) mod exit {
    pub(crate) const OK: u8 = 0;
    pub(crate) const FAILED: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const NOT_FOUND: u8 = 3;
    pub(crate) const DENIED: u8 = 4;
    pub(crate) const CONFLICT: u8 = 5;
    pub(crate) const UNAVAILABLE: u8 = 6;
    pub(crate) const MISCONFIGURED: u8 = 7;
    pub(crate) const CORRUPT: u8 = 8;
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub(crate) name: &'static str,
    pub(crate) status: u16,
    pub(crate) exit: u8,
    pub(crate) meaning: &'static str,
    /// For the command line.
    pub(crate) remedy: &'static str,
    /// For HTTP, where the command line's remedy would not help.
    http: Option<&'static str>,
    /// For MCP tools, where the remedy for HTTP would not help.
    mcp: Option<&'static str>,
}

/// Remedies for callers who cannot act themselves.
const ASK_OPERATOR: &str = "Ask the operator of the server; its log has the cause.";
const TELL_USER: &str = "Tell the user; `lacuna doctor` on the server's machine finds the cause.";

impl Code {
    /// Remedy in the words of an HTTP client.
    pub(crate) fn http_remedy(&self) -> &'static str {
        self.http.unwrap_or(if self.is_for_operator() { ASK_OPERATOR } else { self.remedy })
    }

    /// Remedy in the words of a model that calls a tool.
    pub(crate) fn mcp_remedy(&self) -> &'static str {
        self.mcp.unwrap_or(if self.is_for_operator() { TELL_USER } else { self.http_remedy() })
    }

    fn is_for_operator(&self) -> bool {
        self.status >= 500 && matches!(self.exit, exit::MISCONFIGURED | exit::CORRUPT)
    }
}

/// Declares each code as a constant and all of them as [`ALL`].
macro_rules! codes {
    (@optional) => { None };
    (@optional $text:literal) => { Some($text) };
    ($(
        $constant:ident $name:literal $status:literal $exit:ident $meaning:literal $remedy:literal
            $(http $http:literal)? $(mcp $mcp:literal)?;
    )+) => {
        $(pub(crate) static $constant: Code = Code {
            name: $name,
            status: $status,
            exit: exit::$exit,
            meaning: $meaning,
            remedy: $remedy,
            http: codes!(@optional $($http)?),
            mcp: codes!(@optional $($mcp)?),
        };)+
        pub(crate) static ALL: &[&Code] = &[$(&$constant),+];
    };
}

codes! {
    USAGE "usage" 400 USAGE "The command line is not understood."
        "Run the command with --help.";
    INVALID "invalid" 422 USAGE "A field of the request is not acceptable; `field` names it."
        "Correct the field as the message says.";
    MALFORMED_JSON "malformed_json" 400 USAGE "The body or the line is not JSON."
        "Send one JSON object, without trailing text.";
    INVALID_UTF8 "invalid_utf8" 400 USAGE "The input is not UTF-8."
        "Convert the text to UTF-8 and send it again.";
    UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" 415 USAGE "The body is not declared as JSON."
        "Send the header Content-Type: application/json.";
    TOO_LARGE "too_large" 413 USAGE "The body or the line is larger than the limit that the message names."
        "Send less at once, for example in several batches.";
    UNREADABLE_BODY "unreadable_body" 400 USAGE "The body did not arrive whole."
        "Send the request again.";
    UNKNOWN_ROUTE "unknown_route" 404 USAGE "There is nothing at this path."
        "Look the path up in /openapi.json.";
    METHOD_NOT_ALLOWED "method_not_allowed" 405 USAGE "The path does not take this method."
        "Look the method up in /openapi.json.";
    UNAUTHENTICATED "unauthenticated" 401 DENIED "The request has no token, or one that is unknown, expired or revoked."
        "Send Authorization: Bearer with a token made by `lacuna token create`, or one of the sign-on service.";
    BAD_HOST "bad_host" 400 USAGE "The request has no Host header, or several."
        "Send one Host header.";
    FOREIGN_HOST "foreign_host" 421 DENIED "On loopback, a call without a token and /metrics are answered only under the server's own names."
        "Call it as localhost or 127.0.0.1 with its own port.";
    FOREIGN_ORIGIN "foreign_origin" 403 DENIED "A web page of another origin asked, and no token was sent."
        "Call from the same origin, or make a token.";
    STALE_FORM "stale_form" 403 DENIED "The form belongs to another visit, or to one that has ended. Nothing was done."
        "Open the page again and send the form anew.";
    DENIED "denied" 403 DENIED "The caller's roles do not allow this."
        "Use a token with the role that the message names."
        mcp "Tell the user; another token with the role that the message names may do it.";
    NOT_FOUND "not_found" 404 NOT_FOUND "There is no such thing within the caller's reach: missing, foreign and erased look the same."
        "Check the id against a list.";
    CONFLICT "conflict" 409 CONFLICT "Another request changed it first. Nothing was done."
        "Read it again and retry.";
    PRECONDITION_FAILED "precondition_failed" 412 CONFLICT "It has changed since the answer whose ETag If-Match names. Nothing was done."
        "Read it again, check the changes, and send the new ETag.";
    RATE_LIMITED "rate_limited" 429 UNAVAILABLE "The caller sent more requests of this kind than a minute allows."
        "Wait as long as Retry-After says; ask the operator for a higher limit.";
    QUOTA_EXCEEDED "quota_exceeded" 429 UNAVAILABLE "The caller sent more bytes than a day allows."
        "Wait as long as Retry-After says; ask the operator for a higher limit.";
    IDEMPOTENCY_REUSED "idempotency_reused" 422 USAGE "The Idempotency-Key was sent before with another request. Nothing was done."
        "Make a new key for each request, and keep it for its retries.";
    IDEMPOTENCY_IN_FLIGHT "idempotency_in_flight" 409 CONFLICT "The first request with this Idempotency-Key is still being answered, or it was done and its answer is not kept."
        "Wait a moment and send it again; or check whether it was done.";
    BODY_TIMEOUT "body_timeout" 408 UNAVAILABLE "The body of the request did not arrive in time."
        "Send it again over a better connection, or send less at once.";
    OVERLOADED "overloaded" 503 UNAVAILABLE "The server works at its limit. Nothing was done."
        "Wait as long as Retry-After says, and send it again.";
    DRAINING "draining" 503 UNAVAILABLE "The server is about to stop."
        "Ask another server, or the same one after its restart.";
    SIGN_ON_UNAVAILABLE "sign_on_unavailable" 503 UNAVAILABLE "The keys of the sign-on service cannot be fetched, so its tokens cannot be verified."
        "Make sure that oidc.jwks_url answers; API tokens work meanwhile."
        http "Use an API token, or try again later.";
    TIMEOUT "timeout" 503 UNAVAILABLE "The answer took too long. The work may still be finished."
        "Check whether it was done before sending it again; use smaller batches.";
    INTERNAL "internal" 500 FAILED "A defect in Lacuna. Everything acknowledged before is safe."
        "Report it with the log line."
        http "Report it with the request id; the log has a line with that id.";
    INPUT_UNREADABLE "input_unreadable" 400 FAILED "The file or standard input cannot be read."
        "Check that the path exists and may be read.";
    OUTPUT_FAILED "output_failed" 500 FAILED "The answer could not be written."
        "Check where the output goes; the work itself was done.";
    EXPORT_PASSPHRASE "export_passphrase" 422 USAGE "The file needs a passphrase, and none or a wrong one was given."
        "Set LACUNA_EXPORT_PASSPHRASE, or run in a terminal and answer the prompt."
        http "Send the passphrase in the header Lacuna-Passphrase.";
    DAMAGED_EXPORT "damaged_export" 422 USAGE "The encrypted file is damaged, cut short or of a newer release."
        "Use another copy of the file.";
    UNKNOWN_FORMAT "unknown_format" 422 USAGE "The file does not show which program wrote it."
        "Name the program with --from."
        http "Name the program with the query parameter `from`.";
    ALREADY_THERE "already_there" 409 CONFLICT "The vault already holds one of the memories, and the import was to refuse duplicates. Nothing was stored."
        "Import with --merge to skip the memories that are there."
        http "Import with duplicates=merge to skip the memories that are there.";
    NEEDS_CONFIRMATION "needs_confirmation" 409 USAGE "It was not confirmed. Nothing was done."
        "Answer yes at the prompt or pass --yes; for a text, pass the printed token with --confirm; for all sensitive texts of a category: lacuna consent give CATEGORY."
        http "Send the same text again with the token of `asked` as `confirm`, or PUT /v1/consents for its category."
        mcp "Ask the user; after a yes, call again with the same text and the token as `confirm`.";
    DECLINED "declined" 409 OK "Somebody answered no. Nothing was done."
        "Nothing; a no is an answer.";
    SECRET_FOUND "secret_found" 422 USAGE "The text holds a secret, and the request was to refuse secrets. Nothing was stored."
        "Remove the secret. Without --fail-on-secret the text is stored redacted."
        http "Remove the secret; `gate` has its position. Without fail_on_secret the text is stored redacted.";
    CREDENTIAL_REFUSED "credential_refused" 422 USAGE "A credential is not a fact to remember. Nothing was stored."
        "Keep it in a password manager; a turn of a conversation is stored without the credential.";
    NO_LEGAL_BASIS "no_legal_basis" 422 USAGE "Personal data needs a consent basis. Nothing was stored."
        "Pass --consent with a basis other than not-applicable."
        http "Send a consent_basis other than not-applicable."
        mcp "Do not store it; the user can, with `lacuna remember --consent`.";
    EXPLICIT_CONSENT_REQUIRED "explicit_consent_required" 422 USAGE "Sensitive personal data needs explicit consent. Nothing was stored."
        "Ask the person, and pass --consent explicit-consent."
        http "Ask the person, and send consent_basis explicit-consent."
        mcp "Do not store it; the user can, with `lacuna remember --consent explicit-consent`.";
    SENSITIVE_NOT_ALLOWED "sensitive_not_allowed" 422 DENIED "The tenant's policy allows no sensitive personal data. Nothing was stored."
        "Ask the administrator to set sensitive_allowed in the policy, or do not store it.";
    SESSION_ONLY "session_only" 422 USAGE "A person's present location is not kept. Nothing was stored."
        "State it as a lasting fact if it is one, or pass --consent explicit-consent."
        http "State it as a lasting fact if it is one, or send consent_basis explicit-consent."
        mcp "State it as a lasting fact if it is one; otherwise do not store it.";
    BELOW_SALIENCE "below_salience" 422 USAGE "Its salience is below the minimum of the tenant's policy. Nothing was stored."
        "Pass a higher --salience if it is important."
        http "Send a higher salience if it is important.";
    NOT_VERBATIM "not_verbatim" 422 USAGE "A part of the value may not be kept, and a record is kept as it is or not at all. Nothing was stored."
        "Take out what `gate` names, such as an account number; an address may be kept after `lacuna consent give location`."
        http "Take out what `gate` names, such as an account number; an address may be kept after PUT /v1/consents for location.";
    POSSIBLE_SECRET "possible_secret" 422 USAGE "A part of the value looks like a secret. Nothing was stored."
        "Take it out; `gate` has its position."
        http "Take it out, `gate` has its position; or send keep_possible_secrets: true if it is none.";
    NEEDS_APPROVAL "needs_approval" 422 DENIED "Writes to this vault wait for approval, and a record cannot wait. Nothing was stored."
        "Let an administrator write it, or keep it in another vault.";
    FROZEN "frozen" 409 DENIED "The vault is frozen: it can be read and erased, not written. Nothing was stored."
        "Run `lacuna thaw` when processing may go on."
        http "Thaw it with PUT /v1/vault when processing may go on."
        mcp "Tell the user; they can thaw it with `lacuna thaw`.";
    TRANSITION_NOT_ALLOWED "transition_not_allowed" 409 DENIED "A memory in this state cannot be moved there, or not by this caller."
        "Check its state; a candidate is decided in the review.";
    CANNOT_ANONYMISE "cannot_anonymise" 409 CONFLICT "The memory does not wait because of a forgotten person, or no other word fits there."
        "Accept, edit or reject it.";
    TOO_MANY_SESSIONS "too_many_sessions" 409 CONFLICT "Too many sessions of the vault hold working memory in RAM. Nothing was stored."
        "End some of them with `lacuna session end`."
        http "End some of them with POST /v1/sessions/{id}/end."
        mcp "Tell the user; `lacuna session end` ends a session.";
    PLAN_CHANGED "plan_changed" 409 CONFLICT "The vault has changed since the plan was made. Nothing was forgotten."
        "Plan again, check the changes, and confirm the new plan.";
    UNCLEAR_REQUEST "unclear_request" 422 USAGE "The target of the request is not clear. Nothing was forgotten."
        "Pass --who with a number of the list, or name the subject, as in: lacuna forget \"everything about my dentist\"."
        http "Send `who` with a number of the list, or name the subject, as in: \"everything about my dentist\".";
    REQUEST_COMPLETED "request_completed" 409 CONFLICT "The person's request is already completed. Nothing was done."
        "Open another request if there is more to forget.";
    HELD "held" 409 DENIED "A legal hold keeps it: it can be erased when the hold has ended. Nothing was erased."
        "Wait for the end of the hold; `lacuna hold mine` shows the holds that you may know of."
        http "Wait for the end of the hold; GET /v1/holds shows the holds that the owner may know of."
        mcp "Tell the user; `lacuna hold mine` shows the holds that they may know of.";
    HOLD_ENDED "hold_ended" 409 CONFLICT "The hold has ended. Nothing was done."
        "Place another hold if one is still needed.";
    SENSITIVE_NOT_SHARED "sensitive_not_shared" 409 DENIED "The memory is about health, money, belief or biometrics, and its author has not lifted that. Nothing was moved."
        "Pass --lift-sensitivity if it is yours and you want others to read it."
        http "Send lift_sensitivity if it is the caller's own and others may read it.";
    RECEIPT_NOT_VALID "receipt_not_valid" 422 CORRUPT "The receipt was changed after signing, or another key signed it."
        "Ask for the original, and compare the key with the output of `lacuna receipt key` at the issuer."
        http "Ask for the original, and compare its key with that of the issuer.";
    BAD_CONFIG "bad_config" 500 MISCONFIGURED "The configuration is not acceptable; the message names every fault."
        "Correct the keys that the message names.";
    UNSAFE_LISTEN "unsafe_listen" 500 MISCONFIGURED "The address is not loopback, and no token or no TLS protects it."
        "Listen on 127.0.0.1; or make a token and set tls.cert and tls.key, or pass --behind-tls-proxy behind a proxy that ends TLS.";
    CANNOT_LISTEN "cannot_listen" 500 MISCONFIGURED "The server cannot listen on the address."
        "Choose another port with --listen, or stop the program that uses it.";
    DATA_FOLDER_UNAVAILABLE "data_folder_unavailable" 503 MISCONFIGURED "The data folder cannot be made or used."
        "Choose another with --data, or correct its owner and permissions.";
    AUDIT_UNAVAILABLE "audit_unavailable" 503 UNAVAILABLE "The audit cannot be written, so nothing is shown."
        "Make the store writable: free some disk space, check its permissions."
        http "Try again later; if it stays, ask the operator of the server.";
    KEY_FOLDER_UNAVAILABLE "key_folder_unavailable" 503 UNAVAILABLE "The key folder or a file in it cannot be read or written."
        "Correct its owner and permissions, and free some disk space."
        http "Try again later; if it stays, ask the operator of the server.";
    KEY_FILE_PERMISSIONS "key_file_permissions" 503 MISCONFIGURED "Others on the machine can read a key file."
        "Run chmod 600 on the file that the message names.";
    BAD_KEY_FILE "bad_key_file" 503 MISCONFIGURED "A key file does not parse."
        "Restore the file from a copy; without it the data that it sealed cannot be opened.";
    MISSING_KEY "missing_key" 503 MISCONFIGURED "A key that stored memories need is not there."
        "Restore the key folder from a copy; the memories are untouched.";
    WRONG_KEY "wrong_key" 503 MISCONFIGURED "The key files do not belong to this keystore."
        "Restore the key folder that belongs to this data; the memories are untouched.";
    ROLLED_BACK "rolled_back" 503 MISCONFIGURED "The database is older than the anchor in the key folder says."
        "Put the current database back, or restore a backup with `lacuna restore`; `lacuna keys accept-rollback` serves it as it is, and records that.";
    EPOCH_KEPT "epoch_kept" 503 MISCONFIGURED "Vaults that do not open keep old epoch keys alive."
        "Restore the key files or the keystore of the vaults that the answer names, and run `lacuna keys renew-epoch` again.";
    KMS_UNAVAILABLE "kms_unavailable" 503 UNAVAILABLE "The key management service does not answer, or is sealed. Vaults that are open go on."
        "Start or unseal it, check custody.url and its certificate, and retry."
        http "Try again later; if it stays, ask the operator of the server.";
    KMS_REFUSED "kms_refused" 503 MISCONFIGURED "The key management service answers and refuses."
        "Check the token or access key, its policy, custody.mount and custody.kv, as the message says.";
    KMS_KEY_MISSING "kms_key_missing" 503 MISCONFIGURED "The key management service has no usable key of that name. What it wrapped cannot be read."
        "Restore the key in the service, or enable it; check custody.prefix. If it was deleted for good, so were the memories.";
    ROTATION_UNFINISHED "rotation_unfinished" 503 MISCONFIGURED "Vaults that do not open keep an old master key alive."
        "Look at them with `lacuna doctor`; `lacuna jobs run rotate` tries again.";
    MOVE_UNFINISHED "move_unfinished" 503 MISCONFIGURED "A move of the keys to another custody was interrupted. Nothing was lost."
        "Run the same `lacuna keys move` again.";
    WRONG_PASSPHRASE "wrong_passphrase" 503 MISCONFIGURED "The passphrase does not open the keys, the backup or the export."
        "Give the one that it was made with: LACUNA_PASSPHRASE for keys, LACUNA_BACKUP_PASSPHRASE for a full backup, LACUNA_EXPORT_PASSPHRASE for an export.";
    PASSPHRASE_REQUIRED "passphrase_required" 503 MISCONFIGURED "The keys are protected by a passphrase, and none was given."
        "Set LACUNA_PASSPHRASE, or run in a terminal and answer the prompt.";
    KEY_NOT_PROTECTED "key_not_protected" 503 MISCONFIGURED "A passphrase was given, but the keys were made without one."
        "Unset LACUNA_PASSPHRASE.";
    WEAK_PASSPHRASE "weak_passphrase" 422 USAGE "The new passphrase is easy to guess. Nothing was written."
        "Choose a longer one, such as five unrelated words; or pass --weak-passphrase."
        http "Choose a longer one, such as five unrelated words.";
    VAULT_LOCKED "vault_locked" 423 DENIED "The vault opens only with the passphrase of the person who holds it, and is locked."
        "Set LACUNA_VAULT_PASSPHRASE, or run in a terminal and answer the prompt; `lacuna keys unlock` unlocks it on a server."
        http "Unlock it with POST /v1/unlock and the passphrase; only the person can."
        mcp "Tell the user that their memory is locked, and that they unlock it themselves: on the console's page (`lacuna open`) or with `lacuna keys unlock` where a server runs, or by starting the assistant with LACUNA_VAULT_PASSPHRASE set. Never ask for the passphrase here, and go on without memory meanwhile.";
    WRONG_SECRET "wrong_secret" 403 DENIED "The passphrase or the recovery code of the vault is wrong."
        "Try again. After five wrong tries in a row each further one has to wait, longer every time.";
    TOO_MANY_TRIES "too_many_tries" 429 UNAVAILABLE "There were too many wrong tries at the passphrase of the vault."
        "Wait: a minute at first, up to six hours. The recovery code is there for a lost passphrase.";
    ALREADY_PROTECTED "already_protected" 409 CONFLICT "The vault is under a passphrase already."
        "Change it with `lacuna keys change-passphrase`."
        http "Send the present passphrase along, to change it.";
    NOT_PROTECTED "not_protected" 409 CONFLICT "The vault is under no passphrase of its person."
        "Put it under one with `lacuna keys protect`."
        http "Put it under one with PUT /v1/protection.";
    NO_SERVER "no_server" 503 UNAVAILABLE "No server answers at the address."
        "Start it with `lacuna serve`, or name its address with --server.";
    TAMPERED "tampered" 503 MISCONFIGURED "Stored rows, tokens, members or audit entries are not those that Lacuna wrote."
        "Find out who changed the database. Restore a backup, or accept what is there with `lacuna audit accept`."
        http "Ask the operator of the server; nothing of the vault is served until they have looked.";
    VAULT_WITHOUT_DATA "vault_without_data" 503 MISCONFIGURED "A vault has keys but no memory yet, so its epoch cannot be renewed."
        "Write a first memory to it, then renew again; nothing was lost.";
    STORE_UNAVAILABLE "store_unavailable" 503 UNAVAILABLE "The database cannot be used at the moment."
        "Read the log, make sure that the database is reachable, and retry."
        http "Try again later; if it stays, ask the operator of the server.";
    LOCKED "locked" 503 UNAVAILABLE "Another process holds the database or the data folder."
        "Retry; if it stays, stop the process that holds it."
        http "Try again later; if it stays, ask the operator of the server.";
    DISK_FULL "disk_full" 503 UNAVAILABLE "The disk is full. This request stored nothing."
        "Free some space and retry."
        http "Try again later; if it stays, ask the operator of the server.";
    READ_ONLY "read_only" 503 MISCONFIGURED "The data folder, a file in it, its disk or the database server may only be read. Nothing was changed."
        "Correct the owner and permissions of the data folder and its files, or mount the disk for writing; name the primary in the URL of the database."
        http "Try again later; if it stays, ask the operator of the server.";
    ACCESS_DENIED "access_denied" 503 MISCONFIGURED "The database server refuses the user, the password or a permission."
        "Check user and password, and compare the roles with docs/operations.md.";
    BAD_URL "bad_url" 503 MISCONFIGURED "The database URL cannot be read."
        "Write it as postgres://user:password@host/database.";
    TLS_REQUIRED "tls_required" 503 MISCONFIGURED "The database is on another machine, and the connection would not be encrypted."
        "Add sslmode=verify-full to the URL of the database; see `docs/operations.md`.";
    BLOBS_DENIED "blobs_denied" 503 MISCONFIGURED "The object store does not know the bucket, has it in another region, or refuses the access key."
        "Check the bucket, its region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, the rights of the key and the clock; see `docs/operations.md`.";
    WRONG_BLOBS "wrong_blobs" 503 MISCONFIGURED "The place of large texts is another one than the rest of the installation uses. Nothing was changed."
        "Set blobs as on the other nodes. If the large texts were moved, move the file or object `installation` with them.";
    CLOCK_OFF "clock_off" 503 MISCONFIGURED "The clocks of this machine and of the database server differ."
        "Set both by a time service such as NTP, and start again.";
    STORE_TLS "store_tls" 503 MISCONFIGURED "TLS to the database failed: its certificate is not trusted, or a file for it cannot be used."
        "Correct what the message names; see `docs/operations.md`.";
    MISSING_DATABASE "missing_database" 503 MISCONFIGURED "The database is gone or empty, and the keystore knows its vaults."
        "Put the database back, or run `lacuna restore` with a backup. Nothing was changed.";
    NOT_A_DATABASE "not_a_database" 503 MISCONFIGURED "The database file is damaged or is something else."
        "Restore it from a backup, or choose another data folder.";
    FOREIGN_DATABASE "foreign_database" 503 MISCONFIGURED "The database belongs to another program."
        "Choose another data folder or database.";
    NEWER_DATABASE "newer_database" 503 MISCONFIGURED "A newer release of Lacuna wrote this database."
        "Run that release or a later one; nothing was changed.";
    BLOBS_UNAVAILABLE "blobs_unavailable" 503 UNAVAILABLE "Large texts cannot be read or written at the moment."
        "Check the folder of blobs, its permissions and the disk space."
        http "Try again later; if it stays, ask the operator of the server.";
    EMBEDDER_UNAVAILABLE "embedder_unavailable" 503 UNAVAILABLE "The embedding endpoint does not answer."
        "Make sure that it runs; until then words and the built-in model find memories."
        http "Try again later; until then words and the built-in model find memories.";
    LLM_UNAVAILABLE "llm_unavailable" 503 UNAVAILABLE "The language model does not answer, or not as expected."
        "Make sure that it runs; until then compaction picks sentences instead."
        http "Try again later; until then compaction picks sentences instead.";
    LLM_MISCONFIGURED "llm_misconfigured" 503 MISCONFIGURED "The configuration of the language model is wrong."
        "Check llm.kind, llm.url, llm.model and the key that llm.key_env names.";
    EMBEDDER_MISCONFIGURED "embedder_misconfigured" 503 MISCONFIGURED "The configuration of the embedding endpoint is wrong."
        "Check the endpoint's URL, model, key and dimensions.";
    EMBEDDER_UNUSABLE "embedder_unusable" 503 MISCONFIGURED "The embedding model does not work as it should."
        "Run `lacuna doctor`; reinstall the binary, or choose another model.";
    BAD_BACKUP "bad_backup" 503 MISCONFIGURED "The file is not a backup, or is damaged. Nothing was changed."
        "Use another copy of the backup.";
    BACKUP_UNAVAILABLE "backup_unavailable" 503 UNAVAILABLE "The backup cannot be read or written."
        "Check the path or the bucket, the permissions, the disk space and the network.";
    LEDGER_TOO_OLD "ledger_too_old" 503 MISCONFIGURED "The erasure ledger lacks a known receipt, so an erased memory could come back. Nothing was changed."
        "Pass the newest ledger with --ledger, exported by `lacuna ledger export`.";
    UNSOUND "unsound" 500 FAILED "A check of `lacuna doctor` failed."
        "Follow the hints beside the failed checks.";
    CORRUPT "corrupt" 500 CORRUPT "Stored bytes are damaged. Nothing was changed, and the rest still works."
        "Run `lacuna doctor`; restore the damaged part from a backup.";
}

/// Finds the row of a core error. A code without a row is a defect of ours and reported as one.
pub(crate) fn of(error: &Error) -> &'static Code {
    by_name(error.code()).unwrap_or(&INTERNAL)
}

/// Finds a row by the name of its code.
pub(crate) fn by_name(name: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = ALL.iter().map(|code| code.name).collect();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn every_code_is_documented_as_the_table_has_it() {
        let docs = include_str!("../../../docs/errors.md");
        for code in ALL {
            let other = |door, remedy: Option<&str>| remedy.map(|text| format!(" {door}: {text}"));
            let http = other("Over HTTP", code.http).unwrap_or_default();
            let mcp = other("In a tool", code.mcp).unwrap_or_default();
            let row = format!(
                "| `{}` | {} | {} | {} | {}{http}{mcp} |",
                code.name, code.status, code.exit, code.meaning, code.remedy
            );
            assert!(docs.contains(&row), "docs/errors.md lacks:\n{row}");
        }
        let rows = docs.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, ALL.len() + EXIT_ROWS, "docs/errors.md documents a code that is gone");
    }

    /// The documentation also lists the exit codes, in a table of their own.
    const EXIT_ROWS: usize = 9;

    #[test]
    fn every_code_that_a_library_crate_names_has_a_row() {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut named = BTreeSet::new();
        for entry in fs::read_dir(ours.join("..")).unwrap() {
            let folder = entry.unwrap().path();
            if folder.file_name() != ours.file_name() {
                collect(&folder.join("src"), &mut named);
            }
        }
        assert!(named.contains("missing_key"), "the search for codes finds none");
        let missing: Vec<_> = named.iter().filter(|name| by_name(name).is_none()).collect();
        assert!(missing.is_empty(), "no row in the table of codes for {missing:?}");
    }

    /// Codes stand in the source as `code: "…"` or as the first argument of `unavailable(`.
    fn collect(folder: &Path, named: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, named);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source: String = fs::read_to_string(&path).unwrap().split_whitespace().collect();
                for start in [
                    "code:\"",
                    "Error::unavailable(\"",
                    "Self::unavailable(\"",
                    "MISCONFIGURED:&str=\"",
                    "UNAVAILABLE:&str=\"",
                    "unavailable:\"",
                    "misconfigured:\"",
                ] {
                    for rest in source.split(start).skip(1) {
                        named.extend(rest.split('"').next().map(str::to_owned));
                    }
                }
            }
        }
    }
}
