"""A control group for one test, where the machine lets us make one: versions 1 and 2."""
import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")
LIMITS = {"memory": ("memory.limit_in_bytes", "memory.max"), "pids": ("pids.max", "pids.max")}
USES = {"memory": ("memory.usage_in_bytes", "memory.current"), "pids": ("pids.current", "pids.current")}


class Refused(Exception):
    """No group can be made here; says why."""


class Cgroup:
    """What is started inside the block belongs to the group; it is removed in the end."""

    def __init__(self, controller, name):
        self.controller = controller
        first = ROOT / controller
        self.version = 1 if (first / "cgroup.procs").exists() else 2
        self.parent = first if self.version == 1 else ROOT
        self.path = self.parent / f"{name}-{os.getpid()}"

    def __enter__(self):
        try:
            if self.version == 2 and self.controller not in (self.parent / "cgroup.subtree_control").read_text().split():
                raise Refused(f"{self.controller} is not handed to groups below {self.parent}")
            self.before = self._own_group()
            self.path.mkdir()
            self._enter(self.path)
        except OSError as error:
            raise Refused(str(error)) from error
        return self

    def leave(self):
        """This process goes back where it was; what it started stays."""
        self._enter(self.before)

    def __exit__(self, *_):
        self.leave()
        self.path.rmdir()

    def limit(self, value):
        (self.path / LIMITS[self.controller][self.version - 1]).write_text(str(value))

    def used(self):
        return int((self.path / USES[self.controller][self.version - 1]).read_text())

    def out_of_memory_kills(self):
        text = (self.path / ("memory.oom_control" if self.version == 1 else "memory.events")).read_text()
        return int(dict(line.split() for line in text.splitlines()).get("oom_kill", 0))

    def _own_group(self):
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if (self.version == 1 and self.controller in controllers.split(",")) or (self.version == 2 and not controllers):
                own = self.parent / path.lstrip("/")
                return own if own.exists() else self.parent  # inside a container the path is the host's
        return self.parent

    @staticmethod
    def _enter(group):
        (group / "cgroup.procs").write_text(str(os.getpid()))
