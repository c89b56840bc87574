// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that name a file to write: the same rule for all of them.
#pragma once

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

} // namespace assay
