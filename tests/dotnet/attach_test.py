#!/usr/bin/env python3
"""The command's way into running CLRs: where the runtime lets it, and what is said where it does not.

What does not depend on the VM stands in tests/vm/attach_test.py.
"""
import contextlib
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness

NOBODY = 65534
REFUSED = 4
UNLOADS_S = 1.5  # after an agent has left the runtime drops its library; seen 0.3 s later
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
# What a container is: processes, mounts and a /tmp of its own.
IN_A_CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sh", "-c", 'mount -t tmpfs none /tmp && exec "$@"', "sh"]


def diagnostics_socket(pid, directory="/tmp"):
    return glob.glob(f"{directory}/dotnet-diagnostic-{pid}-*-socket")


def mapped_agents(pid):
    lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {line.split(None, 5)[5] for line in lines if "libholdfast" in line}


def copies(root="/tmp"):
    return glob.glob(f"{root}/.holdfast-*")


def detach(pid):
    """Until nobody answers there any more; the runtime takes a little longer to let go."""
    harness.run_command("detach", pid)
    harness.wait_until(lambda: harness.run_command("status", pid, check=False).returncode == REFUSED, 20, "the agent to leave")


def start(words):
    """A program by words of one's own, once it is ready."""
    process = harness.Process("HeapMaker", words, cwd="/", env=harness.environment({"HOME": "/"}))
    try:
        process.wait_line(r"^started")
        return process
    except BaseException:
        process.stop()
        raise


class Commands(unittest.TestCase):
    def dumped(self, pid, directory, *words):
        done = harness.run_command("dump", pid, "--simple", "--dir", directory, *words)
        return harness.Report(done.stdout.strip())

    def refused(self, pid, *words, command=("dump",)):
        done = harness.run_command(*command, pid, check=False)
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class Attach(Commands):
    @harness.on_each_runtime
    def test_attaches_dumps_and_the_second_time_is_a_command(self, runtime, directory):
        with harness.HeapMaker(runtime=runtime) as maker:
            self.assertGreater(self.dumped(maker.pid, directory).shallow_bytes(), 0)
            second = harness.run_command("dump", maker.pid, "--simple")
            self.assertNotIn("had no agent", second.stderr)
            self.assertEqual(len(harness.reports_in(directory)), 2)
            self.assertEqual(len(mapped_agents(maker.pid)), 1)
            self.assertTrue(maker.sound())
            self.assertEqual(copies(), [])

    @harness.on_each_runtime
    def test_leaves_and_comes_back(self, runtime, directory):
        with harness.HeapMaker(runtime=runtime) as maker:
            for _ in range(3):
                self.dumped(maker.pid, directory)
                detach(maker.pid)
            self.assertEqual(len(harness.reports_in(directory)), 3)
            time.sleep(UNLOADS_S)
            self.assertTrue(maker.sound())
            self.dumped(maker.pid, directory)

    @harness.on_each_runtime
    def test_a_process_that_begins(self, runtime, directory):
        """It is waited for until its runtime takes agents, however early the command is."""
        for _ in range(5):
            with harness.Clr("HeapMaker", runtime=runtime) as maker:
                harness.run_command("set", maker.pid, "cooldown=1s")
                maker.wait_line(r"^started")
                self.assertTrue(mapped_agents(maker.pid))

    @harness.on_each_runtime
    def test_a_program_published_as_one_file(self, runtime, directory):
        """No file in its memory says that there is a runtime in it."""
        harness.build("--runtimes", str(runtime.version), "--single-file", "HeapMaker")
        program = harness.BUILD / "dotnet" / f"HeapMaker-{runtime.version}-single" / "HeapMaker"
        with start([program]) as process:
            self.assertNotIn("libcoreclr", pathlib.Path(f"/proc/{process.pid}/maps").read_text())
            self.assertEqual(json.loads(harness.run_command("ps", process.pid, "--json").stdout)["processes"][0]["vm"], "coreclr")
            self.assertGreater(self.dumped(process.pid, directory).shallow_bytes(), 0)

    def test_a_stopped_process_gets_nothing(self):
        with harness.HeapMaker() as maker:
            harness.suspend(maker.pid)
            self.refused(maker.pid, "is stopped", f"kill -CONT {maker.pid}")
            os.kill(maker.pid, signal.SIGCONT)
            self.assertTrue(maker.sound())
            self.assertEqual(mapped_agents(maker.pid), set())


