//! What can be typed. Every command also takes the global options.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use super::hook::HookCommand;
use super::install::InstallArgs;
use super::pages::{ManArgs, ShellName};
use super::redact::{ClearArgs, RedactArgs, RedactUserArgs, TopicArgs};
use super::when::When;
use crate::import::Shape;
use crate::mcp::ToolSet;
use crate::wire;

const EXAMPLES: &str = "\
Examples:
  lacuna remember \"Anna prefers the window seat\" --tag travel
  lacuna recall \"where does Anna like to sit?\"
  lacuna serve

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
}

#[derive(Subcommand)]
pub(super) enum Command {
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
  lacuna correct --id mem_01a1… \"The ferry leaves at half past noon.\"

When the old sentence says something else as well, that half stays.")]
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
    /// What a turn of a conversation brings to mind, as a section for a prompt.
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

THE FILES ARE PLAIN TEXT: whoever reads them, a backup or a sync program included, reads your memories. They are
readable by you alone (0600), and hold CLAUDE.md (the most salient first, at most 50 KB), preferences.json and
sessions/*.jsonl. Delete or change a line of CLAUDE.md to forget or correct it; a new line is remembered. On a
terminal you are asked first; elsewhere nothing happens until --apply. Health is left out unless
--include-health is given. After `lacuna forget` the files are written anew without what went; a server that
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
    /// What was erased in a vault at the request of somebody whom it spoke of.
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
    /// Write a backup into a new file, while others read and write; or list the full backups.
    #[command(
        after_help = "A backup of the data holds no keys: what is forgotten later stays forgotten in it. Keep the
keystore apart. A full backup holds keys, is sealed under a passphrase (LACUNA_BACKUP_PASSPHRASE or asked for),
and is named in every receipt until it expires."
    )]
    Backup(BackupArgs),
    /// Put a backup back. Stop the server first; what was forgotten since does not come back.
    Restore(RestoreArgs),
    /// The list of what was erased, which a restore replays.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// What Claude Code, the Agent SDK and Nanoclaw call at the turns of a conversation.
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
}

#[derive(Args)]
pub(super) struct DestroyArgs {
    /// Do not ask.
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct BackupArgs {
    #[command(subcommand)]
    pub(super) command: Option<BackupCommand>,
    /// The file to make; nothing may be there.
    #[arg(required = true)]
    pub(super) file: Option<PathBuf>,
    /// Take the keys along, sealed under a passphrase.
    #[arg(long)]
    pub(super) full: bool,
    /// After how many days a full backup is to be gone.
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub(super) keep_days: u32,
}

#[derive(Subcommand)]
pub(super) enum BackupCommand {
    /// Full backups that have not expired.
    List,
}

#[derive(Args)]
pub(super) struct RestoreArgs {
    pub(super) file: PathBuf,
    /// An exported ledger to replay besides the one in the backup and the one here; may be given more than once.
    #[arg(long = "ledger", value_name = "FILE")]
    pub(super) ledgers: Vec<PathBuf>,
    /// A receipt that somebody kept: a ledger that does not know of it is refused; may be given more than once.
    #[arg(long = "receipt", value_name = "FILE")]
    pub(super) receipts: Vec<PathBuf>,
}

#[derive(Subcommand)]
pub(super) enum LedgerCommand {
    /// Write the ledger into a new file. It holds ids and times, no keys and no content.
    Export { file: PathBuf },
}

#[derive(Args)]
pub(super) struct ServeArgs {
    /// Address and port; port 0 takes a free one [env: LACUNA_LISTEN] [default: 127.0.0.1:7707].
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<String>,
    /// TLS ends at a proxy in front: any address may be served, and every call needs a token.
    #[arg(long)]
    pub(super) behind_tls_proxy: bool,
}

#[derive(Args)]
pub(super) struct McpArgs {
    /// Which tools to offer.
    #[arg(long, value_enum, default_value_t)]
    pub(super) tools: ToolSet,
}

#[derive(Args)]
pub(super) struct ExportArgs {
    /// Where to write; `-` is standard output.
    pub(super) file: PathBuf,
    /// json can be imported again, markdown is for people [default: by the ending of FILE, else json].
    #[arg(long)]
    pub(super) format: Option<wire::ExportFormat>,
    /// Encrypt it to a passphrase.
    #[arg(long)]
    pub(super) encrypt: bool,
    /// Only this category; may be given more than once.
    #[arg(long = "category", value_name = "CATEGORY", value_parser = words::<wire::Category, _>(wire::Category::all()))]
    pub(super) categories: Vec<wire::Category>,
    /// Leave out facets, sources, lineage and history. An import then has to guess them.
    #[arg(long)]
    pub(super) no_metadata: bool,
    /// Write memories about health as well.
    #[arg(long)]
    pub(super) include_health: bool,
    /// Do not ask again about health.
    #[arg(long, requires = "include_health")]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct ViewArgs {
    /// The folder to write; it is made if it is not there.
    #[arg(value_name = "DIR")]
    pub(super) dir: PathBuf,
    /// Keep the files current until stopped.
    #[arg(long, conflicts_with = "remove")]
    pub(super) watch: bool,
    /// Do what the edited page asks for.
    #[arg(long, conflicts_with = "remove")]
    pub(super) apply: bool,
    /// Remove the files.
    #[arg(long)]
    pub(super) remove: bool,
    /// Write memories about health as well.
    #[arg(long, conflicts_with = "remove")]
    pub(super) include_health: bool,
    /// Do not ask before doing what the edited page asks for.
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file, or a folder of notes; `-` reads standard input.
    pub(super) file: PathBuf,
    /// The program that wrote it [default: told by its shape].
    #[arg(long, value_name = "PROGRAM")]
    pub(super) from: Option<Shape>,
    /// Pass over what is already there; this is the default.
    #[arg(long, conflicts_with = "refuse")]
    pub(super) merge: bool,
    /// Import nothing if the vault already holds one of the memories.
    #[arg(long)]
    pub(super) refuse: bool,
    /// Tell what would happen, and store nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args, Default)]
pub(super) struct ScopeArgs {
    /// Which vault: user, team:NAME, org or deployment:NAME [default: your own].
    #[arg(long, value_name = "SCOPE")]
    pub(super) scope: Option<String>,
}

impl ScopeArgs {
    pub(super) fn as_deref(&self) -> Option<&str> {
        self.scope.as_deref()
    }
}

#[derive(Subcommand)]
pub(super) enum ReviewCommand {
    /// What waits, newest first.
    List {
        /// Memories on one page [default: 50].
        #[arg(long)]
        limit: Option<usize>,
        /// Where the page before ended.
        #[arg(long)]
        cursor: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// They are right: let them become active.
    Accept {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        /// Keep the older facts that they contradict as well.
        #[arg(long)]
        keep_both: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// It is nearly right: this text takes its place.
    Edit {
        memory_id: String,
        text: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// They speak of something that was forgotten: let "someone" stand in its place.
    Anonymise {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Look through what is remembered, as once a month: what there is, what will go, what to decide.
    #[command(after_help = "Examples:
  lacuna review memories
  lacuna review memories --list
  lacuna review memories --keep health
  lacuna review memories --apply-defaults

At a terminal you are asked what to do: keep all, one by one, by category, or apply the defaults.")]
    Memories(Box<MonthArgs>),
    /// They are wrong: erase them.
    Reject {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Args)]
pub(super) struct MonthArgs {
    /// List the memories that are worth a decision.
    #[arg(long)]
    pub(super) list: bool,
    /// Keep all of them: their time begins anew.
    #[arg(long, group = "answer")]
    pub(super) keep_all: bool,
    /// Erase what is older than your organisation's rules keep it.
    #[arg(long, group = "answer")]
    pub(super) apply_defaults: bool,
    /// Set aside what has faded: it is kept and no longer recalled.
    #[arg(long, group = "answer")]
    pub(super) archive_faded: bool,
    /// Keep those of one part: a category such as health, conversations or other.
    #[arg(long, value_name = "PART", group = "answer")]
    pub(super) keep: Option<String>,
    /// Erase those of one part.
    #[arg(long, value_name = "PART", group = "answer")]
    pub(super) erase: Option<String>,
    /// Keep these; may be given more than once.
    #[arg(long = "keep-id", value_name = "MEMORY_ID", group = "answer")]
    pub(super) keep_ids: Vec<String>,
    /// Erase these; may be given more than once.
    #[arg(long = "erase-id", value_name = "MEMORY_ID", group = "answer")]
    pub(super) erase_ids: Vec<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum RetentionCommand {
    /// What is set, and the rules beneath.
    Show {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Change what is set. DAYS is a number, forever, or default to take a setting back.
    Set(Box<RetentionSetArgs>),
}

#[derive(Args)]
pub(super) struct RetentionSetArgs {
    /// Keep nothing longer than this.
    #[arg(long, value_name = "DAYS")]
    pub(super) max_days: Option<String>,
    /// How long a category of sensitivity is kept; may be given more than once.
    #[arg(long = "category", value_name = "CATEGORY=DAYS")]
    pub(super) categories: Vec<String>,
    /// How long a retention tier is kept; may be given more than once.
    #[arg(long = "tier", value_name = "TIER=DAYS")]
    pub(super) tiers: Vec<String>,
    /// How long what is about somebody or something is kept; may be given more than once.
    #[arg(long = "about", value_name = "NAME=DAYS")]
    pub(super) entities: Vec<String>,
    /// Never show the content of this category in a review; may be given more than once.
    #[arg(long, value_name = "CATEGORY", value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
    pub(super) hide: Vec<wire::Sensitivity>,
    /// Show every category in a review again.
    #[arg(long, conflicts_with = "hide")]
    pub(super) show_all: bool,
    /// Begin with nothing set.
    #[arg(long)]
    pub(super) reset: bool,
    /// Only say what would go.
    #[arg(long)]
    pub(super) preview: bool,
    /// Let go what goes by it without asking.
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum JobsCommand {
    /// Run a job now, unless it runs already.
    Run {
        #[arg(value_parser = words::<wire::Job, _>(wire::Job::all()))]
        job: wire::Job,
    },
}

#[derive(Args)]
pub(super) struct ScanArgs {
    /// A text file; `-` reads standard input.
    #[arg(required_unless_present = "stored", conflicts_with = "stored")]
    pub(super) file: Option<PathBuf>,
    /// Look through the memories of a vault instead.
    #[arg(long)]
    pub(super) stored: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

const CONFIG_EXAMPLES: &str = "\
Examples:
  lacuna config show
  lacuna --config /etc/lacuna.toml config check
  LACUNA_RESIDENCY=eu lacuna config check";

#[derive(Subcommand)]
pub(super) enum ConfigCommand {
    /// Every setting with its value and where it comes from; passwords are masked.
    Show,
    /// Say everything that is wrong with it, without starting anything.
    Check,
}

#[derive(Subcommand)]
pub(super) enum PolicyCommand {
    /// The rules in force for your organisation.
    Show,
    /// Read a policy file and say whether it holds.
    Check { file: PathBuf },
}

#[derive(Args)]
pub(super) struct RememberArgs {
    /// The text; `-` reads it from standard input, `--` before it lets it begin with a hyphen.
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub(super) text: Option<String>,
    /// Remember every line of a JSONL file; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) batch: Option<PathBuf>,
    /// First line of the batch to take, to go on after a bad one.
    #[arg(long, value_name = "LINE", default_value_t = 1, requires = "batch")]
    pub(super) from_line: u64,
    #[arg(long, value_parser = words::<wire::Category, _>(wire::Category::all()))]
    pub(super) category: Option<wire::Category>,
    #[arg(long, value_parser = words::<wire::ContentType, _>(wire::ContentType::all()))]
    pub(super) content_type: Option<wire::ContentType>,
    /// May be given more than once.
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// Importance from 0 to 1 [default: 0.5].
    #[arg(long, value_name = "0..1", allow_negative_numbers = true)]
    pub(super) salience: Option<f32>,
    /// Its core in at most 280 characters [default: made from the text].
    #[arg(long)]
    pub(super) gist: Option<String>,
    /// A detail that fades by itself, in at most 200 characters; may be given more than once.
    #[arg(long = "detail", value_name = "TEXT")]
    pub(super) details: Vec<String>,
    /// working is known to its session only, and stored nowhere.
    #[arg(long, value_parser = words::<wire::Tier, _>(wire::Tier::all()))]
    pub(super) tier: Option<wire::Tier>,
    #[arg(long, value_parser = words::<wire::Lane, _>(wire::Lane::all()))]
    pub(super) lane: Option<wire::Lane>,
    /// Who says it; what is not your own word waits for a review before it is a fact.
    #[arg(long, value_parser = words::<wire::SourceType, _>(wire::SourceType::all()))]
    pub(super) source: Option<wire::SourceType>,
    /// The tool whose output it is.
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// A memory that it was made of, such as mem_01a1…=inference; may be given more than once [default: =primary].
    #[arg(long = "derived-from", value_name = "MEMORY_ID[=HOW]")]
    pub(super) derived_from: Vec<String>,
    #[arg(long, value_name = "CLASS", value_parser = words::<wire::PrivacyClass, _>(wire::PrivacyClass::all()))]
    pub(super) privacy_class: Option<wire::PrivacyClass>,
    /// How long it is kept, by tier.
    #[arg(long, value_name = "TIER", value_parser = words::<wire::RetentionTier, _>(wire::RetentionTier::all()))]
    pub(super) retention: Option<wire::RetentionTier>,
    /// Keep it whatever its time.
    #[arg(long)]
    pub(super) pin: bool,
    /// The conversation that it comes from.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Its place in that conversation.
    #[arg(long, value_name = "NUMBER")]
    pub(super) turn: Option<u32>,
    /// What it tells about; health, biometric, financial, political_religious and location have keys of their own.
    #[arg(long, value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
    pub(super) sensitivity: Vec<wire::Sensitivity>,
    /// When it is to be gone: a date, a time, or a span such as 90d.
    #[arg(long, value_name = "WHEN")]
    pub(super) expires: Option<When>,
    /// The legal basis for keeping personal data.
    #[arg(long, value_name = "BASIS", value_parser = words::<wire::ConsentBasis, _>(wire::ConsentBasis::all()))]
    pub(super) consent: Option<wire::ConsentBasis>,
    /// Refuse a text with a secret instead of storing it without.
    #[arg(long)]
    pub(super) fail_on_secret: bool,
    /// The token of an earlier answer that asked about this very text.
    #[arg(long, value_name = "TOKEN")]
    pub(super) confirm: Option<String>,
    /// Confirm whatever is asked.
    #[arg(long, conflicts_with = "batch")]
    pub(super) yes: bool,
    /// When it happened: a date, a time, or a span such as 2h for two hours ago.
    #[arg(long, value_name = "WHEN")]
    pub(super) at: Option<When>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct FilterArgs {
    /// May be given more than once.
    #[arg(long = "category", value_name = "CATEGORY", value_parser = words::<wire::Category, _>(wire::Category::all()))]
    pub(super) categories: Vec<wire::Category>,
    #[arg(long = "tier", value_name = "TIER", value_parser = words::<wire::Tier, _>(wire::Tier::all()))]
    pub(super) tiers: Vec<wire::Tier>,
    #[arg(long = "lane", value_name = "LANE", value_parser = words::<wire::Lane, _>(wire::Lane::all()))]
    pub(super) lanes: Vec<wire::Lane>,
    /// Only memories with this tag; given more than once, with all of them.
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// Only memories of this conversation.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// A date, a time, or a span such as 7d.
    #[arg(long, value_name = "WHEN")]
    pub(super) since: Option<When>,
    /// A date, a time, or a span such as 1d.
    #[arg(long, value_name = "WHEN")]
    pub(super) until: Option<When>,
    /// Show archived memories as well.
    #[arg(long)]
    pub(super) archived: bool,
}

#[derive(Args)]
pub(super) struct RecallArgs {
    /// What to find, in your own words; `-` reads it from standard input.
    pub(super) query: String,
    /// How many at most [default: 10 memories of events and 20 of facts].
    #[arg(long, value_name = "COUNT")]
    pub(super) limit: Option<usize>,
    /// Tokens of all texts together [default: 4000].
    #[arg(long, value_name = "COUNT")]
    pub(super) max_tokens: Option<usize>,
    /// Let the words of the question ("my", "our", "the docs") narrow the lanes.
    #[arg(long)]
    pub(super) intent: bool,
    /// Count what is found as brought to mind, so that it fades later.
    #[arg(long)]
    pub(super) rehearse: bool,
    /// Leave out what is less similar; the same value means the same under every model.
    #[arg(long, value_name = "0..1", allow_negative_numbers = true)]
    pub(super) min_similarity: Option<f32>,
    /// How much recency counts [default: 0.3].
    #[arg(long, value_name = "0..1", allow_negative_numbers = true)]
    pub(super) recency_weight: Option<f32>,
    /// Tell why each memory has its score.
    #[arg(long)]
    pub(super) explain: bool,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum SessionCommand {
    /// Start a session, or see where one goes on. A session without turns is kept by a server only.
    Start {
        /// Your own name for it [default: one is made].
        session: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Append a turn, or many of them from standard input.
    Append(AppendArgs),
    /// Read a session back, in the order of its turns.
    Show {
        session: String,
        /// Where the last page ended.
        #[arg(long)]
        cursor: Option<String>,
        /// How many turns on one page [default: 100].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Sessions, the last used first.
    List {
        /// Where the last page ended.
        #[arg(long)]
        cursor: Option<String>,
        /// How many on one page [default: 100].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// End a session: archive its turns as a sealed transcript. Ending it again is harmless.
    End {
        session: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Args)]
pub(super) struct AppendArgs {
    pub(super) session: String,
    /// What was said; `-` reads turns from standard input, one JSON object on each line: {"role", "text"}.
    pub(super) text: Option<String>,
    /// Who said it.
    #[arg(long, value_name = "ROLE", default_value = "user", value_parser = words::<wire::Speaker, _>(wire::Speaker::all()))]
    pub(super) role: wire::Speaker,
    /// The tool whose output it is.
    #[arg(long)]
    pub(super) tool: Option<String>,
    /// The number that the first turn is to get: what is sent again with it is not doubled.
    #[arg(long, value_name = "TURN")]
    pub(super) expect: Option<u32>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct ContextArgs {
    /// What was said; `-` reads it from standard input, and nothing is the start of a conversation.
    pub(super) turn: Option<String>,
    /// The conversation: what it was shown lately is not shown again.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// What the conversation is about, as a tag; may be given more than once.
    #[arg(long = "topic", value_name = "TAG")]
    pub(super) topics: Vec<String>,
    /// Only this lane; may be given more than once.
    #[arg(long = "lane", value_name = "LANE", value_parser = words::<wire::Lane, _>(wire::Lane::all()))]
    pub(super) lanes: Vec<wire::Lane>,
    /// Tokens of the whole section [default: as the policy says].
    #[arg(long, value_name = "COUNT")]
    pub(super) max_tokens: Option<usize>,
    /// Memories in the section [default: as the policy says].
    #[arg(long, value_name = "COUNT")]
    pub(super) max_memories: Option<usize>,
    /// Let the words of the turn ("my", "our", "the docs") narrow the lanes.
    #[arg(long)]
    pub(super) intent: bool,
    /// A further vault to ask, such as team:NAME; may be given more than once.
    #[arg(long = "shared", value_name = "SCOPE")]
    pub(super) shared: Vec<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args, Default)]
pub(super) struct ForgetArgs {
    /// What to forget, in plain words.
    pub(super) words: Option<String>,
    /// These memories; may be given more than once.
    #[arg(long = "id", value_name = "MEMORY_ID")]
    pub(super) ids: Vec<String>,
    /// Everything of a conversation.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// What a search by words and meaning finds.
    #[arg(long, value_name = "WORDS")]
    pub(super) query: Option<String>,
    /// Everything since: a date, a time, or a span such as 7d.
    #[arg(long, value_name = "WHEN")]
    pub(super) since: Option<When>,
    /// Everything until.
    #[arg(long, value_name = "WHEN")]
    pub(super) until: Option<When>,
    /// Everything with one of these tags; may be given more than once.
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// A person, place, organisation or thing by name.
    #[arg(long, value_name = "NAME")]
    pub(super) entity: Option<String>,
    /// Only memories that are about the entity, not those that merely mention it.
    #[arg(long, requires = "entity")]
    pub(super) primary_only: bool,
    /// Everything of a sensitive category.
    #[arg(long, value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
    pub(super) sensitivity: Option<wire::Sensitivity>,
    #[arg(long, value_parser = words::<wire::Tier, _>(wire::Tier::all()))]
    pub(super) tier: Option<wire::Tier>,
    /// Everything that came from there.
    #[arg(long, value_parser = words::<wire::SourceType, _>(wire::SourceType::all()))]
    pub(super) source: Option<wire::SourceType>,
    /// Everything there is; asks twice.
    #[arg(long)]
    pub(super) everything: bool,
    /// soft hides, hard erases, archive sets aside, delete erases and says so on the receipt [default: the policy's].
    #[arg(long, value_parser = words::<wire::Mode, _>(wire::Mode::all()))]
    pub(super) mode: Option<wire::Mode>,
    /// Which of several people of one name, as the question listed them.
    #[arg(long, value_name = "NUMBER")]
    pub(super) who: Option<u32>,
    /// Cut a memory that also says something else, instead of taking all of it.
    #[arg(long)]
    pub(super) partial: bool,
    /// Only the matches that say it, not those that merely seem to be about it.
    #[arg(long, conflicts_with = "only")]
    pub(super) direct: bool,
    /// Only these of the matches; may be given more than once.
    #[arg(long, value_name = "MEMORY_ID")]
    pub(super) only: Vec<String>,
    /// Do not ask.
    #[arg(long)]
    pub(super) yes: bool,
    /// Carry out the plan that this token belongs to.
    #[arg(long, value_name = "TOKEN")]
    pub(super) confirm: Option<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct CompactArgs {
    /// Only turns of this session; its last ones stay, unless --before is given.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Only turns from before a date, a time, or a span such as 30d ago.
    #[arg(long, value_name = "WHEN")]
    pub(super) before: Option<When>,
    /// Whatever the policy's thresholds say.
    #[arg(long)]
    pub(super) force: bool,
    /// Say what would be compacted, and change nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct CorrectArgs {
    /// What the memory is about, in plain words; with --id it is left out.
    #[arg(required_unless_present = "id", conflicts_with = "id")]
    pub(super) about: Option<String>,
    /// The right text.
    #[arg(allow_hyphen_values = true)]
    pub(super) text: String,
    /// The memory to correct.
    #[arg(long, value_name = "MEMORY_ID")]
    pub(super) id: Option<String>,
    /// The legal basis for keeping personal data.
    #[arg(long, value_name = "BASIS", value_parser = words::<wire::ConsentBasis, _>(wire::ConsentBasis::all()))]
    pub(super) consent: Option<wire::ConsentBasis>,
    /// Confirm whatever the gate asks.
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum ReceiptCommand {
    /// Receipts, oldest first, and the key that verifies them.
    List {
        /// Only receipts with a higher number.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: u64,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// One receipt, as the JSON that can be kept and verified.
    Show {
        /// DEL-2026-000123, or its number.
        receipt: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Check a receipt file. With --key it needs no data folder and no server.
    Verify {
        file: PathBuf,
        /// The public key that the receipt must bear [default: this installation's].
        #[arg(long, value_name = "ed25519:…")]
        key: Option<String>,
    },
    /// The public key under which this installation signs.
    Key,
}

#[derive(Subcommand)]
pub(super) enum MemoryCommand {
    /// Memories, newest first.
    List {
        /// How many on one page [default: 50].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
        /// Where the last page ended.
        #[arg(long)]
        cursor: Option<String>,
        /// Only memories of this privacy class.
        #[arg(long, value_name = "CLASS", value_parser = words::<wire::PrivacyClass, _>(wire::PrivacyClass::all()))]
        privacy_class: Option<wire::PrivacyClass>,
        /// Only memories that matter at least this much now.
        #[arg(long, value_name = "0..1")]
        min_salience: Option<f32>,
        #[command(flatten)]
        filter: Box<FilterArgs>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// One memory with everything about it, and how it fades.
    Inspect {
        memory_id: String,
        /// Draw in plain signs, as when the output is no terminal.
        #[arg(long)]
        plain: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Hide, restore or set aside memories: deleted, active or archived.
    State {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        /// The state to move them to.
        #[arg(long, value_name = "STATE", value_parser = words::<wire::Lifecycle, _>(wire::Lifecycle::all()))]
        to: wire::Lifecycle,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Keep memories whatever their time.
    Pin {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Let pinned memories go when their time is over.
    Unpin {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Erase one memory for good.
    Delete {
        memory_id: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Whether anything about something is still remembered, and what was done to forget it.
    VerifyForgotten {
        /// A question or a subject, such as "my diabetes".
        about: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Forget all of a kind: what happened, facts, or everything.
    #[command(after_help = "Examples:
  lacuna memory clear episodic
  lacuna memory clear all")]
    Clear(ClearArgs),
    /// The same as `lacuna forget` with plain words.
    #[command(after_help = "Examples:
  lacuna memory forget \"my dentist\"")]
    Forget(TopicArgs),
    /// Redact one memory: hide it, erase it or set it aside, with whatever was made of it.
    #[command(after_help = "Examples:
  lacuna memory redact mem_01a1… --reason \"asked for by its owner\" --mode soft")]
    Redact(RedactArgs),
    /// The same as `lacuna person forget`.
    #[command(after_help = "Examples:
  lacuna memory redact-user mira --reason right-to-be-forgotten --plan
  lacuna memory redact-user --identifier mira@example.org --name 'Mira Okafor'")]
    RedactUser(Box<RedactUserArgs>),
    /// The same as `lacuna audit report`.
    Audit(AuditReportArgs),
    /// Move one memory into the next wider scope: yours to a team, a team's to the organisation.
    Promote(MoveArgs),
    /// Make a new memory in a narrower scope and archive the old one.
    Demote(MoveArgs),
}

#[derive(Args)]
pub(super) struct MoveArgs {
    pub(super) memory_id: String,
    /// Where to: team:NAME, org or user:NAME.
    #[arg(long, value_name = "SCOPE")]
    pub(super) to: String,
    /// Why, in at most 500 characters; it is sealed with the memory.
    #[arg(long, value_name = "TEXT")]
    pub(super) justification: Option<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum PersonCommand {
    /// Open a request, look through every vault, and erase what speaks of the person.
    #[command(after_help = "Examples:
  lacuna person forget --identifier mira@example.org --name 'Mira Okafor' --plan
  lacuna person forget --request 7 --identifier mira@example.org --name 'Mira Okafor' --yes")]
    Forget(Box<PersonForgetArgs>),
    /// Open requests, with the time left; overdue ones are marked.
    Requests {
        /// Completed ones as well.
        #[arg(long)]
        all: bool,
    },
    /// Make an operator's key: a file for its owner alone, and the public key for the policy.
    Key { file: PathBuf },
}

#[derive(Args)]
pub(super) struct PersonForgetArgs {
    /// An e-mail address, a phone number or another number of theirs, in any spelling; may repeat.
    #[arg(long = "identifier", value_name = "TEXT")]
    pub(super) identifiers: Vec<String>,
    /// A full name; may repeat.
    #[arg(long = "name", value_name = "NAME")]
    pub(super) names: Vec<String>,
    /// Who they are here, if they have a vault: everything in it goes.
    #[arg(long = "person", value_name = "USER")]
    pub(super) user: Option<String>,
    /// A conversation that was theirs; may repeat.
    #[arg(long = "session", value_name = "ID")]
    pub(super) sessions: Vec<String>,
    /// Go on with an open request instead of opening one.
    #[arg(long, value_name = "NUMBER")]
    pub(super) request: Option<u64>,
    /// Only look, and say how much would go.
    #[arg(long = "plan")]
    pub(super) plan_only: bool,
    /// The operator's key file, where the policy names operators.
    #[arg(long, value_name = "FILE")]
    pub(super) sign_with: Option<PathBuf>,
    /// Do not ask.
    #[arg(long)]
    pub(super) yes: bool,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    pub(super) command: Option<AuditCommand>,
    #[command(flatten)]
    pub(super) report: AuditReportArgs,
}

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Walk the whole chain, or an exported file, and say whether it holds.
    Verify(AuditVerifyArgs),
    /// What was done, oldest first, up to 1,000 entries at a time.
    List {
        /// Only entries with a higher number.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Write the chain as signed JSON lines that can be verified anywhere; `-` writes to standard output.
    Export {
        file: PathBuf,
        /// Only entries with a higher number.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// What happened in a period, counted: Markdown, or JSON with --json.
    #[command(after_help = "Examples:
  lacuna audit report --from 2026-01-01 --to 2026-02-01")]
    Report(AuditReportArgs),
    /// Let old entries go as the policy says, and sign a checkpoint if one is due. A server does this daily.
    Keep {
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Args)]
pub(super) struct AuditVerifyArgs {
    /// A file that `lacuna audit export` wrote; needs no data folder and no other key than the public one.
    #[arg(conflicts_with_all = ["head", "scope"])]
    pub(super) file: Option<PathBuf>,
    /// The public key that you trust.
    #[arg(long, value_name = "ed25519:HEX", requires = "file")]
    pub(super) key: Option<String>,
    /// A head that was written down earlier: the chain must go through it.
    #[arg(long, value_name = "SEQ:HASH")]
    pub(super) head: Option<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct AuditReportArgs {
    /// A date, a time, or a span such as 7d [default: 30 days before the end].
    #[arg(long, value_name = "WHEN")]
    pub(super) from: Option<When>,
    /// A date, a time, or a span such as 1d; not part of the period any more [default: the end of today].
    #[arg(long, value_name = "WHEN")]
    pub(super) to: Option<When>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token and show its secret, this once.
    #[command(after_help = "Examples:
  lacuna token create --user anna --role user --label laptop --expires 90d")]
    Create {
        /// The user whom the bearer speaks for.
        #[arg(long)]
        user: String,
        /// user reads and writes, reader only reads, agent remembers and recalls, admin administers and sees
        /// no private memory; may be given more than once.
        #[arg(long = "role", required = true, value_name = "ROLE", value_parser = words::<wire::Role, _>(wire::Role::all()))]
        roles: Vec<wire::Role>,
        #[arg(long, default_value = "")]
        label: String,
        /// A date, a time, or a span such as 90d [default: never].
        #[arg(long, value_name = "WHEN")]
        expires: Option<When>,
    },
    List,
    /// From the next call on it opens nothing.
    Revoke {
        token_id: String,
    },
}

#[derive(Subcommand)]
pub(super) enum MembersCommand {
    /// Make a user a member; the vault opens to them with their next call.
    Add { name: String, user: String },
    /// End a membership; what they wrote stays.
    Remove { name: String, user: String },
    /// Members in the order of their names, up to 1,000 at a time.
    List {
        name: String,
        /// Only names after this one.
        #[arg(long, value_name = "USER")]
        after: Option<String>,
    },
}

impl MembersCommand {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Add { name, .. } | Self::Remove { name, .. } | Self::List { name, .. } => name,
        }
    }
}

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Make a new epoch key, wrap every vault's root under it and destroy the old ones: older copies of the
    /// keystore go blind.
    RenewEpoch,
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
