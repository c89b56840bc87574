// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: AMD's RDNA 4 ISA manual, "Ray Tracing" (descriptor, results); Mesa, radv_nir_rt_common.c
// and bvh.h (nodes, arithmetic); S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle
// Intersection" (JCGT 2013).
#include "oracles/machine/gcn/image/RayIntersection.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// The pointer of a child that is not hit.
constexpr uint32_t NoChild = 0xffffffff;
/// Dwords and numbers of a node. A box node has four pointers, then six bounds for each child.
constexpr unsigned ChildCount = 4, FirstBound = 4, BoundsOfChild = 6, TriangleIdWord = 12;

/// One child of a box node.
struct Child {
  uint32_t pointer = NoChild;
  float key = std::numeric_limits<float>::infinity(); ///< Lower ones go first.
  bool isTriangle = false;
};
} // namespace

/// \p count bits, at most 32, from bit \p first of a descriptor on.
static uint32_t bitsOf(ArrayRef<uint32_t> words, unsigned first, unsigned count) {
  uint64_t pair = words[first / 32];
  if (first / 32 + 1 < words.size())
    pair |= uint64_t(words[first / 32 + 1]) << 32;
  return static_cast<uint32_t>(pair >> (first % 32) & ((uint64_t(1) << count) - 1));
}

/// Fields that a generation does not have are 0.
RayDescriptor gcn::decodeRayDescriptor(ArrayRef<uint32_t> words, unsigned gfxMajor) {
  RayDescriptor result;
  result.base = (words[0] | uint64_t(words[1] & 0xff) << 32) << 8;
  result.lastNode = words[2] | uint64_t(words[3] & 0x3ff) << 32;
  result.grow = bitsOf(words, 55, 8);
  result.sorts = bitsOf(words, 63, 1);
  result.givesBarycentrics = bitsOf(words, 120, 1);
  result.type = bitsOf(words, 124, 4);
  if (gfxMajor >= 11) {
    result.heuristic = bitsOf(words, 53, 2);
    result.hasPointerFlags = bitsOf(words, 119, 1);
  }
  if (gfxMajor >= 12) {
    result.trianglesFirst = bitsOf(words, 52, 1);
    result.hasWideNodes = bitsOf(words, 115, 2) != 0;
  }
  return result;
}

// --- Boxes

static float halfToFloat(uint32_t half) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, half & 0xffff));
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToFloat();
}

/// Number \p index of the bounds of all children.
static float readBound(ArrayRef<uint32_t> words, unsigned index, bool areHalves) {
  if (!areHalves)
    return llvm::bit_cast<float>(words[FirstBound + index]);
  return halfToFloat(words[FirstBound + index / 2] >> (index % 2 * 16));
}

/// An inverse without infinities, which times 0 would be no number.
static float finite(float value) {
  constexpr float Most = std::numeric_limits<float>::max();
  return value > Most ? Most : value < -Most ? -Most : value;
}

/// By the distance of entry, by the length inside (longest first), or by the middle.
static float sortKey(const RayDescriptor &descriptor, float enter, float leave) {
  switch (descriptor.heuristic) {
  case 1:
    return enter - leave;
  case 2:
    return enter + leave;
  default:
    return enter;
  }
}

/// Slab test with one child's box. A NaN as first bound marks a child that is not in use.
static Child intersectChild(ArrayRef<uint32_t> words, unsigned index, bool areHalves,
                            const RayDescriptor &descriptor, const Ray &ray) {
  float enter = -std::numeric_limits<float>::infinity();
  float leave = std::numeric_limits<float>::infinity();
  std::array<float, BoundsOfChild> bounds;
  for (unsigned i = 0; i < BoundsOfChild; ++i)
    bounds[i] = readBound(words, index * BoundsOfChild + i, areHalves);
  for (unsigned axis = 0; axis < 3; ++axis) {
    float inverse = finite(ray.inverse[axis]);
    float least = (bounds[axis] - ray.origin[axis]) * inverse;
    float most = (bounds[3 + axis] - ray.origin[axis]) * inverse;
    enter = std::fmax(enter, std::fmin(least, most));
    leave = std::fmin(leave, std::fmax(least, most));
  }
  Child child;
  bool isHit = !std::isnan(bounds[0]) && leave >= std::fmax(0.0f, enter) && enter < ray.extent;
  if (!isHit)
    return child;
  child.pointer = words[index];
  child.key = sortKey(descriptor, enter, leave);
  child.isTriangle = descriptor.trianglesFirst && (child.pointer & 7) < 4;
  return child;
}

