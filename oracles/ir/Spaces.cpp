// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of addresses.
#include "oracles/ir/Spaces.h"
#include "oracles/ir/Machine.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// Functions are where no data are.
static constexpr uint64_t FunctionBase = uint64_t(0x7fff) << 32;
static constexpr uint64_t FunctionStep = 256; ///< Bytes from function to function.
/// Globals are above the buffers, with room between them.
static constexpr uint64_t GlobalGap = 1 << 16;
static constexpr uint64_t MaxGlobalBytes = 1 << 24; ///< Of one global.

std::optional<uint32_t> Scratch::allocate(uint64_t size, Align align, uint64_t limit) {
  uint64_t offset = alignTo(top(), align);
  if (size > limit || offset + size > limit)
    return std::nullopt;
  uint64_t end = offset + size;
  if (bytes.size() < end) {
    bytes.resize(end);
    flags.resize(end);
  }
  std::fill(flags.begin() + offset, flags.begin() + end, PoisonByte);
  std::fill(bytes.begin() + offset, bytes.begin() + end, 0);
  allocas.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
  return static_cast<uint32_t>(offset);
}

bool Scratch::contains(uint64_t offset, uint64_t size) const {
  auto next = upper_bound(allocas, offset,
                          [](uint64_t value, const Alloca &a) { return value < a.offset; });
  if (next == allocas.begin())
    return false;
  const Alloca &found = *std::prev(next);
  return offset + size <= uint64_t(found.offset) + found.size;
}

Resource Resource::fromBits(const APInt &bits) {
  return {bits.extractBitsAsZExtValue(48, 0),
          static_cast<uint32_t>(bits.extractBitsAsZExtValue(16, 48)),
          static_cast<uint32_t>(bits.extractBitsAsZExtValue(32, 64)),
          static_cast<uint32_t>(bits.extractBitsAsZExtValue(32, 96))};
}

APInt Resource::toBits() const {
  uint64_t low = (base & ((uint64_t(1) << 48) - 1)) | uint64_t(stride & 0xffff) << 48;
  uint64_t words[] = {low, records | uint64_t(flags) << 32};
  return APInt(128, words);
}

/// At least 16 bytes.
static Align alignOf(const GlobalVariable &global) {
  return std::max(global.getAlign().valueOrOne(), Align(16));
}

/// Bytes, cut off at MaxGlobalBytes; larger globals are unsupported anyway. Padding at the end of
/// the type counts.
static uint64_t sizeOf(const GlobalVariable &global) {
  TypeSize size = global.getDataLayout().getTypeAllocSize(global.getValueType());
  return std::min<uint64_t>(size.getKnownMinValue(), MaxGlobalBytes);
}

bool Spaces::addPrivateGlobals(Program &program, Lane &lane, uint64_t limit) {
  for (auto [global, address] : m_globals) {
    if (global->getAddressSpace() != 5)
      continue;
    std::optional<uint32_t> offset =
        lane.scratch.allocate(sizeOf(*global), alignOf(*global), limit);
    const Shape *shape = program.shapes().get(global->getValueType());
    std::string problem;
    const Scalar *value = global->hasInitializer() && shape
                              ? program.constant(global->getInitializer(), problem)
                              : nullptr;
    if (offset != address || (global->hasInitializer() && !value))
      return false;
    if (value)
      encode(*shape, value, &lane.scratch.bytes[*offset], &lane.scratch.flags[*offset]);
  }
  return true;
}

Spaces::Spaces(Memory &memory, const Module &module) : m_memory(memory) {
  uint64_t end = GlobalGap;
  for (BufferMemory &buffer : memory.buffers) {
    Region region;
    region.buffer = m_regions.size();
    region.address = buffer.address;
    region.size = buffer.bytes.size();
    region.data = buffer.bytes.data();
    region.flags.resize(region.size);
    for (size_t i = 0; i < buffer.poison.size() && i < region.size; ++i)
      region.flags[i] = buffer.poison[i] ? PoisonByte : 0;
    end = std::max(end, buffer.address + region.size);
    m_regions.push_back(std::move(region));
  }
  uint64_t nextGlobal = alignTo(end + GlobalGap, GlobalGap), nextShared = 0;
  uint64_t nextPrivate = Scratch::Base;
  for (const GlobalVariable &global : module.globals()) {
    unsigned space = global.getAddressSpace();
    uint64_t &next = space == 3 ? nextShared : space == 5 ? nextPrivate : nextGlobal;
    next = alignTo(next, alignOf(global));
    m_globals[&global] = next;
    next += sizeOf(global) + (space == 3 || space == 5 ? 0 : 64);
  }
  if (memory.lds.size() < nextShared)
    memory.lds.resize(nextShared);
  m_shared.size = memory.lds.size();
  m_shared.data = memory.lds.data();
  m_shared.flags.resize(m_shared.size);
}

