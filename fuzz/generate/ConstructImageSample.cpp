// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images by way of samplers: at the middle of texels, or where four of them meet, so that no
// rounding decides which are read.
#include "fuzz/generate/Texels.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;

namespace assay::fuzz {

namespace {
/// Writes float coordinates.
class Coordinates {
public:
  explicit Coordinates(Writer &writer)
      : m_writer(writer), m_pool(writer.pool()), m_f32(m_pool.floatType(32)) {}

  /// Returns a constant of f32.
  Id number(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return m_pool.constant(m_f32, bits);
  }
  /// (index + \p shift) * \p scale.
  Id scaled(Id index, float shift, float scale) {
    Id value = m_writer.emit(spv::Op::OpConvertUToF, m_f32, {fuzz::id(index)});
    value = binary(spv::Op::OpFAdd, value, number(shift));
    return binary(spv::Op::OpFMul, value, number(scale));
  }
  /// Emits an operation on two values of f32.
  Id binary(spv::Op opcode, Id left, Id right) {
    return m_writer.emit(opcode, m_f32, {fuzz::id(left), fuzz::id(right)});
  }
  Id f32() const { return m_f32; }

private:
  Writer &m_writer;
  Pool &m_pool;
  Id m_f32;
};

/// A float coordinate by its components. isUniform: the same in the whole workgroup.
struct SamplePlace {
  SmallVector<Id, 4> parts; ///< With the layer.
  unsigned directions = 0;  ///< Without it.
  bool isUniform = true;
};
} // namespace

/// A direction to the middle of a texel of a cube: the face's axis is 1, the others are less.
static void addDirection(Writer &writer, Coordinates &make, uint32_t size, SamplePlace &place) {
  auto axis = static_cast<unsigned>(writer.random().below(3));
  Id major = make.number(writer.random().oneIn(2) ? 1.0f : -1.0f);
  for (unsigned i = 0; i < 3; ++i) {
    if (i == axis) {
      place.parts.push_back(major);
      continue;
    }
    Value index = writer.takeIndex(size);
    place.isUniform &= index.isUniform;
    // From -1 to 1 in steps of 2 / size.
    float half = static_cast<float>(size) / 2;
    place.parts.push_back(make.scaled(index.id, 0.5f - half, 1 / half));
  }
}

/// \p shift: 0.5 for the middle of texels, 1 for their far corners.
static SamplePlace takeSamplePlace(Writer &writer, const Texels &texels, uint32_t level,
                                   float shift) {
  Coordinates make(writer);
  SamplePlace place;
  bool isCube = texels.form->dim == spv::Dim::Cube;
  SmallVector<uint32_t, 3> extents = extentsOf(texels, level);
  if (isCube) {
    addDirection(writer, make, extents[0], place);
    extents = {extents[2] / 6};
  }
  bool hasLayer = texels.form->isArrayed;
  for (auto [i, extent] : enumerate(extents)) {
    bool isLayer = i + 1 == extents.size() && (hasLayer || isCube);
    if (isLayer && !hasLayer)
      break;
    Value index = writer.takeIndex(extent);
    place.isUniform &= index.isUniform;
    place.parts.push_back(isLayer ? make.scaled(index.id, 0, 1)
                                  : make.scaled(index.id, shift, 1 / static_cast<float>(extent)));
  }
  place.directions = static_cast<unsigned>(place.parts.size()) - (hasLayer ? 1 : 0);
  return place;
}

/// For a projection: all is multiplied by two, which is after it.
static void project(Writer &writer, SamplePlace &place) {
  Coordinates make(writer);
  Id two = make.number(2);
  for (Id &part : place.parts)
    part = make.binary(spv::Op::OpFMul, part, two);
  place.parts.push_back(two);
}

/// A level, or no gradient at all, which is level 0; perhaps an offset.
static void addOperands(Writer &writer, const Texels &texels, const SamplePlace &place,
                        uint32_t level, SmallVectorImpl<Operand> &operands) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Coordinates make(writer);
  bool isGradient = level == 0 && random.oneIn(3);
  bool hasOffset = texels.form->dim != spv::Dim::Cube && random.oneIn(3);
  uint32_t mask =
      uint32_t(isGradient ? spv::ImageOperandsMask::Grad : spv::ImageOperandsMask::Lod) |
      (hasOffset ? uint32_t(spv::ImageOperandsMask::ConstOffset) : 0);
  operands.push_back(literal(mask));
  if (isGradient) {
    Id zero = make.number(0);
    Id gradient = place.directions == 1
                      ? zero
                      : pool.constantComposite(pool.vectorType(make.f32(), place.directions),
                                               SmallVector<Id, 4>(place.directions, zero));
    operands.append({fuzz::id(gradient), fuzz::id(gradient)});
  } else {
    operands.push_back(fuzz::id(make.number(static_cast<float>(level))));
  }
  if (!hasOffset)
    return;
  Id i32 = pool.intType(32, true);
  SmallVector<Id, 3> parts;
  for (unsigned i = 0; i < place.directions; ++i)
    parts.push_back(pool.constant(i32, random.below(5) - 2));
  operands.push_back(fuzz::id(
      parts.size() == 1 ? parts[0]
                        : pool.constantComposite(pool.vectorType(i32, place.directions), parts)));
}

