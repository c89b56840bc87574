// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of the scalar and vector ALU formats.
#include "oracles/machine/gcn_isa/Codec.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

ArrayRef<IsaRow> gcn::scalarRows() {
  return {};
}
ArrayRef<IsaRow> gcn::vectorRows() {
  return {};
}
ArrayRef<FormatLayout> gcn::aluLayouts() {
  return {};
}
ArrayRef<SlotKind> gcn::aluSlotKinds() {
  return {};
}
ArrayRef<SlotKind> gcn::modifierSlotKinds() {
  return {};
}
bool gcn::isAluFormat(Format format) {
  return format < Format::Smem;
}
std::optional<unsigned> gcn::opcodeIn(const IsaRow &row, unsigned opcode,
                                      const FormatLayout &layout, Chip) {
  if (row.format == layout.format)
    return opcode;
  return std::nullopt;
}
void gcn::finishAluForm(InstForm &, Chip) {}
