# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""validate-elf as a command: many files, patterns, archives, standard input, crashes, dumps."""
import json
import shutil
import subprocess
import unittest

import json_schema
from command import ASSAY, COMPUTE, SOURCE, CommandTest, run, run_json

LLVM_MC = shutil.which("llvm-mc-22")


class ValidateTest(CommandTest):
    def compile(self, name, target="gfx1100"):
        path = self.folder / name
        done = run("compile", COMPUTE / "saxpy.amber", "--target", target, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def test_patterns_folders_and_order(self):
        for name in ["b.elf", "a.elf", "c.txt"]:
            self.compile(name)
        code, report = run_json("validate-elf", self.folder / "?.elf")
        self.assertEqual(code, 0)
        self.assertEqual([v["case"].rsplit("/")[-1] for v in report["verdicts"]], ["a.elf", "b.elf"])
        code, report = run_json("validate-elf", self.folder)
        self.assertEqual([v["case"].rsplit("/")[-1] for v in report["verdicts"]],
                         ["a.elf", "b.elf", "c.txt"])
        done = run("validate-elf", self.folder / "*.obj")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing is called so", done.stderr)

    def test_same_result_for_any_number_of_workers(self):
        paths = [self.compile(f"{i}.elf") for i in range(5)]
        paths[2].write_bytes(b"\x7fELF")
        texts = {run("validate-elf", *paths, "--jobs", jobs, "--format", "json").stdout
                 for jobs in [1, 2, 5]}
        self.assertEqual(len(texts), 1)

    def test_standard_input(self):
        elf = self.compile("a.elf").read_bytes()
        for data, code in [(elf, 0), (b"no ELF", 1), (b"", 1)]:
            done = subprocess.run([ASSAY, "validate-elf", "-", "--format", "json"], input=data,
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(json.loads(done.stdout)["verdicts"][0]["case"], "-")

    def test_a_crash_is_the_verdict_of_one_file(self):
        paths = [self.compile(f"{i}.elf") for i in range(4)]
        for jobs in [1, 3]:
            code, report = run_json("validate-elf", *paths, "--jobs", jobs, "--plant",
                                    f"validate-crash@{paths[1]}")
            if "not built with faults" in str(report):
                self.skipTest("this build has no faults")
            self.assertEqual(code, 1)
            self.assertEqual([v["state"] for v in report["verdicts"]],
                             ["pass", "crash", "pass", "pass"])
            self.assertIn("SIGSEGV", report["verdicts"][1]["reason"])

    def test_json_fits_its_schema(self):
        schema = json.loads((SOURCE / "docs/schemas/validate-elf.schema.json").read_text())
        broken = self.folder / "broken.elf"
        broken.write_bytes(self.compile("a.elf").read_bytes()[:200])
        code, report = run_json("validate-elf", self.folder)
        self.assertEqual(code, 1)
        self.assertTrue(report["verdicts"][1]["findings"])
        self.assertEqual(json_schema.check(report, schema), [])
        # The schema is not one that anything fits.
        for change in [lambda r: r.pop("counts"), lambda r: r.update(schema="assay.diff/1"),
                       lambda r: r["verdicts"][0].update(state="good"),
                       lambda r: r["verdicts"][0].update(wave_size="0"),
                       lambda r: r["verdicts"][1]["findings"][0].update(rule="ELF"),
                       lambda r: r["verdicts"][1]["findings"][0].pop("severity"),
                       lambda r: r["verdicts"][1]["findings"][0]["evidence"].append(["one"])]:
            other = json.loads(json.dumps(report))
            change(other)
            self.assertEqual(len(json_schema.check(other, schema)), 1)

    def assemble(self, text, name, target):
        source, elf = self.write("source.s", text), self.folder / name
        subprocess.run([LLVM_MC, "-triple=amdgcn--amdpal", f"-mcpu={target}", "-filetype=obj", "-o",
                        elf, source], check=True, timeout=60)
        return elf

    @unittest.skipUnless(LLVM_MC, "llvm-mc-22 is not installed")
    def test_fail_on_warning(self):
        text = run("compile", COMPUTE / "saxpy.amber", "--emit", "asm").stdout
        # The names of the chip, which the assembler spells in its own way.
        text = "".join(line for line in text.splitlines(True)
                       if "amdgcn_target" not in line and "amd_amdgpu_isa" not in line)
        text += '\t.section .rodata,"a",@progbits\n\t.p2align 5\n\t.long nobody_defines_this\n'
        elf = self.assemble(text, "undefined.elf", "gfx1100")
        code, report = run_json("validate-elf", elf)
        self.assertEqual({f["severity"] for f in report["verdicts"][0]["findings"]}, {"warning"})
        self.assertEqual(code, 0)
        code, report = run_json("validate-elf", elf, "--fail-on", "warning")
        self.assertEqual(code, 1)
        self.assertEqual(report["verdicts"][0]["reason"], "1 warning")

    @unittest.skipUnless(LLVM_MC, "llvm-mc-22 is not installed")
    def test_dump_goes_back_through_the_assembler(self):
        for target in ["gfx900", "gfx1201"]:
            elf = self.compile("a.elf", target)
            first = run("validate-elf", "--dump", elf)
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertIn(".wavefront_size", first.stdout)
            again = self.assemble(first.stdout, "again.elf", target)
            # The assembler makes an empty map of registers if there is none.
            back = run("validate-elf", "--dump", again).stdout
            self.assertEqual(back.replace("    .registers:      {}\n", ""),
                             first.stdout.replace("    .registers:      {}\n", ""))

    def test_dump_of_what_has_no_metadata(self):
        broken = self.folder / "broken.elf"
        broken.write_bytes(self.compile("a.elf").read_bytes()[:200])
        done = run("validate-elf", "--dump", broken)
        self.assertEqual(done.returncode, 2)
        self.assertIn("broken.elf", done.stderr)


if __name__ == "__main__":
    unittest.main()
