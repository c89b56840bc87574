// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Fault.h"

#include "support/Error.h"
#include "support/Ir3Fault.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <atomic>

using namespace llvm;
using namespace assay;

static constexpr FaultInfo catalogue[] = {
#define FAULT(ENUMERATOR, NAME, LAYER, PLACE, HELP) {NAME, FaultLayer::LAYER, PLACE, HELP},
#include "support/Faults.def"
#define FAULT(ENUMERATOR, NAME, LAYER, PLACE, HELP) {NAME, FaultLayer::LAYER, PLACE, HELP},
#include "support/Ir3Faults.def"
};

static constexpr StringLiteral layers[] = {"process",   "front-end", "middle-end",  "fat-pointer",
                                           "metadata",  "elf",       "instruction", "wait",
                                           "reference", "oracle",    "laboratory"};

ArrayRef<FaultInfo> assay::listFaults() {
  return catalogue;
}

const FaultInfo &assay::faultInfo(Fault fault) {
  return catalogue[static_cast<size_t>(fault)];
}

StringRef assay::faultLayerName(FaultLayer layer) {
  return layers[static_cast<size_t>(layer)];
}

ArrayRef<StringLiteral> assay::faultLayerNames() {
  return layers;
}

Error assay::verifyFault(StringRef name) {
  if (!faultsCompiledIn())
    return unsupported("fault '" + name +
                       "': this build has no planted faults (ASSAY_FAULTS is off)");
  for (const FaultInfo &row : catalogue)
    if (row.name == name)
      return Error::success();
  return invalidInput("no fault is called '" + name + "'");
}

#ifdef ASSAY_FAULTS
/// They are the last of the catalogue.
static constexpr size_t countIr3Faults() {
  size_t count = 0;
#define FAULT(ENUMERATOR, NAME, LAYER, PLACE, HELP) ++count;
#include "support/Ir3Faults.def"
  return count;
}

static std::array<bool, std::size(catalogue)> planted = {};
/// Threads of a machine may ask, too.
static std::array<std::atomic<bool>, std::size(catalogue)> reached = {};

/// Of number \p index of the catalogue.
static bool isPlanted(size_t index) {
  reached[index].store(true, std::memory_order_relaxed);
  return planted[index];
}

bool assay::faultPlanted(Fault fault) {
  return isPlanted(static_cast<size_t>(fault));
}

bool assay::faultPlanted(Ir3Fault fault) {
  constexpr size_t first = std::size(catalogue) - countIr3Faults();
  return isPlanted(first + static_cast<size_t>(fault));
}

Error assay::plantFault(StringRef name) {
  for (size_t i = 0; i < std::size(catalogue); ++i) {
    if (catalogue[i].name != name)
      continue;
    planted[i] = true;
    return Error::success();
  }
  return invalidInput("no fault is called '" + name + "'");
}

std::vector<StringRef> assay::reachedFaults() {
  std::vector<StringRef> names;
  for (size_t i = 0; i < std::size(catalogue); ++i)
    if (reached[i])
      names.push_back(catalogue[i].name);
  return names;
}
#else
Error assay::plantFault(StringRef name) {
  return unsupported("fault '" + name +
                     "': this build has no planted faults (ASSAY_FAULTS is off)");
}

std::vector<StringRef> assay::reachedFaults() {
  return {};
}
#endif

void assay::printFaults(raw_ostream &os) {
  for (const FaultInfo &row : catalogue)
    os << row.name << ": " << row.help << "\n";
}
