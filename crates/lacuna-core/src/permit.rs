//! Permissions: the actions that a caller may take on a vault. The check returns its proof: a [`Grant`] that only
//! [`permit`] can make, and that every operation asks for. The whole policy is one table, `POLICY`.

use std::marker::PhantomData;

use lacuna_types::{Error, Group, Holder, Operation, OrgId, Result, Role, Scope, Sensitivity, UserId};

/// Characters of a client's name that the audit keeps.
const CLIENT_CHARS_MAX: usize = 40;

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
    /// The program that speaks for the user, by a word of the door: it is recorded with reads, and permits nothing.
    pub client: Option<String>,
    /// The service that sent the call; `None` when the user did.
    pub delegation: Option<Delegation>,
    /// The sensitive categories that the caller's token is not for: their memories look missing to it.
    pub without: Vec<Sensitivity>,
}

/// A service, and the operations that it may carry out for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delegation {
    /// The name of the service.
    pub service: UserId,
    /// The operations that its token names.
    pub operations: Vec<Operation>,
}

/// The user who acts, and the service that acts for them, as the audit names both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acting<'a> {
    /// The user, or `system`.
    pub user: &'a str,
    /// The service, if one acts for the user.
    pub service: Option<&'a str>,
}

impl<'a> From<&'a str> for Acting<'a> {
    fn from(user: &'a str) -> Self {
        Self { user, service: None }
    }
}

impl Caller {
    /// A caller who belongs to no team and no deployment.
    pub fn new(org: OrgId, user: UserId, roles: Vec<Role>) -> Self {
        Self {
            org,
            user,
            roles,
            memberships: Vec::new(),
            client: None,
            delegation: None,
            without: Vec::new(),
        }
    }

    /// The same caller, speaking through the program that names itself `client`. The name comes from outside and goes into
    /// the audit, so that only its first letters, digits and signs of a product name are kept.
    pub fn through(mut self, client: &str) -> Self {
        let allowed = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
        let name: String = client.chars().filter(allowed).take(CLIENT_CHARS_MAX).collect();
        self.client = Some(name).filter(|name| !name.is_empty());
        self
    }

    /// The names that the audit records.
    pub fn acting(&self) -> Acting<'_> {
        // In its own name a service is the user.
        let lent = self.delegation.as_ref().filter(|_| !self.roles.contains(&Role::Service));
        let service = lent.map(|delegation| delegation.service.as_str());
        Acting { user: self.user.as_str(), service }
    }

    /// Returns true when the caller's word is a person's own: they may confirm, and give consents. The word of an agent
    /// is not, and the word of a service only where its token says so.
    pub fn is_person(&self) -> bool {
        let delegated = self.delegation.as_ref();
        let may_confirm = delegated.is_none_or(|lent| lent.operations.contains(&Operation::Confirm));
        may_confirm && self.roles.iter().any(|role| matches!(role, Role::User | Role::Admin))
    }

    /// Returns true when the caller calls directly, or when the service's token names the operation.
    fn is_delegated(&self, power: Power) -> bool {
        self.delegation
            .as_ref()
            .is_none_or(|lent| operation(power).is_some_and(|operation| lent.operations.contains(&operation)))
    }

    /// The role of a service counts only with the operations of its token.
    fn counts(&self, role: Role) -> bool {
        role != Role::Service || self.delegation.is_some()
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
    /** Making and removing people, with their vaults, without seeing them. */ ManageUsers,
    /** Putting one's own vault under a passphrase, unlocking and locking it. */ LockVault,
}

/// The operation of a service's token that lends an action. None lends administration, and none lets others see a
/// person's memory: only the person promotes.
fn operation(power: Power) -> Option<Operation> {
    Some(match power {
        Power::Recall => Operation::Recall,
        Power::Remember => Operation::Remember,
        Power::Forget => Operation::Forget,
        Power::Review => Operation::Confirm,
        Power::Export => Operation::Export,
        Power::Import => Operation::Import,
        Power::Destroy => Operation::Destroy,
        Power::Freeze => Operation::Freeze,
        Power::Retain => Operation::Retain,
        Power::ReadAudit => Operation::ReadAudit,
        Power::ManageUsers => Operation::Provision,
        Power::Promote
        | Power::ForgetPerson
        | Power::ManageMembers
        | Power::ManageTokens
        | Power::ManageKeys
        | Power::ManageJobs
        | Power::LockVault => return None,
    })
}

/// Sets of roles, one bit each.
const NONE: u8 = 0;
const U: u8 = bit(Role::User);
const R: u8 = bit(Role::Reader);
const G: u8 = bit(Role::Agent);
const A: u8 = bit(Role::Admin);
const S: u8 = bit(Role::Service);

