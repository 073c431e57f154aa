"""What the tests of this room share: where the repository is, which files it has and which folders hold C++."""
import functools
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(os.environ.get("HF_SOURCE") or pathlib.Path(__file__).resolve().parents[2])

CLANG = 14  # of Debian 12: another clang-format writes other spaces, another clang-tidy knows other rules


@functools.cache
def other_clang(tool):
    """Why this tool of clang cannot judge the sources, or None."""
    said = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)", said)[1]
    return None if int(found) == CLANG else f"{tool} {CLANG} is wanted, {found} is here"


@functools.cache
def files():
    """Every file that is in git or would be added to it, as paths from the root."""
    names = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({name for name in names if name and (SOURCE / name).is_file()})


def text(name):
    return (SOURCE / name).read_text(encoding="utf-8", errors="replace")


@functools.cache
def folders():
    """The folders of layers.txt, from the bottom up."""
    lines = (line.split("#")[0].strip() for line in (SOURCE / "layers.txt").read_text().splitlines())
    return [line for line in lines if line]
