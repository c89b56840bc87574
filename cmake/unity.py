#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses which files of a module are compiled together (ASSAY_UNITY), and writes a file of #includes for each batch.

    unity.py SOURCE_DIR OUTPUT_DIR

OUTPUT_DIR/files.txt has a .cpp file below SOURCE_DIR on each line; files of one folder are batched. For each folder,
OUTPUT_DIR/<folder>/ gets library-N.cpp and test-N.cpp (from *Test.cpp), rewritten only when their contents change.
OUTPUT_DIR/batches.cmake gets the batch of each file that is not alone in its batch.

Files of a batch share one scope, so that no name with internal linkage may mean something else in another file of the
batch. A name that a file defines (static, const, in an unnamed namespace, or by #define) must not occur in another one,
except as a member or with a qualifier, for which another scope is searched (a macro not even so), and all files of a
batch have the same using directives. That is stricter than the language, and needs no knowledge of C++ but that
clang-format puts such definitions at the beginning of a line.
"""
import collections
import pathlib
import re
import sys

MAX_FILES = 16
MAX_CHARACTERS = 150_000

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# Not what follows a '.', an arrow or a '::': members and qualified names are looked up in another scope.
UNQUALIFIED = re.compile(r"(?<!\.)(?<!->)(?<!::)\b[A-Za-z_]\w*")
COMMENT_OR_TEXT = re.compile(r"""'(?:\\.|[^'\\\n])'|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*\"""", re.S)
TYPE = re.compile(r"(?:struct|class|union|enum(?: class| struct)?)\s+(\w+)")
ALIAS = re.compile(r"using (\w+) =")
DECLARATOR = re.compile(r"[^=({\[]*?(::)?\b(\w+)\s*(?:\(|=|\{|\[|;|$)")
ENUMERATORS = re.compile(r"^enum(?: \w+)?(?: : [\w:]+)? \{(.*?)\}", re.M | re.S)
NO_DECLARATION = re.compile(r"using namespace|#|\}|namespace|template")


def declared_name(line):
    """The name that a declaration which begins with this line introduces, or None. The definition of a member
    introduces none."""
    if NO_DECLARATION.match(line):
        return None
    if found := TYPE.match(line) or ALIAS.match(line):
        return found.group(1)
    found = DECLARATOR.match(line)
    return found.group(2) if found and not found.group(1) else None


def macro_names(text):
    """The macros that a file without comments defines."""
    return set(re.findall(r"^#define (\w+)", text, re.M))


def local_names(text):
    """The macros, the names with internal linkage and the enumerators that a file without comments defines."""
    names, is_unnamed = macro_names(text), False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            is_unnamed = True
        elif is_unnamed and line.rstrip() == "}":
            is_unnamed = False
        elif line.startswith(("static ", "const ", "constexpr ")) or (is_unnamed and line and not line[0].isspace()):
            names.add(declared_name(line))
    for body in ENUMERATORS.findall(text):
        names.update(IDENTIFIER.findall(re.sub(r"=[^,}]*", "", body)))
    return names - {None}


class Source:
    def __init__(self, name, text):
        text = COMMENT_OR_TEXT.sub('""', text)
        self.name = name
        self.size = len(text)
        self.local = local_names(text)
        self.macros = macro_names(text)
        self.used = set(UNQUALIFIED.findall(text))
        self.all = set(IDENTIFIER.findall(text))
        self.using = frozenset(re.findall(r"^using namespace (\S+);", text, re.M))


class Batch:
    def __init__(self, first):
        self.files = [first.name]
        self.size = first.size
        self.local, self.macros, self.using = set(first.local), set(first.macros), first.using
        self.used, self.all = set(first.used), set(first.all)

    def takes(self, source):
        return (len(self.files) < MAX_FILES and self.size + source.size <= MAX_CHARACTERS
                and self.using == source.using
                and not self.local & source.used and not source.local & self.used
                and not self.macros & source.all and not source.macros & self.all)

    def add(self, source):
        self.files.append(source.name)
        self.size += source.size
        self.local |= source.local
        self.macros |= source.macros
        self.used |= source.used
        self.all |= source.all


def make_batches(sources):
    """Batches of the sources, each put into the first batch that takes it."""
    batches = []
    for source in sources:
        batch = next((batch for batch in batches if batch.takes(source)), None)
        if batch:
            batch.add(source)
        else:
            batches.append(Batch(source))
    return batches


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(source_folder, output):
    modules = collections.defaultdict(list)
    for name in sorted((output / "files.txt").read_text().split()):
        kind = "test" if name.endswith("Test.cpp") else "library"
        modules[str(pathlib.PurePath(name).parent), kind].append(Source(name, (source_folder / name).read_text()))
    lines = []
    for (folder, kind), sources in modules.items():
        for number, batch in enumerate(make_batches(sources)):
            if len(batch.files) == 1:
                continue
            path = output / folder / f"{kind}-{number}.cpp"
            write_if_changed(path, "".join(f'#include "{name}"\n' for name in batch.files))
            lines += [f'set("ASSAY_BATCH_OF_{name}" "{path}")\n' for name in batch.files]
    write_if_changed(output / "batches.cmake", "".join(lines))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
