// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots that several memory formats have: flags and cache hints.
#include "oracles/machine/gcn_isa/MemorySlots.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Adds an operand of \p dwords vector registers. False for a tuple that leaves the register file.
bool gcn::decodeVector(DecodeState &state, Field field, unsigned dwords) {
  unsigned index = static_cast<unsigned>(state.field(field));
  if (index + dwords > 256)
    return false;
  state.inst.operands.push_back(vectorRegister(index, dwords));
  return true;
}

/// The next operand must be a vector register of this width.
bool gcn::encodeVector(EncodeState &state, Field field, unsigned dwords) {
  const Operand *operand = state.takeOperand();
  return operand && operand->type == OperandType::Vgpr && operand->dwords == dwords &&
         state.setField(field, operand->index);
}

/// Tuples of s and ttmp registers start at multiples of two or four; lower bits are ignored (LLVM,
/// createSRegOperand). Other registers have exact codes.
static unsigned scalarAlignment(Chip chip, unsigned code, unsigned dwords) {
  unsigned plain = contains(chips::Gfx9, chip) ? sreg::FlatScratchLo : sreg::VccLo;
  bool isTtmp = code >= sreg::Ttmp0 && code < sreg::M0;
  if (code >= plain && !isTtmp)
    return 1;
  return dwords > 2 ? 4 : dwords;
}

/// Adds a tuple of scalar registers; the field counts units of \p scale registers. False for codes
/// that are none.
bool gcn::decodeScalar(DecodeState &state, Field field, unsigned scale, unsigned dwords) {
  Operand operand;
  unsigned code = static_cast<unsigned>(state.field(field)) * scale;
  code &= ~(scalarAlignment(state.chip(), code, dwords) - 1);
  if (code > 127 || !decodeScalarRegister(state.chip(), code, dwords, operand))
    return false;
  state.inst.operands.push_back(operand);
  return true;
}

/// The reverse of decodeScalar(). Bits that the tuple's alignment makes meaningless are not known.
bool gcn::encodeScalar(EncodeState &state, Field field, unsigned scale, unsigned dwords) {
  const Operand *operand = state.takeOperand();
  if (!operand || operand->type != OperandType::Sgpr)
    return false;
  bool isNull = operand->index == sreg::Null;
  int code = codeFromScalar(state.chip(), operand->index);
  if (code < 0 || (!isNull && operand->dwords != dwords) || unsigned(code) % scale ||
      !state.setField(field, unsigned(code) / scale))
    return false;
  unsigned ignored =
      Log2_32(std::max(scalarAlignment(state.chip(), unsigned(code), dwords) / scale, 1u));
  state.known.set(state.form.layout->find(field)->lsb, ignored, 0);
  return true;
}

/// Prints the next operand whatever the slot.
void gcn::printNext(PrintState &state, const Slot &) {
  const Operand &operand = state.takeOperand();
  printOperand(state.os, operand, state.chip());
}

/// glc, on GFX12 the lowest bit of the temporal hint.
bool gcn::atomicReturns(const DecodeState &state) {
  return state.hasField(Field::Th) ? state.field(Field::Th) & 1 : state.field(Field::Glc);
}

/// Formats without the field need nothing.
bool gcn::encodeFixed(EncodeState &state, Field field, uint64_t value) {
  return !state.hasField(field) || state.setField(field, value);
}

//===- Cache hints --------------------------------------------------------------------------===//
// Up to GFX11 glc, slc, dlc. GFX12: temporal hint and scope (RDNA 4 manual, "Memory Scopes and
// Temporal Hints"); names as LLVM prints them (AMDGPUInstPrinter::printTH).

