#!/usr/bin/env python3
"""A command and an agent of different versions: a newer command with the older agent of a process that was not restarted, and the reverse.

Each command works, or is refused in exactly one line. The older version is HF_OLD_BUILD, a folder with its `holdfast` and
`libholdfast.so`; else it is built from HF_OLD_REVISION (default: the last release's tag, else OLDEST).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HF_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("HF_BUILD") or SOURCE / "build" / "release")
OLDEST = "c197cce"  # the first whose control protocol is the one that a release had
sys.path.append(str(SOURCE / "tests" / "vm"))
import harness  # noqa: E402

TIMEOUT_S = 120


class Version:
    """What was built of one revision."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder)
        self.library, self.command = self.folder / "libholdfast.so", self.folder / "holdfast"

    def run(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != "HOLDFAST_LIB"}
        return subprocess.run([str(self.command), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, env=environment, check=False)


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        raise harness.VmError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def old_revision():
    asked = os.environ.get("HF_OLD_REVISION")
    tags = run("git", "-C", SOURCE, "tag", "--list", "v*", "--sort=-version:refname").split()
    return asked or (tags[0] if tags else OLDEST)


def build_old(folder):
    """Agent and command of the older revision, in a worktree of its own; libraries and npm's packages as that revision wants them."""
    tree, revision = folder / "tree", old_revision()
    run("git", "-C", SOURCE, "worktree", "add", "--detach", tree, revision)
    setup = tree / "cmake" / "setup.sh"
    if setup.exists() and "install_node_packages()" in setup.read_text():
        run("bash", "-c", ". cmake/setup.sh; install_node_packages", cwd=tree)
    run("cmake", "-S", tree, "-B", tree / "build" / "release", "--preset", "release", f"-DHF_DEPS={SOURCE / 'build' / 'deps'}", cwd=tree)
    run("cmake", "--build", tree / "build" / "release", "--target", "holdfast", "holdfast_agent")
    return Version(revision, tree / "build" / "release")


def setUpModule():
    global OLD, NEW
    NEW = Version("this", BUILD)
    if os.environ.get("HF_OLD_BUILD"):
        OLD = Version("older", os.environ["HF_OLD_BUILD"])
        return
    folder = tempfile.TemporaryDirectory(prefix="holdfast versions ")
    unittest.addModuleCleanup(folder.cleanup)
    unittest.addModuleCleanup(run, "git", "-C", SOURCE, "worktree", "prune")
    unittest.addModuleCleanup(run, "git", "-C", SOURCE, "worktree", "remove", "--force", pathlib.Path(folder.name) / "tree")
    OLD = build_old(pathlib.Path(folder.name))


class Crossed(unittest.TestCase):
    """Every command that speaks with an agent, both ways; start(library, directory) gives the process."""

    def both_ways(self, start):
        for command, agent in ((NEW, OLD), (OLD, NEW)):
            with self.subTest(command=command.name, agent=agent.name), tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
                with start(agent.library, directory) as process:
                    self.all_commands(command, agent, process)

    def works(self, command, *words):
        done = command.run(*words)
        self.assertEqual(done.returncode, 0, f"{command.name}: {words}: {done.stderr}")
        return done.stdout

    def works_or_one_line(self, command, *words):
        done = command.run(*words)
        if done.returncode == 0:
            return done.stdout
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), f"{command.name}: {words}: {done.stderr}")
        self.assertRegex(done.stderr, rf"^holdfast {words[0]}: ")
        self.assertNotIn("damaged", done.stderr)
        return None

    def all_commands(self, command, agent, process):
        status = json.loads(self.works(command, "status", process.pid, "--json"))
        self.assertTrue(status["agent"]["tool_version"])
        self.assertIn("NATIVE MEMORY", self.works(command, "status", process.pid))
        for kind in ("--simple", "--extended"):
            dump = json.loads(self.works(command, "dump", process.pid, kind, "--json", "--quiet"))
            self.assertEqual(dump["stage"], "reported")
            for reader in (command, agent):  # the report that one version's agent wrote, read by both commands
                report = json.loads(self.works(reader, "report", dump["report_path"], "--json"))
                self.assertEqual(report["dump"]["kind"], kind[2:])
                self.works(reader, "report", dump["report_path"])
        self.assertIn("dumps", self.works(command, "status", process.pid, "--json"))
        self.assertGreater(len(json.loads(self.works(command, "watch", process.pid, "--once", "--json"))["classes"]), 0)
        lines = self.works(command, "watch", process.pid, "--count", 2, "--interval", "1s", "--json").splitlines()
        self.assertEqual(len(lines), 2)
        self.works(command, "set", process.pid, "every=300s")
        self.assertEqual(json.loads(self.works(command, "status", process.pid, "--json"))["options"]["every"], "300s")
        self.works_or_one_line(command, "set", process.pid, "no-such-option=1")
        self.works_or_one_line(command, "cancel", process.pid)
        self.works(command, "detach", process.pid)
        self.assertTrue(process.running())


class Java(Crossed):
    def start(self, library, directory):
        classes = harness.compile_java("victim", [SOURCE / "tests" / "vm" / "victim" / "Victim.java"])
        jdk = harness.jdks()[-1]
        jvm = harness.Process("victim", [jdk.tool("java"), "-Xmx256m", f"-agentpath:{library}=dir={directory},on=signal+oom", "-Dnodes=20000",
                                         "-cp", classes, "Victim"], env=harness.environment())
        jvm.wait_line("^READY")
        return jvm

    def test_java(self):
        self.both_ways(self.start)

    def test_attaching_the_other_library(self):
        for command, agent in ((NEW, OLD), (OLD, NEW)):
            with tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
                classes = harness.compile_java("victim", [SOURCE / "tests" / "vm" / "victim" / "Victim.java"])
                with harness.Jvm(harness.jdks()[0], ["-Dnodes=1000", "-cp", classes, "Victim"]) as jvm:
                    jvm.wait_line("^READY")
                    report = self.works(command, "dump", jvm.pid, "--quiet", "--library", agent.library, "--dir", directory).strip()
                    self.assertIn("Victim", self.works(command, "report", report))


class DotNet(Crossed):
    def test_dotnet(self):
        sys.path.append(str(SOURCE / "tests" / "dotnet"))
        clr = load_dotnet_harness()
        runtime = clr.runtimes()[-1]

        def start(library, directory):
            os.environ["HOLDFAST_LIB"] = str(library)
            self.addCleanup(os.environ.pop, "HOLDFAST_LIB", None)
            return clr.HeapMaker(f"dir={directory},on=signal", runtime=runtime)
        self.both_ways(start)


def load_dotnet_harness():
    """Its module has the name of Java's."""
    import importlib.util
    spec = importlib.util.spec_from_file_location("dotnet_harness", SOURCE / "tests" / "dotnet" / "harness.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    unittest.main()
