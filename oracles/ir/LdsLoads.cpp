// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads from memory straight into LDS: load.to.lds by a pointer, and the buffer instructions with
// the LDS bit. Each lane has a place of its own, of a dword at least: LDS_base + LDS_offset +
// inst_offset + lane * 4 (Vega ISA, "Memory Buffer Load to LDS").
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

namespace {
/// A load into LDS, the same for all lanes except for where it reads.
struct LdsLoad {
  const Shape *loaded = nullptr; ///< An integer of 8, 16 or 32 bits, or a vector of dwords.
  const Shape *stored = nullptr; ///< The same, an integer extended to a dword.
  uint32_t target = 0;           ///< Byte offset of lane 0's place in LDS.
  uint32_t distance = 0;         ///< Bytes to be added to where it reads.
  AccessMode mode;
};
} // namespace

/// The number in operand \p operand, which is the same in all lanes; nothing with the machine
/// stopped.
static std::optional<uint64_t> readUniform(Machine &machine, const Inst &inst, unsigned operand) {
  std::optional<uint64_t> common;
  for (Lane *lane : machine.group()) {
    const Scalar &value = *lane->get(inst.operands[operand]);
    if (value.isPoison) {
      machine.stop(RunState::Undefined, "a load into LDS with a poison address");
      return std::nullopt;
    }
    uint64_t number = value.bits.getZExtValue();
    if (common && *common != number) {
      machine.stop(RunState::Divergent, "a load into different places of LDS");
      return std::nullopt;
    }
    common = number;
  }
  return common;
}

/// Reads the operands that all forms have: place in LDS and bytes, from \p first on, offset and
/// policy at the end. Nothing with the machine stopped.
static std::optional<LdsLoad> readLdsLoad(Machine &machine, const Inst &inst, unsigned first,
                                          unsigned offset) {
  auto target = readUniform(machine, inst, first);
  auto bytes = readUniform(machine, inst, first + 1);
  auto distance = readUniform(machine, inst, offset);
  auto policy = readUniform(machine, inst, offset + 1);
  if (!target || !bytes || !distance || !policy)
    return std::nullopt;
  if (!is_contained({1, 2, 4, 12, 16}, *bytes)) {
    machine.stop(RunState::Unsupported, "a load of " + Twine(*bytes) + " bytes into LDS");
    return std::nullopt;
  }
  LLVMContext &context = inst.ir->getContext();
  Type *dword = Type::getInt32Ty(context);
  Type *wide = *bytes > 4 ? FixedVectorType::get(dword, static_cast<unsigned>(*bytes / 4)) : dword;
  Type *narrow = *bytes < 4 ? Type::getIntNTy(context, 8 * static_cast<unsigned>(*bytes)) : wide;
  LdsLoad load;
  load.loaded = machine.program().shapes().get(narrow);
  load.stored = machine.program().shapes().get(wide);
  load.target = static_cast<uint32_t>(*target + *distance);
  load.distance = static_cast<uint32_t>(*distance);
  load.mode = instructionMode(static_cast<uint32_t>(*policy));
  return load;
}

/// Moves one lane's bytes from \p source to its place in LDS.
static void moveToLds(Machine &machine, Lane &lane, const LdsLoad &load, const Place &source) {
  SmallVector<Scalar, 4> values(load.loaded->elements.size());
  readPlace(machine, lane, source, *load.loaded, load.mode, values.data());
  for (Scalar &value : values)
    value.bits = value.bits.zext(32);
  Request request{3, load.stored->storeBytes, Align(4), true};
  auto own = static_cast<uint32_t>(lane.number * load.stored->storeBytes);
  Scalar target{APInt(32, load.target + own)};
  auto place = locate(machine, lane, target, request);
  if (!place)
    return;
  AccessMode mode;
  mode.isVolatile = load.mode.isVolatile;
  writePlace(machine, lane, *place, *load.stored, mode, values.data());
}

static Request sourceRequest(const LdsLoad &load, unsigned space) {
  uint64_t bytes = load.loaded->storeBytes;
  return {space, bytes, Align(std::min<uint64_t>(bytes, 4)), false};
}

/// load.to.lds, global.load.lds: pointer, place in LDS, bytes, offset, policy. The offset counts on
/// both sides; it is signed, except for a fat pointer.
static void runPointerLoad(Machine &machine, const Inst &inst) {
  auto load = readLdsLoad(machine, inst, 1, 3);
  if (!load)
    return;
  unsigned space = inst.ir->getOperand(0)->getType()->getPointerAddressSpace();
  bool isFat = space == 7 || space == 9;
  Request request = sourceRequest(*load, space);
  request.distance = isFat ? uint64_t(load->distance)
                           : static_cast<uint64_t>(int64_t(static_cast<int32_t>(load->distance)));
  for (Lane *lane : machine.group()) {
    auto place = locate(machine, *lane, *lane->get(inst.operands[0]), request);
    if (!place)
      return;
    moveToLds(machine, *lane, *load, *place);
  }
}

/// raw and struct buffer.load.lds: resource, place in LDS, bytes, [index], offset, scalar offset,
/// instruction's offset, policy.
template <bool isIndexed> static void runBufferLoad(Machine &machine, const Inst &inst) {
  constexpr unsigned FirstOffset = 3, Offsets = isIndexed ? 3 : 2;
  auto load = readLdsLoad(machine, inst, 1, FirstOffset + Offsets);
  if (!load)
    return;
  Request request = sourceRequest(*load, 8);
  for (Lane *lane : machine.group()) {
    auto source = readBufferPlace(machine, *lane, inst, 0, FirstOffset, isIndexed);
    if (!source)
      return;
    source->index.offset += load->distance;
    Place place = machine.spaces().locateBuffer(machine, source->resource, source->index, request);
    if (machine.isStopped())
      return;
    moveToLds(machine, *lane, *load, place);
  }
}

ArrayRef<IntrinsicRow> ldsLoadIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::amdgcn_load_to_lds, runPointerLoad},
      {Intrinsic::amdgcn_global_load_lds, runPointerLoad},
      {Intrinsic::amdgcn_raw_ptr_buffer_load_lds, runBufferLoad<false>},
      {Intrinsic::amdgcn_raw_buffer_load_lds, runBufferLoad<false>},
      {Intrinsic::amdgcn_struct_ptr_buffer_load_lds, runBufferLoad<true>},
      {Intrinsic::amdgcn_struct_buffer_load_lds, runBufferLoad<true>},
  };
  return Rows;
}

} // namespace assay::ir
