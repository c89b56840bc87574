// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Texels.h"

#include "fuzz/generate/Resources.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace assay::fuzz {

using Format = spv::ImageFormat;
/// Short names for the tables.
using Numbers = TexelNumbers;

/// Those that all devices have for storage images come first (Vulkan, "Required Format Support").
static constexpr TexelFormatRow formatRows[] = {
    {"R32_UINT", Format::R32ui, Numbers::Unsigned, 1, 32},
    {"R32_SINT", Format::R32i, Numbers::Signed, 1, 32},
    {"R32_SFLOAT", Format::R32f, Numbers::Float, 1, 32},
    {"R32G32B32A32_UINT", Format::Rgba32ui, Numbers::Unsigned, 4, 32},
    {"R32G32B32A32_SINT", Format::Rgba32i, Numbers::Signed, 4, 32},
    {"R32G32B32A32_SFLOAT", Format::Rgba32f, Numbers::Float, 4, 32},
    {"R16G16B16A16_UINT", Format::Rgba16ui, Numbers::Unsigned, 4, 16},
    {"R16G16B16A16_SINT", Format::Rgba16i, Numbers::Signed, 4, 16},
    {"R16G16B16A16_SFLOAT", Format::Rgba16f, Numbers::Float, 4, 16},
    {"R8G8B8A8_UINT", Format::Rgba8ui, Numbers::Unsigned, 4, 8},
    {"R8G8B8A8_SINT", Format::Rgba8i, Numbers::Signed, 4, 8},
    {"R8G8B8A8_UNORM", Format::Rgba8, Numbers::Normalized, 4, 8},
    {"R8G8B8A8_SNORM", Format::Rgba8Snorm, Numbers::Normalized, 4, 8},
    {"R32G32_UINT", Format::Rg32ui, Numbers::Unsigned, 2, 32, true},
    {"R16G16_SINT", Format::Rg16i, Numbers::Signed, 2, 16, true},
    {"R8_UINT", Format::R8ui, Numbers::Unsigned, 1, 8, true},
    {"R16_SFLOAT", Format::R16f, Numbers::Float, 1, 16, true},
    {"R8G8_UNORM", Format::Rg8, Numbers::Normalized, 2, 8, true},
    {"A2B10G10R10_UINT_PACK32", Format::Rgb10a2ui, Numbers::Unsigned, 4, 2, true, true},
    {"R64_UINT", Format::R64ui, Numbers::Unsigned, 1, 64},
    {"R64_SINT", Format::R64i, Numbers::Signed, 1, 64},
    {"D32_SFLOAT", Format::Unknown, Numbers::Depth, 1, 32},
};

/// Dimension, arrayed, multisampled, Amber's dimension, capability if sampled, capability for
/// storage.
static constexpr ImageForm forms[] = {
    {spv::Dim::Dim1D, false, false, "DIM_1D", spv::Capability::Sampled1D, spv::Capability::Image1D},
    {spv::Dim::Dim1D, true, false, "DIM_1D", spv::Capability::Sampled1D, spv::Capability::Image1D},
    {spv::Dim::Dim2D, false, false, "DIM_2D", spv::Capability::Shader, spv::Capability::Shader},
    {spv::Dim::Dim2D, true, false, "DIM_2D", spv::Capability::Shader, spv::Capability::Shader},
    {spv::Dim::Dim3D, false, false, "DIM_3D", spv::Capability::Shader, spv::Capability::Shader},
    {spv::Dim::Cube, false, false, "DIM_2D", spv::Capability::Shader, spv::Capability::Shader},
    {spv::Dim::Cube, true, false, "DIM_2D", spv::Capability::SampledCubeArray,
     spv::Capability::ImageCubeArray},
    {spv::Dim::Rect, false, false, "DIM_2D", spv::Capability::SampledRect,
     spv::Capability::ImageRect},
    {spv::Dim::Dim2D, false, true, "DIM_2D", spv::Capability::Shader,
     spv::Capability::StorageImageMultisample},
    {spv::Dim::Dim2D, true, true, "DIM_2D", spv::Capability::Shader, spv::Capability::ImageMSArray},
    {spv::Dim::Buffer, false, false, nullptr, spv::Capability::SampledBuffer,
     spv::Capability::ImageBuffer},
};

