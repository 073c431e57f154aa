#!/usr/bin/env python3
"""Dumps that nobody asks for, with real JVMs: a period, a full collection, a heap that fills up, the last OutOfMemoryError; and no room on the disk."""
import contextlib
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import harness
import heap_kinds
from awaited import reports, said, triggers, wait_reports, wait_said

JDKS = harness.jdks()
# Those that tell a full collection from others, and what a collection of the whole heap has left.
TELLING = ("Serial", "Parallel", "G1")
# Those that do not, and whose pauses tell what a heap holds at most. The Z of 11 keeps so much in reserve that a small heap is never 80 % full.
BESIDE = ("Shenandoah", "Z", "Z, generations")
SILENT = ("Epsilon", "Shenandoah, generations")


def start(jdk, options, *vm_args):
    return harness.victim("Filler", jdk, ["-Xmx128m", *vm_args], options)


@contextlib.contextmanager
def small_disk(test, kilobytes):
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", directory], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            test.skipTest(f"no small file system can be mounted: {done.stderr.strip()}")
        try:
            yield directory
        finally:
            subprocess.run(["umount", directory], check=True)


def with_each_collector(names):
    """Runs test(self, jdk, flag, directory) with a JDK in turn and each of these collectors."""
    def decorate(test):
        chosen = harness.in_turn()

        def run(self):
            for jdk in chosen:
                for name in names:
                    if name == "Z" and jdk.version < 15:
                        continue
                    with self.subTest(f"{jdk}, {name}"), tempfile.TemporaryDirectory(prefix="holdfast trigger ") as directory:
                        test(self, jdk, f"-XX:+Use{name}GC", pathlib.Path(directory))
        run.__name__ = test.__name__
        return run
    return decorate


def with_each_kind(names):
    """The same with these of heap_kinds, as far as the JDK has them; flags is a list."""
    def decorate(test):
        chosen = harness.in_turn()

        def run(self):
            kinds = [(jdk, name, flags) for jdk in chosen for name, flags in heap_kinds.collectors(jdk).items() if name in names]
            for jdk, name, flags in kinds:
                if name == "Z" and jdk.version < 15:
                    continue
                with self.subTest(f"{jdk}, {name}"), tempfile.TemporaryDirectory(prefix="holdfast trigger ") as directory:
                    test(self, jdk, flags, pathlib.Path(directory))
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run
    return decorate


class Period(unittest.TestCase):
    @harness.on_a_jdk_in_turn
    def test_every_second_a_simple_report_and_the_newest_stay(self, jdk, directory):
        with start(jdk, f"dir={directory},every=1s,max-dumps=3,dump=extended") as jvm:
            time.sleep(6.6)
            jvm.ask("collect", "^COLLECTED")
            self.assertEqual(said(jvm), [])
        kept = reports(directory)
        self.assertEqual(len(kept), 3)
        numbers = [report.field("sequence") for report in kept]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 3)))
        self.assertIn(numbers[-1], (5, 6, 7))  # about one a second
        for report in kept:
            self.assertEqual(report.field("trigger"), "every")
            self.assertEqual(report.field("kind"), "simple")
            self.assertEqual(report.data["options"]["every"], "1s")
        gaps = [b.field("started_utc_ms") - a.field("started_utc_ms") for a, b in zip(kept, kept[1:])]
        for gap in gaps:
            self.assertTrue(700 <= gap <= 1800, gaps)


