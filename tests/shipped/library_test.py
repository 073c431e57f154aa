#!/usr/bin/env python3
"""libholdfast.so as it is shipped: what it exports, what it needs, how old a libc it runs on, how big it is."""
import os
import pathlib
import re
import subprocess
import unittest

LIBRARY = os.environ["HOLDFAST_LIB"]
IS_32_BIT = pathlib.Path(LIBRARY).read_bytes()[4] == 1  # ELFCLASS32
EXPECTED = pathlib.Path(os.environ["HF_SOURCE"], "tests", "exports_32.txt" if IS_32_BIT else "exports.txt")
MAY_NEED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-linux.so.2"}
MAX_BYTES = 42 << 16  # 2.6 MB: accounts and the class-file rewriter brought 170 KB, ages 130 KB (their two parts of a report 60, a CLR's ranges 40), annotations 20 KB, collections one by one and loitering 30 KB, JVMPI 75 KB
# CentOS 7 and everything since; with 32 bits CentOS 6 and Debian 7. A rise shuts out servers: say in docs/decisions/019-old-libc.md why it must be.
NEWEST_GLIBC = (2, 12) if IS_32_BIT else (2, 17)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Library(unittest.TestCase):
    def test_exports_exactly_the_entry_points(self):
        table = run("nm", "--dynamic", "--defined-only", LIBRARY).splitlines()
        exported = sorted(line.split()[-1] for line in table)
        self.assertEqual(exported, sorted(EXPECTED.read_text().split()))

    def test_needs_only_libc(self):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-W", "-d", LIBRARY)))
        self.assertLessEqual(needed, MAY_NEED)

    def test_knows_no_folder_of_the_build(self):
        self.assertNotRegex(run("readelf", "-W", "-d", LIBRARY), r"\((RPATH|RUNPATH)\)")

    def test_stays_in_memory(self):
        """A CLR unloads the library of a profiler that has left, while its last thread may still be in there."""
        self.assertRegex(run("readelf", "-W", "-d", LIBRARY), r"\(FLAGS_1\).*NODELETE")

    def test_can_be_loaded_late_and_shared(self):
        """STATIC_TLS: libc keeps a little room for it, which others may have taken. TEXTREL: SELinux refuses it, and no page is shared."""
        self.assertNotRegex(run("readelf", "-W", "-d", LIBRARY), r"STATIC_TLS|TEXTREL")

    @unittest.skipUnless(IS_32_BIT, "every CPU of 64 bits has them")
    def test_needs_no_vector_registers(self):
        """Old VMs align the stack to 4 bytes; where SSE values lie on it, code of today relies on 16."""
        self.assertNotIn("%xmm", run("objdump", "-d", LIBRARY))

    def test_runs_on_an_old_libc(self):
        versions = re.findall(r"GLIBC_([\d.]+)", run("readelf", "-W", "-V", LIBRARY))
        newest = max(tuple(map(int, version.split("."))) for version in versions)
        print(f"newest symbol version needed: GLIBC_{'.'.join(map(str, newest))}")
        self.assertLessEqual(newest, NEWEST_GLIBC)

    def test_is_small(self):
        size = os.path.getsize(LIBRARY)
        print(f"size: {size:,} bytes of at most {MAX_BYTES:,}")
        self.assertLessEqual(size, MAX_BYTES)

    def test_debug_information_lies_beside_it(self):
        self.assertNotIn(".debug_info", run("readelf", "-W", "-S", LIBRARY))
        self.assertIn(".debug_info", run("readelf", "-W", "-S", LIBRARY + ".debug"))


if __name__ == "__main__":
    unittest.main()
