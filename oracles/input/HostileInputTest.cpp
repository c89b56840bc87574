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
      {"#!amber\nCLEAR p\n", "unknown pipeline"},
      {whole + "CLEAR p\n", "only a graphics pipeline can be cleared"},
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
      {b + "DATA_TYPE int8 SIZE 1\n", "expected FILL"},
      {b + "DATA_TYPE int8 SIZE 1 FILL\n", "expected a value"},
      {b + "DATA_TYPE int8 SIZE 1 FILL 1.5\n", "is not an integer"},
      {b + "DATA_TYPE int8 SIZE 1 FILL 1 2\n", "expected the end of the line"},
      {b + "DATA_TYPE int8 SIZE 1 SERIES_FROM 1\n", "expected INC_BY"},
      {b + "DATA_TYPE int8 SIZE 1 SERIES_FROM 1 INC_BY x\n", "not an integer"},
      {b + "DATA_TYPE int8 DATA\n1 2\n", "DATA has no END"},
      {b + "DATA_TYPE int8 DATA END\n", "whole number of elements"},
      {b + "DATA_TYPE vec2<int8> DATA 1 2 3 END\n", "whole number of elements"},
      {b + "DATA_TYPE float DATA 1.0 two END\n", "'two' is not a number"},
      {b + "DATA_TYPE uint32 SIZE 1 FILL 1.0\n", "must be written as an integer"},
      {b + "DATA_TYPE uint32 SIZE 2 SERIES_FROM 1.0 INC_BY 1\n", "must be written as an integer"},
      {b + "DATA_TYPE float DATA 1e39 END\n", "does not fit in float32"},
      {b + "DATA_TYPE int8 DATA 1 END 2\n", "expected the end of the line"},
      {b + "DATA_TYPE int8 SIZE 2 FILE BINARY none.bin\n", "does not exist"},
      {b + "FORMAT R8_UINT\nBUFFER b FORMAT R8_UINT\n", "declared before"},
  });
}

TEST(HostileInput, RefusesBrokenImages) {
  const std::string i = "#!amber\nIMAGE i ";
  const std::string flat = i + "FORMAT R8_UINT DIM_2D WIDTH 2 HEIGHT 2 ";
  expectInvalid({
      {"#!amber\nIMAGE\n", "expected an image name"},
      {i + "FORMAT\n", "expected a format"},
      {i + "FORMAT R9_UINT\n", "unknown data type 'R9_UINT'"},
      {i + "FORMAT R8_UINT FORMAT R8_UINT\n", "format is given twice"},
      {i + "DIM_2D WIDTH 2 HEIGHT 2\n", "expected FORMAT or DATA_TYPE"},
      {i + "FORMAT R8_UINT HEIGHT 2\n", "expected WIDTH, HEIGHT and DEPTH"},
      {i + "FORMAT R8_UINT DIM_2D WIDTH 2\n", "expected WIDTH, HEIGHT and DEPTH"},
      {i + "FORMAT R8_UINT DIM_1D WIDTH 2 HEIGHT 2\n", "of an image without it"},
      {i + "FORMAT R8_UINT DIM_2D WIDTH 0 HEIGHT 2\n", "WIDTH must be positive"},
      {i + "FORMAT R8_UINT DIM_2D WIDTH 99999999 HEIGHT 2\n", "is above 65536"},
      {i + "FORMAT R8_UINT DIM_2D DIM_1D\n", "dimension is given twice"},
      {i + "FORMAT R8_UINT DIM_4D\n", "unknown option 'DIM_4D'"},
      {flat + "WIDTH 2\n", "WIDTH is given twice"},
      {flat + "SAMPLES 3\n", "SAMPLES must be"},
      {flat + "SAMPLES 4 MIP_LEVELS 2\n", "multisampled"},
      {flat + "SAMPLES 4 DATA 1 END\n", "can be filled only"},
      {flat + "MIP_LEVELS 3\n", "at most 2 mip levels"},
      {i + "FORMAT R8_UINT DIM_3D WIDTH 2 HEIGHT 2 DEPTH 2 ARRAY_LAYERS 2\n", "no layers"},
      {flat + "DATA 1 2 3 END\n", "the data takes 3 bytes"},
      {flat + "FILL 2.5\n", "is not an integer"},
      {flat + "FILE BINARY none\n", "does not exist"},
      {flat + "\nIMAGE i FORMAT R8_UINT DIM_1D WIDTH 1\n", "declared before"},
      {flat + "\nEXPECT i IDX 1 1 SIZE 2 1 EQ_RGB 0 0 0\n", "leave the image"},
      {flat + "\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGB 0 0 256\n", "is above 255"},
      {flat + "\nEXPECT i IDX 0 0 SIZE 1 1 EQ 0 0 0\n", "expected EQ_RGB or EQ_RGBA"},
      {flat + "\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0 TOLERANCE 1 2 3 4 5\n",
       "one to four tolerances"},
      {flat + "\nBUFFER b DATA_TYPE int32 DATA 1 END\nEXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0\n",
       "has no pixels"},
      {"#!amber\nBUFFER f FORMAT R8_UINT\nEXPECT f IDX 0 EQ 1\n", "has no size yet"},
      {"#!amber\nBUFFER f FORMAT R8_UINT\n" + flat.substr(8) + "\nCOPY f TO i\n",
       "has no size yet"},
      {"#!amber\nBUFFER b DATA_TYPE int8 WIDTH 2\n", "expected HEIGHT"},
      {"#!amber\nBUFFER b DATA_TYPE int8 WIDTH 2 HEIGHT 0\n", "must be positive"},
  });
}

