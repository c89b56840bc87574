// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells a Witness what a wave's instructions write.
#pragma once

#include "oracles/machine/gcn/Observer.h"
#include "oracles/machine/simt/Witness.h"

namespace assay::gcn {

/// An observer of \p wave, which is of dispatch number \p dispatch. \p witness outlives it.
std::unique_ptr<WaveObserver> createWitnessObserver(simt::Witness &witness, unsigned dispatch,
                                                    const Wave &wave);

} // namespace assay::gcn
