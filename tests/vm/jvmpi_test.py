#!/usr/bin/env python3
"""JVMPI: the heap of real programs by this interface is the heap that JVMTI shows, object by object and reference by reference, whichever
way it is read; what a VM does wrong is survived and said; and -Xrun works where there is no JVMPI.

  jvmpi_test.py [PATTERN]    only tests whose name contains it
"""
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import contextmanager

import harness
import jvmpi
from programs import database
from programs_test import Demo

ATTEMPTS = 8  # at a dump with a neighbour that differs by nothing the program did of its own: what is compared is the same each time
VIRTUAL_THREADS = 21  # the first JDK that has them
WAYS = {"one buffer": "capture=walk", "each object": "capture=objects"}


class Nodes:
    """Half a million nodes and their arrays: a million objects."""
    NAME = "a million objects"

    @staticmethod
    def start(jdk, vm_args, agent_options, _directory, nodes=500_000):
        classes = harness.compile_java("victim-Shelves", [harness.ROOT / "tests" / "vm" / "victim" / "Shelves.java"])
        jvm = harness.Jvm(jdk, [*vm_args, f"-Dnodes={nodes}", "-cp", classes, "Shelves"], agent_options)
        jvm.wait_line("^READY", 120)
        return jvm


class FewNodes(Nodes):
    NAME = "ten thousand objects"

    @staticmethod
    def start(jdk, vm_args, agent_options, directory):
        return Nodes.start(jdk, vm_args, agent_options, directory, nodes=5_000)


class Shapes:
    NAME = "shapes"

    @staticmethod
    def start(jdk, vm_args, agent_options, _directory):
        return harness.victim("Shapes", jdk, vm_args, agent_options)


def small(jdk, vm_args, agent_options=None):
    return Nodes.start(jdk, vm_args, agent_options, None, nodes=5_000)


@contextmanager
def told_host(faults):
    before = os.environ.get("HF_JVMPI_HOST")
    os.environ["HF_JVMPI_HOST"] = faults
    try:
        yield
    finally:
        if before is None:
            del os.environ["HF_JVMPI_HOST"]
        else:
            os.environ["HF_JVMPI_HOST"] = before


def figures(report):
    """{class: Count} of what is reachable."""
    return {name: count for name, count in report.classes().items() if count.instances != 0}


def first_equal(old, news):
    """(does one of the new dumps show the heap of the old one?, what was compared)"""
    for new in news:
        good, printed = jvmpi.same_graph(new, old)
        if good and figures(old) == figures(new):
            return True, printed
    return False, printed


class SameHeap(unittest.TestCase):
    def compare(self, program, jdk, options, vm_args=()):
        with tempfile.TemporaryDirectory(prefix="holdfast jvmpi ") as directory:
            arguments = ["-Xmx900m", *vm_args, *jvmpi.old_vm(directory, f"dump=extended,collect=on,{options}")]
            with program.start(jdk, arguments, jvmpi.new_agent(directory), directory) as jvm:
                before = jvmpi.dump_new(jvm, directory)  # what a first dump loads is there from now on
                for _ in range(ATTEMPTS):  # a program's own thread may have done something in between
                    old = jvmpi.dump_old(jvm, directory)
                    jvm.collect()
                    after = jvmpi.dump_new(jvm, directory)
                    good, printed = first_equal(old, (after, before))
                    if good:
                        break
                    before = after
                    print(f"{program.NAME}, {jdk}, {options}: once more: {printed}", flush=True)
                pause = old.pause_ms()
                print(f"{program.NAME}, {jdk}, {options}: {printed}\n  GC off for {pause:.0f} ms", flush=True)
                if not good:
                    self.assertEqual(figures(old), figures(after), printed)
                self.assertTrue(good, printed)
                self.assertEqual(old.field("rung"), "walk")

    def test_shapes(self):
        for jdk in harness.jdks():
            if jdk.version >= VIRTUAL_THREADS:
                print(f"note: {Shapes.NAME} is left out on {jdk}: it has virtual threads there, and no VM of JVMPI knows any", flush=True)
                continue
            for way, options in WAYS.items():
                with self.subTest(str(jdk), way=way):
                    self.compare(Shapes, jdk, options)

    def test_demo_service(self):
        for way, options in WAYS.items():
            with self.subTest(way=way):
                self.compare(Demo, harness.in_turn()[0], options)

    def test_database(self):
        for way, options in WAYS.items():
            with self.subTest(way=way):
                self.compare(database, harness.in_turn()[0], options)

    def test_primitive_types_that_are_shown_as_classes(self):
        for way, options in WAYS.items():
            with self.subTest(way=way), told_host("primitive-classes"):
                self.compare(FewNodes, harness.in_turn()[0], options)

    def test_a_million_objects(self):
        for way, options in WAYS.items():
            with self.subTest(way=way):
                self.compare(Nodes, harness.in_turn()[0], options)


