// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/Arrays.h"

#include "compiler/ir3/select/Places.h"
#include "support/Ir3Fault.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// Mesa 25.0, ir3_nir.c: larger variables become scratch.
static constexpr uint64_t maxArrayBytes = 256;

/// False for booleans, and for aggregates with padding inside or at their end.
bool ir3::isPacked(const DataLayout &layout, llvm::Type *type) {
  return !type->getScalarType()->isIntegerTy(1) &&
         layout.getTypeStoreSize(type) == 4 * uint64_t(countScalars(type)) &&
         (!type->isAggregateType() ||
          layout.getTypeAllocSize(type) == 4 * uint64_t(countScalars(type)));
}

/// Whether all accesses through \p pointer are of dwords, and nothing else knows it.
static bool hasPlainUses(const Value &pointer, const DataLayout &layout) {
  return all_of(pointer.uses(), [&](const Use &use) {
    const User *user = use.getUser();
    if (const auto *load = dyn_cast<LoadInst>(user))
      return load->isSimple() && isPacked(layout, load->getType()) && load->getAlign() >= Align(4);
    if (const auto *store = dyn_cast<StoreInst>(user))
      return store->isSimple() && use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
             isPacked(layout, store->getValueOperand()->getType()) && store->getAlign() >= Align(4);
    if (isa<GetElementPtrInst>(user))
      return !user->getType()->isVectorTy() && hasPlainUses(*user, layout);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
    return intrinsic && intrinsic->isLifetimeStartOrEnd();
  });
}

/// Whether \p type has parts of which several share a dword. A store of one merges it with the rest
/// of its dword, which may be uninitialized: of registers, the sanitizer of machine adreno knows no
/// parts.
static bool hasNarrowParts(const DataLayout &layout, llvm::Type *type) {
  if (auto *structure = dyn_cast<StructType>(type))
    return any_of(structure->elements(),
                  [&](llvm::Type *each) { return hasNarrowParts(layout, each); });
  if (auto *array = dyn_cast<ArrayType>(type))
    return hasNarrowParts(layout, array->getElementType());
  return layout.getTypeStoreSize(type->getScalarType()) < 4;
}

/// Looks at all uses of the variable. A pointer that is stored, compared, or passed to a call keeps
/// it in memory.
std::optional<unsigned> ir3::findArraySize(const AllocaInst &variable) {
  const DataLayout &layout = variable.getDataLayout();
  std::optional<TypeSize> bytes = variable.getAllocationSize(layout);
  if (!bytes || *bytes > maxArrayBytes || *bytes % 4 != 0 ||
      hasNarrowParts(layout, variable.getAllocatedType()) || !hasPlainUses(variable, layout))
    return std::nullopt;
  return static_cast<unsigned>(*bytes / 4);
}

namespace {
/// Elements from \p first on, or from a0.x + \p first on.
struct ElementPlace {
  unsigned first = 0;                  ///< An element: a dword.
  ir3::Instruction *address = nullptr; ///< The writer of a0.x; null: none.
};
} // namespace

/// Nothing for elements outside of the array.
static std::optional<ElementPlace> findElements(Selector &selector, unsigned id,
                                                const Register &offset, size_t count) {
  unsigned size = selector.program().arrays[id].size;
  if (offset.isImmediate()) {
    uint64_t first = static_cast<uint32_t>(offset.value) / 4;
    if (first + count > size)
      return std::nullopt;
    return ElementPlace{static_cast<unsigned>(first)};
  }
  Register index = dwordIndex(selector, offset);
  ElementPlace place;
  bool isSum =
      index.isSsa() && index.def->opcode == Opcode::AddU && index.def->registers[2].isImmediate();
  int32_t added = isSum ? index.def->registers[2].value : 0;
  if (added > 0 && added + count <= size) {
    place.first = faultPlanted(Ir3Fault::ArrayOffset) ? 0 : static_cast<unsigned>(added);
    index = index.def->registers[1];
  }
  ir3::Instruction *narrow = selector.builder().move(index, U32, U16);
  place.address = selector.builder().moveAddress(narrow->value());
  return place;
}

/// One move for each dword, all with the same a0.x where the offset is a variable.
Scalars ir3::loadArray(Selector &selector, unsigned id, const Register &offset, unsigned count) {
  Scalars result(count, Register::undefined());
  std::optional<ElementPlace> place = findElements(selector, id, offset, count);
  for (unsigned i = 0; place && i < count; ++i)
    result[i] = selector.builder().loadArray(id, place->first + i, place->address)->value();
  return result;
}

/// A store that is known to be outside of the array is left out.
void ir3::storeArray(Selector &selector, unsigned id, const Register &offset,
                     ArrayRef<Register> values) {
  std::optional<ElementPlace> place = findElements(selector, id, offset, values.size());
  for (unsigned i = 0; place && i < values.size(); ++i)
    selector.builder().storeArray(id, place->first + i, place->address, values[i]);
}
