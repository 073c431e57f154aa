#!/usr/bin/env python3
"""The commands that talk to a running CLR: dump, status, watch, set, cancel, detach, and who gets there a second time.

What does not depend on the VM stands in tests/vm/control_test.py; how an agent gets in, in attach_test.py.
"""
import json
import pathlib
import signal
import unittest

import harness
from awaited import reports, said
from talk import ask, begin, ended, status

REFUSED, WRONG_WORDS = 4, 2
LINK = "HeapMaker.Kinds.Instances.Link"
SOME = 20_000
MANY = 400_000  # a dump of these takes long enough to be disturbed


def start(runtime, options, made=SOME, **more):
    maker = harness.HeapMaker(options, runtime=runtime, **more)
    try:
        maker.make("instances", made)
        return maker
    except BaseException:
        maker.stop()
        raise


class Talk(unittest.TestCase):
    def unharmed(self, maker):
        self.assertTrue(maker.sound())
        self.assertEqual(said(maker), [])

    def complete(self, path):
        self.assertEqual(harness.run_command("report", path, check=False).returncode, 0, path)


class Dump(Talk):
    @harness.on_each_runtime
    def test_a_report_and_nothing_else_on_stdout(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off,pause=1h") as maker:
            done = ask("dump", maker.pid)
            path = pathlib.Path(done.stdout.rstrip("\n"))
            self.assertEqual(path.parent, directory)
            self.complete(path)
            self.assertRegex(done.stderr, r"will stop the application for .*\(limit ")
            self.assertRegex(done.stderr, r"stopped for .*; the application runs again")
            told = json.loads(ask("dump", maker.pid, "--simple", "--json", "--quiet").stdout)
            self.assertEqual((told["kind"], told["trigger"]), ("simple", "command"))
            self.complete(told["report_path"])
            extended = harness.Report(ask("dump", maker.pid, "--extended", "--quiet").stdout.rstrip("\n"))
            self.assertEqual(extended.field("kind"), "extended")
            self.assertEqual(extended.classes()[LINK].instances, SOME)
            self.unharmed(maker)

    @harness.on_each_runtime
    def test_analyses_are_chosen(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off,pause=1h") as maker:
            def passes(*words):
                path = ask("dump", maker.pid, "--extended", "--quiet", *words).stdout.rstrip("\n")
                return {one["pass"] for one in harness.Report(path).data["passes"]}
            self.assertIn("suspects", passes())
            self.assertNotIn("suspects", passes("--analyses", "tree"))
            ask("set", maker.pid, "analyses=classes")
            self.assertEqual(passes(), {"count references", "reachability", "classes"})

    @harness.on_each_runtime
    def test_what_is_too_long_in_every_way_is_refused(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off", MANY) as maker:
            refused = ask("dump", maker.pid, "--extended", "--pause", "1ms", "--quiet", code=REFUSED)
            self.assertRegex(refused.stderr, r"no dump: .* would stop the application for about \d+ ms.*, pause= allows 1 ms")
            self.assertTrue(maker.running())

    @harness.on_each_runtime
    def test_ctrl_c_cancels_and_the_next_one_works(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off,pause=1h", MANY) as maker:
            client = begin("dump", maker.pid, "--extended")
            client.stderr.readline()  # the prediction
            client.send_signal(signal.SIGINT)
            code, out, err = ended(client)
            self.assertEqual((code, out), (REFUSED, ""), err)
            self.assertIn("cancelled", err)
            harness.wait_until(lambda: status(maker.pid)["dumps"][0]["stage"] == "failed", 20, "the dump's end")
            self.assertEqual([p.name for p in directory.iterdir() if not p.is_socket()], [])
            self.complete(ask("dump", maker.pid, "--quiet").stdout.rstrip("\n"))
            self.unharmed(maker)

    @harness.on_each_runtime
    def test_a_client_killed_mid_dump_leaves_the_report(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off,pause=1h", MANY) as maker:
            client = begin("dump", maker.pid, "--extended")
            client.stderr.readline()
            client.kill()
            client.communicate()
            self.complete(harness.wait_report(directory, set()))
            self.unharmed(maker)

    @harness.on_each_runtime
    def test_the_process_killed_mid_dump(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off,pause=1h", MANY) as maker:
            client = begin("dump", maker.pid, "--extended")
            client.stderr.readline()
            maker.kill()
            code, out, err = ended(client)
            self.assertEqual((code, out), (REFUSED, ""), err)
            self.assertEqual(len([line for line in err.splitlines() if line.startswith("holdfast dump:")]), 1, err)


class Others(Talk):
    @harness.on_each_runtime
    def test_status(self, runtime, directory):
        with start(runtime, f"dir={directory},on=oom") as maker:
            ask("dump", maker.pid, "--quiet")
            told = status(maker.pid)
            self.assertEqual((told["process"]["pid"], told["process"]["main_name"]), (maker.pid, "HeapMaker"))
            self.assertRegex(told["process"]["vm_version"], rf"^{runtime.version}\.")
            self.assertEqual(told["options"]["on"], "oom")
            self.assertEqual(told["dumps"][0]["stage"], "reported")
            text = ask("status", maker.pid).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertIn("waits for an OutOfMemoryException", text)
            for word in ("Java", "JVM", "JDK", "OutOfMemoryError", "SIGQUIT"):
                self.assertNotIn(word, text)

    @harness.on_each_runtime
    def test_set(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off") as maker:
            self.assertIn("cooldown=300s\n", ask("set", maker.pid, "cooldown=5m,on=oom+gc").stdout)
            self.assertEqual(status(maker.pid)["options"]["on"], "oom+gc")
            self.assertIn("colour", ask("set", maker.pid, "colour=red", code=WRONG_WORDS).stderr)
            ask("set", maker.pid, "dir=/elsewhere", code=WRONG_WORDS)
            self.assertEqual(status(maker.pid)["options"]["dir"], str(directory))
            self.unharmed(maker)

    @harness.on_each_runtime
    def test_set_arms_a_process_that_had_no_agent(self, runtime, directory):
        with start(runtime, None, cwd=directory) as maker:
            ask("set", maker.pid, "colour=red", code=WRONG_WORDS)
            ask("status", maker.pid, code=REFUSED)  # nothing was put in for a slip
            ask("set", maker.pid, "on=gc,cooldown=0")
            harness.wait_until(lambda: maker.ask("collect", "^collected") and harness.reports_in(directory), 20, "a report")
            self.assertEqual(reports(directory)[0].field("trigger"), "gc")
            self.assertTrue(maker.sound())

    @harness.on_each_runtime
    def test_watch_once_and_lines(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off") as maker:
            one = json.loads(ask("watch", maker.pid, "--once", "--json").stdout)
            link = next(row for row in one["classes"] if row["class"] == LINK)
            self.assertGreaterEqual(link["instances"], SOME)
            self.assertIn("Instances.Link", ask("watch", maker.pid, "--once", "--filter", "*Link").stdout)
            lines = ask("watch", maker.pid, "--json", "--interval", "200ms", "--count", "3", "--top", "2").stdout.splitlines()
            self.assertEqual([json.loads(line)["sample"] for line in lines], [1, 2, 3])
            harness.wait_until(lambda: status(maker.pid)["agent"]["watchers"] == 0, 20, "the watcher's end")
            self.unharmed(maker)

    @harness.on_each_runtime
    def test_watching_alone_is_no_reason_for_a_dump(self, runtime, directory):
        """Before .NET 9 each look is a collection of the whole heap; on=gc means the application's."""
        with start(runtime, f"dir={directory},on=gc,cooldown=0") as maker:
            ask("watch", maker.pid, "--json", "--interval", "200ms", "--count", "3")
            self.assertEqual(status(maker.pid)["requests"]["accepted"], 0)
            self.unharmed(maker)

    @harness.on_each_runtime
    def test_the_process_ends_under_watch(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off") as maker:
            watcher = begin("watch", maker.pid, "--json", "--interval", "200ms")
            watcher.stdout.readline()
            self.assertEqual(maker.exit(3), 3)
            code, _, err = ended(watcher)
            self.assertEqual(code, REFUSED)
            self.assertIn("holdfast watch: process", err)

    @harness.on_each_runtime
    def test_detach_and_back(self, runtime, directory):
        with start(runtime, f"dir={directory},on=off") as maker:
            for _ in range(2):
                ask("detach", maker.pid)
                harness.wait_until(lambda: harness.run_command("status", maker.pid, check=False).returncode == REFUSED, 20, "the agent to leave")
                self.unharmed(maker)
                self.complete(ask("dump", maker.pid, "--dir", directory).stdout.rstrip("\n"))
            self.unharmed(maker)


if __name__ == "__main__":
    harness.main()
