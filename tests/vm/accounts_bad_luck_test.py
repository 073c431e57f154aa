#!/usr/bin/env python3
"""Bad luck while a report with accounts is written, sampled and exact: the application lives, nothing half written stays, and what a lost report would have told the next one tells."""
import os
import resource
import unittest

import harness
from account_program import FEW, PATTERNS, SAMPLING_SINCE, accounts, by_class, read_accounts, start, tell
from small_disk import small_disk
from talk import ask, begin, ended

MODES = {"sampled": ("accounts-mode=sampled,sample=0", ["-Xint"]), "exact": ("accounts-mode=exact", [])}
KINDS = (["--simple"], ["--extended"])
ORDERS = ("load.orders", "load.orders.Order")
NO_REPORT = 4
NO_ROOM = 28
PART_OF_A_REPORT = 8 << 10


def in_each_mode(test):
    """With every allocation sampled, and with every one counted: so figures are the same numbers."""
    @harness.on_a_jdk_in_turn
    def run(self, jdk, directory):
        for mode, (words, vm_args) in MODES.items():
            if mode == "exact" or jdk.version >= SAMPLING_SINCE:
                with self.subTest(mode):
                    test(self, lambda: start(jdk, f"dir={directory},on=off,{PATTERNS},{words}", *vm_args), directory)
                    for path in directory.iterdir():
                        path.unlink()
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def fill(path):
    """Until the file system has no room for one byte more."""
    with path.open("wb", buffering=0) as ballast:
        for size in (4096, 1):
            try:
                while True:
                    ballast.write(b"x" * size)
            except OSError as full:
                if full.errno != NO_ROOM:
                    raise
    return path


class FullDisk(unittest.TestCase):
    def lost(self, jvm, directory, words):
        """A dump that leaves no report; how many objects were placed before it."""
        tell(jvm, "place", FEW)
        ask("dump", jvm.pid, "--quiet", *words, code=NO_REPORT)
        self.assertEqual([path.name for path in directory.iterdir() if path.suffix != ".hfr"], [])
        return FEW

    def next_one_tells(self, jvm, words, placed, since):
        row = by_class(accounts(jvm, *words))[ORDERS]
        self.assertEqual((row["allocated"]["objects"], row["since_report"]["objects"]), (placed, since), words)

    @in_each_mode
    def test_a_report_that_the_disk_has_no_room_for(self, program, directory):
        with small_disk(directory, "4m"), program() as jvm:
            accounts(jvm)
            ballast = fill(directory / "ballast.hfr")
            placed = sum(self.lost(jvm, directory, words) for words in KINDS)
            ballast.unlink()
            self.next_one_tells(jvm, KINDS[0], placed, placed)
            self.next_one_tells(jvm, KINDS[0], placed, 0)

    @in_each_mode
    def test_a_report_that_cannot_be_finished(self, program, directory):
        with program() as jvm:
            accounts(jvm)
            placed = 0
            for words in KINDS:
                resource.prlimit(jvm.pid, resource.RLIMIT_FSIZE, (PART_OF_A_REPORT, resource.RLIM_INFINITY))
                since = self.lost(jvm, directory, words)
                resource.prlimit(jvm.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                placed += since
                self.next_one_tells(jvm, words, placed, since)
            self.next_one_tells(jvm, KINDS[0], placed, 0)


class Kill(unittest.TestCase):
    ROUNDS = 3

    @staticmethod
    def kill_at_the_first_byte(jvm, directory, words):
        """SIGKILL as soon as the directory has anything new."""
        before = len(os.listdir(directory))
        asked = begin("dump", jvm.pid, "--quiet", *words)
        while len(os.listdir(directory)) == before and asked.poll() is None:
            pass
        jvm.kill()
        ended(asked)

    @in_each_mode
    def test_a_process_that_is_killed_while_it_writes_leaves_a_whole_report_or_none(self, program, directory):
        for number in range(self.ROUNDS):
            with program() as jvm:
                tell(jvm, "place", FEW)
                self.kill_at_the_first_byte(jvm, directory, KINDS[number % 2])
        for report in harness.reports_in(directory):
            self.assertEqual(by_class(read_accounts(report))[ORDERS]["allocated"]["objects"], FEW)
        print(f"{len(harness.reports_in(directory))} whole, {len(list(directory.glob('*.tmp')))} begun")
        with program() as jvm:
            # Each report sweeps; a child that was killed with its process may wait a while to be reaped.
            harness.wait_until(lambda: accounts(jvm) and not list(directory.glob("*.tmp")), 30, "what was begun to be taken away")


if __name__ == "__main__":
    unittest.main()
