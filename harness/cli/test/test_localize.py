#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assay localize: planted faults of several layers are found where the catalogue says that they are; at full scale
(ASSAY_SCALE=full) all faults that docs/score.md has a case for, nine of ten of them."""
import json
import os
import re
import unittest

from command import COMPUTE, SOURCE, CommandTest, run, run_json
from json_schema import check

FULL = os.environ.get("ASSAY_SCALE") == "full"
SCHEMA = json.loads((SOURCE / "docs" / "schemas" / "localize.schema.json").read_text())
# Layers whose faults make wrong code; the others are wrong in the laboratory itself.
LAYERS = ("front-end", "middle-end", "fat-pointer", "metadata", "elf", "instruction", "wait")
# A fault of each layer that IR shows, and of what only the machine code does.
QUICK = ("wrong-subtract", "descriptor-offset", "global-id-swapped", "push-constant-offset", "fat-piece-offset",
         "workgroup-size", "inst-subtracts", "wait-loads")
ROW = re.compile(r"\| ([\w-]+) \| ([\w-]+) \| ([\w-]+) \| [^|]* \| [\w-]+ \| ([\w.-]+\.amber) (gfx\d+) -O(\d) \|")


# A shader that a fault makes do what is no wrong value, or that has all of its values right: declarations, size and main's body,
# fault, target and level, workgroups, how it ends, what goes wrong first and in which pass.
BUFFERS = "layout(set = 0, binding = 0) buffer V { uint v[]; };\nlayout(set = 0, binding = 1) buffer R { uint r[]; };\n"
ENDS = (
    ("", "1", "r[0] = v[0];", "descriptor-offset", "gfx900", 2, "1 1 1", "MEM-FAULT", "any store", "lower-desc"),
    ("", "1", "r[gl_WorkGroupID.x] = 0u;", "workgroup-id-off", "gfx900", 0, "1 1 1", "UNDEF-ADDRESS", "OpLoad WorkgroupId",
     "mutate-entry-point"),
    ("#extension GL_EXT_null_initializer : require\nshared uint zero = {};\n", "4", "r[gl_LocalInvocationIndex] = zero;",
     "zeroing-left-out", "gfx1100", 2, "1 1 1", "UNDEF-STORE", "OpVariable Workgroup", "front-end"),
    ("", "4", "r[gl_GlobalInvocationID.x] = 1u;", "global-id-swapped", "gfx1100", 2, "3 1 1", "REF-DIFF",
     "OpLoad GlobalInvocationId", "lower-built-ins"),
    ("", "2, local_size_y = 2", "r[gl_LocalInvocationIndex] = gl_LocalInvocationID.y;", "local-id-component", "gfx1100", 2,
     "1 1 1", "REF-DIFF", "OpLoad LocalInvocationId", "mutate-entry-point"),
    ("layout(set = 0, binding = 2) buffer W { uvec4 w[]; };\n", "4", "w[gl_LocalInvocationIndex] = uvec4(1, 2, 3, 4);",
     "array-stride", "gfx1100", 2, "1 1 1", "REF-DIFF", "OpAccessChain array", "front-end"),
    ("struct Pair { uint a, b; };\nlayout(set = 0, binding = 2) readonly buffer W { Pair w[]; };\n", "4",
     "r[gl_LocalInvocationIndex] = w[gl_LocalInvocationIndex].b;", "array-stride", "gfx1100", 2, "1 1 1", "REF-DIFF",
     "OpAccessChain array", "front-end"),
    ("", "4", "r[gl_LocalInvocationIndex] = 7u;", "inst-offset", "gfx1100", 2, "1 1 1", "REF-DIFF", "address", "code-generation"),
    ("", "4", "int x = -64; for (uint i = 0u; i < v[0]; i++) x >>= 1; r[gl_LocalInvocationIndex] = uint(x);", "shifted-zeros",
     "gfx1100", 2, "1 1 1", "REF-DIFF", "OpShiftRightArithmetic", "front-end"),
    ("", "4", "if (v[0] > 3u) r[gl_LocalInvocationIndex] = 1u;", "inst-branch", "gfx1100", 2, "1 1 1", "REF-DIFF", "branch",
     "code-generation"),
    ("shared uint s[64];\n", "64", "uint k = gl_LocalInvocationIndex; s[k] = 0u; barrier(); r[k] = s[63u - k];", "barrier-dropped",
     "gfx1100", 2, "1 1 1", "RACE-LDS", "OpControlBarrier", "front-end"),
    ("shared uint s[64];\n", "64", "uint k = gl_LocalInvocationIndex; s[k] = k; barrier(); r[k] = s[63u - k];", "barrier-dropped",
     "gfx1100", 2, "1 1 1", "UNDEF-STORE", "OpControlBarrier", "front-end"),
    ("", "4", "r[gl_LocalInvocationIndex] = v[0];", "wave-size", "gfx1100", 2, "1 1 1", "MC-01", ".wavefront_size",
     "code-generation"),
    ("", "64", "uint k = gl_LocalInvocationIndex; if (k < 63u) r[k] = min(r[k], 200u);", "inst-offset", "gfx1100", 2, "1 1 1",
     "RACE-GLOBAL", "address", "code-generation"),
    ("shared uint s[256];\n", "256", "uint k = gl_LocalInvocationIndex; s[k] = 9u; barrier(); if (k == 0u) r[0] = s[v[0]];",
     "inst-constant", "gfx1030", 2, "1 1 1", "LDS-RANGE", "constant", "si-fold-operands"),
    ("shared uint s[4];\n", "4", "uint k = gl_LocalInvocationIndex; s[k] = v[k]; barrier(); r[k] = s[3u - k];", "lds-size",
     "gfx1100", 2, "1 1 1", "MC-09", ".lds_size", "code-generation"),
    ("layout(set = 1, binding = 0) buffer W { uint w[]; };\n", "4", "r[gl_LocalInvocationIndex] = w[0];", "user-data-order",
     "gfx1100", 2, "1 1 1", "MEM-FAULT", ".user_data_reg_map", "mutate-entry-point"),
)

# One instruction of the machine code is wrong: main's body, fault, target and level, its kind, that instruction, the right one.
REPAIRS = (
    ("r[k] = v[0] < 8u ? v[k] : 3u;", "inst-compare", "gfx1100", 2, "comparison", "s_cmp_ge_u32", "s_cmp_gt_u32.*"),
    ("if (v[k] > 3u) r[k] = 1u;", "inst-compare", "gfx900", 0, "comparison", "v_cmp_ge_u32", "v_cmp_gt_u32.*"),
    ("for (uint i = 0u; i < v[0]; ++i) r[k] += i * v[k];", "inst-branch", "gfx1201", 2, "branch", "s_cbranch_scc0",
     "s_cbranch_scc1.*"),
    ("if (v[k] > 3u) r[k] = 1u;", "inst-branch", "gfx900", 0, "branch", "s_cbranch_execnz", "s_cbranch_execz.*"),
    ("r[k] = v[k] + v[0];", "inst-subtracts", "gfx1201", 2, "arithmetic", "v_sub_nc_u32", "v_add_nc_u32.*"),
    ("r[k] = v[k] * v[3u - k];", "inst-register", "gfx900", 2, "register", "v_mul_lo_u32 v1, v2, v2",
     "v_mul_lo_u32 v1, v[12], v[12]"),
    ("r[k] = v[k] >> 3;", "inst-constant", "gfx1100", 2, "constant", "v_lshlrev_b32_e32 v0, 3", "v_lshlrev_b32_e32 v0, 2.*"),
    ("r[k] = v[k] + 1u;", "inst-offset", "gfx1100", 2, "address", "buffer_load_b32 .* offset:4", "buffer_load_b32 .* offen"),
)


MODULE = re.compile(r"\| ([\w-]+) \| fat-pointer \| ([\w-]+) \| [^|]* \| [\w-]+ \| ([\w./-]+\.ll):([\w.-]+) (gfx\d+) \|")


def truth():
    """(fault, layer, place, case, target, level) of each fault that a case of the corpus shows."""
    return [match.groups() for line in (SOURCE / "docs" / "score.md").read_text().splitlines()
            if (match := ROW.match(line))]


class Localize(CommandTest):
    def localize(self, fault, case, target, level):
        code, result = run_json("localize", COMPUTE / case, "--targets", target, "-O", level, "--plant", fault)
        self.assertEqual(code, 0)
        self.assertEqual(check(result, SCHEMA), [])
        return result

    def test_faults_are_found_where_they_are(self):
        rows = [row for row in truth() if row[0] in QUICK]
        self.assertEqual(len(rows), len(QUICK))
        for fault, _, place, *where in rows:
            with self.subTest(fault=fault):
                result = self.localize(fault, *where)
                self.assertEqual(result["pass"], place)
                self.assertEqual(result["suspects"], [place] if result["searches"] else [])

    @unittest.skipUnless(FULL, "only where ASSAY_SCALE=full asks for it")
    def test_nine_of_ten_faults_are_found_where_they_are(self):
        rows = [row for row in truth() if row[1] in LAYERS]
        self.assertGreaterEqual(len(rows), 70)
        missed = []
        for fault, _, place, *where in rows:
            result = self.localize(fault, *where)
            if place not in (result["pass"], result["phase"]):
                missed.append(fault)
        self.assertLessEqual(len(missed) * 10, len(rows), missed)

    def localize_module(self, fault, path, target):
        code, result = run_json("localize", SOURCE / path, "--targets", target, "--plant", fault)
        self.assertEqual(code, 0)
        self.assertEqual(check(result, SCHEMA), [])
        return result

    def test_the_function_of_a_module(self):
        result = self.localize_module("fat-padding-written", "corpora/ir/fat-pointers/stores.ll", "gfx900")
        self.assertEqual((result["pass"], result["function"]), ("lower-buffer-fat-pointers", "store-s-i8-i32"))
        phi = self.localize_module("fat-wrong-root", "corpora/ir/fat-pointers/joins.ll", "gfx900")
        self.assertRegex(phi["instruction"], r"^%\w+ = phi ptr addrspace\(7\) ")
        self.assertEqual((phi["wrong"], phi["operation"]), ("value", "phi"))
        done = run("localize", SOURCE / "corpora/ir/fat-pointers/stores.ll", "--targets", "gfx900")
        self.assertEqual(done.returncode, 2)
        self.assertOneLine(done.stderr)

    @unittest.skipUnless(FULL, "only where ASSAY_SCALE=full asks for it")
    def test_functions_of_modules(self):
        rows = MODULE.findall((SOURCE / "docs" / "score.md").read_text())
        self.assertGreaterEqual(len(rows), 15)
        self.assertEqual(len(rows), (SOURCE / "docs" / "score.md").read_text().count(".ll:"))
        for fault, place, path, function, target in rows:
            with self.subTest(fault=fault):
                result = self.localize_module(fault, path, target)
                self.assertEqual((result["pass"], result["function"]), (place, function))
                # What padding holds may be anything to a log.
                self.assertEqual(bool(result["wrong"]), fault != "fat-padding-written")

    def test_what_the_guilty_pass_changed_is_shown(self):
        where = ("localize", COMPUTE / "resource-device-index.amber", "--targets", "gfx1100", "-O", "2")
        done = run(*where, "--plant", "descriptor-offset")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^pass +lower-desc$")
        self.assertIn("\n--- before\n+++ after\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^-.*@lgc\.load\.buffer\.desc")

    def test_the_store_of_the_first_wrong_value_is_traced(self):
        rows = {row[0]: row for row in truth()}
        ir = self.localize("wrong-subtract", *rows["wrong-subtract"][3:])
        self.assertRegex(ir["instruction"], r"^store .* ptr addrspace\(7\)")
        self.assertTrue(any("@lgc.load.buffer.desc" in line for line in ir["slice"]))
        code = self.localize("inst-offset", *rows["inst-offset"][3:])
        # GFX9 and GFX10 call a b32 a dword: the catalogue's row says which target shows the fault.
        loads = re.compile(r": buffer_load_(b32|dword) .*offset:4")
        self.assertTrue(any(loads.search(line) for line in code["slice"]))
        # The store is what is wrong in memory; the load is the first that the IR does not have.
        self.assertTrue(any("was written by group" in line for line in code["evidence"]))
        self.assertRegex(code["instruction"], loads)
        self.assertEqual(code["wrong"], "load address")

    def test_a_finding_gets_its_guilty_pass(self):
        where = ("--targets", "gfx1100", "-O", "2")
        kept = self.folder / "kept"
        done = run("score", COMPUTE / "resource-device-index.amber", "--faults", "descriptor-offset", *where, "--keep", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        finding = kept / "findings" / "descriptor-offset-1"
        done = run("localize", finding, "--plant", "descriptor-offset")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads((finding / "facts.json").read_text())
        self.assertEqual((facts["schema"], facts["pass"]), ("assay.facts/1", "lower-desc"))

    def test_what_minimizing_left_of_a_finding_is_localised(self):
        where = ("--targets", "gfx1100", "-O", "2")
        kept = self.folder / "kept"
        run("score", COMPUTE / "memory-copies.amber", "--faults", "wrong-subtract", *where, "--keep", kept)
        finding = kept / "findings" / "wrong-subtract-1"
        done = run("minimize", finding, "-o", finding / "minimal", "--plant", "wrong-subtract", "--no-spirv-reduce")
        self.assertEqual(done.returncode, 0, done.stderr)
        (finding / "case.amber").write_text("no case\n")
        done = run("localize", finding, "--plant", "wrong-subtract")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads((finding / "facts.json").read_text())
        self.assertEqual((facts["pass"], facts["operation"]), ("front-end", "OpISub"))

    def test_what_goes_wrong_first_is_named(self):
        # The value of an instruction, a branch, a load by what it loads from, a built-in.
        rows = {row[0]: row for row in truth()}
        for fault, operation in (("shifted-zeros", "OpShiftRightArithmetic"), ("switch-default", "OpSwitch"),
                                 ("push-constant-offset", "OpLoad PushConstant"), ("lane-mask", "OpLoad SubgroupLtMask")):
            with self.subTest(fault=fault):
                small = self.folder / fault
                case, target, level = rows[fault][3:]
                done = run("minimize", COMPUTE / case, "--targets", target, "-O", level, "--plant", fault, "-o", small,
                           "--no-spirv-reduce")
                self.assertEqual(done.returncode, 0, done.stderr)
                code, result = run_json("localize", small / "minimal.amber", "--predicate", small / "predicate.json")
                self.assertEqual((code, result["operation"]), (0, operation))

    def test_values_tell_why_where_a_run_ends_otherwise(self):
        for number, (globals_, size, body, fault, target, level, groups, rule, operation, place) in enumerate(ENDS):
            with self.subTest(fault=fault):
                case = self.folder / f"ends-{number}.amber"
                case.write_text(f"""#!amber
