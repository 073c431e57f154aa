#!/usr/bin/env python3
"""What reports and `watch` say of collections, against a program that knows: how often it has called System.gc(), what it held and dropped
before, what its beans count. On each JDK with Serial, Parallel and G1.
"""
import json
import pathlib
import re
import tempfile
import unittest

import harness
from reports import Report, run_command
from watching import Watch

MB = 1 << 20
HELD_MB = 60
SLACK = 6 * MB  # what threads took for allocations to come, the VM's own classes, a region that was not full
HEARD = "heap-above=99%"  # hears collections, and asks for no dump
COLLECTORS = ("-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC")


def start(jdk, collector, options):
    return harness.victim("Collected", jdk, ["-Xms400m", "-Xmx400m", collector], options)


def collect(jvm):
    """Bytes in use afterwards."""
    return int(jvm.ask("collect", r"^collected (\d+)")[1])


def counts(jvm):
    """(collections, ms) of the young and of the full ones, by the program's own beans; G1 on 25 has a third for what is none."""
    told = jvm.ask("counts", r"^counts:(.+)")[1]
    beans = {name: (int(count), int(ms)) for name, count, ms in (bean.split(",") for bean in told.split(":"))}
    full = next(name for name in beans if re.search(r"MarkSweep|Old Gen", name))
    young = next(name for name in beans if re.search(r"^Copy|Scavenge|Young Gen", name))
    return beans[young], beans[full]


def dumped(jvm, kind="--simple"):
    return Report(run_command("dump", jvm.pid, kind).stdout.strip()).data["collections"]


def with_each(test):
    def run(self):
        for jdk in harness.jdks():
            for collector in COLLECTORS:
                with self.subTest(f"{jdk} {collector}"), tempfile.TemporaryDirectory(prefix="holdfast-collections-") as root:
                    test(self, jdk, collector, pathlib.Path(root))
    run.__name__ = test.__name__
    return run


class CollectionsTest(unittest.TestCase):
    @with_each
    def test_a_report_tells_what_the_last_one_found_and_left(self, jdk, collector, root):
        with start(jdk, collector, f"dir={root},{HEARD}") as jvm:
            collect(jvm)
            jvm.ask(f"make {HELD_MB}", "^made")
            held = collect(jvm)
            jvm.ask("drop", "^dropped")
            left = collect(jvm)
            told, ((young, young_ms), (full, full_ms)) = dumped(jvm), counts(jvm)
            jvm.ask(f"make {HELD_MB}", "^made")
            collect(jvm)
            jvm.ask("drop", "^dropped")
            collect(jvm)
            later = dumped(jvm, "--extended")
        self.assertEqual((told["young"], told["full"]), (young, full))
        self.assertEqual(full, 3)
        self.assertLess(abs(told["pause_ms"] - young_ms - full_ms), 2 * (young + full) + 2)
        heard = told["heard"]
        self.assertLess(abs(heard["last_before_bytes"] - held), SLACK)
        self.assertLess(abs(heard["last_after_bytes"] - left), SLACK)
        self.assertGreater(heard["last_before_bytes"] - heard["last_after_bytes"], HELD_MB * MB - SLACK)
        self.assertGreaterEqual(heard["reclaimed_bytes"], heard["last_before_bytes"] - heard["last_after_bytes"])
        self.assertGreaterEqual(heard["collections"], 3)
        self.assertGreaterEqual(heard["longest_pause_ms"], told["last_pause_ms"])
        self.assertGreater(told["last_pause_ms"], 0)
        self.assertLessEqual(heard["longest_pause_ms"], told["pause_ms"])
        self.assertIsNone(told["since_report"])
        self.assertEqual(later["since_report"]["full"], 2)
        reclaimed = later["since_report"]["reclaimed_bytes"]
        self.assertGreater(reclaimed, HELD_MB * MB - SLACK)
        self.assertLess(abs(later["heard"]["reclaimed_bytes"] - heard["reclaimed_bytes"] - reclaimed), MB)

    @with_each
    def test_without_anybody_who_listens_counts_and_pauses_are_told(self, jdk, collector, root):
        with start(jdk, collector, f"dir={root}") as jvm:
            collect(jvm)
            collect(jvm)
            told, ((young, _), (full, _)) = dumped(jvm), counts(jvm)
        self.assertEqual((told["young"], told["full"], told["heard"]), (young, full, None))
        self.assertGreater(told["last_pause_ms"], 0)

    @with_each
    def test_who_watches_hears(self, jdk, collector, root):
        with start(jdk, collector, f"dir={root}") as jvm, Watch(jvm.pid) as watch:
            before = watch.sample()["collections"]
            jvm.ask(f"make {HELD_MB}", "^made")
            jvm.ask("drop", "^dropped")
            collect(jvm)
            told = watch.sample_with(lambda sample: sample["collections"]["heard"])["collections"]
        self.assertIsNone(before["heard"])
        self.assertEqual(told["full"], before["full"] + 1)
        heard = told["heard"]
        self.assertGreater(heard["reclaimed_bytes"], HELD_MB * MB - SLACK)
        with start(jdk, collector, f"dir={root}") as jvm:
            once = json.loads(run_command("watch", jvm.pid, "--once", "--json").stdout)["collections"]
        self.assertIsNone(once["heard"])


if __name__ == "__main__":
    unittest.main()
