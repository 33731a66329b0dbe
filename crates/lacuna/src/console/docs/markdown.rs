//! Our own Markdown as HTML: headings get places to link to, names of pages become links, raw HTML is dropped.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// A page as it is shown, and as it is searched.
pub(super) struct RenderedPage {
    pub(super) title: String,
    pub(super) html: String,
    pub(super) sections: Vec<PageSection>,
}

/// A heading with the words below it.
pub(super) struct PageSection {
    pub(super) heading: String,
    /// The place of the heading on its page; empty for the beginning.
    pub(super) place: String,
    /// True for a heading right below the title.
    pub(super) is_chapter: bool,
    pub(super) text: String,
}

/// Renders a page. `is_page` tells which names are pages of ours.
pub(super) fn render(text: &str, is_page: &dyn Fn(&str) -> bool) -> RenderedPage {
    let mut options = Options::empty();
    options.insert(Options::ENABLE_TABLES);
    let events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let mut page = RenderedPage { title: String::new(), html: String::new(), sections: Vec::new() };
    let mut shown: Vec<Event<'_>> = Vec::with_capacity(events.len());
    let mut at = 0;
    while at < events.len() {
        if let Event::Start(Tag::Heading { level, .. }) = &events[at] {
            let end = events[at..].iter().position(|event| matches!(event, Event::End(TagEnd::Heading(_))));
            let inside = &events[at + 1..at + end.unwrap_or(1)];
            at += end.unwrap_or(0) + 1;
            shown.extend(page.begin(*level, inside));
            continue;
        }
        page.note(&events[at]);
        shown.extend(rewritten(&events[at], is_page));
        at += 1;
    }
    html::push_html(&mut page.html, shown.into_iter());
    page
}

impl RenderedPage {
    /// Begins a section. The title is shown by the frame of the page.
    fn begin<'a>(&mut self, level: HeadingLevel, inside: &[Event<'a>]) -> Vec<Event<'a>> {
        let heading: String = inside.iter().filter_map(words).collect();
        if level == HeadingLevel::H1 {
            self.title.clone_from(&heading);
        }
        let place = if level == HeadingLevel::H1 { String::new() } else { self.free_place(&heading) };
        let id = CowStr::from(place.clone());
        let is_chapter = level == HeadingLevel::H2;
        self.sections.push(PageSection { heading, place, is_chapter, text: String::new() });
        if level == HeadingLevel::H1 {
            return Vec::new();
        }
        let start = Tag::Heading { level, id: Some(id), classes: Vec::new(), attrs: Vec::new() };
        let mut events = vec![Event::Start(start)];
        events.extend(inside.iter().cloned());
        events.push(Event::End(TagEnd::Heading(level)));
        events
    }

    /// A place on the page that no earlier heading has.
    fn free_place(&self, heading: &str) -> String {
        let place = place_of(heading);
        let taken = self.sections.iter().filter(|section| section.place.starts_with(&place)).count();
        if taken == 0 { place } else { format!("{place}-{taken}") }
    }

    fn note(&mut self, event: &Event<'_>) {
        if let (Some(section), Some(words)) = (self.sections.last_mut(), words(event)) {
            section.text.push_str(words);
        } else if let (Some(section), Event::End(end)) = (self.sections.last_mut(), event) {
            let is_inside = matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image);
            section.text.push_str(if is_inside { "" } else { " " });
        }
    }
}

fn words<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        Event::SoftBreak | Event::HardBreak => Some(" "),
        _ => None,
    }
}

/// The words of a heading as part of an address.
fn place_of(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// An event as it is shown: none for raw HTML, several for a name that becomes a link.
fn rewritten<'a>(event: &Event<'a>, is_page: &dyn Fn(&str) -> bool) -> Vec<Event<'a>> {
    match event {
        Event::Html(_)
        | Event::InlineHtml(_)
        | Event::Start(Tag::HtmlBlock)
        | Event::End(TagEnd::HtmlBlock) => Vec::new(),
        Event::Code(text) => match page_named(text, is_page) {
            Some(name) => {
                let (start, end) = link(format!("/docs/{name}"));
                vec![start, event.clone(), end]
            }
            None => vec![event.clone()],
        },
        // Alignment would be a style of its own, which our pages refuse.
        Event::Start(Tag::Table(columns)) => {
            let plain = columns.iter().map(|_| pulldown_cmark::Alignment::None).collect();
            vec![open_box(), Event::Start(Tag::Table(plain))]
        }
        Event::End(TagEnd::Table) => vec![event.clone(), Event::Html(CowStr::Borrowed("</div>"))],
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => vec![Event::Start(Tag::Image {
            link_type: *link_type,
            dest_url: format!("/docs/{dest_url}").into(),
            title: title.clone(),
            id: id.clone(),
        })],
        Event::Start(Tag::Link { dest_url, .. }) => vec![link(address(dest_url, is_page)).0],
        other => vec![other.clone()],
    }
}

