// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: PAL's pipeline ABI for the user data, AMD's ISA manuals ("Initial wave state") and
// LLVM's AMDGPUUsage for the rest.
#include "oracles/machine/gcn/Launch.h"

#include "oracles/machine/gcn/BufferDescriptor.h"
#include "oracles/machine/gcn/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Bytes of tables that nobody wrote: no valid descriptor, no useful pointer.
static constexpr uint8_t UnwrittenByte = 0xfb;
/// What registers hold: a signalling NaN as f32 (with any seed), huge as an integer.
static constexpr uint32_t UnwrittenRegister = 0x7fa0dead;
/// What a user SGPR holds that maps to nothing.
static constexpr uint32_t UnmappedUserData = 0xdeadda7a;
static constexpr uint64_t GlobalTableEntries = 16;
/// LLVM's amdpal convention: scratch descriptors in the global table, graphics' first.
static constexpr uint64_t ComputeScratchEntry = 1;

Launch::Launch(ElfImage &image, const TargetInfo &target, const CasePipeline &pipeline,
               ArrayRef<DescriptorWords> descriptors, const uint32_t groups[3],
               std::vector<BufferState> &buffers, uint64_t seed)
    : m_image(image), m_target(target), m_pipeline(pipeline),
      m_groups{groups[0], groups[1], groups[2]}, m_unwrittenRegister(UnwrittenRegister),
      m_unwrittenByte(UnwrittenByte), m_nextTable(TableBase) {
  uint64_t mixed = (seed * 0x9e3779b97f4a7c15ull) >> 32;
  m_unwrittenRegister ^= mixed & 0xfffff;
  m_unwrittenByte ^= mixed & 0x7f;
  m_threadCount = 1;
  for (unsigned i = 0; i < 3; ++i) {
    m_threads[i] = image.stage.threadgroupDimensions[i];
    m_threadCount *= m_threads[i];
  }
  m_wavesPerGroup = (m_threadCount + image.waveSize - 1) / image.waveSize;
  mapImage();
  mapBuffers(buffers);
  mapScratch();
  mapTables(descriptors);
  fillUserData(buffers);
}

void Launch::mapImage() {
  for (ImageSection &section : m_image.sections)
    m_memory.map(section.address, section.bytes, section.name, section.writable);
}

std::vector<uint64_t> gcn::placeBuffers(ArrayRef<size_t> sizes) {
  std::vector<uint64_t> addresses;
  uint64_t address = BufferBase;
  for (size_t size : sizes) {
    addresses.push_back(address);
    address = alignTo(address + size + BufferGap, BufferGap);
  }
  return addresses;
}

void Launch::mapBuffers(std::vector<BufferState> &buffers) {
  m_bufferAddresses = placeBuffers(
      map_to_vector(buffers, [](const BufferState &buffer) { return buffer.bytes.size(); }));
  for (auto [index, buffer] : enumerate(buffers))
    m_memory.map(m_bufferAddresses[index], buffer.bytes, "buffer " + std::to_string(index), true);
}

/// Each wave of a workgroup has scratch of its own, with nothing mapped between; workgroups use the
/// same one after the other. Swizzled accesses beyond the declared size fall into the gap.
void Launch::mapScratch() {
  uint64_t bytes = alignTo(uint64_t(m_image.stage.scratchMemorySize), 4) * m_image.waveSize;
  m_scratchStride = alignTo(bytes + BufferGap, BufferGap);
  if (bytes == 0)
    return;
  for (unsigned wave = 0; wave < m_wavesPerGroup; ++wave)
    (void)m_memory.allocate(ScratchBase + uint64_t(wave) * m_scratchStride, bytes,
                            "scratch of wave " + std::to_string(wave), true, m_unwrittenByte);
}

MutableArrayRef<uint8_t> Launch::addTable(uint64_t bytes, const Twine &name, uint32_t &address) {
  address = static_cast<uint32_t>(m_nextTable);
  auto table = m_memory.allocate(m_nextTable, bytes, name.str(), false, UnwrittenByte);
  m_nextTable = alignTo(m_nextTable + bytes + TableGap, TableGap);
  return table;
}

