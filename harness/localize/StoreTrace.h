// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction wrote a byte last, and where its operands came from: read from the text that
// machine gcn's trace is (oracles/machine/gcn/Trace.h).
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The store that last wrote a byte, and what computed its operands.
struct StoreOrigin {
  std::string place; ///< "group 0,0,0 wave 0 lane 3".
  std::string store; ///< "pc 0x58: buffer_store_b32 v2, v0, s[8:11], 0 offen".
  /// The instructions that its operands depend on, in the order in which they ran, the store not
  /// among them: each was the last before its user to name the register first.
  std::vector<std::string> slice;
};

/// The last write in \p trace that has the byte at \p address; nothing where there is none. Threads
/// must not have been used.
std::optional<StoreOrigin> findStore(llvm::StringRef trace, uint64_t address);

} // namespace assay
