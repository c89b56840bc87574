#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exit codes and messages of command lines, right and wrong."""
import json
import os
import subprocess
import unittest

from command import ASSAY, GOOD, CommandTest, run, run_json



class ExitCodes(CommandTest):
    def test_wrong_command_lines_are_2_with_one_line(self):
        good = self.write("good.amber", GOOD)
        empty = self.folder / "empty"
        empty.mkdir()
        missing = self.folder / "missing" / "x"
        for arguments in (
                [], ["dance"], ["diff"], ["diff", good, "--walk"], ["diff", "/no/such/file"],
                ["diff", good, "--targets", "gfx1"], ["diff", good, "--targets", "gfx900,,gfx1100"],
                ["diff", good, "-O", "1"], ["diff", good, "-O", "two"], ["diff", good, "--wave", "16"],
                ["diff", good, "--jobs", "0"], ["diff", good, "--timeout", "-1"],
                ["diff", good, "--format", "pdf"], ["diff", empty], ["diff", good, "--compilers", "command"],
                ["diff", good, "--compilers", "assay", "--", "cc", "{in}", "{out}"],
                ["diff", good, "--"], ["run", good, "--"], ["check-fat-pointers", good, "--"],
                ["diff", good, "--", "cp", "s.elf", "{ouf}"], ["run", good, "--", "cp", "s.elf", "out"],
                ["minimize", good, "--", "cp", "s.elf", "{ouf}", "{out}"],
                ["check-fat-pointers", good, "--", "cp", "{in}", "{out}", "{entry}"],
                ["run", good, "--compiler", "aco", "--", "cp", "s.elf", "{out}"],
                ["run", good, "--machine", "spirv", "--", "cp", "s.elf", "{out}"],
                ["compile", good, "--", "cp", "s.elf", "{out}"], ["doctor", "--", "x"],
                ["doctor", "--isa", "/no/such/file"], ["doctor", "--isa", empty],
                ["compile", good, "-o", missing], ["diff", good, "-o", missing],
                ["localize", good, "-o", missing], ["run", good, "--log", missing],
                ["run", good, "--trace-file", missing],
                ["run"], ["run", "/no/such/file"], ["run", good, "--target", "gfx1"],
                ["run", good, "--machine", "gnc"], ["run", good, "--machine", "vulkan:"],
                ["run", good, "--machine", "gcn", "--subgroup-size", "32"],
                ["run", good, "--machine", "spirv", "--wave", "32"], ["run", good, "--trace", "--wave", "3"],
                ["run", good, "--subgroup-size", "32", "--trace"],
                ["compile"], ["compile", "/no/such/file"], ["compile", good, "--emit", "poem"],
                ["compile", good, "--target", "gfx1"],
                ["validate-elf"], ["validate-elf", "/no/such/file"], ["validate-elf", empty],
                ["validate-elf", good, "--only", "NO-SUCH-RULE"], ["validate-elf", good, "--gfxip", "gfx1"],
                ["validate-elf", "--explain", "NO-SUCH-RULE"], ["doctor", "--format", "poem"],
                ["report"], ["report", "/no/such/file"], ["triage", "/no/such/file"],
                ["report", "--upstream", "llvm", "no-such-bug", "--bugs", empty],
                ["report", "--upstream", "nobody", "x"], ["bugs", "list", "--bugs", "/no/such/folder"],
                ["replay", "/no/such/folder"], ["replay", empty],
                ["minimize", good, "-o", self.folder / "m", "--predicate", "/no/such/file"],
                ["localize", good, "--predicate", empty], ["run", good, "--known", empty],
                ["run", good, "--replay", empty], ["print-ir", "/no/such/file"], ["print-ir", empty],
                ["assemble", empty], ["disassemble", "/no/such/file"],
                ["diff", good, "--timeout", "nan"], ["diff", good, "--timeout", "inf"],
                ["diff", good, "--max-instructions", "0"], ["run", good, "--max-values", "-1"],
                ["run", good, "--trace", "--lane", "-1"], ["diff", good, "--cache", good],
                ["diff", good, "--cache-policy", "cache_size_bytes=1g"],
                ["triage", "--store", self.folder / "no-store", "--list"],
                ["fuzz", "--cases", "1", "-o", good], ["merge", empty, "-o", good], ["run", good, "--png", good],
                ["diff", good, "--html", good], ["minimize", good, "-o", good], ["triage", empty, "--as-is"],
                ["report", empty], ["report", empty, "--baseline", empty],
                ["campaign", "plan", "--engine", "local", "--shards", "2", "-o", good, "--", "--cases", "1"],
                ["campaign", "plan", "--engine", "local", "--shards", "2", "-o", empty, "--", "--targets", ""],
                ["doctor", "--capabilities", "--sanitizers"], ["doctor", "--isa", good, "--sanitizers"],
                ["compile", good, "--memory-limit", "511"],
                ["cache", "dance"], ["--walk"], ["compile", "/dev/null"]):
            with self.subTest(arguments=[str(a) for a in arguments]):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertOneLine(done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_message_says_what_would_do(self):
        good = self.write("good.amber", GOOD)
        missing = self.folder / "missing" / "x"
        no_folder = f"cannot find the folder {missing.parent}"
        for arguments, words in (
                (["run", good, "--trace", "--wave", "3"], "--trace-wave"),
                (["run", good, "--machine", "spirv", "--schedules", "3"], "--schedules is for machine gcn or adreno, not spirv"),
                (["run", good, "--machine", "gcn", "--subgroup-size", "32"], "of gcn it is --wave"),
                (["run", good, "--machine", "vulkan:lavapipe", "--target", "gfx900"],
                 "--target is for machine gcn or adreno, not vulkan:lavapipe"),
                (["diff", good, "--timeout", "nan"], "'nan' is not a number of seconds from 0.001 to 1e+06"),
                (["corpus", "dance"], "corpus needs one of stat, cover, min, add"),
                (["diff", good, "--", "cp", "s.elf", "{ouf}"], "{ouf}; known are {in} {out} {target}"),
                (["diff", good, "-o", missing], no_folder),
                (["fuzz", "--print", "1", "--transform", "1", "--log", missing], no_folder),
                (["fuzz", "-o", self.folder / "out", "--cases", "1", "--times", missing],
                 f"--times: {missing}: {no_folder}")):
            with self.subTest(arguments=[str(a) for a in arguments]):
                self.assertIn(words, run(*arguments).stderr)

    def test_an_empty_name_is_refused(self):
        good = self.write("good.amber", GOOD)
        for verb, options in (("diff", ("--targets", "--machines", "--compilers", "--output", "--html", "--cache")),
                              ("run", ("--png", "--machine", "--log", "--known", "--output")),
                              ("triage", ("--store", "--baseline"))):
            for option in options:
                with self.subTest(verb=verb, option=option):
                    done = run(verb, good, option, "")
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertOneLine(done.stderr)
                    self.assertIn(f"{option}: the name is empty", done.stderr)

    def test_a_file_is_no_store(self):
        good = self.write("good.amber", GOOD)
        result = self.folder / "result.json"
        self.assertEqual(run("run", good, "--format", "json", "-o", result).returncode, 0)
        done = run("triage", result, "--store", good)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(f"{good}: is not a folder", done.stderr)
        self.assertEqual(good.read_text(), GOOD)

    def test_the_lowest_memory_limit_suffices(self):
        good = self.write("good.amber", GOOD)
        for arguments in (["compile", good, "-o", self.folder / "out"], ["diff", good, "--targets", "gfx1100,a630"]):
            done = run(*arguments, "--memory-limit", "512")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_schedule_that_is_no_log_is_named(self):
        good, log = self.write("good.amber", GOOD), self.write("empty.log", "")
        done = run("run", good, "--replay", log)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{log}: schedule log", done.stdout)

    def test_listing_makes_no_store(self):
        store = self.folder / "store"
        self.assertEqual(run("triage", "--store", store, "--list").returncode, 2)
        self.assertFalse(store.exists())

    def test_a_name_that_is_not_utf_8_is_refused(self):
        name = os.fsencode(self.folder) + b"/\xe4.amber"
        with open(name, "w", encoding="utf-8") as file:
            file.write(GOOD)
        for verb in ("run", "diff", "compile", "validate-elf"):
            done = subprocess.run([ASSAY, verb, name], capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(b"the name is not UTF-8", done.stderr)

    def test_a_byte_order_mark_is_skipped(self):
        pipe = "[CsGlsl]\n#version 450\nvoid main() {}\n"
        for name, text in (("a.amber", GOOD), ("a.comp", "#version 450\nvoid main() {}\n"), ("a.pipe", pipe)):
            done = run("compile", self.write(name, "\ufeff" + text), "-o", self.folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_runs_before_a_wrong_command_is_refused(self):
        done = run("diff", self.write("good.amber", GOOD), "--", "touch", "{ouf}", cwd=self.folder)
        self.assertEqual((done.returncode, [path.name for path in self.folder.iterdir()]), (2, ["good.amber"]))

    def test_an_option_of_machine_gcn_chooses_it(self):
        good = self.write("good.amber", GOOD)
        for options, machine in (([], "spirv"), (["--subgroup-size", "32"], "spirv"), (["--wave", "64"], "gcn"),
                                 (["--target", "gfx900"], "gcn"), (["--schedules", "2"], "gcn"),
                                 (["--trace-file", self.folder / "trace"], "gcn")):
            with self.subTest(options=options):
                _, report = run_json("run", good, *options)
                self.assertEqual([v["machine"] for v in report["verdicts"]], [machine])

    def test_cases_come_from_standard_input(self):
        def feed(text, *arguments):
            return subprocess.run([ASSAY, *arguments], input=text, text=True, capture_output=True,
                                  timeout=120)
        done = feed(GOOD, "run", "-", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        verdict = json.loads(done.stdout)["verdicts"][0]
        self.assertEqual((verdict["case"], verdict["state"]), ("-", "pass"))
        self.assertTrue(verdict["rerun"].startswith("assay run - "), verdict["rerun"])
        done = feed("#version 450\nvoid main() {}\n", "compile", "-", "--emit", "asm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("s_endpgm", done.stdout)
        done = feed("good day\n", "run", "-")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("what kind of input", done.stdout)
        self.assertNotIn("assay-stdin", done.stdout)
        done = feed("[CsGlsl]\n#version 450\nvoid main() {}\n", "compile", "-", "--emit", "asm")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = feed("[CsGlsl]\n#version 450\nvoid main() { x; }\n", "compile", "-")
        self.assertTrue(done.stderr.startswith("assay: invalid: -: line 3: GLSL: "), done.stderr)

    def test_a_file_named_twice_runs_once(self):
        good = self.write("good.amber", GOOD)
        done = run("run", good, good, "--format", "json")
        self.assertEqual(len(json.loads(done.stdout)["verdicts"]), 1)

    def test_help_names_every_verb(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        for verb in ["compile", "validate-elf", "run", "diff", "report", "triage", "doctor", "version",
                     "check-hashes", "cache"]:
            self.assertIn(verb, done.stdout)
        self.assertNotIn("worker", done.stdout)
        done = run("diff", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--targets", done.stdout)
        self.assertNotIn("--plant", done.stdout)

    def test_version_and_doctor(self):
        done = run("version")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("assay ", "commit ", "LLVM 22", "SPIRV-Tools", "Mesa "):
            self.assertIn(part, done.stdout)
        self.assertEqual(run("--version").returncode, 0)
        done = run("doctor")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("LLVM with AMDGPU: 22", "glslang: ", "Vulkan driver lvp", "Vulkan driver radeon"):
            self.assertIn(part, done.stdout)

    def test_doctor_lists_capabilities(self):
        done = run("doctor", "--capabilities", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "assay.capabilities/1")
        rows = {row["name"]: row for row in report["rows"]}
        self.assertEqual(rows["GroupNonUniformVote"], {
            "kind": "capability", "name": "GroupNonUniformVote", "feature": "subgroup vote",
            "compiler": True, "reference": True})
        self.assertEqual(rows["robustBufferAccess2"]["kind"], "device feature")
        text = run("doctor", "--capabilities").stdout.splitlines()
        self.assertEqual(len(text), len(rows) + 1)
        self.assertEqual(text[0].split()[0], "kind")

    def test_rules_are_listed_and_explained(self):
        done = run("validate-elf", "--list-rules")
        self.assertEqual(done.returncode, 0)
        rule = done.stdout.split()[0]
        done = run("validate-elf", "--explain", rule)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(rule, done.stdout)

    def test_a_full_disk_is_3(self):
        good = self.write("good.amber", GOOD)
        for arguments in (["version"], ["doctor"], ["run", good], ["diff", good, "--targets", "gfx1100"],
                          ["compile", good, "--emit", "asm"]):
            with self.subTest(arguments=[str(a) for a in arguments]), open("/dev/full", "w") as full:
                done = subprocess.run([ASSAY, *map(str, arguments)], stdout=full, text=True,
                                      stderr=subprocess.PIPE, timeout=120)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("No space left", done.stderr)
        done = run("diff", good, "--targets", "gfx1100", "--html", "/proc/nowhere")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("pass", done.stdout)  # The report itself is not lost.

    def test_a_broken_job_is_3(self):
        done = run("worker", self.write("job.json", "{}"))
        self.assertEqual(done.returncode, 3)
        self.assertOneLine(done.stderr)


if __name__ == "__main__":
    unittest.main()
