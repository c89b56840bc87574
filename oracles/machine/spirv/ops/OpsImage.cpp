// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions without a sampler ("Image Instructions"): read, write, fetch, texel pointers
// and queries, and what all image instructions share.
#include "oracles/machine/spirv/ops/OpsImage.h"

#include "oracles/machine/spirv/draw/Fragment.h"
#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// Returns the image type of an image, sampled image, or pointer to one of them; null for other
/// values.
const spirv::ImageType *reference::imageTypeOf(Decoder &decoder, spirv::Id value) {
  const spirv::Type *type = decoder.module().findType(decoder.typeOf(value));
  if (type && type->kind == TypeKind::Pointer)
    type = decoder.module().findType(type->element);
  if (type && type->kind == TypeKind::SampledImage)
    type = decoder.module().findType(type->element);
  return type && type->kind == TypeKind::Image ? &type->image : nullptr;
}

namespace {
using Mask = spv::ImageOperandsMask;

/// An image operand that has ids, in the order of the mask's bits.
struct OperandRow {
  Mask bit;
  uint32_t ImageOp::*reference; ///< Null: known, and of no importance here.
  uint32_t ImageOp::*second;    ///< Of Grad.
};
} // namespace

// Invocations run one at a time, so making texels available and visible has nothing to do.
static constexpr OperandRow operandRows[] = {
    {Mask::Bias, &ImageOp::bias, nullptr},
    {Mask::Lod, &ImageOp::lod, nullptr},
    {Mask::Grad, &ImageOp::gradX, &ImageOp::gradY},
    {Mask::ConstOffset, &ImageOp::offset, nullptr},
    {Mask::Offset, &ImageOp::offset, nullptr},
    {Mask::ConstOffsets, &ImageOp::offsets, nullptr},
    {Mask::Sample, &ImageOp::sample, nullptr},
    {Mask::MinLod, &ImageOp::minLod, nullptr},
    {Mask::MakeTexelAvailable, nullptr, nullptr},
    {Mask::MakeTexelVisible, nullptr, nullptr},
};
/// Operands without ids that change no value here, apart from SignExtend and ZeroExtend, which set
/// the signedness.
static constexpr Mask silentOperands[] = {Mask::NonPrivateTexel, Mask::VolatileTexel,
                                          Mask::SignExtend, Mask::ZeroExtend, Mask::Nontemporal};

/// Operands that are not known are Unsupported, with the remaining bits of the mask.
Error reference::readImageOperands(Decoder &decoder, Operands operands, ImageOp &op) {
  if (operands.empty())
    return Error::success();
  uint32_t mask = op.mask = operands[0];
  operands = operands.drop_front();
  for (const OperandRow &row : operandRows) {
    if (!(mask & uint32_t(row.bit)))
      continue;
    mask &= ~uint32_t(row.bit);
    unsigned count = row.second ? 2 : 1;
    if (operands.size() < count)
      return invalidInput("an image operand is missing");
    for (unsigned i = 0; i < count && row.reference; ++i) {
      Expected<uint32_t> reference = decoder.ref(operands[i]);
      if (!reference)
        return reference.takeError();
      op.*(i ? row.second : row.reference) = *reference;
    }
    if (row.bit == Mask::Lod)
      op.lodIsInteger = decoder.scalarType(decoder.typeOf(operands[0])).kind == TypeKind::Int;
    operands = operands.drop_front(count);
  }
  if (mask & uint32_t(Mask::SignExtend))
    op.isSignedAccess = true;
  if (mask & uint32_t(Mask::ZeroExtend))
    op.isSignedAccess = false;
  for (Mask bit : silentOperands)
    mask &= ~uint32_t(bit);
  return mask ? unsupported("image operands " + Twine::utohexstr(mask)) : Error::success();
}

/// Also sets the width and signedness of the coordinate and, from the sampled type, that of the
/// access.
Error reference::startImageOp(Decoder &decoder, Operands operands, Inst &inst, ImageOp &op) {
  const spirv::ImageType *type = imageTypeOf(decoder, operands[0]);
  if (!type)
    return invalidInput("%" + Twine(operands[0]) + " is no image");
  op.type = *type;
  op.isSignedAccess = decoder.module().type(type->sampledType).isSigned;
  if (operands.size() > 1) {
    const spirv::Type &scalar = decoder.scalarType(decoder.typeOf(operands[1]));
    op.coordinateWidth = static_cast<uint8_t>(scalar.width);
    op.isCoordinateSigned = scalar.isSigned;
    Expected<uint32_t> coordinate = decoder.ref(operands[1]);
    Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(operands[1]));
    if (!coordinate || !count)
      return joinErrors(coordinate.takeError(), count.takeError());
    op.coordinate = *coordinate;
    op.coordinates = *count;
  }
  return decoder.refs(operands.take_front(), inst);
}

