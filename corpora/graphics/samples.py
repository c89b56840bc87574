# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of make.py: several samples a pixel. Positions of samples are the standard ones of "Multisampling", in
sixteenths of a pixel."""

from script import *

POSITIONS = {2: [(12, 12), (4, 4)], 4: [(6, 2), (14, 6), (2, 10), (10, 14)],
             8: [(9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)]}
# Corners in pixels; no sample of any count lies on an edge.
TRIANGLE = [(1.0625, 0.625), (14.8125, 4.1875), (5.375, 15.4375)]


def covers(triangle, x, y):
    signs = set()
    for (ax, ay), (bx, by) in zip(triangle, triangle[1:] + triangle[:1]):
        value = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if value == 0:
            raise ValueError(triangle)
        signs.add(value > 0)
    return len(signs) == 1


def covered(count, x, y):
    return [covers(TRIANGLE, x + px / 16, y + py / 16) for px, py in POSITIONS[count]]


def expect_samples(count, value, ys=(0, 2, 5, 8, 11, 14)):
    """value(x, y, sample, is covered), for some rows of a target of R32_UINT."""
    lines = []
    for y in ys:
        row = []
        for x in range(SIZE):
            row += [value(x, y, i, isCovered) for i, isCovered in enumerate(covered(count, x, y))]
        lines.append("EXPECT target IDX %d EQ %s" % (y * SIZE * count * 4, " ".join(map(str, row))))
    return "\n".join(lines)


PIXEL = "uint(gl_FragCoord.y) * 16 + uint(gl_FragCoord.x) + 100"


def pixel(x, y):
    return y * 16 + x + 100


def triangle_case(name, purpose, count, body, value, *states, features=()):
    shader = glsl("fragment", "f", "layout(location = 0) out uint result;\n" + body)
    write(name, purpose, "\n".join("DEVICE_FEATURE " + feature for feature in features), "\n".join(states),
          PLAIN_VERTEX, shader, "BUFFER target FORMAT R32_UINT SAMPLES %d" % count,
          data("points", "vec2<float>", positions(TRIANGLE)),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n"), "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
          expect_samples(count, value))


def multisampling():
    shading = ("sampleRateShading",)
    for count in POSITIONS:
        full = 2 ** count - 1
        mask = lambda x, y, count=count: sum(b << i for i, b in enumerate(covered(count, x, y)))
        triangle_case("msaa-coverage-%d" % count, "Which of %d samples a triangle covers." % count, count,
                      "void main() { result = %s; }" % PIXEL, lambda x, y, i, b: pixel(x, y) if b else 0)
        triangle_case("msaa-sample-id-%d" % count, "SampleId of %d samples." % count, count,
                      "void main() { result = uint(gl_SampleID) * 1000 + %s; }" % PIXEL,
                      lambda x, y, i, b: i * 1000 + pixel(x, y) if b else 0, features=shading)
        triangle_case("msaa-sample-position-%d" % count, "SamplePosition of %d samples, in sixteenths." % count, count,
                      "void main() { result = uint(gl_SamplePosition.x * 16) * 16 + uint(gl_SamplePosition.y * 16); }",
                      lambda x, y, i, b, count=count: POSITIONS[count][i][0] * 16 + POSITIONS[count][i][1] if b else 0,
                      features=shading)
        triangle_case("msaa-sample-mask-in-%d" % count, "SampleMask of %d samples as an input." % count, count,
                      "void main() { result = uint(gl_SampleMaskIn[0]); }",
                      lambda x, y, i, b, mask=mask: mask(x, y) if b else 0)
        triangle_case("msaa-sample-mask-out-%d" % count, "SampleMask of %d samples as an output." % count, count,
                      "void main() { gl_SampleMask[0] = int(gl_FragCoord.x); result = %s; }" % PIXEL,
                      lambda x, y, i, b: pixel(x, y) if b and x >> i & 1 else 0)
        triangle_case("msaa-state-mask-%d" % count, "The sample mask of the state, of %d samples." % count, count,
                      "void main() { result = %s; }" % PIXEL,
                      lambda x, y, i, b, full=full: pixel(x, y) if b and (full & 0x5a) >> i & 1 else 0,
                      set_state("p", "sampleMask", full & 0x5a))
        triangle_case("msaa-sample-shading-%d" % count,
                      "minSampleShading of 1: the shader runs for each of %d samples, with its FragCoord." % count, count,
                      "void main() { result = uint(gl_FragCoord.x * 16) << 8 | uint(gl_FragCoord.y * 16); }",
                      lambda x, y, i, b, count=count: (x * 16 + POSITIONS[count][i][0]) << 8 |
                      (y * 16 + POSITIONS[count][i][1]) if b else 0,
                      set_state("p", "sampleShadingEnable", "true"), set_state("p", "minSampleShading", "1"),
                      features=shading)


def alpha_case(name, purpose, count, key, alpha, value):
    shader = glsl("fragment", "f", """
