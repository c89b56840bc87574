#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vulkan drivers that are missing, broken, or end the process: unsupported with the reason, never a crash."""
import json
import os
import subprocess
import unittest

from command import GOOD, CommandTest, run

# A driver library that aborts as RADV does when it does not know the GPU family, or exits.
ABORTS = r"""#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void start(void) {
  fputs("starting\nfake: Unknown family\n", stderr);
  %s;
}
"""
USES = {"lvp": ["run", "--machine", "vulkan:lavapipe"],
        "radeon": ["run", "--compiler", "aco", "--machine", "gcn", "--target", "gfx1100"]}


class Drivers(CommandTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.amber", GOOD)

    def manifest(self, driver, library):
        text = {"file_format_version": "1.0.0", "ICD": {"library_path": str(library), "api_version": "1.3.0"}}
        return self.write(f"icd/{driver}_icd.json", json.dumps(text))

    def library(self, end):
        self.write("driver.c", ABORTS % end)
        subprocess.run(["clang-22", "-shared", "-fPIC", "-o", "driver.so", "driver.c"], cwd=self.folder, check=True)
        return self.folder / "driver.so"

    def reason(self, driver, files):
        """Of the verdict, which must be unsupported, with the drivers that VK_DRIVER_FILES names."""
        verb, *rest = USES[driver]
        environment = {**os.environ, "VK_DRIVER_FILES": str(files)}
        done = run(verb, self.good, *rest, "--format", "json", env=environment)
        self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
        verdict = json.loads(done.stdout)["verdicts"][0]
        self.assertEqual(verdict["state"], "unsupported")
        return verdict["reason"]

    def test_a_driver_that_dies_is_unsupported(self):
        for end, words in (("abort()", "SIGABRT (fake: Unknown family)"),
                           ("raise(SIGSEGV)", "SIGSEGV (fake: Unknown family)"),
                           ("_Exit(3)", "exit status 3 (fake: Unknown family)")):
            library = self.library(end)
            for driver in USES:
                with self.subTest(end=end, driver=driver):
                    manifest = self.manifest(driver, library)
                    reason = self.reason(driver, manifest)
                    self.assertIn(words, reason)
                    self.assertIn(str(manifest), reason)

    def test_a_library_that_is_missing(self):
        for driver in USES:
            with self.subTest(driver=driver):
                self.assertIn("the Vulkan loader", self.reason(driver, self.manifest(driver, "/nonexistent.so")))

    def test_the_variable_selects_the_drivers(self):
        for driver, name in (("lvp", "'lavapipe'"), ("radeon", "'radeon'")):
            with self.subTest(driver=driver):
                self.assertIn(f"VK_DRIVER_FILES (/nonexistent) names no Vulkan driver {name}",
                              self.reason(driver, "/nonexistent"))
        # A folder and a file; other drivers' names are in the message.
        self.manifest("other", "/nonexistent.so")
        self.assertIn("(there are other)", self.reason("lvp", f"/nonexistent:{self.folder / 'icd'}"))

    def test_doctor_tries_the_selected_drivers(self):
        manifest = self.manifest("radeon", self.library("abort()"))
        done = run("doctor", env={**os.environ, "VK_DRIVER_FILES": str(manifest)})
        self.assertIn("missing  Vulkan driver lvp: machine vulkan:lavapipe is missing\n", done.stdout)
        self.assertRegex(done.stdout, r"missing  Vulkan driver radeon: RADV .*SIGABRT \(fake: Unknown family\): peer "
                                      r"compilers aco and radv-llvm are missing\n")


if __name__ == "__main__":
    unittest.main()
