// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts: LLVM's IntrinsicsAMDGPU.td for operand orders and cache policies; the latter's meaning as
// LLVM's memory model has it (AMDGPUUsage, "Memory Model" of each generation).
#include "compiler/amdgpu/passes/LowerImage.h"

#include "compiler/amdgpu/passes/ImageCoordinates.h"
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/ImageTexels.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Cache policy bits of one generation, for accesses that the whole device must see (coherent) and
/// that may not be left out (volatile).
struct CachePolicy {
  unsigned major;
  unsigned coherentLoad, volatileLoad, coherentStore, volatileStore, atomic;
};

/// Bits of the auxiliary operand: GLC and DLC up to GFX11, the scope field of GFX12.
enum PolicyBit : unsigned { Glc = 1, Dlc = 4, ScopeDevice = 2 << 3, ScopeSystem = 3 << 3 };
} // namespace

/// Every generation of a target in the table must have a row.
static constexpr CachePolicy policies[] = {
    {9, Glc, Glc, 0, 0, 0},
    {10, Glc | Dlc, Glc | Dlc, 0, 0, 0},
    {11, Glc, Glc | Dlc, 0, Dlc, 0},
    {12, ScopeDevice, ScopeSystem, ScopeDevice, ScopeSystem, ScopeDevice},
};

namespace {
/// The last part of the names of an operation's intrinsics, for images and for typed buffers, and
/// the generation from which on the hardware has it.
struct AtomicInfo {
  StringLiteral image;
  unsigned imageSince;
  StringLiteral texel;
  unsigned texelSince;
};
} // namespace

/// By ImageAtomic. 12 where no float atomic of images exists before GFX12.
static constexpr AtomicInfo atomics[imageAtomicCount] = {
    {"swap", 9, "swap", 9},      {"add", 9, "add", 9},         {"sub", 9, "sub", 9},
    {"smin", 9, "smin", 9},      {"umin", 9, "umin", 9},       {"smax", 9, "smax", 9},
    {"umax", 9, "umax", 9},      {"and", 9, "and", 9},         {"or", 9, "or", 9},
    {"xor", 9, "xor", 9},        {"cmpswap", 9, "cmpswap", 9}, {"add.flt", 12, "fadd", 11},
    {"min.flt", 12, "fmin", 12}, {"max.flt", 12, "fmax", 12},
};

/// Mask of x, y, z and w.
static constexpr unsigned allComponents = 0xf;

namespace {
/// Replaces each op by intrinsics. What can't be replaced stays, and an error is noted.
class Lowering : public LgcVisitor<Lowering> {
public:
  explicit Lowering(const TargetInfo &target)
      : m_major(target.major),
        m_policy(*find_if(policies, [&](const auto &row) { return row.major == target.major; })) {}

  void visitImageLoadOp(ImageLoadOp &op);
  void visitImageStoreOp(ImageStoreOp &op);
  void visitImageSampleOp(ImageSampleOp &op);
  void visitImageGatherOp(ImageGatherOp &op);
  void visitImageAtomicOp(ImageAtomicOp &op);
  void visitImageQueryLodOp(ImageQueryLodOp &op);
  void visitImageQuerySizeOp(ImageQuerySizeOp &op);
  void visitImageQuerySamplesOp(ImageQuerySamplesOp &op);
  void visitTexelLoadOp(TexelLoadOp &op);
  void visitTexelStoreOp(TexelStoreOp &op);
  void visitTexelAtomicOp(TexelAtomicOp &op);
  void visitTexelCountOp(TexelCountOp &op);

  /// Those that become loops: after the visit, which must not meet new blocks.
  void lowerLoops();
  Error takeError() { return std::move(m_error); }

private:
  using Arguments = SmallVector<Value *, 16>;

  /// Whether the op's numbers are ones that we know; an error is noted if not.
  bool check(CallInst &op, uint64_t dim, uint64_t flags, uint64_t atomic = 0);
  /// Volatile takes precedence over coherent.
  unsigned loadPolicy(uint64_t flags) const {
    return flags & ImageVolatile   ? m_policy.volatileLoad
           : flags & ImageCoherent ? m_policy.coherentLoad
                                   : 0;
  }
  unsigned storePolicy(uint64_t flags) const {
    return flags & ImageVolatile   ? m_policy.volatileStore
           : flags & ImageCoherent ? m_policy.coherentStore
                                   : 0;
  }

