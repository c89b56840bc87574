// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be compiled for: a table of GPUs and the options of one compilation.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// One GPU the compiler knows. Facts: LLVM's AMDGPUUsage, "Processors"; PAL's palPipelineAbi.h.
struct TargetInfo {
  llvm::StringRef name; ///< LLVM's -mcpu name: "gfx1100".
  unsigned major;       ///< GFX IP major: 9, 10, 11, 12.
  unsigned minor;
  unsigned stepping;
  bool supportsWave32;      ///< GFX9 has wave64 only.
  unsigned defaultWaveSize; ///< Lanes of a compute wave when nothing is asked for.
  bool packedLocalId;       ///< Local invocation id arrives as z<<20|y<<10|x in v0 (GFX11+).
  bool workgroupIdInTtmp;   ///< Workgroup id arrives in ttmp9/ttmp7, not in user-adjacent SGPRs
                            ///< (GFX12+).
  /// A wave32 needs at least 16 user SGPRs (LLVM's feature UserSGPRInit16Bug).
  bool userSgprInitBug;
};

/// All targets, in ascending order of GFX IP.
llvm::ArrayRef<TargetInfo> getTargets();

/// The row called \p name, or Unsupported with the list of names.
llvm::Expected<const TargetInfo *> findTarget(llvm::StringRef name);

/// The options of one compilation that the result depends on.
struct CompileOptions {
  const TargetInfo *target = nullptr;
  unsigned optLevel = 2; ///< 0 or 2.
  unsigned waveSize = 0; ///< 32, 64, or 0 for the target's default.
  /// Run spirv-val first. Without it, as in a driver, a module that breaks the specification may
  /// crash the compiler; the result for a valid one is the same.
  bool validate = true;
  bool useLlvmLowering = false; ///< LLVM's own lowering of buffer fat pointers, not the project's.
  bool recordBuilder = true;    ///< Front-end records lgc ops (the default) or builds IR at once.

  unsigned getWaveSize() const { return waveSize ? waveSize : target->defaultWaveSize; }
};

/// InvalidInput when \p options ask for what the target does not have (wave32 on GFX9, level 7).
llvm::Error verifyCompileOptions(const CompileOptions &options);

} // namespace assay
