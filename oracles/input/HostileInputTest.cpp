// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Malformed, truncated and damaged inputs: one clear message, never a crash, never more memory than
// the limits allow.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;

namespace {

ErrorParts failure(const std::string &text, const char *path = "t.amber") {
  Expected<Case> result = readCaseFromText(text, path, "t");
  if (!result)
    return assay::takeError(result.takeError());
  return {ErrorKind::Environment, "accepted"};
}

const std::string shader = "SHADER compute s GLSL\n#version 450\n"
                           "layout(binding = 0) buffer B { uint b[]; };\n"
                           "void main() { b[0] = 1; }\nEND\n";
const std::string head = "#!amber\n" + shader +
                         "BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0\n"
                         "BUFFER i DATA_TYPE int8 DATA 1 END\n";
const std::string pipe = "PIPELINE compute p\nATTACH s\n";
const std::string whole =
    head + pipe + "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n";

struct Row {
  std::string text;
  const char *message;
};

void expectInvalid(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    ErrorParts parts = failure(row.text);
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << row.text << "\n" << parts.message;
    EXPECT_NE(parts.message.find(row.message), std::string::npos)
        << row.text << "\ngave: " << parts.message;
    EXPECT_NE(parts.message.find("line "), std::string::npos) << parts.message;
  }
}

TEST(HostileInput, RefusesBrokenStatements) {
  expectInvalid({
      {"RUN p 1 1 1\n", "expected #!amber"},
      {"#!amber", "expected statements"},
      {"#!amber\nHELLO\n", "unknown statement 'HELLO'"},
      {"#!amber\nDEVICE_FEATURE\n", "expected a name"},
      {"#!amber\nDEVICE_FEATURE a b\n", "expected the end of the line"},
      {"#!amber\nSET ENGINE\n", "expected ENGINE_DATA"},
      {"#!amber\nSET ENGINE_DATA fence_timeout_ms soon\n", "milliseconds"},
      {"#!amber\nVIRTUAL_FILE x\nabc\n", "has no END"},
      {"#!amber\nVIRTUAL_FILE x\nEND\nVIRTUAL_FILE x\nEND\n", "declared before"},
      {"#!amber\nREPEAT 0\nEND\n", "repeats nothing"},
      {"#!amber\nREPEAT 2\n", "REPEAT has no END"},
      {"#!amber\nREPEAT 2\nEND\n", "has no statements"},
      {"#!amber\nREPEAT 2\nBUFFER a DATA_TYPE int8 DATA 1 END\nEND\n", "not allowed inside REPEAT"},
      {"#!amber\nSTRUCT s\nint8 x\n", "STRUCT has no END"},
      {"#!amber\nCLEAR p\n", "unknown pipeline"},
      {whole + "CLEAR p\n", "can't be cleared"},
  });
}

TEST(HostileInput, RefusesBrokenShaders) {
  expectInvalid({
      {"#!amber\nSHADER\n", "expected a shader stage"},
      {"#!amber\nSHADER pixel s GLSL\nEND\n", "unknown shader stage"},
      {"#!amber\nSHADER compute\n", "expected a shader name"},
      {"#!amber\nSHADER compute s\n", "expected a shader language"},
      {"#!amber\nSHADER compute s PERL\nEND\n", "unknown shader language"},
      {"#!amber\nSHADER compute s PASSTHROUGH\n", "for vertex shaders"},
      {"#!amber\nSHADER compute s GLSL\nvoid main() {}\n", "SHADER has no END"},
      {"#!amber\nSHADER compute s GLSL\nEND\n", "the shader is empty"},
      {"#!amber\nSHADER compute s SPIRV-ASM TARGET_ENV spv9.9\nEND\n",
       "unknown target environment"},
      {"#!amber\nSHADER compute s SPIRV-ASM\nEND\n", "the shader is empty"},
      {"#!amber\nSHADER compute s SPIRV-HEX\n0x07230203 0xnope\nEND\n", "not a hexadecimal"},
      {"#!amber\nSHADER compute s SPIRV-BIN\nEND\n", "expected FILE"},
      {"#!amber\nSHADER compute s GLSL VIRTUAL_FILE none\n", "does not exist"},
      {"#!amber\nSHADER compute s GLSL FILE /etc/hostname\n", "must be relative"},
      {"#!amber\n" + shader + shader, "declared before"},
  });
}

