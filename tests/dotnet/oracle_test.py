#!/usr/bin/env python3
"""What the agent reports of a quiet process is what others know of it: HeapMaker by counting, a debugger's library by reading its memory.

An extended dump class by class, and object by object, reference by reference; a simple dump class by class.
"""
import os
import pathlib
import re
import subprocess
import unittest

import harness

TOOLS = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin"
COUNT = 300
RETAINED_DRAWS, SEED = 1_000, 1
BY_OTHER_ROOTS = {"HeapMaker.Kinds.Frozen.WithoutReferences", "HeapMaker.Kinds.GenericStatics.Held<byte>"}  # see inspector_test.py
# Threads and their like, of those that dump and look: there for one reader and not for the other.
MAY_COME_AND_GO = 8


def as_reported(counts):
    """The profiling interface does not tell what the pointers of an array point to."""
    return {re.sub(r"^.+\*\[", "void*[", name): count for name, count in counts.items()}


def run_tool(name, *words):
    done = subprocess.run([TOOLS / name, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Extended(unittest.TestCase):
    maxDiff = None

    @harness.on_each_runtime
    def test_is_what_others_see(self, runtime, directory):
        for gc in ({}, harness.SERVER_GC, harness.NO_CONCURRENT_GC):
            with self.subTest(gc), harness.HeapMaker(f"dir={directory},on=off,snapshot=on,pause=1h", runtime=runtime, env=gc) as maker:
                maker.make("all", COUNT)
                expected = as_reported(maker.expected())
                maker.dump("--extended")  # the end of the first session leaves objects of the runtime's own behind
                maker.quiet()
                report = harness.Report(maker.dump("--extended"))
                seen = harness.Inspection(maker, directory / "graph")
                self.assertTrue(maker.sound())
                self.check_counted(expected, report)
                self.check_handles(report)
                if gc != harness.SERVER_GC:  # of which the library knows half of the handles
                    self.check_read(report, seen)
                self.check_graph(report.path.with_suffix(".hfs"), directory / "graph")
                self.check_retained(report.path.with_suffix(".hfs"))

    def check_counted(self, expected, report):
        ours = report.classes()
        self.assertGreater(len(expected), 60)
        self.assertEqual({name: ours[name].instances if name in ours else 0 for name in expected}, expected)

    def check_handles(self, report):
        """HeapMaker makes COUNT of each kind, and the application's own threads hold more."""
        roots = {row["root_kind"]: row["roots"] for row in report.data["graph"]["root_kinds"]}
        for kind in ("handle", "pinned_handle"):
            self.assertGreaterEqual(roots.get(kind, 0), COUNT, roots)
            self.assertLess(roots[kind], 2 * COUNT, roots)

    def check_read(self, report, seen):
        """Every class, the runtime's own included: its held instances and their bytes."""
        ours, theirs, reached = report.classes(), as_reported(seen.classes()), as_reported(seen.reached())
        self.assertEqual(report.classes_left_out(), 0)
        different = {name: (ours.get(name), reached.get(name)) for name in {*ours, *(n for n, count in reached.items() if count)}
                     if name not in BY_OTHER_ROOTS and abs((ours[name].instances if name in ours else 0) - reached.get(name, 0)) > 0}
        self.assertLessEqual(len(different), MAY_COME_AND_GO, different)
        sizes = {name: (count, theirs[name]) for name, count in ours.items()
                 if name in theirs and count.instances == theirs[name].instances and count.bytes != theirs[name].bytes}
        self.assertEqual(sizes, {})

    def check_graph(self, snapshot, graph):
        status, text = run_tool("check_debugger_heap", snapshot, graph, MAY_COME_AND_GO)
        self.assertEqual(status, 0, text)

    def check_retained(self, snapshot):
        status, text = run_tool("check_retained", snapshot, RETAINED_DRAWS, SEED)
        self.assertEqual(status, 0, text)


class Simple(unittest.TestCase):
    maxDiff = None

    @harness.on_each_runtime
    def test_is_what_others_see(self, runtime, directory):
        for gc in ({}, harness.SERVER_GC):
            with self.subTest(gc), harness.HeapMaker(f"dir={directory},on=off", runtime=runtime, env=gc) as maker:
                maker.make("all", COUNT)
                expected = as_reported(maker.expected())
                maker.quiet()
                ours = harness.Report(maker.dump("--simple")).classes()
                theirs = as_reported(harness.Inspection(maker).classes())
                self.assertEqual({name: ours[name].instances if name in ours else 0 for name in expected}, expected)
                different = {name: (ours.get(name), theirs.get(name)) for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)}
                self.assertLessEqual(len(different), MAY_COME_AND_GO, different)


if __name__ == "__main__":
    harness.main()
