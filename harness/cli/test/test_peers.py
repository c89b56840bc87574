#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of ACO and of RADV's LLVM on the gcn machine, where Mesa is installed: a part of the corpus, all of it
with ASSAY_SCALE=full."""
import os
import re
import subprocess

from command import COMPUTE, GOOD, SOURCE, CommandTest, main_or_skip, run, run_json

# Each needs something else of the launch or of the machine.
CASES = ["saxpy", "vector-add", "dispatch-ids", "reduce-shared", "layout-scalar", "resource-descriptor-arrays",
         "resource-specialization-widths", "image-dimensions", "image-multisample", "image-gather",
         "descriptors-nonuniform", "pointers-choose-buffer", "subgroup-shuffle", "subgroup-scan", "sort-bitonic"]
CONFIGURATIONS = [("aco", "gfx900", "64"), ("aco", "gfx1030", "32,64"), ("aco", "gfx1100", "32,64"),
                  ("radv-llvm", "gfx900", "64"), ("radv-llvm", "gfx1030", "32,64")]
# docs/found-bugs.md has the proofs: (case, compiler) -> a part of the reason.
KNOWN = {
    ("dispatch-ids", "radv-llvm"): "SIGSEGV",
    ("resource-spill-table", "radv-llvm"): "SIGSEGV",
    ("float-toward-zero-16-bit", "aco"): "expected 31743, got 31744",
    ("integer-8-bit", "aco"): "expected 63, got 64",
    ("pack-unpack", "aco"): "expected 1, got 0",
    ("pack-unpack", "radv-llvm"): "expected 1, got 0",
    ("resource-push-constants", "aco"): "EXPECT",
    ("resource-small-constants", "aco"): "EXPECT",
    ("subgroup-loops", "radv-llvm"): "EXPECT",
    ("subgroup-divergent-loop", "radv-llvm"): "EXPECT",
    ("subgroup-types", "radv-llvm"): "EXPECT",
    ("subgroup-types-int", "radv-llvm"): "EXPECT",
}


class Peers(CommandTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.amber", GOOD)
        done = run("compile", self.good, "--compiler", "aco", "--emit", "metadata")
        if done.returncode == 77:
            self.skipTest(done.stderr.split("\n")[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.metadata = done.stdout

    def test_their_code_does_what_the_reference_does(self):
        isFull = os.environ.get("ASSAY_SCALE") == "full"
        files = sorted(COMPUTE.glob("*.amber")) if isFull else [COMPUTE / f"{name}.amber" for name in CASES]
        bad = []
        for compiler, target, waves in CONFIGURATIONS:
            _, report = run_json("diff", *files, "--compilers", compiler, "--targets", target, "--wave", waves)
            mine = [v for v in report["verdicts"] if v.get("compiler") == compiler]
            self.assertEqual(len(mine), len(files) * len(waves.split(",")))
            for verdict in mine:
                case = verdict["case"].split(".")[0]
                known = KNOWN.get((case, compiler))
                isKnown = known and known in verdict["reason"]
                if verdict["state"] not in ("pass", "unsupported") and not isKnown:
                    bad.append(f"{verdict['rerun']}: {verdict['state']}: {verdict['reason']}")
            passed = sum(v["state"] == "pass" for v in mine)
            self.assertGreaterEqual(passed, len(mine) * 0.8, (compiler, target))
        self.assertEqual(bad, [], "\n" + "\n".join(bad))

    def test_descriptors_of_wide_texels_are_radvs(self):
        case = COMPUTE.parent / "regress" / "image-wide-fourth" / "case.amber"
        _, report = run_json("diff", case, "--compilers", "aco,radv-llvm", "--targets", "gfx900,gfx1030", "--wave", "64")
        mine = [v for v in report["verdicts"] if v.get("compiler")]
        self.assertEqual([v["state"] for v in mine], ["pass"] * 4, mine)

    def test_one_table_for_all_compilers_and_machines(self):
        _, report = run_json("diff", self.good, "--compilers", "assay,aco,radv-llvm", "--machines", "spirv,gcn",
                             "--targets", "gfx1030,gfx1201", "--wave", "64", "-O", "2")
        states = {(v.get("compiler", ""), v.get("target", "")): v["state"] for v in report["verdicts"]}
        self.assertEqual(states, {("", ""): "pass", ("assay", "gfx1030"): "pass", ("assay", "gfx1201"): "pass",
                                  ("aco", "gfx1030"): "pass", ("aco", "gfx1201"): "pass",
                                  ("radv-llvm", "gfx1030"): "pass", ("radv-llvm", "gfx1201"): "unsupported"})

    def test_what_they_compiled_runs_again_without_them(self):
        self.assertIn("compiler: aco", self.metadata)
        self.assertIn("set 0: 16 bytes", self.metadata)
        done = run("compile", self.good, "--compiler", "aco", "--emit", "asm")
        self.assertIn("s_endpgm", done.stdout)
        kept = self.folder / "kept"
        self.assertEqual(run("compile", self.good, "--compiler", "aco", "-o", kept).returncode, 0)
        done = run("run", self.good, "--machine", "gcn", "--target", "gfx1100", "--", "cp", kept, "{out}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kept.write_bytes(kept.read_bytes()[:-3])
        done = run("run", self.good, "--machine", "gcn", "--target", "gfx1100", "--", "cp", kept, "{out}")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_doctor_looks_at_code_of_any_compiler(self):
        for compiler in ("assay", "aco"):
            self.assertEqual(run("compile", self.good, "--compiler", compiler, "-o",
                                 self.folder / compiler).returncode, 0)
        code, report = run_json("doctor", "--isa", self.folder / "assay", "--isa", self.folder / "aco")
        self.assertEqual((code, report["unreadable"]), (0, []))
        self.assertEqual([(c["target"], c["files"], c["missing"]) for c in report["chips"]], [("gfx1100", 2, [])])
        code, report = run_json("doctor", "--isa", self.good)
        self.assertEqual((code, len(report["unreadable"])), (1, 1))
        subprocess.run(["ar", "rc", "both.a", "assay"], cwd=self.folder, check=True)
        code, report = run_json("doctor", "--isa", self.folder / "both.a")
        self.assertEqual((code, report["chips"][0]["target"], report["chips"][0]["files"]), (0, "gfx1100", 1))
        self.assertEqual(run("compile", self.good, "--compiler", "aco", "-O", "2").returncode, 2)


class WithoutPeers(CommandTest):
    def test_a_failing_command_says_its_first_error(self):
        good = self.write("good.amber", GOOD)
        for script, words in (("echo begin; echo 'x.c:1: error: first' >&2; echo 'x.c:2: error: second' >&2; "
                               "echo '2 errors generated.'; exit 3", "ended with status 3: x.c:1: error: first"),
                              ("echo begin; echo end; exit 4", "ended with status 4: end"),
                              ("exit 5", "ended with status 5")):
            with self.subTest(script=script):
                done = run("run", good, "--machine", "gcn", "--target", "gfx1100", "--", "sh", "-c", script,
                           "{out}")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stdout, r"(?m)" + re.escape(words) + "$")

    def test_doctor_lists_every_rule(self):
        code, report = run_json("doctor", "--sanitizers")
        rules = {rule["id"]: rule for rule in report["rules"]}
        self.assertEqual(code, 0)
        for rule in ("WAIT-RAW", "WAIT-WAW", "WAIT-LDS", "WAIT-STORE", "RACE-LDS", "RACE-GLOBAL", "SCHEDULE-DIFF",
                     "UNDEF-STORE", "WAR-EXPORT", "HAZ-SALU-M0", "MEM-FAULT"):
            self.assertIn(rule, rules)
        self.assertTrue(rules["MEM-FAULT"]["ends_run"])
        self.assertFalse(rules["WAIT-RAW"]["ends_run"])
        # What the documentation says exists, does.
        text = (SOURCE / "docs" / "gcn-machine.md").read_text()
        for rule in re.findall(r"\b(?:WAIT|RACE|SCHEDULE|UNDEF|WAR|HAZ)-[A-Z0-9-]*[A-Z0-9]\b", text):
            self.assertIn(rule, rules)


if __name__ == "__main__":
    main_or_skip()
