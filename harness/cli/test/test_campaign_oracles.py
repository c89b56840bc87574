#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a campaign compares next to one run with the reference: wave sizes, lowerings of fat pointers, threads, and what is
compiled again. Each sees a planted fault that nothing else sees."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

from command import ASSAY, COMPUTE, GOOD, CommandTest, run, run_json

CAMPAIGN = ("--seed", "5", "--targets", "gfx900,gfx1100", "-O", "2", "--quiet")


class CampaignOracles(CommandTest):
    def fuzz(self, name, *options, cases=4):
        """Exit code, campaign.json, and the verdicts of machine gcn by case: (target, wave size, lowering) -> verdict."""
        done = run("fuzz", *CAMPAIGN, "--cases", cases, "-o", self.folder / name, *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads((self.folder / name / "result.json").read_text())
        verdicts = {}
        for each in report["verdicts"]:
            key = each["target"], each["wave_size"], each.get("lowering")
            self.assertNotIn(key, verdicts.get((each["case"], each["machine"]), {}))
            verdicts.setdefault((each["case"], each["machine"]), {})[key] = each
        return done.returncode, json.loads((self.folder / name / "campaign.json").read_text()), verdicts

    def states(self, verdicts, machine="gcn"):
        return {key: {each[key]["state"] for (_, name), each in verdicts.items() if name == machine and key in each}
                for (_, name), every in verdicts.items() if name == machine for key in every}

    def test_both_wave_sizes_where_a_target_has_both(self):
        options = ("--profile", "subgroups", "--wave", "32,64")
        code, campaign, verdicts = self.fuzz("waves", *options)
        self.assertEqual((code, campaign["waves"]), (0, [32, 64]))
        self.assertEqual(self.states(verdicts), {("gfx900", 64, None): {"pass"}, ("gfx1100", 32, None): {"pass"},
                                                 ("gfx1100", 64, None): {"pass"}})
        # A case that can see the size has a reference of each.
        sizes = {tuple(sorted(wave for _, wave, _ in each)) for (_, machine), each in verdicts.items() if machine == "spirv"}
        self.assertIn((32, 64), sizes)
        plant = ("--plant", "other-wave-ballot")
        self.assertEqual(self.fuzz("own", "--profile", "subgroups", *plant)[0], 0)
        code, _, verdicts = self.fuzz("broken", *options, *plant)
        self.assertEqual(code, 1)
        self.assertEqual(self.states(verdicts)[("gfx1100", 32, None)], {"pass"})
        self.assertIn("fail", self.states(verdicts)[("gfx1100", 64, None)])
        done = run("fuzz", "--targets", "gfx900", "--wave", "32", "-o", self.folder / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no target has waves of that size", done.stderr)

    def test_own_lowering_and_llvm_s(self):
        options = ("--profile", "small", "--lowering", "own,llvm")
        code, campaign, verdicts = self.fuzz("both", *options, "--plant", "fat-lost-offset")
        self.assertEqual((code, campaign["lowerings"]), (1, ["own", "llvm"]))
        self.assertEqual(self.states(verdicts), {("gfx900", 0, None): {"fail"}, ("gfx900", 0, "llvm"): {"pass"},
                                                 ("gfx1100", 0, None): {"fail"}, ("gfx1100", 0, "llvm"): {"pass"}})
        # Of LLVM's lowering, the commands say so.
        report = json.loads((self.folder / "both" / "result.json").read_text())
        self.assertEqual({"--use-llvm-lowering" in each["rerun"]: each.get("lowering") for each in report["verdicts"]
                          if each["machine"] == "gcn"}, {True: "llvm", False: None})
        for wrong in (("--lowering", "mine"), ("--lowering", "own", "--use-llvm-lowering"),
                      ("--lowering", "llvm", "--compilers", "aco"), ("--check-threads", "-1")):
            self.assertEqual(run("fuzz", "-o", self.folder / "x", *wrong).returncode, 2, wrong)

    def test_threads_change_nothing(self):
        options = ("--check-threads", "1") # Of the default profile, most cases have several workgroups.
        code, campaign, _ = self.fuzz("threads", *options)
        self.assertEqual((code, campaign["checkThreads"]), (0, 1))
        plant = ("--plant", "threads-count")
        self.assertEqual(self.fuzz("unseen", "--check-threads", "0", *plant)[0], 0)
        code, _, verdicts = self.fuzz("seen", *options, *plant)
        self.assertEqual(code, 1)
        found = [verdict for every in verdicts.values() for verdict in every.values() if verdict["state"] == "fail"]
        self.assertEqual({each["findings"][0]["rule"] for each in found}, {"THREADS-DIFF"})
        # The command that it names shows it again, and so does the finding's folder.
        again = run(*shlex.split(found[0]["rerun"])[1:], cwd=self.folder / "seen")
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("THREADS-DIFF", again.stdout)
        small = run("minimize", self.folder / "seen" / "findings" / found[0]["case"], *plant, "--quiet", "--max-total-time", "5",
                    "-o", self.folder / "small")
        self.assertEqual(small.returncode, 0, small.stderr)
        case = COMPUTE / "atomic-operations.amber"
        blind = ("diff", case, "--targets", "gfx1100", "-O", "2", "--plant", "threads-blind")
        self.assertEqual(run(*blind).returncode, 0)
        code, report = run_json(*blind, "--check-threads", "1")
        self.assertEqual((code, report["verdicts"][-1]["findings"][-1]["rule"]), (1, "THREADS-DIFF"))

    def test_hash_chains_obey_their_laws(self):
        options = ("--check-hashes", "1")
        code, campaign, _ = self.fuzz("chains", *options)
        self.assertEqual((code, campaign["checkHashes"]), (0, 1))
        plant = ("--plant", "hash-twice")
        self.assertEqual(self.fuzz("unseen", "--check-hashes", "0", *plant)[0], 0)
        code, _, verdicts = self.fuzz("seen", *options, *plant)
        self.assertEqual(code, 1)
        found = [verdict for every in verdicts.values() for verdict in every.values() if verdict["state"] == "fail"]
        self.assertEqual({each["findings"][0]["rule"] for each in found}, {"HASH-HISTORY"})
        self.assertIn("assay check-hashes", found[0]["rerun"])
        case = COMPUTE / "saxpy.amber"
        code, report = run_json("diff", case, "--targets", "gfx1100", "-O", "2", "--check-hashes", "1")
        self.assertEqual((code, len(report["verdicts"])), (0, 3))
        self.assertEqual(report["verdicts"][-1]["statistics"][0], ["pairs", 8])

    def test_compiled_again_in_each_way(self):
        good = self.write("good.amber", GOOD)
        done = run("compile", good, "--again")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for fault, how in (("count-in-code", "by the same compiler"), ("environment-in-code", "in a process with another"),
                           ("memory-in-code", "in a process with another"), ("first-target-in-code", "in a process with another")):
            for warm in ("on", "off"):
                done = run("compile", good, "--again", "--plant", fault, "--warm", warm)
                self.assertEqual(done.returncode, 1, fault)
                self.assertIn(f"DETERMINISM: compiled again, {how}", done.stderr)
        for wrong in (("-o", self.folder / "x.elf"), ("--compiler", "aco")):
            self.assertEqual(run("compile", good, "--again", *wrong).returncode, 2)
        # Of the configurations of a campaign, each has its turn.
        code, _, verdicts = self.fuzz("again", "--profile", "small", "--wave", "32,64", "--lowering", "own,llvm",
                                      "--compile-again", "1", cases=6)
        self.assertEqual(code, 0)
        self.assertEqual(self.states(verdicts, "compile-again"),
                         {(target, wave, lowering): {"pass"} for lowering in (None, "llvm")
                          for target, wave in (("gfx900", 64), ("gfx1100", 32), ("gfx1100", 64))})
        # What a verdict names to be run again, shows it.
        code, _, verdicts = self.fuzz("found", "--profile", "small", "--compile-again", "1", "--plant", "memory-in-code", cases=1)
        self.assertEqual(code, 1)
        found = next(verdict for each in verdicts.values() for verdict in each.values() if verdict["state"] == "fail")
        again = run(*shlex.split(found["rerun"])[1:], cwd=self.folder / "found")
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("DETERMINISM", again.stderr)
        done = run("localize", self.folder / "found" / "findings" / found["case"], "--plant", "memory-in-code")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("code is not always the same", done.stderr)

    def test_the_first_target_of_a_process_leaves_nothing(self):
        case = COMPUTE.parent / "regress" / "waits-of-first-target" / "case.amber"
        for target in ("gfx1010", "gfx1100", "gfx1201"):
            done = run("compile", case, "--target", target, "--again")
            self.assertEqual((done.returncode, done.stderr), (0, ""), target)

    def test_what_is_not_always_the_same_is_made_small(self):
        campaign = ("--profile", "small", "--compile-again", "1", "--transform", "5")
        for fault in ("count-in-code", "memory-in-code", "first-target-in-code"):
            plant = ("--plant", fault)
            code, _, verdicts = self.fuzz(fault, *campaign, *plant, cases=1)
            self.assertEqual(code, 1)
            small = self.folder / fault / "small"
            done = run("minimize", self.folder / fault / "findings" / "5-0", "-o", small, "--quiet", *plant,
                       "--bundle", small / "bundle")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^1 instructions of \d\d+ ")
            self.assertEqual((small / "minimal.amber").read_text().count("OpEntryPoint"), 1)
            for folder in (small, small / "bundle"):
                self.assertEqual(run("replay", folder).returncode, 1)
            environment = dict(os.environ, PATH=f"{pathlib.Path(ASSAY).parent}:{os.environ['PATH']}")
            plain = subprocess.run(["sh", small / "bundle" / "cmd.sh"], capture_output=True, env=environment, timeout=60)
            self.assertEqual(plain.returncode, 1, plain.stderr)
            self.assertIn(f" --plant {fault} --again\n", (small / "bundle" / "README.md").read_text())
        # A case that is no finding, by the rule; without the fault there is nothing to look into.
        good = self.write("good.amber", GOOD)
        by_rule = ("minimize", good, "--targets", "gfx900,gfx1100", "--rule", "DETERMINISM", "-o", self.folder / "by-rule", "--quiet")
        self.assertEqual(run(*by_rule, "--plant", "environment-in-code").returncode, 0)
        predicate = json.loads((self.folder / "by-rule" / "predicate.json").read_text())
        self.assertEqual((predicate["rule"], predicate["job"]["target"]), ("DETERMINISM", "gfx900"))
        done = run(*by_rule[:-2], self.folder / "nothing", "--quiet")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing to look into", done.stderr)

    def test_a_campaign_of_a_command(self):
        options = ("fuzz", *CAMPAIGN, "--profile", "small", "--cases", "2", "-o", self.folder / "command")
        command = (ASSAY, "compile", "{in}", "--target", "{target}", "-O", "{opt}", "-o", "{out}")
        done = run(*options, "--", *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "command" / "result.json").read_text())
        self.assertEqual(report["counts"]["pass"], 6)
        self.assertEqual({each["compiler"] for each in report["verdicts"]}, {"", "command"})
        # It is part of what the campaign is, and there is none without it.
        self.assertEqual(run(*options).returncode, 2)
        self.assertEqual(run(*options[:-1], self.folder / "x", "--compilers", "command").returncode, 2)


if __name__ == "__main__":
    if "planted faults: compiled in" not in run("version").stdout:
        print("skipped: this build has no planted faults")
        sys.exit(77)
    unittest.main()
