// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/StageSignature.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using pal::HardwareStage;

namespace {
/// An input that is user data of the driver.
struct MappingRow {
  StageInput input;
  uint32_t mapping;
};
} // namespace

/// Inputs without a row are set by the hardware.
static constexpr MappingRow mappings[] = {
    {StageInput::GlobalTable, pal::GlobalTable},
    {StageInput::VertexBufferTable, pal::VertexBufferTable},
    {StageInput::BaseVertex, pal::BaseVertex},
    {StageInput::BaseInstance, pal::BaseInstance},
    {StageInput::DrawIndex, pal::DrawIndex},
    {StageInput::ViewIndex, pal::ViewId},
};

std::optional<uint32_t> amdgpu::findMapping(StageInput input) {
  for (const MappingRow &row : mappings)
    if (row.input == input)
      return row.mapping;
  return std::nullopt;
}

/// Returns an argument of one SGPR; without \p input no code reads it.
static StageArgument sgpr(StringRef name, std::optional<StageInput> input = std::nullopt) {
  return {input, 1, /*isSgpr=*/true, name};
}

/// Returns an argument of one VGPR; without \p input no code reads it.
static StageArgument vgpr(StringRef name, std::optional<StageInput> input = std::nullopt) {
  return {input, 1, /*isSgpr=*/false, name};
}

/// Appends \p userSgprs SGPRs and notes where they begin.
static void addUserData(StageSignature &signature, unsigned userSgprs) {
  signature.firstUserData = signature.arguments.size();
  for (unsigned i = 0; i < userSgprs; ++i)
    signature.arguments.push_back(sgpr(""));
}

/// Appends the VGPRs of a hardware VS, in the order of the generation.
static void addVertexVgprs(StageSignature &signature, const TargetInfo &target) {
  StageArgument vertex = vgpr("vertexId", StageInput::VertexId);
  StageArgument instance = vgpr("instanceId", StageInput::InstanceId);
  StageArgument primitive = vgpr("primitiveId", StageInput::PrimitiveId);
  if (target.major == 9)
    signature.arguments.append({vertex, instance, primitive});
  else
    signature.arguments.append({vertex, vgpr("unused1"), primitive, instance});
}

/// A GS that has a vertex shader as its ES: registers of the GS, then those of the ES.
static void addPrimitiveVgprs(StageSignature &signature, const TargetInfo &target) {
  StageArgument data = vgpr("primitiveData", StageInput::PrimitiveData);
  StageArgument vertex = vgpr("vertexId", StageInput::VertexId);
  StageArgument instance = vgpr("instanceId", StageInput::InstanceId);
  StageArgument primitive = vgpr("primitiveId", StageInput::PrimitiveId);
  if (target.major >= 12)
    signature.arguments.append({data, primitive, vgpr("unused2"), vertex, instance});
  else
    signature.arguments.append({data, vgpr("unused1"), primitive, vgpr("unused3"), vgpr("unused4"),
                                vertex, vgpr("unused6"), vgpr("unused7"), instance});
}

/// Appends the VGPRs of a PS, one input each, in the order of SPI_PS_INPUT_ENA.
static void addPixelVgprs(StageSignature &signature) {
  static constexpr StringLiteral names[] = {
      "perspectiveSample", "perspectiveCenter", "perspectiveCentroid", "pullModel",
      "linearSample",      "linearCenter",      "linearCentroid",      "lineStipple",
      "positionX",         "positionY",         "positionZ",           "positionW",
      "frontFace",         "ancillary",         "sampleCoverage",      "fixedPosition"};
  for (unsigned i = 0; i < pixelInputCount; ++i) {
    auto input = static_cast<StageInput>(static_cast<unsigned>(StageInput::PixelInput) + i);
    signature.arguments.push_back({input, getDwords(input), /*isSgpr=*/false, names[i]});
  }
}

/// A GS has eight SGPRs in front of user data; a PS has the primitive mask after them.
StageSignature amdgpu::makeStageSignature(HardwareStage stage, const TargetInfo &target,
                                          unsigned userSgprs) {
  StageSignature signature;
  switch (stage) {
  case HardwareStage::Vs:
    addUserData(signature, userSgprs);
    addVertexVgprs(signature, target);
    return signature;
  case HardwareStage::Gs:
    signature.arguments = {sgpr("system0"),
                           sgpr("system1"),
                           sgpr("groupInfo", StageInput::GroupInfo),
                           sgpr("waveInfo", StageInput::WaveInfo),
                           sgpr("system4"),
                           sgpr("ringOffset", StageInput::RingOffset),
                           sgpr("system6"),
                           sgpr("system7")};
    addUserData(signature, userSgprs);
    addPrimitiveVgprs(signature, target);
    return signature;
  case HardwareStage::Ps:
    addUserData(signature, userSgprs);
    signature.arguments.push_back(sgpr("primitiveMask", StageInput::PrimitiveMask));
    addPixelVgprs(signature);
    return signature;
  }
  llvm_unreachable("all stages have been named");
}