const fn bit(role: Role) -> u8 {
    match role {
        Role::User => 1,
        Role::Reader => 2,
        Role::Agent => 4,
        Role::Admin => 8,
        Role::Service => 16,
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

/// The roles that allow each action, by the relation of the vault to the caller. U is user, R reader, G agent, A
/// admin and S a service that names nobody; one role that allows it is enough. Another person's own vault has no column: nothing opens it.
///
/// An administrator who is not a member governs a shared vault by id and by state, and does not search it. Nobody
/// destroys the organisation's vault: its chain records the destruction of all the others.
#[rustfmt::skip]
const POLICY: [(Power, [u8; 5]); 18] = [
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
    (Power::ManageUsers,   [NONE,      NONE,      NONE,      A | S,         NONE]),
    (Power::LockVault,     [U,         NONE,      NONE,      NONE,          NONE]),
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
    let allowed = caller.roles.iter().any(|role| caller.counts(*role) && allowing & bit(*role) != 0);
    if allowed && !caller.is_delegated(A::POWER) {
        return Err(Error::Denied("this service's token does not name the operation"));
    }
    if allowed {
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
        (0u8..32).map(|set| Role::ALL.iter().copied().filter(|role| set & bit(*role) != 0).collect())
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
                | Power::ManageUsers
        );
        match name.as_str() {
            _ if scope.org != org("acme") => "not_found",
            name if power == Power::LockVault && name != "user:anna" => "not_found",
            "org" if power == Power::Recall => word(reads || writes || admin, "denied"),
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
                check!(ForgetPerson ManageMembers ManageTokens ManageKeys ManageJobs ManageUsers LockVault);
            }
        }
        assert_eq!(checked, 32 * 16 * POLICY.len());
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

    /// A service that acts for Anna, who belongs to a team and a deployment.
    fn acting_for_anna(operations: &[Operation]) -> Caller {
        let delegation = Delegation { service: UserId::new("crm").unwrap(), operations: operations.to_vec() };
        Caller { delegation: Some(delegation), ..caller(vec![Role::User]) }
    }

    #[test]
    fn a_service_does_for_a_person_what_its_token_names_and_nothing_else() {
        let [annas, bens] = [0, 1].map(|place| scopes(&org("acme"))[place].clone());
        for operation in Operation::ALL {
            let caller = acting_for_anna(&[*operation]);
            let answers = [
                (Operation::Recall, code::<Recall>(&caller, &annas)),
                (Operation::Remember, code::<Remember>(&caller, &annas)),
                (Operation::Forget, code::<Forget>(&caller, &annas)),
                (Operation::Confirm, code::<Review>(&caller, &annas)),
                (Operation::Export, code::<Export>(&caller, &annas)),
                (Operation::Destroy, code::<Destroy>(&caller, &annas)),
                (Operation::Retain, code::<Retain>(&caller, &annas)),
                (Operation::ReadAudit, code::<ReadAudit>(&caller, &annas)),
            ];
            for (needed, found) in answers {
                assert_eq!(found == "granted", needed == *operation, "{needed} with {operation}");
            }
            assert_eq!(caller.is_person(), *operation == Operation::Confirm);
        }
        let everything = acting_for_anna(Operation::ALL);
        assert_eq!(code::<Recall>(&everything, &bens), "not_found");
        for scope in scopes(&org("acme")) {
            assert_ne!(code::<ManageTokens>(&everything, &scope), "granted");
            assert_ne!(code::<ManageKeys>(&everything, &scope), "granted");
            assert_ne!(code::<ForgetPerson>(&everything, &scope), "granted");
            // Only in its own name does a service make and remove people.
            assert_ne!(code::<ManageUsers>(&everything, &scope), "granted");
        }
    }

    #[test]
    fn a_service_that_names_nobody_reaches_no_vault() {
        let named =
            |operations: &[Operation]| Caller { roles: vec![Role::Service], ..acting_for_anna(operations) };
        let organisation = &scopes(&org("acme"))[5];
        for scope in scopes(&org("acme")) {
            assert_ne!(code::<Recall>(&named(Operation::ALL), &scope), "granted", "{scope:?}");
            assert_ne!(code::<Remember>(&named(Operation::ALL), &scope), "granted", "{scope:?}");
        }
        assert_eq!(code::<ManageUsers>(&named(&[Operation::Provision]), organisation), "granted");
        assert_eq!(code::<ManageUsers>(&named(&[Operation::Recall]), organisation), "denied");
        // The role alone, as a sign-on service might claim it, lends nothing.
        assert_eq!(code::<ManageUsers>(&caller(vec![Role::Service]), organisation), "denied");
    }
}
