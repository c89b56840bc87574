// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sanitizers of the gcn machine as `assay doctor --sanitizers` prints them.
#pragma once

#include <string>

namespace assay {

/// A line a rule: id, title, explanation; below a hazard, its chips and sources.
std::string printSanitizersAsText();
/// Schema assay.sanitizers/1: rules with id, title, explanation and, of hazards, rows.
std::string printSanitizersAsJson();

/// Why `--skip-rule ID` is a usage error; empty where it is none. Rules of findings that end the
/// run cannot be skipped.
std::string whyNotSkippable(const std::string &id);

} // namespace assay
