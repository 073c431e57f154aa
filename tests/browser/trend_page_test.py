#!/usr/bin/env python3
"""The page of a trend in a headless Chromium: verdict, charts by pointer and keyboard, tables, many processes, names that do nothing."""
import unittest

from page_case import PageCase, column_of, text_of, texts_of

NAMES = ("shop", "few", "one", "hostile", "two", "processes", "largest")
CLASSES = texts_of("#classes tbody td:first-child")
LEGEND = texts_of("#classes .legend.lines li")
READOUT = "#classes .readout"
CHART = "document.querySelector('#classes .chart')"


class TrendPage(PageCase):
    @classmethod
    def make_pages(cls):
        trends = cls.directory / "trends"
        for name in ("shop", "few", "one", "hostile", "largest", "accounts"):
            cls.make_page(name, "trend", trends / name)
        cls.make_page("two", "trend", trends / "processes", "--process", "101")
        cls.make_page("processes", "trend", trends / "processes", "--all-processes")
        cls.make_page("chosen", "trend", trends / "shop", "--class", "shop.*", "--skip", "*Cache", "--sort", "instances", "--top", "2")

    def drawn(self, name="shop", **more):
        self.open(name, **more)
        self.browser.until(f"{CHART}.querySelector('.course') !== null")

    def point(self, share):
        """Moves the pointer over the chart of the classes, `share` of the way between its first and last report."""
        x, y = self.see(f"(() => {{ const c = {CHART}; c.scrollIntoView({{block: 'center'}}); const d = [...c.querySelectorAll('g > .dot')];"
                        " const at = (dot) => dot.getBoundingClientRect(); const xs = d.map((dot) => at(dot).x + at(dot).width / 2);"
                        f" const [a, b] = [Math.min(...xs), Math.max(...xs)]; return [a + {share} * (b - a), at(c).y + at(c).height / 2]; }})()")
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def test_the_verdict_comes_first_with_how_sure_it_is(self):
        self.open()
        self.assertRegex(self.see(text_of("h1")), r"^shop\.Session grows: \+8\.3 KB of shallow size an hour, 24 reports over 11 h 30 min; "
                                                  r"were its values independent, the chance that any of \d classes rises so would be below 0\.0001")
        self.assertIn("less than a day", self.see(text_of(".verdict")))
        facts = self.see(text_of(".facts"))
        for word in ("Chance below 0.0001", "2026-11-21 08:23 UTC", "to 2026-11-21 19:53 UTC", "24 reports over 11.5 h", "what is held", "grows"):
            self.assertIn(word, facts)
        self.assertEqual(self.see("document.title"), "shop.Main, trend · holdfast")

    def test_charts_have_lines_ticks_and_real_times(self):
        self.drawn()
        for section, lines in (("#heap", 2), ("#classes", 2)):
            self.assertEqual(self.see(f"document.querySelectorAll('{section} .chart .course').length"), lines)
            ticks = self.see(texts_of(f"{section} .tick"))
            self.assertIn("09:00", ticks)
            self.assertIn("20.0 MB", ticks)
        self.assertEqual(self.see(texts_of("#heap .legend.lines li")), ["in use, as the VM says 96.0 MB", "counted: what is held 74.3 MB"])
        dots = self.see("document.querySelectorAll('#classes .chart > g:not(.cursor) .dot').length")
        self.assertEqual(dots, 48)

    def test_the_pointer_reads_a_report(self):
        self.drawn()
        self.assertIn("report 24 of 24", self.see(text_of(READOUT)))
        self.assertEqual(self.see(LEGEND)[0], "byte[] 48.6 MB")
        self.point(0)
        self.assertRegex(self.see(text_of(READOUT)), r"2026-11-21 08:23:32 UTC, report 1 of 24: .*r100\.hfr")
        self.assertEqual(self.see(LEGEND)[0], "byte[] 12.1 MB")
        self.point(1)
        self.assertIn("report 24 of 24", self.see(text_of(READOUT)))

    def test_the_keyboard_reads_a_report(self):
        self.drawn()
        self.see(f"{CHART}.focus()")
        self.assertNotEqual(self.see("getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.browser.press("ArrowLeft")
        self.assertIn("report 23 of 24", self.see(text_of(READOUT)))
        self.browser.press("Home")
        self.browser.press("ArrowLeft")
        self.assertIn("report 1 of 24", self.see(text_of(READOUT)))
        self.browser.press("ArrowRight")
        self.assertIn("report 2 of 24", self.see(text_of(READOUT)))
        self.assertEqual(self.see("document.querySelector('#classes .readout').getAttribute('aria-live')"), "polite")
        self.assertIn("arrow keys", self.see(f"{CHART}.getAttribute('aria-label')"))

    def test_a_press_on_a_course_draws_it_with_its_gaps_as_bounds(self):
        self.drawn()
        row = self.see(CLASSES).index("shop.Cache")
        self.browser.click(f"document.querySelectorAll('#classes .spark')[{row}]")
        self.assertEqual(len(self.see(LEGEND)), 3)
        self.assertEqual(self.see(f"document.querySelectorAll('#classes .spark')[{row}].getAttribute('aria-pressed')"), "true")
        self.assertTrue(self.see("document.activeElement.classList.contains('spark')"), "the focus stays")
        line = f"{CHART}.querySelectorAll('g')[2]"
        drawn = self.see(f"{line}.querySelector('.course').getAttribute('d')")
        self.assertGreater(drawn.count("M"), 1, "a line with gaps has several parts")
        bounds = self.see(f"{line}.querySelectorAll('.bound').length")
        self.assertGreater(bounds, 3)
        self.assertEqual(self.see(f"{line}.querySelectorAll('.dot').length") + bounds, 24)
        self.point(0)
        self.assertEqual(self.see(LEGEND)[2], "shop.Cache ≤58.6 KB")
        self.browser.click(f"document.querySelectorAll('#classes .spark')[{row}]")
        self.assertEqual(len(self.see(LEGEND)), 2)

    def test_other_measures_and_own_scales(self):
        self.drawn()
        self.browser.click("[...document.querySelectorAll('#classes .segments button')].find(b => b.textContent === 'Objects')")
        self.assertIn("shop.Session 4,030", self.see(LEGEND))
        flat = self.see(f"{CHART}.querySelectorAll('.course')[1].getAttribute('d')")
        self.browser.click("document.querySelector('#classes .controls input[type=checkbox]')")
        self.assertIn("50 %", self.see(texts_of("#classes .tick")))
        self.assertNotEqual(self.see(f"{CHART}.querySelectorAll('.course')[0].getAttribute('d')"), flat)

    def test_the_table_says_what_the_text_says_and_sorts_and_filters(self):
        self.drawn()
        self.assertEqual(self.see(CLASSES)[:2], ["byte[]", "shop.Session"])
        self.assertEqual(self.see(column_of("#classes", "Judgement"))[:3], ["grows", "grows", "fell again"])
        self.assertEqual(self.see("[...document.querySelectorAll('#classes td[data-title=\"By chance\"]')][0].textContent"), "below 0.0001")
        self.browser.click("[...document.querySelectorAll('#classes th button')].find(b => b.textContent === 'Last')")
        self.assertEqual(self.see(CLASSES)[:2], ["byte[]", "shop.Request"])
        self.browser.click("document.querySelector('#classes input[type=search]')")
        self.browser.type("session")
        self.assertEqual(self.see(CLASSES), ["shop.Session"])
        self.see("(() => { const s = document.querySelector('#classes select'); s.value = 'steady'; s.dispatchEvent(new Event('change')); })()")
        self.assertEqual(self.see(CLASSES), ["Nothing fits this filter."])

    def test_options_of_the_command_hold_for_the_page(self):
        self.drawn("chosen")
        self.assertEqual(len(self.see(CLASSES)), 2)
        self.assertEqual(self.see(CLASSES)[0], "shop.Session")
        self.assertEqual(self.see(column_of("#classes", "Last"))[0], "4,030")
        self.assertIn("not listed", self.see(text_of("#classes")))
        self.assertIn("judged by instances", self.see(text_of(".facts")))

    def test_memory_accounts_have_their_course_and_say_what_is_not_compared(self):
        self.open("accounts")
        self.assertEqual(self.see(column_of("#accounts", "Account"))[0], "shop.*")
        self.assertEqual(self.see(column_of("#accounts", "Judgement"))[0], "grows")
        self.assertEqual(self.see("document.querySelectorAll('#accounts .sparkline').length"), 4)
        whole = self.see(text_of("#accounts"))
        for word in ("Not compared: 1 report has none.", "a sample every 512.0 KB", "Judged by bytes that live"):
            self.assertIn(word, whole)
        self.assertNotIn("undefined", whole)
        self.open("shop")
        self.assertEqual(self.see("document.querySelectorAll('#accounts').length"), 0)

    def test_too_few_reports_are_no_trend(self):
        self.drawn("few")
        self.assertIn("Too few reports", self.see(text_of("h1")))
        self.assertIn("Not decided", self.see(text_of(".facts")))
        self.assertNotIn("grows", self.see(column_of("#classes", "Judgement")))
        self.drawn("one")
        self.assertEqual(self.see("document.querySelectorAll('#heap .chart > g:not(.cursor) .dot').length"), 2)

    def test_of_several_processes_one_is_shown_and_the_others_are_named(self):
        self.drawn("two")
        self.assertIn("--all-processes", self.see(text_of("#others")))
        self.assertEqual(self.see("document.querySelectorAll('#others tbody tr').length"), 19)

    def test_many_processes_are_folded(self):
        self.open("processes")
        self.assertEqual(self.see(text_of("h1")), "In 3 of 20 processes a class grows")
        self.assertEqual(self.see("document.querySelectorAll('#processes .entry').length"), 12)
        self.assertEqual(self.see("document.querySelectorAll('#processes .entry[open]').length"), 1)
        self.browser.until("document.querySelectorAll('.chart .course').length > 0")
        self.browser.click("document.querySelectorAll('#processes summary')[1]")
        self.browser.until("document.querySelectorAll('#processes .entry')[1].querySelectorAll('.chart .course').length > 1")
        self.assertIn("pid 101", self.see("document.querySelectorAll('#processes summary')[1].textContent"))

    def test_charts_follow_the_width_of_the_window(self):
        self.drawn()
        for width in (700, 500, 1100):
            self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            self.browser.until(f"Math.abs({CHART}.viewBox.baseVal.width - {CHART}.clientWidth) < 2")

    def test_light_and_dark(self):
        self.check_light_and_dark()
        colour = "getComputedStyle(document.querySelector('#classes .course')).stroke"
        self.drawn()
        light = self.see(colour)
        self.browser.click("document.querySelector('.theme')")
        self.assertNotEqual(self.see(colour), light)

    def test_360_pixels_without_scrolling_sideways(self):
        self.check_it_fits_360_pixels(NAMES, ".sections, .spoken")

    def test_injected_names_do_nothing_and_are_seen(self):
        self.drawn("hostile")
        self.see("document.querySelectorAll('.spark').forEach(spark => spark.isConnected && spark.click())")
        self.check_injected_names_do_nothing()
        self.assertLess(len(self.see(text_of("h1"))), 700)

    def test_on_paper_every_process_is_open_and_drawn(self):
        self.open("processes")
        pdf = self.browser.call("Page.printToPDF", printBackground=True)["data"]
        self.assertGreater(len(pdf), 10_000)
        empty = "[...document.querySelectorAll('.chart')].filter(chart => !chart.querySelector('.course')).length"
        self.assertEqual(self.see(f"(() => {{ dispatchEvent(new Event('beforeprint')); return {empty}; }})()"), 0, "paper does not wait")
        self.assertEqual(self.see("document.querySelectorAll('.chart').length"), 40)
        self.assertEqual(self.see("document.querySelectorAll('#processes .entry[open]').length"), 20)
        self.see("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.see("document.querySelectorAll('#processes .entry[open]').length"), 1)

    def test_as_many_reports_and_classes_as_there_can_be(self):
        self.tell_first_paint("largest")
        self.assertIn("at most 2,083 classes", self.see(text_of(".cut")))
        self.browser.click("document.querySelector('#classes .more')")
        self.assertEqual(self.see("document.querySelectorAll('#classes tbody tr').length"), 2083)


if __name__ == "__main__":
    unittest.main()
