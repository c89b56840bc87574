#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-hashes as a command: mutated pipelines, given pairs, planted faults, wrong arguments."""
import os
import unittest

from command import COMPUTE, CommandTest, run, run_json

SAXPY = os.path.join(COMPUTE, "saxpy.amber")
SHADER = """#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] = NUMBERu; }
"""


class HashTest(CommandTest):
    def test_mutations_break_no_law(self):
        code, report = run_json("check-hashes", SAXPY, "--pairs", "30", "--targets", "gfx1030,gfx900")
        self.assertEqual(code, 0)
        self.assertEqual([v["state"] for v in report["verdicts"]], ["pass", "pass"])
        self.assertIn(["pairs", 30], report["verdicts"][0]["statistics"])

    def test_two_files_are_a_pair(self):
        one = self.write("one.comp", SHADER.replace("NUMBER", "1"))
        two = self.write("two.comp", SHADER.replace("NUMBER", "2"))
        same = self.write("same.comp", SHADER.replace("NUMBER", "1"))
        done = run("check-hashes", one, two)
        self.assertEqual(done.returncode, 0)
        self.assertIn("different hashes: 'input' differs", done.stdout)
        self.assertIn("equal hashes, equal code", run("check-hashes", one, same).stdout)

    def test_faults_are_attributed(self):
        done = run("check-hashes", SAXPY, "--mutation", "layout-offset", "--plant", "hash-skips-desc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("HASH-SOUND", done.stdout)
        self.assertIn("the IR differs after pass lower-desc", done.stdout)

    def test_lists(self):
        self.assertIn("HASH-PRECISE", run("check-hashes", "--list-rules").stdout)
        self.assertIn("layout-offset", run("check-hashes", "--list-mutations").stdout)
        self.assertIn("Two pipelines whose chains are equal", run("check-hashes", "--explain", "HASH-SOUND").stdout)

    def test_wrong_arguments(self):
        for arguments, message in [
            ([], "PIPELINE [PIPELINE]"),
            (["nobody.amber"], "No such file"),
            ([SAXPY, "--mutation", "nothing"], "unknown mutation 'nothing'"),
            ([SAXPY, COMPUTE], "is not a file"),
            (["--explain", "HASH-0"], "unknown rule 'HASH-0'"),
        ]:
            done = run("check-hashes", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
