// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Field places: AMD's ISA manuals ("Image Resource Descriptor", "Image Sampler Descriptor") and
// register descriptions; for GFX12 Mesa's gfx12-rsrc.json, whose places code of ACO reads.
#include "oracles/machine/gcn/image/ImageDescriptor.h"

#include "support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// The fields of a T#, as they stand there.
struct Fields {
  uint32_t baseLow = 0, baseHigh = 0;
  uint32_t dataFormat = 0, numberFormat = 0; ///< GFX9.
  uint32_t format = 0;
  uint32_t widthLow = 0, widthHigh = 0; ///< Less one.
  uint32_t height = 0;                  ///< Less one.
  uint32_t resourceLevel = 0;
  uint32_t select[4] = {};
  uint32_t baseLevel = 0, lastLevel = 0;
  uint32_t type = 0;
  uint32_t depth = 0;         ///< Less one.
  uint32_t maxMip = 0;        ///< Of multisampled images the logarithm of their samples.
  uint32_t borderSwizzle = 0; ///< BC_SWIZZLE.
};

/// Where a field is in a T#, on generations \c minGfx to \c maxGfx.
struct FieldRow {
  uint32_t &(*field)(Fields &);
  uint8_t word, shift, width;
  uint8_t minGfx, maxGfx;
};

/// Access to a member for the table, which cannot hold pointers to elements of arrays.
template <auto Member> uint32_t &get(Fields &fields) {
  return fields.*Member;
}
template <unsigned Index> uint32_t &getSelect(Fields &fields) {
  return fields.select[Index];
}

constexpr FieldRow Rows[] = {
    {get<&Fields::baseLow>, 0, 0, 32, 9, 12},
    {get<&Fields::baseHigh>, 1, 0, 8, 9, 12},
    {get<&Fields::dataFormat>, 1, 20, 6, 9, 9},
    {get<&Fields::numberFormat>, 1, 26, 4, 9, 9},
    {get<&Fields::format>, 1, 20, 9, 10, 10},
    {get<&Fields::format>, 1, 20, 8, 11, 11},
    {get<&Fields::format>, 1, 17, 8, 12, 12},
    {get<&Fields::maxMip>, 1, 16, 4, 11, 11},
    {get<&Fields::maxMip>, 1, 12, 5, 12, 12},
    {get<&Fields::widthLow>, 1, 30, 2, 10, 12},
    {get<&Fields::widthHigh>, 2, 0, 12, 10, 11},
    {get<&Fields::widthHigh>, 2, 0, 14, 12, 12},
    {get<&Fields::widthHigh>, 2, 0, 14, 9, 9},
    {get<&Fields::height>, 2, 14, 14, 9, 11},
    {get<&Fields::height>, 2, 14, 16, 12, 12},
    {get<&Fields::resourceLevel>, 2, 31, 1, 10, 10},
    {getSelect<0>, 3, 0, 3, 9, 12},
    {getSelect<1>, 3, 3, 3, 9, 12},
    {getSelect<2>, 3, 6, 3, 9, 12},
    {getSelect<3>, 3, 9, 3, 9, 12},
    {get<&Fields::baseLevel>, 3, 12, 4, 9, 11},
    {get<&Fields::baseLevel>, 1, 25, 5, 12, 12},
    {get<&Fields::lastLevel>, 3, 16, 4, 9, 11},
    {get<&Fields::lastLevel>, 3, 15, 5, 12, 12},
    {get<&Fields::type>, 3, 28, 4, 9, 12},
    {get<&Fields::depth>, 4, 0, 13, 9, 11},
    {get<&Fields::depth>, 4, 0, 14, 12, 12},
    {get<&Fields::maxMip>, 5, 4, 4, 10, 10},
    {get<&Fields::maxMip>, 5, 28, 4, 9, 9},
    {get<&Fields::borderSwizzle>, 4, 29, 3, 9, 9},
    {get<&Fields::borderSwizzle>, 3, 25, 3, 10, 12},
};

