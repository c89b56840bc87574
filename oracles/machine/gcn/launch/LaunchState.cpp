// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: PAL's pipeline ABI for the metadata, AMD's ISA manuals ("Initial wave state").
#include "oracles/machine/gcn/launch/LaunchState.h"

#include "oracles/machine/gcn/launch/Layout.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// More than any shader that was not written to be absurd; the machine allocates it all.
static constexpr uint32_t MaxScratchBytes = 1 << 20;
/// Of a workgroup: 1,024 threads with 262,136 bytes each, the most that gfx1100's register holds
/// (rule RES-13 of validate-elf).
static constexpr uint64_t MaxGroupScratchBytes = 1 << 28;
/// COMPUTE_USER_DATA_0 to 15.
static constexpr unsigned MaxUserSgprs = 16;
/// SPI_SHADER_USER_DATA_*_0 to 31, from GFX9 on.
static constexpr unsigned MaxGraphicsUserSgprs = 32;

/// The place of a binding in the set, or null.
const BindingPlace *SetPlaces::find(uint32_t binding) const {
  auto found =
      find_if(bindings, [&](const BindingPlace &place) { return place.binding == binding; });
  return found == bindings.end() ? nullptr : &*found;
}

/// Invalid input for what the hardware cannot have, unsupported for scratch that the machine does
/// not allocate. \p what is the subject of the messages.
Error gcn::verifyLaunchState(const LaunchState &state, const TargetInfo &target, StringRef what) {
  if (state.waveSize != 32 && state.waveSize != 64)
    return invalidInput(what + ": waves of " + Twine(state.waveSize) + " lanes");
  if (state.waveSize == 32 && !target.supportsWave32)
    return invalidInput(what + ": waves of 32 lanes, but " + target.name + " has wave64 only");
  uint64_t threads = 1;
  for (uint32_t dimension : state.threads)
    threads *= std::min<uint32_t>(dimension, 2048);
  if (threads == 0 || threads > 1024)
    return invalidInput(what + ": workgroups of " + Twine(threads) + " threads");
  if (state.vgprCount == 0 || state.vgprCount > 256)
    return invalidInput(what + ": " + Twine(state.vgprCount) + " VGPRs");
  if (state.sharedVgprs && (target.major != 10 || state.waveSize != 64))
    return invalidInput(what + ": shared VGPRs, which only waves of 64 lanes on GFX10 have");
  if (state.vgprCount + state.sharedVgprs > 256)
    return invalidInput(what + ": " + Twine(state.sharedVgprs) + " shared VGPRs");
  if (state.sgprCount == 0 || state.sgprCount > 128)
    return invalidInput(what + ": " + Twine(state.sgprCount) + " SGPRs");
  if (state.userSgprs.size() > state.maxUserSgprs)
    return invalidInput(what + ": " + Twine(state.userSgprs.size()) +
                        " user SGPRs, the stage has " + Twine(state.maxUserSgprs));
  if (state.scratchBytesPerLane > MaxScratchBytes ||
      uint64_t(state.scratchBytesPerLane) * state.waveSize * state.wavesPerGroup() >
          MaxGroupScratchBytes)
    return unsupported("scratch of " + Twine(state.scratchBytesPerLane) + " bytes a lane");
  if (state.ldsBytes > 65536)
    return invalidInput(what + ": LDS of " + Twine(state.ldsBytes) + " bytes");
  return Error::success();
}

/// The meaning of user SGPR \p index in a map of PAL's metadata. Unmapped for values that the
/// launch does not know.
static UserSgpr palUserSgpr(ArrayRef<uint32_t> map, unsigned index) {
  switch (map[index]) {
  case user_data::GlobalTable:
    return {UserValue::GlobalTable, 0};
  case user_data::SpillTable:
    return {UserValue::SpillTable, 0};
  case user_data::Workgroup:
    return {UserValue::CountsPointer, 0};
  case user_data::PerShaderTable:
    return {UserValue::PrimitiveRings, 0};
  case user_data::BaseVertex:
    return {UserValue::BaseVertex, 0};
  case user_data::BaseInstance:
    return {UserValue::BaseInstance, 0};
  case user_data::DrawIndex:
    return {UserValue::DrawIndex, 0};
  case user_data::ViewId:
    return {UserValue::ViewIndex, 0};
  case user_data::VertexBufferTable:
    return {UserValue::VertexBuffers, 0};
  default:
    if (map[index] < user_data::MaxEntries)
      return {UserValue::UserData, static_cast<uint16_t>(map[index])};
    return {};
  }
}

