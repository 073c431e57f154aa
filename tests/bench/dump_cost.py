"""What a dump costs the application: stall, total time, native memory, file size, beside jcmd's dumps in the same run.

Each repetition starts a fresh JVM (malloc keeps what a dump took, so only a process's first dump shows its native memory) and tries every
way in it, in an order that rotates. The stall is the longest gap of a thread that ticks every millisecond, while another mutates the heap and
allocates, all the time or (--busy) some of it; how much it still writes until the dump is done, of what it writes otherwise, is the throughput.
A virtual machine's host may take memory back and be slow to give it again, so some is touched before each way. A frozen dump's memory is its
child's: the highest that it was seen to have to itself. Transparent huge pages (--thp) decide what the clone costs. Where JDK 8 is there, the dump of its own
agent hprof is a way too, in JVMs that have that agent.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

import harness
from dump_child import ChildMemory
from touched_memory import touch_memory

HERE = pathlib.Path(__file__).resolve().parent
MILLION = 1_000_000
HEAP_MB = {1: 512, 5: 1024, 10: 2048}  # about three times the live bytes and more
QUIET_S = 1.0            # before each way: what the load does undisturbed
HPROF_VERSION = 8        # the last JDK that has the agent hprof
HUGE_PAGES = "-XX:+UseTransparentHugePages"


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
    clone_ms: float = 0     # of the pause
    child_bytes: int = 0    # highest of what the child has to itself
    predicted_bytes: int = 0
    predicted_pause_ms: float = 0
    throughput: float = 0   # writes per second during the dump, of those before it


class Heap(NamedTuple):
    objects: int
    references: int
    cores: float  # that the application keeps busy undisturbed


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


def extended_frozen(jvm, directory):
    return {"report": harness.dump(jvm, directory, "dump=extended,capture=frozen", timeout_s=300)}


def simple_frozen(jvm, directory):
    return {"report": harness.dump(jvm, directory, "dump=simple,capture=frozen", timeout_s=300)}


def hprof_agent(jvm, directory):
    """What JDK 8's agent does at SIGQUIT; it appends, and says when it is done."""
    path = pathlib.Path(directory, "agent.hprof")
    before = path.stat().st_size if path.exists() else 0
    jvm.quit_signal()
    jvm.wait_line(r"^Dumping Java heap \.\.\..* done\.|^ *done\.", 900)
    return {"file_bytes": path.stat().st_size - before}


PLAIN = {"jcmd VM.version": ask_only, "GC.class_histogram": histogram_live, "GC.class_histogram -all": histogram_all,
         "GC.heap_dump": heap_dump_live, "GC.heap_dump -all": heap_dump_all}
AGENT = {"holdfast simple": simple, "holdfast simple, frozen": simple_frozen, "holdfast extended, frozen": extended_frozen,
         "holdfast extended, walk": extended_walk}


# --- measuring ----------------------------------------------------------------------------------------------------

def measure(jvm, way, directory):
    """(sample, cores that the application keeps busy undisturbed)"""
    touch_memory()
    usual_per_s, cores = undisturbed(jvm)
    jvm.reset_peak()
    resident, _ = jvm.memory_bytes()
    jvm.ask("mark", r"^marked")
    begin = time.monotonic()
    with ChildMemory(jvm.pid) as child:
        facts = way(jvm, directory)
        total_ms = (time.monotonic() - begin) * 1000
    stall_ms, writes = stall_and_writes(jvm)
    after, peak = jvm.memory_bytes()
    sample = Sample(stall_ms, total_ms, max(0, peak - resident), max(0, after - resident), facts.get("file_bytes", 0),
                    child_bytes=child.highest, throughput=writes / total_ms * 1000 / max(1, usual_per_s))
    return (with_report(sample, facts["report"]) if "report" in facts else sample), cores


def undisturbed(jvm):
    cpu_s = jvm.cpu_s()
    jvm.ask("mark", r"^marked")
    time.sleep(QUIET_S)
    return stall_and_writes(jvm)[1] / QUIET_S, (jvm.cpu_s() - cpu_s) / QUIET_S


def stall_and_writes(jvm):
    answer = jvm.ask("stall?", r"^stall_ms (\S+) writes (\d+)")
    return float(answer[1]), int(answer[2])


def with_report(sample, path):
    report = harness.Report(path)
    path.unlink()
    return sample._replace(file_bytes=report.file_bytes, pause_ms=report.pause_ms() or 0, analysis_ms=report.analysis_ms() or 0,
                           ledger_bytes=report.peak_bytes() or 0, tags_bytes=report.vm_tag_bytes_estimate() or 0,
                           clone_ms=report.field("clone_ms") or 0, predicted_bytes=report.field("predicted_growth_bytes") or 0,
                           predicted_pause_ms=report.field("predicted_pause_ms") or 0)


