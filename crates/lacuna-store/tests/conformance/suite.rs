//! What holds for every store.

use jiff::{SignedDuration, Timestamp};
use lacuna_store::rows::{
    AUDIT_PAGE_MAX, AccessRows, BATCH_ROWS_MAX, Batch, ChainHead, INTENT_NOTE_BYTES_MAX, MEMBERS_PAGE_MAX,
    MEMBERSHIPS_MAX, MemberChange, PendingErasure, RECORD_BYTES_MAX, Record, RecordChange, RecordKind, Row,
    SEALED_BYTES_MAX, SealedBody, SealedSettings, Store, TokenChange, TokenRow, TombstoneRow,
    VAULTS_PAGE_MAX, VaultChange, VaultHeader,
};
use lacuna_types::{Error, Group, Holder, Lifecycle, OrgId, Revision, Scope, VaultId};

use crate::samples::*;
use crate::{audit_rows, job_rows};

/// Each check uses vaults of its own, so they may share one store.
pub(crate) fn conformance(store: &dyn Store) {
    an_unknown_vault_is_empty(store);
    a_row_comes_back_as_it_went_in(store);
    a_replaced_row_counts_once(store);
    an_unchanged_body_stays(store);
    a_removed_row_leaves_a_tombstone(store);
    what_was_forgotten_never_comes_back(store);
    changes_come_in_order_from_one_snapshot(store);
    a_failing_visitor_ends_the_visit(store);
    a_stale_revision_conflicts(store);
    a_refused_batch_changes_nothing(store);
    intents_open_and_close(store);
    the_audit_chain_has_no_gaps(store);
    audit_is_handed_out_in_pages(store);
    audit_rows::conformance(store);
    tokens_are_added_and_revoked(store);
    bad_tokens_are_refused(store);
    members_come_and_go(store);
    memberships_end_at_the_organisation(store);
    members_are_handed_out_in_pages(store);
    rows_that_grant_access_come_together(store);
    vaults_do_not_see_each_other(store);
    a_vault_keeps_its_scope(store);
    limits_are_held(store);
    times_are_whole_milliseconds(store);
    large_values_come_back(store);
    vaults_are_listed_in_pages(store);
    the_record_book_is_kept(store);
    bad_records_are_refused(store);
    due_records_are_found_in_all_books(store);
    tombstones_are_listed_and_forgotten(store);
    soft_deleted_rows_are_found(store);
    job_rows::conformance(store);
    a_destroyed_vault_begins_anew(store);
}

fn an_unknown_vault_is_empty(store: &dyn Store) {
    let vault = scope("nobody").vault_id();
    assert_eq!(store.vault(vault).unwrap(), None);
    assert_eq!(store.revision(vault).unwrap(), Revision::ZERO);
    assert_eq!(changes(store, vault, Revision::ZERO), (vec![], Revision::ZERO));
    assert_eq!(store.rows(vault, &[id(1), id(2)]).unwrap(), vec![None, None]);
    assert_eq!(store.intents(vault).unwrap(), vec![]);
    assert_eq!(store.audit(vault, 0).unwrap(), vec![]);
}

fn a_row_comes_back_as_it_went_in(store: &dyn Store) {
    let bodies = [
        SealedBody::None,
        SealedBody::Inline { revision: 7, sealed: vec![1, 2, 3] },
        SealedBody::Inline { revision: 8, sealed: vec![] },
        SealedBody::Blob { revision: u32::MAX, bytes: 1 << 40 },
    ];
    let rows: Vec<Row> = Lifecycle::ALL
        .iter()
        .zip(bodies.iter().cycle())
        .zip(1..)
        .map(|((state, body), n)| Row { state: *state, body: body.clone(), key_version: u32::MAX, ..row(n) })
        .collect();
    let vault = scope("row").vault_id();
    assert_eq!(put(store, "row", rows.clone()), Revision(1));

    let header = store.vault(vault).unwrap().unwrap();
    assert_eq!((header.id, header.scope, header.revision), (vault, scope("row"), Revision(1)));
    assert_eq!((header.created_at, header.audit), (time(0), ChainHead::default()));
    // In the order asked, with a gap where nothing is.
    let asked = [rows[2].id, id(99), rows[0].id, rows[4].id, rows[3].id, rows[1].id];
    let found: Vec<_> = store.rows(vault, &asked).unwrap();
    assert_eq!(found[1], None);
    for (id, found) in asked.iter().zip(found).filter(|(_, found)| found.is_some()) {
        assert_eq!(found.as_ref(), rows.iter().find(|row| row.id == *id));
    }
}

