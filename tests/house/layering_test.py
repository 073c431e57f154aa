#!/usr/bin/env python3
"""The layer rule: what a folder must not include does not compile, and what it may include does.

Every folder's own compile command (compile_commands.json) is run on made-up one-line sources, so that this
tests what the build really does.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import repository
from repository import SOURCE

BUILD = pathlib.Path(os.environ["HF_BUILD"])

# library -> the libraries whose headers it may include. "front" is analysis/pipeline.h, what it includes of analysis/, and the window of a graph for it.
SEES = {
    "platforms": set(),
    "common": {"platforms"},
    "analysis": {"platforms", "common"},
    "lab": {"platforms", "common", "common's tests", "analysis", "front"},
    "import": {"platforms", "common", "analysis", "front"},
    "jvmti": {"platforms", "common", "front"},
    "jvmpi": {"platforms", "common", "front"},
    "clrprofiler": {"platforms", "common", "front"},
    "cli": {"platforms", "common", "analysis", "front", "import"},
}
# Where a header lives decides whose it is; the first match counts.
OWNERS = [
    ("analysis/graph_window.h", "front"),
    ("analysis/pipeline.h", "front"),
    ("analysis/snapshot_stream.h", "front"),
    ("analysis/lab/", "lab"),
    ("analysis/import/", "import"),
    ("platforms/linux/", "platforms-private"),
    *((f"{name}/", name) for name in repository.folders() if name != "tests"),
]
# What ends so belongs to the tests, which may throw and see the system; no library may see it but the lab, which serves tests.
FOR_TEST = re.compile(r"(_for_tests?|_fixture|/fake_[a-z_]+)\.(h|cpp)$")
OWN = {"analysis": {"analysis", "front"}, "platforms": {"platforms", "platforms-private"}}

VM_HEADER = re.compile(r'#\s*include\s*[<"](?:jni|jvmti|jvmticmlr|jni_md|corprof|cor)\.h[>"]')
OS_HEADER = re.compile(
    r"#\s*include\s*<(?:(?:sys|linux|asm|netinet|arpa)/.*|unistd\.h|pthread\.h|dlfcn\.h|fcntl\.h|sched\.h|signal\.h"
    r"|csignal|poll\.h|dirent\.h|link\.h|elf\.h|semaphore\.h|ucontext\.h|netdb\.h|pwd\.h|glob\.h|termios\.h)>")
AROUND_THE_ROOTS = re.compile(r'#\s*include\s*"(?:\.|/|[^"/]*")')


def owner(path):
    if FOR_TEST.search(path):
        return "common's tests" if path.startswith("common/") else "tests"
    return next((name for prefix, name in OWNERS if path.startswith(prefix)), None)


def headers():
    return [path for path in sources((".h",)) if owner(path)]


def sources(endings=(".h", ".cpp")):
    return [name for name in repository.files() if name.endswith(endings)]


@functools.cache
def compile_commands():
    """library -> the compiler and flags of one of its own files."""
    commands = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        target = re.search(r"CMakeFiles/hf_(\w+)\.dir/", entry["command"])
        if target and target[1] in SEES:
            commands[target[1]] = flags_only(shlex.split(entry["command"]))
    return commands


def flags_only(words):
    return words[:words.index("-o")]


@functools.cache
def compiler_cache():
    """The words before a compile command, as cmake/HfToolchain.cmake has them; none where there is no ccache."""
    ccache = shutil.which("ccache")
    settings = [f"CCACHE_BASEDIR={SOURCE}", "CCACHE_NOHASHDIR=1", "CCACHE_SLOPPINESS=pch_defines,time_macros"]
    return ["env", *settings, ccache] if ccache else []


def compiles(library, source):
    words = [*compile_commands()[library], "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(words, input=source, capture_output=True, text=True, cwd=BUILD)
    return done.returncode == 0, done.stderr


def compiles_alone(library, header):
    """As an object file of its own, which the compiler cache knows the next time."""
    source = BUILD / "alone" / library / f"{header.replace('/', '-')}.cpp"
    source.parent.mkdir(parents=True, exist_ok=True)
    text = f'#include "{header}"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    words = [*compiler_cache(), *compile_commands()[library], "-O0", "-o", source.with_suffix(".o"), "-c", source]
    done = subprocess.run(words, capture_output=True, text=True, cwd=BUILD)
    return done.returncode == 0, done.stderr


def may_see(library, header):
    return owner(header) in SEES[library] | OWN.get(library, {library})


def own_header(source):
    header = source.removesuffix(".cpp") + ".h"
    return header if (SOURCE / header).exists() else None


def first_include(source):
    found = re.search(r'^#include [<"](.*)[>"]', (SOURCE / source).read_text(), re.M)
    return found and found[1]


class Layers(unittest.TestCase):
    """layers.txt is true of the folders and of SEES."""

    def test_every_folder_with_cpp_is_listed_once(self):
        self.assertEqual(sorted(repository.folders()), sorted({path.split("/")[0] for path in sources()}))

    def test_a_folder_sees_only_what_stands_below_it(self):
        below = repository.folders().index
        homes = {"front": "analysis", "lab": "analysis", "import": "analysis", "common's tests": "common"}
        for library, seen in SEES.items():
            at = below(homes.get(library, library))
            above = [name for name in seen if below(homes.get(name, name)) > at]
            self.assertEqual(above, [], f"{library} sees what stands above it in layers.txt")
        self.assertEqual(set(repository.folders()) - {"tests"} - set(SEES), set(), "no row in SEES")


class Layering(unittest.TestCase):
    def test_every_folder_sees_what_it_may_and_nothing_else(self):
        for library in SEES:
            lines = [f'#if {"!" if may_see(library, h) else ""}__has_include("{h}")\n#error {h}\n#endif' for h in headers()]
            good, errors = compiles(library, "\n".join(lines) + "\n")
            self.assertTrue(good, f"{library} sees too much or too little:\n{errors}")

    def test_a_forbidden_include_does_not_compile(self):
        for library in SEES:
            forbidden = {owner(h): h for h in headers() if not may_see(library, h)}
            for header in forbidden.values():
                good, errors = compiles(library, f'#include "{header}"\n')
                self.assertFalse(good, f"{library} can include {header}")
                self.assertIn("No such file", errors.replace("file not found", "No such file"))

    def test_a_source_includes_its_own_header_first(self):
        wrong = [path for path in sources((".cpp",)) if (own := own_header(path)) and first_include(path) != own]
        self.assertEqual(wrong, [])

    def test_every_header_compiles_alone(self):
        # A header with a source of its own is the first thing that source includes, so it has been compiled alone.
        alone = set(headers()) - {own_header(path) for path in sources((".cpp",))}
        own = [(library, h) for library in SEES for h in alone if owner(h) in OWN.get(library, {library})]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda pair: compiles_alone(*pair), own)
        for (_, header), (good, errors) in zip(own, results):
            self.assertTrue(good, f"{header} does not compile alone:\n{errors}")

    def test_nothing_goes_around_the_include_roots(self):
        self.assertEqual(lines_with(AROUND_THE_ROOTS, lambda path: True), [])

    def test_vm_headers_stay_in_their_folder(self):
        self.assertEqual(lines_with(VM_HEADER, lambda path: not path.startswith(("jvmti/", "jvmpi/", "tests/"))), [])

    def test_os_headers_stay_in_platforms(self):
        offline = ("platforms/linux/", "cli/", "tests/", "analysis/lab/", "analysis/import/")
        self.assertEqual(lines_with(OS_HEADER, lambda path: not path.startswith(offline) and not FOR_TEST.search(path)), [])


def lines_with(pattern, concerns):
    return [f"{path}: {line}" for path in sources() if concerns(path)
            for line in (SOURCE / path).read_text().splitlines() if pattern.match(line)]


if __name__ == "__main__":
    unittest.main()
