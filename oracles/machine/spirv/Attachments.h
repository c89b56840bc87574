// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attachments of draws: levels of images of a case as targets of oracles/raster, and back.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/raster/Draw.h"
#include <map>
#include <memory>

namespace assay::reference {

/// The targets that a run has drawn into. What is open of their texels is kept here from draw to
/// draw; the buffers have it as intervals.
class Attachments {
public:
  explicit Attachments(const Case &input) : m_input(input) {}

  /// The targets of \p pipeline, which live as long as this object. Takes over what else has
  /// happened to \p states since. Unsupported for a format that is no target.
  llvm::Expected<raster::Framebuffer> open(const CasePipeline &pipeline,
                                           llvm::ArrayRef<BufferState> states);
  /// Writes the targets of \p pipeline into \p states, after resolving those that are resolved.
  /// Unsupported where more than 1 % of the texels of an image may have several values.
  llvm::Error close(const CasePipeline &pipeline, std::vector<BufferState> &states);

private:
  struct Target {
    std::unique_ptr<raster::RenderTarget> target;
    std::vector<uint8_t> written; ///< What close() left in the buffer: others have not changed it.
  };
  using Key = std::pair<unsigned, uint32_t>; ///< Buffer and level.

  llvm::Expected<raster::RenderTarget *> openTarget(const Attachment &attachment,
                                                    llvm::ArrayRef<BufferState> states);
  llvm::Error closeTarget(const Attachment &attachment, std::vector<BufferState> &states);
  /// Where a level begins in its buffer.
  uint64_t getOffset(const Attachment &attachment) const;

  const Case &m_input;
  std::map<Key, Target> m_targets;
};

} // namespace assay::reference
