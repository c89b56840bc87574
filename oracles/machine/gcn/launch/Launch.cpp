// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: PAL's pipeline ABI for the user data, AMD's ISA manuals ("Initial wave state") and
// LLVM's AMDGPUUsage for the rest.
#include "oracles/machine/gcn/launch/Launch.h"

#include "oracles/machine/gcn/launch/Layout.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "oracles/machine/gcn/memory/Share.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

/// Uninitialized bytes of tables: no valid descriptor, no useful pointer.
static constexpr uint8_t UnwrittenByte = 0xfb;
/// What a user SGPR holds that maps to nothing.
static constexpr uint32_t UnmappedUserData = 0xdeadda7a;
/// Descriptors of 16 bytes in the global table.
static constexpr uint64_t GlobalTableEntries = 16;
/// LLVM's amdpal convention: scratch descriptors in the global table, graphics' first.
static constexpr uint64_t GraphicsScratchEntry = 0, ComputeScratchEntry = 1;

Launch::Launch(CodeImage &image, const TargetInfo &target, const CasePipeline &pipeline,
               ArrayRef<DescriptorWords> descriptors, const uint32_t groups[3],
               std::vector<BufferState> &buffers, uint64_t seed)
    : m_image(image), m_target(target), m_pipeline(pipeline),
      m_groups{groups[0], groups[1], groups[2]}, m_unwritten(seed),
      m_nextTable(image.launch.tableBase), m_wavesPerGroup(image.launch.wavesPerGroup()) {
  mapImage();
  (void)mapBuffers(m_memory, buffers);
  mapScratch();
  mapGlobalShare(m_memory);
  readPushConstants(buffers);
  mapTables(descriptors);
  mapUserData();
  mapPointers();
}

/// Maps the image's bytes, not a copy: the launch writes to writable sections of \c m_image.
void Launch::mapImage() {
  for (ImageSection &section : m_image.sections)
    m_memory.map(section.address, section.bytes, section.name, section.writable);
}

/// Each wave of a workgroup has scratch of its own, with nothing mapped between; workgroups use the
/// same one after the other. Swizzled accesses beyond the declared size fall into the gap.
void Launch::mapScratch() {
  uint64_t bytes =
      alignTo(uint64_t(m_image.launch.scratchBytesPerLane), 4) * m_image.launch.waveSize;
  m_scratchStride = alignTo(bytes + BufferGap, BufferGap);
  if (bytes == 0)
    return;
  for (unsigned wave = 0; wave < m_wavesPerGroup; ++wave)
    (void)m_memory.allocate(ScratchBase + uint64_t(wave) * m_scratchStride, bytes,
                            "scratch of wave " + std::to_string(wave), true, m_unwritten.byte);
}

/// Maps a read-only table of \p bytes. Sets \p address to the low 32 bits of its address; the high
/// ones are those of LaunchState::tableBase.
MutableArrayRef<uint8_t> Launch::addTable(uint64_t bytes, const Twine &name, uint32_t &address) {
  address = static_cast<uint32_t>(m_nextTable);
  auto table =
      m_memory.allocate(m_nextTable & AddressMask, bytes, name.str(), false, UnwrittenByte);
  m_nextTable = alignTo(m_nextTable + bytes + TableGap, TableGap);
  return table;
}

/// Writes \p words at byte \p offset of \p table; nothing when they do not fit.
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

/// Copies push constants from the buffer that is bound to them, or fills them with
/// UnmappedUserData. Bytes beyond the buffer are zeros.
void Launch::readPushConstants(const std::vector<BufferState> &buffers) {
  m_pushConstants.assign(m_pipeline.description.layout.pushConstantDwords, UnmappedUserData);
  for (const BufferBinding &binding : m_pipeline.bindings) {
    if (binding.kind != BindingKind::PushConstant)
      continue;
    const std::vector<uint8_t> &bytes = buffers[binding.buffer].bytes;
    for (uint64_t i = 0; i < m_pushConstants.size(); ++i) {
      uint64_t at = binding.offset + i * 4;
      m_pushConstants[i] = 0;
      if (at < bytes.size())
        std::memcpy(&m_pushConstants[i], bytes.data() + at,
                    std::min<uint64_t>(4, bytes.size() - at));
    }
  }
}

