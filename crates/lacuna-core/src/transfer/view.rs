//! A vault as one page of text, for assistants that read files, and what somebody who edited the page wants
//! changed. Text in, text out: where the page lies is the door's business.
//!
//! Each line ends with a mark, an HTML comment that survives editing, by which it is known again. What a line says
//! is escaped, so that no memory can forge a mark or end a comment.

use std::collections::{HashMap, HashSet};

use lacuna_seal::sha256;
use lacuna_types::Result;
use lacuna_types::*;

use crate::index::Stored;
use crate::permit::{Export, Grant, Recall};
use crate::vault::open::{Held, shown};
use crate::vault::purpose::closed_to;
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;
use crate::vault::sessions::repeats_its_turns;

/// The page, in bytes.
pub(crate) const PAGE_BYTES_MAX: usize = 50_000;
/// Lines of a page; no more would fit, however short.
const LINES_MAX: usize = 2_000;
/// Hex digits of a mark: those of the id that are random.
const MARK_DIGITS: usize = 12;
const MARK_START: &str = "<!-- mem:";
const MARK_END: &str = " -->";
/// Suffix of a memory whose source is not fully trusted.
const UNVERIFIED: &str = " (not verified)";
const HEAD: &str = "<!-- Written by lacuna view: memories in plain text. Change or delete a line to correct or \
    forget it; keep the mark at its end. -->\n\n# What is remembered\n";

/// A memory on its way to the page.
struct Noted {
    memory: Memory,
    /// True when the gist is the whole memory.
    whole: bool,
}

/// The page, and what stands on it.
pub struct Sheet {
    /// The page in Markdown.
    pub text: String,
    /// In the order of the page.
    pub lines: Vec<Line>,
    /// Memories for which there was no room.
    pub left_out: usize,
    /// The preferences on it, without their full texts.
    pub preferences: Vec<Memory>,
}

/// The data by which a line is recognised later. It holds no content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The mark at the end of the line.
    pub mark: String,
    /// The memory that the line shows.
    pub id: MemoryId,
    /// SHA-256 of what the line says.
    pub sha256: [u8; 32],
    /// True when the line says all of the memory, so that another line can take its place.
    pub whole: bool,
}

/// An edit that somebody made on a page.
#[derive(PartialEq, Eq)]
pub enum Edit {
    /// The line is gone: forget it.
    Gone(MemoryId),
    /// The line says something else: correct it.
    Changed(MemoryId, Plaintext),
    /// The line says something else, but had shown only the beginning of what is remembered.
    Unclear(MemoryId),
    /// A line without a mark: remember it.
    Added(Plaintext),
}

impl Edit {
    /// The memory whose line is gone.
    pub fn gone(&self) -> Option<MemoryId> {
        match self {
            Self::Gone(id) => Some(*id),
            Self::Changed(..) | Self::Unclear(_) | Self::Added(_) => None,
        }
    }
}

/// The page: active facts, preferences, patterns and summaries, the most salient first. Turns of conversations
/// are read by session. `None` when it is as `known` already says: then nobody has read anything.
pub(crate) fn view(
    service: &Service,
    grant: &Grant<Export>,
    include_health: bool,
    known: Option<&str>,
) -> Result<Option<Sheet>> {
    let sheet = sheet(noted(service, grant, include_health)?);
    if known == Some(sheet.text.as_str()) {
        return Ok(None);
    }
    note_read(service, &Read::of(grant, "view", sheet.lines.iter().map(|line| line.id).collect()))?;
    Ok(Some(sheet))
}

fn noted(service: &Service, grant: &Grant<Export>, include_health: bool) -> Result<Vec<Noted>> {
    let now = service.clock.now();
    let closed = closed_to(service, grant)?;
    let on_page = |stored: &Stored<'_, Held>| {
        let Held { facets, .. } = stored.payload;
        let healthy = !facets.privacy.sensitivity.contains(&Sensitivity::Health);
        let lasting = facets.tier == Tier::Semantic || facets.content_type == ContentType::Summary;
        stored.attributes.state == Lifecycle::Active
            && stored.attributes.expires_at.is_none_or(|expiry| millis(now) < expiry)
            && lasting
            && (include_health || healthy)
            && !closed.hides(facets)
            && !repeats_its_turns(stored.payload)
            && !stored.attributes.is_record
    };
    let noted = service.serve(grant.scope(), |open| {
        let mut places: Vec<_> = open
            .index
            .before(None)
            .filter(on_page)
            .map(|stored| {
                (stored.payload.facets.vitality.salience_at(now), stored.attributes.created_at, stored.id)
            })
            .collect();
        places.sort_by(|one, other| other.0.total_cmp(&one.0).then((other.1, other.2).cmp(&(one.1, one.2))));
        places.truncate(LINES_MAX);
        let noted = |stored: &Stored<'_, Held>| {
            let whole = stored.payload.text.is_none() && !stored.payload.has_body;
            Some(Noted { memory: shown(stored)?, whole })
        };
        places.iter().filter_map(|(_, _, id)| noted(&open.index.get(id)?)).collect::<Vec<_>>()
    })?;
    Ok(noted.unwrap_or_default())
}

