# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of corpora/compute with the project's lowering of buffer fat pointers against LLVM's: of the
same IR, by the same code generator."""

import concurrent.futures
import math
import os
import re
import subprocess

CORPUS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      "corpora", "compute")
INSTRUCTION = re.compile(r"^\t([a-z]\w+)")
IGNORED = re.compile(r"s_(code_end|endpgm|nop|delay_alu|waitcnt\w*|wait_\w+)")
MEMORY = re.compile(r"(buffer|tbuffer|global|flat|scratch|image)_")
KINDS = ("instructions", "vector memory")
BOUND = 0.97  # Of both geometric means.
OUTLIER = 1.05


def pipelines_of(path):
    """Names of the compute pipelines of a script; an empty one for its only pipeline."""
    with open(path, errors="replace") as file:
        names = re.findall(r"^\s*(?:DERIVE_)?PIPELINE\s+(?:compute\s+)?(\w+)", file.read(), re.M)
    return names if len(names) > 1 else [""]


def count(text):
    """(all that does something, vector memory) of assembly text. Waits and hints follow from the
    rest."""
    total = memory = 0
    for line in text.splitlines():
        found = INSTRUCTION.match(line)
        if not found or IGNORED.fullmatch(found.group(1)):
            continue
        total += 1
        memory += bool(MEMORY.match(found.group(1)))
    return total, memory


def compile_once(arguments, path, pipeline, options):
    command = [arguments.assay, "compile", path, "--emit", "asm", "--target", arguments.targets]
    command += (["--entry", pipeline] if pipeline else []) + options
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return (count(answer.stdout), "") if answer.returncode == 0 else (None, answer.stderr.strip())


def compare_one(arguments, path, pipeline):
    own, own_error = compile_once(arguments, path, pipeline, [])
    other, other_error = compile_once(arguments, path, pipeline, ["--use-llvm-lowering"])
    name = os.path.basename(path) + (":" + pipeline if pipeline else "")
    return {"name": name, "own": own, "llvm": other, "error": own_error or other_error}


def print_mean(rows, kind, verbose):
    """The geometric mean over what has such instructions at all, and the outliers: with verbose
    all that differ, best first."""
    ratios = {row["name"]: row["own"][kind] / row["llvm"][kind] for row in rows
              if row["llvm"][kind] and row["own"][kind]}
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"{KINDS[kind]:14} {len(ratios):5} pipelines  "
          f"{sum(row['own'][kind] for row in rows):7} own "
          f"{sum(row['llvm'][kind] for row in rows):7} LLVM   geometric mean {mean:.3f}")
    counts = {row["name"]: (row["own"][kind], row["llvm"][kind]) for row in rows}
    for name, ratio in sorted(ratios.items(), key=lambda item: item[1]):
        if ratio > OUTLIER or (verbose and ratio != 1):
            print("  {:.3f} {}: {} {}, LLVM {}".format(ratio, name, counts[name][0], KINDS[kind],
                                                     counts[name][1]))
    return mean


def measure_fat_pointers(arguments):
    tasks = [(os.path.join(CORPUS, name), pipeline) for name in sorted(os.listdir(CORPUS))
             if name.endswith(".amber") for pipeline in pipelines_of(os.path.join(CORPUS, name))]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda task: compare_one(arguments, *task), tasks))
    for row in rows:
        if row["error"]:
            print(f"not compiled   {row['name']}: {row['error'].splitlines()[0]}")
    # Where LLVM's lowering gives code, the own one has to.
    good = not any(row["llvm"] and not row["own"] for row in rows)
    rows = [row for row in rows if row["own"] and row["llvm"]]
    if not rows:
        print("nothing was compiled by both")
        return False
    for kind in range(len(KINDS)):
        good &= print_mean(rows, kind, arguments.verbose) <= BOUND
    return good
