"""Whether exact mode counts the allocations that sampling sees when it samples every one (sample=0), on the programs of accounts_cost.

In the interpreter (-Xint), where no compiler does away with an allocation. Two runs of a program are not quite equal, either: threads race, hash
codes differ. So sampling runs two times, and exact mode may be as far from the nearer one as they are apart, and TOLERANCE more.

Reads `holdfast report --json --section accounts` of a dump at exit: rows_of() alone knows its field names.
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
REPORT = "on=exit,dump=simple,exit-wait=60s"
INTERPRETED = ("-Xint",)
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


def rows_of(report):
    """{(account, class): Count of what was allocated} of a report's JSON."""
    found = {}
    for account in report["accounts"]["accounts"]:
        for row in account["classes"]:
            key = account["account"], harness.plain_name(row["class"])
            found[key] = found.get(key, Count(0, 0)) + Count(row["allocated_objects"], row["allocated_bytes"])
    if not found:
        raise harness.VmError("the report tells no account's classes")
    return found


def compare(exact, one, other):
    """Rows of all accounts' classes, by bytes, largest first."""
    nothing = Count(0, 0)
    rows = [Row(*key, exact.get(key, nothing), (one.get(key, nothing), other.get(key, nothing))) for key in {*exact, *one, *other}]
    return sorted(rows, key=lambda row: (-max(row.exact.bytes, row.sampled[0].bytes), row.account, row.name))


def allocated(jdk, program, variant):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        _, path = run_in(directory, jdk, program, variant, 1, ROUNDS, lambda jvm: harness.wait_report(directory, set(), 300, jvm))
        return rows_of(json.loads(harness.run_command("report", "--json", "--section", "accounts", path).stdout))


def table(program, rows):
    wrong = [row for row in rows if not row.agrees()]
    exact, sampled = (sum(count.bytes for count in column) for column in ([row.exact for row in rows], [row.sampled[0] for row in rows]))
    lines = [f"### {program.name}: {len(rows) - len(wrong):,} of {len(rows):,} accounts' classes agree; exact {exact:,} bytes, sampled {sampled:,}", ""]
    if wrong:
        lines += ["| account | class | exact: objects, bytes | sampled | sampled again |", "|---|---|---:|---:|---:|"]
        lines += [f"| {row.account} | {row.name} | {' | '.join(f'{c.instances:,}, {c.bytes:,}' for c in (row.exact, *row.sampled))} |" for row in wrong[:SHOWN]]
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
