#!/usr/bin/env python3
"""The installed JSON Schemas: every golden and fresh outputs of the command are valid, and any other key, type or gap is not."""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

SOURCE = pathlib.Path(os.environ["HF_SOURCE"])
BUILD = pathlib.Path(os.environ["HF_BUILD"])
COMMAND = os.environ["HOLDFAST_CLI"]
GOLDENS = SOURCE / "cli" / "text" / "golden"
SCHEMAS = BUILD / "share" / "holdfast" / "schemas"
SAMPLE = SOURCE / "analysis" / "report" / "report_fuzz_seeds"
sys.path.append(str(SOURCE / "tests" / "vm"))
import harness  # noqa: E402
import talk  # noqa: E402

# The goldens with JSON in them, by the schema that they are of.
OF = {
    "report": ["report_json", "report_possible_slots_json", "report_simple_json", "report_static_roots_json"],
    "report-brief": ["brief_json", "brief_simple_json"],
    "answers": ["answers_json", "from_roots_json", "statistics_json"],
    "assert": ["assert_json"],
    "diff": ["diff_json"],
    "doctor": ["doctor_json"],
    "dump": ["dump_json"],
    "ps": ["ps_json"],
    "status": ["status_json"],
    "trend": ["trend_json"],
    "watch": ["watch_json", "watch_once_json"],
    **{f"rows-{rows}": [f"export_jsonl_{rows}"] for rows in
       ("ages", "classes", "holders", "loaders", "objects", "packages", "states", "suspects", "threads")},
}


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def documents(text):
    """Of one document, or of several one behind the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text.rstrip()):
        document, at = decoder.raw_decode(text, at)
        found.append(document)
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def goldens(name):
    return [one for golden in OF[name] for one in documents((GOLDENS / f"{golden}.txt").read_text())]


def dispersed(value, path=()):
    """(path, value) of everything in a document; of a long list the first two."""
    yield path, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from dispersed(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value[:2]):
            yield from dispersed(one, (*path, at))


def free_maps(schema_name):
    """Keys whose value has whatever names there are."""
    return {"report": [("options",)], "status": [("options",)]}.get(schema_name, [])


def mutations(name, document):
    """(what, path, almost the same document): a key that nobody knows, each key removed, each value of another type."""
    for path, value in list(dispersed(document)):
        if isinstance(value, dict) and path not in free_maps(name):
            yield "more", path, changed(document, (*path, "later"), 1)
        if path and isinstance(path[-1], str) and path[:-1] not in free_maps(name):
            yield "another type", path, changed(document, path, [["another", "type"]])
            yield "missing", path, changed(document, path)


def changed(document, path, *value):
    """Only what leads to the place is copied."""
    copied = copy.copy(document)
    if len(path) > 1:
        copied[path[0]] = changed(document[path[0]], path[1:], *value)
    elif value:
        copied[path[0]] = value[0]
    else:
        del copied[path[0]]
    return copied


class Schemas(unittest.TestCase):
    def check(self, name, document):
        found = sorted(validator(name).iter_errors(document), key=lambda error: list(error.path))
        self.assertEqual([f"{list(error.path)}: {error.message[:300]}" for error in found], [], name)

    def test_every_golden_with_json_is_of_a_schema(self):
        known = {golden for names in OF.values() for golden in names}
        there = {path.stem for path in GOLDENS.glob("*.txt") if path.read_text().startswith("{")}
        self.assertEqual(there - known, set())
        self.assertEqual(known - there, {"export_jsonl_ages"})  # has no row

    def test_goldens(self):
        for name in OF:
            for document in goldens(name):
                with self.subTest(name):
                    self.check(name, document)

    def test_the_id_has_the_schema_version(self):
        for path in SCHEMAS.glob("*.schema.json"):
            schema = json.loads(path.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            version = schema.get("properties", {}).get("schema_version", {"const": 1})["const"]
            self.assertEqual(schema["$id"], f"urn:holdfast:schema:{path.name.removesuffix('.schema.json')}:{version}")
            self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")

    def test_nothing_else_is_valid(self):
        for name in OF:
            check, optional, tried = validator(name), optional_keys(name), 0
            for golden in goldens(name)[:1]:
                for what, path, document in mutations(name, golden):
                    if what == "missing" and path[-1] in optional:
                        continue
                    tried += 1
                    self.assertFalse(check.is_valid(document), f"{name}: {path}: {what}")
            print(f"{name}: {tried} changed documents refused")


def optional_keys(name):
    """The keys that a schema leaves open, at any place."""
    found = set()

    def look(schema):
        if isinstance(schema, dict):
            if "properties" in schema and "required" in schema:
                found.update(set(schema["properties"]) - set(schema["required"]))
            for one in schema.values():
                look(one)
        elif isinstance(schema, list):
            for one in schema:
                look(one)
    look(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    return found


class FreshOutputs(Schemas):
    """What the command prints of a running Java program and of its reports."""
    test_every_golden_with_json_is_of_a_schema = test_goldens = test_the_id_has_the_schema_version = test_nothing_else_is_valid = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="holdfast schema ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        classes = harness.compile_java("victim", [SOURCE / "tests" / "vm" / "victim" / "Victim.java"])
        jdk = harness.jdks()[-1]
        cls.jvm = harness.Jvm(jdk, ["-Xmx256m", "-Dnodes=5000", "-cp", classes, "Victim"],
                              f"dir={cls.folder},on=oom,accounts=java.*,ages=on,track=on,every=5m")
        cls.addClassCleanup(cls.jvm.stop)
        cls.jvm.wait_line("^READY")
        cls.dumps = [json.loads(talk.ask("dump", cls.jvm.pid, "--extended", "--json", "--quiet").stdout) for _ in range(2)]
        cls.simple = json.loads(talk.ask("dump", cls.jvm.pid, "--simple", "--json", "--quiet").stdout)
        cls.reports = [dump["report_path"] for dump in cls.dumps]
        cls.dump_file = cls.folder / "heap.hprof"
        cls.jvm.heap_dump(cls.dump_file)

    def printed(self, *words):
        done = subprocess.run([COMMAND, *map(str, words)], stdout=subprocess.PIPE, text=True, check=False)
        self.assertIn(done.returncode, (0, 1), words)
        return documents(done.stdout)

    def check_printed(self, name, *words):
        printed = self.printed(*words)
        self.assertGreater(len(printed), 0, words)
        for document in printed:
            self.check(name, document)

    def test_dumps(self):
        for dump in [*self.dumps, self.simple]:
            self.check("dump", dump)

    def test_reports(self):
        for file in [*self.reports, self.simple["report_path"]]:
            self.check_printed("report", "report", file, "--json")
            self.check_printed("report", "report", file, "--json", "--top", 3, "--class", "java.*")
            self.check_printed("report-brief", "report", file, "--json", "--brief")
            self.check_printed("report-sections", "report", file, "--json", "--section", "classes,origin")
        self.check_printed("report", "analyze", self.dump_file, "--json", "--quiet")

    def test_older_reports(self):
        read = []
        for file in sorted(SAMPLE.glob("*")):
            if subprocess.run([COMMAND, "report", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
                self.check_printed("report", "report", file, "--json")
                self.check_printed("report-brief", "report", file, "--json", "--brief")
                read.append(file.name)
        self.assertEqual(len(read), 4, "older reports that the command reads")

    def test_report_files(self):
        """As flatc reads them; older ones lack what came later."""
        check = validator("report-file")
        for file in [*self.reports, self.simple["report_path"], *SAMPLE.glob("*.hfr")]:
            content = self.folder / "content.bin"
            content.write_bytes(pathlib.Path(file).read_bytes()[32:])
            subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "-o", self.folder, SCHEMAS / "report.fbs", "--", content], check=True)
            document = json.loads((self.folder / "content.json").read_text())
            self.assertEqual([error.message for error in check.iter_errors(document)], [])
            self.assertFalse(check.is_valid({**document, "later": 1}))

    def test_comparisons(self):
        for pair in (self.reports, [self.reports[0], self.simple["report_path"]]):
            self.check_printed("diff", "diff", *pair, "--json")
            self.check_printed("diff-sections", "diff", *pair, "--json", "--section", "tree")
        self.check_printed("trend", "trend", self.folder, "--json")
        self.check_printed("assert", "assert", self.reports[0], "heap.used < 1KB", "java.lang.String.instances > 0", "--json")

    def test_rows(self):
        for rows in ("ages", "classes", "holders", "loaders", "objects", "packages", "states", "suspects", "threads"):
            for file in (self.reports[0], self.simple["report_path"]):
                for document in self.printed("export", file, "--format", "jsonl", "--rows", rows):
                    self.check(f"rows-{rows}", document)

    def test_answers(self):
        for words in (["--group-by", "class"], ["--group-by", "loader"], ["--group-by", "package"], ["--retained-of", "java.lang.String"],
                      ["--reachable-of", "java.lang.String"], ["--dominators-of", "java.lang.String"], ["--paths-to", "java.lang.String"],
                      ["--suspects", "mat"], ["--statistics"], ["--from-roots"]):
            self.check_printed("answers", "analyze", self.dump_file, "--json", "--quiet", "--top", 20, *words)

    def test_processes(self):
        self.check_printed("ps", "ps", "--json", "--all")
        self.check_printed("doctor", "doctor", "--json")
        self.check_printed("doctor", "doctor", self.jvm.pid, "--json")
        self.check_printed("status", "status", self.jvm.pid, "--json")
        self.check_printed("watch", "watch", self.jvm.pid, "--json", "--count", 2, "--interval", "1s", "--holders", "Victim*")
        self.check_printed("watch", "watch", self.jvm.pid, "--json", "--once")


if __name__ == "__main__":
    unittest.main()
