// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a case has that a collection of cases may lack: the instructions and capability rows of its
// module, and the constructs that wrote it.
#pragma once

#include "fuzz/generate/Generator.h"

namespace assay::fuzz {

/// "row NAME" for each row of the capability table that the module uses; "op OpName" for each
/// instruction, with " (texel)" after an atomic on a texel, and "glsl NUMBER" for those of
/// GLSL.std.450. The module is the generator's: it decodes.
std::set<std::string> featuresOf(const GeneratedCase &generated);
/// The same of any module, lines left out. InvalidInput where it can't be decoded.
llvm::Expected<std::set<std::string>> featuresOf(llvm::ArrayRef<uint32_t> words);

} // namespace assay::fuzz
