//! Entries of the fuzz targets: readers of bytes that no public operation takes as they are. Each entry takes
//! hostile bytes, and panics where a reader accepts them and does not write them back the same.

use jiff::Timestamp;
use lacuna_seal::Zeroizing;
use lacuna_store::rows::{AuditRow, Record, RecordKind};
use lacuna_types::hex::hex;
use lacuna_types::request::{About, Mode, Reach, TimeSpan, Wish};
use lacuna_types::*;

use crate::audit::AuditEntry;
use crate::forget::token::ForgetClaims;
use crate::govern::PersonRequest;
use crate::transfer::backup::container::{FrameKind, Packer};
use crate::transfer::backup::restore::read_frame;
use crate::transfer::export::link::{LinkClaims, read_token};
use crate::transfer::{Format, Ledger, Wanted};
use crate::vault::frame::Frame;
use crate::vault::frame::example::rich;
use crate::vault::settings::VaultSettings;
use crate::vault::{Delivery, Receipt, SignedReceipt};

/// The bytes inside a sealed frame.
pub fn frame(bytes: &[u8]) {
    let Ok(frame) = Frame::decode(bytes) else { return };
    let written = frame.fields().encode();
    let again = Frame::decode(&written).unwrap_or_else(|_| panic!("a frame of ours does not parse"));
    assert_eq!(again.fields().encode(), written);
}

/// The token of a plan: as a caller sends it, and with these bytes inside a seal that opens.
pub fn plan_token(bytes: &[u8]) {
    let opens = |sealed: &[u8]| Some(Zeroizing::new(sealed.to_vec()));
    let read = |token: &str| {
        let now = Timestamp::UNIX_EPOCH;
        if let Ok(claims) = ForgetClaims::from_token(token, opens, &user(), now) {
            assert!(claims.expires_at > now, "an expired token was taken");
        }
    };
    if let Ok(text) = str::from_utf8(bytes) {
        read(text);
        let _ = read_token(text);
    }
    read(&format!("fgt_{}", hex(bytes)));
    if let Some(claims) = LinkClaims::decode(bytes) {
        let written = claims.encode();
        assert!(LinkClaims::decode(&written).is_some_and(|again| again.encode() == written));
    }
}

/// Documents of the record book, entries of the audit chain and sealed settings, as rows of a database hold them.
pub fn documents(bytes: &[u8]) {
    if let Ok(receipt) = Receipt::decode(bytes) {
        assert_eq!(Receipt::decode(&receipt.encode()).ok(), Some(receipt));
    }
    let _ = SignedReceipt::decode(bytes);
    let _ = VaultSettings::decode(bytes);
    let record = |kind| Record {
        org: OrgId::new("acme").unwrap_or_else(|_| unreachable!()),
        kind,
        number: 1,
        vault: None,
        at: Timestamp::UNIX_EPOCH,
        due_at: Some(Timestamp::UNIX_EPOCH),
        done_at: None,
        doc: bytes.to_vec(),
    };
    let _ = Delivery::decode(&record(RecordKind::Delivery));
    let _ = PersonRequest::decode(&record(RecordKind::Request));
    let row =
        AuditRow { seq: 1, at: Timestamp::UNIX_EPOCH, entry: bytes.to_vec(), hash: [0; 32], code: None };
    let _ = AuditEntry::decode(&row);
}

/// A backup or a ledger: as a file, and as one frame whose digest is right.
pub fn backup(bytes: &[u8]) {
    let _ = Ledger::decode(bytes);
    let Some((code, content)) = bytes.split_first() else { return };
    let Some(kind) = FrameKind::from_code(*code) else { return };
    let _ = read_frame(kind, content);
    let packed = Packer::new(Vec::new()).and_then(|mut packer| {
        packer.frame(kind, content)?;
        packer.finish()
    });
    let Ok(packed) = packed else { return };
    let Ok(ledger) = Ledger::decode(packed.as_slice()) else { return };
    let again = ledger.encode().and_then(|written| Ledger::decode(written.as_slice()));
    assert!(again.is_ok_and(|again| again.lines == ledger.lines && again.receipts == ledger.receipts));
}

/// Valid bytes for [`frame`] and [`plan_token`], made by the writers.
pub fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut seeds = vec![("frame", "rich".to_owned(), rich().fields().encode().to_vec())];
    for (number, about) in wishes().into_iter().enumerate() {
        let claims = plan(about);
        let mut inside = Vec::new();
        let token = claims.to_token(|said| {
            inside = said.to_vec();
            said.to_vec()
        });
        seeds.push(("plan_token", format!("claims-{number}"), inside));
        seeds.push(("plan_token", format!("token-{number}"), token.into_bytes()));
    }
    let link = LinkClaims {
        nonce: Default::default(),
        user: user(),
        roles: vec![Role::User],
        wanted: Wanted::everything_but_health(Format::Json),
        expires_at: moment(),
        service: None,
    };
    seeds.push(("plan_token", "link".to_owned(), link.encode()));
    seeds
}

fn user() -> UserId {
    UserId::new("anna").unwrap_or_else(|_| unreachable!())
}

fn moment() -> Timestamp {
    Timestamp::from_second(1_776_000_000).unwrap_or_default()
}

fn wishes() -> Vec<About> {
    vec![
        About::Ids(vec![MemoryId::from_bytes([3; 16])]),
        About::Subject("Ingrid".into()),
        About::Query("where the boat lies".into()),
        About::Loose("the boat, you know, that can go".into()),
        About::Conversation,
        About::Tags(vec!["boat".into()]),
        About::Sensitivity(Sensitivity::Health),
        About::Tier(Tier::Episodic),
        About::Source(SourceType::ToolOutput),
        About::Everything,
    ]
}

fn plan(about: About) -> ForgetClaims {
    ForgetClaims {
        user: user(),
        expires_at: moment(),
        mode: Mode::Hard,
        who: Some(2),
        confirmed: 1,
        wish: Wish {
            about,
            when: Some(TimeSpan { from: None, until: Some(moment()) }),
            keep: vec!["the harbour".into()],
            reach: Reach::Subject,
            own: true,
        },
        digest: [7; 32],
        partial: true,
        proposed: vec![MemoryId::from_bytes([5; 16])],
    }
}
