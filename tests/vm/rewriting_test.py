#!/usr/bin/env python3
"""Rewritten classes are believed by the verifier, all of them, and do what they did: every class of java.base and of real programs, each in an account.

What rewritten classes call is added to java.lang.Object by add_methods.py. Whatever does not link when it is not rewritten (because it misses
classes of other packages) must say the same when it is.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

import add_methods
import harness
import made_classes

HERE = pathlib.Path(__file__).resolve().parent
REWRITE_CLASSES = pathlib.Path(os.environ.get("HF_BUILD") or harness.BUILD / "release") / "bin" / "rewrite_classes"
JARS = pathlib.Path("/usr/share/java")
PROGRAMS = ("eclipse-jdt-core", "h2", "js", "clojure", "tomcat10-catalina")  # packages.txt
IF_ASKED = os.environ.get("HF_JDKS") and ("jython", "fop-core", "batik-all", "xalan2", "xercesImpl", "hsqldb", "jfreechart", "antlr", "guava", "icu4j",
                                          *(f"lucene-{part}-8.7.0" for part in ("core", "analyzers-common", "queryparser", "queries", "sandbox")))
OLD = "js"              # whose classes are also tried as an old version: the old verifier, no frames
OLD_MAJOR = 49
NEWER_TAGS = {15, 16, 17, 18}  # constants that an old class cannot have
PATIENCE_S = 600
ACCOUNT = 7
OBJECT = "java/lang/Object.class"


def run(*words):
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, timeout=PATIENCE_S, env=harness.environment())
    if done.returncode != 0:
        raise AssertionError(f"{words[0]} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def rewrite(source, target, *more):
    said = run(REWRITE_CLASSES, source, target, *more)
    lines = [line for line in said.splitlines() if not line.startswith("left alone")]
    print("\n".join(lines), flush=True)
    return said


def base_classes(jdk, directory):
    """All classes of java.base below directory; None where the JDK has no module image."""
    tool = pathlib.Path(jdk.tool("jimage"))
    if not tool.exists():
        return None
    run(tool, "extract", "--dir", directory, "--include", "regex:/java.base/.*", pathlib.Path(jdk.home, "lib", "modules"))
    return directory / "java.base"


def with_object(jdk, directory):
    """VM arguments that put java.lang.Object with the methods that are called before the JDK's own."""
    target = directory / "object" / OBJECT
    target.parent.mkdir(parents=True)
    tool = harness.compile_java("class-bytes", [HERE / "victim" / "ClassBytes.java"])
    run(jdk.tool("java"), "-cp", tool, "ClassBytes", "java.lang.Object", target)
    target.write_bytes(add_methods.add_methods(target.read_bytes()))
    return patched(jdk, directory / "object")


def patched(jdk, directory):
    return [f"-Xbootclasspath/p:{directory}"] if jdk.version < 9 else ["--patch-module", f"java.base={directory}"]


class Linked:
    """What LinkAll said."""

    def __init__(self, jdk, vm_args, *arguments):
        classes = harness.compile_java("link-all", [HERE / "victim" / "LinkAll.java"])
        said = run(jdk.tool("java"), *vm_args, "-Xverify:all", "-cp", classes, "LinkAll", *arguments)
        self.linked = int(re.search(r"^(\d+) linked", said, re.MULTILINE)[1])
        self.missing = set(re.findall(r"^missing: (\S+):", said, re.MULTILINE))
        self.refused = dict(re.findall(r"^refused: (\S+): (.*)$", said, re.MULTILINE))


def jar(name):
    return next((path for path in (JARS / f"{name}.jar",) if path.exists()), None)


def unpack(path, directory):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class") and not name.startswith("META-INF")]
        archive.extractall(directory, names)


def make_old(directory):
    """Sets the version of every class that can have it; the others go. How many are left."""
    count = 0
    for path in directory.rglob("*.class"):
        data = bytearray(path.read_bytes())
        interface = add_methods.u16(data, add_methods.behind_pool(data)) & 0x0200
        if interface or add_methods.pool_tags(data) & NEWER_TAGS:
            path.unlink()
            continue
        data[4:8] = bytes((0, 0, 0, OLD_MAJOR))
        path.write_bytes(data)
        count += 1
    return count


