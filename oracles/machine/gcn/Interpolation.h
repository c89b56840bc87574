// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the parameters of a fragment's attributes lie in LDS: what rasterization puts there, and
// interpolation finds.
#pragma once

#include <cstdint>

namespace assay::gcn {

/// Primitives whose fragments a wave has. M0 holds where parameters begin, and from bit 16 on a bit
/// for each quad but the first that begins another primitive.
unsigned countPrimitives(uint32_t m0);

/// The byte in LDS of \p parameter (P0, P10 or P20: 0, 1, 2) of \p channel of \p attribute, as the
/// lanes of \p quad read it: attribute after attribute, primitive after primitive, x y z w of P0,
/// of P10, of P20.
uint64_t parameterAddress(uint32_t m0, unsigned quad, unsigned attribute, unsigned channel,
                          unsigned parameter);

} // namespace assay::gcn