/// Layers of each cube.
constexpr uint32_t cubeFaces = 6;

bool mayHaveLevels(const ImageForm &form) {
  return form.amber && !form.isMultisampled && form.dim != spv::Dim::Rect;
}

/// True if images of this form can be used as the construct wants.
static bool suits(const ImageForm &form, const TexelWish &wish) {
  bool isCube = form.dim == spv::Dim::Cube;
  bool isPlain = mayHaveLevels(form);
  switch (wish.use) {
  case ForStorage:
    return !wish.isForAtomics || !form.isMultisampled;
  case ForFetch: // Of a cube there is no texel by its place.
    return !isCube;
  case ForSample:
    return isPlain && !(wish.isDepth && form.dim == spv::Dim::Dim3D);
  case ForGather:
    return isPlain && form.dim == spv::Dim::Dim2D;
  }
  llvm_unreachable("no such use");
}

/// True if the format can be used so with this form on devices with the required formats.
static bool suits(const TexelFormatRow &row, const ImageForm &form, const TexelWish &wish) {
  if (wish.isDepth || row.numbers == Numbers::Depth)
    return wish.isDepth && row.numbers == Numbers::Depth;
  bool isStorage = wish.use == ForStorage;
  if (wish.isForAtomics)
    return row.components == 1 && row.bits >= 32 && !row.isExtended;
  if (row.bits == 64) // Without levels, layers of cubes, samples: what devices have of them.
    return isStorage && form.amber && !form.isMultisampled;
  // Several samples: the formats that all devices have.
  return !form.isMultisampled || (row.bits == 32 && row.components == 1);
}

/// Picks one of the accepted rows; there must be one.
template <typename Row, typename Accept>
static const Row &pick(Writer &writer, const Row *begin, const Row *end, Accept accept) {
  SmallVector<const Row *, 24> rows;
  for (const Row *row = begin; row != end; ++row)
    if (accept(*row))
      rows.push_back(row);
  return *writer.random().pick(ArrayRef(rows));
}

/// Extents by the numbers of the image; \p level shifts all but layers.
static SmallVector<uint32_t, 3> extentsOf(const ImageForm &form, const GeneratedImage &shape,
                                          uint32_t level) {
  auto at = [&](uint32_t size) { return std::max(size >> level, 1u); };
  SmallVector<uint32_t, 3> extents{at(shape.width)};
  if (form.dim != spv::Dim::Dim1D && form.dim != spv::Dim::Buffer)
    extents.push_back(at(shape.height));
  if (form.dim == spv::Dim::Dim3D)
    extents.push_back(at(shape.depth));
  if (form.isArrayed || form.dim == spv::Dim::Cube)
    extents.push_back(shape.layers);
  return extents;
}

SmallVector<uint32_t, 3> extentsOf(const Texels &texels, uint32_t level) {
  return extentsOf(*texels.form, texels.shape, level);
}

/// Chooses sizes below 10 texels, layers, samples and levels. Cubes are square with six layers
/// each.
static GeneratedImage chooseShape(Writer &writer, const ImageForm &form, const TexelWish &wish) {
  Random &random = writer.random();
  auto size = [&]() -> uint32_t {
    return wish.isPowerOfTwo || wish.isOwn ? 1u << random.between(1, 3)
                                           : static_cast<uint32_t>(random.between(1, 9));
  };
  GeneratedImage shape;
  shape.dimension = form.amber ? form.amber : "";
  shape.width = size();
  bool isCube = form.dim == spv::Dim::Cube;
  if (form.dim != spv::Dim::Dim1D && form.dim != spv::Dim::Buffer)
    shape.height = isCube ? shape.width : size();
  if (form.dim == spv::Dim::Dim3D)
    shape.depth = size();
  if (form.isArrayed)
    shape.layers = static_cast<uint32_t>(random.between(1, 3));
  if (isCube)
    shape.layers *= cubeFaces;
  if (form.isMultisampled)
    shape.samples = random.oneIn(2) ? 4 : 2;
  uint32_t largest = std::max({shape.width, shape.height, shape.depth});
  if (mayHaveLevels(form))
    shape.mipLevels = static_cast<uint32_t>(
        random.between(1, std::min<uint64_t>(wish.mostLevels, Log2_32(largest) + 1)));
  return shape;
}