/// Maps the global table, the workgroup counts and a table for each descriptor set. \p descriptors
/// has one entry for each binding of the pipeline.
void Launch::mapTables(ArrayRef<DescriptorWords> descriptors) {
  unsigned gfxMajor = m_target.major;
  auto global = addTable(GlobalTableEntries * 16, "global table", m_globalTable);
  if (gfxMajor < 11)
    for (uint64_t entry : {GraphicsScratchEntry, ComputeScratchEntry})
      writeDescriptor(global, entry * 16, encodeBufferDescriptor(scratchDescriptor(), gfxMajor));
  m_globalTableBytes = global;

  uint32_t low;
  auto counts = addTable(12, "workgroup counts", low);
  m_groupCounts = (m_image.launch.tableBase & ~0xffffffffull) | low;
  std::memcpy(counts.data(), m_groups, 12);

  const LaunchState &launch = m_image.launch;
  for (const SetPlaces &set : launch.sets ? *launch.sets : placesOf(m_pipeline.description.layout))
    mapSet(set, descriptors);
}

/// Maps the table of one descriptor set, and writes the descriptors of its bindings there. FMASK
/// descriptors are null.
void Launch::mapSet(const SetPlaces &set, ArrayRef<DescriptorWords> descriptors) {
  uint32_t address;
  auto bytes = addTable(set.bytes, "descriptor set " + Twine(set.set), address);
  m_setTables[set.set] = address;
  for (auto [binding, words] : zip_equal(m_pipeline.bindings, descriptors)) {
    const BindingPlace *place = set.find(binding.binding);
    if (binding.kind == BindingKind::PushConstant || binding.set != set.set || !place)
      continue;
    uint64_t at = place->offset + uint64_t(binding.arrayElement) * place->stride;
    // The S# of a combined image sampler is after the eight dwords of its T#.
    size_t first = binding.kind == BindingKind::CombinedImageSampler ? 8 : words.size();
    ArrayRef<uint32_t> sampler = ArrayRef<uint32_t>(words).drop_front(first);
    writeDescriptor(bytes, at, ArrayRef<uint32_t>(words).take_front(first));
    writeDescriptor(bytes, at + place->samplerOffset, sampler);
    if (place->fmaskOffset)
      writeDescriptor(bytes, at + place->fmaskOffset, std::array<uint32_t, 8>());
  }
}

/// User data entries: push constants, then the sets' tables; and their copy in memory.
void Launch::mapUserData() {
  const ResourceLayout &layout = m_pipeline.description.layout;
  m_userData = m_pushConstants;
  m_userData.resize(layout.getUserDataEntries(), UnmappedUserData);
  for (const DescriptorTable &table : layout.tables)
    if (auto found = m_setTables.find(table.set); found != m_setTables.end())
      m_userData[table.userDataEntry] = found->second;
  auto spill = addTable(m_userData.size() * 4, "spill table", m_spillTable);
  if (!m_userData.empty())
    std::memcpy(spill.data(), m_userData.data(), m_userData.size() * 4);
}

/// Whether the code expects \p value in a user SGPR.
bool Launch::takes(UserValue value) const {
  return any_of(m_image.launch.userSgprs,
                [&](const UserSgpr &sgpr) { return sgpr.value == value; });
}

/// Scratch of all waves as the first two dwords of a swizzled V# (RADV's radv_emit_compute_scratch;
/// the swizzle field: bit 31 up to GFX10, bits 31:30 from GFX11 on).
static uint32_t scratchBaseWord(unsigned index, unsigned gfxMajor) {
  if (index == 0)
    return static_cast<uint32_t>(ScratchBase);
  return static_cast<uint32_t>(ScratchBase >> 32) | (gfxMajor >= 11 ? 1u << 30 : 1u << 31);
}

