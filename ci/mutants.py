# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure mutants: random single-operator mutants of the compiler's source, each compiled, linked into a program of
its own, and judged by the corpora. How many do the oracles detect?

A mutant changes one operator, constant or call in one file of compiler/. It counts only if it compiles and if its
object file differs from the unchanged one. The source tree and the build folder stay as they are: the mutated file is
compiled with the flags of the build folder's compile_commands.json, and its object file precedes the libraries when
the program is linked, so that the linker never takes the original from its library."""

import collections
import concurrent.futures
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

from kept_rows import read_rows

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "mutants.md")
MARK = "<!-- From here on written by ci/measure mutants. -->\n"
# Tests, and what only tests run: the IR of Adreno GPUs as text, TGSI, passes as a plugin.
OUTSIDE = re.compile(r"Test\.cpp$|TestShaders\.cpp$|/tablegen/|/plugin/|/test/|/ir3/ir/Parser\.cpp$|/ir3/tgsi/")

# Operator, what it looks like in formatted source (a binary operator has a space on either side, a template's
# bracket, a pointer and a reference have none), what the mutant has.
OPERATORS = [
    ("== to !=", r" == ", " != "),
    ("!= to ==", r" != ", " == "),
    ("< to <=", r" < ", " <= "),
    ("<= to <", r" <= ", " < "),
    ("> to >=", r" > ", " >= "),
    (">= to >", r" >= ", " > "),
    ("&& to ||", r" && ", " || "),
    ("|| to &&", r" \|\| ", " && "),
    ("+ to -", r" \+ ", " - "),
    ("- to +", r" - ", " + "),
    ("* to +", r" \* ", " + "),
    ("/ to *", r" / ", " * "),
    ("% to /", r" % ", " / "),
    ("<< to >>", r" << ", " >> "),
    (">> to <<", r" >> ", " << "),
    ("& to |", r" & ", " | "),
    ("| to &", r" \| ", " & "),
    ("true to false", r"\btrue\b", "false"),
    ("false to true", r"\bfalse\b", "true"),
    ("! dropped", r"(?<=[ (])!(?=[\w(])", ""),
    ("number + 1", r"(?<![\w.\"])(\d+)(?![\w.\"])", lambda match: str(int(match.group(1)) + 1)),
    ("call dropped", r"^ +[\w.>()-]+\([^;{}]*\);$", ";"),
]
# Lines that hold no behaviour of a build that users get, or none that a mutant could change and still compile.
ASIDE = re.compile(r"^\s*(#|assert\(|static_assert|template|case |using |//|\")|faultPlanted|llvm_unreachable")
# Generations of which the lowering of buffer fat pointers has rules of its own.
FAT_TARGETS = ["gfx900", "gfx1030", "gfx1100", "gfx1201"]
GLUE_TARGET = "gfx1030"  # With and without NGG.
OLD_TARGET = "gfx1010"  # Metadata 2.6 exist up to GFX11.
IR3_TARGETS = ["a630", "a420", "a740"]
UNSUPPORTED = 77
LITERAL = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])+'")


class Mutant:
    """One change: file (from the root), line (from 1), column (from 0), the operator's name, and the new text."""

    def __init__(self, file, line, span, operator, replacement):
        self.file, self.line, self.span = file, line, span
        self.operator, self.replacement = operator, replacement

    def name(self):
        return f"{self.file}:{self.line}:{self.span[0] + 1}"

    def text(self):
        """The mutated file's text, and the line before and after."""
        with open(os.path.join(ROOT, self.file)) as source:
            lines = source.read().split("\n")
        before = lines[self.line - 1]
        start, end = self.span
        lines[self.line - 1] = before[:start] + self.replacement + before[end:]
        return "\n".join(lines), before.strip(), lines[self.line - 1].strip()


