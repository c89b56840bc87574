# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether machine adreno sees each missing nop and flag of many shaders: drives assay-syncs."""

import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys

CORPUS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      "corpora", "compute")
TARGETS = ["a630", "a660", "a740"]
BATCH = 4


def prove_some(tool, compiler, target, files, quota):
    """Lines of assay-syncs until quota shaders have a proof; the last one may say what is missing."""
    lines = []
    for first in range(0, len(files), BATCH):
        batch = files[first:first + min(BATCH, quota - sum("counts" in line for line in lines))]
        if not batch:
            break
        answer = subprocess.run([tool, compiler, target] + batch, capture_output=True, text=True, check=False)
        if answer.returncode:
            return lines + [{"error": answer.stderr.strip() or f"ends with {answer.returncode}", "target": target}]
        lines += [json.loads(line) for line in answer.stdout.splitlines()]
    return lines


def print_row(name, shaders, counts, columns):
    print(f"{name:8} {shaders:7} " + " ".join(f"{counts[column]:>{max(8, len(column))}}" for column in columns))


def measure_syncs(arguments):
    tool = os.path.join(os.path.dirname(arguments.assay), "assay-syncs")
    cases = sorted(os.path.join(CORPUS, name) for name in os.listdir(CORPUS) if name.endswith(".amber"))
    random.Random(5).shuffle(cases)  # The same order each time, another start for each target.
    tasks = []
    for number, target in enumerate(TARGETS):
        start = number * len(cases) // len(TARGETS)
        tasks.append((tool, arguments.compiler, target, cases[start:] + cases[:start], (arguments.shaders + number) // len(TARGETS)))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda task: prove_some(*task), tasks))
    columns = next(([name for name, _ in line["counts"]] for lines in results for line in lines if "counts" in line), [])
    print(f"{'target':8} shaders " + " ".join(f"{column:>8}" for column in columns))
    total, shaders, bad = collections.Counter(), 0, 0
    for target, lines in zip(TARGETS, results):
        proofs = [line for line in lines if "counts" in line]
        counts = sum((collections.Counter(dict(line["counts"])) for line in proofs), collections.Counter())
        print_row(target, len(proofs), counts, columns)
        total += counts
        shaders += len(proofs)
    print_row("all", shaders, total, columns)
    for line in (line for lines in results for line in lines):
        name = f"{line['target']} {os.path.basename(line.get('case', ''))}"
        for problem in line.get("problems", []):
            print(f"{name}: {problem}")
            bad += problem.startswith(("unmodified", "late"))
        for mutation in line.get("redundant", []) if arguments.verbose else []:
            print(f"{name}: redundant: {mutation}")
        if "error" in line or (arguments.verbose and "skipped" in line):
            print(f"{name}: {line.get('error') or 'skipped: ' + line['skipped']}")
        bad += "error" in line
    if not total["needed"]:
        sys.exit("ci/measure: no nop and no flag of any shader is needed")
    reported, changed = total["reported"] / total["needed"], total["changed"] / total["needed"]
    print(f"{shaders} shaders, {total['needed']} nops and flags taken away that a path of the run needs: "
          f"{100 * reported:.1f} % reported, {100 * changed:.1f} % change the outcome under the late schedule; "
          f"{total['falseReports']} false reports")
    return shaders >= arguments.shaders and reported >= 0.99 and changed >= 0.60 and not total["falseReports"] and not bad
