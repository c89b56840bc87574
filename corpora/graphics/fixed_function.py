# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of make.py: fixed-function state of rasterization, depth, stencil and blending."""

from script import *

ROWS = "uint(gl_FragCoord.y) + 20"
DEPTH = "  BIND BUFFER depth AS depth_stencil\n%s  DEPTH\n%s  END\n"


def depth_lines(**words):
    return "".join("    %s %s\n" % item for item in words.items())


def on(**words):
    return depth_lines(TEST="on", WRITE="on", **words)


def depth_case(name, purpose, base, corners, setting, value, after=None, states=(), features=(), extra="", fmt="D32_SFLOAT"):
    """A base of depth `base` and colour 7; then triangles of vec3 `corners` with `setting`. value(x, y): colours; after:
    depths of row 3."""
    lines = [picture("target", 1, filled(value))]
    if after:
        lines.append(expect("depth", 4, 0, 3, [after(x) for x in range(SIZE)]))
    write(name, purpose, "\n".join("DEVICE_FEATURE " + feature for feature in features), "\n".join(states), DEEP_VERTEX,
          fragment("f", "uint", ROWS), fragment("base", "uint", "7"), "BUFFER target FORMAT R8_UINT",
          "BUFFER depth FORMAT " + fmt, data("whole", "vec3<float>", quad(0, 16, base)),
          data("corners", "vec3<float>", corners),
          pipeline("below", "base", DEPTH % ("  VERTEX_DATA whole LOCATION 0\n", on(COMPARE_OP="always"))),
          pipeline("above", "f", DEPTH % ("  VERTEX_DATA corners LOCATION 0\n" + extra, setting)),
          "CLEAR below\nRUN below DRAW_ARRAY AS TRIANGLE_LIST\nRUN above DRAW_ARRAY AS TRIANGLE_LIST", "\n".join(lines))


def thirds(depths):
    return "\n".join(quad(a, b, depth) for a, b, depth in zip((0, 5, 10), (5, 10, 16), depths))


def third(x):
    return (x >= 5) + (x >= 10)


def depth_states():
    depths = [0.25, 0.5, 0.75]
    seen = lambda passes: lambda x, y: y + 20 if passes[third(x)] else 7
    depth_case("depth-write-off", "Depth is tested but not written.", 0.5, thirds(depths),
               depth_lines(TEST="on", WRITE="off", COMPARE_OP="less"), seen([True, False, False]), lambda x: 0.5)
    depth_case("depth-test-off", "Without the test nothing is written, whatever WRITE says.", 0.5, thirds(depths),
               depth_lines(TEST="off", WRITE="on", COMPARE_OP="less"), seen([True] * 3), lambda x: 0.5)
    for sign, word in ((-1, "nearer"), (1, "farther")):
        bias = 65536.0 * sign
        depth_case("depth-bias-constant-%s" % word, "A constant bias moves a depth of 0.5 %s." % word, 0.5,
                   thirds([0.5, 0.9375, 0.125]),
                   on(COMPARE_OP="less", BIAS="constant %s clamp 0 slope 0" % number(bias)),
                   seen([sign < 0, False, True]))
        # Depth falls by 1/32 a pixel from left to right; the bias of the slope is more than that.
        sloped = "  " + "  ".join("%s %s %s" % (place(x), place(y), number(0.75 - x / 32)) for x, y in rectangle(0, 16))
        depth_case("depth-bias-slope-%s" % word, "A bias of four times the slope moves a plane by 1/8.", 0.5, sloped,
                   on(COMPARE_OP="less", BIAS="constant 0 clamp 0 slope %d" % (4 * sign)),
                   lambda x, y, sign=sign: y + 20 if 0.75 - (x + 0.5) / 32 + sign * 0.125 < 0.5 else 7)
    depth_case("depth-bias-clamp", "A bias is clamped to -1/16.", 0.5, thirds([0.5, 0.53125, 0.59375]),
               on(COMPARE_OP="less", BIAS="constant -4194304 clamp -0.0625 slope 0"), seen([True, True, False]),
               features=("depthBiasClamp",))
    three = ("  " + "\n  ".join(quad(a, b, d).strip() for a, b, d in ((0, 5, 0.25), (5, 10, 0.5), (10, 16, 0.75))))
    write("depth-bounds", "The bounds test looks at the depth that is stored, not at the fragment's.",
          "DEVICE_FEATURE depthBounds", DEEP_VERTEX, fragment("f", "uint", ROWS), fragment("base", "uint", "7"),
          "BUFFER target FORMAT R8_UINT\nBUFFER depth FORMAT D32_SFLOAT", data("stored", "vec3<float>", three),
          data("whole", "vec3<float>", quad(0, 16, 0.875)),
          pipeline("below", "base", DEPTH % ("  VERTEX_DATA stored LOCATION 0\n", on(COMPARE_OP="always"))),
          pipeline("above", "f", DEPTH % ("  VERTEX_DATA whole LOCATION 0\n",
                                          depth_lines(TEST="on", WRITE="off", COMPARE_OP="always",
                                                      BOUNDS="min 0.375 max 0.625"))),
          "CLEAR below\nRUN below DRAW_ARRAY AS TRIANGLE_LIST\nRUN above DRAW_ARRAY AS TRIANGLE_LIST",
          picture("target", 1, filled(lambda x, y: y + 20 if third(x) == 1 else 7)))
    outside = thirds([-0.5, 0.25, 1.5])
    depth_case("depth-clip", "Depths outside of 0 to 1 are clipped.", 0.5, outside, on(COMPARE_OP="always"),
               seen([False, True, False]), lambda x: [0.5, 0.25, 0.5][third(x)])
    depth_case("depth-clamp", "Depths outside of 0 to 1 are clamped.", 0.5, outside,
               on(COMPARE_OP="always", CLAMP="on"), seen([True] * 3), lambda x: [0, 0.25, 1][third(x)],
               features=("depthClamp",))
    depth_case("depth-viewport-range", "The viewport maps depths to 0.25 to 0.75.", 0.5, thirds([0.25, 0.5, 0.75]),
               on(COMPARE_OP="always"), seen([True] * 3), lambda x: [0.375, 0.5, 0.625][third(x)],
               extra="  VIEWPORT 0 0 SIZE 16 16 MIN_DEPTH 0.25 MAX_DEPTH 0.75\n")
    depth_case("depth-viewport-reversed", "A viewport whose minimum is larger than its maximum.", 0.5,
               thirds([0.25, 0.5, 0.75]), on(COMPARE_OP="always"), seen([True] * 3),
               lambda x: [0.75, 0.5, 0.25][third(x)], extra="  VIEWPORT 0 0 SIZE 16 16 MIN_DEPTH 1 MAX_DEPTH 0\n")


