// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the Vulkan drivers that are installed, without knowing their files' names.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace assay {

/// One installable client driver: its manifest, and the driver's stem ("radeon", "lvp").
struct VulkanIcd {
  std::string name;
  std::string path;
};

/// All manifests in the loader's system folders, sorted by path. `radeon_icd.x86_64.json` and
/// `radeon_icd.json` both are "radeon".
std::vector<VulkanIcd> findVulkanIcds();

/// The manifest of \p name, or an empty string.
std::string findVulkanIcd(llvm::StringRef name);

} // namespace assay
