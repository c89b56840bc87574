// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as instructions: what decodes is inside, prints, and encodes to itself.
#include "fuzz/code/RoundTrip.h"
#include "fuzz/targets/Target.h"

using namespace llvm;
using namespace assay;

/// The first byte chooses the chip, its highest bit waves of 32 lanes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  auto chip = gcn::Chip((data[0] & 0x7f) % gcn::ChipCount);
  unsigned waveSize = data[0] & 0x80 && chip != gcn::Chip::Gfx900 ? 32 : 64;
  return fuzz::settle(fuzz::checkRoundTrip(chip, waveSize, ArrayRef(data, size).drop_front()));
}
