// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage images and texel buffers: ldib.b, stib.b, atomic.b and resinfo.b with descriptors of
// formats. Source of operands: Mesa 25.0, ir3_a6xx.c and ir3_image.c.
#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/select/ImageShapes.h"
#include "compiler/ir3/select/Places.h"
#include "compiler/lgc/ImageTexels.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// One texel of an image or texel buffer.
struct Texel {
  const Value *descriptor;              ///< As findDescriptor() takes it.
  SmallVector<Register, 4> coordinates; ///< Integers, the layer last.
};
} // namespace

/// The first \p count scalars of a coordinate, which may have more.
static SmallVector<Register, 4> texelCoordinates(Selector &selector, const Value *coordinate,
                                                 unsigned count) {
  Scalars all = selector.get(coordinate);
  return SmallVector<Register, 4>(all.begin(), all.begin() + count);
}

/// Sets the fields of a typed access: descriptor, type, and as many dimensions as there are
/// coordinates.
static void describe(ir3::Instruction *access, const BoundPlace &place, const Texel &texel,
                     ir3::Type type) {
  applyPlace(access, place);
  access->isImage = true;
  access->fields.typed = 1;
  access->fields.type = type;
  access->fields.dimensions = static_cast<int32_t>(texel.coordinates.size());
}

/// ldib.b of as many components as the op has. Nothing is emitted after Selector::fail().
static void loadTexel(Selector &selector, CallInst &op, const Texel &texel, uint64_t flags) {
  std::optional<ir3::Type> type = texelType(selector, op, op.getType(), flags & ImageIsSigned);
  std::optional<BoundPlace> place = findDescriptor(selector, op, texel.descriptor);
  if (!type || !place)
    return;
  ir3::Instruction *load = selector.builder().create(
      Opcode::LdibB, {joinRegisters(selector, texel.coordinates), place->slot}, false,
      countScalars(op.getType()));
  describe(load, *place, texel, *type);
  setResults(selector, op, load);
}

/// stib.b of four components. The format of the descriptor decides what is stored of them.
static void storeTexel(Selector &selector, CallInst &op, const Texel &texel, uint64_t flags,
                       const Value *value) {
  std::optional<BoundPlace> place = findDescriptor(selector, op, texel.descriptor);
  if (!place)
    return;
  Register coordinates = joinRegisters(selector, texel.coordinates);
  Register data = joinRegisters(selector, selector.get(value));
  ir3::Instruction *store =
      selector.builder().create(Opcode::StibB, {coordinates, place->slot, data});
  describe(store, *place, texel, flags & ImageIsFloat ? F32 : flags & ImageIsSigned ? S32 : U32);
  store->fields.size = 4;
}

namespace {
/// The instruction for an operation of the dialect. The type says whether compares are signed.
struct ImageAtomicRow {
  ImageAtomic operation; ///< Of the op.
  Opcode opcode;
  ir3::Type type = U32;
};
} // namespace

/// Operations that are not here, those on floats, have no instruction.
static constexpr ImageAtomicRow atomicRows[] = {
    {ImageAtomic::Swap, Opcode::AtomicBXchg},
    {ImageAtomic::Add, Opcode::AtomicBAdd},
    {ImageAtomic::Sub, Opcode::AtomicBSub},
    {ImageAtomic::SMin, Opcode::AtomicBMin, S32},
    {ImageAtomic::UMin, Opcode::AtomicBMin},
    {ImageAtomic::SMax, Opcode::AtomicBMax, S32},
    {ImageAtomic::UMax, Opcode::AtomicBMax},
    {ImageAtomic::And, Opcode::AtomicBAnd},
    {ImageAtomic::Or, Opcode::AtomicBOr},
    {ImageAtomic::Xor, Opcode::AtomicBXor},
    {ImageAtomic::CompareSwap, Opcode::AtomicBCmpxchg},
};

/// \p op is an ImageAtomicOp or TexelAtomicOp, whose last operands are value and comparator.
static void changeTexel(Selector &selector, CallInst &op, const Texel &texel, uint64_t operation) {
  const auto *row = find_if(atomicRows, [&](const ImageAtomicRow &each) {
    return static_cast<uint64_t>(each.operation) == operation;
  });
  if (row == std::end(atomicRows))
    return selector.fail(op, "an atomic operation on floats");
  if (op.getType()->getScalarSizeInBits() != 32)
    return selector.fail(op, "a texel of 64 bits");
  std::optional<BoundPlace> place = findDescriptor(selector, op, texel.descriptor);
  if (!place)
    return;
  unsigned last = op.arg_size() - 1;
  SmallVector<Register, 3> group = {Register::undefined(),
                                    selector.getOne(op.getArgOperand(last - 1))};
  if (row->operation == ImageAtomic::CompareSwap)
    group.push_back(selector.getOne(op.getArgOperand(last)));
  Register coordinates = joinRegisters(selector, texel.coordinates);
  ir3::Instruction *access = selector.builder().create(
      row->opcode, {selector.builder().collect(group)->value(), coordinates, place->slot}, false,
      static_cast<unsigned>(group.size()));
  describe(access, *place, texel, row->type);
  access->fields.size = 1;
  selector.set(&op, {selector.builder().split(access, 0)->value()});
}