TEST(HostileInput, RefusesBrokenSamplersAndStructs) {
  const std::string s = "#!amber\nSAMPLER s ";
  const std::string t = "#!amber\nSTRUCT t\n";
  expectInvalid({
      {"#!amber\nSAMPLER\n", "expected a sampler's name"},
      {s + "MAG_FILTER\n", "expected a value of MAG_FILTER"},
      {s + "MAG_FILTER cubic\n", "unknown value 'cubic' of MAG_FILTER"},
      {s + "ADDRESS_MODE_X repeat\n", "unknown option 'ADDRESS_MODE_X'"},
      {s + "MIN_LOD low\n", "not MIN_LOD"},
      {s + "MAX_LOD inf\n", "must lie between"},
      {s + "MIN_LOD 3 MAX_LOD 2\n", "MAX_LOD is below MIN_LOD"},
      {s + "COMPARE maybe\n", "unknown value 'maybe' of COMPARE"},
      {s + "\nSAMPLER s\n", "declared before"},
      {"#!amber\nSTRUCT\n", "expected a structure's name"},
      {"#!amber\nSTRUCT t STRIDE\n", "expected STRIDE"},
      {t + "END\n", "needs members"},
      {t + "int32 a\n", "STRUCT has no END"},
      {t + "int32\nEND\n", "expected a member's name"},
      {t + "int33 a\nEND\n", "unknown data type 'int33'"},
      {t + "t a\nEND\n", "unknown data type 't'"},
      {t + "int32 a ARRAY_STRIDE 4\nEND\n", "for arrays"},
      {t + "int32[] a ARRAY_STRIDE 4 ARRAY_STRIDE 4\nEND\n", "twice"},
      {t + "int32 a\nint32 a\nEND\n", "two members"},
      {t + "int32 a SIZE 3\nEND\n", "unknown option 'SIZE'"},
      {t + "int32 a OFFSET 4 OFFSET 8\nEND\n", "twice"},
      {t + "int32 a MATRIX_STRIDE 4\nEND\n", "for matrices"},
      {t + "mat2x2<float> a MATRIX_STRIDE 4\nEND\n", "columns of the matrix overlap"},
      {t + "int32 a\nint32 b OFFSET 2\nEND\nBUFFER b DATA_TYPE t DATA 1 2 END\n",
       "line 4: member 'b' at byte 2 overlaps"},
      {"#!amber\nSTRUCT t STRIDE 4\nint64 a\nEND\nBUFFER b DATA_TYPE t DATA 1 END\n",
       "more than its STRIDE"},
      {t + "int32 a\nEND\nSTRUCT t\nint32 a\nEND\n", "declared before"},
      {t + "int32 a\nEND\nBUFFER b DATA_TYPE t SIZE 2 SERIES_FROM 0 INC_BY 1\n", "a series"},
      {t + "int32 a\nint8 b\nEND\nBUFFER b DATA_TYPE t DATA 1 2 3 END\n", "whole number"},
  });
}

