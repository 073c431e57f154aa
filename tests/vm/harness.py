"""Real JVMs for the tests, the demo and the benchmarks: find JDKs, start and stop programs, ask jcmd, read reports.

Standard library only. Whatever is started here is ended here, by pid, even if the test is killed.
Environment, all optional: HOLDFAST_LIB and HOLDFAST_CLI (default: build/release), JAVA_HOMES (':' between them; default: /usr/lib/jvm/*),
HF_JDKS (versions with ',' between them: these, of build/jdks or else of the machine, and no others; "all": whatever there is in both).
"""
import ctypes
import functools
import glob
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import NamedTuple

import attach

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
OLDEST = 17  # of the machine's JDKs, without HF_JDKS; also the Java level that everything here is compiled for, or an older JDK's
POLL_S = 0.005
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class VmError(Exception):
    """Something about a JVM went wrong; the message is meant for whoever reads the test's output."""


# --- where things are ---------------------------------------------------------------------------------------------

def agent_library():
    return _existing("HOLDFAST_LIB", BUILD / "release" / "libholdfast.so")


def command():
    return _existing("HOLDFAST_CLI", BUILD / "release" / "holdfast")


def _existing(variable, default):
    path = pathlib.Path(os.environ.get(variable) or default).absolute()
    if not path.exists():
        raise VmError(f"{path} does not exist: run ./dev build or set {variable}")
    return path


def need_package(package, *paths):
    """Fails with the package's name if one of its files is missing. There is no silent skip."""
    missing = [p for p in paths if not os.path.exists(p)]
    if missing:
        raise VmError(f"package {package} is missing ({missing[0]} does not exist): apt-get install {package}")


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


