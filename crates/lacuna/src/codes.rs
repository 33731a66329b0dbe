//! The one table of error codes: what each means, how HTTP and the shell report it, and what to do.
//! `docs/errors.md` shows it, and a test holds the two together.

use lacuna_core::Error;

/// How the process ends.
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
    pub(crate) remedy: &'static str,
}

/// Declares each code as a constant and all of them as [`ALL`].
macro_rules! codes {
    ($($constant:ident $name:literal $status:literal $exit:ident $meaning:literal $remedy:literal;)+) => {
        $(pub(crate) static $constant: Code =
            Code { name: $name, status: $status, exit: exit::$exit, meaning: $meaning, remedy: $remedy };)+
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
    FOREIGN_HOST "foreign_host" 421 DENIED "Without tokens the server answers only to its loopback names."
        "Call it as localhost or 127.0.0.1 with its own port, or make a token.";
    FOREIGN_ORIGIN "foreign_origin" 403 DENIED "A web page of another origin asked, and no token was sent."
        "Call from the same origin, or make a token.";
    DENIED "denied" 403 DENIED "The caller's roles do not allow this."
        "Use a token with the role that the message names.";
    NOT_FOUND "not_found" 404 NOT_FOUND "There is no such thing within the caller's reach: missing, foreign and erased look the same."
        "Check the id; list what there is.";
    CONFLICT "conflict" 409 CONFLICT "Somebody else changed it first. Nothing was done."
        "Read it again and retry.";
    PRECONDITION_FAILED "precondition_failed" 412 CONFLICT "It is no longer as If-Match names it. Nothing was done."
        "Read it again, look at what changed, and send the new ETag.";
    RATE_LIMITED "rate_limited" 429 UNAVAILABLE "The caller sent more requests of this kind than they may in a minute."
        "Wait as long as Retry-After says; ask the operator for a higher limit.";
    QUOTA_EXCEEDED "quota_exceeded" 429 UNAVAILABLE "The caller sent more bytes than they may in a day."
        "Wait as long as Retry-After says; ask the operator for a higher limit.";
    IDEMPOTENCY_REUSED "idempotency_reused" 422 USAGE "The Idempotency-Key was sent before with another request. Nothing was done."
        "Make a new key for each request, and keep it for its retries.";
    IDEMPOTENCY_IN_FLIGHT "idempotency_in_flight" 409 CONFLICT "The first request with this Idempotency-Key is still being answered, or its answer was too large to keep."
        "Wait a moment and send it again; or look whether it was done.";
    BODY_TIMEOUT "body_timeout" 408 UNAVAILABLE "The body of the request did not arrive in time."
        "Send it again over a better connection, or send less at once.";
    OVERLOADED "overloaded" 503 UNAVAILABLE "The server has as much to do as it takes at a time. Nothing was done."
        "Wait as long as Retry-After says, and send it again.";
    DRAINING "draining" 503 UNAVAILABLE "The server is about to stop."
        "Ask another server, or the same one after its restart.";
    SIGN_ON_UNAVAILABLE "sign_on_unavailable" 503 UNAVAILABLE "The keys of the sign-on service cannot be had, so its tokens cannot be verified."
        "Make sure that oidc.jwks_url answers; API tokens work meanwhile.";
    TIMEOUT "timeout" 503 UNAVAILABLE "The answer took too long. The work may still be finished."
        "Look whether it was done before sending it again; use smaller batches.";
    INTERNAL "internal" 500 FAILED "A defect in Lacuna. What was acknowledged before is safe."
        "Report it with the request id and the log line of that id.";
    INPUT_UNREADABLE "input_unreadable" 400 FAILED "The file or standard input cannot be read."
        "Check that the path exists and may be read.";
    OUTPUT_FAILED "output_failed" 500 FAILED "The answer could not be written."
        "Check where the output goes; the work itself was done.";
    EXPORT_PASSPHRASE "export_passphrase" 422 USAGE "The file is to be or was encrypted, and no passphrase or a wrong one was given."
        "Set LACUNA_EXPORT_PASSPHRASE, or run in a terminal and answer the prompt.";
    DAMAGED_EXPORT "damaged_export" 422 USAGE "The encrypted file is damaged, cut short or of a newer release."
        "Use another copy of the file.";
    UNKNOWN_FORMAT "unknown_format" 422 USAGE "It cannot be told which program wrote the file."
        "Name the program with --from, or the query parameter `from`.";
    ALREADY_THERE "already_there" 409 CONFLICT "The vault already holds one of the memories, and was to refuse them then."
        "Import with --merge to pass over those that are there.";
    NEEDS_CONFIRMATION "needs_confirmation" 409 USAGE "It was not confirmed. Nothing was done."
        "Answer yes at the prompt or pass --yes; send a text again with the token that the answer holds.";
    SECRET_FOUND "secret_found" 422 USAGE "The text holds a secret and was to be refused then. Nothing was stored."
        "Take the secret out; `gate` says where it stands. Without fail_on_secret it is stored redacted.";
    CREDENTIAL_REFUSED "credential_refused" 422 USAGE "A credential is not a fact to remember. Nothing was stored."
        "Keep it in a password manager; a turn of a conversation is stored with the credential taken out.";
    NO_LEGAL_BASIS "no_legal_basis" 422 USAGE "Personal data needs a consent basis. Nothing was stored."
        "Name a consent_basis other than not-applicable.";
    EXPLICIT_CONSENT_REQUIRED "explicit_consent_required" 422 USAGE "Sensitive personal data needs explicit consent. Nothing was stored."
        "Ask the person, and send consent_basis explicit-consent.";
    SENSITIVE_NOT_ALLOWED "sensitive_not_allowed" 422 DENIED "The tenant's policy takes no sensitive personal data. Nothing was stored."
        "Ask the administrator for sensitive_allowed in the policy, or do not store it.";
    SESSION_ONLY "session_only" 422 USAGE "Where somebody is at the moment is not kept. Nothing was stored."
        "Say it as a lasting fact if it is one, or name consent_basis explicit-consent.";
    BELOW_SALIENCE "below_salience" 422 USAGE "It matters less than the tenant's policy asks. Nothing was stored."
        "Send a higher salience if it does matter.";
    FROZEN "frozen" 409 DENIED "The vault is frozen: it can be read and erased, not written. Nothing was stored."
        "Thaw it with `lacuna thaw` or PUT /v1/vault when processing may go on.";
    TRANSITION_NOT_ALLOWED "transition_not_allowed" 409 DENIED "A memory in this state cannot be moved there, or not by this caller."
        "Look at its state; a candidate is decided in the review.";
    CANNOT_ANONYMISE "cannot_anonymise" 409 CONFLICT "The memory does not wait for what was forgotten, or no other word can stand there."
        "Accept, edit or reject it.";
    TOO_MANY_SESSIONS "too_many_sessions" 409 CONFLICT "Too many sessions of the vault hold something in RAM. Nothing was stored."
        "End some of them with POST /v1/sessions/{id}/end or `lacuna session end`.";
    PLAN_CHANGED "plan_changed" 409 CONFLICT "The vault is no longer as the plan saw it. Nothing was forgotten."
        "Plan again, look at what changed, and confirm the new plan.";
    UNCLEAR_REQUEST "unclear_request" 422 USAGE "It is not clear what to forget. Nothing was forgotten."
        "Say it as the message suggests.";
    REQUEST_COMPLETED "request_completed" 409 CONFLICT "The person's request is already completed. Nothing was done."
        "Open another request if there is more to forget.";
    RECEIPT_NOT_VALID "receipt_not_valid" 422 CORRUPT "The receipt is not as it was signed, or another key signed it."
        "Ask for the original, and compare the key with what `lacuna receipt key` prints where it was issued.";
    BAD_CONFIG "bad_config" 500 MISCONFIGURED "The configuration is not acceptable; the message names every fault."
        "Correct the keys it names.";
    UNSAFE_LISTEN "unsafe_listen" 500 MISCONFIGURED "The address is not loopback, and no token or no TLS protects it."
        "Listen on 127.0.0.1; or make a token and set tls.cert and tls.key, or pass --behind-tls-proxy behind a proxy that ends TLS.";
    CANNOT_LISTEN "cannot_listen" 500 MISCONFIGURED "The address cannot be listened on."
        "Choose another port with --listen, or stop what uses it.";
    DATA_FOLDER_UNAVAILABLE "data_folder_unavailable" 503 MISCONFIGURED "The data folder cannot be made or used."
        "Choose another with --data, or correct its owner and permissions.";
    AUDIT_UNAVAILABLE "audit_unavailable" 503 UNAVAILABLE "The audit cannot be written, so nothing is shown."
        "Find out why the store takes no writes: free some disk space, check its permissions.";
    KEY_FOLDER_UNAVAILABLE "key_folder_unavailable" 503 UNAVAILABLE "The key folder or a file in it cannot be read or written."
        "Correct its owner and permissions, and free some disk space.";
    KEY_FILE_PERMISSIONS "key_file_permissions" 503 MISCONFIGURED "Others on the machine can read a key file."
        "Run chmod 600 on the file that the message names.";
    BAD_KEY_FILE "bad_key_file" 503 MISCONFIGURED "A key file does not parse."
        "Put the file back from a copy; what it sealed cannot be opened without it.";
    MISSING_KEY "missing_key" 503 MISCONFIGURED "A key that stored memories need is not there."
        "Put the key folder back from a copy; the memories are untouched.";
    WRONG_KEY "wrong_key" 503 MISCONFIGURED "The key files do not belong to this keystore."
        "Put back the key folder that belongs to this data; the memories are untouched.";
    WRONG_PASSPHRASE "wrong_passphrase" 503 MISCONFIGURED "The passphrase does not open the keys."
        "Set LACUNA_PASSPHRASE to the passphrase that the keys were made with.";
    PASSPHRASE_REQUIRED "passphrase_required" 503 MISCONFIGURED "The keys are protected by a passphrase, and none was given."
        "Set LACUNA_PASSPHRASE, or run in a terminal and answer the prompt.";
    KEY_NOT_PROTECTED "key_not_protected" 503 MISCONFIGURED "A passphrase was given, but the keys were made without one."
        "Unset LACUNA_PASSPHRASE.";
    USER_SECRET_REQUIRED "user_secret_required" 503 MISCONFIGURED "The vault also needs a secret that only its user holds."
        "Use a release that supports user-held keys.";
    VAULT_WITHOUT_DATA "vault_without_data" 503 MISCONFIGURED "A vault has keys but no memory yet, so its epoch cannot be renewed."
        "Write a first memory to it, then renew again; nothing was lost.";
    STORE_UNAVAILABLE "store_unavailable" 503 UNAVAILABLE "The database cannot be used at the moment."
        "Look at the log, make sure that the database is reachable, and retry.";
    LOCKED "locked" 503 UNAVAILABLE "Another process holds the database."
        "Retry; if it stays, stop the process that holds it.";
    DISK_FULL "disk_full" 503 UNAVAILABLE "The disk is full. Nothing was stored by this request."
        "Free some space and retry.";
    READ_ONLY "read_only" 503 MISCONFIGURED "The database may only be read. Nothing was changed."
        "Correct the owner and permissions of the data folder and its files.";
    ACCESS_DENIED "access_denied" 503 MISCONFIGURED "The database server refuses the user, the password or a permission."
        "Check user and password; the account needs its own database and the right to create roles.";
    BAD_URL "bad_url" 503 MISCONFIGURED "The database URL cannot be read."
        "Write it as postgres://user:password@host/database.";
    TLS_REQUIRED "tls_required" 503 MISCONFIGURED "The database is on another machine, and the connection would not be encrypted."
        "Use a database on this machine or a local TLS tunnel to it.";
    NOT_A_DATABASE "not_a_database" 503 MISCONFIGURED "The database file is damaged or is something else."
        "Put it back from a backup, or choose another data folder.";
    FOREIGN_DATABASE "foreign_database" 503 MISCONFIGURED "The database belongs to another program."
        "Choose another data folder or database.";
    NEWER_DATABASE "newer_database" 503 MISCONFIGURED "A newer release of Lacuna wrote this database."
        "Run that release or a later one; nothing was changed.";
    BLOBS_UNAVAILABLE "blobs_unavailable" 503 UNAVAILABLE "Large texts cannot be read or written at the moment."
        "Check the folder of blobs, its permissions and the disk space.";
    EMBEDDER_UNAVAILABLE "embedder_unavailable" 503 UNAVAILABLE "The embedding endpoint does not answer."
        "Make sure that it runs; until then words and the built-in model find memories.";
    LLM_UNAVAILABLE "llm_unavailable" 503 UNAVAILABLE "The language model does not answer as it should."
        "Make sure that it runs; until then compaction picks sentences instead.";
    LLM_MISCONFIGURED "llm_misconfigured" 503 MISCONFIGURED "The language model is not configured as it needs."
        "Check llm.kind, llm.url, llm.model and the key that llm.key_env names.";
    EMBEDDER_MISCONFIGURED "embedder_misconfigured" 503 MISCONFIGURED "The embedding endpoint is not configured as it needs."
        "Check the endpoint's URL, model, key and dimensions.";
    EMBEDDER_UNUSABLE "embedder_unusable" 503 MISCONFIGURED "The embedding model does not work as it should."
        "Run `lacuna doctor`; reinstall the binary, or choose another model.";
    BAD_BACKUP "bad_backup" 503 MISCONFIGURED "The file is not a backup, or is damaged. Nothing was changed."
        "Use another copy of the backup.";
    BACKUP_UNAVAILABLE "backup_unavailable" 503 UNAVAILABLE "The backup cannot be read or written."
        "Check the path, its permissions and the disk space.";
    LEDGER_TOO_OLD "ledger_too_old" 503 MISCONFIGURED "A receipt is known that the erasure ledger does not have, so something erased could come back. Nothing was changed."
        "Pass the newest ledger with --ledger, exported by `lacuna ledger export`.";
    UNSOUND "unsound" 500 FAILED "A check of `lacuna doctor` failed."
        "Follow the hints beside the failed checks.";
    CORRUPT "corrupt" 500 CORRUPT "Stored bytes are damaged. Nothing was changed, and the rest still works."
        "Run `lacuna doctor`; put the damaged part back from a backup.";
}

/// The row of an error of the core. A code without a row would be our defect, and says so.
pub(crate) fn of(error: &Error) -> &'static Code {
    by_name(error.code()).unwrap_or(&INTERNAL)
}

fn by_name(name: &str) -> Option<&'static Code> {
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
            let row = format!(
                "| `{}` | {} | {} | {} | {} |",
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
    fn every_code_that_the_core_and_the_models_name_has_a_row() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut named = BTreeSet::new();
        for folder in ["lacuna-core/src", "lacuna-models/src"] {
            collect(&crates.join(folder), &mut named);
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
