// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the case and looking at its modules.
#include "harness/worker/Steps.h"

#include "compiler/spirv/Module.h"
#include "harness/run/CaseFiles.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Returns \p error without the path of the case, which for standard input is that of a copy that
/// nobody knows.
static Error withoutPathOfCopy(Error error, const Job &job) {
  if (job.caseId != standardInputId)
    return error;
  ErrorParts parts = takeError(std::move(error));
  StringRef message = parts.message;
  message.consume_front(job.casePath + ": ");
  return make_error<AssayError>(parts.kind, message.str());
}

/// Unsupported where the case has requirements that Assay lacks. A Compile job needs only the
/// pipelines of such a case.
std::optional<Stop> assay::readInput(const Job &job, Case &input) {
  Expected<ReadOptions> options = makeReadOptions(job.spirvEnv);
  if (!options)
    return stopFor(options.takeError(), "read");
  Expected<Case> read = readCase(job.casePath, job.caseId, *options);
  if (!read)
    return stopFor(withoutPathOfCopy(read.takeError(), job), "read");
  input = std::move(*read);
  // To compile, a script's resources and expectations do not matter; its shaders stand.
  if (input.unsupported.empty() || (job.kind == JobKind::Compile && !input.pipelines.empty()))
    return std::nullopt;
  std::string reason;
  for (const Requirement &requirement : input.unsupported)
    reason += (reason.empty() ? "" : "; ") + requirement.reason;
  return Stop{State::Unsupported, reason, {}};
}

/// Adds to invalid input as which SPIR-V version it was assembled, since that may be the cause.
/// Other errors keep their message.
Error assay::addVersion(Error error, const CasePipeline &pipeline) {
  if (!error || pipeline.version.text.empty())
    return error;
  ErrorParts parts = takeError(std::move(error));
  if (parts.kind != ErrorKind::InvalidInput)
    return make_error<AssayError>(parts.kind, parts.message);
  return invalidInput(parts.message + " (assembled as " + pipeline.version.text + ")");
}

/// Returns each guessed version once; empty where the case states all of them.
std::string assay::describeGuesses(const Case &input) {
  std::vector<std::string> texts;
  for (const CasePipeline &pipeline : input.pipelines)
    if (pipeline.version.isGuess && !is_contained(texts, pipeline.version.text))
      texts.push_back(pipeline.version.text);
  return texts.empty() ? "" : "assembled as " + join(texts, "; ");
}

/// Stops at the first module that SPIRV-Tools refuses. The reason names pipeline and stage where
/// there may be several.
std::optional<Stop> assay::validateModules(const Case &input) {
  for (const CasePipeline &pipeline : input.pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages)
      if (Error error = spirv::validate(shader.spirv)) {
        error = addVersion(std::move(error), pipeline);
        if (!pipeline.description.isCompute())
          error = addContext(std::move(error), getStageName(shader.stage) + " shader");
        if (!pipeline.name.empty())
          error = addContext(std::move(error), "pipeline '" + pipeline.name + "'");
        return stopFor(std::move(error), "validate");
      }
  return std::nullopt;
}
