"""Runs with and without something, in pairs; or of several ways, in rounds.

The runs of a pair or round follow each other directly, and every next one begins with another, so that drift of the machine cancels.
"""
import statistics


def pairs(count, without, with_it):
    """[(without, with)]; both measure once, each time that they are called."""
    found = []
    for number in range(count):
        if number % 2 == 0:
            first = without()
            found.append((first, with_it()))
        else:
            second = with_it()
            found.append((without(), second))
    return found


def interleaved(count, ways):
    """{name: [what ways[name]() returned, `count` times]}; each round tries all of them and begins with the next one."""
    names = list(ways)
    found = {name: [] for name in names}
    for number in range(count):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(ways[name]())
    return found


def header(what, *more):
    columns = [what, "without, operations/s", "with", "with / without, median", "lowest", "highest", "pairs", *" | ".join(more).split(" | ")]
    columns = [column for column in columns if column]
    return f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}"


def row(what, found, *more):
    ratios = [with_it / without for without, with_it in found]
    without, with_it = (statistics.median(column) for column in zip(*found))
    return f"| {' | '.join([what, f'{without:,.0f}', f'{with_it:,.0f}', f'{statistics.median(ratios):.3f}', f'{min(ratios):.3f}', f'{max(ratios):.3f}', str(len(found)), *more])} |"
