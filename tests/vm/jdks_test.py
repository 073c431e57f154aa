#!/usr/bin/env python3
"""What tests/jdks/fetch does without a mirror; and that the JDKs it got are at home where they lie and start other programs unharmed."""
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import harness

FETCH = harness.ROOT / "tests" / "jdks" / "fetch"
sys.path.insert(0, str(FETCH.parent))
import home  # noqa: E402

SPAWN = """
import java.util.Scanner;

public class Spawn {
    public static void main(String[] arguments) throws Exception {
        Process child = new ProcessBuilder("/usr/bin/env").redirectErrorStream(true).start();
        try (Scanner lines = new Scanner(child.getInputStream())) {
            while (lines.hasNextLine()) System.out.println("CHILD " + lines.nextLine());
        }
        System.out.println("STATUS " + child.waitFor());
        System.out.println("HOME " + System.getProperty("java.home"));
    }
}
"""


def load_fetch():
    loader = importlib.machinery.SourceFileLoader("fetch", str(FETCH))
    fetch = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch", loader))
    loader.exec_module(fetch)
    return fetch


class Fetch(unittest.TestCase):
    def test_the_own_release_comes_first_then_the_older_ones(self):
        fetch = load_fetch()
        self.assertEqual(fetch.nearest_first("trixie"), ("trixie", "bookworm", "bullseye", "forky", "sid"))
        self.assertEqual(fetch.nearest_first("newer"), ("newer", "sid", "forky", "trixie", "bookworm", "bullseye"))

    def test_files_of_etc_go_where_their_links_are(self):
        with tempfile.TemporaryDirectory(prefix="holdfast jdks ") as name:
            root = pathlib.Path(name)
            for folder in ("etc/java", "home/conf"):
                (root / folder).mkdir(parents=True)
            (root / "etc/java/there").write_text("content")
            (root / "home/conf/there").symlink_to("/etc/java/there")
            (root / "home/conf/absent").symlink_to("/etc/java/absent")
            (root / "home/conf/near").symlink_to("there")
            home.settle_links(root / "home", root)
            self.assertEqual(sorted(p.name for p in (root / "home/conf").iterdir()), ["near", "there"])
            self.assertFalse((root / "home/conf/there").is_symlink())
            self.assertEqual((root / "home/conf/near").read_text(), "content")

    def test_what_does_not_run_is_no_home(self):
        with tempfile.TemporaryDirectory(prefix="holdfast jdks ") as name:
            java = pathlib.Path(name, "bin", "java")
            self.assertFalse(home.works(pathlib.Path(name)))
            java.parent.mkdir()
            java.write_text("#!/bin/sh\nexit 1\n")
            java.chmod(0o755)
            self.assertFalse(home.works(pathlib.Path(name)))


class Fetched(unittest.TestCase):
    def test_each_is_at_home_and_its_children_are_this_machines_programs(self):
        with tempfile.TemporaryDirectory(prefix="holdfast jdks ") as name:
            source = pathlib.Path(name, "Spawn.java")
            source.write_text(SPAWN)
            for folder in sorted((harness.BUILD / "jdks").glob("[0-9]*")):
                with self.subTest(folder.name):
                    self.check(harness.Jdk(int(folder.name), str(folder)), source)

    def check(self, jdk, source):
        subprocess.run([jdk.tool("javac"), "-d", source.parent, source], env=harness.environment(), check=True)
        said = subprocess.run([jdk.tool("java"), "-cp", source.parent, "Spawn"], env=harness.environment(), stdout=subprocess.PIPE,
                              text=True, check=True).stdout.splitlines()
        self.assertIn("STATUS 0", said)
        self.assertIn(f"CHILD PATH={os.environ['PATH']}", said)
        self.assertFalse([line for line in said if line.startswith("CHILD LD_")], said)
        self.assertTrue(any(line in (f"HOME {jdk.home}", f"HOME {jdk.home}/jre") for line in said), said)


if __name__ == "__main__":
    unittest.main()
