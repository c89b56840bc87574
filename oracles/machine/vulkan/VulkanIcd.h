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

/// All manifests, sorted by path: those that VK_DRIVER_FILES names (files and folders, separated by
/// colons), or, when it is not set, those in the loader's system folders. `radeon_icd.x86_64.json`
/// and `radeon_icd.json` both are "radeon".
std::vector<VulkanIcd> findVulkanIcds();

/// The manifest of \p name, or an empty string.
std::string findVulkanIcd(llvm::StringRef name);

/// The value of VK_DRIVER_FILES (or of its older name, VK_ICD_FILENAMES) when this process first
/// looked for drivers: creating a device changes both. Empty when neither was set.
const std::string &selectedVulkanFiles();

/// Why findVulkanIcd(\p name) returned an empty string, and what to do.
std::string missingVulkanIcd(llvm::StringRef name);

} // namespace assay
