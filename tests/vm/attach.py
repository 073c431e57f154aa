"""The attach protocol of HotSpot, for what the jcmd of JDK 8 has no words for: to load an agent into a running VM.

A file .attach_pidPID and a SIGQUIT have the VM listen at /tmp/.java_pidPID (it then prints no threads and asks for no dump). A request is
the protocol's version, a word and three arguments, each ended by a zero; the answer is its status, a line end, and text up to the end.
"""
import os
import pathlib
import signal
import socket
import time

VERSION = b"1"
LISTENS_S = 10


def load(pid, library, options):
    """What jcmd's JVMTI.agent_load prints."""
    status, *text = request(pid, "load", str(library), "true", options).split("\n")
    return f"return code: {text[0] if status == '0' else status}"


def request(pid, word, *arguments):
    address = f"/tmp/.java_pid{pid}"
    if not os.path.exists(address):
        have_it_listen(pid, address)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        words = [VERSION, word.encode(), *(argument.encode() for argument in arguments)] + [b""] * (3 - len(arguments))
        connection.sendall(b"".join(word + b"\0" for word in words))
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode(errors="replace")


def have_it_listen(pid, address):
    sign = pathlib.Path(f"/tmp/.attach_pid{pid}")
    sign.touch()
    try:
        os.kill(pid, signal.SIGQUIT)
        deadline = time.monotonic() + LISTENS_S
        while not os.path.exists(address):
            if time.monotonic() > deadline:
                raise TimeoutError(f"pid {pid} does not listen at {address}")
            time.sleep(0.01)
    finally:
        sign.unlink()
