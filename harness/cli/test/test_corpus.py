#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The corpus of compute cases and the regressions: every case passes. Small scale: each case on one of the eight standard
configurations, in turn; full: each on all (ASSAY_SCALE=full)."""
import os
import unittest

from command import COMPUTE, SOURCE, CommandTest, run_json

CONFIGURATIONS = [(target, level) for target in ("gfx900", "gfx1030", "gfx1100", "gfx1201")
                  for level in ("0", "2")]


class Corpus(CommandTest):
    def check(self, files, *options):
        code, report = run_json("diff", *files, *options)
        bad = [f"{v['rerun']}: {v['state']}: {v['reason']}" for v in report["verdicts"]
               if v["state"] != "pass"]
        self.assertEqual(bad, [], "\n" + "\n".join(bad))
        self.assertEqual(code, 0)
        return report["counts"]["pass"]

    def test_every_case_passes(self):
        files = sorted(COMPUTE.glob("*.amber"))
        self.assertGreaterEqual(len(files), 44)
        if os.environ.get("ASSAY_SCALE") == "full":
            self.assertEqual(self.check(files), len(files) * 9)
            return
        for i, (target, level) in enumerate(CONFIGURATIONS):
            with self.subTest(target=target, level=level):
                sample = files[i::len(CONFIGURATIONS)]
                self.assertEqual(self.check(sample, "--targets", target, "-O", level),
                                 len(sample) * 2)

    def test_regressions_stay_away(self):
        files = sorted((SOURCE / "corpora" / "regress").glob("*/case.amber"))
        self.assertTrue(files)
        self.assertEqual(self.check(files), len(files) * 9)


if __name__ == "__main__":
    unittest.main()
