// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers that hardware and driver set at the start of a graphics stage: what the operand of
// lgc.stage.input means. The numbers are in the IR.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "compiler/dialect/Lgc.h"
#include <cstdint>

namespace assay::amdgpu {

/// A comment names the type if it is not i32. Sources: LLPC, lgc/lowering/ShaderInputs.cpp and
/// MutateEntryPoint.cpp; Mesa, radv_shader_args.c.
enum class StageInput : uint32_t {
  // User data that is no entry of the layout. Addresses are low halves.
  GlobalTable = 0,
  VertexBufferTable = 1,
  BaseVertex = 2,
  BaseInstance = 3,
  DrawIndex = 4,
  ViewIndex = 5,
  // Of vertices.
  VertexId = 8,   ///< From 0, or from an index buffer; VertexIndex is BaseVertex more.
  InstanceId = 9, ///< From 0; InstanceIndex is BaseInstance more.
  PrimitiveId = 10,
  // NGG alone.
  GroupInfo = 12,     ///< Bits 20:12 vertices, 30:22 primitives of the workgroup.
  WaveInfo = 13,      ///< Bits 7:0 vertices, 15:8 primitives of the wave, 27:24 its number.
  RingOffset = 14,    ///< GFX11+: of the workgroup in the attribute ring, in units of 512 bytes.
  PrimitiveData = 15, ///< What an export of a primitive takes.
  // Of fragments. Those from PixelInput on are in the order of SPI_PS_INPUT_ENA.
  PrimitiveMask = 16, ///< For M0 of interpolation.
  PixelInput = 32,
  PerspectiveSample = 32,    ///< <2 x i32>: I and J, as all pairs that follow.
  PerspectiveCenter = 33,    ///< <2 x i32>
  PerspectiveCentroid = 34,  ///< <2 x i32>
  PerspectivePullModel = 35, ///< <3 x i32>: I / W, J / W, 1 / W.
  LinearSample = 36,         ///< <2 x i32>
  LinearCenter = 37,         ///< <2 x i32>
  LinearCentroid = 38,       ///< <2 x i32>
  LineStipple = 39,
  PositionX = 40,
  PositionY = 41,
  PositionZ = 42,
  PositionW = 43, ///< W; FragCoord has its reciprocal.
  FrontFace = 44, ///< 0 or not, with FRONT_FACE_ALL_BITS.
  Ancillary = 45, ///< Bits 11:8 sample, 26:16 layer.
  SampleCoverage = 46,
  FixedPosition = 47,
  // Of unlinked vertex shaders, and of the glue of fragment shaders.
  VertexAttribute = 64, ///< And those that follow: scalar 4 * location + component.
  ColorValue = 192,     ///< And those that follow: a color of the fragment shader.
};

/// Locations of attributes that have numbers from VertexAttribute on, and numbers from ColorValue.
constexpr unsigned attributeLocations = 32, colorValues = 64;

/// Whether \p input is one of those from VertexAttribute on.
constexpr bool isVertexAttribute(StageInput input) {
  return input >= StageInput::VertexAttribute && input < StageInput::ColorValue;
}

constexpr unsigned pixelInputCount = 16;

/// i32s of \p input.
constexpr unsigned getDwords(StageInput input) {
  if (input == StageInput::PerspectivePullModel)
    return 3;
  return input >= StageInput::PerspectiveSample && input <= StageInput::LinearCentroid ? 2 : 1;
}

/// Whether \p number is an enumerator.
bool isStageInput(uint64_t number);

/// The op that reads \p input, an i32 or a vector of them.
llvm::Value *createStageInput(llvm::IRBuilderBase &builder, StageInput input);
/// The same as floats.
llvm::Value *createFloatInput(llvm::IRBuilderBase &builder, StageInput input);

/// ptr addrspace(4) with the low half \p low (i32). PAL keeps tables in the 4 GiB that the code is
/// in.
llvm::Value *createTablePointer(llvm::IRBuilderBase &builder, llvm::Value *low);

/// The number of the thread in its wave.
llvm::Value *createLaneNumber(llvm::IRBuilderBase &builder, unsigned waveSize);
/// NGG: the number of the thread in its workgroup.
llvm::Value *createThreadOfGroup(llvm::IRBuilderBase &builder, unsigned waveSize);

/// The entry point of \p module if its stage is \p stage and it is no glue (Glue.h), or null.
llvm::Function *findStage(llvm::Module &module, ShaderStage stage);

/// Where values may be made that all of \p function can use.
llvm::BasicBlock::iterator getStartOf(llvm::Function &function);

} // namespace assay::amdgpu
