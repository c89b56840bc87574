// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source of the syntax: Mesa 25.0, src/freedreno/isa/ir3-cat*.xml and src/freedreno/ir3/
// ir3_parser.y.
#include "compiler/ir3/isa/AssemblyText.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {

using File = Operand::File;
constexpr char Components[] = "xyzw";

/// One line on its way.
class LineWriter {
public:
  LineWriter(const MachineInstruction &inst, const Compiler &compiler)
      : m_inst(inst), m_compiler(compiler), m_os(m_text) {}
  std::string take() { return std::move(m_text); }

  const MachineInstruction &inst() const { return m_inst; }
  const OpcodeInfo &info() const { return infoOf(m_inst.opcode); }
  const Fields &fields() const { return m_inst.fields; }
  const Compiler &compiler() const { return m_compiler; }
  raw_ostream &os() { return m_os; }
  /// Source \p index, from 0, which must be there.
  const Operand &source(size_t index) const { return m_inst.sources[index]; }

  /// The flags in front of the mnemonic. (nopN) excludes (rptN): they share their bits.
  void printFlags();
  void printName() { m_os << info().name; }
  /// "r0.x", "hr0.x", "a0.x", "a1.x" or "p0.x".
  void printRegister(unsigned number, bool half = false);
  void printDst() { printRegister(m_inst.dst.number, m_inst.dst.half); }
  /// A source of categories 1 to 4.
  void printSource(const Operand &source);
  /// A register, or an immediate.
  void printPlain(const Operand &source);
  /// "(neg)", "(abs)" or "(absneg)", then "(r)".
  void printModifiers(const Operand &source);

private:
  /// An immediate of categories 2 to 4: a float of the table by its name, or an integer.
  void printImmediate(const Operand &source);

  const MachineInstruction &m_inst;
  const Compiler &m_compiler;
  std::string m_text;
  raw_string_ostream m_os;
};

} // namespace

void LineWriter::printFlags() {
  static constexpr std::pair<int32_t Fields::*, StringLiteral> Flags[] = {
      {&Fields::sync, "(sy)"},
      {&Fields::shortSync, "(ss)"},
      {&Fields::endQuads, "(eq)"},
      {&Fields::join, "(jp)"},
      {&Fields::saturate, "(sat)"}};
  for (const auto &[member, text] : Flags)
    if (fields().*member)
      m_os << text;
  if (fields().nops)
    m_os << "(nop" << fields().nops << ") ";
  // The mask of a wave has its size in the name.
  else if (fields().repeat && info().format != Format::MoveMask)
    m_os << "(rpt" << fields().repeat << ")";
  if (fields().lastAddress)
    m_os << "(ul)";
}

void LineWriter::printRegister(unsigned number, bool half) {
  StringRef letter = number / 4 == reg::Address / 4     ? "a"
                     : number / 4 == reg::Predicate / 4 ? "p"
                                                        : "r";
  bool isSpecial = letter != "r";
  if (number == reg::Address1) {
    m_os << "a1.x";
    return;
  }
  m_os << (half && !isSpecial ? "h" : "") << letter << (isSpecial ? 0 : number / 4) << '.'
       << Components[number % 4];
}

void LineWriter::printModifiers(const Operand &source) {
  if (source.neg || source.abs)
    m_os << (source.neg && source.abs ? "(absneg)" : source.neg ? "(neg)" : "(abs)");
  if (source.repeats)
    m_os << "(r)";
}

void LineWriter::printImmediate(const Operand &source) {
  static constexpr StringLiteral TableNames[] = {"0.0",     "0.5",        "1.0",      "2.0",
                                                 "e",       "pi",         "1/pi",     "1/log2(e)",
                                                 "log2(e)", "1/log2(10)", "log2(10)", "4.0"};
  bool isWide = info().category == 2;
  if (isWide && info().has(property::Float)) {
    std::optional<unsigned> number = findTableFloat(uint32_t(source.value), source.half);
    m_os << (source.half ? "h(" : "(") << TableNames[number.value_or(0)] << ')';
  } else if (isWide && source.half) {
    m_os << "h(" << source.value << ')';
  } else {
    m_os << source.value;
  }
}

