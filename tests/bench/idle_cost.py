"""What the agent costs while nobody asks for a dump: an allocation- and lock-heavy benchmark with and without it, in pairs.

The two runs of a pair follow each other directly, and every second pair begins with the other, so that drift of the machine cancels.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile

import harness

HERE = pathlib.Path(__file__).resolve().parent


def operations_per_second(jdk, seconds, agent_options):
    classes = harness.compile_java("bench", sorted(HERE.glob("*.java")))
    arguments = ["-Xms512m", "-Xmx512m", "-cp", classes, "IdleLoad", f"seconds={seconds}"]
    with harness.Jvm(jdk, arguments, agent_options) as jvm:
        return float(jvm.wait_line(r"^ops_per_second (\d+)", 60 + 3 * seconds).group(1))


def pair(jdk, seconds, number, with_options):
    """(without, with)."""
    if number % 2 == 0:
        without = operations_per_second(jdk, seconds, None)
        return without, operations_per_second(jdk, seconds, with_options)
    with_agent = operations_per_second(jdk, seconds, with_options)
    return operations_per_second(jdk, seconds, None), with_agent


def main(arguments):
    parser = argparse.ArgumentParser(prog="run idle", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--jdk", type=int, help="only this version")
    parser.add_argument("--plain", action="store_true", help="no agent on either side: shows the noise")
    chosen = parser.parse_args(arguments)
    print("| JDK | without, operations/s | with | with / without, median | lowest | highest | pairs |\n|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        options = None if chosen.plain else f"dir={directory}"
        for jdk in harness.jdks():
            if chosen.jdk in (None, jdk.version):
                print(row(jdk, [pair(jdk, chosen.seconds, i, options) for i in range(chosen.pairs)]), flush=True)
    return 0


def row(jdk, pairs):
    ratios = [with_agent / without for without, with_agent in pairs]
    without, with_agent = (statistics.median(column) for column in zip(*pairs))
    return (f"| {jdk.version} | {without:,.0f} | {with_agent:,.0f} | {statistics.median(ratios):.3f} | "
            f"{min(ratios):.3f} | {max(ratios):.3f} | {len(pairs)} |")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
