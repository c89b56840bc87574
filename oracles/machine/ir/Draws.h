// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of machine ir: oracles/raster with shaders in IR, linked or not, as they are before an
// architecture lowers them.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/Attachments.h"
#include "oracles/machine/ir/IrImage.h"
#include "llvm/Support/Error.h"

namespace assay::irm {

/// The graphics pipelines of one case.
class IrDraws {
public:
  /// All must outlive this.
  IrDraws(const Case &input, const TargetInfo &target, const RunOptions &options);

  /// \p text is that of pipeline \p number of the case (loadStages). Unsupported: stages other than
  /// Vertex and Fragment, and fragment shaders that write memory, for whose helper invocations
  /// nothing keeps it from happening.
  llvm::Error load(size_t number, llvm::StringRef text);

  /// Draws on \p buffers, in place. False: the run ended there; \p outcome has kind and reason.
  llvm::Expected<bool> draw(const Draw &draw, std::vector<BufferState> &buffers, Outcome &outcome);
  /// As draw(), for a clear of the pipeline's attachments.
  llvm::Expected<bool> clear(const Clear &clear, std::vector<BufferState> &buffers,
                             Outcome &outcome);

private:
  struct Program {
    std::optional<StageImage> vertex, fragment;
  };

  const Case &m_input;
  const TargetInfo &m_target;
  const RunOptions &m_options;
  std::vector<uint64_t> m_addresses; ///< Of buffers, in their order.
  Attachments m_attachments;
  std::vector<Program> m_programs; ///< One a pipeline; empty for compute pipelines.
};

} // namespace assay::irm
