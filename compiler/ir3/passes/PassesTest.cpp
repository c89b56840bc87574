// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on printed programs. The names of tests follow the rows of docs/ir3.md.
#include "compiler/ir3/ir/Builder.h"
#include "compiler/ir3/ir/Legality.h"
#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/ir/Verify.h"
#include "compiler/ir3/passes/AllocateRegisters.h"
#include "compiler/ir3/passes/Flatten.h"
#include "compiler/ir3/passes/Legalize.h"
#include "compiler/ir3/passes/LowerOperands.h"
#include "compiler/ir3/passes/Optimize.h"
#include "compiler/ir3/passes/PostSchedule.h"
#include "compiler/ir3/passes/PrepareAllocation.h"
#include "compiler/ir3/passes/Schedule.h"
#include "compiler/ir3/passes/Shader.h"
#include "compiler/ir3/passes/Touches.h"
#include "compiler/ir3/passes/Variant.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using testing::HasSubstr;

namespace assay::ir3 {

static std::unique_ptr<Program> parsed(StringRef body, StringRef chip = "a630") {
  std::string text = "shader compute " + chip.str() + " const=16 private=0 local=0\n" + body.str();
  Expected<std::unique_ptr<Program>> program = parseProgram(text);
  if (!program) {
    ADD_FAILURE() << takeError(program.takeError()).message;
    return nullptr;
  }
  Error error = verifyProgram(**program);
  if (error)
    ADD_FAILURE() << takeError(std::move(error)).message;
  return std::move(*program);
}

static ShaderVariant compiled(Program &program, const CompileOptions &options = {}) {
  Expected<ShaderVariant> variant = compileProgram(program, options);
  if (variant)
    return std::move(*variant);
  ADD_FAILURE() << takeError(variant.takeError()).message;
  return {};
}

static size_t countOf(const Program &program, Opcode opcode) {
  std::vector<Instruction *> all = program.instructions();
  return size_t(count_if(all, [&](Instruction *inst) { return inst->opcode == opcode; }));
}

TEST(Ir3Passes, Row01LatencyTable) {
  Instruction add, mad, load, half;
  for (Instruction *inst : {&add, &mad, &load, &half})
    inst->registers.resize(4);
  add.opcode = Opcode::AddU;
  mad.opcode = Opcode::MadF32;
  load.opcode = Opcode::Ldl;
  half.opcode = Opcode::AddU;
  half.dst().flags = registerflag::Half;
  struct Row {
    StringRef chip;
    unsigned alu, third, far, width;
  };
  for (Row row : {Row{"a420", 3, 1, 6, 3}, Row{"a630", 3, 1, 6, 6}, Row{"a740", 2, 1, 5, 5}}) {
    const Compiler &chip = *findCompiler(row.chip);
    EXPECT_EQ(delaySlots(chip, add, add, 0, false), row.alu);
    EXPECT_EQ(delaySlots(chip, add, mad, 1, false), row.alu);
    EXPECT_EQ(delaySlots(chip, add, mad, 2, false), row.third);
    EXPECT_EQ(delaySlots(chip, add, load, 0, false), row.far);
    EXPECT_EQ(delaySlots(chip, half, add, 0, false), row.width);
  }
}

/// A fragment shader whose code depends on two fields of the key.
static Expected<std::unique_ptr<Program>> shaderFor(const ShaderKey &key) {
  auto program = std::make_unique<Program>(*findCompiler("a630"), ShaderStage::Fragment);
  Builder builder(*program, program->createBlock());
  Instruction *value = builder.input(0);
  if (key.twoSidedColor)
    value = builder.create(Opcode::AddU, {value->value(), Register::immediate(1)});
  if (key.msaa)
    value = builder.create(Opcode::XorB, {value->value(), Register::immediate(2)});
  builder.end({value->value()});
  return program;
}

TEST(Ir3Passes, Row03SameKeySameVariant) {
  ShaderKey used;
  used.twoSidedColor = used.msaa = true;
  Shader shader(ShaderStage::Fragment, used, shaderFor, {});
  std::vector<const ShaderVariant *> seen[2];
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned bits = 0; bits < 64; ++bits) {
      ShaderKey key;
      key.twoSidedColor = bits & 1;
      key.msaa = bits & 2;
      key.renderToAlpha = bits & 4;
      key.binningPass = bits & 8;
      key.clipPlanes = uint8_t(bits >> 4);
      Expected<const ShaderVariant *> variant = shader.variant(key);
      ASSERT_TRUE(bool(variant));
      seen[round].push_back(*variant);
    }
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(shader.variantCount(), 4u);
}

