#!/usr/bin/env python3
"""What a runtime before .NET 5 tells by calls is the graph that a newer one tells by events.

The runtime is a new one that is made to look older (driver/older_runtime_shim.cpp): the interfaces are the real ones, the newest are refused.
"""
import unittest

import harness
from oracle_test import COUNT, MAY_COME_AND_GO, RETAINED_DRAWS, SEED, TOOLS, as_reported, run_tool

SHIM = TOOLS / "libolder_runtime_shim.so"
NET_CORE_3, FRAMEWORK = "11", "8"
# While there are collectible modules, static fields of an older runtime have no names.
WITHOUT_COLLECTIBLES = ("arrays", "closures", "dependents", "finalizables", "frozen", "generics", "handles", "instances", "state-machines", "statics", "values")
OURS = "HeapMaker.Kinds."
LOG = "concurrent collection is off"


def older(newest):
    """The variables of a process whose runtime is made to look older, once a profiler comes through the shim."""
    return {"HOLDFAST_LIB": str(harness.agent_library()), "HF_NEWEST_INFO": newest}


def loaded_through_shim(newest):
    return {**older(newest), "CORECLR_PROFILER_PATH": str(SHIM)}


def root_counts(report):
    """{kind of GC root: how many}, without static fields: by events all have names, by calls those of compiled methods' classes."""
    return {row["root_kind"]: row["roots"] for row in report.data["graph"]["root_kinds"] if row["root_kind"] != "static_field"}


def retained(report):
    """{class of the program: what its instances retain}"""
    return {row["class"]: row["retained_bytes"] for row in report.data["classes"] if row["class"].startswith(OURS)}


class OlderRuntime(unittest.TestCase):
    maxDiff = None

    def detach(self, pid):
        harness.run_command("detach", pid)
        harness.wait_until(lambda: harness.run_command("status", pid, check=False).returncode != 0, 20, "the agent to leave")

    def dumped(self, maker, directory, *words):
        """The second of two: what a first one leaves behind is there before the second one begins."""
        attached = ("--dir", directory, "--options", "on=off,pause=1h,cooldown=0s", *words)
        maker.dump("--extended", *attached)
        maker.quiet()
        return harness.Report(maker.dump("--extended", "--snapshot"))

    def check_same(self, by_events, by_calls):
        status, text = run_tool("check_debugger_heap", by_events.path.with_suffix(".hfs"), by_calls.path.with_suffix(".hfs"), MAY_COME_AND_GO)
        self.assertEqual(status, 0, text)
        theirs, ours = by_events.classes(), by_calls.classes()
        different = {name: (theirs.get(name), ours.get(name)) for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)}
        self.assertLessEqual(len(different), MAY_COME_AND_GO, different)
        self.assertEqual({n: c for n, c in ours.items() if n.startswith(OURS)}, {n: c for n, c in theirs.items() if n.startswith(OURS)})
        first, second = by_events.data["graph"], by_calls.data["graph"]
        self.assertLessEqual(abs(first["references"] - second["references"]), 4 * MAY_COME_AND_GO)
        first, second = root_counts(by_events), root_counts(by_calls)
        self.assertEqual(first.keys(), second.keys())
        for kind, count in first.items():
            self.assertLessEqual(abs(count - second[kind]), MAY_COME_AND_GO, (kind, first, second))

    @harness.on_each_runtime
    def test_one_quiet_process_told_both_ways(self, runtime, directory):
        """Attached by events, left, attached again through the shim; with concurrent collection on, too: attaching turns it off."""
        for gc in ({}, harness.NO_CONCURRENT_GC, harness.SERVER_GC):
            for kinds in (("all",), WITHOUT_COLLECTIBLES):
                with self.subTest(f"{gc} {len(kinds)}"), harness.HeapMaker(runtime=runtime, env={**older(NET_CORE_3), **gc}) as maker:
                    for kind in kinds:
                        maker.make(kind, COUNT)
                    maker.quiet()
                    by_events = self.dumped(maker, directory)
                    self.detach(maker.pid)
                    maker.quiet()
                    by_calls = self.dumped(maker, directory, "--library", SHIM)
                    self.assertTrue(maker.sound())
                    self.check_same(by_events, by_calls)
                    if kinds != ("all",):
                        self.assertEqual(retained(by_calls), retained(by_events))
                    status, text = run_tool("check_retained", by_calls.path.with_suffix(".hfs"), RETAINED_DRAWS, SEED)
                    self.assertEqual(status, 0, text)

    @harness.on_each_runtime
    def test_loaded_at_the_start(self, runtime, directory):
        for newest in (NET_CORE_3, FRAMEWORK):
            options = f"dir={directory},on=off,snapshot=on,pause=1h,log=info"
            with self.subTest(newest), harness.HeapMaker(options, runtime=runtime, env=loaded_through_shim(newest)) as maker:
                self.assertTrue(any(LOG in line for line in maker.lines), maker.lines)
                for kind in WITHOUT_COLLECTIBLES:
                    maker.make(kind, COUNT)
                expected = as_reported(maker.expected())
                maker.quiet()
                for words in (("--extended",), ("--simple",), ("--extended",)):
                    report = harness.Report(maker.dump(*words))
                    ours = report.classes()
                    self.assertEqual({name: ours[name].instances if name in ours else 0 for name in expected}, expected)
                    self.assertTrue(maker.sound())
                rows = {row["root_kind"]: row["roots"] for row in report.data["graph"]["root_kinds"]}
                self.assertGreaterEqual(rows.get("static_field", 0), 3, rows)

    @harness.on_each_runtime
    def test_under_churn(self, runtime, directory):
        """Collections of the application's own, young ones and whole ones, before, between and after."""
        with harness.HeapMaker(f"dir={directory},on=off,pause=1h,cooldown=0s", runtime=runtime, env=loaded_through_shim(NET_CORE_3)) as maker:
            maker.make("all", COUNT)
            expected = as_reported(maker.expected())
            maker.churn(3)
            for _ in range(10):
                ours = harness.Report(maker.dump("--extended")).classes()
                self.assertEqual({name: ours[name].instances if name in ours else 0 for name in expected}, expected)
            maker.churn(0)
            self.assertTrue(maker.sound())


if __name__ == "__main__":
    harness.main()
