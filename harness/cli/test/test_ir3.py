#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler for Adreno GPUs on machine adreno: debug modes, printed assembly, cache, planted faults and the passes that
they are localized to. At full scale (ASSAY_SCALE=full) on all of corpora/compute, and every fault is localized."""
import json
import os
import re

from command import COMPUTE, CommandTest, main_or_skip, run, run_json

FULL = os.environ.get("ASSAY_SCALE") == "full"
MODES = ("spillall", "fullsync", "fullnop", "no-sched")
SAMPLE = ("gcd", "sort-bitonic", "integer-wide", "subgroup-shuffle")

# Fault, a case that shows it, and the compiler.
FAULTS = (
    ("ir3-signed-compare", "integer-functions", "assay"),
    ("ir3-select-first", "float-interpolation", "assay"),
    ("ir3-product-high", "random-generators", "assay"),
    ("ir3-shift-of-zero", "integer-64-bit", "assay"),
    ("ir3-unordered-compare", "float-edge-nan", "assay"),
    ("ir3-angle-range", "float-trigonometry", "assay"),
    ("ir3-borrow-lost", "integer-64-bit", "assay"),
    ("ir3-atomic-sign", "atomic-operations", "assay"),
    ("ir3-length-elements", "resource-array-length", "assay"),
    ("ir3-shared-overlap", "matrix-tiled", "assay"),
    ("ir3-uniform-first", "resource-structures", "assay"),
    ("ir3-array-offset", "vector-swizzles", "assay"),
    ("ir3-split-number", "pointers-choose-buffer", "assay"),
    ("ir3-move-narrow", "hash-fnv-murmur", "assay"),
    ("ir3-constant-shared", "float-trigonometry", "assay"),
    ("ir3-fold-compare", "collatz", "assay"),
    ("ir3-equal-fields", "float-comparisons", "assay"),
    ("ir3-flatten-swapped", "integer-functions", "assay"),
    ("ir3-memory-order", "transpose-shared", "assay"),
    ("ir3-overwrite-early", "gcd", "assay"),
    ("ir3-merge-interfering", "collatz", "assay"),
    ("ir3-loop-range", "crc32", "assay"),
    ("ir3-spill-slot", "integer-wide", "assay-spillall"),
    ("ir3-spill-component", "image-fetch", "assay-spillall"),
    ("ir3-wait-loads", "saxpy", "assay"),
    ("ir3-wait-special", "float-exponential", "assay"),
    ("ir3-delay-third", "gcd", "assay"),
    ("ir3-delay-branch", "collatz", "assay"),
    ("ir3-overwrite-read", "crc32", "assay"),
    ("ir3-join-forgets", "pointers-choose-buffer", "assay"),
    ("ir3-encode-negate", "matrix-inverse", "assay"),
    ("ir3-encode-components", "matrix-vector", "assay"),
    ("ir3-encode-condition", "integer-64-bit", "assay"),
    ("ir3-join-missing", "subgroup-reduce", "assay"),
    ("ir3-branch-stack", "gcd", "assay"),
    ("ir3-branch-inverted", "gcd", "assay"),
    ("ir3-scan-inclusive", "subgroup-scan", "assay"),
)

# Faults for which localize blames another pass, and why.
NOT_LOCALIZED = {
    "ir3-split-number": "split-pointers can't be left out: the selection after it is blamed",
    "ir3-scan-inclusive": "ir3-expand-macros can't be left out: the selection before it is blamed",
}


# Reads two uniform buffers at constant offsets and one at an index; a second pipeline changes them.
UNIFORMS = """#!amber
SHADER compute reads GLSL
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform A { uvec4 a[6]; };
layout(set = 0, binding = 1) uniform B { uvec4 b[9]; };
layout(set = 0, binding = 2) buffer Out { uint r[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  uint many = 0;
  for (uint k = 0; k <= i; ++k)
    many += b[k].y;
  r[i] = a[1].z + b[0].x + b[8].w + many;
}
END
SHADER compute writes GLSL
#version 450
layout(set = 0, binding = 0) buffer A { uint a[]; };
void main() { a[6] += 7; }
END
BUFFER a DATA_TYPE uint32 DATA
  0 1 2 3 4 5 60 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
END
BUFFER b DATA_TYPE uint32 DATA
  100 1 0 0 0 2 0 0 0 3 0 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1000
END
BUFFER r DATA_TYPE uint32 SIZE 4 FILL 0
PIPELINE compute p
  ATTACH reads
  BIND BUFFER a AS uniform DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER b AS uniform DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER r AS storage DESCRIPTOR_SET 0 BINDING 2
END
PIPELINE compute q
  ATTACH writes
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT r IDX 0 EQ 1161 1163 1166 1170
RUN q 1 1 1
RUN p 1 1 1
EXPECT r IDX 0 EQ 1168 1170 1173 1177
"""


def fault_places():
    """The pass of each fault, as its catalogue has it."""
    text = (COMPUTE.parent.parent / "support" / "Ir3Faults.def").read_text()
    return dict(re.findall(r'^FAULT\(\w+, "([^"]+)", \w+, "([^"]+)"', text, re.M))


def cases():
    return sorted(COMPUTE.glob("*.amber")) if FULL else [COMPUTE / f"{name}.amber" for name in SAMPLE]


class DebugModes(CommandTest):
    def test_results_are_the_same(self):
        verdicts = run_json("diff", *cases(), "--targets", "a630", "-O", "2", "--ir3-debug", ",".join(MODES))[1]["verdicts"]
        bad = [(verdict["case"], verdict["compiler"], verdict["reason"]) for verdict in verdicts
               if verdict["state"] not in ("pass", "unsupported")]
        self.assertEqual(bad, [])
        passed = {verdict["compiler"] for verdict in verdicts if verdict["state"] == "pass"}
        self.assertEqual(passed, {"", "assay", *(f"assay-{mode}" for mode in MODES)})

    def test_code_is_another(self):
        def assembly(*options):
            done = run("compile", COMPUTE / "integer-wide.amber", "--target", "a630", "--emit", "asm", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        plain = assembly()
        self.assertNotIn("stp.u32", plain)
        self.assertIn("stp.u32", assembly("--ir3-debug", "spillall"))
        synced = assembly("--ir3-debug", "fullsync")
        self.assertGreater(synced.count("(sy)"), 2 * plain.count("(sy)"))
        self.assertIn("(rpt5)nop", assembly("--ir3-debug", "fullnop"))
        self.assertNotEqual(assembly("--ir3-debug", "no-sched"), plain)
        passes = run("compile", COMPUTE / "integer-wide.amber", "--target", "a630", "--emit", "ir3-passes").stdout
        for name in ("select", "optimize", "schedule", "allocate-registers", "legalize"):
            self.assertIn(f"; after {name}\n", passes)

    def test_other_compilers_and_targets_are_usage_errors(self):
        case = COMPUTE / "gcd.amber"
        for arguments in (("compile", case, "--target", "gfx1100", "--ir3-debug", "spillall"),
                          ("compile", case, "--target", "a630", "--ir3-debug", "spill"),
                          ("run", case, "--target", "gfx1100", "--ir3-debug", "fullsync"),
                          ("diff", case, "--targets", "gfx1100", "--ir3-debug", "fullsync")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout))
            self.assertRegex(done.stderr, "--ir3-debug|makes code for none of the targets gfx1100")
        done = run("compile", case, "--target", "gfx1100", "--emit", "ir3", "-o", self.folder / "out")
        self.assertEqual(done.returncode, 77, done.stderr)

    def test_reruns_have_the_mode(self):
        verdicts = run_json("diff", COMPUTE / "gcd.amber", "--targets", "gfx1100,a630", "-O", "2", "--ir3-debug",
                            "fullsync")[1]["verdicts"]
        reruns = {(verdict["compiler"], verdict["target"]): verdict["rerun"] for verdict in verdicts}
        self.assertIn("--compilers assay-fullsync", reruns["assay-fullsync", "a630"])
        self.assertNotIn("--compilers", reruns["assay", "gfx1100"])
        self.assertNotIn(("assay-fullsync", "gfx1100"), reruns)
        done = run("run", COMPUTE / "gcd.amber", "--target", "a630", "--ir3-debug", "fullsync")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class OldChip(CommandTest):
    """a420: what it can express passes, and what it cannot is named."""

    def test_results_are_the_references(self):
        verdicts = run_json("diff", *cases(), "--targets", "a420", "-O", "0,2")[1]["verdicts"]
        reasons = {(verdict["case"], verdict["state"]): verdict["reason"] for verdict in verdicts if verdict["target"]}
        self.assertEqual({state for _, state in reasons}, {"pass", "unsupported"}, reasons)
        self.assertIn(("gcd.amber", "pass"), reasons)
        self.assertIn("subgroups", reasons["subgroup-shuffle.amber", "unsupported"])


class Regressions(CommandTest):
    """What was once wrong stays right on Adreno GPUs, or is unsupported there."""

    def test_regressions_stay_away(self):
        files = sorted((COMPUTE.parent / "regress").glob("*/case.amber"))
        verdicts = run_json("diff", *files, "--compilers", "assay", "--targets", "a420,a630,a740", "-O", "0,2")[1]["verdicts"]
        bad = [f"{verdict['rerun']}: {verdict['reason']}" for verdict in verdicts
               if verdict["state"] not in ("pass", "unsupported")]
        self.assertEqual(bad, [], "\n" + "\n".join(bad))
        passed = {(os.path.basename(os.path.dirname(verdict["case"])), verdict["target"])
                  for verdict in verdicts if verdict["state"] == "pass"}
        self.assertLessEqual({(case, target) for case in ("loop-exit-barrier", "robust-loads-merged", "small-levels-3d")
                              for target in ("a630", "a740")}, passed)

    def test_warm_workers_give_what_cold_ones_give(self):
        files = sorted((COMPUTE.parent / "regress").glob("*/case.amber"))
        warm, cold = (run_json("diff", *files, "--compilers", "assay", "--machines", "adreno", "--targets", "a630", "-O", "2",
                               "--warm", switch)[1]["verdicts"] for switch in ("on", "off"))
        self.assertEqual(warm, cold)


class UniformData(CommandTest):
    def test_loads_at_constant_offsets_read_the_const_file(self):
        case = self.folder / "uniforms.amber"
        case.write_text(UNIFORMS)
        for target in ("a630", "a660", "a740"):
            verdicts = run_json("diff", case, "--compilers", "assay", "--targets", target, "-O", "0,2")[1]["verdicts"]
            self.assertEqual({verdict["state"] for verdict in verdicts}, {"pass"}, verdicts)
        for level, count in (("0", 0), ("2", 2 + 1)):
            done = run("compile", case, "--entry", "p", "--target", "a630", "-O", level, "--emit", "metadata")
            ranges = re.findall("^uniform data: dword (\\d+), (\\d+) dwords from byte (\\d+) of", done.stdout, re.M)
            self.assertEqual(len(ranges), count, done.stdout)
            for place, dwords, first in ranges:
                self.assertEqual([int(place) % 16, int(dwords) % 16, int(first) % 64], [0, 0, 0])


class Assembly(CommandTest):
    """harness/peer/ir3 does the same with turnip's assembler."""

    def test_the_printed_code_is_the_code(self):
        for target in ("a420", "a630", "a660", "a740"):
            for case in cases():
                text = self.folder / "code.asm"
                done = run("compile", case, "--target", target, "--emit", "asm", "-o", text)
                if done.returncode == 77:
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                variant = self.folder / "variant"
                run("compile", case, "--target", target, "-o", variant)
                code = self.folder / "code.bin"
                done = run("assemble", text, "--target", target, "-o", code)
                self.assertEqual(done.returncode, 0, f"{case}: {done.stderr}")
                self.assertIn(code.read_bytes(), variant.read_bytes(), f"{case} on {target}")

    def test_the_ir_is_printed_too(self):
        done = run("compile", COMPUTE / "gcd.amber", "--target", "a630", "--emit", "ir3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("shader compute a630 "), done.stdout[:80])


class Cache(CommandTest):
    def test_a_variant_comes_from_the_cache(self):
        case, cache = COMPUTE / "gcd.amber", self.folder / "cache"
        outputs = []
        for number in range(2):
            outputs.append(self.folder / f"variant{number}")
            done = run("compile", case, "--target", "a630", "--cache", cache, "--check-cache", "-o", outputs[-1])
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(outputs[0].read_bytes(), outputs[1].read_bytes())
        self.assertIn("1 build, 1 entry, ", run("cache", "stat", cache).stdout)
        # Debug modes are other code: they neither come from the cache nor go there.
        done = run("compile", case, "--target", "a630", "--cache", cache, "--ir3-debug", "fullsync", "-o", outputs[1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(outputs[0].read_bytes(), outputs[1].read_bytes())

    def test_hash_chains_have_their_laws(self):
        report = run_json("check-hashes", COMPUTE / "gcd.amber", "--targets", "a630", "--pairs", "8")[1]
        self.assertEqual({verdict["state"] for verdict in report["verdicts"]}, {"pass"}, report)


class Faults(CommandTest):
    """Planted faults of layer ir3."""

    def setUp(self):
        super().setUp()
        if "planted faults: off" in run("version").stdout:
            self.skipTest("this build has no planted faults")

    def diff(self, case, compiler, *more):
        return run_json("diff", COMPUTE / f"{case}.amber", "--compilers", compiler, "--targets", "a630", "-O", "2",
                        *more)[1]["verdicts"]

    def test_each_is_detected(self):
        chosen = FAULTS if FULL else FAULTS[::3]
        for case, compiler in sorted({row[1:] for row in chosen}):
            self.assertEqual({verdict["state"] for verdict in self.diff(case, compiler)}, {"pass"}, case)
        for fault, case, compiler in chosen:
            states = [verdict["state"] for verdict in self.diff(case, compiler, "--plant", fault)]
            self.assertEqual(states, ["pass", "fail"], fault)

    def test_passes_are_named(self):
        named = [row for row in FAULTS if row[0] not in NOT_LOCALIZED]
        chosen = FAULTS if FULL else named[2::16] + [row for row in FAULTS if row[0] in NOT_LOCALIZED][:1]
        places, wrong = fault_places(), []
        self.assertEqual(set(places), {row[0] for row in FAULTS})
        self.assertLessEqual(set(NOT_LOCALIZED), set(places))
        for fault, case, compiler in chosen:
            done = run("localize", COMPUTE / f"{case}.amber", "--compilers", compiler, "--targets", "a630", "-O", "2", "--plant",
                       fault, "--format", "json")
            found = json.loads(done.stdout).get("pass") if done.returncode == 0 else done.stderr
            if found != places[fault]:
                wrong.append((fault, places[fault], found))
        print(f"{len(chosen) - len(wrong)} of {len(chosen)} faults are localized to their pass: {wrong}")
        # A fault that is localized after all leaves NOT_LOCALIZED.
        self.assertEqual({row[0] for row in wrong}, {row[0] for row in chosen if row[0] in NOT_LOCALIZED}, wrong)


if __name__ == "__main__":
    main_or_skip()
