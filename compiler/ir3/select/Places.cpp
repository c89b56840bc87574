// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/Places.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// The largest number that the field of a slot holds.
static constexpr uint32_t maxSlot = 255;

/// A buffer of a4xx. Nothing after Selector::fail().
static std::optional<BoundPlace> findSlot(Selector &selector, const llvm::Instruction &inst,
                                          const BindingPlace &binding,
                                          const BindingElement &element) {
  const auto *index = dyn_cast<ConstantInt>(element.index);
  if (!index) {
    selector.fail(inst, "one of several buffers on a chip whose instructions name it by a number");
    return std::nullopt;
  }
  uint64_t slot = binding.first + index->getZExtValue();
  if (slot >= Compiler::SlotCount) {
    selector.fail(inst, "more than " + Twine(Compiler::SlotCount) + " buffers, which the chip has");
    return std::nullopt;
  }
  BoundPlace place;
  place.slot = Selector::number(static_cast<uint32_t>(slot));
  return place;
}

/// A constant index above what the slot field holds goes to a register that is uniform; a variable
/// one is taken to differ between fibers.
std::optional<BoundPlace> ir3::findPlace(Selector &selector, const llvm::Instruction &inst,
                                         const BindingElement &element) {
  const auto &bindings = selector.interface().bindings;
  auto binding = find_if(bindings, [&](const BindingPlace &each) {
    return each.set == element.set && each.binding == element.binding;
  });
  constexpr uint64_t maxSet = 7;
  if (binding == bindings.end() || element.set > maxSet) {
    selector.fail(inst, "a binding that is not in the layout, or a set above 7");
    return std::nullopt;
  }
  if (selector.program().compiler().hasSlots())
    return findSlot(selector, inst, *binding, element);
  // A combined image sampler is two descriptors.
  uint32_t stride = binding->descriptors();
  uint32_t first = binding->first + (element.part == DescriptorPart::Sampler ? stride - 1 : 0);
  BoundPlace place;
  place.set = static_cast<uint32_t>(element.set);
  if (const auto *index = dyn_cast<ConstantInt>(element.index)) {
    place.slot = Selector::number(first + stride * static_cast<uint32_t>(index->getZExtValue()));
    if (static_cast<uint32_t>(place.slot.value) > maxSlot) {
      place.slot = selector.builder().move(place.slot)->value();
      place.mode = SlotUniform;
    }
    return place;
  }
  place.mode = SlotNonuniform;
  Register index = selector.getOne(element.index);
  if (stride > 1)
    index = selector.emit(Opcode::ShlB, {index, Selector::number(1)});
  place.slot = selector.emit(Opcode::AddU, {index, Selector::number(first)});
  return place;
}

/// The op that \p pointer begins with and the offset in bytes; null where there is none.
static const DescriptorPtrOp *findAddress(const Value *pointer, int64_t &offset) {
  offset = 0;
  while (const auto *address = dyn_cast<GEPOperator>(pointer)) {
    APInt bytes(64, 0);
    const auto *inst = dyn_cast<llvm::Instruction>(pointer);
    if (!inst || !address->accumulateConstantOffset(inst->getDataLayout(), bytes))
      return nullptr;
    offset += bytes.getSExtValue();
    pointer = address->getPointerOperand();
  }
  return dyn_cast<DescriptorPtrOp>(pointer);
}

/// Sees through addresses with constant offsets. A descriptor array with a variable index is an
/// operand of the op, not an offset.
bool ir3::isDescriptorAddress(const Value *pointer) {
  int64_t offset = 0;
  return findAddress(pointer, offset);
}

/// Looks through extracts of a combined image sampler. A load at the offset of the sampler in it
/// names the sampler.
std::optional<BoundPlace> ir3::findDescriptor(Selector &selector, const llvm::Instruction &inst,
                                              const Value *descriptor) {
  if (selector.program().compiler().hasSlots()) {
    selector.fail(inst, "an image or a texel buffer on a chip of a4xx");
    return std::nullopt;
  }
  while (const auto *extract = dyn_cast<ExtractValueInst>(descriptor)) {
    const Value *inserted = FindInsertedValue(const_cast<Value *>(extract->getAggregateOperand()),
                                              extract->getIndices());
    if (!inserted || inserted == descriptor)
      break;
    descriptor = inserted;
  }
  const auto *load = dyn_cast<LoadInst>(descriptor);
  int64_t offset = 0;
  const DescriptorPtrOp *op = load ? findAddress(load->getPointerOperand(), offset) : nullptr;
  if (!op || (offset && offset != combinedSamplerOffset)) {
    selector.fail(inst, "a descriptor that is one of several");
    return std::nullopt;
  }
  auto part = static_cast<DescriptorPart>(op->getPart());
  if (offset)
    part = DescriptorPart::Sampler;
  return findPlace(selector, inst, {op->getSet(), op->getBinding(), op->getArrayIndex(), part});
}

/// The type is U32 afterwards; callers that need another one set it later.
void ir3::applyPlace(ir3::Instruction *access, const BoundPlace &place) {
  access->fields.bindless = 1;
  access->fields.base = static_cast<int32_t>(place.set);
  access->fields.mode = place.mode;
  access->fields.type = U32;
}
