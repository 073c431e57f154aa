#!/usr/bin/env python3
"""What threads say of themselves, in a real JVM: allocations told apart by it, and chosen by it."""
import pathlib
import unittest

import harness
from account_program import SAMPLING_SINCE, read_accounts
from annotation_checks import AnnotationChecks
from talk import ask, status

HERE = pathlib.Path(__file__).resolve().parent
API = HERE.parents[1] / "jvmti" / "api" / "holdfast" / "Annotations.java"
WORK = "AnnotatedLoad.Work"
PIECE = "AnnotatedLoad$Piece"
PIECES = 400_000
VIRTUAL_SINCE = 21
BESIDE = 0.01  # the first call allocates more than pieces


def start(jdk, options):
    classes = harness.compile_java("annotated-load", [HERE / "annotated_load" / "AnnotatedLoad.java", API])
    # Sampling stops behind a large array with Java 11's own collector (docs/decisions/040-allocation-sampling-java.md).
    collector = ["-XX:+UseSerialGC"] if jdk.version == 11 else []
    jvm = harness.Jvm(jdk, ["-Xmx300m", *collector, "-cp", classes, "AnnotatedLoad"], options)
    try:
        jvm.wait_line("^READY", 60)
        return jvm
    except BaseException:
        jvm.stop()
        raise


def tell(jvm, *words):
    jvm.ask(" ".join(map(str, words)), f"^DONE {words[0]}$", 120)


def accounts(jvm):
    return read_accounts(ask("dump", jvm.pid, "--quiet", "--simple").stdout.rstrip("\n"))


def on_each_sampling_jdk(test):
    def run(self, jdk, directory):
        if jdk.version >= SAMPLING_SINCE:
            test(self, jdk, directory)
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return harness.on_each_jdk(run)


