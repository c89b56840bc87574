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
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::pal {

/// Name of the compute entry point's symbol (PAL: PipelineAbiSymbolNameStrings).
constexpr llvm::StringLiteral computeEntryPoint = "_amdgpu_cs_main";

/// Values of a user data register that are no user data entry (PAL: inc/core/palPipelineAbi.h,
/// UserDataMapping). Addresses are low halves unless it says 64-bit.
enum UserDataMapping : uint32_t {
  GlobalTable = 0x10000000,    ///< Address of the internal table; register 0 only.
  PerShaderTable = 0x10000001, ///< Address of the shader's internal table; register 1 only.
  SpillTable = 0x10000002,     ///< Address where all entries are in memory.
  BaseVertex = 0x10000003,     ///< First stage of a graphics pipeline alone, as the next two.
  BaseInstance = 0x10000004,   ///< PAL demands the register after BaseVertex's.
  DrawIndex = 0x10000005,
  Workgroup = 0x10000006,         ///< 64-bit address of the dispatch's size in workgroups.
  EsGsLdsSize = 0x1000000A,       ///< Bytes of LDS between ES and GS; not on GFX12.
  ViewId = 0x1000000B,            ///< Index of the view.
  StreamOutTable = 0x1000000C,    ///< Address of the stream-out descriptors.
  VertexBufferTable = 0x1000000F, ///< Address of the vertex buffer descriptors; one stage alone.
  NggCullingData = 0x10000011,    ///< 64-bit address of the registers that culling reads.
  StreamOutControlBuf = 0x10000016,
  SampleInfo = 0x10000018,      ///< Bits 15:0 number of samples, 31:16 sample pattern.
  ColorExportAddr = 0x10000020, ///< Address of the color export shader.
  DynamicDualSrcBlendInfo = 0x10000022,
  NotMapped = 0xFFFFFFFF,
};

/// Dword offsets of buffer descriptors in the internal table (LLPC: lgc/state/Abi.h, SiDrvTable).
enum InternalTable : uint32_t {
  AttributeRing = 44,   ///< GFX11+: vertex attributes between NGG and PS.
  SamplePositions = 48, ///< Two floats a sample and pattern.
};

/// PAL fills that many user data registers of a compute stage.
constexpr unsigned maxComputeUserSgprs = 16;
/// Length of `.user_data_reg_map`, whatever the stage.
constexpr unsigned userDataRegMapSize = 32;
/// `.spill_threshold` of a pipeline that spills nothing.
constexpr uint32_t noSpill = 0xFFFF;

/// The keys of `.hardware_stages.cs` and `.compute_registers` that LLVM does not write itself (it
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

/// Metadata of a compute pipeline.
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

/// The msgpack of the metadata note of \p elf. InvalidInput when there is not one.
llvm::Expected<std::string> readMetadataNote(llvm::ArrayRef<uint8_t> elf);

/// \p elf with \p metadata, as msgpack, in place of those of its metadata note, which must be in
/// the first section of notes. InvalidInput when there is none, or a table exceeds the ELF.
llvm::Expected<std::vector<uint8_t>> replaceMetadata(llvm::ArrayRef<uint8_t> elf,
                                                     llvm::StringRef metadata);

/// The metadata note of \p elf, one of our own compiler's (LLVM's msgpack reader is no match for a
/// hostile one), as YAML. InvalidInput when there is none.
llvm::Expected<std::string> printElfMetadata(llvm::ArrayRef<uint8_t> elf);

} // namespace assay::pal