/// Returns the number of texels of a level, all layers and samples included.
static uint32_t texelsOf(const ImageForm &form, const GeneratedImage &shape, uint32_t level = 0) {
  uint32_t count = shape.samples;
  for (uint32_t extent : extentsOf(form, shape, level))
    count *= extent;
  return count;
}

/// Makes it so large in its last direction that each of \p total has a texel.
static void enlarge(const ImageForm &form, GeneratedImage &shape, uint32_t total) {
  bool isCube = form.dim == spv::Dim::Cube;
  if (isCube && !form.isArrayed) {
    while (texelsOf(form, shape) < total)
      shape.height = shape.width *= 2;
    return;
  }
  uint32_t &last = form.isArrayed                          ? shape.layers
                   : form.dim == spv::Dim::Dim3D           ? shape.depth
                   : extentsOf(form, shape, 0).size() == 2 ? shape.height
                                                           : shape.width;
  uint32_t step = isCube ? cubeFaces : 1;
  last = step;
  uint32_t perStep = texelsOf(form, shape);
  last = step * ((total + perStep - 1) / perStep);
}

/// Whole numbers that the format holds; floats small ones.
static uint64_t randomComponent(Random &random, const TexelFormatRow &row) {
  if (row.isPacked)
    return random.next() >> 32;
  switch (row.numbers) {
  case Numbers::Unsigned:
  case Numbers::Normalized: {
    // Of signed normalized numbers the positive ones: half of the range.
    uint64_t most = (~uint64_t(0) >> (64 - row.bits)) >> (row.numbers == Numbers::Normalized);
    return random.oneIn(2) ? random.next() & most : random.below(20) & most;
  }
  case Numbers::Signed:
    return random.next() & (~uint64_t(0) >> (65 - row.bits));
  case Numbers::Float:
    return random.below(17);
  case Numbers::Depth:
    return random.below(2);
  }
  llvm_unreachable("no such numbers");
}

/// Returns random contents of all levels; a single component for all of a multisampled image.
static std::vector<uint64_t> fill(Writer &writer, const ImageForm &form, const TexelFormatRow &row,
                                  const GeneratedImage &shape) {
  size_t count = 0;
  for (uint32_t level = 0; level < shape.mipLevels; ++level)
    count += texelsOf(form, shape, level);
  if (shape.samples > 1) // All alike: samples have no data of their own in a case.
    return {randomComponent(writer.random(), row)};
  std::vector<uint64_t> words(count * (row.isPacked ? 1 : row.components));
  for (uint64_t &word : words)
    word = randomComponent(writer.random(), row);
  return words;
}

/// Returns the sampled type of the format's numbers, and requires capabilities for 64-bit ones.
static Id componentType(Writer &writer, const TexelFormatRow &row) {
  Pool &pool = writer.pool();
  if (row.bits == 64) {
    pool.require(spv::Capability::Int64);
    pool.require(spv::Capability::Int64ImageEXT);
  }
  unsigned width = row.bits == 64 ? 64 : 32;
  if (row.numbers == Numbers::Unsigned || row.numbers == Numbers::Signed)
    return pool.intType(width, row.numbers == Numbers::Signed);
  return pool.floatType(32);
}

/// Storage images name their format, if they do not leave it to what is bound.
static Format storageFormat(Writer &writer, const TexelFormatRow &row, const TexelWish &wish) {
  Pool &pool = writer.pool();
  if (row.bits < 64 && !wish.isForAtomics && writer.random().oneIn(4)) {
    pool.require(spv::Capability::StorageImageReadWithoutFormat);
    pool.require(spv::Capability::StorageImageWriteWithoutFormat);
    return Format::Unknown;
  }
  if (row.isExtended)
    pool.require(spv::Capability::StorageImageExtendedFormats);
  return row.format;
}

