#!/usr/bin/env python3
"""Bad luck of a CLR that is dumped: whatever happens, the application goes on with sound data, the command says one line, and nothing is left.

Dumps in a row are soak_test.py's.
"""
import random
import re
import time
import unittest

import harness
from awaited import said
from event_sessions import MOST, Sessions
from resources import leftovers
from talk import ask, begin, ended

REFUSED = 4
COUNT = 300
LINK, PARCEL, WIDGET = "HeapMaker.Kinds.Instances.Link", "HeapMaker.Hoard.Parcel", "Plugin.Widget"
COME_AND_GO = "load contexts come and go all the time"
LIMIT_MB = 160
GCS = ({}, harness.SERVER_GC)
WALK = ("--capture", "walk")
# By turns: the kind and how the heap is read.
WALKS = (("extended", *WALK), ("simple",))
FROZEN = (("extended", "--capture", "frozen"), ("simple", "--capture", "frozen"))
EXITS = 12
SEED = 1


def start(runtime, directory, options="on=off,pause=1h", gc=None, **more):
    maker = harness.HeapMaker(f"dir={directory},max-dumps=1000,{options}", runtime=runtime, env=gc, **more)
    try:
        maker.make("instances", COUNT)
        return maker
    except BaseException:
        maker.stop()
        raise


class BadLuck(unittest.TestCase):
    def dumped(self, maker, kind, wanted=None, more=()):
        """The report of a dump by command; what was made before is in it, to the last object."""
        report = harness.Report(maker.dump(f"--{kind}", *more))
        self.assertEqual(report.field("kind"), wanted or kind, report.data["notes"])
        self.assertEqual(report.classes()[LINK].instances, COUNT)
        return report

    def unharmed(self, maker, directory):
        self.assertTrue(maker.sound())
        self.assertEqual(said(maker), [])
        self.assertEqual(leftovers(directory), [])


class Traffic(BadLuck):
    @harness.on_each_runtime
    def test_load_contexts_come_and_go_during_dumps(self, runtime, directory):
        """Classes are unloaded all the time; what is dumped was there, under its name."""
        self.check_traffic(runtime, directory, rest_ms=0, dumps=8, ways=WALKS)

    @harness.on_each_runtime
    def test_load_contexts_come_and_go_now_and_then(self, runtime, directory):
        """One that comes after the dump has looked must not die in the dump's own collection."""
        self.check_traffic(runtime, directory, rest_ms=300, dumps=24, ways=WALKS)

    @harness.on_each_runtime
    def test_load_contexts_come_and_go_during_frozen_captures(self, runtime, directory):
        """What is unloaded while the child reads has its class in the picture, and its name from the runtime."""
        if runtime.version >= 9:
            self.check_traffic(runtime, directory, rest_ms=0, dumps=60 if harness.FULL else 20, ways=FROZEN)

    def check_traffic(self, runtime, directory, rest_ms, dumps, ways):
        for gc in GCS:
            with self.subTest(gc), start(runtime, directory, gc=gc) as maker:
                maker.ask(f"plugins on {rest_ms}", "^plugins on")
                seen = 0
                for number in range(dumps):
                    classes = self.taken(maker, ways[number % 2], runtime)
                    seen += WIDGET in classes
                    self.assertEqual([name for name in classes if "unknown" in name.lower()], [])
                came, gone = map(int, maker.ask("plugins off", r"^plugins off (\d+) (\d+)")[0].split()[2:])
                self.assertGreater(came, 16)
                self.assertGreaterEqual(gone, came - 1)
                self.assertGreater(seen, 0)
                self.dumped(maker, "extended")  # now that it is quiet
                self.assertTrue(maker.sound())
                self.assertEqual([line for line in said(maker) if COME_AND_GO not in line and "refused: no frozen capture" not in line], [])
                self.assertEqual(leftovers(directory), [])

    def taken(self, maker, way, runtime):
        """The classes of a dump. Where contexts come and go faster than the dump can wait for there is no graph, before .NET 9 no dump."""
        kind, *words = way
        done = harness.run_command("dump", maker.pid, f"--{kind}", *words, check=False)
        if done.returncode != 0:
            self.assertLess(runtime.version, 9, done.stderr)
            self.assertIn(COME_AND_GO, done.stderr)
            return {WIDGET: None}
        report = harness.Report(done.stdout.strip())
        self.assertEqual(report.classes()[LINK].instances, COUNT)
        if report.field("kind") != kind:
            self.assertIn(COME_AND_GO, str(report.data["notes"]))
        return report.classes()

    @harness.on_each_runtime
    def test_dropped_contexts_that_the_dumps_own_collection_would_find(self, runtime, directory):
        """Their static variables die with them, and the runtime would read them at the end of that very collection."""
        for _ in range(6):
            with start(runtime, directory) as maker:
                maker.make("collectibles", 3)
                maker.ask("collect", "^collected")
                maker.drop("collectibles")
                self.assertNotIn(WIDGET, self.dumped(maker, "extended").classes())
                self.unharmed(maker, directory)

    @harness.on_each_runtime
    def test_collections_in_the_background_and_churn_during_dumps(self, runtime, directory):
        for gc in GCS:
            with self.subTest(gc), start(runtime, directory, gc=gc) as maker:
                maker.churn(2)
                maker.background_collections(True)
                for number in range(12):
                    kind, *more = (*WALKS, ("extended",))[number % 3]
                    self.dumped(maker, kind, more=more)
                maker.quiet()
                self.unharmed(maker, directory)


