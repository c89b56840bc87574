// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be compiled for: a table of GPUs and the options of one compilation.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// Families of instruction sets. Each has back-ends and machines of its own.
enum class Architecture { AmdGpu, Adreno };

/// One GPU the compiler knows. Facts of AMD's: LLVM's AMDGPUUsage, "Processors"; PAL's palPipelineAbi.h.
/// What has a GFX IP or SGPRs in it is of AMD's GPUs alone.
struct TargetInfo {
  llvm::StringRef name; ///< LLVM's -mcpu name, "gfx1100"; Mesa's, "a630".
  unsigned major;       ///< GFX IP major: 9, 10, 11, 12. Adreno: 4, 6, 7.
  unsigned minor;
  unsigned stepping;
  bool supportsWave32;      ///< GFX9 has wave64 only.
  unsigned defaultWaveSize; ///< Lanes of a compute wave when nothing is asked for.
  bool packedLocalId;       ///< Local invocation id arrives as z<<20|y<<10|x in v0 (GFX11+).
  bool workgroupIdInTtmp;   ///< Workgroup id arrives in ttmp9/ttmp7, not in user-adjacent SGPRs
                            ///< (GFX12+).
  /// A wave32 needs at least 16 user SGPRs (LLVM's feature UserSGPRInit16Bug).
  bool userSgprInitBug;
  Architecture architecture = Architecture::AmdGpu;
};

/// AMD's targets, in ascending order of GFX IP: what is compiled for where no target is named.
llvm::ArrayRef<TargetInfo> getTargets();
/// Qualcomm's, in ascending order.
llvm::ArrayRef<TargetInfo> getAdrenoTargets();

/// The row called \p name of either architecture, or Unsupported with the list of names.
llvm::Expected<const TargetInfo *> findTarget(llvm::StringRef name);
/// The same for code that knows AMD's GPUs alone: Unsupported for others too.
llvm::Expected<const TargetInfo *> findAmdTarget(llvm::StringRef name);

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

/// InvalidInput when \p options ask for what the target does not have (wave32 on GFX9, level 7);
/// Unsupported for a target without a back-end.
llvm::Error verifyCompileOptions(const CompileOptions &options);

} // namespace assay