TEST(HostileInput, RefusesBrokenBuffers) {
  const std::string b = "#!amber\nBUFFER b ";
  expectInvalid({
      {b, "expected DATA_TYPE"},
      {b + "DATA_TYPE\n", "expected a data type"},
      {b + "DATA_TYPE flaot SIZE 1 FILL 1\n", "unknown data type 'flaot'"},
      {b + "DATA_TYPE int8\n", "expected DATA, SIZE or FILE"},
      {b + "DATA_TYPE int8 SIZE 0 FILL 1\n", "of this size"},
      {b + "DATA_TYPE int8 SIZE -1 FILL 1\n", "unsigned number"},
      {b + "DATA_TYPE vec4<double> SIZE 18446744073709551615 FILL 1\n", "of this size"},
      {b + "DATA_TYPE int8 SIZE 1\n", "expected FILL"},
      {b + "DATA_TYPE int8 SIZE 1 FILL\n", "expected a value"},
      {b + "DATA_TYPE int8 SIZE 1 FILL 128\n", "does not fit in int8"},
      {b + "DATA_TYPE int8 SIZE 1 FILL 1 2\n", "expected the end of the line"},
      {b + "DATA_TYPE int8 SIZE 1 SERIES_FROM 1\n", "expected INC_BY"},
      {b + "DATA_TYPE int8 SIZE 1 SERIES_FROM 1 INC_BY x\n", "not an integer"},
      {b + "DATA_TYPE int8 DATA\n1 2\n", "DATA has no END"},
      {b + "DATA_TYPE int8 DATA END\n", "whole number of elements"},
      {b + "DATA_TYPE vec2<int8> DATA 1 2 3 END\n", "whole number of elements"},
      {b + "DATA_TYPE float DATA 1.0 two END\n", "'two' is not a number"},
      {b + "DATA_TYPE uint32 DATA -1 END\n", "does not fit in uint32"},
      {b + "DATA_TYPE int8 DATA 1 END 2\n", "expected the end of the line"},
      {b + "DATA_TYPE int8 SIZE 2 FILE BINARY none.bin\n", "does not exist"},
      {b + "FORMAT X\nBUFFER b FORMAT Y\n", "declared before"},
  });
}

