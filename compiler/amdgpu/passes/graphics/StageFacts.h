// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lowering of a graphics stage finds out for its PAL metadata. Each pass adds rows to the
// module, so that it can run alone on text; MutateStageEntryPoint reads them all.
//   !amdgpu.stage = !{...}, a row one of
//   !{!"register", !".db_shader_control", !".kill_enable", i32 1}   (empty first text: a value of
//                                                                    its own;
//                                                                    GraphicsRegisters.def)
//   !{!"positions", i32 COUNT}          exported positions
//   !{!"parameter", i32 SEMANTIC, i32 INDEX}      a vertex shader's, in ascending order
//   !{!"interpolant", i32 SEMANTIC, i32 FLAT}     a fragment shader's, in the order of attributes
//   !{!"interpolant-halves", i32 SEMANTIC, i32 HIGH}     likewise; each component is two halves.
//                                       HIGH: 1 where there are high ones
//   !{!"point-coordinate"}              the last interpolant: the place in a point
//   !{!"flag", !"ps-sample-mask"}       one of StageFlags
#pragma once

#include "compiler/pal/GraphicsMetadata.h"

namespace llvm {
class Module;
} // namespace llvm

namespace assay::amdgpu {

enum class StageFlag : uint8_t {
  PsSampleMask,  ///< "ps-sample-mask": the fragment shader reads or writes SampleMask.
  PsDummyExport, ///< "ps-dummy-export": it exports nothing else.
  PsWritesDepth, ///< "ps-writes-depth"
  UsesViewport,  ///< "uses-viewport": the vertex shader writes ViewportIndex.
};

/// All rows of a module together.
struct StageFacts {
  pal::GraphicsRegisters registers; ///< With positions and controls of inputs.
  pal::Semantics semantics;
  bool psSampleMask = false, psDummyExport = false, psWritesDepth = false, usesViewport = false;
};

/// The key must be in GraphicsRegisters.def.
void addRegister(llvm::Module &module, llvm::StringRef map, llvm::StringRef key, uint32_t value);
void addPositions(llvm::Module &module, uint32_t count);
void addParameter(llvm::Module &module, uint32_t semantic, uint32_t index);
void addInterpolant(llvm::Module &module, uint32_t semantic, bool isFlat);
/// One that is interpolated as halves; \p hasHigh: any of them is in the high half of a component.
void addInterpolantHalves(llvm::Module &module, uint32_t semantic, bool hasHigh);
/// An interpolant that no vertex shader provides.
void addPointCoordinate(llvm::Module &module);
void addFlag(llvm::Module &module, StageFlag flag);

/// InvalidInput when a row can't be understood.
llvm::Expected<StageFacts> readStageFacts(const llvm::Module &module);

} // namespace assay::amdgpu
