//! `lacuna view DIR`: the vault as files for assistants that read files, kept current, and what somebody changed in
//! them brought back. Whoever asks for it gets plain text on disk: every file says so, and none is world-readable.

mod apply;
mod folder;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;
use lacuna_core::Browse;
use lacuna_core::keep::{SESSION_PAGE_MAX, SessionInfo};
use lacuna_core::permit::{Export, Grant, Recall, permit};
use lacuna_core::transfer::{Edit, Format, Wanted, read_back, without};
use lacuna_language::facts::{Mood, statements};
use serde::Serialize;
use serde_json::Value;

use self::apply::{AppliedEdits, PageEdits, apply};
use self::folder::{Folder, FolderManifest, SessionFile};
use super::args::ScopeArgs;
use super::output::{Output, counted, fields};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::TurnView;
use crate::wire::failure::{Failure, Result};

/// Pause between two looks of `--watch` at the vault and at the page.
const WATCH_EVERY: Duration = Duration::from_secs(1);
/// Sessions that are written, the last used ones.
const SESSIONS_MAX: usize = 200;

const PAGE: &str = "CLAUDE.md";
const PREFERENCES: &str = "preferences.json";
/// The subject of a statement that is about the owner.
const OWNER: &str = "owner";

#[derive(Args)]
pub(super) struct ViewArgs {
    /// The folder to write; it is made if it is not there.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Keep the files current until stopped.
    #[arg(long, conflicts_with = "remove")]
    watch: bool,
    /// Do what the edited page asks for.
    #[arg(long, conflicts_with = "remove")]
    apply: bool,
    /// Remove the files.
    #[arg(long)]
    remove: bool,
    /// Write into DIR/ORG/USER, so that several vaults share one folder.
    #[arg(long)]
    by_user: bool,
    /// Write an export into exports/ as well. It stays until the files are written again.
    #[arg(long, conflicts_with_all = ["remove", "watch"])]
    export: bool,
    /// Write memories about health as well.
    #[arg(long, conflicts_with = "remove")]
    include_health: bool,
    /// Do not ask before doing what the edited page asks for.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Answer of the command: the changes to a folder.
#[derive(Default, Serialize)]
struct ViewAnswer {
    folder: String,
    /// Memories on the page, and those for which it has no room.
    memories: usize,
    left_out: usize,
    /// Memories about health, which are written with --include-health only.
    health_left_out: u64,
    sessions: usize,
    /// Exports in the folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exports: Vec<String>,
    /// Edits of the page that nobody has confirmed yet.
    #[serde(skip_serializing_if = "PageEdits::is_empty")]
    wanted: PageEdits,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<AppliedEdits>,
    removed: bool,
}

pub(super) fn run(config: &Config, args: ViewArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant::<Export>(args.scope.as_deref())?;
    let dir = match args.by_user {
        true => args.dir.join(folder::place_of(grant.scope())),
        false => args.dir,
    };
    if args.remove && !dir.exists() {
        return Err(Failure::invalid("DIR", "there is no such folder"));
    }
    let folder = Folder::at(&dir)?;
    if args.remove {
        let removed = folder.remove()?;
        folder::unregister(&config.data, folder.path())?;
        let told = ViewAnswer { folder: folder.shown(), removed, ..ViewAnswer::default() };
        return output.show(&told, people);
    }
    let manifest = folder.manifest()?;
    let include_health = args.include_health || manifest.as_ref().is_some_and(|known| known.include_health);
    let with_export = args.export;
    let view = FolderView { installation: &installation, grant, folder, include_health, with_export };
    view.check_owner(manifest.as_ref())?;
    folder::register(&config.data, view.folder.path())?;
    let told = view.round(args.apply || args.yes, output)?;
    output.show(&told, people)?;
    if args.watch { view.watch(args.apply || args.yes, output) } else { Ok(()) }
}

/// After something was forgotten: no folder that we wrote keeps showing it. Edits that wait stay.
pub(super) fn refresh(config: &Config, installation: &Installation, output: &Output) {
    for path in folder::registered(&config.data) {
        if let Err(failure) = refresh_one(installation, &path) {
            output.note(&format!(
                "note[{}]: {} may be out of date: {}",
                failure.code.name,
                path.display(),
                failure.detail
            ));
        }
    }
}

fn refresh_one(installation: &Installation, path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let folder = Folder::at(path)?;
    let Some(manifest) = folder.manifest()? else { return Ok(()) };
    let grant = installation.grant::<Export>(Some(&manifest.scope))?;
    let include_health = manifest.include_health;
    let view = FolderView { installation, grant, folder, include_health, with_export: false };
    view.check_owner(Some(&manifest))?;
    match view.edits(Some(&manifest))?.is_empty() {
        true => view.render(Some(&manifest)).map(drop),
        false => view.tidy(&manifest),
    }
}

/// One folder and the vault that it shows.
struct FolderView<'a> {
    installation: &'a Installation,
    grant: Grant<Export>,
    folder: Folder,
    include_health: bool,
    with_export: bool,
}

