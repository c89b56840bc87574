# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure score: plants every fault of support/Faults.def, and writes into docs/score.md which of them
the oracles catch on corpora/compute."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "score.md")
MARK = "<!-- From here on written by ci/measure score. -->\n"


def measure_score(arguments):
    command = [arguments.assay, "score", "corpora/compute", "--controls", "corpora/controls", "--modules",
               "corpora/ir/fat-pointers",
               "--targets", arguments.targets, "--jobs", str(arguments.jobs), "--format", "markdown"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit(done.stderr)
    with open(PAGE) as file:
        head, mark, _ = file.read().partition(MARK)
    if not mark:
        sys.exit(f"ci/measure: {PAGE} lacks the line {MARK}")
    with open(PAGE, "w") as file:
        file.write(head + mark + "\n" + done.stdout)
    print(re.search(r"^\d+ of .*$", done.stdout, re.MULTILINE).group())
    return done.returncode == 0
