// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Installed.h"

#include "compiler/spirv/Module.h"
#include "harness/peer/RadvDevice.h"
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/machine/vulkan/VulkanIcd.h"
#include "oracles/machine/vulkan/VulkanMachine.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include <glslang/build_info.h>

using namespace llvm;
using namespace assay;

namespace {
/// A program that is looked for in PATH, and what is missing without it.
struct ToolRow {
  const char *name;
  const char *costs;
};
} // namespace

/// In the order of the report. None of them is required.
static constexpr ToolRow tools[] = {
    {"opt-22", "single passes can't be run under opt"},
    {"llvm-mc-22", "tests of machine code by assembler text are skipped"},
    {"spirv-reduce", "SPIR-V can't be reduced by SPIRV-Tools' own reducer"},
    {"glslangValidator", "GLSL can't be checked next to the built-in glslang"},
    {"clang-format-22", "ci/lint can't check the format"},
    {"clang-tidy-22", "ci/lint can't run its checks"},
    {"git", "version prints no commit when built without it"},
    {"python3", "the end-to-end tests can't run"},
    {"chromium", "the HTML report is not tested in a browser"},
    {"sbatch", "campaigns can't be spread by Slurm"},
};

/// Returns the path of the program, or "" if it is not in PATH.
static std::string findTool(const char *name) {
  ErrorOr<std::string> path = sys::findProgramByName(name);
  return path ? *path : "";
}

/// Returns the version of LLVM if it was built with target AMDGPU, else "".
static std::string amdgpuTarget() {
  LLVMInitializeAMDGPUTargetInfo();
  std::string message;
  return TargetRegistry::lookupTarget(Triple("amdgcn--amdpal"), message) ? LLVM_VERSION_STRING : "";
}

// Debian's package data: the only place that tells a driver's version without loading it.
std::string assay::findMesaVersion() {
  if (const std::string &files = selectedVulkanFiles(); !files.empty())
    return "by VK_DRIVER_FILES: " + files;
  Expected<std::string> status = readFileText("/var/lib/dpkg/status");
  if (!status) {
    consumeError(status.takeError());
    return "unknown: no package data";
  }
  size_t start = status->find("\nPackage: mesa-vulkan-drivers\n");
  if (start == std::string::npos)
    return "not installed";
  StringRef entry = StringRef(*status).substr(start + 1).split("\n\n").first;
  if (!entry.contains("\nStatus: install ok installed"))
    return "not installed";
  return entry.split("\nVersion: ").second.split('\n').first.str();
}

/// Success if the machine can be created; the error says why it can't.
static Error tryLavapipe() {
  return createVulkanMachine("lavapipe").takeError();
}

/// Creates the driver's device for one chip in a child process, which a crash of the driver does
/// not survive; this process does.
static Error tryRadv() {
  return RadvDevice::tryOut("navi31", {}, nullptr);
}

namespace {
/// A Vulkan driver that parts of Assay use.
struct DriverRow {
  /// The name as VulkanIcd::name has it.
  const char *icd;
  Error (*use)(); ///< Tries the driver in a child process.
  const char *costs;
};
} // namespace

/// Further installed drivers are listed without being tried.
static constexpr DriverRow drivers[] = {
    {"lvp", tryLavapipe, "machine vulkan:lavapipe is missing"},
    {"radeon", tryRadv, "peer compilers aco and radv-llvm are missing"}};

/// Looks for the driver's ICD file and tries the driver. A driver that is installed but does not
/// work counts as missing; its reason then precedes what that costs.
static InstalledPart findDriver(const DriverRow &row) {
  std::string name = std::string("Vulkan driver ") + row.icd;
  std::string path = findVulkanIcd(row.icd);
  if (path.empty())
    return {name, "", row.costs, false};
  if (Error error = row.use())
    return {name, "", takeError(std::move(error)).message + ": " + row.costs, false};
  if (selectedVulkanFiles().empty())
    path += " (Mesa " + findMesaVersion() + ")";
  return {name, path, row.costs, false};
}

/// As findDriver(), for the driver that runs against a simulated kernel interface and has an
/// installation of its own form.
static InstalledPart findTurnip() {
  const std::string name = "turnip for Adreno GPUs", costs = "peer compiler turnip is missing";
  Expected<turnip::Installation> installation = turnip::findInstallation();
  if (!installation)
    return {name, "", takeError(installation.takeError()).message + ": " + costs, false};
  if (Expected<std::string> driver = turnip::tryTurnip(); !driver)
    return {name, "", takeError(driver.takeError()).message + ": " + costs, false};
  return {name, installation->root + " (Mesa " + installation->version + ")", costs, false};
}

std::vector<InstalledPart> assay::findInstalledParts() {
  std::vector<InstalledPart> parts;
  std::string glslang = std::to_string(GLSLANG_VERSION_MAJOR) + "." +
                        std::to_string(GLSLANG_VERSION_MINOR) + "." +
                        std::to_string(GLSLANG_VERSION_PATCH);
  parts.push_back({"LLVM with AMDGPU", amdgpuTarget(), "nothing can be compiled", true});
  parts.push_back(
      {"SPIRV-Tools", spirv::spirvToolsVersion(), "no SPIR-V can be read or validated", true});
  parts.push_back({"glslang", glslang, "no GLSL can be read", true});
  for (const DriverRow &row : drivers)
    parts.push_back(findDriver(row));
  parts.push_back(findTurnip());
  for (const VulkanIcd &icd : findVulkanIcds())
    if (icd.name != "lvp" && icd.name != "radeon")
      parts.push_back({"Vulkan driver " + icd.name, icd.path, "", false});
  for (const ToolRow &tool : tools)
    parts.push_back({tool.name, findTool(tool.name), tool.costs, false});
  return parts;
}
