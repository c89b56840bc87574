// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Wave.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/ExportRules.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Registers hold \p unwritten, except the null register and the apertures.
Wave::Wave(Workgroup &group, unsigned waveSize, unsigned vgprCount, unsigned gfxMajor,
           uint32_t unwritten)
    : waveSize(waveSize), gfxMajor(gfxMajor), v(vgprCount), scoreboard(gfxMajor),
      unwritten(unwritten), group(&group) {
  s.fill(unwritten);
  s[sreg::Null] = s[sreg::Null + 1] = 0;
  s[sreg::SharedBase] = s[sreg::PrivateBase] = 0;
  s[sreg::SharedBase + 1] = s[sreg::SharedLimit + 1] = SharedAperture;
  s[sreg::PrivateBase + 1] = s[sreg::PrivateLimit + 1] = PrivateAperture;
  s[sreg::SharedLimit] = s[sreg::PrivateLimit] = ~0u;
  for (LaneArray &lanes : v)
    lanes.fill(unwritten);
}

/// A lane mask: one register in waves of 32 lanes, else a pair.
void Wave::writeMask(unsigned index, uint64_t value) {
  if (waveSize == 64)
    writeScalar64(index, value);
  else
    writeScalar(index, static_cast<uint32_t>(value));
}

/// The low half goes to \p index. NULL takes both halves.
void Wave::writeScalar64(unsigned index, uint64_t value) {
  if (index == sreg::Null)
    return;
  s[index] = static_cast<uint32_t>(value);
  s[index + 1] = static_cast<uint32_t>(value >> 32);
}

/// \p bits are the MODE register; what operations need of it is decoded.
void Wave::setMode(uint32_t bits) {
  m_modeBits = bits;
  mode.f32Round = bits & 3;
  mode.f16f64Round = (bits >> 2) & 3;
  mode.f32DenormIn = bits & 0x10;
  mode.f32DenormOut = bits & 0x20;
  mode.f16f64DenormIn = bits & 0x40;
  mode.f16f64DenormOut = bits & 0x80;
  mode.fp16Overflow = bits & 0x800000;
  mode.gfxMajor = gfxMajor;
  // GFX12 has neither bit: it always clamps NaN to 0 and follows IEEE 754-2019 by opcode.
  mode.dx10Clamp = gfxMajor >= 12 || (bits & 0x100);
  mode.ieee = gfxMajor < 12 && (bits & 0x200);
  chooseKernelMode();
}

void Wave::setGprIndexMode(uint8_t mode) {
  m_gprIndexMode = mode;
  chooseKernelMode();
}

void Wave::chooseKernelMode() {
  m_kernelMode = m_gprIndexMode ? KernelMode::Other : kernelModeOf(mode);
}

/// The instruction's text and place, for messages.
std::string gcn::describeProducer(const Inst &inst) {
  return "'" + inst.text + "' (pc 0x" + utohexstr(inst.pc, /*LowerCase=*/true) + ")";
}

/// The rule must be in the list of sanitizer rules.
static Finding makeFinding(const Wave &wave, const MicroOp &op, StringRef rule, const Twine &text) {
  assert(isSanitizerRule(rule) && "assay doctor --sanitizers lists every rule");
  std::string where = "pc 0x" + utohexstr(op.inst->pc, true);
  Finding finding;
  finding.rule = rule.str();
  finding.message = (text + " at " + where + ": " + op.inst->text).str();
  finding.location = where;
  finding.signature = (rule + ":" + op.inst->mnemonic).str();
  finding.evidence = {{"wave", utostr(wave.number)}, {"instruction", op.inst->text}};
  if (const ExportPlan *plan = wave.group->exportPlan)
    finding.evidence.emplace_back("stage", nameOf(plan->stage).str());
  return finding;
}

/// What an instruction that does nothing makes good.
static bool isAccessRule(StringRef rule) {
  static constexpr StringLiteral rules[] = {"MEM-FAULT", "BAD-DESCRIPTOR", "LDS-RANGE",
                                            "SCRATCH-RANGE"};
  return is_contained(rules, rule);
}

/// Ends the wave, and the workgroup's run with the first failure. Where faults are survived, rules
/// of accesses are only reported.
void Wave::fail(OutcomeKind kind, StringRef rule, const MicroOp &op, const Twine &text) {
  if (group->survivesFaults && isAccessRule(rule))
    return report(op, {rule.data(), text.str()}); // Rules are literals.
  status = WaveStatus::Failed;
  if (group->failure.kind != OutcomeKind::Completed)
    return;
  Finding finding = makeFinding(*this, op, rule, text);
  group->failure = {kind, (rule + ": " + finding.message).str(), {finding}};
}

/// Whether report() would drop the violation.
bool Wave::isReported(const MicroOp &op, const Violation &violation) const {
  return faultPlanted(Fault::SilentSanitizer) ||
         group->reported.count({violation.rule, op.inst, violation.producer, violation.subject});
}

/// Each violation is reported once for a rule, instruction, producer and subject.
void Wave::report(const MicroOp &op, const Violation &violation) {
  if (faultPlanted(Fault::SilentSanitizer))
    return;
  if (!group->reported.insert({violation.rule, op.inst, violation.producer, violation.subject})
           .second)
    return;
  Finding finding = makeFinding(*this, op, violation.rule, violation.text);
  if (!violation.signature.empty())
    finding.signature += ":" + violation.signature;
  if (violation.producer) {
    finding.evidence.push_back({"producer", violation.producer->text});
    finding.evidence.push_back({"producer pc", "0x" + utohexstr(violation.producer->pc, true)});
  }
  if (!violation.subject.empty())
    finding.evidence.push_back({"subject", violation.subject});
  if (!violation.wait.empty())
    finding.evidence.push_back({"wait", violation.wait});
  group->reports.push_back(std::move(finding));
}

/// The wave will begin \p op again once \p predicate is false.
void Wave::block(const MicroOp &op, bool (*predicate)(const Wave &)) {
  next = static_cast<uint32_t>(&op - group->program->ops().data());
  status = WaveStatus::AtBarrier;
  isBlocked = predicate;
}

/// Ends the wave because of something that the machine does not model.
void Wave::failUnsupported(const Twine &what) {
  status = WaveStatus::Failed;
  if (group->failure.kind == OutcomeKind::Completed)
    group->failure = {OutcomeKind::Unsupported, what.str(), {}};
}
