// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine vulkan:NAME: cases run by a Vulkan driver, through the Vulkan loader. A driver may
// crash or hang: in worker processes only. Creating it sets the loader's environment variables.
#pragma once

#include "oracles/api/Machine.h"
#include <functional>
#include <memory>

namespace assay {

/// \p name is a driver's: "lavapipe", "radv", or the stem of its manifest (VulkanIcd.h).
/// Unsupported when it is not installed, offers no device, or dies when one is created; a child
/// process finds this out, once per driver. A case that meets a known bug of the driver's version
/// (DriverBugs.h) is Unsupported too. Keeps no state between runs but the device. \p onMessage gets
/// what Vulkan's validation layer says of all that the machine does; Unsupported without the layer.
llvm::Expected<std::unique_ptr<Machine>>
createVulkanMachine(llvm::StringRef name,
                    std::function<void(llvm::StringRef message)> onMessage = nullptr);

/// Whether \p name, as Case::features has it, is one of Vulkan's that we know; names of extensions
/// all count as known. A misspelt feature must not pass for one that every machine has.
bool isKnownDeviceFeature(llvm::StringRef name);

} // namespace assay