fn a_replaced_row_counts_once(store: &dyn Store) {
    let vault = scope("replace").vault_id();
    put(
        store,
        "replace",
        vec![row(1), Row { body: SealedBody::Inline { revision: 1, sealed: vec![9] }, ..row(2) }],
    );
    let newer = Row { state: Lifecycle::Archived, frame: vec![7; 90], frame_revision: 2, ..row(2) };
    assert_eq!(put(store, "replace", vec![newer.clone()]), Revision(2));
    assert_eq!(store.rows(vault, &[id(2)]).unwrap(), vec![Some(newer.clone())]);
    let newer = VaultChange::Put(Row { body: SealedBody::Unchanged, ..newer });
    assert_eq!(changes(store, vault, Revision(1)), (vec![newer.clone()], Revision(2)));
    let (all, _) = changes(store, vault, Revision::ZERO);
    assert_eq!(all, vec![VaultChange::Put(Row { body: SealedBody::Unchanged, ..row(1) }), newer]);
}

fn an_unchanged_body_stays(store: &dyn Store) {
    let vault = scope("body").vault_id();
    let body = SealedBody::Inline { revision: 3, sealed: vec![5; 500] };
    put(store, "body", vec![Row { body: body.clone(), ..row(1) }]);
    put(store, "body", vec![Row { body: SealedBody::Unchanged, frame: vec![8], ..row(1) }]);
    let expected = Row { body, frame: vec![8], ..row(1) };
    assert_eq!(store.rows(vault, &[id(1)]).unwrap(), vec![Some(expected)]);

    let nothing_to_keep =
        Batch { puts: vec![Row { body: SealedBody::Unchanged, ..row(2) }], ..batch(store, "body") };
    assert_refused(store, nothing_to_keep, "invalid");
}

fn a_removed_row_leaves_a_tombstone(store: &dyn Store) {
    let vault = scope("remove").vault_id();
    let body = SealedBody::Inline { revision: 3, sealed: vec![5; 500] };
    put(store, "remove", vec![row(1), Row { body, ..row(2) }]);
    assert_eq!(remove(store, "remove", &[id(2), id(3)]), Revision(2));
    assert_eq!(store.rows(vault, &[id(2), id(3)]).unwrap(), vec![None, None]);
    let (mut gone, revision) = changes(store, vault, Revision(1));
    gone.sort_by_key(|change| format!("{change:?}"));
    assert_eq!((gone, revision), (vec![VaultChange::Gone(id(2)), VaultChange::Gone(id(3))], Revision(2)));
    // Removing again is allowed and tells nobody twice.
    remove(store, "remove", &[id(2)]);
    assert_eq!(changes(store, vault, Revision(2)), (vec![], Revision(3)));
}

fn what_was_forgotten_never_comes_back(store: &dyn Store) {
    put(store, "forget", vec![row(1)]);
    remove(store, "forget", &[id(1), id(2)]);
    for n in [1, 2] {
        let resurrect = Batch { puts: vec![row(3), row(n)], ..batch(store, "forget") };
        assert_refused(store, resurrect, "corrupt");
    }
    // The same id in another vault is another memory.
    put(store, "forget elsewhere", vec![row(1)]);
}

fn changes_come_in_order_from_one_snapshot(store: &dyn Store) {
    let vault = scope("order").vault_id();
    for n in 1..=20 {
        put(store, "order", vec![row(n), row(n + 100)]);
    }
    remove(store, "order", &[id(3)]);
    put(store, "order", vec![row(1)]);
    let mut wrote = false;
    let mut seen = Vec::new();
    let revision = store
        .changes(vault, Revision::ZERO, &mut |change| {
            if !wrote {
                // A commit in the middle of the visit belongs to the next one.
                std::thread::scope(|scope| {
                    scope.spawn(|| put(store, "order", vec![row(2), row(500)]));
                });
                wrote = true;
            }
            seen.push(match change {
                VaultChange::Put(row) => row.id,
                VaultChange::Gone(id) => id,
            });
            Ok(())
        })
        .unwrap()
        .unwrap()
        .revision;
    assert_eq!(revision, Revision(22));
    assert!(!seen.contains(&id(500)));
    let place = |n| seen.iter().position(|seen| *seen == id(n)).unwrap();
    assert_eq!(seen.len(), 40);
    assert!((4..20).all(|n| place(n) < place(n + 1)));
    assert_eq!((place(3), place(1)), (38, 39));
    assert_eq!(changes(store, vault, revision).0.len(), 2);
}

fn a_failing_visitor_ends_the_visit(store: &dyn Store) {
    let vault = scope("visitor").vault_id();
    put(store, "visitor", (1..=50).map(row).collect());
    let mut visits = 0;
    let answer = store.changes(vault, Revision::ZERO, &mut |_| {
        visits += 1;
        if visits == 10 { Err(Error::NotFound("patience")) } else { Ok(()) }
    });
    assert_eq!((answer.unwrap_err().code(), visits), ("not_found", 10));
    assert_eq!(changes(store, vault, Revision::ZERO).0.len(), 50);
}

fn a_stale_revision_conflicts(store: &dyn Store) {
    let first = Batch { puts: vec![row(1)], ..batch(store, "stale") };
    let second = Batch { puts: vec![row(2)], ..first.clone() };
    store.commit(first).unwrap();
    assert_refused(store, second.clone(), "conflict");
    assert_refused(store, Batch { expected: Revision(2), ..second.clone() }, "conflict");
    assert_eq!(store.commit(Batch { expected: Revision(1), ..second }).unwrap(), Revision(2));
    let unborn = Batch { expected: Revision(1), ..batch(store, "unborn") };
    assert_refused(store, unborn, "conflict");
    assert_eq!(store.vault(scope("unborn").vault_id()).unwrap(), None);
}