SHADER compute s GLSL
#version 450
{globals_}layout(local_size_x = {size}) in;
{BUFFERS}void main() {{ {body} }}
END
BUFFER v DATA_TYPE uint32 SIZE 4 FILL 7
BUFFER r DATA_TYPE uint32 SIZE 64 FILL 9
BUFFER w DATA_TYPE uint32 SIZE 16 SERIES_FROM 1 INC_BY 1
PIPELINE compute p
  ATTACH s
  BIND BUFFER v AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER r AS storage DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER w AS storage DESCRIPTOR_SET 0 BINDING 2
  BIND BUFFER w AS storage DESCRIPTOR_SET 1 BINDING 0
END
RUN p {groups}
""")
                where = (case, "--targets", target, "-O", str(level), "--plant", fault)
                _, verdicts = run_json("diff", *where)
                found = [finding["rule"] for verdict in verdicts["verdicts"] for finding in verdict["findings"]]
                self.assertIn(rule, found)
                code, result = run_json("localize", *where, "--rule", rule)
                self.assertEqual((code, result["pass"]), (0, place))
                self.assertRegex(result["operation"], f"^{operation}( component)?$")

    def write_case(self, name, body):
        case = self.folder / f"{name}.amber"
        case.write_text(f"""#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 4) in;
{BUFFERS}void main() {{ uint k = gl_LocalInvocationIndex; {body} }}
END
BUFFER v DATA_TYPE uint32 DATA 7 3 200 0 END
BUFFER r DATA_TYPE uint32 SIZE 16 FILL 9
PIPELINE compute p
  ATTACH s
  BIND BUFFER v AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER r AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