  /// No pass of LLVM's may merge, move or drop a volatile access, but its intrinsics can't say so:
  /// a fence that costs nothing is before and after it.
  static void fenceIfVolatile(IRBuilder<> &builder, uint64_t flags) {
    if (flags & ImageVolatile)
      builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  }
  Value *loadTexel(IRBuilder<> &builder, Type *type, Arguments arguments, StringRef name);
  Value *sample(CallInst &op, uint64_t flags, StringRef name, const Arguments &front,
                const SampleAddress &address, Arguments back);
  /// An operation on floats, in a loop: \p load gives what may be there, \p exchange(expected,
  /// desired) what was.
  Value *loopUntilExchanged(CallInst &op, uint64_t operation, Value *value,
                            function_ref<Value *(IRBuilder<> &)> load,
                            function_ref<Value *(IRBuilder<> &, Value *, Value *)> exchange);
  void loopOnImage(ImageAtomicOp &op);
  void loopOnTexel(TexelAtomicOp &op);
  Value *imageAtomic(IRBuilder<> &builder, const ImageAtomicOp &op, StringRef name, Value *value,
                     Value *comparator) const;
  Value *texelAtomic(IRBuilder<> &builder, const TexelAtomicOp &op, StringRef name, Value *value,
                     Value *comparator) const;

  void replace(CallInst &op, Value *value) {
    if (auto *instruction = dyn_cast<Instruction>(value); instruction && op.hasName())
      instruction->takeName(&op);
    op.replaceAllUsesWith(value);
    op.eraseFromParent();
  }

  const unsigned m_major;
  const CachePolicy &m_policy;
  SmallVector<CallInst *, 4> m_loops; ///< What the hardware lacks.
  Error m_error = Error::success();
};
} // namespace

/// Calls the intrinsic llvm.amdgcn.\p name; its overload follows from the types.
static CallInst *call(IRBuilder<> &builder, Type *type, const Twine &name,
                      ArrayRef<Value *> arguments) {
  SmallString<64> text;
  Intrinsic::ID id = Intrinsic::lookupIntrinsicID(("llvm.amdgcn." + name).toStringRef(text));
  assert(id != Intrinsic::not_intrinsic && "LLVM 22 has it");
  return builder.CreateIntrinsic(type, id, arguments);
}

/// Returns an op's operand as an ImageDim; Lowering::check has accepted it.
static ImageDim dimOf(uint64_t number) {
  return static_cast<ImageDim>(number);
}

/// The integer coordinates of one texel.
static SmallVector<Value *, 4> texelCoordinates(IRBuilder<> &builder, uint64_t dim,
                                                Value *coordinate) {
  SmallVector<Value *, 4> coordinates;
  for (unsigned i = 0; i < getImageDimInfo(dimOf(dim)).texelCoordinates; ++i)
    coordinates.push_back(builder.CreateExtractElement(coordinate, uint64_t(i)));
  if (coordinates.size() > 1 && faultPlanted(Fault::ImageCoordinates))
    std::swap(coordinates[0], coordinates[1]);
  return coordinates;
}

/// Notes an error for operands that the IR should not have. Texel buffers have ops of their own.
bool Lowering::check(CallInst &op, uint64_t dim, uint64_t flags, uint64_t atomic) {
  bool isKnown = dim < imageDimCount && flags <= allImageFlags && atomic < imageAtomicCount &&
                 (dimOf(dim) != ImageDim::Buffer || isa<TexelAtomicOp>(op) ||
                  isa<TexelLoadOp>(op) || isa<TexelStoreOp>(op));
  if (!isKnown)
    m_error = joinErrors(std::move(m_error), invalidInput(op.getCalledFunction()->getName() +
                                                          ": an operand of no meaning"));
  return isKnown;
}

