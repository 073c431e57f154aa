"""What a program leaves behind when it has ended: dump children that go on alone become ours, and are counted."""
import os
import time
import unittest

from awaited import reports
from dump_child import CHILD_NAME, children_of_threads, name_of
from process import LIBC, VmError
from resources import leftovers

PR_SET_CHILD_SUBREAPER = 36


class Adopted:
    """Inside the block this process takes the place of init for orphans of what it starts."""

    def __enter__(self):
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
        return self

    def __exit__(self, *_):
        self.wait_gone(60)
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 0)

    def wait_gone(self, timeout_s):
        """Until each has ended by itself; answers how many there were."""
        seen = set()
        deadline = time.monotonic() + timeout_s
        while orphans := {pid for pid in children_of_threads(os.getpid()) if name_of(pid) == CHILD_NAME}:
            seen |= orphans
            for pid in orphans:
                os.waitpid(pid, os.WNOHANG)
            if time.monotonic() > deadline:
                raise VmError(f"children of dumps have not ended in {timeout_s} s: {sorted(orphans)}")
            time.sleep(0.01)
        return len(seen)


ALONE_S = 300  # on a machine whose cores are all busy


class OneReport(unittest.TestCase):
    """A test of a process that has ended: what its child left."""

    def report_of(self, directory, adopted, trigger):
        """The one report, once nothing goes on."""
        adopted.wait_gone(ALONE_S)
        self.assertEqual(leftovers(directory), [])
        found = reports(directory)
        self.assertEqual([report.field("trigger") for report in found], [trigger])
        return found[0]