/// The turns that memories were taken from, whose lines somebody deleted: what they said would otherwise stay in the
/// file of its session. A turn stays if something that stays was made of it too, and so do the turns of a summary.
pub(crate) fn turns_behind(
    service: &Service,
    grant: &Grant<Recall>,
    gone: &[MemoryId],
) -> Result<Vec<MemoryId>> {
    let closed = closed_to(service, grant)?;
    let turns = service.serve(grant.scope(), |open| {
        let is_turn = |id: &MemoryId| {
            open.index.get(id).is_some_and(|stored| {
                let Held { facets, .. } = stored.payload;
                stored.attributes.session.is_some() && facets.tier == Tier::Episodic && !closed.hides(facets)
            })
        };
        let of_a_fact = gone.iter().filter_map(|id| open.index.get(id));
        let of_a_fact = of_a_fact.filter(|stored| stored.payload.facets.tier == Tier::Semantic);
        let links = of_a_fact.flat_map(|stored| stored.payload.facets.derived_from.iter());
        let links = links.filter(|link| link.contribution != Contribution::Context);
        let alone = |turn: &MemoryId| open.derivatives(*turn).all(|made| gone.contains(&made));
        let turns = links.map(|link| link.source).filter(|turn| is_turn(turn) && alone(turn));
        turns.collect::<std::collections::BTreeSet<_>>()
    })?;
    Ok(turns.unwrap_or_default().into_iter().collect())
}

/// Writes the page: as many of `noted` as there is room for, the first ones first, grouped by what they are.
fn sheet(noted: Vec<Noted>) -> Sheet {
    let mut groups: Vec<Vec<(String, Line)>> = Category::ALL.iter().map(|_| Vec::new()).collect();
    let (mut bytes, mut left_out) = (HEAD.len(), 0);
    let mut marks = HashSet::new();
    let mut preferences = Vec::new();
    for one in noted {
        let (text, line) = written(&one, &mut marks);
        let group = group_of(one.memory.facets.category);
        let heading = if groups[group].is_empty() { heading(group).len() + 3 } else { 0 };
        if bytes + heading + text.len() > PAGE_BYTES_MAX {
            left_out += 1;
            continue;
        }
        bytes += heading + text.len();
        groups[group].push((text, line));
        if one.memory.facets.category == Category::Preference {
            preferences.push(one.memory);
        }
    }
    let mut sheet = Sheet { text: String::with_capacity(bytes), lines: Vec::new(), left_out, preferences };
    sheet.text.push_str(HEAD);
    for (number, lines) in groups.into_iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        sheet.text.push_str(&format!("\n{}\n\n", heading(number)));
        for (text, line) in lines {
            sheet.text.push_str(&text);
            sheet.lines.push(line);
        }
    }
    sheet
}

/// Reads the edits on a page that was written with these lines. `None` when the page is empty: forgetting
/// everything needs an explicit request.
pub fn read_back(lines: &[Line], page: &str) -> Option<Vec<Edit>> {
    if page.trim().is_empty() {
        return None;
    }
    let known: HashMap<&str, &Line> = lines.iter().map(|line| (line.mark.as_str(), line)).collect();
    let mut seen = HashSet::new();
    let mut edits = Vec::new();
    for written in page.lines() {
        let (said, mark) = parted(written);
        match mark.and_then(|mark| known.get(mark)) {
            Some(line) if seen.insert(line.id) => edits.extend(changed(line, said)),
            // A line that was copied, or whose memory is gone, says nothing new.
            Some(_) => {}
            None if mark.is_none() => edits.extend(bullet(said).map(|said| Edit::Added(plain(said).into()))),
            None => {}
        }
    }
    edits.extend(lines.iter().filter(|line| !seen.contains(&line.id)).map(|line| Edit::Gone(line.id)));
    Some(edits)
}