/// The texel of what an op gives.
static Type *texelOf(Type *type) {
  return isSparseTexel(type) ? type->getStructElementType(0) : type;
}

/// Two \p dwords as a texel of 64 bits; the other components are those of a format without them.
static Value *makeWideTexel(IRBuilder<> &builder, Value *dwords) {
  Value *result = ConstantVector::get(
      {builder.getInt64(0), builder.getInt64(0), builder.getInt64(0), builder.getInt64(1)});
  return builder.CreateInsertElement(result, builder.CreateBitCast(dwords, builder.getInt64Ty()),
                                     uint64_t(0));
}

/// \p arguments are the intrinsic's, with the mask of components first or, where \p name is of a
/// buffer, without one. 64-bit texels are two dwords of the hardware's.
Value *Lowering::loadTexel(IRBuilder<> &builder, Type *type, Arguments arguments, StringRef name) {
  if (texelOf(type)->getScalarSizeInBits() != 64)
    return call(builder, type, name, arguments);
  Type *dwords = FixedVectorType::get(builder.getInt32Ty(), 2);
  if (name.starts_with("image"))
    arguments[0] = builder.getInt32(3);
  if (!isSparseTexel(type))
    return makeWideTexel(builder, call(builder, dwords, name, arguments));
  Value *both = call(builder, StructType::get(dwords, builder.getInt32Ty()), name, arguments);
  Value *texel = makeWideTexel(builder, builder.CreateExtractValue(both, 0));
  Value *result = builder.CreateInsertValue(PoisonValue::get(type), texel, 0);
  return builder.CreateInsertValue(result, builder.CreateExtractValue(both, 1), 1);
}

/// Of an image intrinsic (LLVM's AMDGPU instructions, "texfailctrl"): bit 0, TFE, writes a dword
/// that is not 0 where a texel was not resident.
static Value *texelFailControl(IRBuilder<> &builder, uint64_t flags) {
  return builder.getInt32(flags & ImageSparse ? 1 : 0);
}

/// All four components are loaded. A level is an operand of image.load.mip.
void Lowering::visitImageLoadOp(ImageLoadOp &op) {
  if (!check(op, op.getDim(), op.getFlags()))
    return;
  IRBuilder<> builder(&op);
  Arguments arguments = {builder.getInt32(allComponents)};
  append_range(arguments, texelCoordinates(builder, op.getDim(), op.getCoordinate()));
  bool hasLod = op.getFlags() & ImageHasLod;
  if (hasLod)
    arguments.push_back(faultPlanted(Fault::ImageLevel) ? builder.getInt32(0) : op.getLod());
  arguments.append({op.getImage(), texelFailControl(builder, op.getFlags()),
                    builder.getInt32(loadPolicy(op.getFlags()))});
  std::string name = hasLod ? "image.load.mip." : "image.load.";
  name += getImageDimInfo(dimOf(op.getDim())).storage;
  fenceIfVolatile(builder, op.getFlags());
  Value *texel = loadTexel(builder, op.getType(), arguments, name);
  fenceIfVolatile(builder, op.getFlags());
  replace(op, texel);
}

/// All four components are stored, as floats by their bits, whatever the format is.
void Lowering::visitImageStoreOp(ImageStoreOp &op) {
  if (!check(op, op.getDim(), op.getFlags()))
    return;
  IRBuilder<> builder(&op);
  Type *floats = FixedVectorType::get(builder.getFloatTy(), 4);
  Arguments arguments = {builder.CreateBitCast(op.getTexel(), floats),
                         builder.getInt32(allComponents)};
  append_range(arguments, texelCoordinates(builder, op.getDim(), op.getCoordinate()));
  arguments.append(
      {op.getImage(), builder.getInt32(0), builder.getInt32(storePolicy(op.getFlags()))});
  fenceIfVolatile(builder, op.getFlags());
  call(builder, builder.getVoidTy(), "image.store." + getImageDimInfo(dimOf(op.getDim())).storage,
       arguments);
  fenceIfVolatile(builder, op.getFlags());
  op.eraseFromParent();
}

