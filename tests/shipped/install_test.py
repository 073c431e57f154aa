#!/usr/bin/env python3
"""`cmake --install`: the layout, the tree moved elsewhere and used there, its clients, and an uninstall that leaves nothing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["HF_SOURCE"])
BUILD = pathlib.Path(os.environ["HF_BUILD"])
sys.path.append(str(SOURCE / "tests" / "vm"))
import harness  # noqa: E402

LIBRARY, COMMAND = pathlib.Path("lib/libholdfast.so"), pathlib.Path("bin/holdfast")
CLIENT = """
cmake_minimum_required(VERSION 3.25)
project(client NONE)
find_package(holdfast @VERSION@ REQUIRED COMPONENTS agent command)
file(GENERATE OUTPUT found.txt CONTENT "$<TARGET_FILE:holdfast::agent>
$<TARGET_FILE:holdfast::command>
${holdfast_API_JAVA_DIR}/holdfast/Annotations.java
${holdfast_API_JAVA_JAR}
${holdfast_API_DOTNET_DIR}/Annotations.cs
${holdfast_SCHEMAS_DIR}/report.schema.json
${holdfast_REPORT_SCHEMA}
")
"""
# Of what is linked into one of the two, or stands in the page.
LICENCES = {"libuv", "mimalloc", "flatbuffers", "zstd", "zlib", "xxhash", "protozero", "CLI11", "nlohmann-json", "tl-expected",
            "glibc", "libstdc++", "d3-shape", "d3-scale", "d3-hierarchy"}


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def files_in(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}


def cached(name):
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found and not found.group(1).endswith("-NOTFOUND") else ""


class Install(unittest.TestCase):
    """One installation for all: it is made, moved, used, moved back and removed."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="holdfast install ")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scratch = pathlib.Path(cls.folder.name)
        cls.made, cls.prefix = cls.scratch / "made", cls.scratch / "elsewhere" / "holdfast"
        # The manifest of an installation that somebody made from this tree is kept.
        cls.kept = {path: path.read_bytes() for path in BUILD.glob("install_*.txt")}
        for path in cls.kept:
            path.unlink()
        cls.addClassCleanup(cls.give_back)
        run("cmake", "--install", BUILD, "--prefix", cls.made)
        cls.prefix.parent.mkdir()
        cls.made.rename(cls.prefix)

    @classmethod
    def give_back(cls):
        for path, content in cls.kept.items():
            path.write_bytes(content)

    def environment(self):
        """Without what would name another library."""
        return {name: value for name, value in os.environ.items() if name not in ("HOLDFAST_LIB", "HOLDFAST_CLI")}

    def command(self, *words):
        return run(self.prefix / COMMAND, *words, env=self.environment())

    def test_the_layout(self):
        there = {str(path) for path in files_in(self.prefix)}
        expected = {
            "bin/holdfast", "lib/libholdfast.so", "lib/pkgconfig/holdfast.pc", "lib/cmake/holdfast/holdfastConfig.cmake",
            "lib/cmake/holdfast/holdfastConfigVersion.cmake", "share/holdfast/api/java/holdfast/Annotations.java",
            "share/holdfast/api/dotnet/Annotations.cs", "share/holdfast/api/dotnet/Holdfast.Annotations.csproj",
            "share/holdfast/schemas/report.fbs", "share/holdfast/schemas/report.schema.json",
            "share/holdfast/schemas/report-file.schema.json", "share/holdfast/schemas/status.schema.json",
            "share/doc/holdfast/LICENSE", "share/doc/holdfast/README.md", "share/doc/holdfast/CHANGELOG.md",
            *(f"share/doc/holdfast/licences/{name}" for name in LICENCES),
            *(f"share/{path}" for path in files_in(BUILD / "share"))}
        if cached("HF_JAVAC"):
            expected.add("share/holdfast/api/java/holdfast-annotations.jar")
        self.assertEqual(expected - there, set())
        more = {path for path in there - expected if not path.startswith("share/doc/holdfast/licences/d3-")}
        self.assertEqual(more, set())
        for path in (COMMAND, LIBRARY):
            self.assertTrue(os.access(self.prefix / path, os.X_OK if path == COMMAND else os.R_OK))

    def test_names_no_folder_of_the_build(self):
        for path in files_in(self.prefix):
            text = (self.prefix / path).read_bytes()
            for folder in (SOURCE, BUILD, self.scratch):
                self.assertNotIn(os.fsencode(folder), text, path)

    def test_licences_say_something(self):
        for path in (self.prefix / "share/doc/holdfast/licences").iterdir():
            self.assertRegex(path.read_text(), "(?i)copyright", path.name)

    def test_the_version(self):
        self.assertRegex(self.command("--version").stdout, r"^holdfast \d+\.\d+\.\d+")
        self.assertEqual(self.pkg_config("--modversion"), cached("CMAKE_PROJECT_VERSION"))

    def test_the_command_finds_its_library(self):
        """Started by its path, and by a link to it elsewhere; the agent is attached to a program that runs."""
        link = self.scratch / "link"
        link.symlink_to(self.prefix / COMMAND)
        classes = harness.compile_java("victim", [SOURCE / "tests" / "vm" / "victim" / "Victim.java"])
        for command, loaded in ((self.prefix / COMMAND, None), (link, None), (self.prefix / COMMAND, self.prefix / LIBRARY)):
            with self.subTest(command=command, loaded=loaded), tempfile.TemporaryDirectory() as reports:
                agent = [] if loaded is None else [f"-agentpath:{loaded}=dir={reports},on=off"]
                where = ["--dir", reports] if loaded is None else []
                jdk = harness.jdks()[0]
                with harness.Process("victim", [jdk.tool("java"), *agent, "-Dnodes=1000", "-cp", classes, "Victim"],
                                     env=harness.environment(self.environment())) as jvm:
                    jvm.wait_line("^READY")
                    report = run(command, "dump", jvm.pid, "--quiet", *where, env=self.environment()).stdout.strip()
                    self.assertIn("Victim", self.command("report", report).stdout)

    def test_a_client_of_the_cmake_package(self):
        client = self.scratch / "client"
        client.mkdir()
        (client / "CMakeLists.txt").write_text(CLIENT.replace("@VERSION@", cached("CMAKE_PROJECT_VERSION")))
        run("cmake", "-S", client, "-B", client / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-G", "Ninja")
        found = [pathlib.Path(line) for line in (client / "build" / "found.txt").read_text().splitlines()]
        self.assertEqual(found[0], self.prefix / LIBRARY)
        self.assertEqual(found[1], self.prefix / COMMAND)
        for path in found:
            self.assertTrue(path.is_file() or (path == pathlib.Path() and not cached("HF_JAVAC")), path)

    def pkg_config(self, *words):
        harness.need_package("pkg-config", shutil.which("pkg-config") or "/usr/bin/pkg-config")
        return run("pkg-config", *words, "holdfast", env={**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}).stdout.strip()

    def test_pkg_config(self):
        for variable, wanted in (("agentpath", LIBRARY), ("command", COMMAND), ("api_java", "share/holdfast/api/java"),
                                 ("api_dotnet", "share/holdfast/api/dotnet"), ("schemas", "share/holdfast/schemas")):
            said = self.pkg_config(f"--variable={variable}").replace("\\ ", " ")
            self.assertEqual(pathlib.Path(said).resolve(), (self.prefix / wanted).resolve())

    @unittest.skipUnless(cached("HF_JAVAC"), "built without javac")
    def test_a_program_is_compiled_against_the_annotations(self):
        program = self.scratch / "Annotated.java"
        program.write_text('public class Annotated { public static void main(String[] a) {'
                           ' try (var s = holdfast.Annotations.user("alice")) { System.out.println("within"); } } }')
        jar = self.prefix / "share/holdfast/api/java/holdfast-annotations.jar"
        jdk = harness.jdks()[0]
        run(jdk.tool("javac"), "-cp", jar, "-d", self.scratch, program)
        self.assertIn("within", run(jdk.tool("java"), "-cp", f"{jar}:{self.scratch}", "Annotated").stdout)


class Uninstall(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="holdfast install ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        kept = {path: path.read_bytes() for path in BUILD.glob("install_*.txt")}
        for path in kept:
            path.unlink()
        self.addCleanup(lambda: [path.write_bytes(content) for path, content in kept.items()])

    def uninstall(self, **more):
        run("cmake", "-DBUILD=" + str(BUILD), "-P", SOURCE / "cmake" / "uninstall.cmake", **more)

    def test_leaves_nothing(self):
        prefix = self.folder / "new" / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "debug")
        self.assertTrue((prefix / "lib/.debug/libholdfast.so.debug").exists())
        self.assertTrue((prefix / "bin/.debug/holdfast.debug").exists())
        run("cmake", "--install", BUILD, "--prefix", prefix)  # over it: what was there is still ours
        self.uninstall()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_of_a_prefix_that_is_relative(self):
        run("cmake", "--install", BUILD, "--prefix", "here", cwd=self.folder)
        self.assertTrue((self.folder / "here/bin/holdfast").exists())
        self.uninstall()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_leaves_what_is_of_others(self):
        prefix = self.folder / "old"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "lib" / "cmake").mkdir(parents=True)
        run("cmake", "--install", BUILD, "--prefix", prefix)
        (prefix / "share" / "holdfast" / "mine.txt").write_text("kept")
        self.uninstall()
        self.assertEqual({str(path.relative_to(prefix)) for path in prefix.rglob("*")},
                         {"bin", "lib", "lib/cmake", "share", "share/holdfast", "share/holdfast/mine.txt"})

    def test_of_a_staged_tree(self):
        stage = {**os.environ, "DESTDIR": str(self.folder / "stage")}
        run("cmake", "--install", BUILD, "--prefix", "/opt/holdfast", env=stage)
        self.assertTrue((self.folder / "stage/opt/holdfast/bin/holdfast").exists())
        self.uninstall(env=stage)
        self.assertFalse((self.folder / "stage/opt").exists())


if __name__ == "__main__":
    unittest.main()
