"""Real CLRs for the tests, the demo and the benchmarks: build and start C# programs, talk to them, read reports.

Standard library only. Whatever is started here is ended here, by pid, even if the test is killed.
Environment, all optional: HOLDFAST_LIB and HOLDFAST_CLI (default: build/release), HF_DOTNETS (versions with ',' between them, "all": 8, 9 and
the newest; unless told only the newest, which is the machine's own).

A script ends with harness.main() instead of unittest.main(): where the SDK or a package is missing it says so and ends with 77, which ctest
shows as skipped.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "running"))
from process import BUILD, ROOT, Process, VmError, agent_library, command, suspend, wait_until  # noqa: E402, F401
from reports import Count, Report, reports_in, run_command, wait_report  # noqa: E402, F401

PROFILER = "{D5B1C4E6-5B0E-4E0B-9C4C-7E1F0A6B7A11}"
NEWEST = 10
OTHERS = (8, 9)
SKIP = 77
FULL = bool(os.environ.get("HF_DOTNETS"))  # ./dev test --dotnets: the numbers in full; else a short form
SERVER_GC = {"DOTNET_gcServer": "1"}
NO_CONCURRENT_GC = {"DOTNET_gcConcurrent": "0"}
# What would change a runtime unseen, or load another profiler.
FOREIGN = re.compile(r"^(CORECLR_|COR_|COMPlus_|HOLDFAST_OPTIONS$|DOTNET_(?!ROOT|CLI_|NOLOGO))")


# --- programs -----------------------------------------------------------------------------------------------------

class Runtime(NamedTuple):
    version: int

    def __str__(self):
        return f".NET {self.version}"


@functools.cache
def runtimes():
    """Those of HF_DOTNETS, oldest first; else the newest."""
    asked = os.environ.get("HF_DOTNETS")
    versions = {"": [NEWEST], "all": [*OTHERS, NEWEST]}.get(asked or "") or sorted(map(int, asked.split(",")))
    return [Runtime(version) for version in versions]


@functools.cache
def build(*words):
    """What tests/dotnet/build builds; a SkipTest with its words where something is missing."""
    done = subprocess.run([HERE / "build", *words], capture_output=True, text=True, check=False)
    if done.returncode == SKIP:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode != 0:
        raise VmError(f"tests/dotnet/build {' '.join(words)} failed:\n{done.stdout}{done.stderr}")


def start_words(name, runtime=None):
    """How a program of programs/ is started, once it is built: by the machine's runtime, or with its own."""
    version = runtime.version if runtime else NEWEST
    if version == NEWEST:
        build(name)
        return [shutil.which("dotnet"), BUILD / "dotnet" / name / f"{name}.dll"]
    build("--runtimes", str(version), name)
    return [BUILD / "dotnet" / f"{name}-{version}" / name]


def on_each_runtime(test):
    """Runs test(self, runtime, directory) with every runtime, each with an empty directory whose name has a space."""
    def run(self):
        for runtime in runtimes():
            with self.subTest(str(runtime)), tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
                test(self, runtime, pathlib.Path(directory))
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def main():
    """unittest.main(), but what was skipped is no success."""
    result = unittest.main(module="__main__", exit=False).result
    for test, why in result.skipped:
        print(f"\nSKIPPED {test}:\n{why}", file=sys.stderr)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIP if result.skipped else 0)


# --- a running CLR ------------------------------------------------------------------------------------------------

def environment(more=None):
    """Ours without what would change a runtime unseen."""
    ours = {k: v for k, v in os.environ.items() if not FOREIGN.match(k)}
    return {**ours, "DOTNET_NOLOGO": "1", **(more or {})}


