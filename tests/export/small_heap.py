"""A heap dump of a few hundred objects in HPROF format: `holdfast analyze` makes a report of it, as of any other."""
import struct

ID, OBJECT_TYPE, INT_TYPE = 8, 2, 10
CLASS_SHAPE = {"java.lang.Object": [], "java.lang.Class": [], "java.lang.String": [("hash", INT_TYPE)]}


class SmallHeap:
    def __init__(self, utc_ms=1_795_249_412_004):
        self.records, self.heap, self.names, self.classes = [], [], {}, {}
        self.next_id, self.utc_ms = 0x1000, utc_ms
        for name, fields in CLASS_SHAPE.items():
            self.class_of(name, fields)

    def record(self, tag, body):
        self.records.append(struct.pack(">BII", tag, 0, len(body)) + body)

    def name(self, text):
        if text not in self.names:
            self.names[text] = len(self.names) + 1
            self.record(0x01, struct.pack(">Q", self.names[text]) + text.encode())
        return self.names[text]

    def object_id(self, size=64):
        self.next_id += size
        return self.next_id - size

    def class_of(self, name, fields=()):
        if name in self.classes:
            return self.classes[name]
        at = self.classes[name] = self.object_id()
        superclass = 0 if name == "java.lang.Object" else self.classes["java.lang.Object"]
        self.record(0x02, struct.pack(">IQIQ", len(self.classes), at, 0, self.name(name.replace(".", "/"))))
        sizes = sum({OBJECT_TYPE: ID, INT_TYPE: 4}[kind] for _, kind in fields)
        body = struct.pack(">QIQQQQQQI", at, 0, superclass, 0, 0, 0, 0, 0, sizes) + struct.pack(">HHH", 0, 0, len(fields))
        self.heap.append(b"\x20" + body + b"".join(struct.pack(">QB", self.name(n), kind) for n, kind in fields))
        self.root(at)
        return at

    def root(self, at):
        self.heap.append(struct.pack(">BQ", 0xFF, at))

    def instance(self, class_name, values=b""):
        at = self.object_id()
        self.heap.append(struct.pack(">BQIQI", 0x21, at, 0, self.class_of(class_name), len(values)) + values)
        return at

    def strings(self, count):
        return [self.instance("java.lang.String", struct.pack(">I", 0)) for _ in range(count)]

    def array(self, element, members):
        at = self.object_id(64 + 8 * len(members))
        self.heap.append(struct.pack(">BQIIQ", 0x22, at, 0, len(members), self.class_of(f"[L{element};")) + struct.pack(f">{len(members)}Q", *members))
        return at

    def bytes(self):
        body = b"".join(self.heap)
        return (b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", ID, self.utc_ms) + b"".join(self.records)
                + struct.pack(">BII", 0x1C, 0, len(body)) + body + struct.pack(">BII", 0x2C, 0, 0))


def shop(sessions, strings, session_class="shop.Session"):
    """An array that keeps sessions alive, and strings that nothing keeps but the roots."""
    heap = SmallHeap()
    heap.class_of(session_class)
    heap.root(heap.array(session_class, [heap.instance(session_class) for _ in range(sessions)]))
    for at in heap.strings(strings):
        heap.root(at)
    return heap.bytes()
