#!/usr/bin/env python3
"""Bad luck while somebody talks to a running JVM: whatever happens, the application goes on with sound data, the command says one line, and nothing is left.

Short by default; with HF_JDKS on those.
"""
import concurrent.futures
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import frozen
import harness
import cgroup
from small_disk import small_disk
from talk import begin, ended

REFUSED = 4
ROUNDS = 20 if frozen.FULL else 6  # of detach and attach
GARBAGE = 400  # connections
GROWTH_BYTES = 24 << 20  # resident: what a VM under load goes up and down by


def start(jdk, directory, *vm_args, heap="128m", options="memory=256m", agent=True, **more):
    text = f"dir={directory},max-dumps=1000,{options}" if agent else None
    return harness.victim("Hardship", jdk, [f"-Xmx{heap}", *vm_args], text, **more)


class Talking(unittest.TestCase):
    def sound(self, jvm):
        self.assertEqual(jvm.ask("check", r"^SOUND (\w+)", 120)[1], "true")

    def answers(self, jvm):
        self.assertEqual(harness.run_command("status", jvm.pid).returncode, 0)

    def dump_works(self, jvm, *words):
        """The report that is printed, and nothing else, on stdout."""
        path = harness.run_command("dump", jvm.pid, *words).stdout.strip()
        return harness.Report(path)

    def one_line(self, text):
        """The last line says why; what stands before it is progress."""
        self.assertTrue(text.splitlines(), "nothing was said")
        self.assertNotIn("Traceback", text)
        return text.splitlines()[-1]


def sockets_of(pid):
    """What a process has open of them, or None where it has ended."""
    process = pathlib.Path(f"/proc/{pid}")
    try:
        links = [os.readlink(link) for link in (process / "fd").iterdir()]
        if (process / "stat").read_text().rpartition(")")[2].split()[0] in "ZX":
            return None
    except FileNotFoundError:
        return None
    return [link for link in links if link.startswith("socket:")]


class Ends(Talking):
    @harness.on_a_jdk_in_turn
    def test_the_process_dies_during_a_dump(self, jdk, directory):
        with start(jdk, directory, "-Drows=200000", heap="256m") as jvm:
            asked = begin("dump", jvm.pid, "--extended")
            harness.wait_until(lambda: asked.poll() is not None or frozen.children_of_threads(jvm.pid), 60, "a child")
            jvm.kill()
            code, out, err = ended(asked)
            if code != 0:  # the report may have been there already
                self.assertEqual((code, out), (REFUSED, ""))
                self.one_line(err)

    @harness.on_a_jdk_in_turn
    def test_the_client_dies(self, jdk, directory):
        with start(jdk, directory, "-Drows=200000", heap="256m") as jvm:
            for delay_s in (0.0, 0.02, 0.1):
                asked = begin("dump", jvm.pid)
                time.sleep(delay_s)
                asked.send_signal(signal.SIGKILL)
                asked.communicate()
            self.dump_works(jvm)
            self.answers(jvm)
            self.sound(jvm)

    @harness.on_a_jdk_in_turn
    def test_a_person_who_interrupts_cancels_the_dump(self, jdk, directory):
        with start(jdk, directory, "-Drows=1000000", heap="1g", options="memory=1g") as jvm:
            asked = begin("dump", jvm.pid, "--extended")
            harness.wait_until(lambda: asked.poll() is not None or frozen.children_of_threads(jvm.pid), 60, "a child")
            asked.send_signal(signal.SIGINT)
            code, out, err = ended(asked)
            self.assertEqual((code, out), (REFUSED, ""), err)
            self.assertRegex(self.one_line(err), "cancel")
            harness.wait_until(lambda: not frozen.children_of_threads(jvm.pid), 20, "the child's end")
            self.assertEqual(frozen.leftovers(directory), [])
            self.dump_works(jvm, "--simple")

    @harness.on_a_jdk_in_turn
    def test_two_clients_at_once_both_get_a_report(self, jdk, directory):
        with start(jdk, directory) as jvm, concurrent.futures.ThreadPoolExecutor(4) as pool:
            for report in pool.map(lambda _: self.dump_works(jvm), range(4)):
                self.assertGreater(report.file_bytes, 1000)
            self.sound(jvm)

    @harness.on_a_jdk_in_turn
    def test_the_port_is_free_while_a_dump_runs(self, jdk, directory):
        """A child that held the listening socket would keep the address in use."""
        with start(jdk, directory, "-Drows=1000000", heap="1g", options="memory=1g") as jvm:
            port = int(jvm.ask("listen", r"^PORT (\d+)")[1])
            self.assertTrue(port)
            asked = begin("dump", jvm.pid, "--extended")
            harness.wait_until(lambda: asked.poll() is not None or frozen.children_of_threads(jvm.pid), 60, "a child")
            # A child that was seen at once closes them in this moment.
            harness.wait_until(lambda: any(sockets_of(child) == [] for child in frozen.children_of_threads(jvm.pid)), 10,
                               "a child without sockets")
            self.assertEqual(ended(asked)[0], 0)


