// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The rows of Constructs.def, in order.
ArrayRef<Construct> constructs() {
  static constexpr Construct table[] = {
#define CONSTRUCT(FUNCTION, NAME, WEIGHT, NEEDS) {NAME, WEIGHT, NEEDS, write##FUNCTION},
#include "fuzz/generate/Constructs.def"
  };
  return table;
}

/// One time in ten a constant, even where a value is in scope.
Value takeNumeric(Writer &writer, TypeInfo::Kind kind) {
  auto isOfKind = [&](const Value &each) {
    return writer.info(writer.scalarOf(each.type)).kind == kind;
  };
  if (writer.random().chance(90))
    if (auto value = writer.find(isOfKind))
      return *value;
  Id type = kind == TypeInfo::Bool    ? writer.pool().boolType()
            : kind == TypeInfo::Float ? writer.pool().floatType(32)
                                      : writer.randomInt();
  return writer.constant(type);
}

/// Emits the instruction and adds its result to the scope. The result is uniform if all operands
/// are. \p magnitude bounds the whole number in a float; 0 promises nothing.
Value addResult(Writer &writer, spv::Op opcode, Id type, ArrayRef<Value> operands,
                uint32_t magnitude) {
  SmallVector<Operand, 4> ids;
  for (const Value &operand : operands)
    ids.push_back(fuzz::id(operand.id));
  bool isUniform = all_of(operands, [](const Value &each) { return each.isUniform; });
  Value result{writer.emit(opcode, type, ids), type, isUniform, magnitude};
  writer.add(result);
  return result;
}

/// The result has magnitude 0: callers that know more set it.
Value splat(Writer &writer, Id type, uint64_t bits) {
  Pool &pool = writer.pool();
  TypeInfo shape = writer.info(type);
  if (shape.kind != TypeInfo::Vector)
    return {pool.constant(type, bits), type, true, 0};
  Id part = pool.constant(shape.element, bits);
  return {pool.constantComposite(type, SmallVector<Id, 4>(shape.count, part)), type, true, 0};
}

/// True for floats, and vectors of them, that are known whole numbers.
static bool isExact(Writer &writer, const Value &value) {
  return value.magnitude != 0 && writer.info(writer.scalarOf(value.type)).kind == TypeInfo::Float;
}

Value takeExact(Writer &writer) {
  if (auto value = writer.find([&](const Value &each) { return isExact(writer, each); }))
    return *value;
  return writer.constant(writer.pool().floatType(32));
}

/// Mostly a value in scope. A constant of floats is exact, too.
Value takeExact(Writer &writer, Id type) {
  if (writer.random().chance(85))
    if (auto value = writer.find(
            [&](const Value &each) { return each.type == type && each.magnitude != 0; }))
      return *value;
  return writer.constant(type);
}

/// Returns a block with one runtime array of words at offset 0.
Id makeWordBlock(Pool &pool) {
  Id block = pool.structType({pool.runtimeArrayType(pool.intType(32, false), 4)});
  pool.decorate(block, spv::Decoration::Block);
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  return block;
}

/// The contents of the buffer in the case are \p words.
Id newWords(Writer &writer, std::vector<uint64_t> words) {
  return writer.newResource(makeWordBlock(writer.pool()),
                            {{"", "uint32", GeneratedBinding::Storage, 0, std::move(words)}});
}

/// Returns a pointer to word \p index of a buffer that newWords() made.
Id wordPointer(Writer &writer, Id buffer, Id index) {
  Pool &pool = writer.pool();
  Id type = pool.pointerType(spv::StorageClass::StorageBuffer, pool.intType(32, false));
  return writer.emit(spv::Op::OpAccessChain, type,
                     {fuzz::id(buffer), fuzz::id(pool.number(0)), fuzz::id(index)});
}

/// About half of them are below 256, so that they serve as indices and counts.
std::vector<uint64_t> randomWords(Random &random, size_t count) {
  std::vector<uint64_t> words(count);
  for (uint64_t &word : words)
    word = random.oneIn(2) ? random.below(256) : random.next() >> 32;
  return words;
}

/// In the Vulkan memory model what others shall see is made available and visible, and no access to
/// it is private.
static bool isVulkanModel(Writer &writer) {
  return writer.generated().program.memoryModel.front().word(1) ==
         uint32_t(spv::MemoryModel::Vulkan);
}

/// Does nothing with the Vulkan memory model.
void makeCoherent(Writer &writer, Id variable) {
  if (!isVulkanModel(writer)) // There, barriers and accesses say it.
    writer.pool().decorate(variable, spv::Decoration::Coherent);
}

/// A control barrier of the workgroup with acquire-release semantics; must be in uniform control
/// flow.
void meet(Writer &writer, uint32_t more) {
  constexpr unsigned workgroupScope = 2;
  constexpr unsigned acquireReleaseWorkgroup = 0x108, makeAvailableVisible = 0x6000;
  uint32_t semantics =
      acquireReleaseWorkgroup | more | (isVulkanModel(writer) ? makeAvailableVisible : 0);
  Operand scope = fuzz::id(writer.pool().number(workgroupScope));
  writer.emitVoid(spv::Op::OpControlBarrier,
                  {scope, scope, fuzz::id(writer.pool().number(semantics))});
}

/// Stores a value that other invocations may load after they meet.
void storeShared(Writer &writer, Id pointer, Id value) {
  SmallVector<Operand, 3> operands{fuzz::id(pointer), fuzz::id(value)};
  if (isVulkanModel(writer))
    operands.push_back(literal(uint32_t(spv::MemoryAccessMask::NonPrivatePointer)));
  writer.emitVoid(spv::Op::OpStore, operands);
}

/// Loads what another invocation may have stored.
Id loadShared(Writer &writer, Id type, Id pointer) {
  SmallVector<Operand, 2> operands{fuzz::id(pointer)};
  if (isVulkanModel(writer))
    operands.push_back(literal(uint32_t(spv::MemoryAccessMask::NonPrivatePointer)));
  return writer.emit(spv::Op::OpLoad, type, operands);
}

/// Applies the mask to each component.
Value masked(Writer &writer, const Value &value, uint64_t mask) {
  return addResult(writer, spv::Op::OpBitwiseAnd, value.type,
                   {value, splat(writer, value.type, mask)});
}

} // namespace assay::fuzz
