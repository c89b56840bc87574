#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/modules.md: every module with the first comment of its CMakeLists.txt, in dependency order.

    ci/modules.py            writes the page
    ci/modules.py --check    writes nothing; 1 when the page is not what would be written, or a module has no comment
"""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/modules.md"
HEAD = """# Modules

A folder with a CMakeLists.txt is a module: a static library `assay.<path with dots>`, a test program with `.test` at the end if it has
`*Test.cpp`, or a program. The order is the dependency order: a module uses modules above it only, and only those that its `DEPS` name
(`cmake/AssayModule.cmake`; `ci/check_layers.py` checks the includes).

`ci/modules.py` writes this page from the first comment of each CMakeLists.txt; a test compares the two.
"""
DEFINES_MODULE = re.compile(r"(?m)^\s*(assay_module|assay_tool|assay_add_plugin|assay_fuzz_target|add_executable)\(")


def folders(folder):
    """The folder and those below it, in the order of add_subdirectory; a folder's own module comes last if its file has
    the subdirectories first."""
    text = (folder / "CMakeLists.txt").read_text()
    is_module = DEFINES_MODULE.search(text)
    for found in re.finditer(r"(?m)^\s*add_subdirectory\(([\w/]+)\)", text):
        if is_module and is_module.start() < found.start():
            yield folder
            is_module = None
        yield from folders(folder / found.group(1))
    if is_module:
        yield folder


def description(folder):
    """The first comment after the licence, as one line; empty if there is none."""
    words = []
    for line in (folder / "CMakeLists.txt").read_text().splitlines()[1:]:
        if not line.startswith("# "):
            break
        words += line[2:].split()
    return " ".join(words)


def make_page(root):
    """The text of the page, and the modules that have no description."""
    text, top, missing = HEAD, None, []
    for folder in folders(root):
        name = folder.relative_to(root).as_posix()
        if name.split("/")[0] != top:
            top = name.split("/")[0]
            text += f"\n## {top}\n\n| module | content |\n| --- | --- |\n"
        about = description(folder)
        if not about:
            missing.append(name)
        text += f"| `{name}` | {about} |\n"
    return text, missing


def main(arguments):
    text, missing = make_page(ROOT)
    for name in missing:
        print(f"{name}/CMakeLists.txt: the first comment must say what the module is", file=sys.stderr)
    page = ROOT / PAGE
    if arguments != ["--check"]:
        page.write_text(text)
        return 1 if missing else 0
    old = page.read_text() if page.exists() else ""
    for line in difflib.unified_diff(old.splitlines(), text.splitlines(), PAGE, "as ci/modules.py writes it", lineterm=""):
        print(line, file=sys.stderr)
    return 1 if missing or old != text else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
