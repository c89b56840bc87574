// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers; memory is in DefinednessMemory.cpp, the rules of operations in DefinednessFlow.cpp.
#include "oracles/machine/gcn/sanitizer/Definedness.h"

#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/alu/Dpp.h"
#include "oracles/machine/gcn/alu/Modifiers.h"
#include "oracles/machine/gcn/sanitizer/ExportRules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

/// Index of SCC among the scalars of a DefinedUse, which count from RegisterSet::FirstScalar.
static constexpr unsigned SccIndex = RegisterSet::Scc - RegisterSet::FirstScalar;

Definedness::Definedness(const Wave &wave, ShadowBytes &lds)
    : m_shadow(wave), m_lds(lds), m_scratchBase(wave.scratchBase) {
  m_scratch.reset(alignTo(uint64_t(wave.group->scratchBytesPerLane), 4) * wave.waveSize, 0xff);
}

void Definedness::report(Wave &wave, const MicroOp &op, SanitizerRule rule, unsigned slot,
                         uint64_t bits, int lane) {
  std::string name = registerName(slot);
  Violation violation{sanitizerRuleId(rule), "uses " + name};
  if (lane >= 0)
    violation.text += " of lane " + itostr(lane);
  if (slot != RegisterSet::Scc)
    violation.text += ", bits 0x" + utohexstr(bits, true);
  violation.text += ", which is uninitialized";
  violation.subject = name;
  wave.report(op, violation);
}

/// A branch on VCC is decided by one defined bit that is set.
bool Definedness::isDecided(const Wave &wave, const DefinedUse &use) const {
  return use.rule == SanitizerRule::UndefBranch && use.first == sreg::VccLo &&
         (wave.vcc() & ~m_shadow.scalarMask(sreg::VccLo));
}

/// Whether \p op exports a parameter of a graphics stage: targets from 32 on, in bits 9:4 of the
/// first word.
static bool isParameterExport(const Wave &wave, const MicroOp &op) {
  constexpr unsigned firstParameter = 32;
  return wave.group->exportPlan && (op.inst->words[0] >> 4 & 63) >= firstParameter;
}

void Definedness::checkUse(Wave &wave, const MicroOp &op, const DefinedUse &use) {
  for (unsigned index = use.first; index < unsigned(use.first) + use.count; ++index) {
    if (!use.vector) {
      uint32_t bits = index == SccIndex ? m_shadow.scc() : m_shadow.scalar(index) & use.mask;
      if (bits && !isDecided(wave, use))
        return report(wave, op, use.rule, RegisterSet::FirstScalar + index, bits);
      continue;
    }
    if (index >= wave.v.size())
      return;
    uint64_t lanes = m_shadow.lanes(index) & wave.exec();
    if (lanes && use.rule == SanitizerRule::UndefExport && isParameterExport(wave, op))
      lanes &= ~wave.group->exportPlan->unreadParameters(wave);
    for (uint64_t left = lanes; left; left &= left - 1) {
      auto lane = static_cast<unsigned>(countr_zero(left));
      if (uint32_t bits = m_shadow.vector(index, lane) & use.mask)
        return report(wave, op, use.rule, index, bits, static_cast<int>(lane));
    }
  }
}

void Definedness::checkUses(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  // A vector memory instruction without lanes does nothing.
  if (facts.is(ClassVmem | ClassLds) && !wave.exec())
    return;
  for (const DefinedUse &use : facts.uses)
    checkUse(wave, op, use);
}

/// What is reported once is taken for defined from then on.
void Definedness::checkExec(Wave &wave, const MicroOp &op) {
  uint64_t bits = m_shadow.scalarMask(sreg::ExecLo);
  if (!bits)
    return;
  unsigned half = bits & 0xffffffff ? 0 : 1;
  report(wave, op, SanitizerRule::UndefExec, RegisterSet::FirstScalar + sreg::ExecLo + half,
         bits >> (32 * half) & 0xffffffff);
  m_shadow.setScalarMask(sreg::ExecLo, 0);
}