/// Returns the descriptor kind for the use; sampled images may be combined with their sampler.
static GeneratedBinding chooseKind(Writer &writer, const ImageForm &form, const TexelWish &wish) {
  if (wish.use == ForStorage)
    return form.amber ? GeneratedBinding::StorageImage : GeneratedBinding::StorageTexelBuffer;
  if (!form.amber)
    return GeneratedBinding::UniformTexelBuffer;
  return writer.random().oneIn(2) ? GeneratedBinding::SampledImage
                                  : GeneratedBinding::CombinedImageSampler;
}

/// Sets the types of \p texels and requires their capabilities.
static void chooseTypes(Writer &writer, const TexelWish &wish, Texels &texels) {
  Pool &pool = writer.pool();
  const ImageForm &form = *texels.form;
  bool isStorage = wish.use == ForStorage;
  pool.require(isStorage ? form.storage : form.sampled);
  if (isStorage && form.isMultisampled)
    pool.require(spv::Capability::StorageImageMultisample);
  texels.component = componentType(writer, *texels.format);
  texels.texel = pool.vectorType(texels.component, 4);
  texels.image =
      pool.imageType({texels.component, form.dim, wish.isDepth, form.isArrayed, form.isMultisampled,
                      isStorage ? 2u : 1u,
                      isStorage ? storageFormat(writer, *texels.format, wish) : Format::Unknown});
  texels.element = texels.kind == GeneratedBinding::CombinedImageSampler
                       ? pool.sampledImageType(texels.image)
                       : texels.image;
}

/// Adds the image or the array of images to the case with random contents, and the sampler for
/// sampled ones that are not combined with theirs.
Texels makeTexels(Writer &writer, const TexelWish &wish, StringRef settings) {
  Random &random = writer.random();
  Texels texels;
  texels.form = &pick(writer, std::begin(forms), std::end(forms),
                      [&](const ImageForm &form) { return suits(form, wish); });
  texels.format = &pick(writer, std::begin(formatRows), std::end(formatRows),
                        [&](const TexelFormatRow &row) { return suits(row, *texels.form, wish); });
  texels.kind = chooseKind(writer, *texels.form, wish);
  texels.shape = chooseShape(writer, *texels.form, wish);
  if (wish.isOwn)
    enlarge(*texels.form, texels.shape,
            totalInvocations(writer.generated(), writer.invocationsPerGroup()));
  chooseTypes(writer, wish, texels);
  if (random.oneIn(3))
    texels.elements = static_cast<unsigned>(random.between(2, 3));
  bool isCombined = texels.kind == GeneratedBinding::CombinedImageSampler;
  std::string sampler = isCombined ? writer.addSampler(settings) : "";
  if (texels.kind == GeneratedBinding::SampledImage && wish.use != ForFetch)
    texels.sampler = writer.newSampler(settings);
  std::vector<GeneratedBuffer> elements;
  for (unsigned i = 0; i < std::max(texels.elements, 1u); ++i) {
    GeneratedBuffer buffer{"", texels.format->name, texels.kind, 0,
                           fill(writer, *texels.form, *texels.format, texels.shape)};
    if (texels.form->amber)
      buffer.image = texels.shape;
    buffer.sampler = sampler;
    elements.push_back(std::move(buffer));
  }
  texels.variable =
      writer.newResource(texels.element, std::move(elements),
                         texels.elements ? takeArrayForm(writer) : Writer::ArrayForm::None);
  return texels;
}

/// Chooses an element of the array; without an array, the image itself.
TexelAccess takeElement(Writer &writer, const Texels &texels) {
  if (!texels.elements)
    return {texels.variable, {0, false, true}};
  DescriptorIndex index = takeDescriptorIndex(writer, texels.kind, texels.elements);
  Id type = writer.pool().pointerType(spv::StorageClass::UniformConstant, texels.element);
  Id pointer =
      writer.emit(spv::Op::OpAccessChain, type, {fuzz::id(texels.variable), fuzz::id(index.id)});
  return {markNonUniform(writer, index, pointer), index};
}

