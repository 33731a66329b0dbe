//! Notes of basic-memory: Markdown with front matter, observations (`- [category] text #tag (context)`) and
//! relations (`- relates to [[Other note]]`). Their writer, person or model, is unknown.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lacuna_core::transfer::ImportRecord;
use lacuna_types::{Category, ContentType, Draft, Entity, Lane, Source, SourceType, Trust};

use super::facts::{fitting, moment};
use super::{Intake, unreadable};
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Bytes of one note.
const NOTE_BYTES_MAX: u64 = 8 << 20;
/// Ends an item whose link is no relation of its own.
const LINK_REMARK: &str = "#bm:links_to";
/// Depth of nested folders.
const FOLDER_DEPTH_MAX: usize = 32;

/// Reads every note of a folder, in the order of their names.
pub(crate) fn read_folder(folder: &Path, intake: &mut Intake<'_>) -> Result<()> {
    for path in notes_in(folder, 0)? {
        let file = fs::File::open(&path).map_err(unreadable)?;
        read(file, intake).map_err(|failure| {
            let detail = format!("{}: {}", path.display(), failure.detail);
            Failure { public: detail.clone(), detail, ..failure }
        })?;
    }
    Ok(())
}

/// Lists the notes of a folder. Links are not followed: they may lead anywhere.
fn notes_in(folder: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut entries: Vec<_> =
        fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut notes = Vec::new();
    for entry in entries {
        let kind = entry.file_type().map_err(unreadable)?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !hidden && depth < FOLDER_DEPTH_MAX {
            notes.extend(notes_in(&path, depth + 1)?);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            notes.push(path);
        }
    }
    Ok(notes)
}

/// Reads one note.
pub(super) fn read(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let mut bytes = Vec::new();
    reader.take(NOTE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > NOTE_BYTES_MAX {
        let reason = format!("a note is larger than {NOTE_BYTES_MAX} bytes");
        return Err(Failure::new(&codes::TOO_LARGE, reason));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::new(&codes::INVALID_UTF8, format!("the note is not UTF-8 from byte {at} on"))
    })?;
    MarkdownNote::of(&text).push(intake)
}

#[derive(Default)]
struct MarkdownNote {
    title: String,
    tags: Vec<String>,
    at: Option<Timestamp>,
    observations: Vec<Observation>,
    relations: Vec<(String, String)>,
    prose: String,
}

#[derive(PartialEq, Debug)]
struct Observation {
    category: String,
    text: String,
    tags: Vec<String>,
}

impl MarkdownNote {
    fn of(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let (front, body) = split_front_matter(text);
        let mut note = Self::default();
        note.read_front(front);
        let mut in_code = false;
        for line in body.lines() {
            in_code ^= is_fence(line);
            if in_code {
                note.prose.push_str(line);
                note.prose.push('\n');
            } else if let Some(observation) = observation(line) {
                note.observations.push(observation);
            } else if let Some(relation) = relation(line) {
                note.relations.push(relation);
            } else if let Some(title) = line.strip_prefix("# ").filter(|_| note.title.is_empty()) {
                note.title = title.trim().to_owned();
            } else if !is_scaffolding(line, &note.title) {
                note.prose.push_str(line);
                note.prose.push('\n');
            }
        }
        note
    }

    /// The few keys that matter, each on a line; lists in brackets or on lines of their own.
    fn read_front(&mut self, front: &str) {
        let mut key = "";
        for line in front.lines() {
            if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| key == "tags") {
                self.tags.push(unquoted(item));
                continue;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            key = name.trim();
            match key {
                "title" => self.title = unquoted(value),
                "tags" => self.tags.extend(listed(value)),
                "created" | "created_at" | "date" => self.at = date(&unquoted(value)),
                _ => {}
            }
        }
    }

    fn push(self, intake: &mut Intake<'_>) -> Result<()> {
        let Self { title, tags, at, observations, relations, prose } = self;
        let about = || {
            let note = || Entity { kind: "note".into(), name: title.clone(), primary: true, relation: None };
            (!title.is_empty()).then(note)
        };
        let named = |text: &str| if title.is_empty() { text.to_owned() } else { format!("{title}: {text}") };
        for Observation { category, text, tags: own } in observations {
            let mut tags = tags.clone();
            tags.extend(own);
            tags.extend(Some(category).filter(|category| !category.is_empty()));
            push_draft(intake, draft(named(&text), ContentType::Fact, tags, at, about()))?;
        }
        for (relation, target) in relations {
            let text = if title.is_empty() {
                format!("{relation} {target}")
            } else {
                format!("{title} {relation} {target}")
            };
            push_draft(intake, draft(text, ContentType::Fact, tags.clone(), at, about()))?;
        }
        let prose = prose.trim();
        if prose.is_empty() {
            return Ok(());
        }
        let text = if title.is_empty() { prose.to_owned() } else { format!("{title}\n\n{prose}") };
        push_draft(intake, draft(text, ContentType::Summary, tags, at, about()))
    }
}

