// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of the compiler's encoder, read by the decoder of the oracles: the two share no table.
#include "compiler/ir3/isa/AssemblyText.h"
#include "compiler/ir3/isa/Encoder.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;

namespace assay::ir3 {

using File = Operand::File;

namespace {

/// Random operands and fields that an opcode can have.
class InstructionMaker {
public:
  InstructionMaker(const Compiler &compiler, uint64_t seed)
      : m_compiler(compiler), m_random(seed) {}

  MachineInstruction make(Opcode opcode) {
    MachineInstruction inst;
    inst.opcode = opcode;
    const OpcodeInfo &info = infoOf(opcode);
    inst.fields.sync = int(random(2));
    inst.fields.join = int(random(2));
    if (info.category <= 4 || info.category == 7)
      inst.fields.shortSync = int(random(2));
    m_half = random(2);
    if (info.has(property::HasDst))
      inst.dst = gpr(false);
    switch (info.category) {
    case 0:
      makeFlow(inst);
      break;
    case 1:
      makeMove(inst);
      break;
    case 2:
    case 3:
    case 4:
      makeAlu(inst);
      break;
    case 5:
      makeTexture(inst);
      break;
    case 6:
      makeMemory(inst);
      break;
    default:
      inst.fields.fenceWrite = int(random(2));
      inst.fields.fenceGlobal = int(random(2));
    }
    return inst;
  }

private:
  unsigned random(unsigned count) { return unsigned(m_random() % count); }
  Operand gpr(bool half) {
    Operand operand;
    operand.file = File::Gpr;
    operand.half = half;
    operand.number = uint16_t(random(4 * 48));
    return operand;
  }
  Operand immediate(int32_t value) {
    Operand operand;
    operand.file = File::Immediate;
    operand.half = m_half;
    operand.value = value;
    return operand;
  }
  Operand constant() {
    Operand operand;
    operand.half = m_half;
    operand.file = random(2) ? File::Const : File::RelativeConst;
    if (operand.file == File::Const)
      operand.number = uint16_t(random(2048));
    else
      operand.value = int(random(1024)) - 512;
    return operand;
  }

  void makeFlow(MachineInstruction &inst) {
    unsigned sources = infoOf(inst.opcode).sources;
    for (unsigned i = 0; i < sources; ++i) {
      Operand operand = gpr(false);
      operand.number = uint16_t(reg::Predicate + random(m_compiler.predicates));
      inst.sources.push_back(operand);
    }
    inst.fields.invert1 = sources > 0 ? int(random(2)) : 0;
    inst.fields.invert2 = sources > 1 ? int(random(2)) : 0;
    bool isBranch = infoOf(inst.opcode).has(property::Terminator) && inst.opcode != Opcode::End;
    if (isBranch)
      inst.fields.target = int(random(2000)) - 1000;
    else if (inst.opcode == Opcode::Nop)
      inst.fields.repeat = int(random(6));
  }

  /// Texts of NaNs do not say which one.
  int32_t moveImmediate(const MachineInstruction &inst) {
    Type type = Type(inst.fields.sourceType);
    if (type == F32 || type == F16)
      return type == F32 ? 0x3f800000 : 0x3c00;
    return int32_t(m_random() & (m_half ? 0xff : ~0u));
  }

  void makeMove(MachineInstruction &inst) {
    if (inst.opcode == Opcode::Movmsk)
      return;
    static constexpr Type Full[] = {F32, U32, S32}, Half[] = {F16, U16, S16};
    bool halfDst = random(2);
    inst.fields.sourceType = m_half ? Half[random(3)] : Full[random(3)];
    inst.fields.type = halfDst ? Half[random(3)] : Full[random(3)];
    inst.dst = gpr(halfDst);
    if (inst.opcode == Opcode::Swz) {
      inst.fields.type = inst.fields.sourceType;
      inst.dst = gpr(m_half);
      inst.sources = {gpr(m_half), gpr(m_half), gpr(m_half)};
      return;
    }
    if (random(4) == 0) {
      inst.dst.file = File::RelativeGpr;
      inst.dst.value = inst.dst.number;
    }
    unsigned kind = random(4);
    inst.sources.push_back(kind == 0   ? immediate(moveImmediate(inst))
                           : kind == 1 ? constant()
                                       : gpr(m_half));
  }