class Collections(unittest.TestCase):
    @with_each_collector(TELLING)
    def test_a_full_collection_fires_and_a_young_one_does_not(self, jdk, flag, directory):
        with start(jdk, f"dir={directory},on=gc,cooldown=0", flag) as jvm:
            jvm.ask("churn 1000", "^CHURNED")
            time.sleep(0.2)
            self.assertEqual(harness.reports_in(directory), set())
            jvm.ask("collect", "^COLLECTED")
            wait_reports(jvm, directory, 1)
            jvm.ask("churn 500", "^CHURNED")
            time.sleep(1)  # the first dump is over when its report has been there for a moment
            jvm.ask("collect", "^COLLECTED")
            wait_reports(jvm, directory, 2)
            time.sleep(0.2)
            self.assertEqual(said(jvm), [])
        self.assertEqual(triggers(directory), ["gc", "gc"])

    @harness.on_a_jdk_in_turn
    def test_the_cooldown_refuses_and_the_report_counts(self, jdk, directory):
        with start(jdk, f"dir={directory},on=gc+signal,cooldown=1h,log=info") as jvm:
            jvm.ask("collect", "^COLLECTED")
            wait_reports(jvm, directory, 1)
            wait_said(jvm, "holdfast: report ", 1)
            for number in range(1, 4):
                jvm.ask("collect", "^COLLECTED")
                wait_said(jvm, "dump (gc): refused", number)
            jvm.data_dump()
            wait_reports(jvm, directory, 2)
        last = reports(directory)[-1]
        self.assertEqual(last.field("trigger"), "signal")
        self.assertEqual(last.field("refused_requests"), 3)
        self.assertEqual(last.data["options"]["cooldown"], "3600s")
        self.assertEqual(last.data["options"]["on"], "signal+gc")

    def silent(self, jdk, directory, *flags):
        options = f"dir={directory},on=gc+signal,heap-above=10%,cooldown=0"
        with start(jdk, options, *flags) as jvm:
            jvm.ask("hold 20", "^HELD")
            jvm.ask("collect", "^COLLECTED")
            time.sleep(0.3)
            lines = said(jvm)
            self.assertEqual(len(lines), 2, lines)
            self.assertIn("on=gc cannot work", lines[0])
            self.assertIn("heap-above= cannot work", lines[1])
            self.assertEqual(harness.reports_in(directory), set())
            jvm.data_dump()  # the rest works
            wait_reports(jvm, directory, 1)

    @harness.on_a_jdk_in_turn
    def test_without_the_vms_counters_it_is_said_and_nothing_fires(self, jdk, directory):
        self.silent(jdk, directory, "-XX:-UsePerfData")

    @with_each_kind(SILENT)
    def test_a_collector_that_does_not_tell_is_named(self, jdk, flags, directory):
        self.silent(jdk, directory, *flags)


