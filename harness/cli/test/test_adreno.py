#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine adreno on turnip's code, where ci/turnip has put it: a few cases; all of corpora/compute with ASSAY_SCALE=full."""
import collections
import json
import os

from command import COMPUTE, GOOD, CommandTest, main_or_skip, run, run_json

TARGETS = "a630,a740"
# Turnip's code is wrong (docs/ir3-machine.md).
OPEN = {"subgroup-vote-blocks.amber"}


class Adreno(CommandTest):
    def setUp(self):
        super().setUp()
        done = run("compile", self.write("good.amber", GOOD), "--compiler", "turnip", "--target", "a630", "--emit", "metadata")
        if done.returncode == 77:
            self.skipTest(done.stderr.split("\n")[0])

    def diff(self, *cases, targets=TARGETS, options=()):
        return run_json("diff", *cases, "--machines", "spirv,adreno", "--compilers", "turnip", "--targets", targets, *options)[1]

    def test_cases_are_as_the_reference_says(self):
        names = ["saxpy", "gcd", "subgroup-broadcast", "transpose-shared"]
        cases = [COMPUTE / f"{name}.amber" for name in names]
        report = self.diff(*cases)
        states = collections.Counter(verdict["state"] for verdict in report["verdicts"])
        self.assertEqual(states, {"pass": 3 * len(cases)}, report)

    def test_levels_of_small_3d_images_are_where_turnip_puts_them(self):
        case = COMPUTE.parent / "regress" / "small-levels-3d" / "case.amber"
        report = self.diff(case, targets="a630,a660,a740")
        self.assertEqual([verdict["state"] for verdict in report["verdicts"]], ["pass"] * 4, report)

    def test_gradients_of_unknown_place_are_refused(self):
        case = COMPUTE.parent / "regress" / "cube-array-gradients" / "case.amber"
        verdict = self.diff(case, targets="a630")["verdicts"][1]
        self.assertEqual(verdict["state"], "unsupported", verdict)
        self.assertIn("gradients with five other coordinates", verdict["reason"])

    def test_schedules_change_nothing(self):
        report = self.diff(COMPUTE / "transpose-shared.amber", targets="a740", options=("--schedules", "10"))
        self.assertEqual({verdict["state"] for verdict in report["verdicts"]}, {"pass"}, report)

    def test_every_case_passes_or_is_unsupported(self):
        if os.environ.get("ASSAY_SCALE") != "full":
            return
        report = self.diff(COMPUTE)
        bad = [verdict["reason"] for verdict in report["verdicts"]
               if verdict["machine"] == "adreno" and verdict["state"] == "fail"
               and os.path.basename(verdict["case"]) not in OPEN]
        self.assertEqual(bad, [], "\n".join(bad))


class Assay(CommandTest):
    """The project's compiler for Adreno GPUs (docs/ir3.md)."""

    def test_a_command_that_writes_other_files_fails(self):
        good, damaged = self.write("good.amber", GOOD), self.write("damaged", "ASSAYRDVaco")
        for target, file, words in (("a630", good, "wrote no file of code for a630"),
                                    ("gfx1100", damaged, "RADV shader: format 0")):
            done = run("diff", good, "--targets", target, "-O", "2", "--format", "json", "--", "cp", file, "{out}")
            verdict = json.loads(done.stdout)["verdicts"][1]
            self.assertEqual((done.returncode, verdict["state"]), (1, "fail"), verdict)
            self.assertIn(words, verdict["reason"])

    def diff(self, *cases, options=()):
        return run_json("diff", *cases, "--machines", "spirv,adreno", "--compilers", "assay", *options)[1]["verdicts"]

    def test_a_case_of_each_family_passes(self):
        names = ["saxpy", "gcd", "transpose-shared", "atomic-float", "integer-8-bit", "half-arithmetic", "subgroup-shuffle",
                 "float-exponential"]
        verdicts = self.diff(*[COMPUTE / f"{name}.amber" for name in names], options=("--targets", "a630", "-O", "2"))
        self.assertEqual([verdict["reason"] for verdict in verdicts if verdict["state"] != "pass"], [])
        self.assertEqual(len(verdicts), 2 * len(names))

    def test_what_is_missing_is_unsupported_by_its_name(self):
        for name, message in (("double-arithmetic", "double"), ("half-denormals-kept", "preserves denormals")):
            verdicts = self.diff(COMPUTE / f"{name}.amber", options=("--targets", "a630", "-O", "2"))
            own = [verdict for verdict in verdicts if verdict["machine"] == "adreno"]
            self.assertEqual([verdict["state"] for verdict in own], ["unsupported"])
            self.assertIn(message, own[0]["reason"])

    def test_no_case_fails(self):
        if os.environ.get("ASSAY_SCALE") != "full":
            return
        verdicts = self.diff(COMPUTE, options=("--targets", TARGETS))
        self.assertEqual([verdict["reason"] for verdict in verdicts if verdict["state"] == "fail"], [])


class WithoutTurnip(CommandTest):
    def test_what_does_not_go_together_is_not_combined(self):
        good = self.write("good.amber", GOOD)
        for arguments, message in (
                (("--machines", "adreno", "--compilers", "turnip", "--targets", "gfx1100"), "--targets gfx1100: "),
                (("--compilers", "aco", "--targets", "a630"), "--targets a630: "),
                (("--compilers", "assay,turnip", "--targets", "gfx1100"), "--compilers turnip: ")):
            done = run("diff", good, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(message, done.stderr)
        done = run("run", good, "--machine", "gcn", "--target", "a630")
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("machine gcn has no target 'a630'", done.stdout)
        report = run_json("diff", good, "--compilers", "assay,turnip", "--targets", "gfx1100,a630", "-O", "2")[1]
        self.assertEqual([(verdict["compiler"], verdict["machine"], verdict["target"]) for verdict in report["verdicts"]],
                         [("", "spirv", ""), ("assay", "gcn", "gfx1100"), ("assay", "adreno", "a630"),
                          ("turnip", "adreno", "a630")])


if __name__ == "__main__":
    main_or_skip()