/// What an access of a storage image lacks to be seen by others.
static uint8_t accessFlagsOf(Decoder &decoder, const ImageOp &op) {
  bool isStorage = op.type.sampled == 2 && op.type.dim != spv::Dim::SubpassData;
  if (decoder.module().memoryModel != spv::MemoryModel::Vulkan || !isStorage)
    return 0;
  auto lacks = [&](Mask bit) { return !(op.mask & uint32_t(bit)); };
  return (lacks(Mask::NonPrivateTexel) ? PrivateAccess : 0) |
         (lacks(Mask::MakeTexelAvailable) ? LacksAvailable : 0) |
         (lacks(Mask::MakeTexelVisible) ? LacksVisible : 0);
}

/// extra: the index in Program::imageOps. n: the scalars of the result, if there is one.
Error reference::finishImageOp(Decoder &decoder, Inst &inst, const ImageOp &op) {
  if (inst.source->typeId) {
    Expected<uint32_t> count = decoder.scalarCount(inst.source->typeId);
    if (!count)
      return count.takeError();
    inst.n = *count;
  }
  inst.access = accessFlagsOf(decoder, op);
  inst.extra = static_cast<uint32_t>(decoder.program().imageOps.size());
  decoder.program().imageOps.push_back(op);
  return Error::success();
}

/// Checks poison, the bounds of the array, uniformity, that something is bound, and that it fits
/// the shader's type.
const ImageBinding *reference::descriptorOf(Invocation &invocation, const Inst &inst,
                                            const Scalar &value) {
  Execution &execution = *invocation.execution;
  if (value.isPoison()) {
    execution.poisonUsed(value, "a descriptor", invocation, inst);
    return nullptr;
  }
  bool isOutside =
      value.flags & OutOfBounds || value.object - FirstDescriptor >= execution.viewCount();
  if (isOutside) {
    execution.undefinedBehavior("UB-OOB", invocation, inst, "outside of the descriptor array");
    return nullptr;
  }
  if (value.flags & ChosenDescriptor && !inst.isNonUniform &&
      checkUniform(invocation, inst, value) != Status::Next)
    return nullptr;
  const ImageBinding *binding = execution.view(value.object).descriptor.get();
  if (!binding) {
    const DescriptorSlot &slot = invocation.program().descriptors[value.object - FirstDescriptor];
    execution.undefinedBehavior("UB-NULLDESC", invocation, inst,
                                "nothing is bound to set " + std::to_string(slot.set) +
                                    ", binding " + std::to_string(slot.binding));
    return nullptr;
  }
  if (!binding->problem.empty()) {
    execution.undefinedBehavior("UB-DESCRIPTOR", invocation, inst, binding->problem);
    return nullptr;
  }
  return binding;
}

/// In addition to descriptorOf(): texels of the format can be read, and the signedness of the
/// access is that of the format.
const ImageView *reference::viewOf(Invocation &invocation, const Inst &inst, const Scalar &value,
                                   const ImageOp &op) {
  const ImageBinding *binding = descriptorOf(invocation, inst, value);
  if (!binding)
    return nullptr;
  assert(binding->image && "a variable of this type has an image");
  const ImageView &view = *binding->image;
  Execution &execution = *invocation.execution;
  if (std::string reason = whyNotReadable(*view.format); !reason.empty()) {
    execution.stopUnsupported(reason);
    return nullptr;
  }
  bool isSigned = view.format->numeric == TexelNumeric::Sint;
  if (view.format->isInteger() && isSigned != op.isSignedAccess) {
    execution.undefinedBehavior("UB-DESCRIPTOR", invocation, inst,
                                std::string("the access is ") +
                                    (op.isSignedAccess ? "signed" : "unsigned") +
                                    ", the image has " + view.format->name.str());
    return nullptr;
  }
  return &view;
}