layout(location = 0) out vec4 result;
void main() { result = vec4(gl_FragCoord.x, gl_FragCoord.y, 0.25, %s); }""" % alpha)
    lines = []
    for y in (3, 12):
        row = [number(v) for x in range(SIZE) for _ in range(count) for v in value(x, y)]
        lines.append("EXPECT target IDX %d EQ %s" % (y * SIZE * count * 16, " ".join(row)))
    features = "DEVICE_FEATURE alphaToOne" if key == "alphaToOneEnable" else ""
    write(name, purpose, features, set_state("p", key, "true"), PLAIN_VERTEX, shader,
          "BUFFER target FORMAT R32G32B32A32_SFLOAT SAMPLES %d" % count, pipeline("p", "f"),
          "CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16", "\n".join(lines))


def alphas():
    for count in POSITIONS:
        colour = lambda x, y, alpha: [x + 0.5, y + 0.5, 0.25, alpha]
        alpha_case("msaa-alpha-to-coverage-%d" % count, "Alpha 0 covers none of %d samples, 1 all." % count, count,
                   "alphaToCoverageEnable", "gl_FragCoord.x < 8 ? 0 : 1",
                   lambda x, y, colour=colour: [0] * 4 if x < 8 else colour(x, y, 1))
    alpha_case("msaa-alpha-to-one-4", "Alpha is 1 whatever the shader writes.", 4, "alphaToOneEnable", "0.25",
               lambda x, y: [x + 0.5, y + 0.5, 0.25, 1])


def resolve_case(count, name, fmt, kind, texel, value, resolved):
    """value: of sample i in GLSL; resolved(x, y): components of a texel."""
    shader = glsl("fragment", "f", "layout(location = 0) out %s result;\nvoid main() { int i = gl_SampleID; result = %s; }"
                  % (kind, value))
    rows = [expect("resolved", texel, 0, y, [v for x in range(SIZE) for v in resolved(x, y)]) for y in (0, 7, 15)]
    write("resolve-%s-%d" % (name, count), "Resolve of %d samples of %s." % (count, fmt),
          "DEVICE_FEATURE sampleRateShading", PLAIN_VERTEX, shader, "BUFFER target FORMAT %s SAMPLES %d" % (fmt, count),
          "BUFFER resolved FORMAT " + fmt, pipeline("p", "f", "  BIND BUFFER resolved AS resolve\n"),
          "CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16", "\n".join(rows))


def resolves():
    for count in POSITIONS:
        mean = sum(range(count)) / count
        resolve_case(count, "float", "R32G32B32A32_SFLOAT", "vec4", 16,
                     "vec4(i, float(i) * gl_FragCoord.x, i + int(gl_FragCoord.y), 1)",
                     lambda x, y, mean=mean, count=count:
                     [mean, sum(i * (x + POSITIONS[count][i][0] / 16) for i in range(count)) / count, mean + y, 1])
        resolve_case(count, "uint", "R32G32_UINT", "uvec2", 8, "uvec2(i + 7 * int(gl_FragCoord.x), 3 + i)",
                     lambda x, y: [7 * x, 3])
        half = count // 2
        resolve_case(count, "unorm", "R8G8B8A8_UNORM", "vec4", 4,
                     "vec4(i < %d ? 1 : 0.6, int(gl_FragCoord.x) < 8 ? 0.2 : 0.4, 0, 1)" % half,
                     lambda x, y: [204, 51 if x < 8 else 102, 0, 255])


def centroids():
    """The right edge, at 4 5/16 pixels, leaves one sample of pixel 4 covered: the centroid is that sample."""
    # One triangle, inside of the framebuffer: diagonals, also of clipping, have centroids of their own.
    corners = [(4.3125, 0), (4.3125, 16), (0, 8)]
    lines = []
    for y in (7, 8):
        row = [v for x in (1, 2, 3) for _ in range(4) for v in (x + 0.5, y + 0.5)]
        row += [v for i in range(4) for v in ((4.125, y + 0.625) if i == 2 else (0, 0))]
        lines.append("EXPECT target IDX %d TOLERANCE 0.01 EQ %s" % ((y * SIZE + 1) * 4 * 8, " ".join(map(number, row))))
    write("msaa-centroid-4", "A centroid input where one sample, and not the centre, of a pixel is covered.",
          glsl("vertex", "v", """
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 place;
layout(location = 0) out vec2 seen;
void main() { gl_Position = vec4(position, 0.5, 1); seen = place; }"""),
          fragment("f", "vec2", "seen", "layout(location = 0) centroid in vec2 seen;\n"),
          "BUFFER target FORMAT R32G32_SFLOAT SAMPLES 4", data("points", "vec2<float>", positions(corners)),
          data("places", "vec2<float>", numbers([v for corner in corners for v in corner])),
          pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n  VERTEX_DATA places LOCATION 1\n"),
          "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST", "\n".join(lines))


FAMILIES = (multisampling, alphas, resolves, centroids)
