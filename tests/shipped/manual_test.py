#!/usr/bin/env python3
"""The manual pages and completions that ship: whole, without a warning of groff, and what the command itself says."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

COMMAND = os.environ["HOLDFAST_CLI"]
SHARE = pathlib.Path(os.environ["HF_BUILD"]) / "share"
PAGES = sorted((SHARE / "man" / "man1").glob("*.1"))


def output(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def shown(page):
    """As a terminal of many columns shows it, so that no word is broken."""
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-rLL=500n", "-P-cbou", str(page)], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


@unittest.skipUnless(shutil.which("groff"), "groff is missing: apt-get install groff-base")
class Manual(unittest.TestCase):
    def test_every_command_has_a_page(self):
        commands = re.findall(r"^  ([a-z]+) ", output(COMMAND, "--help").split("Options:")[0], re.MULTILINE)
        self.assertGreaterEqual(len(commands), 15)
        self.assertEqual({page.name for page in PAGES}, {"holdfast.1", *(f"holdfast-{name}.1" for name in commands)})

    def test_no_warnings(self):
        for page in PAGES:
            with self.subTest(page.name):
                text, warnings = shown(page)
                self.assertEqual(warnings, "")
                self.assertIn("NAME", text)

    def test_mandoc(self):
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is missing")
        for page in PAGES:
            with self.subTest(page.name):
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True, text=True, check=False)
                complaints = [line for line in done.stdout.splitlines() if "missing date" not in line]
                self.assertEqual(complaints, [])

    def test_every_option_of_help_is_in_its_page(self):
        for page in PAGES:
            words = page.stem.split("-")[1:]
            text, _ = shown(page)
            for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", output(COMMAND, *words, "--help")):
                with self.subTest(f"{page.name} {option}"):
                    self.assertIn(option, text.replace("\u2010", "-").replace("\u2212", "-"))


class Completions(unittest.TestCase):
    def test_are_those_of_the_command(self):
        bash = (SHARE / "bash-completion" / "completions" / "holdfast").read_text()
        self.assertEqual(bash, output(COMMAND, "completion", "bash"))
        self.assertIn(output(COMMAND, "completion", "zsh"), (SHARE / "zsh" / "site-functions" / "_holdfast").read_text())

    @unittest.skipUnless(shutil.which("zsh"), "zsh is missing")
    def test_the_file_for_zsh_is_one_of_its_functions(self):
        file = SHARE / "zsh" / "site-functions" / "_holdfast"
        self.assertTrue(file.read_text().startswith("#compdef holdfast\n"))
        done = subprocess.run(["zsh", "-f", "-c", f"fpath=({file.parent} $fpath); autoload -Uz compinit && compinit -D -u; echo $_comps[holdfast]"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "_holdfast")


class Version(unittest.TestCase):
    def test_stands_in_one_place(self):
        text = pathlib.Path(os.environ["HF_SOURCE"], "CMakeLists.txt").read_text()
        version = re.search(r"project\(holdfast VERSION ([0-9.]+)", text).group(1)
        self.assertRegex(output(COMMAND, "--version"), rf"^holdfast {re.escape(version)} \((build [\w.+~-]+, )?report format \d+\.\d+\)\n$")
        build = re.search(r"build ([^,]+),", output(COMMAND, "--version"))
        mark = f"@(#)holdfast {version}{f' {build.group(1)}' if build else ''}\0".encode()
        library = pathlib.Path(os.environ["HOLDFAST_LIB"]).read_bytes()
        self.assertTrue(mark in library, mark)  # not assertIn: it would print the library


if __name__ == "__main__":
    unittest.main()