/// The read is noted for races before the texel is decoded.
bool reference::loadTexel(Invocation &invocation, const Inst &inst, const ImageView &view,
                          const TexelPlace &place, TexelValue &value) {
  uint64_t offset = view.offsetOf(place);
  if (!noteImageAccess(invocation, inst, view, offset, AccessKind::Read))
    return false;
  value = readTexel(*view.memory, offset, *view.format, inst.rules);
  return true;
}

/// The number that the lowest \p width bits of \p value are.
static int64_t integerOf(const Scalar &value, unsigned width, bool isSigned) {
  if (!isSigned && width < 64)
    return static_cast<int64_t>(value.bits);
  return signExtend(value.bits, width);
}

/// Where integer coordinates point. False: stopped, because one is undefined.
static bool placeOf(Invocation &invocation, const Inst &inst, const ImageOp &op,
                    TexelPlace &place) {
  const Scalar *coordinate = invocation.at(op.coordinate);
  Scalar poison = poisonOf(coordinate, op.coordinates);
  for (uint32_t operand : {op.sample, op.lod})
    if (operand != NoOperand)
      poison = inheritPoison(poison, *invocation.at(operand));
  if (poison.isPoison()) {
    invocation.execution->poisonUsed(poison, "an image coordinate", invocation, inst);
    return false;
  }
  // The faces of a cube are layers here.
  unsigned dimensions = op.type.dim == spv::Dim::Cube ? 2 : op.dimensions();
  int64_t *parts[] = {&place.x, &place.y, &place.z};
  for (uint32_t i = 0; i < op.coordinates && i <= dimensions; ++i)
    (i < dimensions ? *parts[i] : place.layer) =
        integerOf(coordinate[i], op.coordinateWidth, op.isCoordinateSigned);
  if (op.offset != NoOperand)
    for (unsigned i = 0; i < dimensions; ++i)
      *parts[i] += signExtend(invocation.at(op.offset)[i].bits, 32);
  // "Coordinate is relative to the current fragment location" (SPIR-V, OpImageRead).
  if (op.type.dim == spv::Dim::SubpassData && invocation.fragment) {
    place.x += invocation.fragment->x();
    place.y += invocation.fragment->y();
  }
  if (op.sample != NoOperand)
    place.sample = signExtend(invocation.at(op.sample)->bits, 32);
  if (op.lod != NoOperand)
    place.level = signExtend(invocation.at(op.lod)->bits, 32);
  return true;
}

/// Describes a texel and the size of its view, for messages.
static std::string describePlace(const TexelPlace &place, const ImageView &view) {
  std::string text = "texel (" + std::to_string(place.x);
  if (!view.isBuffer)
    text += ", " + std::to_string(place.y) + ", " + std::to_string(place.z) + "), layer " +
            std::to_string(place.layer) + ", sample " + std::to_string(place.sample) + ", level " +
            std::to_string(place.level) + " of an image of " + std::to_string(view.shape.width) +
            " x " + std::to_string(view.shape.height) + " x " + std::to_string(view.shape.depth) +
            ", " + std::to_string(view.layers) + " layers, " + std::to_string(view.levels()) +
            " levels";
  else
    text += ") of a texel buffer of " + std::to_string(view.shape.width);
  return text;
}

/// What a read outside of the image gives ("Robust Image Access", "Robust Buffer Access"). False:
/// stopped.
static bool readOutside(Invocation &invocation, const Inst &inst, const ImageView &view,
                        const TexelPlace &place, TexelValue &value) {
  if (view.robustness == Robustness::None) {
    invocation.execution->undefinedBehavior("UB-OOB", invocation, inst, describePlace(place, view));
    return false;
  }
  value = zeroTexel(*view.format, 1);
  if (invocation.wroteOutside) { // What it wrote there may come back.
    value.fill(Scalar::ambiguous());
    return true;
  }
  if (view.robustness == Robustness::Access2)
    return true;
  if (view.isBuffer)
    value.fill(Scalar::ambiguous());
  else if (!view.format->find('A'))
    value[3] = view.format->isInteger() ? Scalar::ambiguous()
                                        : scalarOf(Interval{0, 1, false}, inst.rules, 1);
  return true;
}

