#!/usr/bin/env python3
"""Reports of a process that ends, with real CLRs: an OutOfMemoryException that nobody catches, exits, a host that is killed 100 ms after its exit begins.

The report is there, it is valid, nothing is left over: no unfinished file, no process.
"""
import os
import signal
import subprocess
import time
import unittest

import harness
from awaited import reports, said
from orphans import ALONE_S, Adopted, OneReport
from resources import leftovers

LIMIT_MB = 96
LIMITED = harness.heap_limit(LIMIT_MB << 20)
PARCEL = "HeapMaker.Hoard.Parcel"
LINK = "HeapMaker.Kinds.Instances.Link"
FROZEN = 9  # the first .NET whose heap a child can read
KILL_AFTER_S = 0.1
TRIES = 3
ABORTED = -signal.SIGABRT
IN_A_CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


def start(runtime, options, directory, **more):
    return harness.HeapMaker(f"dir={directory},{options}", runtime=runtime, **more)


class Unhandled(OneReport):
    @harness.on_each_runtime
    def test_on_the_first_thread_and_on_another(self, runtime, directory):
        for where in ("", " elsewhere"):
            with self.subTest(where), Adopted() as adopted:
                below = directory / f"at{where.strip()}"
                below.mkdir()
                with start(runtime, "on=oom,dump=extended", below, env=LIMITED) as maker:
                    maker.send(f"hoard beyond{where}")
                    self.assertEqual(maker._process.wait(120), ABORTED)
                    maker.stop()
                self.names_parcels(self.report_of(below, adopted, "oom"), runtime)

    def names_parcels(self, report, runtime):
        self.assertGreater(report.classes()[PARCEL].instances, 800)
        if report.field("kind") == "extended":
            self.assertIn(PARCEL, str(report.first_suspect()))
        if runtime.version >= FROZEN:
            self.assertEqual((report.field("rung"), report.field("kind")), ("frozen", "extended"))

    @harness.on_each_runtime
    def test_after_one_that_was_caught(self, runtime, directory):
        with Adopted() as adopted, start(runtime, "on=oom,dump=extended,cooldown=0", directory, env=LIMITED) as maker:
            maker.ask("hoard full", "^hoard full", 120)
            harness.wait_until(lambda: len(reports(directory)) == 1, ALONE_S, "the first report")
            maker.send("hoard beyond")
            self.assertEqual(maker._process.wait(120), ABORTED)
            maker.stop()
            adopted.wait_gone(ALONE_S)
            self.assertEqual(leftovers(directory), [])
            found = reports(directory)
            self.assertGreaterEqual(len(found), 1)
            self.names_parcels(found[-1], runtime)

    @harness.on_each_runtime
    def test_a_walk_holds_the_thread_until_the_report_is_there(self, runtime, directory):
        with Adopted() as adopted, start(runtime, "on=oom,capture=walk,exit-wait=2m", directory, env=LIMITED) as maker:
            maker.send("hoard beyond")
            self.assertEqual(maker._process.wait(150), ABORTED)
            maker.stop()
            self.assertEqual(adopted.wait_gone(0.5), 0)
            self.names_parcels_at_least(self.report_of(directory, adopted, "oom"))

    def names_parcels_at_least(self, report):
        self.assertGreater(report.classes()[PARCEL].instances, 800)
        self.assertNotEqual(report.field("rung"), "frozen")

    @harness.on_each_runtime
    def test_process_1_of_a_container_is_held(self, runtime, directory):
        """Nothing outlives it."""
        if os.geteuid() != 0 or subprocess.run([*IN_A_CONTAINER, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespaces here")
        words = [*IN_A_CONTAINER, *map(str, harness.start_words("HeapMaker", runtime))]
        agent = harness.with_agent(f"dir={directory},on=oom,dump=extended,exit-wait=2m")
        with harness.Process("HeapMaker as process 1", words, env=harness.environment({**agent, **LIMITED})) as maker:
            maker.wait_line("^started 1$", 60)
            maker.send("hoard beyond")
            maker._process.wait(150)
            maker.stop()
        self.assertEqual(leftovers(directory), [])
        self.assertEqual([report.field("trigger") for report in reports(directory)], ["oom"])
        self.names_parcels(reports(directory)[0], runtime)


class Exits(OneReport):
    def ends(self, runtime, directory, end):
        """end(maker) has it end; it is killed 100 ms later. In three tries: a capture takes 20 to 60 ms of them, on a machine that gives it a core."""
        for number in range(TRIES):
            below = directory / str(number)
            below.mkdir()
            try:
                return self.ends_once(runtime, below, end)
            except AssertionError:
                if number + 1 == TRIES:
                    raise

    def ends_once(self, runtime, directory, end):
        with Adopted() as adopted, start(runtime, "on=exit,dump=extended,pause=1h", directory) as maker:
            maker.make("instances", 2000)
            end(maker)
            time.sleep(KILL_AFTER_S)
            maker.kill()
            maker.stop()
            report = self.report_of(directory, adopted, "exit")
        self.assertEqual(report.classes()[LINK].instances, 2000)

    @harness.on_each_runtime
    def test_killed_100_ms_after_its_exit_began(self, runtime, directory):
        if runtime.version >= FROZEN:
            self.ends(runtime, directory, lambda maker: maker.send("exit 0"))

    @harness.on_each_runtime
    def test_terminated_and_killed(self, runtime, directory):
        if runtime.version >= FROZEN:
            self.ends(runtime, directory, self.terminate)

    def terminate(self, maker):
        maker.ask("graceful", "^graceful")
        os.kill(maker.pid, signal.SIGTERM)

    @harness.on_each_runtime
    def test_a_dump_that_runs_when_the_process_exits_is_left_to_its_child(self, runtime, directory):
        """exit-wait= is over at once; the report comes all the same."""
        if runtime.version < FROZEN:
            return
        with Adopted() as adopted, start(runtime, "on=exit,dump=extended,pause=1h,exit-wait=1s", directory) as maker:
            maker.make("instances", 600_000)
            self.assertEqual(maker.exit(5), 5)
            lines = said(maker)
            report = self.report_of(directory, adopted, "exit")
        self.assertEqual(report.classes()[LINK].instances, 600_000)
        self.assertTrue(not lines or "finished by its own process" in str(lines), lines)


if __name__ == "__main__":
    harness.main()
