#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planted faults: each kind of death of a worker has its own state, and touches no other case."""
import os
import subprocess
import sys
import time
import unittest

from command import ASSAY, GOOD, CommandTest, run, run_json

# A sanitizer turns SIGSEGV into an abort of its own, and makes eating memory slow.
SANITIZED = bool(os.environ.get("ASSAY_SANITIZE"))
SEGFAULT = "SIGABRT" if SANITIZED else "SIGSEGV"
OUT_OF_MEMORY = "over the memory limit of 768 MiB" if SANITIZED else "out of memory"
SECONDS = "40" if SANITIZED else "9"
PLACES = {"compile-hang": "#0 hang()\n#1 actOnPlantedFaults()\n", "compile-oom": " exhaustMemory()\n"}


class Faults(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("cases/good.amber", GOOD)
        self.write("cases/other.amber", GOOD)
        self.cases = self.folder / "cases"

    def diff(self, *options):
        """States of the verdicts of compiled code: of good.amber, and of the rest."""
        code, report = run_json("diff", self.cases, "--targets", "gfx1100", *options)
        machines = [v for v in report["verdicts"] if v["compiler"]]
        mine = [v for v in machines if v["case"] == "good.amber"]
        rest = {v["state"] for v in report["verdicts"] if v["case"] != "good.amber"}
        return code, mine, rest

    def test_deaths_of_the_compiler(self):
        for fault, state, words in (
                ("compile-crash", "crash", SEGFAULT + " in stage 'compile'"),
                ("compile-fatal-error", "crash", "LLVM fatal error in stage 'compile'"),
                ("compile-oom", "oom", OUT_OF_MEMORY + " in stage 'compile'"),
                ("compile-hang", "timeout", f"time limit of {SECONDS} s in stage 'compile'")):
            with self.subTest(fault=fault):
                code, mine, rest = self.diff("--plant", fault + "@good", "--timeout", SECONDS,
                                             "--memory-limit", "768", *(("--retries", "0") if state == "timeout" else ()))
                self.assertEqual(code, 1)
                self.assertEqual({v["state"] for v in mine}, {state}, mine)
                for verdict in mine:
                    self.assertIn(words, verdict["reason"])
                    self.assertTrue(verdict["findings"][0]["signature"].startswith(state))
                    self.assertIn("--plant " + fault, verdict["rerun"])
                    # Where it was, and how much it had.
                    evidence = dict(verdict["findings"][0]["evidence"])
                    if fault in PLACES and not SANITIZED:
                        self.assertIn(PLACES[fault], evidence["stack"])
                        self.assertRegex(evidence["memory"], r"^\d+ MiB$")
                self.assertEqual(rest, {"pass"})

    def test_a_wrong_compiler_is_seen_and_the_element_named(self):
        code, mine, rest = self.diff("--plant", "wrong-subtract@good")
        self.assertEqual((code, {v["state"] for v in mine}, rest), (1, {"fail"}, {"pass"}))
        for verdict in mine:
            rules = {f["rule"] for f in verdict["findings"]}
            self.assertEqual(rules, {"EXPECT", "REF-DIFF"})
            first = verdict["first_difference"]
            self.assertEqual((first["expected"], first["actual"]), ("-1", "1"))

    def test_a_hanging_reference_leaves_the_script_to_judge(self):
        code, mine, rest = self.diff("--plant", "reference-hang@good", "--timeout", "3", "-O", "2", "--retries", "0")
        self.assertEqual((code, {v["state"] for v in mine}, rest), (1, {"pass"}, {"pass"}))
        self.assertIn("judged by EXPECT alone: the reference is timeout", mine[0]["reason"])

    def test_compile_and_run_survive_too(self):
        good = self.cases / "good.amber"
        done = run("compile", good, "--plant", "compile-crash", "-o", self.folder / "x")
        self.assertEqual(done.returncode, 1)
        self.assertIn(SEGFAULT, done.stderr)
        self.assertIn("rerun: assay compile", done.stderr)
        done = run("run", good, "--machine", "gcn", "--plant", "compile-crash")
        self.assertEqual(done.returncode, 1)

    def test_unknown_faults_are_refused(self):
        done = run("diff", self.cases, "--plant", "walk")
        self.assertEqual(done.returncode, 2)
        self.assertOneLine(done.stderr)

    def test_an_interrupted_run_ends_its_workers(self):
        child = self.start(ASSAY, "diff", self.cases, "--plant", "compile-hang", "--work-dir", self.folder / "work",
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = self.folder / "work" / "job-0" / "journal"
        for _ in range(300):
            if journal.exists() and "compile" in journal.read_text():
                break
            time.sleep(0.1)
        child.terminate()
        _, stderr = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 3)
        self.assertIn("interrupted by SIGTERM", stderr)
        left = subprocess.run(["pgrep", "-f", str(self.folder / "work")], capture_output=True, text=True)
        self.assertEqual(left.stdout, "")


if __name__ == "__main__":
    if "planted faults: compiled in" not in run("version").stdout:
        print("skipped: this build has no planted faults")
        sys.exit(77)
    unittest.main()
