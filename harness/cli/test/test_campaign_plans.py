#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of campaigns: what the engines of one machine make of theirs is what one process gives; a stopped one goes on.
Slurm's is run by ci/slurm-test, those of CI services are read as YAML by assay.harness.campaign.test."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from command import ASSAY, CommandTest, run

CAMPAIGN = ("--seed", "5", "--profile", "small", "--targets", "gfx1100", "-O", "2", "--jobs", "1")


class Plans(CommandTest):
    def plan(self, engine, *options, cases=12):
        """The file to start."""
        done = run("campaign", "plan", "--engine", engine, "--output", self.folder / "a plan", *options, "--",
                   *CAMPAIGN, "--cases", cases)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def assertMergedIsWhole(self, cases=12):
        one = run("fuzz", *CAMPAIGN, "--quiet", "--cases", cases, "-o", self.folder / "one")
        self.assertEqual(one.returncode, 0, one.stderr)
        merged = self.folder / "a plan" / "merged"
        for name in ("campaign.json", "result.json"):
            self.assertEqual((merged / name).read_bytes(), (self.folder / "one" / name).read_bytes())
        self.assertTrue((self.folder / "a plan" / "html" / "index.html").exists())

    def test_local(self):
        start = self.plan("local", "--shards", "5", "--at-once", "2")
        done = subprocess.run([start], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 of 12 cases", done.stdout)
        self.assertMergedIsWhole()

    def test_another_plan_is_not_overwritten(self):
        start = pathlib.Path(self.plan("local", "--shards", "2"))
        before = {path.name: path.read_bytes() for path in start.parent.iterdir()}
        self.plan("local", "--shards", "2")  # The same one.
        done = run("campaign", "plan", "--engine", "local", "--output", start.parent, "--shards", "3", "--", *CAMPAIGN)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertOneLine(done.stderr)
        self.assertIn("is of another plan", done.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in start.parent.iterdir()}, before)

    def test_a_failed_shard_fails_the_local_plan(self):
        start = self.plan("local", "--shards", "5", "--at-once", "2")
        for failing in range(1, 6):  # The last ones may end before they are waited for.
            (self.folder / "a plan" / "shard.sh").write_text(f'#!/bin/sh\n[ "$1" -ne {failing} ] || exit 7\n')
            done = subprocess.run([start], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 7, f"shard {failing}: {done.stdout}")

    def test_a_stopped_one_goes_on(self):
        start = self.plan("local", "--shards", "2", "--at-once", "2", cases=100)  # Two batches a shard.
        child = self.start(start, stdout=subprocess.DEVNULL)
        results = self.folder / "a plan" / "shard-1" / "results.jsonl"
        deadline = time.monotonic() + 120
        while not results.exists():
            self.assertIsNone(child.poll(), "it ended before its first batch")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(timeout=120), 0)
        self.assertEqual(subprocess.run([start], stdout=subprocess.DEVNULL, timeout=300).returncode, 0)
        self.assertMergedIsWhole(cases=100)

    def test_slurm_requeues_a_shard_whose_time_is_up(self):
        self.plan("slurm", "--shards", "2")
        plan = self.folder / "a plan"
        said = self.folder / "said"
        self.write("bin/scontrol", f'#!/bin/sh\necho "$@" >>"{said}"\n').chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "SLURM_ARRAY_JOB_ID": "70",
                       "SLURM_ARRAY_TASK_ID": "2"}
        # The shard's exit code; whether it is told to end, which takes it a while; what scontrol is told.
        for code, is_told, expected in ((0, True, "requeue 70_2\n"), (7, True, ""), (0, False, ""), (7, False, "")):
            with self.subTest(code=code, is_told=is_told):
                for path in (said, plan / "began"):
                    path.unlink(missing_ok=True)
                # Not for ever, where nobody tells it.
                waits = 'for i in $(seq 1000); do [ -z "$told" ] || break; sleep 0.02; done; sleep 0.2' if is_told else ":"
                script = ("#!/bin/sh", "trap told=yes TERM", "sleep 0.1", f'echo $1 >"{plan}/began"', waits, f"exit {code}")
                (plan / "shard.sh").write_text("\n".join(script) + "\n")
                child = self.start("bash", plan / "shards.sbatch", env=environment)
                deadline = time.monotonic() + 60
                while is_told and not (plan / "began").exists():
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.02)
                if is_told:
                    child.send_signal(signal.SIGTERM)
                self.assertEqual(child.wait(timeout=60), code)
                self.assertEqual((plan / "began").read_text(), "2\n")
                self.assertEqual(said.read_text() if said.exists() else "", expected)

    def test_a_plan_has_what_steers_it(self):
        table = self.folder / "here.json"
        made = run("fuzz", *CAMPAIGN, "--quiet", "--cases", "4", "-o", self.folder / "first", "--coverage", table,
                   "--coverage-sample", "1")
        self.assertEqual(made.returncode, 0, made.stderr)
        done = run("campaign", "plan", "--engine", "local", "--shards", "2", "-o", "plan", "--", *CAMPAIGN, "--cases", "4",
                   "--steer", "here.json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        table.unlink()
        done = subprocess.run([done.stdout.strip()], capture_output=True, text=True, timeout=300, cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = self.folder / "plan"
        self.assertEqual((plan / "merged" / "steering.json").read_bytes(), (plan / "steering.json").read_bytes())

    def test_a_campaign_that_compares_nothing_fails_its_plan(self):
        done = run("campaign", "plan", "--engine", "local", "--shards", "2", "-o", self.folder / "plan", "--", "--cases", "2",
                   "--machines", "spirv,vulkan:nodriver", "--profile", "small")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([done.stdout.strip()], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
        self.assertIn("nothing was compared", done.stdout)

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_parallel(self):
        start = self.plan("parallel", "--shards", "3")
        done = subprocess.run([start], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertMergedIsWhole()

    def test_wrong_command_lines(self):
        good = ("--engine", "local", "--shards", "2", "-o", self.folder / "plan")
        for options, arguments, word in (((), ("--targets", "gfx1"), "gfx1"), ((), ("--shard", "1/2"), "--shard"),
                                         ((), ("--nonsense",), "--nonsense"), ((), ("-o", "x"), "--output"),
                                         (("--name", "a b"), (), "a b"), (("--shards", "0"), (), "shards"),
                                         ((), ("--steer", "nowhere.json"), "nowhere.json")):
            done = run("campaign", "plan", *good, *options, "--", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertOneLine(done.stderr)
        self.assertEqual(run("campaign", "plan", "--engine", "condor", "--shards", "1", "-o", "x").returncode, 2)
        self.assertEqual(run("campaign").returncode, 2)
        self.assertFalse((self.folder / "plan").exists())


if __name__ == "__main__":
    unittest.main()
