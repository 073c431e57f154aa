#!/usr/bin/env python3
"""HOLDFAST_BUILD_*: each part left out, the rest is configured, with only the packages it needs, and builds.

HF_QUICK=1: configures only. Each build tree is a temporary folder, build/deps is used as it is.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HF_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
QUICK = os.environ.get("HF_QUICK") == "1"

# What CMake remembers of a package that it was asked for.
AGENT_PACKAGES = {"HF_JNI_INCLUDE"}
LOOP_PACKAGES = {"libuv_DIR", "mimalloc_DIR"}
CLI_PACKAGES = {"CLI11_DIR", "nlohmann_json_DIR", "HF_PROTOZERO_INCLUDE", "ZLIB_LIBRARY_RELEASE", "HF_ESBUILD"}
TEST_PACKAGES = {"doctest_DIR", "HF_NODE_PROGRAM"}
WEB_PACKAGES = {"HF_ESBUILD", "HF_NODE_PROGRAM", "HF_NODE_MODULES"}


class Options(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)

    def configure(self, *off):
        return subprocess.run(
            ["cmake", "-S", SOURCE, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_C_COMPILER=gcc", *(f"-DHOLDFAST_BUILD_{part}=OFF" for part in off)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check(self, *off, without, there, absent):
        """Configured without these parts: asks for no package of `without`, builds `there` and knows no target `absent`."""
        configured = self.configure(*off)
        self.assertEqual(configured.returncode, 0, configured.stdout)
        cache = set(re.findall(r"^([A-Za-z0-9_]+):", (self.build / "CMakeCache.txt").read_text(), re.M))
        self.assertEqual(cache & without, set())
        known = set(re.findall(r"^([\w.-]+): ", self.ninja("-t", "targets", "all").stdout, re.M))
        self.assertEqual(set(absent) & known, set())
        if QUICK:
            return
        built = self.ninja()
        self.assertEqual(built.returncode, 0, built.stdout[-8000:])
        for name in there:
            self.assertTrue((self.build / name).exists(), name)

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", self.build, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)

    def test_no_tests(self):
        self.check("TESTS", without=TEST_PACKAGES, there=["libholdfast.so", "holdfast"],
                   absent=["libhf_lab.a", "common_test", "libhf_doctest_main.a"])

    def test_no_command(self):
        self.check("CLI", without=CLI_PACKAGES | WEB_PACKAGES, there=["libholdfast.so", "bin/common_test"],
                   absent=["libhf_cli.a", "libhf_import.a", "cli_test", "holdfast"])

    def test_no_agent(self):
        self.check("AGENT", without=AGENT_PACKAGES, there=["holdfast", "bin/cli_test"],
                   absent=["libhf_jvmti.a", "libhf_jvmpi.a", "libhf_clrprofiler.a", "libholdfast.so", "jvmti_test"])

    def test_no_web(self):
        self.check("WEB", without=WEB_PACKAGES, there=["libholdfast.so", "holdfast"], absent=["cli_html_page_test", "cli_html_test"])
        if not QUICK:
            self.no_pages()

    def test_the_command_alone(self):
        self.check("AGENT", "TESTS", "WEB", without=AGENT_PACKAGES | LOOP_PACKAGES | TEST_PACKAGES | WEB_PACKAGES,
                   there=["holdfast"], absent=["libholdfast.so"])
        if not QUICK:
            self.no_pages()

    def test_the_agent_alone(self):
        self.check("CLI", "TESTS", without=CLI_PACKAGES | TEST_PACKAGES | WEB_PACKAGES, there=["libholdfast.so"], absent=["holdfast"])

    def test_nothing(self):
        refused = self.configure("AGENT", "CLI", "TESTS")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("Nothing to build", refused.stdout)

    def no_pages(self):
        """--help says so, --html is refused in one line."""
        command = self.build / "holdfast"
        for arguments in (["--help"], ["report", "--help"]):
            text = subprocess.run([command, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertTrue(text.endswith("\nThis holdfast was built without pages: --html is refused.\n"), text)
        text = subprocess.run([command, "ps", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertNotIn("without pages", text)
        page = self.build / "x.html"
        report = SOURCE / "analysis" / "report" / "report_fuzz_seeds" / "report-1.5.hfr"
        for arguments in (["trend", report], ["report", report], ["diff", report, report]):
            refused = subprocess.run([command, *arguments, "--html", page], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((refused.returncode, refused.stdout, refused.stderr.count("\n")), (4, "", 1), refused.stderr)
            self.assertIn("--html: this holdfast was built without pages", refused.stderr)


if __name__ == "__main__":
    unittest.main()
