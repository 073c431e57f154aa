"""A database engine under load: H2 as a server on loopback, with tables, indexes, sessions and prepared statements."""
import pathlib

import harness

NAME = "database"
OLDEST = 11
UNSEEN = {}
HERE = pathlib.Path(__file__).resolve().parent
JAR = pathlib.Path("/usr/share/java/h2.jar")


def start(jdk, vm_args, agent_options, directory):
    harness.need_package("libh2-java", JAR)
    classes = harness.compile_java("database", [HERE / "DatabaseLoad.java"], [JAR])
    files = pathlib.Path(directory) / "h2"
    files.mkdir()
    jvm = harness.Jvm(jdk, [*vm_args, "-cp", f"{classes}:{JAR}", "DatabaseLoad", files], agent_options, cwd=files)
    try:
        jvm.wait_line(r"^READY", 120)
    except BaseException:
        jvm.stop()
        raise
    return jvm
