# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of make.py: input assembly, primitives, what shaders write besides one colour, and resources of draws."""

from script import *

TARGET = "BUFFER target FORMAT R8_UINT"
FLAT_VERTEX = glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(location = 1) in uint value;
layout(location = 0) flat out uint seen;
void main() { gl_Position = vec4(position, 0.5, 1); gl_PointSize = 1; seen = value; }""")
SEEN = "layout(location = 0) flat in uint seen;\n"


def pieces_picture(pieces, value):
    """pieces: triangles, or lines ((x0, y), (x1, y)) between centres of pixels without their last one."""
    rows = filled(lambda x, y: 0)
    for i, piece in enumerate(pieces):
        for y in range(SIZE):
            for x in range(SIZE):
                if len(piece) == 3:
                    hit = inside(piece, x, y)
                else:
                    (x0, y0), (x1, _) = piece
                    hit = int(y0) == y and int(min(x0, x1)) <= x < int(max(x0, x1))
                if hit:
                    rows[y][x] = value(i)
    return rows


STRIP = [(0.25, 0.125), (2.5, 13.1875), (7.9375, 2.875), (9.9375, 15.75), (15.375, 1.1875)]
FAN = [(1.25, 1.125), (15.5, 0.1875), (15.9375, 9.875), (9.9375, 15.75), (0.375, 14.1875)]
LIST = [(0, 0), (8, 0), (0, 4), (16, 16), (8, 16), (16, 11)]
LINES = [(1.5, 2.5), (9.5, 2.5), (3.5, 7.5), (15.5, 7.5)]
LINE_STRIP = [(x + 0.5, 6.5) for x in (1, 5, 9, 14)]
# Topology: points, primitives by numbers of vertices, and the provoking vertex of each for "first" and for "last", by
# "Primitive Topologies".
ASSEMBLED = {
    "TRIANGLE_LIST": (LIST, [(0, 1, 2), (3, 4, 5)], [0, 3], [2, 5]),
    "TRIANGLE_STRIP": (STRIP, [(0, 1, 2), (1, 2, 3), (2, 3, 4)], [0, 1, 2], [2, 3, 4]),
    "TRIANGLE_FAN": (FAN, [(0, 1, 2), (0, 2, 3), (0, 3, 4)], [1, 2, 3], [2, 3, 4]),
    "LINE_LIST": (LINES, [(0, 1), (2, 3)], [0, 2], [1, 3]),
    "LINE_STRIP": (LINE_STRIP, [(0, 1), (1, 2), (2, 3)], [0, 1, 2], [1, 2, 3]),
}


def provoking():
    for topology, (points, primitives, first, last) in ASSEMBLED.items():
        for which, vertices in (("first", first), ("last", last)):
            rows = pieces_picture([[points[i] for i in p] for p in primitives], lambda i, v=vertices: 10 + 20 * v[i])
            write("provoking-%s-%s" % (which, topology.lower().replace("_", "-")),
                  "A flat input of the %s vertex of each primitive." % which,
                  "DEVICE_EXTENSION VK_EXT_provoking_vertex" if which == "last" else "",
                  set_state("p", "provokingVertexMode", "VK_PROVOKING_VERTEX_MODE_%s_VERTEX_EXT" % which.upper()),
                  FLAT_VERTEX, fragment("f", "uint", "seen", SEEN), TARGET,
                  data("points", "vec2<float>", positions(points)),
                  data("values", "uint32", numbers([10 + 20 * i for i in range(len(points))])),
                  pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA values LOCATION 1\n"),
                  "CLEAR p\nRUN p DRAW_ARRAY AS " + topology, picture("target", 1, rows))


# Left and right halves of the framebuffer as two strips, fans or line strips of an index buffer with a restart.
RESTARTED = {
    "TRIANGLE_STRIP": ([(0.5, 0.25), (1, 15.5), (7.25, 1), (9, 1), (8.75, 15), (15.5, 8.25), (14.5, 15.75)],
                       [0, 1, 2, None, 3, 4, 5, 6], [(0, 1, 2), (3, 4, 5), (4, 5, 6)]),
    "TRIANGLE_FAN": ([(0.5, 0.25), (1, 15.5), (7.25, 1), (9, 1), (15.5, 2.25), (14.5, 9.75), (9.25, 15.5)],
                     [0, 1, 2, None, 3, 4, 5, 6], [(0, 1, 2), (3, 4, 5), (3, 5, 6)]),
    "LINE_STRIP": ([(1.5, 3.5), (6.5, 3.5), (9.5, 3.5), (14.5, 3.5)], [0, 1, None, 2, 3], [(0, 1), (2, 3)]),
}
INDEX_TYPES = {"uint16": 0xffff, "uint32": 0xffffffff}


def restarts():
    for kind, restart in INDEX_TYPES.items():
        for topology, (points, indices, primitives) in RESTARTED.items():
            rows = pieces_picture([[points[i] for i in p] for p in primitives], lambda i, p=primitives: 10 + 20 * p[i][0]
                                  if topology != "TRIANGLE_FAN" else 10 + 20 * p[i][1])
            write("restart-%s-%s" % (kind, topology.lower().replace("_", "-")),
                  "Primitive restart by the largest %s." % kind, set_state("p", "primitiveRestartEnable", "true"),
                  "DEVICE_FEATURE fullDrawIndexUint32" if kind == "uint32" else "",
                  FLAT_VERTEX, fragment("f", "uint", "seen", SEEN), TARGET,
                  data("points", "vec2<float>", positions(points)),
                  data("values", "uint32", numbers([10 + 20 * i for i in range(len(points))])),
                  data("indices", kind, numbers([restart if i is None else i for i in indices])),
                  pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA values LOCATION 1\n"
                           "  INDEX_DATA indices\n"),
                  "CLEAR p\nRUN p DRAW_ARRAY AS %s INDEXED" % topology, picture("target", 1, rows))


# Columns by instance: instance i covers the pixels from 2 i to 2 i + 2.
INSTANCES = glsl("vertex", "v", """
layout(location = 0) in vec2 corner;
layout(location = 1) in uint value;
layout(location = 0) flat out uint seen;
void main() {
  float x = (corner.x + float(gl_InstanceIndex) * 2.0) / 8.0 - 1.0;
  gl_Position = vec4(x, corner.y / 8.0 - 1.0, 0.5, 1);
  seen = value;
}""")


def instance_case(name, purpose, divisor, start, count, features=(), states=()):
    """Values 11, 22, ... by instance; instance s + i reads element s + i / divisor, or s of divisor 0."""
    corners = "  " + "  ".join("%s %s" % (number(x), number(y)) for x, y in rectangle(0, 2))

    def value(x, y):
        instance = x // 2
        if not start <= instance < start + count:
            return 0
        return 11 * (start + ((instance - start) // divisor if divisor else 0) + 1) + y
    write(name, purpose, "\n".join(features), "\n".join(states), INSTANCES,
          fragment("f", "uint", "seen + uint(gl_FragCoord.y)", SEEN), TARGET,
          data("corners", "vec2<float>", corners), data("values", "uint32", numbers([11 * (i + 1) for i in range(8)])),
          pipeline("p", "f", "  VERTEX_DATA corners LOCATION 0\n  VERTEX_DATA values LOCATION 1 RATE instance\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6 START_INSTANCE %d INSTANCE_COUNT %d" % (start, count),
          picture("target", 1, filled(value)))


def instances():
    extension = "DEVICE_EXTENSION VK_EXT_vertex_attribute_divisor\nDEVICE_FEATURE vertexAttributeInstanceRateDivisor"
    instance_case("instance-rate", "An attribute of each instance.", 1, 0, 8)
    instance_case("instance-start", "Instances from the third on.", 1, 2, 5)
    for divisor in (2, 3):
        instance_case("instance-divisor-%d" % divisor, "An attribute that %d instances share." % divisor, divisor, 0, 8,
                      (extension,), (set_state("p", "divisor 1", divisor),))
    instance_case("instance-divisor-start", "A divisor of 2, and instances from the second on.", 2, 1, 6, (extension,),
                  (set_state("p", "divisor 1", 2),))
    zero = extension.replace("RateDivisor", "RateZeroDivisor")
    instance_case("instance-divisor-0", "An attribute that all instances share.", 0, 0, 8, (zero,),
                  (set_state("p", "divisor 1", 0),))


def indices():
    points, values = LIST, [10 + 20 * i for i in range(6)]
    for kind, features in (("uint8", "DEVICE_EXTENSION VK_EXT_index_type_uint8\nDEVICE_FEATURE indexTypeUint8"),
                           ("uint16", ""), ("uint32", "")):
        rows = pieces_picture([[points[i] for i in p] for p in ((4, 3, 5), (2, 1, 0))], lambda i: [90, 50][i])
        write("index-" + kind, "Indices of %s." % kind, features, FLAT_VERTEX, fragment("f", "uint", "seen", SEEN), TARGET,
              data("points", "vec2<float>", positions(points)), data("values", "uint32", numbers(values)),
              data("indices", kind, "  4 3 5 2 1 0"),
              pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA values LOCATION 1\n"
                       "  INDEX_DATA indices\n"), "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED",
              picture("target", 1, rows))
    rows = pieces_picture([[points[i] for i in p] for p in ((3, 4, 5),)], lambda i: 70)
    write("index-offset", "START_IDX of an indexed draw is added to the indices.", FLAT_VERTEX,
          fragment("f", "uint", "seen + uint(gl_FragCoord.y)", SEEN), TARGET,
          data("points", "vec2<float>", positions(points)),
          data("values", "uint32", numbers(values)), data("indices", "uint16", "  0 1 2 5 5 5"),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA values LOCATION 1\n  INDEX_DATA indices\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED START_IDX 3 COUNT 3",
          picture("target", 1, [[v + y if v else 0 for v in row] for y, row in enumerate(rows)]))
    write("vertex-index", "VertexIndex and InstanceIndex of a draw that begins with vertex 3 and instance 2.",
          glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(location = 0) flat out uint seen;
void main() { gl_Position = vec4(position, 0.5, 1); seen = uint(gl_VertexIndex) * 16 + uint(gl_InstanceIndex); }"""),
          fragment("f", "uint", "seen + uint(gl_FragCoord.y)", SEEN), TARGET, data("points", "vec2<float>", positions(points)),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 3 COUNT 3 START_INSTANCE 2 INSTANCE_COUNT 1",
          picture("target", 1, [[50 + y if v else 0 for v in row] for y, row in enumerate(rows)]))


