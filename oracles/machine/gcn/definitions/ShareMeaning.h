// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the definitions of DS instructions share.
#pragma once

#include "oracles/machine/gcn/definitions/Effect.h"

namespace assay::gcn::definitions {

/// Byte \p index of the \p bytes at \p address of the data share. Null: it reads as 0 and is not
/// written, or World::faults is set.
uint8_t *shareByte(const Request &request, World &world, uint32_t address, unsigned bytes,
                   unsigned index);

/// The active lanes, from GFX11 on for the global share the lowest only.
void forShareLanes(const Request &request, const World &world,
                   llvm::function_ref<void(unsigned lane)> visit);

/// Counters, orders, synchronization: \p name without "ds_".
std::optional<Effect> shareCounterEffect(llvm::StringRef name);
/// Lanes that read each other's registers.
std::optional<Effect> laneExchangeEffect(llvm::StringRef name);

} // namespace assay::gcn::definitions
