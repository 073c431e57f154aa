#!/usr/bin/env python3
"""A stranger's way, on a clone of what is committed: the demo, one test, an export format added by CONTRIBUTING alone, an installation
that is used by a Java and a .NET program and by a CMake client, and an uninstall that leaves nothing.

export_format.patch beside this was made by following "Add an export format" in CONTRIBUTING.md by its text alone; where it no
longer applies or its tests fail, either the patch is old, or CONTRIBUTING says what is no longer true. HF_STRANGER_DEPS: a folder
with libuv and mimalloc, instead of building them again; packages are installed by `./dev demo` itself.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("HF_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
PATCH = pathlib.Path(__file__).resolve().parent / "export_format.patch"
CLIENT = """cmake_minimum_required(VERSION 3.25)
project(client NONE)
find_package(holdfast REQUIRED COMPONENTS agent command)
file(GENERATE OUTPUT agent.txt CONTENT "$<TARGET_FILE:holdfast::agent>")
"""
JAVA = """import java.util.*;
public class Hoard {
    static final List<byte[]> KEPT = new ArrayList<>();
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 20000; i++) KEPT.add(new byte[100]);
        System.out.println("READY");
        System.in.read();
    }
}
"""
PROFILER = "{D5B1C4E6-5B0E-4E0B-9C4C-7E1F0A6B7A11}"


def environment():
    """A stranger has none of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HOLDFAST_", "CORECLR_", "DOTNET_g"))}


class Stranger(unittest.TestCase):
    """In the order of their names: each goes on from what the one before left."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="holdfast stranger ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.clone, cls.prefix = cls.folder / "holdfast", cls.folder / "prefix"
        cls.run_one("git", "clone", "--quiet", "--no-hardlinks", SOURCE, cls.clone, cwd=cls.folder)
        cls.failed = False
        if os.environ.get("HF_STRANGER_DEPS"):
            (cls.clone / "build").mkdir()
            shutil.copytree(os.environ["HF_STRANGER_DEPS"], cls.clone / "build" / "deps", symlinks=True)

    def setUp(self):
        if type(self).failed:
            self.skipTest("a step before this one failed")
        type(self).failed = True  # until it is through

    def through(self):
        type(self).failed = False

    @classmethod
    def run_one(cls, *words, cwd=None, **more):
        began = time.monotonic()
        done = subprocess.run([str(word) for word in words], cwd=cwd or cls.clone, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, check=False, env={**environment(), **more})
        print(f"{time.monotonic() - began:7.1f} s  {' '.join(map(str, words))}", file=sys.stderr)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout[-6000:]}")
        return done.stdout

    def test_1_the_demo(self):
        page = self.folder / "demo.html"
        self.assertIn("shop.", self.run_one("./dev", "demo", page))
        self.assertTrue(page.read_text().startswith("<!doctype html>"))
        self.assertEqual(self.run_one("git", "status", "--porcelain"), "")  # what is built is ignored
        self.through()

    def test_2_one_test(self):
        self.assertIn("100% tests passed", self.run_one("./dev", "test", "common_test"))
        answer = self.run_one("./dev", "test", "common_test", "-tc=*arena*")
        self.assertRegex(answer, r"test cases: *[1-9]\d* \|")
        self.assertIn("SUCCESS", answer)
        self.through()

    def test_3_an_export_format(self):
        self.run_one("git", "apply", "--3way", PATCH)
        for more in ({"HF_UPDATE_GOLDEN": "1"}, {}):  # "write four files", then they are compared
            for name in ("cli_export_test", "cli_test"):
                self.assertIn("100% tests passed", self.run_one("./dev", "test", name, **more))
        changed = self.run_one("git", "status", "--porcelain", "--", "cli/text/golden").split()[1::2]
        self.assertEqual({pathlib.PurePath(path).name for path in changed},
                         {"export_names.txt", "help_export.txt", "completion_bash.txt", "completion_zsh.txt"})
        self.run_one("./dev", "build")
        command = self.clone / "build" / "release" / "holdfast"
        reports = sorted((self.clone / "analysis" / "report" / "report_fuzz_seeds").glob("*.hfr"))
        names = self.run_one(command, "export", reports[-1], "--format", "names")
        self.assertGreater(len(names.splitlines()), 1)
        self.run_one("git", "reset", "--hard", "--quiet")
        self.run_one("git", "clean", "-fdq", "cli")
        self.run_one("./dev", "build")
        self.through()

    def test_4_install(self):
        self.run_one("cmake", "--install", "build/release", "--prefix", self.prefix)
        for file in ("bin/holdfast", "lib/libholdfast.so", "share/holdfast/schemas/report.schema.json",
                     "share/holdfast/api/java/holdfast/Annotations.java", "share/doc/holdfast/LICENSE"):
            self.assertTrue((self.prefix / file).exists(), file)
        self.through()

    def test_5_a_java_program(self):
        (self.folder / "Hoard.java").write_text(JAVA)
        self.run_one("javac", "-d", self.folder, self.folder / "Hoard.java")
        agent = f"-agentpath:{self.prefix}/lib/libholdfast.so=dir={self.folder},on=off"
        self.dump_of(["java", agent, "-cp", self.folder, "Hoard"], "byte[]")
        self.dump_of(["java", "-cp", self.folder, "Hoard"], "byte[]", "--dir", self.folder)  # attached
        self.through()

    def test_6_a_dotnet_program(self):
        if not shutil.which("dotnet"):
            self.through()
            self.skipTest("no dotnet here")
        self.run_one("tests/dotnet/build", "HeapMaker")
        self.dump_of(["dotnet", self.clone / "build" / "dotnet" / "HeapMaker" / "HeapMaker.dll"], "string[]", ready="started",
                     CORECLR_ENABLE_PROFILING="1", CORECLR_PROFILER=PROFILER, CORECLR_PROFILER_PATH=f"{self.prefix}/lib/libholdfast.so",
                     HOLDFAST_OPTIONS=f"dir={self.folder},on=off")
        self.through()

    def dump_of(self, words, expected, *options, ready="READY", **more):
        with subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**environment(), **more}) as program:
            try:
                self.assertTrue(any(line.startswith(ready) for line in program.stdout), words)
                command = self.prefix / "bin" / "holdfast"
                report = subprocess.run([command, "dump", str(program.pid), "--quiet", *map(str, options)], stdout=subprocess.PIPE, text=True,
                                        check=True, env=environment()).stdout.strip()
                self.assertIn(expected, self.run_one(command, "report", report))
            finally:
                program.kill()

    def test_7_a_cmake_client(self):
        client = self.folder / "client"
        client.mkdir()
        (client / "CMakeLists.txt").write_text(CLIENT)
        self.run_one("cmake", "-S", client, "-B", client / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertEqual((client / "build" / "agent.txt").read_text(), f"{self.prefix}/lib/libholdfast.so")
        self.through()

    def test_8_uninstall(self):
        self.run_one("cmake", "--build", "build/release", "--target", "uninstall")
        self.assertFalse(self.prefix.exists())
        self.through()


if __name__ == "__main__":
    unittest.main()