/// The page without the lines of these memories, and with everything else as it is.
pub fn without(page: &str, lines: &[Line], gone: impl Fn(&MemoryId) -> bool) -> String {
    let is_gone = |written: &&str| {
        let mark = parted(written).1;
        mark.is_some_and(|mark| lines.iter().any(|line| line.mark == mark && gone(&line.id)))
    };
    page.split_inclusive('\n').filter(|written| !is_gone(written)).collect()
}

fn changed(line: &Line, said: &str) -> Option<Edit> {
    let said = match said.trim() {
        // A bullet that nothing follows is what an emptied line leaves.
        "-" | "*" => "",
        said => bullet(said).unwrap_or(said),
    };
    if said.is_empty() {
        return Some(Edit::Gone(line.id));
    }
    if sha256(said.as_bytes()) == line.sha256 {
        return None;
    }
    match line.whole {
        true => Some(Edit::Changed(line.id, plain(said).into())),
        false => Some(Edit::Unclear(line.id)),
    }
}

/// The line of a memory as it stands on the page, and as it is known again.
fn written(noted: &Noted, marks: &mut HashSet<String>) -> (String, Line) {
    let Noted { memory, whole } = noted;
    let label = if memory.facets.source.trust < Trust::High { UNVERIFIED } else { "" };
    let said = format!("{}{label}", escaped(memory.content.gist.expose()));
    let mark = mark_of(memory.id, marks);
    let line = Line { mark: mark.clone(), id: memory.id, sha256: sha256(said.as_bytes()), whole: *whole };
    (format!("- {said} {MARK_START}{mark}{MARK_END}\n"), line)
}

/// The end of the id, or all of it where two of them end alike.
fn mark_of(id: MemoryId, marks: &mut HashSet<String>) -> String {
    let digits = id.to_string().split_off("mem_".len());
    let short = digits[digits.len() - MARK_DIGITS..].to_owned();
    let mark = if marks.contains(&short) { digits } else { short };
    marks.insert(mark.clone());
    mark
}

/// A line without its mark, and the mark.
fn parted(written: &str) -> (&str, Option<&str>) {
    let parts = written.rsplit_once(MARK_START).and_then(|(said, rest)| {
        let (mark, _) = rest.split_once(MARK_END.trim_start()).or(Some((rest, "")))?;
        Some((said.trim(), mark.trim()))
    });
    parts.map_or((written.trim(), None), |(said, mark)| (said, Some(mark)))
}

/// The text of an item in a list.
fn bullet(line: &str) -> Option<&str> {
    let said = line.trim().strip_prefix(['-', '*'])?;
    said.starts_with(' ').then(|| said.trim()).filter(|said| !said.is_empty())
}