def compile_java(name, sources, classpath=()):
    """Compiles into build/java/NAME for the oldest JDK that may run it, unless that is there and newer than its sources; returns the directory."""
    out = BUILD / "java" / name
    stamp = out / ".compiled"
    sources = [pathlib.Path(s) for s in sources]
    release = min(OLDEST, jdks()[0].version)
    args = ["--release", str(release), "-g", "-Xlint:all,-options", "-Werror", "-proc:none", "-d", str(out)]
    if classpath:
        args += ["-cp", os.pathsep.join(map(str, classpath)), "-Xlint:-classfile,-processing,-path"]
    if stamp.exists() and stamp.read_text() == " ".join(args) and all(s.stat().st_mtime < stamp.stat().st_mtime for s in sources):
        return out
    out.mkdir(parents=True, exist_ok=True)
    machines = _machines_jdks()
    done = subprocess.run([machines[min(machines)].tool("javac"), *args, *map(str, sources)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise VmError(f"javac for {name} failed:\n{done.stdout}{done.stderr}")
    stamp.write_text(" ".join(args))
    return out


# --- what tests have in common ---------------------------------------------------------------------------------------

def on_each_jdk(test):
    """Runs test(self, jdk, directory) with every JDK, each with an empty directory whose name has a space."""
    def run(self):
        for jdk in jdks():
            with self.subTest(str(jdk)), tempfile.TemporaryDirectory(prefix="holdfast test ") as directory:
                test(self, jdk, pathlib.Path(directory))
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def wait_until(condition, timeout_s=60, what="something"):
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise VmError(f"waited {timeout_s} s in vain for {what}")
        time.sleep(0.01)


def suspend(pid):
    """SIGSTOP, until every thread has heard of it; SIGCONT has the process go on."""
    def all_stopped():
        states = [line.read_text().rpartition(")")[2].split()[0] for line in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")]
        return set(states) == {"T"}
    os.kill(pid, signal.SIGSTOP)
    wait_until(all_stopped, 30, "all threads to stop")


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

def _die_with_parent(address_space_bytes=None, before_exec=None):
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if address_space_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (address_space_bytes, address_space_bytes))
    if before_exec:
        before_exec()


def environment(more=None):
    """Ours without what would change a JVM's options unseen."""
    ours = {k: v for k, v in os.environ.items() if k not in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")}
    return {**ours, **(more or {})}


class Jvm:
    """One JVM. A context manager: leaving the block ends the process."""

    def __init__(self, jdk, args, agent_options=None, cwd=None, env=None, limit_address_space=None, before_exec=None):
        """agent_options: None for no agent, else its option string (may be empty). before_exec: what the new process does first."""
        self.jdk = jdk
        agent = [] if agent_options is None else [f"-agentpath:{agent_library()}={agent_options}"]
        self._process = subprocess.Popen(
            [jdk.tool("java"), *agent, *map(str, args)], cwd=cwd, env=environment(env), preexec_fn=lambda: _die_with_parent(limit_address_space, before_exec),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", bufsize=1)
        self.pid = self._process.pid
        self.lines = []  # everything it printed
        self._seen = 0   # lines that wait_line has looked at
        self._ended = False
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def wait_line(self, pattern, timeout_s=60):
        """The match of the next line that contains `pattern`."""
        deadline = time.monotonic() + timeout_s
        with self._news:
            while True:
                while self._seen < len(self.lines):
                    self._seen += 1
                    match = re.search(pattern, self.lines[self._seen - 1])
                    if match:
                        return match
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    raise VmError(self._complaint(f"no line like '{pattern}' " + ("before it ended" if self._ended else f"in {timeout_s} s")))
                self._news.wait(left)

    def _complaint(self, what):
        return f"{self.jdk}, pid {self.pid}: {what}; it printed last:\n" + "\n".join(self.lines[-30:])

    def send(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def ask(self, line, answer, timeout_s=60):
        self.send(line)
        return self.wait_line(answer, timeout_s)

    def running(self):
        return self._process.poll() is None

    def quit_signal(self):
        """What a person does: kill -QUIT. The VM prints its threads and sends a data-dump request to agents."""
        os.kill(self.pid, signal.SIGQUIT)

    def kill(self):
        self._process.kill()

    def stop(self, timeout_s=20):
        """SIGTERM, then SIGKILL; returns the exit status."""
        if self.running():
            self._process.terminate()
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
        status = self._process.wait()
        self._reader.join(5)
        self._process.stdin.close()
        self._process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # --- jcmd

    def jcmd(self, *words, timeout_s=300):
        done = subprocess.run([self.jdk.tool("jcmd"), str(self.pid), *map(str, words)],
                              capture_output=True, text=True, check=False, timeout=timeout_s)
        if done.returncode != 0:
            raise VmError(self._complaint(f"jcmd {' '.join(map(str, words))} failed: {done.stdout}{done.stderr}"))
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

    # --- what the process takes

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_bytes(self):
        """(resident now, highest resident since the last reset_peak)."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        now, peak = (int(re.search(rf"{key}:\s+(\d+) kB", text).group(1)) * 1024 for key in ("VmRSS", "VmHWM"))
        return now, peak

    def reset_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")


# --- what jcmd prints ---------------------------------------------------------------------------------------------

class Count(NamedTuple):
    instances: int
    bytes: int
    module: str = ""  # jcmd names the module of a class in a named module: "java.base@17.0.15"

    def __add__(self, other):
        return Count(self.instances + other.instances, self.bytes + other.bytes, self.module or other.module)


PRIMITIVES = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double"}
HIDDEN_SUFFIX = re.compile(r"[./](0x[0-9a-f]{6,}|\d{6,})(?=(\[\])*$)")


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


def plain_name(name):
    """One spelling for hidden classes, which some write `A$$Lambda/0x12ab34` and others `A$$Lambda.0x12ab34`."""
    return HIDDEN_SUFFIX.sub(r"/\1", name)


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


# --- reports ------------------------------------------------------------------------------------------------------

def reports_in(directory):
    return set(pathlib.Path(directory).glob("*.hfr"))


def wait_report(directory, before, timeout_s=120, jvm=None):
    """The new .hfr file in `directory`. A report is renamed into place, so one that is there is complete."""
    deadline = time.monotonic() + timeout_s
    while True:
        new = reports_in(directory) - before
        if new:
            return max(new, key=lambda p: p.stat().st_mtime)
        ended = jvm is not None and not jvm.running()
        if ended or time.monotonic() > deadline:
            why = f"no new report in {directory} " + ("before the JVM ended" if ended else f"within {timeout_s} s")
            raise VmError(jvm._complaint(why) if jvm else why)
        time.sleep(POLL_S)


def dump(jvm, directory, options, timeout_s=120):
    """Has the agent in `jvm` make a dump by command; returns the report's path."""
    before = reports_in(directory)
    jvm.agent_load(options)
    return wait_report(directory, before, timeout_s, jvm)


def run_command(*words, check=True):
    done = subprocess.run([str(command()), *map(str, words)], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise VmError(f"holdfast {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
    return done


class Report:
    """What the tests read of `holdfast report --json`. The field names of the JSON stand here and nowhere else."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.file_bytes = self.path.stat().st_size
        self.data = json.loads(run_command("report", "--json", path).stdout)

    def classes(self):
        """{class name: Count}, summed over class loaders."""
        counts = {}
        for row in self.data["classes"]:
            count = Count(row["instances"], row["shallow_bytes"])
            name = plain_name(row["class"])
            counts[name] = counts[name] + count if name in counts else count
        return counts

    def classes_left_out(self):
        """How many classes the file only has in sum; 0 if it lists them all."""
        return max(0, self.field("classes_total", len(self.data["classes"])) - len(self.data["classes"]))

    def shallow_bytes(self):
        rest = self.data.get("rest_of_classes") or {}
        return sum(row["shallow_bytes"] for row in self.data["classes"]) + rest.get("shallow_bytes", 0)

    def first_suspect(self):
        return self.data["suspects"][0]

    def pause_ms(self):
        return self.field("pause_ms")

    def analysis_ms(self):
        return self.field("analysis_ms")

    def peak_bytes(self):
        return self.data["memory"].get("peak_bytes")

    def vm_tag_bytes_estimate(self):
        return self.data["memory"].get("vm_tag_bytes_estimate")

    def field(self, name, default=None):
        """The first field of this name, outermost first: which table holds it may still change."""
        level = [self.data]
        while level:
            for table in level:
                if name in table:
                    return table[name]
            level = [v for table in level for v in table.values() if isinstance(v, dict)]
        return default