/// What lanes of one half wrote to shared registers is their partners', too (SharedRegisters.h);
/// which lanes DPP left out need not be known.
void Definedness::mirrorHalves(const Wave &wave, const MicroOp &op) {
  unsigned shared = wave.group->program->options().privateVgprs;
  for (const PendingRegisters &written : op.writes)
    for (unsigned i = 0; written.vector && i < written.count; ++i)
      for (uint64_t left = written.first + i >= shared ? wave.exec() : 0; left; left &= left - 1) {
        auto lane = static_cast<unsigned>(countr_zero(left));
        unsigned index = written.first + i;
        uint32_t bits = m_shadow.vector(index, lane) & m_shadow.vector(index, lane ^ 32);
        m_shadow.setVector(index, lane, bits);
        m_shadow.setVector(index, lane ^ 32, bits);
      }
}

void Definedness::check(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  checkUses(wave, op, facts);
  switch (facts.flow) {
  case OpFlow::None:
  case OpFlow::Memory: // Has results later.
    return;
  case OpFlow::Defines:
    return m_shadow.define(facts.writes, wave.exec());
  case OpFlow::Scalar:
    return runScalar(wave, op, facts);
  case OpFlow::Vector:
    return runVector(wave, op, facts);
  case OpFlow::Move:
    return runMove(wave, op, facts);
  case OpFlow::ExecMask:
    return runExecMask(wave, op);
  }
}

MaybeBits Definedness::readUniformSource(const Wave &wave, const MicroOp &op,
                                         unsigned index) const {
  const Source &source = op.sources[index];
  MaybeBits bits;
  bits.value = readUniform(wave, source);
  switch (source.operand.type) {
  case OperandType::Sgpr:
    bits.undefined = readUniform(const_cast<ShadowRegisters &>(m_shadow).wave(), source);
    break;
  case OperandType::Scc:
    bits.undefined = m_shadow.scc();
    break;
  case OperandType::Vccz: {
    uint64_t undefined = m_shadow.scalarMask(sreg::VccLo);
    bits.undefined = undefined && !(wave.vcc() & ~undefined);
    break;
  }
  default:
    break;
  }
  return bits;
}

void Definedness::runScalar(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  FlowInput input;
  for (unsigned i = 0; i < op.sourceCount && i < 3; ++i)
    input.sources[i] = readUniformSource(wave, op, i);
  bool readsScc = facts.reads.has(RegisterSet::Scc);
  input.carry = wave.scc;
  input.carryUndefined = readsScc && m_shadow.scc();
  input.alu = op.alu;
  input.mode = wave.mode;
  FlowOutput output = facts.function(input);
  if (op.alu->flags & WritesScc)
    m_shadow.setScc(output.carryUndefined);
  if (op.alu->flags & NoDst)
    return;
  m_shadow.setScalar(op.destination.index, static_cast<uint32_t>(output.undefined));
  if (kindBits(op.alu->dst) == 64 && op.destination.index != sreg::Null)
    m_shadow.setScalar(op.destination.index + 1, static_cast<uint32_t>(output.undefined >> 32));
  if (facts.writes.hasScalar(sreg::ExecLo) || facts.writes.hasScalar(sreg::ExecLo + 1))
    checkExec(wave, op);
}

/// The new EXEC is a bitwise function of the source and EXEC.
void Definedness::runExecMask(Wave &wave, const MicroOp &op) {
  MaybeBits source = readUniformSource(wave, op, 0);
  uint64_t exec = wave.exec();
  uint64_t low = op.mask(source.value & ~source.undefined, exec) & wave.laneMask();
  uint64_t high = op.mask(source.value | source.undefined, exec) & wave.laneMask();
  m_shadow.setScalarMask(sreg::ExecLo, low ^ high);
  checkExec(wave, op);
  m_shadow.setScc(false);
  m_shadow.setScalarMask(op.destination.index, 0);
}

/// What the undefined lanes of one operation came to, before any is written.
struct Definedness::VectorResult {
  uint64_t lanes = 0; ///< Written.
  uint64_t mask = 0;  ///< Undefined bits of the mask result.
  std::array<uint64_t, MaxLanes> undefined;
};

/// GFX9's s_set_gpr_idx: the register that \p operand represents now.
static unsigned indexedRegister(const Wave &wave, const Operand &operand, unsigned bit) {
  bool moves = wave.gprIndexMode() & (1u << bit);
  return operand.index + (moves ? wave.s[sreg::M0] & 0xff : 0);
}

