// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/ExplainLowering.h"

#include "harness/worker/LowerFatPointers.h"
#include "oracles/divergence/ExplainTrial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace assay;

namespace {
/// A module with probes and its lowering, in a context of their own.
struct ProbedLowering {
  LLVMContext context;
  std::unique_ptr<Module> before, after; ///< Both have the probes.
  std::vector<ProbedInstruction> probed;
};
} // namespace

/// Null if \p text is no module; the text was printed from one by the caller.
static std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic problem;
  return parseAssemblyString(text, problem, context);
}

/// Null where the lowering does not take the module with probes.
static std::unique_ptr<ProbedLowering>
lowerProbed(const Job &job, FatLowering lowering, StringRef source, bool isShader, ProbeKind kind) {
  auto result = std::make_unique<ProbedLowering>();
  result->before = parse(source, result->context);
  if (!result->before)
    return nullptr;
  result->probed = addProbes(*result->before, kind);
  if (lowerFatPointers(job, lowering, *result->before, result->after))
    return nullptr;
  if (isShader) {
    exposeTables(*result->before);
    exposeTables(*result->after);
    removeUnusedProbes(*result->before, *result->after); // Of the way to the tables.
  }
  return result;
}

/// The number of the trial; nothing for a finding that is of none.
static std::optional<unsigned> trialOf(const Finding &finding) {
  auto row = find_if(finding.evidence, [](const auto &each) { return each.first == "trial"; });
  unsigned number;
  if (row == finding.evidence.end() || StringRef(row->second).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// Repeats trial \p number of \p plain, the function without probes, with probes in both modules.
/// Adds the first instruction with different values to \p finding; false where there is none.
static bool explain(ProbedLowering &lowering, Function &plain, unsigned number,
                    const MeaningOptions &options, Finding &finding) {
  Function *before = lowering.before->getFunction(plain.getName());
  Function *after = lowering.after->getFunction(plain.getName());
  if (!before || !after || after->isDeclaration())
    return false;
  Trial trial = makeTrial(plain, options, number);
  std::optional<Divergence> divergence =
      explainTrial(*before, *after, trial, options, lowering.probed);
  if (!divergence)
    return false;
  finding.evidence.emplace_back(instructionEvidence, lowering.probed[divergence->number].text);
  finding.evidence.emplace_back(wrongEvidence, describeDivergence(*divergence));
  return true;
}

/// Adds evidence to findings that name a function and a trial; others stay as they are. \p source
/// is the text of the module before the lowering. Does nothing where it cannot be parsed.
void assay::explainLowering(const Job &job, FatLowering lowering, StringRef source, bool isShader,
                            const MeaningOptions &options, MutableArrayRef<Finding> findings) {
  LLVMContext context;
  std::unique_ptr<Module> plain = parse(source, context);
  if (!plain)
    return;
  if (isShader)
    exposeTables(*plain);
  // Uses by probes of values may hide what goes wrong; marks are none.
  std::unique_ptr<ProbedLowering> lowerings[] = {
      lowerProbed(job, lowering, source, isShader, ProbeKind::Values),
      lowerProbed(job, lowering, source, isShader, ProbeKind::Marks)};
  for (Finding &finding : findings) {
    StringRef name = finding.location;
    Function *function = name.consume_front("function ") ? plain->getFunction(name) : nullptr;
    std::optional<unsigned> number = trialOf(finding);
    if (!function || !number)
      continue;
    for (std::unique_ptr<ProbedLowering> &each : lowerings)
      if (each && explain(*each, *function, *number, options, finding))
        break;
  }
}
