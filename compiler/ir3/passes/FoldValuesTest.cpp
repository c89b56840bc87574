// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Builder.h"
#include "compiler/ir3/ir/Verify.h"
#include "compiler/ir3/passes/LowerOperands.h"
#include "compiler/ir3/passes/Optimize.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// One block with an input r0.x and an instruction.
struct Folding {
  Program program{*findCompiler("a630")};
  Builder builder{program, program.createBlock()};
  Register x = builder.input(0)->value();

  static Register number(uint32_t bits) { return Register::immediate(bits); }
  /// What the move that \p opcode becomes reads; "nothing" where it stays.
  std::string fold(Opcode opcode, ArrayRef<Register> sources, Condition condition = Lt) {
    Instruction *inst = builder.create(opcode, sources);
    inst->fields.condition = condition;
    foldValues(program);
    if (!inst->isPlainMove())
      return "nothing";
    const Register &source = inst->registers[1];
    return source.isImmediate() ? std::to_string(uint32_t(source.value)) : "x";
  }
};

} // namespace

TEST(FoldValues, NumbersAreComputed) {
  auto number = Folding::number;
  const std::tuple<Opcode, uint32_t, uint32_t, uint32_t> rows[] = {
      {Opcode::AddU, 0xfffffffe, 3, 1},
      {Opcode::SubU, 1, 3, 0xfffffffe},
      {Opcode::AndB, 12, 10, 8},
      {Opcode::OrB, 12, 10, 14},
      {Opcode::XorB, 12, 10, 6},
      {Opcode::ShlB, 3, 33, 6},
      {Opcode::ShrB, 0x80000000, 31, 1},
      {Opcode::AshrB, 0x80000000, 31, 0xffffffff},
      {Opcode::MullU, 0x12ffff, 0x34ffff, 0xfffe0001},
      {Opcode::MinU, 2, 0xffffffff, 2},
      {Opcode::MaxU, 2, 0xffffffff, 0xffffffff}};
  for (auto [opcode, left, right, result] : rows)
    EXPECT_EQ(Folding().fold(opcode, {number(left), number(right)}), std::to_string(result))
        << infoOf(opcode).name.str();
  EXPECT_EQ(Folding().fold(Opcode::ClzB, {number(1000)}), "22");
  EXPECT_EQ(Folding().fold(Opcode::ClzB, {number(0)}), "4294967295");
  EXPECT_EQ(Folding().fold(Opcode::BfrevB, {number(1)}), "2147483648");
  EXPECT_EQ(Folding().fold(Opcode::MadshM16, {number(3), number(0x50000), number(7)}), "983047");
}

TEST(FoldValues, NeutralAndAbsorbingNumbersCount) {
  auto number = Folding::number;
  auto both = [&](Opcode opcode, uint32_t bits) {
    Folding left, right;
    return left.fold(opcode, {number(bits), left.x}) + " " +
           right.fold(opcode, {right.x, number(bits)});
  };
  EXPECT_EQ(both(Opcode::AddU, 0), "x x");
  EXPECT_EQ(both(Opcode::SubU, 0), "nothing x");
  EXPECT_EQ(both(Opcode::AndB, 0), "0 0");
  EXPECT_EQ(both(Opcode::AndB, 0xffffffff), "x x");
  EXPECT_EQ(both(Opcode::OrB, 0xffffffff), "4294967295 4294967295");
  EXPECT_EQ(both(Opcode::ShlB, 0), "0 x");
  EXPECT_EQ(both(Opcode::ShrB, 1), "nothing nothing");
  EXPECT_EQ(both(Opcode::MullU, 0), "0 0");
  EXPECT_EQ(both(Opcode::AddU, 1), "nothing nothing");
  Folding first, second, third;
  EXPECT_EQ(first.fold(Opcode::MadshM16, {number(0x70000), first.x, first.x}), "x");
  EXPECT_EQ(second.fold(Opcode::MadshM16, {second.x, number(7), second.x}), "x");
  EXPECT_EQ(third.fold(Opcode::MadshM16, {third.x, number(0x70000), third.x}), "nothing");
}