class Annotations(AnnotationChecks):
    account = WORK

    @on_each_sampling_jdk
    def test_allocations_are_told_apart_by_what_their_threads_say(self, jdk, directory):
        options = f"dir={directory},on=off,accounts={WORK},accounts-by=user+request,sample=16k"
        with start(jdk, options) as jvm:
            tell(jvm, "users", PIECES)
            found = accounts(jvm)
        self.assertTrue(found["by_annotations"])
        lines = self.lines(found)
        self.near(lines["user=alice"], 1.5 * PIECES, "alice")
        self.near(lines["user=alice request=/cart"], PIECES, "alice's cart")
        self.near(lines["user=bob"], PIECES / 2, "on alice's thread")
        self.near(lines["user=bob request=/till"], 2 * PIECES, "bob")
        self.near(lines[None], PIECES / 2, "after the scope")
        whole = next(row for row in found["accounts"] if row["account"] == WORK)["allocated"]["objects"]
        self.assertEqual(sum(row["allocated"]["objects"] for row in lines.values()), whole)

    @on_each_sampling_jdk
    def test_only_what_is_asked_for_is_sampled(self, jdk, directory):
        options = f"dir={directory},on=off,accounts={WORK},sample=16k,sample-only=class:{PIECE}+user:al*+request:/cart"
        with start(jdk, options) as jvm:
            tell(jvm, "users", PIECES)
            found = accounts(jvm)
            self.assertIn("user:al*", "\n".join(map(str, status(jvm.pid).values())))
        self.assertEqual(found["sample_only"], f"class:{PIECE}+user:al*+request:/cart")
        self.assertGreater(found["passed_over"], 100)
        self.assertEqual({row["class"] for row in found["classes"]}, {PIECE})
        self.near(next(row for row in found["classes"] if row["account"] == WORK), PIECES, "alice's cart alone")

    @on_each_sampling_jdk
    def test_filters_that_match_nothing_or_everything(self, jdk, directory):
        for only, all_of_it in (("user:nobody", False), ("class:no.such.*", False), ("class:*", True)):
            options = f"dir={directory},on=off,accounts={WORK},sample=16k,sample-only={only}"
            with start(jdk, options) as jvm:
                tell(jvm, "users", PIECES)
                found = accounts(jvm)
            pieces = [row for row in found["classes"] if row["class"] == PIECE and row["account"] == WORK]
            if all_of_it:
                self.near(pieces[0], 5.5 * PIECES, only)
                self.assertEqual(found["passed_over"], 0)
            else:
                self.assertEqual(found["classes"], [], only)
                self.assertGreater(found["passed_over"], 100, only)

    @on_each_sampling_jdk
    def test_a_thousand_threads_end_without_a_word(self, jdk, directory):
        """Every allocation: threads that come and go are sampled at the same places, so that no estimate of them is to be had."""
        options = f"dir={directory},on=off,accounts={WORK},accounts-by=user,sample=0"
        with start(jdk, options) as jvm:
            tell(jvm, "ended", 1000)
            lines = self.lines(accounts(jvm))
            self.near(lines[None], 100_000, "who says nothing", bias=BESIDE)
            for i in range(10):
                self.near(lines[f"user=ended-{i}"], 10_000, f"those who have ended, {i}", bias=BESIDE)
            if jdk.version < VIRTUAL_SINCE:
                return
            tell(jvm, "ended-virtual", 1000)
            self.near(self.lines(accounts(jvm))[None], 200_000, "virtual ones", bias=BESIDE)
        options = f"dir={directory},on=off,accounts={WORK},accounts-by=user,sample=4k"
        with start(jdk, options) as jvm:
            tell(jvm, "virtual", 20)
            lines = self.lines(accounts(jvm))
        for name in ("user=v0", "user=v1"):
            self.near(lines[name], 200_000, name)

    @on_each_sampling_jdk
    def test_odd_texts_are_cut_and_made_plain(self, jdk, directory):
        options = f"dir={directory},on=off,accounts={WORK},accounts-by=user,sample=4k"
        with start(jdk, options) as jvm:
            tell(jvm, "odd")
            lines = self.lines(accounts(jvm))
        self.near(lines["user=" + "x" * 100], 100_000, "10 kB")
        self.near(lines["user=a?b?c\u00e4\U0001F600?"], 100_000, "odd characters")

    @on_each_sampling_jdk
    def test_without_an_agent_or_before_it_nothing_happens(self, jdk, directory):
        with start(jdk, None) as jvm:
            tell(jvm, "users", 1000)
            jvm.agent_load(f"dir={directory},on=off,accounts={WORK},accounts-by=user,sample=4k")
            tell(jvm, "ended", 10)
            self.assertEqual([line for line in jvm.lines if line.startswith("holdfast")], [])
            # The class looks again ten seconds after it has found no agent.
            harness.wait_until(lambda: tell(jvm, "users", 1000) or "user=bob request=/till" in self.lines(accounts(jvm)) or "user=bob" in self.lines(accounts(jvm)), 60, "an annotation")
            ask("detach", jvm.pid)
            tell(jvm, "users", 1000)

    @on_each_sampling_jdk
    def test_what_it_costs_to_say_something(self, jdk, directory):
        for options in ("on=off", f"on=off,accounts={WORK},accounts-by=user"):
            with start(jdk, f"dir={directory},{options}") as jvm:
                tell(jvm, "cost")
                print(f"{jdk}, {options}:", next(line for line in jvm.lines if line.startswith("COST")))


class BadInput(unittest.TestCase):
    @harness.on_each_jdk
    def test_what_cannot_be_is_refused_in_one_line(self, jdk, directory):
        if jdk.version < SAMPLING_SINCE:
            return
        for options, wanted in (
                ("accounts=a,sample-only=pet:cat", r"^holdfast: sample-only=: pet:cat: wanted is class:a\.b .*; the agent stays off$"),
                ("accounts=a,accounts-mode=exact,accounts-by=user", r"^holdfast: accounts-by=: user, application, .* wanted is accounts-mode=sampled; the agent stays off$"),
                ("accounts=a,accounts-mode=exact,sample-only=user:a", r"^holdfast: sample-only=: in exact modes .*; the agent stays off$"),
                ("sample-only=user:a", r"^holdfast: sample-only=user:a: nothing is sampled without accounts= or ages=on$")):
            with start(jdk, f"dir={directory},on=off,{options}") as jvm:
                said = [line for line in jvm.lines if line.startswith("holdfast")]
                self.assertEqual(len(said), 1, said)
                self.assertRegex(said[0], wanted)


if __name__ == "__main__":
    unittest.main()
