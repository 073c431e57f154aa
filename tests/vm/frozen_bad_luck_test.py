#!/usr/bin/env python3
"""Bad luck of the frozen rung with real JVMs: whatever happens to the child, the application goes on with sound data, and nothing is left over.

Short: fewer moments, threads and virtual threads. With HF_JDKS: the numbers in full.
"""
import json
import os
import random
import resource
import signal
import socket
import subprocess
import threading
import time
import unittest
import pathlib

import frozen
import harness
import cgroup
import seccomp
from dump_child import dump_child_of, kill_dump_child, name_of, signal_dump_child, stop_dump_child
from small_disk import small_disk

JDKS = harness.jdks()
COMMAND = f"dump=extended,capture={frozen.RUNG}"
KILLS = 100 if frozen.FULL else 12
VIRTUAL_THREADS = 100_000 if frozen.FULL else 20_000
PLATFORM_THREADS = 500
CONNECTIONS = 60
ATTEMPTS = 8
ROOMS_MB = (40, 200, 300, 400, 500)  # left in the container; the application's heap is 400 MB and changes all the time
LATE_S = 0.5  # what a client may have to wait for an end that the application has given; the pause is part of it
CHILD_ONLY = unittest.skipIf(frozen.RUNG == "walk", "there is no child")


def start(jdk, directory, *vm_args, heap="256m", options=frozen.AGENT, **more):
    return harness.victim("Hardship", jdk, [f"-Xmx{heap}", *vm_args], f"dir={directory},max-dumps=1000,{options}", **more)


def native_library():
    """hardship.c as a library of its own."""
    source = frozen.HERE / "victim" / "hardship.c"
    out = harness.BUILD / "java" / "libhardship.so"
    out.parent.mkdir(parents=True, exist_ok=True)
    include = pathlib.Path(JDKS[-1].home, "include")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{include}", f"-I{include}/linux",
                    "-o", out, source, "-lpthread"], check=True)
    return f"-Dlibrary={out}"