/// Triangles come first where the descriptor wants that; else the keys decide.
static bool goesBefore(const Child &a, const Child &b) {
  return a.isTriangle != b.isTriangle ? a.isTriangle : a.key < b.key;
}

/// \p words is a whole box node, of 64 bytes with halves and of 128 without. Children that are not
/// hit have NoChild; unsorted ones keep their places.
RayWords gcn::intersectBoxes(ArrayRef<uint32_t> words, bool areHalves,
                             const RayDescriptor &descriptor, const Ray &ray) {
  std::array<Child, ChildCount> children;
  for (unsigned i = 0; i < ChildCount; ++i)
    children[i] = intersectChild(words, i, areHalves, descriptor, ray);
  // A sorting network, which tells the order of what is equal.
  static constexpr unsigned Network[][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}};
  if (descriptor.sorts)
    for (auto [first, second] : Network)
      if (goesBefore(children[second], children[first]))
        std::swap(children[first], children[second]);
  RayWords result;
  transform(children, result.begin(), [](const Child &child) { return child.pointer; });
  return result;
}

// --- Triangles

namespace {
/// Corners in a space where the ray is the z axis.
struct Sheared {
  std::array<float, 3> x, y, z;
};
} // namespace

/// The longest direction of the ray becomes z.
static Sheared shear(ArrayRef<uint32_t> words, const Ray &ray) {
  // The longest direction becomes z; its sign keeps the winding.
  unsigned kz = std::fabs(ray.direction[1]) > std::fabs(ray.direction[0]) ? 1 : 0;
  if (std::fabs(ray.direction[2]) > std::fabs(ray.direction[kz]))
    kz = 2;
  unsigned kx = (kz + 1) % 3, ky = (kz + 2) % 3;
  if (ray.direction[kz] < 0)
    std::swap(kx, ky);
  float sz = ray.inverse[kz];
  float sx = ray.direction[kx] * sz;
  float sy = ray.direction[ky] * sz;
  Sheared result;
  for (unsigned corner = 0; corner < 3; ++corner) {
    auto relative = [&](unsigned axis) {
      return llvm::bit_cast<float>(words[3 * corner + axis]) - ray.origin[axis];
    };
    result.x[corner] = relative(kx) - sx * relative(kz);
    result.y[corner] = relative(ky) - sy * relative(kz);
    result.z[corner] = sz * relative(kz);
  }
  return result;
}

/// \p words is a node with one triangle. A miss has an infinite time and a determinant of 1. Time
/// and barycentrics are not divided by the determinant.
RayWords gcn::intersectTriangle(ArrayRef<uint32_t> words, const RayDescriptor &descriptor,
                                const Ray &ray) {
  auto toBits = [](float value) { return llvm::bit_cast<uint32_t>(value); };
  Sheared p = shear(words, ray);
  float u = p.x[2] * p.y[1] - p.y[2] * p.x[1];
  float v = p.x[0] * p.y[2] - p.y[0] * p.x[2];
  float w = p.x[1] * p.y[0] - p.y[1] * p.x[0];
  bool isBack = u < 0 || v < 0 || w < 0;
  bool isFront = u > 0 || v > 0 || w > 0;
  float determinant = u + (v + w);
  float time = (u * p.z[0] + v * p.z[1]) + w * p.z[2];
  float sign = determinant > 0 ? 1.0f : determinant < 0 ? -1.0f : determinant;
  bool isHit = !(isBack && isFront) && !(sign * time < 0);
  if (!isHit) {
    time = std::numeric_limits<float>::infinity();
    determinant = 1;
    v = w = 0;
  }
  if (descriptor.givesBarycentrics)
    return {toBits(time), toBits(determinant), toBits(v), toBits(w)};
  return {toBits(time), toBits(determinant), words[TriangleIdWord], uint32_t(isHit)};
}
