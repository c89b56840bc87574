// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted faults: the one mechanism by which tests make Assay misbehave on purpose, to see that the
// rest notices. Compiled in only by -DASSAY_FAULTS=ON (dev, asan, fuzz); a release has none.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace assay {

/// The catalogue is Faults.def: an enumerator, its command-line name, and what it does.
enum class Fault {
#define FAULT(ENUMERATOR, NAME, HELP) ENUMERATOR,
#include "support/Faults.def"
};

/// True when this build can plant faults at all.
constexpr bool faultsCompiledIn() {
#ifdef ASSAY_FAULTS
  return true;
#else
  return false;
#endif
}

#ifdef ASSAY_FAULTS
/// True when \p fault was planted in this process.
bool faultPlanted(Fault fault);
#else
constexpr bool faultPlanted(Fault) {
  return false;
}
#endif

/// Plants the fault called \p name for the rest of this process. InvalidInput for an unknown name;
/// Unsupported in a build without faults.
llvm::Error plantFault(llvm::StringRef name);

/// InvalidInput for a name that is not in the catalogue; Unsupported in a build without faults.
llvm::Error verifyFault(llvm::StringRef name);

/// One line per fault of the catalogue.
void printFaults(llvm::raw_ostream &os);

} // namespace assay
