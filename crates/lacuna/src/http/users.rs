//! People, for a directory that makes and removes them.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::govern::USERS_BULK_MAX;
use lacuna_core::permit::{Caller, Grant, ManageUsers, permit};
use lacuna_core::{Lacuna, Users};
use lacuna_types::UserId;

use super::App;
use super::body::{Id, Json};
use super::problem::Problems;
use crate::wire::failure::{Failure, Result};
use crate::wire::{UserBulkAnswer, UserBulkRequest, UserChange, UserOutcome, UserRemovedView, UserVerb};

const USERS_BYTES_MAX: usize = 256 << 10;

fn granted(caller: &Caller) -> lacuna_types::Result<Grant<ManageUsers>> {
    permit(caller, &caller.org_scope())
}

fn remove_one(core: &Lacuna, grant: &Grant<ManageUsers>, user: &UserId) -> Result<UserRemovedView> {
    let removed = Users::of(core).remove(grant, user)?;
    Ok(UserRemovedView::of(user.to_string(), removed))
}

/// Make a person: they get a vault, and services may act for them. A person who is there stays as they are.
#[utoipa::path(
    put,
    path = "/v1/users/{user}",
    operation_id = "provision_user",
    tag = "users",
    params(("user" = String, Path, description = "The person's name")),
    responses((status = 204, description = "The person has a vault."), Problems)
)]
pub(super) async fn provision(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(user): Id,
) -> Result<StatusCode> {
    app.work(move |core| {
        let grant = granted(&caller)?;
        Ok(Users::of(core).provision(&grant, &UserId::new(&user)?)?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove a person: revoke their tokens, end their memberships, and destroy their vault for good.
#[utoipa::path(
    delete,
    path = "/v1/users/{user}",
    operation_id = "remove_user",
    tag = "users",
    params(("user" = String, Path, description = "The person's name")),
    responses((status = 200, description = "The proof.", body = UserRemovedView), Problems)
)]
pub(super) async fn remove(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(user): Id,
) -> Result<axum::Json<UserRemovedView>> {
    let removed = app.work(move |core| remove_one(core, &granted(&caller)?, &UserId::new(&user)?)).await?;
    Ok(axum::Json(removed))
}

/// Make and remove up to 200 people. Each is answered by themselves: one that fails stops nobody else.
#[utoipa::path(
    post,
    path = "/v1/users",
    operation_id = "change_users",
    tag = "users",
    request_body = UserBulkRequest,
    responses((status = 200, description = "An answer for each.", body = UserBulkAnswer), Problems)
)]
pub(super) async fn change(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<UserBulkRequest, USERS_BYTES_MAX>,
) -> Result<axum::Json<UserBulkAnswer>> {
    if !(1..=USERS_BULK_MAX).contains(&request.users.len()) {
        return Err(Failure::invalid("users", format!("must be 1 to {USERS_BULK_MAX} people")));
    }
    let changed = move |core: &Lacuna| {
        let grant = granted(&caller)?;
        let one = |user: &str, action| -> Result<Option<UserRemovedView>> {
            let person = UserId::new(user)?;
            match action {
                UserVerb::Provision => Ok(Users::of(core).provision(&grant, &person).map(|()| None)?),
                UserVerb::Remove => remove_one(core, &grant, &person).map(Some),
            }
        };
        let answer = |change: UserChange| outcome(one(&change.user, change.action), change.user);
        Ok(UserBulkAnswer { users: request.users.into_iter().map(answer).collect() })
    };
    Ok(axum::Json(app.work(changed).await?))
}

fn outcome(done: Result<Option<UserRemovedView>>, user: String) -> UserOutcome {
    match done {
        Ok(removed) => UserOutcome { user, done: true, removed, code: None, detail: None },
        Err(failure) => {
            let code = Some(failure.code.name.to_owned());
            UserOutcome { user, done: false, removed: None, code, detail: Some(failure.public) }
        }
    }
}
