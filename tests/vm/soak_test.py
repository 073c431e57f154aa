#!/usr/bin/env python3
"""Dump after dump while a program loads and drops classes, compiles, starts and ends threads, and allocates: no hang, no wrong graph, no leak.

  soak_test.py                    short: a few dumps, each collector on one JDK in turn
  soak_test.py --dumps 500        the table for docs/decisions/035-fork-snapshot-hotspot.md, an hour
  soak_test.py [--jdk 17] [--collector G1] [--seed 1]
A part of the program's graph never changes; it is compared, object by object, with what the standard interface shows of it at rest.
"""
import argparse
import random
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import frozen
import harness

COLLECTORS = ("G1", "Parallel", "Serial")
SHORT = 8
HANG_S = 60
WARM = 5  # dumps before leaks are counted: the first ones touch what is reserved
FIXED = "Churn$Fixed"
MOST_REFUSED = 0.02  # of the dumps: one that a check gives up is no wrong graph, but it must be rare
LEAK_BYTES = 48 << 20  # resident: classes, code and malloc of a program under churn go up and down by less


class Outcome(NamedTuple):
    jdk: object
    collector: str
    dumps: int
    refused: int
    hangs: int
    wrong: int
    classes_per_s: float
    before: frozen.Resources
    after: frozen.Resources
    pauses_ms: list
    first_wrong: str
    first_refusal: str

    def leaks(self):
        """What the process holds more than before; children and threads must be as they were."""
        names = [(name, getattr(self.after, name) - getattr(self.before, name)) for name in ("descriptors", "threads", "children")]
        return [f"{by:+} {name}" for name, by in names if by > 0] + (
            [f"+{self.grown() >> 20} MB"] if self.grown() > LEAK_BYTES else [])

    def grown(self):
        return self.after.resident_bytes - self.before.resident_bytes

    def good(self):
        return not (self.hangs or self.wrong or self.leaks() or self.refused > MOST_REFUSED * self.dumps)

    def row(self):
        return (f"| {self.jdk.version} | {self.collector} | {self.dumps} | {self.refused} | {self.hangs} | {self.wrong} | "
                f"{self.after.descriptors - self.before.descriptors:+} | {self.after.threads - self.before.threads:+} | "
                f"{self.after.children} | {self.grown() / (1 << 20):+.0f} | {sorted(self.pauses_ms)[len(self.pauses_ms) // 2]:.0f} | "
                f"{max(self.pauses_ms):.0f} |")


HEAD = ("| JDK | collector | dumps | refused | hangs | wrong graphs | descriptors | threads | children left | resident, MB | pause, median ms | highest |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")


def quiet_resources(jvm):
    """At rest, so that the program's own threads do not count."""
    jvm.ask("rest", "^DONE rest", 120)
    harness.wait_until(lambda: not frozen.children_of_threads(jvm.pid), HANG_S, "the last child's end")
    time.sleep(0.5)
    jvm.trim()  # what malloc keeps of dropped classes, compilations and threads is no leak: it would hide one
    return frozen.Resources(jvm.pid)


def compare(reference, report):
    """What is wrong with the fixed part, or nothing."""
    done = subprocess.run([frozen.SAME_GRAPH, frozen.snapshot_of(reference), frozen.snapshot_of(report), FIXED],
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def soak(jdk, collector, dumps, seed):
    moments = random.Random(seed)
    done = refused = hangs = wrong = 0
    pauses, first_wrong, first_refusal = [], "", ""
    with tempfile.TemporaryDirectory(prefix="holdfast soak ") as directory:
        flags = ["-Xms256m", "-Xmx256m", "-XX:MaxMetaspaceSize=64m", "-XX:+AlwaysPreTouch", f"-XX:+Use{collector}GC"]
        with harness.victim("Churn", jdk, flags, f"dir={directory},max-dumps=100000,{frozen.AGENT}") as jvm:
            reference = frozen.dump(jvm, directory, "walk")
            jvm.ask("go", "^DONE go")
            begin_rounds, begin = rounds(jvm), time.monotonic()
            before = None
            for number in range(dumps + WARM):
                if number == WARM:
                    before = quiet_resources(jvm)
                    jvm.ask("go", "^DONE go")
                time.sleep(moments.uniform(0, 0.05))
                try:
                    report = frozen.try_dump(jvm, directory, f"dump=extended,capture={frozen.RUNG}", HANG_S)
                except harness.VmError:
                    hangs += 1
                    break
                if report is None:
                    refused += 1
                    first_refusal = first_refusal or " / ".join(frozen.said(jvm))
                    continue
                done += 1
                pauses.append(report.pause_ms() or 0)
                complaint = compare(reference, report) if report.field("rung") == frozen.RUNG else f"rung {report.field('rung')}"
                wrong += bool(complaint)
                first_wrong = first_wrong or complaint
                frozen.snapshot_of(report).unlink(missing_ok=True)
                report.path.unlink()
            per_s = (rounds(jvm) - begin_rounds) / (time.monotonic() - begin)
            if jvm.ask("check", r"^SOUND (\w+)", HANG_S)[1] != "true":
                wrong, first_wrong = wrong + 1, first_wrong or "the application's own data is wrong"
            after = quiet_resources(jvm)
            hangs += any("BROKEN" in line for line in jvm.lines)
            if frozen.leftovers(directory):
                first_wrong, wrong = first_wrong or f"left over: {frozen.leftovers(directory)}", wrong + 1
    return Outcome(jdk, collector, done, refused, hangs, wrong, per_s, before or after, after, pauses or [0],
                   first_wrong, first_refusal)


def rounds(jvm):
    return int(jvm.ask("check", r"^SOUND \w+ (\d+)", HANG_S)[1])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dumps", type=int, default=SHORT)
    parser.add_argument("--jdk", type=int, help="only this version")
    parser.add_argument("--collector", choices=COLLECTORS)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    print(HEAD, flush=True)
    outcomes = []
    for collector in COLLECTORS:
        for jdk in harness.jdks() if arguments else harness.in_turn():
            if chosen.jdk in (None, jdk.version) and chosen.collector in (None, collector):
                outcomes.append(soak(jdk, collector, chosen.dumps, chosen.seed))
                print(outcomes[-1].row(), flush=True)
    for outcome in outcomes:
        if not outcome.good():
            print(f"{outcome.jdk}, {outcome.collector}: {', '.join(outcome.leaks())} {outcome.first_wrong[:2000]} {outcome.first_refusal[:2000]}")
    return 0 if outcomes and all(outcome.good() for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
