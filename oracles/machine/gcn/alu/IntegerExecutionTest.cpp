// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random encodings of every integer operation, executed and compared with the operation's
// definition: that operands are taken in their order and width, constants as their kind says, that
// results, carries, SCC and EXEC go where they belong, and that nothing else changes.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::ReadyDefinition;

namespace {

class IntegerExecution : public testing::TestWithParam<Chip> {};

/// What an instruction changes, as its definition wants it.
struct Expected {
  std::vector<LaneArray> v;
  std::array<uint32_t, sreg::Count + 2> s;
  bool scc;
};

/// One instruction on one wave.
class Model {
public:
  Model(const Inst &inst, const ReadyDefinition &ready, const Wave &wave)
      : m_inst(inst), m_ready(ready), m_wave(wave), m_flags(ready.shape.flags),
        m_isScalar(inst.mnemonic[0] == 's') {
    m_expected = {wave.v, wave.s, wave.scc};
  }

  /// False when the instruction is in a form that this model leaves out.
  bool run() {
    if (!split())
      return false;
    if (m_isScalar)
      runScalar();
    else
      runLanes();
    return true;
  }

  const Expected &expected() const { return m_expected; }

private:
  unsigned width(OperandKind kind) const { return definitions::widthOf(kind); }

  /// Sorts operands into destination, masks and sources.
  bool split() {
    bool hasDst = !(m_flags & NoDst) && !((m_flags & WritesExec) && m_wave.gfxMajor >= 10);
    bool hasCarryOut = !m_isScalar && (m_flags & CarryOut);
    size_t printed = m_ready.shape.sources.size() - (m_flags & ReadsDst ? 1 : 0);
    size_t next = hasDst + hasCarryOut;
    size_t given = m_inst.operands.size();
    bool hasCarryIn = !m_isScalar && (m_flags & CarryIn) && given == next + printed + 1;
    if (given != next + printed + hasCarryIn)
      return false;
    if (hasDst)
      m_dst = &m_inst.operands[0];
    if (hasCarryOut)
      m_carryOut = &m_inst.operands[1];
    for (size_t index = 0; index < printed; ++index)
      m_sources.push_back(&m_inst.operands[next++]);
    if (m_flags & ReadsDst)
      m_sources.push_back(&m_inst.operands[0]);
    if (hasCarryIn)
      m_carryIn = &m_inst.operands[next];
    return all_of(m_sources, [](const Operand *each) { return each->type != OperandType::Text; });
  }

  uint64_t constant(const Operand &operand, OperandKind kind) const {
    if (operand.type == OperandType::Float && width(kind) == 64)
      return bit_cast<uint64_t>(isInverse(operand) ? 0.15915494309189532 : operand.number);
    if (operand.type == OperandType::Float)
      return isInverse(operand) ? 0x3e22f983u : bit_cast<uint32_t>(float(operand.number));
    if (operand.type == OperandType::Literal && kind == OperandKind::I64)
      return uint64_t(int64_t(int32_t(uint32_t(operand.value))));
    return uint64_t(operand.value);
  }

  static bool isInverse(const Operand &operand) {
    return operand.number > 0.1 && operand.number < 0.2;
  }

  uint64_t read(size_t index, unsigned lane) const {
    const Operand &operand = *m_sources[index];
    OperandKind kind = m_ready.shape.sources[index];
    uint64_t bits = 0;
    switch (operand.type) {
    case OperandType::Vgpr:
      bits = m_wave.v[operand.index][lane];
      if (width(kind) == 64)
        bits |= uint64_t(m_wave.v[operand.index + 1][lane]) << 32;
      break;
    case OperandType::Sgpr:
      bits = m_wave.s[operand.index];
      if (width(kind) == 64)
        bits |= uint64_t(m_wave.s[operand.index + 1]) << 32;
      if (operand.index == sreg::Null)
        bits = 0;
      break;
    case OperandType::Scc:
      bits = m_wave.scc;
      break;
    case OperandType::Vccz:
      bits = mask(sreg::VccLo) == 0;
      break;
    case OperandType::Execz:
      bits = mask(sreg::ExecLo) == 0;
      break;
    default:
      bits = constant(operand, kind);
    }
    if (operand.half == RegisterHalf::High)
      bits >>= 16;
    return definitions::lowBits(definitions::Exact(bits), width(kind));
  }

