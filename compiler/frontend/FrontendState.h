// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front-end reads of the state of a pipeline.
#pragma once

#include "compiler/api/Pipeline.h"

namespace assay {

/// The state of a pipeline as far as the front-end reads it. Remembers what was read, for the hash
/// chain.
class FrontendState {
public:
  FrontendState(Robustness robustness = Robustness::None) : m_robustness(robustness) {}

  /// Whether robustness is Access2.
  bool hasRobustAccess2() const {
    m_readRobustness = true;
    return m_robustness == Robustness::Access2;
  }
  bool hasReadRobustness() const { return m_readRobustness; }

private:
  const Robustness m_robustness;
  mutable bool m_readRobustness = false;
};

} // namespace assay
