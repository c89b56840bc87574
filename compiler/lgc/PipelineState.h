// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that passes must know of a pipeline and its target, and its form in the IR: named metadata,
// so that every pass runs alone on text.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "support/Hash.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace assay {

/// In the IR it is `!lgc.pipeline.state`, one row a fact, each row beginning with its name:
///   !{!"target", !"gfx1100"}   !{!"wave-size", i32 32}   !{!"push-constants", i32 DWORDS}
///   !{!"table", i32 SET, i32 USER-DATA-ENTRY, i32 DWORDS}
///   !{!"node", i32 SET, i32 BINDING, i32 COUNT, i32 OFFSET, i32 STRIDE, i32 KIND}   (offset,
///   stride in dwords; the number of a DescriptorKind, may be left out for a buffer)
///   !{!"robustness", i32 NUMBER}   (of an enumerator of Robustness)
///   !{!"pipeline-hash", i64, i64}   !{!"shader-hash", i64, i64}
/// All but the target may be left out.
struct PipelineState {
  const TargetInfo *target = nullptr;
  unsigned waveSize = 0; ///< 32 or 64.
  ResourceLayout layout;
  Robustness robustness = Robustness::None;
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
