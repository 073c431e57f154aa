#!/usr/bin/env python3
"""shellcheck on every shell script: *.sh, and what begins with #! and a shell (.shellcheckrc)."""
import re
import subprocess
import unittest

import repository

SHELL = re.compile(rb"#![^\n]*\b(?:ba|da)?sh\b")


def is_script(name):
    if name.endswith(".sh"):
        return True
    with open(repository.SOURCE / name, "rb") as file:
        return bool(SHELL.match(file.read(80)))


def shellcheck(*names, **options):
    done = subprocess.run(["shellcheck", "--format=gcc", *names], cwd=repository.SOURCE, capture_output=True, text=True, **options)
    assert done.returncode in (0, 1), done
    return done.stdout + done.stderr


class Shell(unittest.TestCase):
    def test_scripts_are_clean(self):
        names = [name for name in repository.files() if is_script(name)]
        self.assertIn("dev", names)
        self.assertEqual(found := shellcheck(*names), "", "\n" + found)

    def test_a_bad_script_is_refused(self):
        self.assertIn("SC2086", shellcheck("-", input="#!/bin/sh\nrm $1\n"))


if __name__ == "__main__":
    unittest.main()
