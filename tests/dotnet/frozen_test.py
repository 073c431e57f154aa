#!/usr/bin/env python3
"""What a child reads of the heap as memory is what the runtime tells of it: the same graph, the same handles; and on stacks nothing is missing."""
import itertools
import os
import pathlib
import unittest

import harness
from older_runtime_test import MAY_COME_AND_GO
from oracle_test import run_tool

FIRST = 9  # the first .NET whose heap can be read so
COUNT, MANY = 300, 400_000
GCS = ({}, harness.SERVER_GC)
THREADS, DEPTH, WORDS = 8, 100, 2000
DUMPS_OF_STACKS = int(os.environ.get("HF_DUMPS_OF_STACKS") or 20)
FROZEN_CLASSES = {"string", "object", "System.RuntimeType"}  # what the runtime puts where it is never collected, held or not
EXACT_KINDS = ("handle", "pinned_handle", "finalizer")


def dump(maker, capture, *words):
    return harness.Report(maker.dump("--extended", "--capture", capture, "--snapshot", *words))


def roots(report):
    return {row["root_kind"]: row["roots"] for row in report.data["graph"]["root_kinds"]}


class Frozen(unittest.TestCase):
    maxDiff = None

    def start(self, runtime, directory, gc, more=""):
        return harness.HeapMaker(f"dir={directory},on=off,pause=1h,cooldown=0s{more}", runtime=runtime, env=gc)

    def check_same(self, frozen, walked):
        """Objects and references alike; the frozen one has a few objects more, which only words on stacks hold."""
        status, text = run_tool("check_debugger_heap", walked.path.with_suffix(".hfs"), frozen.path.with_suffix(".hfs"), MAY_COME_AND_GO)
        self.assertEqual(status, 0, text)
        status, text = run_tool("check_field_names", walked.path.with_suffix(".hfs"), frozen.path.with_suffix(".hfs"))
        self.assertEqual(status, 0, text)
        theirs, ours = walked.classes(), frozen.classes()
        different = {name: (theirs.get(name), ours.get(name)) for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)}
        apart = sum(abs((a.instances if a else 0) - (b.instances if b else 0)) for a, b in different.values())
        self.assertLessEqual(apart, MAY_COME_AND_GO, different)
        self.assertEqual({kind: roots(frozen).get(kind) for kind in EXACT_KINDS}, {kind: roots(walked).get(kind) for kind in EXACT_KINDS})

    def check_written(self, written, path):
        harness.run_command("analyze", written.path.with_suffix(".hfs"), "-o", path)
        analysed = harness.Report(path)
        counted = {name: row.instances for name, row in written.classes().items()}
        held_by_class = {name: row.instances for name, row in analysed.classes().items()}
        unheld = {name: count - held_by_class.get(name, 0) for name, count in counted.items()}
        self.assertEqual({name for name, count in unheld.items() if count} - FROZEN_CLASSES, set())
        strengths = {row["strength"]: row["objects"] for row in analysed.data["graph"]["strengths"]}
        self.assertEqual(sum(unheld.values()), strengths["unreachable"])
        self.assertEqual(counted["HeapMaker.Kinds.Instances.Link"], MANY + COUNT)
        self.assertEqual(analysed.data["graph"]["objects"], sum(counted.values()))
        held = roots(analysed)
        self.assertGreater(min(held["handle"], held["static_field"], held["possible_stack_slot"]), 0, held)

    @harness.on_each_runtime
    def test_the_graph_is_that_of_a_walk(self, runtime, directory):
        for gc in GCS:
            with self.subTest(gc), self.start(runtime, directory, gc) as maker:
                maker.make("all", COUNT)
                maker.quiet()
                if runtime.version < FIRST:
                    done = harness.run_command("dump", maker.pid, "--extended", "--capture", "frozen", check=False)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn("it begins with .NET 9", done.stderr)
                    continue
                dump(maker, "walk")  # leaves objects of the runtime's own behind
                maker.quiet()
                walked = dump(maker, "walk")
                frozen = dump(maker, "frozen")
                self.assertEqual((frozen.field("rung"), frozen.field("kind")), ("frozen", "extended"))
                self.check_same(frozen, walked)
                self.assertTrue(maker.sound())

    @harness.on_each_runtime
    def test_frozen_captures_under_churn_beside_collections_in_the_background(self, runtime, directory):
        if runtime.version < FIRST:
            return
        for gc in GCS:
            with self.subTest(gc), self.start(runtime, directory, gc) as maker:
                maker.make("instances", COUNT)
                maker.churn(2)
                maker.background_collections(True)
                for _ in range(20):
                    report = dump(maker, "frozen")
                    self.assertEqual(report.field("rung"), "frozen", report.data["notes"])
                    self.assertEqual(report.classes()["HeapMaker.Kinds.Instances.Link"].instances, COUNT)
                maker.background_collections(False)
                maker.churn(0)
                self.assertTrue(maker.sound())

    @harness.on_each_runtime
    def test_a_graph_that_does_not_fit_into_memory_is_written(self, runtime, directory):
        """As is expected where memory= is small, and as is found out when the heap was read where it is larger."""
        if runtime.version < FIRST:
            return
        for gc, (memory, expected) in itertools.product(GCS, (("32m", True), ("64m", False))):
            with self.subTest(gc=gc, memory=memory), self.start(runtime, directory, gc, f",memory={memory}") as maker:
                maker.make("all", COUNT)
                maker.make("instances", MANY)
                maker.quiet()
                written = harness.Report(maker.dump("--extended", "--capture", "frozen"))
                self.assertEqual(written.field("rung"), "frozen, written", written.data["notes"])
                self.assertEqual("the graph is only written" in " ".join(written.data["notes"]), expected, written.data["notes"])
                self.check_written(written, pathlib.Path(directory, "analysed.hfr"))
                self.assertTrue(maker.sound())

    @harness.on_each_runtime
    def test_nothing_is_missing_on_stacks(self, runtime, directory):
        """Under churn, beside collections in the background and thousands of stale words: each frame of each thread alone holds one object."""
        if runtime.version < FIRST:
            return
        for gc in GCS:
            with self.subTest(gc), self.start(runtime, directory, gc) as maker:
                maker.ask(f"deep {THREADS} {DEPTH}", "^deep")
                maker.ask(f"stale {THREADS} {WORDS}", "^stale")
                maker.churn(1)
                maker.background_collections(True)
                for _ in range(DUMPS_OF_STACKS):
                    report = harness.Report(maker.dump("--extended", "--capture", "frozen"))
                    self.assertEqual(report.field("rung"), "frozen", report.data["notes"])
                    self.assertEqual(report.classes()["HeapMaker.DeepThreads.InFrame"].instances, THREADS * DEPTH)
                maker.background_collections(False)
                maker.churn(0)
                maker.ask("stale off", "^stale off")
                maker.ask("deep off", "^deep off")


if __name__ == "__main__":
    harness.main()
