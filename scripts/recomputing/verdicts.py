"""Intervals (docs/src/statistics.md, "Welch") and the relations that claims state between numbers
(docs/src/expectations.md)."""

import math
import re
from collections import defaultdict, namedtuple

from .rows import key_of


# Percentage of a claim's sub-cases that has to hold, and whose complement may fail; and how far beyond
# its bound one of them decides against the whole, or a step of `monotone` may go the other way.
LEAST_HOLDING_PERCENT = 90
FAR_BEYOND = 0.1

# How many processes a comparison is judged by, at which level, and whether a ratio is taken repetition by
# repetition: the first look that decides counts.
ONE_LOOK = ((math.inf, 0.95, False),)
REPEATED_LOOKS = ((2, 0.99, False), (4, 0.99, True), (8, 0.99, True), (13, 0.99, True), (20, 0.99, True))
REPEATED_LOOKS_AT_MEMORY = tuple((processes, 0.99, False) for processes in (1, 2, 4, 8, 13))

# How far processes differ in rates, times and the middle of latencies, and in memory, and the degrees of
# freedom that this counts for beside the processes' own. It moderates the spread in repeated looks.
MEMORY = re.compile(r"overhead[a-z-]*")
PRIOR_DEVIATIONS = ((re.compile(r"throughput|elapsed-s|cpu-ns|.*p50-ns|.*p90-ns"), 0.12), (MEMORY, 0.01))
PRIOR_FREEDOM = 2.0

# Fewer pairs are not compared as pairs.
PAIRS_MIN = 4

# In their order: questions name the smallest that is asked.
SCALES = ("smoke", "quick", "standard", "paper")


def student(freedom, level=0.95):
    """The t that Student's distribution stays within with probability `level`.

    With t = √freedom · tan a, the density is in proportion to cos(a)^(freedom − 1) for a from 0 to
    π/2, where its integral is known. Newton's steps climb to the wanted share of it from below.
    """
    log_whole = math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2)
    whole = math.sqrt(math.pi) / 2 * math.exp(log_whole)
    if freedom < 3:
        return math.sqrt(freedom) / math.tan(angle_of_tail(freedom, (1 - level) * whole))
    wanted = level * whole
    density = lambda angle: math.cos(angle) ** (freedom - 1)
    angle = 0.0
    for _ in range(50):
        step = angle / 200
        inner = sum((4 if at % 2 else 2) * density(at * step) for at in range(1, 200))
        missing = wanted - (density(0) + inner + density(angle)) * step / 3
        angle += missing / density(angle)
        if abs(missing) < 1e-13 * wanted:
            break
    return math.sqrt(freedom) * math.tan(angle)


def angle_of_tail(freedom, wanted):
    """The b with an integral of sin(b)^(freedom − 1) from 0 of `wanted`: few degrees of freedom make the
    density steep there, and x = b^freedom makes it flat."""
    angle = (wanted * freedom) ** (1 / freedom)
    for _ in range(50):
        step = angle**freedom / 400
        places = (((at + 0.5) * step) ** (1 / freedom) for at in range(400))
        missing = wanted - sum((math.sin(place) / place) ** (freedom - 1) for place in places) * step / freedom
        angle += missing / math.sin(angle) ** (freedom - 1)
        if abs(missing) < 1e-13 * wanted:
            break
    return angle


Logs = namedtuple("Logs", "mean square freedom")  # of the mean: its squared error; None of one process


def logs_of(summary, metric, processes):
    values = summary["metrics"][metric]
    if not summary.get("exact") and len(values) > processes:
        values = values[:processes]
    logs = [math.log(value) for value in values]
    if summary.get("exact"):
        return Logs(logs[0], 0.0, math.inf)
    if len(set(values)) == 1:
        return Logs(logs[0], 0.0 if len(values) > 1 else None, len(values) - 1)
    mean = sum(logs) / len(logs)
    square = sum((log - mean) ** 2 for log in logs) / (len(logs) - 1) / len(logs)
    return Logs(mean, square, len(logs) - 1)


def moderated(logs, count, deviation):
    """Prior and processes together, each by its degrees of freedom."""
    if math.isinf(logs.freedom):
        return logs
    if logs.square is None:
        return Logs(logs.mean, deviation**2, PRIOR_FREEDOM)
    freedom = PRIOR_FREEDOM + logs.freedom
    squares = PRIOR_FREEDOM * deviation**2 + logs.freedom * logs.square * count
    return Logs(logs.mean, squares / freedom / count, freedom)


