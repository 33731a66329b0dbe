"""The figures as pages: a section for bench/RESULTS.md, a page for people, and its picture."""

from html import escape

WHOLE = "whole folder"
RESTORES = {"documented": "as the table says", WHOLE: "a copy of the whole folder put in its place"}
HEAD = [
    "program",
    "versions",
    "found through the API",
    "found on disk",
    "found after restore",
    "found after the whole folder was put back",
    "derived text left",
    "bystanders lost",
    "proof given",
]
GOOD, BAD, NEUTRAL = "#2e7d32", "#b3261e", "#8a8f98"


def cells(figures):
    """The columns after the name, each as a pair of the number found and of how many; None where there is nothing to count."""
    asked, restored = figures["asked"], figures["restored"]

    def back(name):
        return None if restored is None else (len(restored[name]["asked"]), asked)

    return [
        (len(figures["api"]), asked),
        None if figures["disk"] is None else (len(figures["disk"]), asked),
        back("documented"),
        back(WHOLE),
        (len(figures["derived_api"]), figures["derived"]),
        (len(figures["lost"]), figures["stays"]),
    ]


def _shown(cell):
    return "nothing is kept" if cell is None else f"{cell[0]} of {cell[1]}"


def _name(figures):
    bold = "**" if figures["script"] == "lacuna" else ""
    return f"{bold}{figures['title']}{bold}"


def _cell(text):
    """A text in one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def table(all_figures):
    rows = []
    for figures in all_figures:
        if "failed" in figures:
            rows.append([_name(figures), f"not measured: {_cell(figures['failed'])}", *[""] * (len(HEAD) - 2)])
        else:
            versions = ", ".join(figures["versions"])
            rows.append([_name(figures), versions, *map(_shown, cells(figures)), figures["proof"]])
    return _table(HEAD, rows)


def _ways(found):
    """Counts by way or file, the most frequent first."""
    counts = {}
    for places in found.values():
        for place in places:
            counts[place] = counts.get(place, 0) + 1
    # Numbered files of a database are one place.
    shown = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"`{place}` {count}" for place, count in shown[:PLACES_MAX]) + (
        f" and {len(shown) - PLACES_MAX} more" if len(shown) > PLACES_MAX else ""
    )


# Places that are named for each program.
PLACES_MAX = 6


def details(figures):
    """One program: versions, calls, and where things were found."""
    lines = [f"### {figures['title']}\n", f"Versions: {', '.join(figures['versions'])}.\n"]
    lines.append(_table(["step", "call"], [[step, call] for step, call in figures["commands"].items()]))
    lines.append("")
    lines.append(f"- Stored and found before the requests: {figures['stored']} of {figures['memories']}.")
    if figures["disk_before"] is not None:
        lines.append(f"- Readable on disk before the requests: {len(figures['disk_before'])} of {figures['asked']}.")
    for name, key in (
        ("Found through the API", "api"),
        ("Found on disk", "disk"),
        ("Derived text through the API", "derived_api"),
        ("Derived text on disk", "derived_disk"),
    ):
        if figures[key]:
            lines.append(f"- {name}: {_ways(figures[key])}.")
    if figures["lost"]:
        lines.append(f"- Bystanders lost: {', '.join(figures['lost'])}.")
    for name, back in (figures["restored"] or {}).items():
        asked, derived = len(back["asked"]), len(back["derived"])
        lines.append(
            f"- Restore ({RESTORES.get(name, name)}): {asked} of {figures['asked']} forgotten memories and {derived} of {figures['derived']} "
            f"derived texts came back, with {back['stays']} of {figures['stays']} bystanders."
        )
    lines += [f"- {note}" for note in figures["notes"]]
    return "\n".join(lines) + "\n"


def measured(all_figures):
    return [figures for figures in all_figures if "failed" not in figures]


LEGEND = """\
Each program stored the same memories of three people: facts, turns of conversations, and derived texts (summaries that name the memories they
were made of). It was then asked to forget some by id, some by words, and one person. Each number counts memories that should be gone and
were still found: 0 is the aim. "Found on disk" reads every byte of every file of the program's data folder. "Found after restore" is a backup made
before the requests and restored after them, in the way the program documents; the next column puts back a copy of the whole data
folder, keys included."""


def section(all_figures):
    """The part of bench/RESULTS.md, below its title and the machine."""
    return f"{LEGEND}\n\n{table(all_figures)}\n\nThe calls, versions and places: [forgetting/RESULT.md](forgetting/RESULT.md). The protocol: [forgetting/README.md](forgetting/README.md).\n"


def result(all_figures):
    parts = [
        "# Does it forget? A comparison\n",
        "![Found after a request to forget, by program](result.svg)\n",
        LEGEND + "\n",
        table(all_figures) + "\n",
        READING,
        "## Each program\n",
        *map(details, measured(all_figures)),
    ]
    return "\n".join(parts)


READING = """\
## How to read it

