#!/usr/bin/env python3
"""The frozen heap shows the same graph as the standard interface, object by object and reference by reference, and counts what the VM counts.

  frozen_test.py [PATTERN]    only cases whose title contains it
Short: the demo service on G1 and Parallel, and the cases that broke a reader before. With HF_JDKS: every collector and variant of the JVM.
"""
import sys
import tempfile
import time
from typing import NamedTuple

import compare_histogram
import frozen
import harness
import heap_kinds
from programs_test import Demo

ATTEMPTS = 3
FREEZABLE = ("Serial", "Parallel", "G1", "Shenandoah", "Shenandoah, generations")  # all others are refused
AS_IT_COMES = "as it comes"
TOGETHER = (("wide references", "wide class pointers"), ("compact headers", "wide references"))
HEAP = "-Xmx512m"


class Shapes:
    NAME = "shapes"
    UNSEEN = {}

    @staticmethod
    def start(jdk, vm_args, agent_options, _directory):
        return harness.victim("Shapes", jdk, vm_args, agent_options)


class Case(NamedTuple):
    program: object
    collector: str
    layout: str = AS_IT_COMES
    arguments: list = []

    def title(self, jdk):
        return f"{self.program.NAME}, {jdk}, {self.collector}, {self.layout}"


def layouts(jdk):
    """{name: arguments}, those together that make a word of another width each."""
    known = heap_kinds.layouts(jdk)
    found = {AS_IT_COMES: [], **known}
    for pair in TOGETHER:
        if all(name in known for name in pair):
            found[", ".join(pair)] = [word for name in pair for word in known[name]]
    return found


def cases(jdk):
    collectors = {name: words for name, words in heap_kinds.collectors(jdk).items() if name in FREEZABLE}
    if not frozen.FULL:
        for program, name in ((Demo, "G1"), (Shapes, "Parallel"), (Shapes, "G1")):
            yield Case(program, name, AS_IT_COMES, [*collectors[name], HEAP])
        return
    for name, words in collectors.items():
        yield Case(Demo, name, AS_IT_COMES, [*words, HEAP])
        for layout, more in layouts(jdk).items():
            if frozen.has(jdk, *words, *more, HEAP):
                yield Case(Shapes, name, layout, [*words, *more, HEAP])


def graphs(jvm, directory, title):
    """Complaints about the frozen graph beside the walk's. Where they differ but two walks around it do too, the program had moved."""
    frozen.dump(jvm, directory, "walk")  # nothing of ours is new to the heap after the first dump
    for _ in range(ATTEMPTS):
        walked = frozen.dump(jvm, directory, "walk")
        picture = frozen.dump(jvm, directory)
        good, printed = frozen.same_graph(walked, picture)
        print(f"{title}\n{printed}", flush=True)
        if good:
            return []
        if frozen.same_graph(walked, frozen.dump(jvm, directory, "walk"))[0]:
            return [f"{title}: the graphs differ"]
    return [f"{title}: the heap does not keep still"]


def counts(jvm, directory, title, unseen):
    """Complaints about the frozen report's instances beside the VM's own live histogram."""
    report, live = compare_histogram.dump_while_quiet(jvm, lambda: frozen.dump(jvm, directory))
    comparison = compare_histogram.compare(report.classes(), live)
    apart = sum(abs(row.difference) for row in comparison.others)
    print(f"  {len(comparison.application)} application classes; in others {apart:,} objects apart: "
          + ", ".join(f"{row.name} {row.difference:+,}" for row in sorted(comparison.others, key=lambda r: -abs(r.difference))[:8]))
    return [f"{title}: {row.name}: {row.holdfast} instances, jcmd {row.jcmd}" for row in comparison.wrong(unseen)]


def check(case, jdk):
    title = case.title(jdk)
    with tempfile.TemporaryDirectory(prefix="holdfast frozen ") as directory:
        with case.program.start(jdk, case.arguments, f"dir={directory},{frozen.AGENT}", directory) as jvm:
            jvm.collect()
            complaints = graphs(jvm, directory, title) + counts(jvm, directory, title, case.program.UNSEEN)
            complaints += harmed(jvm, title) if case.program is Shapes else []
    return complaints


def harmed(jvm, title):
    return [] if jvm.ask("check", r"^SOUND (\w+)")[1] == "true" else [f"{title}: the application's data is wrong"]


def reused(jdk):
    """Classes were unloaded by a concurrent collection, their dead objects lie about, and other classes took their place in metaspace."""
    title = f"reused metaspace, {jdk}, G1"
    flags = [HEAP, "-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent"]
    with tempfile.TemporaryDirectory(prefix="holdfast frozen ") as directory:
        with harness.victim("Reuser", jdk, flags, f"dir={directory},{frozen.AGENT}") as jvm:
            complaints = []
            for word in ("old", "drop", "new", "drop", "old"):
                jvm.ask(word, f"^DONE {word}", 120)
                complaints += graphs(jvm, directory, f"{title}, after {word}")
            return complaints + harmed(jvm, title)


def refused(jdk, name, flags):
    """A collector whose heap cannot be frozen: by name it is refused with a reason, else the next rung is taken."""
    title = f"refused, {jdk}, {name}"
    with tempfile.TemporaryDirectory(prefix="holdfast frozen ") as directory:
        with harness.victim("Shapes", jdk, [*flags, HEAP], f"dir={directory},{frozen.AGENT}") as jvm:
            jvm.agent_load("dump=extended,capture=frozen")
            reasons = lambda: [line for line in jvm.lines if line.startswith("holdfast:") and "frozen" in line]
            harness.wait_until(reasons, 20, f"a reason ({title})")
            time.sleep(0.3)
            said = [line for line in frozen.said(jvm) if "dump 1" in line]
            print(f"{title}: {said}", flush=True)
            complaints = harmed(jvm, title)
            if harness.reports_in(directory):
                complaints.append(f"{title}: there is a report all the same")
            if len(said) != 1 or name.split(",")[0] not in said[0]:
                complaints.append(f"{title}: not one line that names the collector: {said}")
            if harness.Report(harness.dump(jvm, directory, "dump=extended")).field("rung") == "frozen":
                complaints.append(f"{title}: frozen by default")
            return complaints


def all_checks(pattern):
    for jdk in harness.jdks():
        for case in cases(jdk):
            if pattern in case.title(jdk):
                yield lambda case=case, jdk=jdk: check(case, jdk), case.title(jdk)
        if pattern in f"reused metaspace, {jdk}":
            yield lambda jdk=jdk: reused(jdk), f"reused metaspace, {jdk}"
        for name, flags in heap_kinds.collectors(jdk).items():
            if name not in FREEZABLE and pattern in f"refused, {jdk}, {name}":
                yield lambda jdk=jdk, name=name, flags=flags: refused(jdk, name, flags), f"refused, {jdk}, {name}"


def main(arguments):
    complaints = []
    for run, title in all_checks(arguments[0] if arguments else ""):
        try:
            complaints += run()
        except harness.VmError as error:
            complaints.append(f"{title}: {error}")
    print("\n".join(complaints) or "all as it should be")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
