// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known bugs of driver versions: a machine on such a driver reports the cases that may meet one as
// unsupported, because a wrong result would say nothing about the case or the reference.
#pragma once

#include "oracles/machine/vulkan/Features.h"

namespace assay::vulkan {

/// A known bug that \p input may meet on \p driver, with the driver's name and version, or an empty
/// string.
llvm::Expected<std::string> findDriverBug(const Case &input, const DriverVersion &driver);

} // namespace assay::vulkan
