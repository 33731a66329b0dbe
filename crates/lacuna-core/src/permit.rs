//! Permissions: the actions that a caller may take on a vault. The check returns its proof: a [`Grant`] that only
//! [`permit`] can make, and that every operation asks for. The whole policy is one table, `POLICY`.

use std::marker::PhantomData;

use lacuna_types::{Error, Group, Holder, OrgId, Result, Role, Scope, UserId};

/// Somebody whom a door has authenticated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The caller's organisation.
    pub org: OrgId,
    /// The caller's user id.
    pub user: UserId,
    /// The caller's roles.
    pub roles: Vec<Role>,
    /// The teams and deployments that the user belongs to; see [`crate::Members::caller_for`].
    pub memberships: Vec<Group>,
}

impl Caller {
    /// A caller who belongs to no team and no deployment.
    pub fn new(org: OrgId, user: UserId, roles: Vec<Role>) -> Self {
        Self { org, user, roles, memberships: Vec::new() }
    }

    /// The caller's own vault.
    pub fn personal_scope(&self) -> Scope {
        Scope::personal(self.org.clone(), self.user.clone())
    }

    /// The organisation's own vault, where administration is recorded.
    pub fn org_scope(&self) -> Scope {
        Scope { org: self.org.clone(), holder: Holder::Org }
    }

    /// The vaults whose memories the caller may read: their own, those they are a member of, the
    /// organisation's.
    pub fn readable_scopes(&self) -> Vec<Scope> {
        let groups = self.memberships.iter().cloned().map(Holder::from);
        let holders = [Holder::User(self.user.clone())].into_iter().chain(groups).chain([Holder::Org]);
        let scopes = holders.map(|holder| Scope { org: self.org.clone(), holder });
        scopes.filter(|scope| permit::<Recall>(self, scope).is_ok()).collect()
    }

    fn belongs_to(&self, holder: &Holder) -> bool {
        self.memberships.iter().any(|group| group.kind() == holder.kind() && group.name() == holder.name())
    }
}

/// An action that can be granted.
pub trait Action: private::Sealed {
    const POWER: Power;
}

mod private {
    /// Keeps other crates from declaring actions.
    pub trait Sealed {}
}

/// Declares each action as a type for [`Grant`] and all of them as [`Power`].
macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// The name of an action in the table.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Power { $($name),+ }

        $(
            $(#[$doc])*
            pub enum $name {}
            impl private::Sealed for $name {}
            impl Action for $name {
                const POWER: Power = Power::$name;
            }
        )+
    };
}

actions! {
    /** Searching, reading and listing memories. */ Recall,
    /** Writing new memories. */ Remember,
    /** Erasing memories. */ Forget,
    /** Confirming, approving, rejecting and editing candidates. */ Review,
    /** Moving a memory into a wider or a narrower scope. */ Promote,
    /** Taking everything along, as one document. */ Export,
    /** Bringing in what was taken along elsewhere. */ Import,
    /** Destroying a vault with everything in it. */ Destroy,
    /** Stopping writes while reads go on. */ Freeze,
    /** Setting how long the vault remembers. */ Retain,
    /** Reading and verifying the vault's audit chain. */ ReadAudit,
    /** Erasing what every vault of the organisation says of one person, without seeing it. */ ForgetPerson,
    /** Saying who belongs to which team or deployment. */ ManageMembers,
    /** Making, listing and revoking API tokens. */ ManageTokens,
    /** Renewing the epoch key. */ ManageKeys,
    /** Seeing what the scheduler does. */ ManageJobs,
}

/// Sets of roles, one bit each.
const NONE: u8 = 0;
const U: u8 = bit(Role::User);
const R: u8 = bit(Role::Reader);
const G: u8 = bit(Role::Agent);
const A: u8 = bit(Role::Admin);

const fn bit(role: Role) -> u8 {
    match role {
        Role::User => 1,
        Role::Reader => 2,
        Role::Agent => 4,
        Role::Admin => 8,
    }
}

/// The relation of a vault to a caller of the same organisation: the columns of [`POLICY`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VaultRelation {
    /// The caller's own.
    Own,
    /// The vault of a team which the caller belongs to.
    Team,
    /// The vault of a deployment which the caller belongs to.
    Deployment,
    /// The organisation's.
    Org,
    /// The vault of a team or deployment which the caller does not belong to.
    Outside,
}

