// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Avoid.h"

#include "compiler/spirv/ExtendedInstructions.h"
#include "compiler/spirv/Module.h"
#include "fuzz/generate/Coverage.h"
#include "fuzz/generate/Writer.h"
#include "support/Error.h"
#include "support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Of GLSL.std.450.
static constexpr uint32_t lastInstruction = 81;
/// Opcodes of SPIR-V have 16 bits; those of Vulkan are below this.
static constexpr unsigned lastOpcode = 8191;

/// fuzz::featuresOf()'s name of \p operation; empty where there is no such operation.
static std::string featureOf(StringRef operation) {
  if (operation.starts_with("Op")) {
    for (unsigned opcode = 0; opcode <= lastOpcode; ++opcode)
      if (spirv::opcodeName(static_cast<spv::Op>(opcode)) == operation)
        return ("op " + operation).str();
    return "";
  }
  for (uint32_t number = 1; number <= lastInstruction; ++number)
    if (spirv::extendedInstructionName(number) == operation)
      return "glsl " + std::to_string(number);
  return "";
}

/// Splits "A|B".
static SmallVector<StringRef> alternativesOf(StringRef operation) {
  SmallVector<StringRef> names;
  operation.split(names, '|');
  return names;
}

/// All names in the bug's operations, alternatives included.
static SmallVector<StringRef> namesIn(const AvoidedBug &bug) {
  SmallVector<StringRef> names;
  for (const std::string &operation : bug.operations)
    append_range(names, alternativesOf(operation));
  return names;
}

Error assay::verifyAvoidable(const AvoidedBug &bug) {
  if (bug.operations.empty() && bug.trigger.empty())
    return invalidInput("bug " + bug.id +
                        " cannot be avoided: its recognizer names neither a "
                        "trigger nor operations");
  for (StringRef operation : namesIn(bug))
    if (featureOf(operation).empty())
      return invalidInput("bug " + bug.id + " cannot be avoided: '" + operation +
                          "' is neither an opcode nor an instruction of GLSL.std.450");
  bool isConstruct = any_of(fuzz::constructs(), [&](const fuzz::Construct &construct) {
    return construct.name == bug.trigger;
  });
  if (!bug.trigger.empty() && !isConstruct)
    return invalidInput("bug " + bug.id + " cannot be avoided: the generator has no construct '" +
                        bug.trigger + "'");
  return Error::success();
}

/// An atomic operation on a texel is one, too.
static bool hasFeature(const std::set<std::string> &features, const std::string &feature) {
  return features.count(feature) || features.count(feature + " (texel)");
}

bool assay::containsOperations(const fuzz::GeneratedCase &generated, const AvoidedBug &bug) {
  if (bug.operations.empty())
    return false;
  std::set<std::string> features = fuzz::featuresOf(generated);
  return all_of(bug.operations, [&](const std::string &operation) {
    return any_of(alternativesOf(operation),
                  [&](StringRef name) { return hasFeature(features, featureOf(name)); });
  });
}

Expected<fuzz::GeneratedCase> assay::generateWithout(uint64_t seed, fuzz::Profile profile,
                                                     ArrayRef<AvoidedBug> bugs) {
  constexpr unsigned MostTries = 500;
  for (const AvoidedBug &bug : bugs)
    if (!bug.trigger.empty())
      profile.weights[bug.trigger] = 0;
  Random seeds(seed);
  for (unsigned i = 0; i < MostTries; ++i) {
    fuzz::GeneratedCase generated = fuzz::generate(i == 0 ? seed : seeds.next(), profile);
    if (none_of(bugs, [&](const AvoidedBug &bug) { return containsOperations(generated, bug); }))
      return std::move(generated);
  }
  auto ids = map_range(bugs, [](const AvoidedBug &bug) { return bug.id; });
  return invalidInput(Twine(MostTries) + " cases of profile " + profile.name +
                      " in a row contain what was to be avoided: " + join(ids, ", "));
}
