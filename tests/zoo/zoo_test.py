#!/usr/bin/env python3
"""The quick cases of the zoo that hold, once each: the report is there, memory is within its bound, the verdict is right, nothing is left over. How
long the application stood still is not asked here: `./dev test zoo` does, on a machine with nothing else to do."""
import sys
import unittest

import cases
import zoo


class Zoo(unittest.TestCase):
    pass


def add(case, runtime):
    def test(self):
        outcome = zoo.run(case, runtime, timed=False)
        self.assertEqual(outcome.broken, [], outcome.verdict)
    setattr(Zoo, f"test_{case.name}_{runtime}".replace("-", "_").replace(" ", "_"), test)


# Each on one VM, in turn.
for number, case in enumerate(one for one in cases.CASES.values() if not one.whole and not one.open):
    runtimes = zoo.runtimes(case)
    if runtimes:
        add(case, runtimes[number % len(runtimes)])

if __name__ == "__main__":
    if not zoo.dotnet.runtimes():
        print("no .NET: only the cases of Java", file=sys.stderr)
    unittest.main(verbosity=2)
