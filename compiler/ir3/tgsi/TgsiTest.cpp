// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/tgsi/Tgsi.h"

#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/ir/Verify.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// Verbatim from the ir3 notes.
static constexpr StringLiteral notesExample = R"(
  VERT
  DCL IN[0]
  DCL IN[1]
  DCL OUT[0], POSITION
  DCL TEMP[0], LOCAL
    1: DP3 TEMP[0].x, IN[0].xyzz, IN[1].xyzz
    2: MOV OUT[0], TEMP[0].xxxx
    3: END
)";

namespace {
/// An edge of a figure by what its ends are called: "mad.f32", "i0.x", "o0.w"; with the port of the
/// user.
using Edge = std::tuple<std::string, std::string, std::string>;
} // namespace

/// The edges of \p graph with the names of nodes replaced by \p names; unknown ones get the
/// mnemonic of their label and their number among equal ones, in the order of the text.
static std::multiset<Edge> readEdges(StringRef graph) {
  std::map<std::string, std::string> names;
  SmallVector<StringRef, 64> lines;
  graph.split(lines, '\n');
  static const Regex node(R"re((instr[0-9a-f]+) \[.*label="\{([^|]+)\|)re");
  static const Regex ports(R"re(<((in|out)[0-9]+)> ([io][0-9]\.[xyzw]))re");
  static const Regex edge(
      R"re(^ *([a-z0-9]+):<([a-z0-9]+)>(:w)? -> ([a-z0-9]+):<([a-z0-9]+)>(:e)?)re");
  SmallVector<StringRef, 8> parts;
  for (StringRef line : lines) {
    if (node.match(line, &parts))
      names[parts[1].str()] = parts[2].str();
    for (StringRef rest = line; ports.match(rest, &parts);
         rest = rest.substr(rest.find(parts[0]) + 1))
      names[parts[1].str()] = parts[3].str();
  }
  std::multiset<Edge> edges;
  for (StringRef line : lines) {
    if (!edge.match(line, &parts))
      continue;
    bool fromInput = parts[2].starts_with("in"), toOutput = parts[5].starts_with("out");
    edges.emplace(names[(fromInput ? parts[2] : parts[1]).str()],
                  names[(toOutput ? parts[5] : parts[4]).str()], toOutput ? "" : parts[5].str());
  }
  return edges;
}

/// The figure of the notes, edge by edge: no two of its nodes have equal neighbours but the moves,
/// which are interchangeable, so that equal edges of this kind mean isomorphic graphs.
static std::multiset<Edge> figure() {
  return {{"i0.x", "mul.f", "src0"},
          {"i1.x", "mul.f", "src1"},
          {"i0.y", "mad.f32", "src0"},
          {"i1.y", "mad.f32", "src1"},
          {"i0.z", "mad.f32", "src0"},
          {"i1.z", "mad.f32", "src1"},
          {"mul.f", "mad.f32", "src2"},
          {"mad.f32", "mad.f32", "src2"},
          {"mad.f32", "mov.f32f32", "src0"},
          {"mad.f32", "mov.f32f32", "src0"},
          {"mad.f32", "mov.f32f32", "src0"},
          {"mov.f32f32", "o0.x", ""},
          {"mov.f32f32", "o0.y", ""},
          {"mov.f32f32", "o0.z", ""},
          {"mad.f32", "o0.w", ""}};
}

// Row 55: TGSI text as input. Row 10: the graph of the example is that of the notes' figure.
TEST(Tgsi, Row10And55GraphOfTheNotesExample) {
  Expected<std::unique_ptr<Program>> program = readTgsi(notesExample, *findCompiler("a420"));
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  EXPECT_FALSE(bool(verifyProgram(**program)));
  std::string graph = printGraph(**program, "vert");
  EXPECT_EQ(readEdges(graph), figure()) << graph;
  EXPECT_EQ((*program)->stage, ShaderStage::Vertex);
}

TEST(Tgsi, BranchesBecomePhis) {
  Expected<std::unique_ptr<Program>> program = readTgsi(R"(
FRAG
DCL IN[0]
DCL OUT[0], COLOR
DCL TEMP[0]
DCL CONST[0..1]
IMM[0] FLT32 { 0.5, 1.0, 2.0, 0.0 }
  0: SLT TEMP[0].x, IN[0].xxxx, CONST[1].yyyy
  1: MOV TEMP[0].y, IMM[0].xxxx
  2: IF TEMP[0].xxxx :5
  3:   MAD_SAT TEMP[0].y, -IN[0].yyyy, IMM[0].zzzz, |IN[0].zzzz|
  4: ELSE :6
  5:   RCP TEMP[0].y, IN[0].yyyy
  6: ENDIF
  7: MOV OUT[0], TEMP[0].yyyy
  8: END
)",
                                                        *findCompiler("a630"));
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  EXPECT_FALSE(bool(verifyProgram(**program)));
  std::string text = print(**program);
  EXPECT_NE(text.find("meta:phi"), std::string::npos) << text;
  EXPECT_EQ((*program)->constDwords, 8u);
}

TEST(Tgsi, NamesWhatItLacks) {
  for (auto [text, reason] :
       {std::pair("VERT\nDCL SAMP[0]\n", "declaration of 'SAMP[0]'"),
        std::pair("VERT\n 0: TEX OUT[0], IN[0], SAMP[0], 2D\n", "line 2"),
        std::pair("VERT\nDCL IN[0]\n", "without END"),
        std::pair("VERT\n 0: ENDIF\n", "ENDIF without IF"),
        std::pair("VERT\n 0: ADD TEMP[0].x, IN[0].xxxx\n", "ADD needs 2 operands"),
        std::pair("0: MOV OUT[0], IN[0]\n", "outside of the shader")}) {
    Expected<std::unique_ptr<Program>> program = readTgsi(text, *findCompiler("a630"));
    ASSERT_FALSE(bool(program)) << text;
    EXPECT_NE(toString(program.takeError()).find(reason), std::string::npos) << text;
  }
}
