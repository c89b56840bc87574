// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where turnip is installed: lines that are generated from the rows of the ir3 tables - each row
// with every pair of values of its fields - have the words that Mesa's assembler makes of them, and
// the text that Mesa's disassembler prints.
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

/// An instruction, and what the tables make of it.
struct Line {
  const Form *form;
  uint64_t printed; ///< The word whose text this is.
  std::string text;
  uint64_t word = 0; ///< What the text assembles to: texts do not show every bit.
};

class Ir3Lines : public testing::TestWithParam<const char *> {};

/// Lines that Mesa's assembler cannot read, or of which it makes another word.
struct Exception {
  StringLiteral what;
  bool (*covers)(const Inst &inst, StringRef text);
};

} // namespace

static bool hasOperand(const Inst &inst, Operand::File file) {
  return any_of(seq(0u, sourceCount(inst)), [&](unsigned index) {
    std::optional<Operand> operand = readSource(inst, index);
    return operand && operand->file == file;
  });
}

/// An immediate that the other kind of instructions has: a float of the table as an integer, or the
/// reverse.
static bool hasOtherImmediate(const Inst &inst, StringRef) {
  if (inst.category() != 2 && inst.category() != 4)
    return false;
  bool hasTable = inst.category() == 4 || inst.form().hasFlag(rowflags::FloatTable);
  return hasOperand(inst, hasTable ? Operand::File::Immediate : Operand::File::FloatTable);
}

/// (neg) or (r) of an operand that is not a register or constant by its number.
static bool hasModifiedOperand(const Inst &inst) {
  return any_of(seq(0u, sourceCount(inst)), [&](unsigned index) {
    std::optional<Operand> operand = readSource(inst, index);
    return operand && (operand->isRelative() || operand->file == Operand::File::Immediate) &&
           (operand->neg || operand->repeats);
  });
}

static bool isDerivative(const Inst &inst) {
  return inst.name().starts_with("dsxpp") || inst.name().starts_with("dsypp");
}

static constexpr Exception Exceptions[] = {
    {"an immediate of the other kind becomes one of the instruction's kind", hasOtherImmediate},
    {"msad, setrm, shb: an integer becomes a float of the table",
     [](const Inst &inst, StringRef) {
       return is_contained({"msad", "setrm", "shb"}, inst.name()) &&
              hasOperand(inst, Operand::File::Immediate);
     }},
    {"getlast always has width 8",
     [](const Inst &inst, StringRef text) {
       return inst.name() == "getlast" && !text.contains(".w8 ");
     }},
    {"type u8_32 is read as u8 and something else",
     [](const Inst &inst, StringRef text) {
       return inst.category() == 1 && text.contains("u8_32");
     }},
    {"an empty write mask becomes x",
     [](const Inst &, StringRef text) { return text.contains("()"); }},
    {"the width of a derivative's result is not read",
     [](const Inst &inst, StringRef) { return isDerivative(inst) && inst.hasHalfResult(); }},
    {"the disassembler prints (nop) and no (rptN) for dp2acc and dp4acc",
     [](const Inst &inst, StringRef) {
       return inst.name() == "dp2acc" || inst.name() == "dp4acc";
     }},
    {"resinfo of older chips becomes resinfo.b",
     [](const Inst &inst, StringRef) { return inst.name() == "resinfo"; }},
    {"descriptor mode 3 has no name",
     [](const Inst &inst, StringRef) { return inst.get(Field::Mode) == 3; }},
    {"conditions above ne have no name",
     [](const Inst &inst, StringRef) { return inst.get(Field::Condition) > 5; }},
    {"an atomic has registers alone",
     [](const Inst &inst, StringRef) {
       return inst.name().starts_with("atomic") &&
              (inst.get(Field::Src1Immediate) || inst.get(Field::Src2Immediate));
     }},
    {"no shr and no s of cache operations and sleep",
     [](const Inst &, StringRef text) {
       return text.ends_with(".shr") || text.ends_with("sleep.s");
     }},
    {"no wmm", [](const Inst &inst, StringRef) { return inst.name().starts_with("wmm"); }},
    {"no relative result of movmsk, and none with a rounding mode",
     [](const Inst &inst, StringRef) {
       return inst.get(Field::DstRelative) && (inst.name() == "movmsk" || inst.get(Field::Round));
     }},
    {"an immediate of 16 bits loses its upper bits",
     [](const Inst &inst, StringRef) {
       return inst.form().format->name == "move-immediate" && inst.hasHalfSources() &&
              inst.get(Field::Src1) > UINT16_MAX;
     }},
    {"the shifts with three sources have no modifiers of relative sources and of immediates",
     [](const Inst &inst, StringRef text) {
       return inst.form().format->name == "alu-shift" && hasModifiedOperand(inst);
     }},
    {"a float of the table as the first of two sources is taken for a full one",
     [](const Inst &inst, StringRef) {
       if (inst.category() != 2 || sourceCount(inst) != 2 || !inst.hasHalfSources())
         return false;
       std::optional<Operand> first = readSource(inst, 0);
       return first && first->file == Operand::File::FloatTable;
     }},
    {"a NaN is not read", [](const Inst &, StringRef text) { return text.contains("nan"); }},
    {"an offset is read where there are coordinates alone",
     [](const Inst &inst, StringRef) {
       return inst.get(Field::HasOffset) &&
              !(inst.form().row->flags & (rowflags::OneSource | rowflags::TwoSources));
     }},
};

