// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ir3 instruction set of Adreno GPUs as data: chips, formats with their fields and texts, and
// one row an instruction. Decoder, encoder, printer and parser walk the same tables; nothing here
// knows what an instruction computes. Source of every row: Mesa 25.0, src/freedreno/isa/*.xml; of
// every chip: src/freedreno/common and src/freedreno/ir3.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::adreno {

enum class Chip : uint8_t { A420, A540, A630, A660, A740 };
constexpr unsigned ChipCount = 5;

/// What differs between chips.
struct ChipFacts {
  llvm::StringLiteral name; ///< "a630".
  /// Mesa's number of the generation, times 100: rows are valid for a range of it.
  uint16_t generation;
  /// Slots that must separate an ALU result from its use (Mesa, ir3_delay.c, ir3_delayslots): by
  /// the ALU at the same width, by anything else (and of a0.x, a1.x and p0), and as third source of
  /// mad and madsh.
  uint8_t aluDelay, farDelay, thirdDelay;
  /// Extra slots when a half register is read as part of a full one or the reverse; 0 where the
  /// files are apart.
  uint8_t widthDelay;
  /// hr2k and hr2k+1 are the halves of rk (Mesa, ir3_compiler.c, mergedregs).
  bool mergedRegisters;
  uint8_t predicates; ///< Components of p0.
  bool hasNopCount;  ///< (nopN) on ALU instructions (Mesa, ir3_legalize.c: generation 6 and later).
  bool hasScalarAlu; ///< The ALU may write shared registers.
  uint16_t vec4Registers;   ///< Vectors of four registers that a wave can have (Mesa,
                            ///< freedreno_devices.py).
  uint8_t instructionAlign; ///< Instructions that code is padded to.
};

const ChipFacts &factsOf(Chip chip);
/// Nothing for a chip without a table.
std::optional<Chip> findChip(llvm::StringRef name);

enum class Field : uint8_t {
#define FIELD(ENUM, NAME) ENUM,
#include "oracles/machine/ir3_isa/Fields.def"
  Count
};
constexpr unsigned FieldCount = unsigned(Field::Count);

/// Which part of the processor executes an instruction: decides how its result is waited for.
enum class Unit : uint8_t {
  Flow,        ///< Branches, nop, end.
  Alu,         ///< Categories 1 to 3: a fixed number of slots.
  Sfu,         ///< Category 4, and ids of the processor: (ss).
  Texture,     ///< Category 5: (sy).
  Load,        ///< Global memory, images, uniform buffers, private memory: (sy).
  LocalLoad,   ///< Workgroup memory, varyings, shuffles, sizes of resources: (ss).
  Atomic,      ///< On buffers and images: (sy).
  LocalAtomic, ///< On workgroup memory: (ss).
  Store,       ///< No result; its sources are read late: (ss).
  ConstStore,  ///< To the constant file: (ss).
  ConstLoad,   ///< From memory to the constant file: (sy).
  Barrier,     ///< Category 7.
};

/// The flag that waits for the result of an instruction.
enum class SyncFlag : uint8_t { None, Ss, Sy };
SyncFlag resultSync(Unit unit);

/// How the width of registers is known.
enum class Width : uint8_t {
  None,      ///< All registers are full.
  Converted, ///< Field `full` (or the row) for sources; the result differs where `conv` says so.
  Typed,     ///< Category 1: by the two types.
  Texture,   ///< Sources by `full`, the result by `type`.
  Memory,    ///< Data registers by `type`.
  Table,     ///< alias: by `twide`.
  Multiply,  ///< wmm: `full` for sources, `conv` set for a full result.
};

/// Properties of rows.
namespace rowflags {
constexpr uint16_t None = 0;
constexpr uint16_t FullSources = 1; ///< Category 3: the opcode decides.
constexpr uint16_t HalfSources = 2;
constexpr uint16_t NopCount = 4; ///< Without (rptN), the (r) bits count nops that follow.
constexpr uint16_t OneSource = 8;
constexpr uint16_t TwoSources = 16;
constexpr uint16_t Sampler = 32;
constexpr uint16_t Texture = 64;
constexpr uint16_t Typed = 128;     ///< Its text names the type of the result.
constexpr uint16_t Immediate = 256; ///< Category 3: immediates in the place of constants.
constexpr uint16_t FloatTable =
    512; ///< Category 2: an immediate is an index of the table of floats.
constexpr uint16_t Predicate = 1024; ///< May write p0.
} // namespace rowflags

