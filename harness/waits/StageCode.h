// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of one shader stage in an artifact, and the artifact with a dword of it changed.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "compiler/api/Target.h"
#include "oracles/api/Artifact.h"
#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/radv/RadvGraphics.h"
#include <optional>
#include <vector>

namespace assay::waits {

/// The instructions of one stage, with what is needed to change one of them.
struct StageCode {
  std::vector<gcn::Inst> insts; ///< Of the entry function; pc from the start of its section.
  unsigned threads = 1;         ///< Of a workgroup; of a draw those of a wave.
  unsigned waveSize = 64;       ///< Lanes.
  uint64_t fileOffset = 0;      ///< Of the section, in a PAL ELF.
  std::optional<radv::RadvShader> radv;           ///< A compute shader of RADV.
  std::optional<radv::RadvGraphics> radvGraphics; ///< The pipeline, for a stage of a draw.
  bool isFragment = false;                        ///< Which shader of radvGraphics.

  bool isOfRadv() const { return radv || radvGraphics; }
  /// The artifact \p file with \p word at \p pc.
  std::vector<uint8_t> edit(llvm::ArrayRef<uint8_t> file, uint64_t pc, uint32_t word) const;
};

/// Reads the code of \p stage (compute, vertex or fragment) in a PAL ELF or a file of RADV's
/// shaders. InvalidInput where the artifact has no such stage; Unsupported for a compute section of
/// several functions.
llvm::Expected<StageCode> readStageCode(const Artifact &artifact, const TargetInfo &target,
                                        ShaderStage stage);

} // namespace assay::waits
