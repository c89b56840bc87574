// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling with a sampler (Vulkan 1.3, "Sampling Operations"): all colours that an implementation
// may give, as an interval per channel. Coordinates and levels of detail are quantized to no fewer
// bits than Vulkan's minimum (subTexelPrecisionBits, mipmapPrecisionBits: 4), rounded either way;
// where the texel or the level then is open, the result covers all of them.
#pragma once

#include "oracles/machine/spirv/image/Image.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::reference {

/// What may come of a texel or a filter. Of integers the channels hold the bits, as numbers.
struct Color {
  std::array<Interval, 4> channel;
  uint8_t flags = 0; ///< Poison: nothing is known.
  Cause cause = Cause::Memory;

  static Color ambiguous();
  bool isPoison() const { return flags & Poison; }
  bool operator==(const Color &other) const;
  /// Takes over \p other as a further possibility.
  void include(const Color &other);
};

/// The colour of texel \p place, which the view contains.
using TexelSource = llvm::function_ref<TexelValue(const TexelPlace &place)>;

/// 2^subTexelPrecisionBits: the least that Vulkan permits, and what drivers in use have (AMD,
/// Intel, NVIDIA, Qualcomm and llvmpipe all report 8).
constexpr unsigned MinSubTexels = 16, PracticalSubTexels = 256;

struct SampleRequest {
  const ImageView *view = nullptr;
  const Sampler *sampler = nullptr;
  unsigned dimensions = 2; ///< Of the coordinates: 3 for a cube.
  bool isArrayed = false;
  Interval coordinates[3] = {}; ///< Projected already.
  Interval layer = {};          ///< With isArrayed.
  int64_t offset[3] = {};
  std::optional<Interval> lod = std::nullopt; ///< Else gradients:
  Interval gradients[2][3] = {};              ///< By x, by y.
  Interval bias = Interval::point(0);
  double minLod = -1000;                            ///< Of the instruction.
  std::optional<Interval> reference = std::nullopt; ///< With it, depths are compared.
  /// Steps of a texel that coordinates are quantized to at the coarsest.
  unsigned subTexels = MinSubTexels;
  /// One plain implementation alone: nothing is quantized, what may go either way goes the way the
  /// specification prefers.
  bool isNominal = false;
};

/// One sampling operation.
class TexelSampler {
public:
  /// Both must outlive this object.
  TexelSampler(const SampleRequest &request, TexelSource source);
  /// Why the operation has no meaning (Vulkan 1.3, "Instruction/Format/Sampler/Image View
  /// Validation"); empty if it has one.
  std::string whyNot() const;
  Color sample();
  /// OpImage*Gather: channel \p component of four texels. \p offsets, if given: ConstOffsets, as
  /// pairs.
  Color gather(unsigned component, const int64_t (*offsets)[2] = nullptr);
  /// OpImageQueryLod: the level that would be sampled, and what it is before it is clamped.
  std::pair<Interval, Interval> queryLod() const;
  /// The different texels of which the result of sample() is one, if no filter mixes texels; else
  /// empty.
  llvm::ArrayRef<Color> candidates() const {
    return m_mixesTexels ? llvm::ArrayRef<Color>() : llvm::ArrayRef<Color>(m_candidates);
  }
  /// The operation read a border whose colour is of another kind than the format.
  bool usedWrongBorder() const { return m_usedWrongBorder; }

private:
  /// Texel coordinates that the operation may come to, in one layer.
  struct Point {
    Interval place[3];
    int64_t layer;
  };
  /// Two neighbouring texels along a dimension, and the weights that the second may have.
  struct Segment {
    int64_t first;
    Interval weight;
  };
  using Segments = llvm::SmallVector<Segment, 2>;

  Interval computeLod() const;
  Interval computeUnclampedLod() const;
  void includeLevels(Filter filter, const Interval &level, std::optional<Color> &result);
  Color sampleLevel(uint32_t level, Filter filter);
  llvm::SmallVector<Point, 2> pointsOf(uint32_t level) const;
  Color sampleNearest(uint32_t level, const Point &point);
  Color sampleLinear(uint32_t level, const Point &point);
  Color sampleCell(uint32_t level, int64_t layer, llvm::ArrayRef<Segment> cell);
  Color blend(llvm::ArrayRef<Color> texels, llvm::ArrayRef<Segment> cell) const;
  Color texel(uint32_t level, int64_t layer, const int64_t *place, bool isSeamless);
  Color cubeTexel(uint32_t level, int64_t layer, const int64_t *place, bool isSeamless);
  Color border();
  Color read(const TexelPlace &place);
  Interval compare(const Interval &depth) const;
  unsigned filteredDimensions() const { return m_view.isCube ? 2 : m_request.dimensions; }

  const SampleRequest &m_request;
  const ImageView &m_view;
  const Sampler &m_sampler;
  TexelSource m_source;
  bool m_usedWrongBorder = false;
  llvm::SmallVector<Color, 4> m_candidates; ///< Of nearest filters.
  bool m_mixesTexels = false;
};

} // namespace assay::reference