/// What code gets by pointers to memory rather than in registers.
void Launch::mapPointers() {
  if (takes(UserValue::PrimitiveRings) || m_image.launch.firstUserSgpr) {
    constexpr unsigned RingCount = 20, DescriptorBytes = 16;
    m_ringTable = addTable(RingCount * DescriptorBytes, "ring descriptors", m_ringTableAddress);
    for (unsigned i = 0; i < 2; ++i)
      support::endian::write32le(m_ringTable.data() + i * 4, scratchBaseWord(i, m_target.major));
  }
  if (takes(UserValue::PushPointer)) {
    // They lie in a buffer with other things: code may load whole groups of 16 dwords.
    constexpr uint64_t Group = 64;
    uint64_t bytes = m_pushConstants.size() * 4;
    auto table = addTable(alignTo(bytes, Group) + Group, "push constants", m_pushTable);
    if (bytes)
      std::memcpy(table.data(), m_pushConstants.data(), bytes);
  }
  if (takes(UserValue::SetPointers)) {
    uint32_t sets = m_setTables.empty() ? 0 : m_setTables.rbegin()->first + 1;
    auto table = addTable(uint64_t(sets) * 4, "descriptor set pointers", m_setPointers);
    for (const auto &[set, address] : m_setTables)
      support::endian::write32le(table.data() + uint64_t(set) * 4, address);
  }
}

/// LDS is uninitialized. Visibility is followed only when several waves may meet at a barrier.
Workgroup Launch::makeGroup(uint64_t) {
  Workgroup group;
  group.program = m_image.program.get();
  group.memory = &m_memory;
  group.lds.assign(m_image.launch.ldsBytes, m_unwritten.byte);
  group.visibility.reset(m_wavesPerGroup > 1 && m_image.program->hasBarrier(),
                         m_image.launch.ldsBytes);
  group.scratchBytesPerLane = m_image.launch.scratchBytesPerLane;
  group.waveCount = m_wavesPerGroup;
  return group;
}

/// The dword that a user SGPR holds at launch, or UnmappedUserData when nothing defines it.
uint32_t Launch::valueOf(const UserSgpr &sgpr) const {
  switch (sgpr.value) {
  case UserValue::Unmapped:
    break;
  case UserValue::UserData:
    return sgpr.index < m_userData.size() ? m_userData[sgpr.index] : UnmappedUserData;
  case UserValue::GlobalTable:
    return m_globalTable;
  case UserValue::SpillTable:
    return m_spillTable;
  case UserValue::CountsPointer:
    return static_cast<uint32_t>(sgpr.index ? m_groupCounts >> 32 : m_groupCounts);
  case UserValue::Count:
    return m_groups[sgpr.index % 3];
  case UserValue::SetTable:
    if (auto found = m_setTables.find(sgpr.index); found != m_setTables.end())
      return found->second;
    break;
  case UserValue::SetPointers:
    return m_setPointers;
  case UserValue::PushConstant:
    return sgpr.index < m_pushConstants.size() ? m_pushConstants[sgpr.index] : UnmappedUserData;
  case UserValue::PushPointer:
    return m_pushTable;
  case UserValue::ScratchBase:
    return scratchBaseWord(sgpr.index, m_target.major);
  case UserValue::Zero:
    return 0;
  case UserValue::PrimitiveRings:
    return sgpr.index ? static_cast<uint32_t>(m_image.launch.tableBase >> 32) : m_ringTableAddress;
  case UserValue::VertexBuffers:
  case UserValue::BaseVertex:
  case UserValue::BaseInstance:
  case UserValue::DrawIndex:
  case UserValue::ViewIndex:
  case UserValue::PipelineState:
    if (auto found = drawValues.find(sgpr.value); found != drawValues.end())
      return found->second;
    break;
  }
  return UnmappedUserData;
}

/// User SGPRs are consecutive, from LaunchState::firstUserSgpr on.
void Launch::setUserSgprs(Wave &wave) const {
  for (auto [index, sgpr] : enumerate(m_image.launch.userSgprs))
    wave.s[m_image.launch.firstUserSgpr + index] = valueOf(sgpr);
}

