#!/usr/bin/env python3
"""The first suspect of the demo's report is the forgotten sessions: class, holder, path with the static field's name, retained bytes."""
import tempfile
import unittest

import harness
from programs_test import Demo

SESSIONS = 4_000
SESSION_BYTES = 8_000  # the cart alone
# Before, Parallel makes what compiled code refers to a GC root (of kind other) while it is young: the map itself, not its static field.
YOUNG_CONSTANTS_ARE_NO_ROOTS = 17


class FirstSuspect(unittest.TestCase):
    def test_is_the_forgotten_sessions(self):
        for jdk in harness.jdks():
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast demo ") as directory:
                with Demo.start(jdk, [], f"dir={directory},on=signal,dump=extended", directory) as service:
                    if jdk.version < YOUNG_CONSTANTS_ARE_NO_ROOTS:
                        service.collect()
                    before = harness.reports_in(directory)
                    service.quit_signal()
                    report = harness.Report(harness.wait_report(directory, before, 60, service))
                self.check(report)

    def check(self, report):
        suspect = report.first_suspect()
        for word in ("shop.Session", "shop.SessionRegistry", "SESSIONS"):
            self.assertIn(word, str(suspect))
        self.assertGreater(suspect["retained_bytes"], SESSIONS * SESSION_BYTES)
        self.assertEqual(report.classes()["shop.Session"].instances, SESSIONS)
        text = harness.run_command("report", report.path).stdout
        self.assertIn("SESSIONS", text)


if __name__ == "__main__":
    unittest.main()