fn a_refused_batch_changes_nothing(store: &dyn Store) {
    put(store, "atomic", vec![row(1), row(2)]);
    remove(store, "atomic", &[id(2)]);
    let mut half_good = Batch {
        puts: vec![row(1), row(3)],
        removals: vec![id(4)],
        opens: vec![PendingErasure { id: 1, memories: vec![id(4)], note: vec![7] }],
        tokens: vec![TokenChange::Add(token(200))],
        members: vec![add(&team("atomic"), "ann", 1)],
        settings: Some(SealedSettings { revision: 1, sealed: vec![4; 9] }),
        audit: vec![audit_row(1)],
        ..batch(store, "atomic")
    };
    half_good.tokens.push(TokenChange::Revoke { id: [201; 16], at: time(1) });
    assert_refused(store, half_good, "not_found");
    assert_eq!(store.token(&[200; 32]).unwrap(), None);
    assert_eq!(members_of(store, "acme", &team("atomic")), vec![]);
}

fn intents_open_and_close(store: &dyn Store) {
    let vault = scope("intent").vault_id();
    let intent = |id_: u64, memories: &[u64]| PendingErasure {
        id: id_,
        memories: memories.iter().map(|n| id(*n)).collect(),
        note: vec![7],
    };
    let opens = vec![intent(9, &[1, 2, 3]), intent(4, &[])];
    store.commit(Batch { opens, ..batch(store, "intent") }).unwrap();
    assert_eq!(store.intents(vault).unwrap(), vec![intent(4, &[]), intent(9, &[1, 2, 3])]);
    assert_refused(store, Batch { opens: vec![intent(9, &[])], ..batch(store, "intent") }, "invalid");
    store.commit(Batch { closes: vec![4, 5], ..batch(store, "intent") }).unwrap();
    assert_eq!(store.intents(vault).unwrap(), vec![intent(9, &[1, 2, 3])]);
    let both = Batch { opens: vec![intent(10, &[1])], closes: vec![9, 10], ..batch(store, "intent") };
    store.commit(both).unwrap();
    assert_eq!(store.intents(vault).unwrap(), vec![]);
}

fn the_audit_chain_has_no_gaps(store: &dyn Store) {
    let vault = scope("audit").vault_id();
    let refused: [&[u64]; 4] = [&[2], &[0], &[1, 3], &[1, 1]];
    for chain in refused {
        let audit = chain.iter().map(|seq| audit_row(*seq)).collect();
        assert_refused(store, Batch { audit, ..batch(store, "audit") }, "invalid");
    }
    store.commit(Batch { audit: vec![audit_row(1), audit_row(2)], ..batch(store, "audit") }).unwrap();
    for seq in [1, 2, 4] {
        assert_refused(store, Batch { audit: vec![audit_row(seq)], ..batch(store, "audit") }, "invalid");
    }
    store.commit(Batch { audit: vec![audit_row(3)], ..batch(store, "audit") }).unwrap();
    let head = store.vault(vault).unwrap().unwrap().audit;
    assert_eq!(head, ChainHead { seq: 3, hash: audit_row(3).hash });
    assert_eq!(store.audit(vault, 0).unwrap(), vec![audit_row(1), audit_row(2), audit_row(3)]);
    assert_eq!(store.audit(vault, 2).unwrap(), vec![audit_row(3)]);
    assert_eq!(store.audit(vault, u64::MAX).unwrap(), vec![]);
}

fn audit_is_handed_out_in_pages(store: &dyn Store) {
    let vault = scope("pages").vault_id();
    let count = AUDIT_PAGE_MAX as u64 + 5;
    store.commit(Batch { audit: (1..=count).map(audit_row).collect(), ..batch(store, "pages") }).unwrap();
    let page = store.audit(vault, 0).unwrap();
    assert_eq!((page.len(), page.last().unwrap().seq), (AUDIT_PAGE_MAX, AUDIT_PAGE_MAX as u64));
    assert_eq!(store.audit(vault, AUDIT_PAGE_MAX as u64).unwrap().len(), 5);
}

fn tokens_are_added_and_revoked(store: &dyn Store) {
    let bare = TokenRow { roles: vec![], label: String::new(), expires_at: None, ..token(2) };
    let tokens = vec![TokenChange::Add(bare.clone()), TokenChange::Add(token(1))];
    store.commit(Batch { tokens, ..batch(store, "token") }).unwrap();
    assert_eq!(store.token(&[1; 32]).unwrap(), Some(token(1)));
    assert_eq!(store.token(&[9; 32]).unwrap(), None);
    let org = OrgId::new("acme").unwrap();
    assert_eq!(store.tokens(&org).unwrap(), vec![token(1), bare]);
    assert_eq!(store.tokens(&OrgId::new("other").unwrap()).unwrap(), vec![]);

    let revoke = |at| vec![TokenChange::Revoke { id: [1; 16], at: time(at) }];
    store.commit(Batch { tokens: revoke(50), ..batch(store, "token") }).unwrap();
    store.commit(Batch { tokens: revoke(60), ..batch(store, "token") }).unwrap();
    assert_eq!(store.token(&[1; 32]).unwrap().unwrap().revoked_at, Some(time(50)));
}