/// How sampling and gathering find the level, in the names of their intrinsics.
static std::string levelName(uint64_t flags) {
  std::string name = flags & ImageHasGradients  ? ".d"
                     : flags & ImageHasBias     ? ".b"
                     : flags & ImageHasLod      ? ".l"
                     : flags & ImageImplicitLod ? ""
                                                : ".lz";
  return name + (flags & ImageHasMinLod ? ".cl" : "");
}

/// Puts the operands together that sampling and gathering share: \p front, the address, \p back.
Value *Lowering::sample(CallInst &op, uint64_t flags, StringRef name, const Arguments &front,
                        const SampleAddress &address, Arguments back) {
  IRBuilder<> builder(&op);
  Arguments arguments = front;
  append_range(arguments, address.gradients);
  append_range(arguments, address.coordinates);
  append_range(arguments, back);
  constexpr bool IsUnnormalized = false; // The S# says it.
  arguments.append(
      {builder.getInt1(IsUnnormalized), texelFailControl(builder, flags), builder.getInt32(0)});
  return call(builder, op.getType(), name, arguments);
}

/// Operands of the intrinsic: mask, offset, bias, depth reference, gradients, coordinates, level,
/// least level, descriptors. A scalar result is the first component.
void Lowering::visitImageSampleOp(ImageSampleOp &op) {
  uint64_t flags = op.getFlags();
  if (!check(op, op.getDim(), flags))
    return;
  IRBuilder<> builder(&op);
  bool hasGradients = flags & ImageHasGradients;
  bool isScalar = !texelOf(op.getType())->isVectorTy();
  Arguments front = {builder.getInt32(isScalar ? 1 : allComponents)};
  if (flags & ImageHasOffset)
    front.push_back(op.getOffset());
  if (flags & ImageHasBias)
    front.push_back(op.getLod());
  if (flags & ImageHasCompare)
    front.push_back(op.getCompare());
  SampleAddress address = makeSampleAddress(builder, dimOf(op.getDim()), op.getCoordinate(),
                                            hasGradients ? op.getGradientX() : nullptr,
                                            hasGradients ? op.getGradientY() : nullptr);
  Arguments back;
  if (flags & ImageHasLod)
    back.push_back(op.getLod());
  if (flags & ImageHasMinLod)
    back.push_back(op.getMinLod());
  back.append({op.getImage(), op.getSampler()});
  std::string name = "image.sample";
  name += flags & ImageHasCompare ? ".c" : "";
  name += levelName(flags);
  name += flags & ImageHasOffset ? ".o." : ".";
  name += getImageDimInfo(dimOf(op.getDim())).sampled;
  replace(op, sample(op, flags, name, front, address, back));
}

/// From GFX11 on, gathering has offsets at level 0, and without comparison at the implicit level
/// (LLVM, MIMGInstructions.td).
static bool hasGather(uint64_t flags, unsigned major) {
  bool isPlain = levelName(flags).empty() && !(flags & ImageHasCompare);
  return major < 11 || !(flags & ImageHasOffset) || levelName(flags) == ".lz" || isPlain;
}

/// Gathers at level 0 unless the op has a bias, a level or an implicit one. Convergent with an
/// implicit level, whose derivatives need the whole quad.
void Lowering::visitImageGatherOp(ImageGatherOp &op) {
  uint64_t flags = op.getFlags();
  if (!check(op, op.getDim(), flags))
    return;
  if (!hasGather(flags, m_major)) {
    m_error = joinErrors(
        std::move(m_error),
        unsupported("a gather with an offset and a level of detail on GFX" + Twine(m_major)));
    return;
  }
  IRBuilder<> builder(&op);
  uint64_t component = op.getComponent() & 3;
  if (component && faultPlanted(Fault::GatherComponent))
    component = 0;
  Arguments front = {builder.getInt32(1u << component)};
  if (flags & ImageHasOffset)
    front.push_back(op.getOffset());
  if (flags & ImageHasBias)
    front.push_back(op.getLod());
  if (flags & ImageHasCompare)
    front.push_back(op.getCompare());
  SampleAddress address =
      makeSampleAddress(builder, dimOf(op.getDim()), op.getCoordinate(), nullptr, nullptr);
  Arguments back;
  if (flags & ImageHasLod)
    back.push_back(op.getLod());
  back.append({op.getImage(), op.getSampler()});
  std::string name = "image.gather4";
  name += flags & ImageHasCompare ? ".c" : "";
  name += levelName(flags);
  name += flags & ImageHasOffset ? ".o." : ".";
  name += getImageDimInfo(dimOf(op.getDim())).sampled;
  Value *gathered = sample(op, flags, name, front, address, back);
  if (flags & ImageImplicitLod)
    cast<CallInst>(gathered)->setConvergent();
  replace(op, gathered);
}

