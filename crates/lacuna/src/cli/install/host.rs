//! The hosts: the place of each one's configuration, and our entries in it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toml_edit::{Array, Table};

use super::json::JsonText;
use super::toml_file;

/// The name of our server in a host's configuration.
const SERVER: &str = "lacuna";
/// The table of our server in TOML.
const SERVER_TABLE: [&str; 2] = ["mcp_servers", SERVER];
/// The hooks of Claude Code, ours for each, and how long the host waits: longer than our own limits.
const HOOKS: [(&str, &str, u32); 4] = [
    ("SessionStart", "session-start", 15),
    ("UserPromptSubmit", "user-prompt-submit", 15),
    ("PreCompact", "pre-compact", 60),
    ("SessionEnd", "session-end", 60),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Host {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Codex,
}

/// Part of a file that we change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FilePart {
    /// A list of servers in JSON, under this key.
    Servers(&'static str),
    /// The same in TOML.
    ServersToml,
    Hooks,
}

/// Folders of the user and of hosts, as the environment names them.
pub(super) struct Places {
    pub(super) home: PathBuf,
    pub(super) claude: Option<PathBuf>,
    pub(super) codex: Option<PathBuf>,
    /// Of programs that follow the platform's rules.
    pub(super) config: PathBuf,
}

impl Host {
    pub(super) fn name(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
            Host::ClaudeDesktop => "claude-desktop",
            Host::Cursor => "cursor",
            Host::VsCode => "vscode",
            Host::Codex => "codex",
        }
    }

    /// The files that are changed. `path` is the folder of a project for Claude Code, and a file for the others.
    pub(super) fn files(self, places: &Places, path: Option<&Path>, hooks: bool) -> Vec<(PathBuf, FilePart)> {
        let servers = FilePart::Servers("mcpServers");
        let file = |usual: PathBuf| path.map_or(usual, Path::to_owned);
        match self {
            Host::ClaudeCode => {
                let (mcp, settings) = match (path, &places.claude) {
                    (Some(project), _) => (project.join(".mcp.json"), project.join(".claude/settings.json")),
                    (None, Some(folder)) => (folder.join(".claude.json"), folder.join("settings.json")),
                    (None, None) => {
                        (places.home.join(".claude.json"), places.home.join(".claude/settings.json"))
                    }
                };
                let mut files = vec![(mcp, servers)];
                files.extend(hooks.then_some((settings, FilePart::Hooks)));
                files
            }
            Host::ClaudeDesktop => {
                vec![(file(places.config.join("Claude/claude_desktop_config.json")), servers)]
            }
            Host::Cursor => vec![(file(places.home.join(".cursor/mcp.json")), servers)],
            Host::VsCode => {
                vec![(file(places.config.join("Code/User/mcp.json")), FilePart::Servers("servers"))]
            }
            Host::Codex => {
                let folder = places.codex.clone().unwrap_or_else(|| places.home.join(".codex"));
                vec![(file(folder.join("config.toml")), FilePart::ServersToml)]
            }
        }
    }
}

/// Command line with which a host starts us: the program, and the arguments that every call gets.
pub(super) struct Program {
    pub(super) path: String,
    pub(super) args: Vec<String>,
}

impl Program {
    fn mcp_args(&self) -> Vec<String> {
        std::iter::once("mcp".to_owned()).chain(self.args.iter().cloned()).collect()
    }

    /// The line of a shell that calls a hook.
    fn hook_line(&self, hook: &str) -> String {
        let words = [self.path.as_str(), "hook", hook].into_iter();
        let words = words.chain(self.args.iter().map(String::as_str)).map(quoted);
        words.collect::<Vec<_>>().join(" ")
    }
}

impl FilePart {
    /// The file's text with our entries in it.
    pub(super) fn add(self, text: &str, program: &Program) -> Result<String, String> {
        match self {
            FilePart::Servers(key) => add_server(&JsonText::parse(text)?, key, program),
            FilePart::Hooks => add_hooks(JsonText::parse(text)?, program),
            FilePart::ServersToml => add_toml(text, program),
        }
    }

    /// The file's text without them.
    pub(super) fn take_out(self, text: &str) -> Result<String, String> {
        match self {
            FilePart::Servers(key) => Ok(JsonText::parse(text)?.remove(&[key, SERVER])?.text()),
            FilePart::Hooks => Ok(without_hooks(JsonText::parse(text)?)?.text()),
            FilePart::ServersToml => toml_file::remove(text, SERVER_TABLE),
        }
    }
}

fn add_server(document: &JsonText, key: &str, program: &Program) -> Result<String, String> {
    let (command, args) = (Value::from(program.path.as_str()), Value::from(program.mcp_args()));
    let known = &document.value()[key][SERVER];
    if known["command"] == command && known["args"] == args {
        // Its owner may have added something.
        return Ok(document.text());
    }
    let mut entry = json!({ "command": command, "args": args });
    if key == "servers" {
        entry["type"] = "stdio".into();
    }
    Ok(document.set(&[key, SERVER], &entry)?.text())
}

