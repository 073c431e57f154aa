"""Sessions of EventPipe in another process, opened as its tools do: by the runtime's diagnostics socket. Standard library only."""
import glob
import socket
import struct

MAGIC = b"DOTNET_IPC_V1\0"
HEADER = struct.Struct("<14sHBBH")
EVENT_PIPE, STOP_TRACING, COLLECT_TRACING_2, ANSWER_OK = 2, 1, 3, (0xFF, 0)
NETTRACE, BUFFER_MB = 1, 1
MOST = 64  # that a runtime has


def _text(word):
    units = (word + "\0").encode("utf-16-le")
    return struct.pack("<I", len(units) // 2) + units


def _message(command, payload):
    return HEADER.pack(MAGIC, HEADER.size + len(payload), EVENT_PIPE, command, 0) + payload


def _beginning(provider):
    providers = struct.pack("<IQI", 1, 0, 1) + _text(provider) + struct.pack("<I", 0)
    return _message(COLLECT_TRACING_2, struct.pack("<IIB", BUFFER_MB, NETTRACE, 0) + providers)


class Sessions:
    """As many as the runtime gives, of a provider that says nothing. A context manager: leaving the block ends them."""

    def __init__(self, pid):
        self._path = glob.glob(f"/tmp/dotnet-diagnostic-{pid}-*-socket")[0]
        self._open = []  # (number of the session, its stream)

    def __enter__(self):
        while len(self._open) < MOST and self._begin():
            pass
        return self

    def _ask(self, message):
        """(the stream, what it answered); None in place of the answer where that is no."""
        stream = socket.socket(socket.AF_UNIX)
        stream.settimeout(20)
        stream.connect(self._path)
        stream.sendall(message)
        _, size, *answer, _ = HEADER.unpack(stream.recv(HEADER.size, socket.MSG_WAITALL))
        payload = stream.recv(size - HEADER.size, socket.MSG_WAITALL) if size > HEADER.size else b""
        return stream, payload if tuple(answer) == ANSWER_OK else None

    def _begin(self):
        stream, number = self._ask(_beginning("Holdfast-Tests-Silence"))
        if number is None:
            stream.close()
            return False
        self._open.append((number[:8], stream))
        return True

    def __len__(self):
        return len(self._open)

    def __exit__(self, *_):
        """A session that says nothing would not notice that its stream is closed."""
        for number, stream in self._open:
            stream.close()
            self._ask(_message(STOP_TRACING, number))[0].close()
