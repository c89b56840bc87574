// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: Mesa 25.0's radv_shader_args.c for the order of arguments, radv_shader.c
// (radv_postprocess_binary_config) and AMD's register reference for the fields of
// COMPUTE_PGM_RSRC1 and 2, radv_cmd_buffer.c and radv_queue.c for what the driver writes.
#include "oracles/machine/gcn/launch/RadvImage.h"

#include "oracles/machine/gcn/launch/Layout.h"
#include "oracles/radv/SetLayout.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using radv::RadvShader;
using radv::UserData;
using radv::UserRange;

/// Returns \p bits bits of \p word from bit \p low on; fewer than 32.
static constexpr uint32_t field(uint32_t word, unsigned low, unsigned bits) {
  return word >> low & ((1u << bits) - 1);
}

/// The push constant dword that inline push constant number \p index is.
static uint16_t inlineDword(uint64_t mask, unsigned index) {
  for (; index; --index)
    mask &= mask - 1;
  return static_cast<uint16_t>(llvm::countr_zero(mask));
}

/// The meaning of SGPR number \p index of \p range.
static UserSgpr userSgpr(const RadvShader &shader, const UserRange &range, unsigned index) {
  auto low = static_cast<uint16_t>(index);
  switch (range.data) {
  case UserData::ScratchRing:
    return {UserValue::ScratchBase, low};
  case UserData::DescriptorSet:
    return {UserValue::SetTable, static_cast<uint16_t>(range.set)};
  case UserData::IndirectSets:
    return {UserValue::SetPointers, 0};
  case UserData::PushConstants:
    return {UserValue::PushPointer, 0};
  case UserData::InlinePushConstants:
    return {UserValue::PushConstant, inlineDword(shader.inlinePushMask, index)};
  case UserData::GridSize:
    return {range.count == 3 ? UserValue::Count : UserValue::CountsPointer, low};
  case UserData::RingTable:
    return {UserValue::PrimitiveRings, low};
  case UserData::VertexBuffers:
    return {UserValue::VertexBuffers, 0};
  case UserData::BaseVertex:
    return {UserValue::BaseVertex, 0};
  case UserData::DrawId:
    return {UserValue::DrawIndex, 0};
  case UserData::StartInstance:
    return {UserValue::BaseInstance, 0};
  case UserData::ViewIndex:
    return {UserValue::ViewIndex, 0};
  case UserData::PixelState:
    return {UserValue::PipelineState, 0};
  case UserData::NggCulling: // Zero: nothing is culled.
  case UserData::NggViewport:
  case UserData::NggState:
    return {UserValue::Zero, 0};
  }
  llvm_unreachable("a number that is no UserData");
}

/// Whether \p range is one that the stage has, and of the right size.
static bool hasSgprs(const RadvShader &shader, const UserRange &range) {
  if (range.data >= UserData::RingTable && shader.stage == radv::Stage::Compute)
    return false;
  switch (range.data) {
  case UserData::ScratchRing:
  case UserData::RingTable:
    return range.count == 2;
  case UserData::NggViewport:
    return range.count == 4;
  case UserData::InlinePushConstants:
    return range.count == static_cast<uint32_t>(llvm::popcount(shader.inlinePushMask));
  case UserData::GridSize:
    return range.count == 2 || range.count == 3;
  default:
    return range.count == 1;
  }
}

/// Sets the meaning of every user SGPR from USER_SGPR in rsrc2. Ranges that the stage does not
/// have, or that do not fit, are invalid input.
static Error addUserSgprs(const RadvShader &shader, LaunchState &state) {
  uint32_t count = field(shader.rsrc2, 1, 5);
  state.userSgprs.assign(count, {});
  for (const UserRange &range : shader.userData) {
    if (!hasSgprs(shader, range) || range.first + range.count > count)
      return invalidInput("RADV shader: " + Twine(range.count) + " user SGPRs from " +
                          Twine(range.first) + " on of " + Twine(count));
    for (unsigned i = 0; i < range.count; ++i)
      state.userSgprs[range.first + i] = userSgpr(shader, range, i);
  }
  return Error::success();
}

/// The descriptor sets as RADV lays them out. Bindings of a set are consecutive in \p shader.
static std::vector<SetPlaces> setsOf(const RadvShader &shader) {
  std::vector<SetPlaces> sets;
  for (const radv::SetBinding &binding : shader.bindings) {
    if (!sets.empty() && sets.back().set == binding.set)
      continue;
    radv::SetLayout layout = radv::layOutSet(shader.bindings, binding.set);
    SetPlaces places{binding.set, layout.bytes, {}};
    for (const radv::PlacedBinding &placed : layout.bindings)
      places.bindings.push_back({placed.binding, placed.count, placed.offset, placed.stride,
                                 placed.samplerOffset, placed.fmaskOffset});
    sets.push_back(std::move(places));
  }
  return sets;
}

