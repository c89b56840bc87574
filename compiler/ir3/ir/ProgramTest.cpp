// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Program.h"

#include "compiler/ir3/ir/Builder.h"
#include "compiler/ir3/ir/Legality.h"
#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/ir/Verify.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using testing::HasSubstr;

namespace assay::ir3 {

static const Compiler &a630() {
  return *findCompiler("a630");
}

/// The vertex shader of the ir3 notes: DP3 and three moves.
static void buildNotesExample(Program &program) {
  Builder builder(program, program.createBlock());
  std::vector<Register> in;
  for (unsigned vector = 0; vector < 2; ++vector) {
    for (unsigned component = 0; component < 3; ++component) {
      Instruction *input = builder.input(Register::NoNumber);
      input->fields.index = int(4 * vector + component);
      in.push_back(input->value());
    }
  }
  Instruction *product = builder.create(Opcode::MulF, {in[0], in[3]});
  Instruction *sum = builder.create(Opcode::MadF32, {in[1], in[4], product->value()});
  Instruction *dot = builder.create(Opcode::MadF32, {in[2], in[5], sum->value()});
  std::vector<Register> out;
  for (unsigned i = 0; i < 3; ++i)
    out.push_back(builder.move(dot->value(), F32, F32)->value());
  out.push_back(dot->value());
  builder.end(out);
}

// Row 10 and 11 of the concept table: the graph of the notes.
TEST(Ir3Program, Row11GraphOfTheNotesExample) {
  Program program(a630(), ShaderStage::Vertex);
  buildNotesExample(program);
  EXPECT_FALSE(bool(verifyProgram(program)));
  std::string graph = printGraph(program, "vert");
  std::vector<std::pair<StringRef, unsigned>> counts = {
      {"|<in", 6}, {"|<out", 4}, {"mul.f", 1}, {"mad.f32", 2}, {"mov.f32f32", 3}, {" -> ", 15}};
  for (auto [text, count] : counts)
    EXPECT_EQ(StringRef(graph).count(text), count) << text.str() << "\n" << graph;
  for (StringRef edge : {"input:<in2>:w -> instr8:<src0>", "input:<in5>:w -> instr8:<src1>",
                         "instr6:<dst0> -> instr7:<src2>", "instr7:<dst0> -> instr8:<src2>",
                         "instr8:<dst0> -> instr9:<src0>", "instr8:<dst0> -> output:<out3>:e",
                         "instr9:<dst0> -> output:<out0>:e"})
    EXPECT_THAT(graph, HasSubstr(edge.str()));
}

// Rows 13, 15 and 16: registers[0] is the result; traversals; the address is the last SSA source.
TEST(Ir3Program, Row13And15And16SsaSourcesSkipConstantsAndEndWithTheAddress) {
  Program program(a630());
  Builder builder(program, program.createBlock());
  Instruction *index = builder.input(0, 1, /*half=*/true);
  Instruction *address = builder.moveAddress(index->value());
  Instruction *value = builder.input(2);
  Instruction *add = builder.create(Opcode::AddF, {value->value(), Register::relativeConst(2)});
  add->address = address;
  builder.end({add->value()});
  EXPECT_EQ(add->sources().size(), 2u);
  EXPECT_THAT(add->ssaSources(), testing::ElementsAre(value, address));
  EXPECT_FALSE(bool(verifyProgram(program)));
  EXPECT_THAT(print(program), HasSubstr("add.f ssa_3, ssa_2, c<a0.x + 2>, address=_[0001]"));
}

// Row 36: how the notes print accesses to arrays.
TEST(Ir3Program, Row36PrintsArrays) {
  Program program(a630());
  Builder builder(program, program.createBlock());
  unsigned id = program.createArray(4);
  Instruction *index = builder.input(0, 1, /*half=*/true);
  Instruction *address = builder.moveAddress(index->value());
  builder.storeArray(id, 1, address, Register::constant(10));
  Instruction *load = builder.loadArray(id, 0, nullptr);
  builder.end({load->value()});
  EXPECT_FALSE(bool(verifyProgram(program)));
  EXPECT_THAT(print(program),
              HasSubstr("mov.u32u32 arr[id=0, offset=1, size=4, rel], c2.z, address=_[0001]"));
  EXPECT_TRUE(load->barrierClass().conflictsWith(program.entry().instructions[2]->barrierClass()));
  EXPECT_FALSE(load->barrierClass().conflictsWith(load->barrierClass()));
}

TEST(Ir3Program, ParsesWhatItPrints) {
  Program program(a630());
  Builder builder(program, program.createBlock());
  Block *body = program.createBlock(), *after = program.createBlock();
  Block *start = builder.block();
  unsigned id = program.createArray(3, /*half=*/true);
  program.constDwords = 8;
  program.constantFor(0x12345678);
  Instruction *input = builder.input(reg::Shared + 1);
  Instruction *narrow = builder.move(input->value(), U32, U16);
  builder.storeArray(id, 2, nullptr, narrow->value());
  builder.jump(body);
  builder.setBlock(body);
  Instruction *phi = builder.phi();
  Instruction *next =
      builder.create(Opcode::AddU, {phi->value(), Register::immediate(uint32_t(-7))});
  Instruction *pair =
      builder.collect({next->value(), Register::constant(9), Register::undefined()});
  Instruction *load = builder.create(Opcode::LdibB, {pair->value(), Register::immediate(3)},
                                     /*half=*/false, 2);
  load->fields.typed = 1;
  load->isImage = true;
  Instruction *part = builder.split(load, 1);
  Instruction *mad = builder.create(
      Opcode::MadF32, {part->value().with(registerflag::Negate), part->value(), next->value()});
  mad->fields.saturate = 1;
  Instruction *test = builder.compare(Opcode::CmpsS, Ge, mad->value(), Register::immediate(4));
  Builder::addPhiSource(phi, input->value().with(0), start);
  Builder::addPhiSource(phi, next->value(), body);
  phi->registers[1] = Register::immediate(1);
  builder.branch(test->value(), body, after, /*invert=*/true);
  builder.setBlock(after);
  builder.end({mad->value()});
  ASSERT_FALSE(bool(verifyProgram(program)));
  std::string text = print(program);
  Expected<std::unique_ptr<Program>> parsed = parseProgram(text);
  ASSERT_TRUE(bool(parsed)) << takeError(parsed.takeError()).message << "\n" << text;
  EXPECT_FALSE(bool(verifyProgram(**parsed)));
  EXPECT_EQ(print(**parsed), text);
}

TEST(Ir3Program, RefusesMalformedText) {
  std::string head = "shader compute a630 const=0 private=0 local=0\n";
  std::pair<std::string, StringRef> rows[] = {
      {"shader compute a999\n", "line 1"},
      {head + "block 0 -> 5\n", "no such successor"},
      {head + "0000:0000:000:  end\n", "in a block"},
      {head + "block 0\n0000:0000:000:  frob ssa_0\n", "unknown opcode 'frob'"},
      {head + "block 0\n0000:0000:000:  end ssa_4\n", "ssa_4 is used and not defined"},
      {head + "block 0\n0000:0000:000:  mov.u32u32 ssa_0, q1.x\n", "unexpected 'q1.x'"},
      {head + "block 0\n0000:0000:000:  end\n0000:0000:000:  end\n", "second instruction"},
  };
  for (const auto &[text, reason] : rows) {
    Expected<std::unique_ptr<Program>> parsed = parseProgram(text);
    ASSERT_FALSE(bool(parsed)) << text;
    EXPECT_THAT(takeError(parsed.takeError()).message, HasSubstr(reason.str()));
  }
}

// Row 9 and 31: what the validator finds.
TEST(Ir3Program, Row09And31ValidatorFindsBrokenRules) {
  std::string head = "shader compute a630 const=0 private=0 local=0\nblock 0\n";
  std::pair<StringRef, StringRef> rows[] = {
      {"0000:0000:000:  mov.u32u32 ssa_0, ssa_1\n0001:0000:000:  mov.u32u32 ssa_1, c0.x\n"
       "0002:0000:000:  end\n",
       "does not dominate"},
      {"0000:0000:000:  mov.u32u32 ssa_0, c<a0.x + 1>\n0002:0000:000:  end\n",
       "without an address"},
      {"0000:0000:000:  mov.u32u32 hssa_0, c0.x\n0002:0000:000:  end\n", "width of its type"},
      {"0000:0000:000:  mov.u32u32 ssa_0, c0.x\n", "does not end in a terminator"},
      {"0000:0000:000:  mov.u16u16 hssa_0, hc0.x\n0001:0000:000:  add.u ssa_1, hssa_0, c0.x\n"
       "0002:0000:000:  end\n",
       "different widths"},
      {"0000:0000:000:  jump\n", "1 successors are needed"},
      {"0000:0000:000:  mov.u32u32 ssa_0, c0.x\n0001:0000:000:  meta:split ssa_1, ssa_0 {index=1}\n"
       "0002:0000:000:  end\n",
       "no such component"},
      {"0000:0000:000:  mov.u32u32 ssa_0, c0.x\n0001:0000:000:  meta:output ssa_1(r1.x), ssa_0\n"
       "0002:0000:000:  meta:output ssa_2(r1.x), ssa_0\n0003:0000:000:  end ssa_1, ssa_2\n",
       "two outputs are in one register"},
      {"0000:0000:000:  mov.u32u32 ssa_0, c0.x\n0001:0000:000:  meta:output ssa_1(r1.x), ssa_0\n"
       "0002:0000:000:  add.u ssa_2, ssa_1, ssa_0\n0003:0000:000:  end ssa_2\n",
       "only end reads outputs"},
  };
  for (const auto &[text, reason] : rows) {
    Expected<std::unique_ptr<Program>> parsed = parseProgram(head + text.str());
    ASSERT_TRUE(bool(parsed)) << takeError(parsed.takeError()).message;
    Error error = verifyProgram(**parsed);
    ASSERT_TRUE(bool(error)) << text.str();
    EXPECT_THAT(takeError(std::move(error)).message, HasSubstr(reason.str()));
  }
}

// Row 39.
TEST(Ir3Program, Row39BarrierClassesConflict) {
  BarrierClass load = BarrierClass::of(Opcode::LdibB), store = BarrierClass::of(Opcode::StibB);
  BarrierClass image = BarrierClass::of(Opcode::StibB, /*isImage=*/true);
  BarrierClass local = BarrierClass::of(Opcode::Stl), bar = BarrierClass::of(Opcode::Bar);
  EXPECT_FALSE(load.conflictsWith(load));
  EXPECT_TRUE(load.conflictsWith(store));
  EXPECT_TRUE(store.conflictsWith(store));
  EXPECT_FALSE(load.conflictsWith(image));
  EXPECT_FALSE(store.conflictsWith(local));
  EXPECT_TRUE(bar.conflictsWith(local));
  EXPECT_TRUE(load.conflictsWith(bar));
}

// Row 14: some of what the oracle says.
TEST(Ir3Program, Row14And37OperandLegality) {
  Program program(a630());
  Builder builder(program, program.createBlock());
  Register value = builder.input(0)->value();
  Instruction *add = builder.create(Opcode::AddU, {value, Register::constant(0)});
  EXPECT_FALSE(isLegalSource(*add, 0, Register::constant(4)));
  EXPECT_TRUE(isLegalSource(*add, 0, Register::immediate(1023)));
  EXPECT_FALSE(isLegalSource(*add, 0, Register::immediate(1024)));
  EXPECT_FALSE(isLegalSource(*add, 0, value.with(registerflag::Negate)));
  Instruction *mad = builder.create(Opcode::MadF32, {value, value, value});
  EXPECT_TRUE(isLegalSource(*mad, 0, Register::constant(0)));
  EXPECT_FALSE(isLegalSource(*mad, 1, Register::constant(0)));
  EXPECT_TRUE(isLegalSource(*mad, 2, value.with(registerflag::Negate)));
  EXPECT_FALSE(isLegalSource(*mad, 2, value.with(registerflag::Absolute)));
  Instruction *multiply = builder.create(Opcode::MulF, {value, value});
  EXPECT_TRUE(isLegalSource(*multiply, 1, Register::immediate(0x3f000000))) << "0.5";
  EXPECT_FALSE(isLegalSource(*multiply, 1, Register::immediate(0x3e800000))) << "0.25";
  Instruction *sample = builder.create(Opcode::Saml, {value, value, Register::immediate(0x12)});
  sample->fields.indirect = 1;
  EXPECT_FALSE(isLegalSource(*sample, 2, Register::immediate(0x12)))
      << "a register has the numbers";
  sample->fields.descriptor = ImmediateDescriptor;
  EXPECT_TRUE(isLegalSource(*sample, 2, Register::immediate(0x12)));
  EXPECT_FALSE(isLegalSource(*sample, 2, Register::immediate(256)));
  EXPECT_FALSE(isLegalSource(*sample, 2, value));
  EXPECT_FALSE(isLegalSource(*sample, 1, Register::immediate(0)));
}

TEST(Ir3Program, Row14OnlyModeImmediateTakesTheNumberOfASlot) {
  Program program(a630());
  Builder builder(program, program.createBlock());
  Register value = builder.input(0)->value();
  Instruction *load = builder.create(Opcode::LdibB, {value, value});
  load->fields.mode = SlotNonuniform;
  EXPECT_FALSE(isLegalSource(*load, 1, Register::immediate(4))) << "the encoding has a register";
  load->fields.mode = SlotImmediate;
  EXPECT_TRUE(isLegalSource(*load, 1, Register::immediate(4)));
}

} // namespace assay::ir3
