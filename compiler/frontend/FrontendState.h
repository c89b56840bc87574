// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front-end reads of the state of a pipeline.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"

namespace assay {

/// The part of a pipeline's state that the front-end reads. Remembers what was read, for the hash
/// chain.
class FrontendState {
public:
  FrontendState(Robustness robustness = Robustness::None,
                Architecture architecture = Architecture::AmdGpu)
      : m_architecture(architecture), m_robustness(robustness) {}

  /// Untracked: each target has one, and the chain begins with the target.
  Architecture getArchitecture() const { return m_architecture; }

  /// Whether robustness is Access2.
  bool hasRobustAccess2() const {
    m_readRobustness = true;
    return m_robustness == Robustness::Access2;
  }
  bool hasReadRobustness() const { return m_readRobustness; }

private:
  const Architecture m_architecture;
  const Robustness m_robustness;
  mutable bool m_readRobustness = false;
};

} // namespace assay
