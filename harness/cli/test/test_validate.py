# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""validate-elf as a command: many files, patterns, archives, standard input, crashes, dumps."""
import json
import os
import shutil
import subprocess
import unittest
import urllib.parse
import xml.etree.ElementTree

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

    def test_links_and_folders_of_patterns(self):
        below = self.folder / "many" / "below"
        below.mkdir(parents=True)
        (below / "round").symlink_to(self.folder / "many", target_is_directory=True)
        shutil.copy(self.compile("a.elf"), below / "b.elf")
        (below / "c.elf").symlink_to(self.folder / "a.elf")
        (self.folder / "many" / "text").write_text("no ELF")
        (self.folder / "nothing").mkdir()
        for path in [self.folder / "many", self.folder / "[mn]*"]:
            code, report = run_json("validate-elf", path)
            self.assertEqual(code, 0)
            self.assertEqual([v["case"].rsplit("/")[-1] for v in report["verdicts"]],
                             ["b.elf", "c.elf"])
        for path, text in [("nothing", "holds no ELF"), ("n*", "folders that have no ELF"),
                           ("none", "No such file")]:
            done = run("validate-elf", self.folder / path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_what_can_not_be_read_is_not_passed_over(self):
        elf, below = self.compile("a.elf"), self.folder / "below"
        below.mkdir()
        elf.chmod(0)
        code, report = run_json("validate-elf", self.folder)
        self.assertEqual(code, 3)
        self.assertIn("Permission denied", report["verdicts"][0]["reason"])
        below.chmod(0)
        done = run("validate-elf", self.folder)
        below.chmod(0o700)
        self.assertEqual(done.returncode, 2)
        self.assertIn("below: Permission denied", done.stderr)

    def test_wrong_use_is_told_at_once(self):
        elf = self.compile("a.elf")
        for arguments in [[], [elf, "--only", "XX-"], [elf, "--skip", ","], [elf, "--gfxip", "gfx1"],
                          [elf, "--dialect", "amd"], [elf, "--fail-on", "note"], [elf, "--", "x"],
                          ["--explain", "ELF-99"], [elf, "--dump", "--format", "json"],
                          [elf, "--format", "yaml"], [elf, "--bogus"], [elf, "--seed", "1"],
                          [elf, "--schedules", "4"], [elf, "--sanitize", "on"],
                          [elf, "--only", "ELF-01", "--skip", "ELF-01"],
                          [elf, "--only", "MC-01", "--no-code"],
                          ["--list-rules", "--format", "json"],
                          ["--explain", "ELF-01", "--format", "sarif"]]:
            done = run("validate-elf", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertOneLine(done.stderr)

    def test_a_file_counts_once(self):
        elf = self.compile("a.elf")
        code, report = run_json("validate-elf", elf, elf, self.folder, f"{self.folder}/*.elf")
        self.assertEqual(len(report["verdicts"]), 1)

    def test_names_of_rules_in_any_case(self):
        self.assertIn("ELF-01 (fatal)", run("validate-elf", "--explain", "elf-01").stdout)
        elf = self.folder / "a.elf"
        elf.write_bytes(b"\x7fELF")
        self.assertEqual(run("validate-elf", elf, "--only", "md-,elf-16").returncode, 0)
        self.assertEqual(run("validate-elf", elf, "--only", "elf-01").returncode, 1)

    HOSTILE = "a <b>&\"c' ]]>\x1b;$(x).elf"

    def report(self, form):
        """In another format, of a clean ELF, a broken one with a hostile name, and no ELF."""
        self.compile("clean.elf")
        broken = self.folder / self.HOSTILE
        broken.write_bytes((self.folder / "clean.elf").read_bytes()[:200])
        text = self.write("text", "no ELF")
        output = self.folder / "report"
        done = run("validate-elf", self.folder / "clean.elf", broken, text, "--format", form, "-o",
                   output)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", ""))
        return output.read_text()

    def test_junit_is_well_formed(self):
        root = xml.etree.ElementTree.fromstring(self.report("junit"))
        suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
        for suite in suites:
            cases = suite.findall("testcase")
            failures = suite.findall("testcase/failure")
            self.assertEqual(int(suite.get("tests")), len(cases))
            self.assertEqual(int(suite.get("failures")), len(failures))
        self.assertEqual(sum(len(suite.findall("testcase")) for suite in suites), 3)
        self.assertEqual(sum(len(suite.findall("testcase/failure")) for suite in suites), 2)

    def test_sarif_has_what_its_schema_demands(self):
        log = json.loads(self.report("sarif"))
        self.assertEqual(log["version"], "2.1.0")
        run_of_it, = log["runs"]
        driver = run_of_it["tool"]["driver"]
        self.assertTrue(driver["name"])
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        self.assertEqual(len(run_of_it["results"]), 2)
        for result in run_of_it["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertIn(result["level"], ["none", "note", "warning", "error"])
            self.assertTrue(result["message"]["text"])
            for value in result["partialFingerprints"].values():
                self.assertIsInstance(value, str)
            for location in result["locations"]:
                uri = location["physicalLocation"]["artifactLocation"]["uri"]
                self.assertRegex(uri, r"^[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+$")
        self.assertTrue(any(urllib.parse.unquote(str(result["locations"])).count("$(x).elf")
                            for result in run_of_it["results"]))

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
        junit = xml.etree.ElementTree.fromstring(run("validate-elf", elf, "--format", "junit").stdout)
        self.assertIn("nobody_defines_this", junit.find(".//testcase/system-out").text)
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
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("broken.elf", done.stderr)
        # Another file's metadata are printed all the same.
        done = run("validate-elf", "--dump", broken, self.folder / "a.elf")
        self.assertEqual(done.returncode, 2)
        self.assertIn(".wavefront_size", done.stdout)


if __name__ == "__main__":
    unittest.main()