POINT_VERTEX = glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(location = 1) in float size;
void main() { gl_Position = vec4(position, 0.5, 1); gl_PointSize = size; }""")


def primitives():
    points = [(4, 4, 3.5), (11.5, 5.5, 5), (5.5, 12.5, 1), (12, 12, 6.75)]

    def value(x, y):
        for i, (px, py, size) in enumerate(points):
            if abs(x + 0.5 - px) < size / 2 and abs(y + 0.5 - py) < size / 2:
                return 30 + 40 * i + x
        return 0
    write("point-size", "Points of sizes 1 to 6.75.", "DEVICE_FEATURE largePoints\nDEVICE_FEATURE geometryShader",
          POINT_VERTEX, fragment("f", "uint", "30 + uint(gl_PrimitiveID) * 40 + uint(gl_FragCoord.x)"), TARGET,
          data("points", "vec2<float>", positions([p[:2] for p in points])),
          data("sizes", "float", numbers([p[2] for p in points])),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA sizes LOCATION 1\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS POINT_LIST", picture("target", 1, filled(value)))
    coord = lambda x, y: [x / 8 - 3.5 / 8 + 0.5, y / 8 - 3.5 / 8 + 0.5] if 4 <= x < 12 and 4 <= y < 12 else [0, 0]
    write("point-coord", "PointCoord of a point of size 8.", "DEVICE_FEATURE largePoints", POINT_VERTEX,
          fragment("f", "vec2", "gl_PointCoord * 16"), "BUFFER target FORMAT R32G32_SFLOAT",
          data("points", "vec2<float>", positions([(8, 8)])), data("sizes", "float", "  8"),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA sizes LOCATION 1\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS POINT_LIST",
          "\n".join("EXPECT target IDX %d TOLERANCE 0.01 EQ %s" % ((y * SIZE + 4) * 8, " ".join(
              "%g %g" % ((x - 3.5) * 2, (y - 3.5) * 2) for x in range(4, 12))) for y in (4, 9, 11)),
          expect("target", 8, 2, 5, coord(2, 5)))
    corners = [(2.5, 3.5), (12.5, 3.5), (2.5, 13.5)]
    at = {(int(x), int(y)): 100 + int(x) for x, y in corners}
    write("polygon-point", "Polygon mode point: the corners of a triangle.", "DEVICE_FEATURE fillModeNonSolid", PLAIN_VERTEX,
          fragment("f", "uint", "100 + uint(gl_FragCoord.x)"), TARGET, data("points", "vec2<float>", positions(corners)),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  POLYGON_MODE point\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST", picture("target", 1, filled(lambda x, y: at.get((x, y), 0))))
    write("polygon-line", "Polygon mode line: the straight edges of a triangle, and nothing inside.",
          "DEVICE_FEATURE fillModeNonSolid", PLAIN_VERTEX, fragment("f", "uint", "100 + uint(gl_FragCoord.x)"), TARGET,
          data("points", "vec2<float>", positions(corners)),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  POLYGON_MODE line\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          "\n".join([expect("target", 1, 4, 3, [100 + x for x in range(4, 12)]), expect("target", 1, 0, 2, [0] * 16)] +
                    [expect("target", 1, 2, y, [102, 0, 0]) for y in range(5, 10)]))
    write("line-width", "A line of width 4.", "DEVICE_FEATURE wideLines", set_state("p", "lineWidth", 4), PLAIN_VERTEX,
          fragment("f", "uint", "100 + uint(gl_FragCoord.x)"), TARGET,
          data("points", "vec2<float>", positions([(2, 8), (12, 8)])),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n"), "CLEAR p\nRUN p DRAW_ARRAY AS LINE_LIST",
          picture("target", 1, filled(lambda x, y: 100 + x if 2 <= x < 12 and 6 <= y < 10 else 0)))
    write("draw-grid", "A grid of 4 x 2 cells is two triangles a cell.", "DEVICE_FEATURE geometryShader", PLAIN_VERTEX,
          fragment("f", "uint", "10 + uint(gl_PrimitiveID / 2) * 20"), TARGET, pipeline("p", "f"),
          "CLEAR p\nRUN p DRAW_GRID POS 0 0 SIZE 16 16 CELLS 4 2",
          picture("target", 1, filled(lambda x, y: 10 + 20 * (x // 4 + 4 * (y // 8)))))
    write("rasterizer-discard", "Rasterizer discard: vertices run, nothing is drawn.",
          set_state("q", "rasterizerDiscardEnable", "true"), PLAIN_VERTEX,
          fragment("f", "uint", "100 + uint(gl_FragCoord.x)"), fragment("g", "uint", "uint(gl_FragCoord.y)"), TARGET,
          pipeline("p", "f"), pipeline("q", "g"),
          "CLEAR p\nRUN q DRAW_RECT POS 0 0 SIZE 16 16\nRUN p DRAW_RECT POS 4 0 SIZE 8 16",
          picture("target", 1, filled(lambda x, y: 100 + x if 4 <= x < 12 else 0)))
    write("viewport-part", "A viewport of a part of the framebuffer, with a fraction.", PLAIN_VERTEX,
          fragment("f", "uint", "100 + uint(gl_FragCoord.x)"), TARGET,
          data("points", "vec2<float>", quad(0, 16)),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VIEWPORT 2.25 4 SIZE 9 6.75\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          picture("target", 1, filled(lambda x, y: 100 + x if 2.25 < x + 0.5 < 11.25 and 4 < y + 0.5 < 10.75 else 0)))
    write("viewport-flipped", "A viewport of negative height.", PLAIN_VERTEX, fragment("f", "uint", "100 + uint(gl_FragCoord.x)"),
          TARGET, data("points", "vec2<float>", quad(0, 16, None, 0, 5)),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VIEWPORT 0 16 SIZE 16 -16\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          picture("target", 1, filled(lambda x, y: 100 + x if y >= 11 else 0)))


def distances():
    for word, feature, edge in (("Clip", "shaderClipDistance", 6.25), ("Cull", "shaderCullDistance", None)):
        vertex = glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 distances;
out gl_PerVertex { vec4 gl_Position; float gl_%sDistance[2]; };
void main() {
  gl_Position = vec4(position, 0.5, 1);
  gl_%sDistance[0] = distances.x;
  gl_%sDistance[1] = distances.y;
}""" % (word, word, word))
        # Two rectangles. Clipped: distance 0 falls from left to right and is 0 at 6.25; the other is positive. Culled:
        # of the lower one, a distance is negative at all vertices.
        corners = rectangle(0, 16, 0, 8) + rectangle(0, 16, 8, 16)
        if edge:
            values = [v for x, y in corners for v in (edge - x if y is not None else 0, 1)]
            value = lambda x, y: 100 + y if x + 0.5 < edge else 0
        else:
            values = [v for i, (x, y) in enumerate(corners) for v in (1 if i < 6 else -1 - x, 8 - x if i < 6 else 1)]
            value = lambda x, y: 100 + y if y < 8 else 0
        write("%s-distances" % word.lower(), "%s distances of two planes." % word, "DEVICE_FEATURE " + feature, vertex,
              fragment("f", "uint", "100 + uint(gl_FragCoord.y)"), TARGET, data("points", "vec2<float>", positions(corners)),
              data("values", "vec2<float>", numbers(values)),
              pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA values LOCATION 1\n"),
              "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST", picture("target", 1, filled(value)))


