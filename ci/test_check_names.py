#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import tempfile
import unittest

import check_names

SOURCE = pathlib.Path(__file__).parent.parent
WRONG = ('if (job.machine == "gcn")', 'if ("aco" != name)', 'return name == ownCompiler;',
         'name.starts_with("vulkan:")', 'is_contained(options.compilers, "assay")', 'IsMember({"assay", "aco"})',
         'verifyNames("compiler", names, {"aco",\n    "radv-llvm"})', 'job.compiler\n    == "command"')
RIGHT = ('if (machineOf(job.machine).hasSchedules)', 'job.machine = irMachine.str();', 'fields.read("command", x);',
         'json.attribute("name", "assay");', '{"elf", "spirv", "lgc"}', '// "gcn" and nothing else', 'ownCompiler.str()')


class CheckNames(unittest.TestCase):
    def setUp(self):
        self.forbidden = check_names.patterns(*check_names.registered(SOURCE))

    def test_finds_comparisons(self):
        for text in WRONG:
            self.assertTrue(check_names.violations(text, self.forbidden), text)

    def test_is_silent_on_facts_and_assignments(self):
        for text in RIGHT:
            self.assertEqual(check_names.violations(text, self.forbidden), [], text)

    def test_looks_at_all_modules_but_not_at_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in (check_names.REGISTRY, check_names.CONSTANTS):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text((SOURCE / name).read_text())
            for name in check_names.FOLDERS:
                (root / name).mkdir(exist_ok=True)
            (root / "harness/XTest.cpp").write_text(WRONG[0])
            self.assertEqual(check_names.main(root), 0)
            (root / "reports/X.cpp").write_text(WRONG[0])
            self.assertEqual(check_names.main(root), 1)


if __name__ == "__main__":
    unittest.main()