TEST(Ir3Passes, Row04OnlyUsedFieldsMakeVariants) {
  ShaderKey all, used;
  all.binningPass = all.msaa = true;
  all.clipPlanes = 5;
  used.binningPass = used.msaa = true;
  used.clipPlanes = 4;
  ShaderKey vertex = normalizeKey(all, ShaderStage::Vertex, used);
  EXPECT_TRUE(vertex.binningPass);
  EXPECT_FALSE(vertex.msaa) << "of fragment shaders";
  EXPECT_EQ(vertex.clipPlanes, 4);
  EXPECT_EQ(normalizeKey(all, ShaderStage::Compute, used), ShaderKey());
  Shader one(ShaderStage::Fragment, {}, shaderFor, {});
  Expected<const ShaderVariant *> variant = one.variant(all);
  ASSERT_TRUE(bool(variant));
  EXPECT_EQ(one.variantCount(), 1u);
}

TEST(Ir3Passes, Row08MetaInstructionsAreLowered) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  meta:collect ssa_1:2, ssa_0, c0.x\n"
                        "0002:0000:000:  ldib.b ssa_2:2, ssa_1:2, imm[0.0,0,0x0] {size=2}\n"
                        "0003:0000:000:  meta:split ssa_3, ssa_2:2 {index=1}\n"
                        "0004:0000:000:  end ssa_3\n");
  ShaderVariant variant = compiled(*program);
  for (const Instruction *inst : program->instructions())
    EXPECT_FALSE(inst->isMeta());
  EXPECT_EQ(variant.words.size() % 16, 0u);
}

TEST(Ir3Passes, Row17DelayIsTheGreatestOfAllSources) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  add.f ssa_1, ssa_0, ssa_0\n"
                        "0002:0000:000:  mad.f32 ssa_2, ssa_0, ssa_0, ssa_1\n"
                        "0003:0000:000:  end ssa_2\n");
  CompileOptions options;
  options.optimize = false;
  compiled(*program, options);
  // One slot before the third source of mad; the input needs none.
  EXPECT_THAT(print(*program), HasSubstr("(nop1)add.f"));
}

/// Stores to two kinds of memory and a kill. The first store waits for its value, so that a
/// scheduler that may moves the others in front of it.
static std::vector<Opcode> effectsInOrder(Schedule schedule) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  rcp ssa_1, ssa_0\n"
                        "0002:0000:000:  rcp ssa_2, ssa_1\n"
                        "0003:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_2\n"
                        "0008:0000:000:  meta:token\n"
                        "0004:0000:000:  stl ssa_0, ssa_0\n"
                        "0005:0000:000:  cmps.u.ne (p)ssa_5, ssa_0, imm[0.0,0,0x0]\n"
                        "0006:0000:000:  kill (p)ssa_5\n"
                        "0007:0000:000:  stib.b ssa_0, imm[0.0,1,0x1], ssa_0\n"
                        "0009:0000:000:  end\n");
  CompileOptions options;
  options.schedule = schedule;
  compiled(*program, options);
  std::vector<Opcode> effects;
  for (const Instruction *inst : program->instructions())
    if (inst->info().has(property::SideEffect))
      effects.push_back(inst->opcode);
  return effects;
}

/// Barrier classes order what accesses the same memory, and kill with everything. The token orders
/// what they leave free, and no code remains of it.
TEST(Ir3Passes, Row20EffectsKeepTheirOrder) {
  for (Schedule schedule : {Schedule::None, Schedule::DeepestFirst, Schedule::Pressure})
    EXPECT_THAT(effectsInOrder(schedule),
                testing::ElementsAre(Opcode::StibB, Opcode::Stl, Opcode::Kill, Opcode::StibB));
  BarrierClass buffer = BarrierClass::of(Opcode::StibB), local = BarrierClass::of(Opcode::Stl);
  EXPECT_FALSE(buffer.conflictsWith(local)) << "the stores are independent";
  for (Opcode each : {Opcode::MetaToken, Opcode::Kill}) {
    EXPECT_TRUE(BarrierClass::of(each).conflictsWith(buffer));
    EXPECT_TRUE(BarrierClass::of(each).conflictsWith(local));
    EXPECT_TRUE(BarrierClass::of(each).conflictsWith(BarrierClass::of(each)));
  }
}

TEST(Ir3Passes, Row23SingleUseSplitsNeedNoMove) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  ldib.b ssa_1:3, ssa_0, imm[0.0,0,0x0] {size=3}\n"
                        "0002:0000:000:  meta:split ssa_2, ssa_1:3\n"
                        "0003:0000:000:  meta:split ssa_3, ssa_1:3 {index=2}\n"
                        "0004:0000:000:  add.f ssa_4, ssa_2, ssa_3\n"
                        "0005:0000:000:  end ssa_4\n");
  compiled(*program);
  EXPECT_EQ(countOf(*program, Opcode::Mov), 0u) << print(*program);
}