# (bytes a texel, bits of depth or 0 for a float)
DEPTH_FORMATS = {"D16_UNORM": (2, 16), "X8_D24_UNORM_PACK32": (4, 24), "D32_SFLOAT": (4, 0), "D24_UNORM_S8_UINT": (4, 24),
                 "D32_SFLOAT_S8_UINT": (8, 0)}


def depth_formats():
    """Depths 0, 1 and one between: nearer than, equal to and farther than what is stored there."""
    for name in DEPTH_FORMATS:
        shader = glsl("fragment", "g", "layout(location = 0) out uint result;\nvoid main() { result = %s + 40; }" % ROWS)
        setting = on(COMPARE_OP="less_or_equal")
        write("depth-format-" + name.lower().replace("_", "-"), "Depths in a buffer of %s." % name, DEEP_VERTEX,
              fragment("f", "uint", ROWS), shader, "BUFFER target FORMAT R8_UINT\nBUFFER depth FORMAT " + name,
              data("first", "vec3<float>", thirds([0, 0.5, 1])), data("second", "vec3<float>", thirds([0.25, 0.25, 0.25])),
              pipeline("p", "f", DEPTH % ("  VERTEX_DATA first LOCATION 0\n", setting)),
              pipeline("q", "g", DEPTH % ("  VERTEX_DATA second LOCATION 0\n", setting)),
              "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST\nRUN q DRAW_ARRAY AS TRIANGLE_LIST",
              picture("target", 1, filled(lambda x, y: y + 20 if third(x) == 0 else y + 60)))


STENCIL = ("  STENCIL %s\n    TEST on\n    FAIL_OP %s\n    PASS_OP %s\n    DEPTH_FAIL_OP %s\n    COMPARE_OP %s\n"
           "    COMPARE_MASK 255\n    WRITE_MASK 255\n    REFERENCE %d\n  END\n")
STENCIL_OPS = {"keep": lambda s, r: s, "zero": lambda s, r: 0, "replace": lambda s, r: r,
               "increment_and_clamp": lambda s, r: min(s + 1, 255), "decrement_and_clamp": lambda s, r: max(s - 1, 0),
               "invert": lambda s, r: s ^ 255, "increment_and_wrap": lambda s, r: s + 1 & 255,
               "decrement_and_wrap": lambda s, r: s - 1 & 255}


