"""Real JVMs for the tests, the demo and the benchmarks: find JDKs, start and stop programs, ask jcmd, read reports.

Standard library only. Whatever is started here is ended here, by pid, even if the test is killed.
Environment, all optional: HOLDFAST_LIB and HOLDFAST_CLI (default: build/release), JAVA_HOMES (':' between them; default: /usr/lib/jvm/*),
HF_JDKS (versions with ',' between them: these, of build/jdks or else of the machine, and no others; "all": whatever there is in both).
"""
import fcntl
import functools
import glob
import itertools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

import attach

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "running"))
from process import BUILD, LIBC, ROOT, Process, VmError, agent_library, command, need_package, suspend, wait_until  # noqa: E402, F401
from reports import HIDDEN_SUFFIX, Count, Report, plain_name, reports_in, run_command, settled, wait_report  # noqa: E402, F401

OLDEST = 17  # of the machine's JDKs, without HF_JDKS; also the Java level that everything here is compiled for, or an older JDK's


# --- JDKs ---------------------------------------------------------------------------------------------------------

class Jdk(NamedTuple):
    version: int
    home: str

    def tool(self, name):
        return os.path.join(self.home, "bin", name)

    def __str__(self):
        return f"JDK {self.version}"


@functools.cache
def jdks():
    """Those of HF_JDKS, oldest first; else the oldest of the machine's that we support and the newest; says so when that is only one."""
    asked = os.environ.get("HF_JDKS")
    found = _machines_jdks()
    if asked == "all":
        found.update(_fetched_jdks())
        return [found[version] for version in sorted(found)]
    if asked:
        return [_asked_for(version, {**found, **_fetched_jdks()}) for version in sorted(map(int, asked.split(",")))]
    chosen = [found[v] for v in sorted({min(found), max(found)})]
    if len(chosen) == 1:
        print(f"note: {chosen[0]} is the only JDK here; nothing is tried on another", file=sys.stderr)
    return chosen


def _asked_for(version, found):
    if version not in found:
        raise VmError(f"JDK {version} is missing: tests/jdks/fetch {version}")
    return found[version]


def _fetched_jdks():
    """{version: Jdk}"""
    homes = [home for home in (BUILD / "jdks").glob("[0-9]*") if _jdk_version(home) == int(home.name)]
    return {int(home.name): Jdk(int(home.name), str(home)) for home in homes}


def _machines_jdks():
    """{version: Jdk}"""
    homes = os.environ.get("JAVA_HOMES", "").split(":") if os.environ.get("JAVA_HOMES") else sorted(glob.glob("/usr/lib/jvm/*"))
    found = {}
    for home in homes:
        version = _jdk_version(home)
        if version >= OLDEST:
            found.setdefault(version, Jdk(version, os.path.realpath(home)))
    if not found:
        raise VmError(f"no JDK {OLDEST} or newer (with javac and jcmd) found: apt-get install openjdk-17-jdk-headless or set JAVA_HOMES")
    return found


def _jdk_version(home):
    """0 unless `home` holds a whole JDK."""
    if not all(os.path.exists(os.path.join(home, "bin", tool)) for tool in ("java", "javac", "jcmd")):
        return 0
    try:
        text = pathlib.Path(home, "release").read_text()
    except OSError:
        return 0
    match = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else 0


def compile_java(name, sources, classpath=(), oldest=0):
    """Compiles into build/java/NAME for the oldest JDK that may run it, unless that is there and newer than its sources; returns the directory.
    `oldest`: it asks for this one's classes."""
    out = BUILD / "java" / name
    sources = [pathlib.Path(s) for s in sources]
    release = max(min(OLDEST, jdks()[0].version), oldest)
    args = ["--release", str(release), "-g", "-Xlint:all,-options", "-Werror", "-proc:none", "-d", str(out)]
    if classpath:
        args += ["-cp", os.pathsep.join(map(str, classpath)), "-Xlint:-classfile,-processing,-path"]
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may want the same
        _compile_unless_there(name, out / ".compiled", sources, args)
    return out


