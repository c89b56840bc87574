// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PAL metadata 3.0 of a compute pipeline: what a driver must know to launch the code, as a model,
// and its way into the IR (LLVM's back-end completes it and puts it into the ELF's note).
#pragma once

#include "support/Hash.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::pal {

/// Name of the compute entry point's symbol (PAL: PipelineAbiSymbolNameStrings).
constexpr llvm::StringLiteral computeEntryPoint = "_amdgpu_cs_main";

/// Values of a user data register that are no user data entry (PAL: UserDataMapping).
enum UserDataMapping : uint32_t {
  GlobalTable = 0x10000000, ///< Low half of the internal table's address; register 0 only.
  SpillTable = 0x10000002,  ///< Low half of the address where all entries stand in memory.
  Workgroup = 0x10000006,   ///< 64-bit address of three dwords: the dispatch's size in workgroups.
  NotMapped = 0xFFFFFFFF,
};

/// PAL fills that many user data registers of a compute stage.
constexpr unsigned maxComputeUserSgprs = 16;
/// Length of `.user_data_reg_map`, whatever the stage.
constexpr unsigned userDataRegMapSize = 32;
/// `.spill_threshold` of a pipeline that spills nothing.
constexpr uint32_t noSpill = 0xFFFF;

/// `.hardware_stages.cs` and `.compute_registers`, as far as LLVM does not write them itself (it
/// writes register counts, LDS and scratch sizes, entry point and the mode bits).
struct ComputeStage {
  uint32_t wavefrontSize = 64;
  std::array<uint32_t, 3> threadgroupDimensions = {1, 1, 1};
  uint32_t userSgprs = 0;
  /// For each user SGPR a user data entry or a UserDataMapping.
  std::array<uint32_t, userDataRegMapSize> userDataRegMap;
  uint8_t floatMode = 0;
  uint32_t sgprLimit = 0;
  uint32_t vgprLimit = 0;
  bool workgroupIdEnabled = false;     ///< tgid_x_en, _y_en and _z_en.
  bool threadgroupSizeEnabled = false; ///< tg_size_en: one more SGPR after the workgroup ids.
  uint8_t localIdComponents = 1;       ///< 1 to 3: local invocation ids that arrive in VGPRs.

  ComputeStage() { userDataRegMap.fill(NotMapped); }
};

struct Metadata {
  Hash128 pipelineHash;
  Hash128 shaderHash;
  uint32_t userDataLimit = 0;        ///< Number of user data entries the pipeline can look at.
  uint32_t spillThreshold = noSpill; ///< First entry that is read from the spill table.
  ComputeStage compute;
};

/// The msgpack bytes of \p metadata, in version [3, 0].
std::string writeMetadata(const Metadata &metadata);

/// Puts \p metadata into \p module, where LLVM's back-end looks for it; replaces what is there.
void setModuleMetadata(llvm::Module &module, const Metadata &metadata);

/// The metadata note of \p elf, one of our own compiler's (LLVM's msgpack reader is no match for a
/// hostile one), as YAML. InvalidInput when there is none.
llvm::Expected<std::string> printElfMetadata(llvm::ArrayRef<uint8_t> elf);

} // namespace assay::pal
