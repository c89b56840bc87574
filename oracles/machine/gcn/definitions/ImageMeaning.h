// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the definitions of image instructions share: addresses, texels.
#pragma once

#include "oracles/machine/gcn/definitions/Effect.h"

namespace assay::gcn::definitions {

/// Where a texel is; whatever the image has not is 0.
struct TexelAt {
  std::array<int64_t, 3> at = {};
  int64_t layer = 0, sample = 0, level = 0;
};

/// The addresses of a lane, from the first to the last.
class AddressReader {
public:
  AddressReader(const Request &request, const World &world, unsigned lane)
      : m_request(request), m_world(world), m_lane(lane) {}

  /// The next register as a whole; an odd half that is left is skipped.
  uint32_t word();
  /// A coordinate, level or bias: 16 bits of each register after the other, with a16.
  double number();
  /// A coordinate, layer or sample, likewise.
  int64_t integer();
  double halfNumber() { return toNumber(half()); }
  /// Leaves the high half of the current register.
  void finishRegister() { m_halves += m_halves % 2; }

private:
  uint32_t half();
  static double toNumber(uint32_t half);

  const Request &m_request;
  const World &m_world;
  unsigned m_lane;
  unsigned m_halves = 0; ///< Read so far.
};

/// The bytes of a texel; null outside of the image.
uint8_t *findTexel(World &world, const TexelAt &place);
/// X, Y, Z and W as words, after the descriptor's selection; zeros outside, of which a selection
/// may make ones.
std::array<uint32_t, 4> readTexel(World &world, const TexelAt &place);

/// Writes the components that the mask names (or all of \p words, with \p all) to the destination.
void writeTexel(const Request &request, World &world, unsigned lane,
                const std::array<uint32_t, 4> &words, char letter, bool all);

/// What image_sample*, image_gather4* and image_get_lod do in all lanes.
void sampleImage(const Request &request, World &world, const ImageOperands &operands);

} // namespace assay::gcn::definitions