TEST(HostileInput, RefusesBrokenPipelines) {
  const std::string twice = "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n";
  expectInvalid({
      {"#!amber\nPIPELINE magic p\nEND\n", "unknown kind of pipeline"},
      {head + "PIPELINE compute p\nEND\n", "has no shader"},
      {head + pipe, "PIPELINE has no END"},
      {head + pipe + "DANCE\nEND\n", "unknown statement 'DANCE'"},
      {head + "PIPELINE compute p\nATTACH t\nEND\n", "unknown shader 't'"},
      {head + pipe + "ATTACH s\nEND\n", "has a compute shader already"},
      {head + "PIPELINE compute p\nATTACH s TYPE vertex\nEND\n", "can't be attached"},
      {head + "PIPELINE compute p\nATTACH s ENTRY_POINT foo\nEND\n",
       "no compute entry point 'foo'"},
      {head + "PIPELINE compute p\nATTACH s SPECIALIZE 1 AS vec2<int8> 1\nEND\n", "no scalar type"},
      {head + "PIPELINE compute p\nATTACH s SPECIALIZE 1 AS int8 1 SPECIALIZE 1 AS int8 1\nEND\n",
       "specialized twice"},
      {head + pipe + "BIND a\nEND\n", "expected BUFFER"},
      {head + pipe + "BIND BUFFER z AS storage\nEND\n", "unknown buffer 'z'"},
      {head + pipe + "BIND BUFFER a AS\nEND\n", "expected a kind of binding"},
      {head + pipe + "BIND BUFFER a AS soup\nEND\n", "unknown kind of binding"},
      {head + pipe + "BIND BUFFER a AS storage\nEND\n", "expected DESCRIPTOR_SET"},
      {head + pipe + "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0 SIZE 3\nEND\n",
       "unknown option 'SIZE'"},
      {head + pipe + "BIND BUFFER a AS storage DESCRIPTOR_SET 0 DESCRIPTOR_SET 0\nEND\n", "twice"},
      {head + pipe + "BIND BUFFER a AS push_constant BINDING 1\nEND\n", "neither set nor binding"},
      {head + pipe + "BIND BUFFER a AS storage_dynamic DESCRIPTOR_SET 0 BINDING 0\nEND\n",
       "expected OFFSET"},
      {head + pipe +
           "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 16\nEND\n",
       "leave the buffer"},
      {head + pipe + twice + twice + "END\n", "is bound twice"},
      {head + pipe + "SHADER_OPTIMIZATION s\nstrip-debug\n", "has no END"},
      {head + pipe + "COMPILE_OPTIONS s\nEND\nEND\n", "OPENCL-C"},
      {whole + "PIPELINE compute p\nATTACH s\nEND\n", "declared before"},
      {whole + "DERIVE_PIPELINE q FROM r\nEND\n", "unknown pipeline 'r'"},
  });
}

TEST(HostileInput, RefusesBrokenCommands) {
  expectInvalid({
      {whole + "RUN q 1 1 1\n", "unknown pipeline 'q'"},
      {whole + "RUN p 1 1\n", "expected a number of workgroups"},
      {whole + "RUN p 1 1 4294967296\n", "is above"},
      {whole + "COPY a b\n", "expected TO"},
      {whole + "COPY a TO a\n", "to itself"},
      {whole + "COPY a TO i\n", "of one size"},
      {whole + "EXPECT a\n", "expected IDX"},
      {whole + "EXPECT a IDX\n", "expected an offset"},
      {whole + "EXPECT a IDX 0\n", "expected a comparator"},
      {whole + "EXPECT a IDX 0 IS 1\n", "expected a comparator instead of 'IS'"},
      {whole + "EXPECT a IDX 0 EQ\n", "expected values"},
      {whole + "EXPECT a IDX 0 EQ 1.5\n", "is not an integer"},
      {whole + "EXPECT a IDX 13 EQ 0\n", "of buffer a, which has 16"},
      {whole + "EXPECT a IDX 9223372036854775807 EQ 0\n", "of buffer a"},
      {whole + "EXPECT a IDX 0 TOLERANCE EQ 0\n", "one to four tolerances"},
      {whole + "EXPECT a IDX 0 TOLERANCE -1 EQ 0\n", "negative"},
      {whole + "EXPECT a IDX 0 TOLERANCE 1 LT 0\n", "with EQ only"},
      {whole + "EXPECT a EQ_BUFFER i\n", "differ in size or type"},
      {whole + "EXPECT a RMSE_BUFFER a\n", "expected TOLERANCE"},
      {whole + "EXPECT a RMSE_BUFFER a TOLERANCE 1%\n", "plain number"},
  });
}

TEST(HostileInput, KeepsItsLimits) {
  for (const std::string &text :
       {std::string("#!amber\nBUFFER b DATA_TYPE int8 SIZE 999999999999 FILL 1\n"),
        std::string("#!amber\nBUFFER b DATA_TYPE int8 SIZE 200000000 FILL 0\n"
                    "BUFFER c DATA_TYPE int8 SIZE 200000000 FILL 0\n"),
        whole + "RUN p 65536 65536 1\n", whole + "REPEAT 4294967295\nRUN p 1 1 1\nEND\n"})
    EXPECT_EQ(failure(text).kind, ErrorKind::Limit) << text << failure(text).message;
}