/// The coordinates of isam and the address of a load are elements of an array: moves read them.
/// One chain x, y, z has all groups but the last, in which y is to the right of z: two moves.
TEST(Ir3Passes, Row26NeighborsMoveOnlyWhatConflicts) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  add.u ssa_1, ssa_0, imm[0.0,1,0x1]\n"
                        "0002:0000:000:  add.u ssa_2, ssa_0, imm[0.0,2,0x2]\n"
                        "0003:0000:000:  add.u ssa_3, ssa_0, imm[0.0,3,0x3]\n"
                        "0004:0000:000:  meta:collect ssa_4:2, ssa_1, ssa_2\n"
                        "0005:0000:000:  meta:collect ssa_5:2, ssa_2, ssa_3\n"
                        "0006:0000:000:  meta:collect ssa_6:3, ssa_1, ssa_2, ssa_3\n"
                        "0007:0000:000:  meta:collect ssa_7:2, ssa_3, ssa_2\n"
                        "0008:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_4:2 {size=2}\n"
                        "0009:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_5:2 {size=2}\n"
                        "0010:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_6:3 {size=3}\n"
                        "0011:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_7:2 {size=2}\n"
                        "0012:0000:000:  end\n");
  EXPECT_LE(groupNeighbors(*program), 2u) << print(*program);
  EXPECT_FALSE(bool(verifyProgram(*program)));
  EXPECT_EQ(groupNeighbors(*program), 0u) << "what is grouped stays";
  CompileOptions options;
  options.grouping = Grouping::Neighbors;
  compiled(*program, options);
  EXPECT_LE(countOf(*program, Opcode::Mov), 2u) << print(*program);
}

TEST(Ir3Passes, Row30ElementsAreMovedForTexturesAndMemory) {
  auto program = parsed(
      "array 0 size=4\n"
      "block 0\n"
      "0000:0000:000:  meta:input hssa_0(hr0.x)\n"
      "0001:0000:000:  mov.s16s16 (a0)hssa_1, hssa_0\n"
      "0002:0000:000:  mov.u32u32 arr[id=0, offset=0, size=4], imm[0.0,3,0x3]\n"
      "0003:0000:000:  mov.u32u32 arr[id=0, offset=1, size=4], imm[0.0,4,0x4]\n"
      "0004:0000:000:  isam ssa_4, arr[id=0, offset=0, size=4, rel], address=_[0001] {wrmask=1}\n"
      "0005:0000:000:  end ssa_4\n");
  ASSERT_FALSE(bool(lowerOperands(*program)));
  Error error = verifyProgram(*program);
  EXPECT_FALSE(bool(error)) << takeError(std::move(error)).message;
  std::vector<Instruction *> all = program->instructions();
  const Instruction *isam = *find_if(all, [](Instruction *i) { return i->opcode == Opcode::Isam; });
  ASSERT_TRUE(isam->registers[1].isSsa()) << print(*program);
  EXPECT_EQ(isam->registers[1].def->opcode, Opcode::Mov);
  EXPECT_TRUE(isam->registers[1].def->registers[1].isArray());
}

TEST(Ir3Passes, Row32AddressExampleOfTheNotes) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input hssa_0(hr2.y)\n"
                        "0001:0000:000:  meta:input ssa_1(r2.x)\n"
                        "0002:0000:000:  meta:input ssa_2(r3.x)\n"
                        "0003:0000:000:  mov.s16s16 (a0)hssa_3, hssa_0\n"
                        "0004:0000:000:  sub.u ssa_4, ssa_1, ssa_2\n"
                        "0005:0000:000:  add.u ssa_5, ssa_4, c<a0.x + 2>, address=_[0003]\n"
                        "0006:0000:000:  end ssa_5\n");
  CompileOptions options;
  options.schedule = Schedule::None;
  compiled(*program, options);
  std::string text = print(*program);
  // Six slots between mova and its use: sub, three of (nopN), and two of nop.
  EXPECT_THAT(text, HasSubstr("(nop3)sub.u"));
  EXPECT_THAT(text, HasSubstr("(rpt1)nop"));
  EXPECT_THAT(text, HasSubstr("c<a0.x + 2>"));
}

TEST(Ir3Passes, Row33OneLiveAddress) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input hssa_0(hr0.x)\n"
                        "0001:0000:000:  meta:input hssa_1(hr0.y)\n"
                        "0002:0000:000:  mov.s16s16 (a0)hssa_2, hssa_0\n"
                        "0003:0000:000:  mov.s16s16 (a0)hssa_3, hssa_1\n"
                        "0004:0000:000:  mov.u32u32 ssa_4, c<a0.x + 0>, address=_[0002]\n"
                        "0005:0000:000:  mov.u32u32 ssa_5, c<a0.x + 0>, address=_[0003]\n"
                        "0006:0000:000:  mov.u32u32 ssa_6, c<a0.x + 1>, address=_[0002]\n"
                        "0007:0000:000:  end ssa_4, ssa_5, ssa_6\n");
  lowerAddresses(*program);
  removeDeadCode(*program);
  EXPECT_FALSE(bool(verifyProgram(*program)));
  const Instruction *current = nullptr;
  unsigned uses = 0;
  for (const Instruction *inst : program->instructions()) {
    if (inst->dst().is(registerflag::Address))
      current = inst;
    if (!inst->address)
      continue;
    ++uses;
    EXPECT_EQ(inst->address, current);
  }
  EXPECT_EQ(uses, 3u);
}

