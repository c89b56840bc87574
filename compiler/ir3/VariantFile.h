// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variant as a file: the code, and what a launch must set up for it. docs/ir3.md, "The variant
// file", has the format; oracles/ir3_variant reads it, and shares nothing with this.
#pragma once

#include "compiler/ir3/passes/Variant.h"
#include "compiler/ir3/select/Select.h"

namespace assay::ir3 {

/// The bytes of the file for \p variant, compiled for \p compiler with the places of \p interface.
std::vector<uint8_t> writeVariant(const Compiler &compiler, const ShaderVariant &variant,
                                  const Interface &interface);

/// What the file says apart from the code, a line each.
std::string describeVariant(const Compiler &compiler, const ShaderVariant &variant,
                            const Interface &interface);

} // namespace assay::ir3
