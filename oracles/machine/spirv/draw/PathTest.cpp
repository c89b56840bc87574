// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths that fragments share, and calls looked up in a table: the results are those of plain runs.
#include "oracles/machine/spirv/draw/DrawCaseTesting.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;
using ::testing::HasSubstr;

static const std::string wholeTriangle =
    "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, "
    "gl_VertexIndex == 2 ? 3 : -1, 0.25, 1); }\n";

/// A draw with functions and the body of main(), which writes its result, 0 to 255, to \c red. x
/// and y are the place of the fragment.
static DrawCase makeDraw(const std::string &functions, const std::string &body) {
  return DrawCase(wholeTriangle,
                  "layout(location = 0) out vec4 color;\n" + functions +
                      "void main() { int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y), "
                      "red = 0;\n" +
                      body + "color = vec4(red / 255.0, 0, 0, 1); }\n");
}

template <typename Function> static std::vector<uint8_t> expectedRed(Function function) {
  std::vector<uint8_t> red;
  for (int y = 0; y < int(DrawCase::Height); ++y)
    for (int x = 0; x < int(DrawCase::Width); ++x)
      red.push_back(static_cast<uint8_t>(function(x, y)));
  return red;
}

TEST(SpirvPaths, ForkWhereInputsDecide) {
  DrawCase draw =
      makeDraw("", "for (int i = 0; i < 20; ++i) { if (i % 8 >= x) red += i; if (i == y "
                   "+ 9) break; }\n");
  EXPECT_EQ(draw.runRed(), expectedRed([](int x, int y) {
              int red = 0;
              for (int i = 0; i <= y + 9; ++i)
                red += i % 8 >= x ? i : 0;
              return red;
            }));
}

TEST(SpirvPaths, SortOnceForAll) {
  DrawCase draw = makeDraw("int data[8];\n",
                           "for (int i = 0; i < 8; ++i) data[i] = 20 - 2 * i;\n"
                           "for (int i = 0; i < 8; ++i) for (int j = 0; j < 7; ++j)\n"
                           "  if (data[j] > data[j + 1]) { int t = data[j]; data[j] = data[j + 1]; "
                           "data[j + 1] = t; }\n"
                           "red = data[x] + 30 * data[y] / 6;\n");
  EXPECT_EQ(draw.runRed(),
            expectedRed([](int x, int y) { return 6 + 2 * x + 30 * (6 + 2 * y) / 6; }));
}

TEST(SpirvPaths, StoreWhereInputsSay) {
  DrawCase draw =
      makeDraw("", "int data[8]; for (int i = 0; i < 8; ++i) data[i] = i + y;\n"
                   "data[x] = 100; data[7 - x] += 3; data[y] *= 2;\n"
                   "for (int i = 0; i < 8; ++i) red = (red + data[i] * (i + 1)) % 251;\n");
  EXPECT_EQ(draw.runRed(), expectedRed([](int x, int y) {
              int data[8], red = 0;
              for (int i = 0; i < 8; ++i)
                data[i] = i + y;
              data[x] = 100;
              data[7 - x] += 3;
              data[y] *= 2;
              for (int i = 0; i < 8; ++i)
                red = (red + data[i] * (i + 1)) % 251;
              return red;
            }));
}

TEST(SpirvPaths, SwitchAndDiscard) {
  DrawCase draw = makeDraw("", "switch (x) { case 1: red = 10; case 2: red += 5; break; case 5: "
                               "discard; default: red = 7; }\nif (y == 3) discard;\n");
  EXPECT_EQ(draw.runRed(), expectedRed([](int x, int y) {
              bool isKept = x != 5 && y != 3;
              return !isKept ? 0 : x == 1 ? 15 : x == 2 ? 5 : 7;
            }));
}

