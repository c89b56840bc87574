#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay corpus: a smaller corpus has the same features, provenance goes with the cases, what is new is taken."""
import re
import unittest

from command import COMPUTE, CommandTest, run

NAMES = ("saxpy", "collatz", "base64", "atomic-operations", "atomic-int64", "bit-builtins", "control-switch",
         "control-nested-loops")


class CorpusVerb(CommandTest):
    def setUp(self):
        super().setUp()
        self.corpus = self.folder / "corpus"
        entries = dict(line.split(" | ", 1) for line in (COMPUTE / "MANIFEST").read_text().splitlines()
                       if not line.startswith("#"))
        for name in NAMES:
            self.write(f"corpus/{name}.amber", (COMPUTE / f"{name}.amber").read_text())
        self.write("corpus/twin.amber", "# Longer.\n" + (COMPUTE / "saxpy.amber").read_text())
        entries["twin.amber"] = entries["saxpy.amber"]
        self.write("corpus/MANIFEST", "".join(f"{name}.amber | {entries[name + '.amber']}\n"
                                              for name in (*NAMES, "twin")))

    def features(self, folder):
        done = run("corpus", "cover", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {line.rsplit(": ", 1)[0] for line in done.stdout.splitlines()}

    def test_a_smaller_one_has_the_same_features(self):
        small = self.folder / "small"
        done = run("corpus", "min", self.corpus, "-o", small)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.features(small), self.features(self.corpus))
        names = sorted(path.name for path in small.glob("*.amber"))
        self.assertNotIn("twin.amber", names)
        rows = (small / "MANIFEST").read_text().splitlines()
        self.assertEqual([row.split(" | ")[0] for row in rows], names)
        self.assertTrue(set(rows) <= set((self.corpus / "MANIFEST").read_text().splitlines()))
        again = run("corpus", "min", self.corpus, "-o", self.folder / "again")
        self.assertEqual(again.stdout, done.stdout)

    def test_statistics_name_what_is_missing(self):
        done = run("corpus", "stat", self.corpus)
        self.assertRegex(done.stdout, r"^9 cases, \d+ features\n")
        self.assertIn("no case: row Float64\n", done.stdout)
        self.assertNotIn("no case: row Shader\n", done.stdout)
        with_code = run("corpus", "stat", self.corpus / "saxpy.amber", "--isa", "gfx1100,gfx900")
        self.assertGreater(int(re.search(r"^isa: (\d+)$", with_code.stdout, re.MULTILINE)[1]), 10, with_code.stderr)

    def test_what_is_new_is_added_with_its_origin(self):
        entry = ("--to", self.corpus, "--origin", "somebody", "--licence", "theirs", "--purpose", "A test.")
        old = self.write("other/copy.amber", (COMPUTE / "saxpy.amber").read_text())
        new = COMPUTE / "atomic-float.amber"
        done = run("corpus", "add", old, new, *entry)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 2 cases added", done.stdout)
        self.assertIn("copy.amber: exercises nothing new", done.stderr)
        self.assertIn("atomic-float.amber | somebody | theirs | A test.\n", (self.corpus / "MANIFEST").read_text())
        self.assertIn("1 of 1", run("corpus", "add", old, "--anyway", *entry).stdout)
        again = run("corpus", "add", new, "--anyway", *entry)
        self.assertEqual(again.returncode, 2)
        self.assertOneLine(again.stderr)

    def test_what_is_wrong_changes_no_corpus(self):
        before = sorted(path.name for path in self.corpus.iterdir()), (self.corpus / "MANIFEST").read_text()
        junk, new = self.write("junk.amber", "junk\n"), COMPUTE / "atomic-float.amber"
        entry = ("--to", self.corpus, "--licence", "theirs", "--purpose", "A test.", "--origin")
        for arguments in (["add", new, *entry, "a|b"], ["add", junk, "--anyway", *entry, "somebody"], ["stat", junk],
                          ["min", COMPUTE, "-o", self.corpus], ["cover", new, "--code"],
                          ["cover", new, "--code", "--isa", "gfx1100"]):
            with self.subTest(arguments=[str(each) for each in arguments]):
                done = run("corpus", *arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("assay: ", done.stderr)
                self.assertEqual((sorted(path.name for path in self.corpus.iterdir()),
                                  (self.corpus / "MANIFEST").read_text()), before)

    def test_a_file_that_no_manifest_lists_is_not_overwritten(self):
        new, there = COMPUTE / "atomic-float.amber", self.corpus / "atomic-float.amber"
        mine = (COMPUTE / "saxpy.amber").read_text()
        there.write_text(mine)
        entry = ("--to", self.corpus, "--origin", "somebody", "--licence", "theirs", "--purpose", "A test.")
        done = run("corpus", "add", new, "--anyway", *entry)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("is there already, though no MANIFEST lists it", done.stderr)
        self.assertEqual(there.read_text(), mine)
        self.assertNotIn("atomic-float", (self.corpus / "MANIFEST").read_text())
        there.write_text(new.read_text())
        self.assertIn("1 of 1", run("corpus", "add", there, "--anyway", *entry).stdout)

    def test_nobody_knows_where_it_comes_from(self):
        (self.corpus / "MANIFEST").unlink()
        done = run("corpus", "min", self.corpus, "-o", self.folder / "small")
        self.assertEqual(done.returncode, 2)
        self.assertIn("MANIFEST", done.stderr)
        self.assertFalse((self.folder / "small").exists())
        self.assertEqual(run("corpus").returncode, 2)


if __name__ == "__main__":
    unittest.main()
