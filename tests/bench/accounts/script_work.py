# What the program ScriptRunner has the Python of the JVM do: classes, closures, generators, dictionaries, strings, sorting, numbers.
# `work(seed)` does the same work for the same seed and returns a checksum; it needs no module of the library.


class Numbers(object):
    """A generator of numbers of its own, so that every Python draws the same."""

    def __init__(self, seed):
        self.state = seed % 2147483647 or 1

    def below(self, limit):
        self.state = self.state * 48271 % 2147483647
        return self.state % limit


class Task(object):
    def __init__(self, name, priority):
        self.name = name
        self.priority = priority
        self.done = 0
        self.waiting = []

    def run(self, scheduler):
        self.done += 1
        if self.waiting:
            scheduler.put(self.waiting.pop())
        return self.priority + self.done


class Device(Task):
    def run(self, scheduler):
        for other in scheduler.tasks[:3]:
            other.waiting.append((self.name, self.done))
        return Task.run(self, scheduler) * 2


class Scheduler(object):
    def __init__(self, count):
        self.tasks = [(Device if i % 4 == 0 else Task)("task %d" % i, i) for i in range(count)]
        self.queue = []

    def put(self, packet):
        self.queue.append(packet)

    def run(self, rounds):
        total = 0
        for i in range(rounds):
            for task in self.tasks:
                total += task.run(self)
            del self.queue[:len(self.queue) // 2]
        return total + len(self.queue)


def bodies(steps):
    found = [[i * 1.5, i * 0.5 - 1, 3.0 - i, 0.01 * i, -0.02 * i, 0.03, 1.0 + i] for i in range(5)]
    for step in range(steps):
        for i, a in enumerate(found):
            for b in found[i + 1:]:
                x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
                force = 0.001 / ((x * x + y * y + z * z + 0.1) ** 1.5)
                for axis, distance in ((3, x), (4, y), (5, z)):
                    a[axis] -= distance * b[6] * force
                    b[axis] += distance * a[6] * force
        for a in found:
            for axis in range(3):
                a[axis] += 0.001 * a[axis + 3]
    return int(sum(abs(v) for a in found for v in a) * 1000000)


def word_counts(numbers, count):
    words = ["w%d" % numbers.below(500) for _ in range(count)]
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    lines = ["%s: %d" % (word, number) for word, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    text = "\n".join(lines).upper().replace("W", "word ")
    return sum(len(part) for part in text.split(" ")) + sum(int(line.rpartition(": ")[2]) for line in text.split("\n"))


def queens(size):
    def place(row, columns, up, down):
        if row == size:
            yield columns
        for column in range(size):
            if column not in columns and row + column not in up and row - column not in down:
                for found in place(row + 1, columns + [column], up + [row + column], down + [row - column]):
                    yield found
    return sum(1 for _ in place(0, [], [], []))


def matrices(numbers, size):
    a = [[numbers.below(100) for _ in range(size)] for _ in range(size)]
    b = list(map(list, zip(*a)))
    product = [[sum(x * y for x, y in zip(row, column)) for column in a] for row in b]
    return sum(map(sum, product))


def work(seed):
    numbers = Numbers(seed)
    assert queens(6) == 4
    parts = [Scheduler(24).run(40), bodies(120), word_counts(numbers, 6000), matrices(numbers, 28)]
    parts.append(len(set(tuple(sorted((numbers.below(9), numbers.below(9)))) for _ in range(2000))))
    return sum((i + 1) * part for i, part in enumerate(parts))
