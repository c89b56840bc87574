// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the case and looking at its modules.
#include "harness/worker/Steps.h"

#include "compiler/spirv/Module.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

std::optional<Stop> assay::readInput(const Job &job, Case &input) {
  Expected<Case> read = readCase(job.casePath, job.caseId);
  if (!read)
    return stopFor(read.takeError(), "read");
  input = std::move(*read);
  // To compile, a script's resources and expectations do not matter; its shaders stand.
  if (input.unsupported.empty() || (job.kind == JobKind::Compile && !input.pipelines.empty()))
    return std::nullopt;
  std::string reason;
  for (const Requirement &requirement : input.unsupported)
    reason += (reason.empty() ? "" : "; ") + requirement.reason;
  return Stop{State::Unsupported, reason, {}};
}

std::optional<Stop> assay::validateModules(const Case &input) {
  for (const CasePipeline &pipeline : input.pipelines)
    if (Error error = spirv::validate(pipeline.description.compute.spirv)) {
      if (!pipeline.name.empty())
        error = addContext(std::move(error), "pipeline '" + pipeline.name + "'");
      return stopFor(std::move(error), "validate");
    }
  return std::nullopt;
}