/// VGPRs are allocated in fours, of waves of 32 lanes in eights; SGPRs in eights on GFX9 and not at
/// all later, where every wave has s0 to s105 and VCC.
static void addRegisters(const RadvShader &shader, const TargetInfo &target, LaunchState &state) {
  state.vgprCount = (field(shader.rsrc1, 0, 6) + 1) * (shader.waveSize == 32 ? 8 : 4);
  if (target.major == 10 && shader.waveSize == 64)
    state.sharedVgprs = field(shader.rsrc3, 0, 4) * 8;
  state.sgprCount = target.major >= 10 ? 108 : (field(shader.rsrc1, 6, 4) + 1) * 8;
  state.isOnTwoUnits = target.major >= 10 && field(shader.rsrc1, 29, 1); // WGP_MODE
  // MODE[7:0] is FLOAT_MODE; bit 8 DX10_CLAMP, bit 9 IEEE_MODE, which GFX12 does not have.
  state.mode = field(shader.rsrc1, 12, 8);
  if (target.major < 12)
    state.mode |= field(shader.rsrc1, 21, 1) << 8 | field(shader.rsrc1, 23, 1) << 9;
}

/// A stage of graphics: its workgroups are one wave.
static void addGraphics(const RadvShader &shader, LaunchState &state) {
  constexpr unsigned MaxGraphicsUserSgprs = 32;
  state.maxUserSgprs = MaxGraphicsUserSgprs;
  state.threads = {shader.waveSize, 1, 1};
  state.ldsBytes = shader.ldsUnits * 512;
}

/// LDS is counted in units of 512 bytes. Graphics stages have waves as workgroups.
Expected<LaunchState> gcn::launchStateFor(const RadvShader &shader, const TargetInfo &target) {
  LaunchState state;
  if (Error error = addUserSgprs(shader, state))
    return std::move(error);
  addRegisters(shader, target, state);
  for (unsigned i = 0; i < 3; ++i)
    state.groupIds[i] = field(shader.rsrc2, 7 + i, 1);
  state.groupSizeWord = field(shader.rsrc2, 10, 1);
  state.scratchOffset = field(shader.rsrc2, 0, 1);
  state.localIds = std::min(field(shader.rsrc2, 11, 2) + 1, 3u);
  state.threads = shader.blockSize;
  state.waveSize = shader.waveSize;
  state.ldsBytes = field(shader.rsrc2, 15, 9) * 512;
  state.scratchBytesPerLane = shader.scratchBytesPerWave / shader.waveSize;
  state.tableBase = RadvTableBase;
  state.hasPlanarLines = target.major == 9; // ac_nir, radv_image_view.c: "GFX9 1D textures are 2D".
  state.sets = setsOf(shader);
  if (shader.stage != radv::Stage::Compute)
    addGraphics(shader, state);
  if (Error error = verifyLaunchState(state, target, "RADV shader"))
    return std::move(error);
  return state;
}

/// The code is one section at ImageBase; only its first \c execBytes are decoded. Fails for a
/// shader of another target.
Expected<CodeImage> gcn::loadRadvShader(RadvShader shader, const TargetInfo &target) {
  if (shader.target != target.name)
    return invalidInput("the RADV shader is for " + shader.target + ", not for " + target.name);
  CodeImage image;
  Expected<LaunchState> launch = launchStateFor(shader, target);
  if (!launch)
    return launch.takeError();
  image.launch = std::move(*launch);
  image.sections.push_back({0, ImageBase, "code", std::move(shader.code), false});
  auto program = makeProgram(image.launch, target, image.sections[0], {{0, shader.execBytes}});
  if (!program)
    return program.takeError();
  image.program = std::move(*program);
  image.entry = image.program->findOp(ImageBase);
  return image;
}

/// Compute only; graphics stages are unsupported here.
Expected<CodeImage> gcn::loadRadv(const Artifact &artifact, const TargetInfo &target) {
  Expected<const RadvShader &> shader = artifact.view<RadvShader>(radv::readRadvShader);
  if (!shader)
    return shader.takeError();
  if (shader->stage != radv::Stage::Compute)
    return unsupported("gcn machine: a RADV shader of another stage than compute");
  return loadRadvShader(*shader, target);
}
