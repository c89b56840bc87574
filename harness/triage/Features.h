// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a minimized case is made of, as names that two cases of one bug share.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/api/Case.h"
#include <set>
#include <string>

namespace assay {

/// What an instruction does, its \p operands being without type and result: "OpISub", also of an
/// OpSpecConstantOp; "FMix" of an OpExtInst; "group InclusiveScan" of all arithmetic on groups that
/// is done that way.
std::string instructionKind(spv::Op opcode, llvm::ArrayRef<uint32_t> operands);

/// Opcodes in function bodies ("OpISub"; "Fract" of an OpExtInst), image operands that ask for
/// something ("Lod", which is not zero), widths of types other than 32 bits ("i16", "f64"), storage
/// classes, built-ins and decorations that mean something. Left out is what every shader needs to
/// be one: functions and blocks, access to buffers, 32-bit types.
std::set<std::string> featuresOf(const spirv::Module &module);

/// Everything that \p module contains, by names that a recognizer of a bug may ask for:
/// featuresOf() and each opcode of a function body.
std::set<std::string> operationsOf(const spirv::Module &module);
/// Those of all shaders of \p input. What the decoder says of a shader it can't read.
llvm::Expected<std::set<std::string>> operationsOf(const Case &input);

/// Those of all shaders of \p input, ascending, without what many shaders have for other reasons
/// (indices, glue between types): two cases that share no more than that share nothing. May be
/// empty. What the decoder says of a shader it can't read.
llvm::Expected<std::vector<std::string>> featuresOf(const Case &input);

} // namespace assay
