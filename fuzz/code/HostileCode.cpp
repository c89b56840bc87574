// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/code/HostileCode.h"

#include "oracles/api/OutcomeBytes.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/radv/RadvShader.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Size of the buffer at DataAddress.
static constexpr size_t DataBytes = 4096;
/// Threads of a workgroup that header byte 2 selects: full waves of both sizes and partly filled
/// ones.
static constexpr uint32_t GroupSizes[] = {1, 32, 64, 96, 128, 192, 255, 256};

/// Every byte is reduced into the range of its field, so that any input is a launch. Wave32 is
/// ignored on gfx900, which does not have it.
HostileCode fuzz::readHostileCode(ArrayRef<uint8_t> bytes) {
  std::array<uint8_t, HeaderBytes> header{};
  copy(bytes.take_front(HeaderBytes), header.begin());
  HostileCode code;
  code.chip = gcn::Chip(header[0] % gcn::ChipCount);
  uint8_t flags = header[1];
  code.waveSize = (flags & 1) && code.chip != gcn::Chip::Gfx900 ? 32 : 64;
  code.late = flags & 2;
  code.chosen = flags & 4;
  code.userSgprs = flags & 8 ? UserSgprs::Tables : UserSgprs::Numbers;
  code.groupThreads = GroupSizes[header[2] % std::size(GroupSizes)];
  code.groups = header[3] % 8 + 1;
  code.vgprs = header[4] + 1;
  code.ldsBytes = header[5] % 129 * 512;
  code.scratchBytes = header[6];
  code.floatMode = header[7];
  for (size_t i = 0; i < code.sgprs.size(); ++i)
    code.sgprs[i] = support::endian::read32le(header.data() + 8 + 4 * i);
  ArrayRef<uint8_t> rest = bytes.drop_front(std::min(HeaderBytes, bytes.size()));
  for (; rest.size() >= 4 && code.words.size() < MaxWords; rest = rest.drop_front(4))
    code.words.push_back(support::endian::read32le(rest.data()));
  return code;
}

std::vector<uint8_t> fuzz::writeHostileCode(const HostileCode &code) {
  auto size = find(GroupSizes, code.groupThreads);
  std::vector<uint8_t> bytes = {uint8_t(code.chip),
                                uint8_t((code.waveSize == 32) | code.late << 1 | code.chosen << 2 |
                                        (code.userSgprs == UserSgprs::Tables) << 3),
                                uint8_t(size - std::begin(GroupSizes)),
                                uint8_t(code.groups - 1),
                                uint8_t(code.vgprs - 1),
                                uint8_t(code.ldsBytes / 512),
                                uint8_t(code.scratchBytes),
                                code.floatMode};
  auto append = [&](uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back(uint8_t(word >> shift));
  };
  for (uint32_t word : code.sgprs)
    append(word);
  for (uint32_t word : code.words)
    append(word);
  return bytes;
}

/// COMPUTE_PGM_RSRC1 and 2 as AMD's register reference has them; RadvImage.cpp reads them.
static void setRegisters(radv::RadvShader &shader, const HostileCode &code) {
  unsigned granule = code.waveSize == 32 ? 8 : 4;
  unsigned blocks = std::min(divideCeil(code.vgprs, granule), 256 / granule);
  shader.rsrc1 = (blocks - 1) | 12 << 6 | uint32_t(code.floatMode) << 12 | 1u << 21 | 1u << 23;
  shader.rsrc2 =
      (code.scratchBytes != 0) | 16 << 1 | 7 << 7 | 1 << 10 | 2 << 11 | code.ldsBytes / 512 << 15;
  shader.scratchBytesPerWave = code.scratchBytes * code.waveSize;
}

/// Wraps the words as an ACO compute shader. The SGPRs that no table pointer occupies are inline
/// push constants, so the first 16 SGPRs always have defined contents.
static radv::RadvShader makeShader(const HostileCode &code) {
  radv::RadvShader shader;
  shader.compiler = "aco";
  shader.target = gcn::chipName(code.chip).str();
  shader.waveSize = code.waveSize;
  shader.blockSize = {code.groupThreads, 1, 1};
  setRegisters(shader, code);
  uint32_t first = 0;
  if (code.userSgprs == UserSgprs::Tables) {
    shader.userData = {{radv::UserData::ScratchRing, 0, 0, 2},
                       {radv::UserData::DescriptorSet, 0, 2, 1}};
    shader.bindings = {{0, 0, radv::DescriptorType::StorageBuffer, 1},
                       {0, 1, radv::DescriptorType::UniformTexelBuffer, 1},
                       {0, 2, radv::DescriptorType::CombinedImageSampler, 1},
                       {0, 3, radv::DescriptorType::StorageImage, 1}};
    first = 3;
  }
  shader.inlinePushMask = maskTrailingOnes<uint64_t>(16 - first);
  shader.userData.push_back({radv::UserData::InlinePushConstants, 0, first, 16 - first});
  for (uint32_t word : code.words)
    for (unsigned shift = 0; shift < 32; shift += 8)
      shader.code.push_back(uint8_t(word >> shift));
  shader.execBytes = static_cast<uint32_t>(shader.code.size());
  return shader;
}

