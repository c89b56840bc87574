// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where ci/turnip put Debian's turnip for arm64, and the guest program that the build made of it.
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace assay::turnip {

/// Paths of the parts that run turnip under emulation.
struct Installation {
  std::string emulator; ///< qemu-aarch64-static.
  std::string root;     ///< Libraries for arm64.
  std::string guest;    ///< assay-turnip.
  std::string version;  ///< Of the package: "25.0.7-2~bpo12+1".
};

/// Unsupported with what is missing and how to get it.
llvm::Expected<Installation> findInstallation();
/// The same for other places of the folder and of the guest program.
llvm::Expected<Installation> findInstallation(const std::string &folder, const std::string &guest);

} // namespace assay::turnip
