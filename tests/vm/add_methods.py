"""Adds the methods that rewritten classes call to a java/lang/Object class file: public, static, and empty.

Enough of the class file format for that one class; anything unexpected is an error.
"""
import struct

METHODS = (  # name, descriptor, code
    ("hf$enter", "(I)J", b"\x09\xad"),               # lconst_0; lreturn
    ("hf$leave", "(J)V", b"\xb1"),                   # return
    ("hf$array", "(Ljava/lang/Object;)V", b"\xb1"),
    ("hf$arrays", "(Ljava/lang/Object;)V", b"\xb1"),
    ("hf$cloned", "(Ljava/lang/Object;)V", b"\xb1"),
)
PUBLIC_STATIC = 0x0001 | 0x0008
OPERAND_BYTES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def u16(data, at):
    return struct.unpack_from(">H", data, at)[0]


def u32(data, at):
    return struct.unpack_from(">I", data, at)[0]


def behind_pool(data):
    at, left = 10, u16(data, 8) - 1
    while left > 0:
        tag = data[at]
        at += 3 + u16(data, at + 1) if tag == 1 else 1 + OPERAND_BYTES[tag]
        left -= 2 if tag in (5, 6) else 1
    return at


def behind_member(data, at):
    count = u16(data, at + 6)
    at += 8
    for _ in range(count):
        at += 6 + u32(data, at + 2)
    return at


def utf8(text):
    encoded = text.encode()
    return b"\x01" + struct.pack(">H", len(encoded)) + encoded


def add_methods(data):
    """The class file with METHODS."""
    pool_end = behind_pool(data)
    at = pool_end + 6
    at += 2 + 2 * u16(data, at)
    for _ in range(u16(data, at)):  # fields: there are none in any JDK
        raise ValueError("java/lang/Object has fields")
    at += 2
    count_at, count = at, u16(data, at)
    at += 2
    for _ in range(count):
        at = behind_member(data, at)
    first = u16(data, 8)
    pool = b"".join(utf8(name) + utf8(descriptor) for name, descriptor, _ in METHODS) + utf8("Code")
    code_name = first + 2 * len(METHODS)
    methods = b""
    for i, (_, _, code) in enumerate(METHODS):
        body = struct.pack(">HHI", 2, 2, len(code)) + code + struct.pack(">HH", 0, 0)
        methods += struct.pack(">HHHHHI", PUBLIC_STATIC, first + 2 * i, first + 2 * i + 1, 1, code_name, len(body)) + body
    return b"".join((data[:8], struct.pack(">H", code_name + 1), data[10:pool_end], pool, data[pool_end:count_at],
                     struct.pack(">H", count + len(METHODS)), data[count_at + 2:at], methods, data[at:]))
