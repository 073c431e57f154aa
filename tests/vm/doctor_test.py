#!/usr/bin/env python3
"""`holdfast doctor` with real JVMs: what it says in advance is what `holdfast dump` then meets."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
import seccomp  # noqa: E402  of tests/running, which harness has put on the path

WRONG_USAGE, REFUSED = 2, 4
NO_SUCH_PROCESS = 4_194_304  # above what the kernel gives
NOBODY = 65534


def doctor(*words, code=0):
    done = subprocess.run([harness.command(), "doctor", *map(str, words), "--json"], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != code:
        raise harness.VmError(f"doctor {words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout) if done.stdout else done.stderr


def findings(document):
    return {row["subject"]: row for row in document["findings"]}


def sleeper(jdk, *vm_args, agent_options=None, **more):
    return harness.victim("Victim", jdk, ["-Xmx64m", *vm_args], agent_options, **more)


class Machine(unittest.TestCase):
    def test_has_what_a_dump_needs(self):
        found = findings(doctor())
        self.assertEqual(found["library"]["verdict"], "ok", found["library"])
        self.assertEqual(found["child process"]["verdict"], "ok")
        self.assertIn("fork snapshot", found["Java"]["fact"])

    def test_a_sandbox_without_children(self):
        done = subprocess.run([harness.command(), "doctor", "--json"], capture_output=True, text=True, check=True, timeout=60,
                              preexec_fn=seccomp.forbid_children)
        found = findings(json.loads(done.stdout))
        self.assertEqual(found["child process"]["verdict"], "limited")
        self.assertIn("not permitted", found["child process"]["fact"])
        self.assertIn("a filter is in force", found["seccomp"]["fact"])

    @unittest.skipUnless(os.geteuid() == 0, "only root may become another user")
    def test_another_users_process(self):
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o755)
            command = shutil.copy(harness.command(), directory)
            done = subprocess.run([command, "doctor", str(os.getpid()), "--json"], capture_output=True, text=True, check=False, timeout=60,
                                  user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
            self.assertEqual(done.returncode, REFUSED, done.stderr)
            found = findings(json.loads(done.stdout))
            self.assertEqual((list(found), found["permission"]["verdict"]), (["permission"], "no"))
            self.assertIn("belongs to user root", found["permission"]["fact"])


class Process(unittest.TestCase):
    @harness.on_each_jdk
    def test_plain(self, jdk, directory):
        with sleeper(jdk, "-XX:+UseG1GC") as jvm:
            document = doctor(jvm.pid)
            found = findings(document)
            self.assertTrue(document["dump_possible"])
            self.assertIn(f"HotSpot {jdk.version}", found["VM"]["fact"])
            self.assertEqual(found["collector"]["fact"], "G1")
            self.assertIn("none yet", found["agent"]["fact"])
            self.assertIn("fork snapshot", found["capture"]["fact"])
            text = subprocess.run([harness.command(), "doctor", str(jvm.pid)], capture_output=True, text=True, check=True).stdout
            self.assertLessEqual(len(text.splitlines()), 24)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            # Nothing was changed, and what it said comes true.
            self.assertIn("none yet", findings(doctor(jvm.pid))["agent"]["fact"])
            harness.run_command("dump", jvm.pid, "--extended", "--dir", directory, "--quiet")
            found = findings(doctor(jvm.pid))
            self.assertIn("answers", found["agent"]["fact"])
            self.assertIn("says the agent", found["capture"]["fact"])
            self.assertEqual(found["capture"]["verdict"], "ok")
            self.assertIn("the last extended dump stopped it for", found["pause"]["fact"])

    @harness.on_each_jdk
    def test_attach_is_forbidden(self, jdk, directory):
        del directory
        with sleeper(jdk, "-XX:+DisableAttachMechanism") as jvm:
            found = findings(doctor(jvm.pid, code=REFUSED))
            self.assertEqual(found["attach"]["verdict"], "no")
            self.assertIn("DisableAttachMechanism", found["attach"]["fact"])
            self.assertIn("-agentpath", found["attach"]["advice"])

    @harness.on_each_jdk
    def test_attach_is_forbidden_but_the_agent_is_there(self, jdk, directory):
        with sleeper(jdk, "-XX:+DisableAttachMechanism", agent_options=f"dir={directory}") as jvm:
            found = findings(doctor(jvm.pid))
            self.assertEqual(found["attach"]["verdict"], "ok")
            self.assertEqual(found["capture"]["verdict"], "ok")

    @harness.on_each_jdk
    def test_attach_is_forbidden_in_a_file(self, jdk, directory):
        flags = os.path.join(directory, "flags")
        with open(flags, "w", encoding="ascii") as file:
            file.write("+DisableAttachMechanism\n")
        with sleeper(jdk, f"-XX:Flags={flags}") as jvm:
            found = findings(doctor(jvm.pid, code=REFUSED))
            self.assertEqual(found["attach"]["verdict"], "no", found["attach"])
            self.assertIn("DisableAttachMechanism", found["attach"]["fact"])
        with sleeper(jdk, f"-XX:Flags={flags}", "-XX:-UsePerfData") as jvm:
            found = findings(doctor(jvm.pid))
            self.assertEqual(found["attach"]["verdict"], "unknown", found["attach"])
            self.assertIn("stand in a file", found["attach"]["fact"])

    @harness.on_each_jdk
    def test_a_collector_that_the_vm_has_chosen(self, jdk, directory):
        del directory
        with sleeper(jdk) as jvm:
            found = findings(doctor(jvm.pid))
            self.assertIn(found["collector"]["fact"], ("G1", "Serial", "Parallel"))
            self.assertEqual(found["capture"]["verdict"], "ok", found["capture"])
        with sleeper(jdk, "-XX:-UsePerfData") as jvm:
            found = findings(doctor(jvm.pid))
            self.assertEqual((found["collector"]["verdict"], found["capture"]["verdict"]), ("unknown", "unknown"))

    @harness.on_a_jdk_in_turn
    def test_the_directory_is_the_agents(self, jdk, directory):
        with sleeper(jdk, agent_options=f"dir={directory}") as jvm:
            found = findings(doctor(jvm.pid))["directory"]
            self.assertEqual(found["verdict"], "ok", found)
            self.assertTrue(found["fact"].startswith(f"{directory}: "), found)

    @harness.on_each_jdk
    def test_zgc(self, jdk, directory):
        with sleeper(jdk, "-XX:+UseZGC") as jvm:
            found = findings(doctor(jvm.pid))
            self.assertEqual((found["capture"]["verdict"], found["collector"]["fact"]), ("limited", "ZGC"))
            harness.run_command("dump", jvm.pid, "--simple", "--dir", directory, "--quiet")
            found = findings(doctor(jvm.pid))
            self.assertEqual(found["capture"]["verdict"], "limited")
            self.assertIn("ZGC", found["capture"]["fact"])

    @harness.on_a_jdk_in_turn
    def test_a_filter_of_its_own_is_not_guessed_at(self, jdk, directory):
        with sleeper(jdk, "-XX:+UseG1GC", before_exec=seccomp.forbid_children) as jvm:
            capture = findings(doctor(jvm.pid))["capture"]
            self.assertEqual(capture["verdict"], "unknown")
            self.assertIn("seccomp", capture["fact"])
            harness.run_command("dump", jvm.pid, "--simple", "--dir", directory, "--quiet")  # which tries
            capture = findings(doctor(jvm.pid))["capture"]
            self.assertIn("says the agent", capture["fact"])

    @harness.on_a_jdk_in_turn
    def test_stopped_with_an_agent(self, jdk, directory):
        with sleeper(jdk, agent_options=f"dir={directory}") as jvm:
            os.kill(jvm.pid, signal.SIGSTOP)
            try:
                harness.wait_until(lambda: "State:\tT" in pathlib.Path(f"/proc/{jvm.pid}/status").read_text(encoding="utf-8"), 10, "stopped")
                began = time.monotonic()
                found = findings(doctor(jvm.pid, code=REFUSED))
                self.assertLess(time.monotonic() - began, 9)  # an agent that does not answer is given up after 10 s
                self.assertEqual(found["agent"]["verdict"], "unknown", found["agent"])
            finally:
                os.kill(jvm.pid, signal.SIGCONT)

    @harness.on_a_jdk_in_turn
    def test_stopped(self, jdk, directory):
        del directory
        with sleeper(jdk) as jvm:
            os.kill(jvm.pid, signal.SIGSTOP)
            try:
                harness.wait_until(lambda: findings(doctor_any(jvm.pid))["attach"]["verdict"] == "no", 10, "stopped")
            finally:
                os.kill(jvm.pid, signal.SIGCONT)


def doctor_any(pid):
    done = subprocess.run([harness.command(), "doctor", str(pid), "--json"], capture_output=True, text=True, check=False, timeout=60)
    return json.loads(done.stdout)


class NotAVm(unittest.TestCase):
    def test_another_program(self):
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
            try:
                found = findings(doctor(process.pid, code=REFUSED))
                self.assertEqual(found["VM"]["verdict"], "no")
            finally:
                process.kill()

    def test_no_process(self):
        for name in (NO_SUCH_PROCESS, "no.such.Main", "0", "-1x"):
            with self.subTest(str(name)):
                done = subprocess.run([harness.command(), "doctor", str(name)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, WRONG_USAGE, done)
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_full_disk(self):
        with tempfile.TemporaryFile() as errors, open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([harness.command(), "doctor"], stdout=full, stderr=errors, check=False)
            self.assertEqual(done.returncode, REFUSED)


if __name__ == "__main__":
    unittest.main()
