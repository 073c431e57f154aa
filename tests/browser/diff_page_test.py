#!/usr/bin/env python3
"""The page of a comparison in a headless Chromium: what grew first, tables that sort, filter and switch, a tree that opens, names that do nothing."""
import unittest

from page_case import PageCase, column_of, text_of, texts_of

NAMES = ("shop", "whole", "simple", "strangers", "same", "hostile", "largest", "accounts")
CLASSES = texts_of("#classes tbody td:first-child")
PATHS = texts_of("#tree tbody .path-name")
FOCUSED = "document.activeElement.textContent"


def press(section, title):
    return f"[...document.querySelectorAll('{section} button')].find(button => button.textContent === '{title}')"


def choose(section, title):
    return (f"(() => {{ const s = document.querySelector('{section} select'); s.value = '{title}';"
            " s.dispatchEvent(new Event('change')); })()")


class DiffPage(PageCase):
    @classmethod
    def make_pages(cls):
        pairs = cls.directory / "pairs"
        for name in NAMES:
            cls.make_page(name, "diff", pairs / f"{name}_before.hfr", pairs / f"{name}_after.hfr")
        shop = [pairs / "shop_before.hfr", pairs / "shop_after.hfr"]
        cls.make_page("chosen", "diff", *shop, "--class", "shop.*", "--skip", "*Session", "--top", "2", "--sort", "instances")

    def test_the_verdict_and_the_totals_come_first(self):
        self.open()
        self.assertIn("shop.Session grew most of the program's own classes: retained size +48.3 MB (12.7 MB → 61.0 MB), +3,812 instances in 1 h 2 min",
                      self.see(text_of("h1")))
        facts = self.see(text_of(".facts"))
        for word in ("138,100 → 110,477", "-27,623, -20 %", "62 min", "of the same process", "what is held"):
            self.assertIn(word, facts)
        self.assertLess(self.see("document.querySelector('.facts').getBoundingClientRect().bottom"), 900)
        self.assertEqual(self.see("document.querySelectorAll('.warnings').length"), 0)
        self.assertEqual(self.see("document.title"), "shop.Main, compared · holdfast")

    def test_warnings_stand_before_the_figures(self):
        self.open("strangers")
        self.assertIn("different programs", self.see(text_of(".warnings")))
        self.assertIn("the hosts differ: web1, then web2", self.see(text_of(".warnings")))
        self.assertTrue(self.see("document.querySelector('.warnings').getBoundingClientRect().bottom"
                                 " < document.querySelector('.facts').getBoundingClientRect().top"))
        self.open("same")
        self.assertIn("The same dump twice", self.see(text_of("h1")))
        self.assertIn("the same dump", self.see(text_of(".warnings")))

    def test_what_is_not_listed_is_bounded_and_what_is_gone_is_gone(self):
        self.open()
        rows = dict(zip(self.see(CLASSES), zip(*(self.see(column_of("#classes", title)) for title in ("Before", "After", "Change", "Status")))))
        self.assertEqual(rows["shop.Order"], ("≤8.8 KB", "683.6 KB", "≥+674.8 KB", "grown"))
        self.assertEqual(rows["shop.Basket"], ("8.8 KB", "–", "-8.8 KB", "gone"))
        self.assertEqual(rows["java.lang.String"], ("4.0 MB", "4.0 MB", "=", "same"))
        self.assertIn("≤ is not listed", self.see(text_of("#classes")))
        self.open("whole")
        rows = dict(zip(self.see(CLASSES), self.see(column_of("#classes", "Status"))))
        self.assertEqual(rows["shop.Order"], "new")
        self.assertNotIn("≤ is not listed", self.see(text_of("#classes")))

    def test_uncertain_is_exactly_what_has_no_certain_change(self):
        self.open("largest")
        self.browser.click("document.querySelector('#classes .more')")
        self.assertGreater(len(self.see(CLASSES)), 2000)
        uncertain = sum(status == "uncertain" for status in self.see(column_of("#classes", "Status")))
        unknown = sum(change == "?" for change in self.see(column_of("#classes", "Change")))
        self.assertEqual(uncertain, unknown)

    def test_the_largest_change_first_then_as_the_heads_say(self):
        self.open()
        self.assertEqual(self.see(CLASSES)[:3], ["java.util.concurrent.ConcurrentHashMap", "shop.Session", "byte[]"])
        self.assertEqual(self.see("document.querySelectorAll('#classes th[aria-sort]').length"), 0)
        self.browser.click(press("#classes th", "Change"))
        self.browser.click(press("#classes th", "Change"))
        self.assertEqual(self.see(CLASSES)[0], "shop.Shrinking")
        self.assertEqual(self.see("document.querySelector('#classes th[aria-sort]').getAttribute('aria-sort')"), "ascending")
        self.browser.click(press("#classes th", "After"))
        self.assertEqual(self.see(CLASSES)[0], "java.util.concurrent.ConcurrentHashMap")

    def test_another_measure_compares_anew(self):
        self.open()
        self.browser.click(press("#classes .segments", "Objects"))
        self.assertEqual(self.see(CLASSES)[0], "shop.Session")
        self.assertEqual(self.see(column_of("#classes", "Before"))[0], "1,000")
        self.assertEqual(self.see(column_of("#classes", "Change"))[0], "+3,812")
        self.assertIn("+48.3 MB", self.see(column_of("#classes", "Retained")))
        self.assertEqual(self.see("document.querySelector('#classes .segments [aria-pressed=true]').textContent"), "Objects")
        self.assertEqual(self.see("document.querySelector('#packages .segments [aria-pressed=true]').textContent"), "Retained")

    def test_rows_are_filtered_by_name_status_and_origin(self):
        self.open()
        self.browser.click("document.querySelector('#classes input[type=search]')")
        self.browser.type("shop.*")
        self.assertEqual(sorted(self.see(CLASSES)), ["shop.Basket", "shop.Order", "shop.Session", "shop.Shrinking"])
        self.see(choose("#classes", "gone"))
        self.assertEqual(self.see(CLASSES), ["shop.Basket"])
        self.assertIn("1 of 8", self.see(text_of("#classes .count")))
        self.browser.type("x")
        self.assertEqual(self.see(CLASSES), ["Nothing fits this filter."])
        self.open()
        self.browser.click("document.querySelector('#classes input[type=checkbox]')")
        self.assertNotIn("byte[]", self.see(CLASSES))

    def test_options_of_the_command_hold_for_the_page(self):
        self.open("chosen")
        self.assertEqual(self.see(CLASSES), ["shop.Shrinking", "shop.Basket"])
        self.assertEqual(self.see("document.querySelector('#classes .segments [aria-pressed=true]').textContent"), "Objects")
        self.assertIn("other classes", self.see(text_of("#classes")))

    def test_the_tree_opens_by_mouse(self):
        self.open()
        paths = ["class shop.SessionRegistry", "java.util.concurrent.ConcurrentHashMap", "java.util.concurrent.ConcurrentHashMap$Node[]", "831 → 4,000 × shop.Session"]
        self.assertEqual(self.see(PATHS)[:4], paths)
        self.browser.click("document.querySelector('#tree tbody tr')")
        self.assertNotIn(paths[1], self.see(PATHS))
        self.assertEqual(self.see("document.querySelector('#tree tbody tr').getAttribute('aria-expanded')"), "false")
        self.browser.click("document.querySelector('#tree tbody tr')")
        self.assertEqual(self.see(PATHS)[:4], paths)
        self.assertEqual(self.see(column_of("#tree", "Change"))[0], "+48.3 MB")

    def test_the_tree_opens_by_keyboard(self):
        self.open()
        self.see("document.querySelector('#tree tr[tabindex=\"0\"]').focus()")
        self.browser.press("ArrowDown")
        self.assertIn("ConcurrentHashMap", self.see(FOCUSED))
        self.browser.press("ArrowLeft")
        self.assertEqual(self.see("document.activeElement.getAttribute('aria-expanded')"), "false")
        self.browser.press("ArrowLeft")
        self.assertIn("class shop.SessionRegistry", self.see(FOCUSED))
        self.browser.press("Enter", "\r")
        self.assertEqual(self.see("document.activeElement.getAttribute('aria-expanded')"), "false")
        self.browser.press("ArrowRight")
        self.browser.press("ArrowRight")
        self.assertEqual(self.see("document.activeElement.getAttribute('aria-level')"), "2")
        self.assertNotEqual(self.see("getComputedStyle(document.activeElement).outlineStyle"), "none")

    def test_bars_go_to_the_right_for_growth_and_to_the_left_for_the_rest(self):
        self.open()
        bar = "(() => {{ const b = document.querySelector('#classes .diverging.{0}'); return getComputedStyle(b, '::before').{1}; }})()"
        self.assertEqual(self.see(bar.format("shrunk", "left.endsWith('px')")), True)
        self.assertLess(float(self.see(bar.format("shrunk", "width"))[:-2]), float(self.see(bar.format("grown", "width"))[:-2]))

    def test_memory_accounts_are_compared_with_their_errors(self):
        self.open("accounts")
        self.assertEqual(self.see(column_of("#accounts", "Account"))[:2], ["shop.*", "shop.search.*"])
        self.assertEqual(self.see(column_of("#accounts", "Change"))[0], "+48 MB ±6\u00a0%")
        whole = self.see(text_of("#accounts"))
        self.assertIn("Allocated in between", whole)
        self.assertNotIn("undefined", whole)
        self.open("shop")
        self.assertEqual(self.see("document.querySelectorAll('#accounts').length"), 0)

    def test_both_reports_stand_side_by_side_and_differences_are_marked(self):
        self.open("simple")
        sides = "[...document.querySelectorAll('.sides tbody tr')].map(row => [...row.children].map(cell => cell.textContent))"
        rows = {row[0]: row[1:] for row in self.see(sides)}
        self.assertEqual(rows["Object graph (differs)"], ["yes", "no"])
        self.assertEqual(rows["Program"], ["shop.Main", "shop.Main"])
        self.assertIn("no paths", self.see(text_of(".warnings")))
        self.assertIn("no paths to compare", self.see(text_of("#tree")))
        self.assertEqual(self.see("document.querySelectorAll('#classes td[data-title=Retained]').length"), 0)

    def test_light_and_dark(self):
        self.check_light_and_dark()

    def test_360_pixels_without_scrolling_sideways(self):
        self.check_it_fits_360_pixels(NAMES, ".sections, .spoken")

    def test_injected_names_do_nothing_and_are_seen(self):
        self.open("hostile")
        self.check_injected_names_do_nothing()
        self.open("strangers")
        self.assertIsNone(self.see("window.injected ?? null"))
        self.assertIn("window.injected=1", self.see(text_of(".sides")) + self.see(text_of(".warnings")))

    def test_on_paper_the_tree_is_open_and_lists_say_where_they_end(self):
        self.open("largest")
        before = self.see(f"{PATHS}.length")
        pdf = self.browser.call("Page.printToPDF", printBackground=True)["data"]
        self.assertGreater(len(pdf), 10_000)
        self.see("dispatchEvent(new Event('beforeprint'))")
        self.assertRegex(self.see(text_of("#classes .paper")), r"^500 rows of 2,\d+ are on this paper\.$")
        self.assertGreater(self.see(f"{PATHS}.length"), before)
        self.see("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.see(f"{PATHS}.length"), before)

    def test_the_largest_reports(self):
        self.tell_first_paint("largest")


if __name__ == "__main__":
    unittest.main()