fn bad_tokens_are_refused(store: &dyn Store) {
    let base = TokenRow { id: [77; 16], hash: [77; 32], ..token(3) };
    let other_org = OrgId::new("other").unwrap();
    let table = [
        (TokenRow { id: [1; 16], ..base.clone() }, "conflict"),
        (TokenRow { hash: [1; 32], ..base.clone() }, "conflict"),
        (TokenRow { org: other_org.clone(), ..base.clone() }, "invalid"),
        (TokenRow { roles: vec!["a\nb".into()], ..base.clone() }, "invalid"),
        (TokenRow { roles: vec![String::new()], ..base.clone() }, "invalid"),
        (TokenRow { label: "x".repeat(10_000), ..base.clone() }, "invalid"),
        (TokenRow { user: "a\0b".into(), ..base.clone() }, "invalid"),
    ];
    for (bad, code) in table {
        assert_refused(store, Batch { tokens: vec![TokenChange::Add(bad)], ..batch(store, "token") }, code);
    }
    let twice = vec![TokenChange::Add(base.clone()), TokenChange::Add(base)];
    assert_refused(store, Batch { tokens: twice, ..batch(store, "token") }, "conflict");
    // A token of one organisation is out of reach of another.
    let stranger = Scope { org: other_org, holder: Holder::Org };
    let revoke = vec![TokenChange::Revoke { id: [1; 16], at: time(1) }];
    assert_refused(
        store,
        Batch { tokens: revoke, ..Batch::new(stranger, time(0), Revision::ZERO) },
        "not_found",
    );
}

fn add(group: &Group, name: &str, at: i64) -> MemberChange {
    MemberChange::Add { group: group.clone(), user: user(name), at: time(at) }
}

fn leave(group: &Group, name: &str) -> MemberChange {
    MemberChange::Remove { group: group.clone(), user: user(name) }
}

fn members_of(store: &dyn Store, org: &str, group: &Group) -> Vec<(String, Timestamp)> {
    let rows = store.members(&OrgId::new(org).unwrap(), group, None).unwrap();
    rows.into_iter().map(|row| (row.user.as_str().to_owned(), row.added_at)).collect()
}

fn members_come_and_go(store: &dyn Store) {
    let (acme, ann) = (OrgId::new("acme").unwrap(), user("ann"));
    // Capitals sort before small letters, as bytes do; the same name of another kind is another group.
    let (red, blue, lobby) = (team("red"), team("Blue"), deployment("red"));
    assert_eq!(store.memberships(&acme, &ann).unwrap(), vec![]);
    assert_eq!(members_of(store, "acme", &red), vec![]);

    let change = |members| store.commit(Batch { members, ..batch(store, "members") }).unwrap();
    change(vec![add(&red, "ann", 1), add(&lobby, "ann", 2), add(&blue, "ann", 3), add(&red, "Zoë", 4)]);
    assert_eq!(store.memberships(&acme, &ann).unwrap(), vec![blue, red.clone(), lobby.clone()]);
    let both = vec![("Zoë".to_owned(), time(4)), ("ann".to_owned(), time(1))];
    assert_eq!(members_of(store, "acme", &red), both);
    // Adding twice changes nothing.
    change(vec![add(&red, "ann", 9)]);
    assert_eq!(members_of(store, "acme", &red), both);

    change(vec![leave(&red, "ann")]);
    assert_eq!(members_of(store, "acme", &red), both[..1]);
    assert_eq!(members_of(store, "acme", &lobby).len(), 1);
    let twice = Batch { members: vec![leave(&red, "ann")], ..batch(store, "members") };
    assert_refused(store, twice, "not_found");
    let half_good = vec![add(&red, "ben", 1), leave(&red, "nobody")];
    assert_refused(store, Batch { members: half_good, ..batch(store, "members") }, "not_found");
    assert_eq!(members_of(store, "acme", &red), both[..1]);
    let fine = MemberChange::Add { group: red, user: ann, at: time(1) + SignedDuration::from_micros(1) };
    assert_refused(store, Batch { members: vec![fine], ..batch(store, "members") }, "invalid");
}

