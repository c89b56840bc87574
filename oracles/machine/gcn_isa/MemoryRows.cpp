// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows, layouts and slots of the formats that address memory, images and exports.
#include "oracles/machine/gcn_isa/Codec.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

ArrayRef<IsaRow> gcn::memoryRows() {
  return {};
}

ArrayRef<FormatLayout> gcn::memoryLayouts() {
  return {};
}

ArrayRef<SlotKind> gcn::memorySlotKinds() {
  return {};
}

void gcn::finishMemoryForm(InstForm &form, Chip) {
  form.slots = parseSlots(form.row->signature);
}