def with_agent(options, notification=False):
    """The variables that load the agent: into the place of the main profiler, or beside one as a notification profiler."""
    if notification:  # without the last ';' 9 and 10 silently load nothing
        slot = {"CORECLR_ENABLE_NOTIFICATION_PROFILERS": "1", "CORECLR_NOTIFICATION_PROFILERS": f"{agent_library()}={PROFILER};"}
    else:
        slot = {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": PROFILER, "CORECLR_PROFILER_PATH": str(agent_library())}
    return {**slot, "HOLDFAST_OPTIONS": options}


def heap_limit(limit_bytes):
    """The variable that makes an OutOfMemoryException of what goes beyond."""
    return {"DOTNET_GCHeapHardLimit": f"{limit_bytes:#x}"}


class Clr(Process):
    """One program of programs/ in a CLR. A context manager: leaving the block ends the process."""

    def __init__(self, name, words=(), agent_options=None, runtime=None, env=None, notification=False, **more):
        """agent_options: None for no agent, else its option string (may be empty). more: what a Process takes."""
        self.runtime = runtime or Runtime(NEWEST)
        agent = {} if agent_options is None else with_agent(agent_options, notification)
        super().__init__(f"{name} on {self.runtime}", [*start_words(name, runtime), *words], env=environment({**agent, **(env or {})}), **more)

    def dump(self, *words):
        """What a person does: `holdfast dump`; returns the report's path. words: --simple, --extended and so on."""
        return pathlib.Path(run_command("dump", self.pid, *words).stdout.strip())


class HeapMaker(Clr):
    """programs/HeapMaker, once it is ready for commands."""

    def __init__(self, agent_options=None, **more):
        super().__init__("HeapMaker", agent_options=agent_options, **more)
        try:
            self.wait_line(r"^started", 60)
        except BaseException:
            self.stop()
            raise

    def make(self, kind, count):
        self.ask(f"make {kind} {count}", rf"^made {kind} {count}$", 300)

    def drop(self, kind):
        self.ask(f"drop {kind}", rf"^dropped {kind}$")

    def quiet(self):
        self.ask("quiet", r"^ready$", 300)

    def expected(self):
        """{class as a C# programmer writes it: instances}, of every class that only the kinds make."""
        first = len(self.lines)
        self.ask("expect", r"^expected \d+$")
        found = (re.match(r"expect (\d+) (.+)$", line) for line in self.lines[first:])
        return {match[2]: int(match[1]) for match in found if match}

    def sound(self):
        return self.ask("sound", r"^sound (\w+)$", 120)[1] == "True"

    def churn(self, threads):
        self.ask(f"churn {threads}", rf"^churning {threads}$")

    def background_collections(self, on):
        self.ask(f"background {'on' if on else 'off'}", r"^background o")

    def stop(self, timeout_s=20):
        """At SIGTERM .NET 8 waits for its finalizer thread, which may be held back."""
        if self.running():
            try:
                self.send("drop finalizables")
            except OSError:
                pass  # it has just gone
        return super().stop(timeout_s)

    def exit(self, status=0):
        """Of itself, without a signal; returns its exit status."""
        self.send(f"exit {status}")
        self._process.wait(60)
        return self.stop()


# --- an independent reader ----------------------------------------------------------------------------------------

class Inspection:
    """What a debugger's library reads of the same process (programs/Inspector). A SkipTest where its package cannot be had."""

    def __init__(self, clr, graph=None):
        """graph: a path for the heap object by object, for bin/check_debugger_heap."""
        words = [*start_words("Inspector"), clr.pid, *([graph] if graph else [])]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment(), check=False)
        if done.returncode != 0:
            raise VmError(f"Inspector ended with {done.returncode}: {done.stderr}")
        self.data = json.loads(done.stdout)

    def classes(self):
        """{class: Count}, summed over modules and load contexts; of all objects that are there, garbage included."""
        return self._sums(lambda row: Count(row["instances"], row["bytes"]))

    def reached(self):
        """{class: instances} of what its roots hold; it knows no frozen objects' holders and no thread statics of generic classes."""
        return {name: count.instances for name, count in self._sums(lambda row: Count(row["reached"], 0)).items()}

    def roots(self):
        """{kind of GC root, as ClrMD calls it: how many}"""
        return self.data["roots"]

    def _sums(self, count_of):
        sums = {}
        for row in self.data["types"]:
            sums[row["name"]] = sums.get(row["name"], Count(0, 0)) + count_of(row)
        return sums
