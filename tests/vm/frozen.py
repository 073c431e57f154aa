"""Dumps by the two rungs and their comparison: what the tests of the frozen rung have in common.

HF_RUNG=walk puts the standard rung in the frozen one's place: then a test shows its own noise and no more.
"""
import os
import pathlib
import re
import subprocess
import time

import harness

HERE = pathlib.Path(__file__).resolve().parent
RUNG = os.environ.get("HF_RUNG", "frozen")
FULL = bool(os.environ.get("HF_JDKS"))  # ./dev test --jdks: every collector and variant; else a short form
CHILD_NAME = "holdfast-child"
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

def children_of(pid):
    """{pid: name} of all children of a process, zombies included."""
    found = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue  # ended meanwhile
        if re.search(rf"^PPid:\s+{pid}$", text, re.MULTILINE):
            found[int(status.parent.name)] = re.search(r"^Name:\s+(.*)$", text, re.MULTILINE)[1]
    return found


def children_of_threads(pid):
    """The same by the kernel's own list, which is quick enough to catch a child in its first millisecond; pids alone."""
    found = set()
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found.update(map(int, children.read_text().split()))
        except OSError:
            continue
    return found


def thread_names(pid):
    names = []
    for name in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"):
        try:
            names.append(name.read_text())
        except OSError:
            continue  # it has ended
    return names


class Resources:
    """What a process holds: descriptors, threads, children, resident bytes."""

    def __init__(self, pid):
        self.descriptors = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
        names = thread_names(pid)
        self.threads = len(names)
        self.own_threads = sum(name.startswith("hf-") for name in names)  # the VM's own come and go
        self.children = len(children_of(pid))
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        self.resident_bytes = int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024
        self.mappings = pathlib.Path(f"/proc/{pid}/maps").read_text().count("\n")


def leftovers(directory):
    """Unfinished files of dumps."""
    return sorted(p.name for p in pathlib.Path(directory).iterdir() if p.name.endswith(".tmp"))


def control_socket(pid):
    """The path of the agent's control socket, or None: a listening socket of the process by the name that agents use."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
        except OSError:
            continue
        if match:
            inodes.add(match[1])
    for line in pathlib.Path(f"/proc/{pid}/net/unix").read_text().splitlines()[1:]:
        fields = line.split(maxsplit=7)
        if len(fields) == 8 and fields[6] in inodes and re.search(r"/holdfast-[\d-]+\.sock$", fields[7]):
            return pathlib.Path(fields[7])
    return None


def unshare_mounts():
    """This process gets a mount namespace of its own, whose changes nobody else sees; 0 when it has it."""
    new_namespace, private, recursive = 0x20000, 1 << 18, 1 << 14
    if harness.LIBC.unshare(new_namespace) != 0:
        return -1
    return harness.LIBC.mount(b"none", b"/", None, private | recursive, None)
