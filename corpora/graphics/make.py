#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes most scripts of this folder. What they expect is computed here, by the formulas of the Vulkan
specification, and by nothing of Assay. Usage: make.py [FOLDER]; the default is the folder of this file."""

import math
import os
import re
import sys

sys.dont_write_bytecode = True
import assembly  # pylint: disable=wrong-import-position
import fixed_function  # pylint: disable=wrong-import-position
import images  # pylint: disable=wrong-import-position
import samples  # pylint: disable=wrong-import-position
import stages  # pylint: disable=wrong-import-position
from script import *  # pylint: disable=wrong-import-position

# Blending: dyadic numbers in a float target, which every way to compute gets right.
DST = [0.5, 0.25, 1.0, 0.75]
SOURCES = [[0.25, 0.5, 0.75, 0.5], [0.5, 0.125, 1.0, 0.25]]  # Rows 0 to 7, and the others.
SECOND = [0.5, 0.75, 0.25, 0.5]


def vec4(values):
    return "vec4(%s)" % ", ".join(number(value) for value in values)


def factor(name, src, dst):
    constant = [0.0] * 4  # Scripts cannot set the constants.
    base = {"zero": [0.0] * 4, "one": [1.0] * 4, "src_color": src, "dst_color": dst, "src_alpha": [src[3]] * 4,
            "dst_alpha": [dst[3]] * 4, "constant_color": constant, "constant_alpha": constant,
            "src_alpha_saturate": [min(src[3], 1 - dst[3])] * 3 + [1.0], "src1_color": SECOND,
            "src1_alpha": [SECOND[3]] * 4}
    if name.startswith("one_minus_"):
        return [1 - value for value in base[name[10:]]]
    return base[name]


FACTORS = [sign + word for word in ("zero", "one", "src_color", "dst_color", "src_alpha", "dst_alpha",
                                    "constant_color", "constant_alpha", "src_alpha_saturate", "src1_color",
                                    "src1_alpha")
           for sign in ("", "one_minus_") if not (sign and word in ("zero", "one", "src_alpha_saturate"))]
OPS = {"add": lambda s, d: s + d, "subtract": lambda s, d: s - d, "reverse_subtract": lambda s, d: d - s,
       "min": min, "max": max}


def blend_state(src, dst, op):
    lines = ["BLEND"]
    for channel in ("COLOR", "ALPHA"):
        lines += ["  SRC_%s_FACTOR %s" % (channel, src), "  DST_%s_FACTOR %s" % (channel, dst),
                  "  %s_OP %s" % (channel, op)]
    return "".join("  %s\n" % line for line in lines + ["END"])


def blend_case(name, purpose, left, right):
    """left, right: (source factor, destination factor, operation) in the columns 0 to 7, and in the others."""
    dual = any("src1" in word for half in (left, right) for word in half[:2])
    mixed = "gl_FragCoord.y < 8 ? %s : %s" % (vec4(SOURCES[0]), vec4(SOURCES[1]))
    if dual:
        shader = glsl("fragment", "f", """
