# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure ir3: Mesa's table of ir3 instructions, each word as text and each text as word."""

import re
import subprocess
import sys

ROW = re.compile(r"""^\s*INSTR_(\d)XX(_RAW)?\(\s*(0x)?([0-9a-fA-F_]+),\s*"((?:[^"\\]|\\.)*)"(.*)$""")
CHIPS = {"4": "a420", "5": "a540", "6": "a630", "7": "a740"}


def read_rows(path):
    """(chip, word, text, whether Mesa's assembler refuses it) of each row that the preprocessor leaves."""
    rows, dropped = [], [False]
    with open(path, encoding="utf-8") as file:
        for line in file:
            if re.match(r"\s*#if 0", line):
                dropped.append(True)
            elif re.match(r"\s*#if", line):
                dropped.append(dropped[-1])
            elif re.match(r"\s*#else", line):
                dropped[-1] = not dropped[-1]
            elif re.match(r"\s*#endif", line):
                dropped.pop()
            match = ROW.match(line)
            if match and not dropped[-1]:
                generation, _, _, word, text, rest = match.groups()
                rows.append((CHIPS[generation], int(word.replace("_", ""), 16), text, "parse_fail=true" in rest))
    return rows + generated_rows()


def generated_rows():
    """What the table's program adds itself: the offsets of stib.b and ldib.b."""
    rows = []
    for offset in range(1, 31):
        rows.append(("a630", 0xc026080916e77100 + (offset << 54),
                     f"stib.b.untyped.1d.u32.4.imm.base0 r2.y, r5.z+{offset}, 4", False))
        rows.append(("a630", 0xc026000201e1b100 + (offset << 54),
                     f"ldib.b.untyped.1d.u32.4.imm.base0 r0.z, r0.y+{offset}, 0", False))
    return rows


def run(assay, verb, chip, lines):
    done = subprocess.run([assay, verb, "--hex", "--target", chip, "-"], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else [done.stderr.strip()] * len(lines)


def measure_ir3(arguments):
    assay, path = arguments.assay, arguments.folder
    rows = read_rows(path)
    if not rows:
        sys.exit(f"ci/measure: there are no rows in {path}")
    wrong = 0
    for chip in sorted({row[0] for row in rows}):
        some = [row for row in rows if row[0] == chip]
        texts = run(assay, "disassemble", chip, [f"{row[1]:016x}" for row in some])
        for row, text in zip(some, texts):
            if text != row[2]:
                wrong += 1
                print(f"{chip} {row[1]:016x} prints '{text}', not '{row[2]}'")
            word = run(assay, "assemble", chip, [row[2]])[0]
            if word != f"{row[1]:016x}" and not row[3]:
                wrong += 1
                print(f"{chip} '{row[2]}' is {word}, not {row[1]:016x}")
        print(f"{chip}: {len(some)} rows")
    print(f"{len(rows)} rows, {2 * len(rows)} checks, {wrong} differ")
    return not wrong
