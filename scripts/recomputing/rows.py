"""From rows to summaries, as docs/src/format.md describes both."""

import json
import math
from collections import defaultdict

from .tally import Unreadable, read

FORMATS = (3, 4)


def cells_of(rows):
    """The rows of each cell that was completed. Cells with hardware counters are in no summary."""
    cells = defaultdict(list)
    for row in rows:
        if row["schema"] not in FORMATS:
            raise Unreadable(f"rows of format {row['schema']}; known are {FORMATS}")
        cells[row["cell"]["id"]].append(row)
    return [rows for rows in cells.values() if rows[-1].get("last") and not rows[0]["cell"].get("counters")]


def labels_of(row):
    cell, work = row["cell"], row["cell"]["work"]
    labels = {"system": row["system"], "engine": row["system"].split("@")[0], "step": row["step"]}
    labels |= {f"set.{name}": str(value) for name, value in cell["system"].get("options", {}).items()}
    labels["family"] = kind = "replay" if "replay" in work else work["kind"]
    if kind == "fragmentation":
        labels |= {"pattern": work["pattern"]["name"]}
        names = ["basis", "frees", "observe", "threads"]
        if work.get("sized"):
            labels["family"] = "fragmentation-by-size"
            names.append("live-bytes")
        if "key-bytes" in work:
            names.append("key-bytes")
    elif kind in ("key-value", "replay"):
        driver = work["driver"]
        labels |= {"batch": str(driver.get("batch", 1)), "loop": driver["loop"]}
        of_driver = {"rate": "rate_ops_per_s", "arrivals": "arrivals", "speed": "speed"}
        labels |= {label: word(driver[name]) for label, name in of_driver.items() if name in driver}
        usual = {"ageing": "none", "source": "prepared", "latency": "sampled", "resident": False}
        labels |= {name: word(work.get(name, value)) for name, value in usual.items()}
        names = ["fill-percent", "threads"] + ["think-ns"] * (work.get("think-ns", 0) > 0)
        names += [name for name in ("phases", "sampled") if name in work]
        if kind == "replay":
            own = ("trace", "working-sets", "copies", "miss")
            labels |= {name: word(work["replay"][name]) for name in own}
        else:
            workload = work["workload"]
            labels |= {
                "workload": workload["name"],
                "keys": workload["keys"],
                "value-bytes": workload["value-bytes"],
                "live-set": work.get("live-set", "by-fill"),
            }
            if "key-bytes" in workload:
                labels["key-bytes"] = word(workload["key-bytes"])
            if labels["live-set"] == "by-fill":
                names.append("object-memory-bytes")
    else:
        own = {
            "copy": ["copy-bytes"],
            "mapping": ["region-bytes", "page-bytes", "threads"],
            "chase": ["memory-bytes", "page-bytes", "chains"],
            "allocations": ["trace"],
        }
        names = own[kind]
        if kind == "mapping":
            labels["spaces"] = work.get("spaces", "one")
    return labels | {name: word(work[name]) for name in names}


def word(value):
    return str(value).lower() if isinstance(value, bool) else str(value).removesuffix(".0")