/// The part of a source register that \p op reads, as its value and its shadow alike.
static uint64_t selectSource(const MicroOp &op, unsigned index, uint64_t bits) {
  const Modifiers &mods = op.inst->mods;
  const Operand &operand = op.sources[index].operand;
  OperandKind kind = op.sources[index].kind;
  if (op.alu->flags & MixSources) {
    bool isHalf = mods.hasOpSelHi && mods.opSelHi[index];
    return !isHalf ? bits : mods.opSel[index] ? bits >> 16 : bits & 0xffff;
  }
  if (mods.sdwa && index < 2) {
    bits = selectSdwa(static_cast<uint32_t>(bits), mods.srcSel[index], operand.sext);
    return kindBits(kind) == 16 ? bits & 0xffff : bits;
  }
  if (kindBits(kind) == 16) {
    bool high = operand.half == RegisterHalf::High ||
                (operand.half == RegisterHalf::Whole && mods.opSel[index]);
    return (high && operand.isRegister() ? bits >> 16 : bits) & 0xffff;
  }
  if (op.alu->flags & Packed && kindBits(kind) == 32)
    return applyPacked(static_cast<uint32_t>(bits), mods, index, false);
  return bits;
}

MaybeBits Definedness::readSource(const Wave &wave, const MicroOp &op, unsigned index,
                                  unsigned lane) const {
  const Source &source = op.sources[index];
  MaybeBits bits;
  if (source.operand.type != OperandType::Vgpr) {
    bits = readUniformSource(wave, op, index);
  } else {
    bool isOld = op.alu->flags & ReadsDst && index + 1 == op.sourceCount;
    unsigned first = indexedRegister(wave, source.operand, isOld ? 3 : index);
    unsigned words = kindBits(source.kind) == 64 ? 2 : 1;
    for (unsigned i = 0; i < words && first + i < wave.v.size(); ++i) {
      bits.value |= uint64_t(wave.v[first + i][lane]) << (32 * i);
      bits.undefined |= uint64_t(m_shadow.vector(first + i, lane)) << (32 * i);
    }
  }
  bits.value = selectSource(op, index, bits.value);
  bits.undefined = selectSource(op, index, bits.undefined);
  return bits;
}

/// False when nothing undefined is read in the active lanes.
bool Definedness::mayMatter(const Wave &wave, const OpFacts &facts) const {
  RegisterSet read = facts.reads & m_shadow.flagged();
  if (wave.gprIndexMode() || facts.is(ClassDpp) || !read.scalars().empty())
    return true;
  uint64_t lanes = 0;
  for (RegisterSet left = read; !left.empty(); left.remove(left.first()))
    lanes |= m_shadow.lanes(left.first());
  return lanes & wave.exec();
}

/// With DPP, the lane that the first source comes from: -1 for none. False: nothing is written.
static bool findDppLane(const Wave &wave, const MicroOp &op, unsigned lane, int &from) {
  const Modifiers &mods = op.inst->mods;
  if (!dppLaneEnabled(mods, lane))
    return false;
  from = dppSourceLane(mods, lane, wave.waveSize);
  if (from >= 0 && !mods.fetchInactive && !(wave.exec() >> from & 1))
    from = -1;
  return from >= 0 || mods.boundCtrl || mods.dpp == DppControl::Lanes8;
}

void Definedness::computeVector(const Wave &wave, const MicroOp &op, FlowFunction flow,
                                VectorResult &result) const {
  bool isDpp = op.inst->mods.dpp != DppControl::None;
  bool hasMask = op.carryIn.type == OperandType::Sgpr;
  uint64_t carry = hasMask ? wave.readMask(op.carryIn.index) : 0;
  uint64_t carryUndefined = hasMask ? m_shadow.scalarMask(op.carryIn.index) : 0;
  FlowInput input;
  input.clamp = op.inst->mods.clamp;
  input.alu = op.alu;
  input.mode = wave.mode;
  result.lanes = wave.exec();
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    int from = static_cast<int>(lane);
    if (isDpp && !findDppLane(wave, op, lane, from)) {
      result.lanes &= ~(uint64_t(1) << lane);
      continue;
    }
    for (unsigned i = 0; i < op.sourceCount && i < 3; ++i)
      input.sources[i] = i || !isDpp ? readSource(wave, op, i, lane)
                         : from < 0  ? MaybeBits()
                                     : readSource(wave, op, i, static_cast<unsigned>(from));
    input.carry = carry >> lane & 1;
    input.carryUndefined = carryUndefined >> lane & 1;
    input.lane = static_cast<uint8_t>(lane);
    FlowOutput output = flow(input);
    result.undefined[lane] = output.undefined;
    bool bit = op.alu->flags & Compare ? output.undefined & 1 : output.carryUndefined;
    result.mask |= uint64_t(bit) << lane;
  }
}

