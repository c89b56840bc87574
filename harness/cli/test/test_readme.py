#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command of the README and of the tutorials in docs/, in their order, in a folder that has what they name: each ends
with 0, or with the code that its comment says ("ends with 1")."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from command import ASSAY, COMPUTE, SOURCE, CommandTest, run

# Not run here: each takes hours or needs a machine of its own, and is run by CI itself.
EXCLUDED = {
    "ci/demo": "installs packages and builds; CI runs it",
    "ci/test": "installs packages, builds and runs every test, this one included; CI runs it",
    "ci/deps": "installs packages; ci/demo and ci/test run it",
    "ci/bench": "measures for minutes; its tables are the output",
}
# Added to commands that would run for long, so that the same paths are run on less: a substring, and what is added.
LESS = [
    (r"^assay fuzz -o nightly --cases 1000", " --cases 20 --profile small --targets gfx1100 -O 2 --quiet --plant wrong-subtract"),
    (r"^assay (minimize|localize) nightly/", " --plant wrong-subtract"),
    (r"^assay diff corpora/compute ", " --targets gfx1100"),
    (r"^assay score ", " --faults wrong-subtract --targets gfx1100 -O 2"),
    (r"^assay run .*--schedules 100$", " --target gfx1100"),
]
# What the repository's folders hold in the test: few cases of theirs.
CASES = ("saxpy.amber", "vector-add.amber", "control-expect-assume.amber")
PAGES = ("README.md", "docs/tutorial.md", "docs/tutorial-draw.md")
# The one of bugs/ that the tutorial names.
BUG = "llvm-bswap64-true16"
# Programs that the commands name and that represent anybody's.
PROGRAMS = {"my-opt": "#!/bin/sh\nexec opt-22 -S -mtriple=amdgcn--amdpal -mcpu=gfx1100 "
                      "-passes=amdgpu-lower-buffer-fat-pointers \"$@\"\n"}
