#!/usr/bin/env python3
"""ages=on against real JVMs: under heavy churn a class of which one object in a thousand stays is named within thirty collections, without a dump;
the same program without the leak raises no suspect in ten runs. On the newest JDK; with HF_JDKS on those.
"""
import os
import pathlib
import unittest

import harness
import aging

HERE = pathlib.Path(__file__).resolve().parent
LEAK = "Ager$Session"
HEAP = ("-Xmx2g", "-Xms2g")
SMALLER = ("-Xmx512m", "-Xms512m")  # as many collections in a quarter of the time
COLLECTORS = ((), ("-XX:+UseParallelGC",), ("-XX:+UseSerialGC",))
JDKS = harness.jdks() if os.environ.get("HF_JDKS") else harness.jdks()[-1:]


def ager(jdk, flags=(), heap=HEAP):
    classes = harness.compile_java("ager", [HERE / "victim" / "Ager.java"])
    return lambda manner, options: harness.Jvm(jdk, [*heap, *flags, "-cp", classes, "Ager", manner, aging.SECONDS], options)


class AgingTest(unittest.TestCase):
    def test_a_leak_of_one_in_a_thousand_is_named_within_thirty_collections(self):
        for jdk in JDKS:
            for flags in COLLECTORS:
                with self.subTest(f"{jdk} {flags}"):
                    aging.check_leak(self, ager(jdk, flags), LEAK, f"{jdk} {' '.join(flags)}")

    def test_a_class_that_is_allocated_no_more_is_listed_and_one_that_goes_on_is_not(self):
        for jdk in JDKS:
            with self.subTest(str(jdk)):
                aging.check_loitering(self, ager(jdk), "Ager$ImportRow", LEAK, str(jdk))

    def test_on_growth_dumps_for_it(self):
        for jdk in JDKS:
            with self.subTest(str(jdk)):
                aging.check_dump_for_leak(self, ager(jdk), LEAK)

    def test_what_only_allocates_raises_no_suspect_in_ten_runs(self):
        for jdk in JDKS:
            with self.subTest(str(jdk)):
                aging.check_rest(self, ager(jdk, heap=SMALLER))


if __name__ == "__main__":
    unittest.main()
