// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the assembler writes the formats of typed buffer instructions.
#pragma once

#include "oracles/machine/gcn_isa/Isa.h"
#include <string>

namespace assay::gcn {

/// "[BUF_FMT_8_8_UNORM]", "[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT]", a number without a name, or
/// nothing for the format that is not written (8_UNORM). \p format as in Modifiers::format.
std::string bufferFormatName(Chip chip, unsigned format);

} // namespace assay::gcn
