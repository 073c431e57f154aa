#!/usr/bin/env python3
"""An ASP.NET Core service under load is dumped again and again: it lives, answers, and its heap is told rightly."""
import contextlib
import os
import unittest

import harness

OBJECTS = 200_000
CONNECTIONS = 2
LEAST_ANSWERS = 200
DUMPS = int(os.environ.get("HF_DUMPS_OF_A_SERVICE") or 4)
FIRST_FROZEN = 9
GCS = ({}, harness.SERVER_GC)
AGENT = "on=off,memory=1g,pause=1h,cooldown=0s,max-dumps=2"
ENTRIES = "HeapLoad.Heap.Entry"


class Service(unittest.TestCase):
    @contextlib.contextmanager
    def serving(self, runtime, directory, gc):
        """(the service, what asks it)"""
        with harness.Clr("WebLoad", ["serve", OBJECTS], f"dir={directory},{AGENT}", runtime, env=gc) as service:
            url = service.wait_line(r"^READY (\S+)", 60)[1]
            with harness.Process("crowd", [*harness.start_words("WebLoad"), "ask", url, CONNECTIONS], env=harness.environment()) as crowd:
                crowd.wait_line("^READY", 60)
                harness.wait_until(lambda: self.answers(crowd) >= LEAST_ANSWERS, 60, "answers")
                yield service, crowd

    def answers(self, crowd):
        return int(crowd.ask("answers?", r"^answers (\d+)")[1])

    @harness.on_each_runtime
    def test_it_lives_and_answers(self, runtime, directory):
        capture = "frozen" if runtime.version >= FIRST_FROZEN else "walk"
        for gc in GCS:
            with self.subTest(gc), self.serving(runtime, directory, gc) as (service, crowd):
                before = self.answers(crowd)
                for _ in range(DUMPS):
                    report = harness.Report(service.dump("--extended", "--capture", capture))
                    self.assertEqual(report.field("rung"), capture, report.data["notes"])
                    self.assertEqual(report.classes()[ENTRIES].instances, OBJECTS // 50 * 24)
                    self.assertGreater(report.classes()["WebLoad.Shop.Placed"].instances, 0)
                    self.assertTrue(report.data["losses"]["heap_complete"])
                self.assertGreater(self.answers(crowd), before)
                self.assertTrue(service.running())

    @harness.on_each_runtime
    def test_both_ways_in_turn(self, runtime, directory):
        if runtime.version < FIRST_FROZEN:
            return
        with self.serving(runtime, directory, {}) as (service, crowd):
            for capture in ("walk", "frozen", "walk", "frozen"):
                report = harness.Report(service.dump("--extended", "--capture", capture))
                self.assertEqual(report.field("rung"), capture, report.data["notes"])
            self.assertGreater(self.answers(crowd), 0)


if __name__ == "__main__":
    harness.main()
