// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions and their meaning: Mesa's documentation, "TGSI" (docs/gallium/tgsi.rst).
#include "compiler/ir3/tgsi/Tgsi.h"

#include "compiler/ir3/ir/Builder.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace llvm;

namespace assay::ir3 {

namespace {

constexpr unsigned Components = 4;

/// A register of TGSI, with what an operand does to it.
struct TgsiOperand {
  std::string file; ///< "TEMP".
  unsigned index = 0;
  std::array<unsigned, Components> swizzle{0, 1, 2, 3}; ///< By component of the result.
  unsigned writeMask = 0xf;                             ///< Bit n: component n.
  bool isNegated = false, isAbsolute = false;
};

using Values = SmallVector<Register, 3>;

/// Reads TGSI text line by line into a program of values. The current value of each register
/// component is a member, and joins of IF get phis: no variables remain.
class Reader {
public:
  Reader(StringRef text, const Compiler &compiler) : m_text(text), m_compiler(compiler) {}
  Expected<std::unique_ptr<Program>> run();

  Builder &builder() { return *m_builder; }
  /// Appends an instruction at the current place and returns its result.
  Register emit(Opcode opcode, ArrayRef<Register> sources) {
    return m_builder->create(opcode, sources)->value();
  }

private:
  using Place = std::pair<std::string, unsigned>; ///< File, and 4 * index + component.
  /// The current value of each component that has been written or read.
  using State = std::map<Place, Register>;
  /// An IF whose ENDIF has not been read.
  struct Branch {
    Block *start;             ///< Ends in the branch.
    Block *otherStart;        ///< Of ELSE, or of what follows.
    State before;             ///< At IF.
    Block *thenEnd = nullptr; ///< Set by ELSE.
    State afterThen;          ///< Valid with thenEnd.
  };

  /// One trimmed line that is not empty: the stage, a declaration, an immediate, or an instruction
  /// with an optional number in front of it.
  Error readLine(StringRef line);
  /// Checks the register file of a DCL line. Nothing else of it is needed: values define
  /// themselves.
  Error declare(StringRef rest);
  /// Appends the up to four floats of an IMM line to the immediates; missing ones are 0.
  Error declareImmediate(StringRef rest);
  /// Splits a line into mnemonic, _SAT and operands. Labels of branches are skipped: IF, ELSE and
  /// ENDIF nest.
  Error instruction(StringRef line);
  /// IF, UIF, ELSE, ENDIF and END. InvalidInput where they do not nest.
  Error flow(StringRef name, ArrayRef<TgsiOperand> operands);
  /// Parses "-|TEMP[0].xyzw|". For a destination the letters are a write mask, for a source a
  /// swizzle; both are filled in. Unsupported for other forms, such as relative addresses.
  Expected<TgsiOperand> operand(StringRef text) const;
  /// The value that \p operand, a source, has for \p component of the result, with its modifiers as
  /// flags.
  Register read(const TgsiOperand &operand, unsigned component);
  /// The current value of one component. The first read of an input creates it in the entry block;
  /// other components that are not written are undefined.
  Register readPlace(const Place &place);
  /// Makes \p value the current value of one component. Modifiers and saturation are applied first,
  /// by absneg.
  void write(const TgsiOperand &operand, unsigned component, Register value, bool saturates);
  /// An instruction with a result, operands[0]. Unsupported for a name that no table has;
  /// InvalidInput for a wrong number of operands.
  Error compute(StringRef name, ArrayRef<TgsiOperand> operands, bool saturates);
  /// Branches on the first component of the condition: the then side is for a value other than 0.
  /// The else side is set by beginElse().
  void beginIf(const TgsiOperand &condition, bool isInteger);
  Error beginElse();
  Error endIf();
  void end();

