#!/usr/bin/env python3
"""What a child made by raw clone may run: no lock, no allocation, no thread-local, no libc service that could wait.

The linker keeps of our static libraries and zstd exactly the sections that can be reached from the child's entries, through
pointers and virtual tables too. Each symbol that is then left undefined must stand in child_symbols.txt, where a line can
say who alone may refer to it.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["HF_BUILD"])
ALLOWED_LIST = pathlib.Path(os.environ["HF_SOURCE"], "tests", "child_symbols.txt")
FOLDERS = ("jvmti", "clrprofiler", "analysis", "common", "platforms")
LIBRARIES = [BUILD / f"libhf_{folder}.a" for folder in FOLDERS]
ZSTD = (BUILD / "zstd.txt").read_text().strip()

# Where the child's own code begins, and what it calls through a pointer that somebody else set, in the order in which they run.
ENTRIES = [
    "holdfast::platforms::spawn_child(holdfast::platforms::ChildPlan const&)",
    "holdfast::jvmti::Freeze::run_child(void*)",
    "holdfast::jvmti::(anonymous namespace)::check_in_child(holdfast::jvmti::Freeze&)",
    "holdfast::jvmti::(anonymous namespace)::dump_in_child(holdfast::jvmti::Freeze&)",
    "holdfast::clr::Freeze::run_child(void*)",
    "holdfast::clr::SelfCheck::check_in_child(holdfast::clr::Freeze&)",
    "holdfast::clr::dump_in_child(holdfast::clr::Freeze&)",
    "holdfast::DumpEngine::run_in_child(void*, holdfast::Result<void> const&, holdfast::Capture&, "
    "holdfast::AdapterAnalysis const*)",
    "holdfast::DumpEngine::run_count_in_child(void*, holdfast::Result<void> const&, holdfast::Capture&, "
    "holdfast::AdapterAnalysis const*)",
    "holdfast::analysis::analyse_and_report(holdfast::AnalysisInput&)",
    "holdfast::analysis::stream_and_report(holdfast::AnalysisInput&, holdfast::analysis::SnapshotStreamFacts const&, "
    "holdfast::analysis::GraphSource const&)",
]
FORBIDDEN_EXAMPLES = {
    "malloc": "#include <cstdlib>\nvoid* volatile kept;\nvoid entry() { kept = std::malloc(7); }\n",
    "__tls_get_addr": "thread_local int number;\nvoid entry() { ++number; }\n",
    "pthread_mutex_lock": "#include <pthread.h>\n"
                          "void wait(pthread_mutex_t* m) { pthread_mutex_lock(m); }\n"
                          "void (*volatile through_pointer)(pthread_mutex_t*) = wait;\n"
                          "void entry() { through_pointer(nullptr); }\n",
}

RELOCATION_SECTION = re.compile(r"^Relocation section '\.rela(\S+)'")
NOT_CODE_OR_DATA = re.compile(r"\.(debug|eh_frame|gcc_except_table|dyn|plt)")
RELOCATION = re.compile(r"^([0-9a-f]{8,}) +[0-9a-f]+ +R_\S+ +[0-9a-f]+ +(\S+)")
UNDEFINED = re.compile(r" UND (\S+)$", re.M)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def our_objects():
    folders = [f"/hf_{folder}.dir/" for folder in FOLDERS]
    return [path for path in (BUILD / "objects.txt").read_text().splitlines() if any(map(path.__contains__, folders))]


def definitions(objects):
    """name in the source -> (the linker's name, its kind in capitals if others may see it, the object)"""
    tables = [run("nm", "-A", "--defined-only", *flags, *objects).splitlines() for flags in ([], ["-C"])]
    for raw, plain in zip(*tables, strict=True):
        path, _, rest = raw.partition(":")
        _, kind, symbol = rest.split(" ", 2)
        yield plain.partition(":")[2].split(" ", 2)[2], (symbol, kind, path)


def find_entries(names, folder):
    """The linker's names of the entries, and copies of the objects in which one had to be made visible first."""
    known = dict(definitions(our_objects()))
    local = {}
    for symbol, kind, path in map(known.get, names):
        if kind.islower():
            local.setdefault(path, []).append(f"--globalize-symbol={symbol}")
    copies = []
    for path, options in local.items():
        copies.append(folder / pathlib.Path(path).name)
        run("objcopy", *options, path, copies[-1])
    return [known[name][0] for name in names], copies


def link(entries, inputs, folder):
    """Only what can be reached, with the relocations kept. Nothing is exported, so nothing else is a root."""
    out, script = folder / "closure.so", folder / "none.map"
    script.write_text("{ local: *; };\n")
    roots = [option for entry in entries for option in ("-u", entry)]
    run("ld", "-shared", "-q", "--gc-sections", "--gc-keep-exported", "--version-script", script, "-e", entries[0], *roots,
        "-o", out, "--start-group", *inputs, "--end-group")
    return out


def outside_references(library):
    """(address, symbol) of each reference out of the library."""
    undefined = set(UNDEFINED.findall(run("readelf", "-sW", library)))
    inside = False
    for line in run("readelf", "-rW", library).splitlines():
        if section := RELOCATION_SECTION.match(line):
            inside = not NOT_CODE_OR_DATA.match(section[1])
        elif inside and (reference := RELOCATION.match(line)) and reference[2] in undefined:
            yield reference[1], reference[2]


def functions_at(library, addresses):
    """The function that each address belongs to in the source, though it was inlined elsewhere."""
    given = "\n".join(addresses)
    lines = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", library], input=given, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    starts = [index for index, line in enumerate(lines) if re.match(r"0x[0-9a-f]+$", line)]
    return [lines[index + 1] for index in starts]


def allowed_references():
    """symbol -> from where; an empty text is anywhere."""
    allowed = {}
    for line in ALLOWED_LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            symbol, _, place = line.partition(" <- ")
            allowed.setdefault(symbol.strip(), []).append(place.strip())
    return allowed


def escapes(entries, inputs, folder):
    """symbol -> the functions that must not refer to it but do; and what of the list nobody needs."""
    allowed = allowed_references()
    unused = {(symbol, place) for symbol, places in allowed.items() for place in places}
    found = {}
    library = link(entries, inputs, folder)
    references = list(outside_references(library))
    functions = functions_at(library, [address for address, _ in references])
    for (_, symbol), function in zip(references, functions, strict=True):
        lawful = {(symbol, place) for place in allowed.get(symbol, []) if function.startswith(place)}
        unused -= lawful
        if not lawful:
            found.setdefault(symbol, set()).add(function)
    return {symbol: sorted(names) for symbol, names in found.items()}, sorted(unused)


class ChildZone(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_reaches_nothing_that_could_wait(self):
        entries, copies = find_entries(ENTRIES, self.folder)
        found, unused = escapes(entries, [*copies, *LIBRARIES, ZSTD], self.folder)
        self.assertEqual(found, {})
        self.assertEqual(unused, [], "child_symbols.txt allows what nobody uses")

    def test_notices_what_is_forbidden(self):
        for symbol, source in FORBIDDEN_EXAMPLES.items():
            with self.subTest(symbol):
                path = self.folder / "forbidden.o"
                subprocess.run(["c++", "-x", "c++", "-O2", "-g1", "-fPIC", "-ffunction-sections", "-fvisibility=hidden",
                                "-c", "-o", path, "-"], input=source, text=True, check=True)
                found, _ = escapes(["_Z5entryv"], [path], self.folder)
                self.assertIn(symbol, found)

    def test_a_place_in_the_list_is_obeyed(self):
        """What zstd may refer to, we may not."""
        self.assertNotIn("", allowed_references()["malloc"])


if __name__ == "__main__":
    unittest.main()
