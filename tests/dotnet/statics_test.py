#!/usr/bin/env python3
"""What static fields hold says so: those that the runtime tells of by class and field, those of generic types as such."""
import re
import unittest

import harness

COUNT = 5_000
STATICS = "HeapMaker.Kinds.Statics"


def roots_of(report, name):
    """What is said to hold the objects of this class that are among the largest and are held by a GC root themselves."""
    text = harness.run_command("report", report, "--section", "objects", "--top", "1000", "--width", "300").stdout
    return set(re.findall(rf"^ .+%  {re.escape(name)}\n +GC root: (.+)$", text, re.MULTILINE))


class StaticsTest(unittest.TestCase):
    @harness.on_each_runtime
    def test_what_holds_is_a_static_field(self, runtime, directory):
        with harness.HeapMaker(f"dir={directory},on=off,pause=1h", runtime=runtime) as maker:
            maker.make("statics", COUNT)
            maker.make("generic-statics", COUNT)
            maker.quiet()
            for capture in ("walk", "frozen") if runtime.version >= 9 else ("walk",):
                self.check_roots(maker.dump("--extended", "--capture", capture))

    def check_roots(self, report):
        for what, field in ((f"System.Collections.Generic.List<{STATICS}.Held>", "HeldByStaticList"), (f"System.Action<{STATICS}.Held>", "Announced")):
            with self.subTest(field):
                self.assertEqual(roots_of(report, what), {f"static {STATICS}.{field}"})
        held = "HeapMaker.Kinds.GenericStatics.Held"
        for argument in ("int", "string", "System.Collections.Generic.List<int>"):
            with self.subTest(argument):
                self.assertEqual(roots_of(report, f"System.Collections.Generic.List<{held}<{argument}>>"), {"static (of a generic type)"})


if __name__ == "__main__":
    harness.main()
