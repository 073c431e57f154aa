#!/usr/bin/env python3
"""The programs and the harness themselves, without the agent: what HeapMaker says of itself holds, also under churn."""
import os
import signal
import subprocess
import sys
import time
import unittest

import harness

COUNT = 50
KINDS = ("instances", "generics", "arrays", "values", "closures", "state-machines", "statics", "generic-statics", "dependents", "handles",
         "finalizables", "frozen", "collectibles", "threads")


class HeapMaker(unittest.TestCase):
    @harness.on_each_runtime
    def test_makes_and_drops_each_kind(self, runtime, _directory):
        with harness.HeapMaker(runtime=runtime) as maker:
            for kind in KINDS:
                before = maker.expected()
                maker.make(kind, COUNT)
                self.assertNotEqual(before, maker.expected(), kind)
            maker.quiet()
            self.assertTrue(maker.sound())
            for kind in KINDS:
                maker.drop(kind)
            maker.quiet()
            left = {name: count for name, count in maker.expected().items() if count}
            self.assertTrue(all(count == 1 for count in left.values()), left)  # containers that stay
            self.assertEqual(maker.exit(7), 7)

    @harness.on_each_runtime
    def test_survives_churn(self, runtime, _directory):
        with harness.HeapMaker(runtime=runtime) as maker:
            maker.make("all", COUNT)
            maker.quiet()
            made = maker.expected()
            maker.churn(3)
            maker.background_collections(True)
            self.assertTrue(maker.sound())
            maker.quiet()
            self.assertEqual(maker.expected(), made)
            self.assertEqual(made["HeapMaker.Kinds.Generics.Box<HeapMaker.Kinds.Generics.Leaf>.Lid<long>"], COUNT)
            self.assertEqual(made["(int, HeapMaker.Kinds.Values.Leaf)"], COUNT)

    @harness.on_each_runtime
    def test_fills_a_limited_heap(self, runtime, _directory):
        for gc in ({}, harness.SERVER_GC):
            with self.subTest(gc), harness.HeapMaker(runtime=runtime, env={**gc, **harness.heap_limit(96 << 20)}) as maker:
                self.assertGreater(int(maker.ask("fill", r"^full (\d+)")[1]), 200)
                maker.ask("huge", r"^refused")
        with harness.HeapMaker(runtime=runtime) as unlimited:
            unlimited.ask("fill", r"^failed InvalidOperationException")


class HeapLoad(unittest.TestCase):
    @harness.on_each_runtime
    def test_measures_a_stand_still(self, runtime, _directory):
        with harness.Clr("HeapLoad", [300_000, "busy=50"], runtime=runtime) as load:
            ready = load.wait_line(r"^READY objects=(\d+) references=(\d+)", 120)
            self.assertAlmostEqual(int(ready[2]) / int(ready[1]), 1.5, 1)
            load.ask("mark", "^marked")
            collected = float(load.ask("collect", r"^collected_ms (\S+)")[1])
            answer = load.ask("stall?", r"^stall_ms (\S+) writes (\d+)")
            self.assertGreater(float(answer[1]), collected / 3)
            load.ask("mark", "^marked")
            harness.suspend(load.pid)
            time.sleep(0.3)
            os.kill(load.pid, signal.SIGCONT)
            self.assertGreater(float(load.ask("stall?", r"^stall_ms (\S+)")[1]), 250)


class Building(unittest.TestCase):
    def test_nothing_happens_when_up_to_date(self):
        harness.build("HeapMaker")
        done = subprocess.run([harness.HERE / "build", "HeapMaker"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "")

    def test_a_missing_sdk_is_no_success(self):
        done = subprocess.run([sys.executable, harness.HERE / "build", "HeapMaker"], capture_output=True, text=True, check=False,
                              env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, harness.SKIP)
        self.assertIn("NOT BUILT", done.stderr)


if __name__ == "__main__":
    harness.main()
