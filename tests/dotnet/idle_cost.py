"""What the agent costs a .NET application while nobody asks for a dump: an allocation- and lock-heavy load with and without it, in pairs.

Beside the operations: how many collections there were, and how many of them ran in the background, beside the application.
"""
import argparse
import statistics
import tempfile

import harness
import paired_runs

GCS = {"workstation": {}, "server": harness.SERVER_GC}


def run(runtime, gc, seconds, agent_options, collections):
    """Operations per second; what was collected goes into `collections`."""
    with harness.Clr("IdleLoad", [f"seconds={seconds}"], agent_options, runtime, env=GCS[gc]) as load:
        operations = float(load.wait_line(r"^ops_per_second (\d+)", 60 + 3 * seconds)[1])
        collections.append([int(word) for word in load.wait_line(r"^collections (.+)$")[1].split()])
    return operations


def shown(collections):
    """Medians: generation 0, 1, 2, in the background."""
    return " / ".join(f"{statistics.median(column):.0f}" for column in zip(*collections))


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench idle", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--gc", default="workstation,server")
    parser.add_argument("--dotnet", type=int, default=harness.NEWEST)
    parser.add_argument("--on", help="triggers of the agent, as on= has them (default: those of an agent without options)")
    parser.add_argument("--plain", action="store_true", help="no agent on either side: shows the noise")
    chosen = parser.parse_args(arguments)
    runtime = harness.Runtime(chosen.dotnet)
    print(paired_runs.header("runtime, GC", "collections of generation 0 / 1 / 2 / in the background, without | with"))
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        options = None if chosen.plain else f"dir={directory}" + (f",on={chosen.on}" if chosen.on else "")
        for gc in chosen.gc.split(","):
            without, with_agent = [], []
            pairs = paired_runs.pairs(chosen.pairs, lambda: run(runtime, gc, chosen.seconds, None, without),
                                      lambda: run(runtime, gc, chosen.seconds, options, with_agent))
            print(paired_runs.row(f"{runtime}, {gc}", pairs, shown(without), shown(with_agent)), flush=True)
    return 0
