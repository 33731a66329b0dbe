//! The commands and the global options, which every command takes. The arguments of a command stand beside it.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use super::audit::AuditArgs;
use super::backup::{BackupArgs, LedgerCommand, RestoreArgs};
use super::compact::CompactArgs;
use super::compliance::ComplianceCommand;
use super::config::{CONFIG_EXAMPLES, ConfigCommand};
use super::consent::ConsentCommand;
use super::context::ContextArgs;
use super::correct::CorrectArgs;
use super::destroy::DestroyArgs;
use super::export::ExportArgs;
use super::forget::{ForgetArgs, ReceiptCommand};
use super::hold::HoldCommand;
use super::hook::HookCommand;
use super::import::ImportArgs;
use super::install::InstallArgs;
use super::jobs::JobsCommand;
use super::keys::KeysCommand;
use super::mcp::McpArgs;
use super::members::MembersCommand;
use super::memory::MemoryCommand;
use super::open::OpenArgs;
use super::pages::{ManArgs, ShellName};
use super::person::PersonCommand;
use super::persona::PersonaCommand;
use super::policy::PolicyCommand;
use super::purpose::PurposeCommand;
use super::recall::RecallArgs;
use super::remember::RememberArgs;
use super::retention::RetentionCommand;
use super::review::ReviewCommand;
use super::scan::ScanArgs;
use super::serve::ServeArgs;
use super::session::SessionCommand;
use super::store::StoreCommand;
use super::token::TokenCommand;
use super::view::ViewArgs;

const EXAMPLES: &str = "\
Examples:
  lacuna remember \"Anna prefers the window seat\" --tag travel
  lacuna recall \"where does Anna like to sit?\"
  lacuna serve

Wherever an id is asked for, the digits that a list shows are enough, or any beginning or end that only one has.

Exit codes:
  0 done  1 failed  2 bad usage or input  3 not found  4 denied  5 conflict
  6 unavailable  7 misconfigured  8 damaged data
Every error has a stable code: see docs/errors.md.";

/// Private memory for AI assistants that can prove it forgot.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, propagate_version = true, max_term_width = 100)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Global {
    /// Print JSON instead of tables; errors too, on standard error.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Configuration file [default: $LACUNA_CONFIG, else lacuna.toml in the data folder, if it is there].
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Folder of databases and keys [env: LACUNA_DATA] [default: lacuna in your data folder].
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(super) data: Option<PathBuf>,
    /// Organisation to act in [env: LACUNA_ORG] [default: local].
    #[arg(long, global = true)]
    pub(super) org: Option<String>,
    /// User to act as [env: LACUNA_USER] [default: your user name].
    #[arg(long = "as", global = true, value_name = "USER")]
    pub(super) acting_user: Option<String>,
    /// Model for meaning: sentence, static or endpoint [env: LACUNA_EMBEDDER] [default: sentence].
    #[arg(long, global = true, value_name = "MODEL")]
    pub(super) embedder: Option<String>,
    /// Accept a new passphrase that is easy to guess.
    #[arg(long, global = true)]
    pub(super) weak_passphrase: bool,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Open your memory as a page in the browser; starts the server if there is none.
    #[command(after_help = "Examples:
  lacuna open
  lacuna open --no-browser

The link signs one browser in, once, within two minutes. A server of other machines asks for a token instead.")]
    Open(OpenArgs),
    /// Answer over HTTP until interrupted.
    #[command(
        after_help = "The API is described at /openapi.json. Without any token the server answers only on
loopback, as the local user; `lacuna token create` makes the first token, and then every call needs one."
    )]
    Serve(ServeArgs),
    /// Answer an assistant over MCP, on standard input and output.
    #[command(after_help = "Examples:
  lacuna mcp
  lacuna mcp --as anna --data ~/lacuna
  lacuna mcp --tools reference

An MCP client starts it: give the client `lacuna` as the command and `mcp` as its argument. It acts as the local
user, and asks through the client before it forgets. `lacuna serve` answers the same at /mcp.")]
    Mcp(McpArgs),
    /// Carry out one command of Anthropic's memory tool, read as JSON from standard input.
    #[command(after_help = "Examples:
  echo '{\"command\": \"view\", \"path\": \"/memories\"}' | lacuna memory-tool
  echo '{\"command\": \"create\", \"path\": \"/memories/trip.md\", \"file_text\": \"Porto in May\"}' | lacuna memory-tool

