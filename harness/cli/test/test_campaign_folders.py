#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders of campaigns: a killed one goes on to the same result, one process at a time works in one, another campaign or
build is refused, and a failed merge leaves nothing."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import unittest

import json_schema
from campaign import CAMPAIGN, CampaignTest
from command import ASSAY, SOURCE, run

FULL = os.environ.get("ASSAY_SCALE") == "full"


class CampaignFolders(CampaignTest):
    def test_another_campaign_is_refused(self):
        schema = json.loads((SOURCE / "docs" / "schemas" / "campaign.schema.json").read_text())
        self.assertEqual(self.fuzz("one", "--sanitize", "off", cases=1).returncode, 0)
        file = self.folder / "one" / "campaign.json"
        before = file.read_text()
        options = json.loads(before)
        self.assertEqual(json_schema.check(options, schema), [])
        # Threads change no result.
        self.assertEqual(self.fuzz("one", "--sanitize", "off", "--threads", "2", cases=1).returncode, 0)
        for other, said in (((), "schedule is "), (("--sanitize", "off", "--schedule", "late"), "schedule is "),
                            (("--sanitize", "off", "--schedules", "2"), "schedule is "),
                            (("--sanitize", "off", "--schedule-seed", "9"), "schedule is "),
                            (("--sanitize", "off", "--timeout", "61"), "timeoutMs is 60000, not 61000")):
            done = self.fuzz("one", *other, cases=1)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("other options: " + said, done.stderr)
            self.assertOneLine(done.stderr)
        # Another build gives other results: neither goes the campaign on, nor are its shards merged.
        file.write_text(before.replace(options["build"]["program"], "xxh3 0"))
        done = self.fuzz("one", "--sanitize", "off", cases=1)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("another build: program is ", done.stderr)
        self.assertEqual(self.fuzz("two", "--sanitize", "off", cases=1).returncode, 0)
        done = run("merge", self.folder / "one", self.folder / "two", "-o", self.folder / "both")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("another build: program is ", done.stderr)
        self.assertFalse((self.folder / "both").exists())
        self.assertEqual(run("report", self.folder / "one", "--quiet").returncode, 0)  # Anybody may read it.

    def test_a_program_that_is_replaced_meanwhile_stays_the_one_that_runs(self):
        program = self.folder / "assay"
        shutil.copy(ASSAY, program)
        child = self.start(program, "fuzz", *CAMPAIGN, "--cases", "6", "-o", self.folder / "one", "--warm", "off",
                           "--batch", "1", stdout=subprocess.DEVNULL)
        self.await_results("one", child)
        other = self.write("other", "#!/bin/sh\nexit 0\n")
        other.chmod(0o755)
        other.rename(program)
        self.assertEqual(child.wait(timeout=300), 0)
        self.assertEqual(self.fuzz("two", cases=6).returncode, 0)
        self.assertEqual(self.contents("one"), self.contents("two"))

    def test_one_process_at_a_time_works_in_a_folder(self):
        child = self.start(ASSAY, "fuzz", *CAMPAIGN, "--cases", "100000", "-o", self.folder / "one",
                           stdout=subprocess.DEVNULL)
        self.await_results("one", child)
        again = ("fuzz", *CAMPAIGN, "--cases", "100000", "-o", self.folder / "one", "--max-total-time", "0.001")
        begin = time.monotonic()
        for command in (again, ("merge", self.folder / "one", "-o", self.folder / "one")):
            done = run(*command)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertOneLine(done.stderr)
            self.assertIn("another process works in ", done.stderr)
        self.assertLess(time.monotonic() - begin, 30)
        # To read it is nobody's harm; and who is dead holds nothing.
        self.assertEqual(run("merge", self.folder / "one", "-o", self.folder / "copy").returncode, 0)
        child.kill()
        child.wait()
        self.assertEqual(run(*again).returncode, 0)

    def test_a_failed_merge_leaves_nothing(self):
        plant = ("--plant", "wrong-subtract")
        names = [self.folder / f"part{k}" for k in (1, 2)]
        for k, name in enumerate(names, 1):
            self.assertIn(self.fuzz(name.name, *plant, "--shard", f"{k}/2").returncode, (0, 1))
        merged = self.folder / "merged"

        def refused(*words):
            done = run("merge", *names, "-o", merged)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertOneLine(done.stderr)
            for word in words:
                self.assertIn(str(word), done.stderr)
            self.assertNotIn(str(merged), done.stderr)
            self.assertFalse(merged.exists())

        results = names[1] / "results.jsonl"
        text = results.read_text()
        results.write_text(text.replace('"number":1,', '"number":12,', 1))
        refused("part2/results.jsonl, line ", "none of number 12")
        results.write_text(text.replace('"id":"5-', '"id":"6-', 1))
        refused("part2/results.jsonl, line ", "not 6-")
        first = (names[0] / "results.jsonl").read_text().splitlines()[0]
        self.assertIn('"state":"pass"', first)
        results.write_text(first.replace('"state":"pass"', '"state":"invalid"', 1) + "\n" + text)
        refused(names[0], names[1], "another in")
        results.write_text(text)
        finding = sorted((names[1] / "findings").iterdir())[0] / "case.amber"
        case = finding.read_bytes()
        finding.unlink()
        refused(finding)
        finding.write_bytes(case)
        # One that there was stays as it was; results of nobody knows what are not taken over.
        self.assertEqual(run("merge", names[0], "-o", merged).returncode, 0)
        before = self.contents("merged")
        self.assertEqual(self.fuzz("other", cases=2).returncode, 0)
        done = run("merge", self.folder / "other", "-o", merged)
        self.assertEqual(done.returncode, 2)
        self.assertIn("other options", done.stderr)
        self.assertEqual(self.contents("merged"), before)
        (merged / "campaign.json").unlink()
        for command in (("merge", *names), ("fuzz", *CAMPAIGN, "--cases", "12")):
            done = run(*command, "-o", merged)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("no campaign.json", done.stderr)

    def test_what_the_tool_could_not_do_is_no_result(self):
        done = self.fuzz("one", "--work-dir", self.write("a-file", "") / "below")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertOneLine(done.stderr)
        self.assertFalse((self.folder / "one" / "results.jsonl").exists())
        self.assertEqual(self.fuzz("one").returncode, 0)

    def test_killed_workers_change_nothing(self):
        self.assertEqual(self.fuzz("one", cases=60).returncode, 0)
        child = self.start(ASSAY, "fuzz", *CAMPAIGN, "--cases", "60", "-o", self.folder / "shot",
                           stdout=subprocess.DEVNULL)
        moments, shots = random.Random(5), 0
        while child.poll() is None and shots < 4:
            time.sleep(moments.uniform(0.2, 0.5))
            try:
                workers = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
                # Not those that run a job alone: their deaths count.
                warm = [pid for pid in workers if b"--serve" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()]
                os.kill(int(warm[0]), signal.SIGKILL)
                shots += 1
            except (OSError, IndexError):
                pass
        self.assertEqual(child.wait(timeout=300), 0)
        self.assertGreater(shots, 0)
        self.assertEqual(self.contents("shot"), self.contents("one"))

    def test_a_killed_campaign_goes_on(self):
        self.assertEqual(self.fuzz("one").returncode, 0)
        moments = random.Random(7)
        for _ in range(50 if FULL else 4):
            child = self.start(ASSAY, "fuzz", *CAMPAIGN, "--cases", "12", "-o", self.folder / "killed", "--batch", "2",
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moments.uniform(0.01, 0.8))
            child.send_signal(signal.SIGKILL)
            child.wait()
        self.assertEqual(self.fuzz("killed").returncode, 0)
        self.assertEqual(self.contents("killed"), self.contents("one"))
        # Killed after its results were kept, before its cases were taken away.
        self.write("killed/inflight/5-3.amber", "")
        # And while it wrote a file.
        for name in ("inflight/5-3.amber.0a1b2c", "result.json.0a1b2c", "campaign.json.0a1b2c"):
            self.write("killed/" + name, "{")
        self.assertEqual(self.fuzz("killed").returncode, 0)
        self.assertEqual(self.contents("killed"), self.contents("one"))

    def test_termination_ends_after_a_batch(self):
        coverage = self.folder / "coverage.json"
        child = self.start(ASSAY, "fuzz", *CAMPAIGN, "--cases", "100000", "-o", self.folder / "stopped", "--batch", "2",
                           "--coverage", coverage, stdout=subprocess.PIPE, text=True)
        self.await_results("stopped", child)
        child.send_signal(signal.SIGTERM)
        out, _ = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 0)
        self.assertIn("the same command goes on", out)
        self.assertIn("coverage not written", out)
        self.assertFalse(coverage.exists())
        kept = len((self.folder / "stopped" / "results.jsonl").read_text().splitlines())
        report = json.loads((self.folder / "stopped" / "result.json").read_text())
        self.assertEqual(report["schema"], "assay.fuzz/1")
        self.assertEqual(len([verdict for verdict in report["verdicts"] if verdict["machine"] != "compile-again"]),
                         2 * kept)

    def test_a_torn_line_is_cut_off(self):
        self.assertEqual(self.fuzz("one").returncode, 0)
        before = self.contents("one")
        results = self.folder / "one" / "results.jsonl"
        text = results.read_text()
        results.write_text(text[:-40])
        self.assertEqual(self.fuzz("one").returncode, 0)
        self.assertEqual(self.contents("one"), before)
        results.write_text("nonsense\n")
        broken = self.fuzz("one")
        self.assertNotEqual(broken.returncode, 0)
        self.assertIn("line 1", broken.stderr)

    def test_wrong_command_lines(self):
        self.assertEqual(self.fuzz("one", cases=1).returncode, 0)
        for options, word in ((("--shard", "3/2"), "K/N"), (("--shard", "x"), "K/N"), (("--profile", "x"), "floats"),
                              (("--targets", "gfx1"), "gfx1"), (("--seed", "6"), "other options")):
            chosen = {name: value for name, value in zip(CAMPAIGN[:-1:2], CAMPAIGN[1:-1:2])}
            chosen[options[0]] = options[1]
            done = run("fuzz", *(word for pair in chosen.items() for word in pair), "--quiet", "--cases", 1,
                       "-o", self.folder / "one")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertOneLine(done.stderr)
        self.assertEqual(run("fuzz").returncode, 2)
        done = run("merge", self.folder / "nowhere", "-o", self.folder / "x")
        self.assertEqual(done.returncode, 2)
        self.assertOneLine(done.stderr)
        self.assertEqual(self.fuzz("other", cases=2).returncode, 0)
        done = run("merge", self.folder / "one", self.folder / "other", "-o", self.folder / "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("different campaigns", done.stderr)

if __name__ == "__main__":
    unittest.main()
