// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The MANIFEST of a corpus: where each of its files comes from, and what it is for. Lines of
// "file | origin | licence | what it is for", and comments.
#pragma once

#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace assay {

/// The fields of a line, apart from the file's name.
struct ManifestEntry {
  std::string origin, licence, purpose;
  std::string comments = {}; ///< The lines right above it, which go where it goes.
};

/// Entries by the file's name, which is also their order when written.
struct Manifest {
  std::string comments; ///< The lines above the first entry.
  std::string closing;  ///< Those after the last one.
  std::map<std::string, ManifestEntry> entries;
};

/// InvalidInput with the number of a line that is none of these, or names a file again. No file at
/// \p path is an empty manifest.
llvm::Expected<Manifest> readManifest(llvm::StringRef path);
/// InvalidInput for an entry that would not read back: empty, or with a line break or '|' in it.
llvm::Error verifyEntry(llvm::StringRef file, const ManifestEntry &entry);
/// The same for each entry.
llvm::Error writeManifest(llvm::StringRef path, const Manifest &manifest);

} // namespace assay
