#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when a pass of Passes.def is named unlike its class, or has no lit test.

Usage: check_passes.py SOURCE_DIR
"""
import pathlib
import re
import sys

ENTRY = re.compile(r'^\w+_PASS\("([^"]+)",\s*(?:\w+::)*(\w+),', re.M)


def main(source: pathlib.Path) -> int:
    entries = ENTRY.findall((source / "compiler/driver/Passes.def").read_text())
    bad = 0 if entries else 1
    for name, cls in entries:
        kebab = re.sub(r"(?<!^)(?=[A-Z])", "-", cls).lower()
        if name != kebab:
            print(f"Passes.def: {cls} must be called {kebab}, not {name}")
            bad += 1
        if not list((source / "compiler/test").rglob(f"{name}.*")):
            print(f"Passes.def: {name} has no test compiler/test/*/{name}.*")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
