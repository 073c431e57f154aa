#!/usr/bin/env python3
"""Who holds the instances of a class, against a program that knows: arrays, static fields, delegates; in reports and beside a watch."""
import unittest

import harness
from reports import Report

COUNT = 5_000
STATICS = "HeapMaker.Kinds.Statics"


def holders_of(report, name):
    row = next(row for row in report.data["holders"] if row["class"] == name)
    return row, {place["place"]: (place["references"], place["referrers"]) for place in row["places"]}


class HoldersTest(unittest.TestCase):
    @harness.on_each_runtime
    def test_the_places_that_the_program_knows(self, runtime, directory):
        with harness.HeapMaker(f"dir={directory},on=off,pause=1h", runtime=runtime) as maker:
            maker.make("statics", COUNT)
            maker.quiet()
            for capture in ("walk", "frozen") if runtime.version >= 9 else ("walk",):
                with self.subTest(capture):
                    self.check(Report(maker.dump("--extended", "--capture", capture)))
            watched = harness.run_command("watch", maker.pid, "--once", "--holders", f"{STATICS}.Held")
            self.assertIn(f"references of 2 {STATICS}.Held[]", watched.stdout)

    def check(self, report):
        row, places = holders_of(report, f"{STATICS}.Held")
        self.assertEqual(row["instances"], COUNT + 3)
        self.assertEqual(places[f"{STATICS}.Held[]"], (COUNT + 1, 2))  # of the list, and of what a thread has of its own
        self.assertEqual(places[f"static {STATICS}.heldByStaticField"], (1, None))
        row, places = holders_of(report, f"{STATICS}.Listener")
        self.assertEqual(row["instances"], COUNT)
        self.assertEqual(sum(references for references, _ in places.values()) + row["rest_references"], COUNT)


if __name__ == "__main__":
    harness.main()
