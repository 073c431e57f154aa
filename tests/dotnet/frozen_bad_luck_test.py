#!/usr/bin/env python3
"""Bad luck of frozen captures on a CLR: whatever happens to the child, the application goes on with sound data, and nothing is left over.

Short: fewer moments. With HF_DOTNETS: the numbers in full.
"""
import os
import pathlib
import random
import resource
import shutil
import subprocess
import time
import unittest

import harness
import cgroup
import seccomp
from awaited import said
from dump_child import children_of_threads, dump_child_of, kill_dump_child, name_of, stop_dump_child
from resources import children_of, leftovers
from small_disk import small_disk
from talk import begin, ended

FIRST = 9  # the first .NET whose heap can be read so
KILLS = 100 if harness.FULL else 12
ROOMS_MB = (25, 60, 150)  # left in the container, while a heap of 100 MB and more changes all the time
PEAK_S = 3
REFUSED = 4
COUNT = 100_000
LINK = "HeapMaker.Kinds.Instances.Link"
PARCEL = "HeapMaker.Hoard.Parcel"
IN_FRAME = "HeapMaker.DeepThreads.InFrame"
WAITING = "HeapMaker.Kinds.StateMachines.Awaiting"
BY_NAME = ("--extended", "--capture", "frozen")
GCS = ({}, harness.SERVER_GC)
NO_NEW_CODE = {"DOTNET_EnableWriteXorExecute": "0", "DOTNET_TieredCompilation": "0"}


def on_each_frozen_runtime(test):
    """With those alone that have the rung."""
    def run(self, runtime, directory):
        if runtime.version >= FIRST:
            test(self, runtime, directory)
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return harness.on_each_runtime(run)


def start(runtime, directory, options="memory=1g,pause=1h", count=COUNT, **more):
    maker = harness.HeapMaker(f"dir={directory},on=off,max-dumps=1000,{options}", runtime=runtime, **more)
    try:
        maker.make("instances", count)
        return maker
    except BaseException:
        maker.stop()
        raise


class Hard(unittest.TestCase):
    def unharmed(self, maker, directory):
        harness.wait_until(lambda: not children_of_threads(maker.pid), 10, "the child's end")
        self.assertEqual(children_of(maker.pid), {})
        self.assertTrue(maker.sound())
        self.assertEqual(leftovers(directory), [])

    def dumped(self, maker):
        report = harness.Report(maker.dump(*BY_NAME))
        self.assertEqual((report.field("rung"), report.field("kind")), ("frozen", "extended"), report.data["notes"])
        self.assertEqual(report.classes()[LINK].instances, COUNT)
        return report

    def ended_well(self, client):
        """The report; or the line that says why there is none."""
        code, out, err = ended(client, 120)
        if code == 0:
            return harness.Report(out), ""
        self.assertEqual((code, out), (REFUSED, ""), err)
        self.assertEqual(len([line for line in err.splitlines() if line.startswith("holdfast dump:")]), 1, err)
        return None, err

    def refused_or_done(self, maker, directory, wanted):
        report, why = self.ended_well(begin("dump", maker.pid, *BY_NAME))
        if report is None:
            self.assertRegex(why, wanted)
        self.unharmed(maker, directory)
        return report


