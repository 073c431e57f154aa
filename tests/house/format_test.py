#!/usr/bin/env python3
"""Every C++ source and header is as clang-format writes it (.clang-format; `./dev fmt` formats them all)."""
import concurrent.futures
import os
import re
import subprocess
import unittest

import repository

FORMAT = ["clang-format", "--dry-run", "--Werror"]
AT_ONCE = 40


def complaints(words, text=None):
    done = subprocess.run([*FORMAT, *words], cwd=repository.SOURCE, input=text, capture_output=True, text=True)
    found = re.findall(r"^\S+:\d+:\d+: error: .*", done.stderr, re.M)
    return found or ([done.stderr] if done.returncode else [])


@unittest.skipIf(repository.other_clang("clang-format"), repository.other_clang("clang-format"))
class Format(unittest.TestCase):
    def test_sources_are_formatted(self):
        names = [name for name in repository.files() if name.endswith((".cpp", ".h"))]
        self.assertGreater(len(names), 1000)
        parts = [names[at:at + AT_ONCE] for at in range(0, len(names), AT_ONCE)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [line for part in pool.map(complaints, parts) for line in part]
        self.assertEqual(found, [], "`./dev fmt` puts right:\n" + "\n".join(found))

    def test_what_is_not_formatted_is_refused(self):
        self.assertEqual(len(complaints(["--assume-filename=tests/a.cpp"], "int  a;\n")), 1)
        self.assertEqual(complaints(["--assume-filename=tests/a.cpp"], "int a;\n"), [])


if __name__ == "__main__":
    unittest.main()