TEST(Ir3Passes, Row33LastUseIsMarked) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input hssa_0(hr0.x)\n"
                        "0001:0000:000:  mov.s16s16 (a0)hssa_1, hssa_0\n"
                        "0002:0000:000:  mov.u32u32 ssa_2, c<a0.x + 0>, address=_[0001]\n"
                        "0003:0000:000:  mov.u32u32 ssa_3, c<a0.x + 1>, address=_[0001]\n"
                        "0004:0000:000:  end ssa_2, ssa_3\n");
  program->constDwords = 8;
  compiled(*program);
  std::vector<int> marks;
  for (const Instruction *inst : program->instructions())
    if (any_of(inst->registers, [](const Register &each) { return each.isRelative(); }))
      marks.push_back(inst->fields.lastAddress);
  EXPECT_EQ(marks, (std::vector<int>{0, 1}));
}

TEST(Ir3Passes, Row41WavesByRegisters) {
  const Compiler &a630 = *findCompiler("a630");
  EXPECT_EQ(maxWaves(a630, 3, true), 16u);
  EXPECT_EQ(maxWaves(a630, 12, false), 16u);
  EXPECT_EQ(maxWaves(a630, 13, false), 14u);
  EXPECT_EQ(maxWaves(a630, 48, false), 4u);
  EXPECT_EQ(maxWaves(*findCompiler("a660"), 12, false), 10u);
}

/// An if with a value and an if with a store: the second one stays.
TEST(Ir3Passes, Row43SimpleBranchesBecomeSel) {
  auto program = parsed("block 0 -> 1, 2\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  cmps.u.lt (p)ssa_1, ssa_0, imm[0.0,7,0x7]\n"
                        "0002:0000:000:  br (p)ssa_1 {inv1=1}\n"
                        "block 1 -> 2\n"
                        "0003:0000:000:  add.u ssa_3, ssa_0, imm[0.0,9,0x9]\n"
                        "0004:0000:000:  jump\n"
                        "block 2 -> 3, 4\n"
                        "0005:0000:000:  meta:phi ssa_5, ssa_3, ssa_0, from 1 0\n"
                        "0006:0000:000:  cmps.u.lt (p)ssa_6, ssa_0, imm[0.0,5,0x5]\n"
                        "0007:0000:000:  br (p)ssa_6\n"
                        "block 3 -> 4\n"
                        "0008:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_5\n"
                        "0009:0000:000:  jump\n"
                        "block 4\n"
                        "0010:0000:000:  end ssa_5\n");
  EXPECT_EQ(flattenBranches(*program, 8), 1u);
  Error error = verifyProgram(*program);
  EXPECT_FALSE(bool(error));
  std::string text = print(*program);
  // The branch is inverted: ssa_3 is the value where the compare does not hold.
  EXPECT_THAT(text, HasSubstr("sel.b32 ssa_5, ssa_0, ssa_11, ssa_3"));
  EXPECT_EQ(program->blocks.size(), 3u) << text;
  EXPECT_EQ(countOf(*program, Opcode::Br), 1u);
}

TEST(Ir3Passes, Row44CopyPropagationLeavesNoMove) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  mov.u32u32 ssa_1, ssa_0\n"
                        "0002:0000:000:  mov.u32u32 ssa_2, c1.x\n"
                        "0003:0000:000:  mov.u32u32 ssa_3, imm[0.0,5,0x5]\n"
                        "0004:0000:000:  add.u ssa_4, ssa_1, ssa_2\n"
                        "0005:0000:000:  and.b ssa_5, ssa_4, ssa_3\n"
                        "0006:0000:000:  end ssa_5\n");
  optimizeProgram(*program);
  EXPECT_EQ(countOf(*program, Opcode::Mov), 0u) << print(*program);
  EXPECT_THAT(print(*program), HasSubstr("add.u ssa_4, ssa_0, c1.x"));
}

