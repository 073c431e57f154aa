#!/usr/bin/env python3
"""What reports and `watch` say of collections, against a program that knows: GC.CollectionCount, GC.GetTotalPauseDuration, what it held and
dropped. A CLR's agent hears collections while a trigger asks for it, or somebody watches; else it says nothing of them.
"""
import pathlib
import tempfile
import unittest

import harness
from reports import Report
from watching import Watch

MB = 1 << 20
HELD_MB = 60
SLACK = 4 * MB
FORCED = 3  # collections of the whole heap, until the first report
PAUSE_SLACK_MS = 1  # a pause, from the first thread that waits on
# Hears collections, and asks for no dump: the limit is never reached.
HEARD = "heap-above=99%"
MODES = {"workstation": {}, "not concurrent": harness.NO_CONCURRENT_GC, "server": harness.SERVER_GC}


class Collected(harness.Clr):
    def __init__(self, options, mode):
        super().__init__("Collected", agent_options=options, env={**harness.heap_limit(2 << 30), **MODES[mode]})
        self.wait_line(r"^started")

    def collect(self, generation=2):
        """Bytes in use afterwards."""
        return int(self.ask(f"collect {generation}", r"^collected (\d+)")[1])

    def counts(self):
        """Collections of the whole heap, all others, and ms of all pauses."""
        gen0, _, gen2, pause_ms = self.ask("counts", r"^counts (.+)")[1].split()
        return int(gen2), int(gen0) - int(gen2), float(pause_ms)

    def collections(self, kind="--simple"):
        return Report(self.dump(kind)).data["collections"]


def with_each(test):
    def run(self):
        for mode in MODES:
            with self.subTest(mode), tempfile.TemporaryDirectory(prefix="holdfast-collections-") as root:
                test(self, mode, pathlib.Path(root))
    run.__name__ = test.__name__
    return run


class CollectionsTest(unittest.TestCase):
    @with_each
    def test_a_report_tells_what_the_program_knows(self, mode, root):
        with Collected(f"dir={root},{HEARD}", mode) as clr:
            clr.collect(2)
            clr.collect(0)
            clr.ask(f"make {HELD_MB}", "^made")
            held = clr.collect(2)
            clr.ask("drop", "^dropped")
            left = clr.collect(2)
            (whole, young, pause_ms), told = clr.counts(), clr.collections()
            clr.collect(2)
            clr.collect(2)
            clr.collect(0)
            later_counts, later = clr.counts(), clr.collections()
        self.assertEqual(told["full"] + told["concurrent"], whole)
        # The runtime's own whole ones run in the background; a young one that such a one begins with is not told by itself.
        untold = young - told["young"]
        self.assertTrue(0 <= untold <= whole - FORCED, (young, whole, told))
        count = whole + young
        self.assertLess(abs(told["pause_ms"] - pause_ms), PAUSE_SLACK_MS * count)
        heard = told["heard"]
        self.assertEqual(heard["collections"], told["full"] + told["young"])
        self.assertLess(abs(heard["last_before_bytes"] - held), SLACK)
        self.assertLess(abs(heard["last_after_bytes"] - left), SLACK)
        self.assertGreater(heard["reclaimed_bytes"], HELD_MB * MB - SLACK)
        self.assertGreaterEqual(heard["longest_pause_ms"], told["last_pause_ms"])
        self.assertLessEqual(heard["longest_pause_ms"], told["pause_ms"])
        self.assertGreater(told["last_pause_ms"], 0)
        since = later["since_report"]
        self.assertEqual(since["full"] + since["concurrent"], 2)
        self.assertGreaterEqual(since["young"], 1)
        self.assertLess(since["pause_ms"], later_counts[2] - pause_ms + 3 * PAUSE_SLACK_MS)

    @with_each
    def test_nothing_is_told_where_nobody_listens(self, mode, root):
        with Collected(f"dir={root}", mode) as clr:
            clr.collect(2)
            told = clr.collections()
        self.assertIsNone(told)

    @with_each
    def test_who_watches_hears(self, mode, root):
        with Collected(f"dir={root}", mode) as clr:
            with Watch(clr.pid) as watch:
                watch.sample()
                clr.ask(f"make {HELD_MB}", "^made")
                clr.ask("drop", "^dropped")
                clr.collect(2)
                told = watch.sample_with(lambda sample: sample["collections"]["heard"])["collections"]
            self.assertGreater(told["heard"]["reclaimed_bytes"], HELD_MB * MB - SLACK)
            self.assertGreaterEqual(told["full"], 1)
            harness_wait = lambda: clr.collections() is None
            self.assertTrue(any(harness_wait() for _ in range(20)), "who no longer watches no longer hears")


if __name__ == "__main__":
    harness.main()
