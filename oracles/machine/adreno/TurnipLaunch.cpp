// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/TurnipLaunch.h"

#include "oracles/machine/adreno/MemoryAccess.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// c504.x, where shared constants begin on a6xx (docs/turnip.md).
static constexpr uint32_t SharedConstants = 504 * 4;
/// SP_PS_TP_BORDER_COLOR_BASE_ADDR, which compute shaders use too; the next register has its upper
/// half.
static constexpr uint32_t BorderColorsLow = 0xb180;
/// The largest const file, in dwords.
static constexpr uint32_t MaxConstants = 512 * 4;

/// Where the address of slot 0 is in the const file of a4xx; each slot has four dwords there (Mesa
/// 25.0, ir3_a4xx.c, A4XX_SSBO_CB_BASE).
static constexpr uint32_t SlotConstants = 0x700;

namespace {
/// A row of texels: in the case's bytes, which are packed, and in the memory of the image.
/// A buffer is one row.
struct TexelRowPlace {
  uint64_t packed = 0, placed = 0, bytes = 0;
};
} // namespace

/// Calls \p each for all rows of an image: level by level, layer by layer; once for a buffer.
static void forRows(const Buffer &buffer, const turnip::ResourcePlace &place,
                    function_ref<void(const TexelRowPlace &)> each) {
  if (place.levels.empty() || !buffer.image)
    return each({0, 0, buffer.bytes.size()});
  const ImageShape &shape = *buffer.image;
  uint64_t texelBytes = getTexelFormatInfo(*buffer.texelFormat).bytes;
  TexelRowPlace row;
  for (auto [number, level] : enumerate(place.levels)) {
    auto smaller = [&, shift = number](uint32_t size) { return std::max(1U, size >> shift); };
    row.bytes = smaller(shape.width) * texelBytes;
    for (uint32_t layer = 0; layer < shape.layers; ++layer)
      for (uint32_t z = 0; z < smaller(shape.depth); ++z)
        for (uint32_t y = 0; y < smaller(shape.height); ++y, row.packed += row.bytes) {
          row.placed =
              level.offset + layer * level.arrayPitch + z * level.depthPitch + y * level.rowPitch;
          each(row);
        }
  }
}

Error adreno::verifyLaunch(const turnip::TurnipShader &shader, const Case &input) {
  for (auto [buffer, place] : zip(input.buffers, shader.resources)) {
    if (!buffer.image || place.levels.empty())
      continue;
    if (buffer.image->samples > 1)
      return unsupported("machine adreno has no images with several samples (" + buffer.name + ")");
    bool fits = buffer.texelFormat && place.levels.size() == buffer.image->mipLevels;
    if (fits)
      forRows(buffer, place, [&](const TexelRowPlace &row) {
        fits &= row.packed + row.bytes <= buffer.bytes.size() && row.placed <= place.bytes &&
                row.bytes <= place.bytes - row.placed;
      });
    if (!fits)
      return invalidInput("the levels of image '" + buffer.name + "' do not fit");
  }
  return Error::success();
}

/// The push constants of the pipeline as dwords; the last one is padded with zeros.
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
                           const Case &input, const Dispatch &command,
                           std::vector<BufferState> &buffers, const Arithmetic &arithmetic)
    : m_shader(shader), m_program(program), m_input(input), m_buffers(buffers),
      m_arithmetic(arithmetic) {
  std::vector<uint32_t> pushConstants =
      readPushConstants(input.pipelines[command.pipeline], buffers);
  mapMemory();
  load(pushConstants, command.groups);
  loadSlots();
}

/// Puts buffer \p index where turnip has placed it: a buffer of whole dwords as it is, another one
/// as a copy that is filled up with zeros, an image as a copy with the pitches of its levels.
void TurnipLaunch::mapResource(unsigned index) {
  const turnip::ResourcePlace &place = m_shader.resources[index];
  std::vector<uint8_t> &bytes = m_buffers[index].bytes;
  if (!place.bytes || bytes.empty())
    return;
  const Buffer &buffer = m_input.buffers[index];
  bool isImage = !place.levels.empty() && buffer.image;
  if (!isImage && bytes.size() % 4 == 0) {
    m_memory.map(place.address, bytes, buffer.name, true);
    return;
  }
  uint64_t size = isImage ? place.bytes : alignTo(bytes.size(), 4);
  CopiedResource resource{index, m_memory.allocate(place.address, size, buffer.name, true)};
  forRows(buffer, place, [&](const TexelRowPlace &row) {
    std::copy_n(&bytes[row.packed], row.bytes, &resource.memory[row.placed]);
  });
  m_copies.push_back(resource);
}

/// The reverse of mapResource().
void TurnipLaunch::storeCopies() {
  for (const CopiedResource &resource : m_copies)
    forRows(m_input.buffers[resource.index], m_shader.resources[resource.index],
            [&](const TexelRowPlace &row) {
              std::copy_n(&resource.memory[row.placed], row.bytes,
                          &m_buffers[resource.index].bytes[row.packed]);
            });
}