layout(location = 0, index = 0) out vec4 result;
layout(location = 0, index = 1) out vec4 second;
void main() { result = %s; second = %s; }""" % (mixed, vec4(SECOND)))
    else:
        shader = fragment("f", "vec4", mixed)
    expectations = []
    for x, half in ((1, left), (14, right)):
        for y, src in ((2, SOURCES[0]), (13, SOURCES[1])):
            op = OPS[half[2]]
            if half[2] in ("min", "max"):
                values = [op(s, d) for s, d in zip(src, DST)]
            else:
                values = [op(s * f, d * g) for s, d, f, g in
                          zip(src, DST, factor(half[0], src, DST), factor(half[1], src, DST))]
            expectations.append(expect("target", 16, x, y, values))
    write(name, purpose, "DEVICE_FEATURE dualSrcBlend" if dual else "", PLAIN_VERTEX, shader,
          fragment("base", "vec4", vec4(DST)), "BUFFER target FORMAT R32G32B32A32_SFLOAT",
          pipeline("below", "base"), pipeline("left", "f", blend_state(*left)),
          pipeline("right", "f", blend_state(*right)),
          "RUN below DRAW_RECT POS 0 0 SIZE 16 16\nRUN left DRAW_RECT POS 0 0 SIZE 8 16\n"
          "RUN right DRAW_RECT POS 8 0 SIZE 8 16", "\n".join(expectations))


def blending():
    for name in FACTORS:
        blend_case("blend-factor-" + name.replace("_", "-"),
                   "Blend factor %s of the source (left) and of the destination (right)." % name,
                   (name, "one", "add"), ("one", name, "add"))
    for op in OPS:
        blend_case("blend-op-" + op.replace("_", "-"), "Blend operation %s with unlike factors." % op,
                   ("src_alpha", "one", op), ("one", "dst_color", op))


# Depth and stencil: three columns (0 to 4, 5 to 9, 10 to 15) over a base.
EDGES = [0, 5, 10, 16]
COMPARE = {"never": lambda a, b: False, "less": lambda a, b: a < b, "equal": lambda a, b: a == b,
           "less_or_equal": lambda a, b: a <= b, "greater": lambda a, b: a > b, "not_equal": lambda a, b: a != b,
           "greater_or_equal": lambda a, b: a >= b, "always": lambda a, b: True}


def column(x):
    return sum(x >= edge for edge in EDGES[1:3])


# Shows that the shader runs, where a comparison lets nothing through.
CONTROL = "RUN control DRAW_RECT POS 0 12 SIZE 16 4"
ROWS = "uint(gl_FragCoord.y) + 20"


def columns_of(depths):
    return "\n".join(quad(EDGES[i], EDGES[i + 1], depth) for i, depth in enumerate(depths))


def depth_compare():
    depths = [0.25, 0.5, 0.75]
    for op, holds in COMPARE.items():
        passes = [holds(depth, 0.5) for depth in depths]
        state = ("  BIND BUFFER depth AS depth_stencil\n%s  DEPTH\n    TEST on\n    WRITE on\n    COMPARE_OP %s\n"
                 "  END\n")
        rows = [[y + 60 if y >= 12 else y + 20 if passes[column(x)] else 7 for x in range(SIZE)] for y in range(SIZE)]
        after = [depths[column(x)] if passes[column(x)] else 0.5 for x in range(SIZE)]
        write("depth-compare-" + op.replace("_", "-"),
              "Depth comparison %s: depths 0.25, 0.5 and 0.75 over 0.5, colour and depth afterwards." % op,
              DEEP_VERTEX, fragment("f", "uint", ROWS), fragment("base", "uint", "7"),
              "BUFFER target FORMAT R8_UINT\nBUFFER depth FORMAT D32_SFLOAT",
              "BUFFER whole DATA_TYPE vec3<float> DATA\n%s\nEND" % quad(0, 16, 0.5),
              "BUFFER columns DATA_TYPE vec3<float> DATA\n%s\nEND" % columns_of(depths),
              pipeline("below", "base", state % ("  VERTEX_DATA whole LOCATION 0\n", "always")),
              pipeline("above", "f", state % ("  VERTEX_DATA columns LOCATION 0\n", op)),
              fragment("g", "uint", "uint(gl_FragCoord.y) + 60"), pipeline("control", "g"),
              "CLEAR below\nRUN below DRAW_ARRAY AS TRIANGLE_LIST\nRUN above DRAW_ARRAY AS TRIANGLE_LIST\n" + CONTROL,
              picture("target", 1, rows), expect("depth", 4, 0, 3, after))


def stencil_state(reference, op="keep", compare="always", fail="keep", depth_fail="keep", depth="", mask=255,
                  write_mask=255):
    return ("  BIND BUFFER stencil AS depth_stencil\n%s  STENCIL front_and_back\n    TEST on\n    FAIL_OP %s\n"
            "    PASS_OP %s\n    DEPTH_FAIL_OP %s\n    COMPARE_OP %s\n    COMPARE_MASK %d\n    WRITE_MASK %d\n"
            "    REFERENCE %d\n  END\n" % (depth, fail, op, depth_fail, compare, mask, write_mask, reference))


def stencil_columns(values):
    pipelines = [pipeline("set%d" % i, "base", stencil_state(value, "replace")) for i, value in enumerate(values)]
    runs = ["RUN set%d DRAW_RECT POS %d 0 SIZE %d 16" % (i, EDGES[i], EDGES[i + 1] - EDGES[i])
            for i in range(len(values))]
    return pipelines, "CLEAR set0\n" + "\n".join(runs)


def stencil_compare():
    values = [1, 2, 3]
    pipelines, runs = stencil_columns(values)
    for op, holds in COMPARE.items():
        rows = [[y + 60 if y >= 12 else y + 20 if holds(2, values[column(x)]) else 7 for x in range(SIZE)] for y in range(SIZE)]
        write("stencil-compare-" + op.replace("_", "-"),
              "Stencil comparison %s of reference 2 with 1, 2 and 3 under a mask."
              % op, PLAIN_VERTEX, fragment("f", "uint", ROWS), fragment("base", "uint", "7"),
              "BUFFER target FORMAT R8_UINT\nBUFFER stencil FORMAT S8_UINT", *pipelines,
              pipeline("above", "f", stencil_state(0xf2, "keep", op, mask=0x0f)),
              fragment("g", "uint", "uint(gl_FragCoord.y) + 60"), pipeline("control", "g"),
              runs + "\nRUN above DRAW_RECT POS 0 0 SIZE 16 16\n" + CONTROL,
              picture("target", 1, rows))


STENCIL_OPS = {"keep": lambda s, r: s, "zero": lambda s, r: 0, "replace": lambda s, r: r,
               "increment_and_clamp": lambda s, r: min(s + 1, 255), "decrement_and_clamp": lambda s, r: max(s - 1, 0),
               "invert": lambda s, r: s ^ 255, "increment_and_wrap": lambda s, r: s + 1 & 255,
               "decrement_and_wrap": lambda s, r: s - 1 & 255}


def stencil_ops():
    values = [0, 7, 255]
    pipelines, runs = stencil_columns(values)
    for op, change in STENCIL_OPS.items():
        # Rows 0 to 7 pass; in the others the comparison fails.
        rows = [[y + 20 if y < 8 else 7 for x in range(SIZE)] for y in range(SIZE)]
        after = [change(values[column(x)], 100) for x in range(SIZE)]
        masked = [v & 0x0f | values[column(x)] & 0xf0 for x, v in enumerate(after)]
        write("stencil-op-" + op.replace("_", "-"),
              "Stencil operation %s on 0, 7 and 255: where the test passes (above), and, with write mask 15, where it "
              "fails." % op, PLAIN_VERTEX, fragment("f", "uint", ROWS), fragment("base", "uint", "7"),
              "BUFFER target FORMAT R8_UINT\nBUFFER stencil FORMAT S8_UINT", *pipelines,
              pipeline("passes", "f", stencil_state(100, op)),
              pipeline("fails", "f", stencil_state(100, "keep", "never", op, write_mask=15)),
              runs + "\nRUN fails DRAW_RECT POS 0 8 SIZE 16 8\nRUN passes DRAW_RECT POS 0 0 SIZE 16 8",
              picture("target", 1, rows), expect("stencil", 1, 0, 2, after), expect("stencil", 1, 0, 12, masked))


# Topologies: pictures of primitives' numbers, triangles by exact edge functions.
def triangles_picture(triangles, value):
    rows = [[0] * SIZE for _ in range(SIZE)]
    for i, triangle in enumerate(triangles):
        for y in range(SIZE):
            for x in range(SIZE):
                if inside(triangle, x, y):
                    rows[y][x] = value(i, x, y)
    return rows


PRIMITIVE = "uint(gl_PrimitiveID) * 40 + 1 + uint(gl_FragCoord.x)"


def primitive_value(i, x, y):
    return i * 40 + 1 + x


def topology_case(name, topology, points, rows, purpose):
    feature = "DEVICE_FEATURE geometryShader"  # For PrimitiveId in fragment shaders.
    write(name, purpose, feature, PLAIN_VERTEX, fragment("f", "uint", PRIMITIVE), "BUFFER target FORMAT R8_UINT",
          "BUFFER points DATA_TYPE vec2<float> DATA\n%s\nEND" % positions(points),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n"), "RUN p DRAW_ARRAY AS %s" % topology,
          picture("target", 1, rows))


def line_rows(lines):
    rows = [[0] * SIZE for _ in range(SIZE)]
    for i, (x0, x1, y) in enumerate(lines):
        for x in range(x0, x1):
            rows[y][x] = primitive_value(i, x, y)
    return rows


def topologies():
    points = [(1.5, 2.5), (7.5, 3.5), (12.5, 14.5)]
    rows = [[0] * SIZE for _ in range(SIZE)]
    for i, (x, y) in enumerate(points):
        rows[int(y)][int(x)] = primitive_value(i, int(x), int(y))
    topology_case("topology-point-list", "POINT_LIST", points, rows, "Points of size 1 at centres of pixels.")
    lines = [(1, 9, 2), (3, 15, 7), (0, 4, 12)]
    ends = [((a + 0.5, y + 0.5), (b + 0.5, y + 0.5)) for a, b, y in lines]
    topology_case("topology-line-list", "LINE_LIST", [p for line in ends for p in line], line_rows(lines),
                  "Lines without their last pixels.")
    topology_case("topology-line-list-with-adjacency", "LINE_LIST_WITH_ADJACENCY",
                  [p for a, b in ends for p in ((0.5, 15.5), a, b, (15.5, 0.5))], line_rows(lines),
                  "Lines between adjacent vertices that are not drawn.")
    strip = [(1, 5, 6), (5, 9, 6), (9, 14, 6)]
    strip_points = [(x + 0.5, 6.5) for x in (1, 5, 9, 14)]
    topology_case("topology-line-strip", "LINE_STRIP", strip_points, line_rows(strip), "A strip of three lines.")
    topology_case("topology-line-strip-with-adjacency", "LINE_STRIP_WITH_ADJACENCY",
                  [(0.5, 0.5)] + strip_points + [(15.5, 15.5)], line_rows(strip),
                  "A strip of three lines between adjacent vertices.")
    list_points = [(0, 0), (8, 0), (0, 4), (16, 16), (8, 16), (16, 11)]
    topology_case("topology-triangle-list", "TRIANGLE_LIST", list_points,
                  triangles_picture([list_points[:3], list_points[3:]], primitive_value), "Two triangles.")
    far = (3, 15)
    topology_case("topology-triangle-list-with-adjacency", "TRIANGLE_LIST_WITH_ADJACENCY",
                  [p for point in list_points for p in (point, far)],
                  triangles_picture([list_points[:3], list_points[3:]], primitive_value),
                  "Two triangles between adjacent vertices.")
    strip = [(0.25, 0.125), (2.5, 13.1875), (7.9375, 2.875), (9.9375, 15.75), (15.375, 1.1875)]
    pieces = [strip[i:i + 3] for i in range(3)]
    topology_case("topology-triangle-strip", "TRIANGLE_STRIP", strip, triangles_picture(pieces, primitive_value),
                  "A strip of three triangles.")
    topology_case("topology-triangle-strip-with-adjacency", "TRIANGLE_STRIP_WITH_ADJACENCY",
                  [p for point in strip for p in (point, far)], triangles_picture(pieces, primitive_value),
                  "A strip of three triangles between adjacent vertices.")
    fan = [(1.25, 1.125), (15.5, 0.1875), (15.9375, 9.875), (9.9375, 15.75), (0.375, 14.1875)]
    topology_case("topology-triangle-fan", "TRIANGLE_FAN", fan,
                  triangles_picture([[fan[0], fan[i], fan[i + 1]] for i in range(1, 4)], primitive_value),
                  "A fan of three triangles.")


# Formats. (letters with bits in the order of the name, numeric, packed)
COLOR_FORMATS = """R8_UNORM R8_SNORM R8_UINT R8_SINT R8G8_UNORM R8G8_SNORM R8G8_UINT R8G8_SINT R8G8B8A8_UNORM
R8G8B8A8_SNORM R8G8B8A8_UINT R8G8B8A8_SINT B8G8R8A8_UNORM R16_UNORM R16_SNORM R16_UINT R16_SINT R16_SFLOAT
R16G16_UNORM R16G16_SNORM R16G16_UINT R16G16_SINT R16G16_SFLOAT R16G16B16A16_UNORM R16G16B16A16_SNORM
R16G16B16A16_UINT R16G16B16A16_SINT R16G16B16A16_SFLOAT R32_UINT R32_SINT R32_SFLOAT R32G32_UINT R32G32_SINT
R32G32_SFLOAT R32G32B32A32_UINT R32G32B32A32_SINT R32G32B32A32_SFLOAT R5G6B5_UNORM_PACK16 B5G6R5_UNORM_PACK16
A1R5G5B5_UNORM_PACK16 A8B8G8R8_UNORM_PACK32 A8B8G8R8_SNORM_PACK32 A8B8G8R8_UINT_PACK32 A8B8G8R8_SINT_PACK32
A2R10G10B10_UNORM_PACK32 A2B10G10R10_UNORM_PACK32 A2B10G10R10_UINT_PACK32
B4G4R4A4_UNORM_PACK16 R5G5B5A1_UNORM_PACK16 R8G8B8A8_SRGB B8G8R8A8_SRGB R4G4_UNORM_PACK8 R4G4B4A4_UNORM_PACK16
B5G5R5A1_UNORM_PACK16 R8_SRGB R8G8_SRGB B8G8R8A8_SNORM B8G8R8A8_UINT B8G8R8A8_SINT A8B8G8R8_SRGB_PACK32
A2R10G10B10_UINT_PACK32 A2R10G10B10_SINT_PACK32 A2B10G10R10_SINT_PACK32 B10G11R11_UFLOAT_PACK32""".split()
VERTEX_FORMATS = """R8_UNORM R8_SNORM R8_UINT R8_SINT R8_USCALED R8_SSCALED R8G8_UNORM R8G8_SNORM R8G8_UINT R8G8_SINT
R8G8B8A8_UNORM R8G8B8A8_SNORM R8G8B8A8_UINT R8G8B8A8_SINT R8G8B8A8_USCALED R8G8B8A8_SSCALED B8G8R8A8_UNORM R16_UINT
R16_SINT R16_SFLOAT R16G16_UNORM R16G16_SNORM R16G16_UINT R16G16_SINT R16G16_SFLOAT R16G16B16A16_UNORM
R16G16B16A16_SNORM R16G16B16A16_UINT R16G16B16A16_SINT R16G16B16A16_SFLOAT R32_UINT R32_SINT R32_SFLOAT R32G32_UINT
R32G32_SINT R32G32_SFLOAT R32G32B32_UINT R32G32B32_SINT R32G32B32_SFLOAT R32G32B32A32_UINT R32G32B32A32_SINT
R32G32B32A32_SFLOAT A2B10G10R10_UNORM_PACK32 A8B8G8R8_UNORM_PACK32""".split()


def parse(name):
    layout, numeric, *pack = name.split("_")
    return [(letter, int(bits)) for letter, bits in re.findall(r"([A-Z])(\d+)", layout)], numeric, bool(pack)


def store(numeric, bits, value):
    """The bits of a component, and the number that scripts write."""
    if numeric in ("UNORM", "SRGB"):
        return int(value * (2 ** bits - 1) + 0.5)
    if numeric == "SNORM":
        return int(abs(value) * (2 ** (bits - 1) - 1) + 0.5) * (1 if value >= 0 else -1)
    if numeric == "UFLOAT":  # Five bits of exponent, and no sign.
        fraction, exponent = math.frexp(value)
        return exponent + 14 << bits - 5 | int((fraction * 2 - 1) * 2 ** (bits - 5))
    return value


# What the fragment shader writes above and below; every format has these exactly.
OUTPUTS = {"UNORM": [[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]], "SRGB": [[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]],
           "SNORM": [[1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 1.0, 0.0]], "UINT": [[1, 2, 3, 2], [9, 8, 7, 1]],
           "SINT": [[-1, 2, -3, 4], [9, -8, 7, -6]], "UFLOAT": [[0.5, 2.0, 1024.0, 1.0], [8.0, 3.5, 0.125, 1.0]],
           "SFLOAT": [[0.5, -2.0, 1024.0, 0.25], [-8.0, 3.5, 0.125, 96.0]]}
# For eight bits and more, unless sRGB: a fraction of 255 that is not near the middle between two numbers.
FINE = {"UNORM": [[0.2, 0.4, 0.6, 0.8], [0.8, 0.2, 1.0, 0.6]]}


def color_formats():
    for name in COLOR_FORMATS:
        parts, numeric, packed = parse(name)
        kind = {"UINT": "uvec4", "SINT": "ivec4"}.get(numeric, "vec4")
        fine = numeric == "UNORM" and all(bits == 8 for _, bits in parts)
        outputs = FINE["UNORM"] if fine else OUTPUTS[numeric]
        if numeric == "SINT" and parts[0] == ("A", 2):
            outputs = [outputs[0][:3] + [1], outputs[1][:3] + [-2]]
        texel = sum(bits for _, bits in parts) // 8
        expectations = []
        for y, output in ((1, outputs[0]), (12, outputs[1])):
            stored = [(store(numeric, bits, output["RGBA".index(letter)]), bits) for letter, bits in parts]
            values = [value for value, _ in stored]
            if packed:
                word = 0
                for value, bits in stored:
                    word = word << bits | value & 2 ** bits - 1
                values = [word]
            expectations += [expect("target", texel, x, y, values) for x in (4, 11)]
            expectations.append(expect("target", texel, 3, y, [0] * len(values)))
        text = [", ".join(number(value) for value in output) for output in outputs]
        write("format-" + name.lower().replace("_", "-"), "A colour attachment of %s; a rectangle in zeros." % name,
              PLAIN_VERTEX,
              fragment("f", kind, "gl_FragCoord.y < 8 ? %s(%s) : %s(%s)" % (kind, text[0], kind, text[1])),
              "BUFFER target FORMAT " + name, pipeline("p", "f"), "CLEAR p\nRUN p DRAW_RECT POS 4 0 SIZE 8 16",
              "\n".join(expectations))


def stored_samples(numeric, bits):
    """Numbers in a buffer and what a shader reads of them: exact in floats."""
    if numeric in ("UNORM", "SNORM"):
        top = 2 ** (bits - (numeric == "SNORM")) - 1
        return [(top, 1.0), (0, 0.0)] if numeric == "UNORM" else [(top, 1.0), (-top, -1.0), (0, 0.0)]
    if numeric in ("UINT", "USCALED"):
        return [(3, 3), (2 ** bits - 2, 2 ** bits - 2), (77, 77)]
    if numeric in ("SINT", "SSCALED"):
        return [(-5, -5), (2 ** (bits - 1) - 1, 2 ** (bits - 1) - 1), (-2 ** (bits - 1), -2 ** (bits - 1))]
    return [(0.5, 0.5), (-12.25, -12.25), (1024.0, 1024.0)]


def vertex_formats():
    for name in VERTEX_FORMATS:
        parts, numeric, packed = parse(name)
        base = {"UINT": "uvec4", "SINT": "ivec4"}.get(numeric, "vec4")
        out = {"UINT": "R32G32B32A32_UINT", "SINT": "R32G32B32A32_SINT"}.get(numeric, "R32G32B32A32_SFLOAT")
        data, wanted = [], []
        for vertex in range(2):  # Of the upper and of the lower rectangle.
            values, read = [], {}
            for i, (letter, bits) in enumerate(parts):
                samples = stored_samples(numeric, bits)
                stored, value = samples[(i + vertex) % len(samples)]
                values.append((stored, bits))
                read[letter] = value
            if packed:
                word = 0
                for stored, bits in values:
                    word = word << bits | stored & 2 ** bits - 1
                values = [(word, 0)]
            data.append(" ".join(number(stored) for stored, _ in values))
            wanted.append([read.get(letter, 1 if letter == "A" else 0) for letter in "RGBA"])
        lines = ["  " + data[0]] * 6 + ["  " + data[1]] * 6
        shader = glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(location = 3) in %s value;
layout(location = 0) flat out %s seen;
void main() { gl_Position = vec4(position, 0.5, 1); seen = value; }""" % (base, base))
        extra = "layout(location = 0) flat in %s seen;\n" % base
        write("vertex-format-" + name.lower().replace("_", "-"),
              "A vertex attribute of %s; what the format lacks is 0, 0, 1." % name, shader,
              fragment("f", base, "seen", extra), "BUFFER target FORMAT " + out,
              "BUFFER points DATA_TYPE vec2<float> DATA\n%s\n%s\nEND" % (quad(2, 14, None, 0, 8), quad(2, 14, None, 8, 16)),
              "BUFFER values DATA_TYPE %s DATA\n%s\nEND" % (name, "\n".join(lines)),
              pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA values LOCATION 3\n"),
              "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
              "\n".join([expect("target", 16, 5, 3, wanted[0]), expect("target", 16, 13, 12, wanted[1]),
                         expect("target", 16, 1, 3, [0] * 4)]))


