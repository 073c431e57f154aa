"""One run of a program of the accounts benchmark: a JVM with a variant's words, from its start to its end."""
import tempfile
from typing import NamedTuple

import harness

FIRST = r"^FIRST (\d+) (\d+)"
TIMED = r"^TIMED \d+ (\S+) (\S+) (\d+) ([0-9a-f]{16})"
LONGEST_S = 1_800  # sampling every allocation in the interpreter is a hundred times slower
AGENT_SAYS = "holdfast: "
OVERALL = "*"       # one account for all there is, as [Accounts] had for DaCapo
MEGABYTE = 1 << 20


class Run(NamedTuple):
    wall_s: float       # of the timed rounds
    cpu_s: float        # of the whole process meanwhile: compiler, collector and agent too
    first_wall_s: float  # from the VM's start to the end of the first round: classes are loaded, and rewritten
    first_cpu_s: float
    peak_mb: float      # VmHWM
    allocated_mb: float  # in the timed rounds, by threads that still live
    checksum: str


class Variant(NamedTuple):
    name: str
    agent: object = None  # f(program) -> the agent's options, or None: without the agent
    words: tuple = ()     # more arguments of the JVM


VARIANTS = {variant.name: variant for variant in (
    Variant("plain"),
    Variant("agent", lambda program: "on=off"),
    Variant("sampled", lambda program: f"accounts={program.accounts},on=off"),
    Variant("exact", lambda program: f"accounts={program.accounts},accounts-mode=exact,on=off"),
    Variant("ages", lambda program: "ages=on,on=off"),
    Variant("sampled-overall", lambda program: f"accounts={OVERALL},on=off"),
    Variant("exact-overall", lambda program: f"accounts={OVERALL},accounts-mode=exact,on=off"),
)}


def measure(jdk, program, variant, warmups=None, rounds=None):
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        return run_in(directory, jdk, program, variant, warmups, rounds)[0]


def run_in(directory, jdk, program, variant, warmups=None, rounds=None, collect=lambda jvm: None):
    """(Run, what collect made of the JVM, which has been told to end by then)."""
    words = [f"-Djava.io.tmpdir={directory}", *variant.words, *program.words(warmups, rounds)]
    options = variant.agent and f"{variant.agent(program)},dir={directory}"
    with harness.Jvm(jdk, words, options, cwd=directory) as jvm:
        first = jvm.wait_line(FIRST, LONGEST_S)
        timed = jvm.wait_line(TIMED, LONGEST_S)
        _, peak = jvm.memory_bytes()
        refuse_what_the_agent_refused(program, variant, jvm.lines)
        jvm.send("end")
        found = Run(float(timed[1]) / 1000, float(timed[2]) / 1000, int(first[1]) / 1000, int(first[2]) / 1000, peak / MEGABYTE,
                    int(timed[3]) / MEGABYTE, timed[4])
        return found, collect(jvm)


def refuse_what_the_agent_refused(program, variant, lines):
    """An agent that stays off lets the application run as if it was not there, and would be measured as free of cost."""
    said = [line for line in lines if line.startswith(AGENT_SAYS)]
    if said:
        raise harness.VmError(f"{program.name}, {variant.name}: the agent complains: {said[0]}")
