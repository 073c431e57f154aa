"""How far an estimate from samples may be away from the truth."""
import math

ERRORS = 4  # standard errors: in one of some 100,000 comparisons chance alone leads further


def allowed_error(estimate, stated_error, true):
    """The error is stated from the samples that came. Where chance gave few of them it is too small, by the root of what is missing."""
    return ERRORS * stated_error * math.sqrt(max(1, true / max(estimate, 1)))
