// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/syncs/OperandText.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::syncs;

namespace {

/// "(neg)(r)hr3.y" taken apart.
struct RegisterText {
  RegisterUse use;
  bool repeats = false;
};

/// Operands, or the parts of a name between dots.
using Words = SmallVector<StringRef, 8>;

/// Reads one text from its beginning to its end.
class Reader {
public:
  Reader(StringRef text, unsigned category) : m_rest(text) { m_inst.category = category; }
  TextInst read();

private:
  /// "(sy)(ss)(jp)(rpt1)".
  void takeFlags();
  /// What follows the name.
  void splitOperands();
  /// Adds \p count registers from \p operand on. Adds nothing for an operand that is not a
  /// register.
  void add(StringRef operand, bool writes, unsigned count = 1);
  /// Categories 1 to 4.
  void addAlu();
  /// Category 5.
  void addTexture();
  /// Category 6.
  void addMemory();
  /// ldib.b, stib.b, atomic.b, resinfo.b.
  void addBound(const Words &name);
  /// All else of category 6.
  void addPlain(const Words &name);
  /// Category 0: predicates.
  void addFlow();
  /// alias.tex of category 7.
  void addAlias();
  /// What is in brackets.
  void addAddress(StringRef operand, unsigned firstCount);
  /// Registers that are loaded or stored.
  void addData(StringRef operand, bool writes, unsigned count);
  /// The last operand: how many components.
  unsigned lastNumber() const;
  /// Empty beyond the last.
  StringRef operand(unsigned index) const {
    return index < m_operands.size() ? m_operands[index] : StringRef();
  }

  TextInst m_inst;
  StringRef m_rest;
  Words m_operands;
};

} // namespace

/// The digits that \p text begins with; 0: none.
static unsigned numberIn(StringRef text) {
  unsigned number = 0;
  (void)text.take_while([](char c) { return c >= '0' && c <= '9'; }).getAsInteger(10, number);
  return number;
}

/// Nothing for what is no register.
static std::optional<RegisterText> parseRegister(StringRef text) {
  RegisterText result;
  while (text.consume_front("(")) {
    auto [flag, rest] = text.split(')');
    result.repeats |= flag == "r";
    text = rest;
  }
  result.use.half = text.consume_front("h");
  size_t component = text.size() >= 2 ? StringRef("xyzw").find(text.back()) : StringRef::npos;
  if (component == StringRef::npos || text[text.size() - 2] != '.' || text.contains('<'))
    return std::nullopt;
  unsigned number = 4 * numberIn(text.drop_front()) + unsigned(component);
  switch (text.front()) {
  case 'r':
    if (number >= 4 * 61 || number == 4 * 63)
      return std::nullopt;
    result.use.file = number >= 4 * 48 ? TextFile::Shared : TextFile::Gpr;
    break;
  case 'a':
    result.use.file = number / 4 ? TextFile::Address1 : TextFile::Address;
    break;
  case 'p':
    result.use.file = TextFile::Predicate;
    break;
  case 'c':
    result.use.file = TextFile::Const;
    break;
  default:
    return std::nullopt;
  }
  result.use.number = uint16_t(number);
  return result;
}

/// Flags may be in any order. Flags that have no member here are skipped.
void Reader::takeFlags() {
  while (m_rest.consume_front("(")) {
    auto [flag, rest] = m_rest.split(')');
    m_rest = rest;
    m_inst.ss |= flag == "ss";
    m_inst.sy |= flag == "sy";
    if (flag.consume_front("rpt"))
      m_inst.repeat = numberIn(flag);
    if (flag.consume_front("nop"))
      m_inst.nops = numberIn(flag);
    m_rest = m_rest.ltrim();
  }
}

/// At commas outside of brackets.
void Reader::splitOperands() {
  unsigned depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= m_rest.size(); ++i) {
    char c = i < m_rest.size() ? m_rest[i] : ',';
    depth += c == '(' || c == '[' || (c == '<' && !m_rest.substr(i).starts_with("<<"));
    depth -= depth && (c == ')' || c == ']' || c == '>');
    if (c != ',' || (depth && i < m_rest.size()))
      continue;
    StringRef word = m_rest.slice(begin, i).trim();
    if (!word.empty())
      m_operands.push_back(word);
    begin = i + 1;
  }
}

