//! The search in our own pages: every section that has all the words, the best first.

use super::{DocPage, site};

/// Sections that a search shows.
pub(super) const SECTIONS_SHOWN_MAX: usize = 20;
/// Words of a question that count.
const WORDS_MAX: usize = 8;
/// Characters around the first word found.
const AROUND_CHARS: usize = 90;

/// Worth of a word in the title of a page, in a heading and in a text.
const TITLE_WORTH: usize = 12;
const HEADING_WORTH: usize = 8;
/// Times that a word counts in one text.
const REPEATS_MAX: usize = 4;

/// A section that was found.
pub(super) struct FoundSection {
    pub(super) page: &'static DocPage,
    pub(super) heading: &'static str,
    pub(super) place: &'static str,
    /// The text around the first word that was found.
    pub(super) around: String,
    worth: usize,
}

/// The sections with all words of a question; none for a question without words.
pub(super) fn find(question: &str) -> Vec<FoundSection> {
    let words = words_of(question);
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<FoundSection> = site()
        .iter()
        .flat_map(|page| page.rendered.sections.iter().map(move |section| (page, section)))
        .filter_map(|(page, section)| {
            let text = section.text.to_lowercase();
            let heading = section.heading.to_lowercase();
            let title = page.rendered.title.to_lowercase();
            let worths: Vec<usize> = words
                .iter()
                .map(|word| {
                    let head = if heading.contains(word.as_str()) { HEADING_WORTH } else { 0 };
                    let titled = if title.contains(word.as_str()) { TITLE_WORTH } else { 0 };
                    // A title alone does not make every section of its page an answer.
                    let here = head + text.matches(word.as_str()).count().min(REPEATS_MAX);
                    if here == 0 { 0 } else { here + titled }
                })
                .collect();
            worths.iter().all(|worth| *worth > 0).then(|| FoundSection {
                page,
                heading: &section.heading,
                place: &section.place,
                around: around(&section.text, &words),
                worth: worths.iter().sum(),
            })
        })
        .collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.worth));
    found.truncate(SECTIONS_SHOWN_MAX);
    found
}

fn words_of(question: &str) -> Vec<String> {
    let lower = question.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    words.filter(|word| word.chars().count() > 1).take(WORDS_MAX).map(str::to_owned).collect()
}

/// The text around the first of the words, in whole words.
fn around(text: &str, words: &[String]) -> String {
    let flat: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let lower: String = flat.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let first = words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or(0);
    let at = lower[..first].chars().count();
    let (from, to) = (at.saturating_sub(AROUND_CHARS), (at + AROUND_CHARS).min(flat.len()));
    let cut: String = flat[from..to].iter().collect();
    let cut =
        if from > 0 { cut.split_once(' ').map_or(cut.as_str(), |(_, rest)| rest) } else { cut.as_str() };
    let cut = if to < flat.len() { cut.rsplit_once(' ').map_or(cut, |(rest, _)| rest) } else { cut };
    let (before, after) = (if from > 0 { "… " } else { "" }, if to < flat.len() { " …" } else { "" });
    format!("{before}{cut}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_section_comes_first_and_nothing_is_found_for_nothing() {
        assert!(find("").is_empty() && find("  ! ").is_empty() && find("zzyzx quux").is_empty());
        let found = find("receipt verify");
        assert!(!found.is_empty() && found.len() <= SECTIONS_SHOWN_MAX);
        assert!(found.windows(2).all(|pair| pair[0].worth >= pair[1].worth));
        assert_eq!(find("console")[0].page.name, "console");
    }

    #[test]
    fn a_question_of_any_length_and_script_is_answered() {
        assert!(find(&"word ".repeat(10_000)).len() <= SECTIONS_SHOWN_MAX);
        find("İ ß ﷽ 記憶 \u{202e} %00 <script>");
    }

    #[test]
    fn the_text_around_is_cut_between_words() {
        let text = "alpha ".repeat(60) + "needle " + &"omega ".repeat(60);
        let around = around(&text, &["needle".to_owned()]);
        assert!(around.starts_with("… alpha") && around.ends_with("omega …") && around.contains("needle"));
    }
}