fn draft(
    text: String,
    content_type: ContentType,
    tags: Vec<String>,
    at: Option<Timestamp>,
    about: Option<Entity>,
) -> Draft {
    let source = Source {
        tool: Some("basic-memory".into()),
        channel: Some("basic-memory".into()),
        ..Source::new(SourceType::ToolOutput, Trust::Medium)
    };
    Draft {
        text: text.into(),
        category: Some(Category::LearnedContext),
        content_type: Some(content_type),
        lane: (content_type == ContentType::Summary).then_some(Lane::Documents),
        source: Some(source),
        created_at: at,
        tags: fitting(tags),
        entities: about.into_iter().collect(),
        ..Draft::default()
    }
}

fn push_draft(intake: &mut Intake<'_>, draft: Draft) -> Result<()> {
    let number = intake.next_number();
    intake.push(ImportRecord { number, origin: None, draft, carried: None })
}

fn split_front_matter(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return ("", text);
    };
    match rest.split_once("\n---") {
        Some((front, body)) => (front, body.split_once('\n').map_or("", |(_, body)| body)),
        None => ("", text),
    }
}

/// Text of a list item, whatever its bullet.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark))?.trim();
    // The suffix is a remark of the program to itself.
    Some(text.strip_suffix(LINK_REMARK).map_or(text, str::trim_end))
}

/// `- [category] text #tag (context)`, or a tag without a category. A task, a moment of a transcript and a link are
/// none.
fn observation(line: &str) -> Option<Observation> {
    let text = item(line)?;
    let (category, text) = match categorised(text) {
        Some(parts) => parts,
        None if text.starts_with('[') || text.contains("[[") => return None,
        None => ("", text),
    };
    let is_tag = |word: &&str| word.len() > 1 && word.starts_with('#');
    let tags: Vec<String> = text.split_whitespace().filter(is_tag).flat_map(tags_of).collect();
    if category.is_empty() && tags.is_empty() {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_tag(word)).collect();
    let text = words.join(" ");
    (!text.is_empty()).then(|| Observation { category: category.to_owned(), text, tags })
}

/// A category in brackets and what follows it.
fn categorised(text: &str) -> Option<(&str, &str)> {
    let (category, rest) = text.strip_prefix('[')?.split_once(']')?;
    let category = category.trim();
    let single = category.chars().count() == 1;
    let is_task = category.is_empty()
        || single && (category.eq_ignore_ascii_case("x") || !category.contains(char::is_alphanumeric));
    let is_moment =
        category.contains(':') && category.chars().all(|c| c.is_ascii_digit() || ":.,- ".contains(c));
    let fits = !category.contains(['[', '(', ')']) && rest.starts_with(char::is_whitespace);
    (fits && !is_task && !is_moment).then(|| (category, rest.trim()))
}

/// `#one` is one tag, `#one#two` are two.
fn tags_of(word: &str) -> impl Iterator<Item = String> + '_ {
    word.split('#').filter(|tag| !tag.is_empty()).map(str::to_owned)
}

/// `- relates_to [[Other note]]`, `- "relates to" [[Other note]] (context)`. A sentence with a link in it is prose.
fn relation(line: &str) -> Option<(String, String)> {
    let (relation, target) = item(line)?.split_once("[[")?;
    let (target, tail) = target.split_once("]]")?;
    let tail = tail.trim();
    let in_brackets = tail.starts_with('(') && tail.find(')') == Some(tail.len() - 1);
    if !tail.is_empty() && !in_brackets {
        return None;
    }
    let relation = unquoted(relation).replace('_', " ").trim().to_owned();
    let relation = if relation.is_empty() { "relates to".to_owned() } else { relation };
    let target = target.split('|').next().unwrap_or_default().trim();
    let target = if tail.is_empty() { target.to_owned() } else { format!("{target} {tail}") };
    (!target.starts_with('(') && !target.is_empty()).then_some((relation, target))
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// Headings that say nothing by themselves.
fn is_scaffolding(line: &str, title: &str) -> bool {
    let heading = line.trim_start_matches('#').trim();
    line.starts_with('#') && (heading == title || matches!(heading, "Observations" | "Relations"))
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).to_owned()
}

