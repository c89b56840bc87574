// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definedness through LDS and scratch, and of what goes to memory for good.
#include "oracles/machine/gcn/sanitizer/Definedness.h"
#include "oracles/machine/gcn/sanitizer/ExportRules.h"

#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include <initializer_list>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The shadows of an access to LDS or scratch; none for other memory. Up to GFX10, scratch is also
/// reached through a buffer descriptor, and shows as global memory at its address.
Definedness::BytePointers Definedness::findBytes(const Wave &wave, const MemoryEvent &event) {
  BytePointers bytes;
  for (unsigned i = 0; i < event.bytes; ++i) {
    uint8_t *shadow = nullptr;
    if (event.space == MemorySpace::Workgroup) {
      shadow = m_lds.find(event.address + i);
    } else if (event.space == MemorySpace::Private) {
      uint64_t at = scratchAddress(wave, event.address + i, event.lane);
      shadow = m_scratch.find(at - m_scratchBase);
    } else if (event.space == MemorySpace::Global) {
      shadow = m_scratch.find(event.address + i - m_scratchBase);
    }
    if (!shadow)
      return {};
    bytes.push_back(shadow);
  }
  return bytes;
}

/// How much of what a lane of \p op stores is one operand's, where it is not all of one's.
static unsigned bytesPerOperand(const MicroOp &op) {
  if (op.memory.elements > 1)
    return op.memory.bytes;
  // Instructions of LDS have an operand each for new data and for what is compared.
  if (op.memory.atomic && StringRef(op.inst->mnemonic).starts_with("ds_"))
    return op.memory.atomic->bytes;
  return 0;
}

/// Where byte \p position of what a lane stores is: a vector register and a number of bits. None
/// where the operand is no vector register.
std::optional<Definedness::DataPlace> Definedness::findData(const MicroOp &op,
                                                            unsigned position) const {
  StringRef name = op.inst->mnemonic;
  bool dataFirst =
      name.starts_with("buffer_") || name.starts_with("tbuffer_") || name.starts_with("image_");
  unsigned source = dataFirst ? 0 : 1;
  if (unsigned bytes = bytesPerOperand(op)) {
    source += position / bytes;
    position %= bytes;
  }
  if (source >= op.sourceCount || op.sources[source].operand.type != OperandType::Vgpr)
    return std::nullopt;
  const Operand &operand = op.sources[source].operand;
  unsigned index = operand.index + position / 4;
  bool high = op.memory.high || operand.half == RegisterHalf::High;
  if (index >= m_shadow.vectorCount())
    return std::nullopt;
  return DataPlace{index, 8 * (position % 4) + (high ? 16 : 0)};
}

/// The undefined bits of byte \p position of what a lane stores.
uint8_t Definedness::dataShadow(const MicroOp &op, unsigned lane, unsigned position) const {
  std::optional<DataPlace> place = findData(op, position);
  return place ? static_cast<uint8_t>(m_shadow.vector(place->index, lane) >> place->shift) : 0;
}

/// Of an operation that does more with its data than to store it.
bool Definedness::anyDataUndefined(const MicroOp &op, unsigned lane) const {
  unsigned bytes = op.memory.atomic ? 4 * accessDwords(op.memory) : op.memory.bytes;
  for (unsigned position = 0; position < bytes; ++position)
    if (dataShadow(op, lane, position))
      return true;
  return false;
}

void Definedness::noteLoaded(unsigned lane, unsigned position, ArrayRef<uint8_t *> bytes) {
  if (all_of(bytes, [](const uint8_t *byte) { return *byte == 0; }))
    return;
  if (!m_loaded)
    for (auto &each : m_bytes)
      each.fill(0);
  m_loaded = true;
  for (auto [i, byte] : enumerate(bytes))
    if (position + i < m_bytes[lane].size())
      m_bytes[lane][position + i] = *byte;
}

void Definedness::noteStored(const Wave &wave, const MicroOp &op, const MemoryEvent &event,
                             ArrayRef<uint8_t *> bytes) {
  // Between LDS and a buffer, what was loaded is stored, extended to a dword.
  if (op.inst->mods.lds) {
    for (auto [i, byte] : enumerate(bytes)) {
      auto position = static_cast<unsigned>(i);
      uint32_t dword = m_loaded ? loadedDword(op.memory, event.lane, position & ~3u, 0) : 0;
      *byte = static_cast<uint8_t>(dword >> 8 * (position & 3));
    }
    return;
  }
  if (!event.atomic) {
    for (auto [i, byte] : enumerate(bytes))
      *byte = dataShadow(op, event.lane, m_position + static_cast<unsigned>(i));
    return;
  }
  AtomicEffect effect = effectOf(*op.memory.atomic);
  if (effect != AtomicEffect::Mixes) {
    for (auto [i, byte] : enumerate(bytes))
      *byte = atomicShadow(wave, op, event.lane, static_cast<unsigned>(i), *byte);
    return;
  }
  bool old = any_of(bytes, [](const uint8_t *byte) { return *byte != 0; });
  bool undefined = anyDataUndefined(op, event.lane) || (old && !dataDecides(wave, op, event.lane));
  for (uint8_t *byte : bytes)
    *byte = undefined ? 0xff : 0;
}

