// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers of generated cases: numbers, sizes.
#pragma once

#include "fuzz/generate/Generator.h"

namespace assay::fuzz {

/// Results by kind; their numbers are the buffers' bindings.
enum class ResultKind : uint8_t { Word = 0, Float = 1, Double = 2 };

/// The bindings of the other buffers, all of set 0.
enum class BufferNumber : uint8_t { Input = 3, Uniforms = 4, Own = 5, Counters = 6 };

constexpr unsigned inputWords = 64;
constexpr unsigned uniformWords = 16;

inline uint32_t totalInvocations(const GeneratedCase &generated, unsigned perGroup) {
  return generated.groups[0] * generated.groups[1] * generated.groups[2] * perGroup;
}

} // namespace assay::fuzz
