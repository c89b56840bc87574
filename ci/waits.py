# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the sanitizer sees each missing wait of many shaders: drives assay-waits."""

import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys

CORPORA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpora")
COMPILERS = ["assay", "aco"]
BATCH = 6


def prove_some(tool, compiler, target, files, quota):
    """Lines of assay-waits until quota shaders have a proof; the last one may say what is missing."""
    lines = []
    for first in range(0, len(files), BATCH):
        batch = files[first:first + min(BATCH, quota - sum("counts" in line for line in lines))]
        if not batch:
            break
        answer = subprocess.run([tool, compiler, target] + batch, capture_output=True, text=True,
                                check=False)
        if answer.returncode:
            return [{"error": answer.stderr.strip(), "compiler": compiler, "target": target}]
        lines += [json.loads(line) for line in answer.stdout.splitlines()]
    return lines


def prove_all(arguments):
    tool = os.path.join(os.path.dirname(arguments.assay), "assay-waits")
    corpus = os.path.join(CORPORA, "graphics" if arguments.graphics else "compute")
    cases = sorted(os.path.join(corpus, name) for name in os.listdir(corpus)
                   if name.endswith(".amber"))
    random.Random(4).shuffle(cases)  # The same order each time, another start for each kind of code.
    kinds = [(compiler, target) for target in arguments.targets.split(",")
             for compiler in COMPILERS]
    tasks = []
    for number, (compiler, target) in enumerate(kinds):
        start = number * len(cases) // len(kinds)
        quota = (arguments.shaders + number) // len(kinds)
        tasks.append((tool, compiler, target, cases[start:] + cases[:start], quota))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        return kinds, list(pool.map(lambda task: prove_some(*task), tasks))


def print_row(name, shaders, counts, columns):
    print(f"{name:16} {shaders:7} " + " ".join(f"{counts[column]:>{max(7, len(column))}}"
                                              for column in columns))


def measure_waits(arguments):
    kinds, results = prove_all(arguments)
    total, shaders, bad = collections.Counter(), 0, 0
    columns = next(([name for name, _ in line["counts"]]
                    for lines in results for line in lines if "counts" in line), [])
    print(f"{'code':16} shaders " + " ".join(f"{column:>7}" for column in columns))
    for (compiler, target), lines in zip(kinds, results):
        proofs = [line for line in lines if "counts" in line]
        counts = sum((collections.Counter(dict(line["counts"])) for line in proofs),
                     collections.Counter())
        print_row(f"{compiler} {target}", len(proofs), counts, columns)
        total += counts
        shaders += len(proofs)
    print_row("all", shaders, total, columns)
    for lines in results:
        for line in lines:
            name = " ".join(filter(None, [line["compiler"], line["target"],
                                          os.path.basename(line.get("case", "")), line.get("stage")]))
            for problem in line.get("problems", []):
                print(f"{name}: {problem}")
                bad += problem.startswith(("unmodified", "late"))
            if "error" in line or (arguments.verbose and "skipped" in line):
                print(f"{name}: {line.get('error') or 'skipped: ' + line['skipped']}")
            bad += "error" in line
    if not total["needed"]:
        sys.exit("ci/measure: no wait of any shader is needed")
    everywhere = total["needed"] + total["led"] + total["notRun"]
    reported = (total["reported"] + total["ledReported"]) / everywhere
    changed = total["changed"] / total["needed"]  # Late results need a whole run.
    print(f"{shaders} shaders, {everywhere} waits dropped or weakened that a register needs: "
          f"{100 * reported:.1f} % reported; of {total['needed']} on paths of a run "
          f"{100 * changed:.1f} % change the outcome; {total['falseReports']} false reports")
    return (shaders >= arguments.shaders and reported >= 0.97 and changed >= 0.60 and
            not total["falseReports"] and not bad)