/// Where the oracle permits it; sel.f32, which copies bits, is no arithmetic, and integers have no
/// modifiers.
TEST(Ir3Passes, Row44And45NegationsAreInOperands) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  absneg.f ssa_1, (neg)ssa_0\n"
                        "0002:0000:000:  absneg.f ssa_2, (abs)ssa_1\n"
                        "0003:0000:000:  add.f ssa_3, ssa_1, (neg)ssa_2\n"
                        "0004:0000:000:  mad.f32 ssa_4, ssa_1, ssa_0, ssa_2\n"
                        "0005:0000:000:  and.b ssa_5, ssa_1, ssa_3\n"
                        "0006:0000:000:  mul.f ssa_6, (neg)ssa_1, c0.x\n"
                        "0007:0000:000:  end ssa_4, ssa_5, ssa_6\n");
  optimizeProgram(*program);
  EXPECT_FALSE(bool(verifyProgram(*program)));
  std::string text = print(*program);
  EXPECT_THAT(text, HasSubstr("add.f ssa_3, (neg)ssa_0, (neg)(abs)ssa_0")) << text;
  EXPECT_THAT(text, HasSubstr("mad.f32 ssa_4, (neg)ssa_0, ssa_0, ssa_2")) << "(abs) is illegal";
  EXPECT_THAT(text, HasSubstr("absneg.f ssa_2, (abs)ssa_0"));
  EXPECT_THAT(text, HasSubstr("and.b ssa_5, ssa_1, ssa_3"));
  EXPECT_THAT(text, HasSubstr("mul.f ssa_6, ssa_0, c0.x"));
}

/// The index of a0.x is computed in 16 bits; what else reads the sum keeps it.
TEST(Ir3Passes, Row34And44ConversionsAreInResults) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  shl.b ssa_1, ssa_0, imm[0.0,2,0x2]\n"
                        "0002:0000:000:  mov.u32u16 hssa_2, ssa_1\n"
                        "0003:0000:000:  mov.s16s16 (a0)hssa_3, hssa_2\n"
                        "0004:0000:000:  add.u ssa_4, ssa_0, c<a0.x + 1>, address=_[0003]\n"
                        "0005:0000:000:  mov.u32u16 hssa_5, ssa_4\n"
                        "0006:0000:000:  add.f ssa_6, ssa_0, ssa_0\n"
                        "0007:0000:000:  mov.f32f16 hssa_7, ssa_6\n"
                        "0008:0000:000:  end ssa_4, hssa_5, hssa_7\n");
  optimizeProgram(*program);
  EXPECT_FALSE(bool(verifyProgram(*program)));
  std::string text = print(*program);
  EXPECT_THAT(text, HasSubstr("shl.b hssa_1, ssa_0")) << text;
  EXPECT_THAT(text, HasSubstr("mov.s16s16 (a0)hssa_3, hssa_1"));
  EXPECT_THAT(text, HasSubstr("mov.u32u16 hssa_5, ssa_4"));
  EXPECT_THAT(text, HasSubstr("mov.f32f16 hssa_7, ssa_6"));
}

TEST(Ir3Passes, TestsOfComparesAreCompares) {
  auto program = parsed("block 0 -> 1, 2\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  cmps.f.lt ssa_1, ssa_0, c0.x\n"
                        "0002:0000:000:  cmps.u.ne (p)ssa_2, ssa_1, imm[0.0,0,0x0]\n"
                        "0003:0000:000:  br (p)ssa_2\n"
                        "block 1 -> 2\n"
                        "0004:0000:000:  jump\n"
                        "block 2\n"
                        "0005:0000:000:  end\n");
  optimizeProgram(*program);
  EXPECT_FALSE(bool(verifyProgram(*program)));
  EXPECT_EQ(countOf(*program, Opcode::CmpsU), 0u);
  EXPECT_THAT(print(*program), HasSubstr("cmps.f.lt (p)ssa_2, ssa_0, c0.x"));
}

TEST(Ir3Passes, LengthsNeedNoShifts) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  resinfo.b ssa_0:3, imm[0.0,2,0x2]\n"
                        "0001:0000:000:  meta:split ssa_1, ssa_0:3\n"
                        "0002:0000:000:  shl.b ssa_2, ssa_1, imm[0.0,2,0x2]\n"
                        "0003:0000:000:  shr.b ssa_3, ssa_2, imm[0.0,2,0x2]\n"
                        "0004:0000:000:  shr.b ssa_4, ssa_2, imm[0.0,1,0x1]\n"
                        "0005:0000:000:  end ssa_3, ssa_4\n");
  optimizeProgram(*program);
  EXPECT_EQ(countOf(*program, Opcode::ShrB), 1u) << print(*program);
  EXPECT_THAT(print(*program), HasSubstr("end ssa_1, ssa_4"));
}

TEST(Ir3Passes, EqualCollectsAreOne) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  meta:collect ssa_1:2, ssa_0, imm[0.0,0,0x0]\n"
                        "0002:0000:000:  meta:collect ssa_2:2, ssa_0, imm[0.0,0,0x0]\n"
                        "0003:0000:000:  end ssa_1:2, ssa_2:2\n");
  optimizeProgram(*program);
  EXPECT_EQ(countOf(*program, Opcode::MetaCollect), 1u) << print(*program);
}

