#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay bugs: every bug of bugs/ whose tools are installed still reproduces, and each has what a report needs."""
import json
import re
import shutil
import unittest

from command import SOURCE, CommandTest, run

BUGS = SOURCE / "bugs"
IDS = sorted(path.name for path in BUGS.iterdir() if path.is_dir())


class Bugs(CommandTest):
    def test_all_still_reproduce(self):
        done = run("bugs", "check", "--bugs", BUGS, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = json.loads(done.stdout)
        self.assertEqual([row["id"] for row in results], IDS)
        for row in results:
            if row["outcome"] == "skipped":
                self.assertRegex(row["reason"], r" is not installed$| is .*, the bug was seen from ")
                print(f"skipped: {row['id']}: {row['reason']}")

    def test_are_listed(self):
        done = run("bugs", "list", "--bugs", BUGS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[:-1]], IDS)
        self.assertEqual(done.stdout.splitlines()[-1], f"{len(IDS)} bugs")
        done = run("bugs", "list", "--bugs", BUGS, "--product", "glslang", "--format", "json")
        self.assertEqual({row["product"] for row in json.loads(done.stdout)}, {"glslang"})
        done = run("bugs", "show", "--bugs", BUGS, IDS[0])
        self.assertIn("command (in ", done.stdout)

    def test_commands_use_no_program_of_assay(self):
        for bug in IDS:
            command = json.loads((BUGS / bug / "bug.json").read_text())["command"]
            self.assertIsNone(re.search(r"\bassay\b", command), bug)
            self.assertIsNone(re.search(r"/(work|home|root|usr|tmp|opt)/", command), f"{bug}: a path of one machine")

    def test_one_that_is_gone_is_reported(self):
        folder = self.folder / "bugs"
        shutil.copytree(BUGS / IDS[0], folder / IDS[0])
        path = folder / IDS[0] / "bug.json"
        bug = json.loads(path.read_text())
        bug["command"], bug["requires"], bug["reproduced"] = "echo fixed", ["sh"], {"contains": ["broken"]}
        path.write_text(json.dumps(bug))
        done = run("bugs", "check", "--bugs", folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"not reproduced  {IDS[0]}: the output lacks 'broken'", done.stdout)
        bug["requires"] = ["no-such-tool"]
        path.write_text(json.dumps(bug))
        done = run("bugs", "check", "--bugs", folder)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("no-such-tool is not installed", done.stdout)

    def test_are_reported_in_the_form_of_their_project(self):
        bugs = {bug: json.loads((BUGS / bug / "bug.json").read_text()) for bug in IDS}
        for product in ("llvm", "mesa", "spirv-tools", "glslang"):
            ids = [bug for bug in IDS if bugs[bug]["product"] == product]
            done = run("report", "--upstream", product, "--bugs", BUGS, *ids)
            self.assertEqual(done.returncode, 0, done.stderr)
            for bug in ids:
                self.assertIn(bugs[bug]["title"], done.stdout)
                self.assertIn(bugs[bug]["command"], done.stdout)
                self.assertIn((BUGS / bug / bugs[bug]["input"]).read_text().rstrip(), done.stdout)
        self.assertIn("### Describe the issue", run("report", "--upstream", "mesa", "--bugs", BUGS,
                                                    "aco-push-constant-column").stdout)
        done = run("report", "--upstream", "mesa", "--bugs", BUGS, "llvm-bswap64-true16")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("is a bug of llvm, not of mesa", done.stderr)
        self.assertEqual(run("report", "--upstream", "gcc", "--bugs", BUGS, IDS[0]).returncode, 2)

    def test_wrong_arguments(self):
        self.assertEqual(run("bugs", "show", "--bugs", BUGS, "no-such-bug").returncode, 2)
        self.assertNotEqual(run("bugs", "list", "--bugs", self.folder / "none").returncode, 0)


if __name__ == "__main__":
    unittest.main()
