#!/usr/bin/env python3
"""A wrong layout table turns the frozen heap off: each entry that matters is changed a little in a running VM, and each change is refused, by name.

  layout_test.py [PATTERN]    only cases whose title contains it
Short: G1, Serial and wide references. With HF_JDKS: every collector that can be frozen and every layout.
"""
import os
import pathlib
import platform
import re
import subprocess
import sys

import frozen
import harness
import heap_kinds

CHECK_LAYOUT = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "check_layout"
FREEZABLE = ("Serial", "Parallel", "G1", "Shenandoah", "Shenandoah, generations")
SHORT = ("G1", "Serial", "wide references")
MACHINE = platform.machine()
PATIENCE_S = 300
LEAST_ENTRIES = 20


def libjvm(jdk):
    for folder in ("lib/server", f"jre/lib/{'amd64' if MACHINE == 'x86_64' else MACHINE}/server"):
        path = os.path.join(jdk.home, folder, "libjvm.so")
        if os.path.exists(path):
            return path
    raise harness.VmError(f"{jdk} has no libjvm.so in {jdk.home}")


def loader(jdk):
    """A JDK that brings its own libc wants its loader too."""
    libraries = os.path.join(jdk.home, "libc")
    if not os.path.isdir(libraries):
        return []
    machines = f"/usr/lib/{MACHINE}-linux-gnu"  # for the C++ runtime
    own = next(str(path) for path in pathlib.Path(jdk.home).rglob("bin/ld.so"))
    return [own, "--inhibit-cache", "--library-path", f"{libraries}:{machines}"]


def cases(jdk):
    kinds = {name: words for name, words in heap_kinds.collectors(jdk).items() if name in FREEZABLE}
    kinds.update(heap_kinds.layouts(jdk))
    return {name: words for name, words in kinds.items() if frozen.FULL or name in SHORT}


def run(jdk, words):
    done = subprocess.run([*loader(jdk), str(CHECK_LAYOUT), libjvm(jdk), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=PATIENCE_S,
                          env=harness.environment())
    found = re.search(r"^(\d+) entries matter, (\d+) changes: 0 believed, 0 faults$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found or int(found[1]) < LEAST_ENTRIES:
        raise harness.VmError(f"exit status {done.returncode}:\n{done.stdout}")
    return found[0], done.stdout


def main(arguments):
    pattern = arguments[0] if arguments else ""
    complaints = []
    tried = 0
    for jdk in harness.jdks():
        for name, words in cases(jdk).items():
            title = f"{jdk}, {name}"
            if pattern not in title:
                continue
            tried += 1
            try:
                summary, said = run(jdk, words)
                print(f"{title}: {summary}", flush=True)
                if pattern:
                    print(said)
            except (harness.VmError, subprocess.TimeoutExpired) as error:
                complaints.append(f"{title}: {error}")
    print("\n".join(complaints) or f"all {tried} as it should be")
    return 1 if complaints or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