static void writeDescriptor(MutableArrayRef<uint8_t> table, uint64_t offset,
                            ArrayRef<uint32_t> words) {
  if (offset + words.size() * 4 <= table.size())
    std::memcpy(table.data() + offset, words.data(), words.size() * 4);
}

/// The V# of scratch that code for GFX9 and GFX10 loads: swizzled by 64 lanes, each wave adds its
/// own offset (and wave32 code halves the index stride).
static BufferDescriptor scratchDescriptor() {
  BufferDescriptor descriptor;
  descriptor.base = ScratchBase;
  descriptor.records = ~0u;
  descriptor.swizzle = 1;
  descriptor.indexStride = 3;
  descriptor.addTid = 1;
  return descriptor;
}

void Launch::mapTables(ArrayRef<DescriptorWords> descriptors) {
  unsigned gfxMajor = m_target.major;
  auto global = addTable(GlobalTableEntries * 16, "global table", m_globalTable);
  if (gfxMajor < 11)
    writeDescriptor(global, ComputeScratchEntry * 16,
                    encodeBufferDescriptor(scratchDescriptor(), gfxMajor));

  uint32_t low;
  auto counts = addTable(12, "workgroup counts", low);
  m_groupCounts = (TableBase & ~0xffffffffull) | low;
  std::memcpy(counts.data(), m_groups, 12);

  const ResourceLayout &layout = m_pipeline.description.layout;
  m_userData.assign(layout.getUserDataEntries(), UnmappedUserData);
  for (const DescriptorTable &table : layout.tables) {
    uint32_t address;
    auto bytes =
        addTable(uint64_t(table.sizeInDwords) * 4, "descriptor set " + Twine(table.set), address);
    m_userData[table.userDataEntry] = address;
    for (auto [binding, words] : zip_equal(m_pipeline.bindings, descriptors)) {
      const DescriptorNode *node = layout.find(binding.set, binding.binding);
      if (binding.kind == BindingKind::PushConstant || binding.set != table.set || !node)
        continue;
      uint64_t at = node->offsetInDwords + uint64_t(binding.arrayElement) * node->strideInDwords;
      writeDescriptor(bytes, at * 4, words);
    }
  }
}

void Launch::fillUserData(const std::vector<BufferState> &buffers) {
  uint32_t pushDwords = m_pipeline.description.layout.pushConstantDwords;
  for (const BufferBinding &binding : m_pipeline.bindings) {
    if (binding.kind != BindingKind::PushConstant)
      continue;
    const std::vector<uint8_t> &bytes = buffers[binding.buffer].bytes;
    for (uint32_t i = 0; i < pushDwords; ++i) {
      uint64_t at = binding.offset + uint64_t(i) * 4;
      m_userData[i] = 0;
      if (at < bytes.size())
        std::memcpy(&m_userData[i], bytes.data() + at, std::min<uint64_t>(4, bytes.size() - at));
    }
  }
  auto spill = addTable(m_userData.size() * 4, "spill table", m_spillTable);
  if (!m_userData.empty())
    std::memcpy(spill.data(), m_userData.data(), m_userData.size() * 4);
}

Workgroup Launch::makeGroup() {
  Workgroup group;
  group.program = m_image.program.get();
  group.memory = &m_memory;
  group.lds.assign(m_image.stage.ldsSize, m_unwrittenByte);
  group.visibility.reset(m_wavesPerGroup > 1 && m_image.program->hasBarrier(),
                         m_image.stage.ldsSize);
  group.scratchBytesPerLane = m_image.stage.scratchMemorySize;
  group.waveCount = m_wavesPerGroup;
  return group;
}

uint32_t Launch::userSgpr(uint32_t code) const {
  switch (code) {
  case user_data::GlobalTable:
    return m_globalTable;
  case user_data::SpillTable:
    return m_spillTable;
  case user_data::Workgroup:
    return static_cast<uint32_t>(m_groupCounts);
  default:
    return code < m_userData.size() ? m_userData[code] : UnmappedUserData;
  }
}

