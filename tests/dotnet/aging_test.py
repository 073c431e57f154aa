#!/usr/bin/env python3
"""ages=on against real CLRs: under heavy churn a class of which one object in a thousand stays is named within thirty collections, without a dump;
the same program without the leak raises no suspect in ten runs. The young generation has 512 MB, as on a machine with large caches: by default a
machine that tells none collects 200 times a second.
"""
import unittest

import harness
import aging

LEAK = "AgeLoad.Session"
YOUNG = {"DOTNET_GCgen0size": f"{512 << 20:#x}"}
COLLECTORS = {"workstation": {}, "not concurrent": {"DOTNET_gcConcurrent": "0"}, "server": {"DOTNET_gcServer": "1"}}


def load(runtime, env=None):
    return lambda manner, options: harness.Clr("AgeLoad", [manner, aging.SECONDS], options, runtime, env={**YOUNG, **(env or {})})


class AgingTest(unittest.TestCase):
    def test_a_leak_of_one_in_a_thousand_is_named_within_thirty_collections(self):
        for runtime in harness.runtimes():
            for gc, env in COLLECTORS.items():
                with self.subTest(f"{runtime}, {gc}"):
                    aging.check_leak(self, load(runtime, env), LEAK, f"{runtime}, {gc}")

    def test_a_class_that_is_allocated_no_more_is_listed_and_one_that_goes_on_is_not(self):
        for runtime in harness.runtimes():
            with self.subTest(str(runtime)):
                aging.check_loitering(self, load(runtime), "AgeLoad.ImportRow", LEAK, str(runtime))

    def test_on_growth_dumps_for_it(self):
        for runtime in harness.runtimes():
            with self.subTest(str(runtime)):
                aging.check_dump_for_leak(self, load(runtime), LEAK)

    def test_what_only_allocates_raises_no_suspect_in_ten_runs(self):
        for runtime in harness.runtimes():
            with self.subTest(str(runtime)):
                aging.check_rest(self, load(runtime))


if __name__ == "__main__":
    harness.main()
