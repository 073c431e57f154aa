"""The command as a person uses it: what it must print, and how it must end."""
import json
import subprocess

from process import command

PATIENCE_S = 120


def ask(*words, code=0, **more):
    """What the command prints; its exit code must be `code`, and a failure is one line on stderr and nothing on stdout."""
    done = subprocess.run([str(command()), *map(str, words)], capture_output=True, text=True, check=False, timeout=PATIENCE_S, **more)
    said = f"holdfast {' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}"
    if done.returncode != code:
        raise AssertionError(said)
    if code and (done.stdout or not done.stderr.splitlines()[-1].startswith("holdfast ")):
        raise AssertionError(said)
    return done


def begin(*words):
    """The command, running."""
    return subprocess.Popen([str(command()), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process, timeout_s=60):
    """(exit code, stdout, stderr) of such a one."""
    out, err = process.communicate(timeout=timeout_s)
    return process.returncode, out.strip(), err.strip()


def status(pid):
    return json.loads(ask("status", pid, "--json").stdout)


def ledger_bytes(pid):
    return status(pid)["memory"]["used_bytes"]