  void makeAlu(MachineInstruction &inst) {
    const OpcodeInfo &info = infoOf(inst.opcode);
    if (info.has(property::FullSources | property::HalfSources))
      m_half = info.has(property::HalfSources);
    inst.dst = gpr(random(2));
    if (info.has(property::Compare)) {
      inst.fields.condition = int(random(6));
      if (random(2)) {
        inst.dst.half = false;
        inst.dst.number = reg::Predicate;
      }
    }
    if (info.category != 4 && m_compiler.hasNopCount && !info.has(property::NoNopCount))
      inst.fields.nops = int(random(4));
    for (unsigned i = 0; i < info.sources; ++i)
      inst.sources.push_back(aluSource(info, i, inst.sources));
    if (info.has(property::Float) && info.category == 2)
      inst.sources[0].neg = inst.sources[0].file != File::Immediate && random(2);
  }

  Operand aluSource(const OpcodeInfo &info, unsigned index, ArrayRef<Operand> before) {
    bool isFirst = before.empty() || before[0].file == File::Gpr;
    unsigned kind = random(4);
    if (info.format == Format::Alu2 && isFirst && kind == 0)
      return immediate(info.has(property::Float) ? 0 : int(random(2048)) - 1024);
    if (info.format == Format::Alu3Immediate && index != 1 && kind == 0)
      return immediate(int(random(4096)));
    bool takesConst =
        info.format == Format::Alu2 ? isFirst : info.format == Format::Alu3 && index != 1;
    return takesConst && kind == 1 ? constant() : gpr(m_half);
  }

  void makeTexture(MachineInstruction &inst) {
    const OpcodeInfo &info = infoOf(inst.opcode);
    inst.fields.type = m_half ? F16 : F32;
    inst.dst = gpr(m_half);
    inst.fields.writeMask = 1 + int(random(15));
    for (unsigned i = 0; i < info.sources; ++i)
      inst.sources.push_back(gpr(false));
    if (info.has(property::NoType)) {
      inst.fields.type = F16;
      inst.dst.half = true;
    }
    inst.fields.sampler = info.has(property::UsesSampler) ? int(random(16)) : 0;
    inst.fields.texture = info.has(property::UsesTexture) ? int(random(128)) : 0;
    if (info.format == Format::Texture && inst.opcode != Opcode::Isam)
      inst.fields.is3d = int(random(2));
  }

  void makeMemory(MachineInstruction &inst) {
    const OpcodeInfo &info = infoOf(inst.opcode);
    inst.fields.type = U32;
    inst.fields.size = 1 + int(random(3));
    m_half = false;
    auto add = [&](unsigned count) {
      for (unsigned i = 0; i < count; ++i)
        inst.sources.push_back(gpr(false));
    };
    switch (info.format) {
    case Format::LoadGlobal:
    case Format::LoadPlain:
      inst.fields.offset = int(random(8192)) - 4096;
      add(1);
      break;
    case Format::StoreGlobal:
    case Format::StorePlain:
      inst.fields.offset = int(random(8192)) - 4096;
      add(2);
      break;
    case Format::LoadVarying:
      inst.fields.offset = int(random(100));
      break;
    case Format::StoreConst:
      inst.fields.offset = int(random(256));
      add(1);
      break;
    case Format::Shuffle:
      inst.fields.shuffle = ShuffleXor;
      add(1);
      inst.sources.push_back(random(2) ? gpr(false) : immediate(int(random(256))));
      break;
    case Format::AtomicLocal:
    case Format::AtomicGlobal:
      inst.fields.size = 1;
      add(2);
      break;
    default:
      makeBound(inst);
    }
  }

  /// Of a4xx: address, element, slot, value.
  void makeSlot(MachineInstruction &inst) {
    inst.fields.mode = inst.fields.bindless = inst.fields.base = 0;
    inst.fields.dimensions = 1 + int(random(4));
    Operand element = random(2) ? gpr(false) : immediate(int(random(256)));
    Operand slot = immediate(int(random(256)));
    Format format = infoOf(inst.opcode).format;
    if (format == Format::SlotInfo)
      inst.sources = {slot};
    else if (format == Format::SlotLoad)
      inst.sources = {gpr(false), element, slot};
    else
      inst.sources = {gpr(false), element, slot, gpr(false)};
    if (format == Format::SlotAtomic)
      inst.fields.size = 1;
  }

