#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the tests that ctest skipped, with their reasons: ctest itself shows only the names.

    ci/skips.py FILE [--none]    FILE: of ctest --output-junit; --none: a skipped test is an error
"""
import re
import sys
import xml.etree.ElementTree


def reasons(output):
    """The reasons in the output of a test: of GoogleTest, and of main_or_skip() in harness/cli/test/command.py."""
    found = re.findall(r"(?m)^\S+:\d+: Skipped\n(.+)$", output) + re.findall(r"(?m)^skipped: (.+)$", output)
    lines = [line for line in output.splitlines() if line.strip()]
    return list(dict.fromkeys(found)) or lines[-1:] or ["no reason in its output"]


def main(file, *options):
    skipped = [case for case in xml.etree.ElementTree.parse(file).getroot() if case.find("skipped") is not None]
    for case in skipped:
        for reason in reasons(case.findtext("system-out") or ""):
            reason = reason.replace("__main__.", "")
            print(f"skipped: {case.get('name')}: {reason}")
    return 1 if skipped and "--none" in options else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
