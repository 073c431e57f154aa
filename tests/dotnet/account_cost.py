"""What memory accounts cost a .NET application that does nothing but allocate: objects per second of CPU time, with and without them, in pairs.

Both sides have the agent; the whole process' CPU time counts, the agent's threads included.
"""
import argparse
import tempfile

import harness
import paired_runs
from resources import thread_names

GCS = {"workstation": {}, "server": harness.SERVER_GC}


ACCOUNTS_THREAD = "hf-accounts"


def run(runtime, gc, seconds, depth, options):
    """Objects per second of CPU time. Accounts that stay off are an error: it would look as if they cost nothing."""
    with harness.Clr("AccountLoad", [f"loop={seconds}", f"depth={depth}"], options, runtime, env=GCS[gc]) as load:
        if "accounts=" in options:
            harness.wait_until(lambda: ACCOUNTS_THREAD in thread_names(load.pid), what="accounts")
        return float(load.wait_line(r"^ops_per_cpu_second (\d+)", 60 + 20 * seconds)[1])


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench accounts", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--gc", default="workstation")
    parser.add_argument("--samples", default="512k,128k")
    parser.add_argument("--depths", default="5,60")
    parser.add_argument("--dotnets", default="10,9")
    chosen = parser.parse_args(arguments)
    print(paired_runs.header("runtime, GC, sample=, frames").replace("operations/s", "objects/CPU s"))
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        plain = f"dir={directory},log=off"
        for version in map(int, chosen.dotnets.split(",")):
            runtime = harness.Runtime(version)
            for gc in chosen.gc.split(","):
                for sample in chosen.samples.split(","):
                    for depth in map(int, chosen.depths.split(",")):
                        accounts = f"{plain},accounts=AccountLoad.*,sample={sample}"
                        pairs = paired_runs.pairs(chosen.pairs, lambda: run(runtime, gc, chosen.seconds, depth, plain),
                                                  lambda: run(runtime, gc, chosen.seconds, depth, accounts))
                        print(paired_runs.row(f"{runtime}, {gc}, {sample}, {depth}", pairs), flush=True)
    return 0
