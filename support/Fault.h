// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted faults: the one mechanism by which tests make Assay misbehave on purpose, to see that the
// rest notices. Compiled in only by -DASSAY_FAULTS=ON (dev, asan, fuzz); a release has none.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace assay {

/// The catalogue is Faults.def: an enumerator, its command-line name, layer, place, what it does.
enum class Fault {
#define FAULT(ENUMERATOR, NAME, LAYER, PLACE, HELP) ENUMERATOR,
#include "support/Faults.def"
};

/// What of Assay, or of what Assay makes, a fault is in.
enum class FaultLayer : uint8_t {
  Process,     ///< How a worker ends.
  FrontEnd,    ///< SPIR-V to IR.
  MiddleEnd,   ///< A pass, except for the next.
  FatPointer,  ///< lower-buffer-fat-pointers.
  Metadata,    ///< PAL metadata.
  Elf,         ///< The ELF around code and metadata.
  Instruction, ///< One machine instruction.
  Wait,        ///< Waits of the machine code.
  Reference,   ///< The machine that says what a case means.
  Oracle,      ///< What judges.
  Laboratory,  ///< What no case shows: other checks do (docs/score.md).
};

/// A row of the catalogue.
struct FaultInfo {
  llvm::StringRef name;
  FaultLayer layer;
  llvm::StringRef place; ///< The phase that holds it, as Faults.def says.
  llvm::StringRef help;
};

/// The catalogue, in the order of Fault.
llvm::ArrayRef<FaultInfo> listFaults();
const FaultInfo &faultInfo(Fault fault);

/// "front-end".
llvm::StringRef faultLayerName(FaultLayer layer);
/// All of them, in the order of FaultLayer.
llvm::ArrayRef<llvm::StringLiteral> faultLayerNames();

/// True when this build can plant faults at all.
constexpr bool faultsCompiledIn() {
#ifdef ASSAY_FAULTS
  return true;
#else
  return false;
#endif
}

#ifdef ASSAY_FAULTS
/// True when \p fault was planted in this process. To be asked where nothing else keeps the fault
/// from making a difference, so that reachedFaults() means something.
bool faultPlanted(Fault fault);
#else
constexpr bool faultPlanted(Fault) {
  return false;
}
#endif

/// Plants the fault called \p name for the rest of this process. InvalidInput for an unknown name;
/// Unsupported in a build without faults.
llvm::Error plantFault(llvm::StringRef name);

/// The names of those that faultPlanted() was asked for in this process: nothing else can make a
/// difference to what it did.
std::vector<llvm::StringRef> reachedFaults();

/// InvalidInput for a name that is not in the catalogue; Unsupported in a build without faults.
llvm::Error verifyFault(llvm::StringRef name);

/// One line per fault of the catalogue.
void printFaults(llvm::raw_ostream &os);

} // namespace assay
