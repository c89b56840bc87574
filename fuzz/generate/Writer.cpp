// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, values and single instructions.
#include "fuzz/generate/Writer.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cstring>

using namespace llvm;

namespace assay::fuzz {

Writer::Writer(GeneratedCase &generated, const Profile &profile)
    : m_generated(generated), m_program(generated.program), m_profile(profile),
      m_random(Random::derive(generated.seed, 0)), m_pool(generated.program) {}

/// The length of an array must be a plain constant.
TypeInfo Writer::info(Id type) const {
  const Instruction &definition = m_pool.definition(type);
  TypeInfo result;
  switch (definition.opcode) {
  case spv::Op::OpTypeBool:
    result.kind = TypeInfo::Bool;
    break;
  case spv::Op::OpTypeInt:
    result = {TypeInfo::Int, definition.word(0), definition.word(1) != 0, 0, 0};
    break;
  case spv::Op::OpTypeFloat:
    result = {TypeInfo::Float, definition.word(0), false, 0, 0};
    break;
  case spv::Op::OpTypeVector:
    result = {TypeInfo::Vector, 0, false, definition.word(0), definition.word(1)};
    break;
  case spv::Op::OpTypeMatrix:
    result = {TypeInfo::Matrix, 0, false, definition.word(0), definition.word(1)};
    break;
  case spv::Op::OpTypeArray:
    result = {TypeInfo::Array, 0, false, definition.word(0),
              m_pool.definition(definition.word(1)).word(0)};
    break;
  case spv::Op::OpTypeStruct:
    result = {TypeInfo::Struct, 0, false, 0, static_cast<unsigned>(definition.operands.size())};
    break;
  default:
    break;
  }
  return result;
}

/// Returns the type of a component of a vector, and any other type itself.
Id Writer::scalarOf(Id type) const {
  TypeInfo shape = info(type);
  return shape.kind == TypeInfo::Vector ? shape.element : type;
}

/// Returns a vector of \p scalar with as many components as \p like has, or the scalar itself.
Id Writer::withShapeOf(Id scalar, Id like) {
  TypeInfo shape = info(like);
  return shape.kind == TypeInfo::Vector ? m_pool.vectorType(scalar, shape.count) : scalar;
}

namespace {
/// Widths that need a capability.
struct WidthRow {
  spv::Op type;
  unsigned width;
  spv::Capability capability;
};
} // namespace

/// Widths that are not listed need no capability for arithmetic.
static constexpr WidthRow widthRows[] = {
    {spv::Op::OpTypeInt, 8, spv::Capability::Int8},
    {spv::Op::OpTypeInt, 16, spv::Capability::Int16},
    {spv::Op::OpTypeInt, 64, spv::Capability::Int64},
    {spv::Op::OpTypeFloat, 16, spv::Capability::Float16},
    {spv::Op::OpTypeFloat, 64, spv::Capability::Float64},
};

/// Requires the capability of a type of \p width bits; 32-bit types need none.
static void requireWidth(Writer &writer, spv::Op type, unsigned width) {
  for (const WidthRow &row : widthRows)
    if (row.type == type && row.width == width)
      writer.pool().require(row.capability);
}

/// 32 bits in four of seven cases; the capability of other widths is required at once.
Id Writer::randomInt() {
  static constexpr unsigned widths[] = {32, 32, 32, 32, 8, 16, 64};
  unsigned width = m_random.pick(ArrayRef(widths));
  requireWidth(*this, spv::Op::OpTypeInt, width);
  return m_pool.intType(width, m_random.oneIn(2));
}

/// Integers in five of eight cases, floats in two, bool in one.
Id Writer::randomScalar() {
  switch (m_random.below(8)) {
  case 0:
    return m_pool.boolType();
  case 1:
  case 2: {
    static constexpr unsigned widths[] = {32, 32, 32, 16, 64};
    unsigned width = m_random.pick(ArrayRef(widths));
    requireWidth(*this, spv::Op::OpTypeFloat, width);
    return m_pool.floatType(width);
  }
  default:
    return randomInt();
  }
}

/// Any number type, its capability included; never a bool.
Id Writer::randomNumber() {
  Id type = 0;
  do
    type = randomScalar();
  while (type == m_pool.boolType());
  return type;
}

/// One in three is a vector.
Id Writer::randomNumeric() {
  Id scalar = randomScalar();
  return m_random.oneIn(3)
             ? m_pool.vectorType(scalar, static_cast<unsigned>(m_random.between(2, 4)))
             : scalar;
}

/// Of memory and composites. Types come again: else hardly two values had the same one.
Id Writer::randomType(unsigned depth) {
  if (!m_types.empty() && m_random.chance(60))
    return m_random.pick(ArrayRef(m_types));
  Id type = randomNumeric();
  if (depth && m_random.oneIn(3)) {
    SmallVector<Id, 4> members;
    for (uint64_t count = m_random.between(1, 4); count > 0; --count)
      members.push_back(randomType(depth - 1));
    type = m_pool.structType(members);
  } else if (depth && m_random.oneIn(3)) {
    Id element = randomType(depth - 1);
    type = m_pool.arrayType(element, m_pool.number(static_cast<uint32_t>(m_random.between(1, 5))));
  }
  if (m_types.size() < 12)
    m_types.push_back(type);
  return type;
}

/// Puts the value into scope. It must dominate what follows in the current body.
void Writer::add(Value value) {
  assert(value.id && value.type);
  m_scope.push_back(value);
}

/// Searches backwards from a random place, and wraps around, so that it finds a value if there is
/// one. Half of the searches begin among the last 8 values.
std::optional<Value> Writer::find(function_ref<bool(const Value &)> accept) {
  // From a random place on, the later ones first: what was just made wants to be used.
  if (m_scope.empty())
    return std::nullopt;
  size_t window = m_random.oneIn(2) ? std::min<size_t>(m_scope.size(), 8) : m_scope.size();
  size_t start = m_scope.size() - 1 - m_random.below(window);
  for (size_t i = 0; i < m_scope.size(); ++i) {
    const Value &value = m_scope[(start + m_scope.size() - i) % m_scope.size()];
    if (accept(value))
      return value;
  }
  return std::nullopt;
}

/// Returns the bits of a whole number as a float of 16, 32 or 64 bits. With 16 bits the number must
/// be below 2^11, or bits are lost.
uint64_t floatBits(unsigned width, int value) {
  if (width == 64) {
    double number = value;
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }
  float number = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  if (width == 32)
    return bits;
  if (!value)
    return 0;
  // Whole numbers below 2^11 are exact in f16: the exponent's bias changes, the fraction is cut.
  return (bits >> 16 & 0x8000) | ((((bits >> 23 & 0xff) - 127 + 15) & 0x1f) << 10) |
         (bits >> 13 & 0x3ff);
}

/// Returns bits at the limits of the width, or small numbers; bits above the width may be set.
static uint64_t interestingBits(Random &random, unsigned width) {
  switch (random.below(8)) {
  case 0:
    return 0;
  case 1:
    return ~uint64_t(0);
  case 2:
    return uint64_t(1) << random.below(width);
  case 3:
    return (uint64_t(1) << (width - 1)) - 1;
  case 4:
    return random.next();
  default:
    return random.below(20);
  }
}

/// Prefers values at which arithmetic may go wrong.
uint64_t Writer::randomBits(unsigned width) {
  return interestingBits(m_random, width);
}

/// One in 24 is OpConstantNull. Float components are whole numbers from -16 to 16.
Value Writer::constant(Id type) {
  TypeInfo shape = info(type);
  if (m_random.oneIn(24)) // A float's magnitude may be claimed greater than it is.
    return {m_pool.constantNull(type), type, true, 16};
  switch (shape.kind) {
  case TypeInfo::Bool:
    return {m_pool.constantBool(m_random.oneIn(2)), type, true, 0};
  case TypeInfo::Int:
    return {m_pool.constant(type, interestingBits(m_random, shape.width)), type, true, 0};
  case TypeInfo::Float: {
    int value = static_cast<int>(m_random.below(33)) - 16;
    return {m_pool.constant(type, floatBits(shape.width, value)), type, true, 16};
  }
  case TypeInfo::Vector:
  case TypeInfo::Matrix:
  case TypeInfo::Array: {
    SmallVector<Id, 5> parts;
    uint32_t magnitude = 0;
    for (unsigned i = 0; i < shape.count; ++i) {
      Value part = constant(shape.element);
      parts.push_back(part.id);
      magnitude = part.magnitude;
    }
    bool isVector = shape.kind == TypeInfo::Vector;
    return {m_pool.constantComposite(type, parts), type, true, isVector ? magnitude : 0};
  }
  case TypeInfo::Struct: {
    SmallVector<Id, 5> parts;
    // The definition may move when constants are added.
    auto members = to_vector(
        map_range(m_pool.definition(type).operands, [](const Operand &each) { return each.word; }));
    for (Id member : members)
      parts.push_back(constant(member).id);
    return {m_pool.constantComposite(type, parts), type, true, 0};
  }
  default:
    return {m_pool.constantNull(type), type, true, 0};
  }
}

/// A value in scope in 85 % of the cases, if there is one of the type.
Value Writer::take(Id type) {
  if (m_random.chance(85))
    if (auto value = find([&](const Value &each) { return each.type == type; }))
      return *value;
  return constant(type);
}

/// Returns an index below \p count that is the same for the whole workgroup; a constant where the
/// scope has no uniform word.
Value Writer::takeUniformIndex(unsigned count) {
  Id u32 = m_pool.intType(32, false);
  auto value = find([&](const Value &each) { return each.type == u32 && each.isUniform; });
  if (!value)
    return {m_pool.number(static_cast<uint32_t>(m_random.below(count))), u32, true, 0};
  return {emit(spv::Op::OpUMod, u32, {fuzz::id(value->id), fuzz::id(m_pool.number(count))}), u32,
          true, 0};
}

/// Returns an index below \p count.
Value Writer::takeIndex(unsigned count) {
  Id u32 = m_pool.intType(32, false);
  Value value = take(u32);
  // A remainder by a constant is inside of the bounds whatever the value.
  Value index{0, u32, value.isUniform, 0};
  index.id = emit(spv::Op::OpUMod, u32, {fuzz::id(value.id), fuzz::id(m_pool.number(count))});
  return index;
}

/// Returns a bool of the scope, or a comparison of a word's lowest two bits with another word or a
/// small number.
Value Writer::takeCondition() {
  Id type = m_pool.boolType();
  if (m_random.oneIn(2))
    if (auto value = find([&](const Value &each) { return each.type == type; }))
      return *value;
  static constexpr spv::Op relations[] = {spv::Op::OpULessThan, spv::Op::OpIEqual,
                                          spv::Op::OpINotEqual, spv::Op::OpSGreaterThan};
  Id u32 = m_pool.intType(32, false);
  Value left = take(u32), right = take(u32);
  Value masked{0, u32, left.isUniform, 0};
  masked.id = emit(spv::Op::OpBitwiseAnd, u32, {fuzz::id(left.id), fuzz::id(m_pool.number(3))});
  if (m_random.oneIn(2))
    right = {m_pool.number(static_cast<uint32_t>(m_random.below(4))), u32, true, 0};
  Value result{0, type, masked.isUniform && right.isUniform, 0};
  result.id =
      emit(m_random.pick(ArrayRef(relations)), type, {fuzz::id(masked.id), fuzz::id(right.id)});
  return result;
}

/// Charges the budget as often as the current place may be executed.
Id Writer::emit(spv::Op opcode, Id type, ArrayRef<Operand> operands) {
  Id result = m_program.fresh();
  m_function->blocks.back().body.push_back(
      {opcode, type, result, SmallVector<Operand, 4>(operands)});
  m_budget -= static_cast<int64_t>(m_repeats);
  return result;
}

/// Adds an instruction without a result.
void Writer::emitVoid(spv::Op opcode, ArrayRef<Operand> operands) {
  m_function->blocks.back().body.push_back({opcode, 0, 0, SmallVector<Operand, 4>(operands)});
  m_budget -= static_cast<int64_t>(m_repeats);
}

/// Emits an instruction of GLSL.std.450 by its number.
Id Writer::emitExtended(unsigned instruction, Id type, ArrayRef<Id> arguments) {
  SmallVector<Operand, 6> operands{fuzz::id(m_pool.import("GLSL.std.450")), literal(instruction)};
  for (Id argument : arguments)
    operands.push_back(fuzz::id(argument));
  return emit(spv::Op::OpExtInst, type, operands);
}

/// Inserts it at the beginning of the entry block, where SPIR-V demands variables. In a loop it is
/// not initialized again.
Id Writer::localVariable(Id type, Id initializer) {
  constexpr auto storage = spv::StorageClass::Function;
  Instruction variable{spv::Op::OpVariable,
                       m_pool.pointerType(storage, type),
                       m_program.fresh(),
                       {literal(static_cast<uint32_t>(storage))}};
  if (initializer)
    variable.operands.push_back(fuzz::id(initializer));
  Id result = variable.result;
  std::vector<Instruction> &entry = m_function->blocks.front().body;
  entry.insert(entry.begin(), std::move(variable));
  return result;
}

} // namespace assay::fuzz