TEST(SpirvPaths, MoveVectorsAndStructures) {
  DrawCase draw = makeDraw("struct Pair { ivec3 a; ivec2 b; };\n"
                           "Pair turn(Pair p, inout int n) { n += p.a.z; return Pair(p.a.yzx, "
                           "p.b.yx + n); }\n",
                           "Pair p = Pair(ivec3(x, 2, y), ivec2(1, x)); int n = 1;\n"
                           "for (int i = 0; i < 3; ++i) p = turn(p, n);\n"
                           "red = p.a.x + 2 * p.a.y + 3 * p.a.z + 4 * p.b.x + n;\n");
  EXPECT_EQ(draw.runRed(), expectedRed([](int x, int y) {
              int a[3] = {x, 2, y}, b[2] = {1, x}, n = 1;
              for (int i = 0; i < 3; ++i) {
                n += a[2];
                int first = a[0], low = b[0];
                a[0] = a[1], a[1] = a[2], a[2] = first;
                b[0] = b[1] + n, b[1] = low + n;
              }
              return a[0] + 2 * a[1] + 3 * a[2] + 4 * b[0] + n;
            }));
}

/// Paths are so long here that the tree starts over with a table of calls.
static DrawCase makeSlowDraw() {
  return makeDraw("int slow(int limit, inout int steps) {\n"
                  "  int sum = 0; for (int i = 0; i < 9000; ++i) { sum = (sum * 5 + limit) % "
                  "97; ++steps; if (i > 6000 && sum == 5) return sum + i % 7; }\n"
                  "  return sum; }\n",
                  "int steps = x; red = slow(x + 11, steps) + slow(y, steps);\n"
                  "red = (red + steps) % 256;\n");
}

TEST(SpirvPaths, FindCallsInATable) {
  DrawCase draw = makeSlowDraw();
  auto slow = [](int limit, int &steps) {
    int sum = 0;
    for (int i = 0; i < 9000; ++i) {
      sum = (sum * 5 + limit) % 97;
      ++steps;
      if (i > 6000 && sum == 5)
        return sum + i % 7;
    }
    return sum;
  };
  EXPECT_EQ(draw.runRed(), expectedRed([&](int x, int y) {
              int steps = x, red = slow(x + 11, steps);
              red += slow(y, steps);
              return (red + steps) % 256;
            }));
}

TEST(SpirvPaths, LeaveUndefinedBehaviorToAPlainRun) {
  DrawCase draw = makeDraw("", "red = 12 / (x - 4);\n");
  Outcome outcome = draw.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::UndefinedBehavior);
  EXPECT_THAT(outcome.reason, HasSubstr("fragment (4, 0)"));
  draw = makeDraw("", "int data[4]; data[3] = 1; red = data[x];\n");
  outcome = draw.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::UndefinedBehavior);
}

TEST(SpirvPaths, CountInstructionsOfAllFragments) {
  // Each fragment takes the same path, and so executes the same number of instructions.
  Outcome one = makeDraw("", "for (int i = 0; i < 10; ++i) red += i;\n").run();
  Outcome twice = makeDraw("", "for (int i = 0; i < 20; ++i) red += i;\n").run();
  Outcome thrice = makeDraw("", "for (int i = 0; i < 30; ++i) red += i;\n").run();
  EXPECT_EQ(twice.instructions - one.instructions, thrice.instructions - twice.instructions);
  EXPECT_GT(twice.instructions - one.instructions, 10u * 64);
}

/// Each shows that its part of the tree is used.
TEST(SpirvPaths, FaultsChangeWhatIsDrawn) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  auto expectChange = [](const char *fault, function_ref<DrawCase()> make) {
    EXPECT_EXIT(checkFault(fault, make), ::testing::ExitedWithCode(0), "") << fault;
  };
  expectChange("path-shares-inputs", [] { return makeDraw("", "red = x + 8 * y;\n"); });
  expectChange("path-never-forks",
               [] { return makeDraw("", "if (x < 4) red = 1; else red = 2 + y;\n"); });
  expectChange("path-first-element", [] {
    return makeDraw("", "int data[8] = int[](1, 2, 3, 4, 5, 6, 7, 8); red = data[x];\n");
  });
  expectChange("call-table-short-key", makeSlowDraw);
}
