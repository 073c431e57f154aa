#!/usr/bin/env python3
"""What `holdfast export` writes, read by others: pprof-format and go's pprof, DuckDB, Prometheus' own parser, VisualVM and jhat."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["HF_SOURCE"])
COMMAND = os.environ["HOLDFAST_CLI"]
LIBRARY = os.environ["HOLDFAST_LIB"]
READERS = SOURCE / "build" / "readers"
sys.path.insert(0, str(SOURCE / "tests" / "export"))
import small_heap  # noqa: E402

HOSTILE = ["=a,\"b\"'c';d", "e\r\nf\tg", "\u202eevil\u2066", "\x1b[2J\x07h", "\\n\\", "<script>&amp;", "x" * 10_000]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def node(script, *arguments, **options):
    return json.loads(run("node", SOURCE / "tests" / "export" / script, *arguments,
                          env={**os.environ, "HF_READERS": str(READERS)}, **options))


def query(sql):
    return node("run_query.mjs", input=sql.encode())


class Reports(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="holdfast export ")
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)

    def report(self, name, dump):
        hprof, report = self.directory / f"{name}.hprof", self.directory / f"{name}.hfr"
        hprof.write_bytes(dump)
        run(COMMAND, "analyze", hprof, "-o", report, "--quiet")
        hprof.unlink()
        return report

    def export(self, form, *reports, options=()):
        out = self.directory / f"out.{form}"
        out.unlink(missing_ok=True)
        run(COMMAND, "export", *reports, "--format", form, "-o", out, *options)
        return out


class Pprof(Reports):
    def test_totals_and_retained_sizes(self):
        report = self.report("shop", small_heap.shop(300, 100))
        told = json.loads(run(COMMAND, "report", report, "--json"))
        profile = node("read_pprof.mjs", self.export("pprof", report))
        self.assertEqual(profile["types"], ["inuse_space/bytes", "inuse_objects/count"])
        self.assertEqual(sum(s["values"][0] for s in profile["samples"]), told["graph"]["held_bytes"])
        self.assertEqual(sum(s["values"][1] for s in profile["samples"]), told["graph"]["held_objects"])
        self.assertTrue(all(s["stack"][-1] == "heap" for s in profile["samples"]))
        array = next(row for row in told["tree"] if row["class"] == "shop.Session[]")
        below = [s["values"][0] for s in profile["samples"] if "shop.Session[]" in s["stack"]]
        self.assertEqual(sum(below), array["retained_bytes"])

    def test_every_name_arrives(self):
        for name in HOSTILE:
            profile = node("read_pprof.mjs", self.export("pprof", self.report("named", small_heap.shop(300, 10, name))))
            frames = {frame for sample in profile["samples"] for frame in sample["stack"]}
            self.assertTrue(any(name[:50] in frame for frame in frames), (name[:50], frames))

    @unittest.skipUnless(shutil.which("go"), "go is not here")
    def test_go_tool_pprof(self):
        report = self.report("shop", small_heap.shop(300, 100))
        told = json.loads(run(COMMAND, "report", report, "--json"))
        top = run("go", "tool", "pprof", "-top", "-unit=B", "-nodefraction=0", self.export("pprof", report)).decode()
        self.assertIn(f"of {told['graph']['held_bytes']}B total", top)
        array = next(row for row in told["tree"] if row["class"] == "shop.Session[]")
        self.assertRegex(top, rf"{array['retained_bytes']}B\s+[\d.]+%\s+shop\.Session\[\]")


class Database(Reports):
    def test_the_outlier_among_a_thousand(self):
        """With the query that docs/reference/export-formats.md shows."""
        odd = 617
        reports = [self.report(f"app-{i:04}", small_heap.shop(20 if i != odd else 400, 150 + i % 7)) for i in range(1000)]
        table = self.export("csv", *reports)
        shown = re.search(r"```sql\n(.*?)```", (SOURCE / "docs" / "reference" / "export-formats.md").read_text(), re.S).group(1)
        self.assertIn("'fleet.csv'", shown)
        rows = query(shown.replace("fleet.csv", str(table)))
        self.assertEqual([row["file"] for row in rows], [str(reports[odd])])
        self.assertIn("shop.Session", rows[0]["class"])
        late = self.behind_simple_ones(table)
        self.assertEqual(query(shown.replace("fleet.csv", str(late))), rows)
        counted = query(f"SELECT count(DISTINCT file) AS files, count(*) AS lines FROM read_json('{self.export('jsonl', *reports)}')")
        self.assertEqual(int(counted[0]["files"]), 1000)
        self.assertEqual(int(counted[0]["lines"]), int(query(f"SELECT count(*) AS n FROM read_csv('{table}')")[0]["n"]))

    def behind_simple_ones(self, table):
        """The same table behind more rows of simple dumps than a database looks at to guess types."""
        with table.open(newline="") as lines:
            header, first, *rest = csv.reader(lines)
        empty = ["simple" if name == "kind" else "" if "retained" in name else value for name, value in zip(header, first)]
        late = self.directory / "late.csv"
        with late.open("w", newline="") as lines:
            csv.writer(lines).writerows([header, *[empty] * 30_000, first, *rest])
        return late

    def test_both_formats_say_the_same_of_hostile_names(self):
        reports = [self.report(f"named-{i}", small_heap.shop(300, 10, name)) for i, name in enumerate(HOSTILE)]
        for rows in ("classes", "objects", "packages", "loaders", "threads", "suspects"):
            csv, lines = (self.export(form, *reports, options=("--rows", rows)) for form in ("csv", "jsonl"))
            from_csv = query(f"SELECT * FROM read_csv('{csv}', header=true, all_varchar=true, max_line_size=10000000)")
            from_lines = [json.loads(line) for line in lines.read_text().splitlines()] if lines.stat().st_size else []
            self.assertEqual(len(from_csv), len(from_lines), rows)
            for one, other in zip(from_csv, from_lines):
                self.assertEqual(list(one), list(other))
                for column, value in other.items():
                    self.assertIn(one[column], self.as_csv(value), (rows, column))

    @staticmethod
    def as_csv(value):
        """How CSV may tell a value: text that a spreadsheet would run is marked, null is nothing."""
        if isinstance(value, str):
            return ["'" + value if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value]
        return [None, ""] if value is None else [json.dumps(value)]


class HeapDump(Reports):
    """A snapshot as a heap dump: read again it is the same heap; and another program reads it too."""

    def objects(self, dump, name):
        table, snapshot = self.directory / f"{name}.objects.csv", self.directory / f"{name}.hfs"
        run(COMMAND, "analyze", dump, "--objects", table, "--snapshot", snapshot, "-o", self.directory / f"{name}.hfr", "--quiet")
        with table.open(newline="") as lines:
            rows = [{**row, "class": row["class"].replace("/", ".")} for row in csv.DictReader(lines)]  # 0x… of hidden classes
        classes = {row["address"]: row["class"] for row in rows}
        # Class objects of HPROF are as large as their static fields, so their sizes are not compared.
        return snapshot, sorted((row["class"], classes.get(row["immediate_dominator"], ""),
                                 row["shallow"] if row["class"] != "java.lang.Class" else "") for row in rows)

    def round_trip(self, dump):
        snapshot, before = self.objects(dump, "before")
        again = self.export("hprof", snapshot)
        self.assertEqual(self.objects(again, "after")[1], before)
        return again

    def test_small_heaps(self):
        for name in ["shop.Session", *HOSTILE[4:6]]:
            dump = self.directory / "small.hprof"
            dump.write_bytes(small_heap.shop(300, 100, name))
            self.round_trip(dump)

    def test_a_real_one(self):
        """What a VM wrote of itself, and what our agent captured of it."""
        program = SOURCE / "tests" / "export" / "Keeper.java"
        run("java", f"-agentpath:{LIBRARY}=dir={self.directory},on=exit,dump=extended,snapshot=on", program, self.directory / "vm.hprof")
        again = self.round_trip(self.directory / "vm.hprof")
        self.jhat(again)
        self.visualvm(again, as_of=self.directory / "vm.hprof")
        captured = next(path for path in self.directory.glob("*.hfs") if path.stem not in ("before", "after"))
        self.round_trip(captured)
        again = self.export("hprof", captured)
        self.jhat(again)
        self.visualvm(again)
        threads = json.loads(run(COMMAND, "analyze", again, "--json", "--quiet"))["threads"]
        self.assertEqual({thread["thread"] for thread in threads}, {""})  # names are contents
        self.assertTrue(any(thread["frames"] for thread in threads))

    def visualvm(self, dump, as_of=None):
        """VisualVM's library counts what we count, finds no content, and the same largest objects as in the dump that it was made of."""
        told = json.loads(run(COMMAND, "analyze", dump, "--json", "--quiet"))
        ours = {row["class"]: row["instances"] + row["unheld_instances"] for row in told["classes"]}
        read = self.read_by_visualvm(dump)
        theirs = {name: count for name, count in read["class"].items() if count > 0}
        for kind in (ours, theirs):
            kind.pop("java.lang.Class", None)  # class objects are no instances to it
        self.assertEqual(theirs, ours)
        self.assertEqual(read["contents"], 0)
        self.assertEqual(read["roots"], told["graph"]["roots"])
        if as_of:
            original = self.read_by_visualvm(as_of)
            self.assertEqual(read["class"], original["class"])
            self.assertEqual(read["largest"], original["largest"])
            self.assertGreaterEqual(read["references"], original["references"])  # those of the VM's own fields have some now
            self.assertGreater(original["contents"], 0)  # it would have seen them

    def read_by_visualvm(self, dump):
        read = {"class": {}, "largest": []}
        said = run("java", "-cp", READERS / "jfluid-heap.jar", SOURCE / "tests" / "export" / "ReadHprof.java", dump).decode()
        for line in said.splitlines():
            word, *rest = line.split("\t")
            if word == "class":
                read[word][rest[0]] = int(rest[1])
            elif word == "largest":
                read[word].append(rest[0])
            else:
                read[word] = int(rest[0])
        return read

    def jhat(self, dump):
        jhat = SOURCE / "build" / "jdks" / "8" / "bin" / "jhat"
        if not jhat.exists():
            print("jhat is not here: tests/jdks/fetch 8 gets it")
            return
        said = run(jhat, "-parseonly", "true", dump).decode()
        self.assertIn("Snapshot resolved", said)
        self.assertNotIn("WARNING", said.upper())