void Reader::add(StringRef operand, bool writes, unsigned count) {
  m_inst.usesRelative |= operand.contains("r<a0");
  if (operand.contains("<a0")) {
    RegisterUse address;
    address.file = TextFile::Address;
    m_inst.uses.push_back(address);
    if (operand.contains("c<")) {
      address.file = TextFile::Const;
      m_inst.uses.push_back(address);
    }
    return;
  }
  std::optional<RegisterText> found = parseRegister(operand);
  for (unsigned i = 0; found && i < count; ++i) {
    RegisterUse use = found->use;
    use.writes = writes;
    use.number = uint16_t(use.number + i);
    m_inst.uses.push_back(use);
  }
}

/// Categories 1 to 4: the result, then sources, each in the steps of (rptN).
void Reader::addAlu() {
  // A register for each 32 fibers, one after the other.
  StringRef width = m_inst.name;
  if (width.consume_front("movmsk.w"))
    m_inst.repeat = numberIn(width) / 32 - (numberIn(width) >= 32);
  bool gathers = m_inst.name.starts_with("gat."), scatters = m_inst.name.starts_with("sct."),
       swaps = m_inst.name.starts_with("swz.");
  if (gathers || scatters || swaps) {
    unsigned results = gathers ? 1 : swaps ? 2 : 4;
    for (auto [index, word] : enumerate(m_operands)) {
      bool isGroup = (gathers && index == 0) || (scatters && index == 4);
      size_t first = m_inst.uses.size();
      add(word, index < results, isGroup ? 4 : 1);
      for (size_t i = first; i < m_inst.uses.size(); ++i)
        m_inst.uses[i].step = uint8_t(isGroup ? i - first
                                      : swaps ? index % 2
                                              : (index - gathers) % 4);
    }
    return;
  }
  for (unsigned step = 0; step <= m_inst.repeat; ++step)
    for (auto [index, word] : enumerate(m_operands)) {
      std::optional<RegisterText> found = parseRegister(word);
      size_t first = m_inst.uses.size();
      add(word, index == 0);
      if (first == m_inst.uses.size())
        continue;
      RegisterUse &use = m_inst.uses[first];
      use.step = uint8_t(step);
      if (found && (index == 0 || found->repeats))
        use.number = uint16_t(use.number + step);
      use.isThird = m_inst.category == 3 && index == 3;
    }
}

/// Registers of the first source: coordinates, what is compared, the layer, gradients.
static unsigned countCoordinates(StringRef name, const Words &tokens) {
  auto has = [&](StringRef token) { return is_contained(tokens, token); };
  unsigned coordinates = 2 + has("3d");
  if (name == "getsize" || name == "dsx" || name == "dsy" || name.starts_with("quad_shuffle") ||
      name == "brcst")
    return 1;
  if (name == "getlod")
    return coordinates;
  if (name.starts_with("samg"))
    return 4 + 2 * coordinates;
  bool isLoad = name.starts_with("isam");
  if (isLoad && has("v")) // Of buffers alone: one coordinate (Mesa, ir3_a6xx.c, load_ssbo).
    return 1;
  return coordinates + has("a") + (!isLoad && has("s"));
}

/// "(f32)(xyz)r0.x", coordinates, then more and the descriptor.
void Reader::addTexture() {
  Words tokens;
  m_inst.name.split(tokens, '.');
  StringRef name = tokens.front();
  auto has = [&](StringRef token) { return is_contained(tokens, token); };
  StringRef result = operand(0);
  StringRef mask;
  while (result.consume_front("(")) {
    mask = result.split(')').first;
    result = result.split(')').second;
  }
  for (char c : mask)
    if (std::optional<RegisterText> found = parseRegister(result)) {
      found->use.writes = true;
      found->use.number = uint16_t(found->use.number + StringRef("xyzw").find(c));
      m_inst.uses.push_back(found->use);
    }
  unsigned next = 1;
  if (name != "getinfo" && name != "getbuf") {
    size_t first = m_inst.uses.size();
    add(operand(next++).split('+').first, false, countCoordinates(name, tokens));
    // Buffers have one coordinate, and .1d is not on their loads alone.
    for (size_t i = first + 1; i < m_inst.uses.size(); ++i)
      m_inst.uses[i].isMaybe = name == "isam" && has("1d");
  }
  bool hasLevel = name == "saml" || name == "samb" || name == "isaml" || name == "quad_shuffle";
  bool isBroadcast = name == "quad_shuffle" && has("brcst");
  if (has("o") || (hasLevel && (name != "quad_shuffle" || isBroadcast)))
    add(operand(next++), false, (has("o") ? 2 + has("3d") : 0) + hasLevel);
  for (; next < m_operands.size(); ++next) {
    bool isPair = has("s2en") && name != "getsize" && name != "getinfo" && name != "getbuf";
    add(operand(next), false, operand(next) != "a1.x" && isPair ? 2 : 1);
  }
}

