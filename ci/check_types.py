#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when two files define a type of the same name in the same namespace: one name has one meaning, and C++ allows
a program one definition of each (batches of cmake/unity.py have found such pairs, the linker does not).

Usage: check_types.py SOURCE_DIR

It relies on clang-format, which puts the definitions of a namespace at the beginning of a line.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("compiler", "fuzz", "harness", "oracles", "reports", "support")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
NAMESPACE = re.compile(r"namespace ([\w:]+) \{")
END = re.compile(r"\} // namespace")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (?:alignas\([^)]*\) )?(\w+)(?: final)?(?: : [^;]*)? \{")


def types_of(text: str) -> set:
    """The types that a file defines with external linkage, with their namespaces."""
    names, namespaces, is_unnamed = set(), [], False
    for line in RAW_STRING.sub('""', text).splitlines():
        if line.startswith("namespace {"):
            is_unnamed = True
        elif found := NAMESPACE.match(line):
            namespaces.append(found.group(1))
        elif END.match(line):
            if is_unnamed:
                is_unnamed = False
            elif namespaces:
                namespaces.pop()
        elif (found := TYPE.match(line)) and not is_unnamed:
            names.add("::".join([*namespaces, found.group(1)]))
    return names


def main(source: pathlib.Path) -> int:
    files_of = collections.defaultdict(list)
    for folder in FOLDERS:
        for file in sorted((source / folder).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                for name in types_of(file.read_text()):
                    files_of[name].append(file.relative_to(source).as_posix())
    twice = {name: files for name, files in files_of.items() if len(files) > 1}
    for name, files in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(files)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