TEST(Ir3Passes, Row45MovesOnlyWhereTheOracleSaysIllegal) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  add.u ssa_1, c0.x, c0.y\n"
                        "0002:0000:000:  mad.f32 ssa_2, c0.x, c0.y, c0.z\n"
                        "0003:0000:000:  add.u ssa_3, ssa_0, imm[0.0,99999,0x1869f]\n"
                        "0004:0000:000:  end ssa_1, ssa_2, ssa_3\n");
  ASSERT_FALSE(bool(lowerOperands(*program)));
  EXPECT_FALSE(bool(verifyProgram(*program)));
  // One of two constants, the second source of mad, and nothing for what the const file holds.
  EXPECT_EQ(countOf(*program, Opcode::Mov), 2u) << print(*program);
  EXPECT_EQ(program->constImmediates, std::vector<uint32_t>{99999});
  for (const Instruction *inst : program->instructions())
    for (auto [index, source] : enumerate(inst->sources()))
      EXPECT_TRUE(isLegalSource(*inst, unsigned(index), source)) << print(*inst, *program);
}

/// The same two values in two groups, in both orders.
TEST(Ir3Passes, Row46ConflictingGroupsNeedTwoMoves) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  add.u ssa_1, ssa_0, imm[0.0,1,0x1]\n"
                        "0002:0000:000:  add.u ssa_2, ssa_0, imm[0.0,2,0x2]\n"
                        "0003:0000:000:  meta:collect ssa_3:2, ssa_1, ssa_2\n"
                        "0004:0000:000:  meta:collect ssa_4:2, ssa_2, ssa_1\n"
                        "0005:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_3:2 {size=2}\n"
                        "0006:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_4:2 {size=2}\n"
                        "0007:0000:000:  end\n");
  compiled(*program);
  EXPECT_LE(countOf(*program, Opcode::Mov), 2u) << print(*program);
}

TEST(Ir3Passes, Row47And49DepthIsDelayPlusOneAndMetaAddsNothing) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  add.f ssa_1, ssa_0, ssa_0\n"
                        "0002:0000:000:  add.f ssa_2, ssa_1, ssa_0\n"
                        "0003:0000:000:  meta:collect ssa_3:2, ssa_1, ssa_2\n"
                        "0004:0000:000:  rcp ssa_4, ssa_2\n"
                        "0005:0000:000:  add.f ssa_5, ssa_4, ssa_0\n"
                        "0006:0000:000:  end ssa_5\n");
  const Compiler &a630 = *findCompiler("a630");
  EXPECT_THAT(computeDepths(program->entry(), a630, /*soft=*/false),
              testing::ElementsAre(0, 1, 5, 5, 12, 13, 14));
  EXPECT_THAT(computeDepths(program->entry(), a630, /*soft=*/true),
              testing::ElementsAre(0, 1, 5, 5, 12, 23, 24));
}

TEST(Ir3Passes, Row48DeadInputsAndInstructionsAreRemoved) {
  auto program = parsed("block 0\n"
                        "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  meta:input ssa_1(r0.y)\n"
                        "0002:0000:000:  add.u ssa_2, ssa_1, ssa_1\n"
                        "0003:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_0\n"
                        "0004:0000:000:  end\n");
  EXPECT_EQ(removeDeadCode(*program), 2u);
  EXPECT_EQ(countOf(*program, Opcode::StibB), 1u);
  ShaderVariant variant = compiled(*program);
  EXPECT_EQ(variant.inputs.size(), 1u);
}

TEST(Ir3Passes, Row50SchedulesAreModes) {
  StringRef body = "block 0\n"
                   "0000:0000:000:  meta:input ssa_0(r0.x)\n"
                   "0001:0000:000:  add.f ssa_1, ssa_0, ssa_0\n"
                   "0002:0000:000:  add.f ssa_2, ssa_1, ssa_0\n"
                   "0003:0000:000:  mul.f ssa_3, ssa_0, ssa_0\n"
                   "0004:0000:000:  mul.f ssa_4, ssa_3, ssa_0\n"
                   "0005:0000:000:  end ssa_2, ssa_4\n";
  unsigned nops[3];
  for (Schedule schedule : {Schedule::None, Schedule::DeepestFirst, Schedule::Pressure}) {
    auto program = parsed(body);
    CompileOptions options;
    options.schedule = schedule;
    nops[unsigned(schedule)] = compiled(*program, options).statistics.nops;
  }
  EXPECT_LT(nops[unsigned(Schedule::Pressure)], nops[unsigned(Schedule::None)]);
}

