// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of Assay's surroundings this machine has.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// A program, driver or library, and whether it was found.
struct InstalledPart {
  std::string name;
  std::string found; ///< Version or path; empty when it is missing.
  std::string costs; ///< What can't be done without it.
  bool required = false;
};

/// All parts, required ones first.
std::vector<InstalledPart> findInstalledParts();

/// The version in the package data of Mesa's Vulkan drivers, or "not installed". Where
/// VK_DRIVER_FILES selects other drivers: its value.
std::string findMesaVersion();

} // namespace assay
