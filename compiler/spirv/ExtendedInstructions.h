// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the instructions of the extended instruction set GLSL.std.450.
#pragma once

#include <cstdint>
#include <string>

namespace assay::spirv {

/// "UnpackSnorm2x16" of 62: the name in the specification of GLSL.std.450; the number as text where
/// that set has no such instruction.
std::string extendedInstructionName(uint32_t number);

} // namespace assay::spirv
