#!/usr/bin/env python3
"""`holdfast analyze` on the VM's own heap dumps of real programs: equal to the oracle by MAT's rules; to removal, and in size to the
VM's own histogram, by ours.

  hprof_test.py [PATTERN]    five dumps, JDK 17 and 25; wide references, Serial, Parallel and compact headers among them;
                             with HF_JDKS the oldest and the newest that a program runs on, and the demo's on those between
"""
import csv
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import frozen
import harness
import programs
from programs import expressions
from programs_test import Demo

OBJECTS = 1000 if frozen.FULL else 200  # each is a walk through the whole heap
SEED = 20261121
TOOLS = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin"
OLD, NEW = 0, -1  # of those that the program runs on
OLDEST_THAT_COMPRESSES = 17
# A dump does not tell of fields that the VM adds (java.lang.Module, ClassLoader, MemberName ...) nor of @Contended padding, and a
# class that packs its fields tighter than the rules say is found out only where another object follows: 97.6 to 99.6 % measured.
LEAST_CLASSES_OF_TRUE_SIZE = 0.95
MOST_BYTES_OFF = 0.01
# 8 and 11 leave gaps between a superclass's fields open and add fields to more classes: 1.3 % measured of Tomcat's many method handles.
MOST_BYTES_OFF_BEFORE_17 = 0.02

# program, JDK, arguments, unreachable objects too
CASES = (
    (Demo, NEW, [], False),
    (programs.servlets, OLD, ["-XX:+UseParallelGC"], True),
    (programs.database, NEW, ["-XX:-UseCompressedOops"], False),
    (programs.scripts, OLD, ["-XX:+UseSerialGC", "-XX:ObjectAlignmentInBytes=16"], False),
    (expressions, NEW, ["-XX:+UseCompactObjectHeaders"], True),
)


