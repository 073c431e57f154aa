"""Whether exact mode counts the allocations that sampling sees when it samples every one (sample=0), on the programs of accounts_cost.

In the interpreter (-Xint), where no compiler does away with an allocation. Two runs of a program are not quite equal, either: threads race, hash
codes differ. So sampling runs two times, and exact mode may be as far from the nearer one as they are apart, and TOLERANCE more.

Reads `holdfast report --json --section accounts` of a dump at exit: told_by() alone knows its field names.
"""
import json
import tempfile
from typing import NamedTuple

import harness
from accounts_run import Variant, run_in
from reports import Count

TOLERANCE = 0.001
SHOWN = 10           # rows of what disagrees, largest first
ROUNDS = 1
NO_ROOM = "(other classes)"
REPORT = "on=exit,dump=simple,exit-wait=60s"
# Exact mode has no shared archive either, and the JDK then makes at its start what lies there. Sampling misses what a thread allocates in the
# buffer that it has as the VM becomes ready: so there are none.
INTERPRETED = ("-Xint", "-Xshare:off", "-XX:-UseTLAB")
SAMPLED = Variant("sampled", lambda program: f"accounts={program.accounts},sample=0,{REPORT}", INTERPRETED)
EXACT = Variant("exact", lambda program: f"accounts={program.accounts},accounts-mode=exact,{REPORT}", INTERPRETED)


class Row(NamedTuple):
    account: str
    name: str       # of the class
    exact: Count
    sampled: tuple  # two Counts

    def agrees(self):
        return all(within([getattr(count, field) for count in self.sampled], getattr(self.exact, field)) for field in ("instances", "bytes"))


def within(references, value):
    low, high = min(references), max(references)
    slack = (high - low) + TOLERANCE * high
    return low - slack <= value <= high + slack


class Told(NamedTuple):
    """What a report tells."""
    classes: dict  # {(account, class): Count of what was allocated}
    least: dict    # {account: bytes that a class must have had to be among those listed}


def told_by(report):
    """The only place that knows the field names."""
    section = report["accounts"]
    if not section or not section["classes"]:
        raise harness.VmError("the report tells no account's classes")
    classes = {}
    for row in section["classes"]:
        key = row["account"], harness.plain_name(row["class"] or NO_ROOM)
        classes[key] = classes.get(key, Count(0, 0)) + Count(row["allocated"]["objects"], row["allocated"]["bytes"])
    if any(name == NO_ROOM for _, name in classes):
        raise harness.VmError("the agent had no room to tell all classes apart")
    whole = len(section["classes"]) == section["classes_total"]
    least = {account: 0 if whole else min(count.bytes for (name, _), count in classes.items() if name == account) for account, _ in classes}
    return Told(classes, least)


def compare(exact, *sampled):
    """Rows of all accounts' classes, by bytes, largest first. What a report may have left out for want of room is left out."""
    rows = []
    for key in {key for told in (exact, *sampled) for key in told.classes}:
        counts = [told.classes.get(key, Count(0, 0)) for told in (exact, *sampled)]
        largest = max(count.bytes for count in counts)
        if all(key in told.classes or largest > told.least.get(key[0], 0) for told in (exact, *sampled)):
            rows.append(Row(*key, counts[0], tuple(counts[1:])))
    return sorted(rows, key=lambda row: (-max(row.exact.bytes, row.sampled[0].bytes), row.account, row.name))


def allocated(jdk, program, variant):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        _, path = run_in(directory, jdk, program, variant, 1, ROUNDS, lambda jvm: harness.wait_report(directory, set(), 300, jvm))
        return told_by(json.loads(harness.run_command("report", "--json", "--section", "accounts", path).stdout))


def table(program, rows):
    wrong = [row for row in rows if not row.agrees()]
    exact = sum(row.exact.bytes for row in rows)
    sampled = sum(row.sampled[0].bytes for row in rows)
    lines = [f"### {program.name}: {len(rows) - len(wrong):,} of {len(rows):,} accounts' classes agree",
             "", f"Allocated: exact {exact:,} bytes, sampled {sampled:,}.", ""]
    if wrong:
        lines += ["| account | class | exact: objects, bytes | sampled | sampled again |", "|---|---|---:|---:|---:|"]
        for row in wrong[:SHOWN]:
            counts = (f"{count.instances:,}, {count.bytes:,}" for count in (row.exact, *row.sampled))
            lines.append(f"| {row.account} | {row.name} | {' | '.join(counts)} |")
        lines += [""]
    return "\n".join(lines)


def main(jdk, programs):
    """Prints a table for each program; 1 if something disagrees."""
    print(f"## {jdk}: exact mode beside sampling of every allocation\n", flush=True)
    disagreement = False
    for program in programs:
        one, exact, other = (allocated(jdk, program, variant) for variant in (SAMPLED, EXACT, SAMPLED))
        rows = compare(exact, one, other)
        print(table(program, rows), flush=True)
        disagreement |= not all(row.agrees() for row in rows)
    return int(disagreement)
