// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions taken out of other programs: that depend on nothing but their arguments, and may be
// called from anywhere with any.
#pragma once

#include "fuzz/program/Program.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace assay::fuzz {

/// A valid module with an empty entry point and all that \p function of \p donor needs; the
/// function is its last. None where that touches memory that is not its own, other invocations, or
/// needs what not every case can have.
std::optional<Program> extractFunction(const Program &donor, Id function);

/// Such a module as text of a step, and back; none for text that is no such module.
std::string printDonor(const Program &extracted);
std::optional<Program> parseDonor(llvm::StringRef text);

/// The device feature that a donor's \p capability asks for as Amber spells it, empty where it asks
/// for none; none where donors may not need that capability.
std::optional<llvm::StringRef> donorFeature(spv::Capability capability);

} // namespace assay::fuzz
