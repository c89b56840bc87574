// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads `ar` archives (System V and BSD names), safely on hostile bytes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

struct ArchiveEntry {
  std::string name;
  uint64_t offset = 0; ///< Of its bytes, in the archive.
  llvm::ArrayRef<uint8_t> bytes;
};

/// True for the eight bytes "!<arch>\n".
bool isArchive(llvm::ArrayRef<uint8_t> bytes);

/// The members without the symbol and name tables. InvalidInput for a broken archive.
llvm::Expected<std::vector<ArchiveEntry>> readArchive(llvm::ArrayRef<uint8_t> bytes);

} // namespace assay
