//! Rows that grant access: the tokens and memberships of one organisation.

use super::{Batch, MemberChange, MemberRow, TokenChange, TokenRow};
use lacuna_types::{Error, Group, Result, UserId};

/// Every token and membership of one organisation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AccessRows {
    /// The tokens in the order of id.
    pub tokens: Vec<TokenRow>,
    /// The memberships in the order of group and user.
    pub members: Vec<(Group, MemberRow)>,
}

impl AccessRows {
    /// The rows as `batch` leaves them; an error when it does not fit them.
    pub fn after(mut self, batch: &Batch) -> Result<Self> {
        batch.tokens.iter().try_for_each(|change| self.change_token(change))?;
        batch.members.iter().try_for_each(|change| self.change_member(change))?;
        Ok(self)
    }

    fn change_token(&mut self, change: &TokenChange) -> Result<()> {
        match change {
            TokenChange::Add(new) => {
                if self.tokens.iter().any(|token| token.id == new.id || token.hash == new.hash) {
                    return Err(Error::Conflict("the token"));
                }
                let at = self.tokens.partition_point(|token| token.id < new.id);
                self.tokens.insert(at, new.clone());
            }
            TokenChange::Revoke { id, at } => {
                let token = self.tokens.iter_mut().find(|token| token.id == *id);
                token.ok_or(Error::NotFound("token"))?.revoked_at.get_or_insert(*at);
            }
        }
        Ok(())
    }

    fn change_member(&mut self, change: &MemberChange) -> Result<()> {
        match change {
            MemberChange::Add { group, user, at } => {
                if let Err(place) = self.place_of(group, user) {
                    let member = MemberRow { user: user.clone(), added_at: *at };
                    self.members.insert(place, (group.clone(), member));
                }
            }
            MemberChange::Remove { group, user } => {
                let place = self.place_of(group, user).map_err(|_| Error::NotFound("member"))?;
                self.members.remove(place);
            }
        }
        Ok(())
    }

    /// The place of a membership, or the place where it would stand.
    fn place_of(&self, group: &Group, user: &UserId) -> std::result::Result<usize, usize> {
        self.members.binary_search_by(|(of, member)| (of, &member.user).cmp(&(group, user)))
    }
}
