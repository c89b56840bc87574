// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/draws/Shaders.h"

#include "compiler/spirv/Module.h"

using namespace llvm;
using namespace assay;
using namespace assay::draws;

/// The third input has point size, clip distance and cull distance.
static constexpr StringLiteral vertexText = R"(
OpCapability Shader
OpCapability ClipDistance
OpCapability CullDistance
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %position %color %sizes %outPosition %outSize %outClip %outCull %out
OpDecorate %position Location 0
OpDecorate %color Location 1
OpDecorate %sizes Location 2
OpDecorate %out Location 0
OpDecorate %outPosition BuiltIn Position
OpDecorate %outSize BuiltIn PointSize
OpDecorate %outClip BuiltIn ClipDistance
OpDecorate %outCull BuiltIn CullDistance
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%floats = OpTypeArray %float %one
%inVec = OpTypePointer Input %vec4
%outVec = OpTypePointer Output %vec4
%outFloat = OpTypePointer Output %float
%outFloats = OpTypePointer Output %floats
%position = OpVariable %inVec Input
%color = OpVariable %inVec Input
%sizes = OpVariable %inVec Input
%out = OpVariable %outVec Output
%outPosition = OpVariable %outVec Output
%outSize = OpVariable %outFloat Output
%outClip = OpVariable %outFloats Output
%outCull = OpVariable %outFloats Output
%main = OpFunction %void None %function
%label = OpLabel
%p = OpLoad %vec4 %position
OpStore %outPosition %p
%c = OpLoad %vec4 %color
OpStore %out %c
%s = OpLoad %vec4 %sizes
%size = OpCompositeExtract %float %s 0
OpStore %outSize %size
%clip = OpCompositeExtract %float %s 1
%toClip = OpAccessChain %outFloat %outClip %zero
OpStore %toClip %clip
%cull = OpCompositeExtract %float %s 2
%toCull = OpAccessChain %outFloat %outCull %zero
OpStore %toCull %cull
OpReturn
OpFunctionEnd
)";

// DECORATION, SECOND and VALUE are replaced. All inputs that any kind has are in the interface.
static constexpr StringLiteral fragmentText = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %coord %point %front %out SECOND_NAME
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
DECORATION
OpDecorate %coord BuiltIn FragCoord
OpDecorate %point BuiltIn PointCoord
OpDecorate %front BuiltIn FrontFacing
OpDecorate %out Location 0
OpDecorate %out Index 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%zero = OpConstant %float 0
%one = OpConstant %float 1
%inVec = OpTypePointer Input %vec4
%inVec2 = OpTypePointer Input %vec2
%inBool = OpTypePointer Input %bool
%outVec = OpTypePointer Output %vec4
%in = OpVariable %inVec Input
%coord = OpVariable %inVec Input
%point = OpVariable %inVec2 Input
%front = OpVariable %inBool Input
%out = OpVariable %outVec Output
SECOND_VARIABLE
%main = OpFunction %void None %function
%label = OpLabel
VALUE
OpStore %out %value
OpReturn
OpFunctionEnd
)";

/// The following texts define %value, which the shader writes.
static constexpr StringLiteral readColor = "%value = OpLoad %vec4 %in\n";
/// FragmentKind::TwoColors: the second source is written here.
static constexpr StringLiteral readColors = R"(%value = OpLoad %vec4 %in
%reversed = OpVectorShuffle %vec4 %value %value 3 2 1 0
OpStore %second %reversed
)";
/// FragmentKind::PointCoord.
static constexpr StringLiteral readPointCoord = R"(%p = OpLoad %vec2 %point
%px = OpCompositeExtract %float %p 0
%py = OpCompositeExtract %float %p 1
%value = OpCompositeConstruct %vec4 %px %py %zero %one
)";
/// FragmentKind::Coordinates.
static constexpr StringLiteral readCoordinates = R"(%c = OpLoad %vec4 %coord
%z = OpCompositeExtract %float %c 2
%w = OpCompositeExtract %float %c 3
%f = OpLoad %bool %front
%facing = OpSelect %float %f %one %zero
%value = OpCompositeConstruct %vec4 %z %w %facing %one
)";

/// Replaces each \p name in \p text. What is inserted is not searched again.
static void replace(std::string &text, StringRef name, StringRef by) {
  for (size_t at = text.find(name.data(), 0, name.size()); at != std::string::npos;
       at = text.find(name.data(), at + by.size(), name.size()))
    text.replace(at, name.size(), by.data(), by.size());
}

Expected<std::vector<uint32_t>> draws::makeVertexShader() {
  return spirv::assemble(vertexText);
}

Expected<std::vector<uint32_t>> draws::makeFragmentShader(FragmentKind kind) {
  std::string text = fragmentText.str();
  bool hasSecond = kind == FragmentKind::TwoColors;
  replace(text, "SECOND_NAME", hasSecond ? "%second" : "");
  replace(text, "SECOND_VARIABLE", hasSecond ? "%second = OpVariable %outVec Output" : "");
  replace(text, "DECORATION",
          kind == FragmentKind::LinearColor     ? "OpDecorate %in NoPerspective"
          : kind == FragmentKind::CentroidColor ? "OpDecorate %in Centroid"
          : kind == FragmentKind::FlatColor     ? "OpDecorate %in Flat"
          : hasSecond ? "OpDecorate %second Location 0\nOpDecorate %second Index 1"
                      : "");
  replace(text, "VALUE",
          kind == FragmentKind::PointCoord    ? readPointCoord
          : kind == FragmentKind::Coordinates ? readCoordinates
          : hasSecond                         ? readColors
                                              : readColor);
  return spirv::assemble(text);
}