  void makeBound(MachineInstruction &inst) {
    inst.fields.mode = int(random(3));
    inst.fields.bindless = int(random(2));
    inst.fields.base = inst.fields.bindless ? int(random(8)) : 0;
    Operand slot = inst.fields.mode ? gpr(false) : immediate(int(random(256)));
    switch (infoOf(inst.opcode).format) {
    case Format::LoadConst:
      inst.fields.offset = int(random(4));
      [[fallthrough]];
    case Format::CopyConst:
      inst.sources = {random(2) ? gpr(false) : immediate(int(random(256))), slot};
      break;
    case Format::BoundInfo:
      inst.sources = {slot};
      break;
    case Format::BoundLoad:
      inst.sources = {gpr(false), slot};
      break;
    case Format::BoundStore:
      inst.sources = {gpr(false), slot, gpr(false)};
      break;
    case Format::BoundAtomic:
      inst.fields.size = 1;
      inst.sources = {inst.dst, gpr(false), slot};
      break;
    case Format::SlotInfo:
    case Format::SlotLoad:
    case Format::SlotStore:
    case Format::SlotAtomic:
      makeSlot(inst);
      break;
    default:
      inst.fields.mode = 0;
      inst.fields.base = 0;
      inst.fields.bindless = 0;
      inst.fields.size = 1;
      break;
    }
  }

