"""Every question of claims.toml, with the words that claims.md and the book put it in."""

import html
import re
from collections import Counter
from decimal import Decimal

from .verdicts import judge, not_asked, together


def three_digits(value):
    """Three significant digits, and all digits before the point."""
    if value == 0 or abs(value) >= 999.5:
        return f"{value:.0f}"
    return f"{Decimal(f'{value:.2e}'):f}"


def shown(values, metric):
    """Values in one unit, that of the largest, and then the unit."""
    largest = max(map(abs, values))
    if metric == "ratio" or metric.startswith(("overhead", "efficiency")):
        unit, size = "×", 1
    elif metric.endswith("-ns") or metric.startswith("ns-per-"):
        scales = [(" s", 1e9), (" ms", 1e6), (" µs", 1e3), (" ns", 1)]
        unit, size = next((scale for scale in scales if largest >= scale[1]), scales[-1])
    else:
        size, unit = 1, " %" if metric.endswith("-percent") else " KiB" if "-kib-" in metric else ""
    return *(three_digits(value / size) for value in values), unit


def line_of(ask, all):
    """The comparison that shows most: of those judged like the whole, the one farthest outside its
    bounds or nearest to them; and how many were judged how."""
    whole = together({one.verdict for one in all})
    one = min((one for one in all if one.verdict == whole), key=lambda one: one.inside)
    metric = ask["metric"] if "select" in ask else "ratio"
    if one.low is None:
        value, unit = shown([one.value], metric)
        ends = "one process: no interval"
    else:
        value, low, high, unit = shown([one.value, one.low, one.high], metric)
        ends = f"{low} … {high}"
    expected = bounds_words(one.bounds, metric)
    text = f"{value}{unit} ({ends}), expected {expected}"
    if len(all) > 1:
        text += f"; of {len(all)}: {counted([one.verdict for one in all])}"
    return one.of, text


def bounds_words(bounds, metric):
    """`≥ 1.50×`, `0.900× … 1.10×`."""
    texts = [
        None if bound is None else "".join(shown([bound], metric)) for bound in (bounds.least, bounds.most)
    ]
    if None not in texts:
        return " … ".join(texts)
    signs = ("≥", "≤") if bounds.touching == "holds" else (">", "<")
    return next(f"{sign} {text}" for sign, text in zip(signs, texts) if text)


def counted(verdicts):
    """`3 hold, 1 fails, 2 undecided`: those there are."""
    counts, words = Counter(verdicts), []
    for verdict in ("holds", "fails", "undecided", "not testable"):
        if count := counts[verdict]:
            several = verdict.removesuffix("s") if count > 1 else verdict
            words.append(f"{count} {several}")
    return ", ".join(words)


def check_claims(claims, table, summaries, machine, tally):
    """Every question: `id (number)` with its source, verdict, and what claims.md says was measured."""
    stated, answers = {}, []
    for line in table.splitlines():
        fields = [html.unescape(field).replace("\u200b", "") for field in line.strip("| ").split(" | ")]
        if len(fields) == 7 and (name := re.fullmatch(r"<code>(.*)</code> \((\d+)\)", fields[0])):
            stated[name[1], int(name[2])] = fields[5].strip("*"), fields[6]
    for claim in claims:
        for number, ask in enumerate(claim["ask"], 1):
            name = f"claims.md {claim['id']} ({number})"
            verdict, measured = stated.pop((claim["id"], number), ("no line", ""))
            if "vary" in claim or ask.get("interval", "welch") != "welch" or "worst" in ask.get("select", {}):
                tally.text(name, verdict, "not covered: `vary`, `worst` and `rounds`")
                continue
            asks = [{"needs": {}, **one} for one in claim["ask"]]
            reason = not_asked(asks[number - 1], asks, machine)
            all = [] if reason else judge(ask, summaries)
            tally.verdicts += 1
            whole = together({one.verdict for one in all})
            tally.text(f"{name} verdict", verdict, whole)
            answers.append((claim["id"], claim["source"], whole, measured))
            if reason:
                tally.text(f"{name} reason", measured, reason)
            elif all:
                system, text = line_of(ask, all)
                tally.numbers += len(re.findall(r"\d+(?:\.\d+)?", text))
                if not (measured.startswith(system) and measured.endswith(f": {text}")):
                    tally.text(f"{name} measured", measured, f"{system} …: {text}")
    last = f"{len(answers)} answers: {counted([answer[2] for answer in answers])}"
    for claim, number in stated:
        tally.text(f"claims.md {claim} ({number})", "a line", "no such question")
    tally.text("claims.md last line", table.splitlines()[-1], last)
    return answers
