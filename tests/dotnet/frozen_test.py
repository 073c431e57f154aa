#!/usr/bin/env python3
"""What a child reads of the heap as memory is what the runtime tells of it: the same graph, the same handles; and on stacks nothing is missing."""
import os
import unittest

import harness
from older_runtime_test import MAY_COME_AND_GO
from oracle_test import run_tool

FIRST = 9  # the first .NET whose heap can be read so
COUNT = 300
GCS = ({}, harness.SERVER_GC)
THREADS, DEPTH, WORDS = 8, 100, 2000
DUMPS_OF_STACKS = int(os.environ.get("HF_DUMPS_OF_STACKS") or 20)
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
        theirs, ours = walked.classes(), frozen.classes()
        different = {name: (theirs.get(name), ours.get(name)) for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)}
        self.assertLessEqual(sum(abs(a.instances - b.instances) if a and b else MAY_COME_AND_GO for a, b in different.values()), MAY_COME_AND_GO, different)
        self.assertEqual({kind: roots(frozen).get(kind) for kind in EXACT_KINDS}, {kind: roots(walked).get(kind) for kind in EXACT_KINDS})

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
