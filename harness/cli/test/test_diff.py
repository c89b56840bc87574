#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay run and diff on good cases and on wrong ones."""
import json
import unittest

from command import ASSAY, COMPUTE, GOOD, STATES, CommandTest, run, run_json


class Diff(CommandTest):
    def test_a_good_case_passes_on_every_machine(self):
        code, report = run_json("diff", self.write("good.amber", GOOD))
        self.assertEqual(report["counts"]["pass"], 9, json.dumps(report["verdicts"])[:3000])
        self.assertEqual(code, 0)
        configurations = [(v["target"], v["opt_level"]) for v in report["verdicts"] if v["compiler"]]
        self.assertEqual(configurations, [(t, o) for t in ("gfx900", "gfx1030", "gfx1100", "gfx1201")
                                          for o in (0, 2)])

    def test_json_begins_with_schema_and_counts(self):
        good = self.write("good.amber", GOOD)
        for verb in (["diff", "--targets", "gfx1100"], ["run"]):
            done = run(*verb, good, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            pairs = json.loads(done.stdout, object_pairs_hook=lambda p: p)
            self.assertEqual(pairs[0], ("schema", f"assay.{verb[0]}/1"))
            self.assertEqual(pairs[1][0], "counts")
            self.assertEqual([name for name, _ in pairs[1][1]], STATES)

    def test_the_result_does_not_depend_on_jobs(self):
        for i in range(3):
            self.write(f"cases/{i}.amber", GOOD.replace("- 1", f"- {i}"))
        outputs = [run("diff", self.folder / "cases", "--format", "json", "--jobs", jobs,
                       "--targets", "gfx900,gfx1201").stdout for jobs in (1, 5)]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(json.loads(outputs[0])["counts"]["fail"], 2 * 5)

    def test_a_wrong_expectation_names_the_first_difference(self):
        path = self.write("wrong.amber", GOOD.replace("8 11", "8 12"))
        code, report = run_json("diff", path, "--targets", "gfx1100", "-O", "2")
        self.assertEqual(code, 1)
        self.assertEqual(report["counts"]["fail"], 2)
        first = report["verdicts"][1]["first_difference"]
        self.assertEqual((first["buffer"], first["element"], first["expected"], first["actual"]),
                         ("buf", 4, "12", "11"))
        text = run("diff", path, "--targets", "gfx1100", "-O", "2").stdout
        self.assertIn(f"rerun: assay diff {path} --targets gfx1100 -O 2", text)

    def test_a_rerun_line_reruns(self):
        path = self.write("wrong.amber", GOOD.replace("8 11", "8 12"))
        _, report = run_json("diff", path)
        for verdict in report["verdicts"][:3]:
            words = verdict["rerun"].split()
            self.assertEqual(words[0], "assay")
            code, again = run_json(*words[1:])
            self.assertEqual(code, 1)
            last = again["verdicts"][-1]
            for key in ("compiler", "target", "opt_level", "state", "reason", "rerun"):
                self.assertEqual(last[key], verdict[key])

    def test_either_version_of_metadata_can_be_had(self):
        good = self.write("good.amber", GOOD)
        new, old = (run("compile", good, "--emit", "metadata", *option).stdout
                    for option in ([], ["--metadata-version", "2.6"]))
        self.assertIn(".compute_registers:", new)
        self.assertNotIn(".registers:", new)
        self.assertIn(".registers:", old)
        self.assertNotIn(".compute_registers:", old)
        code, report = run_json("diff", good, "--targets", "gfx1100,gfx1201", "-O", "2", "--metadata-version", "2.6")
        states = {v.get("target"): v["state"] for v in report["verdicts"] if v.get("target")}
        self.assertEqual(states, {"gfx1100": "pass", "gfx1201": "unsupported"})
        self.assertTrue(all("--metadata-version 2.6" in v["rerun"] for v in report["verdicts"] if v.get("target")))
        self.assertEqual(run("compile", good, "--target", "gfx1201", "--metadata-version", "2.6").returncode, 77)
        for words in (["compile", good, "--metadata-version", "2.5"],
                      ["compile", good, "--compiler", "aco", "--metadata-version", "2.6"],
                      ["run", good, "--machine", "gcn", "--compiler", "aco", "--metadata-version", "2.6"]):
            self.assertEqual(run(*words).returncode, 2, words)

    def test_either_lowering_of_fat_pointers_can_be_had(self):
        good = self.write("good.amber", GOOD)
        for option, has_pointers in (([], False), (["--use-llvm-lowering"], True)):
            text = run("compile", good, "--emit", "llvm", *option).stdout
            self.assertEqual("addrspace(7)" in text, has_pointers)
            code, report = run_json("diff", good, "--targets", "gfx1100", *option)
            self.assertEqual(code, 0)
            self.assertEqual(["--use-llvm-lowering" in v["rerun"] for v in report["verdicts"]],
                             [False] + [has_pointers] * 2)
        elf = [run("compile", good, "--emit", "metadata", *option).stdout
               for option in ([], ["--use-llvm-lowering"])]
        self.assertNotEqual(*elf)  # The pipeline's hash, at least.
        for words in (["run", good, "--machine", "spirv"], ["run", good, "--machine", "gcn", "--compiler", "aco"],
                      ["compile", good, "--compiler", "aco"],
                      ["compile", good, "--target", "a630"], ["run", good, "--target", "a630"],
                      ["diff", good, "--targets", "a630"], ["diff", good, "--compilers", "aco"]):
            self.assertEqual(run(*words, "--use-llvm-lowering").returncode, 2, words)
        # Among other GPUs, those without fat pointers are compiled once.
        _, report = run_json("diff", good, "--targets", "gfx1100,a630", "-O", "2", "--lowering", "own,llvm")
        self.assertEqual(sorted((v["target"], v.get("lowering", "")) for v in report["verdicts"] if v["machine"] != "spirv"),
                         [("a630", ""), ("gfx1100", ""), ("gfx1100", "llvm")])

    def test_a_command_compiles_what_the_pipeline_specialises(self):
        done = run("diff", *COMPUTE.glob("resource-specialization*.amber"), "--targets", "gfx1100", "-O", "2", "--format",
                   "json", "--", ASSAY, "compile", "{in}", "--target", "{target}", "-O", "{opt}", "-o", "{out}")
        self.assertEqual((done.returncode, json.loads(done.stdout)["counts"]["pass"]), (0, 4), done.stdout)

    def test_own_lowering_and_llvm_s_side_by_side(self):
        good = self.write("good.amber", GOOD)
        code, report = run_json("diff", good, "--targets", "gfx1100", "-O", "2", "--lowering", "own,llvm")
        self.assertEqual((code, [v.get("lowering") for v in report["verdicts"]]), (0, [None, None, "llvm"]))
        table = run("diff", good, "--targets", "gfx1100", "-O", "2", "--lowering", "own,llvm", "--format", "table").stdout
        self.assertRegex(table, r"assay +gfx1100 +-O2 +llvm +- +pass")
        for verdict in report["verdicts"][1:]:
            _, again = run_json(*verdict["rerun"].split()[1:])
            self.assertEqual(again["verdicts"][-1], verdict)

    def test_a_case_without_expectations_is_compared_with_the_reference(self):
        path = self.write("silent.amber", GOOD.replace("EXPECT buf IDX 0 EQ -1 2 5 8 11 14 17 20", ""))
        code, report = run_json("diff", path, "--targets", "gfx1030")
        self.assertEqual((code, report["counts"]["pass"]), (0, 3), report)
        code, report = run_json("diff", path, "--targets", "gfx1030", "--machines", "gcn")
        self.assertEqual((code, report["counts"]["unsupported"]), (77, 2), report)
        self.assertIn("nothing to compare", report["verdicts"][0]["reason"])

    def test_without_reference_the_script_judges_and_the_reason_says_so(self):
        code, report = run_json("diff", self.write("good.amber", GOOD), "--machines", "gcn",
                                "--targets", "gfx900", "-O", "2")
        self.assertEqual((code, report["counts"]["pass"]), (0, 1), report)
        self.assertIn("judged by EXPECT alone", report["verdicts"][0]["reason"])

    def test_undefined_behaviour_is_invalid_everywhere(self):
        path = self.write("ub.amber", GOOD.replace("b.data[i] * 3 - 1", "b.data[i + 1000]"))
        code, report = run_json("diff", path, "--targets", "gfx1100")
        self.assertEqual((code, report["counts"]["invalid"]), (1, 3), report)

    def test_a_wave_size_that_a_target_lacks_is_unsupported(self):
        code, report = run_json("diff", self.write("good.amber", GOOD), "--targets", "gfx900,gfx1100",
                                "--wave", "32,64", "-O", "2")
        states = {(v["target"], v["wave_size"]): v["state"] for v in report["verdicts"] if v["target"]}
        self.assertEqual(states, {("gfx900", 32): "unsupported", ("gfx900", 64): "pass",
                                  ("gfx1100", 32): "pass", ("gfx1100", 64): "pass"})
        self.assertEqual(code, 0)

    def test_planned_machines_targets_and_compilers_are_unsupported(self):
        good = self.write("good.amber", GOOD)
        for options in (["--machines", "spirv,vulkan:no-such-driver"], ["--compilers", "radv-llvm", "--targets", "gfx1201"]):
            code, report = run_json("diff", good, *options)
            self.assertEqual(code, 77, options)
            self.assertEqual(report["counts"]["pass"], 1)  # The reference.
            self.assertTrue(all(v["reason"] for v in report["verdicts"][1:]))

    def test_a_misspelt_device_feature_is_no_feature(self):
        for name, wanted in (("shaderInt16", 0), ("shaderInt61", 77)):
            path = self.write("feature.amber", GOOD.replace("#!amber\n", f"#!amber\nDEVICE_FEATURE {name}\n"))
            code, report = run_json("diff", path, "--targets", "gfx1100", "-O", "2")
            self.assertEqual(code, wanted, report)
        self.assertIn("shaderInt61", report["verdicts"][0]["reason"])

    def test_a_shader_alone_has_nothing_to_run(self):
        glsl = "\n".join(GOOD.split("\n")[2:9]) + "\n"
        path = self.write("alone.comp", glsl)
        code, report = run_json("diff", path, "--targets", "gfx1100")
        self.assertEqual((code, report["counts"]["unsupported"]), (77, 3), report)
        self.assertIn("nothing to run", report["verdicts"][1]["reason"])

    def test_run_prints_the_buffers(self):
        good = self.write("good.amber", GOOD)
        for options in (["--machine", "spirv"], ["--machine", "gcn", "--target", "gfx1201"]):
            code, report = run_json("run", good, *options)
            self.assertEqual(code, 0, report)
            self.assertEqual(report["buffers"][0]["buffers"][0]["values"],
                             ["-1", "2", "5", "8", "11", "14", "17", "20"])
        text = run("run", good).stdout
        self.assertIn("buf: int32[8]\n    0: -1 2 5 8 11 14 17 20\n", text)

    def test_every_phase_can_be_had(self):
        good = self.write("good.amber", GOOD)
        for phase, part in (("spirv", "OpEntryPoint"), ("lgc", "define"), ("llvm", "define"),
                            ("asm", "s_endpgm"), ("metadata", "amdpal.pipelines")):
            done = run("compile", good, "--emit", phase, "--target", "gfx1100")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(part, done.stdout)
        elf = self.folder / "out.elf"
        done = run("compile", good, "-o", elf)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(elf.read_bytes()[:4], b"\x7fELF")
        code, report = run_json("validate-elf", elf, "--gfxip", "gfx1100")
        self.assertEqual((code, report["counts"]["pass"]), (0, 1), report)

    def test_a_table_has_a_row_for_each_configuration(self):
        path = self.write("wrong.amber", GOOD.replace("8 11", "8 12"))
        done = run("diff", path, "--targets", "gfx1100,gfx1030", "-O", "2", "--format", "table")
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()[:5]]
        self.assertEqual(rows, [["wrong.amber"], ["compiler", "target", "level", "spirv", "gcn"], ["reference", "fail", "-"],
                                ["assay", "gfx1100", "-O2", "-", "fail"], ["assay", "gfx1030", "-O2", "-", "fail"]])
        self.assertIn("first difference: buffer 'buf'", done.stdout)  # Explained below.
        self.assertTrue(done.stdout.endswith("3 verdicts: 3 fail\n"))

    def test_a_compiler_command_takes_the_place_of_assay(self):
        good = self.write("good.amber", GOOD)
        elf = self.folder / "out.elf"
        self.assertEqual(run("compile", good, "-o", elf, "--target", "gfx1100").returncode, 0)
        common = ["diff", good, "--targets", "gfx1100", "-O", "2", "--format", "json", "--"]
        for command, state, code in (
                (["cp", elf, "{out}"], "pass", 0),
                (["sh", "-c", "kill -SEGV $$", "{out}"], "crash", 1),
                (["sh", "-c", "echo not today >&2; exit 77", "{out}"], "unsupported", 77),
                (["sh", "-c", "exit 1", "{out}"], "fail", 1),
                (["cp", "{in}", "{out}"], "fail", 1),
                (["/no/such/compiler", "{out}"], "tool-error", 3)):
            done = run(*common, *command)
            verdict = json.loads(done.stdout)["verdicts"][-1]
            self.assertEqual((verdict["state"], done.returncode), (state, code), verdict)
            self.assertEqual(verdict["compiler"], "command")


if __name__ == "__main__":
    unittest.main()