static const Exception *exceptionOf(const Line &line, Chip chip) {
  Inst inst(*line.form, chip, line.printed);
  const Exception *found =
      find_if(Exceptions, [&](const Exception &each) { return each.covers(inst, line.text); });
  return found == std::end(Exceptions) ? nullptr : found;
}

/// Values of a field of \p bits bits that is neither a source of the ALU nor a flag: small numbers,
/// a register that is not r0.x, and the greatest.
static std::vector<uint32_t> valuesOfNumber(unsigned bits) {
  uint32_t greatest = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
  if (bits <= 3) {
    std::vector<uint32_t> values(greatest + 1);
    std::iota(values.begin(), values.end(), 0u);
    return values;
  }
  std::set<uint32_t> values = {0, 5, 12, greatest / 2, greatest / 2 + 1, greatest};
  values.erase(values.upper_bound(greatest), values.end());
  return {values.begin(), values.end()};
}

/// Operands of every kind that a source of categories 2 to 4 can be, each with each modifier.
static std::vector<Operand> operandKinds() {
  std::vector<Operand> operands;
  using File = Operand::File;
  for (File file : {File::Gpr, File::Const, File::Immediate, File::FloatTable, File::RelativeGpr,
                    File::RelativeConst})
    for (unsigned modifiers = 0; modifiers < 4; ++modifiers) {
      Operand &operand = operands.emplace_back();
      operand.file = file;
      operand.neg = modifiers & 1;
      operand.abs = modifiers & 2;
      operand.number = file == File::Const ? 37 : 9;
      operand.value = file == File::FloatTable ? 3 : 6;
    }
  operands.back().value = -11;
  return operands;
}

/// The bits that a source can have: operands of each kind, as \p index of \p form encodes them.
static std::vector<uint32_t> valuesOfSource(const Form &form, Chip chip, Field field,
                                            unsigned index) {
  std::set<uint32_t> values;
  for (const Operand &operand : operandKinds()) {
    Inst inst(form, chip);
    if (writeSource(inst, index, operand))
      values.insert(inst.get(field));
  }
  if (values.empty())
    return valuesOfNumber(form.places[unsigned(field)].bits());
  return {values.begin(), values.end()};
}

static std::vector<uint32_t> valuesOf(const Form &form, Chip chip, Field field) {
  if (field == Field::Immediate) // Of branches: what is inside of the text would be a label.
    return {1000, 123456, 0x7fffffff, 0x80000000, uint32_t(-1000)};
  bool isAlu = form.format->category >= 2 && form.format->category <= 4;
  if (isAlu && field >= Field::Src1 && field <= Field::Src3)
    return valuesOfSource(form, chip, field, unsigned(field) - unsigned(Field::Src1));
  return valuesOfNumber(form.places[unsigned(field)].bits());
}

static std::vector<Field> fieldsOf(const Form &form) {
  std::vector<Field> fields;
  for (unsigned i = 0; i < FieldCount; ++i)
    if (form.has(Field(i)))
      fields.push_back(Field(i));
  return fields;
}

/// The instruction that others are made of: with different plain registers, and what the texts of
/// its row need.
static std::optional<Inst> baseOf(const Form &form, Chip chip) {
  std::mt19937_64 random(form.value ^ form.mask);
  for (unsigned attempt = 0; attempt < 4096; ++attempt) {
    Inst inst(form, chip);
    if (form.has(Field::Full))
      inst.set(Field::Full, 1);
    if (form.has(Field::Dst))
      inst.set(Field::Dst, 20);
    inst.set(Field::Immediate, 1000);
    if (attempt) // Some rows need more than registers: a random one that is an instruction.
      inst = Inst(form, chip, (random() & form.fields & ~form.mask) | form.value);
    Inst decoded = decode(inst.word(), chip);
    if (decoded.isValid() && &decoded.form() == &form &&
        !errorToBool(parse(print(decoded), chip).takeError()))
      return decoded;
  }
  return std::nullopt;
}

