// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/shader/ModuleImport.h"

#include "compiler/spirv/Module.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// A fragment shader of SPIR-V 1.0 that copies location 0 to location 0, or, without \p
/// hasVariables, does nothing.
static Program makeShader(bool hasVariables) {
  std::string text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" )";
  text += hasVariables ? "%in %out\n" : "\n";
  text += "OpExecutionMode %main OriginUpperLeft\n";
  if (hasVariables)
    text += "OpDecorate %in Location 0\nOpDecorate %out Location 0\n";
  text += R"(
%void = OpTypeVoid
%type = OpTypeFunction %void
%float = OpTypeFloat 32
%to_in = OpTypePointer Input %float
%to_out = OpTypePointer Output %float
)";
  if (hasVariables)
    text += "%in = OpVariable %to_in Input\n%out = OpVariable %to_out Output\n";
  text += "%main = OpFunction %void None %type\n%entry = OpLabel\n";
  if (hasVariables)
    text += "%value = OpLoad %float %in\nOpStore %out %value\n";
  Program program = cantFail(decode(cantFail(spirv::assemble(text + "OpReturn\nOpFunctionEnd\n"))));
  program.version = 0x00010000;
  return program;
}

TEST(ModuleImport, PutsInputsAndOutputsOnTheInterface) {
  Program donor = makeShader(/*hasVariables=*/true);
  GeneratedCase host;
  host.program = makeShader(/*hasVariables=*/false);
  size_t before = host.program.entryPoints[0].operands.size();
  Context context(std::move(host));
  Random random(0);
  ModuleImport import(context, donor, random);
  Place place;
  for (const fuzz::Instruction &each : ArrayRef(donor.functions[0].blocks[0].body).drop_back())
    place.index += import.put(each, place).has_value();
  EXPECT_EQ(place.index, 2u);
  EXPECT_EQ(context.program().entryPoints[0].operands.size(), before + 2);
}
