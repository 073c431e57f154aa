"""`holdfast watch --json` beside a running test: one sample a line."""
import json

from process import Process, command


class Watch(Process):
    """A context manager: leaving the block ends it."""

    def __init__(self, pid, *words):
        super().__init__("holdfast watch", [command(), "watch", pid, "--json", *words])

    def sample(self, timeout_s=60):
        """The next one, as a document."""
        return json.loads(self.wait_line(r"^\{.*\}$", timeout_s)[0])

    def sample_with(self, condition, samples=60):
        """The first that fulfils it."""
        for _ in range(samples):
            sample = self.sample()
            if condition(sample):
                return sample
        raise AssertionError(self.complaint(f"no such sample among {samples}"))