fn listed(value: &str) -> Vec<String> {
    let inside = value.trim().trim_start_matches('[').trim_end_matches(']');
    inside.split(',').map(unquoted).filter(|tag| !tag.is_empty()).collect()
}

/// A date without a time is its first moment.
fn date(text: &str) -> Option<Timestamp> {
    moment(text).or_else(|| moment(&format!("{text}T00:00:00Z")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_into_its_parts() {
        let note = MarkdownNote::of(
            "---\ntitle: \"Sourdough\"\ntype: note\ntags:\n- baking\n- bread\ncreated: 2025-03-02\n---\n\n# Sourdough\n\n\
             The starter lives in the cellar.\n\n## Observations\n- [method] Feed it at dawn #starter (weekly)\n\
             - [ ] buy flour\n\n## Relations\n- needs [[Rye flour]]\n- part_of [[Kitchen|the kitchen]]\n",
        );
        assert_eq!(note.title, "Sourdough");
        assert_eq!(note.tags, ["baking", "bread"]);
        assert_eq!(note.at, Some("2025-03-02T00:00:00Z".parse().unwrap()));
        let expected = Observation {
            category: "method".into(),
            text: "Feed it at dawn (weekly)".into(),
            tags: vec!["starter".into()],
        };
        assert_eq!(note.observations, [expected]);
        let relations: Vec<_> = note.relations.iter().map(|(how, to)| (how.as_str(), to.as_str())).collect();
        assert_eq!(relations, [("needs", "Rye flour"), ("part of", "Kitchen")]);
        assert_eq!(note.prose.trim(), "The starter lives in the cellar.\n\n- [ ] buy flour");
    }

    /// As basic-memory 0.24 reads its own notes.
    #[test]
    fn what_is_an_observation_and_what_is_not() {
        let parts =
            |line: &str| observation(line).map(|found| (found.category, found.text, found.tags.join(" ")));
        let some = |category: &str, text: &str, tags: &str| {
            Some((category.to_owned(), text.to_owned(), tags.to_owned()))
        };
        for (line, expected) in [
            ("* [fact] The saw is blunt", some("fact", "The saw is blunt", "")),
            ("+ [tool tip] Oil it #care#saw", some("tool tip", "Oil it", "care saw")),
            ("- The saw is blunt #tools", some("", "The saw is blunt", "tools")),
            ("- [fact] See [[Saw]] for more", some("fact", "See [[Saw]] for more", "")),
            ("- [b] One letter is a category", some("b", "One letter is a category", "")),
            ("- The saw is blunt", None),
            ("- [X] sharpen the saw", None),
            ("- [/] sharpen the saw #tools", None),
            ("- [00:12:07] and then he laughed", None),
            ("- [the manual](https://saw.example) #tools", None),
            ("- [[Saw]] #tools", None),
            ("[fact] not in a list", None),
        ] {
            assert_eq!(parts(line), expected, "{line}");
        }
    }

    #[test]
    fn a_relation_ends_with_its_target_and_a_sentence_stays_whole() {
        let parts = |line: &str| relation(line);
        let some = |how: &str, to: &str| Some((how.to_owned(), to.to_owned()));
        for (line, expected) in [
            ("- part_of [[Kitchen]]", some("part of", "Kitchen")),
            ("* \"works at\" [[Heron Ltd]]", some("works at", "Heron Ltd")),
            ("- needs [[Rye flour]] (in winter)", some("needs", "Rye flour (in winter)")),
            ("- [[Kitchen]] #bm:links_to", some("relates to", "Kitchen")),
            ("- I met [[Tilda]] at the harbour", None),
            ("- needs [[Rye]] (now) and [[Salt]] (later)", None),
        ] {
            assert_eq!(parts(line), expected, "{line}");
        }
        let note = MarkdownNote::of("# Log\n- I met [[Tilda]] at the harbour\n```\n- [fact] code\n```\n");
        assert_eq!((note.observations.len(), note.relations.len()), (0, 0));
        assert!(note.prose.contains("at the harbour") && note.prose.contains("- [fact] code"));
    }

    #[test]
    fn a_note_without_front_matter_is_a_note() {
        let note = MarkdownNote::of("# Tools\r\n- [fact] The saw is blunt\r\n---\r\n");
        assert_eq!((note.title.as_str(), note.observations.len()), ("Tools", 1));
        assert_eq!(MarkdownNote::of("---\nno end").prose.trim(), "---\nno end");
    }
}
