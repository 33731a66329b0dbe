//! One table of a TOML file, added and taken out again while the rest of the text stays. `toml_edit` says where tables
//! stand; the text is cut by hand, because the library's own writer changes line ends.

use std::ops::Range;

use toml_edit::{Document, Item, Table};

/// Returns the file with `table` as `[outer.inner]` at its end, in the place of the one that was there.
pub(super) fn set(text: &str, [outer, inner]: [&str; 2], table: &Table) -> Result<String, String> {
    let bare = remove(text, [outer, inner])?;
    let gap = match bare.trim_end_matches([' ', '\t']) {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = format!("{bare}{gap}[{outer}.{inner}]\n{table}");
    // An inline table of that name takes no further entries.
    read(&text).map(drop).map_err(|_| unsafe_to_change(outer, inner))?;
    Ok(text)
}

/// Returns the file without the table `[outer.inner]` and those below it, each with the empty line before it.
pub(super) fn remove(text: &str, [outer, inner]: [&str; 2]) -> Result<String, String> {
    let document = read(text)?;
    let item = document.get(outer).and_then(|servers| servers.get(inner));
    let mut cuts = Vec::new();
    match item {
        None => {}
        Some(Item::Table(table)) if !table.is_dotted() => collect_lines(text, table, &mut cuts),
        Some(_) => return Err(unsafe_to_change(outer, inner)),
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut left = String::with_capacity(text.len());
    let mut copied = 0;
    for cut in &cuts {
        left += &text[copied..cut.start];
        copied = cut.end;
    }
    left += &text[copied..];
    let is_first = cuts.first().is_some_and(|cut| cut.start == 0);
    Ok(if is_first { left.trim_start_matches(['\r', '\n']).to_owned() } else { left })
}

fn read(text: &str) -> Result<Document<&str>, String> {
    // Only the message: the error's own rendering would show the line, which may hold a key.
    Document::parse(text).map_err(|error| error.message().to_owned())
}

fn unsafe_to_change(outer: &str, inner: &str) -> String {
    format!("[{outer}.{inner}] is written in a way that cannot be changed safely")
}

/// Collects the lines of a table, and of those below it.
fn collect_lines(text: &str, table: &Table, cuts: &mut Vec<Range<usize>>) {
    cuts.extend(table.span().map(|header| lines(text, header.start, values_end(table, header.end))));
    for (_, item) in table {
        match item {
            Item::Table(below) if !below.is_dotted() => collect_lines(text, below, cuts),
            Item::ArrayOfTables(list) => list.iter().for_each(|below| collect_lines(text, below, cuts)),
            _ => {}
        }
    }
}

/// The end of the last value that stands below a table's own header, which ends at `end`.
fn values_end(table: &Table, end: usize) -> usize {
    table.iter().fold(end, |end, (_, item)| match item {
        Item::Value(value) => value.span().map_or(end, |span| end.max(span.end)),
        Item::Table(dotted) if dotted.is_dotted() => values_end(dotted, end),
        _ => end,
    })
}

/// Whole lines, with the empty one before them.
fn lines(text: &str, start: usize, end: usize) -> Range<usize> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |before| before + 1);
    let start = line_start(start);
    let before = line_start(start.saturating_sub(1));
    let is_blank = text[before..start].trim().is_empty();
    let end = text[end..].find('\n').map_or(text.len(), |line| end + line + 1);
    (if is_blank { before } else { start })..end
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: [&str; 2] = ["mcp_servers", "lacuna"];
    const BODY: &str = "command = \"lacuna\"\nargs = [\"mcp\"]\n";

    fn table() -> Table {
        BODY.parse::<toml_edit::DocumentMut>().unwrap().as_table().clone()
    }

    #[test]
    fn a_table_comes_and_goes_and_the_rest_stays() {
        let mine = "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\" # why\n";
        for text in ["", mine, "model = 1", "a = 1\n\n"] {
            let with = set(text, NAME, &table()).unwrap();
            assert!(
                with.starts_with(text) && with.contains("[mcp_servers.lacuna]\ncommand = \"lacuna\"\n"),
                "{with}"
            );
            assert_eq!(set(&with, NAME, &table()).unwrap(), with, "twice is once");
            assert_eq!(remove(&with, NAME).unwrap().trim_end(), text.trim_end());
        }
        let between = "[mcp_servers.lacuna]\ncommand = \"old\"\n\n[tui]\ntheme = 1\n";
        assert_eq!(remove(between, NAME).unwrap(), "[tui]\ntheme = 1\n");
        let two = "[mcp_servers.lacuna]\ncommand = \"old\"\n\n[mcp_servers.lacuna.env]\nA = \"1\"\n\n[tui]\ntheme = 1\n";
        assert_eq!(remove(two, NAME).unwrap(), "[tui]\ntheme = 1\n");
        assert_eq!(remove(mine, NAME).unwrap(), mine);
        let below = format!("{mine}\n[mcp_servers.lacuna]\n{BODY}\n[mcp_servers.lacuna.env]\nA = \"1\"\n");
        assert_eq!(remove(&below, NAME).unwrap(), mine);
    }

    #[test]
    fn strings_that_look_like_the_table_comments_and_line_ends_stay() {
        let string = "note = \"\"\"\n[mcp_servers.lacuna]\nkeep\n\"\"\"\n";
        let with = set(string, NAME, &table()).unwrap();
        assert!(with.starts_with(string));
        assert_eq!(remove(&with, NAME).unwrap(), string);
        let spread = "a = 1\r\n\r\n# ours\r\n[mcp_servers.lacuna] # here\r\nargs = [\r\n  1] # last\r\nenv.A = 2\r\n# yours\r\n[tui]\r\n";
        let left = "a = 1\r\n\r\n# ours\r\n# yours\r\n[tui]\r\n";
        assert_eq!(remove(spread, NAME).unwrap(), left);
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused() {
        for text in [
            "mcp_servers = { lacuna = { command = \"x\" } }\n",
            "mcp_servers = { other = { command = \"x\" } }\n",
            "[mcp_servers]\nlacuna = { command = \"x\" }\n",
            "[mcp_servers]\nlacuna.command = \"x\"\n",
            "model = ",
        ] {
            assert!(set(text, NAME, &table()).is_err(), "{text}");
        }
        assert!(!remove("key = hunter2", NAME).err().unwrap().contains("hunter2"));
    }
}
