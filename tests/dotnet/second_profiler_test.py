#!/usr/bin/env python3
"""Beside somebody else's profiler: the agent only listens, dumps work all the same, and the other one hears what it heard before."""
import os
import pathlib
import struct
import unittest
from typing import NamedTuple

import harness
from awaited import said, triggers
from talk import ask

LIBRARY = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "libsecond_profiler.so"
CLASS = "{5EC0BD00-0000-4000-8000-00000000BE57}"
REFUSED = 4
COUNT = 300
LINK = "HeapMaker.Kinds.Instances.Link"


class Heard(NamedTuple):
    """second_profiler.cpp"""
    modules: int
    methods: int
    collections: int
    shutdowns: int

    @staticmethod
    def of(path):
        return Heard(*struct.unpack("4Q", path.read_bytes()))


def slot(path):
    """The variables that put it into the main place."""
    return {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": CLASS, "CORECLR_PROFILER_PATH": str(LIBRARY), "SECOND_PROFILER_FILE": str(path)}


class Beside(unittest.TestCase):
    def hears_more(self, maker, path):
        """New methods, new modules, collections: what it asked for still comes."""
        before = Heard.of(path)
        maker.make("collectibles", 3)
        maker.ask("collect", "^collected")
        maker.drop("collectibles")
        after = Heard.of(path)
        for what in ("modules", "methods", "collections"):
            self.assertGreater(getattr(after, what), getattr(before, what), what)
        self.assertEqual(after.shutdowns, 0)

    def dumped(self, maker, kind):
        report = harness.Report(maker.dump(f"--{kind}"))
        self.assertEqual(report.field("kind"), kind, report.data["notes"])
        self.assertEqual(report.classes()[LINK].instances, COUNT)

    @harness.on_each_runtime
    def test_dumps_work_and_the_other_goes_on_hearing(self, runtime, directory):
        heard = directory / "heard"
        with harness.HeapMaker(f"dir={directory},on=off,pause=1h", runtime=runtime, env=slot(heard), notification=True) as maker:
            maker.make("instances", COUNT)
            self.hears_more(maker, heard)
            for kind in ("extended", "simple", "extended"):
                self.dumped(maker, kind)
                self.hears_more(maker, heard)
            self.assertTrue(maker.sound())
            self.assertEqual(said(maker), [])
            self.assertEqual(maker.exit(4), 4)
        self.assertEqual(Heard.of(heard).shutdowns, 1)
        self.assertEqual(len(harness.reports_in(directory)), 3)

    @harness.on_each_runtime
    def test_triggers_work(self, runtime, directory):
        heard = directory / "heard"
        with harness.HeapMaker(f"dir={directory},on=gc+exit,cooldown=0,dump=simple", runtime=runtime, env=slot(heard), notification=True) as maker:
            maker.ask("collect", "^collected")
            harness.wait_report(directory, set(), 60, maker)
            self.assertEqual(maker.exit(), 0)
        self.assertEqual("exit" in triggers(directory), runtime.version >= 9)  # before, the runtime tells nothing by then

    @harness.on_each_runtime
    def test_the_agent_leaves_and_the_other_stays(self, runtime, directory):
        heard = directory / "heard"
        with harness.HeapMaker(f"dir={directory},on=off,pause=1h", runtime=runtime, env=slot(heard), notification=True) as maker:
            maker.make("instances", COUNT)
            self.dumped(maker, "extended")
            ask("detach", maker.pid)
            harness.wait_until(lambda: harness.run_command("status", maker.pid, check=False).returncode == REFUSED, 20, "the agent to leave")
            self.hears_more(maker, heard)
            self.assertTrue(maker.sound())
            self.assertEqual(said(maker), [])
            self.assertEqual(maker.exit(4), 4)
        self.assertEqual(Heard.of(heard).shutdowns, 1)

    @harness.on_each_runtime
    def test_alone_in_the_place_it_keeps_the_agent_out(self, runtime, directory):
        heard = directory / "heard"
        with harness.HeapMaker(runtime=runtime, env=slot(heard)) as maker:
            refused = ask("dump", maker.pid, code=REFUSED).stderr
            self.assertEqual(refused.count("\n"), 1, refused)
            self.assertIn(f"another CLR profiler already ({LIBRARY})", refused)
            self.assertIn("CORECLR_NOTIFICATION_PROFILERS=", refused)
            self.hears_more(maker, heard)
            self.assertTrue(maker.sound())


if __name__ == "__main__":
    harness.main()