unsigned Reader::lastNumber() const {
  return m_operands.empty() ? 0 : numberIn(m_operands.back());
}

/// "g[r1.x+(r0.y+1)<<2]": the first register has \p firstCount, others one.
void Reader::addAddress(StringRef operand, unsigned firstCount) {
  StringRef inside = operand.split('[').second.split(']').first;
  bool isFirst = true;
  SmallVector<StringRef, 6> words;
  while (!inside.empty()) {
    size_t end = inside.find_first_of("+-()<> ");
    StringRef word = inside.take_front(end);
    inside = inside.drop_front(std::min(inside.size(), word.size() + 1));
    if (!parseRegister(word))
      continue;
    add(word, false, isFirst ? firstCount : 1);
    isFirst = false;
  }
}

/// "ldib.b.typed.2d.f32.4.imm.base0": dimensions, type and count.
void Reader::addBound(const Words &name) {
  bool isAtomic = name[0] == "atomic";
  unsigned at = isAtomic ? 3 : 2;
  unsigned dimensions = numberIn(name[at + 1]), count = numberIn(name[at + 3]);
  bool isImmediate = is_contained(name, "imm");
  if (!isImmediate)
    add(m_operands.back(), false);
  if (name[0] == "resinfo")
    return add(operand(0), true, 3);
  StringRef coordinates = operand(1).split('+').first;
  if (name[0] == "stib") {
    add(operand(0), false, count);
    return add(coordinates, false, dimensions);
  }
  add(coordinates, false, dimensions);
  unsigned pair = is_contained(name, "u64") ? 2 : 1;
  if (isAtomic)
    add(operand(0), false, pair * (name[2] == "cmpxchg" ? 3 : 2));
  add(operand(0), true, isAtomic ? pair : count);
}

/// Data of a load or a store: of a type with less than 32 bits in half registers, which the text
/// does not always say ("stl.u16 l[r1.x], r3.x, 4" stores hr3.x to hr3.w).
void Reader::addData(StringRef operand, bool writes, unsigned count) {
  static constexpr StringLiteral Narrow[] = {".u8", ".s8", ".u16", ".s16", ".f16"};
  size_t first = m_inst.uses.size();
  add(operand, writes, count);
  bool isNarrow = any_of(Narrow, [&](StringRef type) { return m_inst.name.contains(type); });
  for (size_t i = first; i < m_inst.uses.size(); ++i)
    m_inst.uses[i].half |= isNarrow;
}

/// By the first word of the name. What comes back is added last.
void Reader::addPlain(const Words &name) {
  StringRef kind = name[0];
  auto has = [&](StringRef token) { return is_contained(name, token); };
  if (kind == "atomic") {
    bool isGlobal = has("g");
    bool compares = has("cmpxchg");
    isGlobal ? add(operand(1), false, 2) : addAddress(operand(1), 1);
    add(operand(2), false, compares ? 2 : 1);
    return add(operand(0), true);
  }
  if (kind == "ldc" && has("k")) {
    RegisterUse constants;
    constants.file = TextFile::Const;
    constants.writes = true;
    add("a1.x", false);
    add(operand(1), false);
    if (!has("imm"))
      add(operand(2), false);
    m_inst.uses.push_back(constants);
    return;
  }
  if (kind == "ldc") {
    add(operand(1), false);
    if (!has("imm"))
      add(operand(2), false);
    // "ldc.offset1.2.imm.base0", also with "u" before.
    const auto *offset = find_if(name, [](StringRef token) { return token.starts_with("offset"); });
    return add(operand(0), true, numberIn(offset[1]));
  }
  if (kind == "stc" || kind == "stsc") {
    if (kind == "stc")
      add(operand(1), false, lastNumber());
    if (operand(0).contains("a1.x"))
      add("a1.x", false);
    RegisterUse constants;
    constants.file = TextFile::Const;
    constants.writes = true;
    m_inst.uses.push_back(constants);
    return;
  }
  if (kind == "shfl") {
    add(operand(1), false);
    add(operand(2), false);
    return add(operand(0), true);
  }
  bool isGlobal = kind.ends_with("g");
  if (kind.starts_with("ld")) {
    addAddress(operand(1), isGlobal ? 2 : 1);
    return addData(operand(0), true, lastNumber());
  }
  if (kind.starts_with("st")) {
    addAddress(operand(0), isGlobal ? 2 : 1);
    return addData(operand(1), false, lastNumber());
  }
  add(operand(0), true); // getfiberid and the like.
}