  const Compiler &m_compiler;
  std::mt19937_64 m_random;
  bool m_half = false;
};

} // namespace

static void expectOperand(const adreno::Operand &read, const Operand &written) {
  using Read = adreno::Operand::File;
  EXPECT_EQ(read.half, written.half);
  EXPECT_EQ(read.neg, written.neg);
  EXPECT_EQ(read.abs, written.abs);
  switch (written.file) {
  case File::Gpr:
    EXPECT_EQ(int(read.file), int(Read::Gpr));
    EXPECT_EQ(read.number, written.number);
    break;
  case File::Const:
    EXPECT_EQ(int(read.file), int(Read::Const));
    EXPECT_EQ(read.number, written.number);
    break;
  case File::Immediate:
    if (read.file != Read::FloatTable) {
      EXPECT_EQ(int(read.file), int(Read::Immediate));
      EXPECT_EQ(uint32_t(read.value), uint32_t(written.value));
    }
    break;
  case File::RelativeGpr:
  case File::RelativeConst:
    EXPECT_TRUE(read.isRelative());
    EXPECT_EQ(int32_t(read.value), written.value);
    break;
  case File::None:
    ADD_FAILURE();
  }
}

/// Registers and numbers of category 6 by the names of the decoder's fields.
static void expectMemory(const adreno::Inst &read, const MachineInstruction &written) {
  using adreno::Field;
  const OpcodeInfo &info = infoOf(written.opcode);
  ArrayRef<Operand> s = written.sources;
  bool isStore = info.format == Format::StorePlain;
  auto valueOf = [](const Operand &operand) {
    return operand.file == File::Immediate ? uint32_t(operand.value) : operand.number;
  };
  auto expect = [&](Field field, uint32_t value) {
    EXPECT_EQ(read.get(field), value) << adreno::fieldName(field).str();
  };
  if (info.has(property::HasDst))
    expect(Field::Dst, written.dst.number);
  switch (info.format) {
  case Format::LoadGlobal:
  case Format::LoadPlain:
    EXPECT_EQ(read.getSigned(Field::Offset), written.fields.offset);
    expect(Field::Src1, s[0].number);
    return expect(Field::Size, uint32_t(written.fields.size));
  case Format::StoreGlobal:
  case Format::StorePlain:
    EXPECT_EQ(read.getSigned(Field::Offset), written.fields.offset);
    expect(isStore ? Field::Dst : Field::Src1, s[0].number);
    expect(isStore ? Field::Src1 : Field::Src3, s[1].number);
    return expect(Field::Size, uint32_t(written.fields.size));
  case Format::AtomicLocal:
  case Format::AtomicGlobal:
  case Format::Shuffle:
    expect(Field::Src1, s[0].number);
    return expect(Field::Src2, valueOf(s[1]));
  case Format::LoadConst:
  case Format::CopyConst:
    expect(Field::Src1, valueOf(s[0]));
    return expect(Field::Slot, valueOf(s[1]));
  case Format::BoundInfo:
    return expect(Field::Slot, valueOf(s[0]));
  case Format::BoundStore:
    expect(Field::Dst, s[2].number);
    [[fallthrough]];
  case Format::BoundLoad:
    expect(Field::Components, uint32_t(written.fields.size - 1));
    expect(Field::Src1, s[0].number);
    return expect(Field::Slot, valueOf(s[1]));
  case Format::BoundAtomic:
    expect(Field::Src1, s[1].number);
    return expect(Field::Slot, valueOf(s[2]));
  case Format::SlotInfo:
    return expect(Field::Slot, valueOf(s[0]));
  case Format::SlotLoad:
    expect(Field::Src1, valueOf(s[0]));
    expect(Field::Src2, valueOf(s[1]));
    return expect(Field::Slot, valueOf(s[2]));
  case Format::SlotStore:
  case Format::SlotAtomic:
    expect(Field::Src3, valueOf(s[0]));
    expect(Field::Src2, valueOf(s[1]));
    expect(Field::Slot, valueOf(s[2]));
    return expect(Field::Src1, valueOf(s[3]));
  default:
    return;
  }
}

static void expectInstruction(const adreno::Inst &read, const MachineInstruction &written) {
  using adreno::Field;
  const OpcodeInfo &info = infoOf(written.opcode);
  const Fields &fields = written.fields;
  bool isBound = info.format >= Format::BoundInfo && info.format <= Format::BoundAtomic;
  EXPECT_EQ(read.name(), info.name);
  EXPECT_TRUE(!isBound || read.name().contains(".b"));
  EXPECT_EQ(read.strayBits(), 0u);
  EXPECT_EQ(read.get(Field::Sync), uint32_t(fields.sync));
  EXPECT_EQ(read.get(Field::Short), uint32_t(fields.shortSync));
  EXPECT_EQ(read.get(Field::Join), uint32_t(fields.join));
  EXPECT_EQ(read.nopCount(), unsigned(fields.nops));
  if (info.category == 0 && info.has(property::Terminator) && written.opcode != Opcode::End)
    EXPECT_EQ(read.getSigned(Field::Immediate), fields.target);
  if (info.category == 6)
    return expectMemory(read, written);
  if (info.category == 0 || info.category == 7)
    return;
  EXPECT_EQ(read.get(Field::Dst), written.dst.file == File::RelativeGpr
                                      ? uint32_t(written.dst.value)
                                      : written.dst.number);
  bool isSpecial = written.dst.number >= reg::Address;
  if (!isSpecial && info.format != Format::MoveMask)
    EXPECT_EQ(read.hasHalfResult(), written.dst.half);
  if (info.category == 5) {
    EXPECT_EQ(read.get(Field::WriteMask), uint32_t(fields.writeMask));
    return;
  }
  if (info.has(property::Compare))
    EXPECT_EQ(read.get(Field::Condition), uint32_t(fields.condition));
  if (info.format == Format::Swap || info.format == Format::MoveMask)
    return;
  for (auto [index, source] : enumerate(written.sources)) {
    auto operand = adreno::readSource(read, unsigned(index));
    ASSERT_TRUE(operand.has_value());
    expectOperand(*operand, source);
  }
}

TEST(Ir3Encode, Row07DecoderOfTheOraclesReadsWhatWasWritten) {
  StringSet<> seen;
  for (const Compiler &compiler : allCompilers()) {
    adreno::Chip chip = *adreno::findChip(compiler.name);
    for (unsigned number = 0; number < unsigned(Opcode::Count); ++number) {
      const OpcodeInfo &info = infoOf(Opcode(number));
      if (info.format == Format::Meta || !info.isOn(compiler.generation))
        continue;
      for (uint64_t seed = 0; seed < 40; ++seed) {
        MachineInstruction inst =
            InstructionMaker(compiler, seed * 1000 + number).make(Opcode(number));
        Expected<uint64_t> word = encode(inst, compiler);
        ASSERT_TRUE(bool(word)) << takeError(word.takeError()).message;
        adreno::Inst read = adreno::decode(*word, chip);
        ASSERT_TRUE(read.isValid())
            << compiler.name.str() << " " << info.name.str() << " " << utohexstr(*word);
        SCOPED_TRACE(adreno::print(read));
        expectInstruction(read, inst);
        // The text is an instruction with the same word.
        Expected<adreno::Inst> again = adreno::parse(adreno::print(read), chip);
        ASSERT_TRUE(bool(again)) << takeError(again.takeError()).message;
        EXPECT_EQ(utohexstr(again->word()), utohexstr(*word));
        // So is the text that the compiler prints.
        std::string text = printAssembly(inst, compiler);
        Expected<adreno::Inst> own = adreno::parse(text, chip);
        ASSERT_TRUE(bool(own)) << text << ": " << takeError(own.takeError()).message;
        EXPECT_EQ(utohexstr(own->word()), utohexstr(*word)) << text;
        seen.insert(info.name);
        if (testing::Test::HasFailure())
          return;
      }
    }
  }
  EXPECT_GT(seen.size(), 170u);
}

/// The line of the notes: of the group r0.z, r0.w one register is named, and of r2.x, r2.y, r2.z.
TEST(Ir3Encode, Row25RegisterGroupsOfTheNotesExample) {
  const Compiler &compiler = *findCompiler("a630");
  MachineInstruction sam;
  sam.opcode = Opcode::Sam;
  sam.fields.type = F32;
  sam.fields.writeMask = 7;
  sam.dst.file = File::Gpr;
  sam.dst.number = 4 * 2;
  sam.sources.resize(1);
  sam.sources[0].file = File::Gpr;
  sam.sources[0].number = 2;
  EXPECT_EQ(printAssembly(sam, compiler), "sam (f32)(xyz)r2.x, r0.z, s#0, t#0");
  Expected<uint64_t> word = encode(sam, compiler);
  ASSERT_TRUE(bool(word)) << takeError(word.takeError()).message;
  EXPECT_EQ(adreno::printWord(*word, adreno::Chip::A630), "sam (f32)(xyz)r2.x, r0.z, s#0, t#0");
}

TEST(Ir3Encode, RefusesWhatHasNoEncoding) {
  const Compiler &compiler = *findCompiler("a630");
  auto message = [&](const MachineInstruction &inst) {
    Expected<uint64_t> word = encode(inst, compiler);
    return word ? std::string("encoded") : takeError(word.takeError()).message;
  };
  MachineInstruction phi;
  phi.opcode = Opcode::MetaPhi;
  EXPECT_NE(message(phi).find("meta"), std::string::npos);
  MachineInstruction add = InstructionMaker(compiler, 1).make(Opcode::AddU);
  add.sources[0] = add.sources[1] = Operand{File::Const};
  EXPECT_NE(message(add).find("two constants"), std::string::npos);
  add.sources[0] = Operand{File::Gpr};
  add.sources[1] = Operand{File::Immediate, false, false, false, false, 0, 1024};
  EXPECT_NE(message(add).find("signed field"), std::string::npos);
  add.sources[1] = Operand{File::Gpr, true};
  EXPECT_NE(message(add).find("different width"), std::string::npos);
  MachineInstruction fetch = InstructionMaker(compiler, 1).make(Opcode::Isam);
  fetch.fields.indirect = 1;
  fetch.fields.descriptor = ImmediateDescriptor;
  fetch.sources.push_back(Operand{File::Gpr});
  EXPECT_NE(message(fetch).find("field desc"), std::string::npos);
  fetch.sources.back() = Operand{File::Immediate, false, false, false, false, 0, 0x12};
  EXPECT_EQ(message(fetch), "encoded");
  fetch.fields.descriptor = 0;
  EXPECT_NE(message(fetch).find("field desc"), std::string::npos);
}

} // namespace assay::ir3