fn memberships_end_at_the_organisation(store: &dyn Store) {
    let (other, green) = (OrgId::new("other").unwrap(), team("green"));
    store.commit(Batch { members: vec![add(&green, "ann", 1)], ..batch(store, "members") }).unwrap();
    assert_eq!(store.memberships(&other, &user("ann")).unwrap(), vec![]);
    assert_eq!(members_of(store, "other", &green), vec![]);
    let elsewhere = Scope { org: other, holder: green.clone().into() };
    let batch = Batch::new(elsewhere, time(0), Revision::ZERO);
    assert_refused(store, Batch { members: vec![leave(&green, "ann")], ..batch.clone() }, "not_found");
    store.commit(Batch { members: vec![add(&green, "ann", 5)], ..batch }).unwrap();
    assert_eq!(members_of(store, "acme", &green), vec![("ann".to_owned(), time(1))]);
    assert_eq!(members_of(store, "other", &green), vec![("ann".to_owned(), time(5))]);
}

fn rows_that_grant_access_come_together(store: &dyn Store) {
    let org = OrgId::new("access").unwrap();
    let scope = Scope { org: org.clone(), holder: Holder::Org };
    let commit = |tokens: Vec<TokenChange>, members: Vec<MemberChange>| {
        let expected = store.revision(scope.vault_id()).unwrap();
        let change = Batch { tokens, members, ..Batch::new(scope.clone(), time(0), expected) };
        let foretold = store.access(&org).unwrap().after(&change);
        store.commit(change).unwrap();
        assert_eq!(store.access(&org).unwrap(), foretold.unwrap());
    };
    assert_eq!(store.access(&org).unwrap(), AccessRows::default());
    let new = |n: u8| TokenChange::Add(TokenRow { org: org.clone(), ..token(n) });
    commit(vec![new(202), new(201)], vec![add(&deployment("lobby"), "ann", 1), add(&team("red"), "zoe", 2)]);
    commit(vec![TokenChange::Revoke { id: [202; 16], at: time(5) }], vec![add(&team("red"), "bob", 3)]);
    commit(vec![TokenChange::Revoke { id: [202; 16], at: time(9) }], vec![add(&team("red"), "bob", 8)]);
    commit(vec![], vec![leave(&team("red"), "zoe"), add(&team("blue"), "zoe", 4)]);
    let access = store.access(&org).unwrap();
    let ids: Vec<_> = access.tokens.iter().map(|token| (token.id[0], token.revoked_at)).collect();
    assert_eq!(ids, [(201, None), (202, Some(time(5)))]);
    let names: Vec<_> = access.members.iter().map(|(group, row)| (group.name(), row.user.as_str())).collect();
    assert_eq!(names, [("blue", "zoe"), ("red", "bob"), ("lobby", "ann")]);
}

fn members_are_handed_out_in_pages(store: &dyn Store) {
    let (acme, crowd) = (OrgId::new("acme").unwrap(), team("crowd"));
    let count = MEMBERS_PAGE_MAX + 5;
    let members = (0..count).map(|n| add(&crowd, &format!("user {n:05}"), 0)).collect();
    store.commit(Batch { members, ..batch(store, "members") }).unwrap();
    let first = store.members(&acme, &crowd, None).unwrap();
    assert_eq!(first.len(), MEMBERS_PAGE_MAX);
    let rest = store.members(&acme, &crowd, first.last().map(|row| &row.user)).unwrap();
    assert_eq!((rest.len(), rest.last().unwrap().user.as_str()), (5, "user 01004"));
    let members = (0..=MEMBERSHIPS_MAX).map(|n| add(&team(&format!("t{n}")), "joiner", 0)).collect();
    store.commit(Batch { members, ..batch(store, "members") }).unwrap();
    assert_eq!(store.memberships(&acme, &user("joiner")).unwrap().len(), MEMBERSHIPS_MAX);
}

fn vaults_do_not_see_each_other(store: &dyn Store) {
    let (a, b) = (scope("iso a").vault_id(), scope("iso b").vault_id());
    put(store, "iso a", vec![row(1), row(2)]);
    put(store, "iso b", vec![Row { frame: vec![0xb; 9], ..row(1) }]);
    let everything = Batch {
        removals: vec![id(2)],
        opens: vec![PendingErasure { id: 1, memories: vec![id(2)], note: vec![7] }],
        audit: vec![audit_row(1)],
        ..batch(store, "iso b")
    };
    store.commit(everything).unwrap();
    assert_eq!(store.rows(a, &[id(1), id(2)]).unwrap(), vec![Some(row(1)), Some(row(2))]);
    assert_eq!(store.rows(b, &[id(1)]).unwrap()[0].as_ref().unwrap().frame, vec![0xb; 9]);
    assert_eq!((store.revision(a).unwrap(), store.revision(b).unwrap()), (Revision(1), Revision(2)));
    assert_eq!(changes(store, a, Revision::ZERO).0.len(), 2);
    assert!(store.intents(a).unwrap().is_empty() && store.audit(a, 0).unwrap().is_empty());
}

fn a_vault_keeps_its_scope(store: &dyn Store) {
    let org = OrgId::new("acme").unwrap();
    let holders = [Holder::Org, team("blue").into(), deployment("did:web:x").into(), scope("z").holder];
    for holder in holders {
        let scope = Scope { org: org.clone(), holder };
        store.commit(Batch::new(scope.clone(), time(0), Revision::ZERO)).unwrap();
        assert_eq!(store.vault(scope.vault_id()).unwrap().unwrap().scope, scope);
    }
    let forged = Batch { scope: scope("somebody else"), ..batch(store, "z") };
    assert_refused(store, forged, "corrupt");
}

