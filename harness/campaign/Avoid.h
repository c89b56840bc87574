// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases without what triggers a known bug, so that a campaign finds others.
#pragma once

#include "fuzz/generate/Generator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

/// A bug as the generator avoids it.
struct AvoidedBug {
  std::string id;
  /// Opcodes ("OpUMod") and instructions of GLSL.std.450 ("UnpackSnorm2x16"): no case contains all
  /// of them; "A|B" is either. Empty: the trigger alone says what is avoided.
  std::vector<std::string> operations;
  std::string trigger; ///< A construct of the generator, which is left out; or empty.

  bool operator==(const AvoidedBug &) const = default;
};

/// InvalidInput for a bug that says nothing of what triggers it, or names what the generator does
/// not have.
llvm::Error verifyAvoidable(const AvoidedBug &bug);

/// Whether \p generated contains all operations of \p bug.
bool containsOperations(const fuzz::GeneratedCase &generated, const AvoidedBug &bug);

/// The first case of \p profile that contains the operations of none of \p bugs, of the seeds that
/// follow from \p seed; their triggers are left out of the profile. The same for the same arguments
/// everywhere. InvalidInput where hundreds of cases in a row contain them.
llvm::Expected<fuzz::GeneratedCase> generateWithout(uint64_t seed, fuzz::Profile profile,
                                                    llvm::ArrayRef<AvoidedBug> bugs);

} // namespace assay