/// Names with .b have a descriptor.
void Reader::addMemory() {
  Words name;
  m_inst.name.split(name, '.');
  bool isBound = name.size() > 3 && name[1] == "b";
  isBound ? addBound(name) : addPlain(name);
}

/// "!p0.x, #2". predt and predf read p0.x, which their text leaves out.
void Reader::addFlow() {
  for (StringRef word : m_operands) {
    word.consume_front("!");
    add(word, false);
  }
  if (m_inst.name == "predt" || m_inst.name == "predf")
    if (m_operands.empty())
      add("p0.x", false);
}

/// "r1.w, r3.w", "r40.x, (0x0)": what is replaced, and by what.
void Reader::addAlias() {
  std::optional<RegisterText> replaced = parseRegister(operand(0)), source;
  if (!replaced)
    return;
  source = parseRegister(operand(1));
  TextAlias &alias = m_inst.alias.emplace();
  alias.replaced = replaced->use;
  if (source && source->use.file != TextFile::Const)
    alias.source = source->use;
}

/// By the name: what Mesa waits for (ir3.h, is_ss_producer and is_sy_producer).
static Wait waitOf(const TextInst &inst) {
  static constexpr StringLiteral BySs[] = {"ldl",        "ldlw",    "ldlv",   "shfl", "resinfo",
                                           "getfiberid", "getspid", "getwid", "stc",  "stsc"};
  static constexpr StringLiteral ByNothing[] = {"stg", "stl", "stp", "stlw", "stib"};
  StringRef first = inst.name.split('.').first;
  switch (inst.category) {
  case 1:
  case 2:
  case 3:
    return Wait::Slots;
  case 4:
    return Wait::Ss;
  case 5:
    return Wait::Sy;
  case 6:
    if (is_contained(ByNothing, first))
      return Wait::None;
    if (is_contained(BySs, first) || (first == "atomic" && inst.name.ends_with(".l")))
      return Wait::Ss;
    return Wait::Sy;
  default:
    return Wait::None;
  }
}

/// Raw words have no uses.
TextInst Reader::read() {
  m_rest = m_rest.trim();
  takeFlags();
  m_inst.name = m_rest.take_until([](char c) { return c == ' '; });
  m_inst.isInstruction = m_inst.name != "raw" && !m_inst.name.empty();
  if (!m_inst.isInstruction)
    return m_inst;
  m_rest = m_rest.drop_front(m_inst.name.size());
  splitOperands();
  switch (m_inst.category) {
  case 0:
    addFlow();
    break;
  case 5:
    addTexture();
    break;
  case 6:
    addMemory();
    break;
  case 7:
    if (m_inst.name.starts_with("alias.tex"))
      addAlias();
    break;
  default:
    addAlu();
  }
  m_inst.result = waitOf(m_inst);
  return m_inst;
}

void syncs::applyAliases(TextInst &texture, ArrayRef<TextAlias> aliases) {
  SmallVector<RegisterUse, 12> uses;
  for (const RegisterUse &use : texture.uses) {
    const auto *alias = find_if(aliases, [&](const TextAlias &each) {
      const RegisterUse &replaced = each.replaced;
      return !use.writes && use.file == replaced.file && use.number == replaced.number &&
             use.half == replaced.half;
    });
    if (alias == aliases.end())
      uses.push_back(use);
    else if (alias->source)
      uses.push_back(*alias->source);
  }
  texture.uses = std::move(uses);
}

TextInst syncs::readText(StringRef text, unsigned category) {
  return Reader(text, category).read();
}
