// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fuzz targets on SPIR-V modules share: mutations of modules. Include it in one file a
// target.
#pragma once

#include "compiler/spirv/Module.h"
#include "fuzz/shader/ModuleMutation.h"
#include "fuzz/shader/ShaderInput.h"
#include "fuzz/targets/Target.h"
#include "support/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::fuzz {

/// The words in \p bytes; none for what is not a file of SPIR-V.
inline std::vector<uint32_t> moduleWords(llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<std::vector<uint32_t>> words = spirv::wordsFromBytes(bytes);
  if (words)
    return std::move(*words);
  llvm::consumeError(words.takeError());
  return {};
}

/// The same words as bytes, in host order; not a copy.
inline llvm::ArrayRef<uint8_t> moduleBytes(llvm::ArrayRef<uint32_t> words) {
  return {reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint32_t)};
}

/// What \p change makes for a seed, with other seeds until it is valid, but not for long.
inline std::vector<uint32_t>
makeValid(llvm::function_ref<std::vector<uint32_t>(uint64_t seed)> change, unsigned seed) {
  constexpr uint64_t Tries = 4;
  std::vector<uint32_t> words;
  for (uint64_t i = 0; i < Tries; ++i) {
    words = change(seed + (i << 32));
    if (tryReadShader(moduleBytes(words)))
      break;
  }
  return words;
}

} // namespace assay::fuzz

/// Bytes that are no module, and one seed in 32, are left to the engine's byte mutations.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  using namespace assay::fuzz;
  std::vector<uint32_t> words = moduleWords({data, size});
  if (LLVMFuzzerMutate && (words.empty() || seed % 32 == 0))
    return LLVMFuzzerMutate(data, size, maxSize);
  auto change = [&](uint64_t number) { return mutateModule(words, number); };
  return giveOrKeep(moduleBytes(makeValid(change, seed)), data, size, maxSize);
}

/// Returns 0 where the result does not fit into \p maxSize bytes.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  using namespace assay::fuzz;
  std::vector<uint32_t> into = moduleWords({first, firstSize}),
                        from = moduleWords({second, secondSize});
  auto change = [&](uint64_t number) { return mixModules(into, from, number); };
  return give(moduleBytes(makeValid(change, seed)), out, maxSize);
}