def metrics_of(row):
    """All ratios from counts of bytes, nanoseconds and operations, not from the row's own quotients."""
    work, memory, cpu = row["cell"]["work"], row.get("memory", {}), row["cpu"]
    operations, elapsed_s = row["operations"], row["elapsed-ns"] / 1e9
    metrics = {"elapsed-s": elapsed_s}
    metrics["throughput"] = operations / elapsed_s if elapsed_s else 0
    metrics["cpu-ns"] = (cpu["user-ns"] + cpu["system-ns"]) / operations if operations else 0
    for point, name in (("at-once", ""), ("after-idle", "-after-idle"), ("after-trim", "-after-trim")):
        if memory.get(point, {}).get("live-bytes"):
            metrics[f"overhead{name}"] = memory[point]["resident-bytes"] / memory[point]["live-bytes"]
    if bound := memory.get("overheads"):
        live = memory["at-once"]["live-bytes"]
        metrics["overhead-all-in"] = max(bound["capacity-bytes"], memory["at-once"]["resident-bytes"]) / live
        metrics["overhead-log-only"] = bound["object-memory-bytes"] / live
    if replay := work.get("replay"):
        sets = replay["copies"] * (work["threads"] if replay["working-sets"] == "private" else 1)
        live = sets * replay["totals"]["live-bytes-max"]
        metrics["overhead-peak"] = memory.get("sampled-max-bytes", 0) / live
    elif work["kind"] == "allocations":
        highest = max((one["resident-bytes"] for one in row.get("positions", [])), default=0)
        metrics["overhead-peak"] = highest / work["live-bytes-max"]
    if "roofline" in row:
        ns_of_a_thread = row["elapsed-ns"] * work["threads"] / operations
        metrics["efficiency"] = row["roofline"]["ns-per-operation"] / ns_of_a_thread
    for kind, latencies in {"": row.get("latency-ns", {}), **row.get("latency-by-kind-ns", {})}.items():
        before = kind and f"{kind}-"
        metrics |= {f"{before}{name}-ns": ns for name, ns in latencies.items() if name != "samples"}
    for name in ("operations_per_change", "operations_per_quiet_phase"):
        metrics[name.replace("_", "-")] = row.get("statistics", {}).get(name, 0)
    if work["kind"] == "mapping" and "map-p50-ns" in metrics:
        metrics["ns-per-page"] = metrics["map-p50-ns"] / (work["region-bytes"] // work["page-bytes"])
    return {name: value for name, value in metrics.items() if value > 0}


def conditions_of(row):
    """What may change a comparison by itself, in words."""
    conditions = row.get("conditions")
    if not conditions:
        return {}
    page = conditions["page-bytes"]
    told = {
        "pages": f"{page >> 20} MiB pages" if page >= 1 << 20 else f"{page >> 10} KiB pages",
        "transport": "a call" if conditions["transport"] == "call" else "a UNIX socket",
        "steering": {
            "any-thread": "any thread asks for any key",
            "steered": "requests dealt to the worker of their key",
        }.get(conditions["steering"], "writes dealt to the worker of their key"),
        "durable": {
            False: "not durable",
            "queued": "durable but for the last writes",
            "process": "survives its process",
        }.get(conditions["durable"], "durable when answered"),
    }
    if keys := conditions.get("keys"):
        told["keys"] = f"keys of {keys} B"
    if storage := conditions.get("storage"):
        told["storage"] = {
            "emulated-persistent-memory": "persistent memory, emulated",
            "disk": "objects on a disk",
        }.get(storage, "files for a disk, in memory")
    if conditions.get("writes") == "blind":
        told["writes"] = "blind writes"
    if conditions.get("rmw") == "atomic":
        told["rmw"] = "atomic read-modify-writes"
    return told


def ended_well(row):
    return row["outcome"] == "measured" or (row["outcome"] == "full" and row["expected"])


def trace_summary(path):
    """What a trace of requests asks for, counted; nothing of a trace of allocations."""
    account = json.loads(read(path))
    metrics = {}
    if requests := account.get("requests"):
        metrics["operations-per-object"] = requests["operations"] / requests["objects"]
        buckets = requests["accesses"]["buckets"]
        few = sum(one["operations"] for one in buckets if one["up-to"] <= 18)
        metrics["touched-18-percent"] = 100 * few / sum(one["operations"] for one in buckets)
        if phases := requests.get("phases"):
            metrics |= phase_metrics(phases, account.get("parameters", {}).get("files"))
    return {
        "labels": {"family": "trace", "trace": account["name"], "system": "trace"},
        "metrics": {name: [value] for name, value in metrics.items()},
        "exact": True,
        "cells": [f"traces/{path.name}"],
        "kind": "trace",
    }


def phase_metrics(phases, files):
    def percent(phase, effect):
        effects = phases[phase]["effects"]
        return 100 * effects[effect] / sum(effects.values())

    metrics = {
        "inserts-percent": percent("steady", "insert"),
        "deletes-percent": percent("steady", "delete"),
        "overwrites-percent": percent("steady", "overwrite"),
        "gets-percent": percent("steady", "get-hit"),
        "deletes-at-end-percent": percent("deletion", "delete"),
    }
    if files:
        metrics["live-kib-per-file"] = phases["steady"]["live-bytes-mean"] / files / 1024
    return metrics


def summaries_of(run, rows):
    groups = defaultdict(list)
    for cell in sorted(cells_of(rows), key=lambda rows: rows[0]["cell"]["repetition"]):
        for row in cell:
            groups[key_of(labels_of(row))].append((all(map(ended_well, cell)), row))
    summaries = []
    for labels, processes in groups.items():
        metrics = defaultdict(list)
        for _, row in filter(lambda process: process[0], processes):
            for name, value in metrics_of(row).items():
                metrics[name].append(value)
        cells = [row["cell"]["id"] for _, row in processes]
        kind = processes[0][1]["cell"]["system"]["kind"]
        conditions = next(filter(None, (conditions_of(row) for _, row in processes)), {})
        summary = {"labels": dict(labels), "metrics": metrics, "cells": cells, "kind": kind}
        summaries.append({**summary, "conditions": conditions})
    return summaries + [trace_summary(path) for path in sorted(run.glob("traces/*.json"))]


def key_of(labels):
    return tuple(sorted(labels.items()))


def check_summaries(summaries, stated, tally):
    ours, theirs = ({key_of(one["labels"]): one for one in all} for all in (summaries, stated))
    for key in sorted(ours.keys() | theirs.keys()):
        place = "summary.jsonl " + " ".join(f"{name}={value}" for name, value in key)
        if key not in ours or key not in theirs:
            tally.text(place, "a row" if key in theirs else "no row", "a row" if key in ours else "no row")
            continue
        one, other = ours[key]["metrics"], theirs[key]["metrics"]
        tally.text(f"{place} cells", theirs[key]["cells"], ours[key]["cells"])
        told = theirs[key].get("conditions", {})
        tally.text(f"{place} conditions", told, ours[key].get("conditions", {}))
        for name in sorted(one.keys() | other.keys()):
            mine, stated = one.get(name, []), other.get(name, [])
            tally.numbers += len(stated)
            # Sums and quotients may be rounded in another order.
            near = all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(mine, stated))
            if len(mine) != len(stated) or not near:
                tally.text(f"{place} {name}", stated, mine)
