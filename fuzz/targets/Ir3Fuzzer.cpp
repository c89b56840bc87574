// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as ir3 instructions or as a text of them: what decodes prints, and what it prints
// assembles again.
#include "fuzz/code/Ir3RoundTrip.h"
#include "fuzz/targets/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// The first byte chooses the chip, its highest bit text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  auto chip = adreno::Chip((data[0] & 0x7f) % adreno::ChipCount);
  ArrayRef<uint8_t> rest = ArrayRef(data, size).drop_front();
  if (data[0] & 0x80)
    return fuzz::settle(fuzz::checkIr3Text(chip, toStringRef(rest)));
  return fuzz::settle(fuzz::checkIr3Words(chip, rest));
}