/// What all hardware stages have in common. Threads are not set.
static Expected<LaunchState> commonStateFor(const HardwareStageMetadata &stage,
                                            const TargetInfo &target, unsigned maxUserSgprs) {
  LaunchState state;
  state.maxUserSgprs = maxUserSgprs;
  if (stage.userSgprs > maxUserSgprs)
    return invalidInput("metadata: .user_sgprs " + Twine(stage.userSgprs) + ", the stage has " +
                        Twine(maxUserSgprs));
  for (unsigned i = 0; i < stage.userSgprs; ++i) {
    state.userSgprs.push_back(palUserSgpr(stage.userDataRegMap, i));
    if (state.userSgprs.back().value == UserValue::CountsPointer && i + 1 < stage.userSgprs) {
      state.userSgprs.push_back({UserValue::CountsPointer, 1});
      ++i;
    }
  }
  state.scratchOffset = stage.scratchEn;
  state.waveSize = stage.wavefrontSize.value_or(64);
  state.vgprCount = stage.vgprCount;
  state.sgprCount = stage.sgprCount;
  state.ldsBytes = stage.ldsSize;
  state.scratchBytesPerLane = stage.scratchMemorySize;
  // Bit 8: DX10_CLAMP, which every compute shader has; bit 9: IEEE mode.
  state.mode = stage.floatMode | 0x100u | (stage.ieeeMode ? 0x200u : 0);
  state.isOnTwoUnits = target.major >= 10 && stage.wgpMode;
  state.tableBase = TableBase;
  return state;
}

Expected<LaunchState> gcn::launchStateFor(const HardwareStageMetadata &stage,
                                          const ComputeRegisters &compute,
                                          const TargetInfo &target) {
  Expected<LaunchState> state = commonStateFor(stage, target, MaxUserSgprs);
  if (!state)
    return state;
  state->groupIds = {compute.tgidXEn, compute.tgidYEn, compute.tgidZEn};
  state->groupSizeWord = compute.tgSizeEn;
  state->localIds = std::min(compute.tidigCompCnt + 1, 3u);
  state->threads = stage.threadgroupDimensions;
  if (Error error = verifyLaunchState(*state, target, "metadata"))
    return std::move(error);
  return state;
}

Expected<LaunchState> gcn::launchStateFor(const HardwareStageMetadata &stage,
                                          const TargetInfo &target) {
  Expected<LaunchState> state = commonStateFor(stage, target, MaxGraphicsUserSgprs);
  if (!state)
    return state;
  state->threads = {state->waveSize, 1, 1};
  if (stage.name == ".gs") // Two stages in one: eight SGPRs of the hardware's come first.
    state->firstUserSgpr = 8;
  if (Error error = verifyLaunchState(*state, target, "metadata"))
    return std::move(error);
  return state;
}

/// Converts the offsets of a resource layout from dwords to bytes.
std::vector<SetPlaces> gcn::placesOf(const ResourceLayout &layout) {
  std::vector<SetPlaces> sets;
  for (const DescriptorTable &table : layout.tables) {
    SetPlaces places;
    places.set = table.set;
    places.bytes = table.sizeInDwords * 4;
    for (const DescriptorNode &node : table.nodes) {
      BindingPlace place;
      place.binding = node.binding;
      place.count = node.count;
      place.offset = node.offsetInDwords * 4;
      place.stride = node.strideInDwords * 4;
      place.samplerOffset = 32; // ResourceLayout: S# right after T#.
      places.bindings.push_back(place);
    }
    sets.push_back(std::move(places));
  }
  return sets;
}
