// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what is named on a command line to the cases that are meant.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

struct CaseFile {
  std::string path;
  std::string id; ///< Path below the folder that was named; for a file that was named, its name.
};

/// All cases in \p inputs: files as they are, folders searched for files whose extension is one of
/// a case, in the order of their names. Two cases with one id are both called by their paths.
/// InvalidInput for an input that does not exist and for a folder without a case.
llvm::Expected<std::vector<CaseFile>> findCases(llvm::ArrayRef<std::string> inputs);

/// True when \p name - of --plant FAULT@NAME - means case \p id: its id, or the id or the file name
/// without extension.
bool matchesCase(llvm::StringRef id, llvm::StringRef name);

} // namespace assay
