// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that ask for resources and built-ins.
#include "oracles/ir/Elementwise.h"
#include "oracles/machine/gcn/launch/Launch.h"
#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/WaveRun.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;
using ir::Scalar;

/// The address of a table: the low half is in SGPR \p sgpr, the high half is that of all tables.
static uint64_t tablePointer(const WaveRun &wave, unsigned sgpr) {
  return (wave.facts().launch().tableBase & ~uint64_t(UINT32_MAX)) | wave.sgpr(sgpr);
}

/// Address of the table of \p set; nothing where the layout has none.
static std::optional<uint64_t> findTable(const WaveRun &wave, uint64_t set) {
  for (auto [index, table] : enumerate(wave.facts().layout.tables))
    if (table.set == set)
      return tablePointer(wave, firstTableSgpr + static_cast<unsigned>(index));
  return std::nullopt;
}

/// Address of an element of a binding, and where it has its sampler.
struct DescriptorPlace {
  uint64_t address = 0;
  uint32_t samplerOffset = 0;
  bool isInside = true; ///< Of the array.
};

/// Operands 0 and 1 of \p inst are set and binding, \p index is that of the element. Nothing, with
/// the machine stopped, for a binding that the layout lacks and for a poison index.
static std::optional<DescriptorPlace> findDescriptor(ir::Machine &machine, const Inst &inst,
                                                     const Scalar &index) {
  const WaveRun &wave = waveOf(machine);
  uint64_t set = immediate(inst, 0);
  std::optional<uint64_t> table = findTable(wave, set);
  const DescriptorNode *node = wave.facts().layout.find(static_cast<uint32_t>(set),
                                                        static_cast<uint32_t>(immediate(inst, 1)));
  if (!table || !node) {
    machine.stop(RunState::Unsupported, "a resource that the layout does not have");
    return std::nullopt;
  }
  if (index.isPoison) {
    machine.stop(RunState::Undefined, "a poison index of a resource");
    return std::nullopt;
  }
  uint64_t offset = node->offsetInDwords + index.bits.getZExtValue() * node->strideInDwords;
  bool isCombined = node->kind == DescriptorKind::CombinedImageSampler;
  return DescriptorPlace{*table + offset * 4, isCombined ? 32u : 0u,
                         index.bits.getZExtValue() < node->count};
}

/// A V#, in dwords from the lowest on.
using BufferWords = std::array<uint32_t, 4>;

/// Sets the result of each lane to what \p make makes of the V# that operands 0 to 2 name. Poison
/// where the index leaves the array: only an access may not use such a descriptor.
template <typename Make>
static void runOnBufferDescriptor(ir::Machine &machine, const Inst &inst, Make make) {
  for (Lane *lane : machine.group()) {
    std::optional<DescriptorPlace> place =
        findDescriptor(machine, inst, *lane->get(inst.operands[2]));
    if (!place)
      return;
    BufferWords words{};
    const uint8_t *bytes =
        waveOf(machine).facts().memory.find(place->address, sizeof(words), simt::Access::Read);
    if (place->isInside && !bytes)
      return machine.stop(RunState::Trapped, "a descriptor outside of its table");
    if (place->isInside)
      std::memcpy(words.data(), bytes, sizeof(words));
    lane->slots[inst.slot] = {make(words), /*isPoison=*/!place->isInside};
  }
}

/// Makes a fat pointer: 32 bits of offset 0, then the V#.
static void runLoadBufferDesc(ir::Machine &machine, const Inst &inst) {
  runOnBufferDescriptor(machine, inst, [](const BufferWords &words) {
    APInt pointer(160, 0);
    for (unsigned i = 0; i < 4; ++i)
      pointer.insertBits(uint64_t(words[i]), 32 + i * 32, 32);
    return pointer;
  });
}

/// Fat pointers are numbers of 160 bits.
static void runPointerDifference(ir::Machine &, const Inst &, const Scalar &x, const Scalar &y,
                                 Scalar &result) {
  APInt differing = x.bits ^ y.bits;
  result.bits = APInt(32, 0);
  for (unsigned low = 0; low < differing.getBitWidth(); low += 32)
    result.bits |= differing.extractBits(32, low);
}

/// Length in bytes, as the V# has it.
static void runBufferLength(ir::Machine &machine, const Inst &inst) {
  runOnBufferDescriptor(machine, inst, [&](const BufferWords &words) {
    return APInt(inst.bits, words[2]); // Records: bytes, without a stride.
  });
}

/// Operands: set, binding, a constant (1: the sampler of a combined descriptor), index. An index
/// that leaves the array gives an address outside of it: it may be loaded from where nothing uses
/// that.
static void runDescriptorPtr(ir::Machine &machine, const Inst &inst) {
  bool wantsSampler = immediate(inst, 2) == 1;
  for (Lane *lane : machine.group()) {
    std::optional<DescriptorPlace> place =
        findDescriptor(machine, inst, *lane->get(inst.operands[3]));
    if (!place)
      return;
    lane->slots[inst.slot] = {
        APInt(inst.bits, place->address + (wantsSampler ? place->samplerOffset : 0))};
  }
}

