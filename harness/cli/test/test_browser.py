#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of reports in a browser: every link leads somewhere, nothing is said on the console, nothing is asked of the
network, axe-core finds nothing, nothing is wider than a phone, filter and columns work. Pictures of a page of each kind, at
1400 and 400 pixels in both themes, go to build/report-shots."""
import os
import pathlib
import sys
import tempfile
import unittest

import browser
import report_material
from command import CommandTest
from test_reports import Page, check_links

AXE = pathlib.Path(os.environ["ASSAY_BROWSER_TEST"]) / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = pathlib.Path(os.environ["ASSAY_BROWSER_TEST"]).parent / "report-shots"
LOOKS = [(1400, "light"), (1400, "dark"), (400, "light"), (400, "dark")]

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
AUDIT = """axe.run(document, {resultTypes: ["violations"], preload: false}).then((result) => result.violations.map(
  (each) => each.id + ": " + each.nodes.slice(0, 3).map((node) => node.target + " " + node.failureSummary).join("; ")))"""


class Browser(CommandTest):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.site = pathlib.Path(holder.name) / "site"
        done = report_material.make(pathlib.Path(holder.name), cls.site)
        assert done.returncode == 1, done.stderr

    def pages(self):
        return {path: Page(path) for path in sorted(self.site.rglob("*.html"))}

    def kinds(self):
        """A page of each kind; of bugs the one with most to see."""
        largest = {}
        for path in self.site.rglob("*.html"):
            kind = path.parent.name if path.parent != self.site else path.stem
            if kind not in largest or path.stat().st_size > largest[kind].stat().st_size:
                largest[kind] = path
        return largest

    def test_every_link_leads_somewhere(self):
        self.assertGreater(check_links(self, self.pages()), 100)

    def test_pages_look_and_sound_right(self):
        kinds = self.kinds()
        self.assertEqual(set(kinds), {"index", "matrix", "quality", "bugs", "cases", "campaigns"})
        with browser.Browser(self.folder / "profile") as page:
            for kind, path in kinds.items():
                for width, scheme in LOOKS:
                    with self.subTest(kind=kind, width=width, scheme=scheme):
                        page.open(path, width, scheme)
                        page.screenshot(SHOTS / f"{kind}-{width}-{scheme}.png")
                        self.assertLessEqual(page.run(WIDER), 0)
                        self.assertEqual(page.complaints(), [])
                        for url in page.requests():
                            self.assertTrue(url.startswith(self.site.as_uri()), url)

    def test_axe_finds_nothing(self):
        axe = AXE.read_text() + "; 0"
        with browser.Browser(self.folder / "profile") as page:
            for kind, path in self.kinds().items():
                for width, scheme in ((1400, "light"), (400, "dark")):
                    with self.subTest(kind=kind, width=width, scheme=scheme):
                        page.open(path, width, scheme)
                        page.run(axe)
                        self.assertEqual(page.run(AUDIT), [])
            page.open(self.write("broken.html", "<html><body><img src='data:,'>"), 400, "dark")
            page.run(axe)
            self.assertTrue(any(text.startswith("image-alt") for text in page.run(AUDIT)))

    def test_all_pages_load_in_silence(self):
        with browser.Browser(self.folder / "profile") as page:
            for path in self.pages():
                page.open(path, 400, "light")
                self.assertLessEqual(page.run(WIDER), 0, path)
                self.assertEqual(page.complaints(), [], path)

    def test_filter_and_columns_work(self):
        rows = "[...document.querySelectorAll('#all ~ .wide tbody tr')].filter((row) => !row.hidden).length"
        column = "[...document.querySelectorAll('#all ~ .wide tbody')[0].rows].map((row) => row.cells[5].textContent)"
        with browser.Browser(self.folder / "profile") as page:
            page.open(self.site / "index.html", 1400, "light")
            all_rows = page.run(rows)
            page.run("{const f = document.querySelector('#filter input'); f.value = 'crash';"
                     "f.dispatchEvent(new Event('input'))}; 0")
            self.assertLess(0, page.run(rows))
            self.assertLess(page.run(rows), all_rows)
            page.run("document.querySelectorAll('#all ~ .wide thead')[0].rows[0].cells[5].firstChild.click()")
            numbers = [int(text) for text in page.run(column)]
            self.assertEqual(numbers, sorted(numbers))
            page.run("document.querySelectorAll('#all ~ .wide thead')[0].rows[0].cells[5].firstChild.click()")
            self.assertEqual([int(text) for text in page.run(column)], sorted(numbers, reverse=True))
            # What is not a number is below all numbers.
            page.run("document.querySelectorAll('#all ~ .wide tbody')[0].rows[1].cells[5].textContent = 'none'; 0")
            page.run("document.querySelectorAll('#all ~ .wide thead')[0].rows[0].cells[5].firstChild.click()")
            del numbers[-2]
            self.assertEqual(page.run(column), ["none", *map(str, numbers)])

    def test_keys_lead_everywhere(self):
        with browser.Browser(self.folder / "profile") as page:
            page.open(self.site / "index.html", 1400, "light")
            page.press("Tab", 9)
            self.assertEqual(page.run("document.activeElement.className"), "skip")
            page.press("Enter", 13)
            self.assertEqual(page.run("document.activeElement.id"), "content")
            # On through links, the field, regions that scroll and columns; each is to be seen.
            seen = []
            for _ in range(60):
                page.press("Tab", 9)
                seen.append(page.run("(document.activeElement.className || document.activeElement.tagName).toLowerCase()"))
                self.assertEqual(page.run("getComputedStyle(document.activeElement).outlineStyle"), "solid", seen)
            self.assertLessEqual({"a", "input", "wide", "sort"}, set(seen))
            while page.run("document.activeElement.className") != "sort":
                page.press("Tab", 9)
            page.press("Enter", 13)
            self.assertEqual(page.run("document.activeElement.parentElement.getAttribute('aria-sort')"), "ascending")

    def test_everything_is_there_without_scripts(self):
        with browser.Browser(self.folder / "profile") as page:
            page.open(self.site / "index.html", 1400, "light")
            rows, controls = page.count("tbody tr"), page.count("input, button")
            page.send("Emulation.setScriptExecutionDisabled", value=True)
            page.open(self.site / "index.html", 1400, "light")
            self.assertGreater(controls, 0)
            self.assertEqual((page.count("tbody tr"), page.count("input, button")), (rows, 0))

    def test_the_checks_see_what_is_wrong(self):
        broken = self.write("broken.html", "<html><body><img src='gone.png'><div style='width: 3000px'>x</div>"
                                           "<script>console.error('oh')</script>")
        with browser.Browser(self.folder / "profile") as page:
            page.open(broken, 400, "dark")
            self.assertGreater(page.run(WIDER), 0)
            self.assertGreaterEqual(len(page.complaints()), 2)


if __name__ == "__main__":
    if not browser.find() or not AXE.exists():
        print("needs Chromium and axe-core, which ci/deps --test installs")
        sys.exit(77)
    unittest.main()
