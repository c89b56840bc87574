// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texture unit: fetches, sampling, gathering, and queries of sampled images. Source of the
// order of operands: Mesa 25.0, ir3_compiler_nir.c, emit_tex and emit_tex_info.
#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/select/ImageShapes.h"
#include "compiler/ir3/select/Places.h"
#include "compiler/lgc/ImageTexels.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {

/// How field desc says where the numbers of texture and sampler are (Mesa, ir3-cat5.xml).
enum DescriptorMode : int32_t {
  UniformWithBase = 1,    ///< A pair of registers; a1.x has the base of the sampler.
  Nonuniform = 2,         ///< A pair of registers.
  NonuniformWithBase = 3, ///< Both.
  Uniform = 5,            ///< A pair of registers.
  Immediate = ImmediateDescriptor,
};

/// The operand that names texture and sampler.
struct TextureOperand {
  int32_t mode = Immediate; ///< A DescriptorMode.
  uint32_t base = 0;        ///< The set of the texture.
  Register operand;
  ir3::Instruction *address = nullptr; ///< The writer of a1.x.
};

/// The operands of an instruction of category 5, apart from the descriptors.
struct TextureSources {
  /// The first group has coordinates, comparator, layer and derivatives, the second one offsets and
  /// level of detail.
  SmallVector<Register, 12> first, second;
  const ir3::ImageShape *shape = nullptr; ///< Null for instructions that have no coordinates.
  bool compares = false, hasOffset = false;
};

} // namespace

/// Numbers below 16 of one set fit into an immediate; otherwise a pair of registers has them. Where
/// the sets differ, a1.x gets that of the sampler.
static TextureOperand nameTexture(Selector &selector, const BoundPlace &texture,
                                  const BoundPlace &sampler) {
  TextureOperand result;
  result.base = texture.set;
  auto isSmall = [](const BoundPlace &place) {
    return place.mode == SlotImmediate && place.slot.value < 16;
  };
  if (isSmall(texture) && isSmall(sampler) && sampler.set == texture.set) {
    result.operand =
        Selector::number(static_cast<uint32_t>(texture.slot.value << 4 | sampler.slot.value));
    return result;
  }
  ir3::Builder &builder = selector.builder();
  result.operand = builder.collect({texture.slot, sampler.slot})->value();
  bool isDynamic = texture.mode == SlotNonuniform || sampler.mode == SlotNonuniform;
  result.mode = isDynamic ? Nonuniform : Uniform;
  if (sampler.set != texture.set) {
    result.mode = isDynamic ? NonuniformWithBase : UniformWithBase;
    result.address = builder.moveAddress1(Register::immediate(sampler.set, /*half=*/true));
  }
  return result;
}

/// What an instruction without a sampler names: number 0 of the texture's base.
static BoundPlace noSampler(const BoundPlace &texture) {
  BoundPlace sampler;
  sampler.set = texture.set;
  sampler.slot = Selector::number(0);
  return sampler;
}

/// \p sampler is null for an instruction without one.
static std::optional<TextureOperand> findTexture(Selector &selector, CallInst &op,
                                                 const Value *image, const Value *sampler) {
  std::optional<BoundPlace> texture = findDescriptor(selector, op, image);
  if (!texture)
    return std::nullopt;
  BoundPlace second = noSampler(*texture);
  if (sampler) {
    std::optional<BoundPlace> place = findDescriptor(selector, op, sampler);
    if (!place)
      return std::nullopt;
    second = *place;
  }
  return nameTexture(selector, *texture, second);
}

/// Creates the instruction with its first group of coordinates, the second group, and the
/// descriptor, in this order. Empty groups are left out.
static ir3::Instruction *emitTexture(Selector &selector, Opcode opcode,
                                     const TextureSources &sources, const TextureOperand &texture,
                                     unsigned results) {
  SmallVector<Register, 3> registers;
  if (!sources.first.empty())
    registers.push_back(joinRegisters(selector, sources.first));
  if (!sources.second.empty())
    registers.push_back(joinRegisters(selector, sources.second));
  registers.push_back(texture.operand);
  ir3::Instruction *access = selector.builder().create(opcode, registers, false, results);
  access->address = texture.address;
  access->fields.indirect = 1;
  access->fields.descriptor = texture.mode;
  access->fields.base = static_cast<int32_t>(texture.base);
  if (sources.shape) {
    access->fields.is3d = sources.shape->spatial == 3;
    access->fields.isArray = sources.shape->isArrayed;
  }
  access->fields.variant = sources.compares;
  access->fields.hasOffset = sources.hasOffset;
  return access;
}

/// The bits of an f32 as an immediate.
static Register realNumber(float value) {
  return Selector::number(bit_cast<uint32_t>(value));
}

