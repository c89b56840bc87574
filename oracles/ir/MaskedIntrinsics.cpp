// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masked loads and stores, gathers and scatters: an access for each element that the mask has. An
// access of which some elements are inside of a buffer and some outside counts as partly outside,
// for it may be done as a whole.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Handlers.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

/// How the elements of a masked access are in memory.
enum class Layout {
  Contiguous, ///< Element i at the pointer and i elements more.
  Packed,     ///< The n-th enabled element at the pointer and n elements more.
  Pointers    ///< Each at its own pointer.
};

/// Where the elements of one access are.
class MaskedAccess {
public:
  MaskedAccess(Machine &machine, const Inst &inst, Layout layout, unsigned pointerOperand,
               const Shape &shape, bool isWrite);
  /// The places of the enabled elements; nothing for the others. False: the machine has stopped.
  bool locateAll(Lane &lane, std::vector<std::optional<Place>> &places);
  const Shape *elementShape() const { return m_element; }

private:
  /// The pointer to an element; \p offset in bytes counts unless each has its own.
  Scalar pointerOf(const Scalar *pointers, unsigned element, uint64_t offset) const;

  Machine &m_machine;
  const Inst &m_inst;
  Layout m_layout;
  unsigned m_pointerOperand;
  const Shape *m_element = nullptr; ///< Of one element.
  unsigned m_count;
  unsigned m_indexBits;
  Align m_align;
  Request m_request; ///< Of one element.
};

} // namespace

MaskedAccess::MaskedAccess(Machine &machine, const Inst &inst, Layout layout,
                           unsigned pointerOperand, const Shape &shape, bool isWrite)
    : m_machine(machine), m_inst(inst), m_layout(layout), m_pointerOperand(pointerOperand),
      m_count(shape.elements.size()) {
  const auto &call = *cast<CallBase>(inst.ir);
  unsigned space =
      call.getArgOperand(pointerOperand)->getType()->getScalarType()->getPointerAddressSpace();
  m_element = machine.program().shapes().get(shape.elements.front().type);
  m_indexBits = machine.layout().getIndexSizeInBits(space);
  m_align = call.getParamAlign(pointerOperand).valueOrOne();
  m_request = {space, m_element->storeBytes, m_align, isWrite};
  if (shape.elements.front().bits % 8)
    machine.stop(RunState::Unsupported, "a masked access to elements that are not whole bytes");
}

Scalar MaskedAccess::pointerOf(const Scalar *pointers, unsigned element, uint64_t offset) const {
  if (m_layout == Layout::Pointers)
    return pointers[element];
  Scalar result = *pointers;
  APInt low = result.bits.trunc(m_indexBits) + offset;
  result.bits.insertBits(low, 0);
  return result;
}

bool MaskedAccess::locateAll(Lane &lane, std::vector<std::optional<Place>> &places) {
  const Scalar *pointers = lane.get(m_inst.operands[m_pointerOperand]);
  const Scalar *mask = lane.get(m_inst.operands[m_pointerOperand + 1]);
  places.assign(m_count, std::nullopt);
  unsigned enabled = 0, inside = 0;
  for (unsigned i = 0; i < m_count; ++i) {
    if (mask[i].isPoison) {
      m_machine.stop(RunState::Undefined, "a masked access with a poison mask");
      return false;
    }
    if (mask[i].bits.isZero())
      continue;
    uint64_t offset = m_element->storeBytes * (m_layout == Layout::Packed ? enabled : i);
    m_request.align = m_layout == Layout::Pointers ? m_align : commonAlignment(m_align, offset);
    places[i] = locate(m_machine, lane, pointerOf(pointers, i, offset), m_request);
    if (!places[i])
      return false;
    ++enabled;
    inside += places[i]->data != nullptr;
  }
  if (m_layout != Layout::Pointers && inside != 0 && inside != enabled)
    m_machine.stop(RunState::PartialBounds, "a masked access partly outside of its buffer");
  return !m_machine.isStopped();
}

/// masked.load, masked.gather, masked.expandload: operand 2 has the values of disabled elements.
template <Layout layout> static void runRead(Machine &machine, const Inst &inst) {
  MaskedAccess access(machine, inst, layout, 0, *inst.shape, false);
  std::vector<std::optional<Place>> places;
  AccessMode mode;
  mode.isInvariant = inst.flags & IsInvariant;
  for (Lane *lane : machine.group()) {
    if (machine.isStopped() || !access.locateAll(*lane, places))
      return;
    const Scalar *otherwise = lane->get(inst.operands[2]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i) {
      if (places[i])
        readPlace(machine, *lane, *places[i], *access.elementShape(), mode, result + i);
      else
        result[i] = otherwise[i];
    }
  }
}

/// masked.store, masked.scatter, masked.compressstore: operand 0 is the vector.
template <Layout layout> static void runWrite(Machine &machine, const Inst &inst) {
  MaskedAccess access(machine, inst, layout, 1, *inst.source, true);
  std::vector<std::optional<Place>> places;
  for (Lane *lane : machine.group()) {
    if (machine.isStopped() || !access.locateAll(*lane, places))
      return;
    const Scalar *values = lane->get(inst.operands[0]);
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i])
        writePlace(machine, *lane, *places[i], *access.elementShape(), {}, values + i, i);
  }
}

ArrayRef<IntrinsicRow> maskedIntrinsics() {
  static constexpr IntrinsicRow Rows[] = {
      {Intrinsic::masked_load, runRead<Layout::Contiguous>},
      {Intrinsic::masked_gather, runRead<Layout::Pointers>},
      {Intrinsic::masked_expandload, runRead<Layout::Packed>},
      {Intrinsic::masked_store, runWrite<Layout::Contiguous>},
      {Intrinsic::masked_scatter, runWrite<Layout::Pointers>},
      {Intrinsic::masked_compressstore, runWrite<Layout::Packed>},
  };
  return Rows;
}

} // namespace assay::ir
