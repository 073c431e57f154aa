#!/usr/bin/env python3
"""Dump after dump by `holdfast dump PID` of a heap that changes all the time: every report is right, and what the process holds afterwards is what it held before.

  soak_test.py                 both collectors, thirty dumps each; with HF_DOTNETS a hundred; HF_DUMPS=1000 for more
"""
import os
import pathlib
import time
import unittest

import harness
from awaited import said
from resources import Resources, leftovers
from talk import ask, ledger_bytes

DUMPS = int(os.environ.get("HF_DUMPS") or (100 if harness.FULL else 30))
WARM = 5  # before anything is counted: the first dumps touch what is reserved
OBJECTS = 100_000
BLOCKS = OBJECTS // 50
FIXED = {"HeapLoad.Heap.Block": BLOCKS, "HeapLoad.Heap.Entry": 24 * BLOCKS, "HeapLoad.Heap.Entry[]": BLOCKS}
GROWTH_BYTES = 48 << 20  # resident
READ_EVERY = 5
KINDS = ("--extended", "--simple", "--extended")


class Held:
    def __init__(self, clr):
        clr.ask("shrink", "^shrunk")  # the collector's budget goes up and down by 80 MB, on a busy machine more than on an idle one
        time.sleep(0.3)  # a connection ends a moment after its answer
        self.resources, self.ledger = Resources(clr.pid), ledger_bytes(clr.pid)


class Soak(unittest.TestCase):
    @harness.on_each_runtime
    def test_nothing_is_left(self, runtime, directory):
        for gc in ({}, harness.SERVER_GC):
            with self.subTest(gc):
                self.soak(runtime, directory, gc)

    def soak(self, runtime, directory, gc):
        options = f"dir={directory},on=off,max-dumps=100000,pause=1h,memory=512m"
        with harness.Clr("HeapLoad", [OBJECTS, "busy=30"], options, runtime, gc) as load:
            load.wait_line("^READY", 60)
            before, began = None, time.monotonic()
            for number in range(DUMPS + WARM):
                if number == WARM:
                    before = Held(load)
                self.one_dump(load, number)
            after = Held(load)
            each_ms = (time.monotonic() - began) / (DUMPS + WARM) * 1000
            self.assertEqual(said(load), [])
            self.assertEqual(leftovers(directory), [])
            load.ask("collect", "^collected")
        grown = after.resources.resident_bytes - before.resources.resident_bytes
        print(f"{runtime} {gc or 'workstation'}: {DUMPS} dumps, {each_ms:.0f} ms each; {before.resources.resident_bytes >> 20} MB resident {grown / (1 << 20):+.1f}, "
              f"descriptors {after.resources.descriptors - before.resources.descriptors:+}, own threads {after.resources.own_threads - before.resources.own_threads:+}, "
              f"ledger {before.ledger >> 10} KB {after.ledger - before.ledger:+}", flush=True)
        self.assertLessEqual(after.resources.descriptors, before.resources.descriptors)
        self.assertEqual(after.resources.own_threads, before.resources.own_threads)
        self.assertEqual((after.resources.children, after.ledger), (0, before.ledger))
        self.assertLess(grown, GROWTH_BYTES)

    def one_dump(self, load, number):
        kind = KINDS[number % len(KINDS)]
        path = pathlib.Path(ask("dump", load.pid, kind, "--quiet").stdout.strip())
        if number % READ_EVERY == 0:
            report = harness.Report(path)
            self.assertEqual(report.field("kind"), kind[2:], report.data["notes"])
            self.assertEqual({name: report.classes()[name].instances for name in FIXED}, FIXED)
        else:
            self.assertGreater(path.stat().st_size, 1000)
        path.unlink()


if __name__ == "__main__":
    harness.main()
