// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/CodeChanges.h"

#include "oracles/machine/gcn_isa/Codec.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Words of opcodes' names that one may represent the other, in both directions.
struct Exchange {
  StringLiteral one, other;
};

using Insts = std::vector<Inst>;

/// One kind of mistake. A row either exchanges words in opcodes or varies operands.
struct ChangeRow {
  StringLiteral kind;
  /// Opcodes: of names with \p within, "" for all.
  StringLiteral within;
  ArrayRef<Exchange> exchanges;
  /// Operands: adds to \p changed what becomes of \p inst; null for rows of opcodes.
  void (*vary)(const Inst &inst, Insts &changed);
};

} // namespace

/// Comparisons that differ for equal operands only.
static constexpr Exchange orders[] = {{"lt", "le"}, {"gt", "ge"}, {"nlt", "nle"}, {"ngt", "nge"}};
/// Conditions that are the opposite of each other.
static constexpr Exchange branches[] = {{"scc0", "scc1"}, {"vccz", "vccnz"}, {"execz", "execnz"}};
/// Opposites, and comparisons of signed and unsigned numbers.
static constexpr Exchange equalities[] = {{"eq", "lg"},   {"eq", "ne"},  {"eq", "neq"},
                                          {"lg", "nlg"},  {"lg", "neq"}, {"i16", "u16"},
                                          {"i32", "u32"}, {"i64", "u64"}};
static constexpr Exchange arithmetic[] = {{"add", "sub"},
                                          {"sub", "subrev"},
                                          {"add", "subrev"},
                                          {"addc", "subb"},
                                          {"subb", "subbrev"},
                                          {"addc", "subbrev"},
                                          {"min", "max"},
                                          {"min3", "max3"},
                                          {"minimum", "maximum"},
                                          {"and", "or"},
                                          {"or", "xor"},
                                          {"and", "xor"},
                                          {"lshl", "lshr"},
                                          {"lshlrev", "lshrrev"},
                                          {"lshr_b32", "ashr_i32"},
                                          {"lshr_b64", "ashr_i64"},
                                          {"lshrrev_b16", "ashrrev_i16"},
                                          {"lshrrev_b32", "ashrrev_i32"},
                                          {"lshrrev_b64", "ashrrev_i64"},
                                          {"i16", "u16"},
                                          {"i32", "u32"},
                                          {"i24", "u24"}};

/// Whether operands are values: those of program control and of waits are numbers of other things.
static bool hasValues(const Inst &inst) {
  return inst.form->layout->format != Format::Sopp &&
         !StringRef(inst.mnemonic).starts_with("s_wait");
}

/// Whether the instruction is no ALU operation; its constants are then offsets.
static bool isAccess(const Inst &inst) {
  return !isAluFormat(inst.form->layout->format);
}

/// To the register before and that after.
static void moveRegisters(const Inst &inst, Insts &changed) {
  constexpr int LastVgpr = 255, LastSgpr = sreg::VccLo - 1;
  if (!hasValues(inst))
    return;
  for (auto [number, operand] : enumerate(inst.operands)) {
    bool isVector = operand.type == OperandType::Vgpr;
    int last = (isVector ? LastVgpr : LastSgpr) - operand.dwords + 1;
    if (!operand.isRegister() || operand.index > last)
      continue;
    int step = static_cast<int>(tupleAlignment(operand));
    for (int index : {operand.index + step, operand.index - step}) {
      if (index < 0 || index > last)
        continue;
      changed.push_back(inst);
      changed.back().operands[number].index = static_cast<uint16_t>(index);
    }
  }
}

/// Adds \p inst with another number in \p operand.
static void addNumbers(const Inst &inst, size_t operand, ArrayRef<int64_t> steps, Insts &changed) {
  for (int64_t step : steps) {
    changed.push_back(inst);
    changed.back().operands[operand].value += step;
  }
}

/// Whether the operand is an integer that the instruction holds itself.
static bool isNumber(const Operand &operand) {
  return operand.type == OperandType::Integer || operand.type == OperandType::Literal;
}

/// By one in both directions.
static void moveConstants(const Inst &inst, Insts &changed) {
  if (!hasValues(inst) || isAccess(inst))
    return;
  for (auto [number, operand] : enumerate(inst.operands))
    if (isNumber(operand))
      addNumbers(inst, number, {1, -1}, changed);
}

/// By a byte and by a dword. Of scalar loads the offset may be an operand.
static void moveAddresses(const Inst &inst, Insts &changed) {
  static constexpr int64_t steps[] = {4, -4, 1, -1};
  if (!isAccess(inst))
    return;
  for (int64_t step : steps) {
    changed.push_back(inst);
    changed.back().mods.offset += step;
  }
  for (int step : {1, -1})
    for (uint32_t Modifiers::*offset : {&Modifiers::offset0, &Modifiers::offset1}) {
      changed.push_back(inst);
      changed.back().mods.*offset += static_cast<uint32_t>(step);
    }
  if (inst.form->layout->format == Format::Smem)
    for (auto [number, operand] : enumerate(inst.operands))
      if (isNumber(operand))
        addNumbers(inst, number, steps, changed);
}