void LineWriter::printSource(const Operand &source) {
  printModifiers(source);
  switch (source.file) {
  case File::Gpr:
    return printRegister(source.number, source.half);
  case File::Const:
    m_os << (source.half ? "hc" : "c") << source.number / 4 << '.' << Components[source.number % 4];
    return;
  case File::RelativeGpr:
  case File::RelativeConst:
    m_os << (source.half ? "h" : "") << (source.file == File::RelativeGpr ? "r" : "c") << "<a0.x + "
         << source.value << '>';
    return;
  case File::Immediate:
    return printImmediate(source);
  case File::None:
    return;
  }
}

void LineWriter::printPlain(const Operand &source) {
  if (source.file == File::Immediate)
    m_os << source.value;
  else
    m_os << 'r' << source.number / 4 << '.' << Components[source.number % 4];
}

/// Predicates with "!" where inverted, then the distance of a branch in instructions: "br !p0.x,
/// #5".
static void printFlow(LineWriter &line) {
  const Fields &fields = line.fields();
  line.printName();
  int32_t inverts[] = {fields.invert1, fields.invert2};
  for (auto [index, source] : enumerate(line.inst().sources)) {
    line.os() << (index ? ", " : " ") << (inverts[index] ? "!" : "");
    line.printRegister(source.number);
  }
  bool hasTarget = line.info().has(property::Terminator) && line.inst().opcode != Opcode::End;
  if (hasTarget)
    line.os() << (line.inst().sources.empty() ? " #" : ", #") << fields.target;
}

/// The immediate of a move, in the notation of its source type. f32 has 60 decimals, so that the
/// assembler reads the same bits.
static void printMovedImmediate(LineWriter &line, uint32_t bits) {
  switch (ir3::Type(line.fields().sourceType)) {
  case F16: {
    APFloat value(APFloat::IEEEhalf(), APInt(16, bits & 0xffff));
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    line.os() << "h(" << format("%.10f", double(value.convertToFloat())) << ')';
    return;
  }
  case F32:
    line.os() << '(' << format("%.60f", double(bit_cast<float>(bits))) << ')';
    return;
  case S16:
    line.os() << int16_t(bits);
    return;
  case S32:
    line.os() << int32_t(bits);
    return;
  default:
    line.os() << bits;
  }
}

/// "mov", or "cov" where the types differ; moves to a0.x and a1.x have names of their own.
static void printMove(LineWriter &line) {
  const Fields &fields = line.fields();
  const Operand &dst = line.inst().dst, &source = line.source(0);
  static constexpr StringLiteral Rounds[] = {"", "(even)", "(pos_infinity)", "(neg_infinity)"};
  bool isRelative = dst.file == File::RelativeGpr;
  bool isSame = fields.type == fields.sourceType;
  bool isAddress = !isRelative && isSame && dst.number == reg::Address && fields.type == S16;
  bool isAddress1 = !isRelative && isSame && dst.number == reg::Address1 && fields.type == U16;
  if (isAddress || isAddress1)
    line.os() << (isAddress ? "mova " : "mova1 ");
  else
    line.os() << (isSame ? "mov." : "cov.") << typeName(ir3::Type(fields.sourceType))
              << typeName(ir3::Type(fields.type)) << ' ';
  line.os() << Rounds[fields.round & 3];
  if (isRelative)
    line.os() << (dst.half ? "h" : "") << "r<a0.x + " << dst.value << '>';
  else
    line.printDst();
  line.os() << ", ";
  if (source.file == File::Immediate)
    printMovedImmediate(line, uint32_t(source.value));
  else
    line.printSource(source);
}

