// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir3_isa/Codec.h"

#include "oracles/machine/ir3_isa/Slots.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Whether the field of \p condition has (or, where it says so, does not have) the value of a
/// constant or of another field.
static bool holds(const Inst &inst, const TextCondition &condition) {
  uint32_t value = condition.other == Field::Count ? condition.value : inst.get(condition.other);
  return (inst.get(condition.field) == value) == condition.equal;
}

/// The text that \p inst is printed with; null when it has none.
static const Text *textOf(const Inst &inst) {
  for (const Text &text : inst.form().texts)
    if (all_of(text.conditions,
               [&](const TextCondition &condition) { return holds(inst, condition); }))
      return &text;
  return nullptr;
}

/// Whether \p inst has a text and each slot of it accepts its bits. Slots without a check accept
/// all.
static bool isMeaningful(const Inst &inst) {
  const Text *text = textOf(inst);
  if (!text)
    return false;
  return all_of(text->pieces, [&](const TextPiece &piece) {
    return !piece.kind || !piece.kind->valid || piece.kind->valid(inst, piece);
  });
}

Inst adreno::decode(uint64_t word, Chip chip) {
  const Form *found = nullptr;
  for (const Form *form : IsaTable::of(chip).candidates(word)) {
    if ((word ^ form->value) & form->mask)
      continue;
    if (found)
      return {};
    found = form;
  }
  if (!found)
    return {};
  Inst inst(*found, chip, word);
  return isMeaningful(inst) ? inst : Inst();
}

std::string adreno::print(const Inst &inst) {
  std::string out;
  raw_string_ostream os(out);
  for (const TextPiece &piece : textOf(inst)->pieces) {
    if (piece.kind)
      piece.kind->print(os, inst, piece);
    else
      os << piece.letters;
  }
  return out;
}

std::string adreno::printWord(uint64_t word, Chip chip) {
  Inst inst = decode(word, chip);
  if (inst.isValid())
    return print(inst);
  return "raw 0x" + utohexstr(word, /*LowerCase=*/false, 16);
}

/// Letters of a text: white space after a comma may be missing, other must be there.
static bool takeLetters(Cursor &cursor, StringRef letters) {
  bool afterComma = false;
  for (char c : letters) {
    if (c == ' ') {
      if (!afterComma && !cursor.rest().starts_with(" ") && !cursor.rest().starts_with("\t"))
        return false;
      cursor.skipSpace();
    } else if (c == ',' || c == ']' || c == ')' || c == '[') {
      if (!cursor.take(StringRef(&c, 1)))
        return false;
    } else if (!cursor.takeHere(StringRef(&c, 1))) {
      return false;
    }
    afterComma = c == ',';
  }
  return true;
}

/// Sets the fields that the conditions of \p text want to have one value.
static void presetFields(Inst &inst, const Text &text) {
  for (const TextCondition &condition : text.conditions)
    if (condition.equal && condition.other == Field::Count)
      inst.set(condition.field, condition.value);
}

/// Parses one text of one row into \p state. Fails at the first piece that does not fit, on text
/// left over, on register widths that the row cannot have, and when the fields contradict the
/// conditions of \p text. On failure the cursor is where parsing ended.
static bool parsePieces(ParseState &state, const Text &text) {
  presetFields(state.inst, text);
  for (const TextPiece &piece : text.pieces)
    if (piece.kind ? !piece.kind->parse(state, piece) : !takeLetters(state.cursor, piece.letters))
      return false;
  if (!state.cursor.atEnd() || !finishWidths(state))
    return false;
  return all_of(text.conditions,
                [&](const TextCondition &condition) { return holds(state.inst, condition); });
}

/// Returns the distance to a label, in instructions from the one being parsed; nullopt when it is
/// unknown.
using LabelFinder = function_ref<std::optional<int64_t>(StringRef)>;

/// Tries every text of every row and returns the first whose encoding decodes again. The error
/// names the furthest place that any text reached. \p label may be null: then labels are refused.
static Expected<Inst> parseWith(StringRef text, Chip chip, LabelFinder label) {
  Cursor start(text.trim());
  ParseState::Flags flags = parseFlags(start);
  start.skipSpace();
  StringRef furthest = start.rest();
  bool knowsName = false;
  for (const Form *form : IsaTable::of(chip).forms()) {
    for (const Text &candidate : form->texts) {
      ParseState state{start, Inst(*form, chip), flags, {}, {}, {}};
      state.label = label;
      bool isFine = parsePieces(state, candidate);
      if (isFine && decode(state.inst.word(), chip).isValid())
        return state.inst;
      knowsName |= state.cursor.rest().size() < start.rest().size();
      if (state.cursor.rest().size() < furthest.size())
        furthest = state.cursor.rest();
    }
  }
  if (!knowsName)
    return invalidInput("unknown instruction '" + Cursor(start).takeName() + "' of " +
                        factsOf(chip).name);
  if (furthest.empty())
    return invalidInput("operands of '" + text.trim() + "' are missing, or cannot be encoded for " +
                        factsOf(chip).name);
  return invalidInput("cannot read '" + text.trim() + "' at '" + furthest + "'");
}