- **Found through the API**: somebody with the program's own interface can still read it.
- **Found on disk**: somebody with the files can still read it: an administrator, a thief of the disk, the support of a hoster. Lacuna's files are
  encrypted, so this column is 0 before the requests, too. That the text is really gone shows in the restores below: an old database beside
  the keys of today, and all old keys beside the database of today.
- **Found after restore**: it returns when an old backup is needed.
- **Found after the whole folder was put back**: no program on the machine can prevent this for copies that hold the keys too. It is the reason to keep
  copies of keys apart, and to let them expire.
- **Derived text left**: conclusions that were made of a forgotten memory are still told.
- **Bystanders lost**: memories of others, or of other subjects, that went with it. Forgetting too much is a fault, too.
- **Proof given**: something to show to the person who asked.

Where Lacuna is not perfect: a full backup (`lacuna backup --full`, keys included) that is restored on another machine without the ledger of erasures, and
a copy of the whole folder, bring everything back. Each receipt names the full backups that still hold copies, until they expire. Copies that
an administrator makes by hand are known to nobody. A plan erases what it is sure of and only offers the rest, which stays until somebody says yes. The request by words of
this story is an easy one; on cases written by others Lacuna is often wrong (part "Forgetting" of [RESULTS.md](../RESULTS.md)).

The story, the requests and the limits of this comparison: [README.md](README.md).
"""

LEFT, TOP, COLUMN, ROW, BAR = 250, 92, 128, 40, 104


def picture(all_figures):
    """Bars: their length is the share that was found, so that an empty row is the aim."""
    shown = measured(all_figures)
    heads = [
        "through the API",
        "on disk",
        "after restore",
        "whole folder back",
        "derived text left",
        "bystanders lost",
        "proof",
    ]
    width, height = LEFT + COLUMN * len(heads) + 20, TOP + ROW * len(shown) + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" role="img">',
        "<title>Found after a request to forget, by program</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<text x="20" y="34" font-size="20" font-weight="bold" fill="#1d1f23">Still found after a request to forget</text>',
        '<text x="20" y="56" font-size="13" fill="#5b616b">Memories that should be gone, and bystanders that should not. Empty bars are the aim.</text>',
    ]
    for number, head in enumerate(heads):
        x = LEFT + COLUMN * number
        parts.append(f'<text x="{x}" y="{TOP - 10}" font-size="12" font-weight="bold" fill="#1d1f23">{head}</text>')
    for number, figures in enumerate(shown):
        parts += _bars(figures, TOP + ROW * number)
    foot = "Versions, calls and files: bench/forgetting/RESULT.md"
    parts += [f'<text x="20" y="{height - 14}" font-size="11" fill="{NEUTRAL}">{foot}</text>', "</svg>"]
    return "\n".join(parts) + "\n"


def _bars(figures, y):
    weight = "bold" if figures["script"] == "lacuna" else "normal"
    yield f'<text x="20" y="{y + 21}" font-size="14" font-weight="{weight}" fill="#1d1f23">{escape(figures["title"])}</text>'
    for number, cell in enumerate(cells(figures)):
        x = LEFT + COLUMN * number
        if cell is None:
            yield f'<text x="{x}" y="{y + 21}" font-size="12" fill="{NEUTRAL}">nothing is kept</text>'
            continue
        found, total = cell
        colour = BAD if found else GOOD
        yield f'<rect x="{x}" y="{y + 8}" width="{BAR}" height="18" rx="3" fill="#eceef1"/>'
        if found:
            yield f'<rect x="{x}" y="{y + 8}" width="{BAR * found / total:.0f}" height="18" rx="3" fill="{colour}"/>'
        # A short bar has no room for the number, which stands behind it then.
        ink, start = ("#ffffff", 0) if found * 3 > total else (colour, BAR * found / total)
        yield f'<text x="{x + start + 7:.0f}" y="{y + 22}" font-size="12" font-weight="bold" fill="{ink}">{found} of {total}</text>'
    signed = "signed" in figures["proof"]
    x, colour = LEFT + COLUMN * len(cells(figures)), GOOD if signed else BAD
    yield f'<text x="{x}" y="{y + 22}" font-size="12" font-weight="bold" fill="{colour}">{"signed receipt" if signed else "none"}</text>'


def write(all_figures, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RESULT.md").write_text(result(all_figures))
    (folder / "result.svg").write_text(picture(all_figures))
