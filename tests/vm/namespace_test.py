#!/usr/bin/env python3
"""Attach into a process with network, mount and process namespaces of its own: what a container is.

The root is made of bind mounts of what a JDK needs, read-only, with a /tmp of its own; variants lack something. Nothing of it stays: the
mounts live in the namespace and end with its last process.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import attach_test
import harness

JDK = harness.jdks()[-1]
REFUSED = 4
NOBODY = 65534
PROGRAM_PLACES = ("/usr", "/lib", "/lib64", "/bin", "/etc/ssl", "/etc/java-17-openjdk")

# Runs as the first process of the new namespaces: builds the root, enters it, becomes the program.
INIT = r"""
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
plan = json.loads(sys.argv[1])
BIND, REC, PRIVATE, REMOUNT, RDONLY, NOEXEC = 4096, 16384, 1 << 18, 32, 1, 8

def mount(source, target, kind, flags, data=None):
    words = [w.encode() if w is not None else None for w in (source, target, kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), data.encode() if data else None) != 0:
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")

root = plan["root"]
mount(None, "/", None, REC | PRIVATE)
mount("tmpfs", root, "tmpfs", 0, "mode=755")
for place in plan["places"]:
    os.makedirs(root + place)
    mount(place, root + place, None, BIND | REC)
    mount(None, root + place, None, BIND | REMOUNT | RDONLY)
for name, flags in plan["writable"].items():
    os.makedirs(root + name)
    mount("tmpfs", root + name, "tmpfs", flags, f"mode=1777,size={plan['tmp_size']}")
for name, target in plan["links"].items():
    os.symlink(target, root + name)
os.makedirs(root + "/proc")
os.makedirs(root + "/dev")
mount("proc", root + "/proc", "proc", 0)
for name in ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"):
    open(root + name, "x").close()
    mount(name, root + name, None, BIND)
if plan["read_only"]:
    mount(None, root, None, REMOUNT | RDONLY)
if plan["pivot"]:
    os.chdir(root)
    PIVOT_ROOT = 155
    if libc.syscall(PIVOT_ROOT, b".", b".") != 0:
        raise OSError(ctypes.get_errno(), "pivot_root")
    libc.umount2(b".", 2)
else:
    os.chroot(root)
os.chdir(plan["cwd"])
if plan["user"]:
    os.setgroups([]); os.setgid(plan["user"]); os.setuid(plan["user"])
os.execve(plan["words"][0], plan["words"], {"LANG": "C", "PATH": "/usr/bin"})
"""


def why_no_namespaces():
    """Empty where they can be made."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return "written for Linux on x86-64"
    done = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


