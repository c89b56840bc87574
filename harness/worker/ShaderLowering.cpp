// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/ShaderLowering.h"

#include "oracles/fat_pointer/FatTypes.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;

/// A diff compiles many shaders: a few short trials each (measured in docs/fat-pointers.md).
static constexpr unsigned trialsOfShader = 4;
/// A trial that runs longer is ended.
static constexpr uint64_t instructionsOfShader = 100'000;

// Descriptors, several at a time as numbers, and what the pipeline put next to them.
static bool isFromTable(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return load && load->getPointerAddressSpace() == constantSpace;
}

// Names by which the oracle makes small numbers, but resources of what is large enough for one.
static void nameParameter(Argument &argument) {
  bool isNumber = argument.getType()->getScalarSizeInBits() <= 64;
  argument.setName(isNumber ? "index" : "resource");
}

/// A copy of \p function with what it loads from tables as parameters after its own; the lowering
/// neither adds such loads nor changes their order. \p function loses its body and its name.
static void exposeTablesOf(Function &function) {
  std::vector<LoadInst *> loads;
  for (Instruction &instruction : instructions(function))
    if (isFromTable(instruction))
      loads.push_back(cast<LoadInst>(&instruction));
  std::vector<Type *> types(function.getFunctionType()->params());
  for (const LoadInst *load : loads)
    types.push_back(load->getType());
  Function *exposed =
      Function::Create(FunctionType::get(function.getReturnType(), types, false),
                       function.getLinkage(), function.getAddressSpace(), "", function.getParent());
  exposed->setCallingConv(function.getCallingConv());
  exposed->setAttributes(function.getAttributes());
  exposed->takeName(&function);
  exposed->splice(exposed->begin(), &function);
  for (const auto &[old, now] : zip_first(function.args(), exposed->args()))
    old.replaceAllUsesWith(&now);
  for (Argument &argument : exposed->args())
    nameParameter(argument);
  for (auto [number, load] : enumerate(loads)) {
    unsigned parameter = static_cast<unsigned>(function.arg_size() + number);
    exposed->addParamAttr(parameter, Attribute::InReg);
    load->replaceAllUsesWith(exposed->getArg(parameter));
  }
  // Afterwards: a load may hang on another one.
  SmallVector<WeakTrackingVH, 16> dead(loads.begin(), loads.end());
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

/// Treats only functions that are entry points: defined, visible and without uses.
void assay::exposeTables(Module &module) {
  std::vector<Function *> functions;
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() && function.use_empty())
      functions.push_back(&function);
  for (Function *function : functions)
    exposeTablesOf(*function);
}

/// Fewer trials and instructions than for a single function, as it is done for each compiled
/// shader.
MeaningOptions assay::shaderMeaningOptions() {
  MeaningOptions options;
  options.trials = trialsOfShader;
  options.limits.instructions = instructionsOfShader;
  return options;
}

/// Changes \p before; \p after is copied first.
std::vector<FunctionMeaning> assay::compareShaderMeaning(Module &before, const Module &after) {
  std::unique_ptr<Module> lowered = CloneModule(after);
  exposeTables(before);
  exposeTables(*lowered);
  return compareMeaning(before, *lowered, shaderMeaningOptions());
}

/// Returns the findings of the rules, then those of the comparison. Changes \p before.
std::vector<Finding> assay::checkShaderLowering(Module &before, const Module &after) {
  std::vector<Finding> findings = checkLowered(after, &before);
  for (FunctionMeaning &meaning : compareShaderMeaning(before, after))
    append_range(findings, std::move(meaning.findings));
  if (!findings.empty() && faultPlanted(Fault::SilentFatPointers))
    findings.clear();
  return findings;
}