class Request:
    """A dump that is asked for in the background, so that bad luck can meet it."""

    def __init__(self, jvm, directory):
        self.jvm, self.directory = jvm, directory
        self.reports, self.lines = harness.reports_in(directory), len(frozen.said(jvm))
        self.thread = threading.Thread(target=self._ask)
        self.thread.start()

    def _ask(self):
        try:
            self.jvm.agent_load(COMMAND)
        except harness.VmError:
            pass  # the process was killed meanwhile; what comes of it is the test's question

    def child(self, timeout_s=120):
        """The child's pid, as soon as there is one; None when the dump has ended before."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if child := dump_child_of(self.jvm.pid):
                return child
            if self.ended():
                return None
        raise harness.VmError(self.jvm.complaint("neither a child nor a report"))

    def ended(self):
        return bool(harness.reports_in(self.directory) - self.reports) or len(frozen.said(self.jvm)) > self.lines

    def wait(self, timeout_s=120):
        """The new report, or None where a line says why there is none."""
        harness.wait_until(self.ended, timeout_s, "a report or a reason")
        self.thread.join()
        time.sleep(0.2)  # one refusal may be several lines
        new = harness.reports_in(self.directory) - self.reports
        return harness.Report(new.pop()) if new else None


class Hard(unittest.TestCase):
    def sound(self, jvm):
        """The table is right, and still changes."""
        first, second = (jvm.ask("check", r"^SOUND (\w+) (\d+)", 120) for _ in range(2))
        self.assertEqual((first[1], second[1]), ("true", "true"))
        harness.wait_until(lambda: jvm.ask("check", r"^SOUND true (\d+)")[1] != second[2], 20, "a change")

    def nothing_left(self, jvm, directory):
        harness.wait_until(lambda: not frozen.children_of_threads(jvm.pid), 10, "the child's end")
        self.assertEqual(frozen.children_of(jvm.pid), {})
        try:
            harness.wait_until(lambda: not frozen.leftovers(directory), 10)
        except harness.VmError:
            self.fail(f"left over: {frozen.leftovers(directory)}; said: {frozen.said(jvm)}")

    def dump_works(self, jvm, directory):
        self.assertEqual(frozen.dump(jvm, directory).field("rung"), frozen.RUNG)


class Children(Hard):
    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_killed_at_any_moment(self, jdk, directory):
        """Only the child is hit, by its number."""
        moments = random.Random(11)
        with start(jdk, directory, "-Drows=200000") as jvm:
            life_s = self.life_of_a_child(jvm, directory)
            killed = 0
            for _ in range(KILLS):
                request = Request(jvm, directory)
                child = request.child()
                time.sleep(moments.uniform(0, life_s * 0.7))
                killed += kill_dump_child(child)
                request.wait()
                self.nothing_left(jvm, directory)
            self.sound(jvm)
            self.assertGreater(killed, KILLS / 4)
            self.dump_works(jvm, directory)
            print(f"{jdk}: {killed} of {KILLS} children killed within {life_s * 1000:.0f} ms, "
                  f"{len(harness.reports_in(directory))} reports", flush=True)

    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_killed_in_an_optional_pass(self, jdk, directory):
        """The basic report is there by then: it stays, counts once, and says that it is not complete."""
        with start(jdk, directory, "-Drows=400000") as jvm:
            for _ in range(ATTEMPTS):
                before = harness.reports_in(directory)
                request = Request(jvm, directory)
                child = request.child()
                deadline = time.monotonic() + 120
                while not harness.reports_in(directory) - before and time.monotonic() < deadline:
                    time.sleep(0.002)
                first = (harness.reports_in(directory) - before).pop()
                hit = not harness.settled(first) and kill_dump_child(child)
                request.thread.join()
                self.nothing_left(jvm, directory)
                self.assertEqual(harness.reports_in(directory) - before, {first})
                report = harness.Report(first)
                self.assertTrue(report.data["suspects"] or report.data["classes"])
                if hit and report.data["losses"]["basic"]:
                    break
            else:
                self.fail("no child was hit in an optional pass")
            self.assertIn("not complete: the analysis ended before these parts: holders, reachable sizes, cuts", report.data["notes"])
            harness.wait_until(lambda: any("report written, not complete: the child that analysed the heap ended early (9)" in line
                                           for line in frozen.said(jvm)), 20, "the reason")
            done = harness.run_command("status", jvm.pid, "--json")
            self.assertIn("ended early", json.loads(done.stdout)["dumps"][0]["not_complete"])
            self.sound(jvm)
            self.dump_works(jvm, directory)
            trend = json.loads(harness.run_command("trend", directory, "--json", check=False).stdout)
            self.assertEqual(sum(process["reports"] for process in trend["processes"]), len(harness.reports_in(directory)))

    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_status_while_the_optional_passes_go_on(self, jdk, directory):
        """It says how long the analysis takes, and names the basic report that is there. Then the child is held, so that there is time to look."""
        with start(jdk, directory, "-Drows=400000") as jvm:
            for _ in range(ATTEMPTS):
                request = Request(jvm, directory)
                child = request.child()
                dump = self.last_dump(jvm)
                while dump["stage"] != "reported" and not dump["report_path"]:
                    time.sleep(0.01)
                    dump = self.last_dump(jvm)
                held = stop_dump_child(child)
                text = " ".join(harness.run_command("status", jvm.pid).stdout.split())
                signal_dump_child(child, signal.SIGCONT)
                request.thread.join()
                if held and dump["stage"] == "analysing" and "basic report: " in text:
                    break
            else:
                self.fail("no child was held in an optional pass")
            self.assertIn(" on a free core", text)
            self.assertGreater(dump["objects"], 400_000)
            self.assertGreater(dump["expected_analysis_ms"], dump["expected_basic_ms"])
            self.assertIsNone(dump["analysis_ms"])
            harness.wait_until(lambda: self.last_dump(jvm)["stage"] == "reported", 120, "the complete report")
            done = self.last_dump(jvm)
            self.assertEqual(done["report_path"], dump["report_path"])
            self.assertGreater(done["analysis_ms"], 0)
            self.assertFalse(harness.Report(done["report_path"]).data["losses"]["basic"])
            self.nothing_left(jvm, directory)

    @staticmethod
    def last_dump(jvm):
        return json.loads(harness.run_command("status", jvm.pid, "--json").stdout)["dumps"][0]

    def life_of_a_child(self, jvm, directory):
        """The shortest of a few: whatever else runs only makes it longer."""
        self.dump_works(jvm, directory)
        return min(self.one_life(jvm, directory) for _ in range(3))

    def one_life(self, jvm, directory):
        request = Request(jvm, directory)
        self.assertIsNotNone(request.child(), "no child was seen")
        begin = time.monotonic()
        self.assertIsNotNone(request.wait())
        return time.monotonic() - begin

    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_dies_with_its_parent(self, jdk, directory):
        moments = random.Random(12)
        for _ in range(8 if frozen.FULL else 3):
            with start(jdk, directory, "-Drows=200000") as jvm:
                request = Request(jvm, directory)
                child = request.child()
                time.sleep(moments.uniform(0, 0.1))
                jvm.kill()
                harness.wait_until(lambda: name_of(child) != frozen.CHILD_NAME, 5, "the child's end")
                request.thread.join()
        with start(jdk, directory) as jvm:
            self.dump_works(jvm, directory)
            self.nothing_left(jvm, directory)

    @harness.on_a_jdk_in_turn
    def test_children_of_the_application_are_waited_for_in_peace(self, jdk, directory):
        with start(jdk, directory) as jvm:
            jvm.ask("processes", "^DONE")
            for _ in range(5):
                self.dump_works(jvm, directory)
            harness.wait_until(lambda: int(jvm.ask("processes?", r"^PROCESSES (\d+)")[1]) > 50, 60, "processes")
            self.assertEqual(jvm.ask("processes?", r"^PROCESSES \d+ (\d+)")[1], "0")
            self.sound(jvm)

    @harness.on_a_jdk_in_turn
    def test_a_native_loop_that_waits_for_any_child_sees_none(self, jdk, directory):
        with start(jdk, directory, native_library()) as jvm:
            jvm.ask("reap", "^DONE")
            for _ in range(10):
                self.dump_works(jvm, directory)
            self.assertEqual(jvm.ask("reaped?", r"^REAPED (\d+)")[1], "0")
            self.nothing_left(jvm, directory)
            self.sound(jvm)


class NativeCode(Hard):
    @harness.on_a_jdk_in_turn
    def test_an_at_fork_handler_that_wants_a_lock_is_not_run(self, jdk, directory):
        """The lock's owner is stopped in Java: whoever ran the handler would wait for good."""
        with start(jdk, directory, native_library()) as jvm:
            jvm.ask("watch-forks", "^DONE")
            time.sleep(0.2)
            for _ in range(5):
                self.dump_works(jvm, directory)
            self.assertEqual(jvm.ask("forks?", r"^FORKS (\d+)")[1], "0")
            self.sound(jvm)
            jvm.ask("let-go", "^DONE")


