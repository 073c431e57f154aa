#!/usr/bin/env python3
"""The oracles against each other, without the agent: HeapMaker's own counters, and a debugger's library that reads its memory."""
import unittest

import harness

COUNT = 200
# Held by what the library does not know as roots: the frozen heap, and thread statics of generic classes.
NOT_REACHED = {"HeapMaker.Kinds.Frozen.WithoutReferences", "HeapMaker.Kinds.GenericStatics.Held<byte>"}


class TwoOracles(unittest.TestCase):
    maxDiff = None

    @harness.on_each_runtime
    def test_agree_on_every_class(self, runtime, directory):
        for gc in ({}, harness.SERVER_GC, harness.NO_CONCURRENT_GC):
            with self.subTest(gc), harness.HeapMaker(runtime=runtime, env=gc) as maker:
                maker.make("all", COUNT)
                expected = maker.expected()
                maker.quiet()
                seen = harness.Inspection(maker, directory / "graph")
                self.check_counts(expected, seen)
                if gc != harness.SERVER_GC:  # of its handle tables, one for each heap, the library reads the first
                    self.check_reached(expected, seen)
                self.assertGreater((directory / "graph").stat().st_size, 20 * seen.data["objects"])
                maker.drop("instances")
                maker.quiet()
                self.assertEqual(harness.Inspection(maker).classes().get("HeapMaker.Kinds.Instances.Link"), None)

    def check_counts(self, expected, seen):
        classes = seen.classes()
        self.assertGreater(len(expected), 60)
        self.assertEqual({name: classes.get(name, harness.Count(0, 0)).instances for name in expected}, expected)

    def check_reached(self, expected, seen):
        reached = seen.reached()
        self.assertEqual({name: reached.get(name, 0) for name in expected if name not in NOT_REACHED},
                         {name: count for name, count in expected.items() if name not in NOT_REACHED})
        for kind, least in (("StrongHandle", COUNT), ("PinnedHandle", COUNT), ("FinalizerQueue", COUNT), ("Stack", 64)):
            self.assertGreaterEqual(seen.roots().get(kind, 0), least, kind)


if __name__ == "__main__":
    harness.main()
