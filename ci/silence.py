# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether validate-elf is silent on what Assay makes of its corpus: no error, no warning."""

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

CORPUS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      "corpora", "compute")
ALL = ["gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1201"]
WAVES = {"gfx900": [64]}  # Elsewhere both.
LEVELS = [0, 2]
UNSUPPORTED = 77
STRIDE = 7919  # A prime: a sample has every target, wave size and level.


def pipelines_of(path):
    """Names of the pipelines of a script; one nameless where there is but one."""
    with open(path, errors="replace") as file:
        names = re.findall(r"^\s*(?:DERIVE_)?PIPELINE\s+(?:compute\s+)?(\w+)", file.read(), re.M)
    return names if len(names) > 1 else [""]


def configurations(targets):
    for name in sorted(os.listdir(CORPUS)):
        if not name.endswith(".amber"):
            continue
        for pipeline in pipelines_of(os.path.join(CORPUS, name)):
            for target in targets:
                for wave in WAVES.get(target, [32, 64]):
                    for level in LEVELS:
                        yield name, pipeline, target, wave, level


def take_sample(every, count):
    """count of them, spread over all."""
    if not count or count >= len(every):
        return every
    return [every[number * STRIDE % len(every)] for number in range(count)]


def compile_one(assay, folder, configuration):
    """(configuration, status, what the compiler said)."""
    name, pipeline, target, wave, level = configuration
    base = os.path.splitext(name)[0] + (f"-{pipeline}" if pipeline else "")
    elf = os.path.join(folder, f"{base}-{target}-wave{wave}-O{level}.elf")
    answer = subprocess.run([assay, "compile", os.path.join(CORPUS, name), "--target", target,
                             "--wave", str(wave), "-O", str(level), "-o", elf] +
                            (["--entry", pipeline] if pipeline else []),
                            capture_output=True, text=True, check=False)
    return configuration, answer.returncode, answer.stderr.strip()


def judge(arguments, folder):
    """The verdicts on all ELFs of folder."""
    answer = subprocess.run([arguments.assay, "validate-elf", folder, "--fail-on", "warning",
                             "--quiet", "--format", "json", "--jobs", str(arguments.jobs)],
                            capture_output=True, text=True, check=False)
    if not answer.stdout:
        sys.exit(answer.stderr)
    return json.loads(answer.stdout)["verdicts"]


def print_findings(verdicts):
    """Each ELF that is not clean, then how often each rule was loud. True when all are clean."""
    rules, bad = collections.Counter(), 0
    for verdict in verdicts:
        if verdict["state"] == "pass":
            continue
        bad += 1
        print(f"{verdict['state']:6} {os.path.basename(verdict['case'])}: {verdict['reason']}")
        for finding in verdict["findings"]:
            if finding["severity"] != "note":
                rules[finding["rule"]] += 1
                print(f"    {finding['rule']} {finding['location']}: {finding['message']}")
    for rule, count in rules.most_common():
        print(f"{count:6} {rule}")
    return not bad


def measure_silence(arguments):
    every = list(configurations(arguments.targets.split(",")))
    chosen = take_sample(every, arguments.sample)
    states = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for configuration, status, said in pool.map(
                    lambda each: compile_one(arguments.assay, folder, each), chosen):
                kind = {0: "compiled", UNSUPPORTED: "unsupported"}.get(status, "failed")
                states[kind] += 1
                if kind == "failed" or (arguments.verbose and kind == "unsupported"):
                    print(f"{kind} {configuration}: {said}")
        if not states["compiled"]:
            sys.exit("ci/measure: nothing was compiled, so silence says nothing")
        verdicts = judge(arguments, folder)
    clean = print_findings(verdicts)
    silent = sum(verdict["state"] == "pass" for verdict in verdicts)
    print(f"{len(chosen)} of {len(every)} configurations:",
          ", ".join(f"{count} {kind}" for kind, count in states.most_common()) +
          f"; {silent} of {len(verdicts)} ELFs without error or warning")
    return clean and not states["failed"] and len(verdicts) == states["compiled"]