/// A result of 16 bits, or of SDWA, over the shadow \p old of its register.
static uint32_t mergeShadow(const Wave &wave, const MicroOp &op, uint32_t old, uint32_t bits) {
  const Modifiers &mods = op.inst->mods;
  if (mods.sdwa)
    return insertSdwa(old, bits, mods.dstSel, mods.dstUnused);
  if (kindBits(op.alu->dst) != 16)
    return bits;
  bits &= 0xffff;
  unsigned sources = op.sourceCount - (op.alu->flags & ReadsDst ? 1 : 0);
  bool opSelHigh = mods.opSelCount > sources && mods.opSel[mods.opSelCount - 1];
  if (op.destination.half == RegisterHalf::High || op.alu->flags & WritesHigh || opSelHigh)
    return (old & 0xffff) | bits << 16;
  if (op.destination.half == RegisterHalf::Whole && zeroesHighHalf(*op.alu, wave.gfxMajor))
    return bits;
  return (old & 0xffff0000) | bits;
}

void Definedness::commitVector(const Wave &wave, const MicroOp &op, const VectorResult &result) {
  if (op.alu->flags & Compare) {
    if (op.destination.type == OperandType::Sgpr)
      m_shadow.setScalarMask(op.destination.index, result.mask);
    if (op.alu->flags & WritesExec)
      m_shadow.setScalarMask(sreg::ExecLo, result.mask);
    return;
  }
  if (op.carryOut.type == OperandType::Sgpr)
    m_shadow.setScalarMask(op.carryOut.index, result.mask);
  if (op.destination.type != OperandType::Vgpr) // v_s_*: a scalar result.
    return m_shadow.setScalar(op.destination.index, result.mask ? ~0u : 0);
  unsigned index = indexedRegister(wave, op.destination, 3);
  unsigned words = kindBits(op.alu->dst) == 64 ? 2 : 1;
  if (index + words > wave.v.size())
    return;
  for (uint64_t left = result.lanes; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    uint64_t bits = result.undefined[lane];
    uint32_t low = static_cast<uint32_t>(bits);
    if (words == 1)
      low = mergeShadow(wave, op, m_shadow.vector(index, lane), low);
    m_shadow.setVector(index, lane, low);
    if (words == 2)
      m_shadow.setVector(index + 1, lane, static_cast<uint32_t>(bits >> 32));
  }
}

/// The whole of every destination register is written.
static bool writesWholly(const MicroOp &op, const Wave &wave) {
  auto whole = [&](const MicroOp &each) {
    return !each.inst->mods.sdwa && each.alu && kindBits(each.alu->dst) != 16;
  };
  return !wave.gprIndexMode() && whole(op) && all_of(op.dual, whole);
}

void Definedness::runVector(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  if (!mayMatter(wave, facts) && writesWholly(op, wave))
    return m_shadow.define(facts.writes, wave.exec());
  VectorResult result;
  computeVector(wave, op, facts.function, result);
  if (!op.dual.empty()) {
    VectorResult second;
    computeVector(wave, op.dual[0], facts.dualFunction, second);
    commitVector(wave, op, result);
    commitVector(wave, op.dual[0], second);
  } else {
    commitVector(wave, op, result);
  }
  if (facts.is(ClassVcmpx))
    checkExec(wave, op);
}

namespace {
/// Sources of an instruction that moves bits which choose, and are not moved (bits by number).
struct SelectorRow {
  StringLiteral prefix;
  uint8_t sources;
};
constexpr SelectorRow SelectorRows[] = {
    {"v_readlane_b32", 2},    {"v_writelane_b32", 2},  {"v_permlane16_var", 2},
    {"v_permlanex16_var", 2}, {"v_permlane16_b32", 6}, {"v_permlanex16_b32", 6},
    {"ds_permute_b32", 1},    {"ds_bpermute", 1},
};
} // namespace