fn limits_are_held(store: &dyn Store) {
    let too_many = (0..=BATCH_ROWS_MAX as u64).map(id).collect::<Vec<_>>();
    let oversized = Row { frame: vec![0; SEALED_BYTES_MAX + 1], ..row(1) };
    let long_note = PendingErasure { id: 1, memories: vec![], note: vec![0; INTENT_NOTE_BYTES_MAX + 1] };
    let base = batch(store, "limits");
    let table = [
        Batch { removals: too_many.clone(), ..base.clone() },
        Batch { opens: vec![PendingErasure { id: 1, memories: too_many, note: vec![7] }], ..base.clone() },
        Batch { opens: vec![long_note], ..base.clone() },
        Batch { puts: vec![oversized], ..base.clone() },
        Batch { puts: vec![row(1), row(1)], ..base.clone() },
        Batch { puts: vec![row(1)], removals: vec![id(1)], ..base.clone() },
        Batch { removals: vec![id(1), id(1)], ..base },
    ];
    for bad in table {
        assert_refused(store, bad, "invalid");
    }
}

fn times_are_whole_milliseconds(store: &dyn Store) {
    let fine = time(1) + SignedDuration::from_micros(1);
    let base = batch(store, "times");
    for bad in [
        Batch { at: fine, ..base.clone() },
        Batch { puts: vec![Row { created_at: fine, ..row(1) }], ..base.clone() },
        Batch { puts: vec![Row { expires_at: Some(fine), ..row(1) }], ..base },
    ] {
        assert_refused(store, bad, "invalid");
    }
}

fn large_values_come_back(store: &dyn Store) {
    let sealed = (0..5_000_000u32).map(|n| (n % 251) as u8).collect::<Vec<_>>();
    let large =
        Row { frame: sealed[..600_000].to_vec(), body: SealedBody::Inline { revision: 1, sealed }, ..row(1) };
    put(store, "large", vec![large.clone()]);
    assert_eq!(store.rows(scope("large").vault_id(), &[id(1)]).unwrap(), vec![Some(large)]);
    let many: Vec<_> = (10..1_010).map(row).collect();
    put(store, "large", many.clone());
    let asked: Vec<_> = many.iter().map(|row| row.id).rev().collect();
    let found = store.rows(scope("large").vault_id(), &asked).unwrap();
    assert!(found.into_iter().rev().flatten().eq(many));
}

fn vaults_are_listed_in_pages(store: &dyn Store) {
    let all: Vec<_> = store.vaults(None, VAULTS_PAGE_MAX).unwrap();
    assert!(all.len() > 10 && all.is_sorted_by_key(|header| header.id));
    let mut paged: Vec<VaultHeader> = Vec::new();
    while let page @ [_, ..] = store.vaults(paged.last().map(|last| last.id), 3).unwrap().as_slice() {
        assert!(page.len() <= 3);
        paged.extend_from_slice(page);
    }
    assert_eq!(paged, all);
    assert_eq!(store.vaults(None, 0).unwrap(), vec![]);
    assert_eq!(store.vaults(None, usize::MAX).unwrap(), all);
}

fn changed_book(store: &dyn Store, records: Vec<RecordChange>) -> Result<Revision, Error> {
    store.commit(Batch { records, ..batch(store, "records") })
}

fn the_record_book_is_kept(store: &dyn Store) {
    let (acme, other) = (OrgId::new("acme").unwrap(), OrgId::new("other").unwrap());
    let page = |kind, after, limit| store.records(&acme, kind, after, limit).unwrap();
    assert_eq!(
        (page(RecordKind::Receipt, 0, 9), store.last_record(&acme, RecordKind::Receipt).unwrap()),
        (vec![], 0)
    );
    let bare = Record { vault: None, due_at: None, done_at: Some(time(4)), ..record(RecordKind::Receipt, 7) };
    let add = [record(RecordKind::Receipt, 2), bare.clone(), record(RecordKind::Notice, 2)];
    changed_book(store, add.clone().map(RecordChange::Add).into()).unwrap();
    assert_eq!(page(RecordKind::Receipt, 0, usize::MAX), add[..2]);
    assert_eq!(page(RecordKind::Receipt, 0, 1), add[..1]);
    assert_eq!(page(RecordKind::Receipt, 2, 9), vec![bare]);
    assert_eq!(page(RecordKind::Receipt, u64::MAX, 9), vec![]);
    assert_eq!(store.last_record(&acme, RecordKind::Receipt).unwrap(), 7);
    assert_eq!(store.last_record(&other, RecordKind::Receipt).unwrap(), 0);
    assert_eq!(store.records(&other, RecordKind::Receipt, 0, 9).unwrap(), vec![]);
    let vault = add[0].vault.unwrap();
    let of_vault = |org, kind, after, limit| store.vault_records(org, kind, vault, after, limit).unwrap();
    assert_eq!(of_vault(&acme, RecordKind::Receipt, 0, 9), add[..1], "the other belongs to no vault");
    assert_eq!(of_vault(&acme, RecordKind::Notice, 0, 9), add[2..]);
    assert_eq!(of_vault(&acme, RecordKind::Receipt, 2, 9), vec![]);
    assert_eq!(of_vault(&acme, RecordKind::Receipt, 0, 0), vec![]);
    assert_eq!(of_vault(&other, RecordKind::Receipt, 0, 9), vec![]);
    let stranger = VaultId::from_bytes([0xee; 16]);
    assert_eq!(store.vault_records(&acme, RecordKind::Receipt, stranger, 0, 9).unwrap(), vec![]);

    let newer = Record { doc: vec![], due_at: Some(time(9)), ..record(RecordKind::Receipt, 7) };
    let drop = RecordChange::Drop { kind: RecordKind::Notice, number: 2 };
    changed_book(store, vec![RecordChange::Update(newer.clone()), drop]).unwrap();
    assert_eq!(page(RecordKind::Receipt, 2, 9), vec![newer]);
    assert_eq!(page(RecordKind::Notice, 0, 9), vec![]);
}

