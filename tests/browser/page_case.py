"""What tests of pages share: samples, one browser for all tests of a class, and what is wrong after any of them."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from chromium import Chromium

COMMAND = os.environ["HOLDFAST_CLI"]
SAMPLES = pathlib.Path(os.environ["HF_BUILD"]) / "bin" / "sample_reports"
SIZES = ["B", "KB", "MB", "GB"]


def text_of(selector):
    return f"document.querySelector({selector!r}).textContent"


def texts_of(selector):
    return f"[...document.querySelectorAll({selector!r})].map(found => found.textContent)"


def column_of(section, title):
    return texts_of(f"{section} tbody td[data-title={title}]")


def bytes_of(text):
    number, unit = text.split(" ")
    return float(number) * 1024 ** SIZES.index(unit)


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="holdfast-page-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        subprocess.run([SAMPLES, cls.directory], check=True)


class PageCase(Samples):
    READY = "document.querySelector('main') !== null"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_pages()
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def make_page(cls, name, *command):
        subprocess.run([COMMAND, *command, "--html", cls.directory / f"{name}.html"], check=True, capture_output=True)

    def page(self, name):
        return self.directory / f"{name}.html"

    def open(self, name="shop", **more):
        self.browser.open(self.page(name), self.READY, **more)
        return self.browser

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])

    def see(self, expression):
        return self.browser.evaluate(expression)

    # ---- what holds for every page

    def check_it_fits_360_pixels(self, names, may_be_wider):
        for name in names:
            with self.subTest(name):
                self.open(name, width=360, height=740)
                self.see("document.querySelectorAll('details').forEach(folded => { folded.open = true; })")
                self.browser.until("[...document.querySelectorAll('.entry')].every(folded => folded.querySelector('.inside'))")
                self.assertEqual(self.see("document.documentElement.scrollWidth"), 360)
                beyond = self.see("[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 361"
                                  f" && !e.closest({may_be_wider!r})).map(e => e.outerHTML.slice(0, 200))")
                self.assertEqual(beyond, [])

    def check_light_and_dark(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        self.open()
        light = self.see(paper)
        self.browser.click("document.querySelector('.theme')")
        dark = self.see(paper)
        self.assertNotEqual(light, dark)
        self.open(dark=True)
        self.assertEqual(self.see(paper), dark)

    def check_injected_names_do_nothing(self):
        self.assertIsNone(self.see("window.injected ?? null"))
        self.assertEqual(self.see("document.querySelectorAll('img, iframe, [onerror], [onload], svg script, svg a').length"), 0)
        self.assertEqual(self.see("document.scripts.length"), 1)
        self.assertEqual(self.see("[...document.links].filter(link => !link.getAttribute('href').startsWith('#')).length"), 0)
        titles = self.see("[...document.querySelectorAll('bdi')].map(name => name.title || name.textContent)")
        self.assertTrue(any("</script><script>window.injected=1</script><img src=x" in title for title in titles), titles[:9])
        visible = self.see("document.body.textContent")
        self.assertFalse([c for c in visible if c in "\x1b\x01\u202e\u2028"], "control characters are written out")
        self.assertIn("\\u202e", visible)

    def tell_first_paint(self, name):
        """Told, not asserted: other tests may run beside this one."""
        size = self.page(name).stat().st_size
        self.assertLess(size, 3_000_000)
        self.open(name)
        self.browser.until("performance.getEntriesByName('first-contentful-paint').length > 0")
        paint = self.see("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        shown = self.see("document.querySelectorAll('*').length")
        print(f"\n{type(self).__name__}: largest page of {size} bytes, first contentful paint after {paint:.0f} ms, {shown} elements")
