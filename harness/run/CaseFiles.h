// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what is named on a command line to the cases that are meant.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileUtilities.h"
#include <memory>
#include <string>
#include <vector>

namespace assay {

struct CaseFile {
  std::string path;
  std::string id; ///< Path below the folder that was named; for a file that was named, its name.
  /// Keeps the copy of the standard input, whose path this is, as long as somebody uses it.
  std::shared_ptr<llvm::FileRemover> copy = nullptr;
  std::string spirvEnv = ""; ///< Job::spirvEnv.
};

/// The id of the case that stands on the standard input; no other has it.
constexpr llvm::StringLiteral standardInputId = "-";

/// Copies the standard input to a temporary file. Limit, or Environment when that fails.
llvm::Expected<CaseFile> copyStandardInput();

/// All cases in \p inputs: files as they are, "-" for the standard input, folders searched for
/// files whose extension is one of a case, in the order of their names. A file that is named twice
/// is one case. Ids are unique: cases that would share one are called by their paths. InvalidInput
/// for an input that does not exist and for a folder without a case. All get \p spirvEnv.
llvm::Expected<std::vector<CaseFile>> findCases(llvm::ArrayRef<std::string> inputs,
                                                llvm::StringRef spirvEnv = "");

/// True when \p name - of --plant FAULT@NAME - means case \p id: its id, or the id or the file name
/// without extension.
bool matchesCase(llvm::StringRef id, llvm::StringRef name);

} // namespace assay