def stencil_depth_fail():
    """The stencil test passes, the depth test fails on the right; what is stored is found by a comparison."""
    for op, change in STENCIL_OPS.items():
        before, reference = 7, 100
        after = change(before, reference)
        faces = lambda op, compare, value: STENCIL % ("front_and_back", "keep", "keep", op, compare, value)
        depth = lambda compare: "  DEPTH\n    TEST on\n    WRITE off\n    COMPARE_OP %s\n  END\n" % compare
        bind = "  BIND BUFFER stencil AS depth_stencil\n  VERTEX_DATA corners LOCATION 0\n"
        set_faces = STENCIL % ("front_and_back", "keep", "replace", "replace", "always", before)
        write("stencil-depth-fail-" + op.replace("_", "-"), "Stencil operation %s where depth fails." % op, DEEP_VERTEX,
              fragment("f", "uint", ROWS), fragment("base", "uint", "7"),
              "BUFFER target FORMAT R8_UINT\nBUFFER stencil FORMAT D32_SFLOAT_S8_UINT",
              data("corners", "vec3<float>", quad(0, 8, 0.25) + "\n" + quad(8, 16, 0.75)),
              pipeline("below", "base", bind + depth("always") + set_faces),
              pipeline("tested", "base", bind + depth("greater") + faces(op, "always", reference)),
              pipeline("shown", "f", bind + depth("always") + faces("keep", "equal", after)),
              "CLEAR_DEPTH below 0.5\nCLEAR below\nRUN below DRAW_ARRAY AS TRIANGLE_LIST\n"
              "RUN tested DRAW_ARRAY AS TRIANGLE_LIST\nRUN shown DRAW_ARRAY AS TRIANGLE_LIST",
              picture("target", 1, filled(lambda x, y, hit=after == before: y + 20 if x < 8 or hit else 7)))


# Two triangles that wind in opposite directions: clockwise in the framebuffer on the left.
CLOCKWISE, COUNTER = [(0.25, 0.125), (7.1875, 1), (1, 15.25)], [(15.25, 1), (9, 0.75), (14.375, 15.8125)]


def is_clockwise(t):
    """y points down: a positive area is clockwise as one sees it, and "clockwise" of Vulkan."""
    (ax, ay), (bx, by), (cx, cy) = t
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0


def faces():
    triangles = [CLOCKWISE, COUNTER]
    for front in ("CLOCKWISE", "COUNTER_CLOCKWISE"):
        is_front = [is_clockwise(t) == (front == "CLOCKWISE") for t in triangles]
        for mode in ("NONE", "FRONT_BIT", "BACK_BIT", "FRONT_AND_BACK"):
            drawn = [mode == "NONE" or (mode == "FRONT_BIT" and not f) or (mode == "BACK_BIT" and f) for f in is_front]

            def value(x, y, drawn=drawn, is_front=is_front):
                for t, d, f in zip(triangles, drawn, is_front):
                    if d and inside(t, x, y):
                        return (100 if f else 30) + y
                return 200 + y if y >= 14 and mode == "FRONT_AND_BACK" else 0
            control = mode == "FRONT_AND_BACK"
            write("cull-%s-front-%s" % (mode.lower().replace("_bit", "").replace("_", "-"), front.lower().replace("_", "-")),
                  "Cull mode %s where front faces wind %s; FrontFacing." % (mode, front),
                  set_state("p", "cullMode", "VK_CULL_MODE_" + mode), set_state("p", "frontFace", "VK_FRONT_FACE_" + front),
                  PLAIN_VERTEX, fragment("f", "uint", "(gl_FrontFacing ? 100 : 30) + uint(gl_FragCoord.y)"),
                  fragment("g", "uint", "200 + uint(gl_FragCoord.y)") if control else "", "BUFFER target FORMAT R8_UINT",
                  data("points", "vec2<float>", positions([p for t in triangles for p in t])),
                  pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n"),
                  pipeline("control", "g") if control else "",
                  "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST" +
                  ("\nRUN control DRAW_RECT POS 0 14 SIZE 16 2" if control else ""), picture("target", 1, filled(value)))
    for face, other in (("front", "back"), ("back", "front")):
        values = {face: 5, other: 9}
        state = "  BIND BUFFER stencil AS depth_stencil\n  VERTEX_DATA points LOCATION 0\n"
        sides = "".join(STENCIL % (side, "keep", "replace", "keep", "always", values[side]) for side in ("front", "back"))

        def stored(x, y, values=values):
            for t in triangles:
                if inside(t, x, y):
                    return values["front" if not is_clockwise(t) else "back"]
            return 0
        write("stencil-face-%s" % face, "Faces have stencil state of their own: 5 for %s, 9 for %s." % (face, other),
              PLAIN_VERTEX, fragment("f", "uint", ROWS), "BUFFER target FORMAT R8_UINT\nBUFFER stencil FORMAT S8_UINT",
              data("points", "vec2<float>", positions([p for t in triangles for p in t])),
              pipeline("p", "f", state + sides), "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST",
              picture("stencil", 1, filled(stored)),
              picture("target", 1, filled(lambda x, y: y + 20 if any(inside(t, x, y) for t in triangles) else 0)))


