//! Files as memories of the caller's own vault. The first line of a memory's text is the path, and the rest is
//! the file's content: so an empty file is a memory too, and a file is found by its name.

use std::collections::BTreeMap;

use lacuna_core::Lacuna;
use lacuna_core::forget::{Planned, Request};
use lacuna_core::index::{Filter, Tag};
use lacuna_core::permit::{Caller, Forget, Grant, Recall, Remember, permit};
use lacuna_core::read::LIST_PAGE_MAX;
use lacuna_types::request::{Mode, PlanChoice, Target};
use lacuna_types::{
    Category, ContentType, Draft, Entity, MemoryId, PersonaKind, RetentionTier, Source, SourceType, Tier,
    Trust,
};
use zeroize::Zeroizing;

use super::path::FilePath;
use super::{Trouble, told};
use crate::codes;
use crate::wire::failure::{Failure, Result};

const FILE_TAG: &str = "memory-file";
/// The kind of entity that a path is.
const FILE_KIND: &str = "file";
/// One file, in characters.
const FILE_CHARS_MAX: usize = 100_000;
const FILES_MAX: usize = 1_000;
/// Size of a folder itself, in listings.
const FOLDER_BYTES: usize = 4_096;

/// The files of one vault.
pub(super) struct Files<'a> {
    core: &'a Lacuna,
    caller: &'a Caller,
    /// The memories of each path, newest first: after a crash between two steps there may be more than one, and
    /// the newest counts.
    known: BTreeMap<FilePath, Vec<MemoryId>>,
}

impl<'a> Files<'a> {
    pub(super) fn read(core: &'a Lacuna, caller: &'a Caller) -> Result<Self> {
        let mut files = Self { core, caller, known: BTreeMap::new() };
        let filter = Filter { all_tags: vec![Tag::of(FILE_TAG)], ..Filter::default() };
        let grant = files.readable()?;
        let mut after = None;
        loop {
            let page = core.list(&grant, &filter, after, LIST_PAGE_MAX)?;
            for memory in page.memories {
                let named = memory.facets.entities.iter().find(|entity| entity.kind == FILE_KIND);
                let path = named.and_then(|entity| FilePath::read(&entity.name).ok());
                if let Some(path) = path {
                    files.known.entry(path).or_default().push(memory.id);
                }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(files),
            }
        }
    }

    pub(super) fn has(&self, path: &FilePath) -> bool {
        self.known.contains_key(path)
    }

    /// Tests for a folder: a path with files below it. The root is always one.
    pub(super) fn is_folder(&self, path: &FilePath) -> bool {
        path.is_root() || self.known.keys().any(|file| file.is_inside(path))
    }

    pub(super) fn text(&self, path: &FilePath) -> Result<Option<Zeroizing<String>>> {
        let Some(newest) = self.known.get(path).and_then(|ids| ids.first()) else { return Ok(None) };
        let memory = self.core.get(&self.readable()?, *newest)?;
        let text = memory.content.full_text().expose();
        let said = text.split_once('\n').map_or("", |(_, said)| said);
        Ok(Some(Zeroizing::new(said.to_owned())))
    }

    /// Entries of a folder's listing: itself, then its content, with sizes.
    pub(super) fn inside(&self, folder: &FilePath, depth: usize) -> Vec<(String, usize)> {
        let mut shown = BTreeMap::from([(folder.clone(), FOLDER_BYTES)]);
        for file in self.known.keys().filter(|file| file.is_inside(folder) && !file.is_hidden_below(folder)) {
            for level in 1..=depth.min(file.depth_below(folder)) {
                let part = file.up_to(folder, level);
                let bytes = if part == *file { self.bytes(file) } else { FOLDER_BYTES };
                shown.insert(part, bytes);
            }
        }
        shown.into_iter().map(|(path, bytes)| (path.to_string(), bytes)).collect()
    }

    fn bytes(&self, file: &FilePath) -> usize {
        self.text(file).ok().flatten().map_or(0, |text| text.len())
    }

    pub(super) fn write(&mut self, path: &FilePath, text: &str) -> Result<(), Trouble> {
        if text.chars().count() > FILE_CHARS_MAX {
            return told(format!("Error: A file has at most {FILE_CHARS_MAX} characters"));
        }
        if !self.has(path) && self.known.len() >= FILES_MAX {
            return told(format!("Error: There are {FILES_MAX} files already; delete some first"));
        }
        let outcome = self.core.remember(&self.writable()?, vec![draft(path, text)])?.pop();
        let outcome = outcome.ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        let stored = Failure::of_gate(outcome)?;
        self.check_name(stored.id, path)?;
        self.known.entry(path.clone()).or_default().insert(0, stored.id);
        Ok(())
    }