fn bad_records_are_refused(store: &dyn Store) {
    let new = record(RecordKind::Backup, 1);
    let fine = time(1) + SignedDuration::from_micros(1);
    let table = [
        (RecordChange::Add(record(RecordKind::Receipt, 2)), "conflict"),
        (RecordChange::Update(new.clone()), "not_found"),
        (RecordChange::Drop { kind: RecordKind::Backup, number: 1 }, "not_found"),
        (RecordChange::Drop { kind: RecordKind::Backup, number: u64::MAX }, "not_found"),
        (RecordChange::Add(Record { org: OrgId::new("other").unwrap(), ..new.clone() }), "invalid"),
        (RecordChange::Add(Record { doc: vec![0; RECORD_BYTES_MAX + 1], ..new.clone() }), "invalid"),
        (RecordChange::Add(Record { number: u64::MAX, ..new.clone() }), "invalid"),
        (RecordChange::Add(Record { due_at: Some(fine), ..new.clone() }), "invalid"),
    ];
    for (bad, code) in table {
        let records = vec![RecordChange::Add(record(RecordKind::Backup, 9)), bad];
        assert_refused(store, Batch { records, puts: vec![row(1)], ..batch(store, "records") }, code);
        assert_eq!(store.last_record(&scope("x").org, RecordKind::Backup).unwrap(), 0);
    }
}

fn due_records_are_found_in_all_books(store: &dyn Store) {
    let due =
        |number, at| Record { due_at: Some(time(at)), done_at: None, ..record(RecordKind::Delivery, number) };
    let done = Record { done_at: Some(time(2)), ..due(3, 1) };
    let never = Record { due_at: None, ..due(4, 1) };
    let records = [due(1, 50), due(2, 20), done, never, due(5, 60)].map(RecordChange::Add).into();
    changed_book(store, records).unwrap();
    let stranger = Scope { org: OrgId::new("due elsewhere").unwrap(), holder: Holder::Org };
    let theirs = Record { org: stranger.org.clone(), ..due(1, 30) };
    let records = vec![RecordChange::Add(theirs.clone())];
    store.commit(Batch { records, ..Batch::new(stranger, time(0), Revision::ZERO) }).unwrap();

    let expected = vec![due(2, 20), theirs, due(1, 50)];
    assert_eq!(store.due_records(RecordKind::Delivery, time(50), 9).unwrap(), expected);
    assert_eq!(store.due_records(RecordKind::Delivery, time(50), 2).unwrap(), expected[..2]);
    assert_eq!(store.due_records(RecordKind::Delivery, time(19), 9).unwrap(), vec![]);
    assert_eq!(store.due_records(RecordKind::Request, time(50), 9).unwrap(), vec![]);
}

fn tombstones_are_listed_and_forgotten(store: &dyn Store) {
    let vault = scope("tombstones").vault_id();
    assert_eq!(store.tombstones(vault, None).unwrap(), vec![]);
    put(store, "tombstones", vec![row(1), row(2)]);
    let removed = |n, at| Batch { removals: vec![id(n)], at: time(at), ..batch(store, "tombstones") };
    for (n, at) in [(3, 10), (1, 20), (2, 30), (1, 40)] {
        store.commit(removed(n, at)).unwrap();
    }
    let stone = |n, at| TombstoneRow { id: id(n), at: time(at), brief: false };
    let all = vec![stone(1, 20), stone(2, 30), stone(3, 10)];
    assert_eq!(store.tombstones(vault, None).unwrap(), all);
    assert_eq!(store.tombstones(vault, Some(id(1))).unwrap(), all[1..]);
    let before = Some(time(20));
    store.commit(Batch { forget_tombstones_before: before, ..batch(store, "tombstones") }).unwrap();
    assert_eq!(store.tombstones(vault, None).unwrap(), all[..2]);
    put(store, "tombstones", vec![row(3)]);
    assert_refused(store, Batch { puts: vec![row(1)], ..batch(store, "tombstones") }, "corrupt");
}

