#!/usr/bin/env python3
"""Reports of a process that ends, with real JVMs: the VM's own flags for an OutOfMemoryError, exits, kills; and errors of every kind.

The report is there, it is valid, nothing is left over: no unfinished file, no process.
"""
import os
import pathlib
import resource
import signal
import time
import unittest

import harness
from awaited import reports, said
from orphans import ALONE_S, Adopted, OneReport

HEAP = "java.lang.OutOfMemoryError: Java heap space"
KILL_AFTER_S = 0.1
KEPT = 20_000
TRIES = 3
THREADS = 400  # of the user's that a VM may still start
NOBODY = 65534


def start(jdk, options, *vm_args, **more):
    return harness.victim("Exhauster", jdk, ["-Xmx64m", *vm_args], options, **more)


class Ending(OneReport):
    def ended(self, jvm, timeout_s=120):
        """Its exit status, once it has ended by itself."""
        harness.wait_until(lambda: not jvm.running(), timeout_s, "the VM's end")
        return jvm.stop()


class OwnFlags(Ending):
    """What these have the VM do, the agent does after its dump."""

    def full(self, jdk, directory, *flags):
        """No core files."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with Adopted() as adopted, start(jdk, f"dir={directory},on=oom,dump=extended", *flags, cwd=directory, before_exec=limit) as jvm:
            jvm.send("heap")
            status = self.ended(jvm)
            report = self.report_of(directory, adopted, "oom")
            self.assertIn(HEAP, report.data["notes"])
            self.assertGreater(report.classes()["byte[]"].bytes, 32 << 20)
            return status, "\n".join(jvm.lines)

    @harness.on_each_jdk
    def test_exit(self, jdk, directory):
        status, lines = self.full(jdk, directory, "-XX:+ExitOnOutOfMemoryError")
        self.assertEqual(status, 3)
        self.assertIn("Terminating due to java.lang.OutOfMemoryError: Java heap space", lines)

    @harness.on_each_jdk
    def test_crash(self, jdk, directory):
        log = directory / "crash.log"
        status, lines = self.full(jdk, directory, "-XX:+CrashOnOutOfMemoryError", f"-XX:ErrorFile={log}")
        self.assertEqual(status, -signal.SIGABRT)
        self.assertIn("Aborting due to java.lang.OutOfMemoryError: Java heap space", lines)
        self.assertIn("Exhauster.exhaust", log.read_text())

    @harness.on_each_jdk
    def test_heap_dump(self, jdk, directory):
        """The VM writes its own first; both together with the exit."""
        dump = directory / "own.hprof"
        status, _ = self.full(jdk, directory, "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={dump}", "-XX:+ExitOnOutOfMemoryError")
        self.assertEqual(status, 3)
        self.assertGreater(dump.stat().st_size, 32 << 20)

    @harness.on_a_jdk_in_turn
    def test_without_a_dump_the_vm_keeps_its_flag(self, jdk, directory):
        with start(jdk, f"dir={directory},on=exit", "-XX:+ExitOnOutOfMemoryError") as jvm:
            jvm.send("heap")
            self.assertEqual(self.ended(jvm), 3)
            self.assertEqual(said(jvm), [])

    @harness.on_a_jdk_in_turn
    def test_an_agent_that_leaves_gives_it_back(self, jdk, directory):
        with start(jdk, f"dir={directory},on=oom", "-XX:+ExitOnOutOfMemoryError") as jvm:
            harness.run_command("detach", jvm.pid)
            jvm.send("heap")
            self.assertEqual(self.ended(jvm), 3)
            self.assertEqual(reports(directory), [])


class Kinds(Ending):
    def caught(self, jdk, directory, kind, message, *flags, **more):
        with Adopted() as adopted, start(jdk, f"dir={directory},on=oom,dump=extended,log=info", *flags, **more) as jvm:
            jvm.ask(f"keep {KEPT}", "^KEPT")
            jvm.ask(kind, f"^CAUGHT {message}", 120)
            harness.wait_until(lambda: reports(directory), ALONE_S, "the report")
            self.assertTrue(any(f"java.lang.OutOfMemoryError: {message}" in line for line in said(jvm)), said(jvm))
            jvm.send("exit 0")
            self.assertEqual(self.ended(jvm), 0)
            report = self.report_of(directory, adopted, "oom")
        note = next(note for note in map(str, report.data["notes"]) if note.startswith("java.lang.OutOfMemoryError: "))
        self.assertIn(message, note)
        self.assertGreaterEqual(report.classes()["Exhauster$Kept"].instances, KEPT)
        verdict = harness.run_command("report", report.path).stdout
        self.assertIn(f"OutOfMemoryError ({message}", " ".join(verdict.split()))

    @harness.on_each_jdk
    def test_array_size(self, jdk, directory):
        self.caught(jdk, directory, "array", "Requested array size exceeds VM limit")

    @harness.on_each_jdk
    def test_metaspace(self, jdk, directory):
        self.caught(jdk, directory, "metaspace", "Metaspace", "-XX:MaxMetaspaceSize=24m")

    @harness.on_each_jdk
    def test_threads(self, jdk, directory):
        """A user's limit: neither a thread nor a child can be made then. Counted are all threads of that user."""
        if os.geteuid() != 0:
            self.skipTest("not root")
        directory.chmod(0o777)
        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (THREADS, THREADS))
            os.setuid(NOBODY)
        self.caught(jdk, directory, "threads", "unable to create native thread", "-Xss256k", before_exec=limit)


