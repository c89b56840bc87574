#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports words that have a plainer replacement, in documents, comments and string literals.

    ci/check_words.py             1 when a folder has more of them than ci/words.txt allows; names each place
    ci/check_words.py --update    lowers the numbers in ci/words.txt to what is there; never raises one
    ci/check_words.py FILE...     every place in these files, whatever ci/words.txt allows

ci/words.txt has the number of places in each folder that has any: headings that tests read, and tables that programs
write, in documents; older comments and messages in code.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = ROOT / "ci" / "words.txt"
# Text that every place has in lower case (found faster than a pattern), a pattern, and what to write in its place.
WORDS = [
    ("behind", r"(?<!furthest )behind\b(?! --| the viewer)", "after, following"),
    ("mend", r"mend(s|ed|ing)?\b", "fix, workaround"),
    ("stand", r"stands? (at|in|for|before|where)\b", "is, is at, represents"),
    ("nobody", r"nobody wrote\b", "uninitialized"),
    ("turn", r"turns? of (a|the|its) loops?\b", "iteration"),
    ("object", r"object(s|ed)? to\b", "report"),
    ("objection", r"objections?\b", "finding"),
    ("made small", r"made small\b", "minimized"),
    ("wrong use", r"wrong use\b", "usage error"),
    ("is no ", r"is no (verb|number|file|folder|name)\b", "unknown ..., not a ..."),
    ("hand", r"hand(s|ed)? on\b", "pass"),
    (" on with", r"go(es|ing|ne)? on with\b", "continue, resume"),
    ("anew", r"anew\b", "again"),
    ("beside", r"beside\b", "next to, in addition to"),
    ("lest", r"lest\b", "so that ... not"),
    ("but for", r"but for\b", "except"),
    ("as far as", r"as far as\b", "if"),
]
WORDS = [(text, re.compile(rf"\b{pattern}", re.I), instead) for text, pattern, instead in WORDS]
CODE = {".cpp", ".h", ".def", ".td"}
COMMENT_OR_STRING = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')


def prose_of(path, line):
    """What people read of a line."""
    return " ".join(COMMENT_OR_STRING.findall(line)) if path.suffix in CODE else line


def places(path):
    """(line, word, replacement) of each place in a file."""
    text = (ROOT / path).read_text(errors="replace")
    lower = text.lower()
    words = [word for word in WORDS if word[0] in lower]
    for number, line in enumerate(text.splitlines() if words else [], 1):
        lower = line.lower()
        for _, pattern, instead in [word for word in words if word[0] in lower]:
            for found in pattern.finditer(prose_of(path, line)):
                yield number, found.group(), instead


def checked_files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in listed:
        path = pathlib.PurePath(name)
        is_ours = name.split("/")[0] not in ("bugs", "corpora") and name != "ci/check_words.py"
        if name and is_ours and path.name != "score.md" and path.suffix in CODE | {".md", ".py"}:
            yield path


def read_limits():
    if not LIMITS.exists():
        return {}
    return {folder: int(number) for number, folder in (line.split() for line in LIMITS.read_text().splitlines())}


def main(arguments):
    if arguments and arguments != ["--update"]:
        for name in arguments:
            path = pathlib.Path(name).resolve().relative_to(ROOT)
            for number, word, instead in places(path):
                print(f"{path}:{number}: '{word}': {instead}")
        return 0
    found = collections.defaultdict(list)
    for path in checked_files():
        for number, word, instead in places(path):
            found[path.parent.as_posix()].append(f"{path}:{number}: '{word}': {instead}")
    limits = read_limits()
    if arguments:
        allowed = {folder: min(len(lines), limits.get(folder, 0) if limits else len(lines)) for folder, lines in found.items()}
        LIMITS.write_text("".join(f"{number} {folder}\n" for folder, number in sorted(allowed.items()) if number))
        return 0
    code = 0
    for folder, lines in sorted(found.items()):
        if len(lines) > limits.get(folder, 0):
            code = 1
            print("\n".join(lines))
            print(f"{folder}: {len(lines)} places, ci/words.txt allows {limits.get(folder, 0)}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
