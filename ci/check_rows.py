#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when a concept of the ir3 notes has no test that is named after its row.

The table of docs/ir3.md ("Concepts of the notes") has the rows 1 to 55. Each row needs a test whose name contains its number
(Row07..., of several rows Row38And39...); the line of a row lists these tests, and no test that does not exist.

Usage: check_rows.py SOURCE_DIR
"""
import pathlib
import re
import sys

ROWS = range(1, 56)
FOLDERS = ("compiler/ir3", "oracles/ir3_compiler", "harness/peer/ir3")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\w+, (Row(\d\d(?:And\d\d)*)[A-Z]\w*)\)", re.M)
LINE = re.compile(r"^\| ([\d, ]+) \|[^|]*\|([^|]*)\| ([^|]*) \|$", re.M)


def read_tests(source: pathlib.Path) -> dict[str, set[int]]:
    """The rows of each test, by its name."""
    tests = {}
    for folder in FOLDERS:
        for path in (source / folder).rglob("*Test.cpp"):
            for name, numbers in TEST.findall(path.read_text()):
                tests[name] = {int(number) for number in numbers.split("And")}
    return tests


def check(document: str, tests: dict[str, set[int]]) -> list[str]:
    """What is wrong with the table of a document."""
    table = document.split("\n## Concepts of the notes\n")[-1]
    problems, seen = [], []
    for numbers, names, state in LINE.findall(table):
        rows = {int(number) for number in numbers.split(",")}
        seen += sorted(rows)
        listed = set(re.findall(r"Row\d\d\w*", names))
        for name in sorted(listed - tests.keys()):
            problems.append(f"row {numbers}: there is no test {name}")
        for name in sorted(name for name, of in tests.items() if of & rows and name not in listed):
            problems.append(f"row {numbers}: {name} is not listed")
        for row in sorted(rows - set().union(*(tests.get(name, set()) for name in listed))):
            problems.append(f"row {row}: no test is named after it")
        if not re.match(r"(yes|part: .|no: .)", state):
            problems.append(f"row {numbers}: the state is neither yes, nor part or no with a reason")
    if sorted(seen) != list(ROWS):
        problems.append(f"the rows of the table are {sorted(seen)}")
    return problems


def main(source: pathlib.Path) -> int:
    problems = check((source / "docs/ir3.md").read_text(), read_tests(source))
    for problem in problems:
        print(f"docs/ir3.md: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
