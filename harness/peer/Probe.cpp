// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of Mesa's binaries is no interface: a build with another layout must be noticed, not
// read wrongly. So a few shaders with known answers are compiled first, each of which uses
// something else of what is read.
#include "harness/peer/RadvPeer.h"
#include "oracles/input/Glsl.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using radv::DescriptorType;
using radv::RadvShader;
using radv::UserData;
using radv::UserRange;

namespace {

/// A shader and what its launch must be.
struct Probe {
  StringLiteral name;
  StringLiteral source; ///< GLSL.
  std::vector<radv::SetBinding> bindings = {{0, 0, DescriptorType::StorageBuffer, 1}};
  uint32_t pushConstantBytes = 0;
  std::array<uint32_t, 3> blockSize = {64, 1, 1};
  unsigned localIds = 0;       ///< Highest component of the local id in VGPRs.
  uint32_t groupIds = 0;       ///< Bit per dimension.
  uint32_t ldsUnits = 0;       ///< As RadvShader::ldsUnits.
  bool hasScratch = false;     ///< At least 1200 bytes a lane.
  uint64_t inlinePushMask = 0; ///< Bit per dword of push constants that is in SGPRs.
  bool countsGroups = false;   ///< Reads the number of workgroups.
};

} // namespace

/// s_endpgm on every generation: SOPP, opcode 1 up to GFX10 and 48 from GFX11 on.
static constexpr uint32_t EndOfProgram[] = {0xbf810000, 0xbfb00000};

/// Returns shaders that each use another part of the launch.
static std::vector<Probe> makeProbes() {
  constexpr auto Buffer = DescriptorType::StorageBuffer;
  return {
      {.name = "a local id",
       .source = R"(#version 450
layout(local_size_x = 7, local_size_y = 3, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer B { uint data[]; } b;
void main() { b.data[gl_LocalInvocationID.x * 64 + gl_LocalInvocationID.y * 8 +
                     gl_LocalInvocationID.z] = 5; })",
       .blockSize = {7, 3, 2},
       .localIds = 2},
      {.name = "push constants",
       .source = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 3, binding = 1) buffer B { uint data[]; } b;
layout(push_constant) uniform P { layout(offset = 4) uint x; layout(offset = 20) uint y; } p;
void main() { b.data[gl_WorkGroupID.y] = p.x ^ p.y; })",
       .bindings = {{0, 0, Buffer, 1}, {3, 1, Buffer, 1}},
       .pushConstantBytes = 24,
       .groupIds = 2,
       .inlinePushMask = 0x22},
      {.name = "workgroup memory",
       .source = R"(#version 450
layout(local_size_x = 32, local_size_y = 2) in;
layout(set = 1, binding = 0) buffer B { uint data[]; } b;
shared uint s[300];
void main() {
  s[gl_LocalInvocationIndex * 4] = b.data[gl_LocalInvocationIndex];
  barrier();
  b.data[gl_LocalInvocationIndex] = s[b.data[77] % 300u];
})",
       .bindings = {{1, 0, Buffer, 1}},
       .blockSize = {32, 2, 1},
       .ldsUnits = 3},
      {.name = "workgroup counts",
       .source = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint data[]; } b;
void main() { b.data[gl_WorkGroupID.z] = gl_NumWorkGroups.y; })",
       .groupIds = 4,
       .countsGroups = true},
      {.name = "scratch",
       .source = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint data[]; } b;
void main() {
  uint a[300];
  for (uint i = 0; i < 300; ++i) a[i] = b.data[i];
  for (uint i = 0; i < 50; ++i) a[b.data[i + 400] % 300u] += i;
  b.data[gl_LocalInvocationID.x] = a[b.data[gl_LocalInvocationID.x] % 300u];
})",
       .hasScratch = true},
  };
}

/// Before GFX10.3 the workgroup counts come by a pointer.
static bool countsInRegisters(const TargetInfo &target) {
  return std::pair(target.major, target.minor) >= std::pair(10u, 3u);
}

/// Unsupported: a layout that is not known is no fault of the case.
static Error differs(const Probe &probe, const Twine &what) {
  return unsupported("this Mesa lays out shaders in a way that is not known: with " + probe.name +
                     ", " + what);
}