/// One operand and one modifier at a time. The encoding rejects those that have no such bit.
static void flipModifiers(const Inst &inst, Insts &changed) {
  if (!hasValues(inst) || isAccess(inst))
    return;
  for (size_t number = 0; number < inst.operands.size(); ++number)
    for (bool Operand::*modifier : {&Operand::neg, &Operand::abs}) {
      changed.push_back(inst);
      bool &flipped = changed.back().operands[number].*modifier;
      flipped = !flipped;
    }
}

/// One that is no more than a comparison turned round, which its branch may be as well, stands
/// after branches.
static constexpr ChangeRow rows[] = {
    {"comparison", "cmp", orders, nullptr},     {"branch", "cbranch", branches, nullptr},
    {"comparison", "cmp", equalities, nullptr}, {"arithmetic", "", arithmetic, nullptr},
    {"address", "", {}, moveAddresses},         {"register", "", {}, moveRegisters},
    {"constant", "", {}, moveConstants},        {"modifier", "", {}, flipModifiers},
};

/// \p inst by the name of another opcode of its format; false where that has none.
static bool rename(Inst &inst, Chip chip, StringRef word, StringRef other) {
  std::string name = "_" + inst.mnemonic + "_", from = ("_" + word + "_").str();
  size_t at = name.find(from);
  if (at == std::string::npos)
    return false;
  name.replace(at + 1, word.size(), other);
  StringRef wanted = StringRef(name).drop_front().drop_back();
  for (const InstForm *form : IsaTable::get(chip).forms())
    if (form->name == wanted && form->layout == inst.form->layout) {
      inst.form = form;
      inst.mnemonic = wanted.str();
      return true;
    }
  return false;
}

/// Adds each opcode that an exchange of \p row makes of the opcode of \p inst.
static void renameAll(const ChangeRow &row, const Inst &inst, Chip chip, Insts &changed) {
  if (!StringRef(inst.mnemonic).contains(row.within))
    return;
  for (const auto &[one, other] : row.exchanges)
    for (auto [from, to] : {std::pair(one, other), std::pair(other, one)})
      if (Inst renamed = inst; rename(renamed, chip, from, to))
        changed.push_back(std::move(renamed));
}

/// What \p row makes of \p inst; of a pair, of each half.
static Insts change(const ChangeRow &row, const Inst &inst, Chip chip) {
  Insts changed;
  auto add = [&](const Inst &part) {
    renameAll(row, part, chip, changed);
    if (row.vary)
      row.vary(part, changed);
  };
  add(inst);
  if (inst.dual.empty())
    return changed;
  size_t ofFirst = changed.size();
  add(inst.dual.front());
  for (size_t i = ofFirst; i < changed.size(); ++i) {
    Inst pair = inst;
    pair.dual.front() = std::exchange(changed[i], {});
    changed[i] = std::move(pair);
  }
  return changed;
}

/// \p inst as its words, once encoded, decode; nothing where it has no encoding of this size.
static std::optional<Inst> encodeAgain(const Inst &inst, Chip chip, unsigned waveSize) {
  Expected<std::vector<uint32_t>> words = encodeInst(inst, chip, waveSize);
  if (!words) {
    consumeError(words.takeError());
    return std::nullopt;
  }
  std::vector<uint8_t> bytes(words->size() * sizeof(uint32_t));
  for (auto [number, word] : enumerate(*words))
    support::endian::write32le(&bytes[number * sizeof(uint32_t)], word);
  Inst decoded = TableDecoder(chip, waveSize).decode(bytes, 0);
  decoded.pc = inst.pc;
  if (!decoded.valid || decoded.size != inst.size || bytes.size() != inst.size)
    return std::nullopt;
  return decoded;
}

std::vector<CodeChange> assay::listChanges(const Inst &inst, Chip chip, unsigned waveSize) {
  std::vector<CodeChange> changes;
  if (!inst.form)
    return changes;
  auto isKnown = [&](StringRef text) {
    return text == inst.text ||
           any_of(changes, [&](const CodeChange &other) { return other.inst.text == text; });
  };
  for (auto [number, row] : enumerate(rows))
    for (const Inst &each : change(row, inst, chip))
      if (std::optional<Inst> changed = encodeAgain(each, chip, waveSize);
          changed && !isKnown(changed->text))
        changes.push_back(
            {static_cast<unsigned>(number), row.kind, !row.vary, std::move(*changed)});
  return changes;
}