    /// Refuses a path that the gate changed because it holds a secret, and a file that waits because it reads
    /// like an instruction: neither would be found again.
    fn check_name(&self, id: MemoryId, path: &FilePath) -> Result<(), Trouble> {
        let stored = self.core.get(&self.readable()?, id);
        let named = stored.as_ref().is_ok_and(|memory| {
            memory.facets.entities.iter().any(|one| one.kind == FILE_KIND && one.name == path.to_string())
        });
        if named {
            return Ok(());
        }
        let waits = stored.is_err();
        if waits {
            return told(
                "Error: The text reads like instructions to an assistant. It waits for the user's review."
                    .to_owned(),
            );
        }
        self.erase_ids(vec![id])?;
        told("Error: The path holds something that may not be stored, such as a secret".to_owned())
    }

    /// Stores the new text first and then erases the old one: whatever happens in between, the file is there.
    pub(super) fn replace(&mut self, path: &FilePath, text: &str) -> Result<(), Trouble> {
        let old = self.known.get(path).cloned().unwrap_or_default();
        self.write(path, text)?;
        self.erase_ids(old)?;
        Ok(())
    }

    /// Erases a file, or all files in a folder. Returns their number.
    pub(super) fn erase(&mut self, path: &FilePath) -> Result<usize, Trouble> {
        let meant = |file: &FilePath| file == path || file.is_inside(path);
        let gone: Vec<(FilePath, Vec<MemoryId>)> = self.known.extract_if(.., |file, _| meant(file)).collect();
        self.erase_ids(gone.iter().flat_map(|(_, ids)| ids).copied().collect())?;
        Ok(gone.len())
    }

    pub(super) fn rename(&mut self, old: &FilePath, new: &FilePath) -> Result<(), Trouble> {
        let meant = |file: &FilePath| file == old || file.is_inside(old);
        let files: Vec<FilePath> = self.known.keys().filter(|file| meant(file)).cloned().collect();
        for file in &files {
            // A longer path may break a bound; then nothing has moved yet.
            FilePath::read(&file.moved(old, new).to_string())?;
        }
        for file in files {
            let text = self.text(&file)?.unwrap_or_default();
            self.write(&file.moved(old, new), &text)?;
            let old = self.known.remove(&file).unwrap_or_default();
            self.erase_ids(old)?;
        }
        Ok(())
    }

    /// Erases for good, whatever the policy's default mode is.
    fn erase_ids(&self, ids: Vec<MemoryId>) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let grant: Grant<Forget> = permit(self.caller, &self.caller.personal_scope())?;
        let request = Request { mode: Some(Mode::Hard), ..Request::new(Target::Ids(ids)) };
        let Planned::Plan(plan) = self.core.plan_forget(&grant, &request)? else { return Ok(()) };
        let Some(token) = plan.token else { return Ok(()) };
        self.core.confirm_forget(&grant, &token, &PlanChoice::All)?;
        Ok(())
    }

    fn readable(&self) -> Result<Grant<Recall>> {
        Ok(permit(self.caller, &self.caller.personal_scope())?)
    }

    fn writable(&self) -> Result<Grant<Remember>> {
        Ok(permit(self.caller, &self.caller.personal_scope())?)
    }
}

/// Draft of a file. A model wrote it, so it is stored as a note; a note may be longer than a fact, so it is
/// stored whole.
fn draft(path: &FilePath, text: &str) -> Draft {
    let name = path.to_string();
    let file = Entity { kind: FILE_KIND.to_owned(), name: name.clone(), primary: true, relation: None };
    Draft {
        text: format!("{name}\n{text}").into(),
        category: Some(Category::LearnedContext),
        content_type: Some(ContentType::Transcript),
        tier: Some(Tier::Episodic),
        kind: Some(PersonaKind::Semantic),
        retention: Some(RetentionTier::LongTerm),
        tags: vec![FILE_TAG.to_owned()],
        entities: vec![file],
        source: Some(Source::new(SourceType::AiInference, Trust::Low)),
        ..Draft::default()
    }
}
