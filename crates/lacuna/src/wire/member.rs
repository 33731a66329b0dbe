use jiff::Timestamp;
use lacuna_store::rows::{MEMBERS_PAGE_MAX, MemberRow};
use lacuna_types::Group;
use serde::Serialize;
use utoipa::ToSchema;

/// One person's place in a team or deployment.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberView {
    pub(crate) user: String,
    pub(crate) added_at: Timestamp,
}

/// Members in the order of their names.
#[derive(Serialize, ToSchema)]
#[schema(as = MemberList)]
pub(crate) struct MemberList {
    /// The vault that opens to them.
    pub(crate) scope: String,
    pub(crate) members: Vec<MemberView>,
    /// Pass it as `after` to get the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

impl MemberList {
    pub(crate) fn of(rows: Vec<MemberRow>, group: &Group) -> Self {
        let full = rows.len() == MEMBERS_PAGE_MAX;
        let next = rows.last().filter(|_| full).map(|row| row.user.to_string());
        let view = |row: MemberRow| MemberView { user: row.user.to_string(), added_at: row.added_at };
        Self { scope: shown(group), members: rows.into_iter().map(view).collect(), next }
    }
}

/// As answers show it.
fn shown(group: &Group) -> String {
    format!("{}:{}", group.kind(), group.name())
}