/// The size in the name is that of a wave: 32 fibers for each dword of the result.
static void printMoveMask(LineWriter &line) {
  line.os() << "movmsk.w" << 32 * (line.fields().repeat + 1) << ' ';
  line.printDst();
}

/// Source 2 is the second result, which the syntax has after the first.
static void printSwap(LineWriter &line) {
  line.os() << "swz." << typeName(ir3::Type(line.fields().sourceType))
            << typeName(ir3::Type(line.fields().type)) << ' ';
  line.printDst();
  for (size_t index : {2, 0, 1}) {
    line.os() << ", ";
    line.printRegister(line.source(index).number, line.source(index).half);
  }
}

/// Categories 2 to 4.
static void printAlu(LineWriter &line) {
  line.printName();
  if (line.info().has(property::Compare))
    line.os() << '.' << conditionName(Condition(line.fields().condition));
  line.os() << (line.fields().endInput ? " (ei)" : " ");
  line.printDst();
  for (const Operand &source : line.inst().sources) {
    line.os() << ", ";
    line.printSource(source);
  }
}

/// The name with ".g", ".l", ".r" and ".w" for what is ordered.
static void printBarrier(LineWriter &line) {
  const Fields &fields = line.fields();
  line.printName();
  line.os() << (fields.fenceGlobal ? ".g" : "") << (fields.fenceLocal ? ".l" : "")
            << (fields.fenceRead ? ".r" : "") << (fields.fenceWrite ? ".w" : "");
}

// Category 5.

/// "(xyz)": the components that are written.
static void printMask(LineWriter &line) {
  line.os() << '(';
  for (unsigned i = 0; i < 4; ++i)
    if (line.fields().writeMask >> i & 1)
      line.os() << Components[i];
  line.os() << ')';
}

/// Type, write mask and result of category 5. Opcodes without a type leave it out.
static void printTyped(LineWriter &line) {
  if (!line.info().has(property::NoType))
    line.os() << '(' << typeName(ir3::Type(line.fields().type)) << ')';
  printMask(line);
  line.printDst();
}

namespace {
/// Values of the field desc.
struct DescriptorMode {
  bool indirect, bindless, usesA1; ///< By registers; by a set; a1.x has one of the two.
  StringLiteral uniformity;
};
} // namespace
/// By the value of the field. Mode 6 is ImmediateDescriptor.
static constexpr DescriptorMode Descriptors[8] = {{true, false, false, ".uniform"},
                                                  {true, true, true, ".uniform"},
                                                  {true, true, false, ".nonuniform"},
                                                  {true, true, true, ".nonuniform"},
                                                  {true, false, false, ".nonuniform"},
                                                  {true, true, false, ".uniform"},
                                                  {false, true, false, ""},
                                                  {false, true, true, ""}};

/// The numbers of sampler and texture where the opcode uses them.
static void printNumbers(LineWriter &line, uint32_t sampler, uint32_t texture) {
  if (line.info().has(property::UsesSampler))
    line.os() << ", s#" << sampler;
  if (line.info().has(property::UsesTexture))
    line.os() << ", t#" << texture;
}

/// What names texture and sampler, at the end.
static void printDescriptor(LineWriter &line, const Operand &source) {
  const DescriptorMode &mode = Descriptors[line.fields().descriptor & 7];
  uint32_t bits = uint32_t(source.value);
  if (mode.indirect) {
    line.os() << ", ";
    line.printRegister(source.number, !mode.bindless);
  } else if (mode.usesA1) {
    // a1.x has the one; the eight bits are the sampler before a7xx, then the texture.
    bool isTexture = line.compiler().generation >= 700;
    if (line.info().has(isTexture ? property::UsesTexture : property::UsesSampler))
      line.os() << (isTexture ? ", t#" : ", s#") << bits;
  } else {
    printNumbers(line, bits & 15, bits >> 4);
  }
  if (mode.usesA1)
    line.os() << ", a1.x";
}

