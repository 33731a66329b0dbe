//! Adding one table to a TOML file, and taking it out again, without touching the rest of its text.

/// The file with `body` below `[header]`, in the place of what was there.
pub(super) fn set(text: &str, header: &str, body: &str) -> Result<String, String> {
    let bare = remove(text, header)?;
    let gap = match bare.trim_end_matches([' ', '\t']) {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    checked(text, format!("{bare}{gap}[{header}]\n{body}"), header, true)
}

/// The file without the table `[header]` and those below it, and without the empty line that stood before it.
pub(super) fn remove(text: &str, header: &str) -> Result<String, String> {
    let (start, below) = (format!("[{header}]"), format!("[{header}."));
    let mut left: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            inside = line.trim() == start || line.trim_start().starts_with(&below);
            let blank = left.last().is_some_and(|line| line.trim().is_empty());
            if inside && blank {
                left.pop();
            }
        }
        if !inside {
            left.push(line);
        }
    }
    checked(text, left.concat(), header, false)
}

/// Sees that the text still means what it meant, but for the one table: a line in a string may look like one.
fn checked(before: &str, after: String, header: &str, is_there: bool) -> Result<String, String> {
    let (old, _) = without(before, header)?;
    let (new, now) = without(&after, header)?;
    if old != new || now != is_there {
        return Err(format!("[{header}] is written in a way that cannot be changed safely"));
    }
    Ok(after)
}

/// What the file says without the table, and whether it has it.
fn without(text: &str, header: &str) -> Result<(toml::Table, bool), String> {
    // Only the message: the error's own rendering would show the line, which may hold a key.
    let mut all: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let (outer, inner) = header.split_once('.').unwrap_or((header, ""));
    let Some(toml::Value::Table(servers)) = all.get_mut(outer) else { return Ok((all, false)) };
    let found = servers.remove(inner).is_some();
    if servers.is_empty() {
        all.remove(outer);
    }
    Ok((all, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "mcp_servers.lacuna";
    const BODY: &str = "command = \"lacuna\"\nargs = [\"mcp\"]\n";

    #[test]
    fn a_table_comes_and_goes_and_the_rest_stays() {
        let mine = "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\" # why\n";
        for text in ["", mine, "model = 1", "a = 1\n\n"] {
            let with = set(text, HEADER, BODY).unwrap();
            assert!(
                with.starts_with(text) && with.contains("[mcp_servers.lacuna]\ncommand = \"lacuna\"\n"),
                "{with}"
            );
            assert_eq!(set(&with, HEADER, BODY).unwrap(), with, "twice is once");
            assert_eq!(remove(&with, HEADER).unwrap().trim_end(), text.trim_end());
        }
        let between = "[mcp_servers.lacuna]\ncommand = \"old\"\n\n[tui]\ntheme = 1\n";
        assert_eq!(remove(between, HEADER).unwrap(), "[tui]\ntheme = 1\n");
        assert_eq!(remove(mine, HEADER).unwrap(), mine);
        let below = format!("{mine}\n[mcp_servers.lacuna]\n{BODY}\n[mcp_servers.lacuna.env]\nA = \"1\"\n");
        assert_eq!(remove(&below, HEADER).unwrap(), mine);
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused() {
        for text in [
            "mcp_servers = { lacuna = { command = \"x\" } }\n",
            "note = \"\"\"\n[mcp_servers.lacuna]\nkeep\n\"\"\"\n",
            "[mcp_servers]\nlacuna = { command = \"x\" }\n",
            "model = ",
        ] {
            assert!(set(text, HEADER, BODY).is_err(), "{text}");
        }
        assert!(!remove("key = hunter2", HEADER).err().unwrap().contains("hunter2"));
    }
}
