"""Reports that a process under test leaves, and what the command says of them. Standard library only."""
import fcntl
import json
import pathlib
import re
import subprocess
import time
from typing import NamedTuple

from process import VmError, command

POLL_S = 0.005
HIDDEN_SUFFIX = re.compile(r"[./](0x[0-9a-f]{6,}|\d{6,})(?=(\[\])*$)")


class Count(NamedTuple):
    instances: int
    bytes: int
    module: str = ""  # jcmd names the module of a class in a named module: "java.base@17.0.15"

    def __add__(self, other):
        return Count(self.instances + other.instances, self.bytes + other.bytes, self.module or other.module)


def plain_name(name):
    """One spelling for hidden classes, which some write `A$$Lambda/0x12ab34` and others `A$$Lambda.0x12ab34`."""
    return HIDDEN_SUFFIX.sub(r"/\1", name)


def reports_in(directory):
    return set(pathlib.Path(directory).glob("*.hfr"))


def settled(report):
    """No fuller report will replace this one: the process that would holds a lock on it."""
    with open(report, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def wait_report(directory, before, timeout_s=120, process=None):
    """The new .hfr file in `directory`, once nothing more comes in its place. A report is renamed into place, so one that is there is valid."""
    deadline = time.monotonic() + timeout_s
    while True:
        new = reports_in(directory) - before
        if new and all(map(settled, new)):
            return max(new, key=lambda p: p.stat().st_mtime)
        ended = process is not None and not process.running()
        if ended or time.monotonic() > deadline:
            why = f"no new report in {directory} " + ("before the process ended" if ended else f"within {timeout_s} s")
            raise VmError(process.complaint(why) if process else why)
        time.sleep(POLL_S)


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
