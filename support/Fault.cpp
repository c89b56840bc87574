// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Fault.h"

#include "support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

using namespace llvm;
using namespace assay;

namespace {
struct Row {
  StringRef name;
  StringRef help;
};
} // namespace

static constexpr std::array catalogue = {
#define FAULT(ENUMERATOR, NAME, HELP) Row{NAME, HELP},
#include "support/Faults.def"
};

Error assay::verifyFault(StringRef name) {
  if (!faultsCompiledIn())
    return unsupported("fault '" + name +
                       "': this build has no planted faults (ASSAY_FAULTS is off)");
  for (const Row &row : catalogue)
    if (row.name == name)
      return Error::success();
  return invalidInput("no fault is called '" + name + "'");
}

#ifdef ASSAY_FAULTS
static std::array<bool, catalogue.size()> planted = {};

bool assay::faultPlanted(Fault fault) {
  return planted[static_cast<size_t>(fault)];
}

Error assay::plantFault(StringRef name) {
  for (size_t i = 0; i < catalogue.size(); ++i) {
    if (catalogue[i].name != name)
      continue;
    planted[i] = true;
    return Error::success();
  }
  return invalidInput("no fault is called '" + name + "'");
}
#else
Error assay::plantFault(StringRef name) {
  return unsupported("fault '" + name +
                     "': this build has no planted faults (ASSAY_FAULTS is off)");
}
#endif

void assay::printFaults(raw_ostream &os) {
  for (const Row &row : catalogue)
    os << row.name << ": " << row.help << "\n";
}
