#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every line of corpora/regress/malformed/MANIFEST: file | verb | exit | substring."""
import concurrent.futures
import os
import unittest

from command import SOURCE, CommandTest, run

FOLDER = SOURCE / "corpora" / "regress" / "malformed"


def rows():
    for line in (FOLDER / "MANIFEST").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            file, verb, code, substring = (part.strip() for part in line.split("|", 3))
            yield file, verb, int(code), substring


def check(row):
    """What is wrong with how the command treats one row; empty when nothing is."""
    file, verb, code, substring = row
    extra = ["-o", "/dev/null"] if verb == "compile" else []
    done = run(verb, FOLDER / file, *extra, timeout=120)
    said = done.stdout + done.stderr
    if done.returncode != code:
        return f"{file}: exit code {done.returncode}, expected {code}: {said[:400]}"
    if substring not in said:
        return f"{file}: does not say '{substring}': {said[:400]}"
    if "PLEASE submit a bug report" in said or "LLVM ERROR" in said:
        return f"{file}: LLVM's crash message: {said[:400]}"
    return ""


class Malformed(CommandTest):
    def test_every_row_has_its_exit_code_and_message(self):
        table = list(rows())
        self.assertGreaterEqual(len(table), 40)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = [p for p in pool.map(check, table) if p]
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_every_file_has_a_row(self):
        files = {p.name for p in FOLDER.iterdir()} - {"MANIFEST", "README.md"}
        named = {row[0] for row in rows()}
        uniforms = {name[:-5] + ".json" for name in named if name.endswith(".frag")}
        self.assertEqual(files - named - uniforms, set())


if __name__ == "__main__":
    unittest.main()