/// Returns both levels, the clamped one first.
void Lowering::visitImageQueryLodOp(ImageQueryLodOp &op) {
  if (!check(op, op.getDim(), 0))
    return;
  IRBuilder<> builder(&op);
  SampleAddress address =
      makeSampleAddress(builder, dimOf(op.getDim()), op.getCoordinate(), nullptr, nullptr);
  constexpr uint32_t BothLevels = 3;
  std::string name = "image.getlod.";
  name += getImageDimInfo(dimOf(op.getDim())).sampled;
  replace(op, sample(op, 0, name, {builder.getInt32(BothLevels)}, address,
                     {op.getImage(), op.getSampler()}));
}

/// Emits llvm.amdgcn.image.atomic.\p name and returns the old texel. \p comparator is null except
/// for cmpswap.
Value *Lowering::imageAtomic(IRBuilder<> &builder, const ImageAtomicOp &op, StringRef name,
                             Value *value, Value *comparator) const {
  Arguments arguments = {value};
  if (comparator)
    arguments.push_back(comparator);
  append_range(arguments, texelCoordinates(builder, op.getDim(), op.getCoordinate()));
  arguments.append({op.getImage(), builder.getInt32(0), builder.getInt32(m_policy.atomic)});
  return call(builder, value->getType(),
              "image.atomic." + name + "." + getImageDimInfo(dimOf(op.getDim())).storage,
              arguments);
}

/// The same for a texel buffer, by a typed buffer's index.
Value *Lowering::texelAtomic(IRBuilder<> &builder, const TexelAtomicOp &op, StringRef name,
                             Value *value, Value *comparator) const {
  Arguments arguments = {value};
  if (comparator)
    arguments.push_back(comparator);
  arguments.append({op.getBuffer(), op.getIndex(), builder.getInt32(0), builder.getInt32(0),
                    builder.getInt32(m_policy.atomic)});
  return call(builder, value->getType(), "struct.buffer.atomic." + name, arguments);
}

/// Returns what FAdd, FMin or FMax stores for the \p old texel and \p value.
static Value *combineFloats(IRBuilder<> &builder, uint64_t operation, Value *old, Value *value) {
  switch (static_cast<ImageAtomic>(operation)) {
  case ImageAtomic::FMin:
    return builder.CreateMinNum(old, value);
  case ImageAtomic::FMax:
    return builder.CreateMaxNum(old, value);
  default:
    return builder.CreateFAdd(old, value);
  }
}

Value *
/// Splits the block at \p op. Texels are compared as i32, so that a NaN equals itself.
Lowering::loopUntilExchanged(CallInst &op, uint64_t operation, Value *value,
                             function_ref<Value *(IRBuilder<> &)> load,
                             function_ref<Value *(IRBuilder<> &, Value *, Value *)> exchange) {
  BasicBlock *before = op.getParent();
  BasicBlock *after = SplitBlock(before, &op);
  BasicBlock *loop = BasicBlock::Create(op.getContext(), "exchange", op.getFunction(), after);
  IRBuilder<> builder(before->getTerminator());
  Value *first = load(builder);
  before->getTerminator()->setSuccessor(0, loop);

  builder.SetInsertPoint(loop);
  PHINode *expected = builder.CreatePHI(builder.getInt32Ty(), 2);
  Value *old = builder.CreateBitCast(expected, value->getType());
  Value *desired = combineFloats(builder, operation, old, value);
  Value *found = exchange(builder, expected, builder.CreateBitCast(desired, builder.getInt32Ty()));
  builder.CreateCondBr(builder.CreateICmpEQ(found, expected), after, loop);
  expected->addIncoming(first, before);
  expected->addIncoming(found, loop);
  builder.SetInsertPoint(&op);
  return builder.CreateBitCast(found, value->getType());
}