impl FolderView<'_> {
    fn scope(&self) -> String {
        self.grant.scope().holder.to_string()
    }

    /// A folder shows one vault: another one's lines would be taken for deleted.
    fn check_owner(&self, manifest: Option<&FolderManifest>) -> Result<()> {
        match manifest {
            Some(known) if known.scope != self.scope() || known.org != self.grant.scope().org.as_str() => {
                let reason = format!("the folder shows {} of {}: remove it first", known.scope, known.org);
                Err(Failure::invalid("DIR", reason))
            }
            Some(_) => Ok(()),
            None if self.folder.has(PAGE) => {
                let reason = format!("{PAGE} is there already and is not ours: choose another folder");
                Err(Failure::invalid("DIR", reason))
            }
            None => Ok(()),
        }
    }

    /// Brings back what was edited, if somebody says yes, and writes what is remembered now.
    fn round(&self, yes: bool, output: &Output) -> Result<ViewAnswer> {
        let manifest = self.folder.manifest()?;
        let edits = self.edits(manifest.as_ref())?;
        if edits.is_empty() {
            return self.render(manifest.as_ref());
        }
        let wanted = PageEdits::of(&edits);
        if yes || output.ask(&wanted.question()) == Some(true) {
            let applied = apply(self.installation, &self.scope(), edits)?;
            let told = self.render(self.folder.manifest()?.as_ref())?;
            return Ok(ViewAnswer { applied: Some(applied), ..told });
        }
        if let Some(manifest) = &manifest {
            self.tidy(manifest)?;
        }
        Ok(ViewAnswer { folder: self.folder.shown(), wanted, ..ViewAnswer::default() })
    }

    /// Reads the edits that were made to the page since it was written. A missing or empty page has none.
    fn edits(&self, manifest: Option<&FolderManifest>) -> Result<Vec<Edit>> {
        let Some(manifest) = manifest else { return Ok(Vec::new()) };
        let Some(page) = self.folder.read(PAGE)? else { return Ok(Vec::new()) };
        if manifest.is_page(&page) {
            return Ok(Vec::new());
        }
        let mut edits = read_back(&manifest.lines()?, &page).unwrap_or_default();
        let gone: Vec<_> = edits.iter().filter_map(Edit::gone).collect();
        if !gone.is_empty() {
            let reading = permit::<Recall>(&self.installation.local, self.grant.scope())?;
            let turns = Browse::of(&self.installation.service).turns_behind(&reading, &gone)?;
            edits.extend(turns.into_iter().map(Edit::Gone));
        }
        Ok(edits)
    }

    /// Takes the lines out of an edited page whose memories are gone, and leaves the edits.
    fn tidy(&self, manifest: &FolderManifest) -> Result<()> {
        let (Some(page), lines) = (self.folder.read(PAGE)?, manifest.lines()?) else { return Ok(()) };
        let reading = permit::<Recall>(&self.installation.local, self.grant.scope())?;
        let core = &self.installation.service;
        let is_gone = |id: &_| core.get(&reading, *id).is_err_and(|error| error.code() == "not_found");
        let gone: Vec<_> = lines.iter().filter(|line| is_gone(&line.id)).cloned().collect();
        core.upkeep().flush_reads()?;
        let mut next = manifest.clone();
        // An export may say what is gone.
        next.exports.drain(..).try_for_each(|name| self.folder.delete(&name))?;
        if gone.is_empty() {
            return self.folder.write_manifest(&next);
        }
        let tidied = without(&page, &gone, |_| true);
        let lines = lines.into_iter().filter(|line| !gone.contains(line)).collect();
        self.folder.write(PAGE, &tidied)?;
        next.lines = FolderManifest::bodies(lines);
        self.folder.write_manifest(&next)
    }

    /// Writes what changed: the page, the preferences, the sessions.
    fn render(&self, manifest: Option<&FolderManifest>) -> Result<ViewAnswer> {
        let core = &self.installation.service;
        // A page from which lines were deleted may be as it should be: its manifest is not.
        let is_ours = |page: &String| manifest.is_some_and(|known| known.is_page(page));
        let known = self.folder.read(PAGE)?.filter(is_ours);
        let sheet = core.view(&self.grant, self.include_health, known.as_deref())?;
        let mut next = manifest.cloned().unwrap_or_default();
        next.scope = self.scope();
        next.org = self.grant.scope().org.to_string();
        next.include_health = self.include_health;
        if let Some(sheet) = sheet {
            self.folder.write(PREFERENCES, &preferences(&sheet.preferences))?;
            next.left_out = sheet.left_out;
            next.page(&sheet.text, sheet.lines);
            // First what knows the lines again: a page without it would look like somebody else's.
            self.folder.write_manifest(&next)?;
            self.folder.write(PAGE, &sheet.text)?;
        }
        next.sessions = self.render_sessions(&next.sessions)?;
        next.exports = self.render_export(&next.exports)?;
        self.folder.write_manifest(&next)?;
        core.upkeep().flush_reads()?;
        Ok(ViewAnswer {
            health_left_out: core.survey_export(&self.grant, &self.wanted())?.health_left_out,
            folder: self.folder.shown(),
            memories: next.lines.len(),
            left_out: next.left_out,
            sessions: next.sessions.len(),
            exports: next.exports,
            ..ViewAnswer::default()
        })
    }

    /// Writes the sessions that changed, and removes the files of those that are gone.
    fn render_sessions(&self, known: &[SessionFile]) -> Result<Vec<SessionFile>> {
        let reading = permit::<Recall>(&self.installation.local, self.grant.scope())?;
        let page = self.installation.service.sessions(&reading, None, SESSIONS_MAX)?;
        let mut written = Vec::new();
        for info in page.sessions.iter().filter(|info| info.turns > 0) {
            let file = SessionFile { name: folder::session_file(&info.id), mark: info.mark };
            if !known.contains(&file) || !self.folder.has(&file.name) {
                self.folder.write(&file.name, &self.turns(&reading, info)?)?;
            }
            written.push(file);
        }
        let is_gone = |file: &&SessionFile| !written.iter().any(|kept| kept.name == file.name);
        known.iter().filter(is_gone).try_for_each(|file| self.folder.delete(&file.name))?;
        Ok(written)
    }

    /// Removes the exports of earlier times, and writes one of now where it was asked for.
    fn render_export(&self, known: &[String]) -> Result<Vec<String>> {
        known.iter().try_for_each(|name| self.folder.delete(name))?;
        if !self.with_export {
            return Ok(Vec::new());
        }
        let (core, mut bytes) = (&self.installation.service, Vec::new());
        core.export(&self.grant, &self.wanted(), &mut bytes, &mut |_| {})?;
        let text = String::from_utf8(bytes).expect("an export as JSON is text");
        let name = folder::export_file(core.clock().now());
        self.folder.write(&name, &text)?;
        Ok(vec![name])
    }

    fn wanted(&self) -> Wanted {
        Wanted { include_health: self.include_health, ..Wanted::everything_but_health(Format::Json) }
    }

    /// The turns of a session, one JSON object on each line.
    fn turns(&self, reading: &Grant<Recall>, info: &SessionInfo) -> Result<String> {
        let (mut text, mut from) = (String::new(), Some(1));
        while let Some(first) = from {
            let shown = self.installation.service.session(reading, &info.id, first, SESSION_PAGE_MAX)?;
            for turn in shown.turns {
                let health = lacuna_types::Sensitivity::Health;
                if self.include_health || !turn.facets.privacy.sensitivity.contains(&health) {
                    text.push_str(&json(&TurnView::from(turn)));
                    text.push('\n');
                }
            }
            from = shown.next;
        }
        Ok(text)
    }

    /// Keeps the folder current until the process is stopped.
    fn watch(&self, yes: bool, output: &Output) -> Result<()> {
        let vault = self.grant.scope().vault_id();
        let look =
            || -> Result<_> { Ok((self.installation.store.revision(vault)?, self.folder.read(PAGE)?)) };
        let mut last = look()?;
        output.note(&format!("watching {}; stop with Ctrl-C", self.folder.shown()));
        loop {
            thread::sleep(WATCH_EVERY);
            if look()? == last {
                continue;
            }
            let told = self.round(yes, output)?;
            if !told.wanted.is_empty() || told.applied.is_some() {
                output.show(&told, people)?;
            }
            last = look()?;
        }
    }
}