/// The roles that allow each action, by the relation of the vault to the caller. U is user, R reader, G agent and A
/// admin; one role that allows it is enough. Another person's own vault has no column: nothing opens it.
///
/// An administrator who is not a member governs a shared vault by id and by state, and does not search it. Nobody
/// destroys the organisation's vault: its chain records the destruction of all the others.
#[rustfmt::skip]
const POLICY: [(Power, [u8; 5]); 16] = [
    //                      own        team       deployment org            outside
    (Power::Recall,        [U | R | G, U | R | G, U | R | G, U | R | G | A, NONE]),
    (Power::Remember,      [U | G,     U | G,     U | G,     A,             NONE]),
    (Power::Forget,        [U,         U | A,     U | A,     A,             A]),
    (Power::Review,        [U,         U | A,     U | A,     A,             A]),
    (Power::Promote,       [U,         A,         A,         A,             A]),
    (Power::Export,        [U,         U,         U,         A,             NONE]),
    (Power::Import,        [U,         U,         U,         A,             NONE]),
    (Power::Destroy,       [U,         A,         A,         NONE,          A]),
    (Power::Freeze,        [U,         A,         A,         A,             A]),
    (Power::Retain,        [U,         A,         A,         A,             NONE]),
    (Power::ReadAudit,     [U | R,     U | R | A, U | R | A, A,             A]),
    (Power::ForgetPerson,  [NONE,      NONE,      NONE,      A,             NONE]),
    (Power::ManageMembers, [NONE,      NONE,      NONE,      A,             NONE]),
    (Power::ManageTokens,  [NONE,      NONE,      NONE,      A,             NONE]),
    (Power::ManageKeys,    [NONE,      NONE,      NONE,      A,             NONE]),
    (Power::ManageJobs,    [NONE,      NONE,      NONE,      A,             NONE]),
];

fn allowing(power: Power, standing: VaultRelation) -> u8 {
    let row = POLICY.iter().find(|(listed, _)| *listed == power);
    row.map_or(NONE, |(_, columns)| columns[standing as usize])
}

/// Proof that `caller` may do `A` in `scope`.
pub struct Grant<A: Action> {
    caller: Caller,
    scope: Scope,
    action: PhantomData<A>,
}

impl<A: Action> Grant<A> {
    /// The caller that the grant was made for.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The vault that the grant is for.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns true when the grant reaches the memories that `author` wrote. In a shared vault members answer for
    /// their own writing, and administrators for everybody's.
    pub fn covers(&self, author: Option<&UserId>) -> bool {
        !self.scope.holder.is_shared()
            || self.caller.roles.contains(&Role::Admin)
            || author == Some(&self.caller.user)
    }
}

/// Decides whether `caller` may do `A` in `scope`.
///
/// A vault out of reach looks like one that does not exist, so that nobody can ask whether it does.
pub fn permit<A: Action>(caller: &Caller, scope: &Scope) -> Result<Grant<A>> {
    let out_of_reach = || Error::NotFound("vault");
    let standing = standing(caller, scope).ok_or_else(out_of_reach)?;
    let allowing = allowing(A::POWER, standing);
    if caller.roles.iter().any(|role| allowing & bit(*role) != 0) {
        return Ok(Grant { caller: caller.clone(), scope: scope.clone(), action: PhantomData });
    }
    match allowing {
        _ if standing == VaultRelation::Outside => Err(out_of_reach()),
        NONE => Err(out_of_reach()),
        A => Err(Error::Denied("this needs the admin role")),
        _ => Err(Error::Denied("this token's roles do not allow it")),
    }
}

/// `None` for the vaults of other organisations and other people.
fn standing(caller: &Caller, scope: &Scope) -> Option<VaultRelation> {
    if scope.org != caller.org {
        return None;
    }
    match &scope.holder {
        Holder::User(owner) => (*owner == caller.user).then_some(VaultRelation::Own),
        Holder::Org => Some(VaultRelation::Org),
        group if !caller.belongs_to(group) => Some(VaultRelation::Outside),
        Holder::Team(_) => Some(VaultRelation::Team),
        Holder::Deployment(_) => Some(VaultRelation::Deployment),
    }
}

#[cfg(test)]
mod tests {
    use lacuna_types::{DeploymentId, TeamId};

    use super::*;

    /// Every set of roles that a token can have.
    fn role_sets() -> impl Iterator<Item = Vec<Role>> {
        (0u8..16).map(|set| Role::ALL.iter().copied().filter(|role| set & bit(*role) != 0).collect())
    }

    fn org(name: &str) -> OrgId {
        OrgId::new(name).unwrap()
    }

    fn team(name: &str) -> Group {
        Group::Team(TeamId::new(name).unwrap())
    }

    fn deployment(name: &str) -> Group {
        Group::Deployment(DeploymentId::new(name).unwrap())
    }

    fn caller(roles: Vec<Role>) -> Caller {
        let memberships = vec![team("desk"), deployment("lobby")];
        Caller { memberships, ..Caller::new(org("acme"), UserId::new("anna").unwrap(), roles) }
    }

