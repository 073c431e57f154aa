#!/usr/bin/env python3
"""JVMPI with ids of 32 bits: a real heap of 100,000 objects in a real VM of that width, with 8 MB of memory. Both ways read the same
graph, and it counts what the VM counts. Left out where no such JDK is there: tests/jdks/fetch i386-17.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["HF_SOURCE"])
sys.path[:0] = [str(ROOT / "tests" / "vm")]
# The command is of the machine's own width.
os.environ["HOLDFAST_CLI"] = str(ROOT / "build" / "release" / "holdfast")

import harness  # noqa: E402
import jvmpi  # noqa: E402

HOME = ROOT / "build" / "jdks" / "i386-17"
COMPARE = ROOT / "build" / "release" / "bin" / "check_same_graph"
NODES = 50_000  # a node and its array each
MEMORY = 8 << 20


def start(directory, options, memory="8m"):
    classes = harness.compile_java("victim-Shelves", [ROOT / "tests" / "vm" / "victim" / "Shelves.java"])
    agent = jvmpi.host_argument(f"dir={directory},on=signal,memory={memory},cooldown=0,dump=extended,pause=1h,{options}")
    jvm = harness.Jvm(harness.Jdk(17, str(HOME)), ["-Xmx200m", jvmpi.NO_ARCHIVE, agent, f"-Dnodes={NODES}", "-cp", classes, "Shelves"])
    jvm.wait_line("^READY", 120)
    return jvm


def waits_for_a_word(pid):
    """A thread is in read(0, ...): system call 3 with 32 bits. On a busy machine main comes there a while after it has said READY."""
    try:
        return any(one.read_text().startswith("3 0x0 ") for one in pathlib.Path(f"/proc/{pid}/task").glob("*/syscall"))
    except OSError:  # a thread ended meanwhile
        return False


class Narrow(unittest.TestCase):
    def test_100_000_objects_in_8_mb(self):
        with tempfile.TemporaryDirectory(prefix="holdfast narrow ") as directory:
            counted = {}
            for way in ("walk", "objects"):
                with start(directory, f"capture={way}") as jvm:
                    report = jvmpi.dump_old(jvm, directory)
                    live = jvm.histogram()
                self.assertEqual(report.field("kind"), "extended", report.data["notes"])
                counts = report.classes()
                print(f"capture={way}: {sum(c.instances for c in counts.values()):,} objects, {report.peak_bytes():,} bytes of ours at most", flush=True)
                self.assertGreater(sum(c.instances for c in counts.values()), 100_000)
                self.assertLessEqual(report.peak_bytes(), MEMORY)
                for name in ("Shelves$Node", "Shelves$Node[]"):
                    self.assertEqual(counts[name].instances, live[name].instances, name)
                    self.assertEqual(counts[name].bytes, live[name].bytes, name)
                counted[way] = {name: count for name, count in counts.items() if name.startswith("Shelves")}
            self.assertEqual(counted["walk"], counted["objects"])

    def test_both_ways_are_the_same_graph(self):
        with tempfile.TemporaryDirectory(prefix="holdfast narrow ") as directory:
            with start(directory, "snapshot=on,capture=walk,control=on", memory="64m") as jvm:
                harness.wait_until(lambda: waits_for_a_word(jvm.pid), 60, "main to wait for a word")
                first = jvmpi.dump_old(jvm, directory)
                harness.run_command("set", jvm.pid, "capture=objects")
                second = jvmpi.dump_old(jvm, directory)
            done = subprocess.run([COMPARE, first.path.with_suffix(".hfs"), second.path.with_suffix(".hfs"), "--by-name"],
                                  capture_output=True, text=True, check=False)
            print(done.stdout)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    for needed, how in ((HOME / "bin" / "java", "tests/jdks/fetch i386-17"), (COMPARE, "./dev test --release")):
        if not needed.exists():
            print(f"left out: {needed} is not there ({how})")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