/// Loads the image or sampled image that the access refers to.
static Id loadElement(Writer &writer, const Texels &texels, const TexelAccess &access) {
  return markNonUniform(writer, access.index,
                        writer.emit(spv::Op::OpLoad, texels.element, {fuzz::id(access.pointer)}));
}

Id loadImage(Writer &writer, const Texels &texels, const TexelAccess &access) {
  Id loaded = loadElement(writer, texels, access);
  if (texels.kind != GeneratedBinding::CombinedImageSampler)
    return loaded;
  return markNonUniform(writer, access.index,
                        writer.emit(spv::Op::OpImage, texels.image, {fuzz::id(loaded)}));
}

/// Combines image and sampler where these are separate variables.
Id loadSampled(Writer &writer, const Texels &texels, const TexelAccess &access) {
  Id loaded = loadElement(writer, texels, access);
  if (!texels.sampler)
    return loaded;
  Pool &pool = writer.pool();
  Id sampler = writer.emit(spv::Op::OpLoad, pool.samplerType(), {fuzz::id(texels.sampler)});
  return markNonUniform(writer, access.index,
                        writer.emit(spv::Op::OpSampledImage, pool.sampledImageType(texels.image),
                                    {fuzz::id(loaded), fuzz::id(sampler)}));
}

Id makeVector(Writer &writer, Id scalar, ArrayRef<Id> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<Operand, 4> operands;
  for (Id part : parts)
    operands.push_back(fuzz::id(part));
  return writer.emit(spv::Op::OpCompositeConstruct,
                     writer.pool().vectorType(scalar, static_cast<unsigned>(parts.size())),
                     operands);
}

/// Chooses any texel of a level. Uniform where all of its coordinates are.
TexelPlace takePlace(Writer &writer, const Texels &texels, uint32_t level) {
  TexelPlace place{0, 0, true};
  SmallVector<Id, 3> parts;
  auto take = [&](uint32_t below) {
    Value index = writer.takeIndex(below);
    place.isUniform &= index.isUniform;
    return index.id;
  };
  for (uint32_t extent : extentsOf(texels, level))
    parts.push_back(take(extent));
  if (texels.form->isMultisampled)
    place.sample = take(texels.shape.samples);
  place.coordinate = makeVector(writer, writer.pool().intType(32, false), parts);
  return place;
}

/// Splits the invocation's index into coordinates, so that no two invocations share a texel. The
/// image must be as large as TexelWish::isOwn makes it.
TexelPlace ownPlace(Writer &writer, const Texels &texels) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  Id left = writer.globalIndex().id;
  auto cut = [&](uint32_t by) {
    Operand divisor = fuzz::id(pool.number(by));
    Id part = writer.emit(spv::Op::OpUMod, u32, {fuzz::id(left), divisor});
    left = writer.emit(spv::Op::OpUDiv, u32, {fuzz::id(left), divisor});
    return part;
  };
  TexelPlace place;
  if (texels.form->isMultisampled)
    place.sample = cut(texels.shape.samples);
  SmallVector<Id, 3> parts;
  for (uint32_t extent : extentsOf(texels))
    parts.push_back(cut(extent));
  place.coordinate = makeVector(writer, u32, parts);
  return place;
}

/// Texels of float formats are exact: their contents are small whole numbers.
void addTexel(Writer &writer, const Texels &texels, Id id, bool isUniform) {
  // Missing components read as 0 and 1.
  uint32_t magnitude = texels.format->numbers == Numbers::Float ? maxMagnitude - 1 : 0;
  writer.add({id, texels.texel, isUniform, magnitude});
  auto component = static_cast<uint32_t>(writer.random().below(4));
  writer.add({writer.emit(spv::Op::OpCompositeExtract, texels.component,
                          {fuzz::id(id), literal(component)}),
              texels.component, isUniform, magnitude});
}

} // namespace assay::fuzz