/// Where a field is in an S#: dword, lowest bit, number of bits.
struct SamplerRow {
  uint8_t word, shift, width;
};
/// Fields of an S#, the same since GFX9 except for those below. The machine decodes neither
/// TRUNC_COORD nor what corrects filters of GFX9; drivers set them.
constexpr SamplerRow ClampRows[] = {{0, 0, 3}, {0, 3, 3}, {0, 6, 3}};
constexpr SamplerRow CompareRow = {0, 12, 3};
constexpr SamplerRow UnnormalizedRow = {0, 15, 1};
constexpr SamplerRow MinLodRow = {1, 0, 12}; ///< Unsigned, 8 bits of fraction; GFX12: 13 bits.
constexpr SamplerRow MaxLodRow = {1, 12, 12};
constexpr SamplerRow BiasRow = {2, 0, 14}; ///< Signed, 8 bits of fraction.
constexpr SamplerRow MagRow = {2, 20, 2};
constexpr SamplerRow MinRow = {2, 22, 2};
constexpr SamplerRow MipRow = {2, 26, 2};
constexpr SamplerRow BorderRow = {3, 30, 2};
constexpr SamplerRow TruncatesRow = {0, 27, 1};
constexpr SamplerRow CompatibleRow = {0, 31, 1};   ///< GFX9.
constexpr SamplerRow PrecisionFixRow = {2, 30, 1}; ///< GFX9.
constexpr double LodUnits = 256;                   ///< A level of detail, in units of the fields.
} // namespace

static uint32_t maskOf(unsigned width) {
  return maskTrailingOnes<uint32_t>(width);
}

/// Sizes in texels of a level of the image; layers are not among them.
std::array<uint32_t, 3> ImageDescriptor::extent(uint32_t level) const {
  auto shrunk = [&](uint32_t size) { return std::max(1u, size >> level); };
  return {shrunk(width), shrunk(height), is3D() ? shrunk(depth) : 1u};
}

/// Where the alpha of a border's predefined colour goes: it must be where the format has its own
/// (Mesa, ac_border_color_swizzle). A component of 64 bits counts as one, though it has two halves.
static uint32_t borderSwizzle(const Selection &select) {
  enum : uint32_t { Xyzw, Xwyz, Wzyx, Wxyz, Zyxw, Yxwz };
  if (select[3] == SelectX)
    return select[2] == SelectX + 1 ? Wzyx : Wxyz;
  if (select[0] == SelectX)
    return select[1] == SelectX + 1 && select[3] != SelectZero ? Xyzw : Xwyz;
  if (select[1] == SelectX)
    return Yxwz;
  return select[2] == SelectX ? Zyxw : Xyzw;
}

/// Unsupported when the generation has no such format. Fields that are too small for a value cut it
/// off. \c base is a multiple of 256.
Expected<ImageWords> gcn::encodeImage(const ImageDescriptor &image, unsigned gfxMajor) {
  std::optional<uint32_t> format = encodeFormat(image.texel.format, gfxMajor);
  if (!format)
    return unsupported("gcn: no such texel format on GFX" + Twine(gfxMajor));
  Fields fields;
  fields.baseLow = static_cast<uint32_t>(image.base >> 8);
  fields.baseHigh = static_cast<uint32_t>(image.base >> 40);
  fields.format = *format;
  fields.dataFormat = *format >> 4;
  fields.numberFormat = *format & 15;
  fields.widthLow = (image.width - 1) & 3;
  fields.widthHigh = gfxMajor == 9 ? image.width - 1 : (image.width - 1) >> 2;
  fields.height = image.height - 1;
  fields.resourceLevel = 1;
  for (unsigned i = 0; i < 4; ++i)
    fields.select[i] = image.texel.select[i];
  fields.baseLevel = image.isMultisampled() ? 0 : image.baseLevel;
  fields.lastLevel = image.isMultisampled() ? Log2_32(image.samples) : image.lastLevel;
  fields.type = static_cast<uint32_t>(image.kind);
  fields.depth = image.depth - 1;
  fields.maxMip = image.isMultisampled() ? Log2_32(image.samples) : image.levels - 1;
  fields.borderSwizzle = image.texel.isStencil ? 0 : borderSwizzle(image.texel.select);
  ImageWords words = {};
  for (const FieldRow &row : Rows)
    if (gfxMajor >= row.minGfx && gfxMajor <= row.maxGfx)
      words[row.word] |= (row.field(fields) & maskOf(row.width)) << row.shift;
  return words;
}

