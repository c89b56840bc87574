// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPIR-V version of assembly: what the script says, else the command line, else what the script
// requires of the device, else Amber's default, else the newest that spirv-val accepts.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ReadOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay::input {

/// A version and why it may be the right one: "line 3 lists VK_KHR_spirv_1_4".
struct VersionCandidate {
  uint32_t version = 0;
  std::string reason;
  bool isGuess = false;
};

/// Which versions are tried. The first one that spirv-val accepts is chosen.
struct VersionCandidates {
  std::vector<VersionCandidate> preferred; ///< In this order.
  bool triesOthers = true;                 ///< Then all others, newest first.
};

/// "spv1.3", "vulkan1.1", "vulkan1.1spv1.4" -> 0x00010300; InvalidInput for another name.
llvm::Expected<uint32_t> parseTargetEnvironment(llvm::StringRef name);

/// The one version that TARGET_ENV or a comment says; \p reason ends up in messages.
VersionCandidates saidVersion(uint32_t version, std::string reason);
/// For AmberScript \p text: the version of \p options alone, or what the DEVICE_FEATURE and
/// DEVICE_EXTENSION statements imply, wherever they are, and then 1.0.
VersionCandidates versionsForAmber(llvm::StringRef text, const ReadOptions &options);
/// The same for VkScript and the lines of its [require] section.
VersionCandidates versionsForVkScript(llvm::StringRef text, const ReadOptions &options);
/// For assembly outside of scripts: its "; Version: 1.3" comment before the first instruction, as
/// the disassembler writes it, the version of \p options, or the newest.
VersionCandidates versionsForAssembly(llvm::StringRef text, const ReadOptions &options);

/// Writes the chosen version into the header of \p words. Where spirv-val accepts none, the first
/// candidate is chosen.
VersionChoice applyVersion(const VersionCandidates &candidates, std::vector<uint32_t> &words);

} // namespace assay::input
