# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shaders in LLPC's test files, and SPIR-V of them."""

import collections
import os
import re
import subprocess

SECTIONS = {"CsGlsl": ("comp", "glsl"), "ComputeShaderGlsl": ("comp", "glsl"),
            "CsSpirv": ("comp", "spirv"), "ComputeShaderSpirv": ("comp", "spirv"),
            "FsGlsl": ("frag", "glsl"), "FragmentShaderGlsl": ("frag", "glsl"),
            "FsSpirv": ("frag", "spirv"), "FragmentShaderSpirv": ("frag", "spirv"),
            "VsGlsl": ("vert", "glsl"), "VertexShaderGlsl": ("vert", "glsl"),
            "VsSpirv": ("vert", "spirv"), "VertexShaderSpirv": ("vert", "spirv")}
MODELS = {"GLCompute": "comp", "Fragment": "frag", "Vertex": "vert"}


def find(folder, extensions):
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if os.path.splitext(name)[1] in extensions:
                yield os.path.join(base, name)


def pipe_sections(text):
    """The sections of a pipeline file by name."""
    sections = collections.OrderedDict()
    name = None
    for line in text.splitlines(True):
        header = re.fullmatch(r"\[([A-Za-z]+)\]", line.strip())
        if header:
            name = header.group(1)
            sections.setdefault(name, "")
        elif name:
            sections[name] += line
    return sections


def shaders_of(path):
    """(stage, language, text) of each compute ("comp"), vertex ("vert") and fragment ("frag") shader."""
    with open(path, errors="replace") as file:
        text = file.read()
    extension = os.path.splitext(path)[1]
    if extension in (".comp", ".frag", ".vert"):
        return [(extension[1:], "glsl", text)]
    if extension == ".spvasm":
        entry = re.search(r"OpEntryPoint\s+(\w+)", text)
        stage = MODELS.get(entry.group(1)) if entry else None
        return [(stage, "spirv", text)] if stage else []
    return [SECTIONS[name] + (section,) for name, section in pipe_sections(text).items()
            if name in SECTIONS]


def versions_of(text):
    """The version in the header of assembly; without one those that Assay tries."""
    version = re.search(r"^;\s*Version:\s*(1\.\d)", text, re.M)
    return ["spv" + version.group(1)] if version else ["spv1.6", "spv1.3", "spv1.0"]


def validate(stage, language, text, base):
    """Makes base.spv. What glslang or spirv-val says against it; empty when it is valid."""
    source = base + ("." + stage if language == "glsl" else ".spvasm")
    binary = base + ".spv"
    with open(source, "w") as file:
        file.write(text)
    if language == "glsl":
        makers = [["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", "-S", stage]]
    else:
        makers = [["spirv-as", "--target-env", version] for version in versions_of(text)]
    validator = ["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", binary]
    complaint = ""
    for maker in makers:
        for command in (maker + [source, "-o", binary], validator):
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
            if answer.returncode:
                said = [line for line in (answer.stdout + answer.stderr).splitlines() if line.strip()]
                complaint = complaint or command[0] + ": " + (said[0] if said else "no message")
                break
        else:
            return ""
    return complaint
