#!/usr/bin/env python3
"""What must not happen whatever is in a report, and whatever is given for a file: every output of every command that reads reports.

Names give no orders to a terminal, and stay in their field for strict parsers: JSON, CSV, XML, Markdown.
Files that are none, are damaged or are no files at all get one line and the exit code that docs/reference/exit-codes.md has for them.
"""
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

COMMAND = os.environ["HOLDFAST_CLI"]
SAMPLES = pathlib.Path(os.environ["HF_BUILD"]) / "bin" / "sample_reports"
SECTIONS = "verdict,suspects,classes,tree,objects,threads,packages,loaders,graph,cost,losses,origin"
ROWS = ("classes", "objects", "packages", "loaders", "threads", "suspects")
EXPRESSIONS = ("*Session*.instances <= 10", "total.shallow <= 1KB", "*.retained < 1", "suspects == 0", "loader:*app*.instances < 1",
               "package:*shop*.retained < 1", "growth(*Order*.instances) <= 0")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# Control characters but for line ends, what turns writing around or cannot be seen.
UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]")
SECONDS = 60
DONE, FAILED, USAGE, BAD_INPUT, REFUSED = 0, 1, 2, 3, 4
# Debian's, whichever Python runs the tests.
MARKDOWN = ("import sys\nfrom markdown_it import MarkdownIt\n"
            "sys.stdout.write(MarkdownIt('commonmark', {'html': True}).enable('table').render(sys.stdin.read()))")


