#!/usr/bin/env python3
"""Comments of C++ that can be checked: the files that they name are there, and they are not too wide."""
import functools
import posixpath
import re
import unittest

import repository

# Comment lines above so many columns, and how many there may be: fewer with time, never more. New ones keep to 100.
WIDE = 140
MOST_WIDE_LINES = 218

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)
NAMED = re.compile(r"(?<![\w/.<*:$>}{-])((?:[\w.-]+/)*[\w.-]+\.(?:h|cpp|py|md|fbs|js|css|cs|java|cmake|txt|tsv|proto))(?![\w/*(-])")
# Files of others that comments speak of: HotSpot's and the JDK's, the CLR's, pprof's; and what is generated.
FOREIGN = re.compile(r"""
    (prims|opto|classfile)/ | (jni|jvmti|hprof_b_spec)\.h$ | (heapDumper|instanceRefKlass)\.cpp$
  | (gc|vm|System|documentation/design-docs|docs/design/datacontracts)/ | (gcdesc|ceeload|objecthandle|corprof)\.h$ | data_descriptor\.md$
  | profile\.proto$ | .*_generated\.h$ | .*\bNAME\b""", re.X)


def comments(source):
    """(line, text) of each line of a comment."""
    for found in TOKEN.finditer(source):
        if found[0].startswith(("//", "/*")):
            line = source.count("\n", 0, found.start()) + 1
            for number, text in enumerate(found[0].split("\n"), line):
                yield number, text


@functools.cache
def endings():
    """Every file's path, and every end of it that begins with a folder or the name."""
    return {"/".join(parts[at:]) for parts in (name.split("/") for name in repository.files()) for at in range(len(parts))}


def missing_files(name, source):
    for line, text in comments(source):
        for path in NAMED.findall(text):
            if not FOREIGN.match(path) and not exists(path, posixpath.dirname(name)):
                yield line, f"{path}: there is no such file"


def exists(path, folder):
    if path == "README.md":  # every folder may have one
        return posixpath.join(folder, path) in endings()
    return path in endings() or posixpath.normpath(posixpath.join(folder, path)) in endings()


def sources():
    return [name for name in repository.files() if name.endswith((".h", ".cpp"))]


class Comments(unittest.TestCase):
    def test_files_that_comments_name_are_there(self):
        found = [f"{name}:{line}: {wrong}" for name in sources() for line, wrong in missing_files(name, repository.text(name))]
        self.assertEqual(len(found), 0, "\n" + "\n".join(found))

    def test_wide_comments_become_fewer(self):
        wide = [(name, line) for name in sources() for line, text in enumerate(repository.text(name).split("\n"), 1)
                if len(text) > WIDE and any(True for _ in comments(text))]
        self.assertLessEqual(len(wide), MOST_WIDE_LINES, f"comment lines above {WIDE} columns: break yours, at 100")


class Rules(unittest.TestCase):
    def lines(self, source, name="tests/driver/jvmpi_host/no_such/some.cpp"):
        return [line for line, _ in missing_files(name, source)]

    def test_a_file_that_is_not_there_is_refused(self):
        for comment in ("// See no_such.h.", "// (tests/house/no_such_test.py has it)", "/* As\n no/such.cpp:12 says. */", "int a;  // no_such.cpp",
                        "// README.md has the figures.", "// Source: facts/no_such.md 15.2", "// '\"' and no_such.h"):
            self.assertEqual(len(self.lines(comment)), 1, comment)
        self.assertEqual(self.lines("int a;\n// One\n// no_such.h\n"), [3])

    def test_what_is_there_or_no_file(self):
        for text in ("// house/prose_test.py, doctest_main.cpp; ../rules.h.", '"no_such.h"', '#include "no_such.h"', "// *_test.cpp, <no_such.h>",
                     'R"(// no_such.h)"', "// gc/gcinterface.h", "// golden/NAME.txt"):
            self.assertEqual(self.lines(text), [], text)
        self.assertEqual(self.lines("// README.md has the figures.", "platforms/some.h"), [])


if __name__ == "__main__":
    unittest.main()
