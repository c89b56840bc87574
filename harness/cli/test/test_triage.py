#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay triage: baselines, expectations, the store and bisection, through the program."""
import datetime
import json
import os
import signal
import subprocess
import time
import unittest

import json_schema
from command import ASSAY, GOOD, SOURCE, CommandTest, run

EMPTY = dict.fromkeys(["pass", "fail", "crash", "timeout", "oom", "unsupported", "invalid", "flaky",
                       "tool_error"], 0)


def verdict(case, state="pass", rule="", signature="", target="gfx1100"):
    findings = [{"rule": rule, "severity": "error", "message": "m", "location": "",
                 "signature": signature, "evidence": []}] if rule else []
    return {"case": case, "compiler": "assay", "machine": "gcn", "target": target, "opt_level": 2,
            "wave_size": 32, "state": state, "reason": "" if state == "pass" else "because",
            "findings": findings, "rerun": f"assay diff {case}", "statistics": []}


def crash(case, signature, **others):
    return verdict(case, "crash", "CRASH", signature, **others)


class Triage(CommandTest):
    def result(self, name, *verdicts):
        counts = dict(EMPTY)
        for each in verdicts:
            counts[each["state"].replace("-", "_")] += 1
        return self.write(name, json.dumps({"schema": "assay.diff/1", "counts": counts,
                                            "options": {}, "verdicts": list(verdicts)}))

    def schema(self, name, text):
        schema = json.loads((SOURCE / "docs" / "schemas" / f"{name}.schema.json").read_text())
        value = json.loads(text)
        self.assertEqual(json_schema.check(value, schema), [])
        return value

    def store(self, *arguments):
        return run("triage", "--store", self.folder / "store", *arguments)

    def night(self, name, *verdicts):
        return self.store(self.result(f"night-{name}.json", *verdicts), "--night", name)

    def test_a_baseline_tells_new_from_fixed(self):
        before = self.result("before.json", crash("a", "old"), crash("b", "was"), verdict("c"))
        now = self.result("now.json", crash("a", "old"), verdict("b"), crash("c", "is"))
        done = run("triage", now, "--baseline", before)
        self.assertEqual(done.returncode, 1, done.stderr)
        for line in ("new: ", "fixed: ", "still there: ", "1 new, 0 changed, 1 fixed, 1 still there"):
            self.assertIn(line, done.stdout)
        value = self.schema("comparison", run("triage", now, "--baseline", before, "--format",
                                              "json").stdout)
        self.assertEqual({b["key"]: b["change"] for b in value["buckets"]},
                         {"is": "new", "was": "fixed", "old": "still there"})
        self.assertEqual(run("triage", before, "--baseline", before).returncode, 4)
        clean = self.result("clean.json", verdict("a"), verdict("b"))
        self.assertEqual(run("triage", clean, "--baseline", before).returncode, 0)

    def test_three_faults_exchanged_are_three_new_and_three_fixed(self):
        names = "abcdef"
        for name in names:
            self.write(f"cases/{name}.amber", GOOD)
        nights = []
        for number, faults in enumerate([("wrong-subtract@a", "compile-crash@b",
                                          "compile-fatal-error@c"),
                                         ("validate-crash@d", "machine-flags@e", "note-type@f")]):
            nights.append(self.folder / f"night{number}.json")
            plants = [word for fault in faults for word in ("--plant", fault)]
            done = run("diff", self.folder / "cases", "--targets", "gfx1100", "-O", "2", "--format",
                       "json", "--output", nights[-1], *plants)
            if done.returncode == 77:
                self.skipTest("this build has no planted faults")
            self.assertEqual(done.returncode, 1, done.stderr)
        done = run("triage", nights[1], "--baseline", nights[0])
        self.assertIn("3 new, 0 changed, 3 fixed, 0 still there, 0 not run, 0 noise", done.stdout)
        # What died says where; a sanitizer says it in its own way.
        if not os.environ.get("ASSAY_SANITIZE"):
            self.assertIn("assay::Compiler::compile", run("triage", nights[0]).stdout)

    def test_facts_put_wrong_values_of_a_campaign_together(self):
        campaign = self.folder / "campaign"
        done = run("fuzz", "-o", campaign, "--quiet", "--cases", "1", "--targets", "gfx1100", "-O", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        # Results as if three more cases had been wrong.
        header = campaign / "campaign.json"
        header.write_text(header.read_text().replace('"cases": 1,', '"cases": 4,'))
        lines = [{"number": i, "id": f"0-{i}", "verdicts": [verdict(f"0-{i}", "fail", "EXPECT", "s")]} for i in (1, 2, 3)]
        with (campaign / "results.jsonl").open("a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
        self.assertIn("3 buckets: 3 new", run("triage", campaign, "--as-is").stdout)
        for i, feature in enumerate(("OpISub", "OpISub", "OpIMul"), 1):
            text = json.dumps({"schema": "assay.facts/1", "pass": "front-end",
                               "features": [feature], "transformations": []})
            self.schema("facts", text)
            self.write(f"campaign/findings/0-{i}/facts.json", text)
        done = run("triage", campaign, "--as-is")
        self.assertIn("2 buckets: 2 new", done.stdout)
        self.assertIn("NEW   fail: wrong value with OpISub by front-end (2 verdicts in 2 cases)", done.stdout)
        self.assertEqual(self.store(campaign, "--as-is", "--night", "1").returncode, 1)
        value = self.schema("store-list", self.store("--list", "--format", "json").stdout)
        self.assertEqual([(b["features"], b["life"], len(b["occurrences"])) for b in value["buckets"]],
                         [(["OpISub"], "localised", 2), (["OpIMul"], "localised", 1)])
        self.write("campaign/findings/0-3/facts.json", "{}")
        done = run("triage", campaign, "--as-is")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0-3/facts.json", done.stderr)

    def test_expectations_excuse_until_they_expire(self):
        now = self.result("now.json", crash("a", "crash x"), verdict("b"))
        rules = self.write("rules", 'signature "crash x" crash #1 2026-12-31\n')
        done = run("triage", now, "--expect", rules, "--today", "2026-12-31")
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("expected crash: crash x", done.stdout)
        self.assertIn("1 bucket: 0 new, 0 known, 1 expected; ", done.stdout)
        done = run("triage", now, "--expect", rules, "--today", "2027-01-01")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expired: line 1: crash x until 2026-12-31 (#1)", done.stdout)
        # Without --today, today is the day in UTC: the last day still counts.
        day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        done = run("triage", now, "--expect", self.write("rules", f'signature "crash x" crash #1 {day}\n'))
        self.assertEqual(done.returncode, 4, done.stdout)
        rules = self.write("rules", 'signature "crash x" any #1 never\ncase b fail #2 never\n')
        done = run("triage", now, "--expect", rules)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unexpected pass: line 2: b (#2)", done.stdout)
        value = self.schema("triage", run("triage", now, "--expect", rules, "--format",
                                          "json").stdout)
        self.assertTrue(value["buckets"][0]["expected"])
        self.assertEqual(value["expectations"]["passes"][0]["line"], 2)
        broken = self.write("broken", "case b fail #2\n")
        done = run("triage", now, "--expect", broken)
        self.assertEqual(done.returncode, 2)
        self.assertIn("broken: line 1", done.stderr)
        self.assertEqual(run("triage", now, "--expect", rules, "--today", "soon").returncode, 2)

    def test_a_store_follows_a_bug_from_night_to_night(self):
        done = self.night("1", crash("a", "crash x"), verdict("b"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("night 1: 1 new, 0 known, 0 fixed", done.stdout)
        self.assertEqual(self.night("2", crash("a", "crash x"), verdict("b")).returncode, 4)
        for name in "345":
            done = self.night(name, verdict("a"), verdict("b"))
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("night 5: 0 new, 0 known, 1 fixed", done.stdout)
        done = self.night("6", crash("a", "crash x"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("returned, was", done.stdout)
        value = self.schema("store-list", self.store("--list", "--format", "json").stdout)
        self.assertEqual([b["life"] for b in value["buckets"]], ["fixed", "new"])
        self.assertEqual(value["buckets"][1]["previous"], value["buckets"][0]["id"])
        listed = self.store("--list").stdout
        (self.folder / "store" / "store.sqlite").write_bytes(b"damaged " * 1000)
        self.assertEqual(self.store("--list").stdout, listed)
        self.assertEqual(self.store("--rebuild", "--list").stdout, listed)
        for log in (self.folder / "store" / "events").iterdir():
            for line in log.read_text().splitlines():
                self.schema("event", line)

    def test_people_decide_within_the_table(self):
        self.night("1", crash("a", "crash x"))
        bucket = json.loads(self.store("--list", "--format", "json").stdout)["buckets"][0]["id"]
        done = self.store("--set", bucket, "fixed", "--reason", "hope")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be made fixed", done.stderr)
        self.assertEqual(self.store("--set", bucket, "wont-fix").returncode, 2)
        self.assertEqual(self.store("--set", bucket, "nonsense", "--reason", "x").returncode, 2)
        done = self.store("--set", bucket[:6], "wont-fix", "--reason", "as designed", "--link",
                          "#9", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{bucket} wont-fix: crash: crash x", done.stdout)
        self.assertEqual(self.night("2", crash("a", "crash x")).returncode, 4)
        self.assertEqual(self.store().returncode, 2)
        self.assertEqual(run("triage").returncode, 2)

    def test_what_would_be_ignored_is_refused(self):
        now = self.result("now.json", crash("a", "crash x"))
        store = ("--store", self.folder / "other")
        bisect = ("--bisect-cmd", "true {rev}", "--good", "a", "--bad", "b")
        rows = [(now, "--today", "2026-12-31"), (*bisect, now), (*bisect, "--known", now),
                (*bisect, "--bisect-timeout", "-1"), (*bisect, *store, "--list"),
                (now, "--baseline", now, "--known", now)]
        rows += [(now, *store, "--night", "1", *others) for others in
                 (("--known", now), ("--baseline", now), ("--expect", now), ("--list",),
                  ("--rebuild",), ("--set", "b", "reported", "--reason", "r"))]
        for row in rows:
            done = run("triage", *row)
            self.assertEqual(done.returncode, 2, row)
            self.assertOneLine(done.stderr)
        self.assertFalse((self.folder / "other").exists())

    def test_bisection_over_a_list_and_over_git(self):
        listed = self.write("revisions", "".join(f"r{i}\n" for i in range(20)))
        command = "case {rev} in r9|r1?) exit 1;; r8) exit 125;; esac"
        done = run("triage", "--bisect-cmd", command, "--good", "r0", "--bad", "r19",
                   "--revisions", listed, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        value = self.schema("bisect", done.stdout)
        self.assertEqual(value["suspects"], ["r8", "r9"])
        self.assertEqual(value["last_good"], "r7")
        self.assertIn("skip   r8", done.stderr)
        done = run("triage", "--bisect-cmd", command, "--good", "r0", "--bad", "r7",
                   "--revisions", listed)
        self.assertEqual(done.returncode, 1)
        self.assertIn("r7 was said to be bad and is good", done.stderr)

        repository = self.folder / "repository"
        git = ["git", "-C", repository, "-c", "user.name=n", "-c", "user.email=e@x.example"]
        subprocess.run(["git", "init", "-q", repository], check=True)
        ids = []
        for i in range(6):
            (repository / "file").write_text(str(i))
            subprocess.run([*git, "add", "file"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", str(i)], check=True)
            ids.append(subprocess.run([*git, "rev-parse", "HEAD"], check=True, text=True,
                                      capture_output=True).stdout.strip())
        done = run("triage", "--bisect-cmd",
                   f"test $(git -C {repository} show {{rev}}:file) -lt 4", "--good", ids[0],
                   "--bad", "HEAD", "--repository", repository)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"first bad: {ids[4]} (last good: {ids[3]})", done.stdout)
        done = run("triage", "--bisect-cmd", "true {rev}", "--good", "none", "--bad", "HEAD",
                   "--repository", repository)
        self.assertEqual(done.returncode, 2)

    def test_an_interrupted_bisection_leaves_nothing_running(self):
        seconds = f"86400.{os.getpid()}"
        child = subprocess.Popen([ASSAY, "triage", "--bisect-cmd", f"sleep {seconds} & wait # {{rev}}", "--good", "r0",
                                  "--bad", "r1", "--revisions", self.write("revisions", "r0\nr1\n")],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def sleeps():
            return subprocess.run(["pgrep", "-f", f"^sleep {seconds}$"], capture_output=True, text=True).stdout != ""

        for _ in range(300):
            if sleeps():
                break
            time.sleep(0.1)
        self.assertTrue(sleeps())
        child.send_signal(signal.SIGINT)
        _, stderr = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 3)
        self.assertIn("interrupted by SIGINT", stderr)
        self.assertFalse(sleeps())


if __name__ == "__main__":
    unittest.main()