/// Whether the defined data of an atomic give the new value, whatever was in memory: a minimum with
/// the least value, an increment up to 0.
bool Definedness::dataDecides(const Wave &wave, const MicroOp &op, unsigned lane) const {
  const AtomicRow &row = *op.memory.atomic;
  if (row.floats != AtomicFloat::None || row.takesCompare)
    return false;
  uint64_t data = 0;
  for (unsigned position = 0; position < row.bytes; ++position) {
    std::optional<DataPlace> place = findData(op, position);
    if (!place)
      return false;
    uint64_t byte = static_cast<uint8_t>(wave.v[place->index][lane] >> place->shift);
    data |= byte << (8 * position);
  }
  // These tell every function of the table that depends on the old value from one that does not.
  const uint64_t highest = uint64_t(1) << (8 * row.bytes - 1);
  const uint64_t all = highest | (highest - 1);
  auto result = [&](uint64_t old) { return row.function(old, data, 0, {}) & all; };
  return all_of(std::initializer_list<uint64_t>{1, highest - 1, highest, all},
                [&](uint64_t old) { return result(old) == result(0); });
}

/// The shadow of a byte of memory after an exchange or a bitwise operation; \p old is the shadow
/// before. A defined 0 of AND and a defined 1 of OR define the bit, whatever it was.
uint8_t Definedness::atomicShadow(const Wave &wave, const MicroOp &op, unsigned lane,
                                  unsigned position, uint8_t old) const {
  std::optional<DataPlace> place = findData(op, position);
  uint8_t data = dataShadow(op, lane, position);
  AtomicEffect effect = effectOf(*op.memory.atomic);
  if (effect == AtomicEffect::Replaces)
    return data;
  uint8_t undefined = old | data;
  if (effect == AtomicEffect::Xor || !place)
    return undefined;
  auto value = static_cast<uint8_t>(wave.v[place->index][lane] >> place->shift);
  uint8_t decides = effect == AtomicEffect::And ? static_cast<uint8_t>(~value) : value;
  return undefined & static_cast<uint8_t>(~(decides & ~data));
}

/// A component of a vector that no lane has a single bit of, next to one that is whole. Shaders may
/// store vectors of which they gave only some components a value, and compilers then leave the
/// registers of the others alone; a component forgotten by mistake looks the same here, but shows
/// in memory, since what registers hold at first depends on the seed.
bool Definedness::isGap(const Wave &wave, const MicroOp &op, unsigned lane, Component component,
                        unsigned count) const {
  auto shadowOf = [&](unsigned of, unsigned number, unsigned byte) {
    return dataShadow(op, of, component.bytes * number + byte);
  };
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    for (unsigned byte = 0; byte < component.bytes; ++byte)
      if (shadowOf(static_cast<unsigned>(countr_zero(left)), component.number, byte) != 0xff)
        return false;
  for (unsigned other = 0; other < count; ++other) {
    unsigned bits = 0;
    for (unsigned byte = 0; byte < component.bytes; ++byte)
      bits |= shadowOf(lane, other, byte);
    if (!bits)
      return true;
  }
  return false;
}

/// Goes by the mnemonic.
static bool isImage(const MicroOp &op) {
  return StringRef(op.inst->mnemonic).starts_with("image_");
}

/// Of a store of texels with d16, two components to a register.
static bool storesHalves(const MicroOp &op) {
  return isImage(op) ? op.inst->mods.d16 : op.memory.components && op.memory.d16;
}

/// Bytes of data of a store of texels: halves need not fill their last register.
static unsigned texelDataBytes(const MicroOp &op) {
  if (!storesHalves(op))
    return 4 * op.sources[0].operand.dwords;
  return 2 * (isImage(op) ? static_cast<unsigned>(popcount(op.image.dmask)) : op.memory.components);
}

/// Whether the access is to the attribute ring.
static bool isInRing(const Wave &wave, const MemoryEvent &event) {
  return event.address >= wave.group->ringBegin && event.address < wave.group->ringEnd;
}

