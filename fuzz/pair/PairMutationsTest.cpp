// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/pair/PairMutations.h"

#include "compiler/spirv/Module.h"
#include "fuzz/pair/StagePipelines.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using namespace assay;

static PairInput readInput(const char *name) {
  Case input = cantFail(readCase(std::string(ASSAY_SOURCE_DIR) + "/corpora/" + name, name));
  PairInput result;
  result.pipeline = input.pipelines.at(0).description;
  result.options.target = cantFail(findTarget("gfx1100"));
  return result;
}

/// Stages that exchange values: what mutations of interfaces need.
static PairInput generateInput(uint64_t seed) {
  Random random(seed);
  PairInput result;
  result.pipeline = cantFail(assembleStages(makeStageTexts(random)));
  result.options.target = cantFail(findTarget("gfx1100"));
  return result;
}

TEST(PairMutations, NeutralOnesKeepTheModuleValid) {
  for (const char *name :
       {"compute/saxpy.amber", "compute/control-switch.amber", "compute/matrix-mat4-ops.amber"}) {
    for (const PairMutation &mutation : listPairMutations()) {
      PairInput input = readInput(name);
      Random random(7);
      if (!mutation.isNeutral || !mutation.apply(input, random))
        continue;
      if (Error error = spirv::validate(input.pipeline.getShader(ShaderStage::Compute).spirv))
        ADD_FAILURE() << mutation.name.str() << " of " << name << ": "
                      << takeError(std::move(error)).message;
    }
  }
}

TEST(PairMutations, EachFindsSomethingToChange) {
  std::set<StringRef> unused;
  for (const PairMutation &mutation : listPairMutations())
    unused.insert(mutation.name);
  for (const char *name :
       {"compute/saxpy.amber", "compute/resource-descriptor-arrays.amber",
        "compute/resource-specialization.amber", "compute/resource-push-constants.amber",
        "compute/image-descriptor-arrays.amber", "compute/reduce-shared.amber"})
    for (const PairMutation &mutation : listPairMutations()) {
      Random random(3);
      PairInput input = readInput(name);
      if (mutation.apply(input, random))
        unused.erase(mutation.name);
    }
  PairInput graphics = readInput("graphics/vertex-format-r16g16b16a16-sint.amber");
  for (const PairMutation &mutation : listPairMutations()) {
    Random random(3);
    PairInput input = graphics;
    if (!mutation.name.starts_with("state-") || !mutation.apply(input, random))
      continue;
    EXPECT_NE(input.pipeline.graphics, graphics.pipeline.graphics) << mutation.name.str();
    unused.erase(mutation.name);
  }
  for (uint64_t seed = 0; seed < 12; ++seed)
    for (const PairMutation &mutation : listPairMutations()) {
      Random random(seed);
      PairInput input = generateInput(seed), before = input;
      if (!mutation.name.starts_with("interface-") || !mutation.apply(input, random))
        continue;
      auto isSame = [&](ShaderStage stage) {
        return input.pipeline.getShader(stage).spirv == before.pipeline.getShader(stage).spirv;
      };
      EXPECT_FALSE(isSame(ShaderStage::Vertex) && isSame(ShaderStage::Fragment))
          << mutation.name.str() << " says that it changed something, seed " << seed;
      unused.erase(mutation.name);
    }
  for (StringRef name : unused)
    ADD_FAILURE() << name.str() << " changed none of the cases";
}