/// The preferences as one JSON document.
fn preferences(memories: &[lacuna_types::Memory]) -> String {
    #[derive(Serialize)]
    struct Preference<'a> {
        memory_id: String,
        text: &'a str,
        tags: &'a [String],
        since: jiff::Timestamp,
    }
    let preferences: Vec<_> = memories
        .iter()
        .map(|memory| Preference {
            memory_id: memory.id.to_string(),
            text: memory.content.gist.expose(),
            tags: &memory.facets.tags,
            since: memory.created_at,
        })
        .collect();
    json(&serde_json::json!({ "values": values(memories), "preferences": preferences })) + "\n"
}

/// The preferences as keys and values: the attribute that a statement of the owner is about, in English, and its value, or
/// the list of them. A preference that states no attribute has its id as its key.
fn values(memories: &[lacuna_types::Memory]) -> BTreeMap<String, Value> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for memory in memories {
        let text = memory.content.gist.expose();
        let stated =
            statements(text).into_iter().filter(|one| one.subject == OWNER && one.mood != Mood::Hedged);
        let mut pairs: Vec<(String, String)> = stated
            .map(|one| (one.attribute, if one.negated { format!("not {}", one.value) } else { one.value }))
            .collect();
        if pairs.is_empty() {
            pairs.push((memory.id.to_string(), text.to_owned()));
        }
        for (key, value) in pairs {
            let known = values.entry(key.trim().to_owned()).or_default();
            if !known.contains(&value) {
                known.push(value);
            }
        }
    }
    let as_value = |mut all: Vec<String>| match all.len() {
        1 => Value::from(all.remove(0)),
        _ => Value::from(all),
    };
    values.into_iter().map(|(key, all)| (key, as_value(all))).collect()
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("wire types have no maps with other keys than text")
}