def by_repetition(summary, metric, processes):
    """The values of the first processes by their repetition, if it is known of all."""
    values = summary["metrics"][metric]
    found = [re.search(r"/(\d+)$", cell) for cell in summary.get("cells", ())]
    if summary.get("exact") or len(found) != len(values) or None in found:
        return {}
    first = values if len(values) <= processes else values[:processes]
    return {int(one[1]): value for one, value in zip(found, first)}


def sides_of(pair, metric, processes, paired, repeated):
    """What an interval is made of: both sides, or the ratio of each repetition as one."""
    known = next((known for names, known in PRIOR_DEVIATIONS if names.fullmatch(metric)), None)
    known = known if repeated else None

    def side(summary, deviation):
        logs, count = logs_of(summary, metric, processes), min(len(summary["metrics"][metric]), processes)
        return moderated(logs, count, deviation) if deviation else logs

    if paired and len(pair) == 2:
        of, to = (by_repetition(one, metric, processes) for one in pair)
        ratios = [of[at] / to[at] for at in of if at in to]
        if len(ratios) >= PAIRS_MIN:
            return [side({"metrics": {metric: ratios}}, known and known * math.sqrt(2))]
    return [side(one, known) for one in pair]


def interval(level, of, to=Logs(0.0, 0.0, math.inf)):
    """Estimate, low and high end; both ends None where a side is of one process."""
    estimate = of.mean - to.mean
    if of.square is None or to.square is None:
        return math.exp(estimate), None, None
    half, square = 0.0, of.square + to.square
    if square:
        freedom = square**2 / (of.square**2 / of.freedom + to.square**2 / to.freedom)
        half = student(freedom, level) * math.sqrt(square)
    return math.exp(estimate), math.exp(estimate - half), math.exp(estimate + half)


# `touching`: what an interval is that touches a bound and does not cross it; None: undecided.
Bounds = namedtuple("Bounds", "least most touching margin", defaults=(None, None, "holds", 0.0))
# `inside`: see `inside_by`; what holds is held against it by the worse end of its interval.
# `unlike`: the conditions in which the sides of a ratio differ, in words.
Judged = namedtuple("Judged", "of to value low high bounds verdict inside unlike", defaults=((),))


def bounds_of(relation):
    strict = "above" in relation or "below" in relation
    least, most = map(relation.get, ("above", "below") if strict else ("at-least", "at-most"))
    return Bounds(least, most, "fails" if strict else "holds", relation.get("margin", 0.0))


def verdict_of(value, low, high, bounds):
    ends = [bound for bound in (bounds.least, bounds.most) if bound is not None]
    if low is None or (bounds.margin and any(abs(value / bound - 1) <= bounds.margin for bound in ends)):
        return "undecided"
    # To touch is to be within 1e-12 of the bound, a share that rounding may cost.
    holds, fails = (1e-12 if bounds.touching == outcome else -1e-12 for outcome in ("holds", "fails"))
    least = -math.inf if bounds.least is None else bounds.least
    most = math.inf if bounds.most is None else bounds.most
    if high < least + fails * abs(bounds.least or 0) or low > most - fails * abs(bounds.most or 0):
        return "fails"
    inside = low >= least - holds * abs(bounds.least or 0) and high <= most + holds * abs(bounds.most or 0)
    return "holds" if inside else "undecided"


def inside_by(value, bounds):
    """How far a value is inside its nearest bound, as a share of the bound; negative outside."""
    low = math.inf if bounds.least is None else (value - bounds.least) / bounds.least
    high = math.inf if bounds.most is None else (bounds.most - value) / bounds.most
    return min(low, high)


