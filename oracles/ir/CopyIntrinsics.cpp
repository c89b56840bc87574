// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memcpy, memmove, memset: whole, or not at all.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// The most bytes that one call copies in one lane.
static constexpr uint64_t MaxBytes = 1 << 20;

/// The length operand of one lane; nothing with the machine stopped.
/// A poison length is undefined behaviour, one above MaxBytes a timeout. Each 16 bytes count as an
/// instruction.
static std::optional<uint64_t> readLength(Machine &machine, const Scalar &length) {
  if (length.isPoison) {
    machine.stop(RunState::Undefined, "a copy of a poison length");
    return std::nullopt;
  }
  uint64_t bytes = length.bits.getLimitedValue();
  if (bytes > MaxBytes) {
    machine.stop(RunState::TimedOut, "a copy of more than " + Twine(MaxBytes) + " bytes");
    return std::nullopt;
  }
  machine.charge(bytes / 16);
  if (machine.isStopped())
    return std::nullopt;
  return bytes;
}

/// Records a volatile copy's access of \p bytes bytes; others are no events.
static void recordCopy(Machine &machine, Lane &lane, const Place &place, uint64_t bytes,
                       bool isVolatile, Event::Kind kind) {
  AccessMode mode;
  mode.isVolatile = isVolatile;
  mode.isCopy = true;
  if (isVolatile)
    recordAccess(machine, lane, place, bytes, mode, kind);
}

/// memcpy of overlapping bytes is undefined unless they are the same.
/// Bytes that are exactly the same do not count, nor do those outside of a buffer.
static bool overlaps(const Place &to, const Place &from, uint64_t bytes) {
  return to.data && from.data && to.data != from.data && to.data < from.data + bytes &&
         from.data < to.data + bytes;
}

namespace {
/// One lane's copy.
struct Transfer {
  Lane *lane;
  Place from, to;
  uint64_t bytes;
};
} // namespace

/// Finds where a copy of one lane begins and ends; false: the machine has stopped.
/// A length of 0 accesses nothing: then both places stay empty.
static bool locateTransfer(Machine &machine, const Inst &inst, const AnyMemTransferInst &copy,
                           Transfer &transfer) {
  Lane &lane = *transfer.lane;
  auto bytes = readLength(machine, *lane.get(inst.operands[2]));
  if (!bytes || !*bytes)
    return bytes.has_value();
  transfer.bytes = *bytes;
  Request to{copy.getDestAddressSpace(), *bytes, copy.getDestAlign().valueOrOne(), true};
  Request from{copy.getSourceAddressSpace(), *bytes, copy.getSourceAlign().valueOrOne(), false};
  auto source = locate(machine, lane, *lane.get(inst.operands[1]), from);
  if (!source)
    return false;
  auto target = locate(machine, lane, *lane.get(inst.operands[0]), to);
  if (!target)
    return false;
  transfer.from = *source;
  transfer.to = *target;
  return true;
}

/// What lanes copy may not depend on who is first, for a lowering goes by pieces. Two lanes that
/// write the same bytes are judged by Machine::settleWrites().
static bool hasRace(ArrayRef<Transfer> transfers) {
  for (const Transfer &a : transfers)
    for (const Transfer &b : transfers)
      if (a.lane != b.lane && a.to.data && b.from.data && a.to.data < b.from.data + b.bytes &&
          b.from.data < a.to.data + a.bytes)
        return true;
  return false;
}

/// Copies one lane's bytes, with their poison, and records reads and writes.
static void transferBytes(Machine &machine, const AnyMemTransferInst &copy,
                          const Transfer &transfer) {
  uint64_t bytes = transfer.bytes;
  std::vector<uint8_t> data(bytes), poison(bytes);
  readBytes(transfer.from, bytes, data.data(), poison.data());
  if (transfer.from.data && !transfer.from.isPrivate)
    machine.tellRead(*transfer.lane, transfer.from.address, bytes);
  recordCopy(machine, *transfer.lane, transfer.from, bytes, copy.isVolatile(),
             Event::Kind::VolatileLoad);
  writeBytes(machine, transfer.to, bytes, data.data(), poison.data());
  recordCopy(machine, *transfer.lane, transfer.to, bytes, copy.isVolatile(),
             Event::Kind::VolatileStore);
  // A memmove may go up in one lane and down in another: no two do the same part.
  if (transfer.to.data)
    machine.noteWrite(*transfer.lane, transfer.to, bytes,
                      isa<AnyMemMoveInst>(copy) ? transfer.lane->number : 0, data.data(),
                      poison.data());
}

