#!/usr/bin/env python3
"""Dumps that nobody asks for, with real CLRs: start, exit, a period, a collection of the whole heap, a heap that fills up, one that is full.

cgroup-above= is here too, where the machine gives a control group.
"""
import time
import unittest

import harness
import cgroup
from awaited import reports, said, triggers, wait_reports, wait_said
from talk import ask, status

LIMIT_MB = 128
LIMITED = harness.heap_limit(LIMIT_MB << 20)
PARCEL = "HeapMaker.Hoard.Parcel"
NO_MORE_S = 1.0  # for what must not come


def start(runtime, options, directory, **more):
    return harness.HeapMaker(f"dir={directory},{options}", runtime=runtime, **more)


def trigger_of(pid, name):
    return next(row for row in status(pid)["triggers"] if row["trigger"] == name)


class Ends(unittest.TestCase):
    """When the end is told the runtime has closed its sessions: on .NET 9 and later the heap can still be read as memory, or counted; nothing before."""

    @harness.on_each_runtime
    def test_at_the_start_and_at_the_exit(self, runtime, directory):
        with start(runtime, "on=start+exit,dump=extended,pause=1h", directory) as maker:
            wait_reports(maker, directory, 1)
            self.assertIn("frozen capture" if runtime.version >= 9 else "cannot work", trigger_of(maker.pid, "exit")["state"])
            maker.make("instances", 50)
            self.assertEqual(maker.exit(5), 5)
            self.check_end(runtime, reports(directory), said(maker))

    def check_end(self, runtime, found, lines):
        self.assertEqual((found[0].field("trigger"), found[0].field("kind")), ("start", "extended"))
        self.assertNotIn("HeapMaker.Kinds.Instances.Link", found[0].classes())
        if runtime.version < 9:
            self.assertEqual(len(found), 1)
            self.assertIn("dump 2 failed: the VM refused a call", lines[0])
            return
        self.assertEqual((len(found), lines), (2, []))
        self.assertEqual((found[1].field("trigger"), found[1].field("kind"), found[1].field("rung")), ("exit", "extended", "frozen"))
        self.assertEqual(found[1].classes()["HeapMaker.Kinds.Instances.Link"].instances, 50)

    @harness.on_each_runtime
    def test_at_the_exit_without_a_frozen_capture(self, runtime, directory):
        if runtime.version < 9:
            return
        with start(runtime, "on=exit,dump=extended,capture=walk,pause=1h", directory) as maker:
            maker.make("instances", 50)
            self.assertEqual(maker.exit(5), 5)
            found = reports(directory)
            self.assertEqual([(report.field("trigger"), report.field("kind")) for report in found], [("exit", "simple")])
            self.assertEqual(found[0].classes()["HeapMaker.Kinds.Instances.Link"].instances, 50)
            self.assertIn("no object graph: the runtime refused it", str(found[0].data["notes"]))


class Period(unittest.TestCase):
    @harness.on_each_runtime
    def test_simple_reports_and_what_they_cost(self, runtime, directory):
        """Before .NET 9 each is a collection: who asks for a period is told so, at the start, by `set` and by `status`."""
        costly = runtime.version < 9
        with start(runtime, "on=off,every=1s,max-dumps=3,dump=extended", directory) as maker:
            seen = set()
            harness.wait_until(lambda: seen.update(harness.reports_in(directory)) or len(seen) >= 4, 30, "four reports")
            self.assertEqual(len([line for line in said(maker) if "blocking collection of the whole heap" in line]), int(costly))
            self.assertEqual("blocking collection" in trigger_of(maker.pid, "every")["state"], costly)
            ask("set", maker.pid, "every=2s")
            if costly:
                wait_said(maker, "every=: each simple dump is a blocking collection", 2)
            ask("set", maker.pid, "every=off")
            wait_idle(maker.pid)
            kept = reports(directory)
        self.assertEqual(len(kept), 3)
        for report in kept:
            self.assertEqual((report.field("trigger"), report.field("kind")), ("every", "simple"))
        gaps = [later.field("started_utc_ms") - earlier.field("started_utc_ms") for earlier, later in zip(kept, kept[1:])]
        self.assertTrue(all(gap > 700 for gap in gaps), gaps)


class Collections(unittest.TestCase):
    @harness.on_each_runtime
    def test_a_collection_of_the_whole_heap_fires_and_young_ones_do_not(self, runtime, directory):
        with start(runtime, "on=gc,cooldown=0,dump=extended,pause=1h", directory, env={"DOTNET_GCgen0size": "0x400000"}) as maker:
            maker.ask("throw 20000", "^threw")  # garbage of a few young collections
            time.sleep(NO_MORE_S)
            self.assertEqual(triggers(directory), [])
            for number in (1, 2):
                maker.ask("collect", "^collected")
                wait_reports(maker, directory, number)
                wait_idle(maker.pid)
            time.sleep(NO_MORE_S)  # a dump is a collection as well, but not one of the application's
            self.assertEqual(said(maker), [])
            self.assertEqual(trigger_of(maker.pid, "gc")["refused"], 0)
        self.assertEqual(triggers(directory), ["gc", "gc"])

    @harness.on_each_runtime
    def test_one_in_the_background_fires_at_its_end(self, runtime, directory):
        with start(runtime, "on=off", directory) as maker:
            ask("set", maker.pid, "on=gc,cooldown=0,dump=simple")
            maker.background_collections(True)
            wait_reports(maker, directory, 2)
            maker.background_collections(False)
            self.assertTrue(maker.sound())


