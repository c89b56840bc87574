#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay assemble and assay disassemble: ir3 assembly to code and back."""
import unittest

from command import CommandTest, run

PROGRAM = """l0:
add.s r0.x, r0.x, -1
(nop3) cmps.s.gt p0.x, r0.x, 0
br p0.x, #l0
end
"""


class Assemble(CommandTest):
    def test_a_program_survives_both_ways(self):
        source = self.write("a.asm", PROGRAM)
        code = self.folder / "a.bin"
        self.assertEqual(run("assemble", source, "--target", "a660", "-o", code).returncode, 0)
        self.assertEqual(len(code.read_bytes()), 4 * 8)
        done = run("disassemble", code, "--target", "a660")
        self.assertEqual((done.returncode, done.stdout), (0, PROGRAM), done.stderr)

    def test_a_variant_file_says_its_chip(self):
        shader = self.write("a.comp", "#version 450\nlayout(set = 0, binding = 0) buffer B { uint x; };\n"
                                      "void main() { x = 5u; }\n")
        variant, code = self.folder / "a.ir3", self.folder / "a.bin"
        self.assertEqual(run("compile", shader, "--target", "a740", "-o", variant).returncode, 0)
        done = run("disassemble", variant)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stib.b", done.stdout)
        done = run("assemble", "--target", "a740", "-o", code, self.write("a.asm", done.stdout))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(code.read_bytes(), variant.read_bytes())
        done = run("disassemble", variant, "--target", "a630")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the variant is for a740, not a630", done.stderr)

    def test_words_are_printed_one_by_one(self):
        done = run("disassemble", "--hex", "--target", "a630", self.write("w", "40b80804_10408004 ffffffffffffffff"))
        self.assertEqual(done.stdout, "(nop3) cmps.f.lt r1.x, (abs)r1.x, c16.x\nraw 0xFFFFFFFFFFFFFFFF\n")
        done = run("assemble", "--hex", self.write("t", "end\n"))
        self.assertEqual(done.stdout, "0300000000000000\n")

    def test_an_elf_is_no_code(self):
        shader = self.write("a.comp", "#version 450\nvoid main() {}\n")
        elf = self.folder / "a.elf"
        self.assertEqual(run("compile", shader, "-o", elf).returncode, 0)
        done = run("disassemble", elf)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertOneLine(done.stderr)
        self.assertIn("llvm-objdump -d", done.stderr)

    def test_what_is_wrong_says_where(self):
        for verb, text, arguments, code, message in (
                ("assemble", "nop\nadd.f r0.x\n", (), 1, "line 2: operands of 'add.f r0.x' are missing"),
                ("assemble", "isam.x\n", (), 1, "line 1: "),
                ("disassemble", "1234567", (), 1, "7 bytes; instructions have 8 each"),
                ("disassemble", "xyz", ("--hex",), 1, "'xyz' is no hexadecimal word"),
                ("disassemble", "", ("--target", "gfx1100"), 77, "unsupported: target 'gfx1100'")):
            with self.subTest(text=text):
                done = run(verb, self.write("input", text), *arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
