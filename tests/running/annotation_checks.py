"""What reports say of threads that say whose work they do. The same checks for every VM."""
import unittest

from estimates import allowed_error


class AnnotationChecks(unittest.TestCase):
    account = ""

    def near(self, row, pieces, what, bias=0):
        found = row["allocated"]
        allowed = allowed_error(found["objects"], found["objects_error"], pieces) + bias * pieces
        self.assertLessEqual(abs(found["objects"] - pieces), allowed, f"{what}: {found}, in truth {pieces}")

    def lines(self, found):
        """{what was said, or None: its row} of the account."""
        return {row["annotation"]: row for row in found["annotations"] if row["account"] == self.account}