/// Category 5 other than quad operations. Field variant is ".v" of isam and ".s" of the others, and
/// isProjected has another meaning there.
static void printTexture(LineWriter &line) {
  const Fields &fields = line.fields();
  bool isLoad = line.inst().opcode == Opcode::Isam;
  line.printName();
  line.os() << (fields.is3d ? ".3d" : "") << (fields.isArray ? ".a" : "")
            << (fields.hasOffset ? ".o" : "") << (fields.isProjected && !isLoad ? ".p" : "")
            << (fields.variant ? (isLoad ? ".v" : ".s") : "");
  if (fields.indirect) {
    const DescriptorMode &mode = Descriptors[fields.descriptor & 7];
    line.os() << (mode.indirect ? ".s2en" : "") << mode.uniformity;
    if (mode.bindless)
      line.os() << ".base" << fields.base;
  }
  line.os() << (isLoad && fields.is1d ? ".1d " : " ");
  printTyped(line);
  size_t count = line.inst().sources.size() - (fields.indirect ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    line.os() << ", ";
    line.printRegister(line.source(i).number, line.source(i).half);
  }
  if (fields.indirect)
    printDescriptor(line, line.source(count));
  else
    printNumbers(line, uint32_t(fields.sampler), uint32_t(fields.texture));
}

/// quad_shuffle and brcst.active; the latter has the size of its cluster in the name.
static void printQuad(LineWriter &line) {
  line.printName();
  if (line.inst().opcode == Opcode::BrcstActive)
    line.os() << ".w" << (2U << line.fields().cluster);
  line.os() << ' ';
  printTyped(line);
  for (const Operand &source : line.inst().sources) {
    line.os() << ", ";
    line.printRegister(source.number, source.half);
  }
}

// Category 6.

/// The immediate offset of an access with its sign; nothing for 0.
static void printOffset(LineWriter &line) {
  int32_t offset = line.fields().offset;
  if (offset)
    line.os() << (offset > 0 ? "+" : "") << offset;
}

/// "ldg.u32 ".
static void printTypedName(LineWriter &line) {
  line.printName();
  line.os() << '.' << typeName(ir3::Type(line.fields().type)) << ' ';
}

/// "l[r0.x+4]".
static void printPlace(LineWriter &line, const Operand &address) {
  bool isGlobal =
      line.info().format == Format::LoadGlobal || line.info().format == Format::StoreGlobal;
  bool isPrivate = line.inst().opcode == Opcode::Ldp || line.inst().opcode == Opcode::Stp;
  line.os() << (isGlobal ? "g[" : isPrivate ? "p[" : "l[");
  line.printPlain(address);
  printOffset(line);
  line.os() << ']';
}

/// ldg, ldl, ldp and ldlw: result, address, number of components.
static void printLoad(LineWriter &line) {
  printTypedName(line);
  bool isNarrow = isHalfType(ir3::Type(line.fields().type)) &&
                  (line.info().format == Format::LoadGlobal || line.inst().opcode == Opcode::Ldp);
  line.printRegister(line.inst().dst.number, isNarrow);
  line.os() << ", ";
  printPlace(line, line.source(0));
  line.os() << ", " << line.fields().size;
}

/// stg, stl, stp and stlw: address, value, number of components. Only stg names half registers as
/// such.
static void printStore(LineWriter &line) {
  printTypedName(line);
  printPlace(line, line.source(0));
  line.os() << ", ";
  line.printRegister(line.source(1).number, isHalfType(ir3::Type(line.fields().type)) &&
                                                line.info().format == Format::StoreGlobal);
  line.os() << ", " << line.fields().size;
}

/// ldlv: the offset is the number of the varying component.
static void printLoadVarying(LineWriter &line) {
  printTypedName(line);
  line.printRegister(line.inst().dst.number);
  line.os() << ", l[" << line.fields().offset << "], " << line.fields().size;
}