Expected<Inst> adreno::parse(StringRef text, Chip chip) {
  return parseWith(text, chip, nullptr);
}

namespace {

/// A line of a program without comment, label and white space.
struct Line {
  unsigned number;
  StringRef text;
};

} // namespace

/// Removes a comment that begins with ';' or "//", and white space at both ends.
static StringRef withoutComment(StringRef line) {
  line = line.take_front(std::min(line.find(';'), line.find("//")));
  return line.trim();
}

/// "loop:" at the start of \p text; taken from it.
static StringRef takeLabel(StringRef &text) {
  StringRef name = text.take_while([](char c) { return isAlnum(c) || c == '_'; });
  StringRef rest = text.drop_front(name.size()).ltrim();
  if (name.empty() || !rest.consume_front(":"))
    return "";
  text = rest.trim();
  return name;
}

/// Line numbers begin at 1.
static Error addContextOfLine(Error error, unsigned line) {
  return addContext(std::move(error), "line " + Twine(line));
}

/// Returns the word of one line without labels: an instruction, or the 64 bits after "raw".
static Expected<uint64_t> assembleLine(StringRef text, Chip chip, LabelFinder label) {
  StringRef digits = text;
  if (digits.consume_front("raw ")) {
    uint64_t word = 0;
    digits = digits.trim();
    if ((!digits.consume_front("0x") && !digits.consume_front("0X")) ||
        digits.getAsInteger(16, word))
      return invalidInput("'raw' needs a hexadecimal number of at most 64 bits");
    return word;
  }
  Expected<Inst> inst = parseWith(text, chip, label);
  if (!inst)
    return inst.takeError();
  return inst->word();
}

Expected<std::vector<uint64_t>> adreno::assemble(StringRef text, Chip chip) {
  std::vector<Line> lines;
  StringMap<int64_t> labels;
  unsigned number = 0;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    text = rest;
    ++number;
    StringRef line = withoutComment(first);
    for (StringRef label = takeLabel(line); !label.empty(); label = takeLabel(line))
      if (!labels.try_emplace(label, int64_t(lines.size())).second)
        return addContextOfLine(invalidInput("label '" + label + "' is there already"), number);
    if (!line.empty())
      lines.push_back({number, line});
  }
  std::vector<uint64_t> words;
  for (const Line &line : lines) {
    auto find = [&](StringRef name) -> std::optional<int64_t> {
      auto found = labels.find(name);
      if (found == labels.end())
        return std::nullopt;
      return found->second - int64_t(words.size());
    };
    Expected<uint64_t> word = assembleLine(line.text, chip, find);
    if (!word)
      return addContextOfLine(word.takeError(), line.number);
    words.push_back(*word);
  }
  return words;
}

/// The number of the instruction that the branch \p inst at \p index goes to, when it is inside.
static std::optional<size_t> targetOf(const Inst &inst, size_t index, size_t count) {
  const Text *text = textOf(inst);
  if (!any_of(text->pieces,
              [](const TextPiece &piece) { return piece.kind && piece.kind->name == "target"; }))
    return std::nullopt;
  int64_t target = int64_t(index) + inst.getSigned(Field::Immediate);
  return target >= 0 && target < int64_t(count) ? std::optional(size_t(target)) : std::nullopt;
}

std::string adreno::disassemble(ArrayRef<uint64_t> words, Chip chip) {
  std::vector<bool> isTarget(words.size());
  for (auto [index, word] : enumerate(words))
    if (Inst inst = decode(word, chip); inst.isValid())
      if (std::optional<size_t> target = targetOf(inst, index, words.size()))
        isTarget[*target] = true;
  std::string out;
  raw_string_ostream os(out);
  for (auto [index, word] : enumerate(words)) {
    if (isTarget[index])
      os << 'l' << index << ":\n";
    Inst inst = decode(word, chip);
    std::string text = printWord(word, chip);
    std::optional<size_t> target =
        inst.isValid() ? targetOf(inst, index, words.size()) : std::nullopt;
    if (target)
      os << StringRef(text).take_front(text.rfind('#') + 1) << 'l' << *target << '\n';
    else
      os << text << '\n';
  }
  return out;
}
