// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/ExplainTrial.h"

#include "oracles/fat_pointer/Signature.h"
#include "oracles/ir/Machine.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// Lanes and a log, nothing else.
class LoggedRun final : public ir::Environment {
public:
  LoggedRun(ir::ExecutionLog &log, unsigned lanes) : m_log(log), m_lanes(lanes) {}
  ir::Handler findCall(const Function &) const override { return nullptr; }
  void didWrite(const ir::Inst &, const ir::Lane &, uint64_t, uint64_t) const override {}
  unsigned waveSize() const override { return m_lanes; }
  ir::ExecutionLog *log() const override { return &m_log; }

private:
  ir::ExecutionLog &m_log;
  unsigned m_lanes;
};
} // namespace

/// Nothing where the interpreter does not know an instruction.
static std::optional<ir::ExecutionLog> logRun(Function &function,
                                              ArrayRef<std::vector<ir::Value>> arguments,
                                              ir::Memory memory, const ir::RunLimits &limits) {
  ir::ExecutionLog log;
  log.begin(memory);
  LoggedRun environment(log, static_cast<unsigned>(arguments.size()));
  ir::RunResult result = ir::Machine(function, memory, limits, &environment).run(arguments);
  if (result.state == ir::RunState::Unsupported)
    return std::nullopt;
  return log;
}

std::optional<Divergence> assay::explainTrial(Function &before, Function &after, const Trial &trial,
                                              const MeaningOptions &options,
                                              ArrayRef<ProbedInstruction> probed) {
  SignatureMap signature(before, after);
  if (!signature.problem().empty())
    return std::nullopt;
  std::vector<std::vector<ir::Value>> lowered;
  for (const std::vector<ir::Value> &lane : trial.arguments)
    lowered.push_back(signature.lowerArguments(lane));
  ir::RunLimits limits = options.limits;
  std::optional<ir::ExecutionLog> old = logRun(before, trial.arguments, trial.memory, limits);
  limits.instructions *= loweredFactor;
  std::optional<ir::ExecutionLog> now = logRun(after, lowered, trial.memory, limits);
  return old && now ? findDivergence(*old, *now, probed) : std::nullopt;
}
