# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which opcodes the gcn machine lacks, over all code that the compilers here make of many shaders and draws."""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from draws import find_jobs
from shaderdb import find, shaders_of, validate

CORPORA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpora")
CASES = {".amber", ".comp", ".spvasm", ".vkscript", ".shader_test", ".pipe"}
# What there is, with the wave sizes of each.
WAVES = {"gfx900": [64]}
COMPILERS = ["aco", "radv-llvm", "assay"]
BATCH = 200


def make_modules(paths, folder, work, jobs):
    """SPIR-V of the valid shaders in paths; how many are out of the census, and why."""
    inputs = []
    for path in paths:
        name = os.path.relpath(path, folder).replace(os.sep, "_")
        for number, shader in enumerate(shaders_of(path)):
            inputs.append((shader, os.path.join(work, f"{name}.{number}.{shader[0]}")))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        complaints = list(pool.map(lambda each: validate(*each[0], each[1]), inputs))
    out = collections.Counter(why.split(":")[0] for why in complaints if why)
    modules = [base + ".spv" for (_, base), why in zip(inputs, complaints) if not why]
    return modules, out


def compile_all(arguments, files, code):
    """One line of counts for each compiler, target and wave size."""
    tool = os.path.join(os.path.dirname(arguments.assay), "assay-census")
    for compiler in COMPILERS:
        for target in arguments.targets.split(","):
            for wave in WAVES.get(target, [32, 64]):
                ends, missing = collections.Counter(), ""
                for first in range(0, len(files), BATCH):
                    answer = subprocess.run(
                        [tool, compiler, target, str(wave), code] + files[first:first + BATCH],
                        capture_output=True, text=True, check=False)
                    if answer.returncode:
                        missing = answer.stderr.strip().splitlines()[-1]
                        break
                    for line in answer.stdout.splitlines():
                        ends[line.split()[0]] += 1
                        if arguments.verbose and not line.startswith("ok "):
                            print(f"{compiler} {target} wave{wave}: {line}")
                counts = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
                print(f"{compiler:9} {target:8} wave{wave}: {missing or counts}", flush=True)


def print_missing(arguments, code):
    answer = subprocess.run([arguments.assay, "doctor", "--format", "json", "--isa", code],
                            capture_output=True, text=True, check=False)
    if not answer.stdout:
        sys.exit(answer.stderr)
    report = json.loads(answer.stdout)
    for chip in report["chips"]:
        print(f"{chip['target']}: {chip['files']} files, {chip['instructions']} instructions, "
              f"{len(chip['missing'])} opcodes without semantics")
        for row in chip["missing"]:
            what = "no instruction of the chip" if row["illegal"] else row["example"]
            print(f"  {row['opcode']:32} {row['count']:6} in {row['files']} files: {what} "
                  f"({os.path.basename(row['first_file'])})")
    for line in report["unreadable"]:
        print("not looked at:", line)
    return answer.returncode == 0


def sample(files, count):
    """So many of the files, spread over all; all of them for 0."""
    return files if not count or count >= len(files) else [files[i * len(files) // count] for i in range(count)]


def measure_census(arguments):
    with tempfile.TemporaryDirectory() as work:
        code = arguments.keep or os.path.join(work, "code")
        os.makedirs(code, exist_ok=True)
        jobs = list(find_jobs(arguments.folder))
        others = [path for path in find(arguments.folder, {".comp", ".vert", ".frag", ".spvasm", ".pipe"})
                  if path not in set(jobs)]
        modules, out = make_modules(sample(others, arguments.sample), arguments.folder, work, arguments.jobs)
        jobs = sample(jobs, arguments.sample)
        folders = [] if arguments.without_corpora else ["compute", "graphics"]
        corpus = sample([path for name in folders for path in find(os.path.join(CORPORA, name), CASES)], arguments.sample)
        if not modules and not jobs:
            sys.exit(f"ci/measure: there are no shaders in {arguments.folder}")
        print(f"{len(corpus)} cases of the corpora, {len(jobs)} jobs of GraphicsFuzz, {len(modules)} shaders; out:",
              ", ".join(f"{count} {why}" for why, count in out.most_common()) or "none", flush=True)
        compile_all(arguments, corpus + jobs + modules, code)
        return print_missing(arguments, code)