/// OpImageFetch: integer coordinates; isam reads level 0.
static void fetchTexel(Selector &selector, ImageLoadOp &op) {
  TextureSources sources;
  sources.shape = findShape(selector, op, op.getDim());
  std::optional<ir3::Type> type =
      texelType(selector, op, op.getType(), op.getFlags() & ImageIsSigned);
  std::optional<TextureOperand> texture = findTexture(selector, op, op.getImage(), nullptr);
  if (!sources.shape || !type || !texture)
    return;
  Scalars coordinate = selector.get(op.getCoordinate());
  sources.first.assign(coordinate.begin(), coordinate.begin() + sources.shape->spatial);
  if (sources.shape->spatial == 1)
    sources.first.push_back(Selector::number(0)); // Lines are rectangles of height 1.
  if (sources.shape->isArrayed)
    sources.first.push_back(coordinate[sources.shape->spatial]);
  if (op.getFlags() & ImageHasLod) {
    Register lod = selector.getOne(op.getLod());
    if (!lod.isImmediate() || lod.value)
      sources.second.push_back(lod);
  }
  Opcode opcode = sources.second.empty() ? Opcode::Isam : Opcode::Isaml;
  ir3::Instruction *access =
      emitTexture(selector, opcode, sources, *texture, countScalars(op.getType()));
  access->fields.type = *type;
  setResults(selector, op, access);
}

/// An element of a uniform texel buffer.
static void fetchElement(Selector &selector, TexelLoadOp &op) {
  TextureSources sources;
  std::optional<ir3::Type> type =
      texelType(selector, op, op.getType(), op.getFlags() & ImageIsSigned);
  std::optional<TextureOperand> texture = findTexture(selector, op, op.getBuffer(), nullptr);
  if (!type || !texture)
    return;
  sources.first = {selector.getOne(op.getIndex()), Selector::number(0)};
  ir3::Instruction *access =
      emitTexture(selector, Opcode::Isam, sources, *texture, countScalars(op.getType()));
  access->fields.type = *type;
  setResults(selector, op, access);
}

/// Chips without isam.v need a second coordinate of 0, and the bit that makes it a line.
ir3::Instruction *ir3::fetchDwords(Selector &selector, const BoundPlace &place, Register index,
                                   unsigned count) {
  TextureSources sources;
  sources.first = {index};
  bool hasVectors = selector.program().compiler().hasImmediateOffset;
  if (!hasVectors)
    sources.first.push_back(Selector::number(0));
  TextureOperand texture = nameTexture(selector, place, noSampler(place));
  ir3::Instruction *access = emitTexture(selector, Opcode::Isam, sources, texture, count);
  access->fields.type = U32;
  access->fields.variant = hasVectors;
  access->fields.is1d = !hasVectors;
  return access;
}

/// Coordinate \p index of a packed texel offset: six bits with a sign in each byte.
static Register unpackOffset(Selector &selector, Register packed, unsigned index) {
  constexpr unsigned fieldBits = 6;
  unsigned left = 32 - 8 * index - fieldBits, right = 32 - fieldBits;
  if (packed.isImmediate())
    return Selector::number(static_cast<uint32_t>(
        static_cast<int32_t>(static_cast<uint32_t>(packed.value) << left) >> right));
  Register shifted = selector.emit(Opcode::ShlB, {packed, Selector::number(left)});
  return selector.emit(Opcode::AshrB, {shifted, Selector::number(right)});
}

/// The operands that sampling and gathering share: ImageSampleOp or ImageGatherOp. \p op has the
/// accessors of both.
template <typename Op> static TextureSources sampleSources(Selector &selector, Op &op) {
  TextureSources sources;
  sources.shape = findShape(selector, op, op.getDim());
  if (!sources.shape)
    return sources;
  const ir3::ImageShape &shape = *sources.shape;
  Scalars coordinate = selector.get(op.getCoordinate());
  sources.first.assign(coordinate.begin(), coordinate.begin() + shape.spatial);
  if (shape.spatial == 1)
    sources.first.push_back(realNumber(0.5f));
  sources.compares = op.getFlags() & ImageHasCompare;
  if (sources.compares)
    sources.first.push_back(selector.getOne(op.getCompare()));
  if (shape.isArrayed) // Vulkan rounds layers to the nearest even one.
    sources.first.push_back(selector.emit(Opcode::RndneF, {coordinate[shape.spatial]}));
  sources.hasOffset = op.getFlags() & ImageHasOffset;
  if (sources.hasOffset) {
    Register packed = selector.getOne(op.getOffset());
    for (unsigned i = 0; i < shape.sizes; ++i)
      sources.second.push_back(unpackOffset(selector, packed, i));
    if (shape.sizes == 1)
      sources.second.push_back(Selector::number(0));
  }
  return sources;
}

