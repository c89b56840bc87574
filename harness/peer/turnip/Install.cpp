// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/Install.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

/// Looks in the folders that the build was configured with.
Expected<Installation> turnip::findInstallation() {
  return findInstallation(ASSAY_TURNIP_FOLDER, ASSAY_TURNIP_GUEST);
}

/// Unsupported, with what to do, where a file is missing.
Expected<Installation> turnip::findInstallation(const std::string &folder,
                                                const std::string &guest) {
  Installation result = {folder + "/emulator/usr/bin/qemu-aarch64-static", folder + "/root", guest,
                         ""};
  Expected<std::string> version = readFileText(folder + "/version");
  if (!version) {
    consumeError(version.takeError());
    return unsupported("turnip is not installed; ci/deps --peers gets it");
  }
  result.version = StringRef(*version).trim().str();
  for (const std::string &file :
       {result.emulator, result.root + "/usr/lib/aarch64-linux-gnu/libvulkan_freedreno.so"})
    if (!sys::fs::exists(file))
      return unsupported("turnip is not complete: " + file +
                         " is missing; remove its folder and run ci/deps --peers");
  if (!sys::fs::exists(result.guest))
    return unsupported("turnip is installed, but " + result.guest +
                       " was not built; run ci/build again");
  return result;
}
