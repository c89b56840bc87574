#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-fat-pointers as a command: inputs, lowerings, verdicts, hostile files."""
import json
import shutil
import subprocess
import sys
import unittest

from command import ASSAY, COMPUTE, CommandTest, run, run_json

MODULE = """
define i32 @next(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}
define void @keep(ptr addrspace(7) %p, i32 %v) {
  store i32 %v, ptr addrspace(7) %p, align 4
  ret void
}
"""

LOWERED = """
define i32 @next({ ptr addrspace(8), i32 } %p, i32 %index) {
  %r = extractvalue { ptr addrspace(8), i32 } %p, 0
  %o = extractvalue { ptr addrspace(8), i32 } %p, 1
  %s = shl i32 %index, SHIFT
  %q = add i32 %o, %s
  %v = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %q, i32 0, i32 0)
  ret i32 %v
}
define void @keep({ ptr addrspace(8), i32 } %p, i32 %v) {
  %r = extractvalue { ptr addrspace(8), i32 } %p, 0
  %o = extractvalue { ptr addrspace(8), i32 } %p, 1
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %v, ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  ret void
}
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32)
"""
PLAIN = "define i32 @f(i32 %a) { ret i32 %a }\n"
# A lowering as anybody's program: copies what it was told.
COPY = [sys.executable, "-c", "import sys, shutil; shutil.copy(sys.argv[1], sys.argv[3])"]


def states(report):
    return {v["case"].rsplit(":")[-1]: v["state"] for v in report["verdicts"]}


