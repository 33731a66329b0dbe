//! Members of teams and deployments, for administrators.

#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::permit::{Caller, Grant, ManageMembers, permit};
use lacuna_types::{DeploymentId, Group, TeamId, UserId};
use utoipa::IntoParams;

use super::App;
use super::body::{Id, Ids, Pairs};
use super::page::{BY_NAME, PageQuery};
use super::problem::Problems;
use crate::wire::MemberList;
use crate::wire::failure::{Failure, Result};

fn granted(caller: &Caller) -> lacuna_types::Result<Grant<ManageMembers>> {
    permit(caller, &caller.org_scope())
}

/// Position at which a list of members goes on.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameter that `read_after` reads")]
pub(super) struct AfterParam {
    /// The `next` of the page before.
    after: Option<String>,
}

fn read_after(pairs: Vec<(String, String)>) -> Result<Option<UserId>> {
    let read =
        |name: String| UserId::new(&name).map_err(|_| Failure::invalid("after", "must be a user's name"));
    PageQuery::read(pairs, BY_NAME)?.start.map(read).transpose()
}

fn team(name: &str) -> Result<Group> {
    Ok(Group::Team(TeamId::new(name)?))
}

fn deployment(name: &str) -> Result<Group> {
    Ok(Group::Deployment(DeploymentId::new(name)?))
}

async fn list(
    app: App,
    caller: Caller,
    group: Group,
    after: Option<UserId>,
) -> Result<axum::Json<MemberList>> {
    let list = move |core: &lacuna_core::Lacuna| {
        let members = core.members().list(&granted(&caller)?, &group, after.as_ref())?;
        Ok(MemberList::of(members, &group))
    };
    Ok(axum::Json(app.call(list).await?))
}

async fn add(app: App, caller: Caller, group: Group, user: &str) -> Result<StatusCode> {
    let user = UserId::new(user)?;
    app.call(move |core| core.members().add(&granted(&caller)?, group, user)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove(app: App, caller: Caller, group: Group, user: &str) -> Result<StatusCode> {
    let user = UserId::new(user)?;
    app.call(move |core| core.members().remove(&granted(&caller)?, group, user)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The members of a team, in the order of their names.
#[utoipa::path(
    get,
    path = "/v1/teams/{team}/members",
    operation_id = "list_team_members",
    tag = "members",
    params(("team" = String, Path, description = "The team's name"), AfterParam),
    responses((status = 200, description = "Up to 1,000 members; none of an unknown team.", body = MemberList), Problems)
)]
pub(super) async fn list_team(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(name): Id,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<MemberList>> {
    list(app, caller, team(&name)?, read_after(pairs)?).await
}

/// Make a user a member of a team, which exists as soon as it has one.
#[utoipa::path(
    put,
    path = "/v1/teams/{team}/members/{user}",
    operation_id = "add_team_member",
    tag = "members",
    params(("team" = String, Path, description = "The team's name"), ("user" = String, Path, description = "The user's name")),
    responses((status = 204, description = "They are a member."), Problems)
)]
pub(super) async fn add_to_team(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Ids([name, user]): Ids<2>,
) -> Result<StatusCode> {
    add(app, caller, team(&name)?, &user).await
}

/// End a membership: from the next call on the team's vault is closed to the user.
#[utoipa::path(
    delete,
    path = "/v1/teams/{team}/members/{user}",
    operation_id = "remove_team_member",
    tag = "members",
    params(("team" = String, Path, description = "The team's name"), ("user" = String, Path, description = "The user's name")),
    responses((status = 204, description = "They are no member any more."), Problems)
)]
pub(super) async fn remove_from_team(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Ids([name, user]): Ids<2>,
) -> Result<StatusCode> {
    remove(app, caller, team(&name)?, &user).await
}

/// The members of a deployment, in the order of their names.
#[utoipa::path(
    get,
    path = "/v1/deployments/{deployment}/members",
    operation_id = "list_deployment_members",
    tag = "members",
    params(("deployment" = String, Path, description = "The deployment's name or DID"), AfterParam),
    responses((status = 200, description = "Up to 1,000 members; none of an unknown deployment.", body = MemberList), Problems)
)]
pub(super) async fn list_deployment(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(name): Id,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<MemberList>> {
    list(app, caller, deployment(&name)?, read_after(pairs)?).await
}

/// Make a user a member of a deployment.
#[utoipa::path(
    put,
    path = "/v1/deployments/{deployment}/members/{user}",
    operation_id = "add_deployment_member",
    tag = "members",
    params(("deployment" = String, Path, description = "The deployment's name or DID"), ("user" = String, Path, description = "The user's name")),
    responses((status = 204, description = "They are a member."), Problems)
)]
pub(super) async fn add_to_deployment(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Ids([name, user]): Ids<2>,
) -> Result<StatusCode> {
    add(app, caller, deployment(&name)?, &user).await
}

/// End a membership: from the next call on the deployment's vault is closed to the user.
#[utoipa::path(
    delete,
    path = "/v1/deployments/{deployment}/members/{user}",
    operation_id = "remove_deployment_member",
    tag = "members",
    params(("deployment" = String, Path, description = "The deployment's name or DID"), ("user" = String, Path, description = "The user's name")),
    responses((status = 204, description = "They are no member any more."), Problems)
)]
pub(super) async fn remove_from_deployment(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Ids([name, user]): Ids<2>,
) -> Result<StatusCode> {
    remove(app, caller, deployment(&name)?, &user).await
}