/// An operation that the target lacks is put off to lowerLoops.
void Lowering::visitImageAtomicOp(ImageAtomicOp &op) {
  if (!check(op, op.getDim(), op.getFlags(), op.getOperation()))
    return;
  const AtomicInfo &info = atomics[op.getOperation()];
  if (m_major < info.imageSince) {
    m_loops.push_back(&op);
    return;
  }
  IRBuilder<> builder(&op);
  bool isCompare = op.getOperation() == static_cast<uint64_t>(ImageAtomic::CompareSwap);
  replace(op, imageAtomic(builder, op, info.image, op.getValue(),
                          isCompare ? op.getComparator() : nullptr));
}

/// As for images.
void Lowering::visitTexelAtomicOp(TexelAtomicOp &op) {
  if (!check(op, static_cast<uint64_t>(ImageDim::Buffer), op.getFlags(), op.getOperation()))
    return;
  const AtomicInfo &info = atomics[op.getOperation()];
  if (m_major < info.texelSince) {
    m_loops.push_back(&op);
    return;
  }
  IRBuilder<> builder(&op);
  bool isCompare = op.getOperation() == static_cast<uint64_t>(ImageAtomic::CompareSwap);
  replace(op, texelAtomic(builder, op, info.texel, op.getValue(),
                          isCompare ? op.getComparator() : nullptr));
}

/// Replaces \p op by a loop of compare-and-swaps on one texel of an image.
void Lowering::loopOnImage(ImageAtomicOp &op) {
  auto load = [&](IRBuilder<> &at) {
    Arguments arguments = {at.getInt32(1)};
    append_range(arguments, texelCoordinates(at, op.getDim(), op.getCoordinate()));
    arguments.append({op.getImage(), at.getInt32(0), at.getInt32(loadPolicy(ImageCoherent))});
    return call(at, at.getInt32Ty(), "image.load." + getImageDimInfo(dimOf(op.getDim())).storage,
                arguments);
  };
  auto exchange = [&](IRBuilder<> &at, Value *expected, Value *desired) {
    return imageAtomic(at, op, "cmpswap", desired, expected);
  };
  replace(op, loopUntilExchanged(op, op.getOperation(), op.getValue(), load, exchange));
}

/// The same on an element of a texel buffer.
void Lowering::loopOnTexel(TexelAtomicOp &op) {
  auto load = [&](IRBuilder<> &at) {
    return call(at, at.getInt32Ty(), "struct.buffer.load.format",
                {op.getBuffer(), op.getIndex(), at.getInt32(0), at.getInt32(0),
                 at.getInt32(loadPolicy(ImageCoherent))});
  };
  auto exchange = [&](IRBuilder<> &at, Value *expected, Value *desired) {
    return texelAtomic(at, op, "cmpswap", desired, expected);
  };
  replace(op, loopUntilExchanged(op, op.getOperation(), op.getValue(), load, exchange));
}

void Lowering::lowerLoops() {
  for (CallInst *op : m_loops) {
    if (auto *image = dyn_cast<ImageAtomicOp>(op))
      loopOnImage(*image);
    else
      loopOnTexel(*cast<TexelAtomicOp>(op));
  }
}

