#!/usr/bin/env python3
"""The harness itself, without a JVM: names, jcmd's tables, comparison."""
import unittest

import compare_histogram
import harness

HISTOGRAM = """4242:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:          4000       32097032  [C (java.base@17.0.15)
   2:           120           9600  [[Ljava.lang.Object; (java.base@17.0.15)
   3:             7            168  shop.Session
   4:             3             72  shop.Session
   5:             2             32  shop.Shop$$Lambda$14/0x00007f00a1b2c3d8
   6:             1             16  [Lshop.Session;
Total          4133       32106920
"""
COUNTERS_8 = """4242:
sun.gc.generation.0.space.0.used=1024
sun.gc.generation.0.spaces=3
sun.gc.generation.1.space.0.used=12864752
sun.gc.metaspace.used=2657856
"""
G1_17 = """4242:
 garbage-first heap   total 48128K, used 12627K [0x00000000e0000000, 0x0000000100000000)
  region size 1024K, 1 young (1024K), 0 survivors (0K)
 Metaspace       used 25166K, committed 25600K, reserved 1114112K
"""
G1_25 = """4242:
garbage-first heap   total reserved 524288K, committed 45056K, used 12483K [0x00000000e0000000, 0x0000000100000000)
 region size 1024K, 1 young (1024K), 0 survivors (0K)
"""
SERIAL_17 = """4242:
 def new generation   total 116224K, used 1033K [0x00000000e0000000, 0x00000000e7e10000, 0x00000000eaaa0000)
  eden space 103360K,   1% used [0x00000000e0000000, 0x00000000e0102768, 0x00000000e64f0000)
 tenured generation   total 258112K, used 12865K [0x00000000eaaa0000, 0x00000000fa6b0000, 0x0000000100000000)
   the space 258112K,   4% used [0x00000000eaaa0000, 0x00000000eb730580, 0x00000000eb730600, 0x00000000fa6b0000)
"""


class Names(unittest.TestCase):
    def test_both_ways(self):
        for theirs, ours in (("[C", "char[]"), ("[[J", "long[][]"), ("[Lshop.Session;", "shop.Session[]"), ("shop.Session", "shop.Session"),
                             ("[[Ljava.lang.Object;", "java.lang.Object[][]")):
            self.assertEqual(harness.source_name(theirs), ours)
            self.assertEqual(harness.jcmd_name(ours), theirs)

    def test_hidden_classes_have_one_spelling(self):
        for name in ("a.B$$Lambda$14.0x00007f00a1b2c3d8", "a.B$$Lambda$14/0x00007f00a1b2c3d8"):
            self.assertEqual(harness.plain_name(name), "a.B$$Lambda$14/0x00007f00a1b2c3d8")
        self.assertEqual(harness.plain_name("a.B/0x0000000086198f20[]"), "a.B/0x0000000086198f20[]")
        self.assertEqual(harness.plain_name("a.b0x1.C"), "a.b0x1.C")


    def test_hidden_classes_are_no_application(self):
        for name in ("a.B$$Lambda$14/0x00007f00a1b2c3d8", "a.B$$Lambda$3/396180261", "a.B$$Lambda$3/396180261[]"):
            self.assertFalse(compare_histogram.is_application(name, ""))
        self.assertTrue(compare_histogram.is_application("a.B$1", ""))


class Tables(unittest.TestCase):
    def test_histogram(self):
        counts = harness.parse_histogram(HISTOGRAM)
        self.assertEqual(counts["char[]"], harness.Count(4000, 32097032, "java.base@17.0.15"))
        self.assertEqual(counts["shop.Session"], harness.Count(10, 240))  # one name under two loaders
        self.assertEqual(len(counts), 5)
        with self.assertRaises(harness.VmError):
            harness.parse_histogram("no such process")

    def test_heap_used(self):
        self.assertEqual(harness.parse_heap_used(G1_17), 12627 * 1024)
        self.assertEqual(harness.parse_heap_used(G1_25), 12483 * 1024)
        self.assertEqual(harness.parse_heap_used(SERIAL_17), (1033 + 12865) * 1024)
        self.assertEqual(harness.parse_heap_used(COUNTERS_8), 1024 + 12864752)


class Comparing(unittest.TestCase):
    jcmd = harness.parse_histogram(HISTOGRAM)

    def test_equal(self):
        result = compare_histogram.compare(self.jcmd, self.jcmd)
        self.assertEqual([row.name for row in result.application], ["shop.Session", "shop.Session[]"])
        self.assertEqual((result.wrong(), result.others), ([], []))

    def test_difference(self):
        ours = dict(self.jcmd)
        ours["shop.Session"] = harness.Count(9, 216)
        ours["shop.New"] = harness.Count(1, 16)
        ours["char[]"] = harness.Count(3990, 1)
        result = compare_histogram.compare(ours, self.jcmd)
        self.assertEqual([(r.name, r.difference) for r in result.wrong()], [("shop.New", 1), ("shop.Session", -1)])
        self.assertEqual([r.name for r in result.wrong({"shop.Session": 1})], ["shop.New"])
        self.assertEqual([(r.name, r.difference) for r in result.others], [("char[]", -10)])
        self.assertIn("| all classes | 4,123 | 4,133 | -10 |", compare_histogram.to_markdown(result, "a heap"))

    def test_account(self):
        log = "[1s] GC(1) Humongous regions: 0->3\n[2s] GC(2) Humongous regions: 3->2\n"
        tails = compare_histogram.humongous_tails_at_most(G1_25, log)
        self.assertEqual(tails, 2 * 1024 * 1024)
        self.assertEqual(compare_histogram.humongous_tails_at_most(SERIAL_17, ""), 0)
        account = compare_histogram.HeapAccount(used=40_000_000, holdfast=38_000_000, vm_only=100_000, fillers=1_000, tails_at_most=tails)
        self.assertTrue(account.adds_up())
        self.assertFalse(account._replace(used=41_000_000).adds_up())


if __name__ == "__main__":
    unittest.main()