STRIP = [(0.25, 0.125), (2.5, 13.1875), (7.9375, 2.875), (9.9375, 15.75), (15.375, 1.1875)]


def strip_faces():
    """Every second triangle of a strip is wound the other way; its facing is that of the others."""
    triangles = [STRIP[i:i + 3] for i in range(3)]

    def value(x, y):
        return max([30 * (i + 1) + y for i, t in enumerate(triangles) if inside(t, x, y)], default=0)
    front = is_clockwise(triangles[0])
    for mode, drawn in (("BACK_BIT", True), ("FRONT_BIT", False)):
        rows = filled(lambda x, y, drawn=drawn: value(x, y) if drawn else 200 + y if y >= 14 else 0)
        control = "" if drawn else "\nRUN control DRAW_RECT POS 0 14 SIZE 16 2"
        write("cull-strip-" + mode[:-4].lower(), "A strip whose triangles all are front faces, with cull mode %s." % mode,
              "DEVICE_FEATURE geometryShader", set_state("p", "cullMode", "VK_CULL_MODE_" + mode),
              set_state("p", "frontFace", "VK_FRONT_FACE_" + ("CLOCKWISE" if front else "COUNTER_CLOCKWISE")), PLAIN_VERTEX,
              fragment("f", "uint", "uint(gl_PrimitiveID + 1) * 30 + uint(gl_FragCoord.y)"),
              "" if drawn else fragment("g", "uint", "200 + uint(gl_FragCoord.y)"), "BUFFER target FORMAT R8_UINT",
              data("points", "vec2<float>", positions(STRIP)),
              pipeline("p", "f", "  VERTEX_DATA points LOCATION 0\n"), "" if drawn else pipeline("control", "g"),
              "CLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_STRIP" + control, picture("target", 1, rows))


def srgb_targets():
    """The transfer function of sRGB, at numbers that are not near the middle between two of 255ths."""
    encode = lambda x: 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055
    for name in ("R8G8B8A8_SRGB", "B8G8R8A8_SRGB"):
        order = [2, 1, 0, 3] if name[0] == "B" else [0, 1, 2, 3]
        colours = [[0.125, 0.001, 0.90625, 0.25], [0.046875, 0.21875, 0.15625, 0.75]]
        stored = [[int((encode(v) if i < 3 else v) * 255 + 0.5) for i, v in enumerate(colour)] for colour in colours]
        for colour in colours:
            for i, v in enumerate(colour):
                assert abs((encode(v) if i < 3 else v) * 255 % 1 - 0.5) > 0.15, (colour, i)
        text = ["vec4(%s)" % ", ".join(map(str, colour)) for colour in colours]
        write("srgb-encode-" + name[:8].lower(), "Colours are encoded, alpha is not.", PLAIN_VERTEX,
              fragment("f", "vec4", "gl_FragCoord.y < 8 ? %s : %s" % tuple(text)), "BUFFER target FORMAT " + name,
              pipeline("p", "f"), "CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 16 16",
              "\n".join(expect("target", 4, 3, y, [stored[y > 7][i] for i in order]) for y in (2, 12)))


LOGIC = {"CLEAR": lambda s, d: 0, "AND": lambda s, d: s & d, "AND_REVERSE": lambda s, d: s & ~d, "COPY": lambda s, d: s,
         "AND_INVERTED": lambda s, d: ~s & d, "NO_OP": lambda s, d: d, "XOR": lambda s, d: s ^ d,
         "OR": lambda s, d: s | d, "NOR": lambda s, d: ~(s | d), "EQUIVALENT": lambda s, d: ~(s ^ d),
         "INVERT": lambda s, d: ~d, "OR_REVERSE": lambda s, d: s | ~d, "COPY_INVERTED": lambda s, d: ~s,
         "OR_INVERTED": lambda s, d: ~s | d, "NAND": lambda s, d: ~(s & d), "SET": lambda s, d: 255}


