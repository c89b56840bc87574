// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM IR with buffer fat pointers through Assay's lowering, and the oracle on what it makes.
#include "fuzz/ir/CheckLowering.h"
#include "fuzz/ir/FatPointerMutation.h"
#include "fuzz/targets/Target.h"
#include "llvm/FuzzMutate/IRMutator.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;
using namespace assay::fuzz;

/// Of each function: a fuzz engine looks at many modules instead.
static constexpr unsigned trials = 4;
/// Growth ends there: instructions.
static constexpr size_t mostInstructions = 600;

/// Bytes that are not a module pass. Prints the module to stderr where something is wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  LLVMContext context;
  std::unique_ptr<Module> module = readModule({data, size}, context);
  if (!module)
    return 0;
  std::string wrong = checkLowering(*module, trials);
  if (!wrong.empty())
    module->print(errs(), nullptr);
  return settle(wrong);
}

/// Bytes that are not a module are replaced by a mutated empty module, so the first input may be
/// empty.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  LLVMContext context;
  std::unique_ptr<Module> module = readModule({data, size}, context);
  if (!module)
    module = std::make_unique<Module>("empty", context);
  mutateFatPointers(*module, seed, mostInstructions);
  size_t result = writeModule(*module, data, maxSize);
  return result ? result : std::min(size, maxSize);
}

/// Returns 0 where either input is not a module.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  LLVMContext context;
  // By default an error ends the process.
  context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  std::unique_ptr<Module> into = readModule({first, firstSize}, context),
                          from = readModule({second, secondSize}, context);
  if (!into || !from)
    return 0;
  mixFatPointers(*into, std::move(from), seed);
  return writeModule(*into, out, maxSize);
}
