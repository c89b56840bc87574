#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay minimize: planted faults become a few instructions, the same on any number of workers and after a kill; the
result shows the bug it began with and no other."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from command import ASSAY, COMPUTE, GOOD, SOURCE, CommandTest, run, run_json

FULL = os.environ.get("ASSAY_SCALE") == "full"
WHERE = ("--targets", "gfx1100", "-O", "2")
BIG = COMPUTE / "integer-carries-widths.amber"

# Two results, of two types; each of the two planted faults spoils one.
TWO_BUGS = """#!amber
SHADER compute s GLSL
#version 450
layout(set = 0, binding = 0) buffer F { float f[]; };
layout(set = 0, binding = 1) buffer U { uint u[]; };
void main() {
  float x = f[0] * 2.0;
  uint y = u[0] * 3;
  f[1] = mix(x, 10.0, 0.25) + 1.0;
  u[1] = (y + 9) - u[2];
}
END
BUFFER f DATA_TYPE float DATA 3.0 0.0 END
BUFFER u DATA_TYPE uint32 DATA 5 0 2 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER f AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER u AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
"""


class Minimize(CommandTest):
    def minimize(self, case, name, *options):
        return run("minimize", case, *WHERE, "-o", self.folder / name, *options)

    def results(self, name):
        """All files that do not depend on how the work was shared out, nor on what was half written at a kill."""
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()
                if path.is_file() and path.name != "tried.jsonl" and not re.fullmatch(r"\.[0-9a-f]{6}", path.suffix)}

    def instructions(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.match(r"(\d+) instructions of (\d+)", done.stdout).group(1))

    def test_both_stages_of_a_draw_get_smaller(self):
        case = SOURCE / "corpora" / "graphics" / "stage-matrix.amber"
        done = self.minimize(case, "draw", "--plant", "parameter-component")
        self.assertEqual(done.returncode, 0, done.stderr)
        few, many = map(int, re.match(r"(\d+) instructions of (\d+)", done.stdout).groups())
        self.assertLess(few, many)
        minimal = (self.folder / "draw" / "minimal.amber").read_text()
        self.assertIn("SHADER vertex", minimal)
        self.assertIn("SHADER fragment", minimal)
        code, report = run_json("diff", self.folder / "draw" / "minimal.amber", *WHERE, "--plant", "parameter-component")
        self.assertEqual((code, report["counts"]["fail"]), (1, 1))

    def test_a_fault_becomes_a_few_instructions_on_any_number_of_workers(self):
        plant = ("--plant", "wrong-subtract")
        self.assertLessEqual(self.instructions(self.minimize(BIG, "one", "--jobs", "1", *plant)), 8)
        # What has lost its end is not waited for: the case takes a few hundred instructions.
        job = json.loads((self.folder / "one" / "predicate.json").read_text())["job"]
        self.assertEqual(job["max_instructions"], 20_000)
        self.assertLessEqual(self.instructions(self.minimize(BIG, "two", "--jobs", "2", *plant)), 8)
        self.assertEqual(self.results("one"), self.results("two"))
        files = self.results("one")
        self.assertEqual(sorted(files), ["difference.txt", "minimal.amber", "neighbour.amber", "original.amber",
                                         "predicate.json", "steps.jsonl"])
        self.assertIn(b"OpISub", files["minimal.amber"])
        steps = [json.loads(line) for line in files["steps.jsonl"].splitlines()]
        self.assertEqual([step["step"] for step in steps], list(range(1, len(steps) + 1)))
        # The bundle of it replays, by the verb and by its own script, and is the same when it is made again.
        names = ["first", "second"]
        for name in names:
            self.instructions(self.minimize(BIG, "one", "--jobs", "1", *plant, "--bundle", self.folder / name))
        self.assertEqual(*map(self.results, names))
        bundle = self.folder / "first"
        self.assertEqual(run("replay", bundle).returncode, 1)
        self.checkModules(bundle)
        environment = dict(os.environ, PATH=f"{pathlib.Path(ASSAY).parent}:{os.environ['PATH']}")
        plain = subprocess.run(["sh", bundle / "cmd.sh"], capture_output=True, text=True, env=environment, timeout=60)
        self.assertEqual(plain.returncode, 1, plain.stderr)
        self.checkBundle(bundle)
        predicate = (bundle / "predicate.json").read_text().replace('"wrong-subtract"', "")
        (bundle / "predicate.json").write_text(predicate)
        gone = run("replay", bundle)
        self.assertEqual((gone.returncode, gone.stdout), (0, "it is gone: pass\n"))
        # The minimal case fails where the fault is, and passes where it is not; its neighbour passes.
        minimal = self.folder / "one" / "minimal.amber"
        neighbour = self.folder / "one" / "neighbour.amber"
        self.assertEqual(run("diff", minimal, *WHERE, *plant).returncode, 1)
        self.assertEqual(run("diff", minimal, *WHERE).returncode, 0)
        self.assertEqual(run("diff", neighbour, *WHERE, *plant).returncode, 0)

    def checkModules(self, bundle):
        """What a reducer of modules asks: 0 while the bug shows."""
        other = self.folder / "other.spv"
        other.write_bytes((bundle / "case.spv").read_bytes()[:-4])
        for module, status, words in ((bundle / "case.spv", 0, "it still shows"), (other, 1, "it is gone: invalid")):
            done = run("replay", "--interesting", bundle, module)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(words, done.stdout)
        self.assertEqual(run("replay", bundle, bundle / "case.spv").returncode, 1)
        self.assertEqual(run("replay", bundle, bundle / "case.spv", "--pipeline", "1").returncode, 2)

    def test_goes_without_spirv_reduce(self):
        case = self.write("two.amber", TWO_BUGS)
        command = [ASSAY, "minimize", case, *WHERE, "--plant", "wrong-subtract", "--quiet", "-o"]
        done = subprocess.run([*command, self.folder / "without"], capture_output=True, text=True,
                              env=dict(os.environ, PATH=str(self.folder)), timeout=60)
        self.assertLessEqual(self.instructions(done), 8)
        self.assertEqual(done.stderr.count("spirv-reduce is not installed"), 1, done.stderr)
        done = subprocess.run([*command, self.folder / "not-asked", "--no-spirv-reduce"], capture_output=True,
                              text=True, timeout=60)
        self.assertLessEqual(self.instructions(done), 8)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.results("without"), self.results("not-asked"))

    def checkBundle(self, bundle):
        self.assertEqual(sorted(path.name for path in bundle.iterdir()), [
            "README.md", "actual.json", "case.amber", "case.spv", "case.spvasm", "cmd.sh", "expected.json", "isa.txt",
            "log.txt", "out.elf", "predicate.json", "provenance.json"])
        readme = (bundle / "README.md").read_text()
        self.assertLess(readme.count("\n"), 150)
        for words in ("# REF-DIFF on gcn gfx1100", "OpISub", "| expected | actual |", "assay replay .",
                      "## What makes it pass"):
            self.assertIn(words, readme)
        self.assertNotIn(str(self.folder), readme + (bundle / "log.txt").read_text())
        self.assertNotEqual(json.loads((bundle / "expected.json").read_text()),
                            json.loads((bundle / "actual.json").read_text()))
        self.assertEqual((bundle / "out.elf").read_bytes()[:4], b"\x7fELF")
        self.assertEqual(json.loads((bundle / "provenance.json").read_text())["schema"], "assay.provenance/1")

    def test_bundles_of_what_is_not_reduced(self):
        bundle = self.folder / "bundle"
        done = run("minimize", BIG, *WHERE, "--plant", "compile-crash", "--no-reduce", "--bundle", bundle)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("replay", bundle).returncode, 1)
        self.assertFalse((bundle / "out.elf").exists())
        self.assertIn("crash compile SIGSEGV", (bundle / "README.md").read_text())
        self.assertEqual(run("minimize", BIG, *WHERE, "--no-reduce").returncode, 2)
        self.assertEqual(run("minimize", BIG, *WHERE).returncode, 2)
        (bundle / "case.amber").unlink()
        done = run("replay", bundle)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertOneLine(done.stderr)
        self.assertIn("lacks its case: case.amber", done.stderr)
        self.assertEqual(run("replay", self.folder).returncode, 2)

    def test_generated_cases(self):
        campaign = ("--seed", "5", "--profile", "small", "--cases", "12", "--quiet", "--plant", "wrong-subtract")
        run("fuzz", *campaign, *WHERE, "-o", self.folder / "campaign")
        findings = sorted((self.folder / "campaign" / "findings").iterdir())
        self.assertTrue(findings)
        for finding in findings if FULL else findings[:1]:
            done = self.minimize(finding, "of-" + finding.name, "--plant", "wrong-subtract")
            self.assertLessEqual(self.instructions(done), 12, done.stdout)

    def test_steps_of_transformed_cases_go_first(self):
        campaign = ("--seed", "5", "--profile", "small", "--transform", "20")
        done = run("fuzz", *campaign, "--cases", "24", "--shard", "18/24", "--quiet", "--compile-again", "0", *WHERE,
                   "--plant", "wrong-subtract", "-o", self.folder / "shard")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(run("merge", self.folder / "shard", "-o", self.folder / "campaign").returncode, 0)
        finding = self.folder / "campaign" / "findings" / "5-17"
        log = (finding / "transform.jsonl").read_text()
        self.assertEqual(len(log.splitlines()), 21)
        # The same is printed for one case alone.
        done = run("fuzz", *campaign, "--print", "17", "--log", self.folder / "log.jsonl")
        self.assertEqual(done.stdout, (finding / "case.amber").read_text())
        self.assertEqual((self.folder / "log.jsonl").read_text(), log)
        self.assertEqual(run("fuzz", *campaign, "--log", self.folder / "log.jsonl").returncode, 2)
        # The one step that subtracts is left, and triage hears of it.
        plant = ("--plant", "wrong-subtract", "--quiet")
        done = run("minimize", finding, *plant, "-o", finding / "minimal")
        self.assertLessEqual(self.instructions(done), 8)
        left = [json.loads(line) for line in (finding / "minimal" / "transform.jsonl").read_text().splitlines()]
        self.assertEqual([step["apply"] for step in left[1:]], ["rewrite-instruction"])
        self.assertIn(json.loads(log.splitlines()[0]), left)
        steps = [json.loads(line) for line in (finding / "minimal" / "steps.jsonl").read_text().splitlines()]
        reductions = [step["reduction"] for step in steps]
        self.assertEqual(reductions[0], "drop-steps")
        self.assertNotIn("drop-steps", reductions[reductions.count("drop-steps"):])
        done = run("triage", self.folder / "campaign", "--format", "json")
        self.assertIn("transformations+2", done.stdout)
        # A log that does not lead to the case is left alone, and that is said.
        (finding / "case.amber").write_text((finding / "case.amber").read_text() + "# Another.\n")
        done = run("minimize", finding, *plant, "-o", self.folder / "other", "--max-total-time", "0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("steps are not cut", done.stderr)
        self.assertFalse((self.folder / "other" / "transform.jsonl").exists())
        # Alone, without its campaign, it is a case like any other.
        alone = shutil.copytree(finding, self.folder / "alone", ignore=shutil.ignore_patterns("minimal"))
        (alone / "transform.jsonl").write_text(log)
        done = run("minimize", alone, *plant, "-o", self.folder / "third", "--max-total-time", "0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("campaign.json; steps are not cut", done.stderr)

    def test_does_not_drift_to_another_bug(self):
        plants = ("--plant", "wrong-subtract", "--plant", "mix-swapped")
        # The first buffer that differs is the first finding.
        order = {"float": TWO_BUGS, "uint": re.sub(r"(BUFFER f DATA.*\n)(BUFFER u DATA.*\n)", r"\2\1", TWO_BUGS)}
        for kind, keeps, drops in (("float", "FMix", "OpISub"), ("uint", "OpISub", "FMix")):
            done = self.minimize(self.write(f"{kind}.amber", order[kind]), kind, *plants)
            self.assertLessEqual(self.instructions(done), 12)
            text = (self.folder / kind / "minimal.amber").read_text()
            self.assertIn(keeps, text)
            self.assertNotIn(drops, text)

    def test_goes_on_after_a_kill(self):
        plant = ("--plant", "wrong-subtract")
        self.instructions(self.minimize(BIG, "whole", *plant))
        folder = self.folder / "killed"
        for _ in range(3):
            process = self.start(ASSAY, "minimize", BIG, *WHERE, *plant, "-o", folder, "--quiet",
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            tried = folder / "tried.jsonl"
            before = len(tried.read_text().splitlines()) if tried.exists() else 0
            end = time.time() + 60
            while process.poll() is None and time.time() < end:
                if tried.exists() and len(tried.read_text().splitlines()) >= before + 10:
                    process.send_signal(signal.SIGKILL)
                time.sleep(0.01)
            process.wait()
            if before and (folder / "minimal.amber").exists():
                self.assertEqual(run("diff", folder / "minimal.amber", *WHERE, *plant).returncode, 1)
        done = self.minimize(BIG, "killed", *plant)
        self.instructions(done)
        self.assertEqual(self.results("killed"), self.results("whole"))
        # Nor does a bound that passes while the earlier run is repeated take back what that run reached.
        self.instructions(self.minimize(BIG, "killed", *plant, "--max-total-time", "0.001"))
        self.assertEqual(self.results("killed"), self.results("whole"))

    def test_crashes_become_next_to_nothing(self):
        done = self.minimize(BIG, "crash", "--plant", "compile-crash")
        self.assertLessEqual(self.instructions(done), 2)
        predicate = json.loads((self.folder / "crash" / "predicate.json").read_text())
        self.assertEqual((predicate["state"], predicate["signature"]), ("crash", "crash compile SIGSEGV"))

    def test_what_cannot_be_minimized(self):
        good = self.write("good.amber", GOOD)
        done = self.minimize(good, "nothing")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nothing to look into", done.stderr)
        done = self.minimize(good, "never", "--max-total-time", "-1")
        self.assertEqual(done.returncode, 2)
        self.assertLess(len(done.stderr), 100)
        predicate = self.write("predicate.json", "{}")
        done = run("minimize", good, "--predicate", predicate, "-o", self.folder / "broken")
        self.assertEqual(done.returncode, 2)
        self.assertOneLine(done.stderr)
        # The file says where it is run: nothing else may.
        done = self.minimize(good, "broken", "--predicate", predicate)
        self.assertEqual(done.returncode, 2)
        self.assertIn("excludes", done.stderr)
        # A folder that is no finding's: of a campaign, of a minimization.
        done = self.minimize(self.folder, "folder")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not the folder of a finding", done.stderr)
        plant = ("--plant", "wrong-subtract", "--max-total-time", "0.001")
        done = self.minimize(BIG, "short", *plant)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("out of time", done.stdout)
        # The folder of one minimization is not taken for another.
        done = run("minimize", good, "--predicate", self.folder / "short" / "predicate.json", "-o", self.folder / "short")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("another minimization", done.stderr)


if __name__ == "__main__":
    unittest.main()
