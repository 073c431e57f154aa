#!/usr/bin/env python3
"""on=growth against real JVMs: a program that leaks gets one extended dump, which names the leak; one that only allocates gets none, as long.

Both run side by side, by the frozen capture, on the newest JDK (three minutes); with HF_JDKS on those. What counts without it (histograms in place, after full collections) is tried with a
scripted VM in common/triggers/growth_test.cpp.
"""
import os
import pathlib
import re
import sys
import tempfile
import time
import unittest

import harness

HERE = pathlib.Path(__file__).resolve().parent
LEAK = "Grower$Session"
SAMPLE_S = 5       # Growth::kShortestIntervalNs
SAMPLES = 24       # to the first alarm
PATIENCE_S = SAMPLE_S * SAMPLES * 5  # a machine that is shared makes samples dearer, and so rarer
HEAP = ("-Xmx512m", "-Xms512m")
JDKS = harness.jdks() if os.environ.get("HF_JDKS") else harness.jdks()[-1:]


class Pair:
    """A leaking and a resting JVM, each with a directory of its own."""

    def __init__(self, jdk, root):
        classes = harness.compile_java("grower", [HERE / "victim" / "Grower.java"])
        self.jvms = {}
        for manner in ("leak", "rest"):
            (root / manner).mkdir()
            self.jvms[manner] = harness.Jvm(jdk, [*HEAP, "-cp", classes, "Grower", manner],
                                            f"dir={root / manner},on=growth,log=debug")
        self.root = root

    def __enter__(self):
        for jvm in self.jvms.values():
            jvm.wait_line(r"^READY")
        return self

    def __exit__(self, *_):
        for jvm in self.jvms.values():
            jvm.stop()

    def reports(self, manner):
        return sorted(harness.reports_in(self.root / manner))

    def wait_leak(self, timeout_s):
        deadline = time.monotonic() + timeout_s
        while not self.reports("leak") and time.monotonic() < deadline:
            time.sleep(0.5)
        return self.reports("leak")

    def printed(self, manner, pattern):
        return [match for line in list(self.jvms[manner].lines) if (match := re.search(pattern, line))]


class GrowthTest(unittest.TestCase):
    def check(self, pair, kind):
        begun = time.monotonic()
        reports = pair.wait_leak(PATIENCE_S)
        took_s = time.monotonic() - begun
        self.assertEqual(len(reports), 1, "\n".join(pair.jvms["leak"].lines[-30:]))
        # As long again as three samples take: the leak goes on, and the same class is not dumped for twice; the other program rests.
        time.sleep(3 * SAMPLE_S)
        self.assertEqual(pair.reports("leak"), reports)
        # A machine that is busy gives the other its samples later.
        while len(taken := pair.printed("rest", rf"class histogram {kind}")) < SAMPLES and time.monotonic() < begun + PATIENCE_S:
            time.sleep(0.5)
        self.assertGreaterEqual(len(taken), SAMPLES, pair.jvms["rest"].lines[-30:])
        self.assertEqual(pair.reports("rest"), [])
        report = harness.Report(reports[0])
        self.assertEqual(report.field("trigger"), "growth")
        self.assertIn(LEAK, str(report.data["suspects"][0]))
        notes = [note for note in map(str, report.data["notes"]) if "grow" in note]
        self.assertTrue(notes and LEAK in notes[0] and "(p<0.001)" in notes[0], report.data["notes"])
        print(f"{pair.jvms['leak'].jdk}, {kind}: {notes[0]!r} after {took_s:.0f} s; {len(taken)} histograms of the other", file=sys.stderr)

    def test_a_leak_is_dumped_for_and_a_load_is_not(self):
        for jdk in JDKS:
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast-growth-") as root, \
                    Pair(jdk, pathlib.Path(root)) as pair:
                self.check(pair, "by a child")


if __name__ == "__main__":
    unittest.main()