TEST(HostileInput, RefusesBrokenDirectives) {
  expectInvalid({
      {head + "# ASSAY:\n", "expected a directive"},
      {head + "# ASSAY: SUBGROUP_SIZE 3\n", "unknown directive 'SUBGROUP_SIZE'"},
      {"# ASSAY: HELLO\n" + head, "line 1: unknown directive 'HELLO'"},
      {head + "# ASSAY: SUBGROUP_SIZES\n", "expected a subgroup size"},
      {head + "# ASSAY: SUBGROUP_SIZES 24\n", "no power of two"},
      {head + "# ASSAY: SUBGROUP_SIZES 32 32\n", "named twice"},
      {head + "# ASSAY: SUBGROUP_SIZES 32\n# ASSAY: SUBGROUP_SIZES 64\n", "given twice"},
      {head + "# ASSAY: ADDRESS_OF z IN a OFFSET 0\n", "unknown buffer 'z'"},
      {head + "# ASSAY: ADDRESS_OF a OFFSET 0\n", "expected IN"},
      {head + "# ASSAY: ADDRESS_OF a IN a OFFSET 4\n", "multiple of 8"},
      {head + "# ASSAY: ADDRESS_OF a IN a OFFSET 16\n", "which has 16"},
      {head + "# ASSAY: ADDRESS_OF a IN i OFFSET 0\n", "which has 1"},
      {head + "# ASSAY: ADDRESS_OF a IN a OFFSET 0 PLUS\n", "expected bytes"},
      {head + "# ASSAY: ADDRESS_OF a IN a OFFSET 0 AND\n", "expected the end of the line"},
      {head + "BUFFER f FORMAT R8_UINT\n# ASSAY: ADDRESS_OF f IN a OFFSET 0\n", "no address"},
  });
}

TEST(HostileInput, RefusesBrokenPipelines) {
  const std::string twice = "BIND BUFFER a AS push_constant\n";
  expectInvalid({
      {"#!amber\nPIPELINE magic p\nEND\n", "unknown kind of pipeline"},
      {head + "PIPELINE compute p\nEND\n", "has no shader"},
      {head + pipe, "PIPELINE has no END"},
      {head + pipe + "DANCE\nEND\n", "unknown statement 'DANCE'"},
      {head + "PIPELINE compute p\nATTACH t\nEND\n", "unknown shader 't'"},
      {head + pipe + "ATTACH s\nEND\n", "is attached already"},
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
      {head + pipe + twice + twice + "END\n", "are bound twice"},
      {head + pipe + "BIND SAMPLER z DESCRIPTOR_SET 0 BINDING 0\nEND\n", "unknown sampler 'z'"},
      {head + "SAMPLER z\n" + pipe + "BIND SAMPLER z\nEND\n", "expected DESCRIPTOR_SET"},
      {head + "SAMPLER z\n" + pipe + "BIND SAMPLER z AS x\nEND\n", "unknown option 'AS'"},
      {head + pipe + "BIND BUFFER a AS storage_image DESCRIPTOR_SET 0 BINDING 0\nEND\n",
       "'a' is no image"},
      {head + "IMAGE z FORMAT R8_UINT DIM_1D WIDTH 4\n" + pipe +
           "BIND BUFFER z AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n",
       "'z' is an image"},
      {head + "IMAGE z FORMAT R8_UINT DIM_1D WIDTH 4\n" + pipe +
           "BIND BUFFER z AS sampled_image DESCRIPTOR_SET 0 BINDING 0 BASE_MIP_LEVEL 1\nEND\n",
       "has 1 mip levels"},
      {head + pipe + "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0 BASE_MIP_LEVEL 0\nEND\n",
       "BASE_MIP_LEVEL is for images"},
      {head + pipe +
           "BIND BUFFER a AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_RANGE "
           "4\nEND\n",
       "for uniform and storage buffers"},
      {head + "BUFFER m DATA_TYPE mat2x2<float> SIZE 1 FILL 0\n" + pipe +
           "BIND BUFFER m AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 0\nEND\n",
       "are no texels"},
      {head + pipe + "BIND BUFFER a AS combined_image_sampler DESCRIPTOR_SET 0 BINDING 0\nEND\n",
       "expected SAMPLER"},
      {head + pipe + "SUBGROUP t\nEND\nEND\n", "unknown shader 't'"},
      {head + pipe + "SUBGROUP s\nREQUIRED_SIZE 33\nEND\nEND\n", "no power of two"},
      {head + pipe + "SUBGROUP s\nFULLY_POPULATED yes\nEND\nEND\n", "expected on or off"},
      {head + pipe + "SUBGROUP s\nSIZE 32\nEND\nEND\n", "unknown option 'SIZE' of SUBGROUP"},
      {head + pipe + "FRAMEBUFFER_SIZE 0 1\nEND\n", "must be positive"},
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
      {whole + "IMAGE z FORMAT R8_UINT DIM_1D WIDTH 4\nCOPY a TO z\n", "an image of another size"},
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
      {whole + "EXPECT a EQ_HISTOGRAM_EMD_BUFFER a TOLERANCE 0.1\n", "four unsigned bytes"},
      {whole + "EXPECT a IDX 0 0 EQ 1\n", "expected SIZE"},
  });
}

