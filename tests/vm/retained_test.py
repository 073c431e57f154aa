#!/usr/bin/env python3
"""Retained sizes of 200 random objects (with HF_JDKS: 1,000) of real heaps equal removal and marking on the same snapshot, exactly.

  retained_test.py [PATTERN]    the demo service and the three programs, on the oldest and the newest JDK (or those of HF_JDKS)
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import frozen
import harness
import programs
from programs_test import Demo

OBJECTS = 1000 if frozen.FULL else 200  # each is a walk through the whole heap
SEED = 20261121
CHECK = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "check_retained"


def check(program, jdk):
    with tempfile.TemporaryDirectory(prefix="holdfast retained ") as directory:
        with program.start(jdk, ["-Xmx512m"], f"dir={directory},snapshot=on,dump=extended,capture=walk,memory=1g", directory) as jvm:
            jvm.quit_signal()
            report = harness.Report(harness.wait_report(directory, set(), 300, jvm))
        snapshot = report.path.with_suffix(".hfs")
        if not snapshot.exists():
            raise harness.VmError(f"{program.NAME}, {jdk}: no snapshot; notes: {report.data['notes']}")
        done = subprocess.run([CHECK, snapshot, str(OBJECTS), str(SEED)], capture_output=True, text=True, check=False)
        print(f"{program.NAME}, {jdk}: {done.stdout}{done.stderr}".rstrip()
              + f"; report {report.file_bytes:,} bytes, snapshot {snapshot.stat().st_size:,} bytes", flush=True)
        return done.returncode == 0


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [p for p in (Demo, *programs.ALL) if pattern in p.NAME]
    good = [check(program, jdk) for program in chosen for jdk in programs.jdks_of(program, harness.jdks())]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
