"""A process under test: started here, talked to by lines, ended here by pid, even if the test is killed.

Whatever the VM: tests/vm/harness.py and tests/dotnet/harness.py know theirs. Standard library only.
Environment, all optional: HOLDFAST_LIB and HOLDFAST_CLI (default: build/release).
"""
import contextlib
import ctypes
import os
import pathlib
import re
import resource
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class VmError(Exception):
    """Something about a process went wrong; the message is meant for whoever reads the test's output."""


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


def _die_with_parent(address_space_bytes=None, before_exec=None):
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if address_space_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (address_space_bytes, address_space_bytes))
    if before_exec:
        before_exec()


class Process:
    """One process and what it prints. A context manager: leaving the block ends it."""

    def __init__(self, name, words, cwd=None, env=None, limit_address_space=None, before_exec=None):
        """name: for complaints. before_exec: what the new process does first."""
        self.name = name
        self._process = subprocess.Popen(
            [*map(str, words)], cwd=cwd, env=env, preexec_fn=lambda: _die_with_parent(limit_address_space, before_exec),
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
                    raise VmError(self.complaint(f"no line like '{pattern}' " + ("before it ended" if self._ended else f"in {timeout_s} s")))
                self._news.wait(left)

    def complaint(self, what):
        return f"{self.name}, pid {self.pid}: {what}; it printed last:\n" + "\n".join(self.lines[-30:])

    def send(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def ask(self, line, answer, timeout_s=60):
        self.send(line)
        return self.wait_line(answer, timeout_s)

    def running(self):
        return self._process.poll() is None

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
        with contextlib.suppress(OSError):  # what was said to it when it had gone
            self._process.stdin.close()
        self._process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # --- what it takes

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
