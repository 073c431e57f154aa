#!/usr/bin/env python3
"""The pause that is allowed is the pause that is taken, however many threads, frames and JNI references there are.

What a program holds by them alone is counted all the same: the child finds it in its copy.
"""
import os
import pathlib
import re
import subprocess
import time
import unittest

import frozen
import harness

LIMIT_MS = 250  # the clone of a thousand stacks takes 40 ms on an idle machine
TRIES = 3  # other programs may take the processors away in the middle of a stop
# A walk that may show any object would stop these for longer than the limit, or for much of it.
KINDS = {
    "frames": {"threads": 1000, "frames": 150},
    "one deep stack": {"threads": 1, "frames": 9000},
    "JNI globals": {"globals": 1_000_000},
    "JNI locals beside frames": {"threads": 300, "frames": 200, "locals": 5_000},
}
HELD_BY = {"frames": "OnStack", "globals": "Global", "locals": "Local", "virtual": "InVirtual"}


def native_library(jdk):
    out = harness.BUILD / "java" / "libwaiting.so"
    out.parent.mkdir(parents=True, exist_ok=True)
    include = pathlib.Path(jdk.home, "include")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{include}", f"-I{include}/linux",
                    "-o", out, frozen.HERE / "victim" / "waiting.c"], check=True)
    return out


def safepoints_ms(log, name="HeapWalkOperation"):
    """Each stop of this kind, as the VM saw it."""
    found = re.findall(rf'Safepoint "{name}".*Total: *(\d+) ns', log.read_text())
    return [int(ns) / 1e6 for ns in found]


def expected(kind):
    """{class: objects that nothing but stacks and references of native code holds}"""
    held = {name: kind[word] for word, name in HELD_BY.items() if word in kind and word != "frames"}
    if "frames" in kind:
        held["OnStack"] = kind["threads"] * kind["frames"]
    return held


def counted(report, name):
    rows = [row for row in report.data["classes"] if row["class"] in (f"Waiting.{name}", f"Waiting${name}")]
    return rows[0]["instances"] if rows else 0


class Pauses(unittest.TestCase):
    def dump(self, jdk, directory, kind):
        """The report of a simple dump by an agent that comes late, and the VM's stops for it."""
        log = pathlib.Path(directory, "safepoints")
        words = [f"-D{name}={value}" for name, value in kind.items()]
        if "globals" in kind or "locals" in kind:
            words.append(f"-Dlibrary={native_library(jdk)}")
        loud = [f"-Xlog:safepoint:file={log}"]
        with harness.victim("Waiting", jdk, ["-Xmx1g", "-Xss16m", *loud, *words], None) as jvm:
            before, stops = harness.reports_in(directory), len(safepoints_ms(log))
            jvm.agent_load(f"dir={directory},on=off,pause={LIMIT_MS}ms,dump=simple,capture=frozen")
            report = harness.Report(harness.wait_report(directory, before, 300, jvm))
            time.sleep(0.2)
            return report, safepoints_ms(log)[stops:]

    def holds(self, jdk, directory, kind):
        for turn in range(TRIES):
            report, stops = self.dump(jdk, directory, kind)
            for name, objects in expected(kind).items():
                found = counted(report, name)  # stale words may hold some that are gone
                self.assertTrue(objects <= found <= objects * 1.2, f"{name}: {found} of {objects}; {report.data['notes']}")
            reported_ms = report.data["dump"]["pause_ms"]
            seen = f"{jdk}, {kind}: reported {reported_ms:.1f} ms, the VM stopped for {stops}"
            print(seen, flush=True)
            if reported_ms <= LIMIT_MS and sum(stops) <= reported_ms + 5:
                self.assertEqual(len(stops), 1, seen)
                return
        self.fail(seen)

    @harness.on_each_jdk
    def test_no_kind_of_root_passes_the_limit(self, jdk, directory):
        if jdk.version < 11:
            self.skipTest("-Xlog came with 9")
        for kind in KINDS.values():
            self.holds(jdk, directory, kind)

    @harness.on_each_jdk
    def test_virtual_threads(self, jdk, directory):
        if jdk.version < 21:
            self.skipTest("no virtual threads")
        self.holds(jdk, directory, {"virtual": 100_000})


if __name__ == "__main__":
    unittest.main()