/// Derivatives begin at the fifth register; those of lines have two components.
static void addGradients(Selector &selector, ImageSampleOp &op, TextureSources &sources) {
  constexpr unsigned firstGradient = 4;
  while (sources.first.size() < firstGradient)
    sources.first.push_back(Selector::number(0));
  for (const Value *gradient : {op.getGradientX(), op.getGradientY()}) {
    Scalars components = selector.get(gradient);
    sources.first.append(components.begin(), components.begin() + sources.shape->spatial);
    if (sources.shape->spatial == 1)
      sources.first.push_back(Selector::number(0));
  }
}

/// saml with a level of detail, 0 where the op has none, or samgq with derivatives. Up to four
/// registers fit in front of derivatives.
static void sample(Selector &selector, ImageSampleOp &op) {
  std::optional<TextureOperand> texture = findTexture(selector, op, op.getImage(), op.getSampler());
  TextureSources sources = sampleSources(selector, op);
  std::optional<ir3::Type> type =
      texelType(selector, op, op.getType(), op.getFlags() & ImageIsSigned);
  if (!texture || !sources.shape || !type)
    return;
  Opcode opcode = Opcode::Saml;
  if (op.getFlags() & ImageHasGradients) {
    if (sources.first.size() > 4)
      return selector.fail(op, "derivatives, with five other coordinates");
    opcode = Opcode::Samgq;
    addGradients(selector, op, sources);
  } else {
    bool hasLod = op.getFlags() & ImageHasLod;
    sources.second.push_back(hasLod ? selector.getOne(op.getLod()) : realNumber(0));
  }
  ir3::Instruction *access =
      emitTexture(selector, opcode, sources, *texture, countScalars(op.getType()));
  access->fields.type = *type;
  setResults(selector, op, access);
}

/// gather4 of one component; the opcode says which.
static void gatherTexels(Selector &selector, ImageGatherOp &op) {
  static constexpr Opcode opcodes[] = {Opcode::Gather4r, Opcode::Gather4g, Opcode::Gather4b,
                                       Opcode::Gather4a};
  std::optional<TextureOperand> texture = findTexture(selector, op, op.getImage(), op.getSampler());
  TextureSources sources = sampleSources(selector, op);
  std::optional<ir3::Type> type =
      texelType(selector, op, op.getType(), op.getFlags() & ImageIsSigned);
  if (!texture || !sources.shape || !type)
    return;
  ir3::Instruction *access = emitTexture(selector, opcodes[op.getComponent() & 3], sources,
                                         *texture, countScalars(op.getType()));
  access->fields.type = *type;
  setResults(selector, op, access);
}

/// getsize has the layers in its fourth component; getinfo has the levels in its third.
static void querySize(Selector &selector, ImageQuerySizeOp &op) {
  const ir3::ImageShape *shape = findShape(selector, op, op.getDim());
  std::optional<TextureOperand> texture = findTexture(selector, op, op.getImage(), nullptr);
  if (!shape || !texture)
    return;
  ir3::Builder &builder = selector.builder();
  TextureSources sources;
  sources.shape = shape;
  sources.first.push_back(selector.getOne(op.getLod()));
  ir3::Instruction *size = emitTexture(selector, Opcode::Getsize, sources, *texture, 4);
  ir3::Instruction *levels = emitTexture(selector, Opcode::Getinfo, {}, *texture, 4);
  size->fields.type = levels->fields.type = U32;
  Scalars result;
  for (unsigned i = 0; i < shape->sizes; ++i)
    result.push_back(builder.split(size, i)->value());
  if (shape->isArrayed)
    result.push_back(builder.split(size, 3)->value());
  result.resize(3, Register::undefined());
  result.push_back(builder.split(levels, 2)->value());
  selector.set(&op, std::move(result));
}

/// False for calls that are no ops of sampled images or uniform texel buffers.
bool ir3::selectTexture(Selector &selector, CallInst &call) {
  if (auto *op = dyn_cast<ImageLoadOp>(&call))
    fetchTexel(selector, *op);
  else if (auto *element = dyn_cast<TexelLoadOp>(&call))
    fetchElement(selector, *element);
  else if (auto *sampling = dyn_cast<ImageSampleOp>(&call))
    sample(selector, *sampling);
  else if (auto *gathering = dyn_cast<ImageGatherOp>(&call))
    gatherTexels(selector, *gathering);
  else if (auto *query = dyn_cast<ImageQuerySizeOp>(&call))
    querySize(selector, *query);
  else
    return false;
  return true;
}
