#!/usr/bin/env python3
"""The completion in a real zsh, at a terminal: what a person gets who presses the tabulator. (bash: cli/completion_test.cpp.)"""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["HOLDFAST_CLI"]
LISTING = "#!/bin/sh\n[ \"$1\" != ps ] || { echo 'pid user vm'; echo '42 alice HotSpot'; echo '4711 bob HotSpot'; }\n"
PROMPT = "ready> "


class Zsh:
    """Types lines and reads what stands there then."""

    def __init__(self, directory, load="source ./script"):
        (directory / "script").write_text(subprocess.run([COMMAND, "completion", "zsh"], check=True, capture_output=True, text=True).stdout)
        (directory / "holdfast").write_text(LISTING)
        (directory / "holdfast").chmod(0o755)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            surroundings = {"PATH": f"{directory}:/usr/bin:/bin", "TERM": "dumb", "PS1": PROMPT, "HOME": str(directory)}
            os.execvpe("zsh", ["zsh", "-f", "-i"], surroundings)
        self.until(PROMPT)
        self.type(f"{load} && echo LOADED=$?\n")
        self.until("LOADED=0")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def until(self, wanted, timeout_s=30):
        seen, deadline = "", time.monotonic() + timeout_s
        while not re.search(wanted, seen):
            if time.monotonic() > deadline:
                raise AssertionError(f"no {wanted!r} in {seen!r}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                seen += os.read(self.terminal, 4096).decode(errors="replace")
        return seen

    def offered(self, line, wanted):
        """Presses the tabulator twice behind the line; the line is thrown away afterwards."""
        self.type(line + "\t\t")
        seen = self.until(wanted)
        self.type("\x15")
        return seen

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Completion(unittest.TestCase):
    def test_zsh(self):
        with tempfile.TemporaryDirectory(prefix="holdfast zsh ") as directory:
            zsh = Zsh(pathlib.Path(directory))
            try:
                zsh.offered("holdfast sta", "tus ")
                zsh.offered("holdfast dump 4", r"42 +4711")
                zsh.offered("holdfast dump --cap", r"frozen +objects +walk")
                zsh.offered("holdfast set 42 heap-", "above=")
                zsh.offered("holdfast report --sor", r"instances +retained +shallow")
            finally:
                zsh.close()

    def test_zsh_calls_the_installed_file_when_it_is_first_wanted(self):
        place = pathlib.Path(os.environ["HF_BUILD"]) / "share" / "zsh" / "site-functions"
        with tempfile.TemporaryDirectory(prefix="holdfast zsh ") as directory:
            zsh = Zsh(pathlib.Path(directory), f"fpath=('{place}' $fpath); autoload -Uz compinit && compinit -D -u")
            try:
                zsh.offered("holdfast sta", "tus ")
                zsh.offered("holdfast dump 4", r"42 +4711")
            finally:
                zsh.close()


if __name__ == "__main__":
    unittest.main()
