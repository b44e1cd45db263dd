"""Tables and words of README.md and the book that come from a run."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from statistics import median

from .claims import counted
from .tally import read

NONE = "–"
SUITE = Path(__file__).resolve().parent.parent.parent / "harness/suites/utilisation.toml"


def blocks(text):
    """What stands between marks that `splice` knows."""
    return re.findall(r"^<!-- begin (\S+) -->\n(.*?)\n<!-- end \1 -->", text, re.S | re.M)


def tables(text):
    """The cells of each Markdown table, without the line below its heading."""
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        lines = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in block.splitlines()]
        yield [lines[0], *lines[2:]]


def check_table(place, text, expected, tally):
    """Tables with systems on the left, against medians by system and column; none more, none less."""
    stated = {}
    for heading, *lines in tables(text):
        for line in lines:
            series = re.sub(r" \[\w+\]$", "", line[0])
            stated |= {(series, column): cell for column, cell in zip(heading[1:], line[1:]) if cell != NONE}
    texts = {key: f"{median(values):.2f}" for key, values in expected.items()}
    for series, column in sorted(stated.keys() | texts.keys()):
        one = f"{place} {series} / {column}"
        tally.number(one, stated.get((series, column), NONE), texts.get((series, column), NONE))


def store_bloat(summaries):
    asked = {"family": "fragmentation", "step": "refill", "threads": "1", "frees": "own", "observe": "end"}
    found = {}
    for row in summaries:
        labels, metrics = row["labels"], row["metrics"]
        if asked.items() <= labels.items() and row["kind"] == "store":
            bounded = labels["basis"] == "bounded"
            of_bounded = {" all-in": "overhead-all-in", " log-only": "overhead-log-only"}
            for name, metric in (of_bounded if bounded else {"": "overhead"}).items():
                if metric in metrics:
                    found[labels["system"] + name, labels["pattern"]] = metrics[metric]
    return found


def utilisation(rows, summaries):
    """Mops/s of the suite's stores, and of the roofline that its figure draws beside them."""
    asked = tomllib.loads(SUITE.read_text(encoding="utf-8"))
    work = asked["key-value"][0]
    size = work["value-bytes"][0]
    labels = {
        "family": "key-value",
        "step": "run",
        "keys": work["distributions"][0],
        "workload": f"get-{work['get-percent'][0]}",
        "value-bytes": f"{size // 1024}KiB" if size % 1024 == 0 else str(size),
        "threads": str(work["threads"][0]),
        "ageing": work["ageing"][0],
        "latency": "sampled",
    }
    stores = [store for grid in asked["key-value"] for store in grid["stores"]]
    systems = [*stores, asked["figure"][0]["reference"]]
    # The suite may have other fills by now than when the run was made.
    of_suite = [row["cell"]["work"] for row in rows if SUITE.stem in row.get("suites", [])]
    fills = {str(work["fill-percent"]) for work in of_suite}
    of_live_sets = {"fixed": {}, "by-fill": {}}
    for row in summaries:
        own, values = row["labels"], row["metrics"].get("throughput", [])
        if (
            labels.items() <= own.items()
            and own["system"] in systems
            and own["fill-percent"] in fills
            and values
        ):
            place = own["system"], own["fill-percent"]
            of_live_sets[own["live-set"]][place] = [value / 1e6 for value in values]
    # Runs from before live sets were fixed have the other kind.
    found = of_live_sets["fixed"] or of_live_sets["by-fill"]
    for system in systems:
        alone = [values for (of, _), values in found.items() if of == system]
        if len(alone) == 1:
            found |= {(system, fill): alone[0] for fill in fills}
    return found


def run_line(run):
    facts = run["machine"]["facts"]
    cache = f", {facts['cache-l3']} last-level cache" if "cache-l3" in facts else ""
    virtual = ", virtual machine" if facts.get("virtualised") == "true" else ""
    return (
        f"Measured by `{run['command']}` (scale {run['scale']['name']}) "
        f"from {run['started']} to {run['finished']}, revision {facts['revision']}, "
        f"on {facts['cpu']}, {facts['cores']} cores{cache}, {facts['memory-mib']} MiB memory{virtual}, "
        f"Linux {facts['kernel']}, {facts['operating-system']}."
    )


def check_claims_block(place, text, answers, tally):
    """The table of claims by source, from the verdicts that were recomputed."""
    verdicts = [answer[2] for answer in answers]
    tally.number(
        f"{place} first line",
        text.split(". Each")[0],
        f"{len(answers)} questions asked of this run: {counted(verdicts)}",
    )
    expected = {}
    for claim, source, verdict, measured in answers:
        counts, failing = expected.setdefault(source, (Counter(), []))
        counts[verdict] += 1
        failing += [f"{claim}: {measured}"] if verdict == "fails" else []
    stated = {source: cells for _, *lines in tables(text) for source, *cells in lines}
    for source in sorted(stated.keys() | expected.keys()):
        counts, failing = expected.get(source, (Counter(), []))
        ours = [str(counts[verdict] or NONE) for verdict in ("holds", "fails", "undecided", "not testable")]
        tally.numbers += 4
        tally.text(f"{place} {source}", stated.get(source), [*ours, "; ".join(failing) or NONE])


def in_words(count):
    words = "no one two three four five six seven eight nine ten".split()
    return words[count] if count < len(words) else str(count)


def check_words(readme, run, rows, tally):
    """What README.md says of the run in words."""
    systems = [row["cell"]["system"] for row in rows]
    heaps = {system["name"] for system in systems if system["kind"] == "heap"} - {"null"}
    repetitions = in_words(run["scale"]["repetitions"])
    for pattern, *recomputed in (
        (r"published run has (\w+) allocators", in_words(len(heaps))),
        (r"Medians of\s+up to (\w+) repetitions", repetitions),
    ):
        found = re.search(pattern, readme)
        tally.numbers += len(recomputed) - 1
        tally.number(f"README.md, the words /{pattern}/", found and list(found.groups()), recomputed)


def check_page(path, name, material, answers, tally):
    run, rows, summaries = material
    page = read(path)
    tally.text(f"{name}, marks that pair", len(re.findall("^<!-- begin ", page, re.M)), len(blocks(page)))
    for block, text in blocks(page):
        place, before = f"{name} {block}", tally.so_far()
        if block == "run":
            tally.number(place, text, run_line(run))
        elif block == "store-bloat":
            check_table(place, text, store_bloat(summaries), tally)
        elif block == "utilisation":
            check_table(place, text, utilisation(rows, summaries), tally)
        elif block == "claims":
            check_claims_block(place, text, answers, tally)
        elif block != "figures":  # which lists questions, and has no number of a run
            tally.text(place, "a table", "not covered: scripts/recomputing/pages.py has no function for it")
        tally.told(place, before)
    if name == "README.md":
        before = tally.so_far()
        check_words(page, run, rows, tally)
        tally.told(f"{name} words", before)
