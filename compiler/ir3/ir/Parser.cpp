// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Printer.h"
#include "support/Error.h"
#include <map>
#include <set>

using namespace llvm;

namespace assay::ir3 {

namespace {

/// The rest of one line. take() and the like consume what they accept, and leave the rest.
class LineReader {
public:
  explicit LineReader(StringRef text) : m_rest(text) {}
  /// Consumes \p letters if the rest begins with them; false, with nothing consumed, otherwise.
  bool take(StringRef letters) { return m_rest.consume_front(letters); }
  void skipSpaces() { m_rest = m_rest.ltrim(' '); }
  bool atEnd() const { return m_rest.empty(); }
  StringRef rest() const { return m_rest; }
  /// Up to one of \p ends, which stays.
  StringRef until(StringRef ends) {
    StringRef word = m_rest.substr(0, m_rest.find_first_of(ends));
    m_rest = m_rest.drop_front(word.size());
    return word;
  }
  /// A decimal number with an optional sign; nothing if there is none. A "-" is consumed even then.
  std::optional<int64_t> number() {
    bool isNegative = take("-");
    uint64_t value = 0;
    if (m_rest.consumeInteger(10, value))
      return std::nullopt;
    return isNegative ? -int64_t(value) : int64_t(value);
  }

private:
  StringRef m_rest;
};

/// Parses the text of print(). Functions that return bool return false for text that is not theirs;
/// the caller then reports what is left of the line.
class Parser {
public:
  explicit Parser(StringRef text) : m_text(text) {}
  Expected<std::unique_ptr<Program>> run();

private:
  Error parseLine(StringRef line);
  Error parseHeader(StringRef line);
  Error parseArray(StringRef line);
  Error parseBlock(StringRef line);
  Error parseInstruction(StringRef line);
  /// "(sy)(rpt3)": the flags in front of the mnemonic, in any order. False for an unknown one.
  bool parseFlags(LineReader &reader, Fields &fields);
  /// Sets the opcode, and of moves the types, of compares the condition.
  bool parseMnemonic(StringRef word, Instruction &inst);
  /// A source or destination: modifiers, place, size after ":", and the assigned register in
  /// parentheses. "_" leaves the operand empty.
  bool parseOperand(LineReader &reader, Register &operand);
  /// Array element, SSA value, undefined, immediate, relative operand, constant, predicate or
  /// register.
  bool parsePlace(LineReader &reader, Register &operand);
  /// "id=0, offset=1, size=4, rel]" after "arr[". The size is checked by nothing: it repeats that
  /// of the array.
  bool parseArrayElement(LineReader &reader, Register &operand);
  bool parseNumber(LineReader &reader, Register &operand);
  /// "size=2 off=4}" after "{". False for an unknown field or for text after "}".
  bool parseFields(LineReader &reader, Instruction &inst);
  bool parseTail(LineReader &reader, Instruction &inst);
  /// The instruction of that name, created as a nop when it is used before its line.
  Instruction *named(uint32_t name);
  /// Null when there is no such block.
  Block *blockAt(uint64_t number);
  /// The destination, if the opcode has one, the sources, and the tail.
  bool parseOperands(LineReader &reader, Instruction &inst);