void Spaces::initialize(Program &program, const Module &module, Machine &machine) {
  for (auto [global, address] : m_globals) {
    if (global->getAddressSpace() == 3 || global->getAddressSpace() == 5)
      continue;
    const Shape *shape = program.shapes().get(global->getValueType());
    uint64_t size =
        module.getDataLayout().getTypeAllocSize(global->getValueType()).getKnownMinValue();
    if (!shape || size > MaxGlobalBytes)
      return machine.stop(RunState::Unsupported, "the global " + global->getName());
    Region region;
    region.address = address;
    region.size = size;
    region.own.resize(size);
    region.flags.resize(size, PoisonByte);
    region.isConstant = global->isConstant();
    if (global->hasInitializer()) {
      std::string problem;
      const Scalar *value = program.constant(global->getInitializer(), problem);
      if (!value)
        return machine.stop(RunState::Unsupported,
                            "the global " + global->getName() + ": " + problem);
      encode(*shape, value, region.own.data(), region.flags.data());
    }
    region.data = region.own.data();
    m_regions.push_back(std::move(region));
  }
  sort(m_regions, [](const Region &a, const Region &b) {
    return std::pair(a.address, a.size) < std::pair(b.address, b.size);
  });
}

/// Appends TouchFlags of each byte of \p region.
static void addFootprint(const Region &region, std::vector<uint8_t> &footprint) {
  for (uint8_t flag : region.flags)
    footprint.push_back((flag & ReadByte ? ReadTouch : 0) | (flag & WrittenByte ? WriteTouch : 0));
}

void Spaces::finish() {
  m_memory.footprint.clear();
  if (m_memory.wantsFootprint) {
    addFootprint(m_shared, m_memory.footprint);
    for (const Region &region : m_regions)
      addFootprint(region, m_memory.footprint);
  }
  for (const Region &region : m_regions) {
    if (!region.buffer)
      continue;
    BufferMemory &buffer = m_memory.buffers[*region.buffer];
    buffer.poison.clear();
    buffer.padding.clear();
    if (none_of(region.flags, [](uint8_t flag) { return flag & PoisonByte; }))
      continue;
    buffer.poison.resize(region.size);
    buffer.padding.resize(region.size);
    for (size_t i = 0; i < region.size; ++i) {
      buffer.poison[i] = region.flags[i] & PoisonByte;
      buffer.padding[i] = region.flags[i] & PaddingByte;
    }
  }
}

uint64_t Spaces::addressOf(const GlobalValue &value) {
  if (auto *global = dyn_cast<GlobalVariable>(&value))
    return m_globals.lookup(global);
  if (auto *function = dyn_cast<Function>(&value)) {
    auto [it, isNew] = m_functionNumbers.try_emplace(function, m_functions.size());
    if (isNew)
      m_functions.push_back(function);
    return FunctionBase + it->second * FunctionStep;
  }
  if (auto *alias = dyn_cast<GlobalAlias>(&value)) {
    const DataLayout &layout = value.getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(alias->getType()), 0);
    auto *base = dyn_cast<GlobalValue>(alias->getAliasee()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true));
    if (base && base != alias)
      return addressOf(*base) + offset.getSExtValue();
  }
  return 0;
}

const Function *Spaces::functionAt(uint64_t address) const {
  uint64_t number = (address - FunctionBase) / FunctionStep;
  if (address < FunctionBase || address % FunctionStep || number >= m_functions.size())
    return nullptr;
  return m_functions[number];
}

/// Traps unless the access is inside of one buffer or global. A write to a constant global is
/// undefined behaviour.
Place Spaces::locateDevice(Machine &machine, uint64_t address, const Request &request) {
  Place place;
  place.address = address;
  auto next = upper_bound(m_regions, address,
                          [](uint64_t value, const Region &r) { return value < r.address; });
  Region *region = next == m_regions.begin() ? nullptr : &*std::prev(next);
  if (!region || request.bytes > region->size ||
      address - region->address > region->size - request.bytes) {
    machine.stop(RunState::Trapped, "an access outside of memory");
    return place;
  }
  if (region->isConstant && request.isWrite)
    machine.stop(RunState::Undefined, "a write to constant memory");
  place.data = region->data + (address - region->address);
  place.flags = region->flags.data() + (address - region->address);
  return place;
}

/// Traps outside of LDS. The address in events is the flat one.
Place Spaces::locateShared(Machine &machine, uint64_t offset, const Request &request) {
  Place place;
  place.address = SharedAperture | offset;
  if (offset > m_shared.size || request.bytes > m_shared.size - offset) {
    machine.stop(RunState::Trapped, "an access outside of LDS");
    return place;
  }
  place.data = m_shared.data + offset;
  place.flags = m_shared.flags.data() + offset;
  return place;
}

/// An access must be inside of one alloca that is alive; any other is undefined behaviour. Its
/// accesses make no events.
Place Spaces::locateScratch(Machine &machine, Lane &lane, uint64_t offset, const Request &request) {
  Place place;
  place.address = PrivateAperture | offset;
  place.isPrivate = true;
  if (!lane.scratch.contains(offset, request.bytes)) {
    machine.stop(RunState::Undefined, "an access outside of an alloca");
    return place;
  }
  place.data = lane.scratch.bytes.data() + offset;
  place.flags = lane.scratch.flags.data() + offset;
  return place;
}

