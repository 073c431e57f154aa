"""Adds the methods that rewritten classes call to a java/lang/Object class file, and a field for the state that they keep.

One state for all threads: enough for a test with one. Enough of the class file format for that one class; anything unexpected is an error.
"""
import struct

FIELD = ("hf$state", "J")
CODE = {  # {STATE}: the index of the field
    ("hf$enter", "(I)J"): "b2 {STATE} 1a 85 b3 {STATE} ad",  # getstatic; iload_0; i2l; putstatic; lreturn
    ("hf$leave", "(J)V"): "1e b3 {STATE} b1",                # lload_0; putstatic; return
    ("hf$array", "(Ljava/lang/Object;)V"): "b1",
    ("hf$arrays", "(Ljava/lang/Object;)V"): "b1",
    ("hf$cloned", "(Ljava/lang/Object;)V"): "b1",
}
MAX_STACK, MAX_LOCALS = 4, 2
PUBLIC_STATIC = 0x0001 | 0x0008
OPERAND_BYTES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def u16(data, at):
    return struct.unpack_from(">H", data, at)[0]


def u32(data, at):
    return struct.unpack_from(">I", data, at)[0]


def constants(data):
    """(tag, where the next begins) of each constant."""
    at, left = 10, u16(data, 8) - 1
    while left > 0:
        tag = data[at]
        at += 3 + u16(data, at + 1) if tag == 1 else 1 + OPERAND_BYTES[tag]
        left -= 2 if tag in (5, 6) else 1
        yield tag, at


def behind_pool(data):
    return max(at for _, at in constants(data))


def pool_tags(data):
    return {tag for tag, _ in constants(data)}


def behind_member(data, at):
    count = u16(data, at + 6)
    at += 8
    for _ in range(count):
        at += 6 + u32(data, at + 2)
    return at


class Pool:
    """Constants behind those of the class."""

    def __init__(self, count):
        self.count, self.bytes = count, b""

    def add(self, encoded):
        self.bytes += encoded
        self.count += 1
        return struct.pack(">H", self.count - 1)

    def utf8(self, text):
        return self.add(b"\x01" + struct.pack(">H", len(text)) + text.encode())

    def field(self, owner, name, descriptor):
        return self.add(b"\x09" + owner + self.add(b"\x0c" + self.utf8(name) + self.utf8(descriptor)))


def encode_method(pool, code_name, name, descriptor, code):
    body = struct.pack(">HHI", MAX_STACK, MAX_LOCALS, len(code)) + code + struct.pack(">HH", 0, 0)
    return (struct.pack(">H", PUBLIC_STATIC) + pool.utf8(name) + pool.utf8(descriptor) + struct.pack(">H", 1)
            + code_name + struct.pack(">I", len(body)) + body)


def add_methods(data):
    """The class file with FIELD and the methods of CODE."""
    pool_end = behind_pool(data)
    fields_at = pool_end + 8 + 2 * u16(data, pool_end + 6)
    if u16(data, fields_at) != 0:
        raise ValueError("java/lang/Object has fields")
    methods_at = fields_at + 2
    end = methods_at + 2
    for _ in range(u16(data, methods_at)):
        end = behind_member(data, end)
    pool = Pool(u16(data, 8))
    state = pool.field(data[pool_end + 2:pool_end + 4], *FIELD)
    code_name = pool.utf8("Code")
    added = b"".join(encode_method(pool, code_name, *signature, bytes.fromhex(code.replace("{STATE}", state.hex())))
                     for signature, code in CODE.items())
    field = struct.pack(">HH", 1, PUBLIC_STATIC) + pool.utf8(FIELD[0]) + pool.utf8(FIELD[1]) + struct.pack(">H", 0)
    return b"".join((data[:8], struct.pack(">H", pool.count), data[10:pool_end], pool.bytes, data[pool_end:fields_at], field,
                     struct.pack(">H", u16(data, methods_at) + len(CODE)), data[methods_at + 2:end], added, data[end:]))