void Launch::setUserSgprs(Wave &wave) const {
  const auto &map = m_image.stage.userDataRegMap;
  for (unsigned i = 0; i < m_image.stage.userSgprs; ++i) {
    wave.s[i] = userSgpr(map[i]);
    if (map[i] == user_data::Workgroup && i + 1 < m_image.stage.userSgprs)
      wave.s[++i] = static_cast<uint32_t>(m_groupCounts >> 32);
  }
}

/// Waves in the group in bits 5:0; this wave's number in 11:6, from GFX10.3 on in 24:20.
uint32_t Launch::groupSizeWord(const Wave &wave) const {
  bool isNew = m_target.major > 10 || (m_target.major == 10 && m_target.minor >= 3);
  return m_wavesPerGroup | wave.number << (isNew ? 20 : 6);
}

unsigned Launch::setSystemSgprs(Wave &wave, unsigned next, const uint32_t id[3]) const {
  const ComputeRegisters &enabled = m_image.compute;
  const bool idEnabled[3] = {enabled.tgidXEn, enabled.tgidYEn, enabled.tgidZEn};
  for (unsigned i = 0; i < 3; ++i)
    if (idEnabled[i] && !m_target.workgroupIdInTtmp)
      wave.s[next++] = id[i];
  if (enabled.tgSizeEn)
    wave.s[next++] = groupSizeWord(wave);
  // Later generations give the wave's scratch address in FLAT_SCRATCH.
  if (m_target.major < 11 && m_image.stage.scratchEn)
    wave.s[next++] = static_cast<uint32_t>(wave.number * m_scratchStride);
  return next;
}

void Launch::setTtmps(Wave &wave, const uint32_t id[3]) const {
  wave.s[sreg::Ttmp0 + 9] = id[0];
  wave.s[sreg::Ttmp0 + 7] = (id[1] & 0xffff) | id[2] << 16;
  wave.s[sreg::Ttmp0 + 8] = wave.number << 25;
}

void Launch::setVgprs(Wave &wave) const {
  unsigned components = m_image.compute.tidigCompCnt + 1;
  unsigned registers = m_target.packedLocalId ? 1 : components;
  for (unsigned lane = 0; lane < m_image.waveSize; ++lane) {
    unsigned thread = wave.number * m_image.waveSize + lane;
    uint32_t id[3] = {thread % m_threads[0], thread / m_threads[0] % m_threads[1],
                      thread / (m_threads[0] * m_threads[1])};
    for (unsigned i = components; i < 3; ++i)
      id[i] = 0;
    if (m_target.packedLocalId)
      id[0] |= id[1] << 10 | id[2] << 20;
    for (unsigned i = 0; i < registers && i < wave.v.size(); ++i)
      wave.v[i][lane] = id[i];
  }
}

static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

std::unique_ptr<Wave> Launch::makeWave(Workgroup &group, unsigned number, const uint32_t id[3]) {
  auto wave = std::make_unique<Wave>(group, m_image.waveSize, m_image.stage.vgprCount,
                                     m_target.major, m_unwrittenRegister);
  wave->number = number;
  wave->next = m_image.entry;
  wave->scratchBase = ScratchBase + number * m_scratchStride;
  unsigned first = number * m_image.waveSize;
  wave->setExec(lowBits(std::min(m_threadCount - first, m_image.waveSize)));
  wave->setVcc(0);
  // Bit 8: DX10_CLAMP, which every compute shader has; bit 9: IEEE mode.
  wave->setMode(m_image.stage.floatMode | 0x100u | (m_image.stage.ieeeMode ? 0x200u : 0));
  setUserSgprs(*wave);
  setSystemSgprs(*wave, m_image.stage.userSgprs, id);
  if (m_target.workgroupIdInTtmp)
    setTtmps(*wave, id);
  setVgprs(*wave);
  return wave;
}
