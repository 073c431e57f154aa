"""A program of which one object in a thousand stays, and the same where none does: what ages=on says of them. The same checks for every VM."""
import json
import pathlib
import re
import sys
import tempfile

from awaited import reports, wait_reports
from reports import reports_in, run_command

MOST_COLLECTIONS = 30
RESTING_COLLECTIONS = 40
RESTING_RUNS = 10
SECONDS = 120  # of a program's life; the checks end it
PATIENCE_S = 110
FOUND = re.compile(r"ages, after (\d+) collections: \d+ class(?:es)? piles? up: (\S+), (\d+) more in (\d+) collections, (\d+) % sure")


def ages_shown(process):
    """What `holdfast watch` shows of ages."""
    return json.loads(run_command("watch", process.pid, "--once", "--json").stdout)["ages"]


def check_leak(test, start, name, what):
    """start(manner, options): the program. Named within thirty collections, with its class, without a dump."""
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("leak", f"dir={root},ages=on,log=info") as program:
        found = program.wait_line(FOUND.pattern.replace(r"(\S+)", f"({re.escape(name)})", 1), PATIENCE_S)
        shown = ages_shown(program)
        test.assertFalse(reports_in(pathlib.Path(root)), "no dump was needed")
    print(f"{what}: {found[0]}", file=sys.stderr)
    test.assertLessEqual(int(found[1]), MOST_COLLECTIONS)
    first = shown["suspects"][0]
    test.assertEqual(first["class"], name)
    test.assertGreaterEqual(first["instances"], first["more_instances"])
    test.assertGreater(first["more_instances"], 1000)
    test.assertGreaterEqual(first["ages_at_least"], 4)
    test.assertGreater(first["confidence_percent"], 90)


def check_dump_for_leak(test, start, name):
    """With on=growth too: one extended dump, which says why."""
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("leak", f"dir={root},ages=on,on=growth,log=info") as program:
        wait_reports(program, pathlib.Path(root), 1, PATIENCE_S)
        report = reports(pathlib.Path(root))[0]
    test.assertEqual(report.field("trigger"), "growth")
    notes = [note for note in map(str, report.data["notes"]) if "piles up" in note]
    test.assertTrue(notes and name in notes[0], report.data["notes"])
    test.assertIn(name, str(report.data["suspects"]))


def rest_once(test, start):
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("rest", f"dir={root},ages=on,log=info") as program:
        while int(program.wait_line(r"^COLLECTIONS (\d+)", PATIENCE_S)[1]) < RESTING_COLLECTIONS:
            continue
        shown = ages_shown(program)
        said = [line for line in list(program.lines) if FOUND.search(line)]
    test.assertEqual(said, [])
    test.assertEqual(shown["suspects"], [])
    test.assertGreaterEqual(shown["collections"], RESTING_COLLECTIONS - 10)


def check_rest(test, start):
    """No suspect in ten runs."""
    for run in range(RESTING_RUNS):
        with test.subTest(f"run {run}"):
            rest_once(test, start)