TEST(FoldValues, ComparesAndChoicesOfNumbersAreDecided) {
  auto number = Folding::number;
  for (Condition condition : {Lt, Le, Ne}) {
    EXPECT_EQ(Folding().fold(Opcode::CmpsU, {number(1), number(0xffffffff)}, condition), "1");
    EXPECT_EQ(Folding().fold(Opcode::CmpsS, {number(1), number(0xffffffff)}, condition),
              condition == Ne ? "1" : "0");
  }
  Folding first, second, same;
  EXPECT_EQ(first.fold(Opcode::SelB32, {first.x, number(2), number(9)}), "x");
  EXPECT_EQ(second.fold(Opcode::SelB32, {second.x, number(0), number(9)}), "9");
  EXPECT_EQ(same.fold(Opcode::SelB32, {number(9), same.x, number(9)}), "9");
  for (Condition condition : {Lt, Le, Gt, Ge, Eq, Ne}) {
    Folding folding;
    bool holds = condition == Le || condition == Ge || condition == Eq;
    EXPECT_EQ(folding.fold(Opcode::CmpsS, {folding.x, folding.x}, condition), holds ? "1" : "0");
    EXPECT_EQ(Folding().fold(Opcode::CmpsS, {folding.x, number(3)}, condition), "nothing");
  }
  Folding choice;
  Register condition = choice.builder.input(1)->value();
  EXPECT_EQ(choice.fold(Opcode::SelB32, {choice.x, condition, choice.x}), "x");
}

TEST(FoldValues, MovedNumbersCount) {
  Folding folding;
  Register moved = folding.builder.move(folding.number(7))->value();
  EXPECT_EQ(folding.fold(Opcode::MullU, {moved, folding.number(6)}), "42");
  EXPECT_EQ(folding.fold(Opcode::AndB, {moved, folding.x}), "nothing");
}

TEST(FoldValues, ReciprocalsAndRoundingsOfNumbersAreComputed) {
  auto real = [](float value) { return Folding::number(bit_cast<uint32_t>(value)); };
  auto text = [](float value) { return std::to_string(bit_cast<uint32_t>(value)); };
  EXPECT_EQ(Folding().fold(Opcode::Rcp, {real(-8)}), text(-0.125F));
  EXPECT_EQ(Folding().fold(Opcode::Rcp, {real(255)}), text(1 / 255.0F));
  EXPECT_EQ(Folding().fold(Opcode::Rcp, {real(0)}), "nothing") << "that is the machine's affair";
  EXPECT_EQ(Folding().fold(Opcode::Rcp, {real(0x1p127F)}), "nothing") << "the result is denormal";
  EXPECT_EQ(Folding().fold(Opcode::RndneF, {real(2.5F)}), text(2));
  EXPECT_EQ(Folding().fold(Opcode::RndneF, {real(-0.25F)}), text(-0.0F));
}

TEST(TrimTextures, ComponentsAfterTheLastUsedOneAreNotWritten) {
  Folding folding;
  auto &builder = folding.builder;
  auto fetch = [&] { return builder.create(Opcode::Isam, {folding.x}, false, 4); };
  Instruction *two = fetch(), *one = fetch(), *all = fetch();
  Instruction *second = builder.split(two, 1), *first = builder.split(one, 0);
  builder.end({second->value(), first->value(), all->value()});
  EXPECT_EQ(trimTextures(folding.program), 2u);
  EXPECT_EQ(two->fields.writeMask, 3);
  EXPECT_EQ(second->registers[1].size, 2u);
  EXPECT_EQ(one->fields.writeMask, 1);
  EXPECT_TRUE(first->isPlainMove());
  EXPECT_EQ(all->fields.writeMask, 15) << "a use of the whole vector";
  EXPECT_FALSE(bool(verifyProgram(folding.program)));
}

