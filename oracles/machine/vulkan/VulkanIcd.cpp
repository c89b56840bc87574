// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/VulkanIcd.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;
using namespace assay;

// Where the Vulkan loader looks by default (LoaderDriverInterface.md, "Driver Discovery on Linux").
static constexpr const char *folders[] = {"/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
                                          "/usr/share/vulkan/icd.d"};

std::vector<VulkanIcd> assay::findVulkanIcds() {
  std::vector<VulkanIcd> found;
  for (const char *folder : folders) {
    std::error_code code;
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code)) {
      StringRef file = sys::path::filename(it->path());
      auto [name, rest] = file.split("_icd");
      if (file.ends_with(".json") && rest.starts_with("."))
        found.push_back({name.str(), it->path()});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const VulkanIcd &a, const VulkanIcd &b) { return a.path < b.path; });
  return found;
}

std::string assay::findVulkanIcd(StringRef name) {
  for (const VulkanIcd &icd : findVulkanIcds())
    if (icd.name == name)
      return icd.path;
  return "";
}
