// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attachments of draws: levels of images of a case as targets of oracles/raster, and back.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/raster/Draw.h"
#include <map>
#include <memory>
#include <set>

namespace assay {

/// The targets of a draw or clear. Between two of them, the buffers have all that is known of the
/// texels.
class Attachments {
public:
  explicit Attachments(const Case &input) : m_input(input) {}

  /// The targets of \p pipeline, loaded from \p states; valid until they are opened again.
  /// Unsupported for a format that is no target.
  llvm::Expected<raster::Framebuffer> open(const CasePipeline &pipeline,
                                           llvm::ArrayRef<BufferState> states);
  /// Writes the targets of \p pipeline, which are open, into \p states, after resolving those that
  /// are resolved.
  llvm::Error close(const CasePipeline &pipeline, std::vector<BufferState> &states);
  /// Texels that RenderTarget::noteRounding() was called for in any draw, by the buffer and the
  /// offset of their first byte.
  const std::set<std::pair<unsigned, uint64_t>> &roundedTexels() const { return m_rounded; }

private:
  using Key = std::pair<unsigned, uint32_t>; ///< Buffer and level.

  /// The target stays owned by m_targets.
  llvm::Expected<raster::RenderTarget *> openTarget(const Attachment &attachment,
                                                    llvm::ArrayRef<BufferState> states);
  void closeTarget(const Attachment &attachment, std::vector<BufferState> &states);
  /// Where a level begins in its buffer.
  uint64_t getOffset(const Attachment &attachment) const;

  const Case &m_input;
  std::map<Key, std::unique_ptr<raster::RenderTarget>> m_targets; ///< By buffer and level.
  std::set<std::pair<unsigned, uint64_t>> m_rounded;
};

/// The vertices of \p draw, from the index buffer of \p pipeline if it is indexed. InvalidInput,
/// with the line, for an index outside of its buffer.
llvm::Expected<std::vector<raster::DrawVertex>>
listVertices(const Draw &draw, const CasePipeline &pipeline, llvm::ArrayRef<BufferState> states);

/// Executes \p clear on the targets of its pipeline, which \p attachments are of.
llvm::Error clearTargets(const Clear &clear, const CasePipeline &pipeline, Attachments &attachments,
                         std::vector<BufferState> &states);

/// Drops what the states of the targets of \p pipeline leave open: a machine has stored the texels
/// that they have. It made the choices that the model leaves to implementations.
void settleTexels(const CasePipeline &pipeline, std::vector<BufferState> &states);

/// Ends a run by \p error where that says what is not possible here: \p outcome is Unsupported, and
/// false is returned. Other errors are returned.
llvm::Expected<bool> endUnsupported(llvm::Error error, Outcome &outcome);

} // namespace assay
