// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/image/CubeMap.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// A direction of an axis.
struct Axis {
  unsigned axis;
  double sign;
};
/// Major axis, s_c and t_c of a face.
struct FaceRow {
  Axis major, s, t;
};
} // namespace

// In the order of layers: +X, -X, +Y, -Y, +Z, -Z.
static constexpr FaceRow faces[6] = {{{0, 1}, {2, -1}, {1, -1}}, {{0, -1}, {2, 1}, {1, -1}},
                                     {{1, 1}, {0, 1}, {2, 1}},   {{1, -1}, {0, 1}, {2, -1}},
                                     {{2, 1}, {0, 1}, {1, -1}},  {{2, -1}, {0, -1}, {1, -1}}};

/// The component of \p direction along \p axis.
static Interval along(const Interval direction[3], const Axis &axis) {
  return axis.sign < 0 ? negate(direction[axis.axis]) : direction[axis.axis];
}

/// Of a positive number.
static bool isPowerOfTwo(double x) {
  return quantumOf(x) == x;
}

/// (part / major + 1) / 2, for major > 0. Exact where the division has nothing to round.
static Interval toFace(const Interval &part, const Interval &major) {
  double quotients[] = {part.lo / major.lo, part.lo / major.hi, part.hi / major.lo,
                        part.hi / major.hi};
  Interval quotient{*std::min_element(quotients, quotients + 4),
                    *std::max_element(quotients, quotients + 4), false};
  bool isExact = major.isPoint() && isPowerOfTwo(major.lo);
  if (!isExact && !(quotient.lo == 0 && quotient.hi == 0))
    quotient = widenUlps(quotient, 2.5);
  return {quotient.lo * 0.5 + 0.5, quotient.hi * 0.5 + 0.5, false};
}

/// A face is possible where its major component may be the largest.
SmallVector<FacePoint, 2> reference::selectFaces(const Interval direction[3]) {
  SmallVector<FacePoint, 2> points;
  double certain = 0; // The largest component is at least this.
  for (unsigned i = 0; i < 3; ++i) {
    if (direction[i].nan || direction[i].isEmpty())
      return points;
    Interval size = absolute(direction[i]);
    certain = std::max(certain, size.lo);
  }
  if (!(certain > 0) || certain - certain != 0)
    return points;
  for (unsigned face = 0; face < 6; ++face) {
    Interval major = along(direction, faces[face].major);
    if (major.hi < certain)
      continue;
    major.lo = std::max(major.lo, certain);
    points.push_back({face, toFace(along(direction, faces[face].s), major),
                      toFace(along(direction, faces[face].t), major)});
  }
  return points;
}

/// |(|r| dp - p dr) / (2 r^2)|, with room for the roundings.
static Interval speedOf(const Interval &part, const Interval &major, const Interval &partMoves,
                        const Interval &majorMoves) {
  auto product = [](const Interval &a, const Interval &b) -> Interval {
    double values[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return {*std::min_element(values, values + 4), *std::max_element(values, values + 4), false};
  };
  Interval size = absolute(major);
  Interval first = product(size, partMoves), second = product(part, majorMoves);
  Interval top = absolute({first.lo - second.hi, first.hi - second.lo, false});
  return {top.lo / (2 * size.hi * size.hi) * (1 - 0x1p-20),
          top.hi / (2 * size.lo * size.lo) * (1 + 0x1p-20), false};
}

/// The major component is kept above 2^-126, so that the quotient stays finite.
FaceSpeed reference::faceSpeed(unsigned face, const Interval direction[3],
                               const Interval derivative[3]) {
  const FaceRow &row = faces[face];
  Interval major = along(direction, row.major), majorMoves = along(derivative, row.major);
  major.lo = std::max(major.lo, 0x1p-126);
  return {speedOf(along(direction, row.s), major, along(derivative, row.s), majorMoves),
          speedOf(along(direction, row.t), major, along(derivative, row.t), majorMoves)};
}

FaceTexel reference::crossEdge(const FaceTexel &texel, int64_t size) {
  const FaceRow &row = faces[texel.face];
  double n = static_cast<double>(size);
  // The edge's point next to the texel's centre, then half a texel down the other face.
  auto onFace = [&](int64_t i) {
    return i < 0 ? -1.0 : i >= size ? 1.0 : (2 * static_cast<double>(i) + 1) / n - 1;
  };
  double point[3];
  point[row.major.axis] = row.major.sign * (1 - 1 / n);
  point[row.s.axis] = row.s.sign * onFace(texel.x);
  point[row.t.axis] = row.t.sign * onFace(texel.y);
  FaceTexel result;
  for (unsigned face = 0; face < 6; ++face)
    if (point[faces[face].major.axis] * faces[face].major.sign == 1)
      result.face = face;
  const FaceRow &other = faces[result.face];
  auto texelOf = [&](const Axis &axis) {
    double position = (point[axis.axis] * axis.sign + 1) / 2 * n;
    return std::clamp<int64_t>(static_cast<int64_t>(floorOf(position)), 0, size - 1);
  };
  result.x = texelOf(other.s);
  result.y = texelOf(other.t);
  return result;
}