/// Every set that the shader uses has its SGPR, and the user SGPRs are in RADV's order.
static Error checkUserData(const Probe &probe, const RadvShader &shader, const TargetInfo &target) {
  auto find = [&](UserData data) {
    return find_if(shader.userData, [&](const UserRange &range) { return range.data == data; });
  };
  auto end = shader.userData.end();
  if (auto ring = find(UserData::ScratchRing); ring == end || ring->first != 0 || ring->count != 2)
    return differs(probe, "the ring pointer is not in the first two SGPRs");
  auto set = find(UserData::DescriptorSet);
  if (set == end || set->set != probe.bindings.back().set || set->first != 2)
    return differs(probe, "set " + Twine(probe.bindings.back().set) + " is not in s2");
  auto push = find(UserData::InlinePushConstants);
  unsigned pushed = llvm::popcount(probe.inlinePushMask);
  if ((push == end ? 0 : push->count) != pushed || (pushed && push->first != 3))
    return differs(probe, "push constants are not in " + Twine(pushed) + " SGPRs");
  auto counts = find(UserData::GridSize);
  uint32_t expected = !probe.countsGroups ? 0 : countsInRegisters(target) ? 3 : 2;
  if ((counts == end ? 0 : counts->count) != expected)
    return differs(probe, "the workgroup counts are not in " + Twine(expected) + " SGPRs");
  return Error::success();
}

/// Unsupported with the first field of \p shader that is not as \p probe says. The end of the code
/// is compared, too: its size is read from the binary.
static Error check(const Probe &probe, uint32_t waveSize, const RadvShader &shader,
                   const TargetInfo &target) {
  if (shader.waveSize != waveSize)
    return differs(probe,
                   "waves have " + Twine(shader.waveSize) + " lanes, not " + Twine(waveSize));
  if (shader.blockSize != probe.blockSize)
    return differs(probe, "workgroups are " + Twine(shader.blockSize[0]) + " wide");
  if ((shader.rsrc2 >> 11 & 3) != probe.localIds)
    return differs(probe, "local ids have " + Twine((shader.rsrc2 >> 11 & 3) + 1) + " parts");
  if ((shader.rsrc2 >> 7 & 7) != probe.groupIds)
    return differs(probe, "workgroup ids are mask " + Twine(shader.rsrc2 >> 7 & 7));
  if (shader.ldsUnits != probe.ldsUnits)
    return differs(probe, "LDS has " + Twine(shader.ldsUnits) + " units");
  if ((shader.scratchBytesPerWave >= 1200 * waveSize) != probe.hasScratch)
    return differs(probe, "scratch has " + Twine(shader.scratchBytesPerWave) + " bytes a wave");
  if (shader.inlinePushMask != probe.inlinePushMask)
    return differs(probe, "inline push constants are mask " + Twine(shader.inlinePushMask));
  ArrayRef<uint8_t> last = ArrayRef(shader.code).take_front(shader.execBytes).take_back(4);
  uint32_t word = last[0] | last[1] << 8 | last[2] << 16 | uint32_t(last[3]) << 24;
  if (word != EndOfProgram[target.major >= 11])
    return differs(probe, "the code does not end with s_endpgm but with 0x" + utohexstr(word));
  return checkUserData(probe, shader, target);
}

Error assay::probeLayout(RadvPeer &peer, const TargetInfo &target) {
  for (const Probe &probe : makeProbes()) {
    // Mesa's LLVM back-end dies of these (bugs/README.md).
    if (probe.countsGroups && peer.settings().compiler == RadvCompiler::Llvm &&
        !countsInRegisters(target))
      continue;
    auto spirv = input::compileGlsl(probe.source, 1, input::ScriptFiles(""));
    if (!spirv)
      return spirv.takeError();
    for (uint32_t waveSize : {32u, 64u}) {
      if (waveSize == 32 && !target.supportsWave32)
        continue;
      RadvPipeline pipeline;
      pipeline.stages.emplace_back();
      pipeline.stages.back().spirv = *spirv;
      pipeline.stages.back().requiredSubgroupSize = waveSize;
      pipeline.bindings = probe.bindings;
      pipeline.pushConstantBytes = probe.pushConstantBytes;
      Expected<RadvShader> shader = peer.compile(pipeline);
      if (!shader)
        return addContext(shader.takeError(), "probe of " + probe.name);
      if (Error error = check(probe, waveSize, *shader, target))
        return error;
    }
  }
  return Error::success();
}
