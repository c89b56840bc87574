// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Pipeline.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

const ShaderDescription *PipelineDescription::find(ShaderStage stage) const {
  auto found = find_if(stages, [&](const ShaderDescription &each) { return each.stage == stage; });
  return found == stages.end() ? nullptr : &*found;
}

ShaderDescription *PipelineDescription::find(ShaderStage stage) {
  return const_cast<ShaderDescription *>(std::as_const(*this).find(stage));
}

const ShaderDescription &PipelineDescription::getShader(ShaderStage stage) const {
  const ShaderDescription *shader = find(stage);
  assert(shader && "the pipeline lacks the stage");
  return *shader;
}

ShaderDescription &PipelineDescription::getShader(ShaderStage stage) {
  return const_cast<ShaderDescription &>(std::as_const(*this).getShader(stage));
}

ShaderDescription &PipelineDescription::addShader(ShaderStage stage) {
  auto place = find_if(stages, [&](const ShaderDescription &each) { return each.stage >= stage; });
  if (place != stages.end() && place->stage == stage)
    return *place;
  ShaderDescription shader;
  shader.stage = stage;
  return *stages.insert(place, std::move(shader));
}

bool PipelineDescription::isCompute() const {
  return stages.size() == 1 && stages.front().stage == ShaderStage::Compute;
}

bool PipelineDescription::isGraphics() const {
  return any_of(stages, [](const ShaderDescription &each) { return isGraphicsStage(each.stage); });
}

Expected<const ShaderDescription *> assay::requireCompute(const PipelineDescription &pipeline) {
  for (const ShaderDescription &shader : pipeline.stages)
    if (shader.stage != ShaderStage::Compute)
      return unsupported(getStageName(shader.stage) + " shaders");
  if (pipeline.stages.empty())
    return invalidInput("the pipeline has no shader");
  return &pipeline.stages.front();
}
