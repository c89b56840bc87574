#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reports, read by parsers other than Assay's own, with a hostile file name in them."""
import html.parser
import json
import pathlib
import unittest
import xml.etree.ElementTree

from command import GOOD, CommandTest, run

HOSTILE = "a<b>&\"'\x01 ]]><script>alert(1)<script>.amber"
VOID = {"meta", "link", "br"}


class Page(html.parser.HTMLParser):
    """Checks that elements nest; collects ids and links."""

    def __init__(self, path):
        super().__init__()
        self.stack, self.ids, self.links, self.tags = [], set(), [], set()
        self.feed(path.read_text())
        assert not self.stack, f"{path}: not closed: {self.stack}"

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                assert value not in self.ids, f"id {value} twice"
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, f"</{tag}> in {self.stack}"
        self.stack.pop()


class Reports(CommandTest):
    def setUp(self):
        super().setUp()
        self.cases = self.folder / "cases"
        self.write("cases/good.amber", GOOD)
        self.write("cases/" + HOSTILE.replace("/", ""), GOOD.replace("8 11", "8 12"))
        self.write("cases/broken.spvasm", "OpEntryPoint GLCompute\n")

    def diff(self, *options):
        return run("diff", self.cases, "--targets", "gfx1100", "-O", "2", *options)

    def test_junit_is_well_formed_and_counts(self):
        done = self.diff("--format", "junit")
        self.assertEqual(done.returncode, 1, done.stderr)
        root = xml.etree.ElementTree.fromstring(done.stdout)
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual(int(root.get("tests")), 6)
        self.assertEqual(int(root.get("failures")), len(root.findall(".//failure")))
        self.assertEqual(int(root.get("failures")), 2)
        reruns = [case.find("system-out").text for case in root.iter("testcase") if len(case)]
        self.assertEqual(len(reruns), 4)
        self.assertTrue(all(text.startswith("assay ") for text in reruns), reruns)

    def test_json_lines_are_one_object_each(self):
        done = self.diff("--format", "jsonl")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(lines[0]["schema"], "assay.diff/1")
        self.assertEqual(len(lines), 7)

    def test_html_pages_nest_and_link(self):
        site = self.folder / "site"
        done = self.diff("--html", site)
        self.assertEqual(done.returncode, 1, done.stderr)
        pages = {path: Page(path) for path in site.rglob("*.html")}
        self.assertEqual(len(pages), 4)
        for path, page in pages.items():
            self.assertNotIn("script", page.tags)
            for link in page.links:
                file, _, anchor = link.partition("#")
                target = (path.parent / file).resolve() if file else path
                self.assertTrue(target.is_file(), link)
                if anchor:
                    self.assertIn(anchor, pages[target].ids)
        index = (site / "index.html").read_text()
        self.assertIn("expected 12, got 11", index)
        self.assertIn('<html lang="en">', index)

    def test_html_in_one_page_nests(self):
        path = self.folder / "one.html"
        self.assertEqual(self.diff("--format", "html", "--output", path).returncode, 1)
        page = Page(pathlib.Path(path))
        self.assertNotIn("script", page.tags)
        self.assertTrue(all(link.startswith("#") and link[1:] in page.ids for link in page.links))

    def test_text_is_free_of_control_characters_and_quiet_on_request(self):
        done = self.diff()
        self.assertNotIn("\x01", done.stdout)
        self.assertIn("rerun", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertIn("pass        good.amber", done.stdout)
        self.assertNotIn("good.amber", self.diff("--quiet").stdout)
        self.assertIn("\x1b[", self.diff("--color", "always").stdout)

    def test_a_json_result_becomes_any_format(self):
        result = self.folder / "result.json"
        self.assertEqual(self.diff("--format", "json", "--output", result).returncode, 1)
        for name in ("text", "junit", "sarif", "markdown"):
            self.assertEqual(run("report", result, "--format", name).stdout.replace(str(result), ""),
                             self.diff("--format", name).stdout, name)
        self.assertEqual(json.loads(run("report", result, "--format", "json").stdout)["verdicts"],
                         json.loads(result.read_text())["verdicts"])
        self.assertEqual(run("report", result, "--baseline", result).returncode, 2)
        done = run("report", result, "--baseline", result, "--format", "sarif")
        self.assertIn('"unchanged"', done.stdout)
        broken = self.write("broken.json", result.read_text()[:500])
        done = run("report", broken)
        self.assertEqual(done.returncode, 1)
        self.assertOneLine(done.stderr)
        newer = self.write("newer.json", result.read_text().replace("assay.diff/1", "assay.diff/9"))
        self.assertIn("newer", run("report", newer).stderr)

    def test_triage_tells_new_from_known(self):
        before, now = self.folder / "before.json", self.folder / "now.json"
        self.diff("--format", "json", "--output", before)
        self.assertEqual(run("triage", before).returncode, 1)
        done = run("triage", before, "--known", before)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertNotIn("NEW", done.stdout)
        self.diff("--format", "json", "--output", now, "--plant", "wrong-subtract@good")
        done = run("triage", now, "--known", before)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NEW   fail: wrong value in good.amber", done.stdout)
        self.assertIn("regression: good.amber", done.stdout)
        self.assertIn("gone  wrong value in good.amber", run("triage", before, "--known", now).stdout)

    def test_sarif_and_markdown_name_what_is_wrong(self):
        sarif = json.loads(self.diff("--format", "sarif").stdout)
        rules = {r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]}
        results = sarif["runs"][0]["results"]
        self.assertEqual({r["ruleId"] for r in results}, rules)
        self.assertEqual(rules, {"EXPECT", "INVALID"})
        done = self.diff("--format", "markdown")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| fail |", done.stdout)


if __name__ == "__main__":
    unittest.main()
