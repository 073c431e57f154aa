#!/usr/bin/env python3
"""The command's way into running processes: attach, with real JVMs and with what is none; and `holdfast ps`."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import harness

HERE = pathlib.Path(__file__).resolve().parent
JDKS = harness.jdks()
NOBODY = 65534
PATIENCE_S = 20
WRONG_USAGE, REFUSED = 2, 4
SLEEPER = [sys.executable, "-c", "import time; print('READY', flush=True); time.sleep(600)"]


def tool():
    return pathlib.Path(os.environ.get("HF_BUILD", harness.BUILD / "release")) / "bin" / "check_attach"


def check_attach(*words, **more):
    done = subprocess.run([str(tool()), *map(str, words)], capture_output=True, text=True, check=True, timeout=120, **more)
    return json.loads(done.stdout)


def load(pid, options, library=None, patience_s=PATIENCE_S, **more):
    return check_attach("load", pid, library or harness.agent_library(), options, patience_s, **more)


def victim_words(jdk, *vm_args, classes=None):
    classes = classes or harness.compile_java("victim", [HERE / "victim" / "Victim.java"])
    return ["-Xmx64m", *vm_args, "-cp", classes, "Victim"]


def start(jdk, *vm_args, **more):
    jvm = harness.Jvm(jdk, victim_words(jdk, *vm_args), **more)
    try:
        jvm.wait_line("^READY")
        return jvm
    except BaseException:
        jvm.stop()
        raise


@contextlib.contextmanager
def program(words, **more):
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def attach_files(pid):
    """Ours, in /tmp: the VM's own socket is not."""
    return [path for path in (*pathlib.Path("/tmp").glob(f".attach_pid{pid}"), *pathlib.Path("/tmp").glob(".holdfast-*"))]


def on_each_jdk(test):
    """Whoever the JVM runs as may write into the directory."""
    def opened(self, jdk, directory):
        os.chmod(directory, 0o777)
        test(self, jdk, directory)
    opened.__name__, opened.__doc__ = test.__name__, test.__doc__
    return harness.on_each_jdk(opened)


@contextlib.contextmanager
def as_nobody(jdk, directory):
    """The victim, as another user."""
    classes = directory / "classes"
    shutil.copytree(harness.compile_java("victim", [HERE / "victim" / "Victim.java"]), classes)
    words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", jdk.tool("java"), *map(str, victim_words(jdk, classes=classes))]
    with program(words, cwd="/", env=harness.environment()) as process:
        line = process.stdout.readline().strip()
        assert line == "READY", line
        yield process


class Outcomes(unittest.TestCase):
    def unharmed(self, jvm):
        self.assertEqual(jvm.ask("check", r"^SOUND (\w+)").group(1), "true")

    def loaded(self, outcome):
        self.assertEqual((outcome["code"], outcome["text"]), (0, ""), outcome)

    def refused(self, outcome, *words, code=REFUSED):
        self.assertEqual(outcome["code"], code, outcome)
        self.assertNotIn("\n", outcome["text"])
        for word in words:
            self.assertIn(word, outcome["text"])

    def no_thread_dump(self, jvm):
        """It got no SIGQUIT that it took for a person's."""
        self.assertEqual([line for line in jvm.lines if "Full thread dump" in line], [])


