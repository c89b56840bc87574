// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which forms an ALU row has - short, long, SDWA, DPP - and what slots each form has. Rows of the
// vector ALU say the types of results and sources; where they stand follows from the form.
#include "oracles/machine/gcn_isa/tables/AluRows.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// How a format differs from the plain one of its opcodes.
enum class Variant : uint8_t { Plain, Sdwa, Dpp16, Dpp8 };

/// A format of the vector ALU. VOPD, VINTRP and the like have none: their rows list the slots.
struct FormatTraits {
  Format format;
  Variant variant;
  bool isLong; ///< VOP3 and its kin.
};

/// All formats of the vector ALU; the last column says whether the form is one of the long
/// encodings (VOP3, VOP3P).
constexpr FormatTraits VectorFormats[] = {
    {Format::Vop1, Variant::Plain, false},      {Format::Vop1Sdwa, Variant::Sdwa, false},
    {Format::Vop1Dpp16, Variant::Dpp16, false}, {Format::Vop1Dpp8, Variant::Dpp8, false},
    {Format::Vop2, Variant::Plain, false},      {Format::Vop2Sdwa, Variant::Sdwa, false},
    {Format::Vop2Dpp16, Variant::Dpp16, false}, {Format::Vop2Dpp8, Variant::Dpp8, false},
    {Format::Vopc, Variant::Plain, false},      {Format::VopcSdwa, Variant::Sdwa, false},
    {Format::VopcDpp16, Variant::Dpp16, false}, {Format::VopcDpp8, Variant::Dpp8, false},
    {Format::Vop3, Variant::Plain, true},       {Format::Vop3Dpp16, Variant::Dpp16, true},
    {Format::Vop3Dpp8, Variant::Dpp8, true},    {Format::Vop3p, Variant::Plain, true},
    {Format::Vop3pDpp16, Variant::Dpp16, true}, {Format::Vop3pDpp8, Variant::Dpp8, true},
};

/// A signature such as "32,m=f32,f32", taken apart.
struct Signature {
  SmallVector<StringRef, 2> results;
  SmallVector<StringRef, 4> sources;
};

} // namespace

/// Formats of the ALU come before those of memory in the enumeration.
bool gcn::isAluFormat(Format format) {
  return format < Format::Smem;
}

/// VOP3 forms with a carry-out have its register where others have abs.
bool gcn::hasCarryField(const InstForm &form) {
  return any_of(form.slots, [](const Slot &slot) { return slot.kind->name == "carry"; });
}

/// Null for formats without variants.
static const FormatTraits *findTraits(Format format) {
  const auto *found =
      find_if(VectorFormats, [&](const FormatTraits &t) { return t.format == format; });
  return found == std::end(VectorFormats) ? nullptr : found;
}

/// \p text has '=' between results and sources.
static Signature parseSignature(StringRef text) {
  Signature signature;
  auto [results, sources] = text.split('=');
  results.split(signature.results, ',', -1, /*KeepEmpty=*/false);
  sources.split(signature.sources, ',', -1, /*KeepEmpty=*/false);
  return signature;
}

/// Operands of 64 bits and more.
static bool isWide(StringRef type) {
  return type.ends_with("64") || type.ends_with("128") || type.ends_with("256");
}

/// SDWA and, on most chips, DPP do not move such operands.
static bool hasWideType(const IsaRow &row) {
  Signature signature = parseSignature(row.signature);
  return any_of(signature.results, isWide) || any_of(signature.sources, isWide);
}

//===- Which forms there are ------------------------------------------------------------------===//

/// True if the chip has DPP forms of the row.
static bool hasDpp(const IsaRow &row, Chip chip) {
  if (row.flags & rowflags::NoDpp)
    return false;
  // GFX9 moves 64-bit operands, too, though nothing says so of comparisons; later chips do not.
  return (chip == Chip::Gfx900 && row.format != Format::Vopc) || !hasWideType(row);
}

/// Whether the row has a form of the format's variant on \p chip.
static bool hasVariant(const IsaRow &row, const FormatTraits &traits, Chip chip) {
  switch (traits.variant) {
  case Variant::Plain:
    return true;
  case Variant::Sdwa:
    return !(row.flags & rowflags::NoSdwa) && !hasWideType(row);
  case Variant::Dpp16:
  case Variant::Dpp8:
    return hasDpp(row, chip);
  }
  return false;
}

/// What is added to a short opcode to get the long one (manuals, "VOP3 opcodes").
static std::optional<unsigned> longOpcodeBase(Format format, Chip chip) {
  switch (format) {
  case Format::Vopc:
    return 0;
  case Format::Vop2:
    return 0x100;
  case Format::Vop1:
    return chip == Chip::Gfx900 ? 0x140 : 0x180;
  default:
    return std::nullopt;
  }
}

