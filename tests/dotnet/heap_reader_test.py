#!/usr/bin/env python3
"""The heap as the agent's reader sees it in memory is what the profiling API tells of it, in one standstill: every object, its class, its size and its references."""
import json
import os
import pathlib
import unittest

import harness

LIBRARY = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "libheap_probe.so"
CLASS = "{5EC0BD00-0000-4000-8000-00000000F20B}"
FIRST_THAT_DESCRIBES_ITSELF = 9
COUNT = 300
WAYS = ({}, harness.SERVER_GC, harness.NO_CONCURRENT_GC, {"DOTNET_GCName": "libclrgc.so"}, {"DOTNET_EnableWriteXorExecute": "0"},
        {**harness.SERVER_GC, "DOTNET_GCDynamicAdaptationMode": "0"})


def slot(path):
    """The variables that put it into the main place."""
    return {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": CLASS, "CORECLR_PROFILER_PATH": str(LIBRARY), "HEAP_PROBE_FILE": str(path)}


def probe(path, ask="ask"):
    path.unlink(missing_ok=True)
    pathlib.Path(f"{path}.{ask}").touch()
    harness.wait_until(path.exists, 60, "the probe's answer")
    return json.loads(path.read_text())


class HeapReader(unittest.TestCase):
    maxDiff = None

    def check(self, seen):
        self.assertNotIn("refused", seen)
        self.assertEqual(seen["first_difference"], "")
        self.assertEqual((seen["read"], seen["equal"]), (seen["told"], seen["told"]), seen)
        self.assertGreater(seen["told"], 10 * COUNT)
        self.assertGreater(seen["frozen_segments"], 0, seen)
        self.assertEqual((seen["unknown_held"], seen["lost_contexts"]), (0, 0), seen)
        self.assertGreater(seen["thread_statics"], 0, seen)
        return seen

    def check_roots(self, seen, theirs, way):
        """Handles by kind, and what waits for its finalizer, as a debugger's library counts them; of server GC's handle tables that reads the first alone."""
        strong, pinned, dependent = (seen["handles"][kind] for kind in (2, 3, 6))
        self.assertGreaterEqual(min(strong, pinned, dependent), COUNT, seen)
        if "DOTNET_gcServer" in way:
            return
        self.assertEqual((strong, pinned, seen["awaiting_finalizer"]),
                         tuple(theirs.get(kind, 0) for kind in ("StrongHandle", "PinnedHandle", "FinalizerQueue")), seen)

    @harness.on_each_runtime
    def test_every_object_and_reference(self, runtime, directory):
        for way in WAYS:
            with self.subTest(way), harness.HeapMaker(runtime=runtime, env={**way, **slot(directory / "probe")}) as maker:
                maker.make("all", COUNT)
                if runtime.version < FIRST_THAT_DESCRIBES_ITSELF:
                    self.assertIn("does not describe itself", probe(directory / "probe")["refused"])
                    continue
                maker.quiet()
                self.check_roots(self.check(probe(directory / "probe")), harness.Inspection(maker).roots(), way)
                maker.churn(2)
                gaps = [self.check(probe(directory / "probe"))["gaps"] for _ in range(10)]
                self.assertGreater(max(gaps), 0)  # right after a collection no thread has room
                maker.churn(0)
                maker.drop("instances")
                maker.ask("collect", "^collected")
                self.check(probe(directory / "probe"))

    @harness.on_each_runtime
    def test_a_format_that_is_wrong_by_one_offset_is_found_out(self, runtime, directory):
        """In a child, so that a wild read harms nobody: the application goes on."""
        if runtime.version < FIRST_THAT_DESCRIBES_ITSELF:
            return
        with harness.HeapMaker(runtime=runtime, env=slot(directory / "probe")) as maker:
            maker.make("all", COUNT)
            maker.quiet()
            says = probe(directory / "probe", "shift")
            self.assertEqual(says.pop(""), "")
            self.assertEqual([offset for offset, text in says.items() if not text], [])
            self.assertTrue(maker.sound())


if __name__ == "__main__":
    harness.main()
