#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The corpus of compute cases and the regressions: every case passes. Small scale: each case on one of the eight standard
configurations, in turn; full: each on all (ASSAY_SCALE=full)."""
import os
import unittest

from command import COMPUTE, SOURCE, CommandTest, run, run_json

CONFIGURATIONS = [(target, level) for target in ("gfx900", "gfx1030", "gfx1100", "gfx1201")
                  for level in ("0", "2")]


class Corpus(CommandTest):
    def check(self, files, configurations, *options):
        """Every case passes on the reference, with each subgroup size that matters, and on all
        configurations of machine gcn."""
        code, report = run_json("diff", *files, *options)
        bad = [f"{v['rerun']}: {v['state']}: {v['reason']}" for v in report["verdicts"]
               if v["state"] != "pass"]
        self.assertEqual(bad, [], "\n" + "\n".join(bad))
        self.assertEqual(code, 0)
        names = [v["machine"] for v in report["verdicts"]]
        self.assertEqual(names.count("gcn"), len(files) * configurations)
        self.assertEqual({v["case"] for v in report["verdicts"] if v["machine"] == "spirv"},
                         {v["case"] for v in report["verdicts"]})

    def test_every_case_passes(self):
        files = sorted(COMPUTE.glob("*.amber"))
        self.assertGreaterEqual(len(files), 150)
        if os.environ.get("ASSAY_SCALE") == "full":
            self.check(files, len(CONFIGURATIONS))
            return
        for i, (target, level) in enumerate(CONFIGURATIONS):
            with self.subTest(target=target, level=level):
                self.check(files[i::len(CONFIGURATIONS)], 1, "--targets", target, "-O", level)

    def test_every_case_has_its_provenance(self):
        corpora = SOURCE / "corpora"
        regress = corpora / "regress"
        found = {COMPUTE: COMPUTE.glob("*.amber"), corpora / "controls": (corpora / "controls").glob("*.amber"),
                 # A folder is a case; malformed and refused have lists of their own, and of what fuzz targets found each
                 # file counts.
                 regress: [path for path in (*regress.iterdir(), *regress.glob("fuzz/*/*"))
                           if path.name not in ("MANIFEST", "fuzz", "malformed", "refused")]}
        for folder, paths in found.items():
            rows = [line.split(" | ")[0] for line in (folder / "MANIFEST").read_text().splitlines()
                    if line and not line.startswith("#")]
            self.assertEqual(sorted(rows), sorted(str(path.relative_to(folder)) for path in paths))

    def test_subgroup_sizes_are_compared_with_their_own_reference(self):
        _, report = run_json("diff", COMPUTE / "subgroup-builtins.amber", COMPUTE / "saxpy.amber",
                             "--targets", "gfx900,gfx1100", "-O", "2")
        sizes = [(v["case"], v["wave_size"]) for v in report["verdicts"] if v["machine"] == "spirv"]
        self.assertEqual(sizes, [("subgroup-builtins.amber", 64), ("subgroup-builtins.amber", 32),
                                 ("saxpy.amber", 0)])

    def test_a_case_states_its_subgroup_sizes(self):
        script = (COMPUTE / "subgroup-builtins.amber").read_text()
        case = self.write("sized.amber", script.replace(
            "#!amber\n", "#!amber\n# ASSAY: SUBGROUP_SIZES 32\n", 1))
        _, report = run_json("diff", case, "--targets", "gfx900,gfx1100", "-O", "2")
        states = [(v["machine"], v["wave_size"] or v["target"], v["state"]) for v in report["verdicts"]]
        self.assertEqual(states, [("spirv", 64, "unsupported"), ("spirv", 32, "pass"),
                                  ("gcn", "gfx900", "unsupported"), ("gcn", "gfx1100", "pass")])
        self.assertEqual(report["verdicts"][2]["reason"], "subgroup size 64 (the case needs 32)")
        done = run("run", case, "--subgroup-size", "16")
        self.assertEqual(done.returncode, 77)
        self.assertIn("subgroup size 16 (the case needs 32)", done.stdout)

    def test_regressions_stay_away(self):
        files = sorted((SOURCE / "corpora" / "regress").glob("*/case.amber"))
        self.assertTrue(files)
        self.check(files, len(CONFIGURATIONS))
        small = ["gfx1030", "gfx1100", "gfx1201"]  # Waves of 32, not their default.
        self.check(files, 2 * len(small), "--targets", ",".join(small), "--wave", "32")


if __name__ == "__main__":
    unittest.main()