/// memcpy, memmove: locates all lanes' copies before it moves any byte. A race between lanes is
/// undefined behaviour.
static void runTransfer(Machine &machine, const Inst &inst) {
  const auto &copy = *cast<AnyMemTransferInst>(inst.ir);
  SmallVector<Transfer, 8> transfers;
  for (Lane *lane : machine.group()) {
    Transfer transfer{lane, {}, {}, 0};
    if (!locateTransfer(machine, inst, copy, transfer))
      return;
    if (isa<AnyMemCpyInst>(copy) && overlaps(transfer.to, transfer.from, transfer.bytes))
      return machine.stop(RunState::Undefined, "a memcpy of overlapping bytes");
    if (transfer.bytes)
      transfers.push_back(std::move(transfer));
  }
  if (hasRace(transfers))
    return machine.stop(RunState::Undefined, "a lane copies what another writes");
  for (const Transfer &transfer : transfers)
    transferBytes(machine, copy, transfer);
}

/// memset: the low 8 bits of operand 1, operand 2 times. A poison value makes the bytes poison.
static void runSet(Machine &machine, const Inst &inst) {
  const auto &set = *cast<AnyMemSetInst>(inst.ir);
  Request request{set.getDestAddressSpace(), 0, set.getDestAlign().valueOrOne(), true};
  for (Lane *lane : machine.group()) {
    auto bytes = readLength(machine, *lane->get(inst.operands[2]));
    if (!bytes)
      return;
    if (!*bytes)
      continue;
    request.bytes = *bytes;
    auto place = locate(machine, *lane, *lane->get(inst.operands[0]), request);
    if (!place)
      return;
    const Scalar &value = *lane->get(inst.operands[1]);
    std::vector<uint8_t> data(*bytes, static_cast<uint8_t>(value.bits.getZExtValue()));
    std::vector<uint8_t> poison(*bytes, value.isPoison);
    writeBytes(machine, *place, *bytes, data.data(), poison.data());
    recordCopy(machine, *lane, *place, *bytes, set.isVolatile(), Event::Kind::VolatileStore);
    if (place->data)
      machine.noteWrite(*lane, *place, *bytes, 0, data.data(), poison.data());
  }
}

/// memset.pattern: a value of any type, again and again at its size in an array.
/// Padding between the values becomes poison.
static void runSetPattern(Machine &machine, const Inst &inst) {
  const auto &set = *cast<MemSetPatternInst>(inst.ir);
  Type *type = set.getValue()->getType();
  const Shape &shape = *machine.program().shapes().get(type);
  uint64_t step = machine.layout().getTypeAllocSize(type).getFixedValue();
  Request request{set.getDestAddressSpace(), 0, set.getDestAlign().valueOrOne(), true};
  std::vector<uint8_t> one(step), onePoison(step, 1);
  for (Lane *lane : machine.group()) {
    const Scalar &count = *lane->get(inst.operands[2]);
    if (!count.isPoison && count.bits.ugt(MaxBytes))
      return machine.stop(RunState::TimedOut, "a pattern set too often");
    Scalar length{APInt(64, count.isPoison ? 0 : count.bits.getZExtValue() * step), count.isPoison};
    auto bytes = readLength(machine, length);
    if (!bytes)
      return;
    if (!*bytes)
      continue;
    request.bytes = *bytes;
    auto place = locate(machine, *lane, *lane->get(inst.operands[0]), request);
    if (!place)
      return;
    encode(shape, lane->get(inst.operands[1]), one.data(), onePoison.data());
    std::vector<uint8_t> data, poison;
    while (data.size() < *bytes) {
      append_range(data, one);
      append_range(poison, onePoison);
    }
    writeBytes(machine, *place, *bytes, data.data(), poison.data());
    recordCopy(machine, *lane, *place, *bytes, set.isVolatile(), Event::Kind::VolatileStore);
    if (place->data)
      machine.noteWrite(*lane, *place, *bytes, 0, data.data(), poison.data());
  }
}

ArrayRef<IntrinsicRow> copyIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::memcpy, runTransfer},
      {Intrinsic::memcpy_inline, runTransfer},
      {Intrinsic::memmove, runTransfer},
      {Intrinsic::memset, runSet},
      {Intrinsic::memset_inline, runSet},
      {Intrinsic::memcpy_element_unordered_atomic, runTransfer},
      {Intrinsic::memmove_element_unordered_atomic, runTransfer},
      {Intrinsic::memset_element_unordered_atomic, runSet},
      {Intrinsic::experimental_memset_pattern, runSetPattern},
  };
  return Rows;
}

} // namespace assay::ir
