#!/usr/bin/env python3
"""The rules of the house that can be read off a file: length, name, first comment, white space."""
import re
import unittest

import repository
from repository import SOURCE, text

MAX_LINES = 600
EMPTY_NAMES = re.compile(r"utils?|helpers?|manager|misc", re.I)
# What is linked into a process of others: the command and the tests are not.
LIBRARY_FOLDERS = tuple(f"{folder}/" for folder in repository.folders() if folder not in ("cli", "tests"))
CODE = (".h", ".cpp", ".c", ".py", ".java", ".cs", ".cmake", ".sh", ".fbs", ".js", ".css")
# Copied interfaces keep the shape that their owners gave them.
FOREIGN = re.compile(r"(^|/)abi/|^LICENSE$|_seeds/|^tests/golden/")


def files():
    return [name for name in repository.files() if not FOREIGN.search(name)]


def is_text(name):
    return b"\0" not in (SOURCE / name).read_bytes()[:4096]


def first_comment(source):
    return source.split("#pragma once")[0]


class Style(unittest.TestCase):
    def check(self, names, complaint):
        """complaint(name) says what is wrong with a file, or nothing."""
        found = [f"{name}: {wrong}" for name in names if (wrong := complaint(name))]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_no_file_is_long(self):
        def too_long(name):
            lines = text(name).count("\n")
            return lines > MAX_LINES and f"{lines} lines, at most {MAX_LINES}"
        self.check([n for n in files() if n.endswith(CODE)], too_long)

    def test_names_say_what_a_file_is(self):
        words = lambda name: re.split(r"[_\-./]", name)
        self.check(files(), lambda name: any(map(EMPTY_NAMES.fullmatch, words(name))) and "says nothing")

    def test_headers_are_guarded(self):
        self.check([n for n in files() if n.endswith(".h")],
                   lambda name: "#pragma once" not in text(name) and "no #pragma once")

    def test_headers_state_their_contract(self):
        def silent(name):
            missing = [word for word in ("Zone:", "Errors:") if word not in first_comment(text(name))]
            return missing and f"first comment lacks {' and '.join(missing)}"
        self.check([n for n in files() if n.endswith(".h") and n.startswith(LIBRARY_FOLDERS)], silent)

    def test_no_trailing_white_space(self):
        trailing = re.compile(r"[ \t]+$", re.M)
        self.check([n for n in files() if is_text(n)],
                   lambda name: (found := trailing.search(text(name))) and
                   f"line {text(name).count(chr(10), 0, found.start()) + 1} ends in white space")


if __name__ == "__main__":
    unittest.main()
