#!/usr/bin/env python3
"""The commands that talk to a running JVM, with what is shipped: dump, status, watch, set, cancel, detach, and what can go wrong between them."""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import harness
from talk import ask, begin, status

HERE = pathlib.Path(__file__).resolve().parent
SOME = 20_000      # nodes, of four objects each
MANY = 600_000     # a dump of these takes long enough to be disturbed


def start(jdk, options, nodes=SOME, cwd=None, name="Victim"):
    classes = harness.compile_java("victim", [HERE / "victim" / "Victim.java"])
    jvm = harness.Jvm(jdk, ["-Xmx900m", f"-Dnodes={nodes}", "-cp", classes, name], options, cwd=cwd)
    try:
        jvm.wait_line("^READY")
        return jvm
    except BaseException:
        jvm.stop()
        raise


class Talk(unittest.TestCase):
    def unharmed(self, jvm):
        self.assertEqual(jvm.ask("check", r"^SOUND (\w+)").group(1), "true")
        self.assertEqual([line for line in jvm.lines if line.startswith("holdfast")], [])

    def complete(self, path):
        self.assertEqual(harness.run_command("report", path, check=False).returncode, 0, path)


class Dump(Talk):
    @harness.on_a_jdk_in_turn
    def test_a_report_and_nothing_else_on_stdout(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            done = ask("dump", jvm.pid)
            path = pathlib.Path(done.stdout.rstrip("\n"))
            self.assertEqual(path.parent, directory)
            self.complete(path)
            self.assertRegex(done.stderr, r"will stop the application for .*\(limit 1\.0 s\)")
            self.assertRegex(done.stderr, r"stopped for .*; the application runs again")
            self.assertNotIn("\x1b", done.stderr)
            told = json.loads(ask("dump", jvm.pid, "--simple", "--json", "--quiet").stdout)
            self.assertEqual(told["kind"], "simple")
            self.assertEqual(told["trigger"], "command")
            self.complete(told["report_path"])
            extended = harness.Report(ask("dump", jvm.pid, "--extended", "--quiet").stdout.rstrip("\n"))
            self.assertGreaterEqual(extended.classes()["Victim$Node"].instances, SOME)
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_copies_and_names(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            copy = directory / "a copy.hfr"
            self.assertEqual(ask("dump", jvm.pid, "-o", copy).stdout, f"{copy}\n")
            self.complete(copy)
            self.assertIn("named", ask("dump", jvm.pid, "--file", "named-%n.hfr").stdout)
            self.assertIn("Victim", ask("dump", jvm.pid, "--report", "--quiet").stdout)
            letter = directory / "letter.txt"
            letter.write_text("dear all")
            ask("dump", jvm.pid, "-o", letter, code=4)
            self.assertEqual(letter.read_text(), "dear all")
            ask("dump", jvm.pid, "--file", "../escape.hfr", code=2)
            ask("dump", jvm.pid, "--dir", "/elsewhere", code=2)
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_analyses_are_chosen(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            def passes(*words):
                report = json.loads(harness.run_command("report", "--json", ask("dump", jvm.pid, "--extended", "--quiet", *words).stdout.rstrip("\n")).stdout)
                return {one["pass"] for one in report["passes"]}, report["verdict"]
            self.assertIn("suspects", passes()[0])
            made, verdict = passes("--analyses", "tree")
            self.assertEqual(made, {"count references", "dominators", "classes", "upper dominator tree"})
            self.assertIn("not looked for", verdict)
            ask("set", jvm.pid, "analyses=classes")
            self.assertEqual(passes()[0], {"count references", "reachability", "classes"})
            self.assertIn("suspects", passes("--analyses", "suspects")[0])
            self.assertIn("statistics", ask("dump", jvm.pid, "--analyses", "everything", code=2).stderr)

    @harness.on_a_jdk_in_turn
    def test_a_pause_limit_steps_down_with_a_warning(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            walk = ("--extended", "--capture", "walk", "--pause", "300ms", "--quiet")  # counting takes less
            self.assertRegex(ask("dump", jvm.pid, *walk).stderr, r"warning: no ")
            told = json.loads(ask("dump", jvm.pid, *walk, "--json").stdout)
            self.assertEqual(told["kind"], "simple")
            self.assertIn("no ", told["note"])

    @harness.on_a_jdk_in_turn
    def test_what_is_too_long_in_every_way_is_refused(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            for words in (("--simple",), ("--extended",), ("--extended", "--capture", "walk")):
                refused = ask("dump", jvm.pid, *words, "--pause", "1ms", "--quiet", code=4)
                self.assertRegex(refused.stderr, r"no dump: .* would stop the application for about \d+ ms.*, pause= allows 1 ms")
            self.assertEqual(harness.reports_in(directory), set())

    def test_without_an_agent_one_comes_and_stays_idle(self):
        for jdk in harness.in_turn():
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast talk ") as work, start(jdk, None, cwd=work) as jvm:
                path = pathlib.Path(ask("dump", jvm.pid).stdout.rstrip("\n"))
                self.assertEqual(path.parent, pathlib.Path(work))
                self.complete(path)
                self.assertEqual(status(jvm.pid)["options"]["on"], "off")
                ask("dump", jvm.pid)
                self.assertEqual(len(harness.reports_in(work)), 2)

    @harness.on_a_jdk_in_turn
    def test_by_name(self, jdk, directory):
        """The jar's name is nobody else's: other tests may run Victims too."""
        name = f"talk-{os.getpid()}-{jdk.version}"
        classes = harness.compile_java("victim", [HERE / "victim" / "Victim.java"])
        subprocess.run([jdk.tool("jar"), "cfe", directory / f"{name}.jar", "Victim", "-C", classes, "."], check=True)

        def start_jar():
            return harness.Jvm(jdk, ["-Xmx100m", "-jar", directory / f"{name}.jar"], f"dir={directory},on=off")
        with start_jar() as jvm:
            jvm.wait_line("^READY")
            self.complete(ask("dump", name).stdout.rstrip("\n"))
            ask("dump", f"{name}-none", code=2)
            with start_jar() as other:
                other.wait_line("^READY")
                said = ask("dump", name, code=2).stderr
                self.assertIn(str(jvm.pid), said)
                self.assertIn(str(other.pid), said)

    def test_a_process_that_is_not_there_or_no_vm(self):
        for command in ("dump", "status", "watch", "cancel", "detach"):
            ask(command, 4_000_000, code=2)
        ask("set", 4_000_000, "every=5m", code=2)
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            ask("dump", sleeper.pid, code=4)
            ask("status", sleeper.pid, code=4)
            self.assertIsNone(sleeper.poll())
        finally:
            sleeper.kill()
            sleeper.wait()


class Others(Talk):
    @harness.on_a_jdk_in_turn
    def test_status(self, jdk, directory):
        with start(jdk, f"dir={directory},on=oom") as jvm:
            ask("dump", jvm.pid, "--quiet")
            told = status(jvm.pid)
            self.assertEqual(told["process"]["pid"], jvm.pid)
            self.assertEqual(told["process"]["main_name"], "Victim")
            self.assertEqual(told["options"]["on"], "oom")
            self.assertEqual(told["dumps"][0]["stage"], "reported")
            self.assertEqual(told["requests"]["accepted"], 1)
            text = ask("status", jvm.pid).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertIn(pathlib.Path(told["dumps"][0]["report_path"]).name[:20], text)

    @harness.on_a_jdk_in_turn
    def test_set(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            self.assertIn("cooldown=300s\n", ask("set", jvm.pid, "cooldown=5m,on=oom").stdout)
            self.assertEqual(status(jvm.pid)["options"]["on"], "oom")
            said = ask("set", jvm.pid, "colour=red", code=2).stderr
            self.assertIn("colour", said)
            ask("set", jvm.pid, "dir=/elsewhere", code=2)
            self.assertEqual(status(jvm.pid)["options"]["dir"], str(directory))

    @harness.on_a_jdk_in_turn
    def test_set_arms_a_vm_that_had_no_agent(self, jdk, directory):
        with start(jdk, None, cwd=directory) as jvm:
            ask("set", jvm.pid, "colour=red", code=2)
            ask("status", jvm.pid, code=4)  # nothing was put in for a slip
            ask("set", jvm.pid, "on=signal")
            # The VM is told of it a moment after the answer; a signal before that is only a thread dump.
            harness.wait_until(lambda: jvm.quit_signal() or time.sleep(0.5) or harness.reports_in(directory), 10)
            for report in harness.reports_in(directory):
                self.complete(report)

    @harness.on_a_jdk_in_turn
    def test_watch_once_and_lines(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            one = json.loads(ask("watch", jvm.pid, "--once", "--json").stdout)
            node = next(row for row in one["classes"] if row["class"] == "Victim$Node")
            self.assertGreaterEqual(node["instances"], SOME)
            self.assertIn("Victim$Node", ask("watch", jvm.pid, "--once", "--filter", "Victim*").stdout)
            lines = ask("watch", jvm.pid, "--json", "--interval", "200ms", "--count", "3", "--top", "2").stdout.splitlines()
            self.assertEqual([json.loads(line)["sample"] for line in lines], [1, 2, 3])
            text = ask("watch", jvm.pid, "--interval", "200ms", "--count", "2").stdout
            self.assertIn("since start", text)
            self.assertNotIn("\x1b", text)
            harness.wait_until(lambda: status(jvm.pid)["agent"]["watchers"] == 0)
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_detach_and_back(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            ask("detach", jvm.pid)
            harness.wait_until(lambda: subprocess.run([str(harness.command()), "status", str(jvm.pid)], capture_output=True, check=False).returncode == 4)
            self.unharmed(jvm)
            self.complete(ask("dump", jvm.pid, "--dir", directory).stdout.rstrip("\n"))
            self.unharmed(jvm)


class Screen(Talk):
    """`watch` on a terminal of 90 columns and 25 rows."""

    def watch(self, pid, act, environment=None):
        """What the screen got; act(terminal, child, seen) while it runs. And the exit code."""
        child, terminal = pty.fork()
        if child == 0:
            os.execve(str(harness.command()), ["holdfast", "watch", str(pid), "--interval", "200ms"],
                      {"TERM": "xterm", "PATH": os.environ["PATH"], **(environment or {})})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 90, 0, 0))
        text = bytearray()

        def seen(pattern, timeout_s=20):
            deadline = time.monotonic() + timeout_s
            start_at = len(text)
            while not re.search(pattern, text[start_at:].decode(errors="replace"), re.DOTALL):
                if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                    raise AssertionError(f"no {pattern} in {text[start_at:][-2000:]!r}")
                try:
                    text.extend(os.read(terminal, 65536))
                except OSError:
                    raise AssertionError(f"ended without {pattern}: {text[start_at:]!r}") from None
        try:
            act(terminal, child, seen)
            while True:
                try:
                    more = os.read(terminal, 65536)
                except OSError:
                    break
                if not more:
                    break
                text.extend(more)
        finally:
            os.close(terminal)
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
            code = os.waitpid(child, 0)[1]
        return text.decode(errors="replace"), code

    def restored(self, text):
        self.assertTrue(text.startswith("\x1b[?1049h"), text[:60])
        self.assertEqual(text.count("\x1b[?1049h"), text.count("\x1b[?1049l"))
        self.assertEqual(text.count("\x1b[?25l"), text.count("\x1b[?25h"))

    @harness.on_a_jdk_in_turn
    def test_keys_sizes_and_the_end(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            def act(terminal, child, seen):
                seen(r"by growth.*Victim\$Node")
                os.write(terminal, b"s")
                seen("by bytes")
                os.write(terminal, b" ")
                seen("paused")
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 50, 0, 0))
                os.kill(child, signal.SIGWINCH)
                seen("paused")
                os.write(terminal, b" ")
                seen("q quits")
                os.write(terminal, b"q")
            text, code = self.watch(jvm.pid, act)
            self.restored(text)
            self.assertEqual(code, 0)
            self.assertIn("\x1b[1m", text)

    @harness.on_a_jdk_in_turn
    def test_signals_give_the_terminal_back(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            for number, wanted in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGSEGV, int(signal.SIGSEGV))):
                def act(_, child, seen):
                    seen(r"Victim\$Node")
                    os.kill(child, number)
                text, code = self.watch(jvm.pid, act, {"NO_COLOR": "1"})
                self.restored(text)
                self.assertEqual(code & 0x7F, wanted, number)
                self.assertNotIn("\x1b[1m", text)
            harness.wait_until(lambda: status(jvm.pid)["agent"]["watchers"] == 0)

    @harness.on_a_jdk_in_turn
    def test_the_process_ends_under_it(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            def act(_, __, seen):
                seen(r"Victim\$Node")
                jvm.kill()
            text, code = self.watch(jvm.pid, act)
            self.restored(text)
            self.assertEqual(os.waitstatus_to_exitcode(code), 4)
            self.assertIn("holdfast watch: process", text[text.rindex("\x1b[?1049l"):])


class Disturbed(Talk):
    @harness.on_a_jdk_in_turn
    def test_two_clients_at_once(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            clients = [begin("dump", jvm.pid, "--quiet") for _ in range(2)]
            paths = [client.communicate(timeout=120)[0].rstrip("\n") for client in clients]
            self.assertEqual([client.returncode for client in clients], [0, 0])
            for path in paths:
                self.complete(path)
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_a_client_killed_mid_dump_leaves_the_report(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            client = begin("dump", jvm.pid, "--extended")
            client.stderr.readline()  # the prediction
            client.kill()
            client.communicate()
            self.complete(harness.wait_report(directory, set()))
            self.complete(ask("dump", jvm.pid, "--quiet").stdout.rstrip("\n"))
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_ctrl_c_cancels(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            client = begin("dump", jvm.pid, "--extended")
            client.stderr.readline()
            client.send_signal(signal.SIGINT)
            out, err = client.communicate(timeout=60)
            self.assertEqual(client.returncode, 4, err)
            self.assertEqual(out, "")
            self.assertIn("cancelled", err)
            harness.wait_until(lambda: status(jvm.pid)["dumps"][0]["stage"] == "failed")
            self.assertEqual(os.listdir(directory), [])
            self.complete(ask("dump", jvm.pid, "--quiet").stdout.rstrip("\n"))
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_cancel_from_elsewhere(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            client = begin("dump", jvm.pid, "--extended")
            client.stderr.readline()
            ask("cancel", jvm.pid)
            out, err = client.communicate(timeout=60)
            self.assertEqual(client.returncode, 4, err)
            self.assertEqual(out, "")
            self.assertIn("leaves no report: cancelled", err)

    @harness.on_a_jdk_in_turn
    def test_the_jvm_killed_mid_dump(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off", MANY) as jvm:
            client = begin("dump", jvm.pid, "--extended")
            client.stderr.readline()
            jvm.kill()
            out, err = client.communicate(timeout=60)
            self.assertEqual(client.returncode, 4, err)
            self.assertEqual(out, "")
            self.assertEqual(len([line for line in err.splitlines() if line.startswith("holdfast dump:")]), 1, err)

    @harness.on_a_jdk_in_turn
    def test_a_stopped_process_is_no_endless_wait(self, jdk, directory):
        with start(jdk, f"dir={directory},on=off") as jvm:
            harness.suspend(jvm.pid)
            try:
                began = time.monotonic()
                self.assertIn("does not answer", ask("dump", jvm.pid, "--timeout", "2s", code=4).stderr)
                self.assertLess(time.monotonic() - began, 10)
            finally:
                os.kill(jvm.pid, signal.SIGCONT)
            self.unharmed(jvm)


if __name__ == "__main__":
    unittest.main()
