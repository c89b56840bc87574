#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay localize of draws: faults that are planted into the passes of graphics stages are found in their stage and pass; at
full scale (ASSAY_SCALE=full) all that test_graphics_faults.py catches, nine of ten of them."""
import json
import os
import unittest

from command import SOURCE, CommandTest, run, run_json
from json_schema import check
from test_graphics_faults import CASES, FAULTS, HIDDEN, PLACE_OF

FULL = os.environ.get("ASSAY_SCALE") == "full"
SCHEMA = json.loads((SOURCE / "docs" / "schemas" / "localize.schema.json").read_text())
TARGETS = ("gfx1030", "gfx1100")
# One or two of each pass, and what its stage is.
QUICK = {"vertex-rate": "vertex", "vertex-base": "vertex", "position-order": "vertex", "flat-lost": "fragment",
         "derivative-sign": "fragment", "color-order": "fragment", "draw-value-order": "vertex"}


class LocalizeDraws(CommandTest):
    def find_case(self, fault):
        """The first case and target that show \p fault."""
        for target in TARGETS:
            _, report = run_json("diff", *CASES, "--compilers", "assay", "--targets", target, "-O", "2", "--retries", "0",
                                 "--plant", fault)
            for verdict in report["verdicts"]:
                if verdict["state"] == "fail":
                    return SOURCE / "corpora" / "graphics" / verdict["case"], target
        self.fail(f"no case fails with {fault}")

    def localize(self, fault):
        case, target = self.find_case(fault)
        code, result = run_json("localize", case, "--targets", target, "-O", "2", "--plant", fault)
        self.assertEqual(code, 0, result)
        self.assertEqual(check(result, SCHEMA), [])
        return result

    def test_faults_are_found_in_their_stage_and_pass(self):
        for fault, stage in QUICK.items():
            with self.subTest(fault=fault):
                result = self.localize(fault)
                self.assertEqual((result["stage"], result["pass"]), (stage, PLACE_OF[fault]))
                self.assertEqual(result["suspects"], [PLACE_OF[fault]])

    @unittest.skipUnless(FULL, "only where ASSAY_SCALE=full asks for it")
    def test_nine_of_ten_faults_are_found(self):
        faults = [name for name in FAULTS if name not in HIDDEN and PLACE_OF[name] != "glue"]
        missed = {}
        for fault in faults:
            result = self.localize(fault)
            if result["pass"] != PLACE_OF[fault]:
                missed[fault] = (result["pass"], result["suspects"])
        print(f"{len(faults) - len(missed)} of {len(faults)} faults are localized to their pass; not: {missed}")
        self.assertLessEqual(len(missed) * 10, len(faults), missed)

    def test_what_the_pass_changed_is_shown(self):
        case, target = self.find_case("color-order")
        done = run("localize", case, "--targets", target, "-O", "2", "--plant", "color-order")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^stage +fragment$")
        self.assertRegex(done.stdout, r"(?m)^pass +lower-color-export$")
        self.assertIn("\n--- before\n+++ after\n", done.stdout)

    def test_triage_takes_what_was_found(self):
        case, target = self.find_case("color-order")
        kept = self.folder / "kept"
        done = run("score", case, "--faults", "color-order", "--targets", target, "-O", "2", "--keep", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        finding = kept / "findings" / "color-order-1"
        for words in (("minimize", finding, "-o", finding / "minimal", "--no-spirv-reduce"), ("localize", finding)):
            done = run(*words, "--plant", "color-order")
            self.assertEqual(done.returncode, 0, done.stderr)
        done = run("triage", kept)
        self.assertRegex(done.stdout, r"(?m)^NEW .* by lower-color-export ", done.stderr)


if __name__ == "__main__":
    unittest.main()
