// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that passes must know of a pipeline and its target, and its form in the IR: named metadata,
// so that every pass runs alone on text.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "support/Hash.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace llvm {
class Module;
} // namespace llvm

namespace assay {

/// What passes must know of a color target.
struct TargetFacts {
  uint32_t location = 0;
  TexelFormat format = TexelFormat::Undefined;
  bool blends = false;
  bool needsAlpha = false; ///< Blending reads the alpha of the shader, whatever the format has.
  bool operator==(const TargetFacts &) const = default;
};

/// What passes must know of the fixed-function state of a graphics pipeline. The numbers of the
/// flags are in the IR.
struct GraphicsFacts {
  PrimitiveTopology topology = PrimitiveTopology::TriangleList;
  std::vector<VertexInputBinding> bindings;
  std::vector<VertexInputAttribute> attributes;
  std::vector<TargetFacts> targets; ///< Ascending location; those without a format are left out.
  uint32_t samples = 1;
  bool hasDualSource = false;      ///< Flag 1: target 0 blends with a second source.
  bool hasAlphaToCoverage = false; ///< Flag 2.
  bool isPerSample = false;        ///< Flag 4: the state asks for one invocation a sample.
  bool discards = false;           ///< Flag 8: nothing is rasterized.
  bool usesNgg = false;            ///< Flag 16: NGG where the target has hardware VS too.
  bool drawsPoints = false;        ///< Flag 32: points, or polygons as points: they have a size.
  bool provokesLast = false;       ///< Flag 64: the last vertex of a primitive provokes.
  /// Flag 128: no other stage, no format of a target or of an attribute is known.
  bool isUnlinked = false;
  bool operator==(const GraphicsFacts &) const = default;
};

/// The facts of \p state.
GraphicsFacts makeGraphicsFacts(const GraphicsState &state);

/// In the IR it is `!lgc.pipeline.state`, one row a fact, each row beginning with its name:
///   !{!"target", !"gfx1100"}   !{!"wave-size", i32 32}   !{!"push-constants", i32 DWORDS}
///   !{!"table", i32 SET, i32 USER-DATA-ENTRY, i32 DWORDS}
///   !{!"node", i32 SET, i32 BINDING, i32 COUNT, i32 OFFSET, i32 STRIDE, i32 KIND}   (offset,
///   stride in dwords; the number of a DescriptorKind, may be left out for a buffer)
///   !{!"robustness", i32 NUMBER}   (of an enumerator of Robustness)
///   !{!"graphics", i32 TOPOLOGY, i32 SAMPLES, i32 FLAGS}   (a graphics pipeline; GraphicsFacts)
///   !{!"vertex-binding", i32 BINDING, i32 STRIDE, i32 PER-INSTANCE, i32 DIVISOR}
///   !{!"vertex-attribute", i32 LOCATION, i32 BINDING, i32 FORMAT, i32 OFFSET}
///   !{!"color-target", i32 LOCATION, i32 FORMAT, i32 BLENDS, i32 NEEDS-ALPHA}
///   !{!"pipeline-hash", i64, i64}   !{!"shader-hash", i64, i64}
/// All but the target may be left out.
struct PipelineState {
  const TargetInfo *target = nullptr;
  unsigned waveSize = 0; ///< 32 or 64.
  ResourceLayout layout;
  Robustness robustness = Robustness::None;
  std::optional<GraphicsFacts> graphics; ///< Of a graphics pipeline.
  Hash128 pipelineHash;
  Hash128 shaderHash;

  /// Who may read the state without extending a hash chain.
  class ReadKey {
    friend class Compiler;           // Compares it with the options.
    friend class TrackedState;       // Extends the chains.
    friend class PipelineStateTests; // Of this file.
    ReadKey() {}
  };

  /// Puts this into \p module, in place of what is there.
  void write(llvm::Module &module) const;
  /// InvalidInput when there is none in \p module or a row can't be understood. Passes use
  /// TrackedState.
  static llvm::Expected<PipelineState> read(const llvm::Module &module, ReadKey key);
};

} // namespace assay