/// stc: the offset is a place in the const file.
static void printStoreConst(LineWriter &line) {
  printTypedName(line);
  line.os() << "c[" << line.fields().offset << "], ";
  line.printRegister(line.source(0).number);
  line.os() << ", " << line.fields().size;
}

/// shfl: mode and type in the name; the amount is a register or an immediate.
static void printShuffle(LineWriter &line) {
  static constexpr StringLiteral Modes[] = {"?", "xor", "up", "down", "?", "?", "rup", "rdown"};
  line.printName();
  line.os() << '.' << Modes[line.fields().shuffle & 7] << '.'
            << typeName(ir3::Type(line.fields().type)) << ' ';
  bool half = isHalfType(ir3::Type(line.fields().type));
  line.printRegister(line.inst().dst.number, half);
  line.os() << ", ";
  line.printRegister(line.source(0).number, half);
  line.os() << ", ";
  line.printPlain(line.source(1));
}

/// ".untyped.1d.u32.1" after the name.
static void printAccess(LineWriter &line) {
  const Fields &fields = line.fields();
  bool isAtomic =
      line.info().format == Format::BoundAtomic || line.info().format == Format::AtomicGlobal;
  StringRef type = isAtomic && fields.type == U8 ? "u64" : typeName(ir3::Type(fields.type));
  line.printName();
  line.os() << (fields.typed ? ".typed." : ".untyped.") << fields.dimensions << "d." << type << '.'
            << fields.size;
}

/// Atomics on workgroup memory, ".l" with brackets, and on global memory, ".g".
static void printAtomic(LineWriter &line) {
  bool isLocal = line.info().format == Format::AtomicLocal;
  printAccess(line);
  line.os() << (isLocal ? ".l " : ".g ");
  line.printRegister(line.inst().dst.number);
  line.os() << (isLocal ? ", l[" : ", ");
  line.printPlain(line.source(0));
  line.os() << (isLocal ? "], " : ", ");
  line.printPlain(line.source(1));
}

/// ".imm.base0".
static void printMode(LineWriter &line) {
  static constexpr StringLiteral Modes[] = {".imm", ".uniform", ".nonuniform", "?"};
  line.os() << Modes[line.fields().mode & 3];
  if (line.fields().bindless)
    line.os() << ".base" << line.fields().base;
}

/// ldc: the component offset and the number of components are in the name.
static void printLoadConst(LineWriter &line) {
  line.os() << "ldc" << (line.fields().uniform ? ".u" : "") << ".offset" << line.fields().offset
            << '.' << line.fields().size;
  printMode(line);
  line.os() << ' ';
  line.printRegister(line.inst().dst.number);
  for (const Operand &source : line.inst().sources) {
    line.os() << ", ";
    line.printPlain(source);
  }
}

/// ldc.k, which copies to the place in the const file that a1.x has.
static void printCopyConst(LineWriter &line) {
  line.os() << "ldc." << line.fields().size << ".k";
  printMode(line);
  line.os() << " c[a1.x]";
  for (const Operand &source : line.inst().sources) {
    line.os() << ", ";
    line.printPlain(source);
  }
}

/// resinfo.b: result and slot.
static void printBoundInfo(LineWriter &line) {
  printAccess(line);
  printMode(line);
  line.os() << ' ';
  line.printRegister(line.inst().dst.number);
  line.os() << ", ";
  line.printPlain(line.source(0));
}

/// The data is the result of a load, the third source of a store.
static void printBoundAccess(LineWriter &line) {
  bool isLoad = line.info().format == Format::BoundLoad;
  printAccess(line);
  printMode(line);
  line.os() << ' ';
  line.printRegister(isLoad ? line.inst().dst.number : line.source(2).number,
                     isHalfType(ir3::Type(line.fields().type)));
  line.os() << ", ";
  line.printPlain(line.source(0));
  if (line.fields().offset)
    line.os() << '+' << line.fields().offset;
  line.os() << ", ";
  line.printPlain(line.source(1));
}