def other_rows():
    """Rows of the MANIFEST for scripts that are not written here."""
    path = os.path.join(OUT, "MANIFEST")
    if not os.path.exists(path):
        return {}
    with open(path) as manifest:
        rows = {line.split(" |")[0]: line for line in manifest if not line.startswith("#")}
    return {name: row for name, row in rows.items() if os.path.exists(os.path.join(OUT, name))}


def main():
    own = (blending, depth_compare, stencil_compare, stencil_ops, topologies, color_formats, vertex_formats)
    for family in own + fixed_function.FAMILIES + samples.FAMILIES + assembly.FAMILIES:
        family()
    images.families(sys.modules[__name__])
    stages.families(sys.modules[__name__])
    head = ("# The cases of corpora/graphics. Origin of all: written for Assay. Licence of all: Apache-2.0 WITH "
            "LLVM-exception.\n# Most are written by make.py, which also computes what they expect.\n"
            "# file | origin | licence | what it is for\n")
    rows = {name + ".amber": "%s.amber | written for Assay | Apache-2.0 WITH LLVM-exception | %s\n" % (name, purpose)
            for name, purpose in MANIFEST.items()}
    rows = {**other_rows(), **rows}
    with open(os.path.join(OUT, "MANIFEST"), "w") as manifest:
        manifest.write(head + "".join(rows[name] for name in sorted(rows)))


if __name__ == "__main__":
    main()
