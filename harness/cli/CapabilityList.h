// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The capability table as `assay doctor --capabilities` prints it.
#pragma once

#include <string>

namespace assay {

/// A line a row: name, device feature, and what of Assay has it.
std::string printCapabilitiesAsText();
/// Schema assay.capabilities/1: rows of kind, name, feature, compiler, reference.
std::string printCapabilitiesAsJson();

} // namespace assay
