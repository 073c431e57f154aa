#!/usr/bin/env python3
"""track=on in a real JVM: objects that reports name are the same ones in the next report, and no others."""
import json
import re
import unittest

import frozen
import harness
import heap_kinds

SHELF = "Tracked$Shelf"


class Shop:
    """The program and its dumps."""

    def __init__(self, jdk, directory, words, options="track=on"):
        self.directory = directory
        self.jvm = harness.victim("Tracked", jdk, [*words, "-Xmx400m"], f"dir={directory},on=off,{options}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.jvm.stop()

    def say(self, line):
        self.jvm.send(line)
        self.jvm.wait_line(f"^DONE {line}$", 60)

    def dump(self, *lines):
        """The report, once the agent has looked for what it names; a collection of everything before that moves it away."""
        for line in lines:
            self.say(line)
        return harness.Report(harness.run_command("dump", self.jvm.pid, "--extended", "--quiet").stdout.rstrip("\n"))

    def set(self, option):
        harness.run_command("set", self.jvm.pid, option)


def numbers(report, class_name=SHELF):
    """{number: retained bytes} of the objects of a class that the report lists."""
    return {row["identity"]: row["retained_bytes"] for row in report.data["top_objects"] if row["class"] == class_name and "identity" in row}


def shelf(report, step=None):
    """The number of the shelf that this static field holds, or that of the local variable."""
    [row] = [row for row in report.data["top_objects"] if row["class"] == SHELF and row["path"]["steps"][-1].get("field") == step
             and (step or row["path"]["root_kind"] == "stack_local")]
    return row["identity"]


def diff(before, after):
    return json.loads(harness.run_command("diff", before.path, after.path, "--json").stdout)["objects"]


class Track(unittest.TestCase):
    def no_number_twice(self, *reports):
        """A number is one object's: its class never changes, and in a report it stands once."""
        self.assertEqual(len({report.data["tracking"]["began_utc_ms"] for report in reports}), 1)
        classes = {}
        for report in reports:
            listed = [row["identity"] for row in report.data["top_objects"]]
            self.assertEqual(len(listed), len(set(listed)))
            for row in report.data["top_objects"]:
                self.assertEqual(classes.setdefault(row["identity"], row["class"]), row["class"])

    def follow(self, jdk, directory, words):
        with Shop(jdk, directory, words) as shop:
            first = shop.dump()
            self.assertTrue(all(row.get("identity") for row in first.data["top_objects"]), first.data["notes"])
            self.assertEqual(first.data["tracking"]["known"], 0)
            grown = shop.dump("grow bread 3000", "collect")
            self.assertGreater(grown.data["tracking"]["known"], 20)
            [bread] = [number for number, size in numbers(grown).items() if size > numbers(first).get(number, size) + 2_900_000]
            self.assertEqual(numbers(first).keys(), numbers(grown).keys())  # 8 shelves: in a map, a row, a field, a local variable
            self.assertEqual(len(numbers(grown)), 8)
            # Another object of the same class and size in the same field is another object.
            replaced = shelf(grown, "replaced")
            swapped = shop.dump("swap", "collect")
            self.assertNotEqual(shelf(swapped, "replaced"), replaced)
            self.assertNotIn(replaced, numbers(swapped))
            self.assertEqual(len(numbers(swapped).keys() & numbers(grown).keys()), 7)
            dropped = shop.dump("drop wine", "collect")
            self.assertGreaterEqual(dropped.data["tracking"]["gone"], 3)  # the shelf, its list, its array
            self.assertEqual(len(numbers(dropped).keys() & numbers(grown).keys()), 6)
            churned = shop.dump("churn")
            self.assertEqual(numbers(churned).keys(), numbers(dropped).keys())
            self.no_number_twice(first, grown, swapped, dropped, churned)
            same = {row["identity"]: row for row in diff(first, churned)["same"]}
            self.assertEqual(same[bread]["after"]["retained_bytes"] - same[bread]["before"]["retained_bytes"], same[bread]["retained_change_bytes"])
            self.assertGreater(same[bread]["retained_change_bytes"], 2_900_000)

    @harness.on_each_jdk
    def test_objects_keep_their_numbers(self, jdk, directory):
        for name in ("G1", "Parallel", "Serial") if frozen.FULL else ("G1", "Serial"):
            with self.subTest(name):
                place = directory / name
                place.mkdir()
                self.follow(jdk, place, heap_kinds.COLLECTORS[name])

    @harness.on_each_jdk
    def test_what_is_replaced_before_the_agent_looks_is_not_taken_for_the_object(self, jdk, directory):
        """Another one of its class and size stands at the end of its way by then: neither it, its list nor its array keep their numbers."""
        with Shop(jdk, directory, heap_kinds.COLLECTORS["G1"]) as shop:
            shop.dump()
            quiet = shop.dump()
            shop.say("swapping")
            swapped = shop.dump()
            self.assertNotIn(shelf(swapped, "replaced"), numbers(quiet))
            after = shop.dump("still")
            self.assertGreaterEqual(after.data["tracking"]["unfollowed"], quiet.data["tracking"]["unfollowed"] + 3)

    @harness.on_a_jdk_in_turn
    def test_off_numbers_nothing_and_a_running_agent_can_begin_and_end(self, jdk, directory):
        with Shop(jdk, directory, [], options="log=error") as shop:
            off = shop.dump()
            self.assertIsNone(off.data["tracking"])
            self.assertNotIn("identities", [row["pass"] for row in off.data["passes"]])
            shop.set("track=on")
            first, second = shop.dump(), shop.dump()
            self.assertEqual(numbers(first).keys(), numbers(second).keys())
            shop.set("track=off")
            self.assertIsNone(shop.dump().data["tracking"])
            # What begins anew is another run, and diff says so.
            shop.set("track=on")
            anew = shop.dump()
            self.assertEqual(anew.data["tracking"]["known"], 0)
            self.assertGreater(anew.data["tracking"]["began_utc_ms"], first.data["tracking"]["began_utc_ms"])
            told = json.loads(harness.run_command("diff", first.path, anew.path, "--json").stdout)
            self.assertIsNone(told["objects"])
            self.assertIn("different_tracking", [warning["code"] for warning in told["warnings"]])

    @harness.on_a_jdk_in_turn
    def test_a_walk_and_a_simple_dump_name_nothing(self, jdk, directory):
        with Shop(jdk, directory, []) as shop:
            walked = frozen.dump(shop.jvm, directory, "walk")
            self.assertIsNone(walked.data["tracking"])
            self.assertIn("objects have no numbers (track=on): they come with a frozen capture", " ".join(walked.data["notes"]))
            simple = frozen.try_dump(shop.jvm, directory, "dump=simple")
            self.assertIsNone(simple.data["tracking"])
            self.assertNotIn("objects have no numbers", " ".join(simple.data["notes"]))
            first, second = shop.dump(), shop.dump()
            self.assertEqual(numbers(first).keys(), numbers(second).keys())

    @harness.on_each_jdk
    def test_more_objects_than_the_book_holds(self, jdk, directory):
        """Every dump names others; what was not named for the longest goes, what stays large keeps its number."""
        with Shop(jdk, directory, heap_kinds.COLLECTORS["G1"]) as shop:
            reports = [shop.dump()]
            for _ in range(14):
                reports.append(shop.dump("shuffle", "collect"))
            self.assertGreater(max(row["identity"] for row in reports[-1].data["top_objects"]), 512)
            for report in reports[1:]:
                self.assertEqual(shelf(report), shelf(reports[0]))  # the local variable's
            self.no_number_twice(*reports)

    @harness.on_each_jdk
    def test_classes_are_unloaded_while_their_objects_are_sampled_and_numbered(self, jdk, directory):
        options = f"dir={directory},on=off,track=on,ages=on,sample=16k"
        with harness.victim("Reuser", jdk, ["-Xmx600m", "-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent"], options) as jvm:
            reports = []
            for word in ("old", "drop", "new", "drop", "old", "drop"):
                jvm.ask(word, f"^DONE {word}", 120)
                reports.append(harness.Report(harness.run_command("dump", jvm.pid, "--extended", "--quiet").stdout.rstrip("\n")))
            unloaded = re.search(r"java.cls.unloadedClasses=(\d+)", jvm.jcmd("PerfCounter.print"))
            self.assertGreater(int(unloaded[1]), 300)
            self.assertEqual(jvm.ask("check", r"^SOUND (\w+)")[1], "true")
            self.no_number_twice(*reports)
            if jdk.version >= 11:  # before, no VM samples
                self.assertTrue(any(row["class"].startswith("Reuser$") for row in reports[-1].data["aging"]["classes"]), reports[-1].data["aging"])

    @harness.on_a_jdk_in_turn
    def test_an_agent_that_leaves_takes_its_numbers_along(self, jdk, directory):
        with Shop(jdk, directory, []) as shop:
            first = shop.dump()
            harness.run_command("detach", shop.jvm.pid)
            harness.wait_until(lambda: harness.run_command("status", shop.jvm.pid, check=False).returncode == 4)
            harness.run_command("dump", shop.jvm.pid, "--simple", "--quiet", "--options", f"dir={directory},track=on")
            anew = shop.dump()
            self.assertEqual(anew.data["tracking"]["known"], 0)
            self.assertNotEqual(anew.data["tracking"]["began_utc_ms"], first.data["tracking"]["began_utc_ms"])


if __name__ == "__main__":
    unittest.main()
