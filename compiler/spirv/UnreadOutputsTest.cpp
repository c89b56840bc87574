// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/UnreadOutputs.h"

#include "compiler/spirv/CanonicalHash.h"
#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral types = R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%one = OpConstant %float 1
%zero = OpConstant %uint 0
%pair = OpConstantComposite %v2 %one %one
%out = OpTypePointer Output %float
%outs = OpTypePointer Output %v2
%in = OpTypePointer Input %float
)";

static ShaderDescription assemble(ShaderStage stage, const Twine &text) {
  ShaderDescription shader;
  shader.stage = stage;
  shader.spirv = cantFail(spirv::assemble(text.str()));
  return shader;
}

/// Writes location 0, and with \p second a vector at location 1.
static ShaderDescription makeVertex(bool second, StringRef more = "") {
  std::string text = std::string("OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                                 "OpEntryPoint Vertex %main \"main\" %a") +
                     (second ? " %b" : "") + "\n" + (second ? "OpName %b \"b\"\n" : "") +
                     "OpDecorate %a Location 0\n" + (second ? "OpDecorate %b Location 1\n" : "") +
                     types.str() + "%a = OpVariable %out Output\n" +
                     (second ? "%b = OpVariable %outs Output\n" : "") +
                     "%main = OpFunction %void None %fn\n%l = OpLabel\nOpStore %a %one\n";
  if (second)
    text += "%c = OpAccessChain %out %b %zero\nOpStore %c %one\nOpStore %b %pair\n" + more.str();
  return assemble(ShaderStage::Vertex, text + "OpReturn\nOpFunctionEnd\n");
}

static ShaderDescription makeFragment(const Twine &location, StringRef type = "%in") {
  return assemble(ShaderStage::Fragment,
                  "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                  "OpEntryPoint Fragment %main \"main\" %a\n"
                  "OpExecutionMode %main OriginUpperLeft\nOpDecorate %a Location " +
                      location + types +
                      "%two = OpConstant %uint 2\n%array = OpTypeArray %float %two\n"
                      "%ins = OpTypePointer Input %array\n%a = OpVariable " +
                      type +
                      " Input\n%main = OpFunction %void None %fn\n%l = OpLabel\n"
                      "OpReturn\nOpFunctionEnd\n");
}

static Hash128 hashWith(ShaderDescription vertex, const ShaderDescription &fragment) {
  spirv::dropUnreadOutputs(vertex, fragment);
  if (Error error = spirv::validate(vertex.spirv))
    ADD_FAILURE() << takeError(std::move(error)).message;
  return cantFail(spirv::hashMeaning(vertex));
}

TEST(UnreadOutputs, AreRemovedWithTheirStores) {
  ShaderDescription fragment = makeFragment("0");
  EXPECT_EQ(hashWith(makeVertex(true), fragment), hashWith(makeVertex(false), fragment));
}

TEST(UnreadOutputs, WhatIsReadStays) {
  ShaderDescription fragment = makeFragment("1");
  ShaderDescription vertex = makeVertex(true), other = vertex;
  spirv::dropUnreadOutputs(vertex, fragment);
  std::string text = cantFail(spirv::disassemble(vertex.spirv));
  EXPECT_NE(text.find("Location 1"), std::string::npos);
  EXPECT_EQ(text.find("Location 0"), std::string::npos);
}

TEST(UnreadOutputs, WhatIsLoadedStays) {
  ShaderDescription vertex = makeVertex(true, "%d = OpLoad %v2 %b\n"), before = vertex;
  spirv::dropUnreadOutputs(vertex, makeFragment("0"));
  EXPECT_EQ(vertex.spirv, before.spirv);
}

TEST(UnreadOutputs, NothingIsRemovedWhereInputsAreArrays) {
  ShaderDescription vertex = makeVertex(true), before = vertex;
  spirv::dropUnreadOutputs(vertex, makeFragment("0", "%ins"));
  EXPECT_EQ(vertex.spirv, before.spirv);
}
