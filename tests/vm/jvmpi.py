"""A JVM that offers JVMPI through tests/driver/jvmpi_host, and dumps by both interfaces of it: what the tests of JVMPI have in common."""
import os
import pathlib
import subprocess

import frozen
import harness

HOST = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "libjvmpi_host.so"
# Objects of an archive have classes that are not initialised: no VM of JVMPI has such.
NO_ARCHIVE = "-Xshare:off"
BOTH = "snapshot=on,memory=1g,cooldown=0,control=off,pause=1h"


def host_argument(options, library=None):
    """What -XrunLIBRARY:OPTIONS is to an old VM."""
    return f"-agentpath:{HOST}={library or harness.agent_library()}:{options}"


def old_vm(directory, options=""):
    """The arguments that make a JVM an old one, with an agent that dumps at a SIGQUIT."""
    return [NO_ARCHIVE, host_argument(f"dir={directory},file=old-%n.hfr,on=signal,{BOTH}{',' if options else ''}{options}")]


def new_agent(directory):
    """The options of an agent by JVMTI beside it, which dumps by command alone."""
    return f"dir={directory},file=new-%n.hfr,on=off,capture=walk,{BOTH}"


def dump_old(jvm, directory, timeout_s=300):
    """The report of a dump by JVMPI."""
    before = harness.reports_in(directory)
    jvm.quit_signal()
    return harness.Report(harness.wait_report(directory, before, timeout_s, jvm))


def dump_new(jvm, directory):
    return frozen.dump(jvm, directory, "walk")


def same_graph(new, old):
    """(equal, what was printed): every object that JVMTI shows is in JVMPI's dump with all its references, and nothing else is referred to."""
    done = subprocess.run([frozen.SAME_GRAPH, frozen.snapshot_of(new), frozen.snapshot_of(old), "--by-name"],
                          capture_output=True, text=True, check=False)
    printed = (done.stdout + done.stderr).rstrip()
    return done.returncode == 0 and references_are_equal(printed), printed


def references_are_equal(printed):
    for line in printed.splitlines():
        if line.startswith("references of pairs: "):
            first, second = line.removeprefix("references of pairs: ").split(" and ")
            return first == second
    return False