def outputs():
    shader = glsl("fragment", "f", """
layout(location = 0) out uint a;
layout(location = 1) out vec4 b;
layout(location = 3) out ivec2 c;
void main() {
  a = uint(gl_FragCoord.x) + 20;
  b = vec4(gl_FragCoord.xy, 0.25, 1);
  c = ivec2(-int(gl_FragCoord.x), int(gl_FragCoord.y) * 3);
}""")
    state = "  BIND BUFFER second AS color LOCATION 1\n  BIND BUFFER third AS color LOCATION 3\n"
    write("targets-three", "Three targets of unlike formats, with a gap.", "DEVICE_FEATURE independentBlend", PLAIN_VERTEX,
          shader, TARGET, "BUFFER second FORMAT R32G32B32A32_SFLOAT\nBUFFER third FORMAT R16G16_SINT",
          pipeline("p", "f", state), "CLEAR p\nRUN p DRAW_RECT POS 2 0 SIZE 14 16",
          picture("target", 1, filled(lambda x, y: x + 20 if x >= 2 else 0)),
          "\n".join(expect("second", 16, 0, y, [v for x in range(SIZE) for v in
                                                 ([x + 0.5, y + 0.5, 0.25, 1] if x >= 2 else [0] * 4)]) for y in (1, 13)),
          "\n".join(expect("third", 4, 0, y, [v for x in range(SIZE) for v in ([-x, y * 3] if x >= 2 else [0] * 2)])
                    for y in (0, 15)))
    eight = "\n".join("layout(location = %d) out uint o%d;" % (i, i) for i in range(8))
    body = " ".join("o%d = uint(gl_FragCoord.x) * 8 + %d;" % (i, i) for i in range(8))
    write("targets-eight", "Eight targets.", PLAIN_VERTEX, glsl("fragment", "f", eight + "\nvoid main() { %s }" % body),
          TARGET, "\n".join("BUFFER t%d FORMAT R8_UINT" % i for i in range(1, 8)),
          pipeline("p", "f", "".join("  BIND BUFFER t%d AS color LOCATION %d\n" % (i, i) for i in range(1, 8))),
          "CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16",
          "\n".join(expect("t%d" % i if i else "target", 1, 0, i, [x * 8 + i for x in range(SIZE)]) for i in range(8)))
    depth = "  BIND BUFFER depth AS depth_stencil\n  DEPTH\n    TEST on\n    WRITE on\n    COMPARE_OP less\n  END\n"
    write("frag-depth", "FragDepth replaces the depth of the primitive in test and buffer.", PLAIN_VERTEX,
          glsl("fragment", "f", """
layout(location = 0) out uint result;
void main() { gl_FragDepth = gl_FragCoord.x / 16; result = uint(gl_FragCoord.y) + 20; }"""), TARGET,
          "BUFFER depth FORMAT D32_SFLOAT", pipeline("p", "f", depth),
          "CLEAR_DEPTH p 0.5\nCLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16",
          picture("target", 1, filled(lambda x, y: y + 20 if x < 8 else 0)),
          expect("depth", 4, 0, 2, [(x + 0.5) / 16 if x < 8 else 0.5 for x in range(SIZE)]))
    for name, statement, extension in (("discard", "discard;", ""), ("demote", "demote;",
                                       "#extension GL_EXT_demote_to_helper_invocation : enable\n")):
        shader = glsl("fragment", "f", extension + """layout(location = 0) out uint result;
layout(set = 0, binding = 0) buffer Data { uint seen[]; };
void main() {
  if ((uint(gl_FragCoord.x) + uint(gl_FragCoord.y)) %% 3 == 0)
    %s
  seen[uint(gl_FragCoord.y) * 16 + uint(gl_FragCoord.x)] = uint(gl_FragCoord.x) + 5;
  result = uint(gl_FragCoord.x) + 20;
}""" % statement)
        features = "DEVICE_FEATURE fragmentStoresAndAtomics"
        if name == "demote":
            features += "\nDEVICE_EXTENSION VK_EXT_shader_demote_to_helper_invocation\n" \
                        "DEVICE_FEATURE shaderDemoteToHelperInvocation"
        write("fragment-" + name, "A third of the fragments ends in %s: neither colours nor stores." % name, features,
              PLAIN_VERTEX, shader, TARGET, "BUFFER data DATA_TYPE uint32 SIZE 256 FILL 7",
              pipeline("p", "f", "  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0\n"),
              "CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16",
              picture("target", 1, filled(lambda x, y: x + 20 if (x + y) % 3 else 0)),
              "\n".join(expect("data", 4, 0, y, [x + 5 if (x + y) % 3 else 7 for x in range(SIZE)]) for y in (0, 1, 9)))
    write("early-tests", "EarlyFragmentTests: what fails the depth test stores nothing, what is discarded writes depth.",
          "DEVICE_FEATURE fragmentStoresAndAtomics", DEEP_VERTEX, glsl("fragment", "f", """
layout(early_fragment_tests) in;
layout(location = 0) out uint result;
layout(set = 0, binding = 0) buffer Data { uint seen[]; };
void main() {
  seen[uint(gl_FragCoord.y) * 16 + uint(gl_FragCoord.x)] = uint(gl_FragCoord.x) + 5;
  if (gl_FragCoord.y > 8)
    discard;
  result = uint(gl_FragCoord.y) + 20;
}"""), TARGET, "BUFFER depth FORMAT D32_SFLOAT", "BUFFER data DATA_TYPE uint32 SIZE 256 FILL 7",
          data("points", "vec3<float>", quad(0, 8, 0.25) + "\n" + quad(8, 16, 0.75)),
          pipeline("p", "f", depth + "  VERTEX_DATA points LOCATION 0\n"
                   "  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0\n"),
          "CLEAR_DEPTH p 0.5\nCLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          picture("target", 1, filled(lambda x, y: y + 20 if x < 8 and y < 8 else 0)),
          "\n".join(expect("depth", 4, 0, y, [0.25] * 8 + [0.5] * 8) for y in (2, 12)),
          "\n".join(expect("data", 4, 0, y, [x + 5 if x < 8 else 7 for x in range(SIZE)]) for y in (0, 9)))


