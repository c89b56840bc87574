# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure minimize: `assay minimize` against the program spirv-reduce, on findings that docs/score.md names, with
one predicate and one core each; writes its table into docs/minimize.md."""
import collections
import json
import os
import re
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile

from page import rewrite

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCORE = os.path.join(ROOT, "docs", "score.md")
PAGE = os.path.join(ROOT, "docs", "minimize.md")
BEGIN = "<!-- From here on written by ci/measure minimize. -->\n"
END = "<!-- To here. -->\n"
FINDINGS = 20
PLACE = re.compile(r"(\S+\.amber) (gfx\w+) -O(2)$")

Reduced = collections.namedtuple("Reduced", "instructions seconds tests ended")


def choose_findings():
    """(fault, case, target, level): the first wrong values of the table that docs/score.md has at level 2, each on a case
    of its own that has one module."""
    chosen = {}
    with open(SCORE) as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")]
            place = PLACE.match(cells[6]) if len(cells) >= 8 and "REF-DIFF" in cells[4] else None
            if not place:
                continue
            case, target, level = place.groups()
            with open(os.path.join(ROOT, "corpora", "compute", case)) as script:
                modules = len(re.findall(r"^PIPELINE", script.read(), re.M))
            if case not in chosen and modules == 1:
                chosen[case] = cells[1], case, target, level
    if len(chosen) < FINDINGS:
        sys.exit(f"ci/measure: docs/score.md has {len(chosen)} such findings, not {FINDINGS}")
    return list(chosen.values())[:FINDINGS]


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_for(command, seconds, **options):
    """Exit status, what it said (None of one that was ended after so many seconds), and the time of processors that
    it and all that it started took."""
    before = children_seconds()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True, **options)
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        said = None
    return process.returncode, said, children_seconds() - before


def count_instructions(module):
    """As assay minimize counts them: in blocks, without labels."""
    text = subprocess.run(["spirv-dis", "--no-indent", "--raw-id", module], capture_output=True, text=True,
                          check=True).stdout
    count, inside = 0, False
    for line in text.splitlines():
        opcode = re.match(r"(?:%\d+ = )?(Op\w+)", line)
        opcode = opcode.group(1) if opcode else ""
        if opcode == "OpLabel":
            inside = True
        elif opcode == "OpFunctionEnd":
            inside = False
        elif inside and opcode not in ("", "OpLine", "OpNoLine"):
            count += 1
    return count


def run_own(arguments, bundle, folder):
    case = os.path.join(bundle, "case.amber")
    status, said, spent = run_for(
        [arguments.assay, "minimize", case, "--predicate", os.path.join(bundle, "predicate.json"), "-o", folder,
         "--jobs", "1", "--quiet", "--no-spirv-reduce", "--max-total-time", str(arguments.limit)], None)
    if status:
        sys.exit(f"ci/measure: minimize {case}: {said}")
    after, before = map(int, re.match(r"(\d+) instructions of (\d+)", said).groups())
    if before != count_instructions(os.path.join(bundle, "case.spv")):
        sys.exit(f"ci/measure: {case}: assay minimize counts {before} instructions, this another number")
    with open(os.path.join(folder, "tried.jsonl")) as file:
        tests = len(file.readlines()) - 1
    return before, Reduced(after, spent, tests, "out of time" not in said)


def run_theirs(arguments, bundle, folder):
    """spirv-reduce, whose test keeps the last module that it found interesting: what is left of a run that is
    ended."""
    os.makedirs(folder)
    test = os.path.join(folder, "test.sh")
    replay = shlex.join([arguments.assay, "replay", "--interesting", "--jobs", "1", bundle])
    with open(test, "w") as file:
        file.write(f'#!/bin/sh\necho >>tests\n{replay} "$1" >/dev/null && cp "$1" next.spv && mv next.spv best.spv\n')
    os.chmod(test, 0o755)
    status, said, spent = run_for(["spirv-reduce", "--step-limit=100000", os.path.join(bundle, "case.spv"), "-o",
                                   "out.spv", "--", "./test.sh"], arguments.limit, cwd=folder)
    best = os.path.join(folder, "best.spv")
    if not os.path.exists(best):
        sys.exit(f"ci/measure: spirv-reduce on {bundle}: {said}")
    with open(os.path.join(folder, "tests")) as file:
        tests = len(file.readlines())
    return Reduced(count_instructions(best), spent, tests, said is not None and status == 0)


def measure_one(arguments, finding, folder):
    """(fault, case's name, instructions before, own, theirs)."""
    fault, case, target, level = finding
    bundle = os.path.join(folder, "bundle")
    done = subprocess.run([arguments.assay, "minimize", os.path.join(ROOT, "corpora", "compute", case), "--targets",
                           target, "-O", level, "--plant", fault, "--rule", "REF-DIFF", "--no-reduce", "--bundle",
                           bundle], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"ci/measure: {fault} on {case}: {done.stderr}")
    before, own = run_own(arguments, bundle, os.path.join(folder, "own"))
    return fault, case.removesuffix(".amber"), before, own, run_theirs(arguments, bundle, os.path.join(folder, "theirs"))


def table(rows):
    def cell(reduced):
        return f"{reduced.instructions} | {reduced.seconds:.1f}{'' if reduced.ended else ' (stopped)'} | {reduced.tests}"
    lines = ["| fault | case | before | own | s | tests | spirv-reduce | s | tests |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for fault, case, before, own, theirs in rows:
        lines.append(f"| {fault} | {case} | {before} | {cell(own)} | {cell(theirs)} |")
    middle = [f"{statistics.median(values):.4g}" for values in
              [[row[2] for row in rows]] + [[getattr(row[who], field) for row in rows] for who in (3, 4)
                                            for field in ("instructions", "seconds", "tests")]]
    lines.append("| median | | " + " | ".join(middle) + " |")
    return "\n".join(lines) + "\n"


def measure_minimize(arguments):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for finding in choose_findings():
            row = measure_one(arguments, finding, os.path.join(folder, finding[0]))
            rows.append(row)
            print(*row, flush=True)
    rewrite(PAGE, BEGIN, END, table(rows))
    own, theirs = ([row[who] for row in rows] for who in (3, 4))
    return all(statistics.median(getattr(one, field) for one in own) <
               statistics.median(getattr(one, field) for one in theirs) for field in ("instructions", "seconds"))
