# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families img-*, deriv-* and interp-*: images, derivatives and interpolation functions in fragment
shaders. Like make.py, which uses this module, it computes what the scripts expect by the formulas of the
Vulkan specification alone. `tools` is the module make.py."""

SIZE = 16
# Levels of images by their dimension: width, height and depth of level 0, array layers, levels.
SHAPES = {"1D": (32, 1, 1, 1, 5), "2D": (16, 16, 1, 1, 4), "3D": (8, 8, 8, 1, 3), "1DArray": (32, 1, 1, 3, 5),
          "2DArray": (16, 16, 1, 3, 4), "Cube": (16, 16, 1, 6, 4), "CubeArray": (16, 16, 1, 12, 4)}


def level_sizes(dim):
    width, height, depth, layers, levels = SHAPES[dim]
    for level in range(levels):
        yield level, max(1, width >> level), max(1, height >> level), max(1, depth >> level), layers


def image(name, dim, value, kind="DATA_TYPE float"):
    """An IMAGE with value(level, layer or depth, y, x) in each texel."""
    width, height, depth, layers, levels = SHAPES[dim]
    texels = []
    for level, w, h, d, count in level_sizes(dim):
        texels += [value(level, z, y, x) for z in range(d * count) for y in range(h) for x in range(w)]
    lines = ["  " + " ".join(map(str, texels[at:at + 16])) for at in range(0, len(texels), 16)]
    shape = {"1D": "DIM_1D WIDTH %d" % width, "3D": "DIM_3D WIDTH %d HEIGHT %d DEPTH %d" % (width, height, depth)}
    shape["1DArray"] = shape["1D"]
    flat = "DIM_2D WIDTH %d HEIGHT %d" % (width, height)
    layered = " ARRAY_LAYERS %d" % layers if layers > 1 else ""
    return "IMAGE %s %s %s%s MIP_LEVELS %d DATA\n%s\nEND" % (name, kind, shape.get(dim, flat), layered, levels,
                                                             "\n".join(lines))


def by_level(level, z, y, x):
    """Tells levels from each other, and layers."""
    return 10 + 40 * level + z % 3


SAMPLER = "SAMPLER s MAG_FILTER %s MIN_FILTER %s MIP_FILTER %s ADDRESS_MODE_U %s ADDRESS_MODE_V %s ADDRESS_MODE_W %s MAX_LOD %s%s"


def sampler(mag="nearest", least="nearest", mip="nearest", address="repeat", rest="", most=10):
    return SAMPLER % (mag, least, mip, address, address, address, most, rest)


def shader(tools, declarations, result, kind="uint", version_text=""):
    return tools.glsl("fragment", "f", version_text + declarations +
                      "\nlayout(location = 0) out %s result;\nvoid main() {\n%s\n}" % (kind, result))


BIND = "  BIND BUFFER i AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0\n"
DRAW = "CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16"


def sampled_case(tools, name, purpose, dim, body, rows, value=by_level, samplers=None, shadow="", kind="DATA_TYPE float",
                 extension="", feature="", draw=DRAW):
    """rows: what a target of R8_UINT has afterwards."""
    tools.write(name, purpose, feature, tools.PLAIN_VERTEX,
                shader(tools, "layout(set = 0, binding = 0) uniform sampler%s%s t;" % (dim, shadow), body,
                       version_text=extension),
                image("i", dim, value, kind), samplers or sampler(most=0 if value is by_place else 10), "BUFFER target FORMAT R8_UINT",
                tools.pipeline("p", "f", BIND), draw, tools.picture("target", 1, rows))


# Columns 0-3, 4-7, 8-11, 12-15 sample with 0.75, 1.5, 3 and 6 texels a pixel. Scale factors may be larger by
# up to the square root of 2 (Vulkan, "Scale Factor Operation"), which leaves the nearest level as it is.
SCALE = "float scale = exp2(floor(gl_FragCoord.x / 4)) * 0.75;"
PLACES = {"1D": "gl_FragCoord.x * scale / 32", "2D": "gl_FragCoord.xy * scale / 16",
          "3D": "vec3(gl_FragCoord.xy * scale, 2.5) / 8", "1DArray": "vec2(gl_FragCoord.x * scale / 32, 1)",
          "2DArray": "vec3(gl_FragCoord.xy * scale / 16, 2)"}


def level_rows(dim, shift=0, least=0, layer=0):
    levels = SHAPES[dim][4]
    return [[by_level(min(levels - 1, max(least, x // 4 + shift, 0)), layer, 0, 0) for x in range(SIZE)]
            for _ in range(SIZE)]


# What is read in a depth of 3D does not depend on it: by_level counts z modulo 3.
def plain_level(level, z, y, x):
    return 10 + 40 * level


def implicit_levels(tools):
    for dim, layer in (("1D", 0), ("2D", 0), ("3D", 0), ("1DArray", 1), ("2DArray", 2)):
        value = plain_level if dim == "3D" else by_level
        sampled_case(tools, "img-lod-" + dim.lower(), "Implicit levels of a %s image: 1 to 8 texels a pixel." % dim, dim,
                     "  %s\n  result = uint(texture(t, %s).x);" % (SCALE, PLACES[dim]),
                     [[value(min(SHAPES[dim][4] - 1, x // 4), layer, 0, 0) for x in range(SIZE)]
                      for _ in range(SIZE)], value)
    for dim, third in (("Cube", "direction"), ("CubeArray", "vec4(direction, 1)")):
        # On the face -z: s = -x, t = -y (over |z|). A face is 16 texels, 2 in coordinates.
        sampled_case(tools, "img-lod-" + dim.lower(),
                     "Implicit levels of a %s image, on the face -z." % dim, dim,
                     "  %s\n  vec2 at = (fract(gl_FragCoord.xy / 2) - 0.5) * scale * 0.25;\n"
                     "  vec3 direction = vec3(-at, -1);\n  result = uint(texture(t, %s).x);" % (SCALE, third),
                     [[by_level(min(3, x // 4), 5 if dim == "Cube" else 11, 0, 0) for x in range(SIZE)]
                      for _ in range(SIZE)], samplers=sampler(address="clamp_to_edge"))
    biases = {"2D": -1, "3D": 1, "2DArray": 1, "1D": 2}
    for dim, bias in biases.items():
        value = plain_level if dim == "3D" else by_level
        layer = 2 if dim == "2DArray" else 0
        sampled_case(tools, "img-bias-" + dim.lower(), "A bias of %d on implicit levels of a %s image." % (bias, dim), dim,
                     "  %s\n  result = uint(texture(t, %s, %d.0).x);" % (SCALE, PLACES[dim], bias),
                     [[value(min(SHAPES[dim][4] - 1, max(0, x // 4 + bias)), layer, 0, 0) for x in range(SIZE)]
                      for _ in range(SIZE)], value)
    sampled_case(tools, "img-bias-sampler", "The bias of a sampler and that of the instruction add up.", "2D",
                 "  %s\n  result = uint(texture(t, %s, 1.0).x);" % (SCALE, PLACES["2D"]), level_rows("2D", 2),
                 samplers=sampler(rest=" LOD_BIAS 1"))
    sampled_case(tools, "img-lod-sampler-min", "The least level of a sampler.", "2D",
                 "  %s\n  result = uint(texture(t, %s).x);" % (SCALE, PLACES["2D"]), level_rows("2D", 0, 2),
                 samplers=sampler(rest=" MIN_LOD 2"))
    sampled_case(tools, "img-lod-shader-min", "The least level that the shader names.", "2D",
                 "  %s\n  result = uint(textureClampARB(t, %s, 1.0).x);" % (SCALE, PLACES["2D"]), level_rows("2D", 0, 1),
                 extension="#extension GL_ARB_sparse_texture_clamp : require\n", feature="DEVICE_FEATURE shaderResourceMinLod")
    sampled_case(tools, "img-lod-in-y", "The level follows from the derivative in y where that is larger.", "2D",
                 "  float scale = exp2(floor(gl_FragCoord.y / 4)) * 0.75;\n"
                 "  result = uint(texture(t, vec2(gl_FragCoord.x * 0.5, gl_FragCoord.y * scale) / 16).x);",
                 [[by_level(y // 4, 0, 0, 0)] * SIZE for y in range(SIZE)])
    sampled_case(tools, "img-lod-in-branch", "Implicit levels in a branch that whole quads take.", "2D",
                 "  %s\n  result = 1;\n  if ((uint(gl_FragCoord.y) & 2u) == 0u)\n    result = uint(texture(t, %s).x);"
                 % (SCALE, PLACES["2D"]),
                 [[by_level(x // 4, 0, 0, 0) if not y & 2 else 1 for x in range(SIZE)] for y in range(SIZE)])
    sampled_case(tools, "img-lod-by-helpers", "A column of one pixel: the neighbours that its level needs are helpers.",
                 "2D", "  float scale = 3;\n  result = uint(texture(t, %s).x);" % PLACES["2D"],
                 [[by_level(2, 0, 0, 0) if x == 5 else 0 for x in range(SIZE)]] * SIZE,
                 draw="CLEAR p\nRUN p DRAW_RECT POS 5 0 SIZE 1 16")
    sampled_case(tools, "img-lod-explicit", "Explicit levels, of each pixel its own.", "2D",
                 "  result = uint(textureLod(t, gl_FragCoord.xy / 16, float(uint(gl_FragCoord.x) & 3u)).x);",
                 [[by_level(x & 3, 0, 0, 0) for x in range(SIZE)] for _ in range(SIZE)])
    sampled_case(tools, "img-gradients", "Explicit derivatives, of each row its own.", "2D",
                 "  float step = exp2(float(uint(gl_FragCoord.y) & 3u)) * 0.75 / 16;\n"
                 "  result = uint(textureGrad(t, gl_FragCoord.xy / 16, vec2(step, 0), vec2(0, step / 4)).x);",
                 [[by_level(y & 3, 0, 0, 0)] * SIZE for y in range(SIZE)])
    sampled_case(tools, "img-gradients-3d", "Explicit derivatives in a volume.", "3D",
                 "  float step = exp2(float(uint(gl_FragCoord.x) % 3u)) * 0.75 / 8;\n"
                 "  result = uint(textureGrad(t, gl_FragCoord.xyx / 16, vec3(0, 0, step), vec3(0)).x);",
                 [[plain_level(x % 3, 0, 0, 0) for x in range(SIZE)] for _ in range(SIZE)], plain_level)


def by_place(level, z, y, x):
    return (x + 16 * y + 7 * z) % 199 + level


def offsets(tools):
    def rows(f):
        return [[f(x, y) for x in range(SIZE)] for y in range(SIZE)]

    def wrapped(dx, dy):
        return rows(lambda x, y: by_place(0, 0, (y + dy) % 16, (x + dx) % 16))

    sampled_case(tools, "img-offset-2d", "A texel offset with an implicit level.", "2D",
                 "  result = uint(textureOffset(t, gl_FragCoord.xy / 16, ivec2(3, -2)).x);", wrapped(3, -2), by_place)
    sampled_case(tools, "img-offset-lod", "A texel offset with an explicit level.", "2D",
                 "  result = uint(textureLodOffset(t, gl_FragCoord.xy / 16, 0.0, ivec2(-8, 7)).x);", wrapped(-8, 7),
                 by_place)
    sampled_case(tools, "img-offset-gradients", "A texel offset with explicit derivatives.", "2D",
                 "  result = uint(textureGradOffset(t, gl_FragCoord.xy / 16, vec2(0), vec2(0), ivec2(1, 1)).x);",
                 wrapped(1, 1), by_place)
    sampled_case(tools, "img-offset-array", "A texel offset in a layer.", "2DArray",
                 "  result = uint(textureOffset(t, vec3(gl_FragCoord.xy / 16, 1), ivec2(-1, 2)).x);",
                 rows(lambda x, y: by_place(0, 1, (y + 2) % 16, (x - 1) % 16)), by_place)
    sampled_case(tools, "img-offset-1d", "A texel offset in one dimension.", "1D",
                 "  result = uint(textureOffset(t, (gl_FragCoord.x + 4) / 32, 5).x);",
                 rows(lambda x, y: by_place(0, 0, 0, (x + 9) % 32)), by_place)
    sampled_case(tools, "img-offset-3d", "A texel offset in a volume.", "3D",
                 "  result = uint(textureOffset(t, vec3(gl_FragCoord.xy, 2.5) / 8, ivec3(1, -1, 2)).x);",
                 rows(lambda x, y: by_place(0, 4, (y - 1) % 8, (x + 1) % 8)), by_place)


def projections(tools):
    rows = [[by_place(0, 0, y, x) for x in range(SIZE)] for y in range(SIZE)]
    sampled_case(tools, "img-proj-2d", "A projected coordinate with an implicit level.", "2D",
                 "  float q = 2;\n  result = uint(textureProj(t, vec3(gl_FragCoord.xy / 8, q)).x);", rows, by_place)
    sampled_case(tools, "img-proj-lod", "A projected coordinate with an explicit level.", "2D",
                 "  result = uint(textureProjLod(t, vec4(gl_FragCoord.xy / 32, 9, 0.5), 0.0).x);", rows, by_place)
    sampled_case(tools, "img-proj-offset", "A projected coordinate with an offset.", "2D",
                 "  result = uint(textureProjOffset(t, vec3(gl_FragCoord.xy / 4, 4), ivec2(1, 0)).x);",
                 [[by_place(0, 0, y, (x + 1) % 16) for x in range(SIZE)] for y in range(SIZE)], by_place)
    sampled_case(tools, "img-proj-1d", "A projected coordinate in one dimension.", "1D",
                 "  result = uint(textureProj(t, vec2(gl_FragCoord.x / 8, 4)).x);",
                 [[by_place(0, 0, 0, x) for x in range(SIZE)]] * SIZE, by_place)
    sampled_case(tools, "img-proj-3d", "A projected coordinate in a volume.", "3D",
                 "  result = uint(textureProj(t, vec4(gl_FragCoord.xy, 3.5, 8)).x);",
                 [[by_place(0, 3, y % 8, x % 8) for x in range(SIZE)] for y in range(SIZE)], by_place)


# The four texels that a gather at a corner of texels reads, in its order: (dx, dy) from the texel at x, y.
GATHER = [(-1, 0), (0, 0), (0, -1), (-1, -1)]


def gathers(tools):
    def rows(layer, order, move=(0, 0), size=16):
        return [[by_place(0, layer, (y + order[x & 3][1] + move[1]) % size, (x + order[x & 3][0] + move[0]) % size)
                 for x in range(SIZE)] for y in range(SIZE)]

    place = "floor(gl_FragCoord.xy) / 16"  # Between four texels; a linear filter would read them.
    pick = "  result = uint(four[uint(gl_FragCoord.x) & 3u]);"
    sampled_case(tools, "img-gather-2d", "The first component of four texels.", "2D",
                 "  vec4 four = textureGather(t, %s);\n%s" % (place, pick), rows(0, GATHER), by_place)
    sampled_case(tools, "img-gather-offset", "A gather with an offset.", "2D",
                 "  vec4 four = textureGatherOffset(t, %s, ivec2(2, -3));\n%s" % (place, pick), rows(0, GATHER, (2, -3)),
                 by_place)
    spread = [(-3, 2), (4, 0), (1, -5), (0, 6)]
    sampled_case(tools, "img-gather-offsets", "A gather with an offset for each texel.", "2D",
                 "  const ivec2 at[4] = ivec2[](ivec2(-2, 3), ivec2(5, 1), ivec2(2, -4), ivec2(1, 7));\n"
                 "  vec4 four = textureGatherOffsets(t, %s, at);\n%s" % (place, pick), rows(0, spread), by_place,
                 feature="DEVICE_FEATURE shaderImageGatherExtended")
    sampled_case(tools, "img-gather-array", "A gather in a layer.", "2DArray",
                 "  vec4 four = textureGather(t, vec3(%s, 2));\n%s" % (place, pick), rows(2, GATHER), by_place)

    def components(level, z, y, x):
        return "%d %d %d %d" % tuple((x + 16 * y + 50 * c) % 199 for c in range(4))

    def component_rows(component):
        return [[((x + GATHER[x & 3][0]) % 16 + 16 * ((y + GATHER[x & 3][1]) % 16) + 50 * component) % 199
                 for x in range(SIZE)] for y in range(SIZE)]

    for component in (1, 2, 3):
        sampled_case(tools, "img-gather-component-%d" % component, "Component %d of four texels." % component, "2D",
                     "  vec4 four = textureGather(t, %s, %d);\n%s" % (place, component, pick), component_rows(component),
                     components, kind="DATA_TYPE vec4<float>")


def comparisons(tools):
    def depth(level, z, y, x):
        return (x * 5 + y * 3 + z * 4 + level) % 16 / 16

    def rows(f):
        return [[int(f(x, y)) * 200 + 1 for x in range(SIZE)] for y in range(SIZE)]

    def case(name, purpose, dim, call, f, operation="less", most=0, bias=""):
        sampled_case(tools, name, purpose, dim, "  result = uint(%s) * 200u + 1u;" % call, rows(f), depth,
                     sampler(rest=" COMPARE on COMPARE_OP " + operation + bias, most=most), "Shadow", "FORMAT D32_SFLOAT")

    reference = "0.46875"
    case("img-compare-2d", "A depth comparison with an implicit level.", "2D",
         "texture(t, vec3(gl_FragCoord.xy / 16, %s))" % reference, lambda x, y: 0.46875 < depth(0, 0, y, x))
    case("img-compare-array", "A depth comparison in a layer, by its own operation.", "2DArray",
         "texture(t, vec4(gl_FragCoord.xy / 16, 2, %s))" % reference, lambda x, y: 0.46875 >= depth(0, 2, y, x),
         "greater_or_equal")
    case("img-compare-lod", "A depth comparison at an explicit level.", "2D",
         "textureLod(t, vec3(gl_FragCoord.xy / 16, %s), 1.0)" % reference,
         lambda x, y: 0.46875 < depth(1, 0, y // 2, x // 2), most=3)
    case("img-compare-bias", "A depth comparison with a bias.", "2D",
         "texture(t, vec3(gl_FragCoord.xy / 16, %s), 1.0)" % reference,
         lambda x, y: 0.46875 < depth(1, 0, y // 2, x // 2), most=3, bias=" LOD_BIAS -0.25")
    case("img-compare-offset", "A depth comparison with an offset.", "2D",
         "textureOffset(t, vec3(gl_FragCoord.xy / 16, %s), ivec2(-4, 3))" % reference,
         lambda x, y: 0.46875 < depth(0, 0, (y + 3) % 16, (x - 4) % 16))
    case("img-compare-proj", "A projected depth comparison: the reference is divided, too.", "2D",
         "textureProj(t, vec4(gl_FragCoord.xy / 8, 0.9375, 2))", lambda x, y: 0.46875 < depth(0, 0, y, x))
    case("img-compare-1d", "A depth comparison in one dimension.", "1D",
         "texture(t, vec3((gl_FragCoord.x + 8) / 32, 0, %s))" % reference, lambda x, y: 0.46875 < depth(0, 0, 0, x + 8))
    case("img-compare-gather", "Four depth comparisons.", "2D",
         "textureGather(t, floor(gl_FragCoord.xy) / 16, %s)[uint(gl_FragCoord.x) & 3u]" % reference,
         lambda x, y: 0.46875 < depth(0, 0, (y + GATHER[x & 3][1]) % 16, (x + GATHER[x & 3][0]) % 16))


def filters(tools):
    """Results of linear filters, with a tolerance for the fractions of hardware."""
    def case(name, purpose, samplers, body, want):
        expectations = ["EXPECT target IDX %d TOLERANCE 0.05 EQ %s"
                        % ((y * SIZE + x) * 4, tools.number(float(want(x, y)))) for y in (1, 6, 11) for x in (2, 5, 9, 14)]
        tools.write(name, purpose, tools.PLAIN_VERTEX,
                    shader(tools, "layout(set = 0, binding = 0) uniform sampler2D t;", body, "float"),
                    image("i", "2D", lambda level, z, y, x: 8 * x + 16 * level), samplers,
                    "BUFFER target FORMAT R32_SFLOAT", tools.pipeline("p", "f", BIND), DRAW, "\n".join(expectations))

    case("img-filter-linear", "A linear filter between two texels with an implicit level.",
         sampler("linear", "linear", "nearest", "clamp_to_edge"),
         "  result = texture(t, vec2(gl_FragCoord.x / 32 + 0.25, gl_FragCoord.y / 32)).x;",
         lambda x, y: 8 * ((x + 0.5) / 2 + 4 - 0.5))
    # Texel 0 of each level in the left half; texels 8, 4 and 2 of the levels 0, 1 and 2 in the right half.
    half_place = "  vec2 place = vec2(gl_FragCoord.x < 8 ? 0.03125 : 0.53125, 0.5);\n"
    case("img-filter-levels", "Half way between two levels, by derivatives of the square root of 2.",
         sampler("nearest", "nearest", "linear", "clamp_to_edge"),
         half_place + "  vec2 step = vec2(sqrt(2.0) / 16, 0);\n  result = textureGrad(t, place, step, vec2(0)).x;",
         lambda x, y: 8 if x < 8 else (64 + 48) / 2)
    case("img-filter-explicit", "An explicit level between two levels.",
         sampler("nearest", "nearest", "linear", "clamp_to_edge"),
         half_place + "  result = texture(t, place, 0.0).x + textureLod(t, place, 1.5).x;",
         lambda x, y: 24 if x < 8 else 64 + (48 + 48) / 2)


def queries(tools):
    for dim, size in (("2D", "uint(textureSize(t, 1).x * 10 + textureQueryLevels(t))"),
                      ("2DArray", "uint(textureSize(t, 2).y * 10 + textureSize(t, 0).z)"),
                      ("Cube", "uint(textureSize(t, 1).y * 10 + textureQueryLevels(t))")):
        want = {"2D": 84, "2DArray": 43, "Cube": 84}[dim]
        sampled_case(tools, "img-query-size-" + dim.lower(), "Sizes of levels, and how many there are, of a %s image." % dim,
                     dim, "  result = %s + uint(gl_FragCoord.x);" % size,
                     [[want + x for x in range(SIZE)]] * SIZE)
    for dim, count in (("2D", "xy"), ("2DArray", "xy"), ("1D", "x"), ("3D", "xyz")):
        width = SHAPES[dim][0]
        sampled_case(tools, "img-query-lod-" + dim.lower(), "The level that a %s image would be sampled at." % dim, dim,
                     "  %s\n  vec2 lod = textureQueryLod(t, gl_FragCoord.%s * scale * 2 / %d);\n"
                     "  result = uint(lod.x * 10 + 0.5) * 5u + uint(lod.y + 0.5) * 10u;" % (SCALE, count, width),
                     [[50 * min(x // 4 + 1, SHAPES[dim][4] - 1) + 10 * (x // 4 + 1) for x in range(SIZE)]] * SIZE,
                     plain_level if dim == "3D" else by_level)


def fetches(tools):
    def case(name, purpose, dim, call, f):
        sampled_case(tools, name, purpose, dim, "  ivec2 p = ivec2(gl_FragCoord.xy);\n  result = uint(%s.x);" % call,
                     [[f(x, y) for x in range(SIZE)] for y in range(SIZE)], by_place)

    case("img-fetch-2d", "Texels of a level by integers.", "2D", "texelFetch(t, p / 2, 1)",
         lambda x, y: by_place(1, 0, y // 2, x // 2))
    case("img-fetch-offset", "A fetch with an offset.", "2D", "texelFetchOffset(t, p / 2 + 3, 0, ivec2(-3, 4))",
         lambda x, y: by_place(0, 0, y // 2 + 7, x // 2))
    case("img-fetch-array", "Texels of layers.", "2DArray", "texelFetch(t, ivec3(p, p.x % 3), 0)",
         lambda x, y: by_place(0, x % 3, y, x))
    case("img-fetch-3d", "Texels of a volume.", "3D", "texelFetch(t, ivec3(p / 2, (p.x + p.y) % 8), 0)",
         lambda x, y: by_place(0, (x + y) % 8, y // 2, x // 2))
    case("img-fetch-1d", "Texels of one dimension.", "1D", "texelFetch(t, p.x + p.y, 0)",
         lambda x, y: by_place(0, 0, 0, x + y))


STORAGE = "  BIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 0\n"


def storage(tools):
    """Images that fragments write; the target shows that they ran."""
    def case(name, purpose, declaration, body, expectations, draw=DRAW, extra="", binds=STORAGE):
        tools.write(name, purpose, "DEVICE_FEATURE fragmentStoresAndAtomics", tools.PLAIN_VERTEX,
                    shader(tools, declaration, body), "IMAGE i DATA_TYPE uint32 DIM_2D WIDTH 16 HEIGHT 16 FILL 3", extra,
                    "BUFFER target FORMAT R8_UINT", tools.pipeline("p", "f", binds), draw, expectations)

    def texels(f):
        return "\n".join("EXPECT i IDX %d EQ %s" % (y * 64, " ".join(str(f(x, y)) for x in range(SIZE)))
                         for y in range(SIZE))

    plain = "layout(set = 0, binding = 0, r32ui) uniform uimage2D t;"
    case("img-store", "Each fragment stores into its own texel.", plain,
         "  ivec2 p = ivec2(gl_FragCoord.xy);\n  imageStore(t, p.yx, uvec4(p.x * 16 + p.y));\n  result = uint(p.x) + 5u;",
         texels(lambda x, y: y * 16 + x) + "\n" + tools.picture("target", 1, [[5 + x for x in range(SIZE)]] * SIZE))
    case("img-load-store", "Each fragment reads its texel and writes another value.", plain,
         "  ivec2 p = ivec2(gl_FragCoord.xy);\n  uint old = imageLoad(t, p).x;\n"
         "  imageStore(t, p, uvec4(old + 1u));\n  result = old + uint(p.y);",
         texels(lambda x, y: 4) + "\n" + tools.picture("target", 1, [[3 + y] * SIZE for y in range(SIZE)]))
    case("img-atomic-add", "Fragments of a row count themselves.", plain,
         "  imageAtomicAdd(t, ivec2(0, gl_FragCoord.y), 2u);\n  result = uint(gl_FragCoord.x) + 9u;",
         texels(lambda x, y: 3 if x else 35) + "\n" +
         tools.picture("target", 1, [[9 + x for x in range(SIZE)]] * SIZE))
    case("img-atomic-max", "The greatest of each column.", plain,
         "  imageAtomicMax(t, ivec2(gl_FragCoord.x, 1), uint(gl_FragCoord.x * 8 + gl_FragCoord.y));\n"
         "  result = uint(gl_FragCoord.y) + 9u;",
         texels(lambda x, y: 3 if y != 1 else int((x + 0.5) * 8 + 15.5)) + "\n" +
         tools.picture("target", 1, [[9 + y] * SIZE for y in range(SIZE)]))
    case("img-store-discard", "Fragments that are discarded do not store.", plain,
         "  ivec2 p = ivec2(gl_FragCoord.xy);\n  if ((p.x & 3) == 1)\n    discard;\n"
         "  imageStore(t, p, uvec4(70));\n  result = uint(p.y) + 6u;",
         texels(lambda x, y: 3 if x & 3 == 1 else 70) + "\n" +
         tools.picture("target", 1, [[0 if x & 3 == 1 else 6 + y for x in range(SIZE)] for y in range(SIZE)]))
    case("img-store-helpers", "Helper invocations do not store: a column of one pixel.", plain,
         "  ivec2 p = ivec2(gl_FragCoord.xy);\n  float width = dFdx(gl_FragCoord.x);\n"
         "  imageStore(t, p, uvec4(40 + int(width)));\n  result = 6;",
         texels(lambda x, y: 41 if x == 5 else 3) + "\n" +
         tools.picture("target", 1, [[6 if x == 5 else 0 for x in range(SIZE)]] * SIZE),
         draw="CLEAR p\nRUN p DRAW_RECT POS 5 0 SIZE 1 16")
    case("img-texel-buffer", "A uniform texel buffer.", "layout(set = 0, binding = 0) uniform usamplerBuffer t;",
         "  result = texelFetch(t, int(gl_FragCoord.x) * 3).x + uint(textureSize(t));",
         tools.picture("target", 1, [[x * 3 + 5 + 48 for x in range(SIZE)]] * SIZE),
         extra="BUFFER b DATA_TYPE uint32 SIZE 48 SERIES_FROM 5 INC_BY 1",
         binds="  BIND BUFFER b AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 0\n")


def multisampled(tools):
    """A pass draws into four samples, a second one fetches them."""
    tools.write("img-fetch-samples", "A second draw fetches the samples that the first has shaded one by one.",
                "DEVICE_FEATURE sampleRateShading", tools.PLAIN_VERTEX,
                tools.glsl("fragment", "g", "layout(location = 0) out float result;\n"
                           "void main() { result = float(gl_SampleID * 50) + floor(gl_FragCoord.x) + 1; }"),
                shader(tools, "layout(set = 0, binding = 0) uniform sampler2DMS t;",
                       "  ivec2 p = ivec2(gl_FragCoord.xy);\n"
                       "  result = uint(texelFetch(t, p, p.y & 3).x) + uint(textureSamples(t));"),
                "IMAGE many FORMAT R32_SFLOAT DIM_2D WIDTH 16 HEIGHT 16 SAMPLES 4",
                sampler(), "BUFFER target FORMAT R8_UINT",
                tools.pipeline("first", "g", target="many"),
                tools.pipeline("p", "f", "  BIND BUFFER many AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0\n"),
                "CLEAR first\nRUN first DRAW_RECT POS 0 0 SIZE 16 16\nCLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16",
                tools.picture("target", 1, [[50 * (y & 3) + x + 5 for x in range(SIZE)] for y in range(SIZE)]))


def derivatives(tools):
    def case(name, purpose, body, f, feature="", extension=""):
        tools.write(name, purpose, feature, tools.PLAIN_VERTEX, shader(tools, "", body, version_text=extension), "BUFFER target FORMAT R8_UINT",
                    tools.pipeline("p", "f"), DRAW,
                    tools.picture("target", 1, [[f(x, y) for x in range(SIZE)] for y in range(SIZE)]))

    # x * x has another derivative in each column of quads, x * y one in each row and column of a quad.
    product = "  vec2 p = floor(gl_FragCoord.xy);\n"
    case("deriv-of-affine", "Derivatives of what is affine: the same in every way.",
         product + "  float v = 5 * p.x + 9 * p.y;\n  result = uint(dFdx(v)) + 16u * uint(dFdy(v)) + uint(p.x);",
         lambda x, y: 5 + 144 + x)
    case("deriv-per-quad", "Derivatives that differ from quad to quad.",
         product + "  float v = p.x * p.x;\n  result = uint(dFdx(v)) + uint(dFdy(v));", lambda x, y: 4 * (x // 2) + 1)
    case("deriv-fine-x", "Fine derivatives in x differ between the rows of a quad.",
         product + "  result = uint(dFdxFine(p.x * p.y)) + 20u;", lambda x, y: y + 20)
    case("deriv-fine-y", "Fine derivatives in y differ between the columns of a quad.",
         product + "  result = uint(dFdyFine(p.x * p.y)) + 20u;", lambda x, y: x + 20)
    case("deriv-coarse", "Coarse derivatives of squares, which are the same for a whole quad.",
         product + "  result = uint(dFdxCoarse(p.x * p.x) + dFdyCoarse(p.y * p.y));",
         lambda x, y: 4 * (x // 2) + 4 * (y // 2) + 2)
    case("deriv-fwidth", "Sums of magnitudes, also where derivatives are negative.",
         product + "  result = uint(fwidth(6 * p.x - 11 * p.y)) + uint(fwidthFine(-p.x)) + uint(fwidthCoarse(-2 * p.y))\n"
         "           + uint(p.y);", lambda x, y: 17 + 1 + 2 + y)
    case("deriv-vector", "Derivatives of a vector, component by component.",
         product + "  vec3 d = dFdx(vec3(p.x * 2, p.x * 3, p.y)) + dFdy(vec3(p.y * 4, 1, p.y * 5));\n"
         "  result = uint(d.x * 16 + d.y * 4 + d.z + p.x);", lambda x, y: 6 * 16 + 3 * 4 + 5 + x)
    case("deriv-of-derivative", "The derivative of a fine derivative is that of its quad.",
         product + "  result = uint(dFdyFine(dFdxFine(p.x * p.x * p.y)) * 8);", lambda x, y: 8 * (4 * (x // 2) + 1))
    case("deriv-in-branch", "Derivatives in a branch that whole quads take.",
         product + "  result = 3;\n  if ((uint(p.x) & 4u) != 0u)\n    result = uint(dFdx(p.x * 50) + dFdy(p.y * 7));",
         lambda x, y: 57 if x & 4 else 3)
    case("deriv-in-loop", "Derivatives in a loop of as many iterations as the quad says.",
         product + "  uint sum = 0;\n  for (uint i = 0; i < (uint(p.y) >> 1); ++i)\n    sum += uint(dFdx(p.x * float(i + 1u)));\n"
         "  result = sum;", lambda x, y: sum(i + 1 for i in range(y >> 1)))
    case("deriv-by-demoted", "Demoted fragments still take part in derivatives.",
         "  vec2 p = floor(gl_FragCoord.xy);\n  if ((uint(p.x + p.y) & 1u) == 0u)\n    demote;\n"
         "  result = uint(dFdx(p.x * p.x * 4) + dFdy(p.y * 8));",
         lambda x, y: 0 if (x + y) & 1 == 0 else 4 * (4 * (x // 2) + 1) + 8,
         "DEVICE_FEATURE shaderDemoteToHelperInvocation",
         "#extension GL_EXT_demote_to_helper_invocation : require\n")
    case("deriv-of-swizzle", "Derivatives of what a function returns.",
         "  vec4 c = gl_FragCoord;\n  result = uint(dFdx(c.yx).y * 9) + uint(dFdy(c.yx).x * 4) + uint(dFdx(c.yx).x)\n"
         "           + uint(c.x);", lambda x, y: 13 + x)


TRIANGLE = "BUFFER points DATA_TYPE vec4<float> DATA\n%s\nEND"
# Corners with the attribute 8 * x, in pixels; w is 1 on the left edge and 2 on the right edge.
FLAT_QUAD = [(0, 0, 1), (16, 0, 1), (0, 16, 1), (16, 0, 1), (0, 16, 1), (16, 16, 1)]


def interpolations(tools):
    vertex = tools.glsl("vertex", "v", """
