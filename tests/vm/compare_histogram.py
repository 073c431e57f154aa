"""Does the report count what the VM counts? Instances per class against `jcmd GC.class_histogram`, shallow bytes against the heap's used bytes.

Application classes must agree exactly. Other classes may differ, and one table names them all: by objects that only the VM holds, which the
standard interface does not visit; by what only the fields of a java.lang.Class hold, which it does not follow either
(Class$ReflectionData with its methods and names, annotations, the copy of an enum's array, ClassValues: both together are 1,000 objects of the
demo and 14,400 of Tomcat, which uses much reflection); and by the arrays with which collectors fill gaps. A program may name objects of its own that are held in such a way.
"""
import pathlib
import re
from typing import NamedTuple

import harness

JDK_PREFIXES = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
PRIMITIVES = set(harness.PRIMITIVES.values())
ATTEMPTS = 4
# What the VM itself may allocate between two questions: jcmd's own connection, a fresh allocation buffer.
SLACK_BYTES = 160 * 1024
# With it a full collection of G1 leaves no dead object in place. Otherwise regions that are nearly all alive are not compacted (on 17 by
# up to 5 %), and their dead objects are used bytes that no histogram lists.
COMPACT_ALL = "-XX:MarkSweepDeadRatio=0"


class Row(NamedTuple):
    name: str
    holdfast: int
    jcmd: int

    @property
    def difference(self):
        return self.holdfast - self.jcmd


class Comparison(NamedTuple):
    application: list  # Rows of the application's classes, equal or not
    others: list       # Rows of all other classes that differ
    holdfast_total: int
    jcmd_total: int

    def wrong(self, unseen=()):
        """unseen: {class name: how many only the fields of a java.lang.Class hold}. Whoever sees them is right as well."""
        unseen = dict(unseen)
        return [row for row in self.application if row.difference and row.difference != -unseen.get(row.name, 0)]


def is_hidden(name):
    """Classes that the VM makes for lambdas and method handles. What only a call site holds is held by the VM alone. 11 has two numbers
    for each, one for JVMTI and one for jcmd."""
    return bool(harness.HIDDEN_SUFFIX.search(name))


def is_application(name, module):
    """By the module that jcmd names if it does, else by the package: a class of an application is in no named module here."""
    element = name.rstrip("[]")
    if is_hidden(name) or element in PRIMITIVES:
        return False
    return not module and not element.startswith(JDK_PREFIXES)


def compare(holdfast, jcmd):
    """Both: {class name: harness.Count}."""
    application, others = [], []
    for name in sorted(holdfast.keys() | jcmd.keys()):
        ours, theirs = holdfast.get(name, NOTHING), jcmd.get(name, NOTHING)
        row = Row(name, ours.instances, theirs.instances)
        if is_application(name, theirs.module):
            application.append(row)
        elif row.difference:
            others.append(row)
    return Comparison(application, others, total(holdfast).instances, total(jcmd).instances)


NOTHING = harness.Count(0, 0)


def total(counts):
    return sum(counts.values(), NOTHING)


def application_part(counts):
    return {name: count.instances for name, count in counts.items() if is_application(name, count.module)}


def dump_while_quiet(jvm, take_dump):
    """(what take_dump returned, histogram): the application's classes counted the same before and after the dump, so it was quiet."""
    before = jvm.histogram()
    for _ in range(ATTEMPTS):
        result = take_dump()
        after = jvm.histogram()
        if application_part(before) == application_part(after):
            return result, after
        before = after
    raise harness.VmError(f"{jvm.jdk}, pid {jvm.pid}: the heap does not keep still; {ATTEMPTS} dumps did not find it so")


def to_markdown(comparison, title, unseen=()):
    wrong = comparison.wrong(unseen)
    explained = [row for row in comparison.application if row.difference and row not in wrong]
    equal = len(comparison.application) - len(wrong) - len(explained)
    instances = sum(row.jcmd for row in comparison.application)
    lines = [f"### {title}", "",
             f"{equal} of {len(comparison.application)} application classes are equal ({instances:,} instances). The rest:", "",
             "| class | holdfast | jcmd | difference |", "|---|---:|---:|---:|"]
    rows = [Row(f"**{row.name}**", *row[1:]) for row in wrong]
    rows += [Row(f"{row.name} (held by fields of java.lang.Class)", *row[1:]) for row in explained]
    rows += sorted(comparison.others, key=lambda row: -abs(row.difference))
    lines += [f"| {row.name} | {row.holdfast:,} | {row.jcmd:,} | {row.difference:+,} |" for row in rows]
    whole = Row("all classes", comparison.holdfast_total, comparison.jcmd_total)
    lines.append(f"| {whole.name} | {whole.holdfast:,} | {whole.jcmd:,} | {whole.difference:+,} |")
    return "\n".join(lines)


# --- bytes --------------------------------------------------------------------------------------------------------

class HeapAccount(NamedTuple):
    """used = holdfast + vm_only + fillers + rest, where rest is at most the tails of humongous regions and some slack."""
    used: int        # by GC.heap_info after a full collection
    holdfast: int    # sum of shallow sizes in the report
    vm_only: int     # live objects that the report does not have
    fillers: int     # gap-filling arrays, and what came to be since `used` was read: also in a buffer that then was new
    tails_at_most: int

    @property
    def rest(self):
        return self.used - self.holdfast - self.vm_only - self.fillers

    def adds_up(self):
        return -SLACK_BYTES - max(0, self.fillers) <= self.rest <= self.tails_at_most + SLACK_BYTES

    def to_markdown(self, title):
        rows = (("sum of shallow sizes in the report", self.holdfast), ("+ live objects that only the VM holds", self.vm_only),
                ("+ fillers, and what jcmd itself allocated", self.fillers),
                (f"+ tails of humongous regions (at most {self.tails_at_most:,})", self.rest), ("= used after a full collection", self.used))
        lines = [f"### {title}: bytes", "", "| | bytes |", "|---|---:|"]
        return "\n".join(lines + [f"| {what} | {value:,} |" for what, value in rows])


def is_filler(name):
    """25 has classes of its own for fillers; 17 uses int[], which then are in no list of live objects."""
    return name.startswith("jdk.internal.vm.Filler")


def heap_account(jvm, shallow_bytes, live, gc_log):
    """`live`: the histogram that goes with the report. `gc_log`: the file that gc_log_argument asked for."""
    jvm.collect()
    info = jvm.heap_info()
    everything = total(jvm.histogram(unreachable_too=True)).bytes
    live_bytes = total({name: count for name, count in live.items() if not is_filler(name)}).bytes
    return HeapAccount(harness.parse_heap_used(info), shallow_bytes, live_bytes - shallow_bytes, everything - live_bytes,
                       humongous_tails_at_most(info, pathlib.Path(gc_log).read_text()))


def gc_log_argument(jdk, path):
    return f"-Xloggc:{path}" if jdk.version == 8 else f'-Xlog:gc+heap=info:file="{path}"'


def humongous_tails_at_most(heap_info, gc_log):
    """An object of half a region or more has its regions to itself, and they count as used to their end, though no list shows the tail."""
    size = re.search(r"region size (\d+)([KM])", heap_info)
    regions = re.findall(r"Humongous regions: \d+->(\d+)", gc_log)
    if not size or not regions:
        return 0
    return int(regions[-1]) * int(size[1]) * (1024 if size[2] == "K" else 1024 * 1024)
