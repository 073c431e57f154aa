#!/usr/bin/env python3
"""What an application may bring that exact accounts have to cope with: class files of every version, as long as can be, malformed, hidden; redefinition; 10,000 patterns."""
import unittest
import zipfile

import harness
import made_classes
from account_program import FEW, PATTERNS, accounts, by_class, classes, start, tell, truth
from talk import ledger_bytes

TIMES, LENGTH = 100, 10
ARRAY_BYTES = 16 + 4 * LENGTH
FIRST_MAJOR = 45
NEAR = 300  # bytes that the longest method can do without
PACKAGE = "made"


class OddClasses:
    """The program, which runs class files that are handed to it."""

    def __init__(self, jdk, directory, patterns=None):
        self._directory = directory
        accounting = f"dir={directory},on=off,accounts={patterns},accounts-mode=exact" if patterns else None
        self.jvm = harness.victim("OddClasses", jdk, [], accounting)

    def _file(self, name, content):
        path = self._directory / f"{name}.class"
        path.write_bytes(content)
        return path

    def run(self, name, content):
        return self._answer("run", self._file(name, content), f"{PACKAGE}.{name}")

    def hide(self, content):
        return self._answer("hidden", self._file("hidden", content))

    def _answer(self, *words):
        line = "\t".join(map(str, (*words, TIMES, LENGTH)))
        return self.jvm.ask(line, r"^(?:RAN|REFUSED).*$")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.jvm.stop()


def counted_of(found):
    """{(account, class): (objects, bytes)} of what was counted; what lives is sampled, also where nothing was."""
    amounts = {key: row["allocated"] for key, row in by_class(found).items()}
    return {key: (amount["objects"], amount["bytes"]) for key, amount in amounts.items() if amount["objects"]}


def arrays_of(found):
    """{account: (objects, bytes)} of int[]."""
    return {account: amount for (account, name), amount in counted_of(found).items() if name == "int[]"}


def losses_of(found):
    return {name: found["losses"][name] for name in ("classes_left_alone", "methods_left_alone")}


class ClassFiles(unittest.TestCase):
    def counted(self, program, *names):
        told = arrays_of(accounts(program.jvm))
        self.assertEqual({name: told.get(f"{PACKAGE}.{name}") for name in names}, dict.fromkeys(names, (TIMES, TIMES * ARRAY_BYTES)))

    @harness.on_each_jdk
    def test_every_version_that_the_vm_reads(self, jdk, directory):
        names = {f"V{major}": major for major in range(FIRST_MAJOR, 44 + jdk.version + 1)}
        with OddClasses(jdk, directory, "+".join(f"{PACKAGE}.{name}" for name in names)) as program:
            for name, major in names.items():
                self.assertEqual(program.run(name, made_classes.allocating(f"{PACKAGE}/{name}", major)), f"RAN {TIMES * LENGTH}", name)
            self.counted(program, *names)
            self.assertEqual(losses_of(accounts(program.jvm)), {"classes_left_alone": 0, "methods_left_alone": 0})

    @harness.on_each_jdk
    def test_a_method_of_64_kb_is_left_alone_and_said_so(self, jdk, directory):
        longest = made_classes.LONGEST
        with OddClasses(jdk, directory, f"{PACKAGE}.Near+{PACKAGE}.Longest") as program:
            for name, size in (("Near", longest - NEAR), ("Longest", longest)):
                self.assertEqual(program.run(name, made_classes.allocating(f"{PACKAGE}/{name}", 52, size)), f"RAN {TIMES * LENGTH}", name)
            self.counted(program, "Near")
            found = accounts(program.jvm)
            self.assertNotIn(f"{PACKAGE}.Longest", arrays_of(found))
            self.assertEqual(losses_of(found), {"classes_left_alone": 0, "methods_left_alone": 1})

    @harness.on_each_jdk
    def test_the_vm_says_the_same_of_what_is_malformed(self, jdk, directory):
        made = made_classes.malformed(f"{PACKAGE}/")
        said = []
        for patterns in (None, f"{PACKAGE}.*"):
            with OddClasses(jdk, directory, patterns) as program:
                said.append({name: program.run(name, content) for name, content in made.items()})
        self.assertEqual(said[0], said[1])
        self.assertEqual({name for name, words in said[0].items() if words.startswith("RAN")}, {"unknown", "code"})

    @harness.on_each_jdk
    def test_the_objects_of_hidden_code_are_counted_once_on_account_of_its_caller(self, jdk, directory):
        """The VM shows neither hidden nor anonymous classes to agents (8 does): so they enter no account, and arrays that they make are not heard of."""
        secret = (harness.compile_java("victim-Secret", [made_classes.HERE / "victim" / "Secret.java"]) / "Secret.class").read_bytes()
        with OddClasses(jdk, directory, "OddClasses+Secret") as program:
            for _ in range(3):
                self.assertEqual(program.hide(secret), f"RAN {TIMES * LENGTH}")
            found = accounts(program.jvm)
            told = {key: objects for key, (objects, _) in counted_of(found).items()}
            self.assertEqual({key: objects for key, objects in told.items() if "Secret" in str(key)}, {("OddClasses", "Secret"): 3 * TIMES})
            self.assertGreaterEqual(told["OddClasses", "java.lang.StringBuilder"], 3 * TIMES)
            arrays = told.get(("OddClasses", "int[][]"), 0)  # the JDK makes one itself
            self.assertTrue(arrays < TIMES if jdk.version > 8 else arrays >= 3 * TIMES, arrays)
            self.assertEqual(losses_of(found), {"classes_left_alone": 0, "methods_left_alone": 0})


class Redefinition(unittest.TestCase):
    @harness.on_each_jdk
    def test_classes_that_are_redefined_go_on_being_counted(self, jdk, directory):
        jar = directory / "retransformer.jar"
        with zipfile.ZipFile(jar, "w") as out:
            out.writestr("META-INF/MANIFEST.MF", "Premain-Class: load.Retransformer\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n")
            out.write(classes() / "load" / "Retransformer.class", "load/Retransformer.class")
        with start(jdk, f"dir={directory},on=off,{PATTERNS},accounts-mode=exact", f"-javaagent:{jar}") as jvm:
            tell(jvm, "all", FEW)
            tell(jvm, "redefine", 0)
            tell(jvm, "all", FEW)
            rows = truth(jvm)[0]
            counted = counted_of(accounts(jvm))
            self.assertEqual({key: counted.get(key) for key in rows}, rows)


class Patterns(unittest.TestCase):
    MOST = 10_000

    @harness.on_a_jdk_in_turn
    def test_ten_thousand_patterns(self, jdk, directory):
        real = [*PATTERNS.removeprefix("accounts=").split("+"), "load.orders.*"]  # the last one is nobody's: load.orders comes first
        made = [f"com.example.application{number}.of.many.modules.*" for number in range(self.MOST - len(real))]
        (directory / "patterns").write_text("\n".join([*made, *real]))
        with start(jdk, f"dir={directory},on=off,accounts={directory}/patterns,accounts-mode=exact") as jvm:
            tell(jvm, "all", FEW)
            rows = truth(jvm)[0]
            found = accounts(jvm)
            counted = counted_of(found)
            self.assertEqual({key: counted.get(key) for key in rows}, rows)
            print(f"{jdk}: {ledger_bytes(jvm.pid) >> 20} MB")


if __name__ == "__main__":
    unittest.main()
