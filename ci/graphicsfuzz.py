# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compute jobs of GraphicsFuzz as AmberScript: a shader (.comp) and its inputs (.json)."""
import json
import os
import re

SCALARS = {"int": "int32", "uint": "uint32", "float": "float", "vec2": "float", "vec4": "float", "ivec4": "int32"}
UNIFORMS = {"glUniform1f": "float", "glUniform2f": "vec2<float>", "glUniform3f": "vec3<float>",
            "glUniform4f": "vec4<float>", "glUniform1i": "int32", "glUniform1ui": "uint32"}
# Of loose uniforms without a value in the JSON file, which OpenGL sets to zeros: (function, components).
UNSET = {"float": ("glUniform1f", 1), "vec2": ("glUniform2f", 2), "vec3": ("glUniform3f", 3), "vec4": ("glUniform4f", 4),
         "int": ("glUniform1i", 1), "uint": ("glUniform1ui", 1)}


def find_jobs(folder):
    """The paths of all jobs, without extension."""
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if name.endswith(".json") and os.path.exists(path[:-5] + ".comp"):
                with open(path) as file:
                    if "$compute" in file.read():
                        yield path[:-5]


def make_script(path):
    """AmberScript of the job at path. Loose uniforms become blocks, in the order of their names."""
    with open(path + ".comp") as file:
        shader = file.read()
    with open(path + ".json") as file:
        inputs = json.load(file)
    job = inputs.pop("$compute")
    place = job["buffer"]["binding"]
    kinds = {SCALARS[field["type"]] for field in job["buffer"]["fields"]}
    if len(kinds) != 1:
        raise ValueError(f"{path}: a buffer of several scalar types")
    values = " ".join(str(value) for field in job["buffer"]["fields"] for value in field["data"])
    buffers = [f"BUFFER data DATA_TYPE {kinds.pop()} DATA {values} END"]
    bindings = [f"  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING {place}"]
    for kind, name in re.findall(r"^\s*uniform\s+(\w+)\s+(\w+)\s*;", shader, re.M):
        if name not in inputs and kind in UNSET:
            inputs[name] = {"func": UNSET[kind][0], "args": [0] * UNSET[kind][1]}
    for binding, name in enumerate(sorted(inputs), place + 1):
        uniform = inputs[name]
        arguments = " ".join(map(str, uniform["args"]))
        buffers.append(f"BUFFER {name} DATA_TYPE {UNIFORMS[uniform['func']]} DATA {arguments} END")
        bindings.append(f"  BIND BUFFER {name} AS uniform DESCRIPTOR_SET 0 BINDING {binding}")
        shader = re.sub(rf"\buniform\s+(\w+)\s+{name}\s*;",
                        rf"layout(set = 0, binding = {binding}) uniform block_{name} {{ \1 {name}; }};", shader)
    groups = " ".join(map(str, job["num_groups"]))
    return "\n".join(["#!amber", "SHADER compute shader GLSL", shader.strip(), "END", *buffers,
                      "PIPELINE compute pipeline", "  ATTACH shader", *bindings, "END",
                      f"RUN pipeline {groups}", ""])
