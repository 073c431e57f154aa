"""What a test waits for: reports that nobody asked for, lines of the agent between the program's. Standard library only."""
import time

from process import VmError
from reports import Report, reports_in, settled

POLL_S = 0.01


def said(process):
    """The agent's lines."""
    return [line for line in list(process.lines) if line.startswith("holdfast:")]


def reports(directory):
    """In the order in which they were begun."""
    return sorted(map(Report, reports_in(directory)), key=lambda report: report.field("sequence"))


def triggers(directory):
    return [report.field("trigger") for report in reports(directory)]


def wait_reports(process, directory, count, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while len(reports_in(directory)) < count or not all(map(settled, reports_in(directory))):
        if time.monotonic() > deadline or not process.running():
            raise VmError(process.complaint(f"{count} reports were expected in {directory}"))
        time.sleep(POLL_S)


def wait_said(process, words, times=1, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while sum(words in line for line in list(process.lines)) < times:
        if time.monotonic() > deadline:
            raise VmError(process.complaint(f"'{words}' was expected {times} times"))
        time.sleep(POLL_S)