static constexpr StringLiteral LoadHints[] = {"", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT"};
static constexpr StringLiteral StoreHints[] = {"",      "NT",    "HT",    "WB",
                                               "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
static constexpr StringLiteral AtomicHints[] = {"", "RETURN", "NT", "NT_RETURN"};
static constexpr unsigned ScopeDevice = 2;
static constexpr unsigned ScopeSystem = 3;
static constexpr unsigned BypassHint = 3; ///< With the scope of the system.

/// LLVM's name of an atomic's hint.
static std::string atomicHint(unsigned th, unsigned scope) {
  if (th < std::size(AtomicHints))
    return ("TH_ATOMIC_" + Twine(AtomicHints[th])).str();
  if (scope >= ScopeDevice)
    return th & 2 ? "TH_ATOMIC_CASCADE_NT" : "TH_ATOMIC_CASCADE_RT";
  return "TH_ATOMIC_0x" + utohexstr(th, /*LowerCase=*/true);
}

/// LLVM's name of a hint; \p access is the letter of the slot.
static std::string temporalHint(const Modifiers &mods, char access) {
  if (access == 'a')
    return atomicHint(mods.th, mods.scope);
  ArrayRef<StringLiteral> names = access == 's' ? ArrayRef(StoreHints) : ArrayRef(LoadHints);
  if (mods.th >= names.size())
    return "0x" + utohexstr(mods.th, /*LowerCase=*/true);
  std::string prefix = access == 's' ? "TH_STORE_" : "TH_LOAD_";
  bool bypasses = mods.th == BypassHint && mods.scope == ScopeSystem;
  return prefix + (bypasses ? "BYPASS" : names[mods.th].str());
}

/// Adds GFX12's hints to Modifiers::other, in the order of the text.
static void appendScopedHints(Modifiers &mods, char access) {
  static constexpr StringLiteral Scopes[] = {"", "SE", "DEV", "SYS"};
  if (mods.scaleOffset)
    mods.other.push_back("scale_offset");
  if (mods.th)
    mods.other.push_back("th:" + temporalHint(mods, access));
  if (mods.scope)
    mods.other.push_back(("scope:SCOPE_" + Twine(Scopes[mods.scope])).str());
  if (mods.nv)
    mods.other.push_back("nv");
}

/// Type "l", "s" or "a": loads, stores, atomics.
static bool decodeCache(DecodeState &state, const Slot &slot) {
  Modifiers &mods = state.inst.mods;
  mods.glc = state.field(Field::Glc);
  mods.slc = state.field(Field::Slc);
  mods.dlc = state.field(Field::Dlc);
  mods.nv = state.field(Field::Nv);
  mods.scaleOffset = state.field(Field::ScaleOffset);
  mods.th = static_cast<uint8_t>(state.field(Field::Th));
  mods.scope = static_cast<uint8_t>(state.field(Field::Scope));
  mods.returnsOld = mods.glc || (slot.letter == 'a' && atomicReturns(state));
  if (state.hasField(Field::Th)) {
    appendScopedHints(mods, slot.letter);
    return true;
  }
  if (mods.slc)
    mods.other.push_back("slc");
  if (mods.dlc)
    mods.other.push_back("dlc");
  return true;
}

/// Sets all cache fields of any generation. A hint that the format has no field for must be 0.
static bool encodeCache(EncodeState &state, const Slot &) {
  const Modifiers &mods = state.inst.mods;
  return state.setField(Field::Glc, mods.glc) && state.setField(Field::Slc, mods.slc) &&
         state.setField(Field::Dlc, mods.dlc) && state.setField(Field::Nv, mods.nv) &&
         state.setField(Field::ScaleOffset, mods.scaleOffset) &&
         state.setField(Field::Th, mods.th) && state.setField(Field::Scope, mods.scope);
}

/// Hints that are 0 are not printed.
static void printCache(PrintState &state, const Slot &slot) {
  const Modifiers &mods = state.inst.mods;
  if (mods.glc)
    state.os << " glc";
  if (mods.slc)
    state.os << " slc";
  if (mods.dlc)
    state.os << " dlc";
  if (!state.form.layout->find(Field::Th))
    return;
  Modifiers scoped;
  scoped.scaleOffset = mods.scaleOffset;
  scoped.th = mods.th;
  scoped.scope = mods.scope;
  scoped.nv = mods.nv;
  appendScopedHints(scoped, slot.letter);
  for (const std::string &word : scoped.other)
    state.os << ' ' << word;
}

//===- Fields that an opcode does not use ---------------------------------------------------===//

/// The number is that of a Field, which is 0 in valid encodings.
static bool decodeUnused(DecodeState &state, const Slot &slot) {
  return state.field(static_cast<Field>(slot.number)) == 0;
}

/// The field must be 0; the slot's number names it.
static bool encodeUnused(EncodeState &state, const Slot &slot) {
  return encodeFixed(state, static_cast<Field>(slot.number), 0);
}

#define FLAG(NAME, FIELD, MEMBER)                                                                  \
  {NAME, decodeFlag<Field::FIELD, &Modifiers::MEMBER>,                                             \
   encodeFlag<Field::FIELD, &Modifiers::MEMBER>, printFlag<&Modifiers::MEMBER>}
/// Flags have a field and a member of Modifiers with the name that the assembler prints.
ArrayRef<SlotKind> gcn::sharedSlots() {
  static constexpr SlotKind Kinds[] = {
      {"cache", decodeCache, encodeCache, printCache},
      {"unused", decodeUnused, encodeUnused, nullptr},
      FLAG("gds", Gds, gds),
      FLAG("lds", Lds, lds),
      FLAG("tfe", Tfe, tfe),
      FLAG("lwe", Lwe, lwe),
      FLAG("idxen", Idxen, idxen),
      FLAG("offen", Offen, offen),
      FLAG("unorm", Unorm, unorm),
      FLAG("r128", R128, r128),
      FLAG("a16", A16, a16),
      FLAG("da", Da, da),
      FLAG("d16", D16, d16),
  };
  return Kinds;
}
#undef FLAG
