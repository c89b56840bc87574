// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the writer says must read back as the same case: for the whole corpus, and for values that
// a script can hardly say.
#include "oracles/input/AmberWriter.h"
#include "oracles/input/CaseDifference.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;

static std::string writeOrExplain(const Case &input) {
  Expected<std::string> text = writeAmber(input);
  return text ? std::move(*text) : "unsupported: " + takeError(text.takeError()).message;
}

static Case readText(StringRef text) {
  Expected<Case> input = readCaseFromText(text, "written.amber", "written");
  EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message) << text.str();
  return input ? std::move(*input) : Case();
}

TEST(AmberWriter, CorpusReadsBackTheSame) {
  std::error_code code;
  unsigned written = 0;
  std::vector<std::string> refused;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", code), end;
       it != end && !code; it.increment(code)) {
    if (sys::path::extension(it->path()) != ".amber")
      continue;
    SCOPED_TRACE(it->path());
    Case input = cantFail(readCase(it->path(), "case"));
    std::string text = writeOrExplain(input);
    if (StringRef(text).starts_with("unsupported: ")) {
      refused.push_back(sys::path::stem(it->path()).str());
      continue;
    }
    ++written;
    Case again = readText(text);
    EXPECT_EQ(describeDifference(input, again), "");
    // The assembler numbers ids as it first sees them, so from the second text on nothing changes.
    std::string second = writeOrExplain(again);
    EXPECT_EQ(writeOrExplain(readText(second)), second);
  }
  EXPECT_GE(written, 190u);
  // Floats expected in a structure.
  EXPECT_THAT(refused, testing::ElementsAre("resource-structures"));
}

static const char *const shader = R"(#!amber
SHADER compute s GLSL
#version 450
layout(set = 0, binding = 0) buffer B { uint values[]; };
void main() { values[0] = 1; }
END
)";

TEST(AmberWriter, RefusesAnExpectedValueWithoutALiteral) {
  Case input = readText(std::string(shader) + R"(BUFFER b DATA_TYPE float DATA
1.5
END
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT b IDX 0 EQ 1.5
)");
  ASSERT_EQ(input.commands.size(), 2u);
  auto &expectation = std::get<Expectation>(input.commands[1]);
  EXPECT_THAT(writeOrExplain(input), testing::HasSubstr("EXPECT b IDX 0 EQ 1.5\n"));
  expectation.values = {0x7fc00001}; // A NaN with a payload.
  EXPECT_EQ(writeOrExplain(input),
            "unsupported: writing AmberScript: an expected value in buffer b that has no literal");
}

TEST(AmberWriter, BytesThatNoLiteralSaysStay) {
  Case input = readText(std::string(shader) + R"(BUFFER b DATA_TYPE vec4<float> DATA
1.5 -0.0 nan inf
END
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
)");
  EXPECT_EQ(input.buffers.size(), 1u);
  Case again = readText(writeOrExplain(input));
  EXPECT_EQ(again.buffers[0].bytes, input.buffers[0].bytes);
  EXPECT_EQ(again.buffers[0].format.rows, 4u);
  input.buffers[0].bytes[8] = 1; // A payload of the NaN.
  again = readText(writeOrExplain(input));
  EXPECT_EQ(again.buffers[0].bytes, input.buffers[0].bytes);
  EXPECT_EQ(again.buffers[0].format.scalar, ScalarKind::Uint32);
}

TEST(AmberWriter, RefusesWhatAScriptCannotSay) {
  Case input = readText(std::string(shader) + R"(BUFFER b DATA_TYPE uint32 SIZE 1 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT b IDX 0 EQ 1
)");
  EXPECT_FALSE(StringRef(writeOrExplain(input)).starts_with("unsupported"));
  Case gap = input;
  gap.pipelines[0].bindings[0].arrayElement = 1;
  EXPECT_NE(writeOrExplain(gap).find("gaps"), std::string::npos);
  Case typed = input;
  std::get<Expectation>(typed.commands[1]).format.scalar = ScalarKind::Float32;
  EXPECT_NE(writeOrExplain(typed).find("an expectation of float32"), std::string::npos);
}