class Attach(Outcomes):
    @on_each_jdk
    def test_loads_and_dumps_and_the_second_time_is_a_command(self, jdk, directory):
        with start(jdk) as jvm:
            self.loaded(load(jvm.pid, f"dir={directory},dump=simple"))
            first = harness.wait_report(directory, set(), 60, jvm)
            self.assertGreater(harness.Report(first).shallow_bytes(), 0)
            before = harness.reports_in(directory)
            self.loaded(load(jvm.pid, "dump=simple"))
            harness.wait_report(directory, before, 60, jvm)
            self.refused(load(jvm.pid, "colour=red"), "refused", "standard error")
            self.unharmed(jvm)
            self.no_thread_dump(jvm)
            self.assertEqual(attach_files(jvm.pid), [])
            mapped = {line.split()[-1] for line in pathlib.Path(f"/proc/{jvm.pid}/maps").read_text().splitlines() if "libholdfast" in line}
            self.assertEqual(len(mapped), 1)

    @on_each_jdk
    def test_a_library_that_the_process_may_not_read_is_copied_and_the_copy_goes(self, jdk, directory):
        """Also: a path with spaces, another user's process, files that belong to whom they should."""
        if os.geteuid() != 0:
            self.skipTest("only root can attach to another user's process")
        hidden = directory / "hidden"
        hidden.mkdir(mode=0o700)
        library = pathlib.Path(shutil.copy(harness.agent_library(), hidden / "libholdfast.so"))
        if not traversable(jdk.home):
            print(f"note: {jdk} lies where others may not go; not tried as another user", file=sys.stderr)
            return
        with as_nobody(jdk, directory) as process:
            self.loaded(load(process.pid, f"dir={directory},dump=simple", library))
            harness.wait_until(lambda: harness.reports_in(directory))
            report = harness.reports_in(directory).pop()
            self.assertEqual(os.stat(report).st_uid, NOBODY)
            self.assertEqual(attach_files(process.pid), [])
            self.assertIn("libholdfast.so (deleted)", pathlib.Path(f"/proc/{process.pid}/maps").read_text())
            # The file is gone, and the one in memory is meant all the same.
            self.loaded(load(process.pid, "dump=simple", library))
            harness.wait_until(lambda: len(harness.reports_in(directory)) == 2)
            row = ps_row(process.pid)
            self.assertEqual((row["user_id"], row["agent"], row["main"]), (NOBODY, "listens", "Victim"))

    @on_each_jdk
    def test_two_commands_at_once_bring_one_agent(self, jdk, directory):
        """By the library itself, and by copies of it, of which each would be an agent."""
        with start(jdk) as jvm:
            self.brings_one(jvm.pid, harness.agent_library(), directory)
        hidden = directory / "hidden"
        hidden.mkdir(mode=0o700)
        library = shutil.copy(harness.agent_library(), hidden / "libholdfast.so")
        if os.geteuid() != 0 or not traversable(jdk.home):
            return
        classes = directory / "classes"
        shutil.copytree(harness.compile_java("victim", [HERE / "victim" / "Victim.java"]), classes)
        words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", jdk.tool("java"), *map(str, victim_words(jdk, classes=classes))]
        with program(words, cwd="/", env=harness.environment()) as process:
            self.assertEqual(process.stdout.readline().strip(), "READY")
            self.brings_one(process.pid, library, directory)
            self.assertEqual(attach_files(process.pid), [])

    def brings_one(self, pid, library, directory):
        clients = [subprocess.Popen([str(tool()), "ensure", str(pid), str(library), f"dir={directory}", str(PATIENCE_S)],
                                    stdout=subprocess.PIPE, text=True) for _ in range(4)]
        answers = [json.loads(client.communicate(timeout=120)[0]) for client in clients]
        for answer in answers:
            self.loaded(answer)
            self.assertEqual(answer["presence"], 0, answer)
        maps = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
        self.assertEqual(len({line.split()[4] for line in maps if "libholdfast" in line}), 1)

    @on_each_jdk
    def test_who_is_not_the_user_is_told_who_may(self, jdk, _):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        with start(jdk) as jvm, tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o755)
            mine = shutil.copy(tool(), place)
            library = shutil.copy(harness.agent_library(), place)
            done = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", mine, "load", str(jvm.pid), library, "", "5"],
                                  capture_output=True, text=True, check=True)
            self.refused(json.loads(done.stdout), "belongs to user root", "as that user or as root")
            self.unharmed(jvm)
            self.no_thread_dump(jvm)

    @on_each_jdk
    def test_options_that_forbid_it_are_named_and_no_signal_is_sent(self, jdk, _):
        for options, environment, words in (
            (["-XX:+DisableAttachMechanism"], {}, ["-XX:+DisableAttachMechanism"]),
            ([], {"JAVA_TOOL_OPTIONS": "-XX:+DisableAttachMechanism"}, ["-XX:+DisableAttachMechanism"]),
        ):
            with self.subTest(str(options) + str(environment)), start(jdk, *options, env=environment) as jvm:
                began = time.monotonic()
                self.refused(load(jvm.pid, ""), *words, "-agentpath")
                self.assertLess(time.monotonic() - began, 2)
                self.unharmed(jvm)
                self.no_thread_dump(jvm)

    @on_each_jdk
    def test_xrs_listens_unasked_and_a_signal_would_end_it(self, jdk, directory):
        with start(jdk, "-Xrs") as jvm:
            self.loaded(load(jvm.pid, f"dir={directory},dump=simple"))
            harness.wait_report(directory, set(), 60, jvm)
            self.unharmed(jvm)
        with start(jdk, "-Xrs") as jvm:
            pathlib.Path(f"/tmp/.java_pid{jvm.pid}").unlink()
            self.refused(load(jvm.pid, "", patience_s=2), "-Xrs", "-agentpath")
            self.unharmed(jvm)

    @on_each_jdk
    def test_a_vm_that_forbids_late_loading(self, jdk, _):
        if jdk.version < 9:
            return  # the option is younger
        with start(jdk, "-XX:-EnableDynamicAgentLoading") as jvm:
            self.refused(load(jvm.pid, ""), "-XX:+EnableDynamicAgentLoading", "-agentpath")
            self.unharmed(jvm)

    @on_each_jdk
    def test_a_vm_that_starts_this_moment(self, jdk, directory):
        """Whatever the moment: loaded, or a clear line; never a dead VM."""
        for delay_ms in (0, 1, 3, 10, 20, 40, 80):
            with self.subTest(delay_ms), harness.Jvm(jdk, victim_words(jdk)) as jvm:
                time.sleep(delay_ms / 1000)
                outcome = load(jvm.pid, f"dir={directory}")
                jvm.wait_line("^READY")
                self.unharmed(jvm)
                if outcome["code"] != 0:
                    self.refused(outcome, str(jvm.pid))
                    self.assertTrue("no Java" in outcome["text"] or "starts" in outcome["text"], outcome)
                self.assertEqual(attach_files(jvm.pid), [])

    @on_each_jdk
    def test_a_stopped_vm_is_not_waited_for_long(self, jdk, directory):
        with start(jdk) as jvm:
            harness.suspend(jvm.pid)
            began = time.monotonic()
            self.refused(load(jvm.pid, ""), "is stopped", f"kill -CONT {jvm.pid}")
            self.assertLess(time.monotonic() - began, 5)
            os.kill(jvm.pid, signal.SIGCONT)
            self.unharmed(jvm)
            self.no_thread_dump(jvm)
            self.loaded(load(jvm.pid, f"dir={directory}"))
            # It listens by now: what is stopped takes the connection, and answers nothing.
            harness.suspend(jvm.pid)
            self.refused(load(jvm.pid, "", patience_s=2), "is stopped")
            os.kill(jvm.pid, signal.SIGCONT)
            self.unharmed(jvm)

    @on_each_jdk
    def test_a_stale_socket_and_a_stale_sign_are_no_obstacle(self, jdk, directory):
        with start(jdk) as jvm:
            stale = f"import socket; s = socket.socket(socket.AF_UNIX); s.bind('/tmp/.java_pid{jvm.pid}')"
            subprocess.run([sys.executable, "-c", stale], check=True)
            sign = pathlib.Path(f"/tmp/.attach_pid{jvm.pid}")
            sign.touch()
            try:
                self.loaded(load(jvm.pid, f"dir={directory}"))
                self.assertTrue(sign.exists())  # somebody else's: left alone
            finally:
                sign.unlink()
            self.unharmed(jvm)

    @on_each_jdk
    def test_a_stale_socket_of_another_user_is_no_obstacle(self, jdk, directory):
        """An ended VM of root left it; in a sticky /tmp the VM of another user cannot remove it."""
        if os.geteuid() != 0 or not traversable(jdk.home):
            return
        with as_nobody(jdk, directory) as process:
            socket.socket(socket.AF_UNIX).bind(f"/tmp/.java_pid{process.pid}")
            self.loaded(load(process.pid, f"dir={directory}"))

    @on_each_jdk
    def test_a_socket_that_somebody_else_holds_gets_no_word(self, jdk, directory):
        """The VM, once asked, puts its own in that one's place."""
        with start(jdk) as jvm, imposter(jvm.pid) as heard:
            self.loaded(load(jvm.pid, f"dir={directory}"))
            self.assertEqual(heard(), b"")
            self.unharmed(jvm)


