// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of IR with fat pointers: only one pass of the project is asked about it.
#include "harness/localize/Explain.h"
#include "oracles/api/States.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// The verdicts on \p input when \p lowering does it, as one point of a search: bad where one is.
static Expected<RevisionRun> runLowering(const FatPointerInput &input, FatPointerBatch batch,
                                         FatLowering lowering, const WorkFolder &folder,
                                         std::vector<Verdict> &verdicts) {
  batch.options.lowering = lowering;
  if (lowering != FatLowering::Own)
    batch.plants.clear();
  Expected<std::vector<Verdict>> result = checkFatPointers(input, batch, folder);
  if (!result)
    return result.takeError();
  verdicts = std::move(*result);
  auto bad = find_if(verdicts, [](const Verdict &verdict) { return isReducible(verdict.state); });
  if (bad != verdicts.end())
    return RevisionRun{RevisionState::Bad, bad->reason};
  bool passes = any_of(verdicts, [](const Verdict &each) { return each.state == State::Pass; });
  return RevisionRun{passes ? RevisionState::Good : RevisionState::Skip,
                     passes ? "" : verdicts.front().reason};
}

Expected<Localization> assay::localizeModule(const FatPointerInput &input,
                                             const FatPointerBatch &batch, StringRef folder) {
  Expected<std::unique_ptr<WorkFolder>> own = WorkFolder::create(folder);
  if (!own)
    return own.takeError();
  std::vector<Verdict> verdicts;
  FatPointerBatch explained = batch;
  explained.options.explains = true;
  Expected<RevisionRun> whole = runLowering(input, explained, FatLowering::Own, **own, verdicts);
  if (!whole)
    return whole.takeError();
  auto bad = find_if(verdicts, [](const Verdict &verdict) { return isReducible(verdict.state); });
  if (bad == verdicts.end())
    return invalidInput("the oracle has nothing against the lowering of " + input.name);
  Localization result;
  result.phase = "middle-end";
  result.pass = loweringPass.str();
  result.suspects = {result.pass};
  result.runs = 1;
  StringRef function = bad->caseId;
  if (function.consume_front(input.name + ":"))
    result.function = function.str();
  takeFinding(*bad, result);
  FatPointerBatch control = batch;
  control.options.function = result.function;
  Expected<RevisionRun> other = runLowering(input, control, FatLowering::Llvm, **own, verdicts);
  if (!other)
    return other.takeError();
  ++result.runs;
  result.evidence.push_back(("LLVM's lowering of the same function is " +
                             revisionStateName(other->state) +
                             (other->said.empty() ? "" : ": " + other->said))
                                .str());
  return std::move(result);
}