  StringRef m_text;
  std::unique_ptr<Program> m_program;
  Block *m_block = nullptr;
  std::map<uint32_t, Instruction *> m_named; ///< Used or defined, by name.
  std::set<uint32_t> m_defined;              ///< Names that have a line.
};

/// InvalidInput; run() adds the number of the line.
Error malformed(const Twine &reason) {
  return invalidInput(reason);
}

Instruction *Parser::named(uint32_t name) {
  Instruction *&inst = m_named[name];
  if (!inst) {
    inst = m_program->createInstruction(Opcode::Nop);
    inst->name = name;
  }
  return inst;
}

Block *Parser::blockAt(uint64_t number) {
  return number < m_program->blocks.size() ? m_program->blocks[number].get() : nullptr;
}

/// "shader STAGE CHIP key=value ...". Creates all blocks of the text.
Error Parser::parseHeader(StringRef line) {
  SmallVector<StringRef, 8> words;
  line.split(words, ' ', -1, false);
  static constexpr StringLiteral Stages[] = {"vertex", "fragment", "compute"};
  const auto *stage = words.size() < 3 ? std::end(Stages) : find(Stages, words[1]);
  const Compiler *compiler = words.size() < 3 ? nullptr : findCompiler(words[2]);
  if (stage == std::end(Stages) || !compiler)
    return malformed("expected 'shader STAGE CHIP'");
  m_program = std::make_unique<Program>(*compiler, ShaderStage(stage - std::begin(Stages)));
  for (StringRef word : drop_begin(words, 3)) {
    auto [key, value] = word.split('=');
    uint32_t *member = key == "const"     ? &m_program->constDwords
                       : key == "private" ? &m_program->privateBytes
                       : key == "local"   ? &m_program->localBytes
                                          : nullptr;
    if (!member || value.getAsInteger(10, *member))
      return malformed("unknown setting '" + word + "'");
  }
  // Branches can name blocks that follow.
  for (StringRef rest = m_text; !rest.empty();) {
    auto [other, tail] = rest.split('\n');
    if (other.starts_with("block "))
      m_program->createBlock();
    rest = tail;
  }
  return Error::success();
}

/// "ID size=N [half] [base=N]", with ids in ascending order from 0 and 1 to 256 elements.
Error Parser::parseArray(StringRef line) {
  LineReader reader(line);
  std::optional<int64_t> id = reader.number();
  std::optional<int64_t> size = reader.take(" size=") ? reader.number() : std::nullopt;
  if (!id || !size || *id != int64_t(m_program->arrays.size()) || *size < 1 || *size > 256)
    return malformed("expected 'array ID size=N'");
  m_program->createArray(unsigned(*size), reader.take(" half"));
  if (reader.take(" base="))
    m_program->arrays.back().base = uint16_t(reader.number().value_or(0));
  return reader.atEnd() ? Error::success() : malformed("text after the array");
}

/// "N -> A, B": the block becomes the current one. A block without "->" has no successor.
Error Parser::parseBlock(StringRef line) {
  LineReader reader(line);
  std::optional<int64_t> number = reader.number();
  m_block = number ? blockAt(uint64_t(*number)) : nullptr;
  if (!m_block)
    return malformed("no such block");
  if (!reader.take(" -> "))
    return reader.atEnd() ? Error::success() : malformed("expected '->'");
  for (Block *&successor : m_block->successors) {
    number = reader.number();
    successor = number ? blockAt(uint64_t(*number)) : nullptr;
    if (!successor)
      return malformed("no such successor");
    if (!reader.take(", "))
      break;
  }
  return reader.atEnd() ? Error::success() : malformed("text after the successors");
}

bool Parser::parseFlags(LineReader &reader, Fields &fields) {
  static constexpr std::pair<StringLiteral, int32_t Fields::*> Flags[] = {
      {"(sy)", &Fields::sync},     {"(ss)", &Fields::shortSync}, {"(jp)", &Fields::join},
      {"(eq)", &Fields::endQuads}, {"(sat)", &Fields::saturate}, {"(ul)", &Fields::lastAddress},
      {"(rpt", &Fields::repeat},   {"(nop", &Fields::nops},
  };
  while (reader.rest().starts_with("(")) {
    const auto *found =
        find_if(Flags, [&](const auto &flag) { return reader.rest().starts_with(flag.first); });
    if (found == std::end(Flags))
      return false;
    reader.take(found->first);
    fields.*found->second = 1;
    if (found->first.ends_with(")"))
      continue;
    std::optional<int64_t> count = reader.number();
    if (!count || !reader.take(")"))
      return false;
    fields.*found->second = int32_t(*count);
  }
  return true;
}

/// Consumes the name of a type at the start of \p text.
static std::optional<Type> takeType(StringRef &text) {
  // The longest name first: u8_32 begins with u8.
  for (int number = U8In32; number >= 0; --number)
    if (text.consume_front(typeName(Type(number))))
      return Type(number);
  return std::nullopt;
}

bool Parser::parseMnemonic(StringRef word, Instruction &inst) {
  if (std::optional<Opcode> opcode = findOpcode(word)) {
    inst.opcode = *opcode;
    return true;
  }
  if (word.consume_front("mov.")) {
    inst.opcode = Opcode::Mov;
    std::optional<Type> from = takeType(word), to = takeType(word);
    if (!from || !to || !word.empty())
      return false;
    inst.fields.sourceType = *from;
    inst.fields.type = *to;
    return true;
  }
  auto [name, condition] = word.rsplit('.');
  std::optional<Opcode> opcode = findOpcode(name);
  if (!opcode || !infoOf(*opcode).has(property::Compare))
    return false;
  inst.opcode = *opcode;
  for (int number = Lt; number <= Ne; ++number) {
    if (conditionName(Condition(number)) == condition) {
      inst.fields.condition = number;
      return true;
    }
  }
  return false;
}

/// "r1.x", with a letter that has been read.
bool Parser::parseNumber(LineReader &reader, Register &operand) {
  std::optional<int64_t> vector = reader.number();
  if (!vector || !reader.take("."))
    return false;
  for (auto [component, letter] : enumerate(StringRef("xyzw"))) {
    if (reader.take(StringRef(&letter, 1))) {
      operand.number = uint16_t(4 * *vector + int64_t(component));
      return true;
    }
  }
  return false;
}

bool Parser::parseArrayElement(LineReader &reader, Register &operand) {
  operand.flags |= registerflag::Array;
  std::optional<int64_t> id = reader.take("id=") ? reader.number() : std::nullopt;
  std::optional<int64_t> offset = reader.take(", offset=") ? reader.number() : std::nullopt;
  std::optional<int64_t> size = reader.take(", size=") ? reader.number() : std::nullopt;
  if (!id || !offset || !size)
    return false;
  operand.arrayId = uint16_t(*id);
  operand.arrayOffset = uint16_t(*offset);
  if (reader.take(", rel"))
    operand.flags |= registerflag::Relative;
  return reader.take("]");
}

bool Parser::parsePlace(LineReader &reader, Register &operand) {
  if (reader.take("arr["))
    return parseArrayElement(reader, operand);
  if (reader.take("ssa_")) {
    std::optional<int64_t> name = reader.number();
    operand.flags |= registerflag::Ssa;
    operand.def = name ? named(uint32_t(*name)) : nullptr;
    return name.has_value();
  }
  if (reader.take("undef")) {
    operand.flags |= registerflag::Undefined;
    return true;
  }
  if (reader.take("imm[")) {
    reader.until(",");
    reader.take(",");
    std::optional<int64_t> value = reader.number();
    reader.until("]");
    operand.flags |= registerflag::Immediate;
    operand.value = int32_t(value.value_or(0));
    return value && reader.take("]");
  }
  bool isConst = reader.rest().starts_with("c");
  if (reader.take("c<a0.x + ") || reader.take("r<a0.x + ")) {
    std::optional<int64_t> value = reader.number();
    operand.flags |= registerflag::Relative | (isConst ? registerflag::Const : 0);
    operand.value = int32_t(value.value_or(0));
    return value && reader.take(">");
  }
  if (reader.take("c")) {
    operand.flags |= registerflag::Const;
    return parseNumber(reader, operand);
  }
  if (reader.take("p0.")) {
    size_t component = StringRef("xyzw").find(reader.until(",} :").take_front(1));
    operand.number = uint16_t(reg::Predicate + component);
    return component < 4;
  }
  return reader.take("r") && parseNumber(reader, operand);
}

bool Parser::parseOperand(LineReader &reader, Register &operand) {
  static constexpr std::pair<StringLiteral, uint32_t> Names[] = {
      {"(neg)", registerflag::Negate},    {"(abs)", registerflag::Absolute},
      {"(r)", registerflag::Repeats},     {"(p)", registerflag::Predicate},
      {"(shared)", registerflag::Shared}, {"(a0)", registerflag::Address},
      {"(a1)", registerflag::Address1},
  };
  for (const auto &[name, flag] : Names)
    if (reader.take(name))
      operand.flags |= flag;
  if (reader.take("_"))
    return true;
  if (reader.take("h"))
    operand.flags |= registerflag::Half;
  if (!parsePlace(reader, operand))
    return false;
  if (reader.take(":")) {
    std::optional<int64_t> size = reader.number();
    if (!size || *size < 1 || *size > 255)
      return false;
    operand.size = uint8_t(*size);
  }
  if (!reader.take("("))
    return true;
  (void)reader.take("h");
  if (reader.take("p0.")) {
    size_t component = StringRef("xyzw").find(reader.until(")"));
    operand.number = uint16_t(reg::Predicate + component);
    return component < 4 && reader.take(")");
  }
  return reader.take("r") && parseNumber(reader, operand) && reader.take(")");
}

bool Parser::parseFields(LineReader &reader, Instruction &inst) {
  while (!reader.take("}")) {
    StringRef key = reader.until("=");
    std::optional<int64_t> value = reader.take("=") ? reader.number() : std::nullopt;
    if (!value)
      return false;
    if (key == "image") {
      inst.isImage = *value != 0;
    } else {
      const auto *found =
          find_if(allFields(), [&](const FieldInfo &field) { return field.name == key; });
      if (found == allFields().end())
        return false;
      inst.fields.*found->member = int32_t(*value);
    }
    reader.skipSpaces();
  }
  return reader.atEnd();
}

/// ", from 0 3", ", address=_[0005]", " {off=4}": what follows the operands.
bool Parser::parseTail(LineReader &reader, Instruction &inst) {
  if (reader.take("from")) {
    while (reader.take(" ")) {
      std::optional<int64_t> number = reader.number();
      Block *block = number ? blockAt(uint64_t(*number)) : nullptr;
      if (!block)
        return false;
      inst.phiBlocks.push_back(block);
    }
    (void)reader.take(", ");
  }
  if (reader.take("address=_[")) {
    std::optional<int64_t> name = reader.number();
    if (!name || !reader.take("]"))
      return false;
    inst.address = named(uint32_t(*name));
  }
  reader.skipSpaces();
  return reader.take("{") ? parseFields(reader, inst) : reader.atEnd();
}

bool Parser::parseOperands(LineReader &reader, Instruction &inst) {
  bool isFirst = true;
  auto isTail = [&] {
    StringRef rest = reader.rest();
    return rest.empty() || rest.starts_with("from") || rest.starts_with("address=") ||
           rest.starts_with("{");
  };
  reader.skipSpaces();
  while (!isTail()) {
    Register operand;
    if (!parseOperand(reader, operand))
      return false;
    if (isFirst && inst.info().has(property::HasDst)) {
      operand.def = nullptr;
      inst.dst() = operand;
    } else {
      inst.registers.push_back(operand);
    }
    isFirst = false;
    (void)reader.take(",");
    reader.skipSpaces();
  }
  return parseTail(reader, inst);
}

/// "NAME:POSITION:USES:  flags mnemonic operands". Position and uses are skipped: they are
/// computed.
Error Parser::parseInstruction(StringRef line) {
  LineReader reader(line);
  std::optional<int64_t> name = reader.number();
  if (!m_block || !name || !reader.take(":"))
    return malformed("expected an instruction in a block");
  reader.until(":");
  reader.take(":");
  reader.until(" ");
  reader.skipSpaces();
  if (!m_defined.insert(uint32_t(*name)).second)
    return malformed("a second instruction with the name " + Twine(*name));
  Instruction *inst = named(uint32_t(*name));
  if (!parseFlags(reader, inst->fields))
    return malformed("unknown flag at '" + reader.rest() + "'");
  StringRef mnemonic = reader.until(" ");
  if (!parseMnemonic(mnemonic, *inst))
    return malformed("unknown opcode '" + mnemonic + "'");
  if (!parseOperands(reader, *inst))
    return malformed("unexpected '" + reader.rest() + "'");
  inst->block = m_block;
  m_block->instructions.push_back(inst);
  return Error::success();
}

/// A line after the header: block, array, immediate of the const file, or instruction.
Error Parser::parseLine(StringRef line) {
  if (line.consume_front("block "))
    return parseBlock(line);
  if (line.consume_front("array "))
    return parseArray(line);
  if (line.consume_front("immediate 0x")) {
    uint32_t bits = 0;
    if (line.getAsInteger(16, bits))
      return malformed("expected a hexadecimal number");
    m_program->constImmediates.push_back(bits);
    return Error::success();
  }
  return parseInstruction(line);
}

/// Reports names without a definition and arrays that do not exist. The program is not verified
/// otherwise.
Expected<std::unique_ptr<Program>> Parser::run() {
  unsigned number = 0;
  for (StringRef rest = m_text; !rest.empty();) {
    auto [line, tail] = rest.split('\n');
    rest = tail;
    ++number;
    if (line.trim().empty())
      continue;
    if (Error error = m_program ? parseLine(line) : parseHeader(line))
      return addContext(std::move(error), "line " + Twine(number));
  }
  if (!m_program)
    return invalidInput("line 1: no program");
  uint32_t next = 0;
  for (const auto &[name, inst] : m_named) {
    if (!m_defined.contains(name))
      return invalidInput("ssa_" + Twine(name) + " is used and not defined");
    next = name + 1;
  }
  m_program->setNextName(next);
  for (Instruction *inst : m_program->instructions())
    for (const Register &operand : inst->registers)
      if (operand.isArray() && operand.arrayId >= m_program->arrays.size())
        return invalidInput("no array " + Twine(operand.arrayId));
  m_program->updatePredecessors();
  return std::move(m_program);
}

} // namespace

Expected<std::unique_ptr<Program>> parseProgram(StringRef text) {
  return Parser(text).run();
}

} // namespace assay::ir3
