"""What a dump costs a .NET application: its longest stand-still, total time, native memory, file, beside dotnet-gcdump's session in the same run.

  bench dumps [--sizes 1,5,10] [--repetitions 3] [--gc workstation,server] [--busy 0] [--dotnet 10]

A virtual machine's host may take memory back and be slow to give it again, so some is touched before each way. A frozen dump's memory is its child's.
Each repetition starts a fresh process and tries every way in it, in an order that rotates; a thread that spins keeps its longest gap. Total: until the
report is there (ours), until the last event was read (the peer, which makes neither graph nor file).
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from typing import NamedTuple

import harness
from dump_child import ChildMemory
from touched_memory import touch_memory

MILLION = 1_000_000
MB = 1 << 20
BUSY = 0.5  # one-minute load average before anything of ours runs
QUIET_S = 0.5
GCS = {"workstation": {}, "server": harness.SERVER_GC}


class Sample(NamedTuple):
    stall_ms: float
    total_ms: float
    growth_mb: float       # highest growth of the process's resident memory
    child_mb: float = 0    # the most that a child was seen to have to itself
    predicted_mb: float = 0
    pause_ms: float = 0    # the agent's own figure
    clone_ms_per_gb: float = 0
    file_kb: float = 0


def collect(load):
    load.ask("collect", r"^collected_ms", 300)


def event_dump(load):
    done = subprocess.run([str(word) for word in (*harness.start_words("EventDump"), load.pid)], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not json.loads(done.stdout)["Complete"]:
        raise harness.VmError(f"EventDump: {done.stdout}{done.stderr}")


def dump_by(*words):
    return lambda load: harness.Report(load.dump(*words))


WAYS = {"GC.Collect, blocking": collect, "dotnet-gcdump's session": event_dump, "holdfast simple": dump_by("--simple"),
        "holdfast extended": dump_by("--extended", "--pause", "1h"), "holdfast extended, walk": dump_by("--extended", "--capture", "walk")}


def measure(load, way):
    touch_memory()
    time.sleep(QUIET_S)
    load.reset_peak()
    resident, _ = load.memory_bytes()
    load.ask("mark", "^marked")
    begin = time.monotonic()
    with ChildMemory(load.pid) as child:
        report = way(load)
        total_ms = (time.monotonic() - begin) * 1000
    stall_ms = float(load.ask("stall?", r"^stall_ms (\S+)")[1])
    sample = Sample(stall_ms, total_ms, max(0, load.memory_bytes()[1] - resident) / MB, child.highest / MB)
    return with_report(sample, report, resident) if report else sample


def with_report(sample, report, resident):
    return sample._replace(pause_ms=report.pause_ms() or 0, file_kb=report.file_bytes / 1024,
                           predicted_mb=(report.field("predicted_growth_bytes") or 0) / MB,
                           clone_ms_per_gb=(report.field("clone_ms") or 0) * (1 << 30) / resident)


def repetition(runtime, millions, gc, busy, rotate, samples):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        with harness.Clr("HeapLoad", [millions * MILLION, f"busy={busy}"], f"dir={directory},on=off,memory=2g", runtime, env=GCS[gc]) as load:
            load.wait_line(r"^READY", 300)
            names = list(WAYS)
            for name in names[rotate % len(names):] + names[:rotate % len(names)]:
                samples.setdefault(name, []).append(measure(load, WAYS[name]))


def table(title, samples):
    lines = [f"### {title}", "", "| way | stand-still ms | total ms | grows by MB | child MB | predicted | pause ms | clone ms/GB | file KB |", "|---|" + "---:|" * 8]
    for name in WAYS:
        middle = Sample(*(statistics.median(column) for column in zip(*samples[name])))
        lines.append(f"| {name} | " + " | ".join(f"{value:,.0f}" if value else "" for value in middle) + " |")
    return "\n".join(lines) + "\n"


def print_machine():
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, {os.cpu_count()} cores; load average {os.getloadavg()[0]:.1f}\n", flush=True)
    if os.getloadavg()[0] > BUSY:
        print("**The machine was busy with other things: these figures are too high.**\n", flush=True)


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench dumps", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1,5,10")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--gc", default="workstation,server")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--dotnet", type=int, default=harness.NEWEST)
    chosen = parser.parse_args(arguments)
    print_machine()
    runtime = harness.Runtime(chosen.dotnet)
    for gc in chosen.gc.split(","):
        for millions in map(int, chosen.sizes.split(",")):
            samples = {}
            for i in range(chosen.repetitions):
                repetition(runtime, millions, gc, chosen.busy, i, samples)
            title = f"{runtime}, {gc} GC, {millions} million objects, 1.5 references each, median of {chosen.repetitions}"
            print(table(title, samples), flush=True)
    return 0
