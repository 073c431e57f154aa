"""Real programs from Debian packages. Each module has `NAME`, `UNSEEN` (see compare_histogram) and `start(jdk, vm_args, agent_options, directory)`,
which returns a harness.Jvm that has done its work and now keeps still; the caller stops it."""
from . import database, expressions, scripts, servlets

ALL = (servlets, database, scripts)
