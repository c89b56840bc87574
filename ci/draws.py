# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphicsFuzz's fragment jobs: whether lavapipe, or Assay's code on machine gcn, draws an image that the reference permits."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

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


def compare(arguments, job, reference):
    """The verdict on what draws (of several targets the worst), or the reference's where that says why nothing was compared."""
    drawn = ["--machines", f"{reference},{DRIVER}"]
    if arguments.given_targets:
        drawn = ["--machines", f"{reference},gcn", "--targets", arguments.given_targets, "-O", str(arguments.level)]
    command = [arguments.assay, "diff", job, *drawn, "--timeout", str(arguments.limit), "--retries", "0", "--jobs", "1", "--format", "json", "--quiet"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if not answer.stdout:
        sys.exit(answer.stderr)
    verdicts = json.loads(answer.stdout)["verdicts"]
    judged = next(verdict for verdict in verdicts if verdict["machine"] == reference)
    if judged["state"] != "pass":
        return judged
    return min((verdict for verdict in verdicts if verdict is not judged), key=lambda verdict: ORDER.index(verdict["state"]))


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
                verdict = compare(arguments, copy_job(job, int(size), folder), reference)
            attempts.append(f"{name} by {reference} at {size}: {describe(verdict)}".replace(folder + os.sep, ""))
            if verdict["state"] != "timeout":
                break
        if verdict["state"] in ("pass", "fail"):
            break
    return {"job": name, "state": verdict["state"], "reference": reference, "size": int(size), "attempts": attempts}


def read_results(path):
    """By name, the results that an earlier run has left in the file."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {result["job"]: result for result in map(json.loads, file)}


def measure_draws(arguments):
    jobs = list(find_jobs(arguments.folder))
    if not jobs:
        sys.exit(f"ci/measure: there are no fragment jobs in {arguments.folder}")
    known = read_results(arguments.keep)
    states = collections.Counter()
    for job in jobs:
        name = os.path.relpath(job, arguments.folder)
        result = known.get(name) or judge_job(arguments, job, name)
        if arguments.keep and name not in known:
            with open(arguments.keep, "a", encoding="utf-8") as file:
                print(json.dumps(result), file=file)
        print(*result["attempts"], sep="\n", flush=True)
        passes = result["state"] == "pass"
        states[f"agree with {result['reference']}" if passes else result["state"]] += 1
    agree = sum(count for state, count in states.items() if state.startswith("agree"))
    print(f"{agree} of {len(jobs)} jobs agree:", ", ".join(f"{count} {state}" for state, count in states.most_common()))
    return agree * 88 >= len(jobs) * 84
