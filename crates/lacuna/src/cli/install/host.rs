//! The hosts: the place of each one's configuration, and our entries in it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toml_edit::{Array, Table};

use super::json::JsonText;
use super::toml_file;
use crate::hook::{Event, HookHost};

/// The name of our server in a host's configuration.
const SERVER: &str = "lacuna";
/// The table of our server in TOML.
const SERVER_TABLE: [&str; 2] = ["mcp_servers", SERVER];
/// Events, our hook for each, and the seconds that a host waits: longer than our own limits.
type HookTable = &'static [(Event, &'static str, u32)];
const HOOKS: HookTable = &[
    (Event::SessionStart, "session-start", 15),
    (Event::UserPromptSubmit, "user-prompt-submit", 15),
    (Event::PreCompact, "pre-compact", 60),
    (Event::SessionEnd, "session-end", 60),
];
/// Hooks that only bring to mind, for hosts whose transcripts cannot be read.
const BRINGING_HOOKS: HookTable = &[HOOKS[0], HOOKS[1]];
/// The version that a file of Cursor's hooks begins with.
const CURSOR_HOOKS_VERSION: u32 = 1;
const MILLIS: u32 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Host {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Codex,
    GeminiCli,
}

/// Part of a file that we change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FilePart {
    /// A list of servers in JSON, under this key.
    Servers(&'static str),
    /// The same in TOML.
    ServersToml,
    Hooks(HookHost),
    /// A list of servers in JSON under this key, and hooks beside it.
    ServersAndHooks(&'static str, HookHost),
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
            Host::GeminiCli => "gemini-cli",
        }
    }

    /// Something that the person has to do besides restarting the host.
    pub(super) fn advice(self) -> Option<&'static str> {
        match self {
            Host::Codex => Some("codex runs a hook only after you have trusted it there"),
            _ => None,
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
                files.extend(hooks.then_some((settings, FilePart::Hooks(HookHost::Claude))));
                files
            }
            Host::ClaudeDesktop => {
                vec![(file(places.config.join("Claude/claude_desktop_config.json")), servers)]
            }
            Host::Cursor => {
                let mcp = file(places.home.join(".cursor/mcp.json"));
                let own =
                    hooks.then(|| (mcp.with_file_name("hooks.json"), FilePart::Hooks(HookHost::Cursor)));
                [(mcp, servers)].into_iter().chain(own).collect()
            }
            Host::GeminiCli => {
                let part = match hooks {
                    true => FilePart::ServersAndHooks("mcpServers", HookHost::Gemini),
                    false => servers,
                };
                vec![(file(places.home.join(".gemini/settings.json")), part)]
            }
            Host::VsCode => {
                vec![(file(places.config.join("Code/User/mcp.json")), FilePart::Servers("servers"))]
            }
            Host::Codex => {
                let folder = places.codex.clone().unwrap_or_else(|| places.home.join(".codex"));
                let config = file(folder.join("config.toml"));
                let own =
                    hooks.then(|| (config.with_file_name("hooks.json"), FilePart::Hooks(HookHost::Codex)));
                [(config, FilePart::ServersToml)].into_iter().chain(own).collect()
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
    fn hook_line(&self, hook: &str, host: HookHost) -> String {
        let words = [self.path.as_str(), "hook", hook].into_iter();
        let named = (host != HookHost::Claude).then(|| ["--host", host.name()]);
        let words = words.chain(named.into_iter().flatten()).chain(self.args.iter().map(String::as_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

impl FilePart {
    /// The file's text with our entries in it.
    pub(super) fn add(self, text: &str, program: &Program) -> Result<String, String> {
        match self {
            FilePart::Servers(key) => add_server(&JsonText::parse(text)?, key, program),
            FilePart::Hooks(host) => add_hooks(JsonText::parse(text)?, program, host),
            FilePart::ServersAndHooks(key, host) => add_hooks(
                JsonText::parse(&add_server(&JsonText::parse(text)?, key, program)?)?,
                program,
                host,
            ),
            FilePart::ServersToml => add_toml(text, program),
        }
    }

    /// The file's text without them.
    pub(super) fn take_out(self, text: &str) -> Result<String, String> {
        match self {
            FilePart::Servers(key) => Ok(JsonText::parse(text)?.remove(&[key, SERVER])?.text()),
            FilePart::Hooks(host) => Ok(bare(without_hooks(JsonText::parse(text)?, host)?, host)?.text()),
            FilePart::ServersAndHooks(key, host) => {
                Ok(without_hooks(JsonText::parse(text)?, host)?.remove(&[key, SERVER])?.text())
            }
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

fn hooks_of(host: HookHost) -> HookTable {
    if host.has_known_transcripts() { HOOKS } else { BRINGING_HOOKS }
}

fn add_hooks(document: JsonText, program: &Program, host: HookHost) -> Result<String, String> {
    let value = document.value();
    let has = |(event, hook, _): &(Event, &str, u32)| {
        let mine: Vec<&str> =
            commands(value, host.spelled(*event)).filter(|line| is_ours(line, hook)).collect();
        mine == [program.hook_line(hook, host)]
    };
    if hooks_of(host).iter().all(has) {
        return Ok(document.text());
    }
    let mut document = without_hooks(document, host)?;
    if host == HookHost::Cursor && document.value()["version"].is_null() {
        document = document.set(&["version"], &CURSOR_HOOKS_VERSION.into())?;
    }
    for (event, hook, seconds) in hooks_of(host) {
        let entry = entry(&program.hook_line(hook, host), *seconds, host);
        document = document.push(&["hooks", host.spelled(*event)], &entry)?;
    }
    Ok(document.text())
}

/// Our entry in the list of an event, as its host writes it.
fn entry(line: &str, seconds: u32, host: HookHost) -> Value {
    match host {
        HookHost::Cursor => json!({ "command": line }),
        HookHost::Gemini => json!({ "hooks": [{
            "type": "command", "name": SERVER, "command": line, "timeout": seconds * MILLIS,
        }] }),
        HookHost::Claude | HookHost::Codex => json!({ "hooks": [{
            "type": "command", "command": line, "timeout": seconds,
        }] }),
    }
}

/// The settings without our hooks; others in the same group stay.
fn without_hooks(mut document: JsonText, host: HookHost) -> Result<JsonText, String> {
    for (event, hook, _) in HOOKS {
        while let Some(place) = ours(document.value(), host.spelled(*event), hook) {
            let path: Vec<&str> = place.iter().map(String::as_str).collect();
            document = document.remove(&path)?;
        }
    }
    Ok(document)
}

/// A file of Cursor's hooks that holds nothing but its version is empty.
fn bare(document: JsonText, host: HookHost) -> Result<JsonText, String> {
    let is_bare = host == HookHost::Cursor && document.value() == &json!({ "version": CURSOR_HOOKS_VERSION });
    if is_bare { document.remove(&["version"]) } else { Ok(document) }
}

/// Finds the path of a hook of ours. A group that holds nothing else is ours as a whole.
fn ours(value: &Value, event: &str, hook: &str) -> Option<Vec<String>> {
    let groups = value["hooks"][event].as_array()?;
    let is_ours = |one: &Value| one["command"].as_str().is_some_and(|line| is_ours(line, hook));
    groups.iter().enumerate().find_map(|(group, one)| {
        let mut place = vec!["hooks".to_owned(), event.to_owned(), group.to_string()];
        if is_ours(one) {
            return Some(place);
        }
        let hooks = one["hooks"].as_array()?;
        let at = hooks.iter().position(is_ours)?;
        if hooks.len() > 1 {
            place.extend(["hooks".to_owned(), at.to_string()]);
        }
        Some(place)
    })
}

fn commands<'a>(value: &'a Value, event: &str) -> impl Iterator<Item = &'a str> {
    let entries = value["hooks"][event].as_array().into_iter().flatten();
    let hooks = entries
        .flat_map(|entry| std::iter::once(entry).chain(entry["hooks"].as_array().into_iter().flatten()));
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

    const CLAUDE: FilePart = FilePart::Hooks(HookHost::Claude);

    fn program(path: &str) -> Program {
        Program { path: path.to_owned(), args: Vec::new() }
    }

    #[test]
    fn hooks_come_once_are_moved_with_the_program_and_leave_others_alone() {
        let mine = "{\n  \"hooks\": {\n    \"PreCompact\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  },\n  \"model\": \"x\"\n}\n";
        let added = CLAUDE.add(mine, &program("/opt/lacuna")).unwrap();
        assert_eq!(CLAUDE.add(&added, &program("/opt/lacuna")).unwrap(), added);
        assert_eq!(CLAUDE.take_out(&added).unwrap(), mine);
        let moved = CLAUDE.add(&added, &program("/a b/lacuna")).unwrap();
        let document = JsonText::parse(&moved).unwrap();
        let value = document.value();
        assert_eq!(
            commands(value, "PreCompact").collect::<Vec<_>>(),
            ["'/a b/lacuna' hook pre-compact", "mine"]
        );
        assert_eq!(CLAUDE.take_out(&moved).unwrap(), mine);
        assert_eq!(value["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 60);
    }

    #[test]
    fn other_hosts_get_hooks_in_their_own_layout_and_give_them_back() {
        let at = program("/opt/lacuna");
        for (part, mine, pointer, line) in [
            (
                FilePart::Hooks(HookHost::Codex),
                "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  }\n}\n",
                "/hooks/UserPromptSubmit/0/hooks/0",
                "/opt/lacuna hook user-prompt-submit --host codex",
            ),
            (
                FilePart::Hooks(HookHost::Cursor),
                "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{\"command\": \"mine\"}]\n  }\n}\n",
                "/hooks/beforeSubmitPrompt/0",
                "/opt/lacuna hook user-prompt-submit --host cursor",
            ),
            (
                FilePart::ServersAndHooks("mcpServers", HookHost::Gemini),
                "{\n  \"theme\": \"dark\"\n}\n",
                "/hooks/BeforeAgent/0/hooks/0",
                "/opt/lacuna hook user-prompt-submit --host gemini",
            ),
        ] {
            let added = part.add(mine, &at).unwrap();
            let document = JsonText::parse(&added).unwrap();
            let value = document.value();
            assert_eq!(value.pointer(pointer).unwrap()["command"], line, "{added}");
            assert!(value["hooks"]["PreCompact"].is_null() && value["hooks"]["preCompact"].is_null());
            assert_eq!(part.add(&added, &at).unwrap(), added, "twice is once");
            assert_eq!(part.take_out(&added).unwrap(), mine);
            let fresh = part.add("", &at).unwrap();
            assert_eq!(JsonText::parse(&part.take_out(&fresh).unwrap()).unwrap().value(), &json!({}));
        }
        let gemini = FilePart::ServersAndHooks("mcpServers", HookHost::Gemini).add("", &at).unwrap();
        let document = JsonText::parse(&gemini).unwrap();
        assert_eq!(document.value()["hooks"]["SessionStart"][0]["hooks"][0]["timeout"], 15_000);
        assert_eq!(document.value()["mcpServers"]["lacuna"]["command"], "/opt/lacuna");
        let cursor = FilePart::Hooks(HookHost::Cursor).add("", &at).unwrap();
        assert_eq!(JsonText::parse(&cursor).unwrap().value()["version"], 1);
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