class Exits(Ending):
    def ends(self, jdk, directory, end, killed):
        """What is killed gets three tries: a capture takes 20 to 40 ms of the 100, on a machine that gives it a core."""
        for number in range(TRIES):
            below = directory / str(number)
            below.mkdir()
            try:
                return self.ends_once(jdk, below, end, killed)
            except AssertionError:
                if not killed or number + 1 == TRIES:
                    raise

    def ends_once(self, jdk, directory, end, killed):
        with Adopted() as adopted, start(jdk, f"dir={directory},on=exit,dump=extended,pause=1h") as jvm:
            jvm.ask(f"keep {KEPT}", "^KEPT")
            end(jvm)
            if killed:
                time.sleep(KILL_AFTER_S)
                jvm.kill()
                jvm.stop()
            else:
                self.ended(jvm)
            report = self.report_of(directory, adopted, "exit")
        self.assertGreaterEqual(report.classes()["Exhauster$Kept"].instances, KEPT)

    @harness.on_each_jdk
    def test_system_exit(self, jdk, directory):
        self.ends(jdk, directory, lambda jvm: jvm.send("exit 0"), False)

    @harness.on_each_jdk
    def test_killed_100_ms_after_its_exit_began(self, jdk, directory):
        self.ends(jdk, directory, lambda jvm: jvm.send("exit 0"), True)

    @harness.on_each_jdk
    def test_halted_and_killed(self, jdk, directory):
        self.ends(jdk, directory, lambda jvm: jvm.send("halt 0"), True)

    @harness.on_each_jdk
    def test_terminated_and_killed(self, jdk, directory):
        self.ends(jdk, directory, lambda jvm: os.kill(jvm.pid, signal.SIGTERM), True)

    @harness.on_each_jdk
    def test_a_dump_that_runs_when_the_vm_exits_is_left_to_its_child(self, jdk, directory):
        with Adopted() as adopted, start(jdk, f"dir={directory},on=exit,dump=extended,pause=1h,exit-wait=1s", "-Xmx512m") as jvm:
            jvm.ask(f"keep {50 * KEPT}", "^KEPT", 120)
            jvm.send("exit 7")
            self.assertEqual(self.ended(jvm), 7)
            lines = said(jvm)
            report = self.report_of(directory, adopted, "exit")
        self.assertGreaterEqual(report.classes()["Exhauster$Kept"].instances, 50 * KEPT)
        self.assertTrue(not lines or "finished by its own process" in str(lines), lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