class Metrics(Reports):
    PARSER = ("import json, sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n"
              "print(json.dumps([[s.name, s.labels, s.value] for f in parse(sys.stdin.read()) for s in f.samples]))")

    def samples(self, report, *options):
        text = self.export("openmetrics", report, options=options).read_bytes()
        return json.loads(run("/usr/bin/python3", "-c", self.PARSER, input=text))

    def test_prometheus_reads_them(self):
        report = self.report("shop", small_heap.shop(300, 100))
        told = json.loads(run(COMMAND, "report", report, "--json"))
        samples = self.samples(report)
        figure = {name: value for name, _, value in samples}
        self.assertEqual(figure["holdfast_heap_held_bytes"], told["graph"]["held_bytes"])
        shallow = {labels["class"]: value for name, labels, value in samples if name == "holdfast_class_shallow_bytes"}
        self.assertEqual(shallow["shop.Session"], next(c["shallow_bytes"] for c in told["classes"] if c["class"] == "shop.Session"))

    def test_hostile_names_and_a_bound(self):
        for name in HOSTILE:
            samples = self.samples(self.report("named", small_heap.shop(300, 10, name)), "--top", "2")
            classes = [labels for metric, labels, _ in samples if metric == "holdfast_class_instances"]
            self.assertLessEqual(len(classes), 2)
            self.assertTrue(all(len(labels["class"]) <= 200 for labels in classes))


if __name__ == "__main__":
    unittest.main()
