// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of numbers: constants, specialization, the size of the workgroup.
#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// What a number becomes: Chance::value.
enum class Smaller : uint32_t { Zero, One, Half };

namespace {
/// A scalar OpConstant; bits above its width are 0.
struct Number {
  uint64_t bits = 0;
  uint64_t one = 0; ///< Bits of 1 in the same type.
  bool isFloat = false;
};
} // namespace

/// Returns the number that \p constant has, or nothing for other instructions.
static std::optional<Number> numberOf(const Instruction &constant, const Instruction &type) {
  if (constant.opcode != spv::Op::OpConstant)
    return std::nullopt;
  Number number{constant.word(0), *oneOf(type), type.opcode == spv::Op::OpTypeFloat};
  if (constant.operands.size() > 1)
    number.bits |= uint64_t(constant.word(1)) << 32;
  if (unsigned width = type.word(0); width < 64)
    number.bits &= (uint64_t(1) << width) - 1;
  return number;
}

/// Returns the bits of the smaller number.
static uint64_t smaller(const Number &number, Smaller how) {
  switch (how) {
  case Smaller::Zero:
    return 0;
  case Smaller::One:
    return number.one;
  case Smaller::Half:
    return number.bits / 2;
  }
  llvm_unreachable("a way to make a number smaller that does not exist");
}

// Constants: at = the constant, value = Smaller.

/// Proposes zero, one and, for integers above 3, half of each constant in use that is not 0.
static std::vector<Chance> findNumbers(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Instruction &global : program.globals) {
    std::optional<Number> number =
        global.type ? numberOf(global, *definitions.find(global.type)) : std::nullopt;
    if (!number || number->bits == 0 || definitions.uses(global.result) == 0)
      continue;
    auto add = [&](Smaller how) {
      chances.push_back({global.result, 0, static_cast<uint32_t>(how)});
    };
    add(Smaller::Zero);
    if (number->bits != number->one)
      add(Smaller::One);
    if (!number->isFloat && number->bits > 3)
      add(Smaller::Half);
  }
  return chances;
}

/// A use by a global must follow the definition: the new constant moves before the first of them.
static void moveBeforeUses(Program &program, Id constant) {
  auto &globals = program.globals;
  auto own = find_if(globals, [&](const Instruction &each) { return each.result == constant; });
  auto uses = [&](const Instruction &each) {
    return any_of(each.operands,
                  [&](const Operand &operand) { return operand.isId && operand.word == constant; });
  };
  auto first = std::find_if(globals.begin(), own, uses);
  if (first != own)
    std::rotate(first, own, own + 1);
}

/// Replaces all uses of the constants by smaller ones.
static void shrinkNumbers(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Definitions definitions(program);
    const Instruction *constant = definitions.find(chance.at);
    Number number = *numberOf(*constant, *definitions.find(constant->type));
    Id type = constant->type;
    Id other = Pool(program).constant(type, smaller(number, static_cast<Smaller>(chance.value)));
    replaceUses(program, chance.at, other);
    moveBeforeUses(program, other);
  }
}

// Operations on specialization constants: at = the result, value = Smaller.

/// Proposes zero and one for each OpSpecConstantOp in use, the last first.
static std::vector<Chance> findOperations(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Instruction &global : reverse(program.globals)) {
    if (global.opcode != spv::Op::OpSpecConstantOp || definitions.uses(global.result) == 0)
      continue;
    const Instruction &type = *definitions.find(global.type);
    for (Smaller how : {Smaller::Zero, Smaller::One})
      if (how == Smaller::Zero ? isData(program, global.type) : oneOf(type).has_value())
        chances.push_back({global.result, 0, static_cast<uint32_t>(how)});
  }
  return chances;
}

/// Replaces the operations by plain constants.
static void dropOperations(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Definitions definitions(program);
    Instruction type = *definitions.typeInstruction(chance.at);
    Pool pool(program);
    bool isOne = static_cast<Smaller>(chance.value) == Smaller::One;
    Id other = isOne ? pool.constant(type.result, *oneOf(type)) : zeroOf(pool, type.result);
    replaceUses(program, chance.at, other);
    moveBeforeUses(program, other);
  }
}

// Composites: at = the constant.

/// Proposes each OpConstantComposite in use.
static std::vector<Chance> findComposites(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Instruction &global : program.globals)
    if (global.opcode == spv::Op::OpConstantComposite && definitions.uses(global.result) > 0)
      chances.push_back({global.result});
  return chances;
}

/// Replaces the composites by OpConstantNull.
static void zeroComposites(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Id type = Definitions(program).typeOf(chance.at);
    Id zero = Pool(program).constantNull(type);
    replaceUses(program, chance.at, zero);
    moveBeforeUses(program, zero);
  }
}

// Specialization constants that are as they are: at = the constant.