def sites_of(file):
    """Every mutant of one file."""
    with open(os.path.join(ROOT, file)) as source:
        lines = source.read().split("\n")
    for number, line in enumerate(lines, 1):
        if ASIDE.search(line):
            continue
        # Literals and comments keep their length and hold nothing.
        code = LITERAL.sub(lambda match: "\"" * len(match.group()), line)
        for operator, pattern, replacement in OPERATORS:
            for match in re.finditer(pattern, code):
                new = replacement(match) if callable(replacement) else replacement
                yield Mutant(file, number, match.span(), operator, new)


def compiler_files():
    listed = subprocess.run(["git", "ls-files", "compiler/*.cpp"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [file for file in listed.stdout.split() if not OUTSIDE.search(file)]


class Build:
    """How the build folder compiles a file and links the program. In a build with batches (ASSAY_UNITY) the file's
    batch is compiled, with the changed text in the file's place."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "compile_commands.json")) as file:
            self.commands = {entry["file"]: entry["command"] for entry in json.load(file)}
        self.batches = dict(batches_of(os.path.join(folder, "unity", "batches.cmake")))
        links = subprocess.run(["ninja", "-C", folder, "-t", "commands", "assay"], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        link = next(line for line in reversed(links) if " -o bin/assay " in line)
        self.link = link.split("&&")[1].strip()
        self.objects = {}

    def compile(self, file, source, into):
        """Whether `source` compiles as `file`. No debug information: equal code is an equal object file."""
        unit = os.path.join(ROOT, file)
        if unit not in self.commands:
            unit = self.batches[file]
            with open(unit) as batch:
                text = batch.read().replace(f'#include "{file}"', f'#include "{source}"')
            source = os.path.join(os.path.dirname(source), "batch.cpp")
            with open(source, "w") as copy:
                copy.write(text)
        command = shlex.split(self.commands[unit])
        place = command.index("-o")
        del command[place:place + 4]  # -o OBJECT -c SOURCE
        command += ["-g0", "-w", "-x", "c++", "-o", into, "-c", source]
        return subprocess.run(command, cwd=self.folder, capture_output=True, check=False).returncode == 0

    def unchanged(self, file, folder):
        """The object file of the unchanged source, compiled in the same way. Its text is in a file of another
        name, so that both have the same debug paths."""
        if file not in self.objects:
            source, into = os.path.join(folder, "unchanged.cpp"), os.path.join(folder, "unchanged.o")
            with open(os.path.join(ROOT, file)) as original, open(source, "w") as copy:
                copy.write(original.read())
            if not self.compile(file, source, into):
                sys.exit(f"ci/measure: {file} does not compile without a change")
            self.objects[file] = code_of(into)
        return self.objects[file]

    def program(self, mutated, into):
        command = shlex.split(self.link.replace(" -o bin/assay ", f" -o {into} "))
        first = next(place for place, word in enumerate(command) if word.endswith(".o"))
        command.insert(first, mutated)
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)


def batches_of(path):
    """(file from the root, batch that includes it) of a build with batches; nothing of another."""
    if os.path.exists(path):
        with open(path) as file:
            yield from re.findall(r'^set\("ASSAY_BATCH_OF_([^"]+)" "([^"]+)"\)$', file.read(), re.MULTILINE)


def code_of(object_file):
    """The object file without the name of its source."""
    subprocess.run(["llvm-objcopy-22", "--strip-unneeded", object_file], check=True)
    with open(object_file, "rb") as file:
        return re.sub(rb"(unchanged|mutant)\.cpp", b"", file.read())


class Stage:
    """Something that judges a program: its name, and its commands."""

    def __init__(self, name, *commands):
        self.name, self.commands = name, commands

    def run(self, program, limit):
        """(exit status, or None after `limit` seconds; what was said) of the first command that does not end with 0, or
        of all."""
        texts = []
        for command in self.commands:
            status, said = run([program if word == "PROGRAM" else word for word in command], limit)
            texts.append(said)
            if status != 0:
                return status, said
        return 0, "\n".join(texts)


class Unchanged:
    """The unchanged program, which no stage must find at fault. It runs a stage when the first mutant has got there."""

    def __init__(self, program, limit):
        self.program, self.limit, self.lock, self.results = program, limit, threading.Lock(), {}

    def result(self, stage):
        """(exit status, summary of verdicts) of a stage. A mutant that is `unsupported` where this program passes has
        another one."""
        with self.lock:
            if stage.name not in self.results:
                status, said = stage.run(self.program, 10 * self.limit)
                if status not in (0, UNSUPPORTED):
                    raise RuntimeError(f"stage '{stage.name}' does not pass without a mutant:\n{said}")
                self.results[stage.name] = status, summary_of(said)
            return self.results[stage.name]


def summary_of(said):
    return "\n".join(re.findall(r"^\d+ verdicts: .*$", said, re.MULTILINE))


def stages(file, targets, cache):
    """The stages for a mutant of `file`, the cheapest first, with PROGRAM in the program's place. `cache` is a folder
    that a stage may fill."""
    regress = "corpora/regress"
    cases = [folder for folder in (os.path.join(regress, name) for name in sorted(os.listdir(os.path.join(ROOT, regress))))
             if os.path.exists(os.path.join(ROOT, folder, "case.amber"))]

    def diff(inputs, *options):
        inputs = [inputs] if isinstance(inputs, str) else inputs
        return ["PROGRAM", "diff", *inputs, "--quiet", "--timeout", "10", "--jobs", "1", *options]

    def gcn(inputs, *options):
        """Without the reference: what no expectation names is compared in the first stages alone."""
        return diff(inputs, "--machines", "gcn", *options)

    def on(chips, level, *options):
        return ["--targets", ",".join(chips), "-O", level, *options]

    compute, draws, fat = "corpora/compute", "corpora/graphics", "corpora/ir/fat-pointers"
    first, rest, ends = targets[-1:], targets[:-1], targets[:1] + targets[-1:]
    refused = Stage("refused", [sys.executable, os.path.join(ROOT, "harness/cli/test/refused.py"), "PROGRAM"])
    ir3 = Stage(f"ir3 {IR3_TARGETS[0]} -O2", diff(compute, *on(IR3_TARGETS[:1], "2")))
    if file.startswith("compiler/ir3/"):
        return [ir3, Stage("ir3 -O0", diff(compute, *on(IR3_TARGETS[:1], "0"))),
                Stage("ir3 -O2", diff(compute, *on(IR3_TARGETS[1:], "2"))),
                *(Stage(f"ir3 {mode}", diff(compute, *on(IR3_TARGETS[:1], "2"), "--compilers", f"assay-{mode}"))
                  for mode in ("spillall", "fullsync", "no-sched")),
                Stage("ir3 regress", diff(cases, *on(IR3_TARGETS, "2"))), refused]
    cached = gcn(draws, *on(first, "2"), "--cache", cache)
    fat_pointers = [Stage(f"fat pointers {chip}", ["PROGRAM", "check-fat-pointers", fat, "--target", chip, "--jobs", "1",
                                                   "--timeout", "20", "--fail-on", "unsupported"]) for chip in FAT_TARGETS]
    hashes = [Stage("hashes", ["PROGRAM", "check-hashes", draws, "--pairs", "2", "--jobs", "1", "--quiet"]),
              Stage("cache", ["rm", "-rf", cache], cached, cached + ["--check-cache"])]
    return [Stage(f"compute {first[0]} -O2", diff(compute, *on(first, "2"))),
            Stage(f"graphics {first[0]} -O2", diff(draws, *on(first, "2"))),
            Stage("compute -O2", gcn(compute, *on(rest, "2"))),
            Stage("graphics -O2", gcn(draws, *on(rest, "2"))),
            *(Stage(f"graphics {compiler}", gcn(draws, *on([GLUE_TARGET], "2"), "--compilers", compiler))
              for compiler in ("assay-unlinked", "assay-ngg", "assay-whole")),
            Stage("graphics metadata 2.6", gcn(draws, *on([OLD_TARGET], "2"), "--metadata-version", "2.6")),
            Stage("regress", diff(cases)),
            Stage("compute -O0", gcn(compute, *on(ends, "0"))),
            Stage("graphics -O0", gcn(draws, *on(ends, "0"))),
            Stage("compute wave64", gcn(compute, *on(first, "2", "--wave", "64"))),
            Stage("graphics wave32", gcn(draws, *on(first, "2", "--wave", "32"))),
            *(fat_pointers if is_in(file, "amdgpu", "dialect", "driver", "lgc") else []),
            *(hashes if is_in(file, "api", "cache", "driver", "lgc", "pal", "spirv") else []),
            *([] if is_in(file, "amdgpu", "pal") else [ir3]), refused]


def is_in(file, *folders):
    """Whether the file is in one of these folders of compiler/."""
    return file.split("/")[1] in folders


def run(command, limit):
    """The exit status, or None if it ran out of time; no process of it stays."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True, errors="replace") as process:
        try:
            said, _ = process.communicate(timeout=limit)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, ""


def judge(program, chain, unchanged, limit):
    """(name of the first stage that detects the mutant or "", what it said)."""
    for stage in chain:
        expected = unchanged.result(stage)
        status, said = stage.run(program, limit)
        if status is None:
            return stage.name, f"no end within {limit} s"
        if (status, summary_of(said)) == expected:
            continue
        lines = [line for line in said.splitlines() if line.strip()]
        return stage.name, lines[0] if lines else f"exit status {status}"
    return "", ""


def try_mutant(build, mutant, unchanged, arguments):
    """A row of the result; its "detected" is None where the mutant does not count."""
    text, before, after = mutant.text()
    row = {"place": mutant.name(), "operator": mutant.operator, "before": before, "after": after, "detected": None,
           "by": ""}
    with tempfile.TemporaryDirectory() as folder:
        source, objects = os.path.join(folder, "mutant.cpp"), os.path.join(folder, "mutant.o")
        with open(source, "w") as file:
            file.write(text)
        if not build.compile(mutant.file, source, objects):
            return row
        if code_of(objects) == build.unchanged(mutant.file, folder):
            return row
        program = os.path.join(folder, "assay")
        linked = build.program(objects, program)
        if linked.returncode:
            raise RuntimeError(f"{mutant.name()} does not link: {linked.stderr[:400]}")
        chain = stages(mutant.file, arguments.targets.split(","), os.path.join(folder, "cache"))
        stage, said = judge(program, chain, unchanged, arguments.limit)
        return {**row, "detected": stage, "by": said[:200]}


class Kept:
    """A file of rows, a line of JSON for each, from which a later run takes the mutants that are tried already: those of
    the same file, operator and text, whatever their line. Where several mutants of a file are equal in these, their
    lines must be equal, too."""

    def __init__(self, path, mutants, again=False):
        self.path, self.lock = path, threading.Lock()
        self.is_unique = collections.Counter(self.key_of(mutant) for mutant in mutants)
        self.rows = {}
        for row in read_rows(path):
            if row["detected"] != "" or not again:
                key = row["place"].split(":")[0], row["operator"], row["before"], row["after"]
                self.rows[key] = self.rows[(*key, row["place"])] = row

    @staticmethod
    def key_of(mutant):
        _, before, after = mutant.text()
        return mutant.file, mutant.operator, before, after

    def find(self, mutant):
        """The row of a mutant, with its place of today, or None."""
        key = self.key_of(mutant)
        row = self.rows.get(key if self.is_unique[key] == 1 else (*key, mutant.name()))
        return {**row, "place": mutant.name()} if row else None

    def add(self, row):
        if self.path:
            with self.lock, open(self.path, "a") as file:
                file.write(json.dumps(row) + "\n")


def reasons_on(page):
    """Reasons that somebody has written down for a survivor, by its unchanged line, operator, and file without folder,
    as files move."""
    reasons = {}
    for row in re.findall(r"^\| `([^`]+)` \| ([^|]+) \| `(.*?)` \| (.*) \|$", page, re.MULTILINE):
        reasons[(os.path.basename(row[0].split(":")[0]), row[1], row[2])] = row[3]
    return reasons


def escaped(text):
    return text.replace("|", "¦").replace("`", "'")


def write_page(rows, seed):
    with open(PAGE) as file:
        head, mark, old = file.read().partition(MARK)
    if not mark:
        sys.exit(f"ci/measure: {PAGE} lacks the line {MARK}")
    reasons = reasons_on(old)
    found = [row for row in rows if row["detected"]]
    lines = [summary(rows, reasons) + f" Seed {seed}.", "", "| place | operator | line | reason |",
             "| --- | --- | --- | --- |"]
    for row in sorted((row for row in rows if not row["detected"]), key=lambda row: row["place"]):
        key = key_of(row)
        lines.append(f"| `{row['place']}` | {key[1]} | `{key[2]}` | {reasons.get(key, 'open')} |")
    by_stage = {}
    for row in found:
        stage = row["detected"] if re.match("compute|graphics|ir3 -|ir3 a", row["detected"]) else row["detected"].split(" ")[0]
        by_stage[stage] = by_stage.get(stage, 0) + 1
    lines += ["", "| first detected by | mutants |", "| --- | --- |"]
    lines += [f"| {stage} | {count} |" for stage, count in sorted(by_stage.items(), key=lambda item: -item[1])]
    with open(PAGE, "w") as file:
        file.write(head + mark + "\n" + "\n".join(lines) + "\n")


def key_of(row):
    return os.path.basename(row["place"].split(":")[0]), row["operator"].replace("|", "¦"), escaped(row["before"])


def summary(rows, reasons):
    """The share of all, and of those that are not known to compute the same."""
    found = sum(bool(row["detected"]) for row in rows)
    harmless = sum(bool(re.match("equivalent|speed|message", reasons.get(key_of(row), "")))
                   for row in rows if not row["detected"])
    left = len(rows) - harmless
    return (f"{found} of {len(rows)} mutants are detected ({100 * found / max(1, len(rows)):.1f} %); without {harmless} "
            f"survivors that are equivalent, slower or change a message, {100 * found / max(1, left):.1f} %.")


def choose(mutants, arguments):
    """The mutants to try: those at --places, else all of them, shuffled."""
    if arguments.places:
        places = arguments.places.split(",")
        unknown = set(places) - {mutant.name() for mutant in mutants}
        if unknown:
            sys.exit(f"ci/measure: no mutant is at {', '.join(sorted(unknown))}")
        return [mutant for mutant in mutants if mutant.name() in places]
    random.Random(arguments.seed).shuffle(mutants)
    return mutants


def measure_mutants(arguments):
    build = Build(os.path.dirname(os.path.dirname(os.path.abspath(arguments.assay))))
    mutants = choose([mutant for file in compiler_files() for mutant in sites_of(file)], arguments)
    unchanged = Unchanged(os.path.abspath(arguments.assay), arguments.limit)
    kept = Kept(arguments.keep, mutants, arguments.again)
    rows, waiting = [], iter(mutants)

    def row_of(mutant):
        row = kept.find(mutant)
        if not row:
            row = try_mutant(build, mutant, unchanged, arguments)
            kept.add(row)
        return row

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while len(rows) < arguments.count:
            batch = [mutant for _, mutant in zip(range(arguments.count - len(rows)), waiting)]
            if not batch:
                break
            for row in pool.map(row_of, batch):
                if row["detected"] is None:
                    continue
                rows.append(row)
                print(f"{'detected' if row['detected'] else 'SURVIVES':9} {row['place']} {row['operator']}: "
                      f"{row['after']}" + (f"  [{row['detected']}]" if row["detected"] else ""), flush=True)
    if not arguments.places:
        write_page(rows, arguments.seed)
    with open(PAGE) as file:
        print(summary(rows, reasons_on(file.read())))
    return sum(bool(row["detected"]) for row in rows) >= 0.9 * len(rows)
