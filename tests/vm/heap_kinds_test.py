#!/usr/bin/env python3
"""With every collector and every layout that a JDK has, the report of a walk counts what the VM counts, and the application is unharmed."""
import pathlib
import tempfile
import unittest

import compare_histogram
import harness
import heap_kinds
from bad_luck_test import start

NODES = 20_000
TAGGED = ("Z", "Epsilon", "CMS")  # there the agent does not know where the heap lies
TAG_BYTES = 60  # the least that a VM takes for one


class HeapKinds(unittest.TestCase):
    def test_every_collector(self):
        self.each(heap_kinds.collectors, least=4)

    def test_every_layout(self):
        self.each(heap_kinds.layouts, least=4)

    def each(self, kinds, least):
        for jdk in harness.jdks():
            chosen = kinds(jdk)
            print(f"{jdk}: {', '.join(chosen)}", flush=True)
            self.assertGreaterEqual(len(chosen), least, "a JDK has more than that")
            for name, arguments in chosen.items():
                with self.subTest(f"{jdk}, {name}"), tempfile.TemporaryDirectory(prefix="holdfast kinds ") as directory:
                    self.check(jdk, arguments, pathlib.Path(directory), by_address=not name.startswith(TAGGED))

    def check(self, jdk, arguments, directory, by_address):
        with start(jdk, f"dir={directory},dump=extended,capture=walk", f"-Dnodes={NODES}", *arguments) as jvm:
            take_dump = lambda: harness.Report(harness.dump(jvm, directory, "dump=extended,capture=walk"))
            report, live = compare_histogram.dump_while_quiet(jvm, take_dump)
            self.assertEqual((report.field("kind"), report.data["notes"]), ("extended", []))
            self.assertEqual(report.classes()["Victim$Node"].instances, NODES)
            tags = report.data["memory"]["vm_tag_bytes_estimate"]
            (self.assertLess if by_address else self.assertGreater)(tags, NODES * TAG_BYTES)
            self.assertEqual(compare_histogram.compare(report.classes(), live).wrong(), [])
            self.assertEqual(jvm.ask("check", r"^SOUND (\w+)").group(1), "true")


if __name__ == "__main__":
    unittest.main()
