// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a case's own buffers say: words that nobody writes have a value that is known here, and to
// no compiler.
#pragma once

#include "fuzz/transform/Editing.h"

namespace assay::fuzz {

/// A 32-bit scalar in a buffer that the shader only reads.
struct KnownWord {
  Id variable = 0;
  llvm::SmallVector<uint32_t, 3> path; ///< Indices of an access chain to it.
  Id type = 0;
  spv::StorageClass storage = spv::StorageClass::Uniform;
  uint32_t bits = 0;
};

/// All of them (of each variable the first 256), in the order of variables and bytes.
std::vector<KnownWord> knownWords(const Context &context);

/// Whether nothing is done with \p variable, nor with another one of its binding, but reading, also
/// through access chains.
bool isOnlyRead(const Context &context, Id variable);

/// Which known word a step relies on, as two numbers: the variable, and the number among its words.
struct WordChoice {
  Id variable = 0;
  uint32_t number = 0;
};
/// One that \p accept accepts, if there is one; without it any.
std::optional<WordChoice> pickWord(
    const Context &context, Random &random,
    llvm::function_ref<bool(const KnownWord &)> accept = [](const KnownWord &) { return true; });
std::optional<KnownWord> findWord(const Context &context, WordChoice choice);

inline void append(std::vector<uint64_t> &numbers, WordChoice choice) {
  numbers.insert(numbers.end(), {choice.variable, choice.number});
}
inline WordChoice wordIn(const Step &step, size_t index) {
  return {step.id(index), static_cast<uint32_t>(step.number(index + 1))};
}

/// Loads \p word as a u32.
Id emitLoad(Emitter &emitter, const KnownWord &word);
/// A bool that is \p value because of what \p word holds; \p variant chooses the comparison.
Id emitOpaqueBool(Emitter &emitter, const KnownWord &word, bool value, uint64_t variant);

} // namespace assay::fuzz
