#!/usr/bin/env python3
"""The page of a report in a headless Chromium, opened from disk: what a person sees, presses and prints, and what hostile names do not do."""
import unittest

from page_case import PageCase, bytes_of, column_of, text_of

CELLS = "[...document.querySelectorAll('.cell')]"
SELECTED = "document.querySelector('.cell[aria-selected=true]')"
CLASSES = "[...document.querySelectorAll('#classes tbody tr td:first-child')].map(cell => cell.textContent)"


def column(title):
    return column_of("#classes", title)


class Page(PageCase):
    # The tree is drawn once its width is known.
    READY = "document.querySelector('#origin') !== null && (document.querySelector('.tree-picture') === null || document.querySelector('.cell') !== null)"

    @classmethod
    def make_pages(cls):
        for report in cls.directory.glob("*.hfr"):
            cls.make_page(report.stem, "report", report)

    def test_the_verdict_comes_first(self):
        self.open()
        self.assertEqual(self.see(text_of("h1")), "4,812 shop.Session retain 61.0 MB (72 % of the heap), held by static field "
                                                  "shop.SessionRegistry.SESSIONS")
        self.assertLess(self.see("document.querySelector('.facts').getBoundingClientRect().bottom"), 900)
        facts = self.see(text_of(".facts"))
        for word in ("How sure", "95 % confidence", "Since when", "within 62 min", "85.0 MB held", "388 ms stopped", "410 ms predicted"):
            self.assertIn(word, facts)
        self.assertEqual(self.see("document.title"), "shop.Main · holdfast")

    def test_it_says_everything_that_the_report_says(self):
        self.open()
        whole = self.see("document.body.textContent")
        for word in ("4,812 instances of one class lie under one array", "GC root system class", "worker-1",
                     "capture=frozen is not built yet", "17.0.17+10", "stack local", "530 smaller classes are not listed",
                     "oom+exit", "Nothing was dropped", "dominators"):
            self.assertIn(word, whole)

    def test_the_references_to_cut_and_what_retained_sizes_hide(self):
        self.open()
        self.assertEqual(self.see("[...document.querySelectorAll('#cuts table')[0].querySelectorAll('tbody td:first-child')].map(cell => cell.textContent)"),
                         ["static shop.SessionRegistry.SESSIONS→ java.util.concurrent.ConcurrentHashMap",
                          "java.util.concurrent.ConcurrentHashMap$Node[] [17] all 2 references→ com.acme.shop.catalog….internal.cache.ProductRecommendationCache",
                          "GC root: local variable of shop.Worker.run() in thread worker-1→ byte[]"])
        self.assertEqual(self.see(column_of("#cuts", "Freed")), ["62.0 MB", "9.0 MB", "4.0 MB"])
        self.assertIn("3,040 in 40 groups, the largest of 2,500", self.see(text_of("#cuts")))
        self.assertEqual(self.see(column_of("#reachable", "Reaches")), ["12.3 MB", "12.3 MB"])
        self.assertIn("All sizes are exact.", self.see(text_of("#reachable")))
        self.assertIn("less than 1 KB", self.see(text_of("#reachable")))
        self.assertIn("The accumulation point leads to 74.0 MB, 12.5 MB of it held by others, too.", self.see(text_of("#suspects")))
        self.open("estimates")
        self.assertEqual(self.see(column_of("#reachable", "Reaches")), ["about 12.3 MB", "about 12.3 MB"])
        self.assertIn("± 9\u00a0%", self.see(text_of("#reachable")))

    def test_reports_before_1_4_have_neither_and_those_without_room_say_why(self):
        for name in ("old", "classes", "simple"):
            self.open(name)
            self.assertEqual(self.see("document.querySelectorAll('#cuts, #reachable, [data-title=\"One reaches\"]').length"), 0)
            self.assertNotIn("undefined", self.see("document.body.textContent"))
        self.open("room")
        self.assertIn("Cuts were left out: the pass it builds on was left out.", self.see(text_of("#cuts")))
        self.assertIn("Reachable sizes were left out", self.see(text_of("#reachable")))
        self.assertIn("the picture is complete", self.see(text_of(".facts")))

    def test_memory_accounts_are_told_with_their_errors_or_as_counted(self):
        self.open("accounts")
        self.assertEqual(self.see(column_of("#accounts table:first-of-type", "Account"))[:4], ["shop.*", "shop.search.*", "(unaccounted)", "shop.export.*"])
        allocated = self.see(column_of("#accounts", "Allocated"))
        self.assertEqual(allocated[0], "1.2 GB ±10\u00a0%")
        whole = self.see(text_of("#accounts"))
        for word in ("a sample every 512.0 KB", "85 % of 85.0 MB", "2 more accounts are not listed", "Called from", "shop.Session"):
            self.assertIn(word, whole)
        self.assertNotIn("undefined", whole)
        self.open("counted")
        whole = self.see(text_of("#accounts"))
        for word in ("Allocated amounts are counted.", "does not tell which objects died", "shop.Login.open", "1.2 GB"):
            self.assertIn(word, whole)
        for word in ("±", "In heap", "undefined"):
            self.assertNotIn(word, whole)
        self.open("shop")
        self.assertEqual(self.see("document.querySelectorAll('#accounts').length"), 0)

    def test_ages_are_told_by_class_with_a_bar_from_young_to_old(self):
        self.open("ages")
        self.assertEqual(self.see(column_of("#ages", "Class")), ["shop.Session", "byte[]", "java.lang.String"])
        self.assertEqual(self.see(column_of("#ages", "Objects")), ["4,812", "92,900", "3,001"])
        self.assertEqual(self.see("[...document.querySelectorAll('#ages tbody tr')].map((row) => row.querySelectorAll('.age').length)"), [4, 3, 2])
        self.assertEqual(self.see("document.querySelector('#ages .ages').getAttribute('aria-label')"), "1: 12, 2-3: 300, 8-15: 500, tenured: 4,000")
        widths = self.see("[...document.querySelector('#ages .ages').children].map((part) => part.getBoundingClientRect().width)")
        self.assertGreater(widths[3], 4 * widths[2])
        whole = self.see(text_of("#ages"))
        for word in ("33.6 MB of 70.2 MB", "527 more classes are not listed", "Tenured: the VM keeps no age"):
            self.assertIn(word, whole)
        self.assertNotIn("undefined", whole)
        self.open("shop")
        self.assertEqual(self.see("document.querySelectorAll('#ages').length"), 0)

    def test_a_possible_stack_slot_is_told_as_such(self):
        self.open("slots")
        whole = self.see(text_of("main"))
        self.assertIn("GC root stack slot that may hold it, of shop.Worker.run() in thread worker-1", whole)
        self.assertIn("possible stack slot", whole)
        self.assertNotIn("local variable of", whole)

    def test_tables_sort_by_their_heads(self):
        self.open()
        self.assertEqual(bytes_of(self.see(column("Retained"))[0]), 62 * 1024 ** 2)
        self.browser.click("[...document.querySelectorAll('#classes th button')].find(b => b.textContent === 'Shallow')")
        sizes = [bytes_of(text) for text in self.see(column("Shallow"))]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(self.see("document.querySelector('#classes th[aria-sort]').textContent"), "Shallow")
        self.browser.click("document.querySelector('#classes th[aria-sort] button')")
        self.assertEqual(self.see("document.querySelector('#classes th[aria-sort]').getAttribute('aria-sort')"), "ascending")
        self.assertEqual([bytes_of(text) for text in self.see(column("Shallow"))], sorted(sizes))

    def test_the_class_table_filters_and_so_do_the_bars(self):
        self.open()
        self.browser.click("document.querySelector('#classes input[type=search]')")
        self.browser.type("java.*")
        self.assertEqual(sorted(self.see(CLASSES)), ["java.lang.String", "java.util.concurrent.ConcurrentHashMap"])
        self.assertEqual(self.see("document.querySelectorAll('#classes .bars li').length"), 2)
        self.assertIn("2 of 5", self.see(text_of("#classes .count")))
        self.browser.type(" nothing")
        self.assertEqual(self.see(CLASSES), ["Nothing fits this filter."])
        self.open()
        self.browser.click("document.querySelector('#classes input[type=checkbox]')")
        self.assertEqual(len(self.see(CLASSES)), 2, "the platform's are hidden")

    def test_the_tree_zooms_by_mouse(self):
        self.open()
        everything = self.see(f"{CELLS}.length")
        self.browser.click(f"{CELLS}.find(cell => cell.textContent.startsWith('ProductRecommendationCache'))")
        self.assertEqual(self.see("[...document.querySelectorAll('.crumbs button')].map(b => b.textContent)"),
                         ["All held objects", "ProductRecommendationCache"])
        self.assertLess(self.see(f"{CELLS}.length"), everything)
        self.assertIn("com.acme.shop.catalogue.internal.cache.ProductRecommendationCache", self.see(text_of(".tree-name")))
        self.browser.click("document.querySelector('.crumbs button')")
        self.assertEqual(self.see(f"{CELLS}.length"), everything)

    def test_the_tree_zooms_by_keyboard(self):
        self.open()
        self.see(f"{SELECTED}.focus()")
        self.browser.press("ArrowDown")
        self.assertIn("class SessionRegistry", self.see(f"{SELECTED}.textContent"))
        self.browser.press("ArrowRight")
        self.assertIn("ProductRecommendationCache", self.see(f"{SELECTED}.textContent"))
        self.browser.press("ArrowLeft")
        self.browser.press("Enter", "\r")
        self.assertEqual(self.see("document.querySelectorAll('.crumbs li').length"), 2)
        self.assertTrue(self.see("document.activeElement.classList.contains('cell')"), "the focus stays in the picture")
        self.assertNotEqual(self.see("getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.browser.press("Escape")
        self.assertEqual(self.see("document.querySelectorAll('.crumbs li').length"), 1)
        self.assertIn("class SessionRegistry", self.see("document.activeElement.textContent"))

    def test_treemap_and_icicle_and_colours(self):
        self.open()
        self.browser.click("document.querySelectorAll('.segments button')[1]")
        self.assertTrue(self.see("document.querySelector('.tree-picture').classList.contains('icicle')"))
        rows = self.see(f"{CELLS}.map(cell => [cell.getAttribute('aria-level'), cell.offsetTop])")
        self.assertEqual({top for level, top in rows if level == "2"}, {26})
        for key, group in (("package", "java.util.concurrent"), ("loader", "boot"), ("class", "byte[]")):
            self.see(f"(() => {{ const s = document.querySelector('#tree select'); s.value = '{key}'; s.dispatchEvent(new Event('change')); }})()")
            self.assertIn(group, self.see(text_of(".legend")))
        self.browser.click("document.querySelector('.chip')")
        self.assertGreater(self.see("document.querySelectorAll('.cell.pale').length"), 0)
        self.assertEqual(self.see("document.querySelector('.chip').getAttribute('aria-pressed')"), "true")

    def test_a_step_of_a_path_shows_its_node_in_the_tree(self):
        self.open()
        self.browser.click("[...document.querySelectorAll('#suspects .path button.step')].find(b => b.textContent.endsWith('Node[]'))")
        found = self.see("document.querySelector('.cell.found').getAttribute('aria-label')")
        self.assertIn("java.util.concurrent.ConcurrentHashMap$Node[]", found)
        self.assertTrue(self.see("document.querySelector('.cell.found') === document.activeElement"))
        top = self.see("document.querySelector('.cell.found').getBoundingClientRect().top")
        self.assertTrue(0 <= top < 900, top)

    def test_the_tree_follows_the_width_of_the_window(self):
        self.open()
        self.see("(() => { window.errors = []; addEventListener('error', event => errors.push(event.message)); })()")
        for width in (700, 500, 1100):
            self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            self.browser.until("Math.abs(document.querySelector('.cell.root').offsetWidth - document.querySelector('.tree-picture').clientWidth) < 2")
        self.assertEqual(self.see("errors"), [])

    def test_light_and_dark(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        self.open()
        light = self.see(paper)
        self.browser.click("document.querySelector('.theme')")
        dark = self.see(paper)
        self.assertNotEqual(light, dark)
        self.browser.prefer(True)
        self.assertEqual(self.see(paper), dark)
        self.open(dark=True)
        self.assertEqual(self.see(paper), dark)
        self.browser.click("document.querySelector('.theme')")
        self.assertEqual(self.see(paper), light)

    def test_360_pixels_without_scrolling_sideways(self):
        self.check_it_fits_360_pixels(("shop", "simple", "classes", "losses", "hostile", "largest"), ".sections, .tree-picture, .spoken, .bar-name")

    def test_a_simple_dump_says_what_it_cannot_know(self):
        self.open("simple")
        self.assertIn("This is a simple dump", self.see(text_of("#suspects")))
        self.assertIn("holds no references", self.see(text_of("#tree")))
        self.assertIn("No graph", self.see(text_of(".facts")))
        self.assertEqual(self.see("document.querySelectorAll('#classes td[data-title=Retained]').length"), 0)
        self.assertGreater(self.see("document.querySelectorAll('#classes tbody tr').length"), 3)

    def test_an_analysis_that_was_not_asked_for_is_not_one_that_found_nothing(self):
        self.open("classes")
        for section, words in (("suspects", "Suspects were"), ("tree", "The dominator tree was"), ("objects", "The largest objects were"),
                               ("threads", "The threads were"), ("packages", "The packages were"),
                               ("classes", "Retained sizes were"), ("graph", "The GC roots by kind were")):
            self.assertIn(f"{words} not asked for (analyses=).", self.see(text_of(f"#{section}")))
        self.assertIn("worker-1", self.see(text_of("#threads")))
        self.assertNotIn("0 B", self.see(text_of("#threads")))
        self.assertIn("boot", self.see(text_of("#loaders")))
        self.assertNotIn("Retained", self.see(text_of("#loaders")))
        self.assertIn("Not looked for", self.see(text_of(".facts")))
        self.assertNotIn("0 B held", self.see(text_of(".facts")))
        self.assertEqual(self.see("document.querySelector('#classes th[aria-sort]').textContent"), "Shallow")
        sizes = [bytes_of(text) for text in self.see(column("Shallow"))]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(self.see(column("Retained")), [])

    def test_an_analysis_that_was_left_out_has_its_reason(self):
        self.open("losses")
        for place in ("#suspects", ".facts"):
            self.assertIn("Suspects were left out: needs 600 MB, 428 MB are left.", self.see(text_of(place)))

    def test_injected_names_do_nothing_and_are_seen(self):
        self.open("hostile")
        for folded in ("details", ".entry"):
            self.see(f"document.querySelectorAll('{folded}').forEach(folded => {{ folded.open = true; }})")
        self.browser.click(f"{CELLS}.find(cell => cell.textContent.includes('Node[]'))")
        self.assertIsNone(self.see("window.injected ?? null"))
        self.assertEqual(self.see("document.querySelectorAll('img, svg, iframe, [onerror], [onload]').length"), 0)
        self.assertEqual(self.see("document.scripts.length"), 1)
        self.assertEqual(self.see("[...document.links].filter(link => !link.getAttribute('href').startsWith('#')).length"), 0)
        titles = self.see("[...document.querySelectorAll('bdi.name')].map(name => name.title || name.textContent)")
        self.assertTrue(any("</script><script>window.injected=1</script><img src=x" in title for title in titles), titles[:9])
        self.assertIn("<svg onload=window.injected=3>", self.see(text_of("#notes")))
        visible = self.see("document.body.textContent")
        self.assertFalse([c for c in visible if c in "\x1b\x01\u202e\u2028"], "control characters are written out")
        self.assertIn("\\u202e", visible)

    def test_long_names_are_isolated_and_short(self):
        self.open("hostile")
        shown = self.see("[...document.querySelectorAll('#threads summary bdi.name')].map(n => [n.textContent.length, n.title.length, getComputedStyle(n).unicodeBidi])")
        length, title, bidi = max(shown, key=lambda row: row[1])
        self.assertLessEqual(length, 60)
        self.assertGreater(title, 1000)
        self.assertEqual(bidi, "isolate")

    def test_the_policy_stops_what_the_page_does_not_bring(self):
        self.open()
        self.see("(() => { const s = document.createElement('script'); s.textContent = 'window.injected = 1'; document.body.append(s);"
                 " const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i); })()")
        self.browser.until("true")
        self.assertIsNone(self.see("window.injected ?? null"))
        refused = [text for text in self.browser.complaints() if "Content Security Policy" in text]
        self.assertEqual(len(refused), 2, self.browser.complaints())
        self.browser.events.clear()

    def test_on_paper_everything_is_open(self):
        self.open()
        pdf = self.browser.call("Page.printToPDF", printBackground=True)["data"]
        self.assertGreater(len(pdf), 10_000)
        self.see("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.see("document.querySelectorAll('details:not([open])').length"), 0)
        self.assertIn("shop.Worker.run()", self.see(text_of("#threads")))
        self.see("dispatchEvent(new Event('afterprint'))")
        self.assertGreater(self.see("document.querySelectorAll('details:not([open])').length"), 0)

    def test_on_paper_lists_are_long_and_say_where_they_end(self):
        self.open("largest")
        rows = "document.querySelectorAll('#classes tbody tr').length"
        threads = "document.querySelectorAll('#threads .entry').length"
        words = "[...document.querySelectorAll('.paper')].filter(e => e.textContent && getComputedStyle(e).display !== 'none').length"
        before = [self.see(rows), self.see(threads)]
        self.assertEqual(before, [20, 12])
        self.assertEqual(self.see(words), 0)
        self.see("dispatchEvent(new Event('beforeprint'))")
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        classes = self.see(f"{rows}")
        self.assertEqual(classes, 500)
        self.assertRegex(self.see(text_of("#classes .paper")), r"^500 rows of 1,\d+ are on this paper\.$")
        listed = self.see(threads)
        self.assertGreater(listed, 12)
        self.assertEqual(self.see("document.querySelectorAll('#threads .entry:not([open])').length"), 0)
        self.assertGreater(self.see(words), 0)
        self.browser.call("Emulation.setEmulatedMedia", media="")
        self.see("dispatchEvent(new Event('afterprint'))")
        self.assertEqual([self.see(rows), self.see(threads)], before)
        self.browser.click("document.querySelector('#classes .more')")
        self.see("dispatchEvent(new Event('beforeprint'))")
        self.assertGreater(self.see(rows), 500, "what is shown stays")

    def test_a_damaged_page_says_so(self):
        damaged = self.page("damaged")
        text = self.page("shop").read_text()
        start = text.index('id="document">') + len('id="document">')
        damaged.write_text(text[:start + 400] + text[start + 440:])
        self.browser.open(damaged, "document.querySelector('.broken') !== null")
        self.assertIn("cannot be shown", self.see(text_of(".broken")))
        self.browser.events.clear()

    def test_the_largest_report(self):
        self.tell_first_paint("largest")
        self.browser.click("document.querySelector('#classes .more')")
        self.assertGreater(self.see("document.querySelectorAll('#classes tbody tr').length"), 300)


if __name__ == "__main__":
    unittest.main()