class BadLuck(unittest.TestCase):
    """Faults of a VM: the same graph all the same, or less and a note that says so."""

    def dumps(self, faults, options, count=1):
        jdk = harness.in_turn()[0]
        with tempfile.TemporaryDirectory(prefix="holdfast jvmpi ") as directory, told_host(faults):
            with small(jdk, jvmpi.old_vm(directory, f"dump=extended,{options}")) as jvm:
                reports = [jvmpi.dump_old(jvm, directory) for _ in range(count)]
                self.assertTrue(jvm.running())
                return reports

    def test_arrays_with_their_own_class(self):
        for way, options in WAYS.items():
            with self.subTest(way=way):
                report, = self.dumps("array-class=array", options)
                self.assertEqual(report.classes()["Shelves$Node[]"].instances, 1)
                self.assertNotIn("Shelves$Node[][]", report.classes())

    def test_ids_of_no_list(self):
        for way, options in WAYS.items():
            with self.subTest(way=way):
                report, = self.dumps("unlisted=Shelves$Node", options)
                self.assertEqual(report.classes()["Shelves$Node"].instances, 5_000)

    def test_events_that_come_twice(self):
        for way, options in WAYS.items():
            with self.subTest(way=way):
                report, = self.dumps("twice", options)
                self.assertEqual(report.classes()["Shelves$Node"].instances, 5_000)
                self.assertTrue(any("events came twice" in note for note in report.data["notes"]), report.data["notes"])

    def test_garbage_lengths(self):
        report, = self.dumps("garbage-length", "capture=objects")
        self.assertEqual(report.classes()["Shelves$Node"].instances, 5_000)

    def test_last_values_that_are_not_written(self):
        """The host forbids an id that is rubbish, so none was asked for."""
        whole, = self.dumps("", "capture=walk")
        for way, options in WAYS.items():
            with self.subTest(way=way):
                first, second = self.dumps("unwritten-tails", options, count=2)
                for report in (first, second):
                    self.assertEqual(report.classes()["Shelves$Node"].instances, 5_000)
                    self.assertEqual(report.classes()["Shelves$Node[]"], whole.classes()["Shelves$Node[]"])
                notes = first.data["notes"]
                self.assertEqual(any("leaves out the last value" in note for note in notes), options == WAYS["each object"], notes)

    def test_no_buffer(self):
        for fault in ("refuse-level=2", "no-event-level=2"):
            with self.subTest(fault):
                report, = self.dumps(fault, "capture=walk")
                self.assertEqual(report.field("kind"), "extended")
                self.assertEqual(report.classes()["Shelves$Node"].instances, 5_000)
                self.assertTrue(any("object by object" in note for note in report.data["notes"]), report.data["notes"])

    def test_no_roots(self):
        report, = self.dumps("refuse-level=12", "capture=auto")
        self.assertEqual(report.classes()["Shelves$Node"].instances, 5_000)
        self.assertTrue(any("told no GC roots" in note for note in report.data["notes"]), report.data["notes"])

    def test_a_class_that_is_not_told(self):
        report, = self.dumps("fail-class=Shelves$Node", "capture=walk")
        self.assertNotIn("Shelves$Node", report.classes())
        self.assertTrue(any("not told by the VM" in note for note in report.data["notes"]), report.data["notes"])

    def test_nothing_at_all(self):
        jdk = harness.in_turn()[0]
        with tempfile.TemporaryDirectory(prefix="holdfast jvmpi ") as directory, told_host("refuse-level=012"):
            with small(jdk, jvmpi.old_vm(directory, "dump=extended")) as jvm:
                jvm.quit_signal()
                jvm.wait_line("holdfast: dump 1 (failed|refused)", 60)
                self.assertTrue(jvm.running())


