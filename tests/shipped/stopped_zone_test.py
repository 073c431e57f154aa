#!/usr/bin/env python3
"""*_stopped.cpp runs while the VM is stopped: the undefined symbols of its objects must all be harmless.

Harmless is what stopped_symbols.txt lists, and what another *_stopped.cpp defines.
"""
import os
import pathlib
import subprocess
import unittest

ALLOWED_LIST = pathlib.Path(os.environ["HF_SOURCE"], "tests", "stopped_symbols.txt")
OBJECT_LIST = pathlib.Path(os.environ["HF_BUILD"], "objects.txt")
SUFFIX = "_stopped.cpp.o"
FORBIDDEN_EXAMPLE = "#include <cstdlib>\nvoid* leak(unsigned n) { return std::malloc(n); }\n"


def symbols(kind, path):
    table = subprocess.run(["nm", f"--{kind}-only", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in table.splitlines()}


def allowed_symbols():
    lines = (line.strip() for line in ALLOWED_LIST.read_text().splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def escapes(objects):
    """object -> the symbols through which it could leave the stopped zone."""
    inside = allowed_symbols().union(*(symbols("defined", path) for path in objects))
    found = {path: sorted(symbols("undefined", path) - inside) for path in objects}
    return {path: names for path, names in found.items() if names}


class StoppedZone(unittest.TestCase):
    def test_calls_nothing_outside_itself(self):
        objects = [path for path in OBJECT_LIST.read_text().splitlines() if path.endswith(SUFFIX)]
        self.assertTrue(objects, "no *_stopped.cpp found: is the build complete?")
        self.assertEqual(escapes(objects), {})

    def test_notices_an_allocation(self):
        path = os.path.join(os.environ["HF_BUILD"], "forbidden" + SUFFIX)
        subprocess.run(["c++", "-x", "c++", "-c", "-o", path, "-"], input=FORBIDDEN_EXAMPLE, text=True, check=True)
        self.assertEqual(escapes([path]), {path: ["malloc"]})
        os.unlink(path)


if __name__ == "__main__":
    unittest.main()
