#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every fault that can be planted into lower-buffer-fat-pointers is caught by check-fat-pointers on
some function of the corpus, and without one every function of the corpus passes."""
import re
import unittest

from command import SOURCE, CommandTest, run_json

CORPUS = SOURCE / "corpora" / "ir" / "fat-pointers"
FAULTS = re.findall(r'^FAULT\(\w+,\s*"(fat-[\w-]+)"', (SOURCE / "support" / "Faults.def").read_text(),
                    re.MULTILINE)
TARGETS = ["gfx1100", "gfx900", "gfx1201"]


def caught(report):
    """Functions and the rules that report them; a lowering that dies or breaks is none."""
    return {v["case"].rsplit("/")[-1]: sorted({f["rule"] for f in v["findings"]})
            for v in report["verdicts"] if v["state"] == "fail"
            and any(f["rule"].startswith("FAT-") and f["rule"] != "FAT-BROKEN" for f in v["findings"])}


class FatPointerFaultsTest(CommandTest):
    def check(self, target, *arguments):
        return run_json("check-fat-pointers", CORPUS, "--target", target, "--retries", "0", *arguments)

    def test_without_faults_everything_passes(self):
        for target in TARGETS:
            code, report = self.check(target, "--trials", "16")
            bad = [(v["case"], v["reason"]) for v in report["verdicts"] if v["state"] != "pass"]
            self.assertEqual((code, bad), (0, []))
            self.assertGreaterEqual(len(report["verdicts"]), 140)
            compared = [dict(v["statistics"])["compared-trials"] for v in report["verdicts"]]
            self.assertGreaterEqual(min(compared), 8)

    def test_every_fault_is_caught(self):
        self.assertGreaterEqual(len(FAULTS), 25)
        for fault in FAULTS:
            with self.subTest(fault=fault):
                found = {}
                for target in TARGETS:
                    code, report = self.check(target, "--trials", "16", "--plant", fault)
                    if "not built with faults" in str(report):
                        self.skipTest("this build has no faults")
                    found = caught(report)
                    if found:
                        break
                self.assertTrue(found, f"{fault} passes the oracle")
                print(f"{fault}: {len(found)} functions on {target}, such as "
                      f"{next(iter(found.items()))}", flush=True)


if __name__ == "__main__":
    unittest.main()