  StringRef m_text;
  const Compiler &m_compiler;
  std::unique_ptr<Program> m_program;
  std::optional<Builder> m_builder;                           ///< Set by the line of the stage.
  State m_state;                                              ///< At the current place.
  std::vector<Branch> m_branches;                             ///< The innermost one last.
  std::vector<std::array<uint32_t, Components>> m_immediates; ///< Bits, by number.
  unsigned m_outputs = 0, m_constants = 0; ///< Vectors: highest index used plus one.
  bool m_hasEnded = false;
};

/// An instruction on each component of its operands.
struct ComponentRow {
  StringLiteral name;
  unsigned operands; ///< Sources; the destination is not counted.
  /// Emits the instructions for one component.
  Register (*emit)(Reader &reader, const Values &values);
};

/// The opcode with the operands as its sources.
template <Opcode Code> Register direct(Reader &reader, const Values &values) {
  return reader.emit(Code, values);
}

/// The opcode with the magnitude of the first operand as its source.
template <Opcode Code> Register absolute(Reader &reader, const Values &values) {
  return reader.emit(Code, {values[0].with(registerflag::Absolute)});
}

/// 1.0 where the compare holds, else 0.0: the flag of cmps.f as an integer, converted to f32.
template <Condition Value> Register compare(Reader &reader, const Values &values) {
  Instruction *flag = reader.builder().compareValue(Opcode::CmpsF, Value, values[0], values[1]);
  return reader.builder().move(flag->value(), U32, F32)->value();
}

/// x - floor(x).
Register fraction(Reader &reader, const Values &values) {
  Register floor = reader.emit(Opcode::FloorF, {values[0]});
  return reader.emit(Opcode::AddF, {values[0], floor.with(registerflag::Negate)});
}

/// Compares have 1.0 or 0.0 as their result, not all ones.
constexpr ComponentRow ComponentRows[] = {
    {"ADD", 2, direct<Opcode::AddF>},
    {"MUL", 2, direct<Opcode::MulF>},
    {"MAD", 3, direct<Opcode::MadF32>},
    {"MIN", 2, direct<Opcode::MinF>},
    {"MAX", 2, direct<Opcode::MaxF>},
    {"FLR", 1, direct<Opcode::FloorF>},
    {"CEIL", 1, direct<Opcode::CeilF>},
    {"ROUND", 1, direct<Opcode::RndneF>},
    {"TRUNC", 1, direct<Opcode::TruncF>},
    {"FRC", 1, fraction},
    {"ABS", 1, absolute<Opcode::AbsnegF>},
    {"SLT", 2, compare<Lt>},
    {"SGE", 2, compare<Ge>},
    {"SEQ", 2, compare<Eq>},
    {"SNE", 2, compare<Ne>},
    {"SGT", 2, compare<Gt>},
    {"SLE", 2, compare<Le>},
};

/// An instruction of the first component of its operand, with the same result for all.
struct ScalarRow {
  StringLiteral name;
  Opcode opcode;
};

/// The result goes to each component of the write mask.
constexpr ScalarRow ScalarRows[] = {
    {"RCP", Opcode::Rcp},  {"RSQ", Opcode::Rsq},  {"SQRT", Opcode::Sqrt},
    {"EX2", Opcode::Exp2}, {"LG2", Opcode::Log2},
};

/// Products that are added up: how many components.
struct DotRow {
  StringLiteral name;
  unsigned components;
};

constexpr DotRow DotRows[] = {{"DP2", 2}, {"DP3", 3}, {"DP4", 4}};

} // namespace

Expected<TgsiOperand> Reader::operand(StringRef text) const {
  static const Regex pattern("^(-?)(\\|?)([A-Z]+)\\[([0-9]+)\\](\\.([xyzw]+))?\\|?$");
  SmallVector<StringRef, 7> parts;
  if (!pattern.match(text.trim(), &parts))
    return unsupported("TGSI operand '" + text.trim() + "'");
  TgsiOperand result;
  result.isNegated = !parts[1].empty();
  result.isAbsolute = !parts[2].empty();
  result.file = parts[3].str();
  constexpr unsigned limit = 4096;
  if (parts[4].getAsInteger(10, result.index) || result.index >= limit)
    return invalidInput("register number " + parts[4]);
  StringRef letters = parts[6];
  if (letters.empty())
    return result;
  result.writeMask = 0;
  for (unsigned i = 0; i < Components; ++i) {
    // A swizzle of one letter is of all components.
    size_t component = StringRef("xyzw").find(letters[std::min<size_t>(i, letters.size() - 1)]);
    result.swizzle[i] = unsigned(component);
    if (i < letters.size())
      result.writeMask |= 1U << component;
  }
  return result;
}

Register Reader::readPlace(const Place &place) {
  auto found = m_state.find(place);
  if (found != m_state.end())
    return found->second;
  if (place.first != "IN")
    return Register::undefined();
  Instruction *input = m_program->createInstruction(Opcode::MetaInput);
  input->dst().flags = registerflag::Ssa;
  input->fields.index = int32_t(place.second);
  Block &entry = m_program->entry();
  // After the other inputs.
  entry.insertAtStart(input);
  Register value = input->value();
  m_state[place] = value;
  for (Branch &branch : m_branches)
    branch.before.emplace(place, value);
  return value;
}

Register Reader::read(const TgsiOperand &operand, unsigned component) {
  unsigned part = operand.swizzle[component];
  Register value;
  if (operand.file == "CONST") {
    value = Register::constant(Components * operand.index + part);
    m_constants = std::max(m_constants, operand.index + 1);
  } else if (operand.file == "IMM") {
    bool isKnown = operand.index < m_immediates.size();
    value = Register::immediate(isKnown ? m_immediates[operand.index][part] : 0);
  } else {
    value = readPlace({operand.file, Components * operand.index + part});
  }
  if (operand.isAbsolute)
    value.flags |= registerflag::Absolute;
  if (operand.isNegated)
    value.flags ^= registerflag::Negate;
  return value;
}

void Reader::write(const TgsiOperand &operand, unsigned component, Register value, bool saturates) {
  if (saturates) {
    Instruction *clamped = m_builder->create(Opcode::AbsnegF, {value});
    clamped->fields.saturate = 1;
    value = clamped->value();
  } else if (value.is(registerflag::Negate | registerflag::Absolute)) {
    value = emit(Opcode::AbsnegF, {value});
  }
  m_state[{operand.file, Components * operand.index + component}] = value;
  if (operand.file == "OUT")
    m_outputs = std::max(m_outputs, operand.index + 1);
}

Error Reader::compute(StringRef name, ArrayRef<TgsiOperand> operands, bool saturates) {
  const TgsiOperand &dst = operands[0];
  SmallVector<std::pair<unsigned, Register>, Components> results;
  const auto *row =
      find_if(ComponentRows, [&](const ComponentRow &each) { return each.name == name; });
  const auto *scalar =
      find_if(ScalarRows, [&](const ScalarRow &each) { return each.name == name; });
  const auto *dot = find_if(DotRows, [&](const DotRow &each) { return each.name == name; });
  size_t needed = row != std::end(ComponentRows) ? row->operands : dot != std::end(DotRows) ? 2 : 1;
  bool isKnown = name == "MOV" || row != std::end(ComponentRows) ||
                 scalar != std::end(ScalarRows) || dot != std::end(DotRows);
  if (!isKnown)
    return unsupported("TGSI instruction " + name);
  if (operands.size() != needed + 1)
    return invalidInput(name + " needs " + Twine(needed) + " operands");
  std::optional<Register> same;
  if (scalar != std::end(ScalarRows))
    same = emit(scalar->opcode, {read(operands[1], 0)});
  if (dot != std::end(DotRows)) {
    same = emit(Opcode::MulF, {read(operands[1], 0), read(operands[2], 0)});
    for (unsigned i = 1; i < dot->components; ++i)
      same = emit(Opcode::MadF32, {read(operands[1], i), read(operands[2], i), *same});
  }
  for (unsigned i = 0; i < Components; ++i) {
    if (!(dst.writeMask >> i & 1))
      continue;
    Values values;
    for (const TgsiOperand &source : operands.drop_front())
      if (!same)
        values.push_back(read(source, i));
    Register value = same ? *same : name == "MOV" ? values[0] : row->emit(*this, values);
    results.emplace_back(i, value);
  }
  // All operands are read before the result is written.
  for (auto [component, value] : results)
    write(dst, component, value, saturates);
  return Error::success();
}

void Reader::beginIf(const TgsiOperand &condition, bool isInteger) {
  Instruction *predicate = m_builder->compare(isInteger ? Opcode::CmpsU : Opcode::CmpsF, Ne,
                                              read(condition, 0), Register::immediate(0));
  Block *start = m_builder->block(), *then = m_program->createBlock();
  m_builder->branch(predicate->value(), then, nullptr);
  m_branches.push_back({start, nullptr, m_state, nullptr, {}});
  m_builder->setBlock(then);
}

/// The else side begins with the values at IF. An IF without ELSE is given an empty one by endIf().
Error Reader::beginElse() {
  if (m_branches.empty() || m_branches.back().thenEnd)
    return invalidInput("ELSE without IF");
  Branch &branch = m_branches.back();
  branch.thenEnd = m_builder->block();
  branch.afterThen = std::move(m_state);
  m_state = branch.before;
  branch.otherStart = m_program->createBlock();
  branch.start->successors[1] = branch.otherStart;
  m_builder->setBlock(branch.otherStart);
  return Error::success();
}

/// Places that differ get a phi.
Error Reader::endIf() {
  if (m_branches.empty())
    return invalidInput("ENDIF without IF");
  if (!m_branches.back().thenEnd)
    if (Error error = beginElse())
      return error;
  Branch branch = std::move(m_branches.back());
  m_branches.pop_back();
  Block *otherEnd = m_builder->block(), *join = m_program->createBlock();
  m_builder->jump(join);
  m_builder->setBlock(branch.thenEnd);
  m_builder->jump(join);
  m_builder->setBlock(join);
  for (auto &[place, value] : branch.afterThen)
    m_state.emplace(place, place.first == "IN" ? value : Register::undefined());
  for (auto &[place, value] : m_state) {
    auto found = branch.afterThen.find(place);
    Register then = found == branch.afterThen.end()
                        ? (place.first == "IN" ? value : Register::undefined())
                        : found->second;
    bool isSame = then.flags == value.flags && then.def == value.def &&
                  then.number == value.number && then.value == value.value;
    if (isSame)
      continue;
    Instruction *phi = m_builder->phi();
    Builder::addPhiSource(phi, then, branch.thenEnd);
    Builder::addPhiSource(phi, value, otherEnd);
    value = phi->value();
  }
  return Error::success();
}

/// A value that is in several outputs is copied for all but the last of them.
void Reader::end() {
  SmallVector<Register, 16> outputs;
  for (unsigned i = 0; i < Components * m_outputs; ++i)
    outputs.push_back(readPlace({"OUT", i}));
  for (size_t i = 0; i < outputs.size(); ++i) {
    bool isAgain = any_of(drop_begin(outputs, i + 1), [&](const Register &other) {
      return other.isSsa() && other.def == outputs[i].def;
    });
    if (isAgain || !outputs[i].isSsa())
      outputs[i] = m_builder->move(outputs[i], F32, F32)->value();
  }
  m_builder->end(outputs);
  m_hasEnded = true;
}

Error Reader::declare(StringRef rest) {
  static constexpr StringLiteral Files[] = {"IN", "OUT", "TEMP", "CONST"};
  StringRef file = rest.take_while([](char c) { return isUpper(c); });
  if (!is_contained(Files, file))
    return unsupported("TGSI declaration of '" + rest + "'");
  return Error::success();
}

Error Reader::declareImmediate(StringRef rest) {
  auto [head, tail] = rest.split('{');
  if (!head.contains("FLT32"))
    return unsupported("TGSI immediates of another type than FLT32");
  SmallVector<StringRef, Components> texts;
  tail.split('}').first.split(texts, ',');
  std::array<uint32_t, Components> &values = m_immediates.emplace_back();
  for (size_t i = 0; i < std::min<size_t>(texts.size(), Components); ++i) {
    double value = 0;
    if (texts[i].trim().getAsDouble(value))
      return invalidInput("immediate '" + texts[i].trim() + "'");
    values[i] = bit_cast<uint32_t>(float(value));
  }
  return Error::success();
}

Error Reader::flow(StringRef name, ArrayRef<TgsiOperand> operands) {
  if (name == "ELSE")
    return beginElse();
  if (name == "ENDIF")
    return endIf();
  if (name == "END") {
    if (!m_branches.empty())
      return invalidInput("END inside of IF");
    end();
    return Error::success();
  }
  if (operands.size() != 1)
    return invalidInput(name + " needs one operand");
  beginIf(operands[0], name == "UIF");
  return Error::success();
}

Error Reader::instruction(StringRef line) {
  auto [name, rest] = line.split(' ');
  bool saturates = name.consume_back("_SAT");
  SmallVector<TgsiOperand, 4> operands;
  SmallVector<StringRef, 4> texts;
  rest.split(texts, ',', -1, /*KeepEmpty=*/false);
  static constexpr StringLiteral Flow[] = {"IF", "UIF", "ELSE", "ENDIF", "END"};
  bool isFlow = is_contained(Flow, name);
  for (StringRef text : texts) {
    if (text.trim().starts_with(":"))
      continue; // The label of a branch.
    Expected<TgsiOperand> each = operand(text.split(" :").first);
    if (!each)
      return each.takeError();
    operands.push_back(std::move(*each));
  }
  if (isFlow)
    return flow(name, operands);
  if (operands.empty())
    return unsupported("TGSI instruction " + name);
  return compute(name, operands, saturates);
}

Error Reader::readLine(StringRef line) {
  if (line == "VERT" || line == "FRAG" || line == "COMP") {
    if (m_program)
      return invalidInput("a second '" + line + "'");
    ShaderStage stage = line == "VERT"   ? ShaderStage::Vertex
                        : line == "FRAG" ? ShaderStage::Fragment
                                         : ShaderStage::Compute;
    m_program = std::make_unique<Program>(m_compiler, stage);
    m_builder.emplace(*m_program, m_program->createBlock());
    return Error::success();
  }
  if (!m_program || m_hasEnded)
    return invalidInput("'" + line + "' is outside of the shader");
  if (line.consume_front("DCL "))
    return declare(line);
  if (line.consume_front("IMM"))
    return declareImmediate(line);
  if (line.consume_front("PROPERTY "))
    return unsupported("TGSI property " + line);
  size_t digits = line.find_first_not_of("0123456789");
  if (digits != StringRef::npos && digits && line[digits] == ':')
    line = line.drop_front(digits + 1).ltrim();
  return instruction(line);
}

/// The program, with the const file as large as the highest constant that is read. Errors name the
/// line.
Expected<std::unique_ptr<Program>> Reader::run() {
  SmallVector<StringRef, 32> lines;
  m_text.split(lines, '\n');
  for (auto [number, line] : enumerate(lines))
    if (!line.trim().empty())
      if (Error error = readLine(line.trim()))
        return addContext(std::move(error), "line " + Twine(number + 1));
  if (!m_hasEnded)
    return invalidInput("TGSI text without END");
  m_program->constDwords = Components * m_constants;
  m_program->updatePredecessors();
  return std::move(m_program);
}

Expected<std::unique_ptr<Program>> readTgsi(StringRef text, const Compiler &compiler) {
  return Reader(text, compiler).run();
}

} // namespace assay::ir3
