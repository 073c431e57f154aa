"""A script engine: Rhino compiles many scripts to classes with loaders of their own and builds data in JavaScript."""
import pathlib

import harness

NAME = "script engine"
OLDEST = 8
UNSEEN = {}
HERE = pathlib.Path(__file__).resolve().parent
JAR = pathlib.Path("/usr/share/java/rhino.jar")


def start(jdk, vm_args, agent_options, directory):
    harness.need_package("librhino-java", JAR)
    classes = harness.compile_java("scripts", [HERE / "ScriptLoad.java"], [JAR])
    jvm = harness.Jvm(jdk, [*vm_args, "-cp", f"{classes}:{JAR}", "ScriptLoad"], agent_options, cwd=directory)
    try:
        jvm.wait_line(r"^READY", 120)
    except BaseException:
        jvm.stop()
        raise
    return jvm