""")
        return case

    def test_a_wrong_key_is_told_from_a_wrong_register(self):
        # Of the product the reference leaves open what it is: only that the registers fit tells.
        case = self.write_case("keys", "r[k] = floatBitsToUint(uintBitsToFloat(v[k]) * 0.0);")
        for fault, operation in (("vgpr-count", ".vgpr_count"), ("inst-register", "register")):
            with self.subTest(fault=fault):
                code, result = run_json("localize", case, "--targets", "gfx1030", "-O", "2", "--plant", fault, "--rule", "REG-RANGE")
                self.assertEqual((code, result["phase"], result["operation"]), (0, "code-generation", operation))

    def test_the_wrong_instruction_of_machine_code_is_found_by_repair(self):
        for number, (body, fault, target, level, operation, wrong, right) in enumerate(REPAIRS):
            with self.subTest(fault=fault, target=target):
                case = self.write_case(f"repair-{number}", body)
                result = self.localize(fault, case, target, str(level))
                self.assertEqual((result["phase"], result["operation"]), ("code-generation", operation))
                self.assertIn(result["wrong"], (operation, "load " + operation))
                self.assertRegex(result["instruction"], rf"^pc 0x[0-9a-f]+: {wrong}")
                self.assertRegex(result["evidence"][-1], rf"^with '{right}' at pc 0x[0-9a-f]+ the case passes \({operation}\)$")

    def test_a_store_of_what_has_no_value_is_not_what_minimizing_leaves(self):
        # Without the store into k, r would get what is uninitialized as well, and rightly so.
        case, small = self.folder / "undefined.amber", self.folder / "undefined"
        case.write_text("""#!amber
