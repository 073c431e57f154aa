"""What reports say of threads that say whose work they do. The same checks for every VM."""
import unittest

ERRORS = 4  # standard errors that an estimate may be away from the truth


class AnnotationChecks(unittest.TestCase):
    account = ""

    def near(self, row, pieces, what, bias=0):
        found = row["allocated"]
        self.assertLessEqual(abs(found["objects"] - pieces), ERRORS * found["objects_error"] + bias * pieces, f"{what}: {found}, in truth {pieces}")

    def lines(self, found):
        """{what was said, or None: its row} of the account."""
        return {row["annotation"]: row for row in found["annotations"] if row["account"] == self.account}
