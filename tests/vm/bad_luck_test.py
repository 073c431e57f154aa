#!/usr/bin/env python3
"""Bad input and bad luck with real JVMs: a clear line, an unharmed application, never a partial file under a final name."""
import pathlib
import random
import subprocess
import tempfile
import time
import unittest

import harness

JDKS = harness.jdks()
WALK = "dump=extended,capture=walk"


def start(jdk, options, *vm_args, **more):
    return harness.victim("Victim", jdk, ["-Xmx64m", *vm_args], options, **more)


def holdfast_lines(jvm):
    return [line for line in jvm.lines if line.startswith("holdfast:")]


class OnAJdk(unittest.TestCase):
    def unharmed(self, jvm):
        self.assertEqual(jvm.ask("check", r"^SOUND (\w+)").group(1), "true")

    def complete(self, directory):
        """Every file under a final name reads well."""
        reports = harness.reports_in(directory)
        for report in reports:
            self.assertEqual(harness.run_command("report", report, check=False).returncode, 0, report)
        return reports


class Options(OnAJdk):
    @harness.on_a_jdk_in_turn
    def test_a_wrong_option_is_one_line_and_the_application_runs(self, jdk, directory):
        file = directory / "file"
        file.write_text("")
        for options, words in (
            ("colour=red", ["colour"]),
            ("pause=soon", ["pause=soon", "500ms"]),
            ("on=signal+noon", ["on=signal+noon", "oom"]),
            ("memory=3k", ["memory=3k", "8m"]),
            ("every=10ms", ["every=10ms", "at least 1s"]),
            ("heap-above=100%", ["heap-above=100%", "85%"]),
            ("ages=often", ["ages=often", "on or off"]),
            ("accounts=shop..cart", ["accounts=shop..cart", "a.b.*", "jar:NAME"]),
            ("accounts=/nowhere/accounts.txt", ["/nowhere/accounts.txt", "cannot be read"]),
            ("sample=3g", ["sample=3g", "from 1k to 1g"]),
            (f"dir={directory}/absent", ["dir=", "absent"]),
            (f"dir={file}", ["dir=", "file"]),
            ("dump", ["dump", "key=value"]),
        ):
            with self.subTest(options), start(jdk, options) as jvm:
                self.unharmed(jvm)
                said = holdfast_lines(jvm)
                self.assertEqual(len(said), 1, said)
                for word in words:
                    self.assertIn(word, said[0])

    @harness.on_a_jdk_in_turn
    def test_help_lists_the_options(self, jdk, _):
        with start(jdk, "help") as jvm:
            self.unharmed(jvm)
            for key in ("dir", "memory", "exit-wait", "retain"):
                self.assertTrue(any(line.split()[:1] == [key] for line in jvm.lines), key)

    @harness.on_a_jdk_in_turn
    def test_a_refused_reservation_is_one_line(self, jdk, directory):
        with start(jdk, f"dir={directory},memory=200g", limit_address_space=40 << 30) as jvm:
            self.unharmed(jvm)
            self.assertEqual(len(holdfast_lines(jvm)), 1, jvm.lines)
            self.assertIn("memory", holdfast_lines(jvm)[0])

    @harness.on_a_jdk_in_turn
    def test_a_second_agent_is_ignored(self, jdk, directory):
        second = f"-agentpath:{harness.agent_library()}=dir=/nowhere"
        with start(jdk, f"dir={directory},{WALK}", second) as jvm:
            self.assertEqual(len(holdfast_lines(jvm)), 1, jvm.lines)
            jvm.data_dump()
            harness.wait_report(directory, set(), 60, jvm)
            self.unharmed(jvm)


class Triggers(OnAJdk):
    @harness.on_a_jdk_in_turn
    def test_an_ordinary_dump_says_nothing(self, jdk, directory):
        with start(jdk, f"dir={directory},{WALK}") as jvm:
            jvm.quit_signal()
            report = harness.Report(harness.wait_report(directory, set(), 60, jvm))
            self.unharmed(jvm)
            self.assertEqual(holdfast_lines(jvm), [])
            self.assertEqual(report.field("trigger"), "signal")
            self.assertEqual(report.path.stat().st_mode & 0o777, 0o600)

    @harness.on_a_jdk_in_turn
    def test_out_of_memory_leaves_a_dump_that_shows_the_hoard(self, jdk, directory):
        with start(jdk, f"dir={directory},on=oom,{WALK},pause=1h") as jvm:
            jvm.ask("fill", "^FULL", 120)
            report = harness.Report(harness.wait_report(directory, set(), 60, jvm))
            self.unharmed(jvm)
            self.assertEqual(report.field("trigger"), "oom")
            self.assertGreater(report.classes()["byte[]"].bytes, 40 << 20)
            self.assertIn("byte[]", str(report.first_suspect()))

    @harness.on_a_jdk_in_turn
    def test_then_exit_ends_the_process_after_the_dump(self, jdk, directory):
        with start(jdk, f"dir={directory},on=oom,then=exit,{WALK},pause=1h") as jvm:
            jvm.send("fill")
            harness.wait_until(lambda: not jvm.running())
            self.assertNotEqual(jvm.stop(), 0)
            self.assertEqual(len(self.complete(directory)), 1)

    @harness.on_a_jdk_in_turn
    def test_flags_that_end_the_vm_first_are_taken_over(self, jdk, directory):
        """Nothing has to be said of it; ending_test.py has the error itself."""
        with start(jdk, f"dir={directory}", "-XX:+ExitOnOutOfMemoryError") as jvm:
            self.assertEqual(holdfast_lines(jvm), [], jvm.lines)

    @harness.on_a_jdk_in_turn
    def test_exit_leaves_a_report_or_nothing(self, jdk, directory):
        for wait, wanted in (("10s", {1}), ("0", {0, 1})):
            inside = directory / wait
            inside.mkdir()
            with start(jdk, f"dir={inside},on=exit,{WALK},pause=1h,exit-wait={wait}") as jvm:
                jvm.send("exit")
                harness.wait_until(lambda: not jvm.running())
                self.assertEqual(jvm.stop(), 0)
            self.assertIn(len(self.complete(inside)), wanted)
            self.assertEqual(list(inside.glob("*.tmp")), [])

    @harness.on_a_jdk_in_turn
    def test_attach_late_then_command(self, jdk, directory):
        with start(jdk, None) as jvm:
            for count in (1, 2, 3):
                options = f"dir={directory},{WALK}" if count == 1 else ("dump=simple" if count == 2 else WALK)
                before = harness.reports_in(directory)
                jvm.agent_load(options)
                report = harness.Report(harness.wait_report(directory, before, 60, jvm))
                self.assertEqual(report.field("kind"), "simple" if count == 2 else "extended")
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_many_requests_at_once_are_merged(self, jdk, directory):
        with start(jdk, f"dir={directory},{WALK}") as jvm:
            for _ in range(12):
                jvm.quit_signal()
            harness.wait_report(directory, set(), 60, jvm)
            self.unharmed(jvm)
            time.sleep(2)
            self.assertLessEqual(len(self.complete(directory)), 12)
            self.assertEqual(holdfast_lines(jvm), [])


