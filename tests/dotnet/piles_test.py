#!/usr/bin/env python3
"""Piles as programs have them that were not written for our tests, and what a dump's stop is said to have been.

Thread statics, ThreadLocal, ConcurrentQueue and an unbounded Channel: one suspect with all Items, its holder by name. A thread that the runtime
has to wait for: the stop is what a sleeping thread of the application saw. A deep recursion: quick, bounded, and the report says what is missing.
"""
import json
import unittest

import harness

COUNT = 4_000
SLOW_BYTES = 400_000_000
FRAMES = 60_000
HEAP_ALONE_MS = 100  # what a small heap is predicted at most, whatever native memory is resident beside it


class Piles(harness.Clr):
    def __init__(self, kind, count, options, runtime):
        super().__init__("Piles", words=(kind, str(count)), agent_options=options, runtime=runtime)
        try:
            self.wait_line("^ready$", 60)
        except BaseException:
            self.stop()
            raise

    def gap_ms(self):
        return float(self.ask("gap", r"^gap ([\d.,]+)$", 60)[1].replace(",", "."))


def facts_of(path):
    return json.loads(harness.run_command("report", path, "--json").stdout)


class PilesTest(unittest.TestCase):
    def check_one_suspect(self, runtime, directory, kind, holder):
        with Piles(kind, COUNT, f"dir={directory},on=off,pause=1h", runtime) as program:
            report = facts_of(program.dump("--extended"))
        items = [s for s in report["suspects"] if s["class"].endswith("Item")]
        self.assertEqual(len(items), 1, report["suspects"])
        self.assertEqual(items[0]["instances"], COUNT)
        self.assertIn(holder, json.dumps(items[0]))
        return items[0]

    @harness.on_each_runtime
    def test_a_queue_and_a_channel_are_one_suspect(self, runtime, directory):
        self.check_one_suspect(runtime, directory, "queue", "Queue")
        self.check_one_suspect(runtime, directory, "channel", "Channel")

    @harness.on_each_runtime
    def test_values_of_threads_are_one_suspect_of_one_field(self, runtime, directory):
        if runtime.version < 9:
            self.skipTest("before .NET 9 values of threads are elements of arrays without names")
        found = self.check_one_suspect(runtime, directory, "thread-static", "OfThread")
        self.assertEqual(found["held_by"], "thread static field Piles.Holder.OfThread in 4 threads")
        self.assertRegex(found["path"]["thread"], r"^worker-\d$")
        found = self.check_one_suspect(runtime, directory, "thread-local", "ts_slotArray")
        self.assertEqual(found["held_by"], "4 threads' values of the ThreadLocal in static field Piles.Holder.Local")

    @harness.on_each_runtime
    def test_the_stop_is_what_the_application_saw(self, runtime, directory):
        with Piles("slow", SLOW_BYTES, f"dir={directory},on=off,pause=1h", runtime) as program:
            for words in (("--extended", "--capture", "walk"), ("--simple",)):
                with self.subTest(words):
                    program.gap_ms()
                    dump = facts_of(program.dump(*words))["dump"]
                    seen = program.gap_ms()
                    self.assertLess(abs(dump["pause_ms"] - seen), max(5, 0.2 * seen) + 5, (dump, seen))
                    self.assertLess(dump["predicted_pause_ms"], HEAP_ALONE_MS + dump["pause_ms"])
                    break_even = SLOW_BYTES / 40 * 120 / 1e6  # by resident memory
                    self.assertLess(dump["predicted_pause_ms"], break_even)

    @harness.on_each_runtime
    def test_a_deep_recursion_costs_no_seconds_and_is_refused_beyond_the_limit(self, runtime, directory):
        with Piles("deep", FRAMES, f"dir={directory},on=off,pause=1h", runtime) as program:
            refused = harness.run_command("dump", program.pid, "--extended", "--capture", "walk", "--pause", "60ms", check=False)
            self.assertIn("frames on stacks the walk would stop the application for about", refused.stderr)
            report = facts_of(program.dump("--extended", "--capture", "walk"))
            self.assertLess(report["dump"]["capture_ms"], 3_000)
            cut = 'the stack of thread "deep" has more frames than the first'
            self.assertTrue(any(cut in note for note in report["notes"]), report["notes"])
            if runtime.version >= 9:
                report = facts_of(program.dump("--extended", "--capture", "frozen"))
                self.assertTrue(any(cut in note for note in report["notes"]), report["notes"])


if __name__ == "__main__":
    harness.main()