fn people(told: &ViewAnswer) -> String {
    if told.removed {
        return format!("{} holds nothing of ours any more", told.folder);
    }
    if !told.wanted.is_empty() {
        let apply = format!("nothing was changed: run lacuna view {} --apply", told.folder);
        return format!("{}\n{apply}", told.wanted.told());
    }
    let mut rows = vec![
        ("folder", told.folder.clone()),
        ("page", format!("{PAGE}, {}", counted(told.memories, "memory", "memories"))),
        ("sessions", told.sessions.to_string()),
    ];
    rows.extend(told.exports.iter().map(|name| ("export", name.clone())));
    rows.push(("left out", left_out(told)));
    rows.extend(told.applied.iter().map(|applied| ("brought back", applied.told())));
    rows.push(("note", "these files are plain text: whoever reads them reads your memories".to_owned()));
    fields(rows)
}

/// Everything that the vault has and the files do not show.
fn left_out(told: &ViewAnswer) -> String {
    let mut parts = Vec::new();
    if told.left_out > 0 {
        parts.push(format!("{} for want of room", counted(told.left_out, "memory", "memories")));
    }
    if told.health_left_out > 0 {
        let health = counted(told.health_left_out as usize, "memory", "memories");
        parts.push(format!("{health} about health (--include-health writes them)"));
    }
    parts.push("whatever is hidden, set aside or waits for your review".to_owned());
    parts.join("; ")
}

/// A folder that cannot be used.
fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", PathBuf::from(path).display()))
}
