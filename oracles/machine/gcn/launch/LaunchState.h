// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What machine code starts with, whoever compiled it: registers, mode, sizes, and where descriptors
// stand. Filled from PAL metadata (launchStateFor below) or from what RADV says of its code
// (RadvImage.h); Launch.h carries it out.
#pragma once

#include "compiler/api/ResourceLayout.h"
#include "compiler/api/Target.h"
#include "oracles/pal_elf/Metadata.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>
#include <vector>

namespace assay::gcn {

/// What a user SGPR holds. All addresses of tables are low halves; LaunchState::tableBase has the
/// high one.
enum class UserValue : uint8_t {
  Unmapped,
  UserData,      ///< User data entry \p index of the resource layout.
  GlobalTable,   ///< PAL's, with the scratch descriptors.
  SpillTable,    ///< Of all user data.
  CountsPointer, ///< Address of the three workgroup counts; index 0: its low half, 1: its high one.
  Count,         ///< The workgroup count of dimension \p index.
  SetTable,      ///< The table of descriptor set \p index.
  SetPointers,   ///< An array of the addresses of the tables of sets 0, 1, ...
  PushConstant,  ///< Dword \p index of the push constants.
  PushPointer,   ///< The push constants in memory.
  ScratchBase,   ///< Scratch of all waves; index 0: low half, 1: high half with the swizzle bits of
                 ///< a V#'s second dword.
  // Of draws:
  VertexBuffers, ///< A table of V#s.
  BaseVertex,    ///< vertexOffset, or firstVertex without indices.
  BaseInstance,  ///< firstInstance.
  DrawIndex,
  ViewIndex,
  PrimitiveRings, ///< Address of the table of ring descriptors; index 0: low half, 1: high half.
  PipelineState,  ///< A word of what RADV's shaders get of dynamic state.
  Zero,           ///< State of RADV's of which nothing is used.
};

struct UserSgpr {
  UserValue value = UserValue::Unmapped;
  uint16_t index = 0;

  bool operator==(const UserSgpr &) const = default;
};

/// Where the descriptors of one binding are in its set's table, in bytes.
struct BindingPlace {
  uint32_t binding = 0;
  uint32_t count = 1;
  uint32_t offset = 0;
  uint32_t stride = 0;        ///< Between array elements.
  uint32_t samplerOffset = 0; ///< Of the S# after the T#; only of combined image samplers.
  uint32_t fmaskOffset = 0;   ///< Of the T# of FMASK, which no image has here; 0: there is none.
};

struct SetPlaces {
  uint32_t set = 0;
  uint32_t bytes = 0;
  std::vector<BindingPlace> bindings;

  /// The place of \p binding, or null.
  const BindingPlace *find(uint32_t binding) const;
};

struct LaunchState {
  llvm::SmallVector<UserSgpr, 16> userSgprs;
  std::array<bool, 3> groupIds{}; ///< System SGPRs after the user's, in this order.
  bool groupSizeWord = false;
  bool scratchOffset = false; ///< This wave's scratch, from the base on.
  unsigned localIds = 1;      ///< Components of the local id in VGPRs.
  std::array<uint32_t, 3> threads{1, 1, 1};
  unsigned waveSize = 64;
  unsigned vgprCount = 1;
  unsigned sharedVgprs = 0; ///< After the others; GFX10, waves of 64 (SharedRegisters.h).
  unsigned sgprCount = 1;
  uint32_t ldsBytes = 0;
  uint32_t scratchBytesPerLane = 0;
  uint32_t mode = 0; ///< MODE, as hwreg(HW_REG_MODE) has it.
  /// From GFX10 on: the waves of a workgroup run on two compute units, each with a cache of its
  /// own.
  bool isOnTwoUnits = false;
  uint64_t tableBase = 0;      ///< Address of the first table; all have its high half.
  unsigned firstUserSgpr = 0;  ///< 8 where two stages are merged: the hardware's come before.
  unsigned maxUserSgprs = 16;  ///< That the stage's registers hold.
  bool hasPlanarLines = false; ///< Images of one dimension are described as of two.
  /// Where descriptors stand; nothing: as the pipeline's ResourceLayout says.
  std::optional<std::vector<SetPlaces>> sets;

  unsigned threadCount() const { return threads[0] * threads[1] * threads[2]; }
  unsigned wavesPerGroup() const { return (threadCount() + waveSize - 1) / waveSize; }
};

/// InvalidInput for what no chip can launch, Unsupported beyond what this machine allots. \p what
/// names the source of the numbers in messages ("metadata").
llvm::Error verifyLaunchState(const LaunchState &state, const TargetInfo &target,
                              llvm::StringRef what);

/// From the metadata of a PAL ELF.
llvm::Expected<LaunchState> launchStateFor(const HardwareStageMetadata &stage,
                                           const ComputeRegisters &compute,
                                           const TargetInfo &target);

/// The same of a stage of graphics, whose workgroups are one wave.
llvm::Expected<LaunchState> launchStateFor(const HardwareStageMetadata &stage,
                                           const TargetInfo &target);

/// Where \p layout puts descriptors.
std::vector<SetPlaces> placesOf(const ResourceLayout &layout);

} // namespace assay::gcn