class Ends(BadLuck):
    @harness.on_each_runtime
    def test_the_process_exits_during_dumps(self, runtime, directory):
        """The status is the application's own, at whatever moment; a dump that is not ready is given up, or waited for."""
        moments = random.Random(SEED)
        reported = 0
        for number in range(EXITS):
            options = ("on=off,pause=1h", "on=exit,pause=1h,dump=extended", "on=off,every=1s")[number % 3]
            with start(runtime, directory, options, GCS[number // 3 % 2]) as maker:
                maker.make("collectibles", 100)
                maker.make("generics", 20_000)
                client = begin("dump", maker.pid, ("--extended", "--simple")[number % 2])
                time.sleep(moments.uniform(0, 0.15))  # not for something to happen: a random moment
                self.assertEqual(maker.exit(7), 7, maker.lines)
                self.assertEqual([line for line in maker.lines if re.search("fatal|abort|core dumped|Unhandled", line, re.I)], [])
                code, out, err = ended(client)
                reported += self.ended_well(code, out, err)
                self.assertEqual(leftovers(directory), [])
        print(f"{runtime}: {EXITS} exits, {reported} of their dumps with a report", flush=True)

    def ended_well(self, code, out, err):
        """Whether there was a report."""
        if code == 0:
            harness.Report(out)
            return True
        self.assertEqual((code, out), (REFUSED, ""), err)
        self.assertEqual(len([line for line in err.splitlines() if line.startswith("holdfast dump:")]), 1, err)
        return False


class Refusals(BadLuck):
    @harness.on_each_runtime
    def test_others_have_all_sessions(self, runtime, directory):
        with start(runtime, directory) as maker:
            with Sessions(maker.pid) as sessions:
                self.assertGreater(len(sessions), MOST // 2)
                if runtime.version < 9:  # nothing else counts there
                    self.assertIn("refused", ask("dump", maker.pid, "--extended", code=REFUSED).stderr)
                else:
                    report = self.dumped(maker, "extended", "simple", WALK)
                    self.assertTrue([note for note in report.data["notes"] if "no object graph: the runtime refused it" in note], report.data["notes"])
                    self.dumped(maker, "simple")
                    self.dumped(maker, "extended")  # by a frozen capture, which needs none
            self.dumped(maker, "extended", more=WALK)
            self.assertTrue(maker.sound())

    @harness.on_each_runtime
    def test_a_heap_that_is_nearly_full(self, runtime, directory):
        for gc in GCS:
            with self.subTest(gc), start(runtime, directory, gc={**gc, **harness.heap_limit(LIMIT_MB << 20)}) as maker:
                maker.ask(f"hoard {LIMIT_MB * 88 // 100}", "^hoarded")
                for kind in ("extended", "simple", "extended"):
                    self.assertGreater(self.dumped(maker, kind).classes()[PARCEL].instances, 1000)
                self.unharmed(maker, directory)
                maker.ask("hoard full", "^hoard full")
                self.dumped(maker, "extended")
                maker.ask("hoard nothing", "^hoard dropped")
                self.unharmed(maker, directory)

    @harness.on_each_runtime
    def test_a_stretch_without_collections_ends_with_a_walk(self, runtime, directory):
        """GC.TryStartNoGCRegion: counting and a frozen capture leave it alone; a collection of ours ends it, as any does, and EndNoGCRegion then throws."""
        with start(runtime, directory) as maker:
            maker.ask("nogc 20", "^region True")
            if runtime.version >= 9:
                self.dumped(maker, "simple")
                self.dumped(maker, "extended")
                maker.ask("nogc?", "^mode NoGCRegion")
            self.dumped(maker, "extended", more=WALK)
            self.assertNotEqual(maker.ask("nogc?", r"^mode (\w+)")[1], "NoGCRegion")
            maker.ask("nogc end", "^failed InvalidOperationException")
            self.unharmed(maker, directory)


if __name__ == "__main__":
    harness.main()
