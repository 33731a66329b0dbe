"""The figures as a page of Markdown."""

NAMES = {"locomo": "LoCoMo", "realtalk": "REALTALK", "longmemeval": "LongMemEval-S"}

LEGEND = """\
Each program stored the same texts and was asked the same questions through its own search, ten hits at most. Vectors are by all-MiniLM-L6-v2 in all programs that
embed. **R@10** is the share of the right turns (LoCoMo, REALTALK) or sessions (LongMemEval) among the first ten hits, in per cent; **hit@5** the share of
questions with one among the first five. **Tokens** are those of the texts of all hits that an answer held, by the tokenizer of the model. **p50, p95**
are from the call to the answer, the embedding of the question included; storing, in seconds, is without the embedding for the peers, whose vectors were made
beforehand. These are development sets: Lacuna's weights were learnt on LoCoMo and REALTALK, and not on LongMemEval."""

HEAD = [
    "program",
    "versions",
    *(f"{name} {figure}" for name in NAMES.values() for figure in ("R@10", "tokens")),
    "LongMemEval-S hit@5",
    "p50",
    "p95",
    "stored in",
]


def _table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def _row(figures):
    if "failed" in figures:
        return [figures["title"], f"not measured: {figures['failed']}"] + [""] * (len(HEAD) - 2)
    sets = figures["sets"]
    cells = [cell for name in NAMES for cell in (f"{sets[name]['recall']:.1f}", f"{sets[name]['tokens']:,.0f}")]
    slowest = [max(each[key] for each in sets.values()) for key in ("p50_ms", "p95_ms")]
    times = [f"{value:.0f} ms" for value in slowest]
    versions = ", ".join(figures["versions"])
    return [figures["title"], versions, *cells, f"{sets['longmemeval']['hit']:.1f}", *times, f"{figures['store_seconds']:.0f} s"]


def table(record):
    return _table(HEAD, map(_row, record["programs"]))


def counts(record):
    rows = []
    for name, (conversations, texts) in record["counts"].items():
        asked = [figures["sets"][name]["questions"] for figures in record["programs"] if "sets" in figures]
        rows.append([NAMES[name], str(conversations), f"{texts:,}", str(max(asked, default=0))])
    return _table(["set", "conversations", "texts", "questions"], rows)


def details(figures):
    """One program: versions, calls, notes, and the figures of each set."""
    lines = [f"### {figures['title']}\n", f"Versions: {', '.join(figures['versions'])}.\n"]
    lines += [_table(["step", "call"], [[step, call] for step, call in figures["commands"].items()]), ""]
    rows = [
        [NAMES[name], *(f"{each[key]:.1f}" for key in ("recall", "hit", "tokens", "p50_ms", "p95_ms"))]
        for name, each in figures["sets"].items()
    ]
    lines += [_table(["set", "R@10", "hit@5", "tokens", "p50, ms", "p95, ms"], rows), ""]
    return "\n".join(lines + [f"- {note}" for note in figures["notes"]]) + "\n"


def section(record):
    """The part of bench/RESULTS.md, below its title and the machine."""
    return (
        f"{LEGEND}\n\n{counts(record)}\n\n{table(record)}\n\nOf three sets, p50 and p95 are those of the slowest. The calls and versions: "
        "[recall/RESULT.md](recall/RESULT.md). The protocol: [recall/README.md](recall/README.md).\n"
    )


def result(record):
    measured = [figures for figures in record["programs"] if "failed" not in figures]
    parts = [
        "# Does it find again? A comparison\n",
        LEGEND + "\n",
        counts(record) + "\n",
        table(record) + "\n",
        "Of three sets, p50 and p95 are those of the slowest. The protocol and its limits: [README.md](README.md).\n",
        "## Each program\n",
        *map(details, measured),
    ]
    return "\n".join(parts)


def write(record, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RESULT.md").write_text(result(record))
