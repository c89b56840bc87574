// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Printer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace assay::ir3 {

/// "r1.x", "hr1.x" or "p0.x" for a register number.
static void printNumber(raw_ostream &os, unsigned number, bool half) {
  if (half)
    os << 'h';
  if (number >= reg::Predicate && number < reg::None)
    os << "p0." << "xyzw"[number % 4];
  else
    os << 'r' << number / 4 << '.' << "xyzw"[number % 4];
}

/// "imm[1.000000,1065353216,0x3f800000]": the bits as float, signed integer and hexadecimal number.
/// The parser reads the integer.
static void printImmediate(raw_ostream &os, const Register &source) {
  os << "imm[" << format("%f", double(bit_cast<float>(source.value))) << ',' << source.value
     << ",0x" << utohexstr(uint32_t(source.value), /*LowerCase=*/true) << ']';
}

/// The modifiers and the special file of an operand, in the order in which the parser takes them.
static void printFlags(raw_ostream &os, const Register &source) {
  static constexpr std::pair<uint32_t, StringLiteral> Names[] = {
      {registerflag::Negate, "(neg)"},    {registerflag::Absolute, "(abs)"},
      {registerflag::Repeats, "(r)"},     {registerflag::Predicate, "(p)"},
      {registerflag::Shared, "(shared)"}, {registerflag::Address, "(a0)"},
      {registerflag::Address1, "(a1)"},
  };
  for (const auto &[flag, text] : Names)
    if (source.is(flag))
      os << text;
}

/// \p name is that of the value if \p source is one: its producer's, or of a destination its own
/// instruction's.
static void printRegister(raw_ostream &os, const Register &source, const Program &program,
                          uint32_t name) {
  printFlags(os, source);
  StringRef half = source.isHalf() ? "h" : "";
  if (source.isArray()) {
    os << half << "arr[id=" << source.arrayId << ", offset=" << source.arrayOffset
       << ", size=" << program.arrays[source.arrayId].size
       << (source.isRelative() ? ", rel]" : "]");
  } else if (source.isSsa()) {
    os << half << "ssa_" << name;
  } else if (source.is(registerflag::Undefined)) {
    os << half << "undef";
  } else if (source.isImmediate()) {
    os << half;
    printImmediate(os, source);
  } else if (source.isRelative()) {
    os << half << (source.isConst() ? 'c' : 'r') << "<a0.x + " << source.value << '>';
  } else if (source.isConst()) {
    os << half << 'c' << source.number / 4 << '.' << "xyzw"[source.number % 4];
  } else if (source.isNone()) {
    os << '_';
  } else {
    printNumber(os, source.number, source.isHalf());
  }
  if (source.size != 1)
    os << ':' << unsigned(source.size);
  if ((source.isSsa() || source.isArray()) && source.isAssigned()) {
    os << '(';
    printNumber(os, source.number, source.isHalf());
    os << ')';
  }
}

std::string print(const Register &source, const Program &program) {
  std::string text;
  raw_string_ostream os(text);
  printRegister(os, source, program, source.def ? source.def->name : 0);
  return text;
}

/// Fields that the mnemonic shows.
static void printMnemonic(raw_ostream &os, const Instruction &inst, Fields &rest) {
  struct Flag {
    int32_t Fields::*member;
    StringLiteral name;
    bool isCount;
  };
  static constexpr Flag Flags[] = {
      {&Fields::sync, "sy", false},      {&Fields::shortSync, "ss", false},
      {&Fields::join, "jp", false},      {&Fields::endQuads, "eq", false},
      {&Fields::saturate, "sat", false}, {&Fields::lastAddress, "ul", false},
      {&Fields::repeat, "rpt", true},    {&Fields::nops, "nop", true},
  };
  for (const Flag &flag : Flags) {
    int32_t value = rest.*flag.member;
    if (!value)
      continue;
    os << '(' << flag.name;
    if (flag.isCount)
      os << value;
    os << ')';
    rest.*flag.member = 0;
  }
  os << inst.info().name;
  if (inst.opcode == Opcode::Mov) {
    os << '.' << typeName(Type(rest.sourceType)) << typeName(Type(rest.type));
    rest.sourceType = rest.type = U32;
  }
  if (inst.info().has(property::Compare)) {
    os << '.' << conditionName(Condition(rest.condition));
    rest.condition = 0;
  }
}

/// ", from 0 3": the predecessors of the sources of a phi; nothing for other opcodes.
static void printPhiBlocks(raw_ostream &os, const Instruction &inst) {
  if (inst.opcode != Opcode::MetaPhi)
    return;
  os << ", from";
  for (const Block *block : inst.phiBlocks)
    os << ' ' << block->number;
}

/// One instruction without a newline. \p uses is the third column.
static void printLine(raw_ostream &os, const Instruction &inst, const Program &program,
                      uint32_t uses) {
  os << format("%04u:%04u:%03u:  ", inst.name, inst.position, uses);
  Fields rest = inst.fields;
  printMnemonic(os, inst, rest);
  StringRef separator = " ";
  if (inst.hasDst()) {
    os << separator;
    printRegister(os, inst.dst(), program, inst.name);
    separator = ", ";
  }
  for (const Register &source : inst.sources()) {
    os << separator << print(source, program);
    separator = ", ";
  }
  printPhiBlocks(os, inst);
  if (inst.address)
    os << ", address=_[" << format("%04u", inst.address->name) << ']';
  std::string fields;
  for (const FieldInfo &field : allFields())
    if (rest.*field.member != field.initial)
      fields +=
          (fields.empty() ? "" : " ") + field.name.str() + "=" + std::to_string(rest.*field.member);
  if (inst.isImage)
    fields += fields.empty() ? "image=1" : " image=1";
  if (!fields.empty())
    os << " {" << fields << '}';
}

std::string print(const Instruction &inst, const Program &program) {
  std::string text;
  raw_string_ostream os(text);
  printLine(os, inst, program, 0);
  return text;
}

/// The lines in front of the first block: settings, arrays, and immediates of the const file.
static void printHeader(raw_ostream &os, const Program &program) {
  static constexpr StringLiteral Stages[] = {"vertex", "fragment", "compute"};
  os << "shader " << Stages[unsigned(program.stage)] << ' ' << program.compiler().name
     << " const=" << program.constDwords << " private=" << program.privateBytes
     << " local=" << program.localBytes << '\n';
  for (const Array &array : program.arrays) {
    os << "array " << array.id << " size=" << array.size << (array.half ? " half" : "");
    if (array.base != Register::NoNumber)
      os << " base=" << array.base;
    os << '\n';
  }
  for (uint32_t bits : program.constImmediates)
    os << "immediate 0x" << utohexstr(bits, /*LowerCase=*/true) << '\n';
}

/// Numbers the instructions: the position is a member of them, though the program is const.
std::string print(const Program &program) {
  std::string text;
  raw_string_ostream os(text);
  printHeader(os, program);
  std::vector<uint32_t> uses = program.countUses();
  uint32_t position = 0;
  for (const std::unique_ptr<Block> &block : program.blocks) {
    os << "block " << block->number;
    StringRef separator = " -> ";
    for (const Block *successor : block->successors) {
      if (!successor)
        continue;
      os << separator << successor->number;
      separator = ", ";
    }
    os << '\n';
    for (Instruction *inst : block->instructions) {
      inst->position = position++;
      printLine(os, *inst, program, uses[inst->name]);
      os << '\n';
    }
  }
  return text;
}

} // namespace assay::ir3
