// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/HazardFacts.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// By Hazard.
static constexpr HazardFact facts[] = {
#define HAZARD_FACT(NAME, ...) {__VA_ARGS__},
#include "oracles/machine/gcn_isa/HazardFacts.def"
};

const HazardFact &gcn::hazardFact(Hazard hazard) {
  return facts[size_t(hazard)];
}

/// "gfx1030" is 103: the last digit does not count. 0 for other names.
ChipNumber gcn::chipNumber(StringRef name) {
  unsigned number;
  if (!name.consume_front("gfx") || name.size() < 3 || name.drop_back(1).getAsInteger(10, number) ||
      number > 255)
    return 0;
  return static_cast<ChipNumber>(number);
}

/// Wait states that an instruction takes; only s_nop takes more than one.
unsigned gcn::waitStates(const Inst &inst) {
  return inst.mnemonic == "s_nop" ? (inst.simm16() & 15) + 1u : 1;
}
