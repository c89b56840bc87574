// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The specialization constants of a shader in LLPC's .pipe files: bytes, and which of them are
// whose.
#pragma once

#include "compiler/api/Pipeline.h"
#include "oracles/input/Literals.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <vector>

namespace assay::input {

class PipeSpecialization {
public:
  /// A setting "specConst.KEY = VALUE": mapEntry[i].constantID, .offset, .size, or typed data.
  llvm::Error read(llvm::StringRef key, llvm::StringRef value);
  /// InvalidInput for an entry without an id, outside the data, or twice.
  llvm::Expected<std::vector<SpecializationValue>> finish() const;

private:
  /// One mapEntry[i]: offset and size in bytes of the data, by default 0 and 4.
  struct Entry {
    std::optional<uint64_t> id, offset, size;
  };
  llvm::Error readData(ScalarKind kind, llvm::StringRef values);

  std::map<uint64_t, Entry> m_entries;
  std::vector<uint8_t> m_data; ///< All typed data, one after another.
};

} // namespace assay::input
