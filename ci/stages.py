# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many vertex and fragment shaders, and pipelines of both, Assay compiles of LLPC's test files."""

import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

from shaderdb import find, pipe_sections, shaders_of, validate

# Sections of stages that are neither vertex nor fragment shaders.
OTHERS = re.compile(r"(Cs|ComputeShader|Tcs|TessControlShader|Tes|TessEvalShader|Gs|GeometryShader|Task\w*|Mesh\w*|"
                    r"rgen|sect|ahit|chit|miss|call)(Glsl|Spirv|GlslFile|SpvasmFile|SpvFile)")
BATCH = 100


def is_plain_pipeline(path):
    """Whether a .pipe file has a vertex and a fragment shader and no others."""
    with open(path, errors="replace") as file:
        names = list(pipe_sections(file.read()))
    stages = {"Vs" if name.startswith(("Vs", "Vertex")) else "Fs" for name in names
              if re.match(r"(Vs|VertexShader|Fs|FragmentShader)(Glsl|Spirv|GlslFile|SpvasmFile|SpvFile)$", name)}
    return stages == {"Vs", "Fs"} and not any(OTHERS.fullmatch(name) for name in names)


def collect(folder, work, jobs):
    """(what, name, file to compile) of each valid input, and how many are out, with why."""
    inputs = []
    for path in find(folder, {".vert", ".frag", ".spvasm"}):
        shaders = [each for each in shaders_of(path) if each[0] in ("vert", "frag")]
        inputs += [("module", path, each) for each in shaders]
    for path in find(folder, {".pipe"}):
        if is_plain_pipeline(path):
            inputs.append(("pipeline", path, None))

    def check(number):
        what, path, shader = inputs[number]
        base = os.path.join(work, f"{number:05}")
        if what == "pipeline":
            complaints = [validate(*each, f"{base}.{i}") for i, each in enumerate(shaders_of(path))]
            return next((each for each in complaints if each), "")
        return validate(*shader, base)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        complaints = list(pool.map(check, range(len(inputs))))
    valid = []
    for number, (what, path, shader) in enumerate(inputs):
        if complaints[number]:
            continue
        base = os.path.join(work, f"{number:05}")
        valid.append((what, os.path.relpath(path, folder), base + ".spv" if what == "module" else path))
    return valid, collections.Counter(each.split(":")[0] for each in complaints if each)


def compile_batch(arguments, target, files):
    """{file: reason} of those that do not compile."""
    tool = os.path.join(os.path.dirname(arguments.assay), "assay-census")
    emit = ["--emit", arguments.emit] if arguments.emit != "elf" else []
    with tempfile.TemporaryDirectory() as code:
        answer = subprocess.run([tool, *emit, "assay", target, "0", code] + files, capture_output=True,
                                text=True, check=False)
    if answer.returncode:
        sys.exit(answer.stderr)
    failures, last = {}, None
    for line in answer.stdout.splitlines():
        word = line.split(" ", 1)[0]
        if word in ("ok", "unsupported", "error", "died"):
            rest = line[len(word) + 1:]
            last = next((each for each in files if rest == each or rest.startswith(each + ":")), None)
            if last and word != "ok":
                reason = rest[len(last) + 1:].strip()
                failures[last] = f"{word}: {reason.replace(last + ': ', '')}"
    return failures


def reason_class(reason):
    """A reason without ids, words and lines."""
    reason = re.sub(r"\((%\d+, )?word \d+(, line \d+)?\)|%\d+|, word \d+", "", reason)
    return re.sub(r"\s+", " ", reason)


def measure_stages(arguments):
    with tempfile.TemporaryDirectory() as work:
        valid, out = collect(arguments.folder, work, arguments.jobs)
        if not valid:
            sys.exit(f"ci/measure: there are no vertex and fragment shaders in {arguments.folder}")
        if arguments.keep:
            shutil.copytree(work, arguments.keep, dirs_exist_ok=True)
        print("out of the measure:", ", ".join(f"{count} {why}" for why, count in out.most_common()))
        for target in arguments.targets.split(","):
            files = [file for _, _, file in valid]
            batches = [files[at:at + BATCH] for at in range(0, len(files), BATCH)]
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                parts = pool.map(lambda batch, chip=target: compile_batch(arguments, chip, batch), batches)
            failures = {file: why for part in parts for file, why in part.items()}
            names = {file: (what, name) for what, name, file in valid}
            reasons = collections.Counter()
            for file, why in failures.items():
                reasons[names[file][0] + ": " + reason_class(why)] += 1
                print(f"fails {target} {names[file][1]}: {why}")
            for reason, count in reasons.most_common():
                print(f"{count:5} {target} {reason}")
            for kind in ("module", "pipeline"):
                all_of_kind = [file for what, _, file in valid if what == kind]
                good = sum(file not in failures for file in all_of_kind)
                print(f"{target}: {good} of {len(all_of_kind)} valid {kind}s compile to {arguments.emit}", flush=True)
    return True