class Limits(OnAJdk):
    @harness.on_a_jdk_in_turn
    def test_a_walk_that_outgrows_the_memory_becomes_a_histogram(self, jdk, directory):
        with start(jdk, f"dir={directory},memory=16m,{WALK}", "-Xmx512m", "-Dnodes=300000") as jvm:
            jvm.quit_signal()
            report = harness.Report(harness.wait_report(directory, set(), 60, jvm))
            self.assertEqual(report.field("kind"), "simple")
            self.assertIn("memory=", " ".join(report.data["notes"]))
            self.assertEqual(report.classes()["Victim$Node"].instances, 300_000)
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_a_pause_that_is_too_long_is_refused(self, jdk, directory):
        with start(jdk, f"dir={directory},dump=extended,pause=1ms", "-Xmx512m", "-Dnodes=600000") as jvm:
            jvm.quit_signal()
            jvm.wait_line(r"no dump: .* would stop the application for about \d+ ms.*, pause= allows 1 ms", 60)
            self.assertEqual(harness.reports_in(directory), set())
            self.unharmed(jvm)

    @harness.on_a_jdk_in_turn
    def test_max_dumps_keeps_the_newest(self, jdk, directory):
        other = directory / "Other-service-1.hfr"
        other.write_text("not ours")
        with start(jdk, f"dir={directory},max-dumps=2,dump=simple") as jvm:
            names = []
            for _ in range(4):
                before = harness.reports_in(directory)
                jvm.quit_signal()
                names.append(harness.wait_report(directory, before, 60, jvm))
            harness.wait_until(lambda: len(harness.reports_in(directory)) == 3, 10)
            self.assertEqual(harness.reports_in(directory), {other, *names[2:]})

    @harness.on_a_jdk_in_turn
    def test_a_full_disk_leaves_nothing(self, jdk, directory):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", directory], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no small file system can be mounted: {mounted.stderr.strip()}")
        try:
            with start(jdk, f"dir={directory},{WALK}") as jvm:
                (directory / "ballast").write_bytes(b"x" * 28 * 1024)
                jvm.quit_signal()
                harness.wait_until(lambda: holdfast_lines(jvm))
                self.assertEqual([p.name for p in directory.iterdir()], ["ballast"])
                (directory / "ballast").unlink()
                self.unharmed(jvm)
        finally:
            subprocess.run(["umount", directory], check=True)


class Kill(OnAJdk):
    MOMENTS = 8

    @harness.on_a_jdk_in_turn
    def test_kill_9_at_any_moment_leaves_no_half_report(self, jdk, directory):
        moments = random.Random(7)
        for _ in range(self.MOMENTS):
            with start(jdk, f"dir={directory},{WALK}") as jvm:
                jvm.quit_signal()
                time.sleep(moments.uniform(0, 0.3))
                jvm.kill()
            self.complete(directory)
        (directory / "old.hfr.4194300.tmp").write_text("left by a process that is gone")
        with start(jdk, f"dir={directory},{WALK}") as jvm:
            before = harness.reports_in(directory)
            jvm.quit_signal()
            harness.wait_report(directory, before, 60, jvm)
            harness.wait_until(lambda: not list(directory.glob("*.tmp")), 10)


class Command(unittest.TestCase):
    """`holdfast report` on what a damaged disk or a mistaken person gives it."""

    def test_damage_is_exit_code_3_and_one_line(self):
        with tempfile.TemporaryDirectory(prefix="holdfast luck ") as name:
            directory = pathlib.Path(name)
            with start(JDKS[-1], f"dir={directory},{WALK}") as jvm:
                jvm.quit_signal()
                good = harness.wait_report(directory, set(), 60, jvm).read_bytes()
            flipped = bytearray(good)
            flipped[len(good) // 2] ^= 4
            for kind, content in {"empty": b"", "cut": good[:-100], "foreign": b"\x7fELF" + good, "flipped": bytes(flipped),
                                  "newer": good[:8] + b"\xff\x00" + good[10:]}.items():
                with self.subTest(kind):
                    file = directory / f"{kind}.bin"
                    file.write_bytes(content)
                    done = harness.run_command("report", file, check=False)
                    self.assertEqual((done.returncode, done.stdout), (3, ""))
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertIn(str(file), done.stderr)


if __name__ == "__main__":
    unittest.main()