/// The address of the table of a set.
static void runDescriptorTable(ir::Machine &machine, const Inst &inst) {
  std::optional<uint64_t> table = findTable(waveOf(machine), immediate(inst, 0));
  if (!table)
    return machine.stop(RunState::Unsupported, "a set that the layout does not have");
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {APInt(inst.bits, *table)};
}

/// The address of the push constants.
static void runPushConstants(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {APInt(inst.bits, tablePointer(waveOf(machine), pushPointerSgpr))};
}

namespace {
/// The numbers that are in the IR.
enum BuiltInNumber : uint8_t {
  NumWorkgroups,
  WorkgroupId,
  LocalInvocationId,
  GlobalInvocationId,
  LocalInvocationIndex,
  WorkgroupSize,
  SubgroupSize,
  SubgroupLocalInvocationId,
  SubgroupId,
  NumSubgroups,
  SubgroupEqMask,
  SubgroupGeMask,
  SubgroupGtMask,
  SubgroupLeMask,
  SubgroupLtMask
};
using Words = SmallVector<uint32_t, 4>;
/// Dwords of a built-in for one lane.
using ReadBuiltIn = Words (*)(const WaveRun &wave, unsigned lane);
} // namespace

/// Three components of a built-in.
static Words toWords(const std::array<uint32_t, 3> &values) {
  return Words(values.begin(), values.end());
}

/// A mask of the lanes below \p lane, which may be 64.
static uint64_t bitsBelow(unsigned lane) {
  return lane >= 64 ? ~uint64_t(0) : (uint64_t(1) << lane) - 1;
}

/// Lanes [first, end) as a mask.
static Words maskOf(unsigned first, unsigned end) {
  uint64_t mask = bitsBelow(end) & ~bitsBelow(first);
  return {static_cast<uint32_t>(mask), static_cast<uint32_t>(mask >> 32), 0, 0};
}

/// Workgroup id * workgroup size + local id.
static Words globalId(const WaveRun &wave, unsigned lane) {
  std::array<uint32_t, 3> local = wave.localId(lane);
  Words words;
  for (unsigned i = 0; i < 3; ++i)
    words.push_back(wave.group()[i] * wave.facts().launch().threads[i] + local[i]);
  return words;
}

/// In the order of BuiltInNumber.
static constexpr ReadBuiltIn builtIns[] = {
    [](const WaveRun &wave, unsigned) { return toWords(wave.facts().groups); },
    [](const WaveRun &wave, unsigned) { return toWords(wave.group()); },
    [](const WaveRun &wave, unsigned lane) { return toWords(wave.localId(lane)); },
    globalId,
    [](const WaveRun &wave, unsigned lane) {
      return Words{wave.number() * wave.waveSize() + lane};
    },
    [](const WaveRun &wave, unsigned) { return toWords(wave.facts().launch().threads); },
    [](const WaveRun &wave, unsigned) { return Words{wave.waveSize()}; },
    [](const WaveRun &, unsigned lane) { return Words{lane}; },
    [](const WaveRun &wave, unsigned) { return Words{wave.number()}; },
    [](const WaveRun &wave, unsigned) { return Words{wave.facts().launch().wavesPerGroup()}; },
    [](const WaveRun &, unsigned lane) { return maskOf(lane, lane + 1); },
    [](const WaveRun &wave, unsigned lane) { return maskOf(lane, wave.waveSize()); },
    [](const WaveRun &wave, unsigned lane) { return maskOf(lane + 1, wave.waveSize()); },
    [](const WaveRun &, unsigned lane) { return maskOf(0, lane + 1); },
    [](const WaveRun &, unsigned lane) { return maskOf(0, lane); },
};
static_assert(std::size(builtIns) == SubgroupLtMask + 1);

/// Operand: a BuiltInNumber. Components that the result does not have are dropped.
static void runReadBuiltIn(ir::Machine &machine, const Inst &inst) {
  uint64_t number = immediate(inst, 0);
  if (number >= std::size(builtIns))
    return machine.stop(RunState::Unsupported, "built-in " + Twine(number));
  for (Lane *lane : machine.group())
    for (auto [index, word] : enumerate(builtIns[number](waveOf(machine), lane->number)))
      if (index < inst.count)
        lane->slots[inst.slot + index] = {APInt(inst.bits, word)};
}

ArrayRef<OpRow> irm::resourceOps() {
  static constexpr OpRow Rows[] = {
      {"load.buffer.desc", runLoadBufferDesc},
      {"buffer.length", runBufferLength},
      {"push.constants.ptr", runPushConstants},
      {"descriptor.table", runDescriptorTable},
      {"descriptor.ptr", runDescriptorPtr},
      {"read.built.in", runReadBuiltIn},
      {"buffer.ptr.difference", ir::mapBinary<runPointerDifference>},
  };
  return Rows;
}