class Rewriting(unittest.TestCase):
    def check_same(self, jdk, vm_args, plain, rewritten, at_least):
        others = [str(path) for path in sorted(JARS.glob("*.jar")) if not path.is_symlink()]
        before = Linked(jdk, vm_args, "path", f"{plain}/", f"{plain}/", *others)
        after = Linked(jdk, vm_args, "path", f"{rewritten}/", f"{plain}/", *others)
        self.assertGreater(before.linked, at_least)
        self.assertEqual(set(after.refused), set(before.refused), after.refused)
        self.assertEqual((after.linked, after.missing), (before.linked, before.missing))

    @harness.on_each_jdk
    def test_every_class_of_java_base_is_verified(self, jdk, directory):
        source = base_classes(jdk, directory / "plain")
        if source is None:
            return
        said = rewrite(source, directory / "new")
        self.assertNotIn("left alone", said)
        target = directory / "new" / OBJECT
        target.write_bytes(add_methods.add_methods(target.read_bytes()))
        linked = Linked(jdk, patched(jdk, directory / "new"), "boot", directory / "new")
        self.assertEqual((linked.refused, linked.missing), ({}, set()))
        self.assertGreater(linked.linked, 5000)

    @harness.on_each_jdk
    def test_every_class_of_real_programs_is_verified(self, jdk, directory):
        vm_args = with_object(jdk, directory)
        for name in PROGRAMS + (IF_ASKED or ()):
            if jar(name) is None:
                self.assertNotIn(name, PROGRAMS, f"{name}.jar is missing: see packages.txt")
                continue
            with self.subTest(name):
                print(f"-- {name}", flush=True)
                unpack(jar(name), directory / "plain")
                self.assertNotIn("left alone", rewrite(directory / "plain", directory / "new"))
                self.check_same(jdk, vm_args, directory / "plain", directory / "new", 20)
                shutil.rmtree(directory / "plain")
                shutil.rmtree(directory / "new")

    @harness.on_each_jdk
    def test_old_classes_are_verified_by_the_old_verifier(self, jdk, directory):
        unpack(jar(OLD), directory / "plain")
        count = make_old(directory / "plain")
        self.assertNotIn("left alone", rewrite(directory / "plain", directory / "new"))
        self.check_same(jdk, with_object(jdk, directory), directory / "plain", directory / "new", count // 2)

    @harness.on_each_jdk
    def test_the_state_follows_the_stack(self, jdk, directory):
        classes = harness.compile_java("accounts", [HERE / "victim" / "Accounts.java", HERE / "victim" / "Accounted.java"])
        for path in classes.glob("Accounted*.class"):
            (directory / "plain").mkdir(exist_ok=True)
            shutil.copy(path, directory / "plain")
        rewrite(directory / "plain", directory / "new", f"account={ACCOUNT}")
        vm_args = [*with_object(jdk, directory), "-Xverify:all"]
        path = os.pathsep.join(map(str, (directory / "new", classes)))
        self.assertRegex(run(jdk.tool("java"), *vm_args, "-cp", path, "Accounts"), r"(?m)^sum \d+, asked true$")
        # And where nothing is rewritten it is noticed.
        with self.assertRaisesRegex(AssertionError, "the state is 0, not 7"):
            run(jdk.tool("java"), *vm_args, "-cp", classes, "Accounts")

    @harness.on_each_jdk
    def test_subroutines_and_the_longest_branches_do_what_they_did(self, jdk, directory):
        plain, new = directory / "plain", directory / "new"
        plain.mkdir()
        for name, data in made_classes.MADE.items():
            (plain / f"{name}.class").write_bytes(data)
        said = rewrite(plain, new)
        self.assertNotIn("left alone", said)
        runner = harness.compile_java("run-made", [HERE / "victim" / "RunMade.java"])
        vm_args = [*with_object(jdk, directory), "-Xverify:all"]
        for place in (plain, new):
            for name, wanted in made_classes.WANTED.items():
                path = os.pathsep.join(map(str, (place, runner)))
                said = run(jdk.tool("java"), *vm_args, "-cp", path, "RunMade", name, *wanted)
                self.assertEqual(said.split(), [str(value) for value in wanted.values()], f"{name} in {place}")

    @harness.on_each_jdk
    def test_the_verifier_looks(self, jdk, directory):
        """The proof of the others: frames that are taken away are missed."""
        classes = harness.compile_java("accounts", [HERE / "victim" / "Accounts.java", HERE / "victim" / "Accounted.java"])
        for place in ("plain", "new"):
            (directory / place).mkdir()
        shutil.copy(classes / "Accounted.class", directory / "plain")
        rewrite(directory / "plain", directory / "new")
        path = directory / "new" / "Accounted.class"
        path.write_bytes(path.read_bytes().replace(b"StackMapTable", b"StackMapTablX"))
        linked = Linked(jdk, with_object(jdk, directory), "path", f"{directory / 'new'}/", f"{classes}/")
        self.assertIn("VerifyError", linked.refused["Accounted"])


if __name__ == "__main__":
    unittest.main()
