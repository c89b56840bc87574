#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import tempfile
import unittest

import check_types

ONE = "namespace assay {\n\nstruct Row {\n  int a;\n};\n\n} // namespace assay\n"
HIDDEN = "namespace {\nstruct Row {\n};\n} // namespace\n"
ELSEWHERE = ONE.replace("assay {", "assay::gcn {")
SHADER = 'auto text = R"(\nstruct Row {\n};\n)";\n'
DECLARED = "namespace assay {\nstruct Row;\nenum class Kind : int { A };\n} // namespace assay\n"


class CheckTypes(unittest.TestCase):
    def test_finds_definitions(self):
        self.assertEqual(check_types.types_of(ONE), {"assay::Row"})
        self.assertEqual(check_types.types_of(HIDDEN), set())
        self.assertEqual(check_types.types_of(SHADER), set())
        self.assertEqual(check_types.types_of(ELSEWHERE), {"assay::gcn::Row"})
        self.assertEqual(check_types.types_of(DECLARED), {"assay::Kind"})

    def test_reports_the_second_definition(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in check_types.FOLDERS:
                (root / name).mkdir()
            (root / "oracles/A.h").write_text(ONE)
            (root / "harness/B.cpp").write_text(HIDDEN + ELSEWHERE)
            self.assertEqual(check_types.main(root), 0)
            (root / "reports/C.h").write_text(ONE)
            self.assertEqual(check_types.main(root), 1)


if __name__ == "__main__":
    unittest.main()
