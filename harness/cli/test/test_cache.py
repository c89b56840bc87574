#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--cache and the verb cache: cold, warm and damaged caches change no byte."""
import os
import shlex
import unittest

from command import COMPUTE, CommandTest, run

SAXPY = os.path.join(COMPUTE, "saxpy.amber")


class CacheTest(CommandTest):
    def compile(self, name, *arguments):
        path = os.path.join(self.folder, name)
        done = run("compile", SAXPY, "-o", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, "rb") as file:
            return file.read()

    def entries(self, cache):
        return [os.path.join(top, name) for top, _, names in os.walk(cache) for name in names
                if name.startswith("llvmcache-")]

    def test_cold_warm_and_damaged(self):
        cache = os.path.join(self.folder, "cache")
        fresh = self.compile("fresh.elf")
        self.assertEqual(self.compile("cold.elf", "--cache", cache), fresh)
        (entry,) = self.entries(cache)
        before = os.stat(entry).st_ino
        self.assertEqual(self.compile("warm.elf", "--cache", cache), fresh)
        self.assertEqual(os.stat(entry).st_ino, before)
        self.assertIn("1 build, 1 entry, ", run("cache", "stat", cache).stdout)
        self.assertEqual(run("cache", "verify", cache).returncode, 0)
        with open(entry, "r+b") as file:
            file.seek(100)
            byte = file.read(1)
            file.seek(100)
            file.write(bytes([byte[0] ^ 4]))
        done = run("cache", "verify", cache)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 entry, 1 damaged", done.stdout)
        self.assertEqual(self.compile("repaired.elf", "--cache", cache), fresh)
        self.assertEqual(run("cache", "verify", cache).returncode, 0)
        self.assertIn("1 entry removed", run("cache", "clear", cache).stdout)
        self.assertEqual(self.entries(cache), [])

    def test_diff_is_the_same(self):
        cache = os.path.join(self.folder, "cache")
        plain = run("diff", SAXPY, "--targets", "gfx1100")
        for _ in range(2):
            done = run("diff", SAXPY, "--targets", "gfx1100", "--cache", cache)
            self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout))
        self.assertEqual(len(self.entries(cache)), 2)

    def test_an_invalid_module_stays_invalid(self):
        cache = os.path.join(self.folder, "cache")
        text = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%int = OpTypeInt 32 1
%one = OpConstant %int 1
%main = OpFunction %void None %function
%a = OpLabel
OpReturn
OpFunctionEnd
%unused = OpFunction %void None %function
%b = OpLabel
%sum = OPERATION %int %one %one
OpReturn
OpFunctionEnd
"""
        valid = self.write("valid.spvasm", text.replace("OPERATION", "OpIAdd"))
        invalid = self.write("invalid.spvasm", text.replace("OPERATION", "OpFAdd"))
        for path, code in [(invalid, 1), (valid, 0), (invalid, 1), (valid, 0)]:
            done = run("compile", path, "-o", "/dev/null", "--cache", cache)
            self.assertEqual(done.returncode, code, done.stderr)

    def test_planted_faults_are_another_build(self):
        cache = os.path.join(self.folder, "cache")
        for builds, plant in enumerate([(), ("--plant", "wrong-subtract"), ("--plant", "unsigned-less")], 1):
            for _ in range(2):
                self.compile("planted.elf", "--cache", cache, *plant)
            self.assertEqual((len(os.listdir(cache)), len(self.entries(cache))), (builds, builds))

    def test_hits_are_checked(self):
        cache = os.path.join(self.folder, "cache")
        options = ("diff", SAXPY, "--targets", "gfx1100", "--jobs", "1", "--cache", cache, "--check-cache")
        for _ in range(2):  # The second time from the cache.
            done = run(*options)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run(*options, "--plant", "cache-forgets-level")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("CACHE-HIT: the cache returned an ELF of", done.stdout)
        # The command that it names shows it again.
        rerun = next(line for line in done.stdout.splitlines() if "rerun" in line).split("assay ", 1)[1]
        self.assertEqual(run(*shlex.split(rerun)).returncode, 1)
        done = run("diff", SAXPY, "--check-cache")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cache DIR", done.stderr)

    def test_wrong_arguments(self):
        self.assertEqual(run("cache").returncode, 2)
        self.assertEqual(run("cache", "stat", os.path.join(self.folder, "none")).returncode, 2)
        done = run("compile", SAXPY, "--again", "--cache", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--again", done.stderr)
        done = run("compile", SAXPY, "-o", "/dev/null", "--cache", self.folder, "--cache-policy", "size=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cache policy 'size=1'", done.stderr)


if __name__ == "__main__":
    unittest.main()
