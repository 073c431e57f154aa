#!/usr/bin/env python3
"""Ages in a real JVM: a program that counts its own collections, and what reports say of its objects."""
import unittest

import frozen
import harness
import heap_kinds

COLLECTORS = ("Serial", "Parallel", "G1")  # those that keep ages where they can be read
LARGE_BYTES = 2 * (2 << 20)  # of the program's short[]: humongous in G1
# Nothing is promoted before its time: a large survivor space, and the highest threshold.
YOUNG = ["-Xmx600m", "-Xmn256m", "-XX:SurvivorRatio=2", "-XX:MaxTenuringThreshold=15", "-XX:TargetSurvivorRatio=90"]
LATE = "another collection came"


def start(jdk, directory, words, options="ages=on"):
    return harness.victim("Aged", jdk, [*words, *YOUNG], f"dir={directory},on=off,{options}")


def truth(jvm):
    """{class: (objects, collections survived or -1)}"""
    rows = (line.split() for line in jvm.lines if line.startswith("TRUTH "))
    return {name: (int(objects), int(age)) for _, name, objects, age in rows}


def range_of(ages, collections):
    """Which of the report's ranges an age stands in; -1: tenured."""
    for index, row in enumerate(ages["ranges"]):
        told = row["from"] is not None
        if (collections < 0 and row["range"] == "tenured") or (told and 0 <= row["from"] <= collections and (row["to"] is None or collections <= row["to"])):
            return index
    raise AssertionError(f"no range for {collections}: {ages['ranges']}")


def rows(ages, names):
    return {row["class"]: row for row in ages["classes"] if row["class"] in names}


def by_range(row, ages):
    """The row with its figures under their ranges' names: which ranges a report lists is a matter of the whole heap, also of the VM's own objects."""
    names = [told["range"] for told in ages["ranges"]]
    return {key: {name: part for name, part in zip(names, figure, strict=True) if part} if key.startswith("range_") else figure for key, figure in row.items()}


class Ages(unittest.TestCase):
    maxDiff = None

    def told(self, report):
        ages = report.data["ages"]
        self.assertIsNotNone(ages, report.data["notes"])
        self.assertEqual(ages["source"], "header")
        for figure, per_range in (("objects", "range_objects"), ("bytes", "range_bytes")):
            listed = [sum(column) for column in zip(*(row[per_range] for row in [*ages["classes"], ages["rest_of_classes"]]))]
            self.assertEqual(listed, ages["total"][per_range])
            self.assertEqual(sum(listed), ages["total"][figure])
        return ages

    def holds(self, jvm, ages):
        expected = truth(jvm)
        found = rows(ages, expected)
        self.assertEqual(sorted(found), sorted(expected))
        for name, (objects, age) in expected.items():
            row = found[name]
            wanted = [0] * len(ages["ranges"])
            wanted[range_of(ages, age)] = objects
            self.assertEqual(row["range_objects"], wanted, f"{name}, {age} collections: {ages['ranges']}")
            self.assertEqual(row["distinct_ages"], 0 if age < 0 else 1, name)
            self.assertEqual(row["old_objects"], objects if age < 0 else 0, name)
        return {name: by_range(row, ages) for name, row in found.items()}

    def agree(self, jdk, directory, words):
        """Simple and extended dumps of one heap."""
        with start(jdk, directory, words) as jvm:
            simple = frozen.dump(jvm, directory, "frozen", "simple")
            extended = frozen.dump(jvm, directory, "frozen")
            self.assertNotIn("LATE", jvm.lines, LATE)
            self.assertEqual(simple.field("rung"), "frozen")
            counted = self.holds(jvm, self.told(simple))
            self.assertEqual(counted, self.holds(jvm, self.told(extended)))
            # Lambdas and their like come and go; what the program keeps does not.
            self.assertGreater(extended.data["ages"]["total"]["objects"], 4000)
            return extended


class Truth(Ages):
    @harness.on_each_jdk
    def test_ages_are_what_the_program_counted(self, jdk, directory):
        for name in COLLECTORS:
            with self.subTest(name):
                report = self.agree(jdk, directory, heap_kinds.COLLECTORS[name])
                [large] = rows(report.data["ages"], ["short[]"]).values()
                if name == "G1":
                    self.assertGreaterEqual(large["old_bytes"], LARGE_BYTES)

    @harness.on_a_jdk_in_turn
    def test_a_simple_dump_of_a_small_heap_is_frozen_for_them(self, jdk, directory):
        with start(jdk, directory, heap_kinds.COLLECTORS["G1"]) as jvm:
            report = frozen.try_dump(jvm, directory, "dump=simple")
            self.assertEqual(report.field("rung"), "frozen")
            self.holds(jvm, self.told(report))

    @harness.on_each_jdk
    def test_every_way_of_keeping_headers(self, jdk, directory):
        known = heap_kinds.layouts(jdk)
        for name in ("compact headers", "wide references"):
            if name in known:
                with self.subTest(name):
                    self.agree(jdk, directory, [*heap_kinds.COLLECTORS["G1"], *heap_kinds.LAYOUTS[name]])
        unlock = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UnlockDiagnosticVMOptions"]
        for words in (["-XX:+UseBiasedLocking", "-XX:BiasedLockingStartupDelay=0"], ["-XX:LockingMode=0"], ["-XX:LockingMode=1"], ["-XX:LockingMode=2"]):
            if frozen.has(jdk, *unlock, *words):
                with self.subTest(words):
                    self.agree(jdk, directory, [*heap_kinds.COLLECTORS["Serial"], *unlock, *words])


class Untold(Ages):
    @harness.on_a_jdk_in_turn
    def test_off_leaves_nothing(self, jdk, directory):
        with start(jdk, directory, heap_kinds.COLLECTORS["G1"], "log=error") as jvm:
            for kind in ("simple", "extended"):
                report = frozen.dump(jvm, directory, "frozen", kind)
                self.assertIsNone(report.data["ages"])
                self.assertNotIn("ages", [row["pass"] for row in report.data["passes"]])
                self.assertNotIn("ages", " ".join(report.data["notes"]))

    @harness.on_a_jdk_in_turn
    def test_a_walk_says_that_it_does_not_show_them(self, jdk, directory):
        with start(jdk, directory, heap_kinds.COLLECTORS["G1"]) as jvm:
            report = frozen.dump(jvm, directory, "walk")
            self.assertIsNone(report.data["ages"])
            self.assertIn("ages are not told: a walk does not show them", " ".join(report.data["notes"]))

    @harness.on_each_jdk
    def test_a_collector_without_ages_says_so_and_the_dump_is_taken(self, jdk, directory):
        if "Shenandoah" not in heap_kinds.collectors(jdk):
            self.skipTest(f"{jdk} has no Shenandoah")
        with harness.victim("Shapes", jdk, heap_kinds.collectors(jdk)["Shenandoah"], f"dir={directory},on=off,ages=on") as jvm:
            report = frozen.dump(jvm, directory, "frozen")
            self.assertIsNone(report.data["ages"])
            self.assertIn("ages are not told: this collector", " ".join(report.data["notes"]))


if __name__ == "__main__":
    unittest.main()
