"""A program of which one object in a thousand stays, and the same where none does: what ages=on says of them. The same checks for every VM."""
import json
import pathlib
import re
import sys
import tempfile

from awaited import reports, wait_reports
from estimates import allowed_error
from reports import reports_in, run_command

MOST_COLLECTIONS = 30
RESTING_COLLECTIONS = 40
RESTING_RUNS = 10
QUIET_COLLECTIONS = 40
SECONDS = 120  # of a program's life; the checks end it
PATIENCE_S = 110
FOUND = re.compile(r"ages, after (\d+) collections: \d+ class(?:es)? piles? up: (\S+), (\d+) more in (\d+) collections, (\d+) % sure")


def ages_shown(process):
    """What `holdfast watch` shows of ages."""
    return json.loads(run_command("watch", process.pid, "--once", "--json").stdout)["ages"]


def named_after(test, start, name, what):
    """After how many collections the class is named, without a dump."""
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("leak", f"dir={root},ages=on,log=info") as program:
        found = program.wait_line(FOUND.pattern.replace(r"(\S+)", f"({re.escape(name)})", 1), PATIENCE_S)
        shown = ages_shown(program)
        test.assertFalse(reports_in(pathlib.Path(root)), "no dump was needed")
    print(f"{what}: {found[0]}", file=sys.stderr)
    first = shown["suspects"][0]
    test.assertEqual(first["class"], name)
    test.assertGreaterEqual(first["instances"], first["more_instances"])
    test.assertGreater(first["more_instances"], 1000)
    test.assertGreaterEqual(first["ages_at_least"], 4)
    test.assertGreater(first["confidence_percent"], 90)
    return int(found[1])


def check_leak(test, start, name, what):
    """start(manner, options): the program. Named within thirty collections; by samples, so a run may wait longer for the fourth of them.
    Where the first run does, two further ones must not."""
    if named_after(test, start, name, what) <= MOST_COLLECTIONS:
        return
    for _ in range(2):
        test.assertLessEqual(named_after(test, start, name, what), MOST_COLLECTIONS)


def check_dump_for_leak(test, start, name):
    """With on=growth too: one extended dump, which says why."""
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("leak", f"dir={root},ages=on,on=growth,log=info") as program:
        wait_reports(program, pathlib.Path(root), 1, PATIENCE_S)
        report = reports(pathlib.Path(root))[0]
    test.assertEqual(report.field("trigger"), "growth")
    notes = [note for note in map(str, report.data["notes"]) if "piles up" in note]
    test.assertTrue(notes and name in notes[0], report.data["notes"])
    test.assertIn(name, str(report.data["suspects"]))


def wait_collections(program, least):
    while int(program.wait_line(r"^COLLECTIONS (\d+)", PATIENCE_S)[1]) < least:
        continue


def check_loitering(test, start, stopped, goes_on, what):
    """start(manner, options): a class that stops being allocated is listed in a report, with what is left of it; one that goes on is not."""
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("stop", f"dir={root},ages=on,on=off,log=info") as program:
        kept = int(program.wait_line(r"^STOPPED (\d+)", PATIENCE_S)[1])
        wait_collections(program, int(program.wait_line(r"^COLLECTIONS (\d+)", PATIENCE_S)[1]) + QUIET_COLLECTIONS)
        run_command("dump", program.pid, "--simple")
        report = reports(pathlib.Path(root))[0]
        for expression, code in (("loitering.classes == 0", 1), (f"{goes_on}.sampled_old_instances == 0", 1), ("loitering <= 100GB", 0)):
            test.assertEqual(run_command("assert", report.path, expression, check=False).returncode, code, expression)
    aging = report.data["aging"]
    rows = {row["class"]: row for row in aging["loitering"]}
    print(f"{what}: {len(rows)} of {aging['classes_total']} classes loiter, {kept} are kept: {rows.get(stopped)}", file=sys.stderr)
    test.assertIn(stopped, rows, aging)
    test.assertNotIn(goes_on, rows)
    row = rows[stopped]
    test.assertGreaterEqual(row["silent_collections"], QUIET_COLLECTIONS - 10)
    test.assertFalse(row["at_start_alone"], row)
    test.assertLess(abs(row["old_objects"] - kept), allowed_error(row["old_objects"], row["old_objects_error"], kept) + kept // 20, "what is kept, and no garbage")
    test.assertGreater({one["class"]: one for one in aging["classes"]}[goes_on]["old_objects"], 100)


def rest_once(test, start):
    with tempfile.TemporaryDirectory(prefix="holdfast-aging-") as root, start("rest", f"dir={root},ages=on,log=info") as program:
        wait_collections(program, RESTING_COLLECTIONS)
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