class Connections(Hard):
    @harness.on_a_jdk_in_turn
    def test_an_end_is_seen_at_once_and_the_port_is_free(self, jdk, directory):
        """A child with inherited descriptors would keep each connection open for as long as it lives."""
        with start(jdk, directory, "-Drows=1000000", heap="1g") as jvm:
            port = int(jvm.ask("listen", r"^PORT (\d+)")[1])
            self.dump_works(jvm, directory)
            for _ in range(ATTEMPTS):
                if self.ended_while_a_child_lives(jvm, directory, port) or frozen.RUNG == "walk":
                    break
            else:
                self.fail("no child lived long enough for anything to be seen")
            self.sound(jvm)

    def ended_while_a_child_lives(self, jvm, directory, port):
        """Whether all of it was seen while the child lived. None of it may take longer than without one."""
        clients = [socket.create_connection(("127.0.0.1", port), 30) for _ in range(CONNECTIONS)]
        request = Request(jvm, directory)
        child = request.child()
        while_alive, latest_s = self.end_all(clients, child)
        rebound = jvm.ask("rebind", r"^(REBOUND|REBIND.*)")[1]
        alive_to_the_end = child is not None and name_of(child) == frozen.CHILD_NAME
        self.assertIsNotNone(request.wait())
        print(f"{jvm.jdk}: {while_alive} of {CONNECTIONS} ends seen while the child lived, the latest after {latest_s * 1000:.0f} ms; "
              f"{rebound}, child {'alive' if alive_to_the_end else 'gone'}", flush=True)
        self.assertEqual(rebound, "REBOUND")
        self.assertLess(latest_s, LATE_S)
        return alive_to_the_end

    @staticmethod
    def end_all(clients, child):
        while_alive, latest_s = 0, 0.0
        for client in clients:
            begin = time.monotonic()
            client.sendall(b"x")
            assert client.recv(1) == b""
            latest_s = max(latest_s, time.monotonic() - begin)
            while_alive += child is not None and name_of(child) == frozen.CHILD_NAME
            client.close()
        return while_alive, latest_s


