#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Campaigns: shards give what one process gives, faults are found, every end of a case has its state, coverage steers."""
import json
import random
import unittest

import json_schema
from campaign import CAMPAIGN, CampaignTest
from command import SOURCE, run


class Campaigns(CampaignTest):
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
        self.assertEqual(report["counts"]["pass"], 25)  # 12 references, 11 runs, one compiled again, one mutated.

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
        done = run("fuzz", "--seed", "5", "--profile", "small", "--machines", "spirv,gcn,vulkan:nodriver",
                   "--targets", "gfx1100", "-O", "2", "--quiet",
                   "--cases", "8", "-o", self.folder / "states", *options, "--memory-limit", "768", "--timeout", "8",
                   "--retries", "0")
        self.assertEqual(done.returncode, 1, done.stderr)
        verdicts = json.loads((self.folder / "states" / "result.json").read_text())["verdicts"]
        states = {verdict["case"]: verdict["state"] for verdict in verdicts
                  if verdict["machine"] == "gcn" and verdict["target"] == "gfx1100"}
        expected = {"5-1": "crash", "5-2": "oom", "5-4": "timeout", "5-6": "crash"}
        self.assertEqual(states, {f"5-{number}": expected.get(f"5-{number}", "pass") for number in range(8)})
        self.assertEqual({verdict["state"] for verdict in verdicts if verdict["machine"] == "vulkan:nodriver"},
                         {"unsupported"})
        self.assertEqual(sorted(path.name for path in (self.folder / "states" / "findings").iterdir()), sorted(expected))

    def test_a_campaign_that_compares_nothing_says_so(self):
        for index, options in enumerate((("--machines", "gcn"), ("--machines", "spirv,vulkan:nodriver"))):
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

    def test_a_huge_campaign_begins_at_once(self):
        for cases in ("200000000", str(2**64 - 1)):
            done = self.fuzz("huge" + cases, "--batch", "1", "--max-total-time", "0.001", "--shard", "3/7", cases=cases)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 cases run, 1 in ", done.stdout)
            self.assertEqual(json.loads((self.folder / ("huge" + cases) / "campaign.json").read_text())["cases"], int(cases))
        for options in (("--cases", "-1"), ("--cases", "0"), ("--cases", "x"), ("--cases", "1e3"), ("--print", "-1"),
                        ("--seed", "-1"), ("--schedule-seed", "-1"), ("--compile-again", "-1"), ("--check-lowering", "-1"), ("--coverage-sample", "-1")):
            done = run("fuzz", *options, "-o", self.folder / "refused", "--max-total-time", "0.001")
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(f"'{options[1]}' is no whole number", done.stderr)
            self.assertOneLine(done.stderr)

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