/// All that the code can reach by an address: resources, what the driver has written, descriptors.
void TurnipLaunch::mapMemory() {
  for (unsigned i = 0; i < m_shader.resources.size() && i < m_buffers.size(); ++i)
    mapResource(i);
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

/// What a dword of turnip's submission is in this dispatch.
static uint32_t dwordOf(const turnip::LoadedDword &dword, ArrayRef<uint32_t> pushConstants,
                        const uint32_t groups[3]) {
  switch (dword.source) {
  case turnip::DwordSource::Value:
    return dword.value;
  case turnip::DwordSource::PushConstant:
    return dword.value + hasDefect(Defect::PushShifted) < pushConstants.size()
               ? pushConstants[dword.value + hasDefect(Defect::PushShifted)]
               : 0;
  case turnip::DwordSource::GroupCount:
    return groups[dword.value % 3];
  case turnip::DwordSource::FirstGroup:
  case turnip::DwordSource::Resource: // See resourceDword().
    return 0;
  }
  return 0;
}

/// Four bytes of a buffer from \p byte on; 0 where they are not all there.
static uint32_t resourceDword(ArrayRef<BufferState> buffers, uint32_t slot, uint32_t byte) {
  bool isThere = slot < buffers.size() && uint64_t(byte) + 4 <= buffers[slot].bytes.size();
  return isThere ? loadWord(&buffers[slot].bytes[byte], 4) : 0;
}

/// Fills the const file, uniform buffers without descriptors, and the constants that stages share.
/// On a6xx those are in the const file; on a7xx the code copies them (stsc).
void TurnipLaunch::load(ArrayRef<uint32_t> pushConstants, const uint32_t groups[3]) {
  bool isNew = factsOf(m_program.chip()).generation >= 700;
  const turnip::Launch &launch = m_shader.launch;
  bool sharesFile = launch.sharedConstants && !isNew;
  m_constants.assign(sharesFile || !m_shader.slots.empty()
                         ? MaxConstants
                         : std::min(launch.constantVec4s * 4, MaxConstants),
                     0);
  auto put = [](std::vector<uint32_t> &file, uint64_t at, uint32_t value) {
    if (at >= file.size())
      file.resize(at + 1);
    file[at] = value;
  };
  for (const turnip::Load &load : m_shader.loads) {
    for (auto [index, dword] : enumerate(load.dwords)) {
      uint32_t value = dword.source == turnip::DwordSource::Resource
                           ? resourceDword(m_buffers, load.slot, dword.value)
                           : dwordOf(dword, pushConstants, groups);
      uint64_t at = hasDefect(Defect::LoadAtStart) ? index : uint64_t(load.first) + index;
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

void TurnipLaunch::loadSlots() {
  for (auto [index, slot] : enumerate(m_shader.slots))
    if (SlotConstants + 4 * index < m_constants.size())
      m_constants[SlotConstants + 4 * index] = slot.address;
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
  environment.slots = m_shader.slots;
  for (auto [number, value] : m_shader.registers)
    if (number == BorderColorsLow || number == BorderColorsLow + 1)
      environment.borderColors |= uint64_t(value) << (number == BorderColorsLow ? 0 : 32);
  return environment;
}

/// Sets three registers from \p number on in one lane, where that is a register.
static void setTriple(Wave &wave, unsigned lane, uint32_t number, std::array<uint32_t, 3> values) {
  for (unsigned i = 0; number < reg::None && i < 3; ++i)
    wave.write(lane, number + i, /*half=*/false, values[i]);
}

/// Local ids count in the order x, y, z.
Wave TurnipLaunch::makeWave(const WaveEnvironment &environment, unsigned number,
                            std::array<uint32_t, 3> group, uint32_t uninitialized) const {
  const turnip::Launch &launch = m_shader.launch;
  unsigned first = number * launch.fibersPerWave;
  unsigned used = hasDefect(Defect::FullWaves) ? launch.fibersPerWave
                                               : std::min(launch.fibersPerWave, fibers() - first);
  if (hasDefect(Defect::GroupSwapped))
    std::swap(group[0], group[1]);
  Wave wave(m_program, environment, launch.fibersPerWave, used, launch.firstInstruction,
            uninitialized);
  wave.constants = m_constants;
  for (size_t i = 0; i < 3 && launch.workgroupIdConstant < wave.constants.size(); ++i)
    if (launch.workgroupIdConstant + i < wave.constants.size())
      wave.constants[launch.workgroupIdConstant + i] = group[i];
  const auto &size = launch.localSize;
  for (unsigned lane = 0; lane < used; ++lane) {
    uint32_t index = first + lane;
    std::array<uint32_t, 3> id = {index % size[0], index / size[0] % size[1],
                                  index / size[0] / size[1]};
    if (hasDefect(Defect::LocalSwapped))
      std::swap(id[0], id[1]);
    setTriple(wave, lane, launch.localIdRegister, id);
    if (launch.localIndexRegister < reg::None)
      wave.write(lane, launch.localIndexRegister, /*half=*/false, index);
    setTriple(wave, lane, launch.workgroupIdRegister, group);
    setTriple(wave, lane, launch.workgroupSizeRegister, size);
    setTriple(wave, lane, launch.workgroupOffsetRegister, {0, 0, 0});
  }
  return wave;
}

std::vector<unsigned> TurnipLaunch::setRegisters() const {
  const turnip::Launch &launch = m_shader.launch;
  std::vector<unsigned> registers;
  for (uint32_t first : {launch.localIdRegister, launch.workgroupIdRegister,
                         launch.workgroupSizeRegister, launch.workgroupOffsetRegister})
    for (unsigned i = 0; first < reg::None && i < 3; ++i)
      registers.push_back(first + i);
  if (launch.localIndexRegister < reg::None)
    registers.push_back(launch.localIndexRegister);
  return registers;
}
