#!/usr/bin/env python3
"""The demo service and three real programs, on the oldest and the newest JDK (or those of HF_JDKS): the report counts what the VM counts.

  programs_test.py            with the agent: counts per class, bytes; prints the tables
  programs_test.py --plain    without it: only that each program runs, does its work and keeps still
  … PATTERN                   only programs whose name contains it
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

import compare_histogram
import harness
import programs

DUMP = "dump=extended,capture=walk"


class Demo:
    """The demo service, in the shape of the modules of programs/."""
    NAME = "demo service"
    OLDEST = 8
    UNSEEN = {}

    @staticmethod
    def start(jdk, vm_args, agent_options, _directory):
        run = str(harness.ROOT / "tests" / "demo" / "run")
        loader = importlib.machinery.SourceFileLoader("demo_run", run)
        demo = importlib.util.module_from_spec(importlib.util.spec_from_loader("demo_run", loader))
        loader.exec_module(demo)
        service, port = demo.start_service(jdk, agent_options, *vm_args)
        try:
            demo.drive_all(port)
        except BaseException:
            service.stop()
            raise
        return service


def check(program, jdk, with_agent):
    """Returns a list of complaints."""
    with tempfile.TemporaryDirectory(prefix="holdfast vm ") as directory:
        gc_log = pathlib.Path(directory, "gc.log")
        arguments = ["-Xmx512m", compare_histogram.COMPACT_ALL, compare_histogram.gc_log_argument(jdk, gc_log)]
        options = f"dir={directory},on=signal" if with_agent else None
        with program.start(jdk, arguments, options, directory) as jvm:
            take_dump = (lambda: harness.Report(harness.dump(jvm, directory, DUMP))) if with_agent else (lambda: None)
            report, live = compare_histogram.dump_while_quiet(jvm, take_dump)
            if report:
                return judge(program, report, live, jvm, gc_log)
            used = jvm.heap_used_bytes()
            print(f"{program.NAME}, {jdk}: quiet, {compare_histogram.total(live).instances:,} live objects, {used:,} bytes used")
    return []


def judge(program, report, live, jvm, gc_log):
    title = f"{program.NAME}, {jvm.jdk}"
    complaints = []
    if report.classes_left_out():
        complaints.append(f"{title}: the report leaves {report.classes_left_out()} classes out")
    comparison = compare_histogram.compare(report.classes(), live)
    print(compare_histogram.to_markdown(comparison, title, program.UNSEEN) + "\n")
    complaints += [f"{title}: {row.name}: holdfast {row.holdfast}, jcmd {row.jcmd}" for row in comparison.wrong(program.UNSEEN)]
    account = compare_histogram.heap_account(jvm, report.shallow_bytes(), live, gc_log)
    print(account.to_markdown(title) + "\n", flush=True)
    if not account.adds_up():
        complaints.append(f"{title}: {account.rest:,} used bytes are unexplained")
    return complaints


def main(arguments):
    with_agent = "--plain" not in arguments
    patterns = [a for a in arguments if a != "--plain"]
    complaints = []
    for program in (Demo, *programs.ALL):
        if patterns and not any(p in program.NAME for p in patterns):
            continue
        for jdk in programs.jdks_of(program, harness.jdks()):
            try:
                complaints += check(program, jdk, with_agent)
            except harness.VmError as error:
                complaints.append(f"{program.NAME}, {jdk}: {error}")
    print("\n".join(complaints) or "all as it should be")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
