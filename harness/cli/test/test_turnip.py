#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verb compile with the peer turnip, where ci/turnip has put it."""
import shutil
import subprocess

from command import ASSAY, COMPUTE, GOOD, SOURCE, CommandTest, main_or_skip, run, run_json


class Turnip(CommandTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.amber", GOOD)

    def compile(self, *options, case=None):
        return run("compile", case or self.good, "--compiler", "turnip", *options)

    def require(self):
        done = self.compile("--target", "a630", "--emit", "metadata")
        if done.returncode == 77:
            self.skipTest(done.stderr.split("\n")[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_compiles_a_case_to_a_file_text_and_launch(self):
        metadata = self.require()
        for line in ("target: a630", "workgroup id: r48.x", "resource 0: "):
            self.assertIn(line, metadata)
        kept = self.folder / "kept"
        done = self.compile("--target", "a740", "-o", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(kept.read_bytes().startswith(b"ASSAYTUR"))
        done = self.compile("--target", "a660", "--emit", "asm")
        self.assertIn("\nend\n", done.stdout)
        self.assertIn(" instr, ", done.stdout)


    def test_measure_runs_the_code_of_cases(self):
        self.require()
        for name in ("saxpy", "atomic-double", "subgroup-vote-blocks"):
            shutil.copy(COMPUTE / f"{name}.amber", self.folder)
        done = subprocess.run([SOURCE / "ci" / "measure", "turnip", self.folder, "--assay", ASSAY, "--seeds", "2"],
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("refused on   3 cases and targets: VK_EXT_shader_atomic_float", done.stdout)
        self.assertRegex(done.stdout, r"4 cases, eager and late with 2 seeds each: \d+ of 27 compiled by turnip pass, "
                         r"[1-9] fail by a known error of turnip, 0 fail, 0 unsupported\n$")


class WithoutTurnip(CommandTest):
    def test_other_targets_are_unsupported(self):
        good = self.write("good.amber", GOOD)
        for target in ("a420", "gfx1100"):
            done = run("compile", good, "--compiler", "turnip", "--target", target, "--emit", "asm")
            self.assertEqual(done.returncode, 77, done.stderr)
            self.assertIn(f"turnip: no chip is known for {target}", done.stderr)
        done = run("compile", good, "--compiler", "aco", "--target", "a630", "--emit", "asm")
        self.assertEqual(done.returncode, 77, done.stderr)
        done = run("run", good, "--machine", "gcn", "--target", "a630")
        self.assertEqual(done.returncode, 77, done.stderr)

    def test_doctor_names_it(self):
        code, report = run_json("doctor")
        self.assertEqual(code, 0)
        part = [part for part in report["parts"] if part["name"] == "turnip for Adreno GPUs"]
        self.assertEqual(len(part), 1)
        self.assertTrue(part[0]["found"] or "peer compiler turnip is missing" in part[0]["costs"])


if __name__ == "__main__":
    main_or_skip()