/// Returns a mask of the sources of \p op that choose lanes or registers, by source number. 0: all
/// are moved.
static unsigned selectorsOf(const MicroOp &op) {
  for (const SelectorRow &row : SelectorRows)
    if (StringRef(op.inst->mnemonic).starts_with(row.prefix))
      return row.sources;
  return 0;
}

namespace {
/// Lets a handler run on shadows, with real values where it does not move but choose. Scalars get
/// their shadows back afterwards, unless they were written (a scalar is written as a whole).
/// Vectors are chosen from registers after the wave's own: a selector may be the destination too,
/// of whose lanes only some are written.
class Substitution {
public:
  Substitution(Wave &shadow, const RegisterSet &written)
      : m_shadow(shadow), m_written(written), m_vectorCount(shadow.v.size()) {}
  ~Substitution() {
    for (auto &[index, bits] : m_scalars)
      if (!m_written.hasScalar(index))
        m_shadow.s[index] = bits;
    m_shadow.v.resize(m_vectorCount);
  }
  Substitution(const Substitution &) = delete;
  Substitution &operator=(const Substitution &) = delete;

  /// Gives the shadow wave the real value of a scalar register, and remembers the shadow.
  void scalar(const Wave &wave, unsigned index) {
    m_scalars.push_back({index, m_shadow.s[index]});
    m_shadow.s[index] = wave.s[index];
  }
  /// The register that has what \p index of \p wave has.
  uint16_t vector(const Wave &wave, unsigned index) {
    m_shadow.v.push_back(wave.v[index]);
    return static_cast<uint16_t>(m_shadow.v.size() - 1);
  }

private:
  Wave &m_shadow;
  const RegisterSet &m_written;
  size_t m_vectorCount;
  SmallVector<std::pair<unsigned, uint32_t>, 8> m_scalars;
};
} // namespace

/// Runs \p op on the shadows. Returns the lanes in which the value that chooses is uninitialized.
uint64_t Definedness::moveShadows(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  Wave &shadow = m_shadow.wave();
  unsigned selectors = selectorsOf(op);
  uint64_t chosenByNobody = 0;
  std::optional<MicroOp> changed; ///< The form of op that runs, where it is another.
  auto change = [&]() -> MicroOp & { return changed ? *changed : changed.emplace(op); };
  Substitution real(shadow, facts.writes);
  constexpr unsigned choosing[] = {sreg::ExecLo, sreg::ExecLo + 1, sreg::M0};
  for (unsigned i = 0; i < op.sourceCount; ++i) {
    const Operand &operand = op.sources[i].operand;
    if (selectors >> i & 1)
      continue;
    if (isConstant(operand)) { // Of a constant that is moved, all is defined.
      change().sources[i].constant = 0;
    } else if (operand.type == OperandType::Sgpr && is_contained(choosing, operand.index)) {
      // Moved itself, its shadow goes; below it becomes what it is for choosing.
      Source &moved = change().sources[i];
      moved.operand.type = OperandType::Literal;
      moved.constant = shadow.s[operand.index];
    }
  }
  for (unsigned index : choosing)
    real.scalar(wave, index);
  for (unsigned i = 0; i < op.sourceCount; ++i) {
    const Operand &operand = op.sources[i].operand;
    bool chooses = selectors >> i & 1;
    if (!chooses || !operand.isRegister())
      continue;
    if (operand.type == OperandType::Vgpr) {
      chosenByNobody |= m_shadow.lanes(operand.index) & wave.exec();
      change().sources[i].operand.index = real.vector(wave, operand.index);
    } else if (operand.index != sreg::M0) {
      chosenByNobody |= m_shadow.scalar(operand.index) ? wave.exec() : 0;
      real.scalar(wave, operand.index);
    }
  }
  shadow.setGprIndexMode(wave.gprIndexMode());
  op.run(shadow, changed ? *changed : op);
  return chosenByNobody;
}

void Definedness::runMove(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  uint64_t chosenByNobody = moveShadows(wave, op, facts);
  RegisterSet written = facts.writes | facts.reads;
  if (facts.isDynamic) {
    written.addVector(0, 256);
    written.addScalar(0, sreg::VccLo);
  }
  m_shadow.refresh(written);
  if (op.destination.type == OperandType::Vgpr && !facts.is(ClassWriteLane))
    for (uint64_t left = chosenByNobody; left; left &= left - 1)
      m_shadow.setVector(op.destination.index, static_cast<unsigned>(countr_zero(left)), ~0u);
}
