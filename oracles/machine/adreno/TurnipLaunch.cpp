// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/TurnipLaunch.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// c504.x, where shared constants begin on a6xx (docs/turnip.md).
static constexpr uint32_t SharedConstants = 504 * 4;
/// The largest const file, in dwords.
static constexpr uint32_t MaxConstants = 512 * 4;

Error adreno::verifyLaunch(const turnip::TurnipShader &shader, const Case &input) {
  for (auto [index, place] : enumerate(shader.resources))
    if (!place.levels.empty())
      return unsupported(
          "machine adreno has no images (" +
          (index < input.buffers.size() ? input.buffers[index].name : std::string("one")) + ")");
  return Error::success();
}

static std::vector<uint32_t> readPushConstants(const CasePipeline &pipeline,
                                               const std::vector<BufferState> &buffers) {
  std::vector<uint32_t> dwords;
  for (const BufferBinding &binding : pipeline.bindings) {
    if (binding.kind != BindingKind::PushConstant || binding.buffer >= buffers.size())
      continue;
    ArrayRef<uint8_t> bytes = buffers[binding.buffer].bytes;
    bytes = bytes.drop_front(std::min<uint64_t>(binding.offset, bytes.size()));
    bytes = bytes.take_front(std::min<uint64_t>(binding.range, bytes.size()));
    dwords.assign(divideCeil(bytes.size(), 4), 0);
    std::memcpy(dwords.data(), bytes.data(), bytes.size());
  }
  return dwords;
}

TurnipLaunch::TurnipLaunch(const turnip::TurnipShader &shader, const Program &program,
                           const CasePipeline &pipeline, const uint32_t groups[3],
                           std::vector<BufferState> &buffers)
    : m_shader(shader), m_program(program) {
  std::vector<uint32_t> pushConstants = readPushConstants(pipeline, buffers);
  mapMemory(buffers);
  load(pushConstants, groups);
}

void TurnipLaunch::mapMemory(std::vector<BufferState> &buffers) {
  for (auto [place, buffer] : zip(m_shader.resources, buffers))
    if (place.bytes && !buffer.bytes.empty())
      m_memory.map(place.address, buffer.bytes, "buffer at " + std::to_string(place.address), true);
  auto add = [&](uint64_t address, ArrayRef<uint8_t> bytes, StringRef name) {
    if (!bytes.empty())
      copy(bytes, m_memory.allocate(address, bytes.size(), name, false).begin());
  };
  for (const turnip::MemoryRange &range : m_shader.memory)
    add(range.address, range.bytes, "the driver's memory");
  for (const turnip::BindlessBase &base : m_shader.bases) {
    if (base.base >= m_bases.size()) {
      m_bases.resize(base.base + 1);
      m_descriptorBytes.resize(base.base + 1, 64);
    }
    m_bases[base.base] = base.address;
    m_descriptorBytes[base.base] = base.descriptorBytes;
    add(base.address, base.bytes, "descriptors of base " + std::to_string(base.base));
  }
}

static uint32_t dwordOf(const turnip::LoadedDword &dword, ArrayRef<uint32_t> pushConstants,
                        const uint32_t groups[3]) {
  switch (dword.source) {
  case turnip::DwordSource::Value:
    return dword.value;
  case turnip::DwordSource::PushConstant:
    return dword.value < pushConstants.size() ? pushConstants[dword.value] : 0;
  case turnip::DwordSource::GroupCount:
    return groups[dword.value % 3];
  case turnip::DwordSource::FirstGroup:
    return 0;
  }
  return 0;
}

void TurnipLaunch::load(ArrayRef<uint32_t> pushConstants, const uint32_t groups[3]) {
  bool isNew = factsOf(m_program.chip()).generation >= 700;
  const turnip::Launch &launch = m_shader.launch;
  bool sharesFile = launch.sharedConstants && !isNew;
  m_constants.assign(sharesFile ? MaxConstants : std::min(launch.constantVec4s * 4, MaxConstants),
                     0);
  auto put = [](std::vector<uint32_t> &file, uint64_t at, uint32_t value) {
    if (at >= file.size())
      file.resize(at + 1);
    file[at] = value;
  };
  for (const turnip::Load &load : m_shader.loads) {
    for (auto [index, dword] : enumerate(load.dwords)) {
      uint32_t value = dwordOf(dword, pushConstants, groups);
      uint64_t at = uint64_t(load.first) + index;
      if (load.space == turnip::LoadSpace::UniformBuffer) {
        if (load.slot >= m_uniformSlots.size())
          m_uniformSlots.resize(load.slot + 1);
        put(m_uniformSlots[load.slot], at, value);
      } else if (load.space == turnip::LoadSpace::SharedConstants && isNew) {
        put(m_sharedImmediates, at, value);
      } else {
        at += load.space == turnip::LoadSpace::SharedConstants ? SharedConstants : 0;
        if (at < m_constants.size())
          m_constants[at] = value;
      }
    }
  }
}

unsigned TurnipLaunch::fibers() const {
  const auto &size = m_shader.launch.localSize;
  return size[0] * size[1] * size[2];
}

unsigned TurnipLaunch::wavesPerGroup() const {
  return unsigned(divideCeil(fibers(), m_shader.launch.fibersPerWave));
}

WaveEnvironment TurnipLaunch::environment() const {
  WaveEnvironment environment;
  environment.arithmetic = &m_arithmetic;
  environment.privateBytes = m_shader.launch.privateBytesPerFiber;
  environment.bindlessBases = m_bases;
  environment.descriptorBytes = m_descriptorBytes;
  environment.sharedImmediates = m_sharedImmediates;
  environment.uniformSlots = m_uniformSlots;
  return environment;
}

/// Sets three registers from \p number on in one lane, where that is a register.
static void setTriple(Wave &wave, unsigned lane, uint32_t number, std::array<uint32_t, 3> values) {
  for (unsigned i = 0; number < reg::None && i < 3; ++i)
    wave.write(lane, number + i, /*half=*/false, values[i]);
}

Wave TurnipLaunch::makeWave(const WaveEnvironment &environment, unsigned number,
                            std::array<uint32_t, 3> group, uint32_t uninitialized) const {
  const turnip::Launch &launch = m_shader.launch;
  unsigned first = number * launch.fibersPerWave;
  unsigned used = std::min(launch.fibersPerWave, fibers() - first);
  Wave wave(m_program, environment, launch.fibersPerWave, used, launch.firstInstruction,
            uninitialized);
  wave.constants = m_constants;
  const auto &size = launch.localSize;
  for (unsigned lane = 0; lane < used; ++lane) {
    uint32_t index = first + lane;
    setTriple(wave, lane, launch.localIdRegister,
              {index % size[0], index / size[0] % size[1], index / size[0] / size[1]});
    if (launch.localIndexRegister < reg::None)
      wave.write(lane, launch.localIndexRegister, /*half=*/false, index);
    setTriple(wave, lane, launch.workgroupIdRegister, group);
    setTriple(wave, lane, launch.workgroupSizeRegister, size);
    setTriple(wave, lane, launch.workgroupOffsetRegister, {0, 0, 0});
  }
  return wave;
}
