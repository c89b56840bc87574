#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when C++ code outside the registry compares a string with the name of a machine or compiler.

The registry (oracles/api/Registry.h) has facts of machines and compilers as rows; code asks for a fact. Tests may
compare names, and so may the tables that make what the rows describe.

Usage: check_names.py SOURCE_DIR
"""
import pathlib
import re
import sys

REGISTRY = "oracles/api/Registry.cpp"
CONSTANTS = "oracles/api/Registry.h"
OTHER_WORDS = {"spirv", "command"}  # In lists they may also be a phase of compile, or a key of JSON.
FOLDERS = ("compiler", "fuzz", "harness", "oracles", "reports", "support")


def registered(source: pathlib.Path) -> tuple:
    """The names of all rows, and the constants that hold some of them."""
    constants = dict(re.findall(r'(\w+) = "([^"]+)"', (source / CONSTANTS).read_text()))
    rows = re.findall(r'\.name = (\w+|"[^"]+")', (source / REGISTRY).read_text())
    names = {row.strip('"') if row.startswith('"') else constants[row] for row in rows} - {""}
    return names, set(constants)


def quoted(names: set) -> str:
    return '"(?:' + "|".join(re.escape(name) for name in sorted(names)) + ')"'


def patterns(names: set, constants: set) -> list:
    text = quoted(names)
    name = f"(?:{text}|\\b(?:" + "|".join(sorted(constants)) + ")\\b(?!\\.))"
    listed = quoted(names - OTHER_WORDS)
    return [re.compile(pattern) for pattern in (
        f"[!=]=\\s*{name}", f"{name}\\s*[!=]=",
        f"\\b(?:starts_with|ends_with|consume_front|consume_back|equals|compare|IsMember|Cases?)\\([^;()]*{listed}",
        f"\\b(?:is_contained|count|find|erase)\\([^;()]*{listed}",
        f"{{\\s*{listed}\\s*,\\s*{listed}")]


def violations(text: str, forbidden: list) -> list:
    lines = []
    for pattern in forbidden:
        for found in pattern.finditer(text):
            lines.append((text.count("\n", 0, found.start()) + 1, " ".join(found.group().split())))
    return sorted(set(lines))


def main(source: pathlib.Path) -> int:
    names, constants = registered(source)
    assert len(names) >= 8, f"{REGISTRY} is not as this script reads it"
    forbidden = patterns(names, constants)
    bad = 0
    for folder in FOLDERS:
        for file in sorted((source / folder).rglob("*")):
            name = file.relative_to(source).as_posix()
            is_test = file.stem.endswith(("Test", "Testing")) or "/test/" in name
            if file.suffix not in (".cpp", ".h") or is_test or name in (REGISTRY, CONSTANTS):
                continue
            for line, found in violations(file.read_text(), forbidden):
                print(f"{name}:{line}: compares with a name of {REGISTRY}, use a fact of its row: {found}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