/// The three registers of resinfo.b.
static ir3::Instruction *queryResource(Selector &selector, CallInst &op, const Value *descriptor,
                                       unsigned dimensions) {
  std::optional<BoundPlace> place = findDescriptor(selector, op, descriptor);
  if (!place)
    return nullptr;
  ir3::Instruction *info = selector.builder().create(Opcode::ResinfoB, {place->slot}, false, 3);
  applyPlace(info, *place);
  info->fields.size = 1;
  info->fields.dimensions = static_cast<int32_t>(dimensions);
  return info;
}

/// Sizes, then the number of layers, then undefined components up to three; the fourth is the
/// number of levels.
static void querySize(Selector &selector, ImageQuerySizeOp &op) {
  const ir3::ImageShape *shape = findShape(selector, op, op.getDim());
  if (!shape)
    return;
  unsigned sizes = shape->sizes + shape->isArrayed;
  ir3::Instruction *info = queryResource(selector, op, op.getImage(), sizes);
  if (!info)
    return;
  Scalars result;
  for (ir3::Instruction *part : selector.builder().splitAll(info))
    result.push_back(part->value());
  if (shape->isCube && shape->isArrayed) {
    // A sixth of the layers: exact below 2^16.
    Register product = selector.emit(Opcode::MullU, {result[2], Selector::number(43691)});
    result[2] = selector.emit(Opcode::ShrB, {product, Selector::number(18)});
  }
  result.resize(sizes);
  result.resize(3, Register::undefined());
  result.push_back(Selector::number(1)); // A storage image has one level.
  selector.set(&op, std::move(result));
}

/// An element of a texel buffer.
static Texel texelOf(Selector &selector, const Value *buffer, const Value *index) {
  return {buffer, {selector.getOne(index)}};
}

/// A texel of an image; nothing, after Selector::fail(), for a multisampled one.
static std::optional<Texel> texelOf(Selector &selector, CallInst &op, uint64_t dim,
                                    const Value *image, const Value *coordinate) {
  const ir3::ImageShape *shape = findShape(selector, op, dim);
  if (!shape)
    return std::nullopt;
  return Texel{image, texelCoordinates(selector, coordinate, shape->texel)};
}

/// Of images; false for another op.
static bool selectImageAccess(Selector &selector, CallInst &call) {
  if (auto *op = dyn_cast<ImageLoadOp>(&call)) {
    if (!(op->getFlags() & ImageIsStorage))
      return false;
    if (auto texel = texelOf(selector, *op, op->getDim(), op->getImage(), op->getCoordinate()))
      loadTexel(selector, *op, *texel, op->getFlags());
    return true;
  }
  if (auto *op = dyn_cast<ImageStoreOp>(&call)) {
    if (auto texel = texelOf(selector, *op, op->getDim(), op->getImage(), op->getCoordinate()))
      storeTexel(selector, *op, *texel, op->getFlags(), op->getTexel());
    return true;
  }
  if (auto *op = dyn_cast<ImageAtomicOp>(&call)) {
    if (auto texel = texelOf(selector, *op, op->getDim(), op->getImage(), op->getCoordinate()))
      changeTexel(selector, *op, *texel, op->getOperation());
    return true;
  }
  auto *op = dyn_cast<ImageQuerySizeOp>(&call);
  if (!op || !(op->getFlags() & ImageIsStorage))
    return false;
  querySize(selector, *op);
  return true;
}

/// Loads and queries of sampled images are left to selectTexture().
bool ir3::selectImage(Selector &selector, CallInst &call) {
  if (auto *op = dyn_cast<TexelLoadOp>(&call)) {
    if (!(op->getFlags() & ImageIsStorage))
      return false;
    loadTexel(selector, *op, texelOf(selector, op->getBuffer(), op->getIndex()), op->getFlags());
    return true;
  }
  if (auto *op = dyn_cast<TexelStoreOp>(&call)) {
    storeTexel(selector, *op, texelOf(selector, op->getBuffer(), op->getIndex()), op->getFlags(),
               op->getTexel());
    return true;
  }
  if (auto *op = dyn_cast<TexelAtomicOp>(&call)) {
    changeTexel(selector, *op, texelOf(selector, op->getBuffer(), op->getIndex()),
                op->getOperation());
    return true;
  }
  if (auto *op = dyn_cast<TexelCountOp>(&call)) {
    if (ir3::Instruction *info = queryResource(selector, *op, op->getBuffer(), 1))
      selector.set(op, {selector.builder().split(info, 0)->value()});
    return true;
  }
  return selectImageAccess(selector, call);
}