  uint64_t mask(unsigned index) const {
    if (index == sreg::Null)
      return 0;
    uint64_t low = m_wave.s[index];
    return m_wave.waveSize == 64 ? low | uint64_t(m_wave.s[index + 1]) << 32 : low;
  }

  AluOutput evaluate(unsigned lane, bool carry) const {
    AluInput input;
    for (size_t index = 0; index < m_sources.size(); ++index)
      input.src[index] = read(index, lane);
    input.carry = carry;
    input.clamp = m_inst.mods.clamp;
    input.lane = uint8_t(lane);
    input.signedSources = uint8_t(m_inst.mods.negLo[0] | m_inst.mods.negLo[1] << 1);
    return definitions::define(m_ready, input, m_wave.mode);
  }

  void writeScalar(unsigned index, uint64_t value, bool isWide) {
    if (index == sreg::Null)
      return;
    m_expected.s[index] = uint32_t(value);
    if (isWide)
      m_expected.s[index + 1] = uint32_t(value >> 32);
  }

  void runScalar() {
    AluOutput output = evaluate(0, m_wave.scc);
    if (m_flags & WritesScc)
      m_expected.scc = output.carry;
    if (m_dst)
      writeScalar(m_dst->index, output.value, width(m_ready.shape.dst) == 64);
  }

  void writeLane(unsigned lane, uint64_t value) {
    uint32_t &low = m_expected.v[m_dst->index][lane];
    if (width(m_ready.shape.dst) == 64) {
      m_expected.v[m_dst->index + 1][lane] = uint32_t(value >> 32);
      low = uint32_t(value);
    } else if (width(m_ready.shape.dst) == 32) {
      low = uint32_t(value);
    } else if (m_dst->half == RegisterHalf::High) {
      low = low % 65536 + uint32_t(value) * 65536;
    } else {
      bool clears = m_wave.gfxMajor == 9 && !(m_flags & PreservesHigh);
      low = (clears ? 0 : low / 65536 * 65536) + uint32_t(value);
    }
  }

  void runLanes() {
    uint64_t carries = mask(m_carryIn ? m_carryIn->index : unsigned(sreg::VccLo));
    uint64_t bits = 0;
    bool isCompare = m_flags & Compare;
    for (unsigned lane = 0; lane < m_wave.waveSize; ++lane) {
      if (!(m_wave.exec() >> lane & 1))
        continue;
      AluOutput output = evaluate(lane, carries >> lane & 1);
      bits |= uint64_t(isCompare ? output.value & 1 : output.carry) << lane;
      if (!isCompare)
        writeLane(lane, output.value);
    }
    bool isWide = m_wave.waveSize == 64;
    if (isCompare && m_dst)
      writeScalar(m_dst->index, bits, isWide);
    if (m_carryOut)
      writeScalar(m_carryOut->index, bits, isWide);
    if (m_flags & WritesExec)
      writeScalar(sreg::ExecLo, bits, isWide);
  }

