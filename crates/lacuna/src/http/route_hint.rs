//! `Lacuna-Node`: the node that serves a caller best, because it has their vault open already.
//!
//! Any node serves any vault, and each reads the revision before it answers. A load balancer or a client that follows the
//! hint saves the others from opening the vault, and keeps together what a node counts by itself.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use lacuna_core::permit::Caller;
use lacuna_seal::Digest;

/// The name of the header.
pub(super) static LACUNA_NODE: HeaderName = HeaderName::from_static("lacuna-node");
const WEIGHT_DOMAIN: &str = "lacuna/node-weight/v1";

/// The names of all nodes, in no order that matters.
#[derive(Clone)]
pub(super) struct RouteHint(Arc<[HeaderValue]>);

impl RouteHint {
    /// `None` where there is no choice. Names that no header may hold were refused with the configuration.
    pub(super) fn new(nodes: &[String]) -> Option<Self> {
        let names: Vec<_> = nodes.iter().filter_map(|node| HeaderValue::from_str(node).ok()).collect();
        (names.len() > 1).then(|| Self(names.into()))
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.0.iter().filter_map(|name| name.to_str().ok()).collect()
    }

    /// The node with the highest weight for the caller's own vault: when one node comes or goes, only the vaults that it
    /// wins or held move.
    pub(super) fn node_for(&self, caller: &Caller) -> Option<HeaderValue> {
        let vault = caller.personal_scope().vault_id();
        let weight =
            |node: &&HeaderValue| *Digest::of(WEIGHT_DOMAIN, &[vault.as_bytes(), node.as_bytes()]).as_bytes();
        self.0.iter().max_by_key(weight).cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lacuna_types::{OrgId, UserId};

    use super::*;

    fn placed(nodes: &[&str]) -> BTreeMap<usize, String> {
        let names: Vec<String> = nodes.iter().map(|&node| node.to_owned()).collect();
        let hint = RouteHint::new(&names).unwrap();
        let caller =
            |n| Caller::new(OrgId::new("acme").unwrap(), UserId::new(&format!("p{n}")).unwrap(), vec![]);
        (0..600).map(|n| (n, hint.node_for(&caller(n)).unwrap().to_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn vaults_spread_evenly_and_only_those_of_a_lost_node_move() {
        let three = placed(&["a", "b", "c"]);
        for node in ["a", "b", "c"] {
            let share = three.values().filter(|placed| *placed == node).count();
            assert!((150..=250).contains(&share), "{node} has {share} of 600");
        }
        let two = placed(&["c", "a"]);
        for (person, node) in &three {
            assert!(node == "b" || two[person] == *node, "{person} moved without need");
        }
        assert!(RouteHint::new(&["alone".to_owned()]).is_none());
    }
}
