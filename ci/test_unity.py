#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files cmake/unity.py compiles together."""
import importlib.util
import pathlib
import tempfile
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent / "cmake" / "unity.py"
spec = importlib.util.spec_from_file_location("unity", PATH)
unity = importlib.util.module_from_spec(spec)
spec.loader.exec_module(unity)


def batches(*texts):
    """The numbers of the texts, batch by batch."""
    sources = [unity.Source(str(number), text) for number, text in enumerate(texts)]
    return [[int(name) for name in batch.files] for batch in unity.make_batches(sources)]


class LocalNames(unittest.TestCase):
    def test_names_with_internal_linkage_and_macros(self):
        text = ("#define ROW(a) a\nstatic constexpr int rows[] = {1};\nstatic Error run(int x) {\n  static int inner;\n}\n"
                "namespace {\nstruct Facts {\n  int member;\n};\nusing Words = int;\n}\nint visible;\nclass Other {\n};\n")
        self.assertEqual(unity.local_names(text), {"ROW", "rows", "run", "Facts", "Words"})

    def test_comments_and_texts_do_not_count(self):
        source = unity.Source("a", 'int f() { return g("report"); } // report\n')
        self.assertNotIn("report", source.used)
        self.assertIn("rows", unity.Source("a", "bool q = c == '\"' || rows == '\"';\n").used)


class Batches(unittest.TestCase):
    def test_files_without_clash_share_a_batch(self):
        self.assertEqual(batches("static int a;\n", "static int b;\n", "int c;\n"), [[0, 1, 2]])

    def test_a_name_defined_twice_separates(self):
        self.assertEqual(batches("static int a;\n", "static int a;\n", "int c;\n"), [[0, 2], [1]])

    def test_a_name_that_another_file_uses_separates_in_either_order(self):
        self.assertEqual(batches("static void report(int);\n", "void f() { report(1); }\n"), [[0], [1]])
        self.assertEqual(batches("void f() { report(1); }\n", "static void report(int);\n"), [[0], [1]])

    def test_members_and_qualified_names_do_not_separate(self):
        self.assertEqual(batches("static int add(int);\n", "int f(List &l, List *p) { return l.add(1) + p->add(2); }\n"),
                         [[0, 1]])
        self.assertEqual(batches("static int add(int);\n", "int f() { return n::add(3); }\n"), [[0, 1]])
        self.assertEqual(batches(*[f"namespace {{\nbool {name}::run(int x) {{\n}}\nchar {name}::ID = 0;\n}}\n"
                                   for name in "AB"]), [[0, 1]])

    def test_a_macro_separates_whatever_its_name_is_used_for(self):
        self.assertEqual(batches("#define add(a) a\n", "int f(List &l) { return l.add(1); }\n"), [[0], [1]])

    def test_using_directives_separate(self):
        self.assertEqual(batches("using namespace a;\nint x;\n", "int y;\n"), [[0], [1]])

    def test_sizes_are_limited(self):
        self.assertEqual([len(batch) for batch in batches(*["int a;\n"] * (unity.MAX_FILES + 1))], [unity.MAX_FILES, 1])
        self.assertEqual(batches("x" * unity.MAX_CHARACTERS, "int a;\n"), [[0], [1]])


class Files(unittest.TestCase):
    def test_batch_files_are_written_only_when_they_change(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            output = root / "build"
            output.mkdir()
            for file in ("m/A.cpp", "m/B.cpp", "m/ATest.cpp", "n/C.cpp"):
                (root / file).parent.mkdir(exist_ok=True)
                (root / file).write_text("int x;\n")
            (output / "files.txt").write_text("m/A.cpp\nm/B.cpp\nm/ATest.cpp\nn/C.cpp\n")
            unity.main(root, output)
            batch = output / "m" / "library-0.cpp"
            self.assertEqual(batch.read_text(), '#include "m/A.cpp"\n#include "m/B.cpp"\n')
            self.assertEqual((output / "batches.cmake").read_text(),
                             f'set("ASSAY_BATCH_OF_m/A.cpp" "{batch}")\nset("ASSAY_BATCH_OF_m/B.cpp" "{batch}")\n')
            before = batch.stat().st_mtime_ns
            unity.main(root, output)
            self.assertEqual(batch.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
