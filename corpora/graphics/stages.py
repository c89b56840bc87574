# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases about what stages pass to each other and to fixed-function hardware: interpolation, built-ins, exports,
derivatives, discards. make.py calls families()."""

VERTEX = """
layout(location = 0) in vec4 position;
%s
void main() { gl_Position = position; %s }"""
FRAGMENT = """
%s
%s
void main() { %s }"""
RESULT = "layout(location = 0) out vec4 result;"
TOLERANCE = "TOLERANCE 0.001 0.001 0.001 0.001 "
SMOOTH_OUT = "layout(location = 0) out vec4 seen;"
SMOOTH_IN = "layout(location = 0) in vec4 seen;"
ZEROS, ONES, TWOS = (0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2)
TOP_1_BOTTOM_2 = "result = vec4(gl_FragCoord.y < 8 ? 1 : 2);"


class Cases:
    def __init__(self, make):
        self.make = make

    def points(self, corners, name="points", kind="vec4<float>"):
        return "BUFFER %s DATA_TYPE %s DATA\n%s\nEND" % (
            name, kind, "\n".join("  " + " ".join(map(self.make.number, corner)) for corner in corners))

    def expect(self, x, y, values, tolerance=True, target="target"):
        text = self.make.expect(target, 16, x, y, [float(v) for v in values])
        return text.replace(" EQ ", " " + TOLERANCE + "EQ ") if tolerance else text

    def write(self, name, purpose, vertex, fragment, expectations, **options):
        """vertex, fragment: (declarations, body); expectations: (x, y, values) of exact or near values."""
        make = self.make
        state = "  VERTEX_DATA points LOCATION 0\n" + options.get("state", "")
        make.write(
            "stage-" + name, purpose, make.glsl("vertex", "v", VERTEX % vertex),
            make.glsl("fragment", "f", FRAGMENT % (fragment[0], RESULT if "result" in fragment[1] else "",
                                                                         fragment[1])), "BUFFER target FORMAT R32G32B32A32_SFLOAT",
            self.points(options.get("corners", QUAD)), options.get("buffers", ""),
            make.pipeline("p", "f", state), "CLEAR p\n" + options.get("run", "RUN p DRAW_ARRAY AS TRIANGLE_LIST"),
            "\n".join(self.expect(x, y, values, options.get("tolerance", True)) for x, y, values in expectations),
            options.get("end", ""))


def corners(left, top, right, bottom, z=0.5, w=1.0):
    """Two triangles, clip coordinates."""
    a, b, c, d = [(x, y, z, w) for x, y in ((left, top), (right, top), (left, bottom), (right, bottom))]
    return [a, b, c, b, c, d]


QUAD = corners(-1.0, -1.0, 1.0, 1.0)


def ndc(pixel):
    return (pixel + 0.5) / 8 - 1


PIXELS = ((0, 0), (5, 3), (10, 12), (15, 15))
# Points nearer at the top: w is 1 there and 4 at the bottom.
DEEP = [(x * w, y * w, 0.5 * w, w) for x, y, w in
        ((-1.0, -1.0, 1.0), (1.0, -1.0, 1.0), (-1.0, 1.0, 4.0), (1.0, -1.0, 1.0), (-1.0, 1.0, 4.0), (1.0, 1.0, 4.0))]


def interpolation(cases):
    plain = (SMOOTH_OUT, "seen = vec4(position.xy, position.x * 2, 1);")
    cases.write("smooth", "An input that is interpolated with perspective where all w are 1.", plain,
                (SMOOTH_IN, "result = seen;"), [(x, y, (ndc(x), ndc(y), 2 * ndc(x), 1)) for x, y in PIXELS])
    share = [(y + 0.5) / 16 for _, y in PIXELS]
    cases.write("perspective", "Interpolation with perspective: w is 1 at the top and 4 at the bottom.",
                (SMOOTH_OUT, "seen = vec4(position.y / position.w, position.w, 3, 4);"), (SMOOTH_IN, "result = seen;"),
                [(x, y, ((s / 4 - (1 - s)) / (s / 4 + 1 - s), 1 / (s / 4 + 1 - s), 3, 4))
                 for (x, y), s in zip(PIXELS, share)], corners=DEEP)
    cases.write("noperspective", "The same without perspective.",
                ("layout(location = 0) noperspective out vec4 seen;",
                 "seen = vec4(position.y / position.w, position.w, 3, 4);"),
                ("layout(location = 0) noperspective in vec4 seen;", "result = seen;"),
                [(x, y, (ndc(y), 1 + 3 * s, 3, 4)) for (x, y), s in zip(PIXELS, share)], corners=DEEP)
    cases.write("flat", "A flat input has the value of the first vertex of a triangle.",
                ("layout(location = 0) flat out vec4 seen;\nlayout(location = 1) flat out int number;",
                 "seen = vec4(gl_VertexIndex, position.x, -1, 2); number = -gl_VertexIndex;"),
                ("layout(location = 0) flat in vec4 seen;\nlayout(location = 1) flat in int number;",
                 "result = vec4(seen.xy, number, 2);"), [(1, 1, (0, -1, 0, 2)), (14, 14, (3, 1, -3, 2))], tolerance=False)
    cases.write("centroid", "With one sample the centroid is the center.",
                ("layout(location = 2) centroid out vec2 a;\nlayout(location = 5) out vec2 b;",
                 "a = position.xy; b = position.yx * 2;"),
                ("layout(location = 2) centroid in vec2 a;\nlayout(location = 5) in vec2 b;",
                 "result = vec4(a, b);"), [(x, y, (ndc(x), ndc(y), 2 * ndc(y), 2 * ndc(x))) for x, y in PIXELS])
    cases.write("mixed", "Inputs of several locations, components and kinds of interpolation.",
                ("layout(location = 0, component = 1) out float a;\nlayout(location = 0, component = 3) out float b;\n"
                 "layout(location = 3) flat out uvec3 c;\nlayout(location = 7) noperspective out float d;\n"
                 "layout(location = 8) out float unused;",
                 "a = position.x; b = position.y; c = uvec3(5, 6, 7); d = position.y - position.x; unused = 1;"),
                ("layout(location = 0, component = 1) in float a;\nlayout(location = 0, component = 3) in float b;\n"
                 "layout(location = 3) flat in uvec3 c;\nlayout(location = 7) noperspective in float d;",
                 "result = vec4(a, b, float(c.x * 100 + c.y * 10 + c.z), d);"),
                [(x, y, (ndc(x), ndc(y), 567, ndc(y) - ndc(x))) for x, y in PIXELS])
    cases.write("matrix", "A matrix and an array as inputs.",
                ("layout(location = 1) out mat2 m;\nlayout(location = 4) out float a[3];",
                 "m = mat2(1, 2, position.xy); a[0] = 4; a[1] = position.x; a[2] = 6;"),
                ("layout(location = 1) in mat2 m;\nlayout(location = 4) in float a[3];",
                 "result = vec4(m[0].y, m[1].x, m[1].y, a[0] + a[1] + a[2]);"),
                [(x, y, (2, ndc(x), ndc(y), 10 + ndc(x))) for x, y in PIXELS])


def built_ins(cases):
    cases.write("frag-coord", "FragCoord, with w.", ("", ""), ("", "result = gl_FragCoord;"),
                [(x, y, (x + 0.5, y + 0.5, 0.25, 0.5)) for x, y in PIXELS],
                corners=[(2 * x, 2 * y, 0.5, 2.0) for x, y, _, _ in QUAD])
    cases.write("front-facing", "FrontFacing: the second triangle has the other winding.", ("", ""),
                ("", "result = gl_FrontFacing ? vec4(1, 2, 3, 4) : vec4(5, 6, 7, 8);"),
                [(1, 1, (5, 6, 7, 8)), (14, 14, (1, 2, 3, 4))], tolerance=False)
    cases.write("vertex-index", "VertexIndex counts from the first vertex of the draw.",
                ("layout(location = 0) flat out vec4 seen;", "seen = vec4(gl_VertexIndex, 1, 2, 3);"),
                ("layout(location = 0) flat in vec4 seen;", "result = seen;"),
                [(14, 14, (3, 1, 2, 3)), (1, 1, (0, 0, 0, 0))], tolerance=False,
                run="RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 3 COUNT 3")
    corner = [2, -1, 0, 1, 3, -2]
    weight = [3, 1, 4, 1, 5, 9, 2, 6]
    cases.write("constant-tables", "Both stages read tables of constants at indices that are not the same in all lanes.",
                ("const int corner[6] = int[](%s);\nlayout(location = 0) flat out int seen;" % ", ".join(map(str, corner)),
                 "seen = corner[gl_VertexIndex];"),
                ("const float weight[8] = float[](%s);\nconst vec2 pair[5] = vec2[](%s);\nlayout(location = 0) flat in int seen;" % (
                    ", ".join(map(str, weight)), ", ".join("vec2(%d, %d)" % (i, i * i) for i in range(5))),
                 "uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);"
                 " result = vec4(seen, weight[x & 7u], pair[(x + y) % 5u]);"),
                [(x, y, (corner[0 if x + y < 16 else 3], weight[x & 7], (x + y) % 5, ((x + y) % 5) ** 2)) for x, y in PIXELS],
                tolerance=False)
    cases.write("instances", "InstanceIndex, and an attribute of instances, from instance 2 on.",
                ("layout(location = 1) in float shift;\nlayout(location = 0) flat out vec4 seen;",
                 "gl_Position.x += shift; seen = vec4(gl_InstanceIndex, shift, 0, 1);"),
                ("layout(location = 0) flat in vec4 seen;", "result = seen;"),
                [(1, 1, (2, 0, 0, 1)), (9, 1, (3, 1, 0, 1))], tolerance=False, corners=corners(-1.0, -1.0, -0.5, 1.0),
                buffers="BUFFER shifts DATA_TYPE float DATA\n  9 9 0 1 9\nEND",
                state="  VERTEX_DATA shifts LOCATION 1 RATE instance\n",
                run="RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6 START_INSTANCE 2 INSTANCE_COUNT 2")
    cases.write("primitive-id", "PrimitiveId in a fragment shader.", ("", ""),
                ("", "result = vec4(gl_PrimitiveID, 1, 0, 1);"), [(1, 1, (0, 1, 0, 1)), (14, 14, (1, 1, 0, 1))],
                tolerance=False)
    cases.write("clip-distance", "A clip distance cuts the right half away; a second one cuts nothing.",
                ("out float gl_ClipDistance[2];", "gl_ClipDistance[0] = -position.x; gl_ClipDistance[1] = 1;"),
                ("", TOP_1_BOTTOM_2), [(3, 3, ONES), (3, 12, TWOS), (12, 3, ZEROS), (12, 12, ZEROS)], tolerance=False)
    cases.write("clip-distance-read", "Clip distances as inputs of a fragment shader.",
                ("out float gl_ClipDistance[2];", "gl_ClipDistance[0] = position.x + 4; gl_ClipDistance[1] = 2;"),
                ("in float gl_ClipDistance[2];", "result = vec4(gl_ClipDistance[0], gl_ClipDistance[1], 0, 1);"),
                [(x, y, (ndc(x) + 4, 2, 0, 1)) for x, y in PIXELS])
    cases.write("cull-distance", "A cull distance removes triangles of which all vertices have negative ones.",
                ("out float gl_CullDistance[1];", "gl_CullDistance[0] = gl_VertexIndex < 2 ? -1 : 2 - gl_VertexIndex;"),
                ("", TOP_1_BOTTOM_2), [(1, 1, ONES), (1, 12, TWOS), (14, 14, ZEROS)], tolerance=False)
    cases.write("clip-and-cull", "Six clip distances and two cull distances.",
                ("out float gl_ClipDistance[6];\nout float gl_CullDistance[2];",
                 "for (int i = 0; i < 6; ++i) gl_ClipDistance[i] = i == 4 ? position.y : 1; gl_CullDistance[0] = 1; "
                 "gl_CullDistance[1] = gl_VertexIndex > 2 ? -1 : 1;"),
                ("", "result = vec4(gl_FragCoord.x < 3 ? 1 : 2);"),
                [(1, 12, ONES), (4, 9, TWOS), (1, 1, ZEROS), (14, 14, ZEROS)], tolerance=False)
    cases.write("point-size", "Points of several sizes.", ("", "gl_PointSize = position.z * 10;"),
                ("", TOP_1_BOTTOM_2), [(4, 4, ONES), (2, 4, ZEROS), (11, 9, TWOS)],
                tolerance=False, corners=[(-0.4375, -0.4375, 0.1, 1.0), (0.5, 0.5, 0.5, 1.0)],
                run="RUN p DRAW_ARRAY AS POINT_LIST START_IDX 0 COUNT 2")


def derivatives(cases):
    body = "float x = floor(gl_FragCoord.x), y = floor(gl_FragCoord.y); float v = x * x + 10 * y + x * y;"
    fine, coarse, plain = [], [], []
    for x, y in PIXELS:
        value = lambda a, b: a * a + 10 * b + a * b
        left, top = x & ~1, y & ~1
        dx, dy = value(left + 1, y) - value(left, y), value(x, top + 1) - value(x, top)
        fine.append((x, y, (dx, dy, abs(dx) + abs(dy), 1)))
        coarse.append((x, y, (3, -2, 5, x)))
        plain.append((x, y, (3, -2, 5, 2 * left + 1)))
    cases.write("derivatives-fine", "Fine derivatives of a polynomial of FragCoord.", ("", ""),
                ("", body + " result = vec4(dFdxFine(v), dFdyFine(v), fwidthFine(v), 1);"), fine)
    cases.write("derivatives-coarse", "Coarse derivatives of a linear function.", ("", ""),
                ("", "float v = 3 * gl_FragCoord.x - 2 * gl_FragCoord.y; "
                 "result = vec4(dFdxCoarse(v), dFdyCoarse(v), fwidthCoarse(v), floor(gl_FragCoord.x));"), coarse)
    cases.write("derivatives", "Derivatives of a linear function and of a square, as a vector.", ("", ""),
                ("", "float x = floor(gl_FragCoord.x); vec2 v = vec2(3 * gl_FragCoord.x - 2 * gl_FragCoord.y, x * x); "
                 "result = vec4(dFdx(v).x, dFdy(v).x, fwidth(v.x), dFdx(v).y);"), plain)
    cases.write("derivatives-at-edge", "Derivatives need helper invocations outside of the triangle.",
                (SMOOTH_OUT, "seen = position * 8;"), (SMOOTH_IN, "result = vec4(dFdxFine(seen.x), dFdyFine(seen.y), floor(gl_FragCoord.x), 1);"),
                [(1, 1, ONES), (2, 2, (1, 1, 2, 1)), (5, 5, ZEROS)],
                corners=[(-0.875, -0.875, 0.5, 1.0), (-0.5, -0.875, 0.5, 1.0), (-0.875, -0.5, 0.5, 1.0),
                         (-0.75, -0.75, 0.5, 1.0), (-0.6, -0.75, 0.5, 1.0), (-0.75, -0.6, 0.5, 1.0)])


def ends(cases):
    cases.write("discard", "Every second pixel is discarded.", ("", ""),
                ("", "if ((int(gl_FragCoord.x) & 1) == 1) discard; " + TOP_1_BOTTOM_2),
                [(4, 4, ONES), (5, 4, ZEROS), (6, 9, TWOS), (7, 9, ZEROS)], tolerance=False)
    cases.write("discard-all", "A shader that discards all that it is run for.", ("", ""),
                ("", "result = vec4(gl_FragCoord.x < 8 ? 1 : 2); if (gl_FragCoord.y < 8) discard;"),
                [(4, 4, (0, 0, 0, 0)), (4, 12, (1, 1, 1, 1)), (12, 12, (2, 2, 2, 2))], tolerance=False)
    cases.write("discard-then-derivative", "A derivative ahead of a discard.", ("", ""),
                ("", "float v = dFdx(gl_FragCoord.x * 3); if (gl_FragCoord.x > 8) discard; result = vec4(v);"),
                [(4, 4, (3, 3, 3, 3)), (12, 4, (0, 0, 0, 0))])
    colored = "%s\nvoid main() { result = vec4(gl_FragCoord.x < 3 ? 1 : 2); }" % RESULT
    cases.write("no-output", "A shader without outputs stores and discards all; a second draw colours one triangle.", ("", ""),
                ("layout(set = 0, binding = 0) buffer A { uint count; };",
                 "atomicAdd(count, gl_FragCoord.x < 8 ? 1 : 2); discard;"), [(12, 4, ZEROS), (1, 1, ONES), (4, 1, TWOS)], tolerance=False,
                buffers="\n\n".join(["BUFFER counts DATA_TYPE uint32 SIZE 1 FILL 0", cases.make.glsl("fragment", "g", colored),
                                     cases.make.pipeline("q", "g", "  VERTEX_DATA points LOCATION 0\n")]),
                run="RUN p DRAW_ARRAY AS TRIANGLE_LIST\nRUN q DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3",
                state="  BIND BUFFER counts AS storage DESCRIPTOR_SET 0 BINDING 0\n", end="EXPECT counts IDX 0 EQ 384")
    cases.write("returns", "A shader with several returns, each with its own color.", ("", ""),
                ("", "if (gl_FragCoord.x < 4) { result = vec4(1); return; } if (gl_FragCoord.y < 8) { result = vec4(2); "
                 "return; } result = vec4(3);"),
                [(1, 1, (1, 1, 1, 1)), (9, 1, (2, 2, 2, 2)), (9, 9, (3, 3, 3, 3))], tolerance=False)
    cases.write("loop", "A loop whose length depends on the pixel.", ("", ""),
                ("", "float sum = 0; for (int i = 0; i < int(gl_FragCoord.x); ++i) { if (i > int(gl_FragCoord.y)) break; "
                 "sum += i; } result = vec4(sum, 0, 0, 1);"),
                [(x, y, (sum(i for i in range(x) if i <= y), 0, 0, 1)) for x, y in PIXELS], tolerance=False)


def memory(cases):
    cases.write("uniforms", "Uniform buffers of both stages, and push constants.",
                ("layout(set = 0, binding = 0) uniform A { vec4 scale[2]; };\nlayout(location = 0) flat out vec4 seen;",
                 "gl_Position.x *= scale[1].x; seen = scale[0];"),
                ("layout(set = 1, binding = 2) uniform B { vec4 color; };\n"
                 "layout(push_constant) uniform P { float a; layout(offset = 16) vec2 b; };\n"
                 "layout(location = 0) flat in vec4 seen;", "result = vec4(seen.x, color.y + floor(gl_FragCoord.x), a, b.y);"),
                [(1, 1, ZEROS), (6, 8, (7, 27, 3, 9)), (8, 8, (7, 29, 3, 9))], tolerance=False,
                buffers="BUFFER scales DATA_TYPE vec4<float> DATA\n  7 0 0 0  0.5 0 0 0\nEND\n"
                "BUFFER colors DATA_TYPE vec4<float> DATA\n  20 21 22 23\nEND\n"
                "BUFFER pushed DATA_TYPE float DATA\n  3 0 0 0 8 9\nEND",
                state="  BIND BUFFER scales AS uniform DESCRIPTOR_SET 0 BINDING 0\n"
                "  BIND BUFFER colors AS uniform DESCRIPTOR_SET 1 BINDING 2\n  BIND BUFFER pushed AS push_constant\n")
    cases.write("storage", "A fragment shader that counts what it draws and stores where it was.", ("", ""),
                ("layout(set = 0, binding = 0) buffer A { uint count; uint seen[256]; };",
                 "atomicAdd(count, 1); seen[uint(gl_FragCoord.y) * 16 + uint(gl_FragCoord.x)] = uint(gl_FragCoord.x) + 1; "
                 "result = vec4(gl_FragCoord.x < 4 ? 1 : 2);"), [(2, 4, ONES), (4, 4, TWOS), (12, 4, ZEROS)], tolerance=False,
                corners=corners(-1.0, -1.0, 0.0, 0.0),
                buffers="BUFFER counts DATA_TYPE uint32 SIZE 257 FILL 0",
                state="  BIND BUFFER counts AS storage DESCRIPTOR_SET 0 BINDING 0\n",
                end="EXPECT counts IDX 0 EQ 64 1 2 3 4 5 6 7 8 0")


def attachments(cases):
    cases.write("dual-source", "Two sources of blending that differ from pixel to pixel.", ("", ""),
                ("#define x gl_FragCoord.x\nlayout(location = 0, index = 1) out vec4 second;",
                 "result = vec4(x, 2 * x, 3, 4); second = vec4(10 + x, 20 + x, 30, 40);"),
                [(x, y, (x + 0.5 + 10.5 + x, 2 * x + 1 + 20.5 + x, 33, 44)) for x, y in PIXELS], tolerance=False,
                state="  BLEND\n    SRC_COLOR_FACTOR one\n    DST_COLOR_FACTOR src1_color\n    COLOR_OP add\n"
                "    SRC_ALPHA_FACTOR one\n    DST_ALPHA_FACTOR src1_alpha\n    ALPHA_OP add\n  END\n",
                run="CLEAR_COLOR p 255 255 255 255\nCLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST")
    cases.write("early-tests", "With early tests a shader has no effect where depth fails.", ("", ""),
                ("layout(early_fragment_tests) in;\nlayout(set = 0, binding = 0) buffer A { uint count; };",
                 "atomicAdd(count, 1); " + TOP_1_BOTTOM_2), [(4, 4, ONES), (4, 12, TWOS), (12, 4, ZEROS)], tolerance=False,
                corners=corners(-1.0, -1.0, 0.0, 1.0, 0.25) + corners(0.0, -1.0, 1.0, 1.0, 0.75),
                buffers="BUFFER counts DATA_TYPE uint32 SIZE 1 FILL 0\nBUFFER depths FORMAT D32_SFLOAT",
                state="  BIND BUFFER depths AS depth_stencil\n  DEPTH\n    TEST on\n    WRITE off\n    COMPARE_OP less\n  END\n"
                "  BIND BUFFER counts AS storage DESCRIPTOR_SET 0 BINDING 0\n",
                run="CLEAR_DEPTH p 0.5\nCLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST", end="EXPECT counts IDX 0 EQ 128")
    columns = []
    for i in range(16):
        columns += corners(i / 8 - 1, -1.0, i / 8 - 0.875, 1.0)
    cases.write("many-vertices", "More vertices than a wave has, with parameters.",
                ("layout(location = 0) flat out vec4 seen;", "seen = vec4(gl_VertexIndex / 6, position.x, 1, 2);"),
                ("layout(location = 0) flat in vec4 seen;", "result = seen;"),
                [(x, 2, (x, x / 8 - 1, 1, 2)) for x in (0, 3, 5, 6, 11, 15)], tolerance=False, corners=columns)
    cases.write("bgr", "An attribute of B8G8R8A8_UNORM whose channels and triangles all differ.",
                ("layout(location = 1) in vec4 color;\nlayout(location = 0) out vec4 seen;", "seen = color;"),
                ("layout(location = 0) in vec4 seen;", "result = seen;"), 
                [(x, y, (0.6, 0.4, 0.2, 0.8) if x < 8 else (0.4, 0.2, 0.8, 0.6)) for x, y in PIXELS],
                buffers="BUFFER colors DATA_TYPE B8G8R8A8_UNORM DATA\n%s\nEND" % ("  51 102 153 204\n" * 3 + "  204 51 102 153\n" * 3),
                state="  VERTEX_DATA colors LOCATION 1\n")
    cases.write("helpers", "Demoted invocations are helpers, whose values derivatives read.", ("", ""),
                ("#extension GL_EXT_demote_to_helper_invocation : require",
                 "if ((int(gl_FragCoord.x) & 1) == 1) demote; float v = helperInvocationEXT() ? 5 : 3; "
                 "result = vec4(dFdxFine(v), v, 1, 1);"), [(4, 4, (2, 3, 1, 1)), (5, 4, (0, 0, 0, 0))], tolerance=False)


def families(make):
    cases = Cases(make)
    for family in (interpolation, built_ins, derivatives, ends, memory, attachments):
        family(cases)