/// Settings of a sampler for texels whose borders need no colour.
static std::string takeSettings(Writer &writer) {
  static constexpr const char *modes[] = {"repeat", "mirrored_repeat", "clamp_to_edge"};
  std::string text = "MAX_LOD 8";
  for (const char *direction : {"U", "V", "W"})
    text += std::string(" ADDRESS_MODE_") + direction + " " + writer.random().pick(ArrayRef(modes));
  return text;
}

/// Whether dimension and sizes let a coordinate be divided by a further one.
static bool mayProject(const Texels &texels) {
  return !texels.form->isArrayed && texels.form->dim != spv::Dim::Cube;
}

/// Samples at the middle of texels with an explicit level or zero gradients. Sizes are powers of
/// two, so coordinates are exact and filtering has nothing to blend.
void writeImageSample(Writer &writer) {
  Random &random = writer.random();
  Texels texels = makeTexels(writer, {.use = ForSample, .isPowerOfTwo = true, .mostLevels = 3},
                             takeSettings(writer));
  for (uint64_t samples = random.between(1, 3); samples > 0; --samples) {
    auto level = static_cast<uint32_t>(random.below(texels.shape.mipLevels));
    SamplePlace place = takeSamplePlace(writer, texels, level, 0.5f);
    bool isProjected = mayProject(texels) && random.oneIn(3);
    if (isProjected)
      project(writer, place);
    Id coordinate = makeVector(writer, writer.pool().floatType(32), place.parts);
    TexelAccess access = takeElement(writer, texels);
    Id sampled = loadSampled(writer, texels, access);
    SmallVector<Operand, 6> operands{fuzz::id(sampled), fuzz::id(coordinate)};
    addOperands(writer, texels, place, level, operands);
    Id texel = writer.emit(isProjected ? spv::Op::OpImageSampleProjExplicitLod
                                       : spv::Op::OpImageSampleExplicitLod,
                           texels.texel, operands);
    addTexel(writer, texels, texel, place.isUniform && access.index.isUniform);
  }
}

