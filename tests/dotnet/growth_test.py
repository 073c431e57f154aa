#!/usr/bin/env python3
"""on=growth with real CLRs: a program that leaks gets one extended dump, which names the leak; one with as much traffic gets none, as long.

Both run side by side. From .NET 9 on classes are counted in place and only what a collection of the whole heap has left counts; before, each
histogram is such a collection.
"""
import time
import unittest

import harness
from awaited import reports

LEAK = "HeapMaker.Traffic.Session"
SAMPLE_S = 5  # Growth::kShortestIntervalNs
SAMPLES = 24  # to the first alarm
PATIENCE_S = SAMPLE_S * SAMPLES * 4


def start(runtime, directory, manner):
    (directory / manner).mkdir()
    maker = harness.HeapMaker(f"dir={directory / manner},on=growth,pause=1h,log=debug", runtime=runtime)
    maker.ask(f"traffic {manner}", "^traffic ")
    return maker


def histograms(maker):
    return sum("class histogram" in line for line in list(maker.lines))


class Growth(unittest.TestCase):
    @harness.on_each_runtime
    def test_a_leak_is_dumped_for_and_as_much_traffic_is_not(self, runtime, directory):
        with start(runtime, directory, "leaks") as leaking, start(runtime, directory, "steady") as steady:
            deadline = time.monotonic() + PATIENCE_S
            while not harness.reports_in(directory / "leaks") and time.monotonic() < deadline:
                time.sleep(0.5)
            self.assertEqual(len(reports(directory / "leaks")), 1, leaking.complaint("no dump"))
            time.sleep(3 * SAMPLE_S)  # the leak goes on; its class is not dumped for again at once
            while histograms(steady) < SAMPLES and time.monotonic() < deadline:
                time.sleep(0.5)
            self.assertGreaterEqual(histograms(steady), SAMPLES, steady.complaint("too few samples"))
            self.assertEqual(reports(directory / "steady"), [])
            self.assertEqual(len(reports(directory / "leaks")), 1)
            self.assertTrue(leaking.sound() and steady.sound())
        [report] = reports(directory / "leaks")
        self.assertEqual((report.field("trigger"), report.field("kind")), ("growth", "extended"))
        self.assertIn(LEAK, str(report.first_suspect()))
        [note] = [str(note) for note in report.data["notes"] if "grow" in str(note)]
        self.assertIn(LEAK, note)
        self.assertIn("(p<0.001)", note)


if __name__ == "__main__":
    harness.main()
