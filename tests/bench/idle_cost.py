"""What the agent costs while nobody asks for a dump: an allocation- and lock-heavy benchmark with and without it, in pairs."""
import argparse
import pathlib
import sys
import tempfile

import harness
import paired_runs

HERE = pathlib.Path(__file__).resolve().parent


def operations_per_second(jdk, seconds, agent_options):
    classes = harness.compile_java("bench", sorted(HERE.glob("*.java")))
    arguments = ["-Xms512m", "-Xmx512m", "-cp", classes, "IdleLoad", f"seconds={seconds}"]
    with harness.Jvm(jdk, arguments, agent_options) as jvm:
        return float(jvm.wait_line(r"^ops_per_second (\d+)", 60 + 3 * seconds).group(1))


def main(arguments):
    parser = argparse.ArgumentParser(prog="run idle", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--jdk", type=int, help="only this version")
    parser.add_argument("--plain", action="store_true", help="no agent on either side: shows the noise")
    chosen = parser.parse_args(arguments)
    print(paired_runs.header("JDK"))
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        options = None if chosen.plain else f"dir={directory}"
        for jdk in harness.jdks():
            if chosen.jdk in (None, jdk.version):
                found = paired_runs.pairs(chosen.pairs, lambda: operations_per_second(jdk, chosen.seconds, None),
                                          lambda: operations_per_second(jdk, chosen.seconds, options))
                print(paired_runs.row(str(jdk.version), found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
