"""The ways in which a JDK can lay out and collect its heap: every collector that it has, every layout that it knows.

What a JDK has is asked of it: a flag that it refuses to start with is left out.
"""
import functools
import subprocess

import harness

UNLOCK = "-XX:+UnlockExperimentalVMOptions"  # 11 to 14 call some collectors so, 24 compact headers
HEAP = "-Xmx256m"  # the Z of 11 makes nothing of 64m
COLLECTORS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "G1": ["-XX:+UseG1GC"],
    "CMS": ["-XX:+UseConcMarkSweepGC"],
    "Shenandoah": ["-XX:+UseShenandoahGC"],
    "Shenandoah, generations": ["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"],
    "Z": ["-XX:+UseZGC"],
    "Z, generations": ["-XX:+UseZGC", "-XX:+ZGenerational"],  # the only one from 24 on, without this flag
    "Epsilon": ["-XX:+UseEpsilonGC"],
}
LAYOUTS = {
    "wide references": ["-XX:-UseCompressedOops"],
    "aligned to 16": ["-XX:ObjectAlignmentInBytes=16"],
    "shifted references": ["-XX:HeapBaseMinAddress=8g"],  # a small heap below 4 GB has plain ones
    "references with a base": ["-XX:HeapBaseMinAddress=40g"],
    "wide class pointers": ["-XX:-UseCompressedClassPointers"],
    "compact headers": ["-XX:+UseCompactObjectHeaders"],
    "no class archive": ["-Xshare:off"],
}


def collectors(jdk):
    """{name: arguments}"""
    return _accepted(jdk, COLLECTORS)


def layouts(jdk):
    """{name: arguments}, with the JDK's own choice of collector."""
    return _accepted(jdk, LAYOUTS)


def _accepted(jdk, kinds):
    return {name: [UNLOCK, HEAP, *arguments] for name, arguments in kinds.items() if _starts_with(jdk, tuple(arguments))}


@functools.lru_cache(maxsize=None)
def _starts_with(jdk, arguments):
    words = [jdk.tool("java"), UNLOCK, *arguments, HEAP, "-version"]
    done = subprocess.run(words, env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode == 0 and "Ignoring option" not in done.stdout
