// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors, arrays and structures: made of parts, taken apart, shuffled.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True for vectors, matrices, arrays and structures.
static bool isComposite(const Writer &writer, const Value &value) {
  TypeInfo::Kind kind = writer.info(value.type).kind;
  return kind == TypeInfo::Vector || kind == TypeInfo::Array || kind == TypeInfo::Struct ||
         kind == TypeInfo::Matrix;
}

/// Returns the type of element or member \p index.
static Id elementType(Writer &writer, Id type, unsigned index) {
  TypeInfo shape = writer.info(type);
  return shape.kind == TypeInfo::Struct ? writer.pool().definition(type).word(index)
                                        : shape.element;
}

/// Builds a composite of parts in scope. A vector is exact if all of its parts are; other
/// composites carry no promise.
void writeCompositeBuild(Writer &writer) {
  Id type = writer.randomType();
  if (!isComposite(writer, {0, type, false, 0})) {
    Id scalar = writer.randomScalar(); // One draw after the other, whoever compiles this.
    type = writer.pool().vectorType(scalar, static_cast<unsigned>(writer.random().between(2, 4)));
  }
  SmallVector<Value, 5> parts;
  uint32_t magnitude = ~0u;
  for (unsigned i = 0; i < writer.info(type).count; ++i) {
    parts.push_back(writer.take(elementType(writer, type, i)));
    magnitude = parts.back().magnitude && magnitude
                    ? (magnitude == ~0u ? parts.back().magnitude
                                        : std::max(magnitude, parts.back().magnitude))
                    : 0;
  }
  bool isVector = writer.info(type).kind == TypeInfo::Vector;
  addResult(writer, spv::Op::OpCompositeConstruct, type, parts, isVector ? magnitude : 0);
}

/// Takes a part out, or puts one in; of vectors by an index that may not be known.
void writeCompositeTake(Writer &writer) {
  auto value = writer.find([&](const Value &each) { return isComposite(writer, each); });
  if (!value)
    return writeCompositeBuild(writer);
  TypeInfo shape = writer.info(value->type);
  Random &random = writer.random();
  unsigned index = static_cast<unsigned>(random.below(shape.count));
  Id element = elementType(writer, value->type, index);
  bool isDynamic = shape.kind == TypeInfo::Vector && random.oneIn(3);
  bool isInsert = random.oneIn(3);
  if (isDynamic && isInsert) {
    Value part = writer.take(element);
    Value at = writer.takeIndex(shape.count);
    addResult(writer, spv::Op::OpVectorInsertDynamic, value->type, {*value, part, at});
  } else if (isDynamic) {
    Value at = writer.takeIndex(shape.count);
    addResult(writer, spv::Op::OpVectorExtractDynamic, element, {*value, at}, value->magnitude);
  } else if (isInsert) {
    Value part = writer.take(element);
    Id id = writer.emit(spv::Op::OpCompositeInsert, value->type,
                        {fuzz::id(part.id), fuzz::id(value->id), literal(index)});
    writer.add({id, value->type, part.isUniform && value->isUniform, 0});
  } else {
    Id id =
        writer.emit(spv::Op::OpCompositeExtract, element, {fuzz::id(value->id), literal(index)});
    writer.add({id, element, value->isUniform, value->magnitude});
  }
}

/// Shuffles two vectors of one component type into a vector of 2 to 4; does nothing without a
/// vector.
void writeCompositeShuffle(Writer &writer) {
  auto isVector = [&](const Value &each) {
    return writer.info(each.type).kind == TypeInfo::Vector;
  };
  auto left = writer.find(isVector);
  if (!left)
    return;
  Id scalar = writer.scalarOf(left->type);
  auto right = writer.find(
      [&](const Value &each) { return isVector(each) && writer.scalarOf(each.type) == scalar; });
  if (!right)
    right = left;
  unsigned total = writer.info(left->type).count + writer.info(right->type).count;
  unsigned count = static_cast<unsigned>(writer.random().between(2, 4));
  SmallVector<Operand, 6> operands{fuzz::id(left->id), fuzz::id(right->id)};
  for (unsigned i = 0; i < count; ++i)
    operands.push_back(literal(static_cast<uint32_t>(writer.random().below(total))));
  Id type = writer.pool().vectorType(scalar, count);
  Id id = writer.emit(spv::Op::OpVectorShuffle, type, operands);
  bool isExact = left->magnitude && right->magnitude;
  writer.add({id, type, left->isUniform && right->isUniform,
              isExact ? std::max(left->magnitude, right->magnitude) : 0});
}

} // namespace assay::fuzz
