"""A headless Chromium, spoken to over two pipes (the DevTools protocol, NUL after each message): no port, no driver, no package."""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT_S = 60
PROGRAM = shutil.which("chromium")


class BrowserError(Exception):
    pass


class Chromium:
    """Collects what a page logs, throws and asks the network for."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="holdfast-chromium-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        command = [PROGRAM, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage",
                   "--hide-scrollbars", f"--user-data-dir={self.profile.name}"]
        self.process = self._start(command, to_browser, from_browser)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events = b"", 0, []
        target = self.call("Target.createTarget", url="about:blank", session=None)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True, session=None)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    @staticmethod
    def _start(command, read, write):
        # Descriptors 3 and 4 are where the browser looks for its pipes.
        def place():
            high_read, high_write = os.dup(read), os.dup(write)
            spare = [os.dup(high_read), os.dup(high_write)]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        return subprocess.Popen(command, close_fds=False, preexec_fn=place, start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile.name, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- the protocol

    def call(self, method, session="own", **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session == "own":
            message["sessionId"] = self.session
        self._write(json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self._read(deadline, method)
            if answer.get("id") == self.number:
                break
            self.events.append(answer)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']}")
        return answer["result"]

    def _write(self, message):
        while message:
            message = message[os.write(self.output, message):]

    def _read(self, deadline, what):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                raise BrowserError(f"no answer to {what} in {TIMEOUT_S} s")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise BrowserError(f"the browser ended during {what}")
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    # ---- a page

    def open(self, path, ready, width=1200, height=900, dark=False, fragment=""):
        """Opens a file from disk and waits until `ready` is true."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.prefer(dark)
        self.call("Page.navigate", url="about:blank")
        self.evaluate("0")
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        self.until(ready)

    def prefer(self, dark):
        """Light or dark, and nothing that moves."""
        features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in features.items()])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression):
        deadline = time.monotonic() + TIMEOUT_S
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise BrowserError(f"never true: {expression}; {self.complaints()}")
            time.sleep(0.02)

    def press(self, key, text=None):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37}
        about = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, 0)}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, expression):
        """A real click into the middle of the element."""
        x, y = self.evaluate(f"(() => {{ const e = {expression}; e.scrollIntoView({{block: 'center'}});"
                             " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path):
        """What is in the window, as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def requests(self):
        """What the page asked for, itself left out."""
        asked = [e["params"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [p["request"]["url"] for p in asked if p.get("type") != "Document"]

    def complaints(self):
        """Errors on the console, exceptions, and what the policy refused."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("exception", {}).get("description") or parameters["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(str(parameters["args"]))
        return found