/// Adds the instruction \p word when it is one of \p form.
static void addLine(const Form &form, Chip chip, uint64_t word, std::set<uint64_t> &seen,
                    std::vector<Line> &lines) {
  Inst inst = decode(word, chip);
  if (!inst.isValid() || &inst.form() != &form || inst.strayBits() || !seen.insert(word).second)
    return;
  lines.push_back({&form, word, print(inst)});
}

/// All pairs of values of fields, for each row of \p chip.
static std::vector<Line> makeLines(Chip chip) {
  std::vector<Line> lines;
  std::set<uint64_t> seen;
  for (const Form *form : IsaTable::of(chip).forms()) {
    std::optional<Inst> base = baseOf(*form, chip);
    if (!base) {
      ADD_FAILURE() << form->row->name.str() << " of " << form->format->name.str()
                    << " has no instruction";
      continue;
    }
    addLine(*form, chip, base->word(), seen, lines);
    std::vector<Field> fields = fieldsOf(*form);
    for (size_t i = 0; i < fields.size(); ++i)
      for (size_t k = i + 1; k < fields.size(); ++k)
        for (uint32_t first : valuesOf(*form, chip, fields[i]))
          for (uint32_t second : valuesOf(*form, chip, fields[k])) {
            Inst inst = *base;
            inst.set(fields[i], first);
            inst.set(fields[k], second);
            addLine(*form, chip, inst.word(), seen, lines);
          }
  }
  return lines;
}

static size_t lineCount() {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? 30'000 : 1'200;
}

/// \p count of \p lines, the same each time, of each row some.
static std::vector<Line> chooseLines(std::vector<Line> lines, size_t count) {
  std::mt19937_64 random(11);
  std::shuffle(lines.begin(), lines.end(), random);
  std::map<const Form *, size_t> taken;
  std::vector<std::pair<size_t, size_t>> order; // How many of its row are before it, index.
  for (auto [index, line] : enumerate(lines))
    order.push_back({taken[line.form]++, index});
  sort(order);
  std::vector<Line> chosen;
  for (auto [round, index] : ArrayRef(order).take_front(count))
    chosen.push_back(lines[index]);
  return chosen;
}

namespace {

/// What Mesa makes of lines.
struct Answers {
  std::vector<std::optional<uint64_t>> words; ///< None where the assembler refuses the line.
  std::vector<std::string> texts;             ///< Of the disassembler, for that word.
};

} // namespace

/// "error at line 12: ..." is about line 12 of the text.
static std::optional<size_t> lineOfFailure(StringRef failure) {
  size_t at = failure.find("line ");
  size_t number = 0;
  if (at == StringRef::npos || failure.drop_front(at + 5).consumeInteger(10, number) || !number)
    return std::nullopt;
  return number - 1;
}

/// Appends to \p again what is left of \p batch, whose text ended with \p failure: all but the line
/// that it names, or both halves where the assembler died and names none.
static void dropRefused(std::vector<size_t> batch, StringRef failure,
                        std::vector<std::vector<size_t>> &again) {
  std::optional<size_t> bad = lineOfFailure(failure);
  if (bad && *bad < batch.size())
    batch.erase(batch.begin() + ptrdiff_t(*bad));
  else if (batch.size() == 1)
    return;
  else {
    again.emplace_back(batch.begin(), batch.begin() + ptrdiff_t(batch.size() / 2));
    batch.erase(batch.begin(), batch.begin() + ptrdiff_t(batch.size() / 2));
  }
  if (!batch.empty())
    again.push_back(std::move(batch));
}

static void parseLines(MutableArrayRef<Line> lines, Chip chip) {
  for (Line &line : lines)
    if (Expected<Inst> parsed = parse(line.text, chip))
      line.word = parsed->word();
    else
      ADD_FAILURE() << line.text << ": " << takeError(parsed.takeError()).message;
}

