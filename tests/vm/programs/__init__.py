"""Real programs from Debian packages. Each module has `NAME`, `OLDEST` (the JDK that it needs), `UNSEEN` (see compare_histogram) and
`start(jdk, vm_args, agent_options, directory)`, which returns a harness.Jvm that has done its work and now keeps still; the caller stops it."""
from . import database, expressions, scripts, servlets

ALL = (servlets, database, scripts)


def jdks_of(program, jdks):
    """Those of `jdks` that are new enough for a program; says so of the others."""
    for jdk in jdks:
        if jdk.version < program.OLDEST:
            print(f"note: {program.NAME} needs JDK {program.OLDEST} and is left out on {jdk}", flush=True)
    return [jdk for jdk in jdks if jdk.version >= program.OLDEST]
