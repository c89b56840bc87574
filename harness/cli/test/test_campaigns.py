#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Campaigns: shards give what one process gives, a killed one goes on to the same result, faults are found, and wrong
command lines say so."""
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
from command import ASSAY, SOURCE, CommandTest, run

FULL = os.environ.get("ASSAY_SCALE") == "full"
CAMPAIGN = ("--seed", "5", "--profile", "small", "--targets", "gfx1100", "-O", "2", "--quiet")


class Campaigns(CommandTest):
    def fuzz(self, name, *options, cases=12):
        return run("fuzz", *CAMPAIGN, "--cases", cases, "-o", self.folder / name, *options)

    def contents(self, name):
        """Everything a campaign leaves, but for what depends on the order of its work."""
        folder = self.folder / name
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in files if path.name != "results.jsonl" and path.parent.name != "journal"}

    def test_shards_give_what_one_process_gives(self):
        plant = ("--plant", "wrong-subtract")
        one = self.fuzz("one", *plant)
        self.assertEqual(one.returncode, 1, one.stderr)
        names = []
        for k in range(1, 8):
            names.append(self.folder / f"shard{k}")
            self.assertIn(self.fuzz(f"shard{k}", *plant, "--shard", f"{k}/7", "--batch", "1").returncode, (0, 1))
        random.Random(3).shuffle(names)
        self.assertEqual(run("merge", *names, "-o", self.folder / "merged").returncode, 0)
        self.assertEqual(self.contents("merged"), self.contents("one"))
        # Idempotent, and in any grouping.
        self.assertEqual(run("merge", self.folder / "merged", *names[:3], "-o", self.folder / "merged").returncode, 0)
        self.assertEqual(self.contents("merged"), self.contents("one"))
        findings = sorted(path.name for path in (self.folder / "one" / "findings").iterdir())
        self.assertTrue(findings)
        case = self.folder / "one" / "findings" / findings[0] / "case.amber"
        again = run("diff", case, "--targets", "gfx1100", "-O", "2", *plant)
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertEqual(run("diff", case, "--targets", "gfx1100", "-O", "2").returncode, 0)
        self.assertEqual(run("triage", self.folder / "one" / "result.json").returncode, 1)
        # A report is read elsewhere: its commands name the case where it is.
        report = json.loads(run("report", f"{self.folder / 'one'}/", "--format", "json").stdout)
        reruns = [each["rerun"] for each in report["verdicts"] if each["case"] == findings[0] and each["state"] == "fail"]
        self.assertTrue(reruns)
        self.assertTrue(all(f" {case} " in rerun for rerun in reruns), reruns)

    def test_the_journal_says_where_the_time_went(self):
        schema = json.loads((SOURCE / "docs" / "schemas" / "batch.schema.json").read_text())
        self.assertEqual(self.fuzz("one", "--batch", "4", "--shard", "1/2").returncode, 0)
        self.assertEqual(self.fuzz("two", "--batch", "4", "--shard", "2/2").returncode, 0)
        for _ in range(2):
            self.assertEqual(run("merge", self.folder / "one", self.folder / "two", "-o", self.folder / "all").returncode, 0)
        lines = {path.name: path.read_text().splitlines() for path in (self.folder / "all" / "journal").iterdir()}
        self.assertEqual({name: len(each) for name, each in lines.items()}, {"1-of-2.jsonl": 2, "2-of-2.jsonl": 2})
        batches = [json.loads(line) for line in lines["1-of-2.jsonl"]]
        for batch in batches:
            self.assertEqual(json_schema.check(batch, schema), [])
            for case in batch["cases"]:
                self.assertTrue(0 < case["compile_us"] < case["us"])
        self.assertEqual([case["number"] for batch in batches for case in batch["cases"]], list(range(0, 12, 2)))
        self.assertFalse(set(batches[0]["features"]) & set(batches[1]["features"]))
        self.assertIn("op OpFunction", batches[0]["features"])
        # Half a line of a process that was killed goes, and what it knew of stays known.
        journal = self.folder / "one" / "journal" / "1-of-2.jsonl"
        journal.write_text(journal.read_text() + "{\"schema")
        self.assertEqual(self.fuzz("one", "--shard", "1/2").returncode, 0)
        self.assertEqual(journal.read_text().splitlines(), lines["1-of-2.jsonl"])

    def test_warm_workers_give_what_cold_ones_give(self):
        # A planted fault keeps its case away from warm workers: one case has it.
        self.assertEqual(self.fuzz("all", "--plant", "wrong-subtract").returncode, 1)
        findings = sorted(path.name for path in (self.folder / "all" / "findings").iterdir())
        options = ("--plant", f"wrong-subtract@{findings[0]}")
        cold = self.fuzz("cold", *options, "--warm", "off")
        self.assertEqual(cold.returncode, 1, cold.stderr)
        warm = self.fuzz("warm", *options, "--warm", "on", "--jobs", "3")
        self.assertEqual(warm.returncode, 1, warm.stderr)
        self.assertEqual(self.contents("warm"), self.contents("cold"))
        self.assertEqual(sorted((self.folder / "warm" / "results.jsonl").read_text().splitlines()),
                         sorted((self.folder / "cold" / "results.jsonl").read_text().splitlines()))

    def test_a_crash_is_the_one_case_s(self):
        done = self.fuzz("crash", "--plant", "compile-crash@5-7")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads((self.folder / "crash" / "result.json").read_text())
        crashed = [verdict["case"] for verdict in report["verdicts"] if verdict["state"] == "crash"]
        self.assertEqual(crashed, ["5-7"])
        self.assertEqual(report["counts"]["pass"], 24)  # 12 references, 11 runs, and one compiled again.

    def test_code_that_is_another_in_another_process_is_found(self):
        done = self.fuzz("runs", "--plant", "hash-of-run", "--compile-again", "2", cases=2)
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads((self.folder / "runs" / "result.json").read_text())
        failed = [verdict for verdict in report["verdicts"] if verdict["state"] != "pass"]
        self.assertEqual([(each["machine"], each["findings"][0]["rule"]) for each in failed], [("compile-again", "DETERMINISM")])

    def test_transformed_cases_mean_the_same(self):
        done = self.fuzz("pairs", "--transform", "20")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = run("fuzz", *CAMPAIGN, "--transform", "20", "--print", "3").stdout
        self.assertIn("RUN pipeline_t", text)
        self.assertIn(" EQ_BUFFER ", text)
        # What is wrong with one of the two alone is seen by the comparison.
        changed = self.write("pair.amber", text.replace("RUN pipeline_t", "# RUN pipeline_t"))
        broken = run("run", changed, "--machine", "spirv")
        self.assertEqual(broken.returncode, 1, broken.stdout)

    def test_every_end_of_a_case_has_its_state(self):
        plants = {"5-1": "compile-crash", "5-2": "compile-oom", "5-4": "compile-hang", "5-6": "compile-fatal-error"}
        options = [word for case, fault in plants.items() for word in ("--plant", f"{fault}@{case}")]
        done = run("fuzz", "--seed", "5", "--profile", "small", "--targets", "gfx1100,a630", "-O", "2", "--quiet",
                   "--cases", "8", "-o", self.folder / "states", *options, "--memory-limit", "768", "--timeout", "8",
                   "--retries", "0")
        self.assertEqual(done.returncode, 1, done.stderr)
        verdicts = json.loads((self.folder / "states" / "result.json").read_text())["verdicts"]
        states = {verdict["case"]: verdict["state"] for verdict in verdicts
                  if verdict["machine"] == "gcn" and verdict["target"] == "gfx1100"}
        expected = {"5-1": "crash", "5-2": "oom", "5-4": "timeout", "5-6": "crash"}
        self.assertEqual(states, {f"5-{number}": expected.get(f"5-{number}", "pass") for number in range(8)})
        self.assertEqual({verdict["state"] for verdict in verdicts if verdict["target"] == "a630"}, {"unsupported"})
        self.assertEqual(sorted(path.name for path in (self.folder / "states" / "findings").iterdir()), sorted(expected))

    def test_a_campaign_that_compares_nothing_says_so(self):
        for index, options in enumerate((("--targets", "a630"), ("--machines", "gcn"),
                                         ("--machines", "spirv,vulkan:nodriver"))):
            name = f"nothing{index}"
            done = run("fuzz", "--seed", "5", "--profile", "small", "-O", "2", "--quiet", "--cases", "2", "-o",
                       self.folder / name, *options)
            self.assertEqual(done.returncode, 77, options)
            self.assertIn("0 findings", done.stdout)
            self.assertIn(" unsupported; nothing was compared", done.stdout)
            self.assertEqual(run("report", self.folder / name, "--quiet").returncode, 77)
        # Its pair of pipelines is something to compare.
        done = self.fuzz("pairs", "--machines", "gcn", "--transform", "5", cases=2)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 cases run, 2 in ", done.stdout)
        self.assertIn(", 0 findings, 3 pass\n", done.stdout)  # Two runs, and one compiled again.

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
        options["build"]["program"] = "xxh3 0"
        file.write_text(before.replace(json.loads(before)["build"]["program"], "xxh3 0"))
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
        child = subprocess.Popen([program, "fuzz", *CAMPAIGN, "--cases", "6", "-o", self.folder / "one", "--warm", "off",
                                  "--batch", "1"], stdout=subprocess.DEVNULL)
        self.await_results("one", child)
        other = self.write("other", "#!/bin/sh\nexit 0\n")
        other.chmod(0o755)
        other.rename(program)
        self.assertEqual(child.wait(timeout=300), 0)
        self.assertEqual(self.fuzz("two", cases=6).returncode, 0)
        self.assertEqual(self.contents("one"), self.contents("two"))

    def test_one_process_at_a_time_works_in_a_folder(self):
        child = subprocess.Popen([ASSAY, "fuzz", *CAMPAIGN, "--cases", "100000", "-o", str(self.folder / "one")],
                                 stdout=subprocess.DEVNULL)
        self.addCleanup(child.kill)
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

    def test_a_huge_campaign_begins_at_once(self):
        for cases in ("200000000", str(2**64 - 1)):
            done = self.fuzz("huge" + cases, "--batch", "1", "--max-total-time", "0.001", "--shard", "3/7", cases=cases)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 cases run, 1 in ", done.stdout)
            self.assertEqual(json.loads((self.folder / ("huge" + cases) / "campaign.json").read_text())["cases"], int(cases))
        for options in (("--cases", "-1"), ("--cases", "0"), ("--cases", "x"), ("--cases", "1e3"), ("--print", "-1"),
                        ("--compile-again", "-1"), ("--check-lowering", "-1"), ("--coverage-sample", "-1")):
            done = run("fuzz", *options, "-o", self.folder / "refused")
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(f"'{options[1]}' is no whole number", done.stderr)
            self.assertOneLine(done.stderr)

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
        child = subprocess.Popen([ASSAY, "fuzz", *CAMPAIGN, "--cases", "60", "-o", str(self.folder / "shot")],
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
            child = subprocess.Popen([ASSAY, "fuzz", *CAMPAIGN, "--cases", "12", "-o", str(self.folder / "killed"),
                                      "--batch", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moments.uniform(0.01, 0.8))
            child.send_signal(signal.SIGKILL)
            child.wait()
        self.assertEqual(self.fuzz("killed").returncode, 0)
        self.assertEqual(self.contents("killed"), self.contents("one"))
        # Killed after its results were kept, before its cases were taken away.
        self.write("killed/inflight/5-3.amber", "")
        self.assertEqual(self.fuzz("killed").returncode, 0)
        self.assertEqual(self.contents("killed"), self.contents("one"))

    def await_results(self, name, child):
        """Until the campaign that child runs has kept a batch."""
        results = self.folder / name / "results.jsonl"
        deadline = time.monotonic() + 120
        while not results.exists():
            self.assertIsNone(child.poll(), "it ended before its first batch")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_termination_ends_after_a_batch(self):
        coverage = self.folder / "coverage.json"
        child = subprocess.Popen([ASSAY, "fuzz", *CAMPAIGN, "--cases", "100000", "-o", str(self.folder / "stopped"),
                                  "--batch", "2", "--coverage", str(coverage)], stdout=subprocess.PIPE, text=True)
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

    def test_coverage_steers_the_next_campaign(self):
        table = self.folder / "coverage.json"
        one = self.fuzz("one", "--coverage", table, "--coverage-sample", "1")
        self.assertEqual(one.returncode, 0, one.stderr)
        coverage = json.loads(table.read_text())
        self.assertEqual(coverage["cases"], 12)
        for kind in ("op ", "row ", "isa gfx1100 "):
            self.assertTrue(any(name.startswith(kind) for name in coverage["features"]), kind)
        # Whoever did the work, and for a sample of the cases alike.
        names = [self.folder / f"part{k}" for k in (1, 2)]
        for k, name in enumerate(names, 1):
            self.assertEqual(self.fuzz(name.name, "--shard", f"{k}/2").returncode, 0)
        self.assertEqual(run("merge", *names, "-o", self.folder / "merged").returncode, 0)
        again = self.folder / "again.json"
        self.assertEqual(self.fuzz("merged", "--coverage", again, "--coverage-sample", "1").returncode, 0)
        self.assertEqual(again.read_bytes(), table.read_bytes())
        self.assertEqual(self.fuzz("merged", "--coverage", again).returncode, 0)
        self.assertEqual(json.loads(again.read_text())["cases"], 2)
        # Some cases change, and the same ones in every shard.
        plain = [run("fuzz", *CAMPAIGN, "--print", k).stdout for k in range(8)]
        steered = [run("fuzz", *CAMPAIGN, "--steer", table, "--print", k).stdout for k in range(8)]
        changed = sum(a != b for a, b in zip(plain, steered))
        self.assertTrue(0 < changed < 8, changed)
        self.assertEqual(self.fuzz("steered", "--steer", table, cases=4).returncode, 0)
        names = [self.folder / f"steered{k}" for k in (1, 2)]
        for k, name in enumerate(names, 1):
            self.assertEqual(self.fuzz(name.name, "--steer", table, "--shard", f"{k}/2", cases=4).returncode, 0)
        self.assertEqual(run("merge", *names, "-o", self.folder / "both").returncode, 0)
        self.assertEqual(self.contents("both"), self.contents("steered"))
        self.assertEqual((self.folder / "both" / "steering.json").read_bytes(), table.read_bytes())
        # A table that got lost is written again; another one in its place is refused, by merge, too.
        table_of = self.folder / "steered" / "steering.json"
        table_of.unlink()
        done = run("merge", self.folder / "steered", "-o", self.folder / "x")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("lacks steering.json", done.stderr)
        self.assertEqual(self.fuzz("steered", "--steer", table, cases=4).returncode, 0)
        self.assertEqual(table_of.read_bytes(), table.read_bytes())
        table_of.write_text("junk")
        for done in (self.fuzz("steered", "--steer", table, cases=4), run("merge", self.folder / "steered", "-o", self.folder / "x")):
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("steering.json is not the table", done.stderr)
        table_of.write_bytes(table.read_bytes())
        self.assertFalse((self.folder / "x").exists())
        # Of a time that is short coverage takes its share, and says what it left out.
        done = self.fuzz("brief", "--coverage", self.folder / "brief.json", "--coverage-sample", "1", "--max-total-time", "0.001", "--batch", "40",
                         cases=40)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("coverage of 16 of 40 cases", done.stdout)
        self.assertEqual(json.loads((self.folder / "brief.json").read_text())["cases"], 16)
        # Tables add up: two of half the cases each are one of all.
        for k, name in enumerate([self.folder / f"part{k}" for k in (1, 2)], 1):
            half = self.fuzz(name.name, "--shard", f"{k}/2", "--coverage", self.folder / f"half{k}.json", "--coverage-sample", "1")
            self.assertEqual(half.returncode, 0, half.stderr)
        halves = [word for k in (1, 2) for word in ("--steer", self.folder / f"half{k}.json")]
        self.assertEqual(self.fuzz("halves", *halves, cases=4).returncode, 0)
        self.assertEqual(self.contents("halves"), self.contents("steered"))
        # Another table is another campaign, and a file that is none is refused.
        other = self.fuzz("steered", "--steer", again, cases=4)
        self.assertEqual(other.returncode, 2)
        self.assertIn("other options", other.stderr)
        missing = self.fuzz("broken", "--steer", self.folder / "nowhere.json")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("nowhere.json", missing.stderr)
        for text in ("nonsense", "{}", '{"schema": "assay.coverage/1", "cases": -1}'):
            broken = self.fuzz("broken", "--steer", self.write("broken.json", text))
            self.assertEqual(broken.returncode, 2)
            self.assertIn("broken.json", broken.stderr)
            self.assertOneLine(broken.stderr)

    def test_a_case_depends_on_its_number_alone(self):
        first = run("fuzz", "--seed", "5", "--print", "3")
        self.assertEqual(first.returncode, 0)
        self.assertTrue(first.stdout.startswith("#!amber"))
        self.assertEqual(run("fuzz", "--seed", "5", "--print", "3", "--cases", "4").stdout, first.stdout)
        self.assertNotEqual(run("fuzz", "--seed", "5", "--print", "4").stdout, first.stdout)


if __name__ == "__main__":
    unittest.main()
