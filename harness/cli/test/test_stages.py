#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A draw gives the same image however its stages become one ELF: linked and compiled apart, in one module, unlinked with
glue, from the cache, and as primitive shaders."""
import tempfile
import unittest

from command import SOURCE, CommandTest, run, run_json

GRAPHICS = SOURCE / "corpora" / "graphics"
SAMPLE = [GRAPHICS / (name + ".amber") for name in (
    "vertex-format-r8g8-snorm", "vertex-format-r16g16b16a16-sfloat", "format-r16g16-sint",
    "format-r8g8b8a8-srgb", "blend-factor-src1-color", "blend-op-add", "frag-depth", "fragment-discard", "clip-distances",
    "builtin-point-size", "point-coord", "draw-grid")]
CASES = SAMPLE + sorted(GRAPHICS.glob("stage-*.amber"))[::3]
MODES = "assay,assay-whole,assay-unlinked,assay-ngg"


class StagesTest(CommandTest):
    def bad(self, report):
        """What does not pass; NGG is not on GFX9."""
        return [(v["case"], v.get("compiler"), v["state"], v.get("reason")) for v in report["verdicts"]
                if v["state"] != "pass" and not (v.get("reason") or "").endswith("NGG on gfx900")]

    def test_all_modes_give_the_image_of_the_reference(self):
        self.assertGreaterEqual(len(CASES), 15)
        for target in ("gfx900", "gfx1030", "gfx1100"):
            _, report = run_json("diff", *CASES, "--compilers", MODES, "--targets", target, "-O", "2", "--retries", "0")
            self.assertEqual(self.bad(report), [])
            made = {v["compiler"] for v in report["verdicts"] if v["state"] == "pass" and v.get("compiler")}
            self.assertEqual(len(made), 3 if target == "gfx900" else 4)

    def test_print_ir_reads_the_modules_of_all_stages(self):
        text = self.folder / "stages.ll"
        done = run("compile", CASES[0], "--target", "gfx1030", "--emit", "lgc", "-o", text)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("print-ir", text)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith("; stage ")]
        self.assertEqual(lines, ["; stage vertex", "; stage fragment"])
        again = run("print-ir", "--plain", self.write("named.ll", done.stdout))
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_other_levels_and_waves(self):
        _, report = run_json("diff", *CASES[:4], "--compilers", MODES, "--targets", "gfx1030,gfx1201", "-O", "0,2",
                             "--wave", "32,64", "--retries", "0")
        self.assertEqual(self.bad(report), [])

    def test_what_failed_once(self):
        # Scalars that a part has read and its glue writes; spills of lanes without a vertex, of several waves.
        for compiler, target, level, cases in (
                ("assay-unlinked", "gfx1201", "2", ("blend-factor-one-minus-src1-color", "blend-factor-src1-color")),
                ("assay-ngg", "gfx1030", "0", ("instance-divisor-2",))):
            _, report = run_json("diff", *(GRAPHICS / (name + ".amber") for name in cases), "--compilers", compiler,
                                 "--targets", target, "-O", level, "--retries", "0")
            self.assertEqual(self.bad(report), [])

    def test_parts_from_the_cache_give_it_too(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                _, report = run_json("diff", *CASES[:6], "--compilers", "assay,assay-unlinked", "--targets", "gfx1030",
                                     "-O", "2", "--cache", folder, "--check-cache", "--retries", "0")
                self.assertEqual(self.bad(report), [])

    def test_metadata_of_version_2_give_it_too(self):
        _, report = run_json("diff", *CASES[:8], "--compilers", "assay,assay-unlinked", "--targets", "gfx900,gfx1100",
                             "-O", "2", "--metadata-version", "2.6", "--retries", "0")
        self.assertEqual(self.bad(report), [])

    def test_elfs_are_valid_in_both_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            elf = folder + "/code.elf"
            pipeline = folder + "/fragment.pipe"
            with open(pipeline, "w", encoding="utf-8") as file:
                file.write("[Version]\nversion = 40\n[FsGlsl]\n#version 450\nlayout(location = 0) in vec4 a;\n"
                           "layout(location = 0) out vec4 c;\nvoid main() { c = a * 2; }\n[FsInfo]\nentryPoint = main\n"
                           "[GraphicsPipelineState]\ncolorBuffer[0].format = VK_FORMAT_R8G8B8A8_UNORM\n"
                           "colorBuffer[0].channelWriteMask = 15\n")
            for case in (GRAPHICS / "interface-smooth.amber", pipeline):
                for version in ("3.0", "2.6"):
                    for compiler in ("assay", "assay-unlinked"):
                        words = ["--compiler", compiler, "--target", "gfx1030", "--metadata-version", version]
                        done = run("compile", case, *words, "-o", elf)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        done = run("validate-elf", elf)
                        self.assertEqual(done.returncode, 0, done.stdout)

    def test_rerun_names_the_compiler(self):
        _, report = run_json("diff", CASES[0], "--compilers", "assay-ngg", "--targets", "gfx1030", "-O", "2")
        reruns = [v["rerun"] for v in report["verdicts"] if v.get("compiler")]
        self.assertTrue(reruns and all("--compilers assay-ngg" in each for each in reruns), reruns)

    def test_what_does_not_exist_is_unsupported(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["--compiler", "assay-ngg", "--target", "gfx900"],
                          ["--compiler", "assay-unlinked", "--target", "gfx1030", "--emit", "asm"]):
                done = run("compile", CASES[0], *words, "-o", folder + "/code.elf")
                self.assertEqual(done.returncode, 77, done.stderr)


if __name__ == "__main__":
    unittest.main()