/// Returns the opcode without specialization, or nothing for OpSpecConstantOp and others.
static std::optional<spv::Op> plainOpcode(spv::Op opcode) {
  static constexpr std::pair<spv::Op, spv::Op> rows[] = {
      {spv::Op::OpSpecConstant, spv::Op::OpConstant},
      {spv::Op::OpSpecConstantTrue, spv::Op::OpConstantTrue},
      {spv::Op::OpSpecConstantFalse, spv::Op::OpConstantFalse},
      {spv::Op::OpSpecConstantComposite, spv::Op::OpConstantComposite}};
  for (auto [special, plain] : rows)
    if (special == opcode)
      return plain;
  return std::nullopt;
}

/// Proposes each specialization constant except operations.
static std::vector<Chance> findSpecializations(const Program &program) {
  std::vector<Chance> chances;
  for (const Instruction &global : program.globals)
    if (plainOpcode(global.opcode))
      chances.push_back({global.result});
  return chances;
}

/// Makes them plain constants of their default values and removes SpecId.
static void fixSpecializations(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    for (Instruction &global : program.globals)
      if (global.result == chance.at)
        global.opcode = *plainOpcode(global.opcode);
    erase_if(program.decorations, [&](const Instruction &each) {
      return each.opcode == spv::Op::OpDecorate && each.word(0) == chance.at &&
             each.word(1) == uint32_t(spv::Decoration::SpecId);
    });
  }
}

// The workgroup: at = the entry point, index = the dimension, value = its new size.

/// Of OpExecutionMode: entry point, mode, x, y, z.
constexpr uint32_t FirstDimension = 2;

/// True for OpExecutionMode LocalSize.
static bool isLocalSize(const Instruction &mode) {
  return mode.opcode == spv::Op::OpExecutionMode &&
         mode.word(1) == uint32_t(spv::ExecutionMode::LocalSize);
}

/// The size of a workgroup whose constants say it, as numbers; nothing for other modes.
static SmallVector<Operand, 4> plainSize(const Instruction &mode, const Definitions &definitions) {
  if (mode.opcode != spv::Op::OpExecutionModeId ||
      mode.word(1) != uint32_t(spv::ExecutionMode::LocalSizeId))
    return {};
  SmallVector<Operand, 4> operands{mode.operands[0],
                                   literal(static_cast<uint32_t>(spv::ExecutionMode::LocalSize))};
  for (const Operand &operand : drop_begin(mode.operands, FirstDimension)) {
    const Instruction *constant = definitions.find(operand.word);
    if (!constant ||
        (constant->opcode != spv::Op::OpConstant && constant->opcode != spv::Op::OpSpecConstant))
      return {};
    operands.push_back(literal(constant->word(0)));
  }
  return operands;
}

/// Proposes each LocalSizeId with known sizes.
static std::vector<Chance> findConstantSizes(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Instruction &mode : program.executionModes)
    if (!plainSize(mode, definitions).empty())
      chances.push_back({mode.word(0)});
  return chances;
}

/// Replaces LocalSizeId by LocalSize with the same numbers.
static void fixWorkgroups(Program &program, ArrayRef<Chance> chances) {
  Definitions definitions(program);
  for (const Chance &chance : chances)
    for (Instruction &mode : program.executionModes)
      if (SmallVector<Operand, 4> operands = plainSize(mode, definitions);
          mode.word(0) == chance.at && !operands.empty())
        mode = {spv::Op::OpExecutionMode, 0, 0, std::move(operands)};
}

/// Proposes 1 and half of each dimension.
static std::vector<Chance> findWorkgroups(const Program &program) {
  std::vector<Chance> chances;
  for (const Instruction &mode : program.executionModes)
    for (uint32_t i = FirstDimension; isLocalSize(mode) && i < mode.operands.size(); ++i) {
      uint32_t size = mode.word(i);
      if (size > 1)
        chances.push_back({mode.word(0), i, 1});
      if (size > 3)
        chances.push_back({mode.word(0), i, size / 2});
    }
  return chances;
}

/// Sets dimensions of the workgroup. Of several chances for one dimension the last counts.
static void shrinkWorkgroups(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Instruction &mode : program.executionModes)
      if (isLocalSize(mode) && mode.word(0) == chance.at)
        mode.operands[chance.index].word = chance.value;
}

ArrayRef<ProgramReduction> constantReductions() {
  static constexpr ProgramReduction rows[] = {
      {"fix-workgroups", findConstantSizes, fixWorkgroups},
      {"shrink-workgroups", findWorkgroups, shrinkWorkgroups},
      {"fix-specializations", findSpecializations, fixSpecializations},
      {"drop-constant-operations", findOperations, dropOperations},
      {"zero-composites", findComposites, zeroComposites},
      {"shrink-numbers", findNumbers, shrinkNumbers},
  };
  return rows;
}

} // namespace assay::fuzz