// The instruction gives width, height, depth or layers, levels; the layers of a 1D array in the
// second place.
void Lowering::visitImageQuerySizeOp(ImageQuerySizeOp &op) {
  if (!check(op, op.getDim(), op.getFlags()))
    return;
  constexpr uint64_t FacesPerCube = 6, LayerPlace = 2;
  IRBuilder<> builder(&op);
  const ImageDimInfo &info = getImageDimInfo(dimOf(op.getDim()));
  StringRef suffix = op.getFlags() & ImageIsStorage ? info.storage : info.sampled;
  Type *floats = FixedVectorType::get(builder.getFloatTy(), 4);
  Value *size = call(builder, floats, "image.getresinfo." + suffix,
                     {builder.getInt32(allComponents), op.getLod(), op.getImage(),
                      builder.getInt32(0), builder.getInt32(0)});
  size = builder.CreateBitCast(size, op.getType());
  if (info.isCube && info.isArrayed) {
    Value *faces = builder.CreateExtractElement(size, LayerPlace);
    Value *cubes = builder.CreateUDiv(faces, builder.getInt32(FacesPerCube));
    size = builder.CreateInsertElement(size, cubes, LayerPlace);
  }
  replace(op, size);
}

// A multisampled T# holds the logarithm of its samples where others hold their last level: in dword
// 3, bits 19 to 16, on GFX12 bits 19 to 15 (LLPC, "CreateImageQuerySamples").
void Lowering::visitImageQuerySamplesOp(ImageQuerySamplesOp &op) {
  IRBuilder<> builder(&op);
  bool isWide = m_major >= 12;
  Value *dword = builder.CreateExtractElement(op.getImage(), uint64_t(3));
  Value *field = builder.CreateLShr(dword, uint64_t(isWide ? 15 : 16));
  field = builder.CreateAnd(field, isWide ? 0x1f : 0xf);
  replace(op, builder.CreateShl(builder.getInt32(1), field));
}

/// Loads by the format of the descriptor.
void Lowering::visitTexelLoadOp(TexelLoadOp &op) {
  if (!check(op, uint64_t(ImageDim::Buffer), op.getFlags()))
    return;
  IRBuilder<> builder(&op);
  fenceIfVolatile(builder, op.getFlags());
  Value *texel = loadTexel(builder, op.getType(),
                           {op.getBuffer(), op.getIndex(), builder.getInt32(0), builder.getInt32(0),
                            builder.getInt32(loadPolicy(op.getFlags()))},
                           "struct.buffer.load.format");
  fenceIfVolatile(builder, op.getFlags());
  replace(op, texel);
}

/// Stores by the format of the descriptor.
void Lowering::visitTexelStoreOp(TexelStoreOp &op) {
  if (!check(op, uint64_t(ImageDim::Buffer), op.getFlags()))
    return;
  IRBuilder<> builder(&op);
  fenceIfVolatile(builder, op.getFlags());
  call(builder, builder.getVoidTy(), "struct.buffer.store.format",
       {op.getTexel(), op.getBuffer(), op.getIndex(), builder.getInt32(0), builder.getInt32(0),
        builder.getInt32(storePolicy(op.getFlags()))});
  fenceIfVolatile(builder, op.getFlags());
  op.eraseFromParent();
}

// Dword 2 of a V# is the number of records, which are elements where the stride is not 0 (GFX9 and
// later; bytes on GFX8 only).
void Lowering::visitTexelCountOp(TexelCountOp &op) {
  IRBuilder<> builder(&op);
  replace(op, builder.CreateExtractElement(op.getBuffer(), uint64_t(2)));
}

/// Whether \p module asks for anything that this pass makes.
static bool hasImageOps(const Module &module) {
  return any_of(module, [](const Function &function) {
    StringRef name = function.getName();
    return (name.starts_with("lgc.image.") || name.starts_with("lgc.texel.")) &&
           !function.use_empty();
  });
}

/// Modules without image ops read no state, so that their hash chain does not depend on it.
PreservedAnalyses amdgpu::LowerImage::run(Module &module, ModuleAnalysisManager &) {
  if (!hasImageOps(module))
    return PreservedAnalyses::all();
  Expected<TrackedState> state = TrackedState::open(module, "lower-image");
  if (!state) {
    reportError(module.getContext(), state.takeError());
    return PreservedAnalyses::all();
  }
  Lowering lowering(state->getTarget());
  lowering.visit(module);
  lowering.lowerLoops();
  handleAllErrors(lowering.takeError(), [&](std::unique_ptr<AssayError> error) {
    reportError(module.getContext(), Error(std::move(error)));
  });
  return PreservedAnalyses::none();
}
