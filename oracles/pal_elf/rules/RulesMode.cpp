// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule on the MODE register (MC-17): code that changes how floats are rounded and whether
// denormals are kept does so on all ways alike, and puts it back before others go on.
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// MODE[7:0] of GFX9 to GFX12 (ISA manuals, "MODE"): rounding of f32, of f64 and f16; denormals of
/// f32, of f64 and f16.
struct FloatBits {
  static constexpr uint8_t Single = 0x33;
  static constexpr uint8_t Others = 0xcc;
};

/// What is known of MODE[7:0] at one place.
struct ModeState {
  uint8_t value = 0;
  uint8_t known = 0xff; ///< Bits whose value is known.
  uint8_t mixed = 0;    ///< Bits that are this on one way and that on another.

  /// Writes \p count bits from bit \p first on; without \p bits they become unknown. Bits above 7
  /// are ignored.
  void set(unsigned first, unsigned count, std::optional<uint32_t> bits);
  /// Takes in another path. Bits that are known on both and differ become mixed. Returns true when
  /// the state changed.
  bool join(const ModeState &other);
  bool operator==(const ModeState &) const = default;
};

} // namespace

/// Writes \p count bits from bit \p first on; bits above MODE[7:0] are ignored. Without a value the
/// bits are unknown.
void ModeState::set(unsigned first, unsigned count, std::optional<uint32_t> bits) {
  if (first > 7)
    return;
  auto mask = static_cast<uint8_t>(maskTrailingOnes<uint32_t>(std::min(count, 8u)) << first);
  mixed &= ~mask;
  known = static_cast<uint8_t>(bits ? known | mask : known & ~mask);
  value = static_cast<uint8_t>((value & ~mask) | (bits.value_or(0) << first & mask));
}

/// Bits that are known on both paths and differ become mixed. Returns whether anything changed.
bool ModeState::join(const ModeState &other) {
  ModeState before = *this;
  auto differ = static_cast<uint8_t>((value ^ other.value) & known & other.known);
  mixed |= other.mixed | differ;
  known &= other.known & ~mixed;
  value &= known;
  return !(before == *this);
}

/// The immediate of s_setreg_imm32_b32, or nothing for s_setreg_b32.
static std::optional<uint32_t> setregValue(const Inst &inst) {
  return inst.size == 8 ? std::optional(inst.words[1]) : std::nullopt;
}

/// Advances \p mode over the instructions that write MODE: s_setreg with its offset and width,
/// s_round_mode for bits 3:0 and s_denorm_mode for bits 7:4.
static void step(ModeState &mode, uint32_t, const Inst &inst) {
  constexpr unsigned ModeRegister = 1;
  StringRef name = inst.mnemonic;
  if (name.starts_with("s_setreg") && (inst.simm16() & 63) == ModeRegister)
    mode.set(inst.simm16() >> 6 & 31, (inst.simm16() >> 11 & 31) + 1u, setregValue(inst));
  else if (name == "s_round_mode")
    mode.set(0, 4, inst.simm16() & 15);
  else if (name == "s_denorm_mode")
    mode.set(4, 4, inst.simm16() & 15);
}

/// The bits of MODE that the result of \p inst depends on.
static uint8_t bitsUsed(const Inst &inst) {
  StringRef name = inst.mnemonic;
  static constexpr StringLiteral moves[] = {"v_cmp", "v_mov", "v_cndmask", "v_interp", "v_pk_mov"};
  if (!isValu(inst) || any_of(moves, [&](StringRef prefix) { return name.starts_with(prefix); }))
    return 0;
  uint8_t bits = name.contains("f32") ? FloatBits::Single : 0;
  return bits | (name.contains("f16") || name.contains("f64") ? FloatBits::Others : 0);
}

/// Returns true for calls and jumps to other functions.
static bool handsOn(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return isCall(inst) || name.starts_with("s_setpc");
}

/// Returns true when \p function has any instruction that may write MODE, reachable or not. Others
/// need no walk.
static bool changesMode(const FunctionCode &function) {
  return any_of(function.insts, [](const Inst &inst) {
    StringRef name = inst.mnemonic;
    return name.starts_with("s_setreg") || name == "s_round_mode" || name == "s_denorm_mode";
  });
}

/// Reports float instructions that depend on mixed bits, each bit once, and jumps to other code
/// with a changed mode. \p declared is '.float_mode'.
static void checkFunction(const FunctionCode &function, uint8_t declared, RuleReporter &out) {
  uint8_t told = 0; // Bits that there was a finding for.
  ModeState entry;
  entry.value = declared;
  walkFlow(function, entry, step, [&](const ModeState &mode, uint32_t index, const Inst &inst) {
    uint8_t mixed = mode.mixed & bitsUsed(inst) & ~told;
    if (mixed)
      out.report(codeLocation(function, index), "ways",
                 "bits 0x" + Twine::utohexstr(mixed) +
                     " of MODE are not the same on all ways to here, and its result depends on "
                     "them");
    told |= mixed;
    uint8_t changed = (mode.value ^ declared) & mode.known;
    if (changed && handsOn(inst))
      out.report(RuleLevel::Info, codeLocation(function, index), "handed-on",
                 "MODE[7:0] is 0x" + Twine::utohexstr(mode.value) + " here, '.float_mode' 0x" +
                     Twine::utohexstr(declared) + ": what goes on expects that");
  });
}

/// MC-17. Callees have no '.float_mode' and are not checked.
static void checkMode(const ElfModel &model, RuleReporter &out) {
  if (!model.code || !model.launch)
    return;
  for (const auto &function : model.code->functions) {
    const HardwareStageMetadata *stage = model.launch->find(function->stage);
    if (stage && changesMode(*function))
      checkFunction(*function, stage->floatMode, out);
  }
}

static constexpr RuleInfo modeRules[] = {
    {"MC-17",
     RuleLevel::Warning,
     "The float mode does not depend on the path taken",
     {EnforcerKind::Hardware, "AMD ISA manuals, MODE register; LLVM SIModeRegister"},
     "MODE[7:0] begins as '.float_mode' and is followed through s_setreg, s_round_mode and "
     "s_denorm_mode. Float instructions that several ways lead to find the same bits on all of "
     "them. Handing a changed mode on to other code is told as an info.",
     checkMode,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getModeRules() {
  return modeRules;
}
