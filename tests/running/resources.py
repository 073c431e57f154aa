"""What a process holds, and what it may leave behind: descriptors, threads, children, resident bytes, unfinished files, its control socket."""
import os
import pathlib
import re


def children_of(pid):
    """{pid: name} of all children of a process, zombies included."""
    found = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue  # ended meanwhile
        if re.search(rf"^PPid:\s+{pid}$", text, re.MULTILINE):
            found[int(status.parent.name)] = re.search(r"^Name:\s+(.*)$", text, re.MULTILINE)[1]
    return found


def thread_names(pid):
    names = []
    for name in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"):
        try:
            names.append(name.read_text().rstrip("\n"))
        except OSError:
            continue  # it has ended
    return names


class Resources:
    """At one moment; the VM's own threads come and go, ours begin with hf-."""

    def __init__(self, pid):
        self.descriptors = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
        names = thread_names(pid)
        self.threads = len(names)
        self.own_threads = sum(name.startswith("hf-") for name in names)
        self.children = len(children_of(pid))
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        self.resident_bytes = int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024
        self.mappings = pathlib.Path(f"/proc/{pid}/maps").read_text().count("\n")


def leftovers(directory):
    """Unfinished files of dumps."""
    return sorted(p.name for p in pathlib.Path(directory).iterdir() if p.name.endswith(".tmp"))


def control_socket(pid):
    """The path of the agent's control socket, or None: a listening socket of the process by the name that agents use."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
        except OSError:
            continue
        if match:
            inodes.add(match[1])
    for line in pathlib.Path(f"/proc/{pid}/net/unix").read_text().splitlines()[1:]:
        fields = line.split(maxsplit=7)
        if len(fields) == 8 and fields[6] in inodes and re.search(r"/holdfast-[\d-]+\.sock$", fields[7]):
            return pathlib.Path(fields[7])
    return None
