# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/coverage: what it refuses, its table, and the functions that it says were never entered."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "coverage")
CLANG = "/usr/lib/llvm-22/bin/clang++"
SOURCE = """namespace {
int cold(int x) { return x + 1; }
template <typename T> T once(T x) { return x > 0 ? x : -x; }
} // namespace
int main(int count, char **) { return count > 5 ? cold(count) + int(once(1.5)) : once(count) - count; }
"""


def load():
    sys.path.insert(0, HERE)
    loader = importlib.machinery.SourceFileLoader("coverage_script", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("coverage_script", loader))
    loader.exec_module(module)
    return module


class Arguments(unittest.TestCase):
    def run_coverage(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True, check=False)

    def test_help(self):
        done = self.run_coverage("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("usage: ci/coverage", done.stdout)

    def test_wrong_ones_are_refused(self):
        for arguments, word in ((["--nonsense"], "--nonsense"), (["nowhere"], "nowhere"), (["--"], "assay fuzz"),
                                (["--jobs", "x"], "--jobs")):
            done = self.run_coverage("--assay", "/bin/true", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)

    def test_other_programs_and_folders_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for corpus, word in (("ci", "neither cases"), ("corpora/controls", "nothing was counted")):
                done = self.run_coverage("--assay", "/bin/true", "--output", folder, corpus)
                self.assertEqual(done.returncode, 1)
                self.assertIn(word, done.stderr)


class Counting(unittest.TestCase):
    def test_a_small_compiler(self):
        script = load()
        with tempfile.TemporaryDirectory() as folder:
            script.ROOT, script.BUILD = folder, os.path.join(folder, "build", "coverage")
            module = os.path.join(folder, "compiler", "small")
            os.makedirs(module)
            source, program = os.path.join(module, "Small.cpp"), os.path.join(folder, "small")
            with open(source, "w") as file:
                file.write(SOURCE)
            subprocess.run([CLANG, "-fprofile-instr-generate", "-fprofile-continuous", "-fcoverage-mapping", source, "-o", program], check=True)
            raw = os.path.join(folder, "raw")
            self.assertEqual(script.measure(script.Corpus("small", [[program]]), raw), 0)
            profile = script.merge([raw], os.path.join(folder, "all.profdata"))
            modules = script.count_modules(program, profile)
            # main and one instance of once; of the branches, two go each way and none was taken both ways.
            self.assertEqual(list(modules), ["compiler/small"])
            self.assertEqual(modules["compiler/small"]["functions"], [2, 3])
            self.assertEqual(script.never_entered(program, profile), [["compiler/small/Small.cpp", 2, "cold"]])
            table = script.print_table([("small", modules)], modules)
            self.assertIn("| compiler/small | 3 |", table)
            self.assertIn("| all | 3 |", table)
            # A command that fails is counted, and what it entered, too.
            self.assertEqual(script.measure(script.Corpus("small", [[program, "1", "2"], ["/bin/false"]]), raw), 1)


if __name__ == "__main__":
    unittest.main()
