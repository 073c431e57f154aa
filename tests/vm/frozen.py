"""Dumps by the two rungs and their comparison: what the tests of the frozen rung have in common.

HF_RUNG=walk puts the standard rung in the frozen one's place: then a test shows its own noise and no more.
"""
import os
import pathlib
import subprocess
import time

import harness
from dump_child import CHILD_NAME, children_of_threads  # noqa: F401
from resources import Resources, children_of, control_socket, leftovers, thread_names  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
RUNG = os.environ.get("HF_RUNG", "frozen")
FULL = bool(os.environ.get("HF_JDKS"))  # ./dev test --jdks: every collector and variant; else a short form
AGENT = "snapshot=on,memory=1g,pause=1h"
SAME_GRAPH = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "check_same_graph"


def has(jdk, *flags):
    """Whether this JVM takes the flags."""
    done = subprocess.run([jdk.tool("java"), *flags, "-version"], env=harness.environment(), capture_output=True, check=False)
    return done.returncode == 0


def said(jvm):
    """The agent's lines on stderr."""
    return [line for line in jvm.lines if line.startswith("holdfast:")]


def try_dump(jvm, directory, options, timeout_s=120):
    """The report of a dump by command, or None where a line says why there is none."""
    before, lines = harness.reports_in(directory), len(said(jvm))
    jvm.agent_load(options)
    ended = lambda: harness.reports_in(directory) - before or len(said(jvm)) > lines or not jvm.running()
    harness.wait_until(ended, timeout_s, "a report or a reason")
    new = harness.reports_in(directory) - before
    if not new:
        time.sleep(0.2)  # one refusal may be several lines
    return harness.Report(new.pop()) if new else None


def dump(jvm, directory, rung=RUNG, kind="extended", timeout_s=120):
    """A dump by this rung and no other; its report."""
    report = try_dump(jvm, directory, f"dump={kind},capture={rung}", timeout_s)
    if report is None:
        raise harness.VmError(f"{jvm.jdk}, pid {jvm.pid}: no {rung} dump: {said(jvm)}")
    if kind == "extended" and (report.field("rung"), report.field("kind")) != (rung, kind):
        raise harness.VmError(f"{jvm.jdk}: asked for {rung}, and got {report.field('rung')}; notes: {report.data['notes']}")
    return report


def snapshot_of(report):
    return report.path.with_suffix(".hfs")


def same_graph(walked, frozen):
    """(equal, what check_same_graph printed) for two reports of the same quiet heap."""
    done = subprocess.run([SAME_GRAPH, snapshot_of(walked), snapshot_of(frozen)], capture_output=True, text=True, check=False)
    return done.returncode == 0, (done.stdout + done.stderr).rstrip()


# --- what a child may leave behind --------------------------------------------------------------------------------

def unshare_mounts():
    """This process gets a mount namespace of its own, whose changes nobody else sees; 0 when it has it."""
    new_namespace, private, recursive = 0x20000, 1 << 18, 1 << 14
    if harness.LIBC.unshare(new_namespace) != 0:
        return -1
    return harness.LIBC.mount(b"none", b"/", None, private | recursive, None)