/// The tied group, source 0, is printed as the result alone.
static void printBoundAtomic(LineWriter &line) {
  printAccess(line);
  printMode(line);
  line.os() << ' ';
  line.printRegister(line.inst().dst.number);
  line.os() << ", ";
  line.printPlain(line.source(1));
  line.os() << ", ";
  line.printPlain(line.source(2));
}

/// "resinfo.u32.2d r0.x, g[0]".
static void printSlotInfo(LineWriter &line) {
  line.printName();
  line.os() << '.' << typeName(ir3::Type(line.fields().type)) << '.' << line.fields().dimensions
            << "d ";
  line.printRegister(line.inst().dst.number);
  line.os() << ", g[" << line.source(0).value << ']';
}

/// The data is the result of a load, the first operand after the slot of a store.
static void printSlotAccess(LineWriter &line) {
  Format format = line.info().format;
  printAccess(line);
  line.os() << (format == Format::SlotAtomic ? ".g " : " ");
  if (format != Format::SlotStore) {
    line.printRegister(line.inst().dst.number);
    line.os() << ", ";
  }
  line.os() << "g[" << line.source(2).value << ']';
  // A load has its address first, the others last.
  for (unsigned index : format == Format::SlotLoad ? std::initializer_list<unsigned>{0, 1}
                                                   : std::initializer_list<unsigned>{3, 1, 0}) {
    line.os() << ", ";
    line.printPlain(line.source(index));
  }
}

/// getspid, getwid and getfiberid: a type and a result.
static void printIdentity(LineWriter &line) {
  printTypedName(line);
  line.printRegister(line.inst().dst.number);
}

/// Meta instructions have no syntax; encode() does not accept them.
static void printNothing(LineWriter &line) {
  line.printName();
}

namespace {
/// How instructions of one format are printed.
struct FormatText {
  Format format;
  void (*print)(LineWriter &line);
};
} // namespace
/// One row for each format.
static constexpr FormatText Texts[] = {
    {Format::Flow, printFlow},
    {Format::Move, printMove},
    {Format::MoveMask, printMoveMask},
    {Format::Swap, printSwap},
    {Format::Alu2, printAlu},
    {Format::Alu3, printAlu},
    {Format::Alu3Immediate, printAlu},
    {Format::Special, printAlu},
    {Format::Barrier, printBarrier},
    {Format::Texture, printTexture},
    {Format::Quad, printQuad},
    {Format::LoadGlobal, printLoad},
    {Format::LoadPlain, printLoad},
    {Format::StoreGlobal, printStore},
    {Format::StorePlain, printStore},
    {Format::LoadVarying, printLoadVarying},
    {Format::StoreConst, printStoreConst},
    {Format::Shuffle, printShuffle},
    {Format::AtomicLocal, printAtomic},
    {Format::AtomicGlobal, printAtomic},
    {Format::LoadConst, printLoadConst},
    {Format::CopyConst, printCopyConst},
    {Format::BoundInfo, printBoundInfo},
    {Format::BoundLoad, printBoundAccess},
    {Format::BoundStore, printBoundAccess},
    {Format::BoundAtomic, printBoundAtomic},
    {Format::Identity, printIdentity},
    {Format::SlotInfo, printSlotInfo},
    {Format::SlotLoad, printSlotAccess},
    {Format::SlotStore, printSlotAccess},
    {Format::SlotAtomic, printSlotAccess},
    {Format::Meta, printNothing},
};

/// The flags come first, then what the format prints.
std::string ir3::printAssembly(const MachineInstruction &instruction, const Compiler &compiler) {
  LineWriter line(instruction, compiler);
  const auto *row =
      find_if(Texts, [&](const FormatText &each) { return each.format == line.info().format; });
  line.printFlags();
  row->print(line);
  return line.take();
}
