// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of a bundle that people read.
#pragma once

#include "harness/reduce/Bundle.h"

namespace assay {

/// Everything that the texts are about.
struct BundleFacts {
  const BundleInput *input = nullptr;
  Verdict verdict;
  std::vector<std::string> assembly; ///< Of the modules, one a pipeline.
  bool hasCode = false;              ///< There is an ELF.
};

/// At most about 150 lines; the shader is in it where it has at most 80.
std::string printReadme(const BundleFacts &facts);
/// State, reason, findings with their evidence; addresses of this process, and how
/// much memory it had, left out.
std::string printLog(const Verdict &verdict);
/// Schema assay.provenance/1.
std::string printProvenance(const BundleInput &input);
/// A POSIX shell script.
std::string printCommands(const Predicate &predicate);

} // namespace assay
