# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which changes ci/measure mutants makes, and that it writes survivors with the reasons of the last run."""

import argparse
import os
import tempfile
import unittest

import mutants


class Sites(unittest.TestCase):
    def mutated(self, line):
        """The line of every mutant of a file that has this line alone."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.cpp")
            with open(path, "w") as file:
                file.write(line)
            return [mutant.text()[0] for mutant in mutants.sites_of(path)]

    def test_binary_operators_have_spaces(self):
        self.assertEqual(self.mutated("return a < b;"), ["return a <= b;"])
        self.assertEqual(self.mutated("std::vector<int> &&list"), [])
        self.assertEqual(self.mutated("Type *p, &q"), [])

    def test_every_operator_of_a_line_is_a_mutant(self):
        self.assertEqual(self.mutated("x = a + b && !c;"), ["x = a + b || !c;", "x = a - b && !c;", "x = a + b && c;"])

    def test_numbers_grow_by_one(self):
        self.assertEqual(self.mutated("shift(x, 31)"), ["shift(x, 32)"])
        self.assertEqual(self.mutated("x32 = 1.5f"), [])

    def test_literals_and_comments_stay(self):
        self.assertEqual(self.mutated('name = "a + 1"; // not 2'), [])

    def test_calls_are_dropped_where_they_are_a_statement(self):
        self.assertEqual(self.mutated("  list.push_back(x);"), [";"])
        self.assertEqual(self.mutated("  return list.size();"), [])

    def test_asserts_and_faults_are_left_out(self):
        self.assertEqual(self.mutated("  assert(a == b);"), [])
        self.assertEqual(self.mutated('  if (faultPlanted("x") && a == b)'), [])

    def test_the_compiler_has_sites(self):
        files = mutants.compiler_files()
        self.assertFalse([file for file in files if file.endswith("Test.cpp")])
        self.assertGreater(sum(1 for file in files for _ in mutants.sites_of(file)), 1000)


class Choice(unittest.TestCase):
    def test_places_are_the_only_ones(self):
        every = [mutants.Mutant("compiler/A.cpp", line, (4, 5), "< to <=", " <= ") for line in (1, 2, 3)]
        chosen = mutants.choose(list(every), argparse.Namespace(places="compiler/A.cpp:2:5"))
        self.assertEqual([mutant.line for mutant in chosen], [2])
        with self.assertRaisesRegex(SystemExit, "no mutant is at compiler/A.cpp:4:5"):
            mutants.choose(list(every), argparse.Namespace(places="compiler/A.cpp:4:5"))


class Stages(unittest.TestCase):
    def names(self, file):
        return [stage.name for stage in mutants.stages(file, ["gfx900", "gfx1100"], "cache")]

    def test_ir3_is_judged_on_its_chips(self):
        self.assertEqual(self.names("compiler/ir3/Ssa.cpp")[0], "ir3 a630 -O2")
        self.assertFalse([name for name in self.names("compiler/ir3/Ssa.cpp") if "gfx" in name])
        self.assertIn("ir3 a630 -O2", self.names("compiler/frontend/Bit.cpp"))
        self.assertIn("graphics assay-unlinked", self.names("compiler/frontend/Bit.cpp"))

    def judge(self, said, status, expected):
        stage = mutants.Stage("compute", ["sh", "-c", f"echo '{said}'; exit {status}", "PROGRAM"])
        unchanged = mutants.Unchanged("true", 1)
        unchanged.results = {"compute": expected}
        return mutants.judge("true", [stage], unchanged, 10)[0]

    def test_other_numbers_of_verdicts_detect(self):
        self.assertEqual(self.judge("2 verdicts: 2 pass", 0, (0, "2 verdicts: 2 pass")), "")
        self.assertEqual(self.judge("2 verdicts: 2 unsupported", 77, (77, "2 verdicts: 2 unsupported")), "")
        self.assertEqual(self.judge("2 verdicts: 1 pass, 1 unsupported", 0, (0, "2 verdicts: 2 pass")), "compute")
        self.assertEqual(self.judge("2 verdicts: 2 pass", 1, (0, "2 verdicts: 2 pass")), "compute")

    def test_no_mutant_is_judged_by_a_stage_that_fails_without_it(self):
        stage = mutants.Stage("compute", ["sh", "-c", "exit 3", "PROGRAM"])
        with self.assertRaisesRegex(RuntimeError, "'compute' does not pass without a mutant"):
            mutants.judge("true", [stage], mutants.Unchanged("true", 1), 10)

    def test_a_stage_without_end_detects(self):
        stage = mutants.Stage("compute", ["sh", "-c", "sleep 20", "PROGRAM"])
        unchanged = mutants.Unchanged("true", 1)
        unchanged.results = {"compute": (0, "")}
        self.assertEqual(mutants.judge("true", [stage], unchanged, 0.2), ("compute", "no end within 0.2 s"))


class Resumption(unittest.TestCase):
    def setUp(self):
        self.mutants = [mutants.Mutant("compiler/api/Target.cpp", line, (0, 1), "number + 1", "2") for line in (1, 2)]
        for mutant, text in zip(self.mutants, ("one", "two")):
            mutant.text = lambda text=text: ("", text, text + "'")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "rows")

    def row(self, place, text, detected):
        return {"place": "compiler/api/Target.cpp:" + place, "operator": "number + 1", "before": text, "after": text + "'",
                "detected": detected, "by": ""}

    def test_rows_of_equal_text_are_taken_over(self):
        row = self.row("9999:1", "one", "compute")
        mutants.Kept(self.path, []).add(row)
        kept = mutants.Kept(self.path, self.mutants)
        self.assertEqual(kept.find(self.mutants[0]), dict(row, place=self.mutants[0].name()))
        self.assertIsNone(kept.find(self.mutants[1]))
        self.assertIsNone(mutants.Kept("", self.mutants).find(self.mutants[0]))

    def test_equal_mutants_are_told_apart_by_their_places(self):
        self.mutants[1].text = self.mutants[0].text
        mutants.Kept(self.path, []).add(self.row("2:1", "one", "compute"))
        kept = mutants.Kept(self.path, self.mutants)
        self.assertIsNone(kept.find(self.mutants[0]))
        self.assertEqual(kept.find(self.mutants[1])["detected"], "compute")

    def test_survivors_may_be_tried_again(self):
        for row in (self.row("1:1", "one", ""), self.row("2:1", "two", None)):
            mutants.Kept(self.path, []).add(row)
        self.assertEqual(mutants.Kept(self.path, self.mutants).find(self.mutants[0])["detected"], "")
        kept = mutants.Kept(self.path, self.mutants, again=True)
        self.assertIsNone(kept.find(self.mutants[0]))
        self.assertIsNotNone(kept.find(self.mutants[1]))

    def test_a_line_that_was_not_finished_is_left_out(self):
        mutants.Kept(self.path, []).add(self.row("1:1", "one", "compute"))
        with open(self.path, "a") as file:
            file.write('{"place": "compi')
        mutants.Kept(self.path, self.mutants).add(self.row("2:1", "two", "compute"))
        kept = mutants.Kept(self.path, self.mutants)
        self.assertEqual([kept.find(mutant)["detected"] for mutant in self.mutants], ["compute", "compute"])


class Batches(unittest.TestCase):
    def test_files_have_their_batch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "batches.cmake")
            with open(path, "w") as file:
                file.write('set("ASSAY_BATCH_OF_compiler/A.cpp" "/b/library-0.cpp")\n')
            self.assertEqual(dict(mutants.batches_of(path)), {"compiler/A.cpp": "/b/library-0.cpp"})
            self.assertEqual(dict(mutants.batches_of(path + "x")), {})


class Page(unittest.TestCase):
    def test_reasons_survive_the_next_run(self):
        row = {"place": "compiler/A.cpp:3:5", "operator": "|| to &&", "before": "if (a || b)", "after": "", "detected": "",
               "by": ""}
        with tempfile.TemporaryDirectory() as folder:
            page, mutants.PAGE = mutants.PAGE, os.path.join(folder, "mutants.md")
            try:
                with open(mutants.PAGE, "w") as file:
                    file.write("head\n" + mutants.MARK)
                mutants.write_page([row], 1)
                with open(mutants.PAGE) as file:
                    text = file.read()
                self.assertIn("| open |", text)
                with open(mutants.PAGE, "w") as file:
                    file.write(text.replace("| open |", "| equivalent: both hold |"))
                mutants.write_page([dict(row, place="compiler/x/A.cpp:9:5")], 2)
                with open(mutants.PAGE) as file:
                    self.assertIn("| `compiler/x/A.cpp:9:5` | ¦¦ to && | `if (a ¦¦ b)` | equivalent: both hold |", file.read())
            finally:
                mutants.PAGE = page


if __name__ == "__main__":
    unittest.main()
