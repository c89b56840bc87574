// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How machine gcn gets its draws: oracles/machine/gcn/graphics has them, which builds on this
// folder.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/machine/simt/RunContext.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace assay::gcn {

/// The graphics pipelines of one case, ready to draw.
class DrawModel {
public:
  virtual ~DrawModel() = default;
  /// Draws on \p buffers, in place. False: the run ended there; \p outcome has kind and reason.
  virtual llvm::Expected<bool> draw(const Draw &draw, std::vector<BufferState> &buffers,
                                    Outcome &outcome, simt::RunContext &context) = 0;
  virtual llvm::Expected<bool> clear(const Clear &clear, std::vector<BufferState> &buffers,
                                     Outcome &outcome) = 0;
};

/// Loads the graphics pipelines of \p input, whose code is in \p artifacts (one a pipeline). The
/// arguments outlive the result.
using LoadDraws = llvm::Expected<std::unique_ptr<DrawModel>> (*)(const Case &input,
                                                                 llvm::ArrayRef<Artifact> artifacts,
                                                                 const TargetInfo &target);

} // namespace assay::gcn