    fn scopes(org: &OrgId) -> Vec<Scope> {
        let holders = [
            Holder::User(UserId::new("anna").unwrap()),
            Holder::User(UserId::new("ben").unwrap()),
            team("desk").into(),
            team("kitchen").into(),
            // The same name in another kind of vault is another vault.
            team("lobby").into(),
            Holder::Org,
            deployment("lobby").into(),
            deployment("desk").into(),
        ];
        holders.into_iter().map(|holder| Scope { org: org.clone(), holder }).collect()
    }

    fn code<A: Action>(caller: &Caller, scope: &Scope) -> &'static str {
        permit::<A>(caller, scope).map_or_else(|error| error.code(), |_| "granted")
    }

    /// Returns the expected answer to an action, written independently of the table.
    fn expected(power: Power, roles: &[Role], scope: &Scope) -> &'static str {
        let is = |role| roles.contains(&role);
        let (user, reads) = (is(Role::User), is(Role::User) || is(Role::Reader));
        let (writes, admin) = (user || is(Role::Agent), is(Role::Admin));
        let word = |allowed: bool, otherwise| if allowed { "granted" } else { otherwise };
        let name = scope.holder.to_string();
        let manages = matches!(
            power,
            Power::ForgetPerson
                | Power::ManageMembers
                | Power::ManageTokens
                | Power::ManageKeys
                | Power::ManageJobs
        );
        match name.as_str() {
            _ if scope.org != org("acme") => "not_found",
            "org" if power == Power::Recall => word(!roles.is_empty(), "denied"),
            "org" if power == Power::Destroy => "not_found",
            "org" => word(admin, "denied"),
            _ if manages => "not_found",
            "user:ben" => "not_found",
            "user:anna" => match power {
                Power::Recall => word(reads || writes, "denied"),
                Power::ReadAudit => word(reads, "denied"),
                Power::Remember => word(writes, "denied"),
                _ => word(user, "denied"),
            },
            "team:desk" | "deployment:lobby" => match power {
                Power::Recall => word(reads || writes, "denied"),
                Power::ReadAudit => word(reads || admin, "denied"),
                Power::Remember => word(writes, "denied"),
                Power::Promote | Power::Freeze | Power::Retain | Power::Destroy => word(admin, "denied"),
                Power::Export | Power::Import => word(user, "denied"),
                _ => word(user || admin, "denied"),
            },
            _ => {
                let reads = matches!(
                    power,
                    Power::Recall | Power::Remember | Power::Export | Power::Import | Power::Retain
                );
                word(admin && !reads, "not_found")
            }
        }
    }

    #[test]
    fn every_action_of_every_role_in_every_vault_is_answered_as_the_policy_says() {
        let mut checked = 0;
        for roles in role_sets() {
            let caller = caller(roles.clone());
            for scope in scopes(&org("acme")).iter().chain(&scopes(&org("other"))) {
                macro_rules! check {
                    ($($action:ident)+) => {$(
                        let found = code::<$action>(&caller, scope);
                        let wanted = expected(Power::$action, &roles, scope);
                        assert_eq!(found, wanted, "{} as {roles:?} in {scope:?}", stringify!($action));
                        checked += 1;
                    )+};
                }
                check!(Recall Remember Forget Review Promote Export Import Destroy Freeze Retain ReadAudit);
                check!(ForgetPerson ManageMembers ManageTokens ManageKeys ManageJobs);
            }
        }
        assert_eq!(checked, 16 * 16 * POLICY.len());
    }

    #[test]
    fn no_role_opens_another_persons_vault_and_agents_only_remember_and_recall() {
        for roles in role_sets() {
            let caller = caller(roles);
            let bens = &scopes(&org("acme"))[1];
            assert_eq!(standing(&caller, bens), None);
        }
        for (power, columns) in POLICY {
            let agents = columns.iter().any(|roles| roles & G != 0);
            assert_eq!(agents, matches!(power, Power::Recall | Power::Remember), "{power:?}");
        }
    }

    #[test]
    fn members_answer_for_their_own_writing_and_administrators_for_everybodys() {
        let (anna, ben) = (UserId::new("anna").unwrap(), UserId::new("ben").unwrap());
        let granted = |roles, scope: &Scope| permit::<Forget>(&caller(roles), scope).unwrap();
        let scopes = scopes(&org("acme"));
        let member = granted(vec![Role::User], &scopes[2]);
        assert!(member.covers(Some(&anna)) && !member.covers(Some(&ben)) && !member.covers(None));
        let admin = granted(vec![Role::Admin], &scopes[3]);
        assert!(admin.covers(Some(&ben)) && admin.covers(None));
        assert!(granted(vec![Role::User], &scopes[0]).covers(None));
    }
}