def run(*words, command=COMMAND, **options):
    done = subprocess.run([command, *map(str, words)], capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()  # strict: all of it is UTF-8


def only_once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def no_constant(word):
    raise ValueError(f"{word} is no JSON")


def strict_json(text):
    return json.loads(text, object_pairs_hook=only_once, parse_constant=no_constant)


class Shown(html.parser.HTMLParser):
    """Tags in order, the texts of <code>, and the cells of each row."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.codes, self.rows, self.within = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))
        self.within.append(tag)
        if tag == "code":
            self.codes.append("")
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.within.append("/" + tag)

    def handle_data(self, data):
        if self.within.count("code") > self.within.count("/code"):
            self.codes[-1] += data
        if self.within.count("td") > self.within.count("/td"):
            self.rows[-1][-1] += data


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="holdfast bad input ")
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = pathlib.Path(scratch.name)
        subprocess.run([SAMPLES, cls.directory], check=True)

    def done(self, *words, code=DONE):
        returned, out, err = run(*words)
        self.assertEqual(returned, code, (words, err))
        self.assert_harmless(err, words)
        return out

    def refused(self, code, *words, says=(), **options):
        returned, out, err = run(*words, **options)
        self.assertEqual((returned, out), (code, ""), (words, err))
        lines = 2 if words[0] == "trend" and code == BAD_INPUT else 1  # one for each file, and one for all
        self.assertRegex(err, rf"\A(holdfast [^\n]+\n){{{lines}}}\Z", words)
        self.assert_harmless(err, words)
        for said in says:
            self.assertIn(said, err, words)

    def assert_harmless(self, text, words):
        found = UNPRINTABLE.search(text)
        self.assertIsNone(found, (words, found and text[max(0, found.start() - 40):found.end() + 10]))


class Names(Samples):
    """Every text of these reports is hostile, in one way after the other; so are the names of the files."""

    def each(self):
        ways = sorted((self.directory / "hostile").iterdir())
        self.assertGreaterEqual(len(ways), 6)
        return [sorted(way.glob("*.hfr")) for way in ways]

    def test_text(self):
        for dumps in self.each():
            first, last = dumps[0], dumps[-1]
            for words in (("report", last), ("report", last, "--width", "40"), ("report", last, "--section", SECTIONS, "--top", "99"),
                          ("report", last, "--class", "*"), ("report", last, "--under", "#0", "--depth", "9"),
                          ("report", last, "--skip", "*Session*"), ("diff", first, last), ("diff", first, last, "--width", "200"),
                          ("diff", first, last, "--class", "*shop*"), ("trend", first.parent), ("trend", first.parent, "--width", "200"),
                          ("trend", first.parent, "--all-processes")):
                self.assert_harmless(self.done(*words), words)
                coloured = self.done(*words, "--color", "always")
                self.assertIn("\x1b[", coloured)
                self.assert_harmless(COLOURS.sub("", coloured), words)
            words = ("assert", last, *EXPRESSIONS, "--baseline", first)
            self.assert_harmless(self.done(*words, code=FAILED), words)

    def test_folded_and_metrics(self):
        for dumps in self.each():
            for form in ("folded", "openmetrics"):
                words = ("export", dumps[-1], "--format", form)
                self.assert_harmless(self.done(*words), words)

    def test_json(self):
        for dumps in self.each():
            first, last = dumps[0], dumps[-1]
            for words in (("report", last, "--json"), ("report", last, "--json", "--brief"), ("diff", first, last, "--json"),
                          ("trend", first.parent, "--json")):
                text = self.done(*words)
                self.assert_harmless(text, words)
                self.assertEqual(strict_json(text)["schema_version"], 1)
            document = strict_json(self.done("report", last, "--json"))
            self.assertEqual(document["origin"]["main_name"], self.whole_name(dumps, "shop.Main"))
            self.assertLessEqual(len(self.done("report", last, "--json", "--brief").encode()), 64_000)
            words = ("assert", last, *EXPRESSIONS, "--baseline", first, "--json")
            text = self.done(*words, code=FAILED)
            self.assert_harmless(text, words)
            self.assertEqual(len(strict_json(text)["assertions"]), len(EXPRESSIONS))

    def whole_name(self, dumps, name):
        """As the report has it, told by a writer that knows nothing of terminals."""
        row = next(csv.DictReader(io.StringIO(self.done("export", dumps[-1], "--format", "csv"), newline=""), strict=True))
        main = row["main"].removeprefix("'")
        self.assertIn(name, main)
        return main

    def test_rows(self):
        for dumps in self.each():
            for rows in ROWS:
                options = ("--rows", rows)
                table = list(csv.reader(io.StringIO(self.done("export", *dumps, "--format", "csv", *options), newline=""), strict=True))
                lines = self.done("export", *dumps, "--format", "jsonl", *options)
                self.assert_harmless(lines, rows)
                objects = [strict_json(line) for line in lines.splitlines()]
                self.assertEqual(len(table), 1 + len(objects))
                self.assertGreaterEqual(len(objects), len(dumps))
                for row, told in zip(table[1:], objects):
                    self.assertEqual(len(row), len(table[0]))
                    for cell, value in zip(row, told.values()):
                        self.assertNotIn(cell[:1], ("=", "+", "-", "@", "\t", "\r"))
                        if isinstance(value, str):
                            self.assertIn(cell, (value, "'" + value))

    def test_junit(self):
        for dumps in self.each():
            out = self.directory / "heap.xml"
            self.done("assert", dumps[-1], *EXPRESSIONS, "--baseline", dumps[0], "--junit", out, code=FAILED)
            self.assert_harmless(out.read_text(), "junit")
            root = xml.etree.ElementTree.parse(out).getroot()
            self.assertEqual([case.get("name") for case in root.iter("testcase")], list(EXPRESSIONS))
            self.assertLessEqual({element.tag for element in root.iter()}, {"testsuites", "testsuite", "properties", "property", "testcase",
                                                                            "failure", "error", "system-out"})
            self.assertIn("shop.Main", root.find("testsuite").get("name"))

    def test_markdown(self):
        for dumps in self.each():
            text = self.done("assert", dumps[-1], *EXPRESSIONS, "--baseline", dumps[0], "--markdown", code=FAILED)
            self.assert_harmless(text, "markdown")
            page = subprocess.run(["/usr/bin/python3", "-c", MARKDOWN], input=text.encode(), capture_output=True, check=True).stdout.decode()
            shown = Shown(page)
            self.assertLessEqual({tag for tag, _ in shown.tags}, {"h3", "p", "code", "table", "thead", "tbody", "tr", "th", "td", "br"})
            self.assertEqual([attributes for _, attributes in shown.tags if attributes], [])
            self.assertEqual([len(row) for row in shown.rows], [3] * (1 + len(EXPRESSIONS)))
            self.assertEqual([tag for tag, _ in shown.tags].count("table"), 1)
            self.assertLessEqual(set(EXPRESSIONS), set(shown.codes))
            self.assertIn("shop.Main", shown.codes[0])

    def test_page(self):
        """What a browser does with it: tests/browser. Here: nothing of a name is in the file as it is."""
        out = self.directory / "page.html"
        for dumps in self.each():
            for words in (("report", dumps[-1]), ("diff", dumps[0], dumps[-1]), ("trend", dumps[0].parent)):
                self.done(*words, "--html", out)
                text = out.read_text()
                self.assert_harmless(text.replace("\t", ""), words)
                self.assertLess(len(text), 3_000_000)
                for hostile in ("alert(1)", "owned", "' /C calc", "wwwww", "shop.Session"):
                    self.assertNotIn(hostile, text)

    def test_names_of_files(self):
        place = self.directory / "\x1b]0;a\x07|`<b>\n\u202e\"'"
        place.mkdir()
        for name in ("1", "2"):
            shutil.copy(self.directory / "hostile" / "0" / f"{name}.hfr", place / f"{name}.hfr")
        (place / "bad.hfr").write_text("nothing")
        one, two, bad = place / "1.hfr", place / "2.hfr", place / "bad.hfr"
        for words in (("report", one), ("diff", one, two), ("trend", place), ("trend", one, two, bad),
                      ("export", one, one, "--format", "jsonl"), ("report", one, "--json", "--brief"), ("diff", one, two, "--json"),
                      ("trend", place, "--json"), ("report", one, "--html", place / "page.html")):
            self.assert_harmless(self.done(*words), words)
        for how in ((), ("--json",), ("--markdown",)):
            self.assert_harmless(self.done("assert", one, *EXPRESSIONS, "--baseline", two, *how, code=FAILED), how)
        for words in (("report", bad), ("diff", one, bad), ("trend", bad), ("assert", bad, "suspects < 9"), ("export", bad, "--format", "csv"),
                      ("analyze", bad)):
            self.refused(BAD_INPUT, *words)


class Files(Samples):
    """What is given for a file."""

    READERS = (("report", "{}"), ("report", "{}", "--json"), ("report", "{}", "--json", "--brief"), ("report", "{}", "--html", "{out}"),
               ("diff", "{}", "{good}"), ("diff", "{good}", "{}"), ("diff", "{}", "{good}", "--html", "{out}"), ("trend", "{}"),
               ("trend", "{}", "--html", "{out}"), ("assert", "{}", "suspects < 99"),
               ("assert", "{good}", "suspects < 99", "--baseline", "{}"), ("export", "{}", "--format", "pprof", "-o", "{out}"),
               ("export", "{}", "--format", "folded"), ("export", "{}", "--format", "jsonl"), ("export", "{good}", "{}", "--format", "csv"),
               ("export", "{}", "--format", "openmetrics"), ("export", "{}", "--format", "hprof", "-o", "{out}"))

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="holdfast files ")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.good, self.out = self.directory / "shop.hfr", self.scratch / "out"

    def every_reader(self, code, file, says=(), but=()):
        for reader in self.READERS:
            if reader[0] in but:
                continue
            words = [word.format(file, good=self.good, out=self.out) for word in reader]
            self.refused(code, *words, says=says)
            self.assertFalse(self.out.exists(), words)

    def test_no_files(self):
        os.mkfifo(self.scratch / "pipe")
        (self.scratch / "folder").mkdir()
        self.every_reader(USAGE, self.scratch / "no such.hfr", ("No such file",))
        self.every_reader(USAGE, self.scratch / "pipe", ("is not a regular file",))
        self.every_reader(USAGE, "/dev/null", ("is not a regular file",))
        self.every_reader(USAGE, self.scratch / "folder", ("is a directory",), but=("trend",))
        self.refused(USAGE, "trend", self.scratch / "folder", says=("has no report in it",))
        for file in ("no such.hfr", "pipe", "folder", ""):
            self.refused(USAGE, "analyze", self.scratch / file)

    def test_no_reports(self):
        whole = self.good.read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 4
        for name, content, says in (("empty.hfr", b"", "empty"), ("letter.hfr", b"dear all, " * 99, "is not a holdfast report"),
                                    ("dump.hprof", b"JAVA PROFILE 1.0.2\0" + bytes(99), "HPROF"), ("cut.hfr", whole[:-1], "damaged or cut"),
                                    ("longer.hfr", whole + b"\0", "damaged or cut"), ("flipped.hfr", flipped, "damaged or cut")):
            (self.scratch / name).write_bytes(content)
            self.every_reader(BAD_INPUT, self.scratch / name, (name,))
            self.refused(BAD_INPUT, "report", self.scratch / name, says=(says,))

    def test_versions(self):
        versions = self.directory / "versions"
        self.every_reader(BAD_INPUT, versions / "newer.hfr", ("newer holdfast (report format 2)",))
        for name in ("older-minor.hfr", "newer-minor.hfr"):
            for how in ((), ("--json",), ("--json", "--brief")):
                self.assertEqual(self.done("report", versions / name, *how).replace(name, ""),
                                 self.done("report", self.good, *how).replace("shop.hfr", "").replace(str(self.directory), f"{versions}"))

    def test_some_are_no_reports(self):
        for number in range(9):
            shutil.copy(self.directory / "hostile" / "5" / f"{number}.hfr", self.scratch)
        (self.scratch / "letter.hfr").write_text("dear all")
        (self.scratch / "folder.hfr").mkdir()
        os.mkfifo(self.scratch / "pipe.hfr")
        (self.scratch / "nowhere.hfr").symlink_to("nowhere")
        (self.scratch / "read me.txt").write_text("dear all")
        code, out, err = run("trend", self.scratch, "--json")
        self.assertEqual(code, DONE)
        told = strict_json(out)
        self.assertEqual({pathlib.Path(row["file"]).name for row in told["skipped"]}, {"letter.hfr", "folder.hfr", "pipe.hfr", "nowhere.hfr"})
        self.assertEqual(err.count("\n"), 4)
        self.assertEqual(told["processes"][0]["reports"], 9)
        self.refused(BAD_INPUT, "export", self.scratch / "0.hfr", self.scratch / "letter.hfr", "--format", "csv", says=("letter.hfr",))

    def test_the_same_file_twice(self):
        self.assertIn("same dump", self.done("diff", self.good, self.good))
        self.assertEqual(strict_json(self.done("trend", self.good, self.good, "--json"))["processes"][0]["copies"], 1)
        code, out, err = run("export", self.good, self.good, "--format", "csv")
        self.assertEqual((code, out), (DONE, self.done("export", self.good, "--format", "csv")))
        self.assertIn("named twice", err)
        self.done("assert", self.good, "growth(total.instances) <= 0", "--baseline", self.good, code=REFUSED)

    def test_two_programs(self):
        other = self.directory / "hostile" / "5" / "0.hfr"
        code, out, err = run("diff", self.good, other)
        self.assertEqual(code, DONE)
        self.assertIn("different programs", out + err)
        self.assertIn("different_program", [row["code"] for row in strict_json(self.done("diff", self.good, other, "--json"))["warnings"]])

    def test_patterns_that_match_nothing(self):
        good, other = self.good, self.directory / "losses.hfr"
        for words in (("report", good, "--class", "no.such"), ("report", good, "--under", "no.such"), ("report", good, "--under", "#99"),
                      ("diff", good, other, "--class", "no.such"), ("diff", good, other, "--skip", "*"), ("trend", good, "--class", "no.such"),
                      ("trend", good, "--process", "7"), ("report", good, "--section", "no-such"), ("diff", good, other, "--section", "no-such"),
                      ("export", good, "--format", "csv", "--rows", "no-such"), ("export", good, "--format", "no-such")):
            self.refused(USAGE, *words)
        self.assertIn("no class", self.done("assert", good, "no.Such.instances == 0", code=REFUSED).replace("\n", " "))

    WRITERS = (("report", "{good}", "--html", "{}"), ("diff", "{good}", "{good}", "--html", "{}"), ("trend", "{good}", "--html", "{}"),
               ("assert", "{good}", "suspects < 99", "--junit", "{}"),
               ("export", "{good}", "--format", "pprof", "-o", "{}"), ("export", "{good}", "--format", "folded", "-o", "{}"),
               ("export", "{good}", "--format", "jsonl", "-o", "{}"), ("export", "{good}", "--format", "csv", "-o", "{}"),
               ("export", "{good}", "--format", "openmetrics", "-o", "{}"))

    def every_writer(self, code, place, says=()):
        for writer in self.WRITERS:
            self.refused(code, *(word.format(place, good=self.good) for word in writer), says=says)

    def test_nowhere_to_write(self):
        os.mkfifo(self.scratch / "pipe")
        before = self.good.read_bytes()
        self.every_writer(REFUSED, "/dev/full", ("No space left on device",))
        self.every_writer(REFUSED, self.scratch / "pipe", ("not replaced",))
        self.every_writer(REFUSED, self.good, ("not replaced",))
        self.every_writer(USAGE, self.scratch, ("the name of a file",))
        self.every_writer(REFUSED, self.scratch / "no" / "where", ("No such file or directory",))
        self.every_writer(USAGE, "", ("is empty",))
        self.every_writer(USAGE, "-", ("- is no file",))
        self.every_writer(REFUSED, "/proc/out", ())
        self.assertEqual(self.good.read_bytes(), before)
        self.assertEqual([path.name for path in self.scratch.iterdir()], ["pipe"])

    def test_standard_output_is_not_replaced(self):
        """By a link like /dev/stdout, but one of our own: the machine's is not at stake."""
        link, printed = self.scratch / "link", self.scratch / "printed"
        link.symlink_to("/proc/self/fd/1")
        for writer in self.WRITERS:
            for name in (link, printed):
                with printed.open("wb") as out:
                    words = [COMMAND, *(word.format(name, good=self.good) for word in writer)]
                    done = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, timeout=SECONDS)
                self.assertEqual((done.returncode, printed.read_bytes()), (USAGE, b""), words)
                self.assertIn(b"is standard output or error", done.stderr)
        self.assertTrue(link.is_symlink())

    def test_what_is_not_permitted(self):
        """As somebody who is not root, to whom nothing is forbidden."""
        place = self.scratch / "shared"
        place.mkdir()
        command, good = shutil.copy(COMMAND, place), shutil.copy(self.good, place)
        (place / "read-only").mkdir(0o555)
        closed = shutil.copy(good, place / "closed.hfr")
        closed.chmod(0)
        for folder in (self.scratch, place):
            folder.chmod(0o755)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        for writer in self.WRITERS:
            words = [word.format(place / "read-only" / "out", good=good) for word in writer]
            self.refused(REFUSED, *words, says=("Permission denied",), command=command, **nobody)
        for words in (("report", closed), ("diff", good, closed), ("assert", closed, "suspects < 9"), ("export", closed, "--format", "csv"),
                      ("analyze", closed)):
            self.refused(REFUSED, *words, says=("Permission denied",), command=command, **nobody)
        self.assertEqual(list((place / "read-only").iterdir()), [])

    def test_a_full_standard_output(self):
        other = self.directory / "losses.hfr"
        for words in (("report", self.good), ("report", self.good, "--json"), ("report", self.good, "--json", "--brief"),
                      ("report", self.good, "--html", self.out), ("diff", self.good, other), ("diff", self.good, other, "--json"),
                      ("trend", self.good), ("trend", self.good, "--json"), ("assert", self.good, "suspects < 1"),
                      ("assert", self.good, "suspects < 1", "--json"), ("assert", self.good, "suspects < 1", "--markdown"),
                      *(("export", self.good, "--format", form) for form in ("pprof", "folded", "jsonl", "csv", "openmetrics")),
                      ("ps",), ("completion", "bash"), ("--help",), ("report", "--help"), ("--version",)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([COMMAND, *map(str, words)], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS)
            self.assertEqual(done.returncode, REFUSED, words)
            self.assertRegex(done.stderr.decode(), r"\Aholdfast[^\n]+cannot write to standard output[^\n]+\n\Z", words)


if __name__ == "__main__":
    unittest.main()