/// The opcode that \p row has in \p layout, or nothing when it has no such form. \p opcode is that
/// of the row's format.
std::optional<unsigned> gcn::opcodeIn(const IsaRow &row, unsigned opcode,
                                      const FormatLayout &layout, Chip chip) {
  if (!isAluFormat(row.format))
    return opcodeInMemory(row, opcode, layout, chip);
  const FormatTraits *traits = findTraits(layout.format);
  if (!traits)
    return layout.format == row.format ? std::optional(opcode) : std::nullopt;
  if (!hasVariant(row, *traits, chip))
    return std::nullopt;
  if (layout.opcodes == row.format)
    return opcode;
  std::optional<unsigned> base = longOpcodeBase(row.format, chip);
  if (layout.opcodes != Format::Vop3 || !base || (row.flags & rowflags::NoVop3))
    return std::nullopt;
  return opcode + *base;
}

//===- Slots ----------------------------------------------------------------------------------===//

namespace {

/// Builds the slots of one form.
class SlotBuilder {
public:
  SlotBuilder(InstForm &form, const FormatTraits &traits, Chip chip)
      : m_form(form), m_traits(traits), m_chip(chip),
        m_signature(parseSignature(form.row->signature)) {}

  void build();

private:
  bool has(uint32_t flag) const { return m_form.row->flags & flag; }
  bool isPacked() const { return m_form.row->format == Format::Vop3p; }
  bool isComparison() const { return m_form.row->format == Format::Vopc; }
  /// Adds a slot; \p type is a letter, a number or both, as in signatures.
  void add(StringRef name, StringRef type = "");
  void add(StringRef name, char letter, unsigned number);
  /// Results that are masks are VCC in the short forms, and have a field in the long ones.
  void addResult(StringRef type, bool isFirst);
  /// Adds the sources in the order of the signature; the literal of fmaak and the like is one of
  /// them.
  void addSources();
  /// Modifiers of VOP3.
  void addLongModifiers();
  void addOpSel();
  /// Modifiers of VOP3P.
  void addPackedModifiers();
  /// neg_lo and neg_hi, if the operation has them.
  void addPackedNeg(unsigned sources);
  /// What SDWA and DPP add after the operands.
  void addVariant();
  unsigned countRegisterSources() const;

  InstForm &m_form;
  const FormatTraits &m_traits;
  Chip m_chip;
  Signature m_signature;
};

} // namespace

/// Appends a slot. \p type is a letter, a number of bits, or both; the slot keeps them apart. The
/// name must be that of a slot kind.
void SlotBuilder::add(StringRef name, StringRef type) {
  Slot slot;
  slot.kind = findSlotKind(name);
  assert(slot.kind && "no such slot");
  if (!type.empty() && !isDigit(type.front())) {
    slot.letter = type.front();
    type = type.drop_front();
  }
  type.getAsInteger(10, slot.number);
  m_form.slots.push_back(slot);
}

/// Appends a slot whose letter and number mean something to its kind only.
void SlotBuilder::add(StringRef name, char letter, unsigned number) {
  add(name);
  m_form.slots.back().letter = letter;
  m_form.slots.back().number = static_cast<uint16_t>(number);
}

/// Chooses the slot by the type of the result: a scalar register, a vector register, or a lane
/// mask. Short forms write masks to VCC; in long forms a second mask is the carry.
void SlotBuilder::addResult(StringRef type, bool isFirst) {
  if (type.starts_with("s"))
    add("vsdst", type);
  else if (type != "m")
    add("vdst", type);
  else if (!m_traits.isLong)
    add(m_traits.variant == Variant::Sdwa && isComparison() ? "sdwamask" : "vcc", "m");
  else
    add(isFirst ? "vsdst" : "carry", "m");
}

/// Literals and, in short forms, lane masks have slots of their own; all other sources are
/// numbered.
void SlotBuilder::addSources() {
  static constexpr StringLiteral Names[] = {"src0", "src1", "src2"};
  unsigned index = 0;
  for (StringRef type : m_signature.sources) {
    if (type.starts_with("k"))
      add("literal", type);
    else if (type == "m" && !m_traits.isLong)
      add("vcc", "m");
    else
      add(Names[index++], type);
  }
}

unsigned SlotBuilder::countRegisterSources() const {
  return static_cast<unsigned>(m_signature.sources.size());
}

/// op_sel: printed where it is part of the operation, and wherever registers have halves.
void SlotBuilder::addOpSel() {
  auto isShort = [](StringRef type) { return type.ends_with("16"); };
  bool hasHalves = contains(chips::Gfx11Plus, m_chip) && !has(rowflags::ByteSel) &&
                   (any_of(m_signature.results, isShort) || any_of(m_signature.sources, isShort)) &&
                   (m_signature.results.empty() || !m_signature.results[0].starts_with("s"));
  if (has(rowflags::OpSelPair)) {
    add("op_sel", 's', 2);
  } else if (has(rowflags::OpSel) || hasHalves) {
    unsigned sources = countRegisterSources() + (has(rowflags::Tied) ? 1 : 0);
    if (!m_signature.sources.empty() && m_signature.sources.back() == "m")
      --sources;
    bool hasResult = !m_signature.results.empty();
    bool isMask = hasResult && m_signature.results[0] == "m";
    // The mask that a comparison gives has a place, too, though nothing to select.
    bool hasPlace = hasResult && (!isMask || m_traits.variant == Variant::Plain);
    add("op_sel", hasResult && !isMask ? 'd' : 's', sources + hasPlace);
  }
}

