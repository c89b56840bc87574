// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ray against a node, from the table of the descriptor and the results in AMD's RDNA 4 ISA manual
// ("Ray Tracing") and from bvh.h and the software path of Mesa's radv_nir_rt_common.c: slabs for
// boxes; Woop, Benthin and Wald's test for triangles. Each operation is done in double and rounded
// to f32, which rounds once. The order of children of the same distance is not defined.
#include "oracles/machine/gcn/definitions/Effect.h"
#include "oracles/machine/gcn/definitions/Texel.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {

using Vector = std::array<double, 3>;

/// A ray. All numbers are f32 or halves in double.
struct Question {
  double extent;
  Vector origin, direction, inverse;
};

/// A child that the ray hits.
struct Hit {
  uint32_t pointer;
  bool isTriangle;
  double enter, leave;
};

} // namespace

/// To the nearest f32.
static double rounded(double value) {
  return double(static_cast<float>(value));
}

static double toNumber(uint32_t word) {
  float value;
  __builtin_memcpy(&value, &word, sizeof word);
  return double(value);
}

static uint32_t toWord(double number) {
  auto value = static_cast<float>(number);
  uint32_t word;
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}

/// Node pointer, extent, origin, direction, inverse. With a16 the last two are halves: one after
/// the other on GFX10, later a pair in each register.
static uint64_t readRay(const Request &request, const World &world, bool isWide, unsigned lane,
                        Question &ray) {
  unsigned next = request.address;
  auto take = [&] { return world.v[next++][lane]; };
  uint64_t pointer = take();
  if (isWide)
    pointer |= uint64_t(take()) << 32;
  ray.extent = toNumber(take());
  for (double &number : ray.origin)
    number = toNumber(take());
  std::array<double, 6> rest{};
  for (unsigned i = 0; i < 6; ++i) {
    if (!request.a16) {
      rest[i] = toNumber(take());
      continue;
    }
    unsigned half = world.gfx == 10 ? i : i < 3 ? 2 * i : 2 * (i - 3) + 1;
    rest[i] = toNumber(halfToWord(world.v[next + half / 2][lane] >> (half % 2 * 16), 'F'));
  }
  for (unsigned i = 0; i < 3; ++i) {
    ray.direction[i] = rest[i];
    ray.inverse[i] = rest[3 + i];
  }
  return pointer;
}

/// Dwords of a node; zeros beyond the last one.
static std::vector<uint32_t> readNode(World &world, uint64_t base, uint64_t last, uint64_t node,
                                      unsigned dwords) {
  std::vector<uint32_t> words(dwords);
  if (node + (dwords - 1) / 16 > last)
    return words;
  for (unsigned i = 0; i < dwords * 4; ++i) {
    const uint8_t *byte = world.memory.at(base + node * 64 + i);
    world.faults |= !byte;
    words[i / 4] |= byte ? uint32_t(*byte) << (i % 4 * 8) : 0;
  }
  return words;
}

/// Slab test of the box of one child. Nothing for a miss, and for a child with a NaN as its first
/// bound.
static std::optional<Hit> testChild(const std::vector<uint32_t> &words, unsigned child,
                                    bool areHalves, const Question &ray) {
  constexpr double Most = 3.4028234663852886e38;
  Hit hit{words[child], (words[child] & 7) < 4, -INFINITY, INFINITY};
  for (unsigned axis = 0; axis < 3; ++axis) {
    double planes[2];
    for (unsigned side = 0; side < 2; ++side) {
      unsigned index = child * 6 + side * 3 + axis;
      double at = areHalves ? toNumber(halfToWord(words[4 + index / 2] >> (index % 2 * 16), 'F'))
                            : toNumber(words[4 + index]);
      if (std::isnan(at) && index % 6 == 0)
        return std::nullopt; // Not in use.
      double inverse = std::min(std::max(ray.inverse[axis], -Most), Most);
      planes[side] = rounded(rounded(at - ray.origin[axis]) * inverse);
    }
    hit.enter = std::max(hit.enter, std::min(planes[0], planes[1]));
    hit.leave = std::min(hit.leave, std::max(planes[0], planes[1]));
  }
  bool isHit = hit.leave >= 0 && hit.leave >= hit.enter && hit.enter < ray.extent;
  return isHit ? std::optional(hit) : std::nullopt;
}

/// Children are visited by this number, the lowest first: entry, length (the longest first), or
/// middle, as \p heuristic says.
static double sortKey(const Hit &hit, unsigned heuristic) {
  return heuristic == 0   ? hit.enter
         : heuristic == 1 ? -rounded(hit.leave - hit.enter)
                          : rounded(hit.enter + hit.leave);
}

