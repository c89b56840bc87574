#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay score: what it says of some faults and a few cases; at full scale (ASSAY_SCALE=full) it catches
every planted fault with the corpus."""
import json
import os
import re
import sys
import unittest

from command import COMPUTE, SOURCE, CommandTest, run, run_json

CONTROLS = SOURCE / "corpora" / "controls"
CASES = [COMPUTE / name for name in ("saxpy.amber", "integer-shifts.amber", "histogram.amber")]
FAULTS = {"wrong-subtract": "REF-DIFF", "fat-lost-offset": "fat-pointers", "vgpr-count": "validate-elf",
          "wait-loads": "sanitizer", "reference-race": "control", "silent-rules": "control"}


def score(*arguments):
    code, report = run_json("score", *arguments)
    return code, report, {fault["name"]: fault for fault in report["faults"]}


class ScoreTest(CommandTest):
    def test_each_oracle_catches_its_faults(self):
        kept = self.folder / "kept"
        code, report, faults = score(*CASES, "--controls", CONTROLS, "--faults", ",".join(FAULTS),
                                     "--targets", "gfx1100", "-O", "2", "--keep", kept)
        self.assertEqual((code, report["noisy"]), (0, []))
        self.assertEqual((report["planted"], report["caught"]), (len(FAULTS), len(FAULTS)))
        for name, oracle in FAULTS.items():
            with self.subTest(fault=name):
                self.assertIn(oracle, faults[name]["oracles"])
                self.assertIn(f"--plant {name}", faults[name]["rerun"])
        self.assertEqual(report["alone"]["control"], 2)
        self.check_findings(kept)

    def check_findings(self, kept):
        """A campaign's folder: each case fails again by the line that its verdict gives."""
        folder = kept / "findings" / "wrong-subtract-1"
        finding = json.loads((folder / "verdicts.json").read_text())
        bad = [v for v in finding["verdicts"] if v["state"] == "fail"]
        self.assertTrue(bad)
        self.assertFalse([s for s in bad[0]["statistics"] if s[0].startswith("reaches ")])
        again = run(*bad[0]["rerun"].split()[1:], cwd=kept)
        self.assertEqual(again.returncode, 1, again.stderr)
        report = run("report", kept / "result.json")
        self.assertIn("fail", report.stdout)

    def test_a_fault_that_nothing_reaches_is_missed(self):
        code, report, faults = score(CASES[0], "--faults", "cube-layer", "--targets", "gfx1100",
                                     "-O", "2")
        self.assertEqual((code, report["caught"]), (1, 0))
        self.assertEqual((faults["cube-layer"]["reaching"], faults["cube-layer"]["oracles"]), (0, []))

    def test_a_named_folder_keeps_generated_cases(self):
        work = self.folder / "work"
        score(CASES[0], "--faults", "cube-layer", "--targets", "gfx1100", "-O", "2", "--generated", "1", "--work-dir", work)
        self.assertEqual(len(list(work.glob("generated-*.amber"))), 1)

    def test_findings_are_collected(self):
        _, _, faults = score(*CASES, "--faults", "vgpr-count", "--targets", "gfx1100,gfx900", "-O", "2",
                             "--findings", "3", "--keep", self.folder / "kept")
        self.assertEqual(faults["vgpr-count"]["findings"], 3)
        self.assertEqual(len(list((self.folder / "kept" / "findings").iterdir())), 3)

    def test_what_is_wrong_on_the_command_line_is_said(self):
        for arguments in (["--faults", "walk"], ["--layer", "roof"], ["--plant", "wrong-subtract"],
                          ["--faults", "wrong-subtract", "--layer", "elf"]):
            with self.subTest(arguments=arguments):
                done = run("score", CASES[0], *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertOneLine(done.stderr)

    def test_a_control_nobody_objects_to_is_none(self):
        done = run("score", CASES[0], "--controls", CASES[1], "--faults", "wrong-subtract", "--targets",
                   "gfx1100", "-O", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("can't be a control", done.stderr)

    @unittest.skipUnless(os.environ.get("ASSAY_SCALE") == "full", "only where ASSAY_SCALE=full asks for it")
    def test_all_faults_are_caught(self):
        code, report, faults = score(COMPUTE, "--controls", CONTROLS, "--modules",
                                     SOURCE / "corpora" / "ir" / "fat-pointers")
        self.assertEqual(report["noisy"], [])
        self.assertGreaterEqual(report["planted"], 100)
        self.assertEqual([name for name, fault in faults.items() if not fault["caught"]], [])
        self.assertEqual(code, 0)

    def test_the_page_is_of_this_catalogue(self):
        """docs/score.md is written by `assay score --format markdown`: every fault that a case can show has its row."""
        rows = re.findall(r"^\| ([\w-]+) \| [a-z][\w-]* \| [a-z][\w-]* \| ", (SOURCE / "docs" / "score.md").read_text(),
                          re.MULTILINE)
        catalogue = re.findall(r'^FAULT\(\w+,\s*"([\w-]+)", (?!Laboratory)',
                               (SOURCE / "support" / "Faults.def").read_text(), re.MULTILINE)
        self.assertEqual([row for row in rows if row not in ("fault", "layer")], catalogue)


if __name__ == "__main__":
    if "planted faults: compiled in" not in run("version").stdout:
        print("skipped: this build has no planted faults")
        sys.exit(77)
    unittest.main()
