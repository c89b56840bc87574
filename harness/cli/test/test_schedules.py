#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules of machine gcn: cases with barriers, atomics or workgroup memory have one result, late results and threads
change none, logs replay, traces say what happens. Small scale: 20 schedules, each case on one target, eager or late, in
turn; full (ASSAY_SCALE=full): 1,000 on each."""
import json
import os
import re
import unittest

from command import COMPUTE, CommandTest, run, run_json

TARGETS = ("gfx900", "gfx1030", "gfx1100", "gfx1201")
FULL = os.environ.get("ASSAY_SCALE") == "full"
SHARING = re.compile(r"\bshared\b|atomic|[bB]arrier\(")


def sharing_cases():
    """Cases in which invocations work together."""
    return [path for path in sorted(COMPUTE.glob("*.amber"))
            if SHARING.search(re.sub(r"#.*|//.*", "", path.read_text()))]


# Two waves hand data on through a buffer that is not coherent: the barrier makes it visible.
EXCHANGE = """#!amber
SHADER compute s GLSL
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) nonprivate buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer R { uint r[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  a[i] = i * 3u;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  r[i] = a[i ^ 64u] + 1u;
}
END
BUFFER a DATA_TYPE uint32 SIZE 128 FILL 1
BUFFER r DATA_TYPE uint32 SIZE 128 FILL 2
PIPELINE compute p
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER r AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
EXPECT r IDX 0 EQ 193 196
"""

# By target: the invalidation of a compute unit's cache, and s_nop.
INVALIDATION = {"gfx1030": ("0000c4e100000000", "000080bf"), "gfx1100": ("0000ace000000000", "000080bf"),
                "gfx1201": ("7cc00aee0000040000000000", "000080bf")}


class Schedules(CommandTest):
    def test_a_dropped_invalidation_is_found(self):
        case, elf = self.write("exchange.amber", EXCHANGE), self.folder / "exchange.elf"
        for target, (code, nop) in INVALIDATION.items():
            with self.subTest(target=target):
                where = ("--target", target, "--wave", "32")
                self.assertEqual(run("compile", case, *where, "-o", elf).returncode, 0)
                good, old = elf.read_bytes(), bytes.fromhex(code)
                self.assertEqual(good.count(old), 1)
                for binary, state, rules in ((good, "pass", []),
                                             (good.replace(old, bytes.fromhex(nop) * (len(old) // 4)), "fail", ["RACE-STALE"])):
                    elf.write_bytes(binary)
                    done = run("run", case, *where, "--format", "json", "--", "cp", elf, "{out}")
                    verdict = json.loads(done.stdout)["verdicts"][0]
                    self.assertEqual((verdict["state"], [f["rule"] for f in verdict["findings"]]), (state, rules))

    def check(self, files, *options):
        done = run("diff", *files, "-O", "2", "--format", "json", *options, timeout=3600)
        code, report = done.returncode, json.loads(done.stdout)
        bad = [f"{v['rerun']}: {v['state']}: {v['reason']}" for v in report["verdicts"]
               if v["state"] != "pass"]
        self.assertEqual(bad, [], "\n" + "\n".join(bad))
        self.assertEqual(code, 0)
        self.assertGreaterEqual([v["machine"] for v in report["verdicts"]].count("gcn"), len(files))

    def test_cases_that_share_have_one_result(self):
        files = sharing_cases()
        self.assertGreaterEqual(len(files), 40)
        kinds = ("eager", "late")
        for i, target in enumerate(TARGETS):
            for kind in kinds:
                with self.subTest(target=target, kind=kind):
                    if FULL:
                        self.check(files, "--targets", target, "--schedule", kind, "--schedules",
                                   "1000", "--timeout", "3000")
                    else:
                        part = files[i + kinds.index(kind) * 4::8]
                        self.check(part, "--targets", target, "--schedule", kind, "--schedules",
                                   "20", "--threads", "2")

    def test_log_replays_with_the_same_trace(self):
        log, first, second = (self.folder / name for name in ("log", "first", "second"))
        case = COMPUTE / "reduce-shared.amber"
        made = run("run", case, "--machine", "gcn", "--seed", "5", "--schedule", "late", "--log",
                   log, "--trace-file", first)
        self.assertEqual(made.returncode, 0, made.stderr)
        header = json.loads(log.read_text().split("\n")[0])
        self.assertEqual((header["schema"], header["seed"], header["schedule"]),
                         ("assay.schedule/1", "5", "late"))
        played = run("run", case, "--machine", "gcn", "--replay", log, "--trace-file", second,
                     "--threads", "2")
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertTrue(first.read_text())
        self.assertEqual(first.read_text(), second.read_text())
        other = run("run", COMPUTE / "saxpy.amber", "--machine", "gcn", "--replay", log)
        self.assertIn("other code or another input", other.stdout)
        self.check_invalid(other)

    def check_invalid(self, done):
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^invalid ")

    def test_a_log_that_does_not_fit_is_invalid(self):
        log, bad = self.folder / "log", self.folder / "bad"
        case = COMPUTE / "reduce-shared.amber"
        made = run("run", case, "--machine", "gcn", "--seed", "5", "--log", log)
        self.assertEqual(made.returncode, 0, made.stderr)
        lines = log.read_text().splitlines()
        for text in ("", "no log", lines[0].replace("assay.schedule/1", "assay.schedule/9"),
                     lines[0].replace('"digest":"', '"digest":"f'), lines[0],
                     "\n".join(lines[:1] + [line.replace("wave:", "lanes:") for line in lines[1:]])):
            with self.subTest(text=text[:60]):
                bad.write_text(text + "\n")
                done = run("run", case, "--machine", "gcn", "--replay", bad)
                self.check_invalid(done)
                self.assertIn("log", done.stdout)

    def test_a_trace_of_nothing_is_invalid(self):
        case = COMPUTE / "reduce-shared.amber"
        for arguments, words in ((("--trace", "--break", "0x2"), "no wave that comes to pc 0x2"),
                                 (("--trace", "--trace-wave", "99"), "no wave 99"),
                                 (("--trace", "--trace-group", "1000"), "no workgroup 1000"),
                                 (("--trace", "--lane", "64"), "no lane 64 to trace")):
            with self.subTest(arguments=arguments):
                done = run("run", case, "--machine", "gcn", *arguments)
                self.check_invalid(done)
                self.assertIn(words, done.stdout)
                self.assertIn(" ".join(arguments), done.stdout)  # The rerun line.
                self.assertNotIn("group ", done.stdout.split("invalid ")[0])

    def test_trace_shows_what_was_asked_for(self):
        case = COMPUTE / "reduce-shared.amber"
        done = run("run", case, "--machine", "gcn", "--trace", "--trace-group", "0", "--trace-wave",
                   "1", "--lane", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.split("\n") if line.startswith("group ")]
        self.assertTrue(lines)
        self.assertTrue(all(line.startswith("group 0,0,0 wave 1 pc 0x") for line in lines))
        self.assertRegex(done.stdout, r"\n    v\d+\[3\]: 0x[0-9a-f]+ -> 0x[0-9a-f]+\n")
        self.assertNotRegex(done.stdout, r"\n    v\d+\[(?!3\])")
        pc = re.search(r"pc (0x[0-9a-f]+): ds_", done.stdout).group(1)
        broken = run("run", case, "--machine", "gcn", "--break", pc, "--trace-wave", "1")
        self.assertRegex(broken.stdout.split("\n")[0],
                         f"^group 0,0,0 wave 1 stops at pc {pc}: ds_")
        self.assertIn("\n  exec_lo = 0xffffffff\n", broken.stdout)

    def test_threads_change_no_result(self):
        files = sharing_cases()[::12]
        texts = []
        for threads in ("1", "2"):
            done = run("run", *files, "--machine", "gcn", "--seed", "3", "--threads", threads,
                       "--trace-file", self.folder / threads)
            texts.append((done.stdout.replace("--threads 2 ", ""),
                          (self.folder / threads).read_text()))
        self.assertEqual(texts[0], texts[1])

    def test_a_difference_is_a_finding(self):
        case = self.write("tickets.amber", """#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint next; uint taken[64]; };
void main() { taken[gl_LocalInvocationIndex] = atomicAdd(next, 1u + gl_LocalInvocationIndex); }
END
BUFFER buf DATA_TYPE uint32 SIZE 65 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER buf AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
""")
        code, report = run_json("run", case, "--machine", "gcn", "--schedules", "4")
        self.assertEqual(code, 1)
        findings = report["verdicts"][0]["findings"]
        self.assertEqual([f["rule"] for f in findings], ["SCHEDULE-DIFF"])
        self.assertIn("the first instruction that differs is at pc 0x", findings[0]["message"])
        # The reference leaves the order open: compared with it, nothing is wrong.
        code, report = run_json("diff", case, "--targets", "gfx1100", "-O", "2", "--schedules", "4")
        gcn = [v for v in report["verdicts"] if v["machine"] == "gcn"]
        self.assertNotIn("SCHEDULE-DIFF", str(gcn))

    def test_options_that_mean_nothing_are_refused(self):
        case = COMPUTE / "saxpy.amber"
        for arguments in (("--machine", "spirv", "--schedules", "2"),
                          ("--machine", "spirv", "--trace"),
                          ("--machine", "spirv", "--sanitize", "off"),
                          ("--machine", "gcn", "--lane", "1"),
                          ("--machine", "gcn", "--break", "here"),
                          ("--machine", "gcn", "--replay", "no-such-file"),
                          ("--machine", "gcn", "--trace", "--format", "json"),
                          ("--machine", "gcn", "--schedule", "soon")):
            with self.subTest(arguments=arguments):
                self.assertEqual(run("run", case, *arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
