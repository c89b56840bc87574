#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails when a file #includes a module that its CMake DEPS do not name, or a folder has too many files.

Usage: check_layers.py SOURCE_DIR LAYERS_TXT
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)/[^/">]+[">]', re.M)
SUFFIXES = {".h", ".cpp", ".def"}


MAX_FILES = 60


def names(text: str) -> set:
    return {d.replace(".", "/") for d in re.split("[; ]+", text.strip()) if d}


def main(source: pathlib.Path, layers: pathlib.Path) -> int:
    deps, test_deps, module_of = {}, {}, {}
    for line in layers.read_text().splitlines():
        module, own, tests, folders = line.split(":")
        deps[module], test_deps[module] = names(own), names(tests)
        module_of[module] = module
        for folder in names(folders):
            module_of[f"{module}/{folder}"] = module
    # DEPS are PUBLIC: what a dependency may use, its user may too only if it names it itself.
    bad = 0
    for folder, module in module_of.items():
        files = sorted(file for file in (source / folder).iterdir() if file.suffix in SUFFIXES)
        if len(files) > MAX_FILES:
            print(f"{folder}: {len(files)} source files, at most {MAX_FILES}: move some to a folder of the module (FOLDERS)")
            bad += 1
        for file in files:
            permitted = deps[module] | {module}
            if file.stem.endswith(("Test", "Testing")):
                permitted |= test_deps[module]
            for included in INCLUDE.findall(file.read_text()):
                used = module_of.get(included)
                if used and used not in permitted:
                    print(f"{file.relative_to(source)}: includes {used}, which is not in DEPS of {module}")
                    bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
