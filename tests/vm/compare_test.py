#!/usr/bin/env python3
"""`holdfast diff` and `holdfast trend` on what real JVMs leave behind: a leak shows in both, a program that only allocates grows in neither.

Both programs run side by side on the newest JDK, with HF_JDKS on those; each leaves a simple report every two seconds, and an extended one every four. Grower.java has a cache
that is full, a load that comes and goes (twice a minute), and garbage: none of them may be named.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import harness

HERE = pathlib.Path(__file__).resolve().parent
LEAK = "Grower$Session"
HOLDER = "java.util.ArrayList"
FIGURES = ("instances", "shallow_bytes", "retained_bytes")
EVERY_S = 2
EXTENDED = 13      # of each program; the load comes and goes in eight of them
PATIENCE_S = 240   # for all of them, on a machine that is shared
HEAP = ("-Xmx384m", "-Xms384m")
JDKS = harness.jdks() if os.environ.get("HF_JDKS") else harness.jdks()[-1:]


def holdfast(*words):
    done = subprocess.run([harness.command(), *map(str, words)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"holdfast {' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def spoken(*words):
    return json.loads(holdfast(*words, "--json"))


def by_class(rows):
    return {row["class"]: row for row in rows}


def dump_both(jvms, root):
    """Extended reports of both, by turns, while the agents make simple ones."""
    begun = time.monotonic()
    for turn in range(EXTENDED):
        time.sleep(max(0.0, begun + 2 * EVERY_S * turn - time.monotonic()))
        for jvm in jvms.values():
            holdfast("dump", jvm.pid, "--extended", "--quiet")
        if time.monotonic() > begun + PATIENCE_S:
            raise AssertionError(f"{turn} of {EXTENDED} extended dumps took more than {PATIENCE_S} s")


def run_both(jdk, root):
    """{(manner, kind): its reports, the oldest first}"""
    classes = harness.compile_java("grower", [HERE / "victim" / "Grower.java"])
    jvms = {}
    try:
        for manner in ("leak", "rest"):
            (root / manner).mkdir()
            jvms[manner] = harness.Jvm(jdk, [*HEAP, "-cp", classes, "Grower", manner], f"dir={root / manner},every={EVERY_S}s,max-dumps=100")
        for jvm in jvms.values():
            jvm.wait_line(r"^READY")
        dump_both(jvms, root)
    finally:
        for jvm in jvms.values():
            jvm.stop()
    reports = {}
    for manner in jvms:
        read = sorted(map(harness.Report, harness.reports_in(root / manner)), key=lambda report: report.data["origin"]["started_utc_ms"])
        for kind in ("simple", "extended"):
            reports[manner, kind] = [report for report in read if report.data["dump"]["kind"] == kind]
    return reports


class CompareTest(unittest.TestCase):
    def check_diff(self, reports):
        first, last = reports["leak", "extended"][1], reports["leak", "extended"][-1]
        leak = spoken("diff", first.path, last.path)
        self.assertEqual(leak["warnings"], [])
        self.assertEqual(leak["sorted_by"], "retained")
        self.assertTrue(leak["verdict"].startswith(LEAK + " grew most"), leak["verdict"])
        row = by_class(leak["classes"])[LEAK]
        self.assertEqual(row["status"], "grown")
        self.assertGreater(row["change"]["instances"], 1000)
        # Figures that `holdfast report` shows, too.
        for side, report in (("before", first), ("after", last)):
            own = by_class(report.data["classes"])[LEAK]
            self.assertEqual({key: row[side][key] for key in FIGURES}, {key: own[key] for key in FIGURES})
        back = spoken("diff", last.path, first.path)
        self.assertEqual([warning["code"] for warning in back["warnings"]], ["wrong_order"])
        self.assertEqual(by_class(back["classes"])[LEAK]["change"], {key: -row["change"][key] for key in FIGURES})
        strangers = spoken("diff", first.path, reports["rest", "extended"][-1].path)
        self.assertIn("different_process", [warning["code"] for warning in strangers["warnings"]])

    def check_path(self, reports):
        """From the list down to the sessions; above the list may be its class, or nothing where main() holds it as well."""
        tree = spoken("diff", *(reports["leak", "extended"][i].path for i in (1, -1)))["tree"]
        paths = {node["id"]: node for node in tree}
        node = next(node for node in tree if node["class"] == LEAK)
        self.assertGreater(node["change"]["retained_bytes"], 1 << 20)
        names = []
        while node is not None:
            names.append(node.get("class_object_of") or node["class"])
            node = paths.get(node["parent"])
        self.assertEqual(names[:3], [LEAK, "java.lang.Object[]", HOLDER])

    def counted_alike(self, reports):
        """The first and the last of those that were counted in one way: near the break-even the agent chooses now this and now that."""
        ways = {}
        for report in reports[1:]:
            ways.setdefault(report.data["dump"]["rung"], []).append(report)
        most = max(ways.values(), key=len)
        return most[0], most[-1]

    def check_simple_diff(self, reports):
        first, last = self.counted_alike(reports["leak", "simple"])
        simple = spoken("diff", first.path, last.path)
        self.assertEqual((simple["warnings"], simple["sorted_by"], simple["tree"]), ([], "shallow", []))
        self.assertGreater(by_class(simple["classes"])[LEAK]["change"]["instances"], 1000)
        mixed = spoken("diff", first.path, reports["leak", "extended"][-1].path)
        self.assertIn("no_graph", [warning["code"] for warning in mixed["warnings"]])
        self.assertGreater(by_class(mixed["classes"])[LEAK]["change"]["instances"], 1000)

    def check_trend(self, root, reports):
        for sort in ("shallow", "instances", "retained"):
            leak = spoken("trend", root / "leak", "--sort", sort)["processes"][0]
            row = by_class(leak["classes"])[LEAK]
            self.assertEqual(row["course"], "grows", {key: row[key] for key in ("course", "chance", "chance_of_any", *FIGURES)})
            self.assertTrue(leak["verdict"].startswith(LEAK + " grows: "), leak["verdict"])
            print(f"trend by {sort}: {leak['verdict']}", file=sys.stderr)
        for sort in ("shallow", "retained"):
            rest = spoken("trend", root / "rest", "--sort", sort)["processes"][0]
            self.assertEqual([(row["class"], row["shallow_bytes"]) for row in rest["classes"] if row["course"] == "grows"], [], rest["verdict"])
            self.assertTrue(rest["verdict"].startswith("No class grows"), rest["verdict"])
            print(f"trend by {sort}: {rest['verdict']}", file=sys.stderr)
        few = spoken("trend", *(report.path for report in reports["leak", "simple"][:4]))
        self.assertIn("Too few reports", few["verdict"])

    def check_together(self, root, reports):
        both = root / "both"
        both.mkdir()
        for report in sum(reports.values(), []):
            shutil.copy(report.path, both)
        processes = spoken("trend", both, "--all-processes")["processes"]
        self.assertEqual(len(processes), 2)
        self.assertEqual(sum(process["reports"] for process in processes), len(sum(reports.values(), [])))
        pid = reports["leak", "simple"][0].data["origin"]["pid"]
        self.assertTrue(holdfast("trend", both, "--process", pid).startswith(LEAK))

    def test_a_leak_is_named_and_a_load_is_not(self):
        for jdk in JDKS:
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast-compare-") as directory:
                root = pathlib.Path(directory)
                reports = run_both(jdk, root)
                self.check_diff(reports)
                self.check_path(reports)
                self.check_simple_diff(reports)
                self.check_trend(root, reports)
                self.check_together(root, reports)


if __name__ == "__main__":
    unittest.main()
