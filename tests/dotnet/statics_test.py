#!/usr/bin/env python3
"""What static fields hold says so: by class and field; a walk, which the runtime tells nothing of generic types' fields, says that much."""
import re
import unittest

import harness

COUNT = 5_000
STATICS = "HeapMaker.Kinds.Statics"
GENERIC = "HeapMaker.Kinds.GenericStatics"


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
                self.check_roots(maker.dump("--extended", "--capture", capture), capture)

    def check_roots(self, report, capture):
        for what, field in ((f"System.Collections.Generic.List<{STATICS}.Held>", "HeldByStaticList"), (f"System.Action<{STATICS}.Held>", "Announced")):
            with self.subTest(field):
                self.assertEqual(roots_of(report, what), {f"static {STATICS}.{field}"})
        held = f"{GENERIC}.Held"
        for argument, owner in (("int", f"{GENERIC}.Registry<int>"), ("string", f"{GENERIC}.Registry<string>"),
                                ("System.Collections.Generic.List<int>", "HeapMaker…Registry<System.Collections.Generic.List<int>>")):
            with self.subTest(argument):
                field = f"{owner}.All" if capture == "frozen" else "(of a generic type)"
                self.assertEqual(roots_of(report, f"System.Collections.Generic.List<{held}<{argument}>>"), {f"static {field}"})


if __name__ == "__main__":
    harness.main()
