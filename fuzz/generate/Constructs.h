// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constructs' declarations, from Constructs.def, and what several of them need.
#pragma once

#include "fuzz/generate/Writer.h"

namespace assay::fuzz {

#define CONSTRUCT(FUNCTION, NAME, WEIGHT, NEEDS) void write##FUNCTION(Writer &writer);
#include "fuzz/generate/Constructs.def"

/// A value in scope whose component is of \p kind; a constant of a random type of that kind else.
Value takeNumeric(Writer &writer, TypeInfo::Kind kind);

/// The result of \p opcode on \p operands, put into scope: uniform where all of them are.
Value addResult(Writer &writer, spv::Op opcode, Id type, llvm::ArrayRef<Value> operands,
                uint32_t magnitude = 0);

/// A constant of \p type, a scalar or vector of integers, in each component \p bits.
Value splat(Writer &writer, Id type, uint64_t bits);

/// A float or vector of floats in scope that is exact; a constant of f32 else.
Value takeExact(Writer &writer);
/// One of \p type.
Value takeExact(Writer &writer, Id type);

/// A storage buffer of its own with an array of u32, and a pointer to one of them.
Id newWords(Writer &writer, std::vector<uint64_t> words);
Id wordPointer(Writer &writer, Id buffer, Id index);
/// The block of such a buffer, decorated.
Id makeWordBlock(Pool &pool);
/// \p count words as Amber writes them, many of them small.
std::vector<uint64_t> randomWords(Random &random, size_t count);

/// All invocations of the workgroup meet, and see what each wrote to workgroup memory by
/// storeShared, and to other memory of the Memory Semantics \p more.
void meet(Writer &writer, uint32_t more = 0);
/// For a buffer that such words go through.
void makeCoherent(Writer &writer, Id variable);
void storeShared(Writer &writer, Id pointer, Id value);
Id loadShared(Writer &writer, Id type, Id pointer);

/// \p value and \p mask in each component: integers.
Value masked(Writer &writer, const Value &value, uint64_t mask);

} // namespace assay::fuzz