/// Assembles all lines, \p batchSize in one text; a line that is refused leaves its text.
static Expected<Answers> askMesa(const turnip::TurnipPeer &peer, ArrayRef<Line> lines,
                                 size_t batchSize = 250) {
  Answers answers{std::vector<std::optional<uint64_t>>(lines.size()),
                  std::vector<std::string>(lines.size())};
  std::vector<std::vector<size_t>> batches;
  for (size_t at = 0; at < lines.size(); at += batchSize)
    append_range(batches.emplace_back(), seq(at, std::min(lines.size(), at + batchSize)));
  while (!batches.empty()) {
    std::vector<std::string> texts;
    for (const std::vector<size_t> &batch : batches)
      texts.push_back(
          join(map_range(batch, [&](size_t index) { return lines[index].text; }), "\n") + "\n");
    Expected<std::vector<turnip::Assembled>> results = peer.assemble(texts);
    if (!results)
      return results.takeError();
    std::vector<std::vector<size_t>> again;
    for (auto [batch, result] : zip_equal(batches, *results)) {
      if (!result.failure.empty()) {
        dropRefused(batch, result.failure, again);
        continue;
      }
      SmallVector<StringRef> printed;
      StringRef(result.disassembly).split(printed, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
      if (printed.size() < batch.size() || result.code.size() < batch.size())
        return environmentError("turnip's assembler left lines out");
      for (auto [place, index] : enumerate(batch)) {
        answers.words[index] = result.code[place];
        answers.texts[index] = printed[place].split("\t;").first.rtrim().str();
      }
    }
    batches = std::move(again);
  }
  return answers;
}

static bool agrees(const Line &line, const std::optional<uint64_t> &word, StringRef text) {
  return word && *word == line.word && text == line.text;
}

static std::string describe(const Line &line, const std::optional<uint64_t> &word, StringRef text) {
  return "'" + line.text + "' is " + utohexstr(line.word) +
         ", Mesa: " + (word ? utohexstr(*word) + " '" + text.str() + "'" : "refused");
}

/// Each exception is needed: of some lines that it covers, one differs. Most are refused, so each
/// is a text of its own.
static void checkExceptions(const turnip::TurnipPeer &peer, ArrayRef<Line> lines, Chip chip) {
  constexpr size_t Samples = 2;
  std::map<const Exception *, std::vector<Line>> covered;
  for (const Line &line : lines)
    covered[exceptionOf(line, chip)].push_back(line);
  std::vector<Line> chosen;
  for (auto &[exception, samples] : covered)
    append_range(chosen, chooseLines(samples, Samples));
  parseLines(chosen, chip);
  Expected<Answers> answers = askMesa(peer, chosen, /*batchSize=*/1);
  ASSERT_TRUE(bool(answers)) << takeError(answers.takeError()).message;
  std::map<const Exception *, bool> isNeeded;
  for (auto [line, word, text] : zip_equal(chosen, answers->words, answers->texts))
    isNeeded[exceptionOf(line, chip)] |= !agrees(line, word, text);
  for (auto [exception, needed] : isNeeded)
    EXPECT_TRUE(needed) << exception->what.str() << ": " << covered[exception].front().text;
}

TEST_P(Ir3Lines, AgreeWithMesaInTextAndWord) {
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(GetParam());
  if (!peer)
    GTEST_SKIP() << takeError(peer.takeError()).message;
  Chip chip = *findChip(GetParam());
  std::vector<Line> lines = makeLines(chip);
  auto firstException = std::partition(lines.begin(), lines.end(),
                                       [&](const Line &line) { return !exceptionOf(line, chip); });
  checkExceptions(*peer, {std::to_address(firstException), std::to_address(lines.end())}, chip);
  std::vector<Line> chosen = chooseLines({lines.begin(), firstException}, lineCount());
  parseLines(chosen, chip);
  Expected<Answers> answers = askMesa(*peer, chosen);
  ASSERT_TRUE(bool(answers)) << takeError(answers.takeError()).message;
  size_t agreed = 0, differing = 0;
  for (auto [line, word, text] : zip_equal(chosen, answers->words, answers->texts))
    if (agrees(line, word, text))
      ++agreed;
    else if (++differing <= 50)
      ADD_FAILURE() << describe(line, word, text);
  outs() << GetParam() << ": " << lines.size() << " lines, " << lines.end() - firstException
         << " of them exceptions; " << agreed << " of " << chosen.size()
         << " agree in text and word\n";
  EXPECT_EQ(differing, 0u);
  EXPECT_EQ(chosen.size(), lineCount());
}

INSTANTIATE_TEST_SUITE_P(Chips, Ir3Lines, testing::Values("a630", "a660", "a740"),
                         [](const auto &info) { return std::string(info.param); });
