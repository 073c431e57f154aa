"""What a dump costs the application: stall, total time, native memory, file size, beside jcmd's dumps in the same run.

Each repetition starts a fresh JVM (malloc keeps what a dump took, so only a process's first dump shows its native memory) and tries every
way in it, in an order that rotates. The stall is the longest gap of a thread that ticks every millisecond, while another mutates the heap.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

import harness

HERE = pathlib.Path(__file__).resolve().parent
MILLION = 1_000_000
HEAP_MB = {1: 512, 5: 1024, 10: 2048}  # about three times the live bytes and more
QUIET_S = 0.3


class Sample(NamedTuple):
    stall_ms: float
    total_ms: float
    native_bytes: int = 0   # highest growth of resident memory; the heap itself is touched beforehand
    kept_bytes: int = 0     # growth that stays
    file_bytes: int = 0
    pause_ms: float = 0     # the agent's own figure
    analysis_ms: float = 0
    ledger_bytes: int = 0   # the agent's own highest use
    tags_bytes: int = 0     # its estimate of the VM's tag memory


# --- the ways -----------------------------------------------------------------------------------------------------

def ask_only(jvm, _directory):
    """What jcmd itself costs; part of every total below."""
    jvm.jcmd("VM.version")
    return {}


def histogram_live(jvm, _directory):
    jvm.jcmd("GC.class_histogram")
    return {}


def histogram_all(jvm, _directory):
    jvm.jcmd("GC.class_histogram", "-all")
    return {}


def heap_dump_live(jvm, directory):
    return heap_dump(jvm, directory, False)


def heap_dump_all(jvm, directory):
    return heap_dump(jvm, directory, True)


def heap_dump(jvm, directory, unreachable_too):
    path = pathlib.Path(directory, "heap.hprof")
    jvm.heap_dump(path, unreachable_too)
    size = path.stat().st_size
    path.unlink()
    return {"file_bytes": size}


def simple(jvm, directory):
    return {"report": harness.dump(jvm, directory, "dump=simple")}


def extended_walk(jvm, directory):
    return {"report": harness.dump(jvm, directory, "dump=extended,capture=walk", timeout_s=300)}


PLAIN = {"jcmd VM.version": ask_only, "GC.class_histogram": histogram_live, "GC.class_histogram -all": histogram_all,
         "GC.heap_dump": heap_dump_live, "GC.heap_dump -all": heap_dump_all}
AGENT = {"holdfast simple": simple, "holdfast extended, walk": extended_walk}


# --- measuring ----------------------------------------------------------------------------------------------------

def measure(jvm, way, directory):
    jvm.reset_peak()
    resident, _ = jvm.memory_bytes()
    jvm.ask("mark", r"^marked")
    begin = time.monotonic()
    facts = way(jvm, directory)
    total_ms = (time.monotonic() - begin) * 1000
    stall_ms = float(jvm.ask("stall?", r"^stall_ms (\S+)").group(1))
    after, peak = jvm.memory_bytes()
    sample = Sample(stall_ms, total_ms, max(0, peak - resident), max(0, after - resident), facts.get("file_bytes", 0))
    return with_report(sample, facts["report"]) if "report" in facts else sample


def with_report(sample, path):
    report = harness.Report(path)
    path.unlink()
    return sample._replace(file_bytes=report.file_bytes, pause_ms=report.pause_ms() or 0, analysis_ms=report.analysis_ms() or 0,
                           ledger_bytes=report.peak_bytes() or 0, tags_bytes=report.vm_tag_bytes_estimate() or 0)


def start(jdk, millions, seed, agent_options):
    classes = harness.compile_java("bench", sorted(HERE.glob("*.java")))
    heap = HEAP_MB.get(millions, 256 * millions)
    jvm = harness.Jvm(jdk, [f"-Xms{heap}m", f"-Xmx{heap}m", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch", "-cp", classes,
                            "HeapLoad", millions * MILLION, f"seed={seed}"], agent_options)
    try:
        ready = jvm.wait_line(r"^READY objects=(\d+) references=(\d+)", 300)
    except BaseException:
        jvm.stop()
        raise
    return jvm, int(ready.group(1)), int(ready.group(2))


def repetition(jdk, millions, seed, ways, rotate, samples):
    """Adds one sample for each way to `samples`; returns the heap's figures."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        agent_options = f"dir={directory},on=signal,memory=2g" if any(name in AGENT for name in ways) else None
        jvm, objects, references = start(jdk, millions, seed, agent_options)
        with jvm:
            names = list(ways)
            for name in names[rotate % len(names):] + names[:rotate % len(names)]:
                time.sleep(QUIET_S)
                samples.setdefault(name, []).append(measure(jvm, ways[name], directory))
    return objects, references


def run(jdks, sizes, repetitions, ways, seed):
    for millions in sizes:
        samples = {jdk: {} for jdk in jdks}
        for i in range(repetitions):
            for jdk in jdks:  # interleaved, so that a disturbance meets both
                heap = repetition(jdk, millions, seed, ways, i, samples[jdk])
        for jdk in jdks:
            print(table(f"{jdk}, {heap[0]:,} objects, {heap[1]:,} references, seed {seed}, median of {repetitions}",
                        samples[jdk], ways, heap[0]), flush=True)


def table(title, samples, ways, objects):
    lines = [f"### {title}", "",
             "| way | stall ms | total ms | native B/object | kept B/object | file KB | pause ms | analysis ms | ledger B/object | tags B/object |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for name in ways:
        m = Sample(*(statistics.median(column) for column in zip(*samples[name])))
        cells = [f"{m.stall_ms:,.0f}", f"{m.total_ms:,.0f}", per(m.native_bytes, objects), per(m.kept_bytes, objects), shown(m.file_bytes / 1024),
                 shown(m.pause_ms), shown(m.analysis_ms), per(m.ledger_bytes, objects), per(m.tags_bytes, objects)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def shown(value):
    return f"{value:,.0f}" if value else ""


def per(value, objects):
    return f"{value / objects:.1f}" if value else ""


def main(arguments):
    parser = argparse.ArgumentParser(prog="run dumps", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1,5,10", help="millions of objects (default 1,5,10)")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jdk", type=int, help="only this version")
    parser.add_argument("--plain", action="store_true", help="without the agent: jcmd's dumps alone")
    chosen = parser.parse_args(arguments)
    jdks = [jdk for jdk in harness.jdks() if chosen.jdk in (None, jdk.version)]
    ways = PLAIN if chosen.plain else {**AGENT, **PLAIN}
    run(jdks, [int(s) for s in chosen.sizes.split(",")], chosen.repetitions, ways, chosen.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
