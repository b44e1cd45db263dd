"""Every question of claims.toml, with the words that claims.md and the book put it in."""

import html
import re
from collections import Counter
from decimal import Decimal

from .verdicts import ONE_LOOK, for_presets, judge, left_to_larger, not_asked, together


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
    bounds or nearest to them, or of an undecided whole of those that do not hold; and how many hold."""
    whole = together(all)
    tells = lambda one: one.verdict != "holds" if whole == "undecided" else one.verdict == whole
    one = min(filter(tells, all), key=lambda one: one.inside)
    metric = ask["metric"] if "select" in ask else "ratio"
    if one.low is None:
        value, unit = shown([one.value], metric)
        ends = "one process: no interval"
    else:
        value, low, high, unit = shown([one.value, one.low, one.high], metric)
        if unit == "×":  # Digits of an end that far off say nothing.
            low = "< 0.001" if one.low < 0.001 and one.value >= 0.01 else low
            high = "> 1000" if one.high > 1000 and one.value <= 100 else high
        ends = f"{low} … {high}"
    expected = bounds_words(one.bounds, metric)
    text = f"{value}{unit} ({ends}), expected {expected}"
    if len(all) > 1:
        verdicts = [one.verdict for one in all]
        others = counted([verdict for verdict in verdicts if verdict != "holds"])
        hold = "holds" if verdicts.count("holds") == 1 else "hold"
        text += f"; {share(all)} {hold}" + (f", {others}" if others else "")
    if one.unlike:
        text += f"; under unlike conditions: {', '.join(one.unlike)}"
    return one.of, text


def share(all):
    return f"{sum(one.verdict == 'holds' for one in all)} of {len(all)}"


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


def check_claims(file, table, summaries, machine, tally, looks=ONE_LOOK, scale=None):
    """Every question: `id (number)` with its preset, verdict, and what claims.md says was measured."""
    stated, answers = {}, []
    for line in table.splitlines():
        fields = [html.unescape(field).replace("\u200b", "") for field in line.strip("| ").split(" | ")]
        if len(fields) == 8 and (name := re.fullmatch(r"<code>(.*)</code> \((\d+)\)", fields[0])):
            stated[name[1], int(name[2]), fields[1]] = fields[6].strip("*"), fields[7]
    for claim in file["expectation"]:
        asks = [{"needs": {}, **one} for one in claim["ask"]]
        for number, question in enumerate(asks, 1):
            for ask in for_presets(question, file.get("presets")):
                preset = ask["preset"]["name"] if "preset" in ask else "–"
                name = f"claims.md {claim['id']} ({number}) {preset}"
                verdict, measured = stated.pop((claim["id"], number, preset), ("no line", ""))
                uncovered = "worst" in ask.get("select", {}) or ask.get("interval", "welch") != "welch"
                if "vary" in claim or uncovered:
                    tally.text(name, verdict, "not covered: `vary`, `worst` and `rounds`")
                    continue
                reason = not_asked(question, asks, machine) or left_to_larger(question, preset, scale)
                all = [] if reason else judge({**ask, "looks": looks}, summaries)
                tally.verdicts += 1
                whole = together(all)
                shared = f" ({share(all)})" if len(all) > 1 else ""
                unlike = ", unlike conditions" if any(one.unlike for one in all) else ""
                tally.text(f"{name} verdict", verdict, f"{whole}{shared}{unlike}")
                told = claim["id"] + (f" (preset {preset})" if "preset" in ask else "")
                answers.append((told, claim["source"], whole, measured))
                if reason:
                    tally.text(f"{name} reason", measured, reason)
                elif all:
                    system, text = line_of(ask, all)
                    tally.numbers += len(re.findall(r"\d+(?:\.\d+)?", text))
                    # Rows that the question could not take, in words: not recomputed.
                    measured = re.sub(r"; not judged: .*?(?=; under unlike|$)", "", measured)
                    if not (measured.startswith(system) and measured.endswith(f": {text}")):
                        tally.text(f"{name} measured", measured, f"{system} …: {text}")
    last = f"{len(answers)} answers: {counted([answer[2] for answer in answers])}"
    for key in stated:
        tally.text(f"claims.md {key}", "a line", "no such question")
    tally.text("claims.md last line", table.splitlines()[-1], last)
    return answers