class Container:
    """A JVM in namespaces of its own. A context manager."""

    def __init__(self, writable=None, links=None, read_only=False, pivot=True, user=0, cwd="/", words=None, places=(), tmp_size="64m"):
        self.directory = tempfile.mkdtemp(prefix="holdfast-ns-")
        # Elsewhere than the clone, which may lie in a /tmp; containers have a /tmp and a /var/tmp of their own.
        self.classes = tempfile.mkdtemp(prefix="holdfast-ns-classes-", dir="/opt")
        os.chmod(self.classes, 0o755)
        classes = shutil.copytree(harness.compile_java("victim", [attach_test.HERE / "victim" / "Victim.java"]), f"{self.classes}/victim")
        places = [p for p in dict.fromkeys([*PROGRAM_PLACES, JDK.home, str(classes), *places]) if os.path.isdir(p)]
        places = [p for p in places if not any(p != q and p.startswith(q + "/") for q in places)]
        words = words or [JDK.tool("java"), "-Xmx64m", "-XX:-UsePerfData", "-cp", str(classes), "Victim"]
        plan = {"root": self.directory, "places": places, "writable": writable if writable is not None else {"/tmp": 0}, "links": links or {},
                "read_only": read_only, "pivot": pivot, "user": user, "cwd": cwd, "words": words, "tmp_size": tmp_size}
        self.process = subprocess.Popen(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child=SIGKILL", sys.executable, "-c", INIT,
                                         json.dumps(plan)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        try:
            self.wait_line("READY")
            self.pid = int(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])
        except BaseException:
            self.stop()
            raise

    def wait_line(self, word):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if word in line:
                return line
        raise harness.VmError("the container ended:\n" + "\n".join(self.lines))

    def ask(self, line, answer):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.wait_line(answer)

    def root(self, path=""):
        return pathlib.Path(f"/proc/{self.pid}/root{path}")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.rmtree(self.classes, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


REASON = why_no_namespaces()


class Namespaces(attach_test.Outcomes):
    def setUp(self):
        if REASON:
            print(f"note: no namespaces can be made here: {REASON}", file=sys.stderr)
            self.skipTest(REASON)

    def sound(self, container):
        self.assertIn("SOUND true", container.ask("check", "SOUND"))

    def nothing_left(self, container, *places):
        for place in places or ("/tmp",):
            left = [name for name in os.listdir(container.root(place)) if name.startswith((".holdfast", ".attach"))]
            self.assertEqual(left, [])

    def loads(self, container, directory="/tmp"):
        self.loaded(attach_test.load(container.pid, f"dir={directory},dump=simple"))
        harness.wait_until(lambda: harness.reports_in(container.root(directory)))
        self.sound(container)

    def test_own_network_mounts_and_numbers(self):
        with Container() as container:
            self.loads(container)
            self.nothing_left(container)
            report = harness.reports_in(container.root("/tmp")).pop()
            self.assertGreater(harness.Report(report).shallow_bytes(), 0)
            row = attach_test.ps_row(container.pid)
            self.assertEqual((row["pid"], row["inner_pid"], row["agent"]), (container.pid, 1, "listens"))
            # Again: the copy is gone, the library in memory is meant.
            self.loaded(attach_test.load(container.pid, "dump=simple"))
            harness.wait_until(lambda: len(harness.reports_in(container.root("/tmp"))) == 2)
            maps = pathlib.Path(f"/proc/{container.pid}/maps").read_text()
            self.assertEqual(len({line.split()[4] for line in maps.splitlines() if "libholdfast" in line}), 1)

    def test_the_commands_work_as_outside(self):
        """As a person on the host does it: nothing is loaded, nothing is known of the inside."""
        out = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-ns-out-"))
        self.addCleanup(shutil.rmtree, out)
        with Container() as container:
            path = harness.run_command("dump", container.pid, "--extended").stdout.strip()
            self.assertTrue(path.startswith(f"/proc/{container.pid}/"), path)
            self.assertEqual(harness.Report(path).field("kind"), "extended")
            copy = out / "inside.hfr"
            self.assertEqual(harness.run_command("dump", container.pid, "--simple", "-o", copy).stdout.strip(), str(copy))
            self.assertEqual(harness.Report(copy).field("kind"), "simple")
            status = json.loads(harness.run_command("status", container.pid, "--json").stdout)
            self.assertEqual(len(status["dumps"]), 2)
            harness.run_command("watch", container.pid, "--once", "--json")
            harness.run_command("detach", container.pid)
            harness.wait_until(lambda: attach_test.ps_row(container.pid)["agent"] != "listens")
            self.nothing_left(container)
            self.sound(container)

    def test_a_chroot_names_its_files_shorter(self):
        with Container(pivot=False) as container:
            self.loads(container)
            self.loaded(attach_test.load(container.pid, "dump=simple"))
            harness.wait_until(lambda: len(harness.reports_in(container.root("/tmp"))) == 2)
            self.nothing_left(container)

    def test_another_user_inside(self):
        if not attach_test.traversable(JDK.home):
            self.skipTest(f"{JDK} lies where others may not go")
        with Container(user=NOBODY) as container:
            self.loads(container)
            self.nothing_left(container)
            self.assertEqual(os.stat(harness.reports_in(container.root("/tmp")).pop()).st_uid, NOBODY)

    def test_a_read_only_root_with_a_tmp(self):
        with Container(read_only=True) as container:
            self.loads(container)
            self.nothing_left(container)

    def test_a_tmp_without_exec_and_another_place_with_it(self):
        noexec = 8
        with Container(writable={"/tmp": noexec, "/var/tmp": 0}, read_only=True) as container:
            self.loads(container)
            self.nothing_left(container, "/tmp", "/var/tmp")
        with Container(writable={"/tmp": noexec, "/app": 0}, read_only=True, cwd="/app") as container:
            self.loads(container)
            self.nothing_left(container, "/tmp", "/app")

    def test_nowhere_to_copy_to(self):
        noexec = 8
        with Container(writable={"/tmp": noexec}, read_only=True) as container:
            outcome = attach_test.load(container.pid, "")
            self.refused(outcome, "can be copied nowhere", "/tmp: mounted noexec", "/var/tmp: No such file", "read-only", "-agentpath")
            self.nothing_left(container)
            self.sound(container)

    def test_too_little_room(self):
        with Container(tmp_size="12m", read_only=True) as container:
            self.refused(attach_test.load(container.pid, ""), "/tmp: too little room")
            self.nothing_left(container)
            self.sound(container)

    def test_no_tmp(self):
        with Container(writable={"/app": 0}, cwd="/app") as container:
            self.refused(attach_test.load(container.pid, ""), "has no /tmp", "-agentpath")
            self.nothing_left(container, "/app")
            self.sound(container)

    def test_a_tmp_that_is_a_link_is_its_own(self):
        """Absolute, as links in containers are: followed by us it would end in our own file system."""
        before = set(os.listdir("/var/tmp"))
        with Container(writable={"/var/tmp": 0}, links={"/tmp": "/var/tmp"}) as container:
            self.loads(container, "/var/tmp")
            self.nothing_left(container, "/var/tmp")
            self.assertEqual(set(os.listdir("/var/tmp")), before)

    def test_places_that_lead_out(self):
        """A hostile container: what we would write through stays empty."""
        with tempfile.TemporaryDirectory() as trap:
            with Container(writable={"/var/tmp": 0}, links={"/tmp": trap}) as container:
                self.refused(attach_test.load(container.pid, ""), "no /tmp")
                self.assertEqual(os.listdir(trap), [])
                self.sound(container)

    def test_another_libc(self):
        """What runs on musl is told by what it has mapped."""
        with tempfile.TemporaryDirectory() as directory:
            for name in ("libjvm.so", "ld-musl-x86_64.so.1"):
                pathlib.Path(directory, name).write_text("x")
            code = ("import mmap, sys, time; f = [open(n) for n in sys.argv[1:]]; m = [mmap.mmap(n.fileno(), 0, prot=mmap.PROT_READ) for n in f];"
                    "print('READY', flush=True); time.sleep(600)")
            words = [sys.executable, "-c", code, directory + "/libjvm.so", directory + "/ld-musl-x86_64.so.1"]
            with attach_test.program(words) as process:
                process.stdout.readline()
                outcome = attach_test.load(process.pid, "", patience_s=1)
                self.assertEqual(outcome["code"], REFUSED)
                self.assertTrue("musl" in outcome["text"], outcome)

    def test_the_agents_socket_is_found_and_reached(self):
        code = attach_test.LISTENER
        python = os.path.realpath(sys.executable)
        home = str(pathlib.Path(python).parents[1])
        for folder in ("/tmp/holdfast-0", "/tmp/" + "d" * 120):
            with self.subTest(folder), Container(words=[python, "-c", code, folder], places=[home]) as container:
                found = attach_test.check_attach("connect", container.pid)
                self.assertEqual((found["code"], found["presence"], found["inner_pid"], found["greeting"]), (0, 0, 1, "agent 1"), found)


if __name__ == "__main__":
    unittest.main()
