// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembler text in place of what the driver compiles: IR3_SHADER_OVERRIDE_PATH names a folder in
// which Mesa looks for a file named by a hash of the shader. The folder does not exist; fopen()
// of any file in it finds the text.
#pragma once

#include <string>

namespace assay::turnip {

inline constexpr const char *overrideFolder = "/assay-override";

/// The text for the shaders to come; empty: none.
void setOverride(const std::string &text);

} // namespace assay::turnip