/// The pointers of the children that the ray hits, sorted when the descriptor says so; all ones for
/// the others.
static std::array<uint32_t, 4> testBoxes(const World &world, unsigned descriptor,
                                         const std::vector<uint32_t> &words, bool areHalves,
                                         const Question &ray) {
  uint32_t word1 = world.s[descriptor + 1];
  unsigned heuristic = world.gfx >= 11 ? word1 >> 21 & 3 : 0;
  bool trianglesFirst = world.gfx >= 12 && word1 >> 20 & 1;
  std::array<std::optional<Hit>, 4> hits;
  for (unsigned i = 0; i < 4; ++i)
    hits[i] = testChild(words, i, areHalves, ray);
  std::array<uint32_t, 4> result = {~0u, ~0u, ~0u, ~0u};
  auto goesBefore = [&](const Hit &a, const Hit &b) {
    if (trianglesFirst && a.isTriangle != b.isTriangle)
      return a.isTriangle;
    return sortKey(a, heuristic) < sortKey(b, heuristic);
  };
  for (unsigned i = 0; i < 4; ++i) {
    if (!hits[i])
      continue;
    unsigned rank = i;
    if (word1 >> 31) {
      rank = 0;
      for (const std::optional<Hit> &other : hits)
        rank += other && goesBefore(*other, *hits[i]);
    }
    result[rank] = hits[i]->pointer;
  }
  return result;
}

/// Time, determinant and barycentrics; nothing where the ray misses.
static std::optional<std::array<double, 4>> testTriangle(const std::vector<uint32_t> &words,
                                                         const Question &ray) {
  unsigned z = 0;
  for (unsigned axis : {1u, 2u})
    if (std::abs(ray.direction[axis]) > std::abs(ray.direction[z]))
      z = axis;
  bool isReversed = ray.direction[z] < 0;
  unsigned x = (z + (isReversed ? 2 : 1)) % 3, y = (z + (isReversed ? 1 : 2)) % 3;
  double scale = ray.inverse[z];
  std::array<Vector, 3> corner;
  for (unsigned i = 0; i < 3; ++i) {
    auto from = [&](unsigned axis) {
      return rounded(toNumber(words[3 * i + axis]) - ray.origin[axis]);
    };
    auto sheared = [&](unsigned axis) {
      return rounded(from(axis) - rounded(rounded(ray.direction[axis] * scale) * from(z)));
    };
    corner[i] = {sheared(x), sheared(y), rounded(scale * from(z))};
  }
  Vector edge;
  for (unsigned i = 0; i < 3; ++i) { // u: against corner 0, and so on.
    const Vector &a = corner[(i + 2) % 3], &b = corner[(i + 1) % 3];
    edge[i] = rounded(rounded(a[0] * b[1]) - rounded(a[1] * b[0]));
  }
  bool hasNegative = edge[0] < 0 || edge[1] < 0 || edge[2] < 0;
  bool hasPositive = edge[0] > 0 || edge[1] > 0 || edge[2] > 0;
  double determinant = rounded(edge[0] + rounded(edge[1] + edge[2]));
  double time = rounded(rounded(rounded(edge[0] * corner[0][2]) + rounded(edge[1] * corner[1][2])) +
                        rounded(edge[2] * corner[2][2]));
  bool isBehind = (determinant > 0 && time < 0) || (determinant < 0 && time > 0);
  if ((hasNegative && hasPositive) || isBehind)
    return std::nullopt;
  return std::array<double, 4>{time, determinant, edge[1], edge[2]};
}

/// Tests the node of each active lane. Nodes of other types give all ones.
static void intersect(const Request &request, World &world, bool isWide) {
  const uint32_t *words = &world.s[request.sbase];
  uint64_t base = (words[0] + (uint64_t(words[1] & 0xff) << 32)) * 256;
  uint64_t last = words[2] + (uint64_t(words[3] & 0x3ff) << 32);
  bool givesBarycentrics = words[3] >> 24 & 1;
  world.faults |= words[3] >> 28 != 8;
  World before = world;
  before.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    Question ray{};
    uint64_t pointer = readRay(request, before, isWide, lane, ray);
    unsigned type = pointer & 7;
    std::array<uint32_t, 4> result = {~0u, ~0u, ~0u, ~0u};
    if (type == 4 || type == 5) {
      std::vector<uint32_t> node = readNode(world, base, last, pointer / 8, type == 4 ? 16 : 32);
      result = testBoxes(before, request.sbase, node, type == 4, ray);
    } else if (type == 0) {
      std::vector<uint32_t> node = readNode(world, base, last, pointer / 8, 16);
      auto hit = testTriangle(node, ray);
      std::array<double, 4> numbers = hit.value_or(std::array<double, 4>{INFINITY, 1, 0, 0});
      for (unsigned i = 0; i < 4; ++i)
        result[i] = toWord(numbers[i]);
      if (!givesBarycentrics) {
        result[2] = node[12];
        result[3] = hit.has_value();
      }
    }
    for (unsigned i = 0; i < 4; ++i)
      world.v[request.dst + i][lane] = result[i];
  });
}

std::optional<Effect> gcn::definitions::rayEffect(StringRef name) {
  if (name != "image_bvh_intersect_ray" && name != "image_bvh64_intersect_ray")
    return std::nullopt;
  Effect effect;
  effect.dst = 4;
  effect.run = [isWide = name.contains("64")](const Request &request, World &world) {
    intersect(request, world, isWide);
  };
  return effect;
}
