#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the owner of other scripts needs: --known, --skip-rule, --fail-on, --spirv-env."""
import unittest

from command import GOOD, CommandTest, run, run_json

BAD = GOOD.replace("EQ -1 2", "EQ 0 2")
RAY_TRACING = "#!amber\nPIPELINE raytracing p\nEND\n"

# The entry point lists its buffer, which is right from SPIR-V 1.4 on.
NEWER = """#!amber
{head}SHADER compute s SPIRV-ASM
OpCapability Shader
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %b
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %s Block
OpMemberDecorate %s 0 Offset 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u = OpTypeInt 32 0
%zero = OpConstant %u 0
%s = OpTypeStruct %u
%p = OpTypePointer StorageBuffer %s
%pu = OpTypePointer StorageBuffer %u
%b = OpVariable %p StorageBuffer
%main = OpFunction %void None %f
%l = OpLabel
%c = OpAccessChain %pu %b %zero
OpStore %c %zero
OpReturn
OpFunctionEnd
END
BUFFER buf DATA_TYPE uint32 DATA 7 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER buf AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT buf IDX 0 EQ 0
"""


class Known(CommandTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.amber", GOOD)
        self.bad = self.write("bad.amber", BAD)

    def run_known(self, lines, *arguments):
        return run("run", self.good, self.bad, "--known", self.write("known", lines), *arguments)

    def test_what_is_known_does_not_change_the_exit_code(self):
        for line in ("case bad.amber fail #12 never", "regex \"^bad\" any #12 never",
                     "rule \"b*.amber EXPECT\" fail #12 never",
                     "message \"bad.amber expected 0, got -1\" any #12 never"):
            with self.subTest(line=line):
                done = self.run_known(f"# of the suite\n{line}\n")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("known       bad.amber  reference spirv: fail (line 2 #12): EXPECT line 17", done.stdout)
                self.assertIn("2 verdicts: 1 pass, 1 known\n", done.stdout)
                self.assertEqual(done.stderr, "")

    def test_another_failure_is_not_known(self):
        for line in ("case bad.amber crash - never", "rule \"bad.amber RACE\" any - never",
                     "rule \"good.* EXPECT\" any - never", "message \"bad.amber got 7\" any - never"):
            with self.subTest(line=line):
                done = self.run_known(line + "\n")
                self.assertEqual(done.returncode, 1)
                self.assertIn("fail        bad.amber", done.stdout)

    def test_lines_that_excuse_nothing_are_named(self):
        lines = ("case good.amber any - never\ncase bad.amber any - 2026-01-01\ncase other.amber any - never\n"
                 "rule \"*.amber EXPECT\" any - never\n")
        done = self.run_known(lines, "--today", "2026-02-01")
        self.assertEqual(done.returncode, 0)
        known = self.folder / "known"
        self.assertEqual(done.stderr,
                         f"assay: {known}: line 1 'good.amber' no longer matches anything that fails\n"
                         f"assay: {known}: line 2 'bad.amber' expired on 2026-01-01\n"
                         f"assay: {known}: line 3 'other.amber' matches nothing that was run\n")
        self.assertEqual(self.run_known(lines, "--today", "2026-02-01", "--fail-on", "stale").returncode, 1)
        self.assertEqual(self.run_known("case bad.amber any - never\n", "--fail-on", "stale").returncode, 0)

    def test_machines_read_what_is_known(self):
        known = self.write("known", "case bad.amber any - never\n")
        code, report = run_json("diff", self.bad, "--targets", "gfx1100", "-O", "2", "--known", known)
        self.assertEqual(code, 0)
        self.assertEqual({verdict["known"] for verdict in report["verdicts"]}, {"line 1"})
        self.assertEqual(report["counts"]["fail"], 2)
        result = self.folder / "result.json"
        run("run", self.bad, "--known", known, "--format", "json", "--output", result)
        again = run("report", result, "--format", "junit").stdout
        self.assertIn('failures="0" errors="0" skipped="1"', again)
        self.assertIn('message="known (line 1): ', again)
        self.assertIn('"suppressions"', run("report", result, "--format", "sarif").stdout)
        self.assertIn("| known | 1 |", run("report", result, "--format", "markdown").stdout)

    def test_a_broken_list_is_a_usage_error(self):
        for lines, words in (("case x\n", "line 1: has 2 words"), ("rule EXPECT any - never\n", "expected cases"),
                             ("message \"x (\" any - never\n", "line 1"), ("rule \"[ X\" any - never\n", "line 1")):
            with self.subTest(lines=lines):
                done = self.run_known(lines)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
        self.assertEqual(run("run", self.good, "--known", self.folder / "none").returncode, 2)
        self.assertEqual(run("run", self.good, "--fail-on", "stale").returncode, 2)
        self.assertEqual(run("run", self.good, "--fail-on", "rain").returncode, 2)

    def test_fail_on_unsupported(self):
        rays = self.write("rays.amber", RAY_TRACING)
        self.assertEqual(run("run", self.good, rays).returncode, 0)
        self.assertEqual(run("run", self.good, rays, "--fail-on", "unsupported").returncode, 1)
        known = self.write("known", "message \"rays.amber raytracing pipelines\" unsupported - never\n")
        done = run("run", self.good, rays, "--fail-on", "unsupported", "--known", known)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("known       rays.amber  reference spirv: unsupported (line 1): raytracing", done.stdout)


class SkipRule(CommandTest):
    def test_a_rule_that_is_skipped_is_not_reported(self):
        good = self.write("good.amber", GOOD)
        arguments = ["run", good, "--target", "gfx1100", "--plant", "wait-loads"]
        # First validate-elf sees that a wait is missing, then the machine.
        for skipped, rule in (([], "MC-14"), (["--skip-rule", "MC-14"], "WAIT-RAW")):
            bad = run(*arguments, *skipped)
            self.assertEqual(bad.returncode, 1, bad.stdout + bad.stderr)
            self.assertIn(rule, bad.stdout)
        quiet = run(*arguments, "--skip-rule", "MC-14", "--skip-rule", "WAIT-RAW,WAIT-WAW")
        self.assertNotIn("WAIT-RAW:", quiet.stdout)

    def test_an_unknown_rule_is_a_usage_error(self):
        good = self.write("good.amber", GOOD)
        for rule, words in (("HAZ-DEALOC", "did you mean HAZ-DEALLOC"), ("WAIT", "no rule is called 'WAIT'"),
                            ("MEM-FAULT", "rule MEM-FAULT ends the run"), ("MC-4", "did you mean MC-0")):
            with self.subTest(rule=rule):
                done = run("run", good, "--skip-rule", rule)
                self.assertEqual(done.returncode, 2)
                self.assertOneLine(done.stderr)
                self.assertIn(words, done.stderr)

    def test_the_rerun_skips_it_too(self):
        bad = self.write("bad.amber", BAD)
        done = run("diff", bad, "--targets", "gfx1100", "-O", "2", "--skip-rule", "HAZ-DEALLOC", "-t", "spv1.3")
        self.assertIn("--spirv-env spv1.3", done.stdout)
        self.assertIn("--skip-rule HAZ-DEALLOC", done.stdout)


class SpirvEnv(CommandTest):
    def test_the_version_is_chosen_and_said(self):
        listed = self.write("listed.amber", NEWER.format(head="DEVICE_EXTENSION VK_KHR_spirv_1_4\n"))
        done = run("diff", listed, "--targets", "gfx1100", "-O", "2", "-v")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("reference spirv: assembled as SPIR-V 1.4, because line 2 lists VK_KHR_spirv_1_4", done.stdout)

    def test_the_option_decides(self):
        plain = self.write("plain.amber", NEWER.format(head=""))
        self.assertEqual(run("run", plain).returncode, 0)
        self.assertEqual(run("run", plain, "--spirv-env", "vulkan1.2").returncode, 0)
        done = run("run", plain, "-t", "spv1.0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("(assembled as SPIR-V 1.0, because --spirv-env says so)", done.stdout)
        done = run("compile", plain, "-t", "spv1.0", "-o", self.folder / "elf")
        self.assertIn("(assembled as SPIR-V 1.0, because --spirv-env says so)", done.stderr)
        done = run("run", plain, "--spirv-env", "spv2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown target environment 'spv2'", done.stderr)


if __name__ == "__main__":
    unittest.main()
