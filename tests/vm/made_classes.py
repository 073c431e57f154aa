"""Class files that no compiler makes any more, or only of huge sources: subroutines, and branches as long as they can be.

Each has one method int f(int) and a method void work() that it calls, so that it is worth an account.
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
NOP, GOTO, IFEQ, IFNE, JSR, RET = 0x00, 0xA7, 0x99, 0x9A, 0xA8, 0xA9
NEWARRAY, INT, ARRAYLENGTH = 0xBC, 10, 0xBE
ILOAD_0, ASTORE_1, ICONST_1, BIPUSH, IRETURN, RETURN, IINC, INVOKESTATIC = 0x1A, 0x4C, 0x04, 0x10, 0xAC, 0xB1, 0x84, 0xB8
WORK = 4      # index of the method work among the constants
FARTHEST = 32767
BLOCKS = 300  # of the long methods: each returns, and grows
SAME_FAR = 251
LONGEST = 65535
CODE, UNKNOWN = 11, 9  # indices of an attribute's name among the constants


class Constants:
    def __init__(self, name):
        self.bytes, self.count = b"", 1
        for entry in (self.text(name), b"\x07\0\x01", self.text("java/lang/Object"), b"\x0a\0\x02\0\x06", b"\x07\0\x03",
                      b"\x0c\0\x07\0\x08", self.text("work"), self.text("()V"), self.text("f"), self.text("(I)I"), self.text("Code"),
                      self.text("StackMapTable")):
            self.bytes += entry
            self.count += 1

    @staticmethod
    def text(text):
        return b"\x01" + struct.pack(">H", len(text)) + text.encode()


def method(name, descriptor, code, frames=b""):
    body = struct.pack(">HHI", 3, 2, len(code)) + code + b"\0\0"
    body += b"\0\1\0\x0c" + struct.pack(">I", len(frames)) + frames if frames else b"\0\0"
    return struct.pack(">HHHHHI", 9, name, descriptor, 1, 11, len(body)) + body


def class_file(name, major, code, frames=b""):
    constants = Constants(name)
    head = struct.pack(">IHHH", 0xCAFEBABE, 0, major, constants.count) + constants.bytes
    return (head + struct.pack(">HHHHHH", 0x21, 2, 5, 0, 0, 2) + method(7, 8, bytes([RETURN])) + method(9, 10, code, frames) + b"\0\0")


def branch(op, distance):
    return struct.pack(">Bh", op, distance)


def call():
    return struct.pack(">BH", INVOKESTATIC, WORK)


def subroutine():
    """f(n) = n + 10"""
    return class_file("Subroutine", 48, branch(JSR, 5) + bytes([ILOAD_0, IRETURN, ASTORE_1, IINC, 0, 10]) + call() + bytes([RET, 1]))


def blocks(at, frames):
    """if (n == 0) return 1, many times."""
    code = b""
    for _ in range(BLOCKS):
        code += bytes([ILOAD_0]) + branch(IFNE, 5) + bytes([ICONST_1, IRETURN])
        frames.append(at + len(code))
    return code


def encode_frames(places):
    last, out = -1, struct.pack(">H", len(places))
    for place in places:
        out += struct.pack(">BH", SAME_FAR, place - last - 1)
        last = place
    return out


def far(op):
    """f(0) = 42 by the longest branch there can be; f(n) = 7 for IFEQ, else 42, too."""
    frames = []
    first = bytes([ILOAD_0 if op == IFEQ else NOP]) + branch(op, FARTHEST)
    if op == GOTO:
        frames.append(len(first))
    code = first + blocks(len(first), frames)
    code += bytes([NOP]) * (1 + FARTHEST - len(code) - 3) + bytes([BIPUSH, 7, IRETURN])
    frames.append(len(code))
    code += call() + bytes([BIPUSH, 42, IRETURN])
    return class_file("Far" + str(op), 52, code, encode_frames(frames))


def allocating(name, major, code_bytes=0, frames=b""):
    """f(n) makes an int[n]; its code has at least so many bytes."""
    work = bytes([ILOAD_0, NEWARRAY, INT, ARRAYLENGTH, IRETURN])
    made = bytearray(class_file(name, major, bytes([NOP]) * (code_bytes - len(work)) + work, frames))
    if major == 45:
        made[4:6] = b"\0\3"  # 45.0 to 45.2 have another form of code
    return bytes(made)


def with_attribute(name, content, said_bytes=None):
    """An allocating class with one attribute more, which may lie about its length."""
    plain = allocating(name, 52)
    attribute = CODE if content is None else UNKNOWN
    content = content or b""
    return plain[:-2] + struct.pack(">HHI", 1, attribute, len(content) if said_bytes is None else said_bytes) + content


def malformed(prefix):
    """{name: class file}; a VM refuses most of them, and runs the others."""
    name = f"{prefix}%s".__mod__
    return {
        "unknown": with_attribute(name("unknown"), b"\xff" * 37),
        "cut": with_attribute(name("cut"), b"abc", 4),
        "endless": with_attribute(name("endless"), b"abc", 0xFFFFFFFF),
        "behind": with_attribute(name("behind"), b"abcdef", 3),
        "code": with_attribute(name("code"), None),
        "frames": allocating(name("frames"), 52, frames=b"\xff" * 9),
        "frame": allocating(name("frame"), 52, frames=encode_frames([1])),
        "nowhere": allocating(name("nowhere"), 52, frames=encode_frames([999])),
        "newer": allocating(name("newer"), 999),
        "older": allocating(name("older"), 44),
        "empty": class_file(name("empty"), 52, b""),
        "half": class_file(name("half"), 52, bytes([ILOAD_0, NEWARRAY])),
        "fallen": class_file(name("fallen"), 52, bytes([NOP])),
    }


MADE = {"Subroutine": subroutine(), f"Far{IFEQ}": far(IFEQ), f"Far{GOTO}": far(GOTO)}
WANTED = {"Subroutine": {0: 10, 5: 15}, f"Far{IFEQ}": {0: 42, 3: 7}, f"Far{GOTO}": {0: 42, 3: 42}}