/// Builds a case with one dispatch and three buffers: data (all bytes 1) at DataAddress, an 8x8
/// RGBA8 image, and the push constants. With UserSgprs::Tables, set 0 binds the first two as
/// storage buffer, texel buffer, sampled image and storage image.
static Case makeCase(const HostileCode &code, const HostileOptions &options) {
  Case input;
  input.buffers.resize(3);
  input.buffers[0].bytes.assign(DataBytes, 1); // At DataAddress.
  input.buffers[0].texelFormat = findTexelFormat("R8G8B8A8_UNORM");
  Buffer &image = input.buffers[1];
  image.texelFormat = findTexelFormat("R8G8B8A8_UNORM");
  image.image = ImageShape{ImageDimension::Dim2D, 8, 8, 1, 1, 4, 1};
  image.bytes.assign(getImageBytes(*image.image, *image.texelFormat), 0x40);
  for (uint32_t word : code.sgprs)
    for (unsigned shift = 0; shift < 32; shift += 8)
      input.buffers[2].bytes.push_back(uint8_t(word >> shift));
  input.samplers.resize(1);
  CasePipeline pipeline;
  pipeline.description.layout.pushConstantDwords = 16;
  auto bind = [&](BindingKind kind, unsigned buffer, uint32_t binding) {
    BufferBinding each;
    each.kind = kind;
    each.buffer = buffer;
    each.binding = binding;
    pipeline.bindings.push_back(each);
  };
  bind(BindingKind::PushConstant, 2, 0);
  if (code.userSgprs == UserSgprs::Tables) {
    bind(BindingKind::Storage, 0, 0);
    bind(BindingKind::UniformTexelBuffer, 0, 1);
    bind(BindingKind::CombinedImageSampler, 1, 2);
    bind(BindingKind::StorageImage, 1, 3);
  }
  input.pipelines.push_back(std::move(pipeline));
  Dispatch dispatch;
  dispatch.groups[0] = code.groups;
  if (options.groups[0])
    copy(options.groups, dispatch.groups);
  input.commands.push_back(dispatch);
  return input;
}

Expected<Outcome> fuzz::runHostileCode(const HostileCode &code, const HostileOptions &options) {
  auto target = findTarget(gcn::chipName(code.chip));
  if (!target)
    return target.takeError();
  RunOptions run;
  run.maxInstructions = options.maxInstructions;
  run.sanitize = options.sanitize;
  run.threads = options.threads;
  run.schedule = code.late ? ScheduleKind::Late : ScheduleKind::Eager;
  run.scheduleSeed = code.chosen ? 5 : 0;
  Artifact artifact(radv::writeRadvShader(makeShader(code)));
  return createGcnMachine(**target)->run(makeCase(code, options), artifact, run);
}

/// Summarises an outcome for messages and comparison; buffer contents are not part of it.
static std::string describe(const Outcome &outcome) {
  return utostr(unsigned(outcome.kind)) + " (" + outcome.reason + "), " +
         utostr(outcome.instructions) + " instructions, " + utostr(outcome.findings.size()) +
         " findings";
}

/// Returns what is wrong with the end of a single run: it exceeds the instruction budget, or it did
/// not complete and has no reason. Empty: nothing.
static std::string checkEnd(const Outcome &outcome, const HostileOptions &options) {
  if (outcome.instructions > options.maxInstructions)
    return "beyond its budget: " + describe(outcome);
  if (outcome.kind != OutcomeKind::Completed && outcome.reason.empty())
    return "ends without a reason: " + describe(outcome);
  return "";
}

/// What a sanitizer reports does not change the run.
static bool survives(const Outcome &outcome) {
  return outcome.kind == OutcomeKind::Completed || outcome.kind == OutcomeKind::Hazard;
}

/// Compares the run on two threads and the run without sanitizers with the first one. Hazard counts
/// as completion there: only sanitizers report it.
std::string fuzz::checkHostileCode(const HostileCode &code) {
  HostileOptions options;
  std::vector<Outcome> outcomes;
  for (auto [threads, sanitize] :
       {std::pair(1u, true), std::pair(2u, true), std::pair(1u, false)}) {
    options.threads = threads;
    options.sanitize = sanitize;
    Expected<Outcome> outcome = runHostileCode(code, options);
    if (!outcome) {
      consumeError(outcome.takeError()); // Refused; the same every time.
      return "";
    }
    if (std::string wrong = checkEnd(*outcome, options); !wrong.empty())
      return wrong;
    outcomes.push_back(std::move(*outcome));
  }
  if (describe(outcomes[0]) != describe(outcomes[1]) || !haveSameBytes(outcomes[0], outcomes[1]))
    return "threads change it: " + describe(outcomes[0]) + "; " + describe(outcomes[1]);
  bool isSame =
      survives(outcomes[0]) ? survives(outcomes[2]) : outcomes[0].reason == outcomes[2].reason;
  if (!isSame || !haveSameBytes(outcomes[0], outcomes[2]))
    return "sanitizers change it: " + describe(outcomes[0]) + "; " + describe(outcomes[2]);
  return "";
}