fn soft_deleted_rows_are_found(store: &dyn Store) {
    let deleted = |n, at| Row { state: Lifecycle::Deleted, updated_at: time(at), ..row(n) };
    // Earlier than every other row of the suite.
    put(store, "soft a", vec![deleted(1, -500), deleted(2, -400), row(3)]);
    put(store, "soft b", vec![deleted(1, -300)]);
    put(store, "soft c", vec![Row { updated_at: time(-500), ..row(1) }]);
    let mut both = [scope("soft a").vault_id(), scope("soft b").vault_id()];
    both.sort();
    let found = |before, after, limit| store.soft_deleted(time(before), after, limit).unwrap();
    assert_eq!(found(-500, None, 9), vec![]);
    assert_eq!(found(-499, None, 9), vec![scope("soft a").vault_id()]);
    assert_eq!(found(-200, None, 9), both);
    assert_eq!(found(-200, None, 1), both[..1]);
    assert_eq!(found(-200, Some(both[0]), 9), both[1..]);
}

fn a_destroyed_vault_begins_anew(store: &dyn Store) {
    let vault = scope("destroyed").vault_id();
    let nothing = snapshot(store, vault);
    let bystander = snapshot(store, scope("iso b").vault_id());
    store.destroy(vault).unwrap();
    for round in 0..2 {
        let full = Batch {
            puts: vec![
                row(1),
                Row { body: SealedBody::Inline { revision: 1, sealed: vec![1; 3_000] }, ..row(2) },
            ],
            removals: vec![id(3)],
            opens: vec![PendingErasure { id: 1, memories: vec![id(1)], note: vec![3] }],
            audit: vec![audit_row(1)],
            ..batch(store, "destroyed")
        };
        let revision = store.commit(full).unwrap();
        let began_after = store.vault(vault).unwrap().unwrap().began_after;
        // What is in RAM somewhere must not pass for what is there now.
        assert_eq!((revision, began_after), (Revision(2 * round + 1), Revision(2 * round)));
        assert_eq!(put(store, "destroyed", vec![row(5)]), revision.next());
        store.destroy(vault).unwrap();
        assert_eq!(snapshot(store, vault), nothing);
        assert_eq!(store.tombstones(vault, None).unwrap(), vec![]);
        store.destroy(vault).unwrap();
    }
    assert_eq!(snapshot(store, scope("iso b").vault_id()), bystander);
}

/// The batch is refused with this code, and the vault is as it was.
pub(crate) fn assert_refused(store: &dyn Store, batch: Batch, code: &str) {
    let vault = batch.vault;
    let before = snapshot(store, vault);
    let error = store.commit(batch).expect_err("must be refused");
    assert_eq!(error.code(), code, "{error}");
    assert_eq!(snapshot(store, vault), before);
}

/// Everything that a vault shows.
pub(crate) fn snapshot(store: &dyn Store, vault: VaultId) -> String {
    let (mut changed, revision) = changes(store, vault, Revision::ZERO);
    changed.sort_by_key(|change| match change {
        VaultChange::Put(row) => row.id,
        VaultChange::Gone(id) => *id,
    });
    let ids: Vec<_> = (0..40).map(id).collect();
    format!(
        "{:?} {revision} {changed:?} {:?} {:?} {:?}",
        store.vault(vault).unwrap(),
        store.rows(vault, &ids).unwrap(),
        store.intents(vault).unwrap(),
        (store.audit(vault, 0).unwrap(), store.settings(vault).unwrap()),
    )
}

/// What was committed is there after the store was closed and opened again.
pub(crate) fn reopening(open: &dyn Fn() -> Box<dyn Store>) {
    let vault = scope("durable").vault_id();
    let store = open();
    let full = Batch {
        puts: vec![
            row(1),
            Row { body: SealedBody::Inline { revision: 1, sealed: vec![1; 3_000] }, ..row(2) },
        ],
        removals: vec![id(3)],
        opens: vec![PendingErasure { id: 1, memories: vec![id(1)], note: vec![7] }],
        settings: Some(SealedSettings { revision: 1, sealed: vec![4; 9] }),
        audit: vec![audit_row(1)],
        tokens: vec![TokenChange::Add(token(150))],
        members: vec![add(&team("durable"), "ann", 3)],
        ..batch(&*store, "durable")
    };
    store.commit(full).unwrap();
    let before = snapshot(&*store, vault);
    drop(store);
    let store = open();
    assert_eq!(snapshot(&*store, vault), before);
    assert_eq!(store.token(&[150; 32]).unwrap(), Some(token(150)));
    assert_eq!(members_of(&*store, "acme", &team("durable")), vec![("ann".to_owned(), time(3))]);
    assert_eq!(put(&*store, "durable", vec![row(4)]), Revision(2));
}
