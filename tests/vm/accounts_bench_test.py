#!/usr/bin/env python3
"""What the accounts benchmark makes of its runs, and how it compares two reports; without a JVM."""
import pathlib
import sys
import unittest

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import accounts_agreement  # noqa: E402
import accounts_cost  # noqa: E402
import accounts_programs  # noqa: E402
import accounts_run  # noqa: E402
import paired_runs  # noqa: E402


def run(wall_s, peak_mb=300.0, checksum="a"):
    return accounts_run.Run(wall_s, 2 * wall_s, 1.0, 2.0, peak_mb, 100.0, checksum)


class Tables(unittest.TestCase):
    # The machine slows down from round to round: a factor of medians would be 1.2, those of the rounds have 1.5 in the middle.
    found = {"plain": [run(1), run(2, 310), run(4)], "exact": [run(1.6), run(2.4, 350), run(6, 420)]}

    def test_factors_are_of_the_same_round(self):
        self.assertAlmostEqual(accounts_cost.factor(self.found, "exact", "wall_s"), 1.5)
        self.assertAlmostEqual(accounts_cost.more_mb(self.found, "exact"), 40)

    def test_rows(self):
        lines = accounts_cost.time_table({"antlr": self.found}, ["exact"])
        self.assertEqual(lines[2], "| antlr | 2.00 | 1.500 / 1.500 | 1.00 | 1.72 | 3.38 |")
        lines = accounts_cost.memory_table({"antlr": self.found}, ["exact"])
        self.assertEqual(lines[3], "| highest |  | 1.13, +40 | 1.94 | 1.23 |")
        self.assertIn("| antlr | 2.00 | 150.0% |", accounts_cost.plain_table({"antlr": self.found})[2])

    def test_shortfalls(self):
        cheap = {"plain": [run(1)], "sampled": [run(1.02, 370)], "exact-overall": [run(1.29, 900)]}
        self.assertEqual(accounts_cost.shortfalls({"fop": cheap}, ["sampled", "exact-overall"]), ["fop, sampled: 70 MB more, wanted 64"])
        self.assertEqual(accounts_cost.shortfalls({"antlr": self.found}, ["exact"]), ["antlr, exact: 1.500 of the time, wanted 1.3"])


class Running(unittest.TestCase):
    def test_every_round_begins_with_another(self):
        order = []
        found = paired_runs.interleaved(3, {name: lambda name=name: order.append(name) or len(order) for name in "abc"})
        self.assertEqual("".join(order), "abcbcacab")
        self.assertEqual(found["a"], [1, 6, 8])

    def test_an_agent_that_stays_off_is_no_measurement(self):
        program, variant = accounts_programs.ALL[0], accounts_run.VARIANTS["exact"]
        accounts_run.refuse_what_the_agent_refused(program, variant, ["FIRST 1 2"])
        with self.assertRaisesRegex(harness.VmError, "antlr, exact: .*stays off"):
            accounts_run.refuse_what_the_agent_refused(program, variant, ["FIRST 1 2", "holdfast: accounts=x: no; the agent stays off"])

    def test_names(self):
        self.assertEqual(accounts_cost.named("b,a", {"a": 1, "b": 2}, "letter"), [2, 1])
        with self.assertRaisesRegex(harness.VmError, "no letter 'c'; there are a, b"):
            accounts_cost.named("a,c", {"a": 1, "b": 2}, "letter")
        self.assertEqual(set(accounts_cost.THEIR_TIME), set(accounts_programs.BY_NAME))


def told(classes, total=None):
    """What a report tells that lists these of `total` classes."""
    rows = [{"account": "shop.*", "class": name, "allocated": {"objects": count, "bytes": 24 * count}} for name, count in classes.items()]
    return accounts_agreement.told_by({"accounts": {"classes": rows, "classes_total": total or len(rows)}})


class Agreement(unittest.TestCase):
    def disagreeing(self, exact, one, other):
        return [row.name for row in accounts_agreement.compare(exact, one, other) if not row.agrees()]

    def test_as_near_as_sampling_is_to_itself(self):
        one, other = told({"A": 1000, "B": 500}), told({"A": 1010, "B": 500})
        self.assertEqual(self.disagreeing(told({"A": 1020, "B": 500}), one, other), [])
        self.assertEqual(self.disagreeing(told({"A": 1022, "B": 501}), one, other), ["A", "B"])

    def test_what_is_missing_disagrees_unless_it_was_left_out(self):
        both = told({"A": 1000, "B": 500, "C": 100})
        self.assertEqual(self.disagreeing(told({"A": 1000, "C": 100}), both, both), ["B"])
        self.assertEqual(self.disagreeing(told({"A": 1000, "B": 500, "C": 100, "D": 7}), both, both), ["D"])
        self.assertEqual(self.disagreeing(told({"A": 1000, "B": 500}, total=9), both, both), [])  # C is less than the least that is listed
        self.assertEqual(self.disagreeing(told({"A": 1000, "C": 100}, total=9), both, both), ["B"])

    def test_one_name_under_two_loaders_is_one_class(self):
        row = {"account": "shop.*", "class": "A", "allocated": {"objects": 1, "bytes": 16}}
        found = accounts_agreement.told_by({"accounts": {"classes": [row, row], "classes_total": 2}})
        self.assertEqual(found.classes, {("shop.*", "A"): harness.Count(2, 32)})

    def test_reports_that_tell_too_little(self):
        nameless = {"account": "shop.*", "class": None, "allocated": {"objects": 1, "bytes": 16}}
        for section in (None, {"classes": [], "classes_total": 0}, {"classes": [nameless], "classes_total": 1}):
            with self.assertRaises(harness.VmError):
                accounts_agreement.told_by({"accounts": section})


if __name__ == "__main__":
    unittest.main()