/// Memory that outlives the wave. Parameters of 16 bits fill half of a component of the attribute
/// ring; the other half may be a gap.
void Definedness::checkStored(Wave &wave, const MicroOp &op, const MemoryEvent &event) {
  bool isRaw = !op.memory.components && !isImage(op) && !op.memory.atomic;
  unsigned whole = op.memory.atomic ? 4 * accessDwords(op.memory)
                   : isRaw          ? op.memory.bytes
                                    : texelDataBytes(op);
  unsigned begin = isRaw ? m_position : 0;
  unsigned end = isRaw ? begin + event.bytes : whole;
  unsigned size = storesHalves(op) || isInRing(wave, event) ? 2 : 4;
  for (unsigned position = begin; position < end; ++position) {
    if (!dataShadow(op, event.lane, position))
      continue;
    if (!op.memory.atomic && isGap(wave, op, event.lane, {position / size, size}, whole / size))
      continue;
    Violation violation{sanitizerRuleId(SanitizerRule::UndefStore),
                        ("stores byte " + Twine(position) + " of lane " +
                         Twine(unsigned(event.lane)) + "'s data, which is uninitialized")
                            .str()};
    violation.subject = "byte " + std::to_string(position);
    return wave.report(op, violation);
  }
}

/// A store to a part of the attribute ring that nothing reads.
static bool isPadding(const Wave &wave, const MemoryEvent &event) {
  const Workgroup &group = *wave.group;
  const ExportPlan *plan = group.exportPlan;
  if (!plan || !plan->ringParameters)
    return false;
  // The last parameters are those of primitives.
  constexpr unsigned unit = 512;
  uint64_t parameter = (event.address - group.ringBegin) / unit % plan->ringParameters;
  bool isOfPrimitive = parameter + plan->primitiveParameters >= plan->ringParameters;
  unsigned lanes = isOfPrimitive ? plan->primitives : plan->vertices;
  return wave.number * wave.waveSize + event.lane >= lanes && isInRing(wave, event);
}

void Definedness::access(Wave &wave, const MicroOp &op, const OpFacts &facts,
                         const MemoryEvent &event) {
  if (facts.flow != OpFlow::Memory)
    return;
  if (m_lane != event.lane) {
    m_lane = event.lane;
    m_position = 0;
  }
  BytePointers bytes = findBytes(wave, event);
  bool isData = facts.reads.vectors().intersects(m_shadow.flagged());
  if (bytes.empty()) {
    if (event.writes && isData && event.space == MemorySpace::Global && !isPadding(wave, event))
      checkStored(wave, op, event);
  } else {
    if (event.reads)
      noteLoaded(event.lane, m_position, bytes);
    if (event.writes)
      noteStored(wave, op, event, bytes);
  }
  m_position += event.bytes;
}

/// The shadow of the register that the loaded bytes from \p position on go to.
uint32_t Definedness::loadedDword(const MemoryAccess &access, unsigned lane, unsigned position,
                                  uint32_t old) const {
  const auto &bytes = m_bytes[lane];
  unsigned count = std::min<unsigned>(access.bytes, 4);
  uint32_t bits = 0;
  for (unsigned i = 0; i < count; ++i)
    bits |= uint32_t(bytes[position + i]) << (8 * i);
  if (count == 4)
    return bits;
  if (access.signExtend && bits >> (8 * count - 1) & 1)
    bits |= ~0u << (8 * count);
  if (!access.d16)
    return bits;
  return access.high ? (old & 0xffff) | bits << 16 : (old & 0xffff0000) | (bits & 0xffff);
}

void Definedness::finishMemory(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  if (!op.destinationCount || op.destination.type != OperandType::Vgpr)
    return;
  bool keepsHalf = op.memory.d16 && op.memory.bytes < 4;
  if (!m_loaded && !keepsHalf)
    return m_shadow.define(facts.writes, wave.exec());
  if (!m_loaded)
    for (auto &each : m_bytes)
      each.fill(0);
  unsigned bytes = op.memory.atomic ? 4 * op.destination.dwords : op.memory.bytes;
  MemoryAccess access = op.memory;
  access.bytes = static_cast<uint8_t>(bytes);
  unsigned perElement = (bytes + 3) / 4;
  unsigned count = std::min<unsigned>(op.destination.dwords, perElement * access.elements);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    for (unsigned i = 0; i < count && op.destination.index + i < wave.v.size(); ++i) {
      unsigned index = op.destination.index + i;
      unsigned position = i / perElement * bytes + i % perElement * 4;
      m_shadow.setVector(index, lane,
                         loadedDword(access, lane, position, m_shadow.vector(index, lane)));
    }
  }
}