class NoJvm(Outcomes):
    def test_another_program_gets_no_signal(self):
        with program(SLEEPER) as process:
            process.stdout.readline()
            self.refused(load(process.pid, ""), "no Java or .NET VM")
            time.sleep(0.05)
            self.assertIsNone(process.poll())

    def test_a_program_that_only_looks_like_java(self):
        """Its name is java, and it maps a file that is named like the VM; a SIGQUIT would end it."""
        with tempfile.TemporaryDirectory() as directory:
            java = pathlib.Path(directory, "java")
            shutil.copy(shutil.which("sleep"), java)
            with program([str(java), "600"]) as process:
                began = time.monotonic()
                self.refused(load(process.pid, "", patience_s=1), "has not started its VM yet")
                self.assertLess(time.monotonic() - began, 5)
                self.assertIsNone(process.poll())
            code = ("import mmap, time; f = open(__import__('sys').argv[1]); m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ);"
                    "print('READY', flush=True); time.sleep(600)")
            fake = pathlib.Path(directory, "libjvm.so")
            fake.write_text("not a VM")
            with program([sys.executable, "-c", code, str(fake)]) as process:
                process.stdout.readline()
                self.refused(load(process.pid, "", patience_s=1), "does not handle SIGQUIT")
                self.assertIsNone(process.poll())

    def test_a_vm_that_never_listens(self):
        with fake_vm("") as process:
            began = time.monotonic()
            self.refused(load(process.pid, "", patience_s=1), "did not begin to listen")
            self.assertLess(time.monotonic() - began, 3)
            self.assertEqual(attach_files(process.pid), [])
            with imposter(process.pid) as heard:
                self.refused(load(process.pid, "", patience_s=1), "held by another process")
                self.assertEqual(heard(), b"")

    def test_a_vm_that_is_stopped_in_the_middle(self):
        with fake_vm("") as process:
            waiting = subprocess.Popen([str(tool()), "load", str(process.pid), str(harness.agent_library()), "", "60"], stdout=subprocess.PIPE, text=True)
            harness.wait_until(lambda: attach_files(process.pid))
            harness.suspend(process.pid)
            self.refused(json.loads(waiting.communicate(timeout=20)[0]), "is stopped")
            self.assertEqual(attach_files(process.pid), [])

    def test_interrupted_it_leaves_nothing(self):
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(ending), fake_vm("") as process:
                waiting = subprocess.Popen([str(tool()), "load", str(process.pid), str(harness.agent_library()), "", "60"], stdout=subprocess.DEVNULL)
                harness.wait_until(lambda: attach_files(process.pid))
                waiting.send_signal(ending)
                self.assertEqual(waiting.wait(10), -ending)
                self.assertEqual(attach_files(process.pid), [])

    def test_a_vm_that_listens_and_misbehaves(self):
        for answer, words in (("c.close()", "closed the connection"),
                              ("kept.append(c)", "did not answer in time"),
                              ("c.recv(4096); c.sendall(b'no number\\n'); c.close()", "closed the connection"),
                              ("c.recv(4096); c.sendall(b'0\\n' + b'x' * 1000000); c.close()", "could not load the agent"),
                              ("c.recv(4096); os._exit(0)", "ended meanwhile")):
            with self.subTest(answer), fake_vm(answer) as process:
                outcome = load(process.pid, "", patience_s=2)
                self.refused(outcome, words)
                self.assertLess(len(outcome["text"]), 1000)

    def test_vms_that_are_known_but_cannot_be_entered(self):
        code = ("import mmap, sys, time; f = [open(n) for n in sys.argv[1:]]; m = [mmap.mmap(n.fileno(), 0, prot=mmap.PROT_READ) for n in f];"
                "print('READY', flush=True); time.sleep(600)")
        for names, kind, words in ((["libj9vm29.so", "libjvm.so"], "openj9", "OpenJ9, which is not supported"), (["libcoreclr.so"], "coreclr", "does not listen")):
            with self.subTest(kind), tempfile.TemporaryDirectory() as directory:
                files = [pathlib.Path(directory, name) for name in names]
                for file in files:
                    file.write_text("x")
                with program([sys.executable, "-c", code, *map(str, files)]) as process:
                    process.stdout.readline()
                    self.refused(load(process.pid, ""), words)
                    self.assertEqual(ps_row(process.pid)["vm"], kind)
                    self.assertIsNone(process.poll())

    def test_dead_numbers(self):
        process = subprocess.Popen(["true"])
        self.refused_zombie(process.pid)
        process.wait()
        self.refused(load(process.pid, ""), "no process has the number", code=WRONG_USAGE)
        self.assertEqual(check_attach("connect", process.pid)["code"], WRONG_USAGE)

    def refused_zombie(self, pid):
        harness.wait_until(lambda: "\nState:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text())
        self.refused(load(pid, ""), "zombie")

    def test_libraries_that_are_none_or_for_something_else(self):
        with start(JDKS[-1]) as jvm, tempfile.TemporaryDirectory() as directory:
            text = pathlib.Path(directory, "text.so")
            text.write_text("no library")
            self.refused(load(jvm.pid, "", text), "not a library", code=3)
            self.refused(load(jvm.pid, "", pathlib.Path(directory, "none.so")), "none.so", code=WRONG_USAGE)
            foreign = bytearray(pathlib.Path(harness.agent_library()).read_bytes())
            foreign[18:20] = (183).to_bytes(2, "little")
            machine = pathlib.Path(directory, "arm.so")
            machine.write_bytes(foreign)
            self.refused(load(jvm.pid, "", machine), "AArch64", "x86-64")
            foreign = pathlib.Path(harness.agent_library()).read_bytes().replace(b"libc.so.6\0", b"libc.so\0\0\0")
            libc = pathlib.Path(directory, "musl.so")
            libc.write_bytes(foreign)
            self.refused(load(jvm.pid, "", libc), "musl", "glibc")
            self.refused(load(jvm.pid, "x" * 1025), "1024 bytes")
            self.unharmed(jvm)
            self.no_thread_dump(jvm)


class Ps(unittest.TestCase):
    def test_lists_what_runs(self):
        with start(JDKS[0]) as jvm, program(SLEEPER) as other:
            other.stdout.readline()
            row = ps_row(jvm.pid)
            self.assertEqual({k: row[k] for k in ("pid", "inner_pid", "vm", "main", "main_kind", "agent")},
                             {"pid": jvm.pid, "inner_pid": jvm.pid, "vm": "hotspot", "main": "Victim", "main_kind": "class", "agent": "none"})
            document = json.loads(harness.run_command("ps", "--json").stdout)
            self.assertEqual(document["schema_version"], 1)
            pids = [process["pid"] for process in document["processes"]]
            self.assertEqual(pids, sorted(pids))
            self.assertNotIn(other.pid, pids)
            lines = harness.run_command("ps", "--width", 100).stdout.splitlines()
            self.assertEqual(lines[0].split(), ["pid", "user", "vm", "agent", "container", "program"])
            self.assertTrue(any(line.split()[0] == str(jvm.pid) and "Victim" in line for line in lines[1:]), lines)
            self.assertIn("Victim", harness.run_command("ps", jvm.pid).stdout)
            done = harness.run_command("ps", other.pid, check=False)
            self.assertEqual((done.returncode, done.stdout), (REFUSED, ""))
            self.assertIn("no Java or .NET VM", done.stderr)
            self.assertEqual(harness.run_command("ps", 4194304, check=False).returncode, WRONG_USAGE)

    def test_a_process_with_a_listening_agent(self):
        """The socket of an agent is found by its name; a short and a long path, and one that is not the process' own."""
        for folder in ("s", "d" * 120):
            with self.subTest(folder), tempfile.TemporaryDirectory() as directory, listener(pathlib.Path(directory, folder)) as process:
                found = check_attach("connect", process.pid)
                self.assertEqual((found["code"], found["presence"], found["greeting"]), (0, 0, f"agent {process.pid}"), found)
                self.assertEqual(check_attach("connect", os.getpid())["presence"], 1)

    def test_a_socket_that_nobody_listens_at(self):
        with tempfile.TemporaryDirectory() as directory, listener(pathlib.Path(directory, "s")) as process:
            pathlib.Path(directory, "s", f"holdfast-{process.pid}.sock").unlink()
            found = check_attach("connect", process.pid)
            self.assertEqual((found["code"], found["presence"]), (REFUSED, 4), found)
            self.assertIn("cannot be reached", found["text"])


# Has HotSpot's library in its memory and a handler for SIGQUIT, like a VM; listens only if it has something to do with a connection.
FAKE_VM = """
import mmap, os, signal, socket, sys, time
file = open(sys.argv[1])
library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
signal.signal(signal.SIGQUIT, lambda *_: None)
kept = []
if sys.argv[2]:
    path = f"/tmp/.java_pid{os.getpid()}"
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen(4)
print("READY", flush=True)
while sys.argv[2]:
    c, _ = s.accept()
    os.unlink(path)
    exec(sys.argv[2])
time.sleep(600)
"""


@contextlib.contextmanager
def fake_vm(answer):
    with tempfile.TemporaryDirectory() as directory:
        library = pathlib.Path(directory, "libjvm.so")
        library.write_text("x")
        with program([sys.executable, "-c", FAKE_VM, str(library), answer]) as process:
            assert process.stdout.readline() == "READY\n"
            yield process
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"/tmp/.java_pid{process.pid}")


