// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/VulkanIcd.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstdlib>

using namespace llvm;
using namespace assay;

/// Where the Vulkan loader looks by default (LoaderDriverInterface.md, "Driver Discovery on
/// Linux").
static constexpr const char *folders[] = {"/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
                                          "/usr/share/vulkan/icd.d"};

/// `lvp_icd.json` and `lvp_icd.x86_64.json`: "lvp". Empty for a file that is no manifest.
static StringRef driverName(StringRef path) {
  StringRef file = sys::path::filename(path);
  auto [name, rest] = file.split("_icd");
  return file.ends_with(".json") && rest.starts_with(".") ? name : "";
}

/// Adds \p path unless its name is not that of a manifest. The file is not opened.
static void addFile(const std::string &path, std::vector<VulkanIcd> &found) {
  if (StringRef name = driverName(path); !name.empty())
    found.push_back({name.str(), path});
}

/// Adds the manifests directly in \p folder. A folder that cannot be read has none.
static void addFolder(const Twine &folder, std::vector<VulkanIcd> &found) {
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
    addFile(it->path(), found);
}

/// Read once: later changes of the environment have no effect.
const std::string &assay::selectedVulkanFiles() {
  static const std::string selected = [] {
    for (const char *name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
      if (const char *value = std::getenv(name); value && *value)
        return std::string(value);
    return std::string();
  }();
  return selected;
}

/// Folders are searched without their subfolders. Files that do not exist are left out.
std::vector<VulkanIcd> assay::findVulkanIcds() {
  std::vector<VulkanIcd> found;
  if (selectedVulkanFiles().empty())
    for (const char *folder : folders)
      addFolder(folder, found);
  for (StringRef path : split(selectedVulkanFiles(), ':')) {
    if (sys::fs::is_directory(path))
      addFolder(path, found);
    else if (sys::fs::exists(path))
      addFile(path.str(), found);
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

/// Lists the drivers that were found.
std::string assay::missingVulkanIcd(StringRef name) {
  std::string known;
  for (const VulkanIcd &found : findVulkanIcds())
    known += (known.empty() ? "" : ", ") + found.name;
  std::string message = ("no Vulkan driver '" + name + "' is installed").str();
  if (const std::string &files = selectedVulkanFiles(); !files.empty())
    message = ("VK_DRIVER_FILES (" + files + ") names no Vulkan driver '" + name + "'").str();
  return message + (known.empty() ? "" : " (there are " + known + ")") +
         "; ci/deps --peers installs Mesa's";
}
