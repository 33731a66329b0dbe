//! Rows that somebody else wrote into the database: each edit shows, and nothing of the vault is served until an
//! operator has accepted it.

use lacuna_core::audit::{AuditEntry, Subject};
use lacuna_core::govern::TokenRequest;
use lacuna_store::rows::AuditRow;
use rusqlite::Connection;

use super::*;

/// A change that somebody makes in the database.
type Edit = fn(&Connection);

fn database(world: &World) -> Connection {
    let file = Connection::open(world.folder.path().join("lacuna.db")).unwrap();
    file.pragma_update(None, "foreign_keys", "OFF").unwrap();
    file
}

/// A copy of every row of a table, to be put back later.
fn snapshot(file: &Connection, table: &str) {
    file.execute_batch(&format!(
        "DROP TABLE IF EXISTS old_{table}; CREATE TABLE old_{table} AS SELECT * FROM {table}"
    ))
    .unwrap();
}

fn put_back(file: &Connection, table: &str, which: &str) {
    file.execute_batch(&format!("INSERT OR REPLACE INTO {table} SELECT * FROM old_{table} WHERE {which}"))
        .unwrap();
}

pub(crate) fn admin<A: Action>() -> Grant<A> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("boss") };
    permit(&caller, &caller.org_scope()).unwrap()
}

fn code<T>(answer: Result<T>) -> &'static str {
    answer.map(drop).unwrap_err().code()
}

/// Three memories of anna's: one hidden, one erased, one as it was written.
fn furnish(world: &World, lacuna: &Lacuna) {
    let hidden = lacuna.keep("anna", "The weasel hides in the barn.").unwrap();
    let erased = lacuna.keep("anna", "The otter swims at noon.").unwrap();
    lacuna.keep("anna", "The heron nests by the mill.").unwrap();
    let file = database(world);
    ["memory", "vault", "tombstone"].iter().for_each(|table| snapshot(&file, table));
    lacuna.erase("anna", erased).unwrap();
    lacuna.set_state(&grant("anna"), &[hidden], Lifecycle::Deleted).unwrap();
}

#[test]
fn a_row_that_somebody_else_wrote_closes_its_vault() {
    let edits: [(&str, Edit); 9] = [
        ("a hidden row shown again", |file| {
            file.execute_batch("UPDATE memory SET state = (SELECT min(state) FROM memory)").unwrap();
        }),
        ("a hidden row rolled back", |file| put_back(file, "memory", "state < 4")),
        ("an erased row put back", |file| {
            put_back(file, "memory", "place NOT IN (SELECT place FROM memory)");
        }),
        ("an erased row put back without its tombstone", |file| {
            file.execute_batch("DELETE FROM tombstone").unwrap();
            put_back(file, "memory", "place NOT IN (SELECT place FROM memory)");
        }),
        ("a row dropped", |file| {
            file.execute_batch("DELETE FROM memory WHERE place = (SELECT max(place) FROM memory)").unwrap();
        }),
        ("an expiry moved", |file| {
            file.execute_batch(
                "UPDATE memory SET expires_at = 1 WHERE place = (SELECT max(place) FROM memory)",
            )
            .unwrap();
        }),
        ("the freeze lifted or set", |file| {
            file.execute_batch("UPDATE vault SET frozen_at = 5").unwrap();
        }),
        ("the signature removed", |file| {
            file.execute_batch("UPDATE vault SET audit_signature = NULL").unwrap();
        }),
        ("all codes removed", |file| {
            file.execute_batch(
                "UPDATE vault SET rows_code = NULL, access_code = NULL, header_code = NULL;
                 UPDATE audit SET code = NULL",
            )
            .unwrap();
        }),
    ];
    for (edit, tamper) in edits {
        let world = World::sqlite();
        let lacuna = world.service();
        furnish(&world, &lacuna);
        lacuna.upkeep().adopt_vaults().unwrap();
        drop(lacuna);
        assert_eq!(world.service().upkeep().changed_vaults().unwrap(), vec![], "{edit}");
        tamper(&database(&world));

        let lacuna = world.service();
        assert_eq!(code(lacuna.ask("anna", "heron")), "tampered", "{edit}: reading");
        assert_eq!(code(lacuna.keep("anna", "The lynx hunts.")), "tampered", "{edit}: writing");
        lacuna.upkeep().adopt_vaults().unwrap();
        assert_eq!(lacuna.upkeep().changed_vaults().unwrap().len(), 1, "{edit}: doctor");
        // Another vault is served as before.
        lacuna.keep("ben", "The lynx hunts at night.").unwrap();
        lacuna.ask("ben", "lynx").unwrap();

        let accepted = lacuna.upkeep().accept_changes(&admin()).unwrap();
        assert_eq!(accepted.len(), 1, "{edit}");
        assert_eq!(lacuna.upkeep().changed_vaults().unwrap(), vec![], "{edit}");
        lacuna.ask("anna", "heron").unwrap();
        let entries = lacuna.read_audit(&grant::<ReadAudit>("anna"), 0).unwrap();
        let accepted =
            |entry: &AuditEntry| entry.action == AuditAction::TamperAccepted && entry.actor == "boss";
        assert!(entries.iter().any(|(_, entry)| accepted(entry)), "{edit}");
    }
}

