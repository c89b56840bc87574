// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/Hardware.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Observer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;
using ir::Scalar;

/// Where operands stand: registers that a launch does not use.
static constexpr unsigned dataVgpr = 0, addressVgpr = 16, resourceSgpr = 64, samplerSgpr = 72;
/// Limits in dwords, for one lane.
static constexpr unsigned mostData = 16, mostAddresses = 32;

/// An operand of \p dwords registers from number \p index on.
static gcn::Operand makeRegister(gcn::OperandType type, unsigned index, unsigned dwords) {
  gcn::Operand operand;
  operand.type = type;
  operand.index = static_cast<uint16_t>(index);
  operand.dwords = static_cast<uint8_t>(dwords);
  return operand;
}

/// Builds the instruction of \p call. All lanes have as many data and address dwords as \p first.
/// Operands are in gcn's order: data, addresses, resource, then the sampler or, of buffers, an
/// offset of 0.
static gcn::Inst makeInst(const HardwareCall &call, const LaneRegisters &first, unsigned gfxMajor) {
  gcn::Inst inst;
  inst.valid = true;
  inst.mnemonic = inst.text = call.mnemonic;
  inst.mods = call.mods;
  bool isImage = StringRef(call.mnemonic).starts_with("image_");
  // Where the encoding has the format: MTBUF; VBUFFER on GFX12.
  (gfxMajor < 12 ? inst.words[0] : inst.words[1]) = uint32_t(call.mods.format)
                                                    << (gfxMajor < 12 ? 19 : 23);
  unsigned data = std::max<unsigned>({call.resultDwords, unsigned(first.data.size()), 1});
  inst.operands.push_back(makeRegister(gcn::OperandType::Vgpr, dataVgpr, data));
  inst.operands.push_back(makeRegister(gcn::OperandType::Vgpr, addressVgpr,
                                       static_cast<unsigned>(first.addresses.size())));
  inst.operands.push_back(makeRegister(gcn::OperandType::Sgpr, resourceSgpr, isImage ? 8 : 4));
  if (call.hasSampler)
    inst.operands.push_back(makeRegister(gcn::OperandType::Sgpr, samplerSgpr, 4));
  if (!isImage) {
    gcn::Operand none;
    none.type = gcn::OperandType::Integer;
    inst.operands.push_back(none);
  }
  return inst;
}

/// Lanes with the same descriptors can run as one instruction: these are in SGPRs.
static bool sameDescriptors(const LaneRegisters &a, const LaneRegisters &b) {
  return a.resource == b.resource && a.sampler == b.sampler;
}

namespace {
/// What an instruction accesses.
class AccessObserver final : public gcn::WaveObserver {
public:
  explicit AccessObserver(std::vector<simt::MemoryEvent> &events) : m_events(events) {}
  /// Keeps accesses of global memory only.
  void access(gcn::Wave &, const gcn::MicroOp &, const simt::MemoryEvent &event) override {
    if (event.space == simt::MemorySpace::Global)
      m_events.push_back(event);
  }

private:
  std::vector<simt::MemoryEvent> &m_events;
};
} // namespace

/// Runs \p op, and tells \p machine what it has read and written.
static void runObserved(ir::Machine &machine, gcn::Wave &wave, const gcn::MicroOp &op) {
  std::vector<simt::MemoryEvent> events;
  wave.observers.push_back(std::make_unique<AccessObserver>(events));
  op.run(wave, op);
  wave.observers.pop_back();
  for (const simt::MemoryEvent &event : events) {
    const uint8_t *bytes = wave.group->memory->find(event.address, event.bytes, simt::Access::Read);
    const auto *lane =
        find_if(machine.group(), [&](const Lane *each) { return each->number == event.lane; });
    if (!bytes || lane == machine.group().end())
      continue;
    if (event.reads)
      machine.tellRead(**lane, event.address, event.bytes);
    if (event.writes)
      machine.tellWrite(**lane, event.address, ArrayRef(bytes, event.bytes));
  }
}

/// The lanes from \p first on that use the same descriptors: one run of the instruction.
static bool runUniform(ir::Machine &machine, const gcn::MicroOp &op, size_t first,
                       MutableArrayRef<LaneRegisters> lanes, SmallVectorImpl<bool> &done,
                       unsigned resultDwords) {
  gcn::Wave &wave = waveOf(machine).hardware();
  copy(lanes[first].resource, wave.s.begin() + resourceSgpr);
  copy(lanes[first].sampler, wave.s.begin() + samplerSgpr);
  // Implicit levels depend on the coordinates of neighbours, whatever descriptors they use.
  for (auto [lane, own] : zip_equal(machine.group(), lanes))
    for (auto [index, word] : enumerate(own.addresses))
      wave.v[addressVgpr + index][lane->number] = word;
  uint64_t exec = 0;
  for (size_t i = first; i < lanes.size(); ++i) {
    if (done[i] || !sameDescriptors(lanes[i], lanes[first]))
      continue;
    done[i] = true;
    unsigned number = machine.group()[i]->number;
    exec |= uint64_t(1) << number;
    for (auto [index, word] : enumerate(lanes[i].data))
      wave.v[dataVgpr + index][number] = word;
  }
  wave.setExec(exec);
  runObserved(machine, wave, op);
  if (const simt::Failure &failure = wave.group->failure; failure.kind != OutcomeKind::Completed) {
    machine.stop(failure.kind == OutcomeKind::Unsupported ? RunState::Unsupported
                                                          : RunState::Trapped,
                 failure.reason);
    return false;
  }
  for (size_t i = first; i < lanes.size(); ++i)
    if (unsigned number = machine.group()[i]->number; exec >> number & 1) {
      lanes[i].data.resize(resultDwords);
      for (unsigned word = 0; word < resultDwords; ++word)
        lanes[i].data[word] = wave.v[dataVgpr + word][number];
    }
  return true;
}

