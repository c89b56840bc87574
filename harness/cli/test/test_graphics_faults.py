#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that are planted into the passes of graphics stages make a case of corpora/graphics fail, and without a
fault all of them pass."""
import re
import unittest

from command import SOURCE, CommandTest, run_json

GRAPHICS = SOURCE / "corpora" / "graphics"
CASES = sorted(GRAPHICS.glob("stage-*.amber")) + [GRAPHICS / (name + ".amber") for name in (
    "vertex-format-r8g8-snorm", "format-r8g8b8a8-unorm", "instance-divisor-2", "provoking-last-triangle-list", "msaa-centroid-4",
    "msaa-sample-position-4", "point-coord", "blend-factor-src1-color", "interface-packed-halves", "interface-smooth-halves")]
TARGETS = ["gfx1030", "gfx1100"]
PLACES = ("lower-vertex", "lower-fragment", "lower-primitive", "lower-color", "mutate-stage", "wait-for-interpolation", "glue")
# Glue is only for unlinked stages; its hazards are on GFX11 and GFX12.
GLUE = ("assay-unlinked", ["gfx1030", "gfx1201"], "2")
# By the place, where it is not what all others have: compiler, GPUs, level. At -O 2, other instructions are in between.
RUNS = {"glue": GLUE, "wait-for-interpolation": ("assay", ["gfx900"], "0")}
ALL_OTHERS = ("assay", TARGETS, "2")
# By the fault, the pass that has it. Faults of hashes change no code: harness/hash_chain finds them.
PLACE_OF = {name: place for name, place in re.findall(r'^FAULT\(\w+,\s*"([\w-]+)", Laboratory, "([\w-]+)"',
                                                      (SOURCE / "support" / "Faults.def").read_text(), re.MULTILINE)
            if place.startswith(PLACES) and not name.startswith("hash-")}
FAULTS = list(PLACE_OF)
# What no script can show: why. The tests in compiler/test/lgc show the code.
HIDDEN = {
    "kill-not-enabled": "the model of hardware discards without it",
    "color-mask": "the model of hardware takes all channels of an export",
    "primitive-count": "the machine allocates nothing",
}


class GraphicsFaultsTest(CommandTest):
    def check(self, compiler, target, level, *arguments):
        return run_json("diff", *CASES, "--compilers", compiler, "--targets", target, "-O", level, "--retries", "0", *arguments)

    def test_without_faults_everything_passes(self):
        for compiler, targets, level in (ALL_OTHERS, *RUNS.values()):
            for target in targets:
                code, report = self.check(compiler, target, level)
                self.assertEqual((code, [v["case"] for v in report["verdicts"] if v["state"] != "pass"]), (0, []))

    def test_every_fault_is_caught(self):
        caught = [name for name in FAULTS if name not in HIDDEN]
        self.assertGreaterEqual(len(caught), 25)
        for fault in caught:
            with self.subTest(fault=fault):
                failures = []
                compiler, targets, level = RUNS.get(PLACE_OF[fault], ALL_OTHERS)
                for target in targets:
                    report = self.check(compiler, target, level, "--plant", fault)[1]
                    failures += [v["case"] for v in report["verdicts"] if v["state"] == "fail" or v["findings"]]
                    if failures:
                        break
                self.assertTrue(failures, f"no case fails with {fault}")

    def test_masks_of_a_part_are_no_hazard_of_its_glue(self):
        cases = sorted(GRAPHICS.glob("blend-factor*src1*.amber"))
        self.assertGreaterEqual(len(cases), 4)
        for planted, states in ((), {"pass"}), (("--plant", "glue-hazard"), {"fail"}):
            report = run_json("diff", *cases, "--compilers", "assay-unlinked", "--targets", "gfx1100", "-O", "2", "--wave", "64",
                              "--retries", "0", *planted)[1]
            self.assertEqual({v["state"] for v in report["verdicts"] if v["target"]}, states, report)

    def test_hidden_faults_exist(self):
        self.assertEqual(sorted(set(HIDDEN) - set(FAULTS)), [])


if __name__ == "__main__":
    unittest.main()