TEST(FoldValues, ModifiersAndSaturationStay) {
  Folding folding;
  Register negated = Register::immediate(3).with(registerflag::Negate);
  EXPECT_EQ(folding.fold(Opcode::AddU, {negated, folding.number(0)}), "nothing");
  Instruction *sum = folding.builder.create(Opcode::AddU, {folding.number(1), folding.number(2)});
  sum->fields.saturate = 1;
  EXPECT_EQ(foldValues(folding.program), 0u);
}

/// The opcode that writes p0 where \p left and \p right are joined by \p join and tested.
static Opcode predicateOf(bool isCompare, Opcode join, StringRef chip = "a630") {
  Program program(*findCompiler(chip));
  Builder builder(program, program.createBlock());
  Register x = builder.input(0)->value();
  Register left = builder.compareValue(Opcode::CmpsU, Lt, x, Register::immediate(3))->value();
  Register right = isCompare ? builder.compareValue(Opcode::CmpsF, Eq, x, x)->value()
                             : builder.input(1)->value();
  Instruction *both = builder.create(join, {left, right});
  Instruction *test = builder.compare(Opcode::CmpsU, Ne, both->value(), Register::immediate(0));
  foldConditions(program);
  return test->opcode;
}

TEST(FoldConditions, BitwiseOperationsOfComparesWriteThePredicate) {
  for (Opcode join : {Opcode::AndB, Opcode::OrB, Opcode::XorB})
    EXPECT_EQ(predicateOf(true, join), join);
  EXPECT_EQ(predicateOf(false, Opcode::AndB), Opcode::CmpsU) << "the other bits count, too";
  EXPECT_EQ(predicateOf(true, Opcode::AndB, "a420"), Opcode::CmpsU);
}

TEST(FoldLogic, ChoicesOfTruthValuesAreBitwise) {
  Folding folding;
  auto &builder = folding.builder;
  Register first = builder.compareValue(Opcode::CmpsU, Lt, folding.x, folding.number(3))->value();
  Register second = builder.compareValue(Opcode::CmpsU, Gt, folding.x, folding.number(1))->value();
  Register zero = folding.number(0), one = folding.number(1);
  auto choice = [&](Register yes, Register condition, Register no) {
    return builder.create(Opcode::SelB32, {yes, condition, no});
  };
  Instruction *ands[] = {choice(second, first, zero), choice(second, first, first)};
  Instruction *ors[] = {choice(one, first, second), choice(first, first, second)};
  Instruction *others[] = {choice(folding.x, first, zero), choice(second, folding.x, zero),
                           choice(zero, first, second)};
  EXPECT_EQ(foldLogic(folding.program), 4u);
  for (const Instruction *inst : ands)
    EXPECT_EQ(inst->opcode, Opcode::AndB);
  for (const Instruction *inst : ors)
    EXPECT_EQ(inst->opcode, Opcode::OrB);
  for (const Instruction *inst : others)
    EXPECT_EQ(inst->opcode, Opcode::SelB32);
}

TEST(LowerOperands, MovesOfConstantsAreShared) {
  Folding folding;
  auto &builder = folding.builder;
  Register c = Register::constant(5), d = Register::constant(6);
  Register sum = builder.create(Opcode::MulF, {c, d})->value();
  Register other = builder.create(Opcode::MulF, {c, Register::constant(7)})->value();
  builder.end({builder.create(Opcode::AddF, {sum, other})->value()});
  ASSERT_FALSE(bool(lowerOperands(folding.program)));
  ASSERT_FALSE(bool(verifyProgram(folding.program)));
  EXPECT_EQ(count_if(folding.program.instructions(),
                     [](const Instruction *inst) { return inst->opcode == Opcode::Mov; }),
            1);
}

} // namespace assay::ir3
