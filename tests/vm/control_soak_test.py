#!/usr/bin/env python3
"""Dump after dump by `holdfast dump PID`, with a status between them: what the process holds afterwards is what it held before.

  control_soak_test.py                  short: a few dumps on the oldest and the newest JDK
  control_soak_test.py --dumps 1000     the table for docs/decisions/011-control-socket.md, twenty minutes
  control_soak_test.py [--jdk 17] [--detach-every 50]
"""
import argparse
import pathlib
import sys
import tempfile
import time

import frozen
import harness
from talk import ledger_bytes, status

SHORT = 12
WARM = 5  # dumps before leaks are counted: the first ones touch what is reserved
KINDS = ("--extended", "--simple", "--extended")
LEAK_BYTES = 32 << 20  # resident; the VM's own goes up and down by less
COLUMNS = ("resident_bytes", "descriptors", "threads", "mappings")


class Held:
    def __init__(self, jvm, agent=True):
        harness.wait_until(lambda: not frozen.children_of_threads(jvm.pid), 60, "the last child's end")
        jvm.trim()
        self.resources = frozen.Resources(jvm.pid)
        self.ledger = ledger_bytes(jvm.pid) if agent else 0

    def __getattr__(self, name):
        return getattr(self.resources, name)


def one_dump(jvm, number):
    """Its complaint, or nothing. The report is read and removed."""
    done = harness.run_command("dump", jvm.pid, KINDS[number % len(KINDS)], check=False)
    if done.returncode != 0:
        return done.stderr.strip()
    path = pathlib.Path(done.stdout.strip())
    if number % 10 == 0:
        harness.Report(path)
        status(jvm.pid)
    path.unlink()
    return ""


def soak(jdk, dumps, detach_every):
    """(row, complaints)"""
    complaints, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="holdfast soak ") as directory:
        flags = ["-Xms128m", "-Xmx128m", "-XX:MaxMetaspaceSize=64m", "-XX:+AlwaysPreTouch", "-Drows=50000"]
        with harness.victim("Hardship", jdk, flags, f"dir={directory},max-dumps=100000,memory=256m") as jvm:
            before, began = None, 0
            for number in range(dumps + WARM):
                if number == WARM:
                    before, began = Held(jvm), time.monotonic()
                if detach_every and number % detach_every == detach_every - 1:
                    harness.run_command("detach", jvm.pid)
                    harness.wait_until(lambda: frozen.control_socket(jvm.pid) is None, 20, "the socket's end")
                    harness.run_command("set", jvm.pid, "on=off")  # attaches again
                wrong = one_dump(jvm, number)
                failed += bool(wrong)
                complaints += [wrong] if wrong else []
            each_ms = (time.monotonic() - began) / dumps * 1000
            if jvm.ask("check", r"^SOUND (\w+)", 120)[1] != "true":
                complaints.append("the application's own data is wrong")
            after = Held(jvm)
            left = [p.name for p in pathlib.Path(directory).iterdir() if not p.is_socket()]
    complaints += leaks(before, after) + ([f"files left: {left[:5]}"] if left else [])
    change = [getattr(after, name) - getattr(before, name) for name in COLUMNS]
    row = (f"| {jdk.version} | {dumps} | {failed} | {before.resident_bytes >> 20} | {change[0] / (1 << 20):+.1f} | {change[1]:+} | {change[2]:+} | "
           f"{change[3]:+} | {before.ledger >> 10} | {(after.ledger - before.ledger) / 1024:+.0f} | {after.children} | {each_ms:.0f} |")
    return row, complaints


def leaks(before, after):
    found = [f"+{after.descriptors - before.descriptors} descriptors"] if after.descriptors > before.descriptors else []
    found += [f"+{after.own_threads - before.own_threads} threads"] if after.own_threads > before.own_threads else []
    found += [f"+{after.ledger - before.ledger} bytes in the ledger"] if after.ledger != before.ledger else []
    found += [f"{after.children} children"] if after.children else []
    grown = after.resident_bytes - before.resident_bytes
    return found + ([f"+{grown >> 20} MB resident"] if grown > LEAK_BYTES else [])


HEAD = ("| JDK | dumps | failed | resident, MB | by the end | descriptors | threads | mappings | ledger, KB | by the end | children left | ms a dump |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dumps", type=int, default=SHORT)
    parser.add_argument("--jdk", type=int, help="only this version")
    parser.add_argument("--detach-every", type=int, default=0, help="detach and attach again after so many dumps")
    chosen = parser.parse_args(arguments)
    print(HEAD, flush=True)
    all_good, any_run = True, False
    for jdk in harness.jdks():
        if chosen.jdk not in (None, jdk.version):
            continue
        any_run = True
        row, complaints = soak(jdk, chosen.dumps, chosen.detach_every)
        print(row, flush=True)
        for complaint in complaints[:5]:
            print(f"{jdk}: {complaint}", flush=True)
        all_good = all_good and not complaints
    return 0 if all_good and any_run else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