/// A box that scrolls by itself, also by keyboard, when a table is wider than the screen.
fn open_box<'a>() -> Event<'a> {
    Event::Html(CowStr::Borrowed("<div class=\"scroll\" tabindex=\"0\">"))
}

fn link<'a>(address: String) -> (Event<'a>, Event<'a>) {
    let start = Tag::Link {
        link_type: LinkType::Inline,
        dest_url: address.into(),
        title: CowStr::Borrowed(""),
        id: CowStr::Borrowed(""),
    };
    (Event::Start(start), Event::End(TagEnd::Link))
}

/// The name of the page that a path such as `docs/http.md` means.
fn page_named<'t>(path: &'t str, is_page: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let name = path.strip_prefix("docs/")?.strip_suffix(".md")?;
    is_page(name).then_some(name)
}

/// The address of a link: of a page of ours where it names one.
fn address(written: &str, is_page: &dyn Fn(&str) -> bool) -> String {
    let (path, place) = written.split_once('#').map_or((written, None), |(path, place)| (path, Some(place)));
    let name = path.strip_suffix(".md").filter(|name| is_page(name));
    match (name, place) {
        (Some(name), Some(place)) => format!("/docs/{name}#{place}"),
        (Some(name), None) => format!("/docs/{name}"),
        (None, _) => written.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> RenderedPage {
        render(text, &|name| name == "http")
    }

    #[test]
    fn headings_are_places_and_sections() {
        let page = shown("# The title\n\nFirst.\n\n## A `b` & c\n\nSecond *word*.\n\n## A b c\n\n### Deep\n");
        assert_eq!(page.title, "The title");
        assert!(page.html.contains("<h2 id=\"a-b-c\">A <code>b</code> &amp; c</h2>"), "{}", page.html);
        assert!(page.html.contains("<h2 id=\"a-b-c-1\">") && !page.html.contains("<h1"), "{}", page.html);
        let told: Vec<_> =
            page.sections.iter().map(|one| (one.heading.as_str(), one.text.trim(), one.is_chapter)).collect();
        assert_eq!(
            told,
            [
                ("The title", "First.", false),
                ("A b & c", "Second word.", true),
                ("A b c", "", true),
                ("Deep", "", false)
            ]
        );
    }

    #[test]
    fn names_of_pages_are_links_and_raw_html_is_nothing() {
        let page = shown(
            "See `docs/http.md`, `docs/none.md` and [it](http.md#a).\n\n<!-- run: x -->\n\n<b>x</b> <script>1</script>\n",
        );
        assert!(page.html.contains("<a href=\"/docs/http\"><code>docs/http.md</code></a>"), "{}", page.html);
        assert!(page.html.contains("<a href=\"/docs/http#a\">it</a>"), "{}", page.html);
        assert!(page.html.contains("<code>docs/none.md</code>") && !page.html.contains("none\""));
        for raw in ["<!--", "<b>", "<script", "style="] {
            assert!(!page.html.contains(raw), "{raw} in {}", page.html);
        }
    }

    #[test]
    fn tables_scroll_in_a_box_without_styles_of_their_own() {
        let page = shown("| a | b |\n|--:|:-:|\n| 1 | 2 |\n\n![p](images/x.png)\n");
        assert!(page.html.contains("<div class=\"scroll\" tabindex=\"0\"><table>"), "{}", page.html);
        assert!(page.html.contains("</table>\n</div>") && !page.html.contains("style"), "{}", page.html);
        assert!(page.html.contains("<img src=\"/docs/images/x.png\""), "{}", page.html);
    }
}
