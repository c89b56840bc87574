// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that name a file or a folder to write: the same rules for all of them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's own name.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace assay {

/// Adds to \p verb an option \p names, which fills \p file. A file in a folder that does not exist
/// is a wrong command line, before anything runs: a typing mistake shall not make folders, and not
/// lose the result of hours. (Options that name folders make them.)
CLI::Option *addOutputFile(CLI::App &verb, const std::string &names, std::string &file,
                           const std::string &help);

/// Adds to \p verb an option \p names, which fills \p folder. A folder that does not exist is made
/// later; a file of that name is a wrong command line.
CLI::Option *addOutputFolder(CLI::App &verb, const std::string &names, std::string &folder,
                             const std::string &help);

/// The same as addOutputFile() for the file of an \p option that may lie in a folder which the verb
/// makes itself: to be asked when that is made. InvalidInput, or success.
llvm::Error verifyOutputFile(llvm::StringRef option, const std::string &file);

} // namespace assay