/// Waves in the group in bits 5:0; this wave's number in 11:6, from GFX10.3 on in 24:20.
uint32_t Launch::groupSizeWord(const Wave &wave) const {
  bool isNew = m_target.major > 10 || (m_target.major == 10 && m_target.minor >= 3);
  return m_wavesPerGroup | wave.number << (isNew ? 20 : 6);
}

/// Sets the SGPRs that follow the user SGPRs: workgroup ids, the size word and the scratch offset,
/// each only when the code enabled it.
void Launch::setSystemSgprs(Wave &wave, const uint32_t id[3]) const {
  const LaunchState &launch = m_image.launch;
  size_t next = launch.userSgprs.size();
  for (unsigned i = 0; i < 3; ++i)
    if (launch.groupIds[i] && !m_target.workgroupIdInTtmp)
      wave.s[next++] = id[i];
  if (launch.groupSizeWord)
    wave.s[next++] = groupSizeWord(wave);
  // Later generations give the wave's scratch address in FLAT_SCRATCH.
  if (m_target.major < 11 && launch.scratchOffset)
    wave.s[next++] = scratchOffsetOf(wave.number);
}

/// Where the target has workgroup ids in trap temporaries: X in TTMP9, Y and Z in 16 bits each of
/// TTMP7, the wave's number from bit 25 of TTMP8 on.
void Launch::setTtmps(Wave &wave, const uint32_t id[3]) const {
  wave.s[sreg::Ttmp0 + 9] = id[0];
  wave.s[sreg::Ttmp0 + 7] = (id[1] & 0xffff) | id[2] << 16;
  wave.s[sreg::Ttmp0 + 8] = wave.number << 25;
}

/// Sets the local ids of the wave's threads, in one register or in one for each component.
/// Components that the code did not enable are 0.
void Launch::setVgprs(Wave &wave) const {
  const auto &threads = m_image.launch.threads;
  unsigned components = m_image.launch.localIds;
  unsigned registers = m_target.packedLocalId ? 1 : components;
  for (unsigned lane = 0; lane < m_image.launch.waveSize; ++lane) {
    unsigned thread = wave.number * m_image.launch.waveSize + lane;
    uint32_t id[3] = {thread % threads[0], thread / threads[0] % threads[1],
                      thread / (threads[0] * threads[1])};
    for (unsigned i = components; i < 3; ++i)
      id[i] = 0;
    if (m_target.packedLocalId)
      id[0] |= id[1] << 10 | id[2] << 20;
    for (unsigned i = 0; i < registers && i < wave.v.size(); ++i)
      wave.v[i][lane] = id[i];
  }
}

/// A mask of the lowest \p count bits; all 64 for more.
static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

/// A wave with all lanes active and user SGPRs only.
std::unique_ptr<Wave> Launch::makeBareWave(Workgroup &group, unsigned number) {
  auto wave =
      std::make_unique<Wave>(group, m_image.launch.waveSize, m_image.program->options().vgprCount,
                             m_target.major, m_unwritten.word);
  wave->number = number;
  wave->next = m_image.entry;
  wave->scratchBase = ScratchBase + number * m_scratchStride;
  wave->setExec(lowBits(m_image.launch.waveSize));
  wave->setVcc(0);
  wave->setMode(m_image.launch.mode);
  setUserSgprs(*wave);
  return wave;
}

/// A wave of a compute workgroup. \p id is the workgroup's; the last wave may have inactive lanes.
std::unique_ptr<Wave> Launch::makeWave(Workgroup &group, unsigned number, const uint32_t id[3]) {
  std::unique_ptr<Wave> wave = makeBareWave(group, number);
  unsigned first = number * m_image.launch.waveSize;
  wave->setExec(lowBits(std::min(m_image.launch.threadCount() - first, m_image.launch.waveSize)));
  setSystemSgprs(*wave, id);
  if (m_target.workgroupIdInTtmp)
    setTtmps(*wave, id);
  setVgprs(*wave);
  return wave;
}