  const Inst &m_inst;
  const ReadyDefinition &m_ready;
  const Wave &m_wave;
  uint16_t m_flags;
  bool m_isScalar;
  Expected m_expected;
  const Operand *m_dst = nullptr, *m_carryOut = nullptr, *m_carryIn = nullptr;
  SmallVector<const Operand *, 3> m_sources;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Chips, IntegerExecution,
                         testing::Values(Chip::Gfx900, Chip::Gfx1010, Chip::Gfx1030, Chip::Gfx1100,
                                         Chip::Gfx1150, Chip::Gfx1201),
                         [](const auto &info) { return chipName(info.param).str(); });

/// An instruction of \p form without the modifiers that choose parts of registers.
static Words randomWords(const InstForm &form, std::mt19937 &random) {
  static constexpr Field Plain[] = {Field::OpSel, Field::Abs, Field::Omod, Field::NegHi};
  Words words;
  for (uint32_t &dword : words.dwords)
    dword = random();
  const FormatLayout &layout = *form.layout;
  for (const FieldPlace &place : layout.fields)
    if (place.field == Field::Op)
      words.set(place.lsb, place.width, form.opcode);
    else if (place.field == Field::OpSelHi)
      words.set(place.lsb, place.width, ~0ull);
    else if (is_contained(Plain, place.field))
      words.set(place.lsb, place.width, 0);
  if (const FieldPlace *high = layout.find(Field::OpSelHi); high && high->highWidth)
    words.set(high->highLsb, high->highWidth, ~0ull);
  words.dwords[0] = (words.dwords[0] & ~layout.mask) | layout.value;
  words.dwords[1] = (words.dwords[1] & ~layout.mask1) | layout.value1;
  return words;
}

static bool isInteger(const ReadyDefinition &ready) {
  auto isFloat = [](OperandKind kind) { return definitions::isFloat(kind); };
  return !isFloat(ready.shape.dst) && none_of(ready.shape.sources, isFloat);
}

/// Modifiers that the model does not know; float constants of 16-bit integers, which are nothing.
static bool isLeftOut(const Inst &inst, const ReadyDefinition &ready) {
  const Modifiers &mods = inst.mods;
  bool hasParts = mods.sdwa || mods.dpp != DppControl::None || !inst.dual.empty() ||
                  any_of(mods.opSel, [](uint8_t bit) { return bit; }) ||
                  any_of(mods.opSelHi, [](uint8_t bit) { return !bit; }) || mods.omod;
  bool hasSigns = any_of(inst.operands, [](const Operand &each) { return each.neg || each.abs; });
  bool isShort = any_of(ready.shape.sources,
                        [](OperandKind kind) { return definitions::widthOf(kind) == 16; });
  bool hasFloat =
      any_of(inst.operands, [](const Operand &each) { return each.type == OperandType::Float; });
  return hasParts || hasSigns || (isShort && hasFloat);
}

static void randomize(Wave &wave, std::mt19937 &random) {
  auto value = [&] { return random() >> (random() % 3 * 12); };
  for (LaneArray &lanes : wave.v)
    for (uint32_t &word : lanes)
      word = uint32_t(value());
  for (unsigned index = 0; index < 126; ++index)
    if (index != sreg::Null)
      wave.s[index] = uint32_t(value());
  wave.setExec((uint64_t(random()) << 32 | random()) & wave.laneMask());
  wave.scc = random() & 1;
  wave.status = WaveStatus::Running;
}

/// False when the instruction is left out.
static bool check(const Inst &inst, const ProgramOptions &options, Wave &wave,
                  std::mt19937 &random) {
  const ReadyDefinition *ready = definitions::findDefinition(inst.mnemonic, options.gfxMajor);
  if (!ready || !isInteger(*ready) || isLeftOut(inst, *ready))
    return false;
  MicroOp op = bindInst(inst, options);
  if (op.run == runOutOfRange)
    return false;
  randomize(wave, random);
  Model model(inst, *ready, wave);
  if (!model.run())
    return false;
  op.run(wave, op);
  EXPECT_EQ(wave.v, model.expected().v) << inst.text;
  EXPECT_EQ(wave.s, model.expected().s) << inst.text;
  EXPECT_EQ(wave.scc, model.expected().scc) << inst.text;
  return true;
}

TEST_P(IntegerExecution, MeetsDefinitions) {
  Chip chip = GetParam();
  unsigned gfxMajor = 0;
  chipName(chip).drop_front(3).drop_back(2).getAsInteger(10, gfxMajor);
  std::mt19937 random(unsigned(chip) + 1);
  std::set<std::string> seen;
  for (unsigned waveSize : {32u, 64u}) {
    if (waveSize == 32 && chip == Chip::Gfx900)
      continue;
    ProgramOptions options{gfxMajor, waveSize, 256, 102, chipName(chip).str()};
    TableDecoder decoder(chip, waveSize);
    Workgroup group;
    Wave wave(group, waveSize, 256, gfxMajor);
    for (const InstForm *form : IsaTable::get(chip).forms())
      for (unsigned count = 0; count < 12 && isAluFormat(form->layout->format); ++count) {
        Words words = randomWords(*form, random);
        uint8_t bytes[4 * MaxWords];
        std::memcpy(bytes, words.dwords.data(), sizeof(bytes));
        Inst inst = decoder.decode(bytes, 0);
        if (inst.valid && check(inst, options, wave, random))
          seen.insert(inst.mnemonic);
      }
  }
  for (const std::string &name : definitions::definedNames(gfxMajor)) {
    bool hasForm = any_of(IsaTable::get(chip).forms(),
                          [&](const InstForm *form) { return form->name == name; });
    bool isOwed = isInteger(*definitions::findDefinition(name, gfxMajor)) && hasForm &&
                  !StringRef(name).starts_with("v_dual_");
    EXPECT_TRUE(!isOwed || seen.count(name)) << name << " was never executed";
  }
}
