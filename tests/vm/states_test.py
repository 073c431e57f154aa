#!/usr/bin/env python3
"""What fills a heap although nothing holds it: finalizers, cleaners, queues that no thread polls, garbage; live and from HPROF."""
import json
import unittest

import harness
from reports import Report, run_command

COUNT = 4_000
BYTES = COUNT * 10_016
# Collections are concurrent, so what they find dead stays where it is; the first one makes all old.
GONE = ["-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m", "-XX:+ExplicitGCInvokesConcurrent", "-XX:MaxTenuringThreshold=0"]


def start(kind, jdk, directory, *options):
    return harness.victim("Unheld", jdk, [f"-Dkind={kind}", "-Xmx256m", "-Xms256m", *options], f"dir={directory},on=off,pause=1h")


def reports(kind, jdk, directory):
    """By a fork snapshot, by a walk, and from an HPROF file of all objects."""
    path = directory / "heap.hprof"
    with start(kind, jdk, directory) as jvm:
        dumps = [Report(run_command("dump", jvm.pid, "--extended", "--capture", capture).stdout.strip()).data
                 for capture in ("frozen", "walk")]
        jvm.heap_dump(path, unreachable_too=True)
    return dumps + [json.loads(run_command("analyze", path, "--json").stdout)]


def state(data, name):
    return next(row for row in data["states"]["rows"] if row["state"] == name)


class StatesTest(unittest.TestCase):
    def check_sum(self, data):
        """The states come to the graph, and with what was not reached to the heap in use."""
        graph = sum(row["shallow_bytes"] for row in data["states"]["rows"])
        self.assertEqual(graph, data["graph"]["shallow_bytes"])
        if data["states"]["not_reached_bytes"] is not None:
            self.assertEqual(graph + data["states"]["not_reached_bytes"], data["dump"]["heap_used_before_bytes"])

    @harness.on_each_jdk
    def test_a_stuck_finalizer(self, jdk, directory):
        for data in reports("finalizer", jdk, directory):
            self.check_sum(data)
            suspect = data["suspects"][0]
            self.assertEqual((suspect["class"], suspect["waits_for_finalizer"]), ("Unheld$Connection", True))
            self.assertGreaterEqual(suspect["instances"], COUNT - 1)
            self.assertIn("wait for finalizers; thread \"Finalizer\" is in ", data["verdict"])
            self.assertIn("Unheld$Connection.finalize()", data["verdict"])
            self.assertIn("Unheld$Connection", [row["class"] for row in state(data, "final")["classes"]])
            self.assertGreaterEqual(state(data, "final")["shallow_bytes"], BYTES * 0.99)
            backlog = data["states"]["backlogs"][0]
            self.assertEqual((backlog["owner"], backlog["field"]), ("java.lang.ref.Finalizer", "queue"))
            self.assertGreaterEqual(backlog["waiting"], COUNT - 1)

    @harness.on_each_jdk
    def test_a_stuck_cleaner(self, jdk, directory):
        for data in reports("cleaner", jdk, directory):
            self.check_sum(data)
            backlog = next(row for row in data["states"]["backlogs"] if not row["finalizers"])
            self.assertGreaterEqual(backlog["waiting"], COUNT - 1)
            self.assertGreaterEqual(backlog["retained_bytes"], BYTES * 0.99)
            self.assertTrue(backlog["thread"].startswith("Cleaner-"), backlog)
            self.assertIn("Unheld$Action", [frame["class"] for frame in backlog["frames"]])

    @harness.on_each_jdk
    def test_a_queue_that_no_thread_polls(self, jdk, directory):
        for data in reports("queue", jdk, directory):
            self.check_sum(data)
            backlog = data["states"]["backlogs"][0]
            self.assertEqual((backlog["owner"], backlog["field"], backlog["thread"]), ("Unheld", "unpolled", None))
            self.assertEqual((backlog["waiting"], backlog["reference_class"]), (COUNT, "java.lang.ref.WeakReference"))
            self.assertFalse(any(suspect["waits_for_finalizer"] for suspect in data["suspects"]))

    def check_unreached(self, data, rows, arrays_kb):
        """Counted in the heap image: the program's own count, but for what lies in buffers of threads."""
        found = data["states"]["unreached"]
        of = {row["class"]: row for row in found["classes"]}
        self.assertEqual(of["Unheld$Row"]["instances"], rows)
        self.assertGreaterEqual(of["byte[]"]["shallow_bytes"], arrays_kb * 1000)
        self.assertNotIn("retained_bytes", of["byte[]"])
        self.assertGreater(found["buffer_bytes"], 0)
        self.assertEqual(found["unread_bytes"], 0)
        whole = found["shallow_bytes"] + found["buffer_bytes"]
        self.assertAlmostEqual(whole / data["states"]["not_reached_bytes"], 1, delta=0.02)
        self.assertIn("are unreachable, most of it", data["verdict"])

    @harness.on_each_jdk
    def test_garbage(self, jdk, directory):
        live, walk, imported = reports("garbage", jdk, directory)
        for data in (live, walk, imported):
            self.check_sum(data)
        self.assertGreaterEqual(live["states"]["not_reached_bytes"], BYTES * 0.99)
        self.check_unreached(live, COUNT, COUNT * 10)
        self.assertIsNone(walk["states"]["unreached"])
        garbage = state(imported, "unreachable")
        self.assertEqual(garbage["classes"][0]["class"], "byte[]")
        rows = next(row for row in garbage["classes"] if row["class"] == "Unheld$Row")
        self.assertEqual(rows["instances"], COUNT)
        self.assertGreaterEqual(rows["retained_bytes"], BYTES)
        self.assertEqual(garbage["groups"][0]["class"], "Unheld$Row")
        held = json.loads(run_command("analyze", directory / "heap.hprof", "--json", "--retain", "strong+unreachable").stdout)
        self.assertEqual(held["suspects"][0]["class"], "Unheld$Row")

    @harness.on_each_jdk
    def test_garbage_of_other_collectors(self, jdk, directory):
        """Spaces in place of regions, threads with buffers of their own, compact headers, large objects."""
        kinds = [["-XX:+UseSerialGC"], ["-XX:+UseParallelGC"], ["-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m", "-Dlarge=3000000"]]
        if jdk.version >= 25:
            kinds += [[*kind, "-XX:+UseCompactObjectHeaders"] for kind in kinds[:2]]
        for options in kinds:
            with self.subTest(options=options), start("garbage", jdk, directory, *options, "-Dthreads=4") as jvm:
                data = Report(run_command("dump", jvm.pid, "--extended", "--capture", "frozen").stdout.strip()).data
                self.check_sum(data)
                large = 3000 if "-Dlarge=3000000" in options else 0
                self.check_unreached(data, COUNT, COUNT * 10 + large)

    @harness.on_each_jdk
    def test_classes_that_are_gone(self, jdk, directory):
        """Objects whose class was unloaded: what cannot be read is said to be so, and nothing is made up."""
        with start("unloaded", jdk, directory, *GONE) as jvm:
            data = Report(run_command("dump", jvm.pid, "--extended", "--capture", "frozen").stdout.strip()).data
        self.check_sum(data)
        found = data["states"]["unreached"]
        whole = found["shallow_bytes"] + found["buffer_bytes"] + found["unread_bytes"]
        self.assertAlmostEqual(whole / data["states"]["not_reached_bytes"], 1, delta=0.02)


if __name__ == "__main__":
    unittest.main()