class Places(Talking):
    @harness.on_a_jdk_in_turn
    def test_a_full_disk(self, jdk, directory):
        with small_disk(directory, "64k"):
            with start(jdk, directory) as jvm:
                (directory / "ballast").write_bytes(b"x" * 60 * 1024)
                done = harness.run_command("dump", jvm.pid, "--extended", check=False)
                self.assertEqual((done.returncode, done.stdout), (REFUSED, ""), done.stderr)
                self.assertRegex(self.one_line(done.stderr), "space|disk|full|No space")
                self.assertEqual([p.name for p in directory.iterdir() if p.suffix == ".hfr"], [])
                self.sound(jvm)
                self.answers(jvm)

    @harness.on_a_jdk_in_turn
    def test_a_directory_that_vanishes(self, jdk, directory):
        reports = directory / "reports"
        reports.mkdir()
        with start(jdk, reports) as jvm:
            shutil.rmtree(reports)
            done = harness.run_command("dump", jvm.pid, check=False)
            self.assertEqual((done.returncode, done.stdout), (REFUSED, ""), done.stderr)
            self.assertRegex(self.one_line(done.stderr), "directory|reports")
            reports.mkdir()
            self.dump_works(jvm)
            self.sound(jvm)

    @harness.on_a_jdk_in_turn
    def test_a_container_smaller_than_the_reservation(self, jdk, directory):
        try:
            with cgroup.Cgroup("memory", "holdfast-talk") as group:
                group.limit(400 << 20)
                with start(jdk, directory, "-XX:+UseSerialGC", "-Xms64m", "-XX:+AlwaysPreTouch", heap="64m", options="memory=8g") as jvm:
                    group.leave()
                    report = self.dump_works(jvm, "--extended")
                    self.assertEqual(report.field("kind"), "extended")
                    group.limit(group.used() + (8 << 20))
                    done = harness.run_command("dump", jvm.pid, "--extended", check=False)
                    self.assertIn(done.returncode, (0, REFUSED), done.stderr)
                    self.sound(jvm)
                    self.assertEqual(group.out_of_memory_kills(), 0)
        except cgroup.Refused as reason:
            self.skipTest(f"no control group for memory: {reason}")

    @harness.on_a_jdk_in_turn
    def test_no_writable_tmp_and_no_runtime_directory(self, jdk, directory):
        """The socket then lies beside the reports; the command finds it all the same."""
        unshare = ["unshare", "-m", "mount", "--bind", "/tmp", "/tmp"]
        if subprocess.run(unshare, capture_output=True, check=False).returncode != 0:
            self.skipTest("no mount namespace can be made")
        beside = pathlib.Path(tempfile.mkdtemp(prefix="holdfast talk ", dir="/var/tmp"))
        try:
            with start(jdk, beside, before_exec=close_tmp, env={"XDG_RUNTIME_DIR": ""}) as jvm:
                self.assertTrue([p for p in beside.iterdir() if p.is_socket()])
                self.answers(jvm)
                self.dump_works(jvm, "--simple")
                jvm.ask("check", "^SOUND true")
        finally:
            shutil.rmtree(beside)


def close_tmp():
    """In the process that becomes the JVM: a mount namespace of its own whose /tmp and /run/user take nothing; what is there stays readable."""
    if frozen.unshare_mounts() != 0:
        raise OSError("no mount namespace")
    for place in ("/tmp", "/run/user"):
        if os.path.isdir(place):
            subprocess.run(["mount", "--bind", place, place], check=True)
            subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)


class Peers(Talking):
    @harness.on_a_jdk_in_turn
    def test_garbage_and_silence_disturb_nobody(self, jdk, directory):
        with start(jdk, directory, "-Xms128m", "-XX:+AlwaysPreTouch") as jvm:
            self.dump_works(jvm, "--simple")
            path = frozen.control_socket(jvm.pid)
            before = frozen.Resources(jvm.pid)
            silent = [connect(path) for _ in range(8)]
            for i in range(GARBAGE):
                with connect(path) as one:
                    try:
                        one.sendall((os.urandom(64), b"\xff" * 9000, b"\x10\0\0\0", b"")[i % 4])
                    except OSError:
                        pass  # it was cut off: that is what it is for
            for one in silent:
                one.close()
            self.answers(jvm)
            self.dump_works(jvm, "--simple")
            time.sleep(3)  # silent peers are cut off after two
            after = frozen.Resources(jvm.pid)
            self.assertLessEqual(after.descriptors, before.descriptors + 1)
            self.assertEqual(after.own_threads, before.own_threads)
            self.assertLess(after.resident_bytes - before.resident_bytes, GROWTH_BYTES)
            self.sound(jvm)


def connect(path):
    peer = socket.socket(socket.AF_UNIX)  # blocking: a full queue is waited for
    peer.connect(str(path))
    peer.settimeout(5)
    return peer


class ComesAndGoes(Talking):
    @harness.on_a_jdk_in_turn
    def test_detached_and_attached_again(self, jdk, directory):
        with start(jdk, directory, "-Xms128m", "-XX:+AlwaysPreTouch", agent=False) as jvm:
            self.dump_works(jvm, "--dir", directory)
            harness.run_command("detach", jvm.pid)
            harness.wait_until(lambda: frozen.control_socket(jvm.pid) is None, 20, "the socket's end")
            jvm.trim()
            before = frozen.Resources(jvm.pid)
            for _ in range(ROUNDS):
                report = self.dump_works(jvm, "--dir", directory)
                self.assertGreater(report.file_bytes, 1000)
                harness.run_command("detach", jvm.pid)
                harness.wait_until(lambda: frozen.control_socket(jvm.pid) is None, 20, "the socket's end")
            time.sleep(0.5)
            jvm.trim()
            after = frozen.Resources(jvm.pid)
            print(f"{jdk}: {ROUNDS} times: {(after.resident_bytes - before.resident_bytes) / (1 << 20):+.1f} MB resident, "
                  f"{after.mappings - before.mappings:+} mappings", flush=True)
            self.assertLessEqual(after.descriptors, before.descriptors)
            self.assertEqual(after.own_threads, before.own_threads)
            self.assertEqual(after.children, 0)
            self.assertLess(after.resident_bytes - before.resident_bytes, GROWTH_BYTES)
            self.sound(jvm)


if __name__ == "__main__":
    unittest.main()
