//! The labelled set and the must-and-must-not cases.

use super::*;

#[test]
fn look() {
    let Ok(path) = std::env::var("LOOK") else { return };
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let found = classify(line, None);
        println!("{line}");
        let sens: Vec<_> = found
            .sensitivity
            .iter()
            .map(|j| format!("{} {:.2} ({})", j.value, j.confidence, j.reason))
            .collect();
        println!("   S {}", sens.join(", "));
        println!(
            "   {} {:.2} ({}) | {} {:.2} ({}) +{:?} | salience {:.2} ({})",
            found.privacy.value,
            found.privacy.confidence,
            found.privacy.reason,
            found.lane.value,
            found.lane.confidence,
            found.lane.reason,
            found.secondary_lanes.iter().map(|j| j.value.as_str()).collect::<Vec<_>>(),
            found.salience.value,
            found.salience.reason
        );
        for n in &found.entities {
            println!(
                "   E {} {:?} rel={:?} primary={} {:.2} ({})",
                n.entity.kind, n.entity.name, n.entity.relation, n.entity.primary, n.confidence, n.reason
            );
        }
    }
}