/// The upper half of the address chooses LDS, scratch or device memory.
Place Spaces::locateFlat(Machine &machine, Lane &lane, uint64_t address, const Request &request) {
  uint64_t upper = address >> 32 << 32;
  if (upper == SharedAperture)
    return locateShared(machine, address - upper, request);
  if (upper == PrivateAperture)
    return locateScratch(machine, lane, address - upper, request);
  return locateDevice(machine, address, request);
}

/// Whether [offset, offset + bytes) ends at \p limit at the latest (Returned), begins after it
/// (Returned and \p isOutside), or neither (PartialBounds).
static RunState checkBounds(uint64_t offset, uint64_t bytes, uint64_t limit, bool &isOutside) {
  constexpr uint64_t End = uint64_t(1) << 32;
  isOutside = offset >= limit;
  // Hardware adds what belongs to a piece modulo 2^32: after the end a piece may be inside again.
  if (isOutside)
    return limit && offset < End && offset + bytes > End ? RunState::PartialBounds
                                                         : RunState::Returned;
  return offset + bytes > limit ? RunState::PartialBounds : RunState::Returned;
}

/// A place without data is outside: reads give 0 and writes are dropped. Stops the machine for an
/// access that is partly outside, misaligned, or of a swizzled buffer.
Place Spaces::locateBuffer(Machine &machine, const Resource &resource, const BufferIndex &index,
                           const Request &request) {
  constexpr uint32_t StrideMask = 0x3fff; // Above it: swizzling.
  uint32_t stride = resource.stride & StrideMask;
  Place place;
  place.address = resource.base + index.offset + uint64_t(stride) * index.index;
  if (resource.stride != stride)
    machine.stop(RunState::Unsupported, "a swizzled buffer");
  if (stride && !index.isIndexed)
    machine.stop(RunState::Undefined, "an access without index to a buffer with stride");
  if (!isAligned(request.align, place.address))
    machine.stop(RunState::Undefined, "a misaligned access");
  if (machine.isStopped() || !request.bytes)
    return place;
  // OOB_SELECT 0 of GFX10 on compares the offset with the stride whatever the number of records.
  if (stride || resource.records != UINT32_MAX) {
    if (stride && index.index >= resource.records) {
      machine.noteOutside(request.isWrite);
      return place;
    }
    bool isOutside = false;
    RunState state =
        checkBounds(index.offset, request.bytes, stride ? stride : resource.records, isOutside);
    if (state != RunState::Returned)
      machine.stop(state, "an access partly outside of its buffer");
    if (isOutside)
      machine.noteOutside(request.isWrite);
    if (isOutside || machine.isStopped())
      return place;
  }
  return locateDevice(machine, place.address, request);
}

/// Takes a fat pointer apart: address space 9 has an index between offset and resource.
Place Spaces::locateFat(Machine &machine, const APInt &pointer, const Request &request) {
  BufferIndex index;
  index.offset = pointer.extractBitsAsZExtValue(32, 0) + request.distance;
  // An instruction may add its offset modulo 2^32 or not.
  if (index.offset > UINT32_MAX)
    machine.stop(RunState::PartialBounds, "an offset that wraps");
  unsigned resourceAt = 32;
  if (request.addressSpace == 9) {
    index.isIndexed = true;
    index.index = static_cast<uint32_t>(pointer.extractBitsAsZExtValue(32, 32));
    resourceAt = 64;
  }
  return locateBuffer(machine, Resource::fromBits(pointer.extractBits(128, resourceAt)), index,
                      request);
}

Place Spaces::locate(Machine &machine, Lane &lane, const Scalar &pointer, const Request &request) {
  if (request.addressSpace == 7 || request.addressSpace == 9)
    return locateFat(machine, pointer.bits, request);
  if (pointer.bits.getActiveBits() > 64 || request.addressSpace == 8) {
    machine.stop(RunState::Unsupported,
                 "an access through address space " + Twine(request.addressSpace));
    return {};
  }
  uint64_t address = pointer.bits.getZExtValue() + request.distance;
  if (!isAligned(request.align, address)) {
    machine.stop(RunState::Undefined, "a misaligned access");
    return {};
  }
  switch (request.addressSpace) {
  case 0:
    return locateFlat(machine, lane, address, request);
  case 1:
  case 4:
    return locateDevice(machine, address, request);
  case 3:
    return locateShared(machine, address, request);
  case 5:
    return locateScratch(machine, lane, address, request);
  }
  machine.stop(RunState::Unsupported, "address space " + Twine(request.addressSpace));
  return {};
}

Scalar makePointer(const Memory &memory, unsigned buffer, unsigned addressSpace, uint32_t offset,
                   uint32_t index) {
  const BufferMemory &target = memory.buffers[buffer];
  Resource resource{target.address, target.stride, target.numRecords, target.flags};
  APInt bits = resource.toBits();
  switch (addressSpace) {
  case 7:
    return {bits.zext(160).shl(32) | offset};
  case 8:
    return {bits};
  case 9:
    return {bits.zext(192).shl(64) | (uint64_t(index) << 32 | offset)};
  }
  return {APInt(64, target.address + offset)};
}

} // namespace assay::ir