#[test]
fn damaged_bytes_of_one_row_leave_the_others_served() {
    let world = World::sqlite();
    furnish(&world, &world.service());
    database(&world)
        .execute_batch(
            "UPDATE memory SET frame = zeroblob(200) WHERE place = (SELECT max(place) FROM memory)",
        )
        .unwrap();
    let lacuna = world.service();
    assert_eq!(lacuna.ask("anna", "heron").unwrap().damaged, 1);
    assert_eq!(lacuna.upkeep().changed_vaults().unwrap(), vec![]);
}

#[test]
fn a_finding_is_recorded_once_in_the_chain_of_the_organisation() {
    let world = World::sqlite();
    let lacuna = world.service();
    furnish(&world, &lacuna);
    // The organisation has a chain of its own once somebody belongs to it.
    lacuna.members().add(&admin(), desk(), user("ben")).unwrap();
    drop(lacuna);
    database(&world).execute_batch("UPDATE memory SET state = 1").unwrap();
    let lacuna = world.service();
    for _ in 0..2 {
        assert_eq!(code(lacuna.ask("anna", "heron")), "tampered");
        lacuna.upkeep().flush_reads().unwrap();
    }
    let entries = lacuna.read_audit(&admin::<ReadAudit>(), 0).unwrap();
    let found = |entry: &&(AuditRow, AuditEntry)| entry.1.action == AuditAction::TamperFound;
    let subjects: Vec<_> =
        entries.iter().filter(found).flat_map(|(_, entry)| entry.subjects.clone()).collect();
    assert_eq!(subjects, vec![Subject(*scope("anna").vault_id().as_bytes())]);
}

