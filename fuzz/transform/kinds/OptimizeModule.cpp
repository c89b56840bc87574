// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// optimize-module: SPIRV-Tools' optimiser runs a pass over the finished module, in the process that
// reads the case. Precondition: a pass of the table; for those that fold constants also a module
// without products of vectors and matrices, and later donors bring none. Effect: none that later
// steps see. Text: the pass.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// By the flags of spirv-opt 2023.1. Left out: what changes meanings (relaxed to half, frozen
/// specialization constants), other environments or interfaces, or nothing in a compute shader; and
/// passes that crash or make invalid modules (bugs/README.md, "SPIRV-Tools").
static constexpr const char *passes[] = {"ccp",
                                         "cfg-cleanup",
                                         "combine-access-chains",
                                         "convert-local-access-chains",
                                         "copy-propagate-arrays",
                                         "eliminate-dead-branches",
                                         "eliminate-dead-code-aggressive",
                                         "eliminate-dead-const",
                                         "eliminate-dead-functions",
                                         "eliminate-dead-inserts",
                                         "eliminate-dead-variables",
                                         "eliminate-local-single-block",
                                         "eliminate-local-single-store",
                                         "if-conversion",
                                         "inline-entry-points-exhaustive",
                                         "local-redundancy-elimination",
                                         "loop-unroll",
                                         "loop-unroll-partial=3",
                                         "merge-blocks",
                                         "merge-return",
                                         "private-to-local",
                                         "reduce-load-size",
                                         "redundancy-elimination",
                                         "scalar-replacement=100",
                                         "strength-reduction",
                                         "unify-const",
                                         "vector-dce"};

/// Passes that fold constants, and by that crash on products whose matrix has a null column
/// (bugs/README.md, "SPIRV-Tools: folding a vector times a matrix").
static constexpr StringRef folders[] = {"ccp"};

/// Of a vector and a matrix.
static bool hasProducts(const Program &program) {
  bool found = false;
  forEachInstruction(program, [&](const Instruction &each) {
    found |=
        each.opcode == spv::Op::OpVectorTimesMatrix || each.opcode == spv::Op::OpMatrixTimesVector;
  });
  return found;
}

bool isFoldedSafely(const GeneratedCase &generated, const Program &added) {
  return !any_of(generated.optimizations, [](StringRef pass) {
    return is_contained(folders, pass);
  }) || !hasProducts(added);
}

ArrayRef<const char *> optimizerPasses() {
  return passes;
}

/// None where the drawn pass is not applicable; no other one is tried.
std::optional<Step> OptimizeModule::propose(const Context &context, Random &random) {
  Step step;
  step.text = random.pick(ArrayRef(passes));
  return isApplicable(context, step) ? std::optional(step) : std::nullopt;
}

/// The table bounds what a log can ask for: the pass's name comes from a file.
bool OptimizeModule::isApplicable(const Context &context, const Step &step) {
  return is_contained(passes, step.text) &&
         !(is_contained(folders, step.text) && hasProducts(context.program()));
}

/// Broken: the last store of the first function is lost.
void OptimizeModule::apply(Context &context, const Step &step) {
  context.edit().optimizations.push_back(step.text);
  if (context.isBroken())
    loseLastStore(context.edit().program.functions.front());
}

} // namespace assay::fuzz