/// Depths are 0 and 1, and are compared with a half: 0 or 1 comes out.
void writeImageCompare(Writer &writer) {
  static constexpr const char *comparisons[] = {"less", "greater", "less_or_equal",
                                                "greater_or_equal", "not_equal"};
  Random &random = writer.random();
  Coordinates make(writer);
  std::string settings =
      takeSettings(writer) + " COMPARE on COMPARE_OP " + random.pick(ArrayRef(comparisons));
  bool isGather = random.oneIn(3);
  Texels texels = makeTexels(writer,
                             {.use = isGather ? ForGather : ForSample,
                              .isDepth = true,
                              .isPowerOfTwo = true,
                              .mostLevels = 2},
                             settings);
  auto level = static_cast<uint32_t>(isGather ? 0 : random.below(texels.shape.mipLevels));
  SamplePlace place = takeSamplePlace(writer, texels, level, isGather ? 1 : 0.5f);
  bool isProjected = !isGather && mayProject(texels) && random.oneIn(3);
  if (isProjected)
    project(writer, place);
  Id coordinate = makeVector(writer, make.f32(), place.parts);
  TexelAccess access = takeElement(writer, texels);
  Id sampled = loadSampled(writer, texels, access);
  SmallVector<Operand, 6> operands{fuzz::id(sampled), fuzz::id(coordinate),
                                   fuzz::id(make.number(0.5f))};
  bool isUniform = place.isUniform && access.index.isUniform;
  if (isGather) {
    writer.add({writer.emit(spv::Op::OpImageDrefGather, texels.texel, operands), texels.texel,
                isUniform, 1});
    return;
  }
  addOperands(writer, texels, place, level, operands);
  writer.add({writer.emit(isProjected ? spv::Op::OpImageSampleProjDrefExplicitLod
                                      : spv::Op::OpImageSampleDrefExplicitLod,
                          make.f32(), operands),
              make.f32(), isUniform, 1});
}

/// Four offsets, as an array of constants.
static Id takeOffsets(Writer &writer) {
  Pool &pool = writer.pool();
  Id i32 = pool.intType(32, true), pair = pool.vectorType(i32, 2);
  SmallVector<Id, 4> offsets;
  auto one = [&] { return pool.constant(i32, writer.random().below(7) - 3); };
  for (unsigned i = 0; i < 4; ++i) {
    Id x = one(), y = one();
    offsets.push_back(pool.constantComposite(pair, {x, y}));
  }
  return pool.constantComposite(pool.arrayType(pair, pool.number(4)), offsets);
}

/// An offset that differs from invocation to invocation: -3 to 3.
static Id takeOffset(Writer &writer) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false), i32 = pool.intType(32, true);
  SmallVector<Id, 2> parts;
  for (unsigned i = 0; i < 2; ++i) {
    Id less = writer.emit(spv::Op::OpISub, u32,
                          {fuzz::id(writer.takeIndex(7).id), fuzz::id(pool.number(3))});
    parts.push_back(writer.emit(spv::Op::OpBitcast, i32, {fuzz::id(less)}));
  }
  return makeVector(writer, i32, parts);
}

/// Gathers where four texels meet. The four are the same for every rounding of the coordinate.
void writeImageGather(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Texels texels =
      makeTexels(writer, {.use = ForGather, .isPowerOfTwo = true}, takeSettings(writer));
  for (uint64_t gathers = random.between(1, 2); gathers > 0; --gathers) {
    SamplePlace place = takeSamplePlace(writer, texels, 0, 1);
    Id coordinate = makeVector(writer, pool.floatType(32), place.parts);
    uint64_t offsets = random.below(3);
    Id offset = offsets == 0 ? 0 : offsets == 1 ? takeOffset(writer) : takeOffsets(writer);
    TexelAccess access = takeElement(writer, texels);
    Id sampled = loadSampled(writer, texels, access);
    SmallVector<Operand, 6> operands{fuzz::id(sampled), fuzz::id(coordinate),
                                     fuzz::id(pool.number(static_cast<uint32_t>(random.below(4))))};
    if (offset) {
      pool.require(spv::Capability::ImageGatherExtended);
      operands.push_back(literal(uint32_t(offsets == 1 ? spv::ImageOperandsMask::Offset
                                                       : spv::ImageOperandsMask::ConstOffsets)));
      operands.push_back(fuzz::id(offset));
    }
    addTexel(writer, texels, writer.emit(spv::Op::OpImageGather, texels.texel, operands), false);
  }
}

} // namespace assay::fuzz