/// Structures that double with every level.
std::string deepStruct() {
  std::string text = "#!amber\nSTRUCT s0\nint8 a\nEND\n";
  for (int i = 1; i <= 40; ++i) {
    std::string inner = "s" + std::to_string(i - 1);
    text += "STRUCT s" + std::to_string(i) + "\n" + inner + " a\n" + inner + " b\nEND\n";
  }
  return text + "BUFFER b DATA_TYPE s40 SIZE 1 FILL 0\n";
}

TEST(HostileInput, KeepsItsLimits) {
  for (const std::string &text :
       {std::string("#!amber\nBUFFER b DATA_TYPE int8 SIZE 999999999999 FILL 1\n"),
        std::string("#!amber\nBUFFER b DATA_TYPE vec4<double> SIZE 18446744073709551615 FILL 1\n"),
        std::string("#!amber\nIMAGE i FORMAT R32G32B32A32_SFLOAT DIM_3D WIDTH 65536 HEIGHT 65536 "
                    "DEPTH 65536\n"),
        std::string("#!amber\nIMAGE i FORMAT R8_UINT DIM_2D WIDTH 65536 HEIGHT 65536 "
                    "ARRAY_LAYERS 65536\n"),
        deepStruct(),
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

/// A tree that is deeper than an ordinary stack: 100,000 terms.
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

const std::string imageScript =
    "STRUCT t STRIDE 32\nmat2x2<float> m MATRIX_STRIDE 8\nint8 c OFFSET 20\nEND\n"
    "BUFFER t DATA_TYPE t STD140 DATA 1 2 3 4 5 END\nEXPECT t IDX 0 EQ 1 2 3\n"
    "IMAGE m FORMAT R8G8B8A8_SRGB DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 FILL 7\n"
    "SAMPLER z MIN_FILTER linear COMPARE on COMPARE_OP less MAX_LOD 2.5\n"
    "PIPELINE compute v\nATTACH s\n"
    "BIND BUFFER m AS combined_image_sampler SAMPLER z DESCRIPTOR_SET 0 BINDING 1\n"
    "SUBGROUP s\nREQUIRED_SIZE 32\nEND\nEND\n# ASSAY: ADDRESS_OF a IN a OFFSET 8\n"
    "EXPECT m IDX 0 1 SIZE 2 1 EQ_RGBA 1 2 3 4 TOLERANCE 1% 2 3 4\n";

const std::string pipeFile =
    "; RUN: x\n[Version]\nversion = 40\n[CsGlsl]\n#version 450\n"
    "layout(local_size_x = 8) in;\nvoid main() {}\n[CsInfo]\nentryPoint = main\n"
    "specConst.mapEntry[0].constantID = 1\nspecConst.mapEntry[0].size = 4\n"
    "specConst.floatData = 1.5, 2\nuserDataNode[0].type = X\n[ComputePipelineState]\n"
    "options.overrideShaderThreadGroupSizeX = 4\noptions.robustBufferAccess = 1\n";

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
  const std::string amber = "# ASSAY: SUBGROUP_SIZES 32\n" + whole + imageScript +
                            "REPEAT 2\nRUN p 1 1 1\nEXPECT a IDX 0 TOLERANCE 1 EQ 1\nEND\n"
                            "EXPECT a EQ_BUFFER a\nCOPY a \\\n TO i\n";
  for (size_t length = 0; length <= amber.size(); ++length)
    survive(amber.substr(0, length), "t.amber");
  for (size_t length = 0; length <= vkScript.size(); ++length)
    survive(vkScript.substr(0, length), "t.shader_test");
  for (size_t length = 0; length <= pipeFile.size(); ++length)
    survive(pipeFile.substr(0, length), "t.pipe");
}

TEST(HostileInput, SurvivesDamagedBytes) {
  std::mt19937 random(20260704); // A fixed seed: the same damage each time.
  const std::string amber = whole + imageScript + "RUN p 1 1 1\nEXPECT a IDX 0 EQ 1\n";
  for (int round = 0; round < 2000; ++round) {
    const std::pair<const std::string &, const char *> inputs[] = {
        {amber, "t.amber"}, {vkScript, "t.shader_test"}, {pipeFile, "t.pipe"}};
    const auto &[whole, path] = inputs[round % 3];
    std::string text = whole;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      text[random() % text.size()] ^= static_cast<char>(1u << (random() % 8));
    survive(text, path);
  }
}

} // namespace