/// On one line, and without anything that could be taken for a mark or a comment.
fn escaped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The text of an edited line, without the marks that we had added to it.
fn plain(said: &str) -> String {
    let said = said.strip_suffix(UNVERIFIED).unwrap_or(said);
    said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn group_of(category: Category) -> usize {
    match category {
        Category::Preference => 0,
        Category::LearnedContext => 1,
        Category::WorkPattern => 2,
        Category::Conversation => 3,
    }
}

fn heading(group: usize) -> &'static str {
    ["## Preferences", "## Facts", "## Ways of working", "## Conversations in short"][group]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn noted(number: u8, category: Category, gist: &str) -> Noted {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let facets = Facets {
            category,
            content_type: category.default_content_type(),
            tier: category.default_tier(),
            kind: category.default_kind(),
            lane: Lane::Profile,
            secondary_lanes: Vec::new(),
            tags: Vec::new(),
            entities: Vec::new(),
            source: Source::new(SourceType::ExplicitSave, Trust::High),
            derived_from: Vec::new(),
            privacy: Privacy {
                class: PrivacyClass::NonPii,
                sensitivity: Vec::new(),
                basis: ConsentBasis::ServiceDelivery,
            },
            retention: Retention {
                tier: RetentionTier::LongTerm,
                expires_at: None,
                pinned: false,
                kept_at: None,
            },
            vitality: Vitality {
                salience: 0.5,
                valence: 0.0,
                decay: DecayProfile::default(),
                rehearsals: 0,
                rehearsed_at: at,
                read_at: None,
                peaks: Vec::new(),
            },
            history: History::default(),
        };
        let content = Content { gist: gist.into(), details: Vec::new(), text: None };
        let id = MemoryId::from_bytes([number; 16]);
        let memory = Memory {
            id,
            state: Lifecycle::Active,
            created_at: at,
            updated_at: at,
            content,
            facets,
            kept_because: None,
        };
        Noted { memory, whole: true }
    }

    /// Boat, answers, code: the ids of what is on it, and the page.
    fn page() -> ([MemoryId; 3], Sheet) {
        let mut all = vec![
            noted(1, Category::LearnedContext, "The boat lies at pier 4."),
            noted(2, Category::Preference, "Short answers, please."),
            noted(3, Category::LearnedContext, "Use <b> & \"quotes\" --> here <!-- mem:000000000000 -->"),
        ];
        all[0].memory.facets.source.trust = Trust::Low;
        let ids = [0, 1, 2].map(|at: usize| all[at].memory.id);
        (ids, sheet(all))
    }

    #[test]
    fn a_page_is_grouped_marked_and_escaped() {
        let (_, sheet) = page();
        let body = sheet.text.strip_prefix(HEAD).unwrap();
        assert_eq!(
            body,
            "\n## Preferences\n\n- Short answers, please. <!-- mem:020202020202 -->\n\n## Facts\n\n\
             - The boat lies at pier 4. (not verified) <!-- mem:010101010101 -->\n\
             - Use &lt;b&gt; &amp; \"quotes\" --&gt; here &lt;!-- mem:000000000000 --&gt; <!-- mem:030303030303 -->\n"
        );
        assert!(read_back(&sheet.lines, &sheet.text) == Some(Vec::new()));
    }

    #[test]
    fn what_is_done_to_a_page_is_understood() {
        let ([boat, answers, code], sheet) = page();
        let edit = |from: &str, to: &str| read_back(&sheet.lines, &sheet.text.replace(from, to)).unwrap();
        assert!(edit("pier 4", "pier 5") == [Edit::Changed(boat, "The boat lies at pier 5.".into())]);
        let line = "- Short answers, please. <!-- mem:020202020202 -->\n";
        assert!(edit(line, "") == [Edit::Gone(answers)]);
        assert!(edit("Short answers, please.", "") == [Edit::Gone(answers)]);
        assert!(edit(line, &format!("{line}{line}")).is_empty(), "a copied line says nothing new");
        assert!(edit(line, &format!("{line}* I like <tea>\n")) == [Edit::Added("I like <tea>".into())]);
        let said = "Use <i> & \"quotes\" --> here <!-- mem:000000000000 -->";
        assert!(edit("&lt;b&gt;", "&lt;i&gt;") == [Edit::Changed(code, said.into())]);
        let mut lines = sheet.lines.clone();
        lines.iter_mut().for_each(|line| line.whole = false);
        assert!(read_back(&lines, &sheet.text.replace("pier", "quay")).unwrap() == [Edit::Unclear(boat)]);
        assert!(read_back(&sheet.lines, " \n").is_none());
        let left = without(&sheet.text, &sheet.lines, |id| *id == boat);
        assert!(!left.contains("boat") && left.contains("Short answers"));
    }

    #[test]
    fn a_page_never_outgrows_its_bound_and_says_what_it_left_out() {
        let long = "An ordinary sentence that goes on for quite a while, ".repeat(5);
        let all: Vec<_> = (0..=255).map(|n| noted(n, Category::LearnedContext, &long)).collect();
        let first = all[0].memory.id;
        let sheet = sheet(all);
        assert!(sheet.text.len() <= PAGE_BYTES_MAX && sheet.text.len() > PAGE_BYTES_MAX - 400);
        assert_eq!((sheet.lines.len() + sheet.left_out, sheet.lines[0].id), (256, first));
    }

    proptest! {
        #[test]
        fn no_text_forges_a_line_and_every_page_reads_back_unchanged(texts in proptest::collection::vec(".{1,120}", 1..8)) {
            let all: Vec<_> = (1..).zip(&texts).filter(|(_, text)| !text.trim().is_empty())
                .map(|(n, text)| noted(n, Category::Preference, text)).collect();
            let count = all.len();
            let sheet = sheet(all);
            prop_assert_eq!(sheet.lines.len(), count);
            prop_assert_eq!(sheet.text.matches(MARK_START).count(), count);
            prop_assert!(read_back(&sheet.lines, &sheet.text) == Some(Vec::new()));
        }
    }
}
