# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of corpora/compute with the project's lowering of buffer fat pointers against LLVM's: of the
same IR, by the same code generator."""

import concurrent.futures
import math
import os
import re
import subprocess
import tempfile

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
    """(standard output or none, seconds of CPU, message)."""
    command = [arguments.assay, "compile", path, "--target", arguments.targets]
    command += (["--entry", pipeline] if pipeline else []) + options
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        good = process.returncode == 0
        return text if good else None, usage.ru_utime + usage.ru_stime, errors.read().strip()


LOWERINGS = {"own": [], "llvm": ["--use-llvm-lowering"]}


def compare_one(arguments, path, pipeline):
    """Counts (none where it was not compiled) and seconds by lowering; seconds of the front-end,
    which is the same for both."""
    row = {"name": os.path.basename(path) + (":" + pipeline if pipeline else ""), "error": "",
           "seconds": {}}
    _, row["seconds"]["front-end"], _ = compile_once(arguments, path, pipeline, ["--emit", "lgc"])
    for lowering, options in LOWERINGS.items():
        text, row["seconds"][lowering], error = compile_once(arguments, path, pipeline,
                                                            ["--emit", "asm"] + options)
        row[lowering] = None if text is None else count(text)
        if text is None:
            row["error"] = row["error"] or error
    return row


def print_times(rows):
    """What both lowerings take after the front-end. The passes of a build with assertions are
    slower than LLVM's."""
    total = {what: sum(row["seconds"][what] for row in rows) for what in ["front-end", *LOWERINGS]}
    own, other = (total[lowering] - total["front-end"] for lowering in LOWERINGS)
    print(f"compile time   {own:.1f} s of CPU own, {other:.1f} s LLVM, after the front-end: "
          f"{own / other:.3f}")


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
    print_times(rows)
    return good
