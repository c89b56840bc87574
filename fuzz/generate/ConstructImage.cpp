// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage images and storage texel buffers, texels by their places, atomics on texels, and what
// images say of their sizes.
#include "fuzz/generate/Texels.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The operands after a coordinate that name \p place's sample, and \p level where there is one.
static void addImageOperands(SmallVectorImpl<Operand> &operands, const TexelPlace &place,
                             Id level = 0) {
  if (place.sample) {
    operands.push_back(literal(uint32_t(spv::ImageOperandsMask::Sample)));
    operands.push_back(fuzz::id(place.sample));
  } else if (level) {
    operands.push_back(literal(uint32_t(spv::ImageOperandsMask::Lod)));
    operands.push_back(fuzz::id(level));
  }
}

/// Reads a texel of any element of the array and adds it to the scope.
static void readTexel(Writer &writer, const Texels &texels, const TexelPlace &place) {
  TexelAccess access = takeElement(writer, texels);
  Id image = loadImage(writer, texels, access);
  SmallVector<Operand, 4> operands{fuzz::id(image), fuzz::id(place.coordinate)};
  addImageOperands(operands, place);
  addTexel(writer, texels, writer.emit(spv::Op::OpImageRead, texels.texel, operands),
           place.isUniform && access.index.isUniform);
}

/// Four numbers that the format holds.
static Value takeTexel(Writer &writer, const Texels &texels) {
  const TexelFormatRow &format = *texels.format;
  if (texels.component == writer.pool().floatType(32))
    return takeExact(writer, texels.texel);
  Value value = writer.take(texels.texel);
  bool isSigned = format.numbers == TexelNumbers::Signed;
  return format.bits >= 32 ? value
                           : masked(writer, value, (uint64_t(1) << (format.bits - isSigned)) - 1);
}

/// Writes a texel that the format represents exactly to any element of the array.
static void writeTexel(Writer &writer, const Texels &texels, const TexelPlace &place) {
  Value value = takeTexel(writer, texels);
  Id image = loadImage(writer, texels, takeElement(writer, texels));
  SmallVector<Operand, 5> operands{fuzz::id(image), fuzz::id(place.coordinate), fuzz::id(value.id)};
  addImageOperands(operands, place);
  writer.emitVoid(spv::Op::OpImageWrite, operands);
}

/// Texels that nobody writes.
void writeImageRead(Writer &writer) {
  Texels texels = makeTexels(writer, {.use = ForStorage});
  for (uint64_t reads = writer.random().between(1, 3); reads > 0; --reads)
    readTexel(writer, texels, takePlace(writer, texels));
}

/// Each invocation has a texel.
void writeImageOwn(Writer &writer) {
  Random &random = writer.random();
  Texels texels = makeTexels(writer, {.use = ForStorage, .isOwn = true});
  TexelPlace place = ownPlace(writer, texels);
  for (uint64_t steps = random.between(2, 4); steps > 0; --steps)
    if (random.oneIn(2))
      writeTexel(writer, texels, place);
    else
      readTexel(writer, texels, place);
}

namespace {
/// Operands after the semantics: none for Load and Step, a value for Store and Change, value and
/// comparator for CompareExchange.
enum class AtomicForm : uint8_t { Load, Store, Step, Change, CompareExchange };

/// An atomic on texels. onFloats, onIntegers: formats that it accepts.
struct TexelAtomicRow {
  spv::Op opcode;
  AtomicForm form;
  bool onFloats, onIntegers;
  bool commutes;                                    ///< With itself.
  spv::Capability floats = spv::Capability::Shader; ///< Required on floats.
};
} // namespace

/// On shared texels a construct uses a single commutative operation, so that the order does not
/// matter.
static constexpr TexelAtomicRow atomicRows[] = {
    {spv::Op::OpAtomicLoad, AtomicForm::Load, true, true, false},
    {spv::Op::OpAtomicStore, AtomicForm::Store, true, true, false},
    {spv::Op::OpAtomicExchange, AtomicForm::Change, true, true, false},
    {spv::Op::OpAtomicCompareExchange, AtomicForm::CompareExchange, false, true, false},
    {spv::Op::OpAtomicIIncrement, AtomicForm::Step, false, true, true},
    {spv::Op::OpAtomicIDecrement, AtomicForm::Step, false, true, true},
    {spv::Op::OpAtomicIAdd, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicISub, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicSMin, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicUMin, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicSMax, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicUMax, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicAnd, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicOr, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicXor, AtomicForm::Change, false, true, true},
    {spv::Op::OpAtomicFAddEXT, AtomicForm::Change, true, false, true,
     spv::Capability::AtomicFloat32AddEXT},
    {spv::Op::OpAtomicFMinEXT, AtomicForm::Change, true, false, true,
     spv::Capability::AtomicFloat32MinMaxEXT},
    {spv::Op::OpAtomicFMaxEXT, AtomicForm::Change, true, false, true,
     spv::Capability::AtomicFloat32MinMaxEXT},
};

/// The result, or 0 for a store.
static Id emitAtomic(Writer &writer, const TexelAtomicRow &row, Id type, Id pointer) {
  constexpr uint32_t deviceScope = 1;
  Pool &pool = writer.pool();
  bool isFloat = writer.info(type).kind == TypeInfo::Float;
  auto take = [&] { return fuzz::id((isFloat ? takeExact(writer, type) : writer.take(type)).id); };
  Operand relaxed = fuzz::id(pool.number(0));
  SmallVector<Operand, 6> operands{fuzz::id(pointer), fuzz::id(pool.number(deviceScope)), relaxed};
  if (row.form == AtomicForm::CompareExchange)
    operands.push_back(relaxed);
  if (row.form != AtomicForm::Load && row.form != AtomicForm::Step)
    operands.push_back(take());
  if (row.form == AtomicForm::CompareExchange)
    operands.push_back(take());
  if (row.form != AtomicForm::Store)
    return writer.emit(row.opcode, type, operands);
  writer.emitVoid(row.opcode, operands);
  return 0;
}

