// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How generated cases look: sizes, and how often each construct is taken.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace assay::fuzz {

/// Limits and weights of one kind of case.
struct Profile {
  std::string name = "default";
  /// Of the entry point's outermost block, about: at most, and at least. A case draws four times
  /// and takes the least: far more are small than large, and some of any size.
  unsigned statements = 40;
  unsigned leastStatements = 40;
  unsigned depth = 4;            ///< Of nested control flow.
  unsigned functions = 3;        ///< Besides the entry point, at most.
  unsigned invocations = 64;     ///< Of a workgroup, at most.
  unsigned workgroups = 3;       ///< At most.
  uint64_t instructions = 4'000; ///< Executed by one invocation, at most, about.
  /// By construct (Constructs.def); what is not here has the weight of its row, 0 bars it. A
  /// campaign raises what its coverage lacks.
  std::map<std::string, unsigned> weights = {};
};

/// InvalidInput, with the names there are, for an unknown one. "default" is a good mix; the others
/// stress one area each.
llvm::Expected<Profile> findProfile(llvm::StringRef name);
/// In the order of profileInTurn().
llvm::ArrayRef<llvm::StringRef> profileNames();
/// All profiles, one after the other.
Profile profileInTurn(uint64_t number);

} // namespace assay::fuzz
