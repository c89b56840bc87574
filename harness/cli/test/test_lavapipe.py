#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The corpus on lavapipe, compared with the reference: a second opinion on the meaning of every case."""
import sys
import unittest

from command import COMPUTE, CommandTest, run_json

MACHINE = "vulkan:lavapipe"


class Lavapipe(CommandTest):
    def test_agrees_with_the_reference_on_the_corpus(self):
        files = sorted(COMPUTE.glob("*.amber"))
        _, report = run_json("diff", *files, "--machines", f"spirv,{MACHINE}")
        mine = [v for v in report["verdicts"] if v["machine"] == MACHINE]
        self.assertEqual(len(mine), len(files))
        if all(v["state"] == "unsupported" for v in mine):
            print(mine[0]["reason"], file=sys.stderr)
            sys.exit(77)
        bad = [f"{v['rerun']}: {v['state']}: {v['reason']}" for v in mine
               if v["state"] not in ("pass", "unsupported")]
        self.assertEqual(bad, [], "\n" + "\n".join(bad))
        # What lavapipe lacks is named in the verdicts; that is a tenth of the corpus.
        passed = sum(v["state"] == "pass" for v in mine)
        self.assertGreaterEqual(passed, len(files) * 0.88)


if __name__ == "__main__":
    unittest.main()