/// Returns a pointer (storage class Image) to the texel at \p place.
static Id texelPointer(Writer &writer, const Texels &texels, const TexelPlace &place) {
  Pool &pool = writer.pool();
  TexelAccess access = takeElement(writer, texels);
  Id sample = pool.number(0); // Of an image with one.
  return markNonUniform(
      writer, access.index,
      writer.emit(spv::Op::OpImageTexelPointer,
                  pool.pointerType(spv::StorageClass::Image, texels.component),
                  {fuzz::id(access.pointer), fuzz::id(place.coordinate), fuzz::id(sample)}));
}

/// On texels of their own, with results; or one operation that does not mind the order, on any.
void writeImageAtomic(Writer &writer) {
  Random &random = writer.random();
  bool isOwn = random.oneIn(2);
  Texels texels = makeTexels(writer, {.use = ForStorage, .isOwn = isOwn, .isForAtomics = true});
  bool isFloat = texels.format->numbers == TexelNumbers::Float;
  if (texels.format->bits == 64)
    writer.pool().require(spv::Capability::Int64Atomics);
  SmallVector<const TexelAtomicRow *, 20> rows;
  for (const TexelAtomicRow &row : atomicRows)
    if ((isFloat ? row.onFloats : row.onIntegers) && (isOwn || row.commutes))
      rows.push_back(&row);
  TexelPlace own = isOwn ? ownPlace(writer, texels) : TexelPlace();
  for (uint64_t count = isOwn ? random.between(1, 3) : 1; count > 0; --count) {
    const TexelAtomicRow &row = *random.pick(ArrayRef(rows));
    writer.pool().require(row.floats);
    Id pointer = texelPointer(writer, texels, isOwn ? own : takePlace(writer, texels));
    Id result = emitAtomic(writer, row, texels.component, pointer);
    if (isOwn && result)
      writer.add({result, texels.component, false, 0});
  }
}

/// Sampled images and uniform texel buffers, by place and level.
void writeImageFetch(Writer &writer) {
  Random &random = writer.random();
  Texels texels = makeTexels(writer, {.use = ForFetch, .mostLevels = 3});
  bool hasLevels = mayHaveLevels(*texels.form);
  for (uint64_t fetches = random.between(1, 3); fetches > 0; --fetches) {
    // Any level has the texels of the last.
    Value level = writer.takeIndex(texels.shape.mipLevels);
    TexelPlace place = takePlace(writer, texels, texels.shape.mipLevels - 1);
    TexelAccess access = takeElement(writer, texels);
    Id image = loadImage(writer, texels, access);
    SmallVector<Operand, 4> operands{fuzz::id(image), fuzz::id(place.coordinate)};
    addImageOperands(operands, place, hasLevels ? level.id : 0);
    addTexel(writer, texels, writer.emit(spv::Op::OpImageFetch, texels.texel, operands),
             place.isUniform && level.isUniform && access.index.isUniform);
  }
}

/// Queries size, samples or levels of a sampled image; which of these exist depends on its
/// dimension.
static void querySampled(Writer &writer, Id u32) {
  Pool &pool = writer.pool();
  Texels texels = makeTexels(writer, {.use = ForFetch, .mostLevels = 3});
  TexelAccess access = takeElement(writer, texels);
  Id image = loadImage(writer, texels, access);
  auto components = static_cast<unsigned>(extentsOf(texels).size());
  Id type = components == 1 ? u32 : pool.vectorType(u32, components);
  auto add = [&](spv::Op opcode, Id result, ArrayRef<Operand> operands, bool isUniform) {
    writer.add(
        {writer.emit(opcode, result, operands), result, isUniform && access.index.isUniform, 0});
  };
  bool hasLevels = mayHaveLevels(*texels.form);
  if (!hasLevels)
    add(spv::Op::OpImageQuerySize, type, {fuzz::id(image)}, true);
  if (texels.form->isMultisampled)
    add(spv::Op::OpImageQuerySamples, u32, {fuzz::id(image)}, true);
  if (!hasLevels)
    return;
  Value level = writer.takeIndex(texels.shape.mipLevels);
  add(spv::Op::OpImageQuerySizeLod, type, {fuzz::id(image), fuzz::id(level.id)}, level.isUniform);
  add(spv::Op::OpImageQueryLevels, u32, {fuzz::id(image)}, true);
}

/// Sizes, levels, samples.
void writeImageQuery(Writer &writer) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::ImageQuery);
  Id u32 = pool.intType(32, false);
  if (writer.random().oneIn(2))
    return querySampled(writer, u32);
  Texels texels = makeTexels(writer, {.use = ForStorage});
  TexelAccess access = takeElement(writer, texels);
  // Of a cube the size of a face, and for an array how many cubes.
  bool isCube = texels.form->dim == spv::Dim::Cube;
  auto components =
      static_cast<unsigned>(extentsOf(texels).size() - (isCube && !texels.form->isArrayed ? 1 : 0));
  Id type = components == 1 ? u32 : pool.vectorType(u32, components);
  Id image = loadImage(writer, texels, access);
  writer.add({writer.emit(spv::Op::OpImageQuerySize, type, {fuzz::id(image)}), type,
              access.index.isUniform, 0});
}

} // namespace assay::fuzz