def logic_ops():
    for op, combine in LOGIC.items():
        base = lambda x, y: x * 13 + 40
        source = lambda x, y: y * 11 + 3
        write("logic-op-" + op.lower().replace("_", "-"), "Logical operation %s on the left." % op,
              "DEVICE_FEATURE logicOp", set_state("p", "logicOp", "VK_LOGIC_OP_" + op), PLAIN_VERTEX,
              fragment("base", "uint", "uint(gl_FragCoord.x) * 13 + 40"),
              fragment("f", "uint", "uint(gl_FragCoord.y) * 11 + 3"),
              "BUFFER target FORMAT R8_UINT", pipeline("below", "base"), pipeline("p", "f"), pipeline("q", "f"),
              "RUN below DRAW_RECT POS 0 0 SIZE 16 16\nRUN p DRAW_RECT POS 0 0 SIZE 8 16\n"
              "RUN q DRAW_RECT POS 14 0 SIZE 2 16",
              picture("target", 1, filled(lambda x, y, combine=combine: combine(source(x, y), base(x, y)) & 255 if x < 8
                                          else source(x, y) if x >= 14 else base(x, y))))


def write_masks():
    for mask in range(16):
        names = [bit for i, bit in enumerate("RGBA") if mask >> i & 1]
        text = "|".join("VK_COLOR_COMPONENT_%s_BIT" % name for name in names) or "0"
        old = lambda x: [x, 1, 2, 3]
        new = lambda y: [100 + y, 101, 102, 103]
        mixed = lambda x, y, mask=mask: [new(y)[i] if mask >> i & 1 else old(x)[i] for i in range(4)]
        write("write-mask-" + ("".join(names).lower() or "none"), "Components %s are written." % ("".join(names) or "none"),
              set_state("p", "colorWriteMask", text), PLAIN_VERTEX,
              fragment("base", "uvec4", "uvec4(uint(gl_FragCoord.x), 1, 2, 3)"),
              fragment("f", "uvec4", "uvec4(100 + uint(gl_FragCoord.y), 101, 102, 103)"),
              "BUFFER target FORMAT R8G8B8A8_UINT", pipeline("below", "base"), pipeline("p", "f"), pipeline("q", "f"),
              "RUN below DRAW_RECT POS 0 0 SIZE 16 16\nRUN p DRAW_RECT POS 0 0 SIZE 8 16\n"
              "RUN q DRAW_RECT POS 12 0 SIZE 4 16",
              "\n".join(expect("target", 4, 0, y, [v for x in range(SIZE) for v in
                                                  (mixed(x, y) if x < 8 else new(y) if x >= 12 else old(x))])
                        for y in (0, 6, 15)))


CONSTANTS = [0.5, 0.25, 0.75, 0.125]


def blend_constants():
    for name in ("constant_color", "one_minus_constant_color", "constant_alpha", "one_minus_constant_alpha"):
        factors = CONSTANTS if "color" in name else [CONSTANTS[3]] * 4
        if name.startswith("one"):
            factors = [1 - value for value in factors]
        state = "  BLEND\n" + "".join("    %s_%s_FACTOR %s\n" % (side, channel, word) for channel in ("COLOR", "ALPHA")
                                      for side, word in (("SRC", name), ("DST", "one"))) + "  END\n"
        src = lambda y: [y + 0.5, 4, 8, 16]
        write("blend-constants-" + name.replace("_", "-"), "Blend factor %s with constants." % name,
              set_state("p", "blendConstants", " ".join(map(str, CONSTANTS))), PLAIN_VERTEX,
              fragment("base", "vec4", "vec4(1, 2, 3, 4)"), fragment("f", "vec4", "vec4(gl_FragCoord.y, 4, 8, 16)"),
              "BUFFER target FORMAT R32G32B32A32_SFLOAT", pipeline("below", "base"), pipeline("p", "f", state),
              "RUN below DRAW_RECT POS 0 0 SIZE 16 16\nRUN p DRAW_RECT POS 0 0 SIZE 8 16",
              "\n".join(expect("target", 16, x, y, [s * f + d for s, f, d in zip(src(y), factors, (1, 2, 3, 4))]
                               if x < 8 else [1, 2, 3, 4]) for x in (2, 12) for y in (1, 9)))


FAMILIES = (depth_states, depth_formats, stencil_depth_fail, faces, strip_faces, srgb_targets, logic_ops, write_masks, blend_constants)