/// Modifiers of VOP3 in the order in which the assembler prints them.
void SlotBuilder::addLongModifiers() {
  addOpSel();
  if (has(rowflags::ByteSel))
    add("byte_sel", m_form.row->format == Format::Vop3 ? 'd' : 's', 2);
  if (has(rowflags::Clamp))
    add("clamp");
  if (has(rowflags::Omod))
    add("omod");
}

/// The letter of the slots selects which sources may be negated.
void SlotBuilder::addPackedNeg(unsigned sources) {
  char which = has(rowflags::NegThird) ? 'c' : has(rowflags::NegTwo) ? 't' : 'a';
  if (!has(rowflags::NoNeg))
    add("neg_lo", which, sources);
  if (!has(rowflags::NoNeg | rowflags::NoNegHi))
    add("neg_hi", which, sources);
}

/// Modifiers of VOP3P. Forms without op_sel must have its upper bits set, which slot all_high
/// does.
void SlotBuilder::addPackedModifiers() {
  unsigned sources = countRegisterSources();
  bool isMix = m_signature.sources[0].starts_with("x");
  if (unsigned bits = (m_form.row->flags & rowflags::IndexKey) / rowflags::IndexKeyOne)
    add("index_key", 0, bits);
  if (!has(rowflags::NoOpSel)) {
    add("op_sel", 's', sources);
    add("op_sel_hi", isMix ? 'x' : 'p', sources);
  } else {
    add("all_high");
  }
  if (!isMix)
    addPackedNeg(sources);
  if (has(rowflags::Clamp))
    add("clamp");
}

/// Adds what SDWA and DPP have in addition to the plain form.
void SlotBuilder::addVariant() {
  switch (m_traits.variant) {
  case Variant::Plain:
    return;
  case Variant::Sdwa:
    if (!isComparison()) {
      add("clamp");
      if (has(rowflags::Omod) && !has(rowflags::NoSdwaOmod))
        add("omod");
    }
    add("sdwa", isComparison() ? 's' : 'd', m_form.row->format == Format::Vop1 ? 1 : 2);
    return;
  case Variant::Dpp16:
    add("dpp16");
    return;
  case Variant::Dpp8:
    add("dpp8");
    return;
  }
}

/// Fills the form in the order results, sources, modifiers. Long comparisons without a result write
/// EXEC.
void SlotBuilder::build() {
  bool isFirst = true;
  for (StringRef type : m_signature.results) {
    addResult(type, isFirst);
    isFirst = false;
  }
  if (isFirst && isComparison() && m_traits.isLong)
    add("exec");
  addSources();
  // v_nop and the like have nothing to modify; LLVM shows what DPP would do, but not SDWA.
  bool isNothing = isFirst && m_signature.sources.empty();
  if (isNothing && (m_traits.isLong || m_traits.variant == Variant::Sdwa))
    return;
  if (isPacked())
    addPackedModifiers();
  else if (m_traits.isLong)
    addLongModifiers();
  addVariant();
}

/// The suffix of LLVM's mnemonic. Only rows with both a short and a long form say which one it is.
static StringLiteral suffixOf(const IsaRow &row, const FormatTraits &traits) {
  static constexpr StringLiteral None = "";
  static constexpr StringLiteral Sdwa = "_sdwa";
  static constexpr StringLiteral Dpp = "_dpp";
  static constexpr StringLiteral LongDpp = "_e64_dpp";
  static constexpr StringLiteral Short = "_e32";
  static constexpr StringLiteral Long = "_e64";
  if (row.signature == "=")
    return None;
  if (traits.variant == Variant::Sdwa)
    return Sdwa;
  // Short comparisons do not say that they are DPP.
  if (traits.variant != Variant::Plain)
    return traits.isLong ? LongDpp : row.format == Format::Vopc ? None : Dpp;
  bool hasBoth = longOpcodeBase(row.format, Chip::Gfx900) && !(row.flags & rowflags::NoVop3);
  if (!hasBoth)
    return None;
  return traits.isLong ? Long : Short;
}

/// Sets slots, suffix and InstForm::isVop3. Rows without '=' in the signature list their slots.
void gcn::finishAluForm(InstForm &form, Chip chip) {
  const FormatTraits *traits = findTraits(form.layout->format);
  if (!traits || !form.row->signature.contains('=')) {
    form.slots = parseSlots(form.row->signature);
    if (form.row->flags & rowflags::Long)
      form.suffix = "_e64";
    else if (form.row->format == Format::Vintrp)
      form.suffix = "_e32";
    form.isVop3 = form.suffix == "_e64";
    return;
  }
  form.suffix = suffixOf(*form.row, *traits);
  form.isVop3 = form.suffix.starts_with("_e64");
  SlotBuilder(form, *traits, chip).build();
}
