"""What memory accounts, and ages, cost: programs of the kinds of DaCapo 2006, each plain, sampled and exact; time, CPU time and peak memory.

Each run is a JVM of its own: rounds of equal work to warm up, then a fixed number of timed ones (accounts/Rounds.java). The variants of a program
follow each other, every time in another order; a factor is the median of those of a run and the plain one of its round. Every round
of every run must come to the same checksum. The heap is touched beforehand, so what peak memory (VmHWM) has more is what came on top.
JDK 17 unless told.
"""
import argparse
import statistics
import sys
from typing import NamedTuple

import accounts_agreement
import accounts_programs
import harness
import paired_runs
from accounts_run import VARIANTS, Variant, measure

DEFAULT_JDK = 17
DEFAULT_VARIANTS = "plain,sampled,exact,exact-overall"
PLAIN = "plain"


class Theirs(NamedTuple):
    """Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, factors of table 1; JDK 6, client compiler."""
    asgmemprof: float
    jfluid: float


THEIR_TIME = {"antlr": Theirs(1.72, 3.38), "chart": Theirs(9.63, 21.63), "eclipse": Theirs(3.81, 6.45), "fop": Theirs(6.31, 21.74),
              "hsqldb": Theirs(3.09, 4.00), "jython": Theirs(16.65, 17.62), "luindex": Theirs(6.46, 6.94), "lusearch": Theirs(4.29, 9.52),
              "xalan": Theirs(5.10, 7.95)}
THEIR_MEMORY = Theirs(1.94, 1.23)  # table 2, the whole of DaCapo


class Limit(NamedTuple):
    """What is wanted of a variant."""
    time_factor: float
    more_mb: float = float("inf")


LIMITS = {"sampled": Limit(1.03, 64), "exact": Limit(1.3), "ages": Limit(1.02, 64)}


# --- measuring ----------------------------------------------------------------------------------------------------

def measure_program(jdk, program, variants, chosen):
    """{variant's name: [Run]}"""
    ways = {variant.name: lambda variant=variant: measure(jdk, program, variant, chosen.warmups, chosen.rounds) for variant in variants}
    found = paired_runs.interleaved(chosen.runs, ways)
    checksums = {run.checksum: name for name, runs in found.items() for run in runs}
    if len(checksums) != 1:
        raise harness.VmError(f"{program.name}, {jdk}: different checksums: {checksums}")
    return found


def middle(runs, field):
    return statistics.median(getattr(run, field) for run in runs)


def factor(found, name, field):
    return statistics.median(getattr(run, field) / getattr(plain, field) for run, plain in zip(found[name], found[PLAIN]))


def more_mb(found, name):
    return statistics.median(run.peak_mb - plain.peak_mb for run, plain in zip(found[name], found[PLAIN]))


# --- tables -------------------------------------------------------------------------------------------------------

def lines_of(head, rows):
    return [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}", *(f"| {' | '.join(row)} |" for row in rows)]


def spread(runs, field):
    """The range: from the lowest to the highest, in percent of the median."""
    values = [getattr(run, field) for run in runs]
    return f"{(max(values) - min(values)) / statistics.median(values):.1%}"


def plain_table(results):
    head = ["program", "s", "range", "CPU s", "range", "first round s", "CPU s", "allocated MB/s", "peak MB", "range"]
    rows = []
    for name, found in results.items():
        runs = found[PLAIN]
        rows.append([name, f"{middle(runs, 'wall_s'):.2f}", spread(runs, "wall_s"), f"{middle(runs, 'cpu_s'):.2f}", spread(runs, "cpu_s"),
                     f"{middle(runs, 'first_wall_s'):.1f}", f"{middle(runs, 'first_cpu_s'):.1f}",
                     f"{middle(runs, 'allocated_mb') / middle(runs, 'wall_s'):,.0f}", f"{middle(runs, 'peak_mb'):,.0f}", spread(runs, "peak_mb")])
    return lines_of(head, rows)


def time_table(results, names):
    """Factors of time / CPU time; beside them those of others."""
    head = ["program", "plain s", *(f"{name}: time / CPU" for name in names), *(f"{name}: first round" for name in names),
            "ASGMemProf", "JFluid"]
    rows = []
    for program, found in results.items():
        theirs = THEIR_TIME[program]
        rows.append([program, f"{middle(found[PLAIN], 'wall_s'):.2f}",
                     *(f"{factor(found, name, 'wall_s'):.3f} / {factor(found, name, 'cpu_s'):.3f}" for name in names),
                     *(f"{factor(found, name, 'first_wall_s'):.2f}" for name in names), f"{theirs.asgmemprof:.2f}", f"{theirs.jfluid:.2f}"])
    return lines_of(head, rows)


