#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reports, read by parsers other than Assay's own, with a hostile file name in them."""
import html.parser
import json
import pathlib
import re
import unittest
import urllib.parse
import xml.etree.ElementTree

import json_schema
from command import GOOD, SOURCE, CommandTest, run

HOSTILE = "a<b>&\"'\x01 ]]><script>alert(1)<script>.amber"
VOID = {"meta", "link", "br", "path", "rect", "circle", "input"}


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

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, f"</{tag}> in {self.stack}"
        self.stack.pop()


def check_links(test, pages):
    """That every link of pages (by path) leads to a file and a name that exist, none to elsewhere; how many there are."""
    links = 0
    for path, page in pages.items():
        for link in page.links:
            test.assertFalse(re.match(r"[a-z]+:|//", link), link)
            file, _, anchor = link.partition("#")
            target = (path.parent / urllib.parse.unquote(file)).resolve() if file else path
            test.assertTrue(target.is_file(), f"{path}: {link}")
            if anchor:
                test.assertIn(anchor, pages[target].ids, f"{path}: {link}")
            links += 1
    return links


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

    def test_json_has_its_schema(self):
        schema = json.loads((SOURCE / "docs" / "schemas" / "result.schema.json").read_text())
        for verb in (("diff", self.cases, "--targets", "gfx1100", "-O", "2"), ("run", self.cases / "good.amber")):
            value = json.loads(run(*verb, "--format", "json").stdout)
            self.assertEqual(json_schema.check(value, schema), [])
            value["verdicts"][0]["state"] = "well"
            self.assertEqual(len(json_schema.check(value, schema)), 1)

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
        # The index, the matrix, a page for each case and for each of the two bugs.
        self.assertEqual(len(pages), 7)
        self.assertGreater(check_links(self, pages), 20)
        self.assertIn('<html lang="en">', (site / "index.html").read_text())
        self.assertTrue(any("expected 12, got 11" in path.read_text() for path in (site / "bugs").iterdir()))

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

    def test_pages_tell_what_came_and_what_went(self):
        store = self.folder / "store"
        good, bad = self.folder / "good.json", self.folder / "bad.json"
        self.diff("--format", "json", "--output", good)
        self.diff("--format", "json", "--output", bad, "--plant", "compile-fatal-error@good")
        for night, result in enumerate((bad, bad, good, good)):
            self.assertIn(run("triage", result, "--store", store, "--night", f"n{night}", "--clean-nights", "2").returncode,
                          (1, 4))

        def lists(*inputs):
            self.assertIn(run("report", *inputs, "--format", "html", "--output", self.folder / "pages/").returncode, (0, 1))
            text = (self.folder / "pages" / "index.html").read_text()
            parts = re.split(r'<h2 id="([a-z]+)">', text)
            return {name: set(re.findall(r'href="bugs/.*?">([a-z]+): ', part)) for name, part in zip(parts[1::2], parts[2::2])}

        # Sections without rows are left out.
        self.assertEqual(lists(store), {"fixes": {"crash"}, "problems": {"fail", "invalid"}, "history": set()})
        self.assertEqual(run("triage", bad, "--store", store, "--night", "n4").returncode, 1)
        self.assertEqual(lists(store)["regressions"], {"crash"})
        both = lists(bad, "--baseline", good)
        self.assertEqual((both["regressions"], "fixes" in both), ({"crash"}, False))
        self.assertEqual(lists(good, "--baseline", bad)["fixes"], {"crash"})

    def test_a_campaign_becomes_any_format(self):
        campaign = self.folder / "campaign"
        done = run("fuzz", "-o", campaign, "--seed", "5", "--profile", "small", "--cases", "3", "--targets", "gfx1100", "-O", "2",
                   "--plant", "wrong-subtract", "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        sarif = json.loads(run("report", campaign, "--format", "sarif").stdout)
        for result in sarif["runs"][0]["results"]:
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertTrue(pathlib.Path(uri.removeprefix("file://")).is_file(), uri)
        # Twice the same names, of different cases: they are told apart.
        again = self.folder / "again"
        run("fuzz", "-o", again, "--seed", "5", "--profile", "numbers", "--cases", "3", "--targets", "gfx1100", "-O", "2", "--quiet")
        names = {verdict["case"] for verdict in
                 json.loads(run("report", campaign, again, "--format", "json").stdout)["verdicts"]}
        self.assertEqual(names, {f"{where}5-{i}" for where in ("", "again/") for i in range(3)})

    def test_what_a_report_cannot_do_is_refused(self):
        result, store = self.folder / "result.json", self.folder / "store"
        self.diff("--format", "json", "--output", result)
        run("triage", result, "--store", store, "--night", "1")
        wrong_options = ((store,), (store, "--format", "json"), (store, "--format", "html"), (result, "--baseline", result),
                         (self.folder / "none.json",), (self.folder, "--html", self.folder / "x"))
        wrong_input = (store, store, "--html", self.folder / "x")
        for code, arguments in [*((2, each) for each in wrong_options), (1, wrong_input)]:
            done = run("report", *arguments)
            self.assertEqual(done.returncode, code, arguments)
            self.assertOneLine(done.stderr)
        self.assertFalse((self.folder / "x").exists())
        done = run("report", result, "--baseline", result, "--format", "markdown")
        self.assertIn("0 new, 0 changed, 0 fixed, 2 still there", done.stdout)

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
        self.assertIn("NEW   fail: wrong value, not localized (1 verdict in 1 case)\n    good.amber", done.stdout)
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
