#!/usr/bin/env python3
"""Ages of a CLR's objects are the collections that the program itself has counted since it made them.

Three things are as the runtime tells them. A collection in the background looks at nothing young: where one comes first, an object's count
begins with the one after it; with server GC one comes unasked now and then, and takes the place of the young one that was asked for. What has
stayed young begins to count anew beside one. And large objects are looked at by whole collections alone.
"""
import re
import unittest

import harness

COUNT = 20_000
MODES = {"workstation": {}, "not concurrent": harness.NO_CONCURRENT_GC, "server": harness.SERVER_GC,
         "server, not concurrent": {**harness.SERVER_GC, **harness.NO_CONCURRENT_GC}}
WALK = ("--extended", "--capture", "walk")
FROM_9 = (("--simple",), ("--extended",), WALK)
BEFORE_9 = (WALK,)

# Each class made between two other collections; then objects die, and what is left is swept and moved.
KNOWN = ("make 0", "collect 0", "make 1", "collect 1", "large", "make 2", "collect 0", "collect 0", "make 3", "collect 2", "make 4", "thin 0",
         "thin 3", "collect 2 compact", "make 5", "collect 1 compact", "collect 0 compact", "make 6", "collect 0", "make 7")
# The same beside threads that have the runtime collect, in the background, too.
MIXED = ("make 0", "collect 0", "make 1", "collect 1", "make 2", "collect 0", "garbage 2", "background", "make 4", "collect 0", "collect 1",
         "background", "make 5", "collect 1 compact", "make 6", "collect 0 compact", "garbage 0", "make 7")


class AgeMaker(harness.Clr):
    def __init__(self, agent_options, **more):
        super().__init__("AgeMaker", agent_options=agent_options, **more)
        self.wait_line(r"^started", 60)

    def do(self, line):
        word = line.split()[0]
        sized = {"make": f"{line} {COUNT}", "large": "large 5"}.get(word, line)
        self.ask(sized, r"^(made|collected|thinned|background|garbage)\b", 120)

    def made(self):
        """{class: (collections since it was made, objects)}"""
        first = len(self.lines)
        self.whole = int(self.ask("ages", r"^ages of \d+, (\d+) of the whole heap$")[1])
        found = (re.match(r"age (\d+) (\d+) (.+)$", line) for line in self.lines[first:])
        return {match[3]: (int(match[1]), int(match[2])) for match in found if match}


def age_range(age):
    """The least age of the doubling that it lies in."""
    return age if age < 2 else 1 << (age.bit_length() - 1)


class AgesTest(unittest.TestCase):
    def judge(self, report, made, slack):
        ages = report.data["ages"]
        self.assertIsNotNone(ages, report.data["notes"])
        self.assertEqual(ages["source"], "ranges")
        rows = {row["class"]: row for row in ages["classes"]}
        for name, (age, objects) in made.items():
            row = rows[name]
            told = {ages["ranges"][i]["from"]: count for i, count in enumerate(row["range_objects"]) if count}
            self.assertEqual(sum(told.values()), objects, name)
            fitting = {age_range(max(0, age - less)) for less in range(slack + 1)}
            self.assertLessEqual(set(told), fitting, f"{name}: {age} collections since it was made, told {told}")
            self.assertEqual(row["distinct_ages"], 1, f"{name}: made between two collections")

    def dumps(self, script, runtime, directory, env, slack):
        with AgeMaker(f"dir={directory},ages=on,pause=1h", runtime=runtime, env=env) as maker:
            for line in script:
                maker.do(line)
            maker.made()
            unasked = maker.whole - sum(line.startswith("collect 2") for line in script)
            slack = slack or min(1, unasked)
            for words in FROM_9 if runtime.version >= 9 else BEFORE_9:
                with self.subTest(words=words):
                    report = harness.Report(maker.dump(*words))
                    self.judge(report, maker.made(), slack)

    @harness.on_each_runtime
    def test_ages_are_what_the_program_has_counted(self, runtime, directory):
        for mode, env in MODES.items():
            with self.subTest(mode):
                self.dumps(KNOWN, runtime, directory, env, 0)

    @harness.on_each_runtime
    def test_beside_garbage_and_collections_in_the_background(self, runtime, directory):
        for mode, env in MODES.items():
            with self.subTest(mode):
                self.dumps(MIXED, runtime, directory, env, 1)

    @harness.on_each_runtime
    def test_an_agent_that_comes_late_knows_what_came_after_it(self, runtime, directory):
        """And it can go and come back: what was there before is tenured, whoever it was made under."""
        with AgeMaker(None, runtime=runtime) as maker:
            for line in ("make 0", "collect 0", "collect 1"):
                maker.do(line)
            for _ in range(2):
                options = f"dir={directory},ages=on,pause=1h"
                harness.run_command("dump", maker.pid, *WALK, "--options", options, "-o", directory / "first.hfr")
                for line in ("make 1", "collect 0", "make 2", "collect 0"):
                    maker.do(line)
                report = harness.Report(maker.dump(*WALK, "-o", directory / "late.hfr"))
                made = maker.made()
                self.judge(report, {name: made[name] for name in ("AgeMaker.C1", "AgeMaker.C2")}, 0)
                row = next(row for row in report.data["ages"]["classes"] if row["class"] == "AgeMaker.C0")
                tenured = next(i for i, told in enumerate(report.data["ages"]["ranges"]) if told["range"] == "tenured")
                self.assertEqual(row["range_objects"][tenured], COUNT)
                harness.run_command("detach", maker.pid)
                for path in directory.glob("*.hfr"):
                    path.unlink()


if __name__ == "__main__":
    harness.main()
