"""What watching costs the application: one class histogram after another at the interval that the agent chooses itself (on=growth).

HeapLoad mutates its heap meanwhile. In place is capture=walk; the frozen rows are what a VM that can be frozen gets. Pause and cost are the agent's own
figures: cost is the pause, the capture thread's CPU time and the child's. The share is cost by interval. The stall is the longest gap of
a thread that ticks every millisecond, while samples were taken.
"""
import argparse
import re
import statistics
import sys
import tempfile
import time

import dump_cost
import harness

WAYS = {"frozen": "capture=auto", "in place": "capture=walk"}
FIRST_S = 5  # Growth::kShortestIntervalNs
TAKEN = re.compile(r"class histogram (by a child|in place): pause (\d+) us, cost (\d+) us")


def samples(jvm, wanted, longest_s):
    """[(pause ms, cost ms, when)]; the first one is left out: it touches what is reserved."""
    found = []
    deadline = time.monotonic() + longest_s
    while len(found) <= wanted and time.monotonic() < deadline:
        try:
            match = jvm.wait_line(TAKEN, deadline - time.monotonic())
        except harness.VmError:
            break
        found.append((int(match[2]) / 1000, int(match[3]) / 1000, time.monotonic()))
    return found


def measure(jdk, millions, load, way, wanted, longest_s):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        options = f"dir={directory},on=growth,memory=2g,pause=1h,log=debug,{WAYS[way]}"
        jvm, objects, _ = dump_cost.start(jdk, millions, load, options)
        with jvm:
            taken = samples(jvm, 0, longest_s)
            jvm.ask("mark", r"^marked")
            taken += samples(jvm, wanted - 1, longest_s)
            stall_ms, _ = dump_cost.stall_and_writes(jvm)
    if len(taken) < 3:
        raise harness.VmError(f"{jdk}, {way}: {len(taken)} histograms in {longest_s} s")
    rest = taken[1:]
    gaps = [later[2] - earlier[2] for earlier, later in zip(rest, rest[1:])]
    pause, cost, gap = (statistics.median(column) for column in ([s[0] for s in rest], [s[1] for s in rest], gaps))
    return (f"| {jdk.version} | {objects / dump_cost.MILLION:.1f} | {way} | {pause:.1f} | {max(s[0] for s in rest):.1f} | {stall_ms:.0f} | {cost:.0f} | "
            f"{gap:.1f} | {cost / gap / 10:.2f} % | {len(rest)} |")


def main(arguments):
    parser = argparse.ArgumentParser(prog="run watch", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1,10", help="millions of objects (default 1,10)")
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--longest", type=int, default=600, help="seconds for one row at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--busy", type=int, default=30)
    parser.add_argument("--jdk", type=int, help="only this version")
    chosen = parser.parse_args(arguments)
    print("| JDK | million objects | way | pause ms, median | highest | stall ms | CPU ms a sample | interval s | share | samples |\n"
          "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    load = (f"seed={chosen.seed}", f"busy={chosen.busy}")
    for jdk in harness.jdks():
        if chosen.jdk not in (None, jdk.version):
            continue
        for millions in map(int, chosen.sizes.split(",")):
            for way in WAYS:
                print(measure(jdk, millions, load, way, chosen.samples, chosen.longest), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
