// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold for front-end, compiler and reference on any module that spirv-val accepts. Each
// returns what is wrong; empty: nothing. Know no fuzz engine.
#pragma once

#include "compiler/driver/Compiler.h"
#include "fuzz/shader/ShaderInput.h"
#include <string>

namespace assay::fuzz {

/// Translates \p input. Wrong is: IR or lgc ops that their verifiers report; a refusal without
/// reason, or one that only one of the two builders makes; another module the second time.
std::string checkFrontend(ShaderInput input);

/// Compiles \p input by \p compiler, which may be warm, for what it chooses. Wrong is: a refusal
/// without reason; an ELF in which validate-elf finds an error; another ELF from a cold compiler
/// (for one input in sixteen: that takes a while).
std::string checkCompile(ShaderInput input, Compiler &compiler);

/// Runs \p input in the reference, with a small budget. Wrong is: an end without reason, buffers
/// that are not there at the end or of another size; another outcome the second time.
std::string checkInterpreter(const ShaderInput &input);

} // namespace assay::fuzz
