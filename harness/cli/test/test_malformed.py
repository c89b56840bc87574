#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every line of corpora/regress/malformed/MANIFEST and of corpora/regress/refused/MANIFEST: file | verb | exit | substring."""
import os
import unittest

from command import ASSAY, CommandTest
import refused


class Malformed(CommandTest):
    def test_every_row_has_its_exit_code_and_message(self):
        table = [row for folder in refused.FOLDERS for row in refused.rows(folder)]
        self.assertGreaterEqual(len(table), 40)
        problems = refused.problems(ASSAY, table, os.cpu_count())
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_every_file_has_a_row(self):
        for folder in refused.FOLDERS:
            files = {path.name for path in folder.iterdir()} - {"MANIFEST", "README.md"}
            named = {row[0].name for row in refused.rows(folder)}
            uniforms = {name[:-5] + ".json" for name in named if name.endswith(".frag")}
            self.assertEqual(files - named - uniforms, set())


if __name__ == "__main__":
    unittest.main()