def resources():
    for stage in ("vertex", "fragment"):
        block = "layout(push_constant) uniform Push { uvec4 values; };\n"
        vertex = FLAT_VERTEX.replace("in uint value;\n", "in uint value;\n" + block).replace(
            "seen = value;", "seen = value + values[value & 3];") if stage == "vertex" else FLAT_VERTEX
        shader = fragment("f", "uint", "seen", SEEN) if stage == "vertex" else fragment(
            "f", "uint", "values[uint(gl_FragCoord.x) & 3] + seen", block + SEEN)
        push = [10, 20, 30, 40]
        points = rectangle(0, 8) + rectangle(8, 16)
        values = [1] * 6 + [2] * 6
        write("push-constants-" + stage, "Push constants in the %s shader." % stage, vertex, shader, TARGET,
              data("push", "vec4<uint32>", numbers(push)), data("points", "vec2<float>", positions(points)),
              data("values", "uint32", numbers(values)),
              pipeline("p", "f", "  BIND BUFFER push AS push_constant\n  VERTEX_DATA points LOCATION 0\n"
                       "  VERTEX_DATA values LOCATION 1\n"), "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
              picture("target", 1, filled(lambda x, y, s=stage: (1 if x < 8 else 2) +
                                          push[(1 if x < 8 else 2) if s == "vertex" else x & 3])))
    write("uniform-both-stages", "One uniform buffer in both stages.", glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(set = 1, binding = 2) uniform Block { vec2 scale; vec2 shift; };
void main() { gl_Position = vec4(position * scale + shift, 0.5, 1); }"""), glsl("fragment", "f", """
layout(location = 0) out vec2 result;
layout(set = 1, binding = 2) uniform Block { vec2 scale; vec2 shift; };
void main() { result = gl_FragCoord.xy * scale + shift; }"""), "BUFFER target FORMAT R32G32_SFLOAT",
          data("block", "vec4<float>", "  0.5 0.25 0.25 -0.5"), data("points", "vec2<float>", quad(0, 16)),
          pipeline("p", "f", "  BIND BUFFER block AS uniform DESCRIPTOR_SET 1 BINDING 2\n  VERTEX_DATA points LOCATION 0\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          "\n".join(expect("target", 8, 0, y, [v for x in range(SIZE) for v in
                                                ([(x + 0.5) / 2 + 0.25, (y + 0.5) / 4 - 0.5] if 6 <= x < 14 and 2 <= y < 6
                                                 else [0, 0])]) for y in (1, 2, 5, 6)))
    write("storage-counts", "Atomics of fragments: how many there are, and the sum of their columns.",
          "DEVICE_FEATURE fragmentStoresAndAtomics", PLAIN_VERTEX, glsl("fragment", "f", """
layout(location = 0) out uint result;
layout(set = 0, binding = 0) buffer Data { uint count; uint sum; uint rows[16]; };
void main() {
  atomicAdd(count, 1);
  atomicAdd(sum, uint(gl_FragCoord.x));
  atomicMax(rows[uint(gl_FragCoord.y)], uint(gl_FragCoord.x));
  result = uint(gl_FragCoord.x) + 20;
}"""), TARGET, "BUFFER data DATA_TYPE uint32 SIZE 18 FILL 0", data("points", "vec2<float>", positions(FAN[:3])),
          pipeline("p", "f", "  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0\n  VERTEX_DATA points LOCATION 0\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          "EXPECT data IDX 0 EQ " + " ".join(map(str, counts(FAN[:3]))),
          picture("target", 1, filled(lambda x, y: x + 20 if inside(FAN[:3], x, y) else 0)))
    write("storage-image", "Fragments store into an image of another size than the framebuffer.",
          "DEVICE_FEATURE fragmentStoresAndAtomics", PLAIN_VERTEX, glsl("fragment", "f", """
layout(location = 0) out uint result;
layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D image;
void main() {
  imageStore(image, ivec2(int(gl_FragCoord.y), 15 - int(gl_FragCoord.x)),
             uvec4(uint(gl_FragCoord.x) * 100 + uint(gl_FragCoord.y)));
  result = uint(gl_FragCoord.x) + 20;
}"""), TARGET, "IMAGE image FORMAT R32_UINT DIM_2D WIDTH 16 HEIGHT 16 FILL 9",
          pipeline("p", "f", "  BIND BUFFER image AS storage_image DESCRIPTOR_SET 0 BINDING 0\n"),
          "CLEAR p\nRUN p DRAW_RECT POS 4 0 SIZE 12 16",
          picture("target", 1, filled(lambda x, y: x + 20 if x >= 4 else 0)),
          "\n".join(expect("image", 4, 0, row, [(15 - row) * 100 + column if 15 - row >= 4 else 9 for column in range(SIZE)])
                    for row in (0, 5, 11, 12)))


def counts(triangle):
    hits = [(x, y) for y in range(SIZE) for x in range(SIZE) if inside(triangle, x, y)]
    return [len(hits), sum(x for x, _ in hits)] + [max([x for x, hy in hits if hy == y], default=0) for y in range(SIZE)]


FAMILIES = (provoking, restarts, instances, indices, primitives, distances, outputs, resources)