TEST(HostileInput, EndsIncludesThatIncludeThemselves) {
  ErrorParts parts = failure("#!amber\nVIRTUAL_FILE a\n#include \"a\"\nEND\nSHADER compute s GLSL\n"
                             "#version 450\n#extension GL_GOOGLE_include_directive : require\n"
                             "#include \"a\"\nvoid main() {}\nEND\n");
  EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << parts.message;
}

TEST(HostileInput, EndsIncludesThatMultiply) {
  ErrorParts parts = failure("#!amber\nVIRTUAL_FILE a\n#include \"b\"\n#include \"b\"\nEND\n"
                             "VIRTUAL_FILE b\n#include \"a\"\n#include \"a\"\nEND\n"
                             "SHADER compute s GLSL\n#version 450\n"
                             "#extension GL_GOOGLE_include_directive : require\n"
                             "#include \"a\"\nvoid main() {}\nEND\n");
  EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << parts.message;
}

// A tree that is deeper than an ordinary stack: 100,000 terms.
TEST(HostileInput, SurvivesDeepExpressions) {
  std::string sum = "x";
  for (int i = 0; i < 100'000; ++i)
    sum += "+x";
  std::string text = "#version 450\nlayout(binding = 0) buffer B { uint b[]; };\n"
                     "void main() { uint x = b[0]; b[1] = " +
                     sum + "; }\n";
  EXPECT_EQ(failure(text, "t.comp").message, "accepted");
  for (const char *open : {"(", "{", "~", "b[", "if (x == 1u) "}) {
    std::string nested = "#version 450\nvoid main() { ";
    for (int i = 0; i < 20'000; ++i)
      nested += open;
    EXPECT_EQ(failure(nested, "t.comp").kind, ErrorKind::InvalidInput) << open;
  }
  EXPECT_EQ(failure("#version 450\n" + std::string(2 << 20, ' '), "t.comp").kind, ErrorKind::Limit);
}

const std::string vkScript = "[require]\nshaderInt64\n[compute shader]\n#version 450\n"
                             "layout(binding = 0) buffer B { uint b[]; };\n"
                             "void main() { b[0] = 1; }\n[test]\nssbo 0 16\n"
                             "ssbo 0 subdata uint 0 1 2 3 4\ncompute 1 1 1\n"
                             "tolerance 0.1\nprobe ssbo uint 0 0 == 1 2\n";

/// The result may be anything but a crash or an error of another kind.
void survive(const std::string &text, const char *path) {
  Expected<Case> result = readCaseFromText(text, path, "t");
  if (result)
    return;
  ErrorParts parts = assay::takeError(result.takeError());
  EXPECT_NE(parts.kind, ErrorKind::Environment) << parts.message;
  EXPECT_FALSE(parts.message.empty());
}

TEST(HostileInput, SurvivesTruncationAnywhere) {
  const std::string amber = whole + "REPEAT 2\nRUN p 1 1 1\nEXPECT a IDX 0 TOLERANCE 1 EQ 1\nEND\n"
                                    "EXPECT a EQ_BUFFER a\nCOPY a \\\n TO i\n";
  for (size_t length = 0; length <= amber.size(); ++length)
    survive(amber.substr(0, length), "t.amber");
  for (size_t length = 0; length <= vkScript.size(); ++length)
    survive(vkScript.substr(0, length), "t.shader_test");
}

TEST(HostileInput, SurvivesDamagedBytes) {
  std::mt19937 random(20260704); // A fixed seed: the same damage each time.
  const std::string amber = whole + "RUN p 1 1 1\nEXPECT a IDX 0 EQ 1\n";
  for (int round = 0; round < 2000; ++round) {
    bool isAmber = round % 2 == 0;
    std::string text = isAmber ? amber : vkScript;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      text[random() % text.size()] ^= static_cast<char>(1u << (random() % 8));
    survive(text, isAmber ? "t.amber" : "t.shader_test");
  }
}

} // namespace
