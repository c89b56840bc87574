// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text as AmberScript or VkScript: refused with its line, or read, written and read as the same
// case again.
#include "fuzz/script/CheckScript.h"
#include "fuzz/script/ScriptMutation.h"
#include "fuzz/targets/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay::fuzz;

/// The text refers to the engine's bytes; nothing is copied.
static StringRef textOf(const uint8_t *data, size_t size) {
  return toStringRef(ArrayRef(data, size));
}

/// Rejects scripts that may have GLSL, so that glslang is not fuzzed and the corpus has none.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (mayHaveGlsl(textOf(data, size)))
    return Rejected;
  return settle(checkScript(textOf(data, size)));
}

/// One seed in eight is left to the engine's byte mutations.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string mutant = mutateScript(textOf(data, size), seed);
  return giveOrKeep(arrayRefFromStringRef(mutant), data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  std::string mixed = mixScripts(textOf(first, firstSize), textOf(second, secondSize), seed);
  return give(arrayRefFromStringRef(mixed), out, maxSize);
}
