//! The passphrase of a person over their own vault: set, changed, taken away; unlocked and locked on this server.

use axum::Extension;
use axum::extract::State;
use jiff::SignedDuration;
use lacuna_core::permit::{Caller, Grant, LockVault, permit};
use lacuna_core::{Lacuna, VaultLocks};

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::codes;
use crate::passphrase::refuse_weak;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    LOST_MEANS_LOST, ProtectRequest, ProtectedView, ProtectionView, UnlockRequest, UnprotectRequest,
    one_secret,
};

const PROTECTION_BYTES_MAX: usize = 16 << 10;

fn granted(caller: &Caller) -> lacuna_types::Result<Grant<LockVault>> {
    permit(caller, &caller.personal_scope())
}

fn state(core: &Lacuna, grant: &Grant<LockVault>) -> Result<ProtectionView> {
    Ok(ProtectionView::of(VaultLocks::of(core).state(grant)?, grant.scope()))
}

/// Protection of the caller's own vault: a passphrase of theirs, and whether it is locked on this server.
#[utoipa::path(
    get,
    path = "/v1/protection",
    operation_id = "get_protection",
    tag = "protection",
    responses((status = 200, description = "The protection, as it stands on this server.", body = ProtectionView), Problems)
)]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<ProtectionView>> {
    Ok(axum::Json(app.work(move |core| state(core, &granted(&caller)?)).await?))
}

/// Put the caller's own vault under a passphrase, or under another one. The vault is locked afterwards, on every server.
#[utoipa::path(
    put,
    path = "/v1/protection",
    operation_id = "protect_vault",
    tag = "protection",
    request_body = ProtectRequest,
    responses((status = 200, description = "It is protected; the recovery code is in this answer and nowhere else.", body = ProtectedView), Problems)
)]
pub(super) async fn protect(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ProtectRequest, PROTECTION_BYTES_MAX>,
) -> Result<axum::Json<ProtectedView>> {
    refuse_weak(&request.new_passphrase.0, false)?;
    let protected = app.work(move |core| {
        let (grant, locks) = (granted(&caller)?, VaultLocks::of(core));
        let code = if request.is_change() {
            let by = one_secret(request.passphrase.as_ref(), request.recovery_code.as_ref())?;
            locks.change(&grant, &by, &request.new_passphrase.0)?
        } else if request.accept_loss {
            locks.protect(&grant, &request.new_passphrase.0)?
        } else {
            let reason = format!("{LOST_MEANS_LOST} Send accept_loss = true to go on");
            return Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason));
        };
        Ok(ProtectedView::of(&code, grant.scope()))
    });
    Ok(axum::Json(protected.await?))
}

/// Take the caller's own vault from under its passphrase.
#[utoipa::path(
    post,
    path = "/v1/protection/remove",
    operation_id = "unprotect_vault",
    tag = "protection",
    request_body = UnprotectRequest,
    responses((status = 200, description = "The keys of the installation open it again.", body = ProtectionView), Problems)
)]
pub(super) async fn unprotect(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<UnprotectRequest, PROTECTION_BYTES_MAX>,
) -> Result<axum::Json<ProtectionView>> {
    let removed = app.work(move |core| {
        let grant = granted(&caller)?;
        let by = one_secret(request.passphrase.as_ref(), request.recovery_code.as_ref())?;
        VaultLocks::of(core).unprotect(&grant, &by)?;
        state(core, &grant)
    });
    Ok(axum::Json(removed.await?))
}

/// Unlock the caller's own vault on this server for a while.
#[utoipa::path(
    post,
    path = "/v1/unlock",
    operation_id = "unlock_vault",
    tag = "protection",
    request_body = UnlockRequest,
    responses((status = 200, description = "It is unlocked here until the named moment.", body = ProtectionView), Problems)
)]
pub(super) async fn unlock(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<UnlockRequest, PROTECTION_BYTES_MAX>,
) -> Result<axum::Json<ProtectionView>> {
    let unlocked = app.work(move |core| {
        let grant = granted(&caller)?;
        let lasts = request.minutes.map(|minutes| SignedDuration::from_mins(i64::from(minutes)));
        VaultLocks::of(core).unlock(&grant, &request.passphrase.0, lasts)?;
        state(core, &grant)
    });
    Ok(axum::Json(unlocked.await?))
}

/// Lock the caller's own vault on this server at once.
#[utoipa::path(
    post,
    path = "/v1/lock",
    operation_id = "lock_vault",
    tag = "protection",
    responses((status = 200, description = "It is locked here, if it is protected.", body = ProtectionView), Problems)
)]
pub(super) async fn lock(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<ProtectionView>> {
    let locked = app.work(move |core| {
        let grant = granted(&caller)?;
        VaultLocks::of(core).lock(&grant)?;
        state(core, &grant)
    });
    Ok(axum::Json(locked.await?))
}
