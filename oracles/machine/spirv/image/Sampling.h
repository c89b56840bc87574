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

  /// The level of detail within the bounds of sampler and instruction.
  Interval computeLod() const;
  /// The level with all biases.
  Interval computeUnclampedLod() const;
  /// Adds what sampling at \p level gives with \p filter in a level.
  void includeLevels(Filter filter, const Interval &level, std::optional<Color> &result);
  /// Samples one level at all points that it may come to.
  Color sampleLevel(uint32_t level, Filter filter);
  /// Texel coordinates in \p level: one per possible face and layer. Empty where nothing useful can
  /// be said.
  llvm::SmallVector<Point, 2> pointsOf(uint32_t level) const;
  /// All texels that the point may lie in. Also collects m_candidates.
  Color sampleNearest(uint32_t level, const Point &point);
  /// The weighted sum of up to eight texels, over all cells that the point may lie in.
  Color sampleLinear(uint32_t level, const Point &point);
  /// \p cell: one segment for each filtered dimension.
  Color sampleCell(uint32_t level, int64_t layer, llvm::ArrayRef<Segment> cell);
  /// Bounds of the weighted sum. \p texels has a colour for each corner, the first dimension in bit
  /// 0.
  Color blend(llvm::ArrayRef<Color> texels, llvm::ArrayRef<Segment> cell) const;
  /// Reads a texel after the address modes. \p isSeamless: places beyond the edge of a cube's face
  /// are on the neighbour.
  Color texel(uint32_t level, int64_t layer, const int64_t *place, bool isSeamless);
  Color cubeTexel(uint32_t level, int64_t layer, const int64_t *place, bool isSeamless);
  /// The border colour as the format shows it, compared if the operation compares.
  Color border();
  /// Reads a texel of the view, compared if the operation compares.
  Color read(const TexelPlace &place);
  Interval compare(const Interval &depth) const;
  unsigned filteredDimensions() const { return m_view.isCube ? 2 : m_request.dimensions; }

  const SampleRequest &m_request;
  const ImageView &m_view;
  const Sampler &m_sampler;
  TexelSource m_source;
  bool m_usedWrongBorder = false;
  llvm::SmallVector<Color, 4> m_candidates; ///< Of nearest filters.
  /// A filter has combined texels, or may have read too many to list.
  bool m_mixesTexels = false;
};

} // namespace assay::reference