/// Reads or fetches one texel. dst gets as many components as the result has.
static Status readImage(Invocation &invocation, const Inst &inst) {
  const ImageOp &op = invocation.program().imageOps[inst.extra];
  const ImageView *view = viewOf(invocation, inst, *invocation.at(inst.op[0]), op);
  TexelPlace place;
  if (!view || !placeOf(invocation, inst, op, place))
    return Status::Stop;
  TexelValue value;
  bool isGood = view->contains(place) ? loadTexel(invocation, inst, *view, place, value)
                                      : readOutside(invocation, inst, *view, place, value);
  if (!isGood)
    return Status::Stop;
  std::copy_n(value.begin(), std::min(inst.n, 4u), invocation.at(inst.dst));
  return Status::Next;
}

/// Nothing is written outside of an image ("Image Writes"); outside of a texel buffer, only with
/// robustness 2.
static Status writeOutside(Invocation &invocation, const Inst &inst, const ImageView &view,
                           const TexelPlace &place) {
  invocation.wroteOutside |= view.robustness != Robustness::None;
  if (!view.isBuffer || view.robustness == Robustness::Access2)
    return Status::Next;
  if (view.robustness == Robustness::Access)
    return invocation.execution->stopUnsupported(
        "imprecise: a write outside of a texel buffer may go anywhere in it");
  return invocation.execution->undefinedBehavior("UB-OOB", invocation, inst,
                                                 describePlace(place, view));
}

/// Writes one texel. Helper invocations write nothing; fragments that may not exist stop the run.
static Status writeImage(Invocation &invocation, const Inst &inst) {
  const ImageOp &op = invocation.program().imageOps[inst.extra];
  const ImageView *view = viewOf(invocation, inst, *invocation.at(inst.op[0]), op);
  TexelPlace place;
  if (!view || !placeOf(invocation, inst, op, place))
    return Status::Stop;
  if (std::string reason = whyNotWritable(*view->format); !reason.empty())
    return invocation.execution->stopUnsupported(reason);
  if (Status status = checkEffect(invocation, inst); status != Status::Next)
    return status == Status::Yield ? Status::Next : status;
  if (!view->contains(place))
    return writeOutside(invocation, inst, *view, place);
  uint64_t offset = view->offsetOf(place);
  if (!noteImageAccess(invocation, inst, *view, offset, AccessKind::Write))
    return Status::Stop;
  TexelValue value;
  value.fill(Scalar::undefined(Cause::Uninitialized));
  std::copy_n(invocation.at(op.texel), std::min(op.texelScalars, 4u), value.begin());
  writeTexel(*view->memory, offset, *view->format, value, inst.rules);
  return Status::Next;
}

/// An offset that is outside of every image, and aligned for every atomic.
static constexpr uint64_t OutsideOfImages = uint64_t(1) << 62;

/// dst: a pointer to the texel, its offset counted from the view's start.
static Status texelPointer(Invocation &invocation, const Inst &inst) {
  const ImageOp &op = invocation.program().imageOps[inst.extra];
  const Scalar image = *invocation.at(inst.op[0]);
  const ImageView *view = viewOf(invocation, inst, image, op);
  TexelPlace place;
  if (!view || !placeOf(invocation, inst, op, place))
    return Status::Stop;
  bool isInside = view->contains(place);
  if (!isInside && view->robustness == Robustness::None)
    return invocation.execution->undefinedBehavior("UB-OOB", invocation, inst,
                                                   describePlace(place, *view));
  *invocation.at(inst.dst) = Scalar::pointer(
      image.object, isInside ? view->offsetOf(place) - view->firstByte : OutsideOfImages);
  return Status::Next;
}

/// Sizes: texels along each dimension of the image, then layers (cubes of an array of cubes).
static Status querySize(Invocation &invocation, const Inst &inst) {
  const ImageOp &op = invocation.program().imageOps[inst.extra];
  const ImageBinding *binding = descriptorOf(invocation, inst, *invocation.at(inst.op[0]));
  if (!binding)
    return Status::Stop;
  const ImageView &view = *binding->image;
  Scalar *dst = invocation.at(inst.dst);
  Scalar lod = op.lod == NoOperand ? Scalar::exact(0) : *invocation.at(op.lod);
  if (lod.isPoison() || uint32_t(lod.bits) >= view.levels()) {
    std::fill_n(dst, inst.n,
                lod.isPoison() ? inheritPoison(lod, lod) : Scalar::undefined(Cause::Index));
    return Status::Next;
  }
  unsigned dimensions = view.isCube ? 2 : op.dimensions();
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = Scalar::exact(i < dimensions ? view.extent(i, uint32_t(lod.bits))
                                          : view.layers / (view.isCube ? 6 : 1));
  return Status::Next;
}

