#!/usr/bin/env python3
"""What a runtime before .NET 5 tells by calls is the graph that a newer one tells by events.

The runtime is a new one that is made to look older (driver/older_runtime_shim.cpp): the interfaces are the real ones, the newest are refused.
"""
import shutil
import unittest

import harness
from oracle_test import COUNT, MAY_COME_AND_GO, RETAINED_DRAWS, SEED, TOOLS, as_reported, run_tool

SHIM = TOOLS / "libolder_runtime_shim.so"
NEW, NET_CORE_3, FRAMEWORK = 15, 11, 8  # the newest ICorProfilerInfo
# While there are collectible modules, static fields of an older runtime have no names.
WITHOUT_COLLECTIBLES = ("arrays", "closures", "dependents", "finalizables", "frozen", "generics", "handles", "instances", "state-machines", "statics", "values")
WALK = ("--extended", "--capture", "walk")
OURS = "HeapMaker.Kinds."
HOLDERS_OF_STATICS = ("object[]", "System.Reflection.LoaderAllocator")
LOG = "concurrent collection is off"


def through_shim(directory, newest):
    """The variables of a process whose runtime looks as old as that to a profiler that comes through the shim."""
    library = directory / "libagent.so"  # by its own name the command would load it without the shim
    if not library.exists():
        shutil.copy(harness.agent_library(), library)
    looks(directory, newest)
    return {"HOLDFAST_LIB": str(library), "HF_NEWEST_INFO": str(directory / "newest")}


def looks(directory, newest):
    (directory / "newest").write_text(str(newest))


def loaded_through_shim(directory, newest):
    return {**through_shim(directory, newest), "CORECLR_PROFILER_PATH": str(SHIM)}


def root_counts(report):
    """{kind of GC root: how many}, without static fields: by events all have names, by calls those of compiled methods' classes."""
    return {row["root_kind"]: row["roots"] for row in report.data["graph"]["root_kinds"] if row["root_kind"] != "static_field"}


def retained(report):
    """{class: what its instances retain}, without those who hold what static fields hold: by events more of these fields are roots themselves."""
    return {row["class"]: row["retained_bytes"] for row in report.data["classes"] if row["class"] not in HOLDERS_OF_STATICS}


class OlderRuntime(unittest.TestCase):
    maxDiff = None

    def said(self, maker):
        """How often the agent has said what only the way by calls costs."""
        return sum(LOG in line for line in maker.lines)

    def detach(self, pid):
        harness.run_command("detach", pid)
        harness.wait_until(lambda: harness.run_command("status", pid, check=False).returncode != 0, 20, "the agent to leave")

    def dumped(self, maker, directory, newest):
        """Attached through the shim, and left. The second of two dumps: what a first one leaves behind is there before the second one begins."""
        looks(directory, newest)
        maker.dump(*WALK, "--dir", directory, "--options", "on=off,pause=1h,cooldown=0s,log=info", "--library", SHIM)
        maker.quiet()
        report = harness.Report(maker.dump(*WALK, "--snapshot"))
        self.assertEqual(self.said(maker), 0 if newest == NEW else 1, maker.lines)
        self.detach(maker.pid)
        maker.quiet()
        return report

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
        """With concurrent collection on, too: attaching turns it off meanwhile."""
        for gc in ({}, harness.NO_CONCURRENT_GC, harness.SERVER_GC):
            for kinds in (("all",), WITHOUT_COLLECTIBLES):
                env = {**through_shim(directory, NEW), **gc}
                with self.subTest(f"{gc} {len(kinds)}"), harness.HeapMaker(runtime=runtime, env=env) as maker:
                    for kind in kinds:
                        maker.make(kind, COUNT)
                    maker.quiet()
                    by_events = self.dumped(maker, directory, NEW)
                    by_calls = self.dumped(maker, directory, NET_CORE_3)
                    self.assertTrue(maker.sound())
                    self.check_same(by_events, by_calls)
                    theirs, ours = retained(by_events), retained(by_calls)
                    different = {name: (theirs.get(name), ours.get(name)) for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)}
                    self.assertLessEqual(len(different), MAY_COME_AND_GO, different)
                    self.assertEqual({n: size for n, size in ours.items() if n.startswith(OURS)}, {n: size for n, size in theirs.items() if n.startswith(OURS)})
                    status, text = run_tool("check_retained", by_calls.path.with_suffix(".hfs"), RETAINED_DRAWS, SEED)
                    self.assertEqual(status, 0, text)

    @harness.on_each_runtime
    def test_loaded_at_the_start(self, runtime, directory):
        for newest in (NET_CORE_3, FRAMEWORK):
            options = f"dir={directory},on=off,snapshot=on,pause=1h,log=info"
            with self.subTest(newest), harness.HeapMaker(options, runtime=runtime, env=loaded_through_shim(directory, newest)) as maker:
                self.assertEqual(self.said(maker), 1, maker.lines)
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
        with harness.HeapMaker(f"dir={directory},on=off,pause=1h,cooldown=0s", runtime=runtime, env=loaded_through_shim(directory, NET_CORE_3)) as maker:
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