/// One text of a format. Of several, the first whose conditions hold is printed.
struct TextRow {
  llvm::StringLiteral conditions; ///< "stype!=dtype dst=0xf4", all of which must hold.
  /// Letters as they are, and slots in braces: "{flags}{name} #{int imm}" (Slots.h).
  llvm::StringLiteral text;
};

/// Instructions with the same fields and texts.
struct FormatRow {
  llvm::StringLiteral name;
  uint8_t category;
  Width width;
  llvm::StringLiteral fields;   ///< "dst:39-32 off:13-9,39-32": bits, the most significant first.
  llvm::StringLiteral fixed;    ///< "31-27=00xxx": bits that must be so; x is anything.
  llvm::StringLiteral defaults; ///< "stoff=1": what the assembler sets and no text shows.
  llvm::ArrayRef<TextRow> texts;
};

/// One instruction.
struct InstRow {
  llvm::StringLiteral name;
  llvm::StringLiteral format;
  uint16_t firstGeneration, lastGeneration;
  llvm::StringLiteral fixed;
  Unit unit;
  uint16_t flags = rowflags::None;
};
constexpr uint16_t AnyFirst = 300;
constexpr uint16_t AnyLast = 9999;

llvm::ArrayRef<FormatRow> flowFormats(), moveFormats(), aluFormats(), textureFormats(),
    memoryFormats(), boundFormats(), barrierFormats();
llvm::ArrayRef<InstRow> flowRows(), moveRows(), aluRows(), textureRows(), memoryRows(), boundRows(),
    barrierRows();

/// Bits of an instruction: one range, or two of which the first holds the more significant bits.
struct FieldPlace {
  uint8_t low = 0, width = 0;
  uint8_t low2 = 0, width2 = 0;
  unsigned bits() const { return unsigned(width) + width2; }
};

struct SlotKind;

/// A piece of a text: letters, or a slot.
struct TextPiece {
  llvm::StringRef letters;
  const SlotKind *kind = nullptr;
  Field field = Field::Count;
  llvm::StringRef argument;
};

struct TextCondition {
  Field field = Field::Count;
  Field other = Field::Count; ///< Or Count: a number.
  bool equal = true;
  uint32_t value = 0;
};

struct Text {
  llvm::SmallVector<TextCondition, 3> conditions;
  std::vector<TextPiece> pieces;
};

/// A row with its format, ready for use.
struct Form {
  const FormatRow *format = nullptr;
  const InstRow *row = nullptr;
  uint64_t mask = 0;   ///< Bits that are fixed,
  uint64_t value = 0;  ///< and what they are.
  uint64_t fields = 0; ///< Bits of fields. The rest means nothing.
  std::array<FieldPlace, FieldCount> places{};
  std::vector<Text> texts;
  llvm::SmallVector<std::pair<Field, uint32_t>, 2> defaults;

  bool has(Field field) const { return places[unsigned(field)].width != 0; }
  bool hasFlag(uint16_t flag) const { return row->flags & flag; }
};

/// All rows, in the order of their categories. Built once.
llvm::ArrayRef<Form> allForms();
/// The field of that name, or Count.
Field findField(llvm::StringRef name);
llvm::StringRef fieldName(Field field);

/// Rows of one chip, and which of them a word can be.
class IsaTable {
public:
  explicit IsaTable(Chip chip);
  static const IsaTable &of(Chip chip);

  Chip chip() const { return m_chip; }
  llvm::ArrayRef<const Form *> forms() const { return m_forms; }
  /// Rows that \p word may be, by its opcode bits alone.
  llvm::ArrayRef<const Form *> candidates(uint64_t word) const { return m_buckets[word >> 54]; }

private:
  Chip m_chip;
  std::vector<const Form *> m_forms;
  std::vector<std::vector<const Form *>> m_buckets; ///< By the ten highest bits.
};

} // namespace assay::adreno
