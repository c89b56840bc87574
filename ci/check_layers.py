#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when a file #includes a module that its CMake DEPS do not name.

Usage: check_layers.py SOURCE_DIR LAYERS_TXT
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)/[^/">]+[">]', re.M)
SUFFIXES = {".h", ".cpp", ".def"}


def names(text: str) -> set:
    return {d.replace(".", "/") for d in re.split("[; ]+", text.strip()) if d}


def main(source: pathlib.Path, layers: pathlib.Path) -> int:
    deps, test_deps = {}, {}
    for line in layers.read_text().splitlines():
        module, own, tests = line.split(":")
        deps[module], test_deps[module] = names(own), names(tests)
    # DEPS are PUBLIC: what a dependency may use, its user may too only if it names it itself.
    bad = 0
    for module, allowed in deps.items():
        for file in sorted((source / module).iterdir()):
            if file.suffix not in SUFFIXES:
                continue
            permitted = allowed | {module}
            if file.stem.endswith(("Test", "Testing")):
                permitted |= test_deps[module]
            for used in INCLUDE.findall(file.read_text()):
                if used in deps and used not in permitted:
                    print(f"{file.relative_to(source)}: includes {used}, which is not in DEPS of {module}")
                    bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
