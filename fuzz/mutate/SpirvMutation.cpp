// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/mutate/SpirvMutation.h"

#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;

namespace {
/// An instruction that can be replaced by another one with the same operand and result types.
struct OpcodeRow {
  spv::Op from;
  spv::Op to;
};
/// The same for extended instructions of GLSL.std.450.
struct ExtRow {
  GLSLstd450 from;
  GLSLstd450 to;
};
} // namespace

/// MutationKind::Operator. Each opcode has at most one replacement.
static constexpr OpcodeRow operatorRows[] = {
    {spv::Op::OpIAdd, spv::Op::OpISub},
    {spv::Op::OpISub, spv::Op::OpIAdd},
    {spv::Op::OpIMul, spv::Op::OpIAdd},
    {spv::Op::OpUDiv, spv::Op::OpUMod},
    {spv::Op::OpUMod, spv::Op::OpUDiv},
    {spv::Op::OpSDiv, spv::Op::OpSRem},
    {spv::Op::OpSRem, spv::Op::OpSDiv},
    {spv::Op::OpSMod, spv::Op::OpSDiv},
    {spv::Op::OpFAdd, spv::Op::OpFSub},
    {spv::Op::OpFSub, spv::Op::OpFAdd},
    {spv::Op::OpFMul, spv::Op::OpFAdd},
    {spv::Op::OpFDiv, spv::Op::OpFMul},
    {spv::Op::OpBitwiseAnd, spv::Op::OpBitwiseOr},
    {spv::Op::OpBitwiseOr, spv::Op::OpBitwiseXor},
    {spv::Op::OpBitwiseXor, spv::Op::OpBitwiseAnd},
    {spv::Op::OpShiftLeftLogical, spv::Op::OpShiftRightLogical},
    {spv::Op::OpShiftRightLogical, spv::Op::OpShiftLeftLogical},
    {spv::Op::OpShiftRightArithmetic, spv::Op::OpShiftRightLogical},
    {spv::Op::OpLogicalAnd, spv::Op::OpLogicalOr},
    {spv::Op::OpLogicalOr, spv::Op::OpLogicalAnd},
    {spv::Op::OpSNegate, spv::Op::OpNot},
    {spv::Op::OpNot, spv::Op::OpSNegate},
    {spv::Op::OpAtomicIAdd, spv::Op::OpAtomicISub},
    {spv::Op::OpAtomicUMin, spv::Op::OpAtomicUMax},
    {spv::Op::OpAtomicUMax, spv::Op::OpAtomicUMin},
    {spv::Op::OpAtomicSMin, spv::Op::OpAtomicSMax},
    {spv::Op::OpAtomicSMax, spv::Op::OpAtomicSMin},
    {spv::Op::OpAtomicAnd, spv::Op::OpAtomicOr},
    {spv::Op::OpAtomicOr, spv::Op::OpAtomicXor},
    {spv::Op::OpAtomicXor, spv::Op::OpAtomicAnd},
};

/// Functions of one operand count and type each.
static constexpr ExtRow extRows[] = {
    {GLSLstd450FMin, GLSLstd450FMax},        {GLSLstd450FMax, GLSLstd450FMin},
    {GLSLstd450UMin, GLSLstd450UMax},        {GLSLstd450UMax, GLSLstd450UMin},
    {GLSLstd450SMin, GLSLstd450SMax},        {GLSLstd450SMax, GLSLstd450SMin},
    {GLSLstd450Floor, GLSLstd450Ceil},       {GLSLstd450Ceil, GLSLstd450Floor},
    {GLSLstd450Sin, GLSLstd450Cos},          {GLSLstd450Cos, GLSLstd450Sin},
    {GLSLstd450Exp, GLSLstd450Exp2},         {GLSLstd450Log, GLSLstd450Log2},
    {GLSLstd450Sqrt, GLSLstd450InverseSqrt},
};

