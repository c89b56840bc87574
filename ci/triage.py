# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure triage: the findings that `assay score --keep DIR --findings K` left, minimised, as buckets;
which buckets mix two faults, and which faults are split over several. The name of a finding,
FAULT-NUMBER, is the truth."""
import collections
import json
import os
import subprocess
import sys


def fault_of(case):
    return case.rpartition("-")[0]


def minimise(arguments, folder):
    """What is there already is gone on with, or done. A fault that minimising cannot be asked for
    (it needs a wrong oracle, or the finding does not come again) stays as it is."""
    output = os.path.join(folder, "minimal")
    if os.path.exists(os.path.join(output, "minimal.amber")):
        return
    subprocess.run([arguments.assay, "minimize", folder, "--output", output, "--plant",
                    fault_of(os.path.basename(folder)), "--max-total-time", "60", "--jobs",
                    str(arguments.jobs), "--quiet"], capture_output=True, text=True, check=False)


def measure_triage(arguments):
    findings = os.path.join(arguments.folder, "findings")
    names = sorted(os.listdir(findings))
    for name in names:
        minimise(arguments, os.path.join(findings, name))
    done = subprocess.run([arguments.assay, "triage", arguments.folder, "--format", "json"],
                          capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    buckets = json.loads(done.stdout)["buckets"]
    mixed = 0
    ids = collections.defaultdict(list)
    for bucket in buckets:
        cases = sorted({verdict["case"] for verdict in bucket["verdicts"]})
        faults = sorted({fault_of(case) for case in cases})
        for fault in faults:
            ids[fault].append(bucket)
        if len(faults) > 1:
            mixed += 1
            print(f"mixed: {bucket['id']} {bucket['key']}: {', '.join(cases)}")
    for fault, of in sorted(ids.items()):
        if len(of) > 1:
            print(f"split: {fault}: " + "; ".join(bucket["key"] for bucket in of))
    print(f"{len(names)} findings of {len(ids)} faults: {len(buckets)} buckets, {mixed} mix faults, "
          f"{sum(len(of) > 1 for of in ids.values())} faults are split")
    return mixed == 0 and len(buckets) <= 1.1 * len(ids)
