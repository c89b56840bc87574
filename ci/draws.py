# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphicsFuzz's fragment jobs: whether lavapipe, or compilers' code on machine gcn, draws an image that the reference permits."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

from kept_rows import read_rows

DRIVER = "vulkan:lavapipe"
# Of several verdicts on a job the first state that one of them has.
ORDER = ("fail", "crash", "oom", "tool-error", "timeout", "invalid", "flaky", "unsupported", "pass")


def find_jobs(folder):
    """The fragment shaders that have a JSON file of uniforms next to them."""
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if name.endswith(".frag") and os.path.exists(path[:-5] + ".json"):
                yield path


def copy_job(job, size, folder):
    """A copy of the job in folder, for an image of size x size texels: the shader's uniform "resolution" says so, too."""
    copy = os.path.join(folder, os.path.basename(job))
    shutil.copyfile(job, copy)
    with open(job[:-5] + ".json", encoding="utf-8") as file:
        inputs = json.load(file)
    inputs["$framebuffer"] = {"width": size, "height": size}
    if "resolution" in inputs:
        inputs["resolution"]["args"] = [float(size), float(size)]
    with open(copy[:-5] + ".json", "w", encoding="utf-8") as file:
        json.dump(inputs, file)
    return copy


def drawing_options(arguments, reference):
    """The options of `assay diff` that say what draws."""
    if not arguments.given_targets:
        return ["--machines", f"{reference},{DRIVER}"]
    waves = ["--wave", arguments.waves] if arguments.waves else []
    rules = [word for rule in arguments.skipped_rules for word in ("--skip-rule", rule)]
    return ["--machines", f"{reference},gcn", "--targets", arguments.given_targets, "--compilers", arguments.compilers,
            "-O", str(arguments.level), *waves, *rules]


def configuration(verdict):
    """What drew: the machine, or compiler, target and wave size."""
    if not verdict["target"]:
        return verdict["machine"]
    wave = f" wave{verdict['wave_size']}" if verdict["wave_size"] else ""
    return f"{verdict['compiler']} {verdict['target']}{wave}"


def compare(arguments, job, reference):
    """The reference's verdict, and the verdicts on what draws."""
    command = [arguments.assay, "diff", job, *drawing_options(arguments, reference), "--timeout", str(arguments.limit), "--retries", "0", "--jobs", "1",
               "--format", "json", "--quiet"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if not answer.stdout:
        sys.exit(answer.stderr)
    verdicts = json.loads(answer.stdout)["verdicts"]
    judged = next(verdict for verdict in verdicts if verdict["machine"] == reference)
    return judged, [verdict for verdict in verdicts if verdict is not judged]


def describe(verdict):
    open_texels = dict(verdict["statistics"]).get("open-texels", 0)
    note = f" ({open_texels} open texels)" if open_texels else ""
    return f"{verdict['state']:12} {verdict['reason']}{note}"


def judge_job(arguments, job, name):
    """What the first reference says that is precise enough, each at the first size that ends in time."""
    attempts = []
    for reference in arguments.references.split(","):
        for size in arguments.sizes.split(","):
            with tempfile.TemporaryDirectory() as folder:
                judged, drawn = compare(arguments, copy_job(job, int(size), folder), reference)
            supported = [verdict for verdict in drawn if verdict["state"] != "unsupported"] or drawn
            worst = min(supported, key=lambda verdict: ORDER.index(verdict["state"])) if judged["state"] == "pass" else judged
            attempts.append(f"{name} by {reference} at {size}: {describe(worst)}".replace(folder + os.sep, ""))
            if worst["state"] != "timeout":
                break
        if judged["state"] == "pass":
            break
    configurations = {configuration(verdict): verdict["state"] for verdict in drawn} if judged["state"] == "pass" else {}
    attempts += [f"  {each}: {state}" for each, state in configurations.items() if state != worst["state"] or worst["state"] == "fail"]
    return {"job": name, "state": worst["state"], "reference": reference, "size": int(size), "attempts": attempts, "configurations": configurations}


def print_configurations(results):
    """How many of the decided jobs each configuration draws as the reference does."""
    counts = collections.defaultdict(collections.Counter)
    for result in results:
        for each, state in result.get("configurations", {}).items():
            counts[each][state] += 1
    for each, states in counts.items():
        print(f"{each}: {states['pass']} of {sum(states.values())} decided jobs agree:",
              ", ".join(f"{count} {state}" for state, count in states.most_common()))


def read_results(path):
    """By name, the results that an earlier run has left in the file."""
    return {result["job"]: result for result in read_rows(path)}


def measure_draws(arguments):
    jobs = list(find_jobs(arguments.folder))
    if not jobs:
        sys.exit(f"ci/measure: there are no fragment jobs in {arguments.folder}")
    known = read_results(arguments.keep)
    states = collections.Counter()
    results = []
    for job in jobs:
        name = os.path.relpath(job, arguments.folder)
        result = known.get(name) or judge_job(arguments, job, name)
        if arguments.keep and name not in known:
            with open(arguments.keep, "a", encoding="utf-8") as file:
                print(json.dumps(result), file=file)
        results.append(result)
        print(*result["attempts"], sep="\n", flush=True)
        passes = result["state"] == "pass"
        states[f"agree with {result['reference']}" if passes else result["state"]] += 1
    if arguments.given_targets:
        print_configurations(results)
    agree = sum(count for state, count in states.items() if state.startswith("agree"))
    print(f"{agree} of {len(jobs)} jobs agree:", ", ".join(f"{count} {state}" for state, count in states.most_common()))
    return agree * 88 >= len(jobs) * 84
