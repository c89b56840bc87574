# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphicsFuzz's fragment jobs: whether lavapipe draws an image that the reference permits."""
import collections
import json
import os
import subprocess
import sys

DRIVER = "vulkan:lavapipe"


def find_jobs(folder):
    """The fragment shaders that have a JSON file of uniforms next to them."""
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if name.endswith(".frag") and os.path.exists(path[:-5] + ".json"):
                yield path


def compare(arguments, job, reference):
    """The verdict on lavapipe, or the reference's where that says why nothing was compared."""
    command = [arguments.assay, "diff", job, "--machines", f"{reference},{DRIVER}",
               "--timeout", str(arguments.limit), "--retries", "0", "--jobs", "1", "--format", "json", "--quiet"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if not answer.stdout:
        sys.exit(answer.stderr)
    verdicts = {verdict["machine"]: verdict for verdict in json.loads(answer.stdout)["verdicts"]}
    return verdicts[DRIVER] if verdicts[reference]["state"] == "pass" else verdicts[reference]


def describe(verdict):
    open_texels = dict(verdict["statistics"]).get("open-texels", 0)
    note = f" ({open_texels} open texels)" if open_texels else ""
    return f"{verdict['state']:12} {verdict['reason']}{note}"


def measure_draws(arguments):
    jobs = list(find_jobs(arguments.folder))
    if not jobs:
        sys.exit(f"ci/measure: there are no fragment jobs in {arguments.folder}")
    states = collections.Counter()
    for job in jobs:
        name = os.path.relpath(job, arguments.folder)
        for reference in arguments.references.split(","):
            verdict = compare(arguments, job, reference)
            if verdict["state"] == "pass":
                break
            print(f"{name} by {reference}: {describe(verdict)}", flush=True)
        passes = verdict["state"] == "pass"
        states[f"agree with {reference}" if passes else verdict["state"]] += 1
    agree = sum(count for state, count in states.items() if state.startswith("agree"))
    print(f"{agree} of {len(jobs)} jobs agree:", ", ".join(f"{count} {state}" for state, count in states.most_common()))
    return agree * 88 >= len(jobs) * 84