// The split of a load adds nothing to its latency and takes nothing away: what does not need the
// load goes in between.
TEST(Ir3Passes, Row50LatencyPassesThroughSplits) {
  Program program(*findCompiler("a630"));
  Builder builder(program, program.createBlock());
  Register x = builder.input(0)->value();
  Instruction *load = builder.create(Opcode::LdibB, {x, Register::immediate(0)}, false, 2);
  Instruction *user = builder.create(Opcode::AddU, {builder.split(load, 1)->value(), x});
  Instruction *other = builder.create(Opcode::AddU, {x, Register::immediate(1)});
  builder.end({user->value(), other->value()});
  scheduleProgram(program, Schedule::Pressure);
  std::vector<Instruction *> all = program.instructions();
  EXPECT_LT(find(all, load), find(all, other));
  EXPECT_LT(find(all, other), find(all, user));
}

// A wait is for all results: another load goes in front of the use of the first one.
TEST(Ir3Passes, Row50LoadsAreIssuedBeforeTheFirstWait) {
  Program program(*findCompiler("a630"));
  Builder builder(program, program.createBlock());
  auto access = [&](unsigned dst, unsigned source) {
    Instruction *load =
        builder.create(Opcode::LdibB, {Register::physical(source), Register::immediate(0)});
    load->dst() = Register::physical(dst);
    return load;
  };
  auto add = [&](unsigned dst, unsigned source) {
    Instruction *sum =
        builder.create(Opcode::AddU, {Register::physical(source), Register::immediate(1)});
    sum->dst() = Register::physical(dst);
    return sum;
  };
  Instruction *first = access(2, 0), *use = add(3, 2), *second = access(4, 1), *last = add(5, 4);
  builder.end();
  schedulePhysical(program);
  std::vector<Instruction *> all = program.instructions();
  EXPECT_EQ(std::vector(all.begin(), all.end() - 1),
            (std::vector<Instruction *>{first, second, use, last}));
}

// Two chains in the order of selection: each waits for itself, unless they alternate.
TEST(Ir3Passes, Row50PhysicalScheduleFillsSlots) {
  Program program(*findCompiler("a630"));
  Builder builder(program, program.createBlock());
  auto add = [&](unsigned dst, unsigned source) {
    Instruction *inst =
        builder.create(Opcode::AddU, {Register::physical(source), Register::immediate(1)});
    inst->dst() = Register::physical(dst);
    return inst->name;
  };
  uint32_t first = add(2, 0), afterFirst = add(3, 2), second = add(4, 1), afterSecond = add(5, 4);
  builder.end();
  schedulePhysical(program);
  std::vector<uint32_t> names;
  std::vector<Instruction *> all = program.instructions();
  for (const Instruction *inst : drop_end(all))
    names.push_back(inst->name);
  EXPECT_EQ(names, (std::vector<uint32_t>{first, second, afterFirst, afterSecond}));
}

// What follows a barrier waits for everything; the barrier itself waits for nothing.
TEST(Ir3Passes, Row51OneWaitForABarrier) {
  Program program(*findCompiler("a630"));
  Builder builder(program, program.createBlock());
  auto number = [](unsigned at) { return Register::physical(at); };
  Instruction *load = builder.create(Opcode::LdibB, {number(0), Register::immediate(0)});
  load->dst() = number(1);
  Instruction *barrier = builder.create(Opcode::Bar, {});
  Instruction *sum = builder.create(Opcode::AddU, {number(0), Register::immediate(1)});
  sum->dst() = number(2);
  builder.end();
  legalize(program, {});
  EXPECT_FALSE(barrier->fields.sync || barrier->fields.shortSync);
  EXPECT_TRUE(sum->fields.sync && sum->fields.shortSync);
}

// A ballot is 0 in the shared registers, then the mask of the fibers in which the condition holds.
TEST(Ir3Passes, MacrosBecomeBlocks) {
  Program program(*findCompiler("a630"));
  Builder builder(program, program.createBlock());
  Instruction *input = builder.input(0);
  Instruction *flag = builder.compare(Opcode::CmpsU, Ne, input->value(), Register::immediate(0));
  Instruction *mask = builder.create(Opcode::MacroBallot, {flag->value()}, false, 2);
  mask->dst().flags |= registerflag::Shared;
  Instruction *low = builder.move(builder.split(mask, 0)->value());
  Instruction *neutral = builder.create(Opcode::Mov, {Register::immediate(1)});
  neutral->dst().flags |= registerflag::Shared;
  Instruction *group =
      builder.collect({Register::undefined(), low->value(), Register::undefined()});
  Instruction *scan =
      builder.create(Opcode::MacroScan, {group->value(), neutral->value()}, false, 3);
  scan->fields.reduction = int32_t(Reduction::MulU);
  builder.end({builder.split(scan, 2)->value()});
  compiled(program);
  EXPECT_EQ(countOf(program, Opcode::MacroBallot) + countOf(program, Opcode::MacroScan), 0u);
  EXPECT_EQ(countOf(program, Opcode::Movmsk), 1u);
  EXPECT_EQ(countOf(program, Opcode::Getone), 1u);
  EXPECT_EQ(countOf(program, Opcode::MadshM16), 2u);
  EXPECT_GE(program.blocks.size(), 5u);
}

