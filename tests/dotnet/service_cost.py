"""What dumps cost the users of an ASP.NET Core service under load: answers a second, the slowest answer, how long collections stop it.

  bench service [--objects 5] [--seconds 20] [--repetitions 1] [--connections 4] [--gc workstation,server] [--dotnet 10]

Each repetition starts the service anew and lets it run through every condition, for as long each, in an order that rotates: alone; with one dump's
child after the other; beside a process that analyses a snapshot again and again and has nothing to do with the service, at the child's priority
(the fair comparison: both want a processor); and with the session that dotnet-gcdump asks for, over and over.
"""
import argparse
import contextlib
import itertools
import pathlib
import statistics
import subprocess
import tempfile
import time

import dump_cost
import harness

MILLION = 1_000_000
WARM_UP_S = 5
QUIET_S = 0.5
GCS = dump_cost.GCS
AGENT = "on=off,memory=2g,pause=1h,cooldown=0s,max-dumps=3"
ANSWERS = r"^answers (\d+) slowest_ms (\S+) p99_ms (\S+)"


class Bench:
    def __init__(self, service, crowd, snapshot):
        self.service, self.crowd, self.snapshot = service, crowd, snapshot

    def alone(self, until):
        time.sleep(max(0, until - time.monotonic()))
        return 0

    def dumps(self, until):
        for count in itertools.count():
            if time.monotonic() >= until:
                return count
            self.service.dump("--extended")

    def stranger(self, until):
        words = ["nice", "-n", "19", str(harness.command()), "analyze", self.snapshot, "-o", self.snapshot.with_suffix(".again.hfr"), "--quiet"]
        for count in itertools.count():
            if time.monotonic() >= until:
                return count
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(words, timeout=max(0.1, until - time.monotonic()), check=True, capture_output=True)

    def sessions(self, until):
        for count in itertools.count():
            if time.monotonic() >= until:
                return count
            dump_cost.event_dump(self.service)

    def measure(self, condition, seconds):
        """{what: figure}; pauses as a list"""
        time.sleep(QUIET_S)
        self.service.ask("mark", "^marked")
        self.crowd.ask("mark", "^marked")
        begin = time.monotonic()
        done = condition(self, begin + seconds)
        took = time.monotonic() - begin
        answers, slowest, p99 = map(float, self.crowd.ask("answers?", ANSWERS).groups())
        pauses = self.service.ask("pauses?", "^pauses_ms(.*)")[1].split()
        return {"done": done, "answers": answers / took, "slowest": slowest, "p99": p99, "pauses": sorted(map(float, pauses)), "seconds": took}


CONDITIONS = {"alone": Bench.alone, "dumps, frozen, one after the other": Bench.dumps, "beside a busy process": Bench.stranger,
              "dotnet-gcdump's session, over and over": Bench.sessions}


def repetition(chosen, runtime, gc, rotate, samples):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory, \
            harness.Clr("WebLoad", ["serve", chosen.objects * MILLION], f"dir={directory},{AGENT}", runtime, env=GCS[gc]) as service:
        url = service.wait_line(r"^READY (\S+)", 300)[1]
        with harness.Process("crowd", [*harness.start_words("WebLoad"), "ask", url, chosen.connections], env=harness.environment()) as crowd:
            crowd.wait_line("^READY", 60)
            time.sleep(WARM_UP_S)
            snapshot = pathlib.Path(service.dump("--extended", "--snapshot")).with_suffix(".hfs")
            kept = snapshot.rename(pathlib.Path(directory, "kept.hfs"))
            bench = Bench(service, crowd, kept)
            names = list(CONDITIONS)
            for name in names[rotate % len(names):] + names[:rotate % len(names)]:
                samples.setdefault(name, []).append(bench.measure(CONDITIONS[name], chosen.seconds))


def spread(pauses):
    if not pauses:
        return ["0", "", "", ""]
    return [str(len(pauses)), *(f"{pauses[min(len(pauses) - 1, int(len(pauses) * share))]:.1f}" for share in (0.5, 0.9)), f"{pauses[-1]:.1f}"]


def table(title, samples):
    lines = [f"### {title}", "", "| | times | answers/s | p99 ms | slowest ms | collections | pause p50 ms | p90 | max |", "|---|" + "---:|" * 8]
    for name in CONDITIONS:
        rows = samples[name]
        middle = {key: statistics.median(row[key] for row in rows) for key in ("done", "answers", "slowest", "p99")}
        pauses = sorted(itertools.chain.from_iterable(row["pauses"] for row in rows))
        lines.append(f"| {name} | {middle['done']:.0f} | {middle['answers']:,.0f} | {middle['p99']:.1f} | {middle['slowest']:,.0f} | " + " | ".join(spread(pauses)) + " |")
    return "\n".join(lines) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench service", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=5, help="millions")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--gc", default="workstation,server")
    parser.add_argument("--dotnet", type=int, default=harness.NEWEST)
    chosen = parser.parse_args(arguments)
    dump_cost.print_machine()
    runtime = harness.Runtime(chosen.dotnet)
    for gc in chosen.gc.split(","):
        samples = {}
        for i in range(chosen.repetitions):
            repetition(chosen, runtime, gc, i, samples)
        title = f"{runtime}, {gc} GC, {chosen.objects} million objects, {chosen.connections} connections, {chosen.seconds:g} s each, {chosen.repetitions} repetitions"
        print(table(title, samples), flush=True)
    return 0
