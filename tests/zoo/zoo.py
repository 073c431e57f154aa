"""Runs a case of cases.py once and says which promises were broken: a report is there, the stop is within its bound and as reported, memory is within
its bound, the verdict is right, nothing is left over."""
import functools
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "vm"), str(HERE.parent / "running")]
import dump_child  # noqa: E402
import harness  # noqa: E402


def _dotnet_harness():
    """That of tests/dotnet has the same name."""
    spec = importlib.util.spec_from_file_location("dotnet_harness", HERE.parent / "dotnet" / "harness.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


dotnet = _dotnet_harness()

JARS = pathlib.Path("/usr/share/java")  # of Debian's packages
DOTNET_PROGRAMS = {"dotnet": "ZooKinds", "dotnet-service": "ZooService"}
START_S = 300
DUMP_S = 300
OFF_SHARE = 0.2  # what is reported may be off by that share of what was seen,
OFF_MS = 5       # or by that
SHORT_MS = 200   # an analysis that takes less is not asked how long it was expected to take


class Outcome(NamedTuple):
    broken: list      # sentences, none when all is kept
    seen_ms: float = 0
    reported_ms: float = 0
    predicted_ms: float = 0
    verdict: str = ""
    own_ms: float = 0  # a program under load: the longest gap without a dump
    judged: object = None  # a Judged, where there is a report

    @property
    def lost(self):
        return any(one.startswith("no report") for one in self.broken)


class Judged(NamedTuple):
    """How sure the report is of its first suspect, and whether its verdict is right."""
    confidence: object  # in percent; None: it names no suspect
    right: bool
    expected_ms: object  # CPU time that the analysis was expected to take; None: not said
    analysis_ms: float   # and took


LEVELS = ((None, "no suspect"), (0, "below 60 %"), (60, "60 to 79 %"), (80, "80 to 94 %"), (95, "95 % and more"))


def level_of(confidence):
    """The row of LEVELS."""
    if confidence is None:
        return 0
    return max(row for row, (least, _) in enumerate(LEVELS) if least is not None and confidence >= least)


def confidence_table(judged):
    """How often the verdict was right, by how sure the report was of its first suspect."""
    lines = ["| confidence of the first suspect | reports | verdict right | share |", "|---|--:|--:|--:|"]
    for row, (_, words) in enumerate(LEVELS):
        of_level = [one.right for one in judged if level_of(one.confidence) == row]
        if of_level:
            lines.append(f"| {words} | {len(of_level)} | {sum(of_level)} | {100 * sum(of_level) / len(of_level):.0f} % |")
    return "\n".join(lines)


@functools.cache
def handles_library():
    """java/handles.c, for the JDK that compiles the programs."""
    library = harness.BUILD / "java" / "libzoo_handles.so"
    source = HERE / "java" / "handles.c"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        include = pathlib.Path(harness.jdks()[0].home) / "include"
        library.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-I{include}", f"-I{include}/linux", source, "-o", library], check=True)
    return library


def runtimes(case):
    """JDKs or .NETs that can run it; none, and a line that says so, where its package is missing."""
    if case.package and missing_jars(case):
        print(f"note: package {case.package} is missing, {case.name} is left out: ./dev deps test", file=sys.stderr, flush=True)
        return []
    found = dotnet.runtimes() if case.on_clr else harness.jdks()
    return [one for one in found if case.oldest <= one.version <= case.newest]


def missing_jars(case):
    return [jar for jar in case.jars if not (JARS / jar).exists()]


def start(case, runtime, options):
    if case.on_clr:
        return dotnet.Clr(DOTNET_PROGRAMS[case.program], case.words, options, runtime, env=dict(case.env))
    classes = compiled(case)
    words = [handles_library() if word == "LIBRARY" else word for word in case.words]
    path = ":".join(map(str, [classes, *(JARS / jar for jar in case.jars)]))
    return harness.Jvm(runtime, [f"-Xmx{case.heap}", *case.vm, "-cp", path, case.program, *words], options)


def compiled(case):
    gap = HERE / "java" / "Gap.java"
    if not case.real:
        return harness.compile_java(f"zoo-{case.program}", [gap, HERE / "java" / f"{case.program}.java"], oldest=case.oldest)
    sources = [gap, *(HERE / "real").glob("*.java"), *(HERE / "real" / case.real).glob("*.java")]
    return harness.compile_java(f"zoo-{case.real}", sorted(sources), [JARS / jar for jar in case.jars])


def longest_gap_ms(jvm):
    return int(jvm.ask("gap", r"^gap (\d+)", 120)[1]) / 1000


def verdict_of(path):
    """The first screen: the verdict and the first suspect."""
    return re.split("^(?:SUSPECT 2|CLASSES) ", harness.run_command("report", path).stdout, flags=re.MULTILINE)[0]


def check_verdict(case, text):
    # Lines are broken where the screen ends: a sentence is looked for as one line.
    flat = re.sub(r"\s+", " ", text)
    return [*(f"the verdict does not say '{one}'" for one in case.says if not re.search(one, flat)),
            *(f"the verdict says '{one}'" for one in case.never if re.search(one, flat))]


def own_gap_ms(case, jvm, took_s):
    """A program under load stands still of itself, for its collections and for its turn of a core: as long at most, in a time as long as the dump's."""
    if not case.under_load:
        return 0
    longest_gap_ms(jvm)
    time.sleep(min(max(took_s, 1), 20))
    return longest_gap_ms(jvm)


def check_stop(case, seen_ms, own_ms, report):
    reported = report.pause_ms()
    broken = []
    if case.pause_ms and max(seen_ms if seen_ms > own_ms else 0, reported) > case.pause_ms:
        broken.append(f"stopped for {seen_ms:.1f} ms, {case.pause_ms} were allowed")
    if abs(seen_ms - reported) > max(OFF_MS, OFF_SHARE * seen_ms, own_ms):
        broken.append(f"{reported:.1f} ms reported, {seen_ms:.1f} seen")
    return broken


def check_report(case, path):
    report = harness.Report(path)
    broken = check_verdict(case, verdict_of(path))
    suspects = report.data["suspects"]
    confidence = round(100 * suspects[0]["confidence"]) if suspects else None
    judged = Judged(confidence, not broken, None, sum(one["cpu_ms"] for one in report.data["passes"]))
    if report.field("kind") != "extended":
        broken.append("no graph: the dump is simple")
    memory = report.data["memory"]
    if memory["peak_bytes"] > memory["limit_bytes"]:
        broken.append(f"{memory['peak_bytes']} bytes were used, {memory['limit_bytes']} are the limit")
    return report, broken, judged


def check_expected(dump, judged):
    """The analysis takes at least half and at most twice of what was said, where that is worth a word."""
    expected, took = dump["expected_analysis_ms"], judged.analysis_ms
    if expected is None:
        return ["how long the analysis takes was not said"]
    off = max(expected, took) > SHORT_MS and not 0.5 <= expected / took <= 2
    return [f"the analysis took {took:.0f} ms of CPU time, {expected:.0f} were expected"] if off else []


def check_left_over(jvm, directory, path):
    others = [one.name for one in directory.iterdir() if one != path]
    child = dump_child.dump_child_of(jvm.pid) if jvm.running() else None
    return [*([f"left in the directory: {others}"] if others else []), *(["a child is left"] if child else [])]


def run_by_command(case, jvm, directory, timed):
    jvm.wait_line("^READY", START_S)
    longest_gap_ms(jvm)
    # Beside other tests the bound may be refused, and rightly so.
    bound = ("--pause", f"{case.pause_ms}ms") if case.pause_ms and timed else ()
    begin = time.monotonic()
    done = harness.run_command("dump", jvm.pid, "--extended", "--json", *bound, check=False)
    seen = longest_gap_ms(jvm)
    own = own_gap_ms(case, jvm, time.monotonic() - begin) if timed else 0
    if done.returncode != 0:
        return Outcome([f"no report: {done.stderr.strip()}"], seen)
    dump = json.loads(done.stdout)
    path = pathlib.Path(dump["report_path"])
    report, broken, judged = check_report(case, path)
    judged = judged._replace(expected_ms=dump["expected_analysis_ms"])
    broken += check_expected(dump, judged)
    broken += (check_stop(case, seen, own, report) if timed else []) + check_left_over(jvm, directory, path)
    return Outcome(broken, seen, report.pause_ms(), report.field("predicted_pause_ms"), verdict_of(path), own, judged)


def run_by_trigger(case, jvm, directory, _timed):
    """The program ends by itself, or is asked to; the report is there by then, or soon."""
    if case.trigger == "exit":
        jvm.wait_line("^READY", START_S)
        jvm.send("gap")
        jvm.stop()
    try:
        path = harness.wait_report(directory, set(), DUMP_S)
    except harness.VmError as why:
        return Outcome([f"no report: {str(why).splitlines()[0]}"])
    harness.wait_until(lambda: not jvm.running(), DUMP_S, "the program to end")
    report, broken, judged = check_report(case, path)
    return Outcome(broken + check_left_over(jvm, directory, path), 0, report.pause_ms(), report.field("predicted_pause_ms"), verdict_of(path), judged=judged)


def run(case, runtime, timed=True):
    """`timed`: how long the application stood still is asked, too."""
    with tempfile.TemporaryDirectory(prefix="holdfast zoo ") as name:
        directory = pathlib.Path(name)
        on = "off" if case.trigger == "command" else case.trigger
        with start(case, runtime, f"dir={directory},on={on},dump=extended,memory=auto") as jvm:
            return (run_by_command if case.trigger == "command" else run_by_trigger)(case, jvm, directory, timed)