/// Instructions take descriptors from SGPRs, so each set of lanes with equal descriptors has a run.
bool irm::runHardware(ir::Machine &machine, const HardwareCall &call,
                      MutableArrayRef<LaneRegisters> lanes) {
  if (lanes.front().data.size() > mostData || lanes.front().addresses.size() > mostAddresses) {
    machine.stop(RunState::Unsupported, call.mnemonic + " with so many operands");
    return false;
  }
  const WaveRun &wave = waveOf(machine);
  const gcn::Inst inst = makeInst(call, lanes.front(), wave.hardware().gfxMajor);
  gcn::MicroOp op = gcn::bindInst(inst, wave.facts().image.code.program->options());
  op.inst = &inst;
  SmallVector<bool, 64> done(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i)
    if (!done[i] && !runUniform(machine, op, i, lanes, done, call.resultDwords))
      return false;
  return true;
}

/// The dword that \p bits of \p type become: halves are converted to f32, integers are extended
/// with zeros.
static uint32_t extendShort(Type *type, uint64_t bits) {
  if (!type->isHalfTy())
    return static_cast<uint32_t>(bits);
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits));
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

/// Appends at most \p most elements of an operand, as the registers of an instruction hold them:
/// short elements are extended to a dword each, long ones are split. Poison stops the run, and
/// false is returned.
bool irm::appendDwords(ir::Machine &machine, const Inst &inst, const Lane &lane, unsigned operand,
                       SmallVectorImpl<uint32_t> &words, unsigned most) {
  Type *type = inst.ir->getOperand(operand)->getType()->getScalarType();
  const ir::Operand &from = inst.operands[operand];
  for (const Scalar &scalar : ArrayRef(lane.get(from), std::min(from.count, most))) {
    if (scalar.isPoison) {
      machine.stop(RunState::Undefined,
                   "poison as operand " + Twine(operand) + " of " + inst.ir->getOpcodeName());
      return false;
    }
    unsigned bits = scalar.bits.getBitWidth();
    if (bits < 32) {
      words.push_back(extendShort(type, scalar.bits.getZExtValue()));
      continue;
    }
    for (unsigned at = 0; at < bits; at += 32)
      words.push_back(static_cast<uint32_t>(scalar.bits.extractBitsAsZExtValue(32, at)));
  }
  return true;
}

/// A longer operand is cut; of a shorter one the rest of \p words stays as it is.
bool irm::readDescriptor(ir::Machine &machine, const Inst &inst, const Lane &lane, unsigned operand,
                         MutableArrayRef<uint32_t> words) {
  SmallVector<uint32_t, 8> all;
  if (!appendDwords(machine, inst, lane, operand, all))
    return false;
  std::copy_n(all.begin(), std::min(all.size(), words.size()), words.begin());
  return true;
}

/// The reverse: a half is made of the f32 in \p word. Other types keep the word.
static uint64_t narrow(Type *type, uint32_t word) {
  if (!type->isHalfTy())
    return word;
  APFloat value(APFloat::IEEEsingle(), APInt(32, word));
  bool losesInfo = false;
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// Missing dwords count as 0.
void irm::writeResult(const Inst &inst, Lane &lane, ArrayRef<uint32_t> words) {
  size_t next = 0;
  auto take = [&]() -> uint32_t { return next < words.size() ? words[next++] : 0; };
  for (uint32_t i = 0; i < inst.count; ++i) {
    const ir::Element &element = inst.shape->elements[i];
    uint64_t bits = narrow(element.type, take());
    if (element.bits == 64)
      bits |= uint64_t(take()) << 32;
    lane.slots[inst.slot + i] = {APInt(element.bits, bits, false, /*implicitTrunc=*/true)};
  }
}

/// Executes the instruction once for the whole group of lanes, and lets \p write take the result of
/// each. Nothing is written if the instruction stops the run.
void irm::runForResult(ir::Machine &machine, const Inst &inst, const HardwareCall &call,
                       MutableArrayRef<LaneRegisters> lanes,
                       function_ref<void(const Inst &, Lane &, ArrayRef<uint32_t>)> write) {
  if (!runHardware(machine, call, lanes))
    return;
  for (auto [lane, own] : zip_equal(machine.group(), lanes))
    write(inst, *lane, own.data);
}
