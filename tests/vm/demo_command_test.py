#!/usr/bin/env python3
"""`holdfast demo` with real Javas: the leak is found, the page is there, and nothing runs on or lies about, however it ends."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness

WRONG_USAGE, REFUSED = 2, 4
SERVICE = "LeakyService"
MARK = "HF_DEMO_TEST"  # in the environment of this test's services: others may run beside it


def surroundings(jdk, directory, **more):
    """A person's, with this Java alone and no screen."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    return {**kept, "JAVA_HOME": jdk.home if jdk else "/none", "TMPDIR": str(directory), MARK: str(os.getpid()), **more}


def demo(*words, env):
    return subprocess.run([harness.command(), "demo", *map(str, words)], capture_output=True, text=True, check=False, timeout=300, env=env)


def started(*words, env):
    return subprocess.Popen([harness.command(), "demo", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def wait_for_line(process, text):
    for line in process.stderr:
        if text in line:
            return


def java_home_of(directory, script):
    """A JAVA_HOME whose java is this script of the shell."""
    home = pathlib.Path(directory, "home")
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\n" + script)
    (home / "bin" / "java").chmod(0o755)
    return str(home)


def services():
    """The numbers of all running services of this test's demos."""
    found, mark = [], f"{MARK}={os.getpid()}".encode()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if SERVICE.encode() in (process / "cmdline").read_bytes().split(b"\0") and mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            pass
    return found


class Demo(unittest.TestCase):
    def setUp(self):
        self.before = set(services())

    def ours(self):
        return set(services()) - self.before

    @harness.on_each_jdk
    def test_finds_the_leak(self, jdk, directory):
        done = demo(env=surroundings(jdk, directory))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4,000 shop.Session retain", done.stdout)
        self.assertIn("SessionRegistry.SESSIONS", done.stdout)
        report, page = re.search(r"^report: (.+)\npage:   file://(.+)$", done.stdout, re.MULTILINE).groups()
        self.assertEqual(pathlib.Path(report).parent.parent, directory)
        self.assertEqual(len(list(pathlib.Path(report).parent.iterdir())), 2)
        self.assertTrue(page.endswith(".html"))
        harness.run_command("report", report)
        self.assertFalse(self.ours())

    @harness.on_a_jdk_in_turn
    def test_files_where_they_are_wanted_and_a_browser(self, jdk, directory):
        (directory / "xdg-open").write_text(f"#!/bin/sh\necho \"$1\" >'{directory}/opened'\n")
        (directory / "xdg-open").chmod(0o755)
        env = surroundings(jdk, directory, DISPLAY=":0", PATH=f"{directory}:{os.environ['PATH']}")
        done = demo("-o", directory / "new" / "place", "--html", directory / "my page.html", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.suffix for path in (directory / "new" / "place").iterdir()], [".hfr"])
        self.assertIn("my%20page.html", done.stdout)
        harness.wait_until(lambda: (directory / "opened").exists() and (directory / "opened").read_text(), 10, "opened")
        self.assertEqual((directory / "opened").read_text().strip(), str(directory / "my page.html"))
        (directory / "opened").unlink()
        done = demo("-o", directory / "new" / "place", "--no-open", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((directory / "opened").exists())

    @harness.on_a_jdk_in_turn
    def test_ctrl_c_and_a_kill_leave_nothing(self, jdk, directory):
        for number, wait_for in ((signal.SIGINT, "starts on"), (signal.SIGINT, "people log in"), (signal.SIGTERM, "people log in"),
                                 (signal.SIGKILL, "people log in"), (signal.SIGINT, "now:"), (signal.SIGINT, "runs again")):
            with self.subTest(f"{number} at {wait_for}"):
                self.check_end(surroundings(jdk, directory), directory, wait_for, number)

    def check_end(self, env, directory, wait_for, number, *words, times=1):
        process = started(*words, env=env)
        wait_for_line(process, wait_for)
        for _ in range(times):
            process.send_signal(number)
            time.sleep(0.05)
        _, errors = process.communicate(timeout=60)
        if number == signal.SIGKILL:
            self.assertEqual(process.returncode, -number)
        else:
            self.assertEqual(process.returncode, REFUSED, errors)
            self.assertTrue(errors.endswith("holdfast demo: interrupted; the service has ended, nothing is left\n"), errors)
            self.assertNotIn("runs on", errors)
            self.assertEqual(list(directory.iterdir()), [], errors)
        self.check_all_ended()
        for left in directory.glob("*/*"):
            left.unlink()
        for left in directory.iterdir():
            left.rmdir()

    def check_all_ended(self):
        harness.wait_until(lambda: not self.ours(), 10, "the services ended")

    @harness.on_a_jdk_in_turn
    def test_a_second_ctrl_c_leaves_nothing_either(self, jdk, directory):
        for wait_for in ("people log in", "now:", "runs again"):
            with self.subTest(wait_for):
                self.check_end(surroundings(jdk, directory), directory, wait_for, signal.SIGINT, times=3)

    @harness.on_a_jdk_in_turn
    def test_ctrl_c_removes_the_folders_that_were_made(self, jdk, directory):
        self.check_end(surroundings(jdk, "/tmp"), directory, "people log in", signal.SIGINT, "-o", directory / "a" / "b" / "c")

    @harness.on_a_jdk_in_turn
    def test_ctrl_c_leaves_a_folder_of_the_user_as_it_was(self, jdk, directory):
        (directory / "service.log").write_text("the user's")
        for wait_for in ("now:", "runs again"):
            with self.subTest(wait_for):
                process = started("-o", directory, env=surroundings(jdk, "/tmp"))
                wait_for_line(process, wait_for)
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, REFUSED, errors)
                self.check_all_ended()
                self.assertEqual([path.name for path in directory.iterdir()], ["service.log"])

    @harness.on_a_jdk_in_turn
    def test_a_signal_that_is_no_end_changes_nothing(self, jdk, directory):
        process = started("--no-open", env=surroundings(jdk, directory))
        wait_for_line(process, "people log in")
        for i in range(40):
            process.send_signal(signal.SIGWINCH)
            if i == 20:
                process.send_signal(signal.SIGTSTP)
                time.sleep(0.2)
                process.send_signal(signal.SIGCONT)
            time.sleep(0.01)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)

    @harness.on_a_jdk_in_turn
    def test_ctrl_c_does_not_wait_for_a_service_that_hangs(self, jdk, directory):
        process = started(env=surroundings(jdk, directory))
        wait_for_line(process, "people log in")
        for pid in self.ours():
            os.kill(pid, signal.SIGSTOP)
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(process.returncode, REFUSED, errors)
        self.assertIn("interrupted", errors)
        self.check_all_ended()

    @harness.on_a_jdk_in_turn
    def test_files_of_the_user_stay_and_none_of_the_vm(self, jdk, directory):
        place = directory / "place"
        place.mkdir()
        (place / "service.log").write_text("the user's")
        done = demo("-o", place, "--no-open", env=surroundings(jdk, directory))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((place / "service.log").read_text(), "the user's")
        pid = re.search(r"it is process (\d+)", done.stderr).group(1)
        left = [*pathlib.Path("/tmp").glob(f"holdfast-*/*{pid}*"), *pathlib.Path("/tmp").glob(f"hsperfdata_*/{pid}"),
                *pathlib.Path("/tmp").glob(f".java_pid{pid}")]
        self.assertEqual(left, [])

    @harness.on_a_jdk_in_turn
    def test_a_java_that_is_a_wrapper(self, jdk, directory):
        env = {**surroundings(jdk, directory), "JAVA_HOME": java_home_of(directory, f"'{jdk.tool('java')}' \"$@\"\nexit $?\n")}
        done = demo("-o", directory / "place", "--no-open", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4,000 shop.Session retain", done.stdout)
        self.check_all_ended()
        for number in (signal.SIGINT, signal.SIGKILL):
            process = started("-o", directory / "other", env=env)
            wait_for_line(process, "people log in")
            process.send_signal(number)
            process.communicate(timeout=60)
            self.check_all_ended()

    @harness.on_a_jdk_in_turn
    def test_a_vm_that_does_not_start_says_why(self, jdk, directory):
        home = java_home_of(directory, f"exec '{jdk.tool('java')}' -Xms1g \"$@\"\n")
        done = demo(env={**surroundings(jdk, directory), "JAVA_HOME": home})
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertRegex(done.stderr, r"ended before it was ready: Error occurred during initialization of VM: .*[Hh]eap size")

    @harness.on_a_jdk_in_turn
    def test_a_java_home_without_a_java(self, jdk, directory):
        home = java_home_of(directory, "exit 1\n")
        (pathlib.Path(home) / "bin" / "java").chmod(0o644)
        env = {**surroundings(jdk, directory), "JAVA_HOME": home, "PATH": f"{jdk.home}/bin:{os.environ['PATH']}"}
        done = demo("--no-open", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.startswith(f"holdfast demo: JAVA_HOME={home} has no bin/java that can be run; it is passed over\n"),
                        done.stderr)

    @harness.on_a_jdk_in_turn
    def test_a_temporary_folder_that_is_relative_or_missing(self, jdk, directory):
        done = subprocess.run([harness.command(), "demo", "--no-open"], capture_output=True, text=True, check=False, timeout=300,
                              env=surroundings(jdk, "."), cwd=directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"report: {directory}/holdfast-demo-", done.stdout)
        process = started(env=surroundings(jdk, directory / "none"))
        wait_for_line(process, "people log in")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertIn("nothing is left", errors)

    @harness.on_a_jdk_in_turn
    def test_a_reader_that_went_away(self, jdk, directory):
        process = started("--no-open", env=surroundings(jdk, directory))
        process.stderr.readline()
        process.stderr.close()
        output = process.stdout.read()
        self.assertEqual(process.wait(60), 0)
        self.assertIn("\npage:   file://", output)
        self.check_all_ended()

    @harness.on_a_jdk_in_turn
    def test_what_is_wrong_is_one_line(self, jdk, directory):
        (directory / "a,b").mkdir()
        (directory / "file").write_text("")
        (directory / "file.txt").write_text("a letter")
        shutil.copy(harness.agent_library(), directory / "a=b.so")
        cases = [(WRONG_USAGE, ["-o", directory / "a,b"], {}, "without ','"),
                 (WRONG_USAGE, ["-o", directory / "file"], {}, "file"),
                 (WRONG_USAGE, ["--library", "/no/such.so"], {}, "No such file"),
                 (REFUSED, ["--html", directory / "none" / "page.html"], {}, "none/page.html: No such file"),
                 (REFUSED, ["--html", directory / "file.txt"], {}, "exists and is none of ours"),
                 (WRONG_USAGE, ["--library", directory / "a=b.so"], {}, "without '='"),
                 (REFUSED, [], {"TMPDIR": "/proc"}, "/proc")]
        for code, words, more, said in cases:
            with self.subTest(said):
                done = demo(*words, env={**surroundings(jdk, directory), **more})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(sorted(path.name for path in directory.iterdir()), ["a,b", "a=b.so", "file", "file.txt"])

    def test_a_java_that_cannot(self):
        with tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
            home = java_home_of(directory, "echo 'Error: no modules' >&2\nexit 1\n")
            done = demo(env={**surroundings(None, directory), "JAVA_HOME": home})
            self.assertEqual(done.returncode, REFUSED)
            self.assertIn("ended before it was ready: Error: no modules", done.stderr)
            self.assertEqual([path.name for path in pathlib.Path(directory).iterdir()], ["home"])


if __name__ == "__main__":
    unittest.main()
