#!/usr/bin/env python3
"""What threads and tasks say of themselves, in a real CLR: allocations told apart by it, and chosen by it."""
import json
import tempfile

import harness
from annotation_checks import AnnotationChecks
from resources import thread_names

WORK = "AnnotatedLoad.Work"
PIECE = "AnnotatedLoad.Piece"
PIECES = 1_500_000
TICK_BIAS = 0.03  # before .NET 10 it is a distance that picks the samples


class AnnotatedLoad(harness.Clr):
    def __init__(self, runtime, options):
        self.reports = tempfile.TemporaryDirectory(prefix="holdfast-annotations-")
        agent_options = options and f"dir={self.reports.name},{options}"
        super().__init__("AnnotatedLoad", agent_options=agent_options, runtime=runtime)
        self.bias = 0 if runtime.version >= harness.NEWEST else TICK_BIAS
        try:
            self.wait_line("^READY", 60)
            if options and "accounts" in options:
                harness.wait_until(lambda: "hf-accounts" in thread_names(self.pid), 30)
        except BaseException:
            self.stop()
            raise

    def stop(self, timeout_s=20):
        status = super().stop(timeout_s)
        self.reports.cleanup()
        return status

    def tell(self, *words):
        self.ask(" ".join(map(str, words)), f"^DONE {words[0]}$", 120)

    def accounts(self):
        return json.loads(harness.run_command("report", "--json", "--section", "accounts", self.dump("--simple")).stdout)["accounts"]


def on_each_runtime(test):
    def run(self):
        for runtime in harness.runtimes():
            with self.subTest(str(runtime)):
                test(self, runtime)
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


class Annotations(AnnotationChecks):
    account = WORK

    @on_each_runtime
    def test_allocations_are_told_apart_by_what_their_threads_say(self, runtime):
        with AnnotatedLoad(runtime, f"on=off,accounts={WORK},accounts-by=user+request,sample=64k") as clr:
            clr.tell("users", PIECES)
            lines = self.lines(clr.accounts())
            self.near(lines["user=alice"], 1.5 * PIECES, "alice", clr.bias)
            self.near(lines["user=alice request=/cart"], PIECES, "alice's cart", clr.bias)
            self.near(lines["user=bob"], PIECES / 2, "on alice's thread", clr.bias)
            self.near(lines["user=bob request=/till"], 2 * PIECES, "bob", clr.bias)
            self.near(lines[None], PIECES / 2, "after the scope", clr.bias)

    @on_each_runtime
    def test_what_is_said_goes_along_with_tasks(self, runtime):
        with AnnotatedLoad(runtime, f"on=off,accounts={WORK},accounts-by=user,sample=64k") as clr:
            clr.tell("tasks", 200_000)
            lines = self.lines(clr.accounts())
            self.assertEqual(set(lines), {"user=t0", "user=t1"})
            for name, row in lines.items():
                self.near(row, 2_000_000, name, clr.bias)

    @on_each_runtime
    def test_only_what_is_asked_for_is_sampled(self, runtime):
        only = f"class:{PIECE}+user:al*+request:/cart"
        with AnnotatedLoad(runtime, f"on=off,accounts={WORK},sample=64k,sample-only={only}") as clr:
            clr.tell("users", PIECES)
            found = clr.accounts()
            self.assertEqual(found["sample_only"], only)
            self.assertGreater(found["passed_over"], 100)
            self.assertEqual({row["class"] for row in found["classes"]}, {PIECE})
            self.near(found["classes"][0], PIECES, "alice's cart alone", clr.bias)

    @on_each_runtime
    def test_filters_that_match_nothing_or_everything(self, runtime):
        for only, all_of_it in (("user:nobody", False), ("class:no.such.*", False), ("class:*", True)):
            with AnnotatedLoad(runtime, f"on=off,accounts={WORK},sample=64k,sample-only={only}") as clr:
                clr.tell("users", PIECES)
                found = clr.accounts()
                pieces = [row for row in found["classes"] if row["class"] == PIECE]
                if all_of_it:
                    self.near(pieces[0], 5.5 * PIECES, only, clr.bias)
                    self.assertEqual(found["passed_over"], 0)
                else:
                    self.assertEqual(found["classes"], [], only)
                    self.assertGreater(found["passed_over"], 100, only)

    @on_each_runtime
    def test_a_thousand_threads_end_without_a_word(self, runtime):
        with AnnotatedLoad(runtime, f"on=off,accounts={WORK},accounts-by=user,sample=16k") as clr:
            clr.tell("ended", 1000)
            lines = self.lines(clr.accounts())
            self.near(lines[None], 500_000, "who says nothing", clr.bias)
            self.assertGreaterEqual(len(lines), 9)

    @on_each_runtime
    def test_odd_texts_are_cut_and_made_plain(self, runtime):
        with AnnotatedLoad(runtime, f"on=off,accounts={WORK},accounts-by=user,sample=64k") as clr:
            clr.tell("odd", PIECES)
            lines = self.lines(clr.accounts())
            self.near(lines["user=" + "x" * 100], PIECES, "10 kB", clr.bias)
            odd = next(name for name in lines if name and name.startswith("user=a"))
            self.assertEqual(odd.rstrip("?\uFFFD"), "user=a?b?c\u00e4\U0001F600")
            self.near(lines[odd], PIECES, "odd characters", clr.bias)
            self.near(lines[None], PIECES, "cleared", clr.bias)

    @on_each_runtime
    def test_what_it_costs_to_say_something(self, runtime):
        for options in (None, "on=off,accounts=a,accounts-by=user"):
            with AnnotatedLoad(runtime, options) as clr:
                clr.tell("cost")
                print(f"{runtime}, {options}:", next(line for line in clr.lines if line.startswith("COST")))


if __name__ == "__main__":
    harness.main()