SHADER compute s GLSL
#version 450
#extension GL_EXT_null_initializer : require
shared uint zero[2] = {};
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer R { uint r[]; };
void main() { uint k = gl_LocalInvocationIndex; r[k] = k + zero[1]; }
END
BUFFER r DATA_TYPE uint32 SIZE 4 FILL 9
PIPELINE compute p
  ATTACH s
  BIND BUFFER r AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
""")
        done = run("minimize", case, "--targets", "gfx1100", "-O", "0", "--rule", "UNDEF-STORE", "--plant", "zeroing-left-out",
                   "-o", small, "--no-spirv-reduce")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((small / "predicate.json").read_text())["most_open_bytes"], 0)
        code, result = run_json("localize", small / "minimal.amber", "--predicate", small / "predicate.json")
        self.assertEqual((code, result["operation"], result["pass"]), (0, "OpVariable Workgroup", "front-end"))

    def test_a_case_that_passes_has_nothing_to_localise(self):
        done = run("localize", COMPUTE / "saxpy.amber", "--targets", "gfx1100", "-O", "2")
        self.assertEqual(done.returncode, 2)
        self.assertOneLine(done.stderr)

    def test_a_predicate_that_does_not_hold_is_said(self):
        small = self.folder / "small"
        done = run("minimize", COMPUTE / "integer-carries-widths.amber", "--targets", "gfx1100", "-O", "2", "--plant",
                   "wrong-subtract", "-o", small, "--max-total-time", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        other = run("localize", COMPUTE / "saxpy.amber", "--predicate", small / "predicate.json")
        self.assertEqual(other.returncode, 2)
        self.assertIn("does not show", other.stderr)

    def test_the_pass_in_which_a_worker_dies(self):
        result = self.localize("compile-crash", "saxpy.amber", "gfx1100", "2")
        self.assertEqual((result["phase"], result["pass"], result["searches"]), ("compile", "compile", []))


if __name__ == "__main__":
    unittest.main()