def memory_table(results, names):
    """Factors of peak memory and what comes on top; [Accounts] has one figure for the whole of DaCapo."""
    head = ["program", "plain MB", *(f"{name}: factor, more MB" for name in names), "ASGMemProf", "JFluid"]
    rows = [[program, f"{middle(found[PLAIN], 'peak_mb'):,.0f}",
             *(f"{factor(found, name, 'peak_mb'):.2f}, {more_mb(found, name):+.0f}" for name in names), "", ""] for program, found in results.items()]
    highest = [f"{max(factor(found, name, 'peak_mb') for found in results.values()):.2f}, "
               f"{max(more_mb(found, name) for found in results.values()):+.0f}" for name in names]
    rows.append(["highest", "", *highest, f"{THEIR_MEMORY.asgmemprof:.2f}", f"{THEIR_MEMORY.jfluid:.2f}"])
    return lines_of(head, rows)


def shortfalls(results, names):
    """A line for each figure that is worse than what is wanted."""
    found = []
    for program, runs in results.items():
        for name in names:
            limit = LIMITS.get(name.partition("-")[0])
            if limit and factor(runs, name, "wall_s") > limit.time_factor:
                found.append(f"{program}, {name}: {factor(runs, name, 'wall_s'):.3f} of the time, wanted {limit.time_factor}")
            if limit and more_mb(runs, name) > limit.more_mb:
                found.append(f"{program}, {name}: {more_mb(runs, name):.0f} MB more, wanted {limit.more_mb}")
    return found


def print_results(jdk, results, names, runs):
    with_agent = [name for name in names if name != PLAIN]
    tables = [(f"### {jdk}, plain, median of {runs}", plain_table(results))]
    if with_agent:
        tables += [("### Time and CPU time, factors", time_table(results, with_agent)),
                   ("### Peak memory, factors", memory_table(results, with_agent)),
                   ("### What falls short", [f"- {line}" for line in shortfalls(results, with_agent)] or ["Nothing."])]
    for title, lines in tables:
        print("\n".join([title, "", *lines, ""]), flush=True)


# --- the command line -----------------------------------------------------------------------------------------------

def named(given, known, what):
    """The values of `known` for names with ',' between them, in that order."""
    names = given.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise harness.VmError(f"no {what} '{unknown[0]}'; there are {', '.join(known)}")
    return [known[name] for name in names]


def own_variant(text):
    """NAME=WORDS: a variant that is a list of JVM arguments."""
    name, _, words = text.partition("=")
    if not name or not words:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=WORDS, such as 'serial=-XX:+UseSerialGC'")
    return Variant(name, words=tuple(words.split()))


def whole(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number above 0")
    return int(text)


def choose(arguments):
    parser = argparse.ArgumentParser(prog="run accounts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(accounts_programs.BY_NAME), help=f"default {','.join(accounts_programs.BY_NAME)}")
    parser.add_argument("--variants", default=DEFAULT_VARIANTS,
                        help=f"of {', '.join(VARIANTS)}; default {DEFAULT_VARIANTS}; 'plain' alone shows the noise; overall: one account for all")
    parser.add_argument("--and", dest="own", action="append", type=own_variant, default=[], metavar="NAME=WORDS",
                        help="one more variant: arguments of the JVM")
    parser.add_argument("--runs", type=whole, default=5, help="of each variant (default 5)")
    parser.add_argument("--jdk", type=whole, action="append", help=f"a version; may be given again (default {DEFAULT_JDK})")
    parser.add_argument("--warmups", type=whole, help="rounds before the clock runs (default: each program's own)")
    parser.add_argument("--rounds", type=whole, help="timed rounds (default: each program's own, 5 to 10 s)")
    parser.add_argument("--agreement", action="store_true",
                        help="no times: whether exact mode counts the allocations that sampling with sample=0 sees, per account and class, in -Xint")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = choose(arguments)
    programs = named(chosen.programs, accounts_programs.BY_NAME, "program")
    if harness.jdks()[0].version < DEFAULT_JDK:
        raise harness.VmError(f"the programs are made for JDK {DEFAULT_JDK} and newer; HF_JDKS names an older one")
    jdks = named(",".join(map(str, chosen.jdk or [DEFAULT_JDK])), {str(jdk.version): jdk for jdk in harness.jdks()}, "JDK")
    if chosen.agreement:
        return max(accounts_agreement.main(jdk, programs) for jdk in jdks)
    variants = named(chosen.variants, VARIANTS, "variant") + chosen.own
    names = [variant.name for variant in variants]
    if PLAIN not in names:
        raise harness.VmError("factors need the variant 'plain'")
    for jdk in jdks:
        results = {}
        for program in programs:
            results[program.name] = measure_program(jdk, program, variants, chosen)
            print(f"{program.name}, {jdk}: done", file=sys.stderr, flush=True)
        print_results(jdk, results, names, chosen.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
