// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the PAL metadata that decides how a compute shader is launched, as typed data. Read
// the way PAL reads it: what is missing is 0, the last of two equal keys counts. Complaints about
// everything else are the rules' business.
#pragma once

#include "oracles/pal_elf/MsgPack.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay {

class ElfView;

/// Mapping codes of `.user_data_reg_map` (PAL, palPipelineAbi.h). Values below MaxUserDataEntries
/// are user data entries.
namespace user_data {
enum Mapping : uint32_t {
  MaxEntries = 160,
  GlobalTable = 0x10000000,
  PerShaderTable = 0x10000001,
  SpillTable = 0x10000002,
  BaseVertex = 0x10000003,
  BaseInstance = 0x10000004,
  DrawIndex = 0x10000005,
  Workgroup = 0x10000006, ///< Two SGPRs: address of the three group counts.
  EsGsLdsSize = 0x1000000a,
  ViewId = 0x1000000b,
  VertexBufferTable = 0x1000000f,
  NggCullingData = 0x10000011, ///< Two SGPRs: an address.
  NotMapped = 0xffffffff,
};
} // namespace user_data

/// One entry of `.hardware_stages`.
struct HardwareStageMetadata {
  std::string name;       ///< ".cs"
  std::string entryPoint; ///< `.entry_point_symbol`, else `.entry_point`, else "_amdgpu_cs_main".
  std::optional<uint32_t> wavefrontSize; ///< Missing: 64 (PAL).
  std::array<uint32_t, 3> threadgroupDimensions = {0, 0, 0};
  uint32_t ldsSize = 0;           ///< Bytes per workgroup.
  uint32_t scratchMemorySize = 0; ///< Bytes per lane.
  uint32_t vgprCount = 0;
  uint32_t sgprCount = 0;
  uint32_t sharedVgprCount = 0;
  uint32_t userSgprs = 0;
  std::array<uint32_t, 32> userDataRegMap; ///< Mapping codes; NotMapped where nothing is said.
  uint8_t floatMode = 0;                   ///< MODE[7:0]: rounding and denormals.
  bool ieeeMode = false;
  bool scratchEn = false;
  bool wgpMode = false;
  bool memOrdered = false;
  bool forwardProgress = false;
  bool fp16Overflow = false;
  bool debugMode = false;
  bool trapPresent = false;
  uint32_t excpEn = 0;

  HardwareStageMetadata() { userDataRegMap.fill(user_data::NotMapped); }
};

/// `.compute_registers`, or the same from COMPUTE_PGM_RSRC2 of a 2.x `.registers` map.
struct ComputeRegisters {
  bool tgidXEn = false;
  bool tgidYEn = false;
  bool tgidZEn = false;
  bool tgSizeEn = false;
  bool dynamicVgprEn = false;
  uint32_t tidigCompCnt = 0; ///< 0: x; 1: x, y; 2: x, y, z.
};

/// Where the registers of one hardware stage are in a 2.x `.registers` map, as dword offsets.
struct StageRegisters {
  llvm::StringLiteral stage;
  uint32_t rsrc1; ///< PGM_RSRC1; PGM_RSRC2 is after it.
  uint32_t userData0;
  uint32_t userDataCount;
  uint32_t oldUserData0 = 0; ///< GFX9 has it here; 0: no difference.

  /// True for a register that holds a mapping code.
  bool isUserData(uint64_t offset) const {
    return (offset >= userData0 && offset < userData0 + userDataCount) ||
           (oldUserData0 && offset >= oldUserData0 && offset < oldUserData0 + userDataCount);
  }
};
/// Of all stages of GFX9 and later, each once. Sources: PAL palPipelineAbi.h, Mesa's
/// src/amd/registers.
llvm::ArrayRef<StageRegisters> getStageRegisters();

struct PalMetadata {
  uint32_t major = 0;
  uint32_t minor = 0;
  std::string api;
  std::string type; ///< `.type`: "Cs"; may be empty.
  std::vector<HardwareStageMetadata> stages;
  ComputeRegisters compute;
  std::optional<uint32_t> userDataLimit;
  std::optional<uint32_t> spillThreshold;
  std::map<uint32_t, uint32_t> registers; ///< `.registers`: dword offset -> value.

  /// The stage called \p name (".cs"), or null.
  const HardwareStageMetadata *find(llvm::StringRef name) const;
};

/// The descriptor of the first NT_AMDGPU_METADATA note of `.note`. InvalidInput when there is none.
llvm::Expected<llvm::ArrayRef<uint8_t>> findMetadataNote(const ElfView &elf);

/// Takes the typed model out of \p root. InvalidInput for what PAL would refuse: no version or one
/// it does not know, not exactly one pipeline, a type that PAL does not take where a value is
/// needed here.
llvm::Expected<PalMetadata> decodePalMetadata(const MsgValue &root);
/// The same for metadata without version, which PAL refuses, as if they were 2.6.
llvm::Expected<PalMetadata> decodePlainMetadata(const MsgValue &root);

/// findMetadataNote, readMsgPack and decodePalMetadata.
llvm::Expected<PalMetadata> readPalMetadata(const ElfView &elf);

} // namespace assay