SHADER = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] += 1; }
"""
MODULE = """define amdgpu_cs i32 @next(ptr addrspace(7) inreg %p, i32 %i) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %i
  %v = load i32, ptr addrspace(7) %q
  ret i32 %v
}
"""


class Command:
    """A command line of a page with what the text says of its end."""

    def __init__(self, line, shown=None):
        text, _, comment = line.partition(" #")
        self.line = text.strip()
        said = re.search(r"ends with (\d+)", comment)
        self.code = int(said.group(1)) if said else 0
        # A transcript in which a verdict fails ends with 1: "1 something failed" (States).
        if shown is not None and re.search(r"^\d+ verdicts: .*\d+ fail", "\n".join(shown), re.M):
            self.code = 1
        self.shown = shown

    @property
    def excluded(self):
        return EXCLUDED.get(self.line.split()[0])


def code_blocks(text):
    """The lines of each block of code: indented, or between fences."""
    blocks, block, is_fenced = [], [], False
    for line in text.splitlines() + [""]:
        if line.startswith("```"):
            is_fenced = not is_fenced
        elif is_fenced or line.startswith("    "):
            block.append(line if is_fenced else line[4:])
            continue
        if block and not is_fenced:
            blocks.append(block)
            block = []
    return blocks


def commands_of(text):
    """The commands of all blocks; of a transcript ("$ ") with the lines that are shown for each; and passes alone, which
    are in a line of text."""
    commands = []
    for block in code_blocks(text):
        if not any(line.startswith("$ ") for line in block):
            commands += [Command(line) for line in block if re.match(r"(assay|ci/\w+|opt-22)\b", line)]
            continue
        shown = []
        for line in block:
            if line.startswith("$ "):
                shown = []
                commands.append((line[2:], shown))
            else:
                shown.append(line)
        commands = [each if isinstance(each, Command) else Command(*each) for each in commands]
    commands += [Command(line) for line in re.findall(r"`(opt-22 [^`]*)`", text.replace("\n", " "))]
    return commands


class Readme(CommandTest):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "assay").symlink_to(ASSAY)
        for name, text in PROGRAMS.items():
            self.write(f"bin/{name}", text).chmod(0o755)
        for folder in ("corpora/compute", "cases"):
            (self.folder / folder).mkdir(parents=True)
            for name in CASES:
                shutil.copy(COMPUTE / name, self.folder / folder)
        shutil.copy(COMPUTE / "MANIFEST", self.folder / "corpora" / "compute")
        shutil.copytree(SOURCE / "bugs" / BUG, self.folder / "bugs" / BUG)
        shutil.copytree(SOURCE / "corpora" / "controls", self.folder / "corpora" / "controls")
        shutil.copy(COMPUTE / "vector-add.amber", self.folder)
        shutil.copy(COMPUTE / "saxpy.amber", self.folder / "case.amber")
        self.write("shader.comp", SHADER)
        self.write("before.ll", MODULE)
        self.write("shader.bin", "\0" * 8)
        plugin = pathlib.Path(ASSAY).parent.parent / "lib" / "AssayPasses.so"
        (self.folder / "build" / "release" / "lib").mkdir(parents=True)
        (self.folder / "build" / "release" / "lib" / "AssayPasses.so").symlink_to(plugin)
        for words in (("compile", "case.amber", "--target", "gfx1100", "--emit", "elf", "-o", "pipeline.elf"),
                      ("compile", "case.amber", "--target", "gfx1100", "--emit", "lgc", "-o", "module.ll"),
                      ("diff", "case.amber", "--targets", "gfx1100", "--format", "json", "--output", "result.json")):
            done = run(*words, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def code_of(self, command):
        """What it ends with here: of peers that are not installed, nothing can be wrong."""
        if "radv-llvm" not in command.line:
            return command.code
        done = run("diff", "case.amber", "--compilers", "radv-llvm", "--targets", "gfx1100", cwd=self.folder)
        return 0 if done.returncode == 77 else command.code

    def run_command(self, command):
        line = command.line
        for pattern, more in LESS:
            if re.search(pattern, line):
                line = line.replace(" --cases 1000", "") + more
        # Of a transcript, what is shown of a file is the file.
        if line.startswith("cat ") and command.shown:
            self.write(line.split()[1], "\n".join(command.shown) + "\n")
        # A pass reads its module from the standard input.
        text = (self.folder / "module.ll").read_text() if line.startswith("opt-22") else ""
        environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        # What a pass prints is bitcode.
        return subprocess.run(["sh", "-c", line], input=text, capture_output=True, text=True, errors="replace",
                              cwd=self.folder, env=environment, timeout=540)

    def test_every_command_ends_as_the_text_says(self):
        commands = [command for page in PAGES for command in commands_of((SOURCE / page).read_text())]
        names = {command.line.split()[1] for command in commands if command.line.startswith("assay ")}
        # What is extracted is what the pages have.
        self.assertLessEqual({"compile", "run", "diff", "fuzz", "minimize", "localize", "triage", "report", "doctor"}, names)
        self.assertLessEqual((SOURCE / "README.md").read_text().count("\n"), 120)
        for command in commands:
            with self.subTest(command=command.line):
                if command.excluded:
                    print(f"excluded: {command.line}: {command.excluded}", file=sys.stderr)
                    continue
                done = self.run_command(command)
                if done.returncode == 77 and "planted faults" in done.stderr:
                    self.skipTest("this build has no planted faults")
                self.assertEqual(done.returncode, self.code_of(command),
                                 f"{command.line}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")

    def test_commands_are_found_in_both_kinds_of_blocks(self):
        commands = commands_of("text\n\n    assay a  # ends with 4\n    other\n\n```\n$ assay b\n2 verdicts: 1 pass, 1 fail\n"
                               "$ assay c\n1 verdicts: 1 pass\n```\nand `opt-22\n-x` alone\n")
        self.assertEqual([(command.line, command.code) for command in commands],
                         [("assay a", 4), ("assay b", 1), ("assay c", 0), ("opt-22 -x", 0)])


if __name__ == "__main__":
    unittest.main()