class HeapAbove(unittest.TestCase):
    @with_each_collector(TELLING)
    def test_a_filling_heap_is_dumped_before_it_is_full_and_again_when_it_is(self, jdk, flag, directory):
        with start(jdk, f"dir={directory},on=oom,heap-above=80%,log=info", flag) as jvm:
            jvm.ask("hold 50", "^HELD", 120)
            jvm.ask("churn 500", "^CHURNED")
            time.sleep(0.2)
            self.assertEqual(harness.reports_in(directory), set(), "half full is no reason")
            jvm.ask("overflow", "^FULL", 240)
            wait_reports(jvm, directory, 2)
            time.sleep(0.5)
            told = [line for line in jvm.lines if "accepted" in line]
        both = reports(directory)
        self.assertEqual([report.field("trigger") for report in both], ["heap-above", "oom"], told)
        for report in both:
            self.assertEqual(report.field("rung"), "frozen")
            self.assertEqual(report.field("kind"), "extended")
            self.assertGreater(report.classes()["byte[]"].bytes, 60 << 20)
        self.assertGreater(both[0].field("heap_used_before_bytes"), 0.75 * both[0].field("heap_max_bytes"))
        self.assertIn("byte[]", str(both[1].first_suspect()))

    @with_each_kind(BESIDE)
    def test_a_heap_that_fills_up_beside_its_collector_is_dumped_before_it_is_full(self, jdk, flags, directory):
        with start(jdk, f"dir={directory},on=gc,heap-above=80%,cooldown=0", *flags) as jvm:
            jvm.ask("hold 50", "^HELD", 120)
            jvm.ask("litter 3 2", "^LITTERED")
            time.sleep(0.2)
            self.assertEqual(harness.reports_in(directory), set(), "half full is no reason")
            jvm.ask("grow 60 97 18", "^GROWN", 120)
            early = triggers(directory)
            lines = said(jvm)
        self.assertIn("heap-above", early)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("on=gc cannot work", lines[0])
        first = reports(directory)[0]
        self.assertGreater(first.field("heap_used_before_bytes"), 0.8 * first.field("heap_max_bytes"))
        if first.field("kind") == "extended":  # without garbage, then
            self.assertGreater(first.classes()["byte[]"].bytes, 0.7 * first.field("heap_max_bytes"))

    @with_each_kind(BESIDE)
    def test_garbage_alone_never_fires_beside_its_collector(self, jdk, flags, directory):
        """Made as fast as can be, so that every page is taken as soon as it is free."""
        with start(jdk, f"dir={directory},on=off,heap-above=85%,cooldown=0", *flags) as jvm:
            jvm.ask("hold 64", "^HELD", 120)
            jvm.ask("litter 12 5", "^LITTERED", 120)
            time.sleep(0.2)
            self.assertEqual(harness.reports_in(directory), set())
            self.assertEqual(said(jvm), [])

    @harness.on_a_jdk_in_turn
    def test_garbage_alone_never_fires(self, jdk, directory):
        """With a young generation so large that it is above the threshold before each collection."""
        with start(jdk, f"dir={directory},on=off,heap-above=70%,cooldown=0") as jvm:
            jvm.ask("hold 40", "^HELD", 120)
            jvm.ask("churn 8000", "^CHURNED", 240)
            time.sleep(0.2)
            self.assertEqual(harness.reports_in(directory), set())

    @harness.on_a_jdk_in_turn
    def test_it_is_armed_again_after_a_fall(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off,heap-above=60%,cooldown=0") as jvm:
            jvm.ask("hold 65", "^HELD", 120)
            jvm.ask("collect", "^COLLECTED")
            wait_reports(jvm, directory, 1)
            for _ in range(3):
                jvm.ask("collect", "^COLLECTED")
            time.sleep(0.5)
            self.assertEqual(len(harness.reports_in(directory)), 1)
            jvm.ask("drop", "^DROPPED")
            jvm.ask("collect", "^COLLECTED")
            time.sleep(1)
            jvm.ask("hold 65", "^HELD", 120)
            jvm.ask("collect", "^COLLECTED")
            wait_reports(jvm, directory, 2)
        self.assertEqual(triggers(directory), ["heap-above"] * 2)

    @harness.on_a_jdk_in_turn
    def test_together_with_all_others_until_the_exit(self, jdk, directory):
        options = f"dir={directory},on=oom+exit+gc,heap-above=50%,cgroup-above=99%,every=1s,cooldown=0,max-dumps=1000"
        with start(jdk, options) as jvm:
            jvm.ask("hold 60", "^HELD", 120)
            jvm.ask("collect", "^COLLECTED")
            deadline = time.monotonic() + 30  # a period that ends while another dump runs is refused
            while "every" not in triggers(directory) and time.monotonic() < deadline:
                time.sleep(0.2)
            jvm.ask("overflow", "^FULL", 240)
            jvm.send("exit")
            deadline = time.monotonic() + 60
            while jvm.running() and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(jvm.stop(), 0)
        seen = triggers(directory)
        self.assertEqual(seen[-1], "exit", seen)
        for trigger in ("heap-above", "every", "oom"):
            self.assertIn(trigger, seen)


class Disk(unittest.TestCase):
    def test_without_room_nothing_is_stopped_and_the_line_has_both_figures(self):
        with small_disk(self, 1500) as directory:
            with start(JDKS[-1], f"dir={directory}") as jvm:
                jvm.data_dump()
                line = jvm.wait_line(r"holdfast: dump 1 refused: the disk is too full: (.*)").group(1)
                self.assertRegex(line, rf"{re.escape(directory)} has 1\d\d\d KB free, the report may need 2048 KB")
                self.assertEqual(list(pathlib.Path(directory).iterdir()), [])
                jvm.agent_load("dump:simple")  # which fits
                wait_reports(jvm, directory, 1)
                self.assertEqual(reports(directory)[0].field("kind"), "simple")

    def test_a_graph_that_would_fill_the_disk_is_left_out(self):
        with small_disk(self, 4096) as directory:
            with start(JDKS[-1], f"dir={directory},snapshot=on") as jvm:
                jvm.ask("hold 50", "^HELD", 120)
                jvm.data_dump()
                wait_reports(jvm, directory, 1)
            [report] = reports(directory)
            self.assertTrue(any("no snapshot" in note and directory in note for note in report.data["notes"]), report.data["notes"])
            self.assertEqual(list(pathlib.Path(directory).glob("*.hfs")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