/// The levels of the view, not of the image.
static Status queryLevels(Invocation &invocation, const Inst &inst) {
  const ImageBinding *binding = descriptorOf(invocation, inst, *invocation.at(inst.op[0]));
  if (!binding)
    return Status::Stop;
  *invocation.at(inst.dst) = Scalar::exact(binding->image->levels());
  return Status::Next;
}

/// The samples of each texel.
static Status querySamples(Invocation &invocation, const Inst &inst) {
  const ImageBinding *binding = descriptorOf(invocation, inst, *invocation.at(inst.op[0]));
  if (!binding)
    return Status::Stop;
  *invocation.at(inst.dst) = Scalar::exact(binding->image->shape.samples);
  return Status::Next;
}

/// Operands: image, coordinate, then image operands.
static Error prepareRead(Decoder &decoder, Operands operands, Inst &inst) {
  ImageOp op;
  if (Error error = startImageOp(decoder, operands.take_front(2), inst, op))
    return error;
  if (Error error = readImageOperands(decoder, operands.drop_front(2), op))
    return error;
  return finishImageOp(decoder, inst, op);
}

/// Operands: image, coordinate, texel, then image operands.
static Error prepareWrite(Decoder &decoder, Operands operands, Inst &inst) {
  ImageOp op;
  if (Error error = startImageOp(decoder, operands.take_front(2), inst, op))
    return error;
  Expected<uint32_t> texel = decoder.ref(operands[2]);
  Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(operands[2]));
  if (!texel || !count)
    return joinErrors(texel.takeError(), count.takeError());
  op.texel = *texel;
  op.texelScalars = *count;
  if (Error error = readImageOperands(decoder, operands.drop_front(3), op))
    return error;
  return finishImageOp(decoder, inst, op);
}

/// Operands: pointer to the image, coordinate, sample.
static Error prepareTexelPointer(Decoder &decoder, Operands operands, Inst &inst) {
  ImageOp op;
  if (Error error = startImageOp(decoder, operands.take_front(2), inst, op))
    return error;
  Expected<uint32_t> sample = decoder.ref(operands[2]);
  if (!sample)
    return sample.takeError();
  op.sample = *sample;
  return finishImageOp(decoder, inst, op);
}

/// Operands: image, perhaps a level.
static Error prepareQuery(Decoder &decoder, Operands operands, Inst &inst) {
  ImageOp op;
  if (Error error = startImageOp(decoder, operands.take_front(), inst, op))
    return error;
  if (operands.size() > 1) {
    Expected<uint32_t> level = decoder.ref(operands[1]);
    if (!level)
      return level.takeError();
    op.lod = *level;
  }
  return finishImageOp(decoder, inst, op);
}

/// A sampled image is an image and a sampler: op[0] and op[1].
static Status combine(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  Scalar image = *invocation.at(inst.op[0]), sampler = *invocation.at(inst.op[1]);
  dst[0] = image;
  dst[1] = sampler;
  return Status::Next;
}

/// The image is the first scalar of a sampled image.
static Status takeImage(Invocation &invocation, const Inst &inst) {
  *invocation.at(inst.dst) = *invocation.at(inst.op[0]);
  return Status::Next;
}

/// Image instructions that need no sampler. Those with one are in OpsSample.cpp.
ArrayRef<OpRow> reference::imageOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpSampledImage), prepareIds, combine},
      {uint32_t(Op::OpImage), prepareIds, takeImage},
      {uint32_t(Op::OpImageFetch), prepareRead, readImage},
      {uint32_t(Op::OpImageRead), prepareRead, readImage},
      {uint32_t(Op::OpImageWrite), prepareWrite, writeImage},
      {uint32_t(Op::OpImageTexelPointer), prepareTexelPointer, texelPointer},
      {uint32_t(Op::OpImageQuerySizeLod), prepareQuery, querySize},
      {uint32_t(Op::OpImageQuerySize), prepareQuery, querySize},
      {uint32_t(Op::OpImageQueryLevels), prepareQuery, queryLevels},
      {uint32_t(Op::OpImageQuerySamples), prepareQuery, querySamples},
  };
  return rows;
}
