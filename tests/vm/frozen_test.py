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
from programs_test import Demo

LEAST_PAIRED = 0.99  # of the walk's objects; the rest is held by the VM alone
REFUSED = (("ZGC", ["-XX:+UseZGC"]), ("Epsilon", ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"]))


class Variant(NamedTuple):
    name: str
    arguments: tuple = ()


VARIANTS = (
    Variant("as it comes"),
    Variant("wide references", ("-XX:-UseCompressedOops",)),
    Variant("aligned to 16", ("-XX:ObjectAlignmentInBytes=16",)),
    Variant("references with a base", ("-XX:HeapBaseMinAddress=40g",)),
    Variant("wide class words", ("-XX:-UseCompressedClassPointers",)),
    Variant("all wide", ("-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers")),
    Variant("compact headers", ("-XX:+UseCompactObjectHeaders",)),
    Variant("compact headers, wide references", ("-XX:+UseCompactObjectHeaders", "-XX:-UseCompressedOops")),
    Variant("no shared archive", ("-Xshare:off",)),
)


class Shapes:
    NAME = "shapes"
    UNSEEN = {}

    @staticmethod
    def start(jdk, vm_args, agent_options, _directory):
        return frozen.victim("Shapes", jdk, vm_args, agent_options)


class Case(NamedTuple):
    program: object
    collector: str
    variant: Variant = VARIANTS[0]

    def arguments(self):
        return ["-Xmx512m", f"-XX:+Use{self.collector}GC", *self.variant.arguments]

    def title(self, jdk):
        return f"{self.program.NAME}, {jdk}, {self.collector}, {self.variant.name}"


def cases(jdk):
    if not frozen.FULL:
        yield from (Case(Demo, "G1"), Case(Shapes, "Parallel"), Case(Shapes, "G1"))
        return
    for collector in frozen.COLLECTORS:
        if not frozen.has(jdk, f"-XX:+Use{collector}GC"):
            print(f"note: {jdk} has no {collector}")
            continue
        yield Case(Demo, collector)
        for variant in VARIANTS:
            if frozen.has(jdk, f"-XX:+Use{collector}GC", "-Xmx512m", *variant.arguments):
                yield Case(Shapes, collector, variant)


def graphs(jvm, directory, title):
    """Complaints about the frozen graph beside the walk's, and its report. Nothing of ours is new to the heap after the first dump."""
    frozen.dump(jvm, directory, "walk")
    walked = frozen.dump(jvm, directory, "walk")
    picture = frozen.dump(jvm, directory)
    good, printed = frozen.same_graph(walked, picture)
    print(f"{title}\n{printed}", flush=True)
    complaints = [] if good else [f"{title}: the graphs differ"]
    paired = int(printed.split("pairs: ")[1].split(";")[0])
    if paired < LEAST_PAIRED * sum(count.instances for count in walked.classes().values()):
        complaints.append(f"{title}: only {paired:,} objects were compared")
    for report in (walked, picture):
        frozen.snapshot_of(report).unlink()
    return complaints


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
        with case.program.start(jdk, case.arguments(), f"dir={directory},{frozen.AGENT}", directory) as jvm:
            jvm.collect()
            complaints = graphs(jvm, directory, title) + counts(jvm, directory, title, case.program.UNSEEN)
            complaints += harmed(jvm, title) if case.program is Shapes else []
    return complaints


def harmed(jvm, title):
    return [] if jvm.ask("check", r"^SOUND (\w+)")[1] == "true" else [f"{title}: the application's data is wrong"]


def reused(jdk):
    """Classes were unloaded by a concurrent collection, their dead objects lie about, and other classes took their place in metaspace."""
    title = f"reused metaspace, {jdk}, G1"
    flags = ["-Xmx512m", "-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent"]
    with tempfile.TemporaryDirectory(prefix="holdfast frozen ") as directory:
        with frozen.victim("Reuser", jdk, flags, f"dir={directory},{frozen.AGENT}") as jvm:
            complaints = []
            for word in ("old", "drop", "new", "drop", "old"):
                jvm.ask(word, f"^DONE {word}", 120)
                complaints += graphs(jvm, directory, f"{title}, after {word}")
            return complaints + harmed(jvm, title)


def refused(jdk, name, flags):
    """A collector whose heap cannot be frozen: by name it is refused with a reason, else the next rung is taken."""
    title = f"refused, {jdk}, {name}"
    if not frozen.has(jdk, *flags):
        return []
    with tempfile.TemporaryDirectory(prefix="holdfast frozen ") as directory:
        with frozen.victim("Shapes", jdk, ["-Xmx512m", *flags], f"dir={directory},{frozen.AGENT}") as jvm:
            jvm.agent_load("dump=extended,capture=frozen")
            reasons = lambda: [line for line in jvm.lines if line.startswith("holdfast:") and "frozen" in line]
            frozen.wait_until(reasons, 20, f"a reason ({title})")
            said = reasons()
            print(f"{title}: {said}", flush=True)
            time.sleep(0.3)
            complaints = harmed(jvm, title)
            if harness.reports_in(directory):
                complaints.append(f"{title}: there is a report all the same")
            if len(said) != 1 or name not in said[0]:
                complaints.append(f"{title}: the reason does not name the collector: {said}")
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
        for name, flags in REFUSED:
            if pattern in f"refused, {jdk}, {name}":
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