def start(jdk, millions, load, agent_options, flags=()):
    classes = harness.compile_java("bench", sorted(HERE.glob("*.java")))
    heap = HEAP_MB.get(millions, 256 * millions)
    jvm = harness.Jvm(jdk, [f"-Xms{heap}m", f"-Xmx{heap}m", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch", *flags, "-cp", classes,
                            "HeapLoad", millions * MILLION, *load], agent_options)
    try:
        ready = jvm.wait_line(r"^READY objects=(\d+) references=(\d+)", 300)
    except BaseException:
        jvm.stop()
        raise
    return jvm, int(ready.group(1)), int(ready.group(2))


def repetition(jdk, millions, load, ways, rotate, samples, flags):
    """Adds one sample for each way to `samples`; returns the heap's figures."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        agent_options = f"dir={directory},on=signal,memory=2g,pause=1h" if any(name in AGENT for name in ways) else None
        jvm, objects, references = start(jdk, millions, load, agent_options, flags)
        with jvm:
            names = list(ways)
            cores = []
            for name in names[rotate % len(names):] + names[:rotate % len(names)]:
                sample, busy = measure(jvm, ways[name], directory)
                samples.setdefault(name, []).append(sample)
                cores.append(busy)
    return Heap(objects, references, statistics.median(cores))


def repetition_with_hprof(jdk, millions, load, samples, flags):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        agent = f"-agentlib:hprof=heap=dump,format=b,file={directory}/agent.hprof"
        jvm, _, _ = start(jdk, millions, load, None, [*flags, agent])
        with jvm:
            samples.setdefault("-agentlib:hprof", []).append(measure(jvm, hprof_agent, directory)[0])
            jvm.kill()  # it would dump once more at the end


def run(jdks, sizes, repetitions, ways, load, flags):
    for millions in sizes:
        samples = {jdk: {} for jdk in jdks}
        heaps = {}
        for i in range(repetitions):
            for jdk in jdks:  # interleaved, so that a disturbance meets both
                heaps[jdk] = repetition(jdk, millions, load, ways, i, samples[jdk], flags)
                if jdk.version == HPROF_VERSION:
                    repetition_with_hprof(jdk, millions, load, samples[jdk], flags)
        for jdk in jdks:
            heap = heaps[jdk]
            title = (f"{jdk}, {heap.objects:,} objects, {heap.references:,} references, {' '.join(load)}, "
                     f"the application keeps {heap.cores:.1f} cores busy, median of {repetitions}")
            print(table(title + (", huge pages" if HUGE_PAGES in flags else ""), samples[jdk], heap.objects), flush=True)


HEAD = ("way", "stall ms", "total ms", "native B/object", "kept B/object", "file KB", "pause ms", "predicted", "clone ms", "analysis ms",
        "ledger B/object", "tags B/object", "child MB", "predicted", "throughput")


def table(title, samples, objects):
    lines = [f"### {title}", "", "| " + " | ".join(HEAD) + " |", "|---|" + "---:|" * (len(HEAD) - 1)]
    for name in samples:
        m = Sample(*(statistics.median(column) for column in zip(*samples[name])))
        cells = [f"{m.stall_ms:,.0f}", f"{m.total_ms:,.0f}", per(m.native_bytes, objects), per(m.kept_bytes, objects), shown(m.file_bytes / 1024),
                 shown(m.pause_ms), shown(m.predicted_pause_ms), shown(m.clone_ms), shown(m.analysis_ms), per(m.ledger_bytes, objects),
                 per(m.tags_bytes, objects), shown(m.child_bytes / (1 << 20)), shown(m.predicted_bytes / (1 << 20)), f"{m.throughput:.0%}"]
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
    parser.add_argument("--busy", type=int, default=100, help="percent of the time that the mutating thread works (default 100)")
    parser.add_argument("--jdk", type=int, help="only this version")
    parser.add_argument("--plain", action="store_true", help="without the agent: jcmd's dumps alone")
    parser.add_argument("--without", default="", help="leave out ways whose name contains this, such as walk")
    parser.add_argument("--thp", choices=("no", "yes", "both"), default="no", help="transparent huge pages for the heap")
    chosen = parser.parse_args(arguments)
    jdks = [jdk for jdk in harness.jdks() if chosen.jdk in (None, jdk.version)]
    ways = PLAIN if chosen.plain else {**AGENT, **PLAIN}
    ways = {name: way for name, way in ways.items() if not chosen.without or chosen.without not in name}
    for flags in {"no": [()], "yes": [(HUGE_PAGES,)], "both": [(), (HUGE_PAGES,)]}[chosen.thp]:
        run(jdks, [int(s) for s in chosen.sizes.split(",")], chosen.repetitions, ways,
            (f"seed={chosen.seed}", f"busy={chosen.busy}"), flags)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