def run_tool(name, *words):
    """(succeeded, output)"""
    done = subprocess.run([TOOLS / name, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode == 0, (done.stdout + done.stderr).rstrip()


def analyze(dump, directory, name, *words, complaints):
    """Writes NAME.hfr and NAME.csv."""
    rows, report = directory / f"{name}.csv", directory / f"{name}.hfr"
    done = harness.run_command("analyze", dump, "-o", report, "--objects", rows, "--quiet", *words)
    number, unit = re.search(r"bound ([\d.]+) (KB|MB|GB)", done.stdout).groups()
    bound = float(number) * 1024 ** (1 + ("KB", "MB", "GB").index(unit))
    peak = harness.Report(report).peak_bytes()
    if not 0 < peak <= bound:
        complaints.append(f"{name}: {peak:,} bytes of memory, {bound:,.0f} promised")
    return rows


def like_mat(dump, directory, complaints):
    """{rule: (objects touched, what they are)}"""
    good, text = run_tool("check_mat", dump, analyze(dump, directory, "mat", "--like", "mat", complaints=complaints))
    summary, *rest = text.split("\n")
    print(f"  by MAT's rules: {summary}")
    if not good:
        complaints.append("differs from the oracle\n" + text)
    return {int(m[1]): (int(m[2]), m[3]) for m in (re.match(r"rule (\d+) (\d+) (.*)", line) for line in rest) if m}


def own_rules(dump, directory, live, most_bytes_off, complaints):
    snapshot = directory / "own.hfs"
    rows = analyze(dump, directory, "own", "--snapshot", snapshot, complaints=complaints)
    classes = {}
    with rows.open(encoding="utf-8") as file:
        held = below_root = count = 0
        for row in csv.DictReader(file):
            count += 1
            held += int(row["shallow"])
            below_root += int(row["retained"]) if row["immediate_dominator"] == "0" else 0
            name = harness.plain_name(row["class"])
            classes[name] = classes.get(name, harness.Count(0, 0)) + harness.Count(1, int(row["shallow"]))
    true_sizes(classes, live, most_bytes_off, complaints)
    print(f"  by our own: {count:,} held objects, {held:,} bytes, {below_root:,} below the root")
    if held != below_root or not count:
        complaints.append(f"the root's children retain {below_root:,} of {held:,} bytes")
    good, text = run_tool("check_retained", snapshot, OBJECTS, SEED)
    print(f"  by removal: {text}")
    if not good:
        complaints.append("retained sizes differ from removal\n" + text)
    reachable_sizes(snapshot, complaints)


def reachable_sizes(graph, complaints):
    good, text = run_tool("check_reachable", graph, 2 * OBJECTS, SEED)
    print(f"  by search: {text}")
    if not good:
        complaints.append("reachable sizes differ from search\n" + text)


def true_sizes(classes, live, most_bytes_off, complaints):
    """Classes of which dump and histogram count the same instances: so do they count the same bytes?"""
    both = [(live[name], count) for name, count in classes.items() if name in live and live[name].instances == count.instances]
    equal = sum(vm.bytes == ours.bytes for vm, ours in both)
    vm_bytes, our_bytes = (sum(pair[i].bytes for pair in both) for i in (0, 1))
    print(f"  true sizes: {equal:,} of {len(both):,} classes, {our_bytes:,} of {vm_bytes:,} bytes")
    if equal < LEAST_CLASSES_OF_TRUE_SIZE * len(both) or abs(our_bytes - vm_bytes) > most_bytes_off * vm_bytes or not both:
        complaints.append("sizes are not the VM's")


def compressed(jvm, directory, complaints):
    """The VM's own compression changes nothing."""
    packed, plain = directory / "packed.hprof.gz", directory / "packed.hprof"
    jvm.jcmd("GC.heap_dump", "-gz=1", f"'{packed}'")
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    equal = [analyze(one, directory, one.name, "--like", "mat", complaints=complaints).read_bytes() for one in (packed, plain)]
    print(f"  compressed: {packed.stat().st_size:,} of {plain.stat().st_size:,} bytes")
    if equal[0] != equal[1]:
        complaints.append("the compressed dump gives other objects than the same one unpacked")


def check(program, jdk, arguments, unreachable_too):
    """(title, rules, complaints)"""
    complaints = []
    title = " ".join([f"{program.NAME}, {jdk}", *arguments] + ["-all"] * unreachable_too)
    with tempfile.TemporaryDirectory(prefix="holdfast hprof ") as folder:
        directory = pathlib.Path(folder)
        dump = directory / "heap.hprof"
        with program.start(jdk, ["-Xmx512m", *arguments], None, folder) as jvm:
            jvm.heap_dump(dump, unreachable_too)
            live = jvm.histogram()
            print(f"{title}: {dump.stat().st_size:,} bytes", flush=True)
            if jdk.version >= OLDEST_THAT_COMPRESSES:
                compressed(jvm, directory, complaints)
        rules = like_mat(dump, directory, complaints)
        own_rules(dump, directory, live, MOST_BYTES_OFF if jdk.version >= 17 else MOST_BYTES_OFF_BEFORE_17, complaints)
    return title, rules, [f"{title}: {complaint}" for complaint in complaints]


def table(columns):
    """Objects that each rule decided about, one column a dump."""
    names = {rule: text for _, rules in columns for rule, (_, text) in rules.items()}
    lines = ["| rule | " + " | ".join(title for title, _ in columns) + " |", "|" + "---|" * (len(columns) + 1)]
    for rule in sorted(names):
        counts = " | ".join(f"{rules[rule][0]:,}" if rule in rules else "-" for _, rules in columns)
        lines.append(f"| {rule}: {names[rule]} | {counts} |")
    return "\n".join(lines)


def cases():
    """(program, jdk, arguments, unreachable objects too)"""
    jdks = harness.jdks()
    for program, which, arguments, unreachable_too in CASES:
        jdk = programs.jdks_of(program, jdks)[which]
        if frozen.has(jdk, *arguments):
            yield program, jdk, arguments, unreachable_too
        else:
            print(f"note: {jdk} does not take {arguments}", flush=True)
    for jdk in jdks[1:-1]:
        yield Demo, jdk, [], False


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    columns, complaints = [], []
    if not pattern:
        print("a heap like the thesis' largest", flush=True)
        reachable_sizes("server-like", complaints)
    for program, jdk, arguments, unreachable_too in cases():
        if pattern not in program.NAME:
            continue
        title, rules, wrong = check(program, jdk, arguments, unreachable_too)
        columns.append((title, rules))
        complaints += wrong
    print("\nObjects that each rule decided about:\n\n" + table(columns) + "\n")
    print("\n".join(complaints) or "all as it should be")
    return 1 if complaints or not columns else 0


if __name__ == "__main__":
    sys.exit(main())