/// Nothing for an unknown format, for a buffer's descriptor, and for levels that contradict each
/// other.
std::optional<ImageDescriptor> gcn::decodeImage(ArrayRef<uint32_t> words, unsigned gfxMajor) {
  Fields fields;
  for (const FieldRow &row : Rows)
    if (gfxMajor >= row.minGfx && gfxMajor <= row.maxGfx)
      row.field(fields) = words[row.word] >> row.shift & maskOf(row.width);
  uint32_t number = gfxMajor == 9 ? fields.dataFormat << 4 | fields.numberFormat : fields.format;
  std::optional<HardwareFormat> format = decodeFormat(number, gfxMajor);
  if (!format || fields.type < static_cast<uint32_t>(ImageType::Dim1D))
    return std::nullopt;
  ImageDescriptor image;
  image.base = (uint64_t(fields.baseHigh) << 32 | fields.baseLow) << 8;
  image.width = (gfxMajor == 9 ? fields.widthHigh : fields.widthHigh << 2 | fields.widthLow) + 1;
  image.height = fields.height + 1;
  image.depth = fields.depth + 1;
  image.kind = static_cast<ImageType>(fields.type);
  image.levels = fields.maxMip + 1;
  image.texel.format = *format;
  for (unsigned i = 0; i < 4; ++i)
    image.texel.select[i] = static_cast<uint8_t>(fields.select[i]);
  if (image.isMultisampled()) {
    image.samples = 1u << (fields.lastLevel & 15);
    image.levels = 1;
  } else {
    image.baseLevel = fields.baseLevel;
    image.lastLevel = fields.lastLevel;
  }
  bool isSound = image.baseLevel <= image.lastLevel && image.lastLevel < image.levels;
  return isSound ? std::optional(image) : std::nullopt;
}

/// Byte address of a texel, or nothing outside the image. Memory is linear: levels, then layers,
/// slices, rows, texels, samples. The level counts from the view's first one.
std::optional<uint64_t> gcn::findTexel(const ImageDescriptor &image, const TexelPlace &place) {
  auto within = [](int64_t value, uint64_t size) { return value >= 0 && uint64_t(value) < size; };
  if (!within(place.level, uint64_t(image.lastLevel) - image.baseLevel + 1))
    return std::nullopt;
  uint32_t level = image.baseLevel + static_cast<uint32_t>(place.level);
  auto [width, height, depth] = image.extent(level);
  if (!within(place.x, width) || !within(place.y, height) || !within(place.z, depth) ||
      !within(place.layer, image.layers()) || !within(place.sample, image.samples))
    return std::nullopt;
  uint64_t texels = 0;
  for (uint32_t i = 0; i < level; ++i) {
    auto [x, y, z] = image.extent(i);
    texels += uint64_t(x) * y * z * image.layers() * image.samples;
  }
  uint64_t slice = uint64_t(place.layer) * depth + uint64_t(place.z);
  uint64_t row = slice * height + uint64_t(place.y);
  uint64_t index = (row * width + uint64_t(place.x)) * image.samples + uint64_t(place.sample);
  return image.base + (texels + index) * image.texel.format.bytes();
}

// --- Samplers