class Refusals(Commands):
    def test_settings_that_forbid_it(self):
        for name, says in (("DOTNET_EnableDiagnostics", "start it without"), ("COMPlus_EnableDiagnostics", "start it without"),
                           ("DOTNET_EnableDiagnostics_IPC", "or with CORECLR_ENABLE_PROFILING=1")):
            with self.subTest(name), harness.HeapMaker(env={name: "0"}) as maker:
                self.refused(maker.pid, f"was started with {name}=0", says)
                self.assertTrue(maker.sound())

    def test_profilers_forbidden_at_the_start_alone(self):
        with tempfile.TemporaryDirectory() as directory, harness.HeapMaker(env={"DOTNET_EnableDiagnostics_Profiler": "0"}) as maker:
            self.dumped(maker.pid, directory)

    def test_directories_in_which_it_cannot_listen(self):
        with tempfile.TemporaryDirectory() as directory:
            long = pathlib.Path(directory, "d" * 90)
            long.mkdir()
            for place, says in ((long, "too long"), (pathlib.Path(directory, "none"), "is not there")):
                with self.subTest(says), harness.HeapMaker(env={"TMPDIR": str(place)}) as maker:
                    self.refused(maker.pid, says, str(place))
            with harness.HeapMaker(env={"TMPDIR": directory}) as maker:
                self.assertEqual(len(diagnostics_socket(maker.pid, directory)), 1)
                self.dumped(maker.pid, directory)

    def test_a_socket_that_a_cleaner_removed(self):
        with harness.HeapMaker() as maker:
            for path in diagnostics_socket(maker.pid):  # and what a killed process of that number has left
                os.unlink(path)
            self.refused(maker.pid, "has been removed", "only at its start")

    def test_another_profiler(self):
        """Ours by another name and without a socket, in somebody else's place."""
        with tempfile.TemporaryDirectory() as directory:
            other = shutil.copy(harness.agent_library(), pathlib.Path(directory, "libapm.so"))
            slot = {**harness.with_agent("control=off,on=off"), "CORECLR_PROFILER_PATH": str(other)}
            with harness.HeapMaker(env=slot) as maker:
                for _ in range(2):  # the runtime keeps the library that it has refused
                    self.refused(maker.pid, f"another CLR profiler already ({other})", "CORECLR_NOTIFICATION_PROFILERS=")
                self.assertTrue(maker.sound())

    def test_an_agent_without_a_socket(self):
        with harness.HeapMaker("control=off,on=off") as maker:
            self.refused(maker.pid, "the agent is in process", "control=off")

    def test_options_that_the_agent_refuses(self):
        with harness.HeapMaker() as maker:
            self.refused(maker.pid, "standard error of the process", command=("dump", "--dir", "/nowhere/at/all"))
            maker.wait_line("/nowhere/at/all")
            self.assertTrue(maker.sound())

    def test_a_library_that_is_none_for_net(self):
        with tempfile.TemporaryDirectory() as directory, harness.HeapMaker() as maker:
            library = shutil.copy(os.path.realpath("/lib/x86_64-linux-gnu/libz.so.1"), directory)
            self.refused(maker.pid, "cannot be loaded into .NET", command=("dump", "--library", library))


@unittest.skipIf(os.geteuid() != 0, "only root can enter other users' processes and make containers")
class OthersProcesses(Commands):
    @contextlib.contextmanager
    def place_for_all(self):
        """A directory that others may use, not in /tmp, with the program in it: the sources' folder may be private."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
            os.chmod(name, 0o777)
            shutil.copytree(pathlib.Path(harness.start_words("HeapMaker")[1]).parent, pathlib.Path(name, "program"))
            yield pathlib.Path(name), ["dotnet", f"{name}/program/HeapMaker.dll"]

    def test_another_users_and_a_library_that_it_may_not_read(self):
        with self.place_for_all() as (directory, words):
            hidden = directory / "hidden"
            hidden.mkdir(mode=0o700)
            library = shutil.copy(harness.agent_library(), hidden / "libholdfast.so")
            with start([*AS_NOBODY, *words]) as program:
                report = self.dumped(program.pid, directory, "--library", library)
                self.assertEqual(os.stat(report.path).st_uid, NOBODY)
                self.assertEqual(copies(), [])
                self.assertTrue(all(path.endswith("(deleted)") for path in mapped_agents(program.pid)))
                detach(program.pid)
                self.dumped(program.pid, directory, "--library", library)
                self.assertEqual(len(harness.reports_in(directory)), 2)

    def test_an_ordinary_user_stays_out_of_others(self):
        with self.place_for_all() as (directory, _), harness.HeapMaker() as maker:
            command = shutil.copy(harness.command(), directory)
            done = subprocess.run([*AS_NOBODY, command, "dump", str(maker.pid)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, REFUSED)
            self.assertIn("belongs to user root", done.stderr)

    def test_a_container(self):
        with self.place_for_all() as (_, words), start([*IN_A_CONTAINER, *words]) as container:
            pid = int(pathlib.Path(f"/proc/{container.pid}/task/{container.pid}/children").read_text())
            tmp = f"/proc/{pid}/root/tmp"
            self.assertEqual(len(diagnostics_socket(1, tmp)), 1)
            report = harness.run_command("dump", pid, "--simple", "--dir", "/tmp").stdout.strip()
            self.assertTrue(os.path.exists(report), report)
            self.assertEqual(copies(tmp), [])


if __name__ == "__main__":
    harness.main()