/// MutationKind::Comparison: the inverse relation, or one that differs at equality only.
static constexpr OpcodeRow comparisonRows[] = {
    {spv::Op::OpIEqual, spv::Op::OpINotEqual},
    {spv::Op::OpINotEqual, spv::Op::OpIEqual},
    {spv::Op::OpULessThan, spv::Op::OpUGreaterThanEqual},
    {spv::Op::OpUGreaterThanEqual, spv::Op::OpULessThan},
    {spv::Op::OpULessThanEqual, spv::Op::OpULessThan},
    {spv::Op::OpUGreaterThan, spv::Op::OpUGreaterThanEqual},
    {spv::Op::OpSLessThan, spv::Op::OpSGreaterThanEqual},
    {spv::Op::OpSGreaterThanEqual, spv::Op::OpSLessThan},
    {spv::Op::OpSLessThanEqual, spv::Op::OpSLessThan},
    {spv::Op::OpSGreaterThan, spv::Op::OpSGreaterThanEqual},
    {spv::Op::OpFOrdEqual, spv::Op::OpFOrdNotEqual},
    {spv::Op::OpFOrdNotEqual, spv::Op::OpFOrdEqual},
    {spv::Op::OpFUnordNotEqual, spv::Op::OpFOrdEqual},
    {spv::Op::OpFOrdLessThan, spv::Op::OpFOrdGreaterThanEqual},
    {spv::Op::OpFOrdGreaterThan, spv::Op::OpFOrdLessThanEqual},
    {spv::Op::OpFOrdLessThanEqual, spv::Op::OpFOrdGreaterThan},
    {spv::Op::OpFOrdGreaterThanEqual, spv::Op::OpFOrdLessThan},
};

/// Returns the row that replaces \p opcode, or null.
static const OpcodeRow *findRow(ArrayRef<OpcodeRow> rows, spv::Op opcode) {
  for (const OpcodeRow &row : rows)
    if (row.from == opcode)
      return &row;
  return nullptr;
}

namespace {
/// Walks a module and notes what can be mutated.
class Collector {
public:
  Collector(const spirv::Module &module, MutationKind kind) : m_module(module), m_kind(kind) {}
  /// Visits all instructions in order. Call it once: the result is moved out.
  std::vector<Mutation> collect();

private:
  /// Notes the type of the result, and the mutations of the wanted kind.
  void visit(const spirv::Instruction &instruction);
  /// Notes the replacement that \p rows have for the opcode.
  void visitOpcode(const spirv::Instruction &instruction, ArrayRef<OpcodeRow> rows);
  /// Notes replacements of GLSL.std.450 instructions; other sets have none.
  void visitExtInst(const spirv::Instruction &instruction);
  /// Notes one mutation for each index into an array, vector or matrix.
  void visitAccessChain(const spirv::Instruction &instruction);

  const spirv::Module &m_module;
  MutationKind m_kind;
  DenseMap<spirv::Id, spirv::Id> m_typeOf; ///< Of all results so far.
  std::vector<Mutation> m_found;           ///< In the order of the instructions.
};
} // namespace

void Collector::visitOpcode(const spirv::Instruction &instruction, ArrayRef<OpcodeRow> rows) {
  if (const OpcodeRow *row = findRow(rows, instruction.opcode))
    m_found.push_back({m_kind, instruction.wordOffset, static_cast<uint32_t>(row->to), 0,
                       spirv::opcodeName(row->from) + " -> " + spirv::opcodeName(row->to) +
                           " at word " + std::to_string(instruction.wordOffset)});
}

void Collector::visitExtInst(const spirv::Instruction &instruction) {
  auto set = m_module.extInstImports.find(instruction.operand(0));
  if (set == m_module.extInstImports.end() || set->second != "GLSL.std.450")
    return;
  for (const ExtRow &row : extRows)
    if (row.from == instruction.operand(1))
      m_found.push_back({m_kind, instruction.wordOffset, static_cast<uint32_t>(row.to), 0,
                         "GLSL.std.450 " + std::to_string(row.from) + " -> " +
                             std::to_string(row.to) + " at word " +
                             std::to_string(instruction.wordOffset)});
}

// Indices into arrays and vectors only: a structure's member index decides a type.
void Collector::visitAccessChain(const spirv::Instruction &instruction) {
  auto base = m_typeOf.find(instruction.operand(0));
  if (base == m_typeOf.end())
    return;
  spirv::Id type = m_module.type(base->second).element;
  for (uint32_t i = 1; i < instruction.size(); ++i) {
    const spirv::Type &container = m_module.type(type);
    if (container.kind == spirv::TypeKind::Struct) {
      const spirv::Instruction *member = m_module.findGlobal(instruction.operand(i));
      if (!member || member->size() != 1 || member->operand(0) >= container.members.size())
        return;
      type = container.members[member->operand(0)];
      continue;
    }
    m_found.push_back(
        {m_kind, instruction.wordOffset, 0, i,
         "index " + std::to_string(i) + " + 1 at word " + std::to_string(instruction.wordOffset)});
    type = container.element;
  }
}

