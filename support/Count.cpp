// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Count.h"

using namespace llvm;
using namespace assay;

std::string assay::countOf(uint64_t number, StringRef one, StringRef several) {
  std::string noun = number == 1 ? one.str() : several.empty() ? one.str() + "s" : several.str();
  return std::to_string(number) + " " + noun;
}