LISTENER = """
import os, socket, sys
os.makedirs(sys.argv[1])
directory = os.open(sys.argv[1], os.O_RDONLY)
name = f"holdfast-{os.getpid()}.sock"
path = os.path.join(sys.argv[1], name)
s = socket.socket(socket.AF_UNIX)
s.bind(path if len(path) < 108 else f"/proc/self/fd/{directory}/{name}")
s.listen(4)
print("READY", flush=True)
while True:
    c, _ = s.accept()
    c.sendall(f"agent {os.getpid()}".encode())
    c.close()
"""


@contextlib.contextmanager
def listener(folder):
    with program([sys.executable, "-c", LISTENER, str(folder)]) as process:
        assert process.stdout.readline() == "READY\n"
        yield process


@contextlib.contextmanager
def imposter(pid):
    """Somebody who listens at the VM's address before it does; what he heard."""
    import threading
    path = f"/tmp/.java_pid{pid}"
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(8)
    heard = []

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(1)
                    with contextlib.suppress(OSError):
                        heard.append(connection.recv(4096))
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield lambda: b"".join(heard)
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def ps_row(pid):
    return json.loads(harness.run_command("ps", pid, "--json").stdout)["processes"][0]


def traversable(path):
    """May anybody go there?"""
    return all(os.stat(step).st_mode & 0o005 == 0o005 for step in (pathlib.Path(path), *pathlib.Path(path).parents))


if __name__ == "__main__":
    unittest.main()
