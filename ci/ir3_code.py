# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure ir3-code: statistics of Assay's code for Adreno GPUs against those of turnip's."""

import concurrent.futures
import math
import os
import re
import subprocess
import sys

# Column, the name in Assay's line of shader-db, the name of turnip's statistic.
COLUMNS = [
    ("instructions", "inst", "Instruction Count"),
    ("nops", "nops", "NOPs Count"),
    ("full registers", "full", "Registers used"),
    ("(ss) stall", "sstall", "Estimated cycles stalled on SS"),
    ("(sy) stall", "systall", "Estimated cycles stalled on SY"),
]


def compile_case(arguments, path, compiler):
    """The statistics of each pipeline of a case, or the reason why there are none."""
    level = ["-O", str(arguments.level)] if compiler == "assay" else []  # Peers have none.
    done = subprocess.run([arguments.assay, "compile", path, "--compiler", compiler, "--target", arguments.chip, *level,
                           "--emit", "metadata", "-o", "-"], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip().split("\n")[0]
    return re.findall(r"^statistics: (.*)$", done.stdout, re.M)


def numbers(line, index):
    """The columns of one line of statistics."""
    found = []
    for column in COLUMNS:
        pattern = rf"(\d+) {re.escape(column[1])}(?:,|$)" if index == 1 else rf"{re.escape(column[2])} (\d+)(?:,|$)"
        match = re.search(pattern, line)
        found.append(int(match.group(1)) if match else 0)
    return found


def measure_case(arguments, path):
    ours = compile_case(arguments, path, "assay")
    theirs = compile_case(arguments, path, "turnip")
    for name, lines in (("assay", ours), ("turnip", theirs)):
        if isinstance(lines, str):
            return path, f"{name}: {lines}", []
    if len(ours) != len(theirs):
        return path, f"{len(ours)} pipelines against {len(theirs)}", []
    return path, None, [(numbers(left, 1), numbers(right, 2)) for left, right in zip(ours, theirs)]


def measure_ir3_code(arguments):
    """Compiles each case by both; prints geometric means of the ratios (each count plus one)."""
    paths = sorted(os.path.join(arguments.folder, name) for name in os.listdir(arguments.folder)
                   if name.endswith(".amber"))
    if not paths:
        sys.exit(f"ci/measure: there are no scripts in {arguments.folder}")
    logs, totals, count, worst = [0.0] * len(COLUMNS), [[0, 0] for _ in COLUMNS], 0, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, reason, pairs in pool.map(lambda each: measure_case(arguments, each), paths):
            if reason and arguments.verbose:
                print(f"{os.path.basename(path)}: {reason}")
            for ours, theirs in pairs:
                count += 1
                for i, (left, right) in enumerate(zip(ours, theirs)):
                    logs[i] += math.log((left + 1) / (right + 1))
                    totals[i][0] += left
                    totals[i][1] += right
                worst.append(((ours[0] + 1) / (theirs[0] + 1), os.path.basename(path), ours, theirs))
    if not count:
        sys.exit("ci/measure: no case compiles by both compilers")
    for ratio, name, ours, theirs in sorted(worst, reverse=True)[:None if arguments.verbose else 10]:
        print(f"{ratio:6.2f}  {name:40} {ours} against {theirs}")
    print(f"\n{count} pipelines on {arguments.chip} at -O {arguments.level}, assay / turnip:")
    for (name, _, _), log, (left, right) in zip(COLUMNS, logs, totals):
        print(f"{name:16} {math.exp(log / count):6.3f}  ({left} against {right})")
    return True
