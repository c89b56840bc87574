#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of inputs that must be refused, file | verb | exit | substring: corpora/regress/malformed (readers and spirv-val
refuse them) and corpora/regress/refused (the compiler does). `refused.py ASSAY` checks both, and says what is wrong."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

REGRESS = pathlib.Path(__file__).resolve().parents[3] / "corpora" / "regress"
FOLDERS = [REGRESS / "malformed", REGRESS / "refused"]


def rows(folder):
    for line in (folder / "MANIFEST").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            file, verb, code, substring = (part.strip() for part in line.split("|", 3))
            yield folder / file, verb, int(code), substring


def check(assay, row):
    """What is wrong with how the command treats one row; empty when nothing is."""
    file, verb, code, substring = row
    extra = ["-o", "/dev/null"] if verb == "compile" else []
    done = subprocess.run([assay, verb, str(file), *extra], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                          errors="replace", timeout=120, check=False)
    said = done.stdout + done.stderr
    if done.returncode != code:
        return f"{file.name}: exit code {done.returncode}, expected {code}: {said[:400]}"
    if substring not in said:
        return f"{file.name}: does not say '{substring}': {said[:400]}"
    if "PLEASE submit a bug report" in said or "LLVM ERROR" in said:
        return f"{file.name}: LLVM's crash message: {said[:400]}"
    return ""


def problems(assay, table, workers):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return [problem for problem in pool.map(lambda row: check(assay, row), table) if problem]


if __name__ == "__main__":
    FOUND = problems(sys.argv[1], [row for folder in FOLDERS for row in rows(folder)], int(os.environ.get("JOBS", "1")))
    print("\n".join(FOUND))
    sys.exit(bool(FOUND))