class HeapAbove(unittest.TestCase):
    @harness.on_each_runtime
    def test_a_filling_heap_is_dumped_before_it_is_full_and_again_when_it_is(self, runtime, directory):
        with start(runtime, "on=oom,heap-above=70%,pause=1h", directory, env=LIMITED) as maker:
            maker.ask("hoard 40", "^hoarded")
            maker.ask("collect", "^collected")
            time.sleep(NO_MORE_S)
            self.assertEqual(triggers(directory), [], "a third is no reason")
            maker.ask("hoard 60", "^hoarded")
            maker.ask("collect", "^collected")
            wait_reports(maker, directory, 1)
            maker.ask("hoard full", "^hoard full")
            wait_reports(maker, directory, 2)
            self.assertTrue(maker.sound())
        above, full = reports(directory)
        self.assertEqual([above.field("trigger"), full.field("trigger")], ["heap-above", "oom"])
        self.assertGreater(above.field("heap_used_before_bytes"), 0.7 * (LIMIT_MB << 20))
        self.assertEqual(above.field("heap_max_bytes"), LIMIT_MB << 20)
        self.assertIn(PARCEL, str(above.first_suspect()))

    @harness.on_each_runtime
    def test_garbage_alone_never_fires(self, runtime, directory):
        """Beside collections in the background, during which young ones end while the old garbage is still there."""
        with start(runtime, "on=off,heap-above=90%,cooldown=0", directory, env=LIMITED) as maker:
            maker.ask("hoard 30", "^hoarded")
            maker.churn(2)
            maker.background_collections(True)
            time.sleep(3 * NO_MORE_S)
            for _ in range(8):
                maker.ask("hoard 40", "^hoarded")
                maker.ask("hoard nothing", "^hoard dropped")
            maker.background_collections(False)
            self.assertEqual(triggers(directory), [])
            self.assertEqual(said(maker), [])

    @harness.on_each_runtime
    def test_a_heap_without_a_limit_is_told(self, runtime, directory):
        with start(runtime, "on=off,heap-above=70%", directory) as maker:
            [line] = said(maker)
            self.assertIn("heap-above= cannot work: nothing but the machine's memory bounds this heap", line)
            self.assertIn("GCHeapHardLimit", line)


class Full(unittest.TestCase):
    @harness.on_each_runtime
    def test_the_exception_of_a_full_heap_that_is_caught(self, runtime, directory):
        for gc in ({}, harness.SERVER_GC):
            with self.subTest(gc), start(runtime, "on=oom,dump=extended,pause=1h", directory, env={**LIMITED, **gc}) as maker:
                before = harness.reports_in(directory)
                maker.ask("throw 1000", "^threw")
                self.assertEqual(harness.reports_in(directory), before)
                maker.ask("hoard full", "^hoard full")
                report = harness.Report(harness.wait_report(directory, before, 60, maker))
                self.assertEqual(report.field("trigger"), "oom")
                self.names_what_fills(report)
                maker.ask("hoard nothing", "^hoard dropped")
                self.assertTrue(maker.sound())

    def names_what_fills(self, report):
        largest = max(report.classes().items(), key=lambda row: row[1].bytes)
        self.assertEqual(largest[0], "byte[]")
        self.assertGreater(largest[1].bytes, 0.6 * (LIMIT_MB << 20))
        self.assertGreater(report.classes()[PARCEL].instances, 1000)
        if report.field("kind") == "extended":
            self.assertIn(PARCEL, str(report.first_suspect()))

    @harness.on_each_runtime
    def test_then_exit_ends_the_process_with_the_report(self, runtime, directory):
        with start(runtime, "on=oom,then=exit", directory, env=LIMITED) as maker:
            maker.send("hoard full")
            harness.wait_until(lambda: not maker.running(), 60, "the process to end")
            self.assertEqual(maker.stop(), 3)
            self.assertIn("then=exit: ending the process", said(maker)[-1])
        self.assertEqual(triggers(directory), ["oom"])
        self.names_what_fills(reports(directory)[0])

    @harness.on_each_runtime
    def test_unasked_for_it_hears_no_exceptions(self, runtime, directory):
        with start(runtime, "dump=simple", directory, env=LIMITED) as maker:
            self.assertIn("unless on=oom is said", trigger_of(maker.pid, "oom")["state"])
            maker.ask("hoard full", "^hoard full")
            time.sleep(NO_MORE_S)
            self.assertEqual(triggers(directory), [])


def wait_idle(pid):
    """A report is there a moment before its dump is over."""
    harness.wait_until(lambda: status(pid)["dumps"][0]["stage"] == "reported", 20, "the dump's end")


class InAGroup(unittest.TestCase):
    @harness.on_each_runtime
    def test_a_container_that_fills_up_is_dumped(self, runtime, directory):
        try:
            with cgroup.Cgroup("memory", "holdfast-clr-trigger") as group:
                group.limit(400 << 20)
                with start(runtime, "on=off,cgroup-above=60%,dump=simple", directory) as maker:
                    group.leave()
                    time.sleep(NO_MORE_S)
                    self.assertEqual(triggers(directory), [])
                    maker.ask("hoard 240", "^hoarded")
                    wait_reports(maker, directory, 1)
                    self.assertEqual(triggers(directory), ["cgroup-above"])
                    self.assertLess(reports(directory)[0].field("heap_max_bytes"), 400 << 20)  # the runtime's own three quarters
                    self.assertTrue(maker.running())
        except cgroup.Refused as reason:
            print(f"no control group for memory: {reason}", flush=True)


if __name__ == "__main__":
    harness.main()