def _compile_unless_there(name, stamp, sources, args):
    if stamp.exists() and stamp.read_text() == " ".join(args) and all(s.stat().st_mtime < stamp.stat().st_mtime for s in sources):
        return
    machines = _machines_jdks()
    done = subprocess.run([machines[min(machines)].tool("javac"), *args, *map(str, sources)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise VmError(f"javac for {name} failed:\n{done.stdout}{done.stderr}")
    stamp.write_text(" ".join(args))


# --- what tests have in common ---------------------------------------------------------------------------------------

def on_each_jdk(test):
    """Runs test(self, jdk, directory) with every JDK, each with an empty directory whose name has a space."""
    return _on(jdks, test)


_turns = itertools.count()


def in_turn():
    """One of jdks(), the next at each call, in a list; all that HF_JDKS asks for. For what hardly depends on the JDK."""
    return jdks() if os.environ.get("HF_JDKS") else [jdks()[next(_turns) % len(jdks())]]


def on_a_jdk_in_turn(test):
    """The same with one JDK, and the next test of the file with the next one; with HF_JDKS with each."""
    chosen = in_turn()
    return _on(lambda: chosen, test)


def _on(chosen, test):
    def run(self):
        for jdk in chosen():
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
                test(self, jdk, pathlib.Path(directory))
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def victim(name, jdk, vm_args, agent_options, ready="^READY", **more):
    """A program of victim/, once it says that it is ready."""
    classes = compile_java(f"victim-{name}", [pathlib.Path(__file__).resolve().parent / "victim" / f"{name}.java"])
    jvm = Jvm(jdk, [*vm_args, "-cp", classes, name], agent_options, **more)
    try:
        jvm.wait_line(ready, 120)
        return jvm
    except BaseException:
        jvm.stop()
        raise


# --- a running JVM -----------------------------------------------------------------------------------------------

def environment(more=None):
    """Ours without what would change a JVM's options unseen."""
    ours = {k: v for k, v in os.environ.items() if k not in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")}
    return {**ours, **(more or {})}


class Jvm(Process):
    """One JVM. A context manager: leaving the block ends the process."""

    def __init__(self, jdk, args, agent_options=None, env=None, **more):
        """agent_options: None for no agent, else its option string (may be empty). more: what a Process takes."""
        self.jdk = jdk
        agent = [] if agent_options is None else [f"-agentpath:{agent_library()}={agent_options}"]
        super().__init__(str(jdk), [jdk.tool("java"), *agent, *args], env=environment(env), **more)

    def quit_signal(self):
        """What a person does: kill -QUIT. The VM prints its threads and sends a data-dump request to agents."""
        os.kill(self.pid, signal.SIGQUIT)

    # --- jcmd

    def jcmd(self, *words, timeout_s=300):
        done = subprocess.run([self.jdk.tool("jcmd"), str(self.pid), *map(str, words)],
                              capture_output=True, text=True, check=False, timeout=timeout_s)
        if done.returncode != 0:
            raise VmError(self.complaint(f"jcmd {' '.join(map(str, words))} failed: {done.stdout}{done.stderr}"))
        return done.stdout

    def collect(self):
        self.jcmd("GC.run")

    def trim(self):
        """What the VM's malloc keeps goes back to the system, where the VM can (17.0.9 and later)."""
        subprocess.run([self.jdk.tool("jcmd"), str(self.pid), "System.trim_native_heap"], capture_output=True, check=False, timeout=60)

    def histogram(self, unreachable_too=False):
        """{source-like class name: Count}; without unreachable_too after a full collection."""
        return parse_histogram(self.jcmd("GC.class_histogram", *(["-all"] if unreachable_too else [])))

    def heap_info(self):
        """What tells the heap's used bytes. 8 has no GC.heap_info; its counters are those of the last collection."""
        return self.jcmd("PerfCounter.print" if self.jdk.version == 8 else "GC.heap_info")

    def heap_used_bytes(self):
        return parse_heap_used(self.heap_info())

    def heap_dump(self, path, unreachable_too=False):
        """The path goes in single quotes: so jcmd's own parser accepts spaces."""
        self.jcmd("GC.heap_dump", *(["-all"] if unreachable_too else []), f"'{path}'")

    def data_dump(self):
        if self.jdk.version == 8:
            self.quit_signal()
        else:
            self.jcmd("JVMTI.data_dump")

    def agent_load(self, options):
        """Loads the agent, or, where it is loaded already, gives it a command."""
        if self.jdk.version == 8:
            return attach.load(self.pid, agent_library(), options)
        return self.jcmd("JVMTI.agent_load", f"'{agent_library()}'", f'"{options}"')

def dump(jvm, directory, options, timeout_s=120):
    """Has the agent in `jvm` make a dump by command; returns the report's path."""
    before = reports_in(directory)
    jvm.agent_load(options)
    return wait_report(directory, before, timeout_s, jvm)


# --- what jcmd prints ---------------------------------------------------------------------------------------------

PRIMITIVES = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double"}


def source_name(jcmd_name):
    """`[[Ljava.lang.Object;` -> `java.lang.Object[][]`."""
    element = jcmd_name.lstrip("[")
    depth = len(jcmd_name) - len(element)
    if depth:
        element = PRIMITIVES[element] if len(element) == 1 else element[1:-1]
    return plain_name(element + "[]" * depth)


def jcmd_name(name):
    """`java.lang.Object[][]` -> `[[Ljava.lang.Object;`."""
    element = name
    while element.endswith("[]"):
        element = element[:-2]
    depth = (len(name) - len(element)) // 2
    if not depth:
        return name
    letter = {v: k for k, v in PRIMITIVES.items()}.get(element)
    return "[" * depth + (letter or f"L{element};")


def parse_histogram(text):
    counts = {}
    for line in text.splitlines():
        match = re.match(r"\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)(?:\s+\((.+)\))?\s*$", line)
        if match:
            count = Count(int(match[1]), int(match[2]), match[4] or "")
            name = source_name(match[3])
            counts[name] = counts[name] + count if name in counts else count  # one name under several loaders
    if not counts:
        raise VmError(f"no class histogram in: {text[:500]}")
    return counts


def parse_heap_used(text):
    """G1 has one line with its total, Serial and Parallel one per generation; spaces and metaspace have no `total`. Or counters, by space."""
    used = re.findall(r"^.*\btotal\b.*\bused (\d+)K", text, re.MULTILINE)
    counters = re.findall(r"^sun\.gc\.generation\.\d+\.space\.\d+\.used=(\d+)$", text, re.MULTILINE)
    if not used and not counters:
        raise VmError(f"no used bytes in: {text[:500]}")
    return sum(map(int, used)) * 1024 + sum(map(int, counters))
