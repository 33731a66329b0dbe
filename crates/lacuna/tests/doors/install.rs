//! Wiring Lacuna into hosts, on home folders of their own.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Done, Home};

const CLAUDE: &str = "{\n  \"zeta\": {\"b\": 1, \"a\": 2},\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"env\": {\"KEY\": \"hunter2\"}}\n  },\n  \"alpha\": [1,2]\n}\n";
const CODEX: &str = "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"  # why\n";

/// A home folder, and what the hosts keep in it.
fn home() -> (Home, PathBuf) {
    let home = Home::new();
    let folder = home.path("home");
    fs::create_dir(&folder).unwrap();
    let home = home.with("HOME", folder.to_str().unwrap()).with("XDG_CONFIG_HOME", "").with("CODEX_HOME", "");
    (home.with("CLAUDE_CONFIG_DIR", ""), fs::canonicalize(folder).unwrap())
}

fn install(home: &Home, args: &[&str]) -> Done {
    home.run(&["install"].iter().chain(args).copied().collect::<Vec<_>>())
}

fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_host_gets_its_entry_once_and_gives_it_back() {
    let (home, folder) = home();
    let files = [
        ("claude-code", ".claude.json", "/mcpServers/lacuna"),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", "/mcpServers/lacuna"),
        ("cursor", ".cursor/mcp.json", "/mcpServers/lacuna"),
        ("vscode", ".config/Code/User/mcp.json", "/servers/lacuna"),
    ];
    for (host, name, pointer) in files {
        let path = put(&folder, name, CLAUDE);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        install(&home, &[host, "--yes"]).ok();
        let entry = json(&path).pointer(pointer).unwrap().clone();
        assert!(entry["command"].as_str().unwrap().ends_with("/lacuna"), "{entry}");
        assert_eq!(entry["args"], json!(["mcp", "--data", home.data()]));
        assert_eq!(entry["type"] == "stdio", host == "vscode");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        let backup = format!("{}.lacuna-backup", path.display());
        assert_eq!(fs::read_to_string(&backup).unwrap(), CLAUDE);

        let written = fs::read_to_string(&path).unwrap();
        assert!(install(&home, &[host, "--yes"]).ok().stdout.contains("nothing to change"));
        assert_eq!(fs::read_to_string(&path).unwrap(), written);
        install(&home, &[host, "--undo", "--yes"]).ok();
        assert_eq!(fs::read_to_string(&path).unwrap(), CLAUDE, "{host} has its file back");
        assert!(install(&home, &[host, "--undo"]).ok().stdout.contains("nothing to change"));
    }
}

#[test]
fn claude_code_gets_hooks_beside_those_that_are_there() {
    let (home, folder) = home();
    let mine = "{\n  \"hooks\": {\n    \"PreCompact\": [{\"matcher\": \"auto\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  }\n}\n";
    let settings = put(&folder, ".claude/settings.json", mine);
    install(&home, &["claude-code", "--yes"]).ok();
    let hooks = &json(&settings)["hooks"];
    let line = hooks["PreCompact"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(line.contains("/lacuna hook pre-compact --data "), "{line}");
    for event in ["SessionStart", "UserPromptSubmit", "SessionEnd"] {
        assert_eq!(hooks[event][0]["hooks"][0]["type"], "command", "{event}");
    }
    // The line works as the host runs it.
    let line = hooks["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap();
    home.run(&["remember", "The harbour office closes at noon.", "--salience", "0.9"]).ok();
    let input = json!({"session_id": "s", "source": "startup"}).to_string();
    let script = format!("printf %s '{input}' | {line}");
    let ran = std::process::Command::new("sh")
        .args(["-c", &script])
        .env("USER", "anna")
        .env("LACUNA_EMBEDDER", "static")
        .output();
    let ran = ran.unwrap();
    assert!(
        ran.status.success() && String::from_utf8_lossy(&ran.stdout).contains("closes at noon"),
        "{ran:?}"
    );
    install(&home, &["claude-code", "--undo", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&settings).unwrap(), mine);

    let project = home.path("project");
    let at = project.to_str().unwrap();
    install(&home, &["claude-code", "--path", at, "--no-hooks", "--yes"]).ok();
    assert!(project.join(".mcp.json").exists() && !project.join(".claude").exists());
}

#[test]
fn codex_keeps_its_toml() {
    let (home, folder) = home();
    let path = put(&folder, ".codex/config.toml", CODEX);
    install(&home, &["codex", "--yes"]).ok();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(CODEX) && text.contains("\n[mcp_servers.lacuna]\ncommand = \""), "{text}");
    assert!(install(&home, &["codex", "--yes"]).ok().stdout.contains("nothing to change"));
    install(&home, &["codex", "--undo", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), CODEX);
    for bad in ["model = ", "mcp_servers = { lacuna = { command = \"x\" } }\n"] {
        fs::write(&path, bad).unwrap();
        let refused = install(&home, &["codex", "--yes"]);
        assert_eq!(
            (refused.code, fs::read_to_string(&path).unwrap().as_str()),
            (2, bad),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn nothing_is_written_before_a_yes_and_the_difference_shows_nobodys_keys() {
    let (home, folder) = home();
    let path = put(&folder, ".cursor/mcp.json", CLAUDE);
    let shown = install(&home, &["cursor", "--dry-run"]).ok();
    assert!(shown.stdout.contains("+     \"lacuna\": {"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("hunter2"), "{}", shown.stdout);
    let unasked = install(&home, &["cursor"]);
    assert!(unasked.code != 0 && unasked.stderr.contains("needs_confirmation"), "{}", unasked.stderr);
    let told = home.json(&["install", "cursor", "--dry-run"]);
    assert_eq!((&told["written"], &told["host"]), (&json!(false), &json!("cursor")));
    assert_eq!(fs::read_to_string(&path).unwrap(), CLAUDE);
    assert!(!folder.join(".cursor/mcp.json.lacuna-backup").exists());
    assert!(!home.data().exists(), "no vault is made for it");
}

#[test]
fn a_file_that_makes_no_sense_is_left_alone_and_a_link_stays_a_link() {
    let (home, folder) = home();
    for bad in ["{\"mcpServers\": ", "[]", "{\"mcpServers\": []}", "{\"mcpServers\": {}, \"mcpServers\": {}}"]
    {
        let path = put(&folder, ".cursor/mcp.json", bad);
        let refused = install(&home, &["cursor", "--yes"]);
        assert_eq!(
            (refused.code, fs::read_to_string(&path).unwrap().as_str()),
            (2, bad),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("is left as it is"), "{}", refused.stderr);
    }
    fs::remove_file(folder.join(".cursor/mcp.json")).unwrap();
    let real = put(&folder, "dotfiles/mcp.json", "{}");
    symlink(&real, folder.join(".cursor/mcp.json")).unwrap();
    install(&home, &["cursor", "--yes"]).ok();
    assert!(fs::symlink_metadata(folder.join(".cursor/mcp.json")).unwrap().is_symlink());
    assert!(json(&real)["mcpServers"]["lacuna"].is_object());
    let fresh = home.path("fresh/mcp.json");
    install(&home, &["cursor", "--path", fresh.to_str().unwrap(), "--yes"]).ok();
    assert_eq!(fs::metadata(&fresh).unwrap().permissions().mode() & 0o777, 0o600);
}
