# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the families of make.py share: parts of scripts, and pixels of exact triangles."""

import os
import sys

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
SIZE = 16
MANIFEST = {}


def write(name, purpose, *parts):
    text = "#!amber\n# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n# " + purpose + "\n\n"
    text += "\n".join(part.strip("\n") + "\n" for part in parts if part)
    with open(os.path.join(OUT, name + ".amber"), "w") as script:
        script.write(text)
    MANIFEST[name] = purpose


def glsl(stage, name, body):
    return "SHADER %s %s GLSL\n#version 450\n%s\nEND" % (stage, name, body.strip("\n"))


PLAIN_VERTEX = glsl("vertex", "v", """
layout(location = 0) in vec2 position;
void main() { gl_Position = vec4(position, 0.5, 1); gl_PointSize = 1; }""")
DEEP_VERTEX = glsl("vertex", "v", """
layout(location = 0) in vec3 position;
void main() { gl_Position = vec4(position, 1); }""")


def fragment(name, kind, expression, extra=""):
    return glsl("fragment", name, "%slayout(location = 0) out %s result;\nvoid main() { result = %s; }"
                % (extra, kind, expression))


def pipeline(name, shader, state="", target="target", vertex="v"):
    return ("PIPELINE graphics %s\n  ATTACH %s\n  ATTACH %s\n  BIND BUFFER %s AS color LOCATION 0\n"
            "  FRAMEBUFFER_SIZE %d %d\n%sEND" % (name, vertex, shader, target, SIZE, SIZE, state))


def number(value):
    if isinstance(value, float):
        return repr(value)[:-2] if value.is_integer() else repr(value)
    return str(value)


def expect(target, texel, x, y, values):
    return "EXPECT %s IDX %d EQ %s" % (target, (y * SIZE + x) * texel, " ".join(map(number, values)))


def picture(target, texel, rows):
    return "\n".join(expect(target, texel, 0, y, row) for y, row in enumerate(rows))


def place(pixel):
    return number(pixel / 8 - 1)


def quad(x0, x1, z=None, y0=0, y1=16):
    tail = "" if z is None else " " + number(z)
    return "  " + "  ".join("%s %s%s" % (place(x), place(y), tail) for x, y in
                            ((x0, y0), (x1, y0), (x0, y1), (x1, y0), (x0, y1), (x1, y1)))


def inside(triangle, x, y):
    """Is the centre of a pixel inside? Corners are in pixels; no centre may lie on an edge."""
    signs = set()
    for (ax, ay), (bx, by) in zip(triangle, triangle[1:] + triangle[:1]):
        value = (bx - ax) * (2 * y + 1 - 2 * ay) - (by - ay) * (2 * x + 1 - 2 * ax)
        if value == 0:
            raise ValueError(triangle)
        signs.add(value > 0)
    return len(signs) == 1


def positions(points):
    return "\n".join("  %s %s" % (place(x), place(y)) for x, y in points)


def set_state(name, key, value):
    """A line that gives pipeline `name` state that AmberScript has no words for."""
    return "# ASSAY: STATE %s %s %s" % (name, key, value)


def data(name, kind, rows):
    return "BUFFER %s DATA_TYPE %s DATA\n%s\nEND" % (name, kind, rows)


def numbers(values):
    return "  " + " ".join(map(number, values))


def rectangle(x0, x1, y0=0, y1=16):
    """Corners of two triangles that wind clockwise in the framebuffer."""
    return [(x0, y0), (x1, y0), (x0, y1), (x1, y0), (x1, y1), (x0, y1)]


def filled(value):
    return [[value(x, y) for x in range(SIZE)] for y in range(SIZE)]