fn desk() -> Group {
    Group::from_words("team", "desk").unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

/// Tokens of anna, ben (revoked) and rita; ben belongs to the team desk, ann to no team any more. Returns the
/// tokens' secrets.
fn grant_access(world: &World, lacuna: &Lacuna) -> [String; 3] {
    let token = |name: &str, role| {
        let request = TokenRequest {
            user: user(name),
            roles: vec![role],
            operations: Vec::new(),
            without: Vec::new(),
            label: name.to_owned(),
            expires_at: None,
        };
        lacuna.tokens().create(&admin(), request).unwrap()
    };
    let (_, anna) = token("anna", Role::User);
    let (revoked, ben) = token("ben", Role::User);
    let (_, rita) = token("rita", Role::Reader);
    lacuna.members().add(&admin(), desk(), user("ben")).unwrap();
    lacuna.members().add(&admin(), desk(), user("anna")).unwrap();
    let file = database(world);
    ["token", "member", "vault"].iter().for_each(|table| snapshot(&file, table));
    lacuna.tokens().revoke(&admin(), revoked.id).unwrap();
    lacuna.members().remove(&admin(), desk(), user("anna")).unwrap();
    [anna.to_string(), ben.to_string(), rita.to_string()]
}

#[test]
fn access_that_somebody_else_granted_lets_nobody_in() {
    let edits: [(&str, &str); 8] = [
        (
            "a token added",
            "INSERT INTO token SELECT zeroblob(16), zeroblob(32), org, 'anna', roles, label, created_at, NULL, NULL FROM token LIMIT 1",
        ),
        ("a role raised", "UPDATE token SET roles = 'admin' WHERE user = 'rita'"),
        ("a token pointed at another", "UPDATE token SET user = 'anna' WHERE user = 'rita'"),
        ("a revocation taken back", "UPDATE token SET revoked_at = NULL"),
        (
            "a revoked token's old row put back",
            "DELETE FROM token; INSERT INTO token SELECT * FROM old_token",
        ),
        ("a member added", "INSERT INTO member SELECT org, kind, name, 'zoe', added_at FROM member LIMIT 1"),
        ("a former member's old row put back", "INSERT OR IGNORE INTO member SELECT * FROM old_member"),
        ("all tokens deleted", "DELETE FROM token"),
    ];
    for (edit, sql) in edits {
        let world = World::sqlite();
        let lacuna = world.service();
        let [anna, ben, rita] = grant_access(&world, &lacuna);
        let roles =
            |token: &str| lacuna.tokens().authenticate(token).map(|caller| caller.map(|caller| caller.roles));
        assert_eq!(roles(&anna).unwrap(), Some(vec![Role::User]));
        assert_eq!(roles(&ben).unwrap(), None);
        database(&world).execute_batch(sql).unwrap();
        // The rows were read before: what was checked still holds, and nothing else.
        assert!(
            lacuna.tokens().authenticate(&rita).is_err() || roles(&rita).unwrap() != Some(vec![Role::Admin])
        );

        let lacuna = world.service();
        for token in [&anna, &ben, &rita] {
            let answer = lacuna.tokens().authenticate(token);
            assert!(!matches!(&answer, Ok(Some(_))), "{edit}: a token was accepted");
        }
        assert!(
            !matches!(lacuna.tokens().exist(&OrgId::new("acme").unwrap()), Ok(false)),
            "{edit}: the door opens"
        );
        let callers = lacuna.members().caller_for(OrgId::new("acme").unwrap(), user("zoe"), vec![Role::User]);
        assert_eq!(code(callers), "tampered", "{edit}");
        assert_eq!(lacuna.upkeep().changed_vaults().unwrap().len(), 1, "{edit}: doctor");
    }
}

#[test]
fn tokens_stay_required_without_their_database() {
    let world = World::sqlite();
    grant_access(&world, &world.service());
    let org = OrgId::new("acme").unwrap();
    database(&world)
        .execute_batch(
            "DELETE FROM token; DELETE FROM member; DELETE FROM audit; DELETE FROM memory; DELETE FROM vault",
        )
        .unwrap();
    assert!(!matches!(world.service().tokens().exist(&org), Ok(false)));
}

#[test]
fn a_chain_that_was_laundered_is_not_signed_again() {
    let world = World::sqlite();
    let lacuna = world.service();
    furnish(&world, &lacuna);
    lacuna.get(&grant("anna"), lacuna.keep("anna", "The stork stands.").unwrap()).unwrap();
    let file = database(&world);
    // The chain ends at an entry of the attacker's choice, with no signature at all.
    file.execute_batch(
        "DELETE FROM audit WHERE seq > 2;
         UPDATE vault SET audit_seq = 2, audit_hash = (SELECT hash FROM audit WHERE seq = 2), audit_signature = NULL",
    )
    .unwrap();
    // The reads that wait in RAM are not appended to it, by this process or another.
    assert_eq!(code(lacuna.upkeep().flush_reads()), "tampered");
    assert_eq!(code(world.service().keep("anna", "The lynx hunts.")), "tampered");
    assert_eq!(code(world.service().read_audit(&grant("anna"), 0)), "tampered");
    let signature: Option<Vec<u8>> =
        file.query_row("SELECT audit_signature FROM vault", [], |row| row.get(0)).unwrap();
    assert_eq!(signature, None, "somebody signed the chain again");
}

#[test]
fn vaults_of_an_older_release_get_their_codes_once() {
    let world = World::sqlite();
    let lacuna = world.service();
    furnish(&world, &lacuna);
    grant_access(&world, &lacuna);
    drop(lacuna);
    let strip = "UPDATE vault SET rows_code = NULL, access_code = NULL, header_code = NULL; UPDATE audit SET code = NULL";
    database(&world).execute_batch(strip).unwrap();
    let lacuna = world.service();
    assert_eq!(lacuna.upkeep().adopt_vaults().unwrap(), 2);
    lacuna.ask("anna", "heron").unwrap();
    lacuna.verify_audit(&grant("anna")).unwrap();
    lacuna.keep("anna", "The lynx hunts.").unwrap();
    lacuna.verify_audit(&grant("anna")).unwrap();
    drop(lacuna);
    // Once is enough: from then on a vault without codes was changed.
    database(&world).execute_batch(strip).unwrap();
    let lacuna = world.service();
    assert_eq!(lacuna.upkeep().adopt_vaults().unwrap(), 0);
    assert_eq!(code(lacuna.ask("anna", "heron")), "tampered");
}