It prints what the tool's result is to say; with --json also whether that is an error. The files are memories in
the vault, sealed as everything: nothing is written to a folder. POST /v1/memory-tool does the same.")]
    MemoryTool,
    /// Remember a text, or many.
    #[command(after_help = "Examples:
  lacuna remember \"The deploy key rotates on Mondays\" --category learned_context --tag ops
  pbpaste | lacuna remember -
  lacuna remember --batch memories.jsonl

Each line of a batch is a JSON object such as {\"content\": \"…\", \"tags\": [\"ops\"], \"salience\": 0.8},
with the fields of POST /v1/memories. With --json, one line comes out per memory stored.")]
    Remember(Box<RememberArgs>),
    /// Forget: by plain words, or by what the options name. Shows a plan, asks, erases, and proves it.
    #[command(after_help = "Examples:
  lacuna forget \"everything about my dentist\"
  lacuna forget \"my salary but keep that I work at Norrland Timber\"
  lacuna forget --session ses_42 --mode soft
  lacuna forget --since 2026-03-01 --until 2026-04-01 --yes

With --json and without --yes the plan is printed; confirm it with --confirm TOKEN within 15 minutes.")]
    Forget(Box<ForgetArgs>),
    /// Put right what is remembered wrong: the new text takes the place of the old one, which is erased.
    #[command(after_help = "Examples:
  lacuna correct \"where I live\" \"I live in Oslo\"
  lacuna correct --id c64dc53a7901 \"The ferry leaves at half past noon.\"

The old text is shown, and you are asked. When it says something else as well, that half stays.")]
    #[command(allow_missing_positional = true)]
    Correct(CorrectArgs),
    /// Summarise old turns of conversations, and archive them: out of search, in exports.
    #[command(after_help = "Examples:
  lacuna compact --dry-run
  lacuna compact --session ses_42
  lacuna compact --before 2026-03-01

Without a session, a date or --force, only what the policy's thresholds say: the oldest turns of a vault with more
than 150,000 tokens, all but the last 20 of a session with more than 200 messages, and what nobody has read for 90
days. Each summary and each fact names the turns that it is made of, and falls with them when they are forgotten.")]
    Compact(CompactArgs),
    /// List, show and verify receipts of what was forgotten.
    #[command(subcommand)]
    Receipt(ReceiptCommand),
    /// Find memories by meaning and words.
    #[command(after_help = "Examples:
  lacuna recall \"when do the keys change?\"
  lacuna recall \"plans for the summer\" --since 30d --limit 5 --explain")]
    Recall(RecallArgs),
    /// Conversations: start one, append turns, read it back, end it.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna session append desk \"The spare key hangs in the boat house.\"
  lacuna session append desk \"Noted.\" --role assistant
  lacuna session append desk - < turns.jsonl
  lacuna session show desk
  lacuna session end desk

Every turn goes through the gate and is sealed at once. An end archives the turns as a sealed transcript."
    )]
    Session(SessionCommand),
    /// Find memories for a turn of a conversation, as a section for a prompt.
    #[command(after_help = "Examples:
  lacuna context \"Shall we book the usual table?\" --session ses_42 --topic travel
  tail -1 chat.txt | lacuna context - --max-tokens 600
  lacuna context \"What did we agree on?\" --shared team:desk --json

The section goes to standard output. Whatever it shows counts as brought to mind, and fades later.")]
    Context(ContextArgs),
    /// List, inspect, erase and move memories.
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Decide about memories that wait for confirmation or approval.
    #[command(
        subcommand,
        after_help = "What comes from a tool, a web page or a model waits here before it becomes a fact."
    )]
    Review(ReviewCommand),
    /// Consent once to what may be kept about health, belief and the like, or to patterns; list and revoke.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna consent give health --for \"my assistants\"
  lacuna consent list
  lacuna consent revoke health
  lacuna consent give patterns

Without a consent, sensitive things are held sealed for 30 days: the review shows them, and no search finds them.
Patterns of behaviour (patterns) and keeping facts for long (long_term) need one only where the policy says so:
lacuna policy show. Sensitive texts are shown to a language model that plans to forget ask only with language_model, and
with the consent of their category."
    )]
    Consent(ConsentCommand),
    /// Close sensitive categories to your assistants and readers, and open them again.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna purpose close health
  lacuna purpose list
  lacuna purpose open health

