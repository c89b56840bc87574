// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be compiled for: tables of architectures and of GPUs, and the options of one
// compilation.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// Families of instruction sets. Each has back-ends and machines of its own.
enum class Architecture : uint8_t { AmdGpu, Adreno };

/// What all modules for an architecture have in common.
struct ArchitectureInfo {
  Architecture architecture;
  llvm::StringLiteral name;
  llvm::StringLiteral triple; ///< Of modules of LLVM IR.
  /// The same. Empty: what LLVM has for the triple. Address spaces are those of
  /// compiler/lgc/Builder.h.
  llvm::StringLiteral dataLayout = "";
};

/// Null for an architecture without a back-end (compiler/driver/Backends.cpp).
const ArchitectureInfo *findArchitectureInfo(Architecture architecture);

/// One GPU, by its facts; one that a row leaves out is false. Sources for AMD's: LLVM's
/// AMDGPUUsage, "Processors"; PAL's palPipelineAbi.h. What has a GFX IP or SGPRs in it is of AMD's
/// GPUs alone.
struct TargetInfo {
  llvm::StringRef name; ///< LLVM's -mcpu name, "gfx1100"; Mesa's, "a630".
  Architecture architecture = Architecture::AmdGpu;
  unsigned major = 0; ///< GFX IP major: 9, 10, 11, 12. Adreno: 4, 6, 7.
  unsigned minor = 0;
  unsigned stepping = 0;
  bool supportsWave32 = false;   ///< GFX9 has wave64 only.
  unsigned defaultWaveSize = 64; ///< Lanes of a compute wave when nothing is asked for.
  /// The local invocation id arrives as z<<20|y<<10|x in v0 (GFX11+).
  bool packedLocalId = false;
  /// The workgroup id arrives in ttmp9/ttmp7, not in user-adjacent SGPRs (GFX12+).
  bool workgroupIdInTtmp = false;
  /// A wave32 needs at least 16 user SGPRs (LLVM's feature UserSGPRInit16Bug).
  bool userSgprInitBug = false;
};

/// AMD's targets, in ascending order of GFX IP: what is compiled for where no target is named.
llvm::ArrayRef<TargetInfo> getTargets();
/// Qualcomm's, in ascending order.
llvm::ArrayRef<TargetInfo> getAdrenoTargets();

/// The row called \p name of either architecture, or Unsupported with the list of names.
llvm::Expected<const TargetInfo *> findTarget(llvm::StringRef name);
/// The same for code that knows AMD's GPUs alone: Unsupported for others too.
llvm::Expected<const TargetInfo *> findAmdTarget(llvm::StringRef name);

/// The formats of PAL metadata: 3.0 has named fields, 2.6 values of hardware registers by number.
enum class PalVersion : uint8_t { V3_0, V2_6 };        // NOLINT(readability-identifier-naming): 3.0
llvm::StringRef getPalVersionName(PalVersion version); ///< "3.0", "2.6".
/// The version called \p name.
std::optional<PalVersion> parsePalVersion(llvm::StringRef name);

/// The options of one compilation that the result depends on.
struct CompileOptions {
  const TargetInfo *target = nullptr;
  unsigned optLevel = 2; ///< 0 or 2.
  unsigned waveSize = 0; ///< 32, 64, or 0 for the target's default.
  /// Run spirv-val first. Without it, as in a driver, a module that breaks the specification may
  /// crash the compiler; the result for a valid one is the same.
  bool validate = true;
  bool useLlvmLowering = false; ///< LLVM's own lowering of buffer fat pointers, not the project's.
  PalVersion palVersion = PalVersion::V3_0; ///< Of AMD's GPUs.
  bool recordBuilder = true; ///< Front-end records lgc ops (the default) or builds IR at once.

  unsigned getWaveSize() const { return waveSize ? waveSize : target->defaultWaveSize; }
};

/// InvalidInput when \p options ask for what the target does not have (wave32 on GFX9, level 7);
/// Unsupported for a target without a back-end and for metadata 2.6 of GFX12, which PAL's versions
/// that read 2.x do not know.
llvm::Error verifyCompileOptions(const CompileOptions &options);

} // namespace assay
