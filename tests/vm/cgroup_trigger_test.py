#!/usr/bin/env python3
"""cgroup-above= in a real control group: the report is there before the kernel kills."""
import pathlib
import tempfile
import time
import unittest

import harness
import cgroup

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_MB = 400
LEAK_PAUSE_MS = 8  # of a leak of 1 MB at a time: about 100 MB/s


def start(jdk, options, *vm_args):
    classes = harness.compile_java("filler", [HERE / "victim" / "Filler.java"])
    jvm = harness.Jvm(jdk, ["-Xmx100m", "-XX:MaxDirectMemorySize=4g", *vm_args, "-cp", classes, "Filler"], options)
    try:
        jvm.wait_line("^READY")
        return jvm
    except BaseException:
        jvm.stop()
        raise


def wait_end(jvm, timeout_s=60):
    """When it ended, by the clock of files."""
    deadline = time.monotonic() + timeout_s
    while jvm.running():
        if time.monotonic() > deadline:
            raise harness.VmError(f"pid {jvm.pid} lives on")
        time.sleep(0.002)
    return time.time()


class InAGroup(unittest.TestCase):
    def in_group(self, test):
        """Runs test(jdk, group, directory) with a JDK in turn."""
        for jdk in harness.in_turn():
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast cgroup ") as directory:
                try:
                    with cgroup.Cgroup("memory", "holdfast-trigger") as group:
                        test(jdk, group, pathlib.Path(directory))
                except cgroup.Refused as reason:
                    self.skipTest(f"no control group for memory: {reason}")

    def test_a_leak_outside_of_the_heap_is_dumped_before_the_kernel_kills(self):
        self.in_group(self.leak_until_killed)

    def leak_until_killed(self, jdk, group, directory):
        group.limit(LIMIT_MB << 20)
        with start(jdk, f"dir={directory},on=off,cgroup-above=75%") as jvm:
            group.leave()
            jvm.ask("hold 40", "^HELD")
            time.sleep(1.2)  # at least one look from afar
            self.assertEqual(harness.reports_in(directory), set())
            jvm.send(f"outside {2 * LIMIT_MB} {LEAK_PAUSE_MS}")
            ended = wait_end(jvm)
            self.assertEqual(jvm.stop(), -9)
        self.assertGreaterEqual(group.out_of_memory_kills(), 1)
        found = harness.reports_in(directory)
        self.assertGreaterEqual(len(found), 1, jvm.lines)
        first = min(map(harness.Report, found), key=lambda report: report.field("sequence"))
        self.assertEqual(first.field("trigger"), "cgroup-above")
        self.assertEqual(first.field("kind"), "extended")
        lead_s = ended - first.path.stat().st_mtime
        self.assertGreater(lead_s, 0)
        print(f"{jdk}: rung {first.field('rung')}, report {lead_s * 1000:.0f} ms before the kill", flush=True)

    def test_it_fires_once_and_again_after_a_rise(self):
        self.in_group(self.rise_in_steps)

    def rise_in_steps(self, jdk, group, directory):
        group.limit(LIMIT_MB << 20)
        with start(jdk, f"dir={directory},on=off,cgroup-above=60%,cooldown=0") as jvm:
            group.leave()
            self.grow_to(jvm, group, 62)
            self.wait_count(jvm, directory, 1)
            time.sleep(2.2)
            self.assertEqual(len(harness.reports_in(directory)), 1)
            self.grow_to(jvm, group, 70)
            self.wait_count(jvm, directory, 2)
            self.assertTrue(jvm.running())
        self.assertEqual(group.out_of_memory_kills(), 0)

    def grow_to(self, jvm, group, percent):
        more = (LIMIT_MB << 20) * percent // 100 - group.used()
        jvm.ask(f"outside {max(1, more >> 20)} 1", "^OUTSIDE")

    def wait_count(self, jvm, directory, count):
        deadline = time.monotonic() + 20
        while len(harness.reports_in(directory)) < count:
            self.assertLess(time.monotonic(), deadline, jvm.lines)
            time.sleep(0.01)

    def test_without_a_limit_it_says_so(self):
        self.in_group(self.no_limit)

    def no_limit(self, jdk, group, directory):
        with start(jdk, f"dir={directory},on=off,cgroup-above=60%,log=info") as jvm:
            group.leave()
            jvm.ask("outside 50 1", "^OUTSIDE")
            self.assertIn("holdfast: cgroup-above=: no control group of this process has a limit", jvm.lines)
        self.assertEqual(harness.reports_in(directory), set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