def child_of(maker, client, timeout_s=120):
    """The child's pid as soon as there is one; None when the dump has ended before."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if child := dump_child_of(maker.pid):
            return child
        if client.poll() is not None:
            return None
    raise harness.VmError(maker.complaint("neither a child nor an end"))


class Children(Hard):
    @on_each_frozen_runtime
    def test_killed_at_any_moment(self, runtime, directory):
        """Also while it waits for names, and its parent for the question."""
        moments = random.Random(13)
        with start(runtime, directory) as maker:
            life_s = min(self.life_of_a_child(maker) for _ in range(3))
            killed = 0
            for _ in range(KILLS):
                client = begin("dump", maker.pid, *BY_NAME)
                child = child_of(maker, client)
                time.sleep(moments.uniform(0, life_s * 0.7))
                killed += kill_dump_child(child)
                self.ended_well(client)
                self.unharmed(maker, directory)
            self.assertGreater(killed, KILLS / 4)
            self.dumped(maker)
            print(f"{runtime}: {killed} of {KILLS} children killed within {life_s * 1000:.0f} ms", flush=True)

    def life_of_a_child(self, maker):
        client = begin("dump", maker.pid, *BY_NAME)
        self.assertIsNotNone(child_of(maker, client))
        began = time.monotonic()
        self.assertIsNotNone(self.ended_well(client)[0])
        return time.monotonic() - began

    @on_each_frozen_runtime
    def test_dies_with_its_parent(self, runtime, directory):
        moments = random.Random(14)
        cut_off = 0
        for _ in range(8 if harness.FULL else 3):
            with start(runtime, directory) as maker:
                life_s = self.life_of_a_child(maker)
                client = begin("dump", maker.pid, *BY_NAME)
                child = child_of(maker, client)
                self.assertIsNotNone(child)
                time.sleep(moments.uniform(0, life_s * 0.7))
                os.kill(maker.pid, 9)
                harness.wait_until(lambda pid=child: name_of(pid) == "", 5, "the child's end")
                cut_off += ended(client)[0] != 0  # or the report was there already
        self.assertGreater(cut_off, 0)


    @on_each_frozen_runtime
    def test_that_hangs_is_ended_when_the_dump_is_withdrawn(self, runtime, directory):
        """A child that does nothing any more, early and late: the application goes on beside it and does not wait."""
        moments = random.Random(15)
        with start(runtime, directory) as maker:
            life_s = self.life_of_a_child(maker)
            held = 0
            for _ in range(20 if harness.FULL else 5):
                client = begin("dump", maker.pid, *BY_NAME)
                child = child_of(maker, client)
                time.sleep(moments.uniform(0, life_s * 0.5))
                held += stop_dump_child(child)
                self.assertTrue(maker.sound())
                harness.run_command("cancel", maker.pid, check=False)
                self.ended_well(client)
                self.unharmed(maker, directory)
            self.assertGreater(held, 0)
            self.dumped(maker)


    @on_each_frozen_runtime
    def test_beside_a_debugger(self, runtime, directory):
        """One that traces threads and children of the process."""
        if not shutil.which("gdb"):
            self.skipTest("no gdb")
        with start(runtime, directory) as maker, subprocess.Popen(["gdb", "-p", str(maker.pid), "-batch", "-ex", "handle all nostop noprint pass", "-ex", "continue"],
                                                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as debugger:
            harness.wait_until(lambda: self.runs_traced(maker.pid), 60, "the debugger")
            for _ in range(3):
                self.dumped(maker)
            debugger.terminate()
            debugger.wait()
            self.dumped(maker)
            self.unharmed(maker, directory)

    def runs_traced(self, pid):
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        return "TracerPid:\t0\n" not in text and "State:\tt" not in text


class Threads(Hard):
    @on_each_frozen_runtime
    def test_1000_threads(self, runtime, directory):
        """Some of them run, the others wait in the runtime."""
        with start(runtime, directory) as maker:
            maker.ask("deep 1000 20", "^deep", 120)
            self.assertEqual(self.dumped(maker).classes()[IN_FRAME].instances, 1000 * 20)
            maker.ask("deep off", "^deep off", 120)
            self.unharmed(maker, directory)

    @on_each_frozen_runtime
    def test_threads_that_begin_and_end(self, runtime, directory):
        """Between the list of threads and the suspension, too; nobody who has ended is asked for his stack."""
        with start(runtime, directory) as maker:
            maker.churn(1)
            maker.ask("threads on", "^threads on")
            for _ in range(60 if harness.FULL else 12):
                self.dumped(maker)
            self.assertGreater(int(maker.ask("threads off", r"^threads off (\d+)")[1]), 100)
            maker.churn(0)
            self.unharmed(maker, directory)

    @on_each_frozen_runtime
    def test_threads_in_signal_handlers(self, runtime, directory):
        """Their stack pointer lies on another stack than their frames."""
        with start(runtime, directory) as maker:
            maker.ask("handlers 8 50", "^deep")
            time.sleep(0.2)  # from the last one's signal to its handler
            self.assertEqual(self.dumped(maker).classes()[IN_FRAME].instances, 8 * 50)
            maker.ask("deep off", "^deep off", 60)
            self.unharmed(maker, directory)

    @on_each_frozen_runtime
    def test_100000_asynchronous_methods(self, runtime, directory):
        with start(runtime, directory) as maker:
            maker.make("state-machines", 100_000)
            self.assertEqual(self.dumped(maker).classes()[WAITING].instances, 100_000)
            self.unharmed(maker, directory)


class Limits(Hard):
    @on_each_frozen_runtime
    def test_no_more_processes(self, runtime, directory):
        """Threads count, too: what runs out is what a child needs."""
        try:
            with cgroup.Cgroup("pids", "holdfast-test") as group, start(runtime, directory) as maker:
                group.leave()
                self.dumped(maker)
                group.limit(1)
                self.assertIsNone(self.refused_or_done(maker, directory, "process|Resource temporarily"))
                group.limit("max")
                self.dumped(maker)
        except cgroup.Refused as reason:
            self.skipTest(f"no control group for processes: {reason}")

    @on_each_frozen_runtime
    def test_children_are_forbidden(self, runtime, directory):
        """As a container's filter of system calls does it: what is asked for by name is refused, else the walk takes over."""
        with start(runtime, directory, before_exec=seccomp.forbid_children) as maker:
            self.assertIsNone(self.refused_or_done(maker, directory, "process|errno|child"))
            report = harness.Report(maker.dump("--extended"))
            self.assertEqual((report.field("rung"), report.field("kind")), ("walk", "extended"))
            self.assertEqual(report.classes()[LINK].instances, COUNT)
            self.unharmed(maker, directory)

    @on_each_frozen_runtime
    def test_no_more_address_space(self, runtime, directory):
        """Everything was reserved at load: a dump is made or refused. The runtime would die of it as soon as it writes code (25 of 25, without us)."""
        with start(runtime, directory, env=NO_NEW_CODE) as maker:
            self.dumped(maker)
            text = pathlib.Path(f"/proc/{maker.pid}/status").read_text()
            size = int(text.split("VmSize:")[1].split()[0]) * 1024
            resource.prlimit(maker.pid, resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
            report, why = self.ended_well(begin("dump", maker.pid, *BY_NAME))
            resource.prlimit(maker.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            self.assertTrue(report or "memory" in why or "refused" in why, why)
            self.dumped(maker)
            self.unharmed(maker, directory)

    @on_each_frozen_runtime
    def test_a_small_container(self, runtime, directory):
        """The application changes its heap while the child holds a picture of it; the container has no room for both.

        Its own heap swings by more than 100 MB with server GC, so it has a limit, and the room begins above its own peak.
        """
        for gc in GCS:
            try:
                with self.subTest(gc), cgroup.Cgroup("memory", "holdfast-test") as group:
                    self.check_rooms(runtime, directory, gc, group)
            except cgroup.Refused as reason:
                self.skipTest(f"no control group for memory: {reason}")

    def check_rooms(self, runtime, directory, gc, group):
        with start(runtime, directory, env={**gc, **harness.heap_limit(200 << 20)}) as maker:
            group.leave()
            maker.ask("hoard 100", "^hoarded")
            maker.churn(2)
            self.dumped(maker)
            for room_mb in ROOMS_MB:
                group.limit(self.peak_of(group) + (room_mb << 20))
                for _ in range(6 if harness.FULL else 2):
                    report = self.refused_or_done(maker, directory, "memory|MB")
                print(f"{runtime} {gc}, {room_mb} MB: {report.field('rung') if report else said(maker)[-1:]}", flush=True)
                group.limit(-1 if group.version == 1 else "max")
            maker.churn(0)
            self.assertEqual(group.out_of_memory_kills(), 0)

    def peak_of(self, group):
        until = time.monotonic() + PEAK_S
        highest = 0
        while time.monotonic() < until:
            highest = max(highest, group.used())
            time.sleep(0.001)
        return highest

    @on_each_frozen_runtime
    def test_a_heap_at_its_limit(self, runtime, directory):
        """The runtime gives its collector no more memory; what a dump needs is none of that."""
        for gc in GCS:
            with self.subTest(gc), start(runtime, directory, env={**gc, **harness.heap_limit(128 << 20)}) as maker:
                maker.ask("hoard full", "^hoard full", 120)
                for _ in range(3):
                    self.assertGreater(self.dumped(maker).classes()[PARCEL].instances, 500)
                maker.ask("hoard nothing", "^hoard dropped")
                self.unharmed(maker, directory)

    @on_each_frozen_runtime
    def test_a_full_disk(self, runtime, directory):
        with small_disk(directory, "4m"):
            with start(runtime, directory) as maker:
                (directory / "ballast").write_bytes(b"x" * (4096 - 4) * 1024)
                report, why = self.ended_well(begin("dump", maker.pid, *BY_NAME))
                self.assertIsNone(report)
                self.assertRegex(why, "space|disk")
                self.assertEqual([path.name for path in directory.iterdir()], ["ballast"])
                (directory / "ballast").unlink()
                self.dumped(maker)
                self.unharmed(maker, directory)


if __name__ == "__main__":
    harness.main()