/// Labels, stores and other instructions without a result have no type to note.
void Collector::visit(const spirv::Instruction &instruction) {
  if (instruction.resultId)
    m_typeOf[instruction.resultId] = instruction.typeId;
  switch (m_kind) {
  case MutationKind::Operator:
    if (instruction.opcode == spv::Op::OpExtInst)
      return visitExtInst(instruction);
    return visitOpcode(instruction, operatorRows);
  case MutationKind::Comparison:
    return visitOpcode(instruction, comparisonRows);
  case MutationKind::Index:
    if (instruction.opcode == spv::Op::OpAccessChain ||
        instruction.opcode == spv::Op::OpInBoundsAccessChain)
      visitAccessChain(instruction);
  }
}

std::vector<Mutation> Collector::collect() {
  for (const spirv::Instruction &global : m_module.globals)
    m_typeOf[global.resultId] = global.typeId;
  for (const spirv::Function &function : m_module.functions) {
    for (const spirv::Instruction &parameter : function.parameters)
      m_typeOf[parameter.resultId] = parameter.typeId;
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &instruction : block.instructions)
        visit(instruction);
  }
  return std::move(m_found);
}

std::vector<Mutation> assay::collectMutations(const spirv::Module &module, MutationKind kind) {
  return Collector(module, kind).collect();
}

// The type of value \p id: of a module-scope or a function-scope instruction.
static spirv::Id typeOfValue(const spirv::Module &module, spirv::Id id) {
  if (const spirv::Instruction *global = module.findGlobal(id))
    return global->typeId;
  for (const spirv::Function &function : module.functions) {
    for (const spirv::Instruction &parameter : function.parameters)
      if (parameter.resultId == id)
        return parameter.typeId;
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &instruction : block.instructions)
        if (instruction.resultId == id)
          return instruction.typeId;
  }
  return 0;
}

// Inserts "%one = OpConstant %type 1" before the first function and "%sum = OpIAdd %type %index
// %one" before the access chain, which then uses %sum.
static void applyIndex(std::vector<uint32_t> &words, const spirv::Module &module,
                       const Mutation &mutation) {
  constexpr unsigned chainOperands = 3; // Word count and opcode, result type, result id.
  uint32_t &index = words[mutation.wordOffset + chainOperands + mutation.operandIndex];
  spirv::Id type = typeOfValue(module, index);
  uint32_t one = words[3]++;
  uint32_t sum = words[3]++;
  uint32_t old = std::exchange(index, sum);
  auto opcode = [](spv::Op op, uint32_t count) { return count << 16 | static_cast<uint32_t>(op); };
  const uint32_t add[] = {opcode(spv::Op::OpIAdd, 5), type, sum, old, one};
  words.insert(words.begin() + mutation.wordOffset, std::begin(add), std::end(add));
  const uint32_t constant[] = {opcode(spv::Op::OpConstant, 4), type, one, 1};
  size_t firstFunction = 5;
  while ((words[firstFunction] & 0xffff) != static_cast<uint32_t>(spv::Op::OpFunction))
    firstFunction += words[firstFunction] >> 16;
  words.insert(words.begin() + firstFunction, std::begin(constant), std::end(constant));
}

/// The mutation must have been collected from \p module, and \p original must be its words.
std::vector<uint32_t> assay::applyMutation(ArrayRef<uint32_t> original, const spirv::Module &module,
                                           const Mutation &mutation) {
  std::vector<uint32_t> words = original.vec();
  uint32_t &first = words[mutation.wordOffset];
  if (mutation.kind == MutationKind::Index)
    applyIndex(words, module, mutation);
  else if ((first & 0xffff) == static_cast<uint32_t>(spv::Op::OpExtInst))
    words[mutation.wordOffset + 4] = mutation.replacement;
  else
    first = (first & 0xffff0000) | mutation.replacement;
  return words;
}