class FatPointerTest(CommandTest):
    def check(self, *arguments):
        return run_json("check-fat-pointers", *arguments)

    def check_command(self, path, *command):
        done = run("check-fat-pointers", path, "--format", "json", "--", *command)
        return done.returncode, json.loads(done.stdout)

    def test_own_lowering_and_llvms(self):
        path = self.write("module.ll", MODULE)
        for lowering, compiler in [([], "assay"), (["--use-llvm-lowering"], "llvm")]:
            for target in ["gfx900", "gfx1201"]:
                code, report = self.check(path, *lowering, "--target", target)
                self.assertEqual((code, states(report)), (0, {"next": "pass", "keep": "pass"}))
                for verdict in report["verdicts"]:
                    self.assertEqual((verdict["compiler"], verdict["machine"], verdict["target"]),
                                     (compiler, "ir", target))
                    self.assertGreaterEqual(dict(verdict["statistics"])["compared-trials"], 16)

    def test_diff_judges_every_compilation(self):
        for fault, code in (("fat-lost-offset", 1), (None, 0)):
            plant = ["--plant", fault] if fault else []
            got, report = run_json("diff", COMPUTE / "collatz.amber", "--targets", "gfx1100", "-O", "2", *plant)
            rules = {finding["rule"] for verdict in report["verdicts"] for finding in verdict["findings"]}
            self.assertEqual(got, code)
            self.assertEqual(any(rule.startswith("FAT-DIFF") for rule in rules), bool(fault), rules)

    def test_one_function(self):
        code, report = self.check(self.write("module.ll", MODULE), "--function", "keep")
        self.assertEqual((code, states(report)), (0, {"keep": "pass"}))
        code, report = self.check(self.write("module.ll", MODULE), "--function", "other")
        self.assertEqual((code, states(report)), (1, {"other": "invalid"}))

    def test_before_and_after(self):
        before = self.write("before.ll", MODULE)
        right = self.write("right.ll", LOWERED.replace("SHIFT", "2"))
        wrong = self.write("wrong.ll", LOWERED.replace("SHIFT", "3"))
        self.assertEqual(self.check(before, right)[0], 0)
        code, report = self.check(before, wrong)
        self.assertEqual((code, states(report)), (1, {"next": "fail", "keep": "pass"}))
        finding = report["verdicts"][0]["findings"][0]
        self.assertEqual(finding["rule"], "FAT-DIFF-RESULT")
        self.assertEqual(self.check(before, before)[0], 1)

    def test_rerun_line_reruns(self):
        before = self.write("before.ll", MODULE)
        wrong = self.write("wrong.ll", LOWERED.replace("SHIFT", "3"))
        _, report = self.check(before, wrong, "--seed", 7)
        words = report["verdicts"][0]["rerun"].split()
        self.assertEqual(words[0], "assay")
        code, again = run_json(*words[1:])
        self.assertEqual(code, 1)
        self.assertEqual(again["verdicts"][0]["findings"], report["verdicts"][0]["findings"])

    def test_lowered_alone(self):
        right = self.write("right.ll", LOWERED.replace("SHIFT", "2"))
        self.assertEqual(self.check("--lowered", right)[0], 0)
        code, report = self.check("--lowered", self.write("module.ll", MODULE))
        self.assertEqual((code, states(report)), (1, {"next": "fail", "keep": "fail"}))
        rules = {f["rule"] for v in report["verdicts"] for f in v["findings"]}
        self.assertEqual(rules, {"FAT-TYPE", "FAT-DECL"})
        self.assertEqual(self.check("--lowered", self.write("plain.ll", PLAIN))[0], 0)

    def test_command(self):
        before = self.write("before.ll", MODULE)
        for shift, expected in [("2", 0), ("3", 1)]:
            after = self.write("after.ll", LOWERED.replace("SHIFT", shift))
            code, report = self.check_command(before, *COPY, after, "{in}", "{out}")
            self.assertEqual(code, expected, report)
            self.assertEqual(report["verdicts"][0]["compiler"], "command")
        for status, state in [("3", "fail"), ("77", "unsupported")]:
            _, report = self.check_command(before, "sh", "-c", f"exit {status}", "{out}")
            self.assertEqual([v["state"] for v in report["verdicts"]], [state])

    def test_wrong_command_lines_are_2(self):
        plain = self.write("plain.ll", PLAIN)
        module = self.write("module.ll", MODULE)
        for arguments in ([], [plain], [plain, module], [module, module, module],
                          ["/no/such.ll"], [module, "/no/such.ll"], [module, "--target", "gfx1"],
                          [module, "--lowered", "--use-llvm-lowering"],
                          [module, module, "--lowered"], [self.folder / "*.elf"],
                          ["--explain", "FAT-NONE"], [module, "--trials", "0"]):
            done = run("check-fat-pointers", *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_folders_patterns_and_stdin(self):
        self.write("a.ll", MODULE)
        self.write("b.ll", PLAIN)
        self.write("c.txt", "no module")
        code, report = self.check(self.folder)
        self.assertEqual((code, len(report["verdicts"])), (0, 2))
        self.assertEqual(self.check(self.folder / "a*.ll")[0], 0)
        self.assertEqual(run("check-fat-pointers", self.folder / "b*.ll").returncode, 2)
        done = subprocess.run([ASSAY, "check-fat-pointers", "-", "--format", "json"],
                              input=MODULE, text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([v["case"] for v in json.loads(done.stdout)["verdicts"]],
                         ["-:next", "-:keep"])

    @unittest.skipUnless(shutil.which("llvm-as-22"), "no llvm-as")
    def test_bitcode(self):
        path = self.folder / "module.bc"
        subprocess.run(["llvm-as-22", self.write("module.ll", MODULE), "-o", path], check=True)
        self.assertEqual(self.check(path)[0], 0)
        path.write_bytes(path.read_bytes()[:200])
        code, report = self.check(path)
        self.assertEqual(code, 1)
        self.assertIn(report["verdicts"][0]["state"], ["invalid", "crash"])

    def test_hostile_modules_have_verdicts(self):
        for text in ["", "define", "\0" * 100, "define void @f() { ret i32 0 }",
                     MODULE[:-5], "x" * 100000,
                     "define void @f() {\n" + "br label %a\na:\n" * 3 + "}"]:
            done = run("check-fat-pointers", self.write("hostile.ll", text))
            # Nothing in it is a fat pointer, or it can't be read.
            self.assertIn(done.returncode, [1, 2], done.stdout + done.stderr)
        nested = "{" * 3000 + "ptr addrspace(7)" + "}" * 3000
        deep = self.write("deep.ll", f"define void @f({nested} %p) {{ ret void }}\n")
        done = run("check-fat-pointers", deep, "--timeout", "20", "--retries", "0")
        self.assertIn(done.returncode, [0, 1, 77], done.stderr)
        self.assertIn("verdict", done.stdout)

    def test_a_crash_costs_only_its_function(self):
        # LLVM's pass dies of memmove.
        path = self.write("crash.ll", MODULE + """
define void @move(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 16, i1 false)
  ret void
}
declare void @llvm.memmove.p7.p7.i32(ptr addrspace(7), ptr addrspace(7), i32, i1)
""")
        code, report = self.check(path, "--use-llvm-lowering", "--retries", "0")
        self.assertEqual(code, 1)
        self.assertEqual(states(report), {"next": "pass", "keep": "pass", "move": "crash"})
        self.assertEqual(self.check(path)[0], 0)

    def test_a_broken_lowering_costs_only_its_function(self):
        # LLVM's pass leaves a masked load whose pointer is a struct.
        path = self.write("broken.ll", MODULE + """
define <4 x i32> @masked(ptr addrspace(7) %p, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 4 %p, <4 x i1> %m, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}
declare <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7), <4 x i1>, <4 x i32>)
""")
        code, report = self.check(path, "--use-llvm-lowering")
        self.assertEqual(code, 1)
        self.assertEqual(states(report), {"next": "pass", "keep": "pass", "masked": "fail"})
        self.assertEqual([f["rule"] for f in report["verdicts"][2]["findings"]], ["FAT-BROKEN"])
        self.assertEqual(self.check(path)[0], 0)

    def test_rules_are_listed_and_explained(self):
        listed = run("check-fat-pointers", "--list-rules").stdout
        rules = [line.split()[0] for line in listed.splitlines()]
        self.assertIn("FAT-DIFF-MEMORY", rules)
        for rule in rules:
            done = run("check-fat-pointers", "--explain", rule)
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stdout.startswith(rule + ": "))

    def test_formats(self):
        before = self.write("before.ll", MODULE)
        wrong = self.write("wrong.ll", LOWERED.replace("SHIFT", "3"))
        for form, text in [("text", "FAT-DIFF-RESULT"), ("junit", "<testsuite"),
                           ("sarif", "FAT-DIFF-RESULT"), ("markdown", "fail")]:
            done = run("check-fat-pointers", before, wrong, "--format", form)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stdout)


if __name__ == "__main__":
    unittest.main()
