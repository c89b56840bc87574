// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front-end's tests share: a compute shader with values of every type at hand, to which a
// test adds its instructions.
#pragma once

#include "compiler/frontend/Frontend.h"
#include "support/Error.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace assay::test {

/// Declarations before the function: types, constants, a storage buffer %data, a uniform buffer
/// %params, push constants %push, and shared and private variables.
extern const char *const Declarations;
/// The beginning of the entry point %main, with loaded values: %u %u2 %i %i2 (scalars), %f %f2 %f3,
/// %b %b2, %v2 %v3 %v3b %v4 %v4b (floats), %uv4 %uv4b %uv3, %bv4, %m2 %m3 %m4 %m23 (matrices).
extern const char *const Prologue;

/// Declarations, \p globals, the entry point with \p body, and \p functions after it.
std::string makeShader(llvm::StringRef body, llvm::StringRef globals = "",
                       llvm::StringRef functions = "", llvm::StringRef annotations = "");

/// Assembles \p text; the test fails where it can't be.
std::vector<uint32_t> assembleOrFail(llvm::StringRef text);

/// The text of the IR that the front-end makes of \p text, verified; or its error.
llvm::Expected<std::string> translateText(llvm::StringRef text,
                                          const ShaderDescription &shader = {},
                                          Robustness robustness = Robustness::None);

} // namespace assay::test