class Threads(Hard):
    @harness.on_a_jdk_in_turn
    def test_500_threads(self, jdk, directory):
        with start(jdk, directory) as jvm:
            jvm.ask(f"threads {PLATFORM_THREADS}", "^DONE")
            report = frozen.dump(jvm, directory)
            self.assertGreaterEqual(report.classes()["java.lang.Thread"].instances, PLATFORM_THREADS)
            self.nothing_left(jvm, directory)
            self.sound(jvm)

    @harness.on_each_jdk  # the oldest has none
    def test_virtual_threads(self, jdk, directory):
        with start(jdk, directory, heap="1g") as jvm:
            if jvm.ask(f"virtual {VIRTUAL_THREADS}", "^(DONE|NONE)", 120)[1] == "NONE":
                return
            report = frozen.dump(jvm, directory)
            self.assertGreaterEqual(report.classes()["java.lang.VirtualThread"].instances, VIRTUAL_THREADS)
            self.assertGreaterEqual(report.classes()["jdk.internal.vm.StackChunk"].instances, VIRTUAL_THREADS)
            self.nothing_left(jvm, directory)
            self.sound(jvm)


class Limits(Hard):
    def refused_or_done(self, jvm, directory, wanted):
        """One request; its report, or the reason, which names what is wanted."""
        request = Request(jvm, directory)
        report = request.wait()
        self.nothing_left(jvm, directory)
        self.sound(jvm)
        if report is None:
            self.assertRegex(" ".join(frozen.said(jvm)[request.lines:]), wanted)
        return report

    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_no_more_processes(self, jdk, directory):
        try:
            with cgroup.Cgroup("pids", "holdfast-test") as group, start(jdk, directory) as jvm:
                group.leave()
                self.dump_works(jvm, directory)
                group.limit(1)
                self.assertIsNone(self.refused_or_done(jvm, directory, "process|EAGAIN|Resource temporarily"))
                group.limit("max")
                self.dump_works(jvm, directory)
        except cgroup.Refused as reason:
            self.skipTest(f"no control group for processes: {reason}")

    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_children_are_forbidden(self, jdk, directory):
        """As a container's filter of system calls does it: what is asked for by name is refused, else the walk takes over."""
        with start(jdk, directory, before_exec=seccomp.forbid_children) as jvm:
            self.assertIsNone(self.refused_or_done(jvm, directory, "process|errno"))
            report = frozen.try_dump(jvm, directory, "dump=extended,capture=auto")
            self.assertEqual(report.field("rung"), "walk")
            self.assertRegex(" ".join(report.data["notes"]), "process|errno")
            self.sound(jvm)

    @harness.on_a_jdk_in_turn
    def test_no_more_address_space(self, jdk, directory):
        """Everything was reserved at load: a dump is made or refused, and the application does not notice."""
        with start(jdk, directory) as jvm:
            self.dump_works(jvm, directory)
            text = pathlib.Path(f"/proc/{jvm.pid}/status").read_text()
            size = int(text.split("VmSize:")[1].split()[0]) * 1024
            resource.prlimit(jvm.pid, resource.RLIMIT_AS, (size, size))
            self.refused_or_done(jvm, directory, "memory|refused")

    @CHILD_ONLY
    @harness.on_a_jdk_in_turn
    def test_a_small_container(self, jdk, directory):
        """The application changes all its heap while the child holds a picture of it; the container has no room for both."""
        try:
            with cgroup.Cgroup("memory", "holdfast-test") as group:
                with start(jdk, directory, "-Drows=1000000", "-Xms400m", "-XX:+AlwaysPreTouch", heap="400m") as jvm:
                    group.leave()
                    self.dump_works(jvm, directory)
                    for room_mb in ROOMS_MB:
                        group.limit(group.used() + (room_mb << 20))
                        report = self.refused_or_done(jvm, directory, "memory|MB")
                        print(f"{jdk}, {room_mb} MB: {report.field('rung') if report else frozen.said(jvm)[-1]}", flush=True)
                    self.assertTrue(jvm.running())
                    self.assertEqual(group.out_of_memory_kills(), 0)
        except cgroup.Refused as reason:
            self.skipTest(f"no control group for memory: {reason}")

    @harness.on_a_jdk_in_turn
    def test_a_full_disk(self, jdk, directory):
        with small_disk(directory, "32k"):
            with start(jdk, directory, options="memory=1g,pause=1h") as jvm:
                (directory / "ballast").write_bytes(b"x" * 28 * 1024)
                request = Request(jvm, directory)
                self.assertIsNone(request.wait())
                self.nothing_left(jvm, directory)
                self.assertEqual([p.name for p in directory.iterdir()], ["ballast"])
                (directory / "ballast").unlink()
                self.sound(jvm)


if __name__ == "__main__":
    unittest.main()