namespace {
/// Reads or writes the fields of an S#.
class SamplerFields {
public:
  explicit SamplerFields(const SamplerWords &words = {}) : words(words) {}
  /// Adds a field that is 0 so far; higher bits of \p value are dropped.
  void put(SamplerRow row, uint32_t value) {
    words[row.word] |= (value & maskOf(row.width)) << row.shift;
  }
  uint32_t take(SamplerRow row) const { return words[row.word] >> row.shift & maskOf(row.width); }

  SamplerWords words;
};
} // namespace

/// From GFX12 on, levels have a bit more.
static SamplerRow minLodRow(unsigned gfxMajor) {
  return gfxMajor >= 12 ? SamplerRow{1, 0, 13} : MinLodRow;
}
static SamplerRow maxLodRow(unsigned gfxMajor) {
  return gfxMajor >= 12 ? SamplerRow{1, 13, 13} : MaxLodRow;
}

/// Mesa truncates, where Vulkan leaves the rounding open, and clamps to what images can have.
static uint32_t encodeLod(double lod, unsigned gfxMajor) {
  double most = gfxMajor >= 12 ? 17 : 15;
  return static_cast<uint32_t>(std::clamp(lod, 0.0, most) * LodUnits);
}

/// Clamped to the generation's range, and truncated to 1/256.
static uint32_t encodeBias(double bias, unsigned gfxMajor) {
  double least = gfxMajor == 9 ? -16 : -32;
  double most = gfxMajor == 9 ? 16 : 31;
  return static_cast<uint32_t>(static_cast<int32_t>(std::clamp(bias, least, most) * LodUnits));
}

/// Includes fields that the machine does not decode but drivers set.
SamplerWords gcn::encodeSampler(const SamplerDescriptor &sampler, unsigned gfxMajor) {
  SamplerFields fields;
  for (unsigned i = 0; i < 3; ++i)
    fields.put(ClampRows[i], static_cast<uint32_t>(sampler.clamp[i]));
  fields.put(CompareRow, sampler.compare);
  fields.put(UnnormalizedRow, sampler.isUnnormalized);
  fields.put(minLodRow(gfxMajor), encodeLod(sampler.minLod, gfxMajor));
  fields.put(maxLodRow(gfxMajor), encodeLod(sampler.maxLod, gfxMajor));
  fields.put(BiasRow, encodeBias(sampler.lodBias, gfxMajor));
  fields.put(MagRow, sampler.isMagLinear);
  fields.put(MinRow, sampler.isMinLinear);
  fields.put(MipRow, sampler.mipFilter);
  fields.put(BorderRow, sampler.border);
  fields.put(TruncatesRow, !sampler.isMagLinear && !sampler.isMinLinear);
  fields.put(CompatibleRow, gfxMajor == 9);
  fields.put(PrecisionFixRow, gfxMajor == 9);
  return fields.words;
}

/// \p words are the four dwords of an S#.
SamplerDescriptor gcn::decodeSampler(ArrayRef<uint32_t> words, unsigned gfxMajor) {
  SamplerFields fields({words[0], words[1], words[2], words[3]});
  SamplerDescriptor sampler;
  for (unsigned i = 0; i < 3; ++i)
    sampler.clamp[i] = static_cast<AddressClamp>(fields.take(ClampRows[i]));
  sampler.compare = static_cast<uint8_t>(fields.take(CompareRow));
  sampler.isUnnormalized = fields.take(UnnormalizedRow);
  sampler.minLod = fields.take(minLodRow(gfxMajor)) / LodUnits;
  sampler.maxLod = fields.take(maxLodRow(gfxMajor)) / LodUnits;
  sampler.lodBias = double(SignExtend32(fields.take(BiasRow), BiasRow.width)) / LodUnits;
  sampler.isMagLinear = fields.take(MagRow) & 1;
  sampler.isMinLinear = fields.take(MinRow) & 1;
  sampler.mipFilter = static_cast<uint8_t>(fields.take(MipRow));
  sampler.border = static_cast<uint8_t>(fields.take(BorderRow));
  return sampler;
}