fn add_toml(text: &str, program: &Program) -> Result<String, String> {
    let args = program.mcp_args();
    let read: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let [servers, server] = SERVER_TABLE;
    let known = read.get(servers).and_then(|servers| servers.get(server));
    let is = |key: &str, value: toml::Value| known.and_then(|known| known.get(key)) == Some(&value);
    if is("command", program.path.as_str().into()) && is("args", args.clone().into()) {
        return Ok(text.to_owned());
    }
    let mut table = Table::new();
    table["command"] = toml_edit::value(&program.path);
    table["args"] = toml_edit::value(Array::from_iter(args));
    toml_file::set(text, SERVER_TABLE, &table)
}

fn add_hooks(document: JsonText, program: &Program) -> Result<String, String> {
    let value = document.value();
    let has = |(event, hook, _): &(&str, &str, u32)| {
        let mine: Vec<&str> = commands(value, event).filter(|line| is_ours(line, hook)).collect();
        mine == [program.hook_line(hook)]
    };
    if HOOKS.iter().all(has) {
        return Ok(document.text());
    }
    let mut document = without_hooks(document)?;
    for (event, hook, timeout) in HOOKS {
        let group = json!({ "hooks": [{
            "type": "command", "command": program.hook_line(hook), "timeout": timeout,
        }] });
        document = document.push(&["hooks", event], &group)?;
    }
    Ok(document.text())
}

/// The settings without our hooks; others in the same group stay.
fn without_hooks(mut document: JsonText) -> Result<JsonText, String> {
    for (event, hook, _) in HOOKS {
        while let Some(place) = ours(document.value(), event, hook) {
            let path: Vec<&str> = place.iter().map(String::as_str).collect();
            document = document.remove(&path)?;
        }
    }
    Ok(document)
}

/// Finds the path of a hook of ours. A group that holds nothing else is ours as a whole.
fn ours(value: &Value, event: &str, hook: &str) -> Option<Vec<String>> {
    let groups = value["hooks"][event].as_array()?;
    groups.iter().enumerate().find_map(|(group, one)| {
        let hooks = one["hooks"].as_array()?;
        let is_ours = |one: &Value| one["command"].as_str().is_some_and(|line| is_ours(line, hook));
        let at = hooks.iter().position(is_ours)?;
        let mut place = vec!["hooks".to_owned(), event.to_owned(), group.to_string()];
        if hooks.len() > 1 {
            place.extend(["hooks".to_owned(), at.to_string()]);
        }
        Some(place)
    })
}

fn commands<'a>(value: &'a Value, event: &str) -> impl Iterator<Item = &'a str> {
    let groups = value["hooks"][event].as_array().into_iter().flatten();
    let hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
    hooks.filter_map(|hook| hook["command"].as_str())
}

/// True if a line calls this hook of ours, from whatever folder.
fn is_ours(line: &str, hook: &str) -> bool {
    let Some((program, rest)) = line.split_once(&format!(" hook {hook}")) else { return false };
    let name = program.trim_end_matches('\'').rsplit('/').next().unwrap_or_default();
    name.trim_start_matches('\'') == "lacuna" && (rest.is_empty() || rest.starts_with(' '))
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ':' | '=' | '@' | '+');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str) -> Program {
        Program { path: path.to_owned(), args: Vec::new() }
    }

    #[test]
    fn hooks_come_once_are_moved_with_the_program_and_leave_others_alone() {
        let mine = "{\n  \"hooks\": {\n    \"PreCompact\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  },\n  \"model\": \"x\"\n}\n";
        let added = FilePart::Hooks.add(mine, &program("/opt/lacuna")).unwrap();
        assert_eq!(FilePart::Hooks.add(&added, &program("/opt/lacuna")).unwrap(), added);
        assert_eq!(FilePart::Hooks.take_out(&added).unwrap(), mine);
        let moved = FilePart::Hooks.add(&added, &program("/a b/lacuna")).unwrap();
        let document = JsonText::parse(&moved).unwrap();
        let value = document.value();
        assert_eq!(
            commands(value, "PreCompact").collect::<Vec<_>>(),
            ["'/a b/lacuna' hook pre-compact", "mine"]
        );
        assert_eq!(FilePart::Hooks.take_out(&moved).unwrap(), mine);
        assert_eq!(value["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 60);
    }

    #[test]
    fn a_line_is_ours_by_its_program_and_hook() {
        for ours in [
            "/x/lacuna hook pre-compact",
            "'/a b/lacuna' hook pre-compact --data /d",
            "lacuna hook pre-compact",
        ] {
            assert!(is_ours(ours, "pre-compact"), "{ours}");
        }
        for other in
            ["mylacuna hook pre-compact", "lacuna hook pre-compactor", "echo", "lacuna hook session-end"]
        {
            assert!(!is_ours(other, "pre-compact"), "{other}");
        }
    }

    #[test]
    fn words_reach_the_shell_as_they_are() {
        for word in ["/opt/lacuna", "/a b/l", "$(rm -rf x)", "it's", "", "a;b", "`x`"] {
            let line = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