layout(location = 0) in vec4 position;
layout(location = 0) %sout float value;
layout(location = 1) %sout vec2 pair;
void main() {
  gl_Position = position;
  value = (position.x / position.w + 1) * 64;
  pair = vec2(value, (position.y / position.w + 1) * 64);
}""")

    def case(name, purpose, qualifier, body, f, w_right=1.0, samples=1, feature="DEVICE_FEATURE sampleRateShading",
             tolerance=0.05):
        lines = []
        for x, y, _ in FLAT_QUAD:
            w = w_right if x else 1.0
            lines.append("  %s %s %s %s" % (tools.number((x / 8 - 1) * w), tools.number((y / 8 - 1) * w),
                                            tools.number(0.5 * w), tools.number(w)))
        expectations = "\n".join("EXPECT target IDX %d TOLERANCE %s EQ %s"
                                 % ((y * SIZE + x) * 4, tolerance, tools.number(float(f(x, y))))
                                 for y in (1, 6, 15) for x in (0, 5, 9, 14))
        fragment = ("layout(location = 0) %sin float value;\nlayout(location = 1) %sin vec2 pair;"
                    % (qualifier, qualifier))
        many = "many" if samples > 1 else "target"
        targets = "BUFFER target FORMAT R32_SFLOAT"
        attach = ""
        if samples > 1:
            targets += "\nIMAGE many FORMAT R32_SFLOAT DIM_2D WIDTH 16 HEIGHT 16 SAMPLES %d" % samples
            attach = "  BIND BUFFER target AS resolve\n"
        tools.write(name, purpose, feature, vertex % (qualifier, qualifier), shader(tools, fragment, body, "float"), targets,
                    TRIANGLE % "\n".join(lines),
                    tools.pipeline("p", "f", attach + "  VERTEX_DATA points LOCATION 0\n", target=many),
                    "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST", expectations)

    def perspective(x, right=2.0):
        """The attribute at x pixels, where 1 / w goes from 1 to 1 / right."""
        t = x / 16
        return 128 * (t / right) / ((1 - t) + t / right)

    case("interp-offset", "interpolateAtOffset of an affine input.", "",
         "  result = interpolateAtOffset(value, vec2(0.25, 0.375));", lambda x, y: 8 * (x + 0.75), tolerance=0.6)
    case("interp-offset-negative", "interpolateAtOffset to the left, of a vector.", "",
         "  vec2 p = interpolateAtOffset(pair, vec2(-0.5, 0.25));\n  result = p.x * 2 + p.y;",
         lambda x, y: 16 * x + 8 * (y + 0.75), tolerance=1.6)
    case("interp-offset-noperspective", "interpolateAtOffset of an input without perspective.", "noperspective ",
         "  result = interpolateAtOffset(value, vec2(0.25, 0));", lambda x, y: 8 * (x + 0.75), 2.0, tolerance=0.6)
    case("interp-offset-variable", "interpolateAtOffset with an offset of each pixel.", "",
         "  float dx = float(uint(gl_FragCoord.x) & 1u) * 0.25;\n  result = interpolateAtOffset(value, vec2(dx, 0));",
         lambda x, y: 8 * (x + 0.5 + 0.25 * (x & 1)), tolerance=0.6)
    case("interp-centroid", "interpolateAtCentroid where all of a pixel is covered.", "",
         "  result = interpolateAtCentroid(value);", lambda x, y: 8 * (x + 0.5))
    case("interp-sample-single", "interpolateAtSample with one sample: its place is the centre.", "",
         "  result = interpolateAtSample(value, 0);", lambda x, y: 8 * (x + 0.5), tolerance=0.1)
    # Standard places of four samples: x = 0.375, 0.875, 0.125, 0.625.
    case("interp-sample-four", "interpolateAtSample of each of four samples.", "",
         "  result = interpolateAtSample(value, int(uint(gl_FragCoord.x) & 3u));",
         lambda x, y: 8 * (x + [0.375, 0.875, 0.125, 0.625][x & 3]), samples=4, tolerance=0.6)
    case("interp-noperspective", "An input without perspective.", "noperspective ", "  result = value;",
         lambda x, y: 8 * (x + 0.5), 2.0)
    case("interp-perspective", "An input with perspective.", "", "  result = value;", lambda x, y: perspective(x + 0.5), 2.0,
         tolerance=0.2)
    case("interp-in-function", "interpolateAtOffset in a loop and of a component.", "",
         "  float sum = 0;\n  for (int i = 0; i < 4; ++i)\n    sum += interpolateAtOffset(pair.y, vec2(0, float(i) * 0.125));\n"
         "  result = sum / 4;", lambda x, y: 8 * (y + 0.5 + 0.1875), tolerance=0.6)


def families(tools):
    for family in (implicit_levels, offsets, projections, gathers, comparisons, filters, queries, fetches, storage,
                   multisampled, derivatives, interpolations):
        family(tools)