A token of the role agent or reader does not get what is closed from recall, context, lists or sessions. In a shared
vault, what is about health, belief or biometrics is shown to its author alone, unless they lifted it when they shared it."
    )]
    Purpose(PurposeCommand),
    /// Keep memories from erasure for a legal reason: placed by one operator, confirmed by another.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna hold place --scope user:anna --reason legal_claim --days 90 --tell
  lacuna hold confirm 1 --as ben
  lacuna hold list
  lacuna hold end 1

While a hold stands, requests to erase are recorded and their memories hidden; they are erased when it ends."
    )]
    Hold(HoldCommand),
    /// Persona documents: export, validate, sign, verify and import memory[] and memoryPolicy.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna persona export persona.json
  lacuna persona validate persona.json
  lacuna persona key persona.key
  lacuna persona sign persona.json --key persona.key
  lacuna persona verify persona.json
  lacuna persona import persona.json"
    )]
    Persona(PersonaCommand),
    /// Write what an organisation answers for: what is kept, who sees it, how long, where it goes. Numbers, no content.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna compliance report
  lacuna compliance report --format html --out report.html
  lacuna compliance report --format pdf-ready --out report.html"
    )]
    Compliance(ComplianceCommand),
    /// Show and set how long the vault remembers.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna retention show
  lacuna retention set --category health=7 --preview
  lacuna retention set --max-days 365 --about Mira=forever
  lacuna retention set --about \"Project Heron=7\" --hide health

