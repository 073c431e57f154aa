#!/usr/bin/env python3
"""`holdfast demo` with real Javas: the leak is found, the page is there, and nothing runs on or lies about, however it ends."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import harness

WRONG_USAGE, REFUSED = 2, 4
SERVICE = "LeakyService"


def surroundings(jdk, directory, **more):
    """A person's, with this Java alone and no screen."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    return {**kept, "JAVA_HOME": jdk.home if jdk else "/none", "TMPDIR": str(directory), **more}


def demo(*words, env):
    return subprocess.run([harness.command(), "demo", *map(str, words)], capture_output=True, text=True, check=False, timeout=300, env=env)


def services():
    """The numbers of all running services of demos."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if SERVICE.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
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
                process = subprocess.Popen([harness.command(), "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           env=surroundings(jdk, directory))
                for line in process.stderr:
                    if wait_for in line:
                        break
                process.send_signal(number)
                _, errors = process.communicate(timeout=60)
                if number == signal.SIGKILL:
                    self.assertEqual(process.returncode, -number)
                else:
                    self.assertEqual(process.returncode, REFUSED, errors)
                    self.assertEqual(list(directory.iterdir()), [], errors)
                deadline = time.monotonic() + 10
                while self.ours() and time.monotonic() < deadline:
                    time.sleep(0.02)
                self.assertFalse(self.ours())
                for left in directory.glob("*/*"):
                    left.unlink()
                for left in directory.iterdir():
                    left.rmdir()

    @harness.on_a_jdk_in_turn
    def test_what_is_wrong_is_one_line(self, jdk, directory):
        (directory / "a,b").mkdir()
        (directory / "file").write_text("")
        cases = [(WRONG_USAGE, ["-o", directory / "a,b"], {}, "without ','"),
                 (WRONG_USAGE, ["-o", directory / "file"], {}, "file"),
                 (WRONG_USAGE, ["--library", "/no/such.so"], {}, "No such file"),
                 (REFUSED, [], {"TMPDIR": "/proc"}, "/proc")]
        for code, words, more, said in cases:
            with self.subTest(said):
                done = demo(*words, env={**surroundings(jdk, directory), **more})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(sorted(path.name for path in directory.iterdir()), ["a,b", "file"])

    def test_a_java_that_cannot(self):
        with tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
            home = pathlib.Path(directory, "broken")
            (home / "bin").mkdir(parents=True)
            (home / "bin" / "java").write_text("#!/bin/sh\necho 'Error: no modules' >&2\nexit 1\n")
            (home / "bin" / "java").chmod(0o755)
            done = demo(env={**surroundings(None, directory), "JAVA_HOME": str(home)})
            self.assertEqual(done.returncode, REFUSED)
            self.assertIn("ended before it was ready: Error: no modules", done.stderr)
            self.assertEqual([path.name for path in pathlib.Path(directory).iterdir()], ["broken"])


if __name__ == "__main__":
    unittest.main()