TEST(Ir3Passes, Row54HalfRegistersAliasFullOnes) {
  Program program(*findCompiler("a630"));
  Instruction full, half;
  full.registers = {Register(), Register::physical(1)};
  full.opcode = half.opcode = Opcode::Br;
  half.registers = {Register(), Register::physical(3, /*half=*/true)};
  SmallVector<Touch, 4> touches;
  collectTouches(full, program, touches);
  collectTouches(half, program, touches);
  ASSERT_EQ(touches.size(), 2u);
  EXPECT_EQ(touches[0].cell, 2);
  EXPECT_EQ(touches[0].count, 2);
  EXPECT_EQ(touches[1].cell, 3);
}

TEST(Ir3Passes, SpillingNeedsPrivateMemory) {
  std::string body = "block 0\n0000:0000:000:  meta:input ssa_0(r0.x)\n";
  std::string outputs = "0999:0000:000:  end";
  for (unsigned i = 1; i <= 24; ++i) {
    body += "0" + std::to_string(100 + i) + ":0000:000:  add.u ssa_" + std::to_string(100 + i) +
            ", ssa_0, imm[0.0," + std::to_string(i) + ",0x0]\n";
    outputs += (i == 1 ? " ssa_" : ", ssa_") + std::to_string(100 + i);
  }
  auto program = parsed(body + outputs + "\n", "a420");
  CompileOptions options;
  options.vectors = 4;
  Expected<ShaderVariant> variant = compileProgram(*program, options);
  ASSERT_FALSE(bool(variant));
  ErrorParts error = takeError(variant.takeError());
  EXPECT_EQ(error.kind, ErrorKind::Limit);
  EXPECT_THAT(error.message, HasSubstr("spilling is not possible"));
}

TEST(Ir3Passes, ConstantsHaveToFitIntoTheConstFile) {
  auto program =
      parsed("block 0\n0000:0000:000:  meta:input ssa_0(r0.x)\n0999:0000:000:  end ssa_0\n");
  program->constDwords = 4 * program->compiler().constVectors;
  EXPECT_TRUE(bool(compileProgram(*program, CompileOptions())));
  program = parsed("block 0\n0000:0000:000:  meta:input ssa_0(r0.x)\n0999:0000:000:  end ssa_0\n");
  program->constDwords = 4 * program->compiler().constVectors + 1;
  Expected<ShaderVariant> variant = compileProgram(*program, CompileOptions());
  ASSERT_FALSE(bool(variant));
  ErrorParts error = takeError(variant.takeError());
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_THAT(error.message, HasSubstr("bytes of constants"));
}

TEST(Ir3Passes, Row05StatisticsLineIsThatOfShaderDb) {
  auto program = parsed("block 0\n0000:0000:000:  meta:input ssa_0(r0.x)\n"
                        "0001:0000:000:  rcp ssa_1, ssa_0\n"
                        "0002:0000:000:  add.f ssa_2, ssa_1, ssa_1\n"
                        "0003:0000:000:  stib.b ssa_0, imm[0.0,0,0x0], ssa_2\n"
                        "0004:0000:000:  end\n");
  ShaderVariant variant = compiled(*program);
  std::string line = printStatistics(variant.statistics, ShaderStage::Compute);
  EXPECT_THAT(line, HasSubstr("COMPUTE shader: "));
  EXPECT_THAT(line, HasSubstr("1 (ss)"));
  EXPECT_THAT(line, HasSubstr("10 sstall"));
  EXPECT_EQ(variant.statistics.instructions, variant.statistics.nops + 4)
      << "rcp, add.f, stib and end";
}

/// Mesa 25.0, ir3.h, soft_sy_delay: of a compute shader (21 + 8 * components) / 2 of ldc, and
/// (172 + components) / 2 of ldib. Between load and use there is the slot of the load itself.
TEST(Ir3Passes, Row05StallsOfLoadsAreThoseOfMesa) {
  for (auto [load, stall] : {std::pair("ldc ssa_1:3, ssa_0, imm[0.0,0,0x0]", 22U),
                             std::pair("ldib.b ssa_1:3, ssa_0, imm[0.0,0,0x0]", 87U)}) {
    auto program = parsed("block 0\n0000:0000:000:  meta:input ssa_0(r0.x)\n"
                          "0001:0000:000:  " +
                          std::string(load) +
                          " {size=3}\n"
                          "0002:0000:000:  meta:split ssa_2, ssa_1:3\n"
                          "0003:0000:000:  add.f ssa_3, ssa_2, ssa_2\n"
                          "0004:0000:000:  end ssa_3\n");
    EXPECT_EQ(compiled(*program).statistics.syStall, stall) << load;
  }
}

} // namespace assay::ir3
