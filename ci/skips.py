#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the tests that ctest skipped, with their reasons: ctest itself shows only the names.

    ci/skips.py FILE [REGEX]    FILE: of ctest --output-junit; a skipped test whose name REGEX matches is an error
"""
import re
import sys
import xml.etree.ElementTree


def reasons(output):
    """The reasons in the output of a test: of GoogleTest, and of main_or_skip() in harness/cli/test/command.py."""
    found = re.findall(r"(?m)^\S+:\d+: Skipped\n(.+)$", output) + re.findall(r"(?m)^skipped: (.+)$", output)
    lines = [line for line in output.splitlines() if line.strip()]
    return list(dict.fromkeys(found)) or lines[-1:] or ["no reason in its output"]


def main(file, required="$^"):
    code = 0
    for case in xml.etree.ElementTree.parse(file).getroot():
        if case.find("skipped") is None:
            continue
        is_error = re.search(required, case.get("name")) is not None
        code = code or int(is_error)
        for reason in reasons(case.findtext("system-out") or ""):
            reason = reason.replace("__main__.", "")
            print(f"{'error: ' if is_error else ''}skipped: {case.get('name')}: {reason}")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