What is not set follows from your organisation's rules. What a setting lets go is erased by the next sweep."
    )]
    Retention(RetentionCommand),
    /// The scheduler's jobs: when each ran, how it ended, when it runs next; or run one now.
    #[command(after_help = "Examples:
  lacuna jobs
  lacuna jobs run sweep")]
    Jobs {
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// Look for secrets in a file, in standard input, or in what is already stored.
    Scan(ScanArgs),
    /// Write everything that is remembered to a file.
    #[command(after_help = "Examples:
  lacuna export memories.json
  lacuna export memories.md
  lacuna export memories.json.sealed --encrypt
  lacuna export - --category preference | jq .

With --encrypt the passphrase comes from LACUNA_EXPORT_PASSPHRASE or from a prompt. Memories about health are
left out, and counted, unless --include-health is given and confirmed.")]
    Export(ExportArgs),
    /// Write what is remembered as plain text files, for assistants that read files.
    #[command(after_help = "Examples:
  lacuna view ~/notes/memory
  lacuna view ~/notes/memory --watch
  lacuna view ~/notes/memory --apply
  lacuna view ~/notes/memory --remove
  lacuna view /srv/memory --by-user --export

THE FILES ARE PLAIN TEXT: whoever reads them, a backup or a sync program included, reads your memories. They are
readable by you alone (0600), and hold CLAUDE.md (the most salient first, at most 50 KB), preferences.json and
sessions/*.jsonl, with --export also exports/*.json. Delete or change a line of CLAUDE.md to forget or correct it;
a new line is remembered. On a terminal you are asked first; elsewhere nothing happens until --apply. Health is left
out unless --include-health is given. After `lacuna forget` the files are written anew without what went; a server that
forgets does not write files: keep --watch running, or run the command again.")]
    View(ViewArgs),
    /// Bring in an export of Lacuna, or of another program.
    #[command(after_help = "Examples:
  lacuna import memories.json --dry-run
  lacuna import conversations.json
  lacuna import ~/basic-memory --from basic-memory

Reads exports of Lacuna (plain or encrypted), mem0, ChatGPT and Claude, the JSONL of the MCP memory server, and
folders of basic-memory notes. Everything passes the same gate as a new memory. What is imported twice is stored
once, and what was forgotten here is not brought back. With --json, one line comes out per record.")]
    Import(ImportArgs),
    /// Stop writes while reads go on.
    Freeze {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Take writes again.
    Thaw {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Show and check the configuration: file, environment and flags together.
    #[command(subcommand, after_help = CONFIG_EXAMPLES)]
    Config(ConfigCommand),
    /// Show and check the rules that memories live under.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Forget a person everywhere, at their request.
    #[command(subcommand)]
    Person(PersonCommand),
    /// List erasures in a vault that a person asked for whom it spoke of.
    Notices {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Verify and list what was done; without a command, count what happened in a period.
    #[command(after_help = "Examples:
  lacuna audit --from 2026-01-01 --to 2026-02-01
  lacuna audit verify
  lacuna audit export audit.jsonl")]
    Audit(AuditArgs),
    /// Make, list and revoke API tokens.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Prepare the databases of PostgreSQL: schemas, and the SQL of their roles.
    #[command(subcommand)]
    Store(StoreCommand),
    /// The vaults that you may read, in the words that --scope takes.
    Scopes,
    /// Say who belongs to a team and shares its vault.
    #[command(subcommand)]
    Team(MembersCommand),
    /// Say who belongs to a deployment and shares its vault.
    #[command(subcommand)]
    Deployment(MembersCommand),
    /// Look after the keys.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Destroy a vault with everything in it: keys, texts, vectors, its own audit. It cannot be undone.
    Destroy(DestroyArgs),
    /// Write a backup into a new file or bucket object, while others read and write; or list the full backups.
    #[command(after_help = "Examples:
  lacuna backup memories.backup
  lacuna backup 's3://acme-backups/nightly/1.backup?region=eu-central-1'

A backup of the data holds no keys: what is forgotten later stays forgotten in it. Keep the
keystore apart. A full backup holds keys, is sealed under a passphrase (LACUNA_BACKUP_PASSPHRASE or asked for),
and is named in every receipt until it expires. An object in a bucket needs AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY; without region and endpoint it lies where blobs does.")]
    Backup(BackupArgs),
    /// Put a backup back. Stop the server first; what was forgotten since does not come back.
    Restore(RestoreArgs),
    /// The list of what was erased, which a restore replays.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Answer the hooks of Claude Code, the Agent SDK and Nanoclaw.
    #[command(
        subcommand,
        after_help = "Examples:
  lacuna install claude-code
  echo '{\"session_id\": \"ses_42\", \"prompt\": \"Which table?\"}' | lacuna hook user-prompt-submit

The host's JSON is read from standard input. A hook always ends with 0, within its time, so that the host goes on:
what went wrong is told on standard error, and the next hook goes on where the last one stopped."
    )]
    Hook(HookCommand),
    /// Wire Lacuna into an assistant: its MCP server, and the hooks of Claude Code. Shows what changes, and asks.
    #[command(after_help = "Examples:
  lacuna install claude-code
  lacuna install cursor --dry-run
  lacuna install claude-code --path . --no-hooks
  lacuna install codex --undo

Whatever else is in the files stays as it is, and a copy of each is kept beside it. A file that cannot be read as
what it should be is left alone. --data, --config, --org and --as are passed on to what the assistant starts.")]
    Install(InstallArgs),
    /// Tell the whole story in a minute, on a vault that is thrown away afterwards.
    Demo,
    /// Print a script that lets a shell complete commands and options.
    #[command(after_help = "Examples:
  lacuna completions bash > ~/.local/share/bash-completion/completions/lacuna
  lacuna completions zsh > ~/.zfunc/_lacuna
  lacuna completions fish > ~/.config/fish/completions/lacuna.fish")]
    Completions { shell: ShellName },
    /// Print the manual page, or write the pages of all commands into a folder.
    #[command(after_help = "Examples:
  lacuna man | man -l -
  lacuna man --dir ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Check folders, keys, databases, models and memories, and say what to do.
    Doctor,
    /// List the commands for whoever runs the server; `lacuna admin COMMAND` runs one.
    Admin,
}

#[derive(Args, Default)]
pub(super) struct ScopeArgs {
    /// Vault: user, team:NAME, org or deployment:NAME [default: your own].
    #[arg(long, value_name = "SCOPE")]
    pub(super) scope: Option<String>,
}

impl ScopeArgs {
    pub(super) fn as_deref(&self) -> Option<&str> {
        self.scope.as_deref()
    }
}

/// One of a closed set of words, listed in the help.
pub(super) fn words<T, I>(all: I) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
    I: Iterator<Item = &'static str>,
{
    PossibleValuesParser::new(all).try_map(|word| word.parse::<T>())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        Cli::command().debug_assert();
    }
}
