#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay triage DIR: a campaign's findings are minimized and localized, and become buckets named by their cause."""
import json
import unittest

import json_schema
from campaign import CampaignTest
from command import SOURCE, run


class Investigate(CampaignTest):
    def schema(self, name, value):
        schema = json.loads((SOURCE / "docs" / "schemas" / f"{name}.schema.json").read_text())
        self.assertEqual(json_schema.check(value, schema), [])
        return value

    def triage(self, *options, code=1):
        done = run("triage", self.folder / "night", *options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def plant(self, fault, cases):
        done = self.fuzz("night", "--plant", fault, cases=cases)
        if done.returncode == 77:
            self.skipTest("this build has no planted faults")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_a_campaign_becomes_buckets_named_by_their_cause(self):
        self.plant("wrong-subtract", 6)
        findings = sorted(path for path in (self.folder / "night" / "findings").iterdir())
        self.assertGreater(len(findings), 1)
        # Out of time at once: nothing is lost, and the same command continues.
        done = self.triage("--max-total-time", "0.01")
        self.assertIn("left for want of time, the same command continues", done.stderr)
        self.assertIn("not localized", done.stdout)
        done = self.triage("--jobs", "2")
        self.assertIn(f"{len(findings)} investigated", done.stderr)
        self.assertIn(f"NEW   fail: wrong value of OpISub by front-end ({len(findings)} verdicts in {len(findings)} cases)",
                      done.stdout)
        self.assertIn("1 bucket: 1 new", done.stdout)
        for finding in findings:
            state = self.schema("investigation", json.loads((finding / "investigation.json").read_text()))
            self.assertEqual([state[step] for step in ("minimize", "localize", "compare_others")], ["done"] * 3)
            facts = self.schema("facts", json.loads((finding / "facts.json").read_text()))
            self.assertEqual((facts["pass"], facts["operation"]), ("front-end", "OpISub"))
        value = self.schema("triage", json.loads(self.triage("--format", "json").stdout))
        self.assertEqual(value["buckets"][0]["name"], "wrong value of OpISub by front-end")
        # A third call has nothing to do.
        self.assertIn(" 0 of them now", self.triage().stderr)
        # The store's night is called like the folder.
        done = self.triage("--store", self.folder / "store")
        self.assertIn("night night: 1 new", done.stdout)

    def write_bug(self, name, **recognizer):
        self.write(f"bugs/{name}/README.md", "A bug.\n")
        self.write(f"bugs/{name}/input", "")
        texts = dict.fromkeys(["title", "component", "specification", "expected", "actual"], "text")
        self.write(f"bugs/{name}/bug.json", json.dumps({
            "schema": "assay.bug/1", "id": name, **texts, "product": "mesa", "kind": "wrong-code", "severity": "low",
            "evidence": "manual", "status": {"state": "open", "upstream": "", "note": ""},
            "versions": {"first": "1", "last": "1"}, "requires": [], "command": "false", "reproduced": {"exit": 1},
            "input": "input", "minimized": True, "recognizer": recognizer}))
        return self.folder / "bugs"

    def test_known_bugs_are_recognized_and_avoided(self):
        self.plant("wrong-subtract", 6)
        bugs = self.write_bug("other-bug", operations=["OpUMod"])
        self.write_bug("subtraction-wrong", compilers=["assay"], operations=["OpISub"])
        done = self.triage("--bugs", bugs, code=4)
        self.assertIn("bug   fail: wrong value of OpISub by front-end", done.stdout)
        self.assertIn("    bug: subtraction-wrong\n", done.stdout)
        self.assertIn("1 bucket: 0 new, 0 known, 0 expected, 1 known bug", done.stdout)
        done = self.triage("--bugs", bugs, "--store", self.folder / "store", code=4)
        self.assertIn("night night: 0 new, 1 known", done.stdout)
        self.assertIn(", bug subtraction-wrong", done.stdout)
        # Without the trigger nothing is left to be found, in as many cases.
        avoid = ("--bugs", bugs, "--avoid", "subtraction-wrong")
        done = self.fuzz("other", "--plant", "wrong-subtract", *avoid, cases=6)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("6 cases run, 6 in ", done.stdout)
        # It is part of the campaign.
        self.assertEqual(self.fuzz("other", "--plant", "wrong-subtract", cases=6).returncode, 2)
        for name in ("no-such-bug", "cannot-be"):
            self.write_bug("cannot-be", message="text")
            done = self.fuzz("third", "--bugs", bugs, "--avoid", name, cases=6)
            self.assertEqual(done.returncode, 2)
            self.assertOneLine(done.stderr)
            self.assertIn(name, done.stderr)

    def test_what_a_known_bug_recognizes_as_it_is_is_left(self):
        self.plant("wrong-subtract", 6)
        bugs = self.write_bug("anything-wrong", message="REF-DIFF checkpoint")
        done = self.triage("--bugs", bugs, code=4)
        self.assertIn(" 0 investigated, 0 of them now; ", done.stderr)
        self.assertIn("left, known bugs", done.stderr)
        self.assertIn("    bug: anything-wrong\n", done.stdout)

    def test_what_cannot_be_minimized_is_said_and_does_not_stop_the_others(self):
        self.plant("wrong-subtract", 6)
        findings = sorted(path for path in (self.folder / "night" / "findings").iterdir())
        (findings[0] / "case.amber").write_text("#!amber\nnonsense\n")
        done = self.triage()
        self.assertIn(f"{findings[0].name} by assay: minimize: ", done.stderr)
        self.assertIn("wrong value of OpISub by front-end", done.stdout)
        self.assertIn("not localized", done.stdout)
        self.assertIn("minimize: ", json.loads((findings[0] / "investigation.json").read_text())["note"])

    def test_arguments_are_verified(self):
        self.assertEqual(run("triage", self.folder).returncode, 2)
        done = run("triage", self.folder, "--as-is", "--jobs", "2")
        self.assertEqual(done.returncode, 2)
        self.assertOneLine(done.stderr)


if __name__ == "__main__":
    unittest.main()
