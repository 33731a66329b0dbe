//! The driver of the benchmarks runs through and has a figure for everything; how fast is no test's business.

use std::process::Command;

#[test]
fn a_quick_run_writes_every_section_with_figures() {
    let output = Command::new(env!("CARGO_BIN_EXE_measure"))
        .args(["bench", "--quick", "--as-built"])
        .output()
        .expect("the driver starts");
    let page = String::from_utf8(output.stdout).expect("the page is text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let headings = [
        "Hot recall",
        "Growth",
        "Exactness on the vectors of real models",
        "Flat in the number of other users",
        "Opening a cold vault of 100",
        "Context from a vault of 100",
        "Remember and delete",
        "Forget",
        "Conversations",
        "The HTTP door under load",
        "A cold MCP server",
        "The hook before a long conversation is shortened",
    ];
    for heading in headings {
        assert!(page.contains(&format!("## {heading}")), "no section {heading} in\n{page}");
    }
    for wrong in ["NaN", "inf", "| 0 µs |", "unknown"] {
        assert!(!page.contains(wrong), "{wrong} in\n{page}");
    }
}
