"""The child that reads a frozen heap: found by its parent, known by its name. Standard library only."""
import os
import pathlib
import re
import signal
import threading

CHILD_NAME = "holdfast-child"
LOOK_S = 0.4  # between two looks at what a child has: one look takes milliseconds, and the child is to be left alone


def children_of_threads(pid):
    """pids of all children by the kernel's own list, which is quick enough to catch one in its first millisecond."""
    found = set()
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found.update(map(int, children.read_text().split()))
        except OSError:
            continue
    return found


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def dump_child_of(pid):
    """Its pid, or None."""
    return next((child for child in children_of_threads(pid) if name_of(child) == CHILD_NAME), None)


def kill_dump_child(pid):
    """True when it was one, and there."""
    return signal_dump_child(pid, signal.SIGKILL)


def stop_dump_child(pid):
    """It stays, and does nothing any more. True when it was one, and there."""
    return signal_dump_child(pid, signal.SIGSTOP)


def signal_dump_child(pid, number):
    if pid is None or name_of(pid) != CHILD_NAME:
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False  # it ended just now
    return True


class ChildMemory:
    """The most that children of the process have to themselves inside the block, copies of what the application wrote included; by looking often."""

    def __init__(self, pid):
        self.pid = pid
        self.highest = 0

    def __enter__(self):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def _look(self):
        while not self.over.wait(LOOK_S):
            for child in children_of_threads(self.pid):
                self.highest = max(self.highest, private_bytes(child))

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def private_bytes(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0  # it has gone
    return sum(int(kb) for kb in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.MULTILINE)) * 1024
