#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the reference itself is wrong: by vote of script and machines it is suspected, its findings become as small as
others, and the operation that it gets wrong is named."""
import json
import re
import unittest

from command import COMPUTE, SOURCE, CommandTest, run, run_json

CONTROLS = SOURCE / "corpora" / "controls"
WHERE = ("--targets", "gfx1100", "-O", "2")


class Reference(CommandTest):
    def minimize(self, case, fault, *options):
        """Instructions left; in the folder of the fault's name."""
        done = run("minimize", COMPUTE / case, *WHERE, "--plant", fault, "-o", self.folder / fault, "--no-spirv-reduce",
                   *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.match(r"(\d+) instructions", done.stdout).group(1))

    def localise(self, fault):
        small = self.folder / fault
        code, result = run_json("localize", small / "minimal.amber", "--predicate", small / "predicate.json")
        self.assertEqual(code, 0)
        return result

    def checkSmall(self, fault, operation, left):
        predicate = json.loads((self.folder / fault / "predicate.json").read_text())
        self.assertEqual((predicate["rule"], predicate["suspects_reference"]), ("REF-DIFF", 1))
        minimal = self.folder / fault / "minimal.amber"
        self.assertIn(operation.removeprefix("Op"), minimal.read_text())
        self.assertLessEqual(left, 10)
        # It is the reference: both levels differ from it, and agree where it is right.
        both = ("diff", minimal, "--targets", "gfx1100", "-O", "0,2")
        self.assertEqual(run(*both, "--plant", fault).returncode, 1)
        self.assertEqual(run(*both).returncode, 0)
        result = self.localise(fault)
        self.assertEqual((result["phase"], result["pass"], result["operation"]), ("reference", "reference", operation))

    def test_a_wrong_value_of_the_reference(self):
        left = self.minimize("integer-shifts.amber", "reference-shift")
        self.checkSmall("reference-shift", "OpShiftRightArithmetic", left)

    def test_what_the_reference_alone_objects_to_becomes_a_wrong_value(self):
        # An index that it gets wrong leaves an array.
        code, result = run_json("diff", COMPUTE / "memory-copies.amber", *WHERE, "--plant", "reference-subtract")
        self.assertEqual([verdict["state"] for verdict in result["verdicts"]], ["invalid", "invalid"])
        bundle = self.folder / "bundle"
        left = self.minimize("memory-copies.amber", "reference-subtract", "--bundle", bundle)
        self.checkSmall("reference-subtract", "OpISub", left)
        self.assertEqual(run("replay", bundle).returncode, 1)

    def test_a_finding_without_a_bad_verdict_of_a_machine(self):
        kept = self.folder / "kept"
        done = run("score", COMPUTE / "memory-copies.amber", "--faults", "reference-subtract", *WHERE, "--keep", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        finding = kept / "findings" / "reference-subtract-1"
        done = run("localize", finding, "--plant", "reference-subtract")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads((finding / "facts.json").read_text())
        self.assertEqual((facts["pass"], facts["operation"]), ("reference", "OpISub"))

    def test_a_case_that_means_nothing_is_not_held_against_the_reference(self):
        for control in ("race-buffer", "shift-too-far"):
            done = run("minimize", CONTROLS / f"{control}.amber", *WHERE, "-o", self.folder / control)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("nothing to look into", done.stderr)

    def test_a_finding_after_which_no_value_differs(self):
        # Here the reference is right: a stand-in for one whose rule is wrong, which no planted fault is.
        case = CONTROLS / "shift-too-far.amber"
        _, result = run_json("run", case)
        finding = result["verdicts"][0]["findings"][0]
        bundle = self.folder / "bundle"
        done = run("minimize", COMPUTE / "saxpy.amber", *WHERE, "--plant", "compile-crash", "--no-reduce", "--bundle", bundle)
        self.assertEqual(done.returncode, 0, done.stderr)
        predicate = json.loads((bundle / "predicate.json").read_text())
        predicate.update(state="invalid", rule=finding["rule"], signature=finding["signature"], check_reference=1,
                         suspects_reference=1)
        predicate["job"]["plants"] = []
        predicate["job"]["compare"] = predicate["job"]["own_reference"] = 1
        path = self.write("predicate.json", json.dumps(predicate))
        code, result = run_json("localize", case, "--predicate", path)
        self.assertEqual((code, result["pass"], result["operation"]), (0, "reference", finding["signature"].split()[1]))
        done = run("minimize", case, "--predicate", path, "-o", self.folder / "small")
        self.assertEqual(done.returncode, 77)
        self.assertIn("nobody knows whether it is right", done.stderr)

    def test_a_process_that_ends_badly(self):
        done = run("minimize", COMPUTE / "saxpy.amber", *WHERE, "--plant", "reference-hang", "--timeout", "2",
                   "--no-reduce", "--bundle", self.folder / "hang")
        self.assertEqual(done.returncode, 0, done.stderr)
        predicate = self.folder / "hang" / "predicate.json"
        code, result = run_json("localize", self.folder / "hang" / "case.amber", "--predicate", predicate)
        self.assertEqual((code, result["pass"]), (0, "reference"))


if __name__ == "__main__":
    unittest.main()