class Triggers(unittest.TestCase):
    def test_start_exit_and_simple(self):
        jdk = harness.in_turn()[0]
        with tempfile.TemporaryDirectory(prefix="holdfast jvmpi ") as directory:
            # on= is given once: old_vm() has it.
            argument = jvmpi.host_argument(f"dir={directory},file=%k-%n.hfr,on=start+exit,dump=simple,memory=64m")
            with small(jdk, [jvmpi.NO_ARCHIVE, argument]) as jvm:
                first = harness.Report(harness.wait_report(directory, set(), 60, jvm))
                jvm.send("exit")
                second = harness.Report(harness.wait_report(directory, {first.path}, 60))
            self.assertEqual(first.field("kind"), "simple")
            self.assertEqual(second.classes()["Shelves$Node"].instances, 5_000)

    def test_the_command_talks_to_it(self):
        jdk = harness.in_turn()[0]
        with tempfile.TemporaryDirectory(prefix="holdfast jvmpi ") as directory:
            argument = jvmpi.host_argument(f"dir={directory},on=gc,memory=64m")
            with small(jdk, [jvmpi.NO_ARCHIVE, argument]) as jvm:
                status = harness.run_command("status", jvm.pid).stdout
                self.assertIn("Shelves", status)
                refused = harness.run_command("detach", jvm.pid, check=False)
                self.assertNotEqual(refused.returncode, 0)
                self.assertIn("cannot leave", refused.stderr)
                path = harness.run_command("dump", jvm.pid, "--extended", "--capture", "objects", "--quiet").stdout.strip()
                self.assertEqual(harness.Report(path).classes()["Shelves$Node"].instances, 5_000)


class Doors(unittest.TestCase):
    """-Xrun on VMs that have no JVMPI."""

    @staticmethod
    def where_libraries_are(jdk, folder):
        """A fetched JDK starts by a loader of its own (tests/jdks/home.py), which does not ask LD_LIBRARY_PATH."""
        if "/build/jdks/" not in jdk.home:
            return ()
        told = subprocess.run([jdk.tool("java"), "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True).stderr
        path = next(line.split(" = ")[1] for line in told.splitlines() if "sun.boot.library.path = " in line)
        return (f"-Dsun.boot.library.path={path}:{folder}",)

    def start(self, jdk, *agents):
        folder = os.path.dirname(harness.agent_library())
        env = {"LD_LIBRARY_PATH": folder}
        agents = (*self.where_libraries_are(jdk, folder), *agents)
        classes = harness.compile_java("victim-Shelves", [harness.ROOT / "tests" / "vm" / "victim" / "Shelves.java"])
        jvm = harness.Jvm(jdk, [*agents, "-Dnodes=1000", "-cp", classes, "Shelves"], None, env=env)
        jvm.wait_line("^READY", 60)
        return jvm

    @harness.on_each_jdk
    def test_xrun_alone(self, jdk, directory):
        with self.start(jdk, f"-Xrunholdfast:dir={directory},on=signal,dump=extended,log=info") as jvm:
            # It comes when the VM lives, which may be before or after the program says anything.
            harness.wait_until(lambda: any("holdfast: control socket" in line for line in jvm.lines), 60, "the agent")
            report = jvmpi.dump_old(jvm, directory)
            self.assertEqual(report.classes()["Shelves$Node"].instances, 1000)

    @harness.on_each_jdk
    def test_agentpath_and_xrun(self, jdk, directory):
        agent = f"-agentpath:{harness.agent_library()}=dir={directory},on=signal,dump=extended"
        with self.start(jdk, agent, f"-Xrunholdfast:dir={directory},on=nonsense") as jvm:
            report = jvmpi.dump_old(jvm, directory)
            self.assertEqual(report.classes()["Shelves$Node"].instances, 1000)
            self.assertTrue(any("loaded already" in line for line in jvm.lines), jvm.lines)

    def test_both_interfaces_of_one_vm(self):
        """A wrong option of one leaves the other alone, its log and its socket."""
        jdk = harness.in_turn()[0]
        with tempfile.TemporaryDirectory(prefix="holdfast jvmpi ") as directory:
            arguments = [jvmpi.NO_ARCHIVE, jvmpi.host_argument(f"dir={directory},file=old-%n.hfr,on=signal,log=info")]
            with small(jdk, arguments, f"dir={directory},file=new-%n.hfr,on=off,log=info") as jvm:
                self.assertIn("Shelves", harness.run_command("status", jvm.pid).stdout)
                old = jvmpi.dump_old(jvm, directory)
                new = harness.run_command("dump", jvm.pid, "--extended", "--quiet").stdout.strip()
                self.assertEqual(old.path.name[:4], "old-")
                self.assertIn("new-", new)
            arguments = [jvmpi.NO_ARCHIVE, jvmpi.host_argument("pause=soon")]
            with small(jdk, arguments, f"dir={directory},on=off,log=info") as jvm:
                self.assertTrue(harness.run_command("dump", jvm.pid, "--simple", "--quiet").stdout.strip())
                self.assertTrue(any("pause=soon" in line for line in jvm.lines), jvm.lines)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(["-k", sys.argv[1]] if len(sys.argv) > 1 else [])])
