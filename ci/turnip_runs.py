# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether machine adreno gives the reference's outcome for what turnip makes of cases: drives assay-turnip-runs."""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys

TARGETS = ["a630", "a660", "a740"]
COMPILERS = ["turnip", "turnip-fullsync", "turnip-fullnop"]
FINDINGS = "harness/peer/turnip/findings/"


def known_error(line):
    """The folder that shows why turnip's code fails, where turnip is wrong."""
    if line["case"].endswith("/subgroup-vote-blocks.amber"):
        return FINDINGS + "prede-replaces-vote"
    if line["compiler"] == "turnip-fullnop" and line.get("joined") == "pass":
        return FINDINGS + "fullnop-branch-stack"
    return None


def run_some(arguments, files):
    """Lines of assay-turnip-runs for these files."""
    tool = os.path.join(os.path.dirname(arguments.assay), "assay-turnip-runs")
    compilers, plan = (COMPILERS[:1], "switches") if arguments.switches else (COMPILERS, str(arguments.seeds))
    answer = subprocess.run([tool, ",".join(TARGETS), ",".join(compilers), plan] + files,
                            capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(f"ci/measure: {answer.stderr.strip() or f'{tool} ends with {answer.returncode}'}")
    return [json.loads(line) for line in answer.stdout.splitlines()]


def print_switches(lines):
    """The cases whose outcome changes with a switch of oracles/machine/adreno/Arithmetic.h, and on which targets."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in lines:
        for switch in line.get("switches", []):
            found[switch][os.path.basename(line["case"]).removesuffix(".amber")].append(line["target"])
    for switch, cases in sorted(found.items()):
        names = (name if len(targets) == len(TARGETS) else f"{name} ({', '.join(targets)})" for name, targets in sorted(cases.items()))
        print(f"{switch}: {len(cases)} cases: {', '.join(names)}")
    return bool(found)


def measure_turnip(arguments):
    files = sorted(os.path.join(arguments.folder, name) for name in os.listdir(arguments.folder)
                   if name.endswith(".amber"))
    if not files:
        sys.exit(f"ci/measure: there are no cases in {arguments.folder}")
    parts = [files[first::arguments.jobs] for first in range(min(arguments.jobs, len(files)))]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        lines = [line for part in pool.map(lambda each: run_some(arguments, each), parts) for line in part]
    if arguments.switches:
        return print_switches(lines)
    counts = collections.defaultdict(collections.Counter)
    refusals = collections.defaultdict(set)
    for line in lines:
        name = os.path.basename(line["case"])
        if line["state"] == "fail" and known_error(line):
            line["state"] = "known"
        counts[line["target"], line["compiler"]][line["state"]] += 1
        if line["state"] in ("fail", "unsupported", "skipped"):
            print(f"{line['state']:12} {name} {line['target']} {line['compiler']}: {line['reason']}")
        if line["state"] == "refused":
            refusals[line["reason"].split(" lacks ")[-1]].add((name, line["target"]))
    for reason, where in sorted(refusals.items(), key=lambda each: -len(each[1])):
        print(f"refused on {len(where):3} cases and targets: {reason}")
    total = collections.Counter()
    for (target, compiler), states in sorted(counts.items()):
        print(f"{target or 'reference':10} {compiler:16} " + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))
        total += states
    compiled = total["pass"] + total["fail"] + total["known"] + total["unsupported"]
    print(f"{len(files)} cases, eager and late with {arguments.seeds} seeds each: {total['pass']} of {compiled} compiled by turnip "
          f"pass, {total['known']} fail by a known error of turnip, {total['fail']} fail, {total['unsupported']} unsupported")
    return compiled and not total["fail"] and not total["unsupported"]
