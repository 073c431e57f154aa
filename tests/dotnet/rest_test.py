#!/usr/bin/env python3
"""An agent that rests changes nothing in its runtime: collections of the oldest generation go on in the background, before a dump and after it."""
import unittest

import harness

SECONDS = 3


def background_collections(runtime, directory, agent_options, env=None, dumps=()):
    """Of a load that runs for a while, after a warm-up in which the dumps are taken."""
    with harness.Clr("IdleLoad", [f"seconds={SECONDS}", "warmup=5" if dumps else "warmup=1"], agent_options, runtime, env=env) as load:
        for kind in dumps:
            load.dump(kind, "-o", directory / f"{kind.strip('-')}.hfr")
        load.wait_line(r"^ops_per_second", 60)
        return int(load.wait_line(r"^collections \d+ \d+ \d+ (\d+)$")[1])


class RestTest(unittest.TestCase):
    @harness.on_each_runtime
    def test_collections_stay_in_the_background(self, runtime, directory):
        agent = f"dir={directory}"
        self.assertGreater(background_collections(runtime, directory, agent), 0, "an agent that has done nothing yet")
        self.assertGreater(background_collections(runtime, directory, agent, dumps=("--simple", "--extended")), 0, "after dumps")
        self.assertGreater(background_collections(runtime, directory, f"{agent},on=oom+gc", dumps=["--simple"]), 0, "with its events on")

    @harness.on_each_runtime
    def test_the_load_tells_a_runtime_without_them(self, runtime, directory):
        self.assertEqual(background_collections(runtime, directory, None, harness.NO_CONCURRENT_GC), 0)


if __name__ == "__main__":
    harness.main()