def judged(ask, bounds, of, to=None):
    metric, sides = ask["metric"], [side for side in (of, to) if side]
    count, seen = max(len(side["metrics"][metric]) for side in sides), 0
    looks = ask.get("looks", ONE_LOOK)
    repeated = len(looks) > 1
    for processes, level, paired in REPEATED_LOOKS_AT_MEMORY if repeated and MEMORY.fullmatch(metric) else looks:
        if seen >= count or (seen and verdict != "undecided"):
            break
        seen = processes
        if to is None and of.get("exact"):
            value = low = high = of["metrics"][metric][0]
        else:
            value, low, high = interval(level, *sides_of(sides, metric, processes, paired, repeated))
        verdict = verdict_of(value, low, high, bounds)
    inside = min(inside_by(end, bounds) for end in ((low, high) if verdict == "holds" else (value,)))
    own, other = of.get("conditions", {}), (to or {}).get("conditions", {})
    unlike = [f"{name} ({own[name]} ÷ {other[name]})" for name in sorted({*own} & {*other}) if own[name] != other[name]]
    systems = of["labels"]["system"], to and to["labels"]["system"]
    return Judged(*systems, value, low, high, bounds, verdict, inside, tuple(unlike))


def listed(value):
    return value if isinstance(value, list) else [value]


def runs_preset(row, preset):
    """Whether a row runs the preset, or is of another engine than its."""
    own = row["labels"].get("set.preset", preset["default"])
    return row["labels"].get("engine") != preset["engine"] or own == preset["name"]


def named(row, label, preset):
    """What the row has of a label; the name of a system without the preset, where it runs it."""
    value = row["labels"].get(label)
    if label == "system" and preset and row["labels"].get("engine") == preset["engine"]:
        return value.replace(f"@preset={preset['name']}", "")
    return value


def select(ask, side, summaries):
    """The rows that have every label of `where` and of `side`, with one of its values, and the metric."""
    preset = ask.get("preset")
    has = lambda row, labels: all(
        named(row, label, preset) in [plain(one, preset) for one in listed(value)]
        for label, value in labels.items()
    )
    return [
        row
        for row in summaries
        if has(row, ask["where"])
        and has(row, side)
        and row["metrics"].get(ask["metric"])
        and (not preset or runs_preset(row, preset))
    ]


def relation_of(ask):
    return next(ask[word] for word in ("select", "ratio", "monotone", "crossover") if word in ask)


def plain(name, preset):
    """A name without the setting that the preset implies."""
    implied = (preset or {}).get("implies")
    if not implied or not isinstance(name, str) or name.split("@")[0] != preset["engine"]:
        return name
    return "@".join(part for part in name.split("@") if part != implied)


def for_presets(ask, presets):
    """A question about the engine that has presets, once for each of them."""
    relation = relation_of(ask)
    # `to` of `monotone` is a number.
    sides = [ask["where"], relation["of"], {} if "monotone" in ask else relation.get("to", {})]
    names = [name for side in sides for name in listed(side.get("system", []))]
    engines = [name for side in sides for name in listed(side.get("engine", []))]
    about = presets and presets["engine"] in [*engines, *(name.split("@")[0] for name in names)]
    names = presets["names"] if about else []
    wanted = [name for name in names if name in ask.get("presets", names)]
    common = {key: presets[key] for key in ("engine", "default")} if presets else {}
    implies = presets.get("implies", {}) if presets else {}
    each = ({**common, "name": name, "implies": implies.get(name)} for name in wanted)
    return [{**ask, "preset": preset} for preset in each] or [ask]


def is_of_system(label):
    return label in ("system", "engine") or label.startswith("set.")


def rest(row, ignored):
    return key_of({label: value for label, value in row["labels"].items() if not ignored(label)})


def pairs(ask, relation, summaries, along=None):
    """Rows of `of` beside rows of `to` that are alike but for the system and what the two sides name."""
    named = {*relation["of"], *relation["to"]}

    def may_differ(label):
        return label != along and (is_of_system(label) or label in named)

    alike = defaultdict(list)
    for row in select(ask, relation["to"], summaries):
        alike[rest(row, may_differ)].append(row)
    of = select(ask, relation["of"], summaries)
    beside = [(one, other) for one in of for other in alike[rest(one, may_differ)]]
    return [(one, other) for one, other in beside if one["labels"] != other["labels"]]


def place(text):
    units = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "B": 1}
    found = re.fullmatch(r"([-+.\de]+) ?(KiB|MiB|GiB|B)?", text or "")
    return float(found[1]) * units.get(found[2], 1) if found else None


