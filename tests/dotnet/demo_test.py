#!/usr/bin/env python3
"""The demo's report names the leak: the sessions, the static event that holds them, its class; and the smaller leaks are counted."""
import importlib.machinery
import importlib.util
import re
import unittest

import harness

HERE = harness.HERE
SESSION_BYTES = 8_000  # the cart alone


def demo():
    """The script beside this one, which has no ending."""
    loader = importlib.machinery.SourceFileLoader("demo", str(HERE / "demo"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("demo", loader))
    loader.exec_module(module)
    return module


class Report(unittest.TestCase):
    @harness.on_each_runtime
    def test_names_the_leaks(self, runtime, directory):
        script = demo()
        service, port = script.start_service(f"dir={directory},on=off,pause=1h", runtime)
        with service:
            script.drive_all(port)
            report = harness.Report(service.dump("--extended"))
        self.check_suspect(report.first_suspect(), script.LOGINS)
        self.check_counts(report.classes(), script)
        text = harness.run_command("report", report.path).stdout
        self.assertRegex(text.split("SUSPECT 2")[0], r"PriceFeed")

    def check_suspect(self, suspect, logins):
        for word in ("Shop.Session", "Shop.PriceFeed", "Changed"):
            self.assertIn(word, str(suspect))
        self.assertGreater(suspect["retained_bytes"], logins * SESSION_BYTES)

    def check_counts(self, classes, script):
        """What each of the mistakes keeps."""
        leaked = {"Shop.Session": script.LOGINS, "Shop.ProductView": script.LOGINS, "Shop.ArticlePage": script.LOGINS,
                  "Shop.Reservation": script.RESERVATIONS, "System.Threading.TimerQueueTimer": script.RESERVATIONS,
                  "System.Reflection.LoaderAllocator": script.RELOADS}
        for name, least in leaked.items():
            self.assertGreaterEqual(classes[name].instances, least, name)
        closures = [count.instances for name, count in classes.items() if re.fullmatch(r"Shop\.Audit\.<>c__DisplayClass\w+", name)]
        self.assertEqual(closures, [script.LOGINS])


if __name__ == "__main__":
    harness.main()
