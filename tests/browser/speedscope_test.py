#!/usr/bin/env python3
"""Exported stacks in speedscope, a viewer of profiles that runs in a browser: both formats of them, and what it makes of their values."""
import base64
import json
import os
import pathlib
import re
import subprocess
import unittest

from chromium import Chromium
from page_case import COMMAND, Samples, bytes_of, texts_of

VIEWER = pathlib.Path(os.environ["HF_SOURCE"]) / "build" / "readers" / "node_modules" / "speedscope" / "dist" / "release" / "index.html"
SANDWICH = "3"  # the key of its table: total and self of every frame


class Speedscope(Samples):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)
        cls.report = cls.directory / "shop.hfr"
        cls.told = json.loads(subprocess.run([COMMAND, "report", cls.report, "--json"], check=True, capture_output=True).stdout)

    def frames(self, form):
        """By name: total and self as it shows them, shares left out."""
        profile = self.directory / f"shop.{form}"
        subprocess.run([COMMAND, "export", self.report, "--format", form, "-o", profile], check=True)
        # As its own command hands a file over: a script beside it, named in the fragment.
        script = self.directory / f"{form}.js"
        script.write_text(f"speedscope.loadFileFromBase64({json.dumps(profile.name)}, {json.dumps(base64.b64encode(profile.read_bytes()).decode())})")
        self.browser.open(VIEWER, f"document.title.includes({profile.name!r})", fragment=f"localProfilePath={script}")
        self.browser.press(SANDWICH, text=SANDWICH)
        self.browser.until("document.querySelectorAll('tr').length > 1")
        cells = self.browser.evaluate(texts_of("tr td"))
        rows = [cells[at:at + 3] for at in range(0, len(cells), 3)]
        return {name: tuple(re.sub(r" \(.*", "", value) for value in values) for *values, name in rows}

    def retained(self, name):
        return next(row["retained_bytes"] for row in self.told["tree"] if row["class"] == name)

    def test_pprof(self):
        frames = self.frames("pprof")
        self.assertEqual(bytes_of(frames["heap"][0]), self.told["graph"]["held_bytes"])
        for name in ("shop.Session", "java.util.concurrent.ConcurrentHashMap$Node[]"):
            self.assertAlmostEqual(bytes_of(frames[name][0]), self.retained(name), delta=self.retained(name) / 100)
        self.assertIn("class shop.SessionRegistry", frames)

    def test_folded(self):
        frames = self.frames("folded")
        self.assertEqual(frames["heap"][0], f"{self.told['graph']['held_bytes']:,}")
        for name in ("shop.Session", "java.util.concurrent.ConcurrentHashMap$Node[]"):
            self.assertEqual(frames[name][0], f"{self.retained(name):,}")
        self.assertIn("class_shop.SessionRegistry", frames)


if __name__ == "__main__":
    unittest.main()