def lines_along(rows, along, of=lambda row: row):
    """Rows that differ in the label `along` alone, in the order of its numbers."""
    lines = defaultdict(list)
    ignored = lambda label: label == along or (label == "system" and along.startswith("set."))
    for row in rows:
        at = place(of(row)["labels"].get(along))
        if at is not None:
            sides = row if isinstance(row, tuple) else (row,)
            lines[tuple(rest(side, ignored) for side in sides)].append((at, row))
    return [sorted(line, key=lambda step: step[0]) for line in lines.values()]


def monotone(ask, relation, summaries):
    first, last, by, moves = relation["from"], relation["to"], relation["by"], relation["moves"]
    for line in lines_along(select(ask, relation["of"], summaries), relation["along"]):
        line = [(at, row) for at, row in line if first <= at <= last]
        if len(line) < 2 or (line[0][0], line[-1][0]) != (first, last):
            continue
        rows = [row for _, row in line]
        if moves == "flat":
            yield from (judged(ask, Bounds(1 / by, by), row, rows[0]) for row in rows[1:])
            continue
        if moves == "falls":
            yield judged(ask, Bounds(by), rows[0], rows[-1])
            step = Bounds(None, 1 + FAR_BEYOND)
        else:
            yield judged(ask, Bounds(by), rows[-1], rows[0])
            step = Bounds(1 / (1 + FAR_BEYOND))
        for low, high in zip(rows, rows[1:]) if len(rows) > 2 else ():
            yield judged(ask, step, high, low)


def crossover(ask, relation, summaries):
    before, after = relation["between"]
    found = pairs(ask, relation, summaries, relation["along"])
    for line in lines_along(found, relation["along"], lambda pair: pair[0]):
        if line[0][0] <= before and line[-1][0] >= after:
            for at, pair in line:
                if at <= before or at >= after:
                    bounds = Bounds(None, 1.0, None) if at <= before else Bounds(1.0, None, None)
                    yield judged(ask, bounds, *pair)


def judge(ask, summaries):
    """All that an ask compares."""
    if "monotone" in ask:
        return list(monotone(ask, ask["monotone"], summaries))
    if "crossover" in ask:
        return list(crossover(ask, ask["crossover"], summaries))
    relation = ask.get("ratio") or ask["select"]
    if "ratio" in ask:
        sides = pairs(ask, relation, summaries)
    else:
        sides = [(row,) for row in select(ask, relation["of"], summaries)]
    return [judged(ask, bounds_of(relation), *rows) for rows in sides]


def is_far_beyond(one):
    """Whether the whole interval lies further beyond a bound than a tenth of it."""
    if one.verdict != "fails":  # One process has no interval, and fails nothing.
        return False
    least, most = one.bounds.least, one.bounds.most
    below = least is not None and one.high < least * (1 - FAR_BEYOND)
    above = most is not None and one.low > most * (1 + FAR_BEYOND)
    return below or above


def together(all):
    """The verdict on all sub-cases of a claim."""
    if not all:
        return "not testable"
    holds, fails = (sum(one.verdict == verdict for one in all) for verdict in ("holds", "fails"))
    if any(map(is_far_beyond, all)) or fails * 100 > len(all) * (100 - LEAST_HOLDING_PERCENT):
        return "fails"
    enough = holds * 100 >= len(all) * LEAST_HOLDING_PERCENT
    return "holds" if enough and not fails else "undecided"


def lacking(needs, machine):
    """Why a machine is not asked; None of one that has what is needed."""
    short = [name for name in ("cores", "sockets") if needs.get(name, 0) > machine[name]]
    needed = " and ".join(f"{needs[name]} {name}" for name in short)
    there = " and ".join(str(machine[name]) for name in short)
    return f"needs {needed}, this machine has {there}" if short else None


def left_to_larger(ask, preset, scale):
    """Why a run of this scale is not asked."""
    from_scale = ask.get("from-scale")
    if isinstance(from_scale, dict):
        from_scale = from_scale.get(preset)
    if from_scale and scale in SCALES and SCALES.index(from_scale) > SCALES.index(scale):
        return f"asked from scale {from_scale} on: fewer processes do not decide it"
    return None


def not_asked(ask, asks, machine):
    large = [lacking(other["needs"], machine) for other in asks if other["on"] == "large"]
    if ask["on"] == "small" and large and not any(large):
        return "not asked here: the machine is large"
    return lacking(ask["needs"], machine) if ask["on"] == "large" else None
